package runner_test

import (
	"encoding/base64"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"a2ascope/session"
	"a2ascope/session/runner"
)

// TestUploadIsSeen: while a long request is written, the view says how much of
// it was; no record does.
func TestUploadIsSeen(t *testing.T) {
	t.Parallel()
	const size = 24 << 20
	gate := make(chan struct{})
	pass := sync.OnceFunc(func() { close(gate) })
	var s *httptest.Server
	s = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			_, _ = io.WriteString(w, strings.ReplaceAll(card10, "$url", s.URL))
			return
		}
		if r.ContentLength > size {
			<-gate
		}
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":2,"result":{"message":{"messageId":"a","role":"ROLE_AGENT","parts":[{"text":"ok"}]}}}`)
	}))
	t.Cleanup(s.Close)
	t.Cleanup(pass)
	l := open(t, store(t), s.URL, func(c *runner.Config) {
		c.ReadFile = func(string) ([]byte, error) { return make([]byte, size), nil }
	})
	if err := runner.Script(t.Context(), l.Runner, []string{"discover " + s.URL}); err != nil {
		t.Fatal(err)
	}
	n, err := l.Command("send 'a file' --file big.bin", "script")
	if err != nil {
		t.Fatal(err)
	}
	said := ""
	for said == "" {
		changed := l.Changed()
		for _, w := range l.View().Waiting {
			if w.Size > 0 && w.Size < int64(base64.StdEncoding.EncodedLen(size)) || w.Wrote > w.Size {
				t.Errorf("%d of %d bytes", w.Wrote, w.Size)
			}
			said = w.Sending()
		}
		if said == "" {
			<-changed
		}
	}
	if !strings.HasSuffix(said, " of 32.0 MiB written") {
		t.Errorf("it says %q", said)
	}
	during := l.View().Seq
	pass()
	if cv, err := l.Await(t.Context(), n); err != nil || cv.Result != session.ResultOK {
		t.Fatalf("%+v, %v", cv, err)
	}
	records, err := l.Page(during+1, 100)
	if err != nil || len(records) == 0 {
		t.Fatalf("no record after the request: %v", err)
	}
	for len(records) > 0 && records[0].Kind == session.KindTimer { // a long request may take the disk a while
		records = records[1:]
	}
	if len(records) == 0 || records[0].Kind != session.KindResponse {
		t.Errorf("after the request came %v", records)
	}
	if kept := l.FilesKept(); kept != 0 {
		t.Errorf("the files of %d commands are kept", kept)
	}
}

// TestFileOfItsCommand: what a command sends is what the file held when it was
// given, whatever another command reads from the same path.
func TestFileOfItsCommand(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "f.json")
	var bodies []string
	gate := make(chan struct{})
	var s *httptest.Server
	s = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			<-gate
			_, _ = io.WriteString(w, strings.ReplaceAll(card10, "$url", s.URL))
			return
		}
		b, _ := io.ReadAll(r.Body)
		bodies = append(bodies, string(b))
		_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":2,"result":{"message":{"messageId":"a","role":"ROLE_AGENT","parts":[{"text":"ok"}]}}}`)
	}))
	t.Cleanup(s.Close)
	l := open(t, store(t), s.URL)
	var last int
	for _, line := range []string{"discover " + s.URL, "send --data @" + path, "send --new --data @" + path} {
		if err := os.WriteFile(path, []byte(`{"as":"of `+line[:8]+`"}`), 0o600); err != nil {
			t.Fatal(err)
		}
		n, err := l.Command(line, "script")
		if err != nil {
			t.Fatal(err)
		}
		last = n
	}
	close(gate)
	for n := 1; n <= last; n++ {
		if _, err := l.Await(t.Context(), n); err != nil {
			t.Fatal(err)
		}
	}
	all := strings.Join(bodies, "\n")
	for _, want := range []string{"of send --d", "of send --n"} {
		if strings.Count(all, want) != 1 {
			t.Errorf("%q was sent %d times:\n%s", want, strings.Count(all, want), all)
		}
	}
}

// TestFilesTooLong: the error says how much may be sent, and what helps.
func TestFilesTooLong(t *testing.T) {
	t.Parallel()
	l := open(t, store(t), "http://127.0.0.1:9", func(c *runner.Config) {
		c.ReadFile = func(path string) ([]byte, error) {
			n := 30 << 20
			if path == "huge" {
				n = session.MaxFile + 1
			}
			return make([]byte, n), nil
		}
	})
	for _, tc := range []struct{ line, want string }{
		{"send --file huge", "huge is longer than 32 MiB"},
		{"send --file a --file b --file c", "at most 64 MiB together"},
	} {
		n, err := l.Command(tc.line, "script")
		if err != nil {
			t.Fatal(err)
		}
		if cv, err := l.Await(t.Context(), n); err != nil || cv.Result != session.ResultCannot || !strings.Contains(cv.Detail, tc.want) || !strings.Contains(cv.Detail, "address") {
			t.Errorf("%s came to %q %q (%v)", tc.line, cv.Result, cv.Detail, err)
		}
	}
}
