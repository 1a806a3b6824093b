//go:build unix

package cli_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// filer is an agent that keeps the messages it gets, and whose task brings
// files of any name.
func filer(t *testing.T, names ...string) (address string, got func() []string) {
	t.Helper()
	var mu sync.Mutex
	var messages []string
	var s *httptest.Server
	s = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			if !strings.HasSuffix(r.URL.Path, "/agent-card.json") {
				t.Errorf("%s was fetched", r.URL.Path)
			}
			_, _ = fmt.Fprintf(w, `{"name":"F","description":"d","version":"1","supportedInterfaces":[{"url":"%s/rpc","protocolBinding":"JSONRPC","protocolVersion":"1.0"}],
				"capabilities":{},"defaultInputModes":["*/*"],"defaultOutputModes":["*/*"],"skills":[]}`, s.URL)
			return
		}
		var call struct {
			ID     json.RawMessage
			Method string
			Params struct {
				Message struct{ Parts json.RawMessage }
			}
		}
		_ = json.NewDecoder(r.Body).Decode(&call)
		var parts []string
		for i, name := range names {
			quoted, _ := json.Marshal(name)
			parts = append(parts, fmt.Sprintf(`{"raw":"aGVsbG8%c","filename":%s,"mediaType":"image/png"}`, '0'+i, quoted))
		}
		parts = append(parts, `{"url":"`+s.URL+`/file.png","filename":"file.png","mediaType":"image/png"}`)
		task := `{"id":"T","contextId":"C","status":{"state":"TASK_STATE_COMPLETED"},"artifacts":[{"artifactId":"a","parts":[` + strings.Join(parts, ",") + `]}]}`
		if call.Method == "SendMessage" {
			mu.Lock()
			messages = append(messages, string(call.Params.Message.Parts))
			mu.Unlock()
			task = `{"task":` + task + `}`
		}
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, call.ID, task)
	}))
	t.Cleanup(s.Close)
	return s.URL, func() []string {
		mu.Lock()
		defer mu.Unlock()
		return messages
	}
}

// TestSendFiles: what can be sent as a file, as what, and what is said of what
// cannot. Nothing of the latter is sent.
func TestSendFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for name, text := range map[string]string{"a.png": "png", "b.txt": "text", "none": "?", "empty.json": "", "secret": "x"} {
		if err := os.WriteFile(at(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(at("big"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(at("big"), 33<<20); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(at("pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(at("a.png"), at("link.png")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(at("nowhere"), at("dangling")); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name, command string
		sent          []string // in the message
		says          string   // else
	}{
		{"by its name", "send --file " + at("a.png") + " look", []string{`"filename":"a.png"`, `"mediaType":"image/png"`, `"raw":"cG5n"`}, ""},
		{"by a type that is given", "send --file " + at("a.png") + ";type=application/x-own look", []string{`"mediaType":"application/x-own"`}, ""},
		{"no type is known", "send --file " + at("none") + " look", []string{`"mediaType":"application/octet-stream"`}, ""},
		{"an empty one", "send --file " + at("empty.json") + " look", []string{`"filename":"empty.json"`, `"mediaType":"application/json"`}, ""},
		{"through a link", "send --file " + at("link.png") + " look", []string{`"filename":"link.png"`, `"raw":"cG5n"`}, ""},
		{"two of them", "send --file " + at("a.png") + " --file " + at("b.txt") + " look", []string{`"filename":"a.png"`, `"filename":"b.txt"`}, ""},
		{"not there", "send --file " + at("c.png") + " look", nil, "no such file"},
		{"a link to nowhere", "send --file " + at("dangling") + " look", nil, "no such file"},
		{"a folder", "send --file " + dir + " look", nil, "is a folder"},
		{"a pipe that nobody writes", "send --file " + at("pipe") + " look", nil, "no regular file"},
		{"a device without end", "send --file /dev/zero look", nil, "no regular file"},
		{"too long", "send --file " + at("big") + " look", nil, "longer than 32 MiB"},
		{"data from a pipe", "send --data @" + at("pipe") + " look", nil, "no regular file"},
		{"data that is none", "send --data @" + at("b.txt") + " look", nil, "JSON"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			peer, got := filer(t)
			r := newBench(t).run(append([]string{"run", peer, "-c", tc.command}, quick...)...)
			if tc.sent == nil {
				if r.status != 2 || !strings.Contains(r.err, tc.says) || len(got()) > 0 {
					t.Errorf("status %d, %d messages sent, want 2, none and %q\n%s%s", r.status, len(got()), tc.says, r.out, r.err)
				}
				return
			}
			messages := got()
			if r.status != 0 || len(messages) != 1 {
				t.Fatalf("status %d, %d messages\n%s%s", r.status, len(messages), r.out, r.err)
			}
			for _, want := range tc.sent {
				if !strings.Contains(messages[0], want) {
					t.Errorf("no %s in %s", want, messages[0])
				}
			}
		})
	}
}

// TestSaveFiles: whatever a peer calls its files, they go where the operator
// says, to a new file, for nobody else to read; and what it only points at is
// not fetched.
func TestSaveFiles(t *testing.T) {
	t.Parallel()
	names := []string{"../../up", "/etc/passwd", "", "CON", "a\u202egnp.exe\x1b[2J"}
	peer, _ := filer(t, names...)
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := os.WriteFile(at("there"), []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, link := range [][2]string{{at("there"), at("link")}, {at("beyond"), at("dangling")}} {
		if err := os.Symlink(link[0], link[1]); err != nil {
			t.Skipf("no links here: %v", err)
		}
	}
	for _, tc := range []struct {
		path   string
		file   int
		status int
		says   string
	}{
		{at("one"), 1, 0, "saved file 1 (6 bytes"}, {at("two"), 2, 0, "saved"}, {at("three"), 3, 0, "saved"}, {at("four"), 4, 0, "saved"}, {at("five"), 5, 0, "saved"},
		{at("six"), 6, 2, "fetches none"},
		{at("seven"), 7, 2, "no number 7"},
		{at("there"), 1, 2, "not overwritten"},
		{at("link"), 1, 2, "not overwritten"},
		{at("dangling"), 1, 2, "not overwritten"},
		{dir, 1, 2, dir},
		{at("no/such/folder/file"), 1, 2, "no such file"},
		{"/dev/null", 1, 2, "not overwritten"},
	} {
		t.Run(filepath.Base(tc.path), func(t *testing.T) {
			r := newBench(t).run(append([]string{"run", peer, "-c", "send hello", "-c", fmt.Sprintf("save %d %s", tc.file, tc.path)}, quick...)...)
			if r.status != tc.status || !strings.Contains(r.out+r.err, tc.says) {
				t.Errorf("status %d, want %d and %q\n%s%s", r.status, tc.status, tc.says, r.out, r.err)
			}
			if strings.ContainsAny(r.out+r.err, "\x1b\u202e") {
				t.Error("a file's name reached the terminal as it is")
			}
		})
	}
	if text, err := os.ReadFile(at("there")); string(text) != "mine" || err != nil {
		t.Errorf("the file that was there holds %q, %v", text, err)
	}
	if _, err := os.Stat(at("beyond")); err == nil {
		t.Error("a file was written through a link")
	}
	if info, err := os.Stat(at("one")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info, err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 8 {
		t.Errorf("%d files are there, %v", len(entries), err)
	}
}
