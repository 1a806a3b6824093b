package runner_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"a2ascope/session"
	"a2ascope/session/runner"
)

// filer is an agent whose task brings a file, a URL, and the file once more.
func filer(t *testing.T) *httptest.Server {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("/.well-known/agent-card.json", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, `{"name":"F","description":"d","version":"1","supportedInterfaces":[{"url":"http://%s/rpc","protocolBinding":"JSONRPC","protocolVersion":"1.0"}],"capabilities":{},"defaultInputModes":["text/plain"],"defaultOutputModes":["image/png"],"skills":[],"securitySchemes":{"k":{"apiKeySecurityScheme":{"location":"header","name":"X-Key"}}}}`, r.Host)
	})
	mux.HandleFunc("/rpc", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		task := `{"id":"T1","contextId":"C1","status":{"state":"TASK_STATE_COMPLETED"},"artifacts":[{"artifactId":"a","parts":[{"raw":"aGVsbG8=","mediaType":"image/png","filename":"../h.png"},{"url":"http://files.example/x","mediaType":"image/png"}]}]}`
		if strings.Contains(string(body), "SendMessage") {
			task = `{"task":` + task + `}`
		}
		_, id, _ := strings.Cut(string(body), `"id":`)
		id, _, _ = strings.Cut(id, ",")
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, id, task)
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

func TestSave(t *testing.T) {
	t.Parallel()
	peer := filer(t)
	var mu sync.Mutex
	written := map[string]string{}
	l := open(t, store(t), peer.URL, func(c *runner.Config) {
		c.WriteFile = func(path string, data []byte) error {
			mu.Lock()
			defer mu.Unlock()
			if _, there := written[path]; there {
				return fmt.Errorf("%s is there already", path)
			}
			written[path] = string(data)
			return nil
		}
	})
	for _, line := range []string{"discover " + peer.URL, "send hi", "wait settled"} {
		if cv := l.await(t, l.background(t, line, "operator")); cv.Result != session.ResultOK {
			t.Fatalf("%s: %s", line, cv.Detail)
		}
	}
	files := l.View().Tasks[0].Files
	sum := sha256.Sum256([]byte("hello"))
	if len(files) != 2 || files[0].Digest != hex.EncodeToString(sum[:]) || files[0].Name != "../h.png" || files[0].Size != 5 || files[0].Type != "image/png" || files[1].URL != "http://files.example/x" {
		t.Fatalf("files %+v", files)
	}
	for _, tc := range []struct {
		line   string
		result session.CommandResult
		detail string
	}{
		{"save 1 copy.png", session.ResultOK, "saved file 1 (5 bytes"},
		{"save 1 copy.png", session.ResultCannot, "there already"},
		{"save 2 other.png", session.ResultCannot, "fetches none"},
		{"save 3 other.png", session.ResultCannot, "no number 3"},
	} {
		if cv := l.await(t, l.background(t, tc.line, "operator")); cv.Result != tc.result || !strings.Contains(cv.Detail, tc.detail) {
			t.Errorf("%s: %s: %s", tc.line, cv.Result, cv.Detail)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	if len(written) != 1 || written["copy.png"] != "hello" {
		t.Errorf("written %q", written)
	}
}

// TestWaysIn: the schemes of the card with the one in use, and what the
// console suggests to somebody who is not let in.
func TestWaysIn(t *testing.T) {
	t.Parallel()
	peer := demo(t, "locked")
	l := open(t, store(t), peer.URL())
	l.await(t, l.background(t, "discover "+peer.URL(), "operator"))
	l.await(t, l.background(t, "send hi", "operator"))
	got := l.View().Peer.Suggestions
	if len(got) != 1 || got[0].Line != "auth bearer $TOKEN" || !strings.Contains(got[0].Why, "401") || !strings.Contains(got[0].Why, "Bearer") {
		t.Errorf("suggested %+v", got)
	}

	dead := demo(t, "dead-url")
	l = open(t, store(t), dead.URL())
	l.await(t, l.background(t, "discover "+dead.URL(), "operator"))
	if got := l.View().Peer.Suggestions; len(got) == 0 || got[0].Line != "endpoint "+dead.URL()+"/rpc" {
		t.Errorf("suggested %+v", got)
	}

	files := filer(t)
	l = open(t, store(t), files.URL, func(c *runner.Config) { c.Env = func(string) (string, bool) { return "a-long-key", true } })
	l.await(t, l.background(t, "discover "+files.URL, "operator"))
	want := session.SchemeView{Name: "k", Kind: "apiKey", Detail: "header X-Key", Way: "auth apikey header X-Key $KEY"}
	if got := l.View().Peer.Schemes; len(got) != 1 || got[0] != want {
		t.Errorf("schemes %+v", got)
	}
	l.await(t, l.background(t, "auth apikey $KEY", "operator"))
	want.InUse = true
	if got := l.View().Peer.Schemes; len(got) != 1 || got[0] != want {
		t.Errorf("schemes %+v", got)
	}
}
