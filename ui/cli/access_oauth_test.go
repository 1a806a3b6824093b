package cli_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// guarded is an agent that takes the tokens that its authorization server
// gives out, until it forgets them.
type guarded struct {
	*httptest.Server
	// answer is what the nth call for a token is answered with; nil gives one
	// out.
	answer func(g *guarded, n int, w http.ResponseWriter) bool
	// refuse reports whether the nth call to the agent is refused, though its
	// token is right.
	refuse func(n int) bool

	mu     sync.Mutex
	asked  int // calls for tokens
	tokens int // given out
	calls  int // to the agent
	taken  map[string]int
	ids    []string // of messages, as they came, refused ones too
	bare   int      // calls without a token
}

const guardedCard = `{"name":"Guarded","description":"d","version":"1","supportedInterfaces":[{"url":"%s/rpc","protocolBinding":"JSONRPC","protocolVersion":"1.0"}],
	"capabilities":{"streaming":true},"securitySchemes":{"o":{"oauth2SecurityScheme":{"flows":{"clientCredentials":{"tokenUrl":"%[1]s/token","scopes":{"read":"r"}}}}}},
	"securityRequirements":[{"schemes":{"o":{"list":["read"]}}}],"defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"],"skills":[]}`

func guard(t *testing.T, change func(*guarded)) *guarded {
	t.Helper()
	g := &guarded{taken: map[string]int{}}
	if change != nil {
		change(g)
	}
	mux := http.NewServeMux()
	g.Server = httptest.NewServer(mux)
	t.Cleanup(g.Close)
	mux.HandleFunc("GET /.well-known/agent-card.json", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprintf(w, guardedCard, g.URL)
	})
	mux.HandleFunc("POST /token", g.token)
	mux.HandleFunc("POST /rpc", g.call)
	return g
}

func (g *guarded) token(w http.ResponseWriter, _ *http.Request) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.asked++
	w.Header().Set("Content-Type", "application/json")
	if g.answer == nil || !g.answer(g, g.asked, w) {
		g.give(w, `3600`)
	}
}

// give gives a token out that expires as said.
func (g *guarded) give(w io.Writer, expires string) {
	g.tokens++
	_, _ = fmt.Fprintf(w, `{"access_token":"minted-token-%d","token_type":"Bearer","expires_in":%s}`, g.tokens, expires)
}

func (g *guarded) call(w http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.calls++
	var call struct {
		ID     json.RawMessage
		Method string
		Params struct{ Message struct{ MessageID string } }
	}
	_ = json.NewDecoder(r.Body).Decode(&call)
	id := call.Params.Message.MessageID
	if id != "" {
		g.ids = append(g.ids, id)
	}
	token := r.Header.Get("Authorization")
	if token == "" {
		g.bare++
	}
	if g.tokens == 0 || token != fmt.Sprintf("Bearer minted-token-%d", g.tokens) || g.refuse != nil && g.refuse(g.calls) {
		w.Header().Set("WWW-Authenticate", `Bearer error="invalid_token"`)
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	if id != "" {
		g.taken[id]++
	}
	const task = `{"id":"T","contextId":"C","status":{"state":"TASK_STATE_COMPLETED"}}`
	result := task
	if call.Method != "GetTask" {
		result = `{"task":` + task + `}`
	}
	if call.Method == "SendStreamingMessage" {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = fmt.Fprintf(w, "data: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}\n\n", call.ID, result)
		return
	}
	_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, call.ID, result)
}

// says answers every call for a token alike.
func says(status int, contentType, body string, header ...string) func(*guarded, int, http.ResponseWriter) bool {
	return func(_ *guarded, _ int, w http.ResponseWriter) bool {
		w.Header().Set("Content-Type", contentType)
		if len(header) == 2 {
			w.Header().Set(header[0], header[1])
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
		return true
	}
}

// expiring gives out tokens that expire as said.
func expiring(in string) func(*guarded, int, http.ResponseWriter) bool {
	return func(g *guarded, _ int, w http.ResponseWriter) bool {
		g.give(w, in)
		return true
	}
}

// TestOAuthSessions: whole sessions with an agent that wants tokens. Whatever
// becomes of those, a message is taken once, and no secret is in a record.
func TestOAuthSessions(t *testing.T) {
	t.Parallel()
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Error("the client's secret was sent on to another origin")
	}))
	t.Cleanup(other.Close)
	both := []string{"send hello", "wait settled", "stream hello", "wait settled"}
	again := []string{"send hello", "send --again", "wait settled"}
	for _, tc := range []struct {
		name     string
		peer     func(*guarded)
		commands []string
		status   int
		taken    int // messages that the agent took, each once
		sent     int // messages that came to it, refused ones too
		tokens   [2]int
		says     string
	}{
		{"all right", nil, both, 0, 2, 2, [2]int{1, 1}, ""},
		{"a message meets 401, and is sent again on the operator's word", func(g *guarded) { g.refuse = func(n int) bool { return n == 1 } }, again, 0, 1, 2, [2]int{2, 2}, "401"},
		{"a stream meets 401", func(g *guarded) { g.refuse = func(n int) bool { return n == 1 } }, []string{"stream hello", "stream --again", "wait settled"}, 0, 1, 2, [2]int{2, 2}, "401"},
		{"a read meets 401", func(g *guarded) { g.refuse = func(n int) bool { return n == 2 } }, []string{"send hello", "wait settled"}, 0, 1, 1, [2]int{2, 2}, "401"},
		{"nothing but 401", func(g *guarded) { g.refuse = func(int) bool { return true } }, append(both, "send once more"), 4, 0, 3, [2]int{2, 2}, "status 4: credentials"},
		{"a token that has ended when it comes", func(g *guarded) { g.answer = expiring("1") }, both, 0, 2, 2, [2]int{2, 8}, ""},
		{"ends: a text", func(g *guarded) { g.answer = expiring(`"3600"`) }, both, 0, 2, 2, [2]int{1, 1}, ""},
		{"ends: 0", func(g *guarded) { g.answer = expiring("0") }, both, 0, 2, 2, [2]int{1, 1}, ""},
		{"ends: before it began", func(g *guarded) { g.answer = expiring("-5") }, both, 0, 2, 2, [2]int{1, 1}, ""},
		{"ends: never", func(g *guarded) { g.answer = expiring("null") }, both, 0, 2, 2, [2]int{1, 1}, ""},
		{"ends: no number", func(g *guarded) { g.answer = expiring(`"NaN"`) }, both, 0, 2, 2, [2]int{1, 1}, ""},
		{"ends: after all time", func(g *guarded) { g.answer = expiring("1e300") }, both, 0, 2, 2, [2]int{1, 1}, ""},
		{"a page in place of a token", func(g *guarded) { g.answer = says(200, "text/html", "<html>Sign in</html>") }, both, 4, 0, 2, [2]int{0, 0}, "no token: 200 OK without a token"},
		{"no token in the answer", func(g *guarded) { g.answer = says(200, "application/json", `{"token_type":"Bearer"}`) }, both, 4, 0, 2, [2]int{0, 0}, "without a token"},
		{"a token that is no text", func(g *guarded) { g.answer = says(200, "application/json", `{"access_token":7}`) }, both, 4, 0, 2, [2]int{0, 0}, "without a token"},
		{"a wrong secret", func(g *guarded) {
			g.answer = says(401, "application/json", `{"error":"invalid_client","error_description":"who are you?"}`)
		}, both, 4, 0, 2, [2]int{0, 0}, "no token: invalid_client · who are you?"},
		{"a scope that is not given", func(g *guarded) {
			g.answer = says(400, "application/json", `{"error":"invalid_scope"}`)
		}, both, 4, 0, 2, [2]int{0, 0}, "no token: invalid_scope"},
		{"a redirect to another origin", func(g *guarded) {
			g.answer = says(307, "text/plain", "", "Location", other.URL+"/token")
		}, both, 4, 0, 2, [2]int{0, 0}, "the client's secret is not sent on"},
		{"busy at first", func(g *guarded) {
			g.answer = func(_ *guarded, n int, w http.ResponseWriter) bool {
				if n == 1 {
					w.WriteHeader(http.StatusServiceUnavailable)
				}
				return n == 1
			}
		}, both, 0, 2, 2, [2]int{1, 1}, "no token: 503"},
		{"busy when it is to renew", func(g *guarded) {
			g.refuse = func(n int) bool { return n == 1 }
			g.answer = func(_ *guarded, n int, w http.ResponseWriter) bool {
				if n == 2 {
					w.WriteHeader(http.StatusServiceUnavailable)
				}
				return n == 2
			}
		}, again, 0, 1, 2, [2]int{1, 2}, "no token: 503"},
		{"gone at first", func(g *guarded) {
			g.answer = func(_ *guarded, n int, w http.ResponseWriter) bool {
				if n == 1 {
					panic(http.ErrAbortHandler)
				}
				return false
			}
		}, both, 0, 2, 2, [2]int{1, 1}, "without an answer"},
		{"a refresh token that is not taken", func(g *guarded) {
			g.refuse = func(n int) bool { return n == 1 }
			g.answer = func(g *guarded, n int, w http.ResponseWriter) bool {
				switch n {
				case 1:
					g.tokens++
					_, _ = io.WriteString(w, `{"access_token":"minted-token-1","refresh_token":"minted-token-to-refresh"}`)
				case 2:
					w.WriteHeader(http.StatusBadRequest)
					_, _ = io.WriteString(w, `{"error":"invalid_grant"}`)
				}
				return n < 3
			}
		}, again, 0, 1, 2, [2]int{2, 2}, "401"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			g := guard(t, tc.peer)
			b := newBench(t)
			b.env["SECRET"] = "client-secret-1"
			args := append([]string{"run", g.URL}, quick...)
			for _, c := range append([]string{"auth oauth client-credentials my-client $SECRET"}, tc.commands...) {
				args = append(args, "-c", c)
			}
			r := b.run(args...)
			if r.status != tc.status || !strings.Contains(r.out, tc.says) {
				t.Errorf("status %d, want %d and %q", r.status, tc.status, tc.says)
			}
			g.mu.Lock()
			defer g.mu.Unlock()
			if len(g.taken) != tc.taken || len(g.ids) != tc.sent {
				t.Errorf("%d messages were taken of %d, want %d of %d", len(g.taken), len(g.ids), tc.taken, tc.sent)
			}
			for id, n := range g.taken {
				if n != 1 {
					t.Errorf("message %s was taken %d times", id, n)
				}
			}
			if g.tokens < tc.tokens[0] || g.tokens > tc.tokens[1] {
				t.Errorf("%d tokens were given out, want %d to %d", g.tokens, tc.tokens[0], tc.tokens[1])
			}
			if tc.taken > 0 && g.bare > 0 {
				t.Errorf("%d calls came without a token", g.bare)
			}
			records := b.run("history", "show", "last", "--output", "jsonl")
			for _, secret := range []string{"client-secret-1", "minted-token", "Y2xpZW50LXNlY3JldC0x"} {
				if strings.Contains(records.out+r.out, secret) {
					t.Errorf("%q is in a record", secret)
				}
			}
			if t.Failed() {
				t.Logf("%s%s", r.out, r.err)
			}
		})
	}
}
