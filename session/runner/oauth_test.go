package runner_test

import (
	"bytes"
	"encoding/json"
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

// guarded is an agent that wants the last token that its authorization server
// gave out. It answers every call with the same task.
type guarded struct {
	*httptest.Server
	mu      sync.Mutex
	tokens  int    // given out
	polls   int    // of a device code
	seen    string // the last form
	inBody  bool   // the client's secret must be in the body
	forgets int    // the token of this number is no good any more
	card    string // securitySchemes, if any
	expires int
}

func guard(t *testing.T, change func(*guarded)) *guarded {
	t.Helper()
	g := &guarded{expires: 3600}
	if change != nil {
		change(g)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/.well-known/agent-card.json", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, `{"name":"G","description":"d","version":"1","supportedInterfaces":[{"url":"http://%s/rpc","protocolBinding":"JSONRPC","protocolVersion":"1.0"}],"capabilities":{},"defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"],"skills":[]%s}`,
			r.Host, strings.ReplaceAll(g.card, "HOST", r.Host))
	})
	mux.HandleFunc("/rpc", g.call)
	mux.HandleFunc("/token", g.token)
	mux.HandleFunc("/device", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"device_code":"device-code-77","user_code":"WDJB-MJHT","verification_uri":"https://login.example/device","expires_in":600,"interval":0.02}`)
	})
	g.Server = httptest.NewServer(mux)
	t.Cleanup(g.Close)
	return g
}

func (g *guarded) token(w http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	defer g.mu.Unlock()
	_ = r.ParseForm()
	g.seen = r.PostForm.Encode()
	id, secret, basic := r.BasicAuth()
	if !basic {
		id, secret = r.PostForm.Get("client_id"), r.PostForm.Get("client_secret")
	}
	w.Header().Set("Content-Type", "application/json")
	device := strings.Contains(r.PostForm.Get("grant_type"), "device_code")
	switch {
	case device && r.PostForm.Get("device_code") != "device-code-77", !device && (id != "my-client" || secret != "client-secret-1" || g.inBody && basic):
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = io.WriteString(w, `{"error":"invalid_client","error_description":"who are you?"}`)
		return
	case device && g.polls < 2:
		g.polls++
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, `{"error":"authorization_pending"}`)
		return
	}
	g.tokens++
	fmt.Fprintf(w, `{"access_token":"minted-token-%d","token_type":"Bearer","expires_in":%d}`, g.tokens, g.expires)
}

func (g *guarded) call(w http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.tokens == 0 || r.Header.Get("Authorization") != fmt.Sprintf("Bearer minted-token-%d", g.tokens) || g.tokens == g.forgets {
		w.Header().Set("WWW-Authenticate", `Bearer error="invalid_token"`)
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	var req struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
	}
	_ = json.NewDecoder(r.Body).Decode(&req)
	task := `{"id":"T1","contextId":"C1","status":{"state":"TASK_STATE_COMPLETED"}}`
	if req.Method == "SendMessage" {
		task = `{"task":` + task + `}`
	}
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, req.ID, task)
}

func withClient(c *runner.Config) {
	c.Env = func(name string) (string, bool) {
		v, ok := map[string]string{"SECRET": "client-secret-1", "WRONG": "another-secret"}[name]
		return v, ok
	}
}

// leaks looks for secrets in a session's log.
func (l *live) leaks(t *testing.T) {
	t.Helper()
	records, err := l.store.Page(l.id, 1, 2000)
	if err != nil {
		t.Fatal(err)
	}
	for i := range records {
		for _, secret := range []string{"client-secret-1", "another-secret", "minted-token", "device-code-77", "Y2xpZW50LXNlY3JldC0x", "bXktY2xpZW50OmNsaWVudC1zZWNyZXQtM"} {
			if bytes.Contains(records[i].Raw, []byte(secret)) || bytes.Contains(records[i].Body, []byte(secret)) {
				t.Errorf("record %d (%s) holds %q: %s %s", records[i].Seq, records[i].Kind, secret, records[i].Body, records[i].Raw)
			}
		}
	}
}

func TestOAuth(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		peer   func(*guarded)
		lines  []string // URL is the peer's address
		tokens int
		state  string // of task 1; empty for none
		detail string // of a command
	}{
		{"client credentials", nil, []string{"auth oauth client-credentials URL/token my-client $SECRET read", "send hi", "wait settled"}, 1, "completed", ""},
		{"the secret in the body", func(g *guarded) { g.inBody = true }, []string{"auth oauth client-credentials URL/token my-client $SECRET", "send hi", "wait settled"}, 1, "completed", ""},
		{"the address from the card", func(g *guarded) {
			g.card = `,"securitySchemes":{"o":{"oauth2SecurityScheme":{"flows":{"clientCredentials":{"tokenUrl":"http://HOST/token","scopes":{"read":"r"}}}}}}`
		}, []string{"auth oauth client-credentials my-client $SECRET", "send hi", "wait settled"}, 1, "completed", ""},
		{"an address of another origin on the card", func(g *guarded) {
			g.card = `,"securitySchemes":{"o":{"oauth2SecurityScheme":{"flows":{"clientCredentials":{"tokenUrl":"http://localhost:9/token","scopes":{}}}}}}`
		}, nil, 0, "", "another origin"},
		{"a wrong secret", nil, []string{"auth oauth client-credentials URL/token my-client $WRONG"}, 0, "", "no token: invalid_client"},
		{"a token that lapses is renewed before the next call", func(g *guarded) { g.expires = 1 }, []string{"auth oauth client-credentials URL/token my-client $SECRET", "send hi", "wait settled"}, 2, "completed", ""},
		{"a refused token is renewed, and a read goes out again", func(g *guarded) { g.forgets = 1 }, []string{"auth oauth client-credentials URL/token my-client $SECRET", "list", "send hi", "wait settled"}, 2, "completed", ""},
		{"device code", nil, []string{"auth oauth device URL/token URL/device my-client", "send hi", "wait settled"}, 1, "completed", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			g := guard(t, tc.peer)
			l := open(t, store(t), g.URL, withClient)
			if tc.lines == nil {
				l.await(t, l.background(t, "discover "+g.URL, "operator"))
				cv := l.await(t, l.background(t, "auth oauth client-credentials my-client $SECRET", "operator"))
				if cv.Result != session.ResultCannot || !strings.Contains(cv.Detail, tc.detail) {
					t.Errorf("%s: %s", cv.Result, cv.Detail)
				}
				return
			}
			d := l.script(t, g.URL, replaceAll(tc.lines, "URL", g.URL)...)
			g.mu.Lock()
			defer g.mu.Unlock()
			if g.tokens < tc.tokens || tc.tokens == 0 && g.tokens > 0 {
				t.Errorf("%d tokens were given out, want %d", g.tokens, tc.tokens)
			}
			if tc.state != "" && (len(d.Tasks) != 1 || d.Tasks[0].State != tc.state) {
				t.Errorf("tasks %+v", d.Tasks)
			}
			if text := l.transcript(t); tc.detail != "" && !strings.Contains(text, "invalid_client") {
				t.Errorf("nothing says why: %s", text)
			}
			l.leaks(t)
			if t.Failed() {
				t.Log(l.transcript(t))
			}
		})
	}
}

// TestDeviceCode: the operator sees the code while the console waits.
func TestDeviceCode(t *testing.T) {
	t.Parallel()
	g := guard(t, nil)
	l := open(t, store(t), g.URL, withClient)
	d := l.script(t, g.URL, "auth oauth device "+g.URL+"/token "+g.URL+"/device my-client")
	if text := l.transcript(t); !strings.Contains(text, "open https://login.example/device and enter the code WDJB-MJHT") {
		t.Errorf("no note says what to do: %s", text)
	}
	if d.Exit.Status != 0 {
		t.Errorf("exit %+v", d.Exit)
	}
	l.leaks(t)
}
