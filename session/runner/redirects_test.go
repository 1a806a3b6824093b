package runner_test

import (
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

// visits are the requests that servers met, in order.
type visits struct {
	mu   sync.Mutex
	list []string
}

func (v *visits) add(format string, args ...any) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.list = append(v.list, fmt.Sprintf(format, args...))
}

func (v *visits) String() string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return strings.Join(v.list, ", ")
}

const doneRPC = `{"jsonrpc":"2.0","id":$id,"result":{"task":{"id":"T","contextId":"C","status":{"state":"TASK_STATE_COMPLETED"}}}}`

// TestRedirects: each hop is an exchange of its own, and a message goes where
// it is sent on with its body, or nowhere.
func TestRedirects(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		status int
		to     func(r *http.Request, other string) string
		visits string // of messages; $o is the other origin
		state  string
		finds  bool
	}{
		{"307 to a slash", 307, func(*http.Request, string) string { return "/rpc/" }, "POST /rpc body auth, POST /rpc/ body auth", "completed", true},
		{"308, relative", 308, func(*http.Request, string) string { return "rpc/?a=1" }, "POST /rpc body auth, POST /rpc/?a=1 body auth", "completed", true},
		{"307 to another origin", 307, func(_ *http.Request, other string) string { return other + "/rpc/" }, "POST /rpc body auth, POST other/rpc/ body", "completed", true},
		{"302 of a message", 302, func(*http.Request, string) string { return "/rpc/" }, "POST /rpc body auth", "", true},
		{"301 of a message", 301, func(*http.Request, string) string { return "/rpc/" }, "POST /rpc body auth", "", true},
		{"303 of a message", 303, func(*http.Request, string) string { return "/rpc/" }, "POST /rpc body auth", "", true},
		{"307 without a place", 307, func(*http.Request, string) string { return "" }, "POST /rpc body auth", "", false},
		{"307 to no web address", 307, func(*http.Request, string) string { return "file:///etc/passwd" }, "POST /rpc body auth", "", true},
		{"307 with a password", 307, func(r *http.Request, _ string) string { return "http://a:b@" + r.Host + "/rpc/" }, "POST /rpc body auth", "", true},
		{"a loop", 307, func(r *http.Request, _ string) string { return "/rpc" }, strings.TrimSuffix(strings.Repeat("POST /rpc body auth, ", 6), ", "), "", true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var v visits
			meet := func(where string, r *http.Request) (id string) {
				body, _ := io.ReadAll(r.Body)
				_, id, _ = strings.Cut(string(body), `"id":`)
				id, _, _ = strings.Cut(id, ",")
				if !strings.Contains(string(body), "SendMessage") {
					return id
				}
				line := r.Method + " " + where + r.URL.RequestURI()
				if strings.Contains(string(body), "hello") {
					line += " body"
				}
				if r.Header.Get("Authorization") != "" {
					line += " auth"
				}
				v.add("%s", line)
				return id
			}
			other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.WriteString(w, strings.Replace(doneRPC, "$id", meet("other", r), 1))
			}))
			t.Cleanup(other.Close)
			var s *httptest.Server
			s = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				switch {
				case strings.HasSuffix(r.URL.Path, "/agent-card.json"):
					_, _ = io.WriteString(w, strings.ReplaceAll(card10, "$url", s.URL))
					return
				case r.URL.Path == "/rpc":
					meet("", r)
					if to := tc.to(r, other.URL); to != "" {
						w.Header().Set("Location", to)
					}
					w.WriteHeader(tc.status)
					return
				}
				_, _ = io.WriteString(w, strings.Replace(doneRPC, "$id", meet("", r), 1))
			}))
			t.Cleanup(s.Close)
			l := open(t, store(t), s.URL, func(c *runner.Config) {
				c.Env = func(string) (string, bool) { return "let-me-in-please", true }
			})
			d := l.script(t, s.URL, "auth bearer $TOKEN", "send hello")
			if v.String() != tc.visits {
				t.Errorf("met %s; want %s", v.String(), tc.visits)
			}
			if len(d.Tasks) != 1 || d.Tasks[0].State != tc.state || d.Tasks[0].Attempts != 1 || len(d.Tasks[0].Messages) != 1 {
				t.Errorf("tasks %+v, want %q", d.Tasks, tc.state)
			}
			found := false
			for _, f := range d.Findings {
				found = found || f.Rule == "endpoint.redirect" && f.Severity == session.Info
				if f.Severity.Contradicts() {
					t.Errorf("%s accuses: %s", f.Rule, f.Detail)
				}
			}
			if found != tc.finds {
				t.Errorf("findings %+v", d.Findings)
			}
			if t.Failed() {
				t.Log(l.transcript(t))
			}
		})
	}
}

// A card is read where its place sends on to, and the reads of a task too;
// the peer is where its card was read.
func TestRedirectedReads(t *testing.T) {
	t.Parallel()
	var v visits
	var s *httptest.Server
	s = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v.add("%s %s", r.Method, r.URL.Path)
		switch r.URL.Path {
		case "/.well-known/agent-card.json":
			http.Redirect(w, r, "/cards/mine", http.StatusFound)
		case "/cards/mine":
			_, _ = io.WriteString(w, strings.ReplaceAll(rest10("/r"), "$url", s.URL))
		case "/r/message:send":
			_, _ = io.WriteString(w, strings.Replace(task10, "COMPLETED", "WORKING", 1))
		case "/r/tasks/T":
			http.Redirect(w, r, "/r/moved/T", http.StatusMovedPermanently)
		case "/r/moved/T":
			_, _ = io.WriteString(w, `{"id":"T","contextId":"C","status":{"state":"TASK_STATE_COMPLETED"}}`)
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(s.Close)
	l := open(t, store(t), s.URL)
	d := l.script(t, s.URL, "send hello", "poll --every 20ms", "wait settled")
	if len(d.Tasks) != 1 || !d.Tasks[0].Settled || d.Tasks[0].State != "completed" || d.Peer.CardURL != s.URL+"/cards/mine" {
		t.Errorf("%+v %+v", d.Peer, d.Tasks)
	}
	if want := "GET /.well-known/agent-card.json, GET /cards/mine, POST /r/message:send, GET /r/tasks/T, GET /r/moved/T, GET /r/tasks/T, GET /r/moved/T"; !strings.HasPrefix(v.String(), want) {
		t.Errorf("met %s", v.String())
	}
	if t.Failed() {
		t.Log(l.transcript(t))
	}
}
