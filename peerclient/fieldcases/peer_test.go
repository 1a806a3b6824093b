package fieldcases

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
)

// peer is a scripted peer: its card and its answers, in literal bytes. In both,
// $url stands for its address, $port for its port, $id for the id of the JSON-RPC request.
type peer struct {
	// gen is the generation whose methods the short keys of on mean; empty is
	// 0.3.
	gen string
	// card is served at both well-known places; empty for none.
	card string
	// on says what answers what: "send", "get" and the like, a JSON-RPC method
	// by its name, or "POST /path". The rest is met with -32601, or with 404.
	on routes
	// rpc is the path of the JSON-RPC endpoint; empty is /rpc.
	rpc string
	// secure serves over TLS, with a certificate that nobody has signed.
	secure bool
}

type routes map[string]answer

// answer writes one response.
type answer func(c *call)

// call is one request and what is needed to answer it.
type call struct {
	w    http.ResponseWriter
	r    *http.Request
	body []byte
	url  string // of the peer
	id   string // of the JSON-RPC request, as it stands there
	nth  int    // which call of its kind this is, from 1
}

func (c *call) fill(text string) string {
	return strings.NewReplacer("$id", c.id, "$url", c.url, "$port", c.url[strings.LastIndexByte(c.url, ':')+1:]).Replace(text)
}

func (c *call) flush() { _ = http.NewResponseController(c.w).Flush() }

// methods are what the short keys are called, by generation.
var methods = map[string]map[string]string{
	"0.1": {"send": "tasks/send", "stream": "tasks/sendSubscribe", "get": "tasks/get", "cancel": "tasks/cancel", "subscribe": "tasks/resubscribe"},
	"0.3": {
		"send": "message/send", "stream": "message/stream", "get": "tasks/get", "cancel": "tasks/cancel", "subscribe": "tasks/resubscribe", "list": "tasks/list",
		"push-set": "tasks/pushNotificationConfig/set", "push-get": "tasks/pushNotificationConfig/get", "push-list": "tasks/pushNotificationConfig/list",
		"push-delete": "tasks/pushNotificationConfig/delete", "extended-card": "agent/getAuthenticatedExtendedCard",
	},
	"1.0": {
		"send": "SendMessage", "stream": "SendStreamingMessage", "get": "GetTask", "cancel": "CancelTask", "subscribe": "SubscribeToTask", "list": "ListTasks",
		"push-set": "CreateTaskPushNotificationConfig", "push-get": "GetTaskPushNotificationConfig", "push-list": "ListTaskPushNotificationConfigs",
		"push-delete": "DeleteTaskPushNotificationConfig", "extended-card": "GetExtendedAgentCard",
	},
	"grpc 0.3": rpcNames(service03, "TaskSubscription", "GetAgentCard"),
	"grpc 1.0": rpcNames(service10, "SubscribeToTask", "GetExtendedAgentCard"),
}

// served is a scripted peer that listens.
type served struct {
	peer
	on    routes // by full names
	url   string
	mu    sync.Mutex
	calls map[string]int
	heard []heard
}

// heard is a request as it came.
type heard struct {
	key  string
	head http.Header
	body string
}

func (p peer) start(t testing.TB) *served {
	t.Helper()
	s := &served{peer: p, on: routes{}, calls: map[string]int{}}
	if s.gen == "" {
		s.gen = "0.3"
	}
	if s.rpc == "" {
		s.rpc = "/rpc"
	}
	for key, a := range p.on {
		if full, ok := methods[s.gen][key]; ok {
			key = full
		}
		s.on[key] = a
	}
	server := httptest.NewUnstartedServer(s)
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.Config.Protocols = new(http.Protocols)
	server.Config.Protocols.SetHTTP1(true)
	server.Config.Protocols.SetUnencryptedHTTP2(true)
	if s.secure {
		server.StartTLS()
	} else {
		server.Start()
	}
	s.url = server.URL
	t.Cleanup(server.Close)
	return s
}

// ServeHTTP implements http.Handler.
func (s *served) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(io.LimitReader(r.Body, 1<<20))
	c := &call{w: w, r: r, body: body, url: s.url}
	key := r.Method + " " + r.URL.Path
	a := s.on[key]
	var rpc struct {
		ID     json.RawMessage
		Method string
	}
	if a == nil && r.Method == http.MethodPost && r.URL.Path == s.rpc && json.Unmarshal(body, &rpc) == nil && rpc.Method != "" {
		c.id, key = string(rpc.ID), rpc.Method
		if a = s.on[key]; a == nil {
			a = refuses(-32601, "Method not found")
		}
	}
	s.mu.Lock()
	s.calls[key]++
	c.nth = s.calls[key]
	s.heard = append(s.heard, heard{key, r.Header.Clone(), string(body)})
	s.mu.Unlock()
	switch {
	case a != nil && strings.Contains(string(body), stillThere) && s.takesMessages(key):
		s.stillHere(c, key)
	case a != nil:
		a(c)
	case s.card != "" && (r.URL.Path == "/.well-known/agent-card.json" || r.URL.Path == "/.well-known/agent.json"):
		is(200, "application/json", s.card)(c)
	case rpcCall(r):
		rpcRefuses(codes.Unimplemented, "unknown service or method "+r.URL.Path)(c)
	default:
		is(404, "text/plain; charset=utf-8", "404 page not found\n")(c)
	}
}

// takesMessages reports whether a kind of request is one that brings messages.
func (s *served) takesMessages(key string) bool {
	return strings.HasSuffix(key, "/message:send") || strings.HasSuffix(key, "A2AService/SendMessage") || key == methods["0.1"]["send"] || key == methods["0.3"]["send"] || key == methods["1.0"]["send"]
}

// stillThere is asked at the end of every case, and answered by every peer that
// takes messages at all: the session must be of use afterwards.
const stillThere = "are you still there?"

func (s *served) stillHere(c *call, key string) {
	switch {
	case rpcCall(c.r):
		rpcStillHere(c)
	case strings.HasPrefix(key, "tasks/"):
		says(`{"id":"after","sessionId":"s","status":{"state":"completed","message":{"role":"agent","parts":[{"type":"text","text":"still here"}]}}}`)(c)
	case strings.HasPrefix(key, "POST /") && s.gen == "0.3":
		is(200, "application/json", `{"message":{"messageId":"m-after","role":"ROLE_AGENT","content":[{"text":"still here"}]}}`)(c)
	case strings.HasPrefix(key, "POST "):
		is(200, "application/json", `{"message":{"messageId":"m-after","role":"ROLE_AGENT","parts":[{"text":"still here"}]}}`)(c)
	case strings.Contains(key, "/"):
		says(`{"kind":"message","messageId":"m-after","role":"agent","parts":[{"kind":"text","text":"still here"}]}`)(c)
	default:
		says(`{"message":{"messageId":"m-after","role":"ROLE_AGENT","parts":[{"text":"still here"}]}}`)(c)
	}
}

// is answers with a status, a content type (empty for none) and a body.
func is(status int, contentType, body string) answer {
	return func(c *call) {
		c.w.Header()["Content-Type"] = nil
		if contentType != "" {
			c.w.Header().Set("Content-Type", contentType)
		}
		c.w.WriteHeader(status)
		_, _ = io.WriteString(c.w, c.fill(body))
	}
}

// says answers with a JSON-RPC result.
func says(result string) answer {
	return is(200, "application/json", `{"jsonrpc":"2.0","id":$id,"result":`+result+`}`)
}

// refuses answers with a JSON-RPC error; more are further members of it.
func refuses(code int, message string, more ...string) answer {
	return is(200, "application/json", fmt.Sprintf(`{"jsonrpc":"2.0","id":$id,"error":{"code":%d,"message":%q%s}}`, code, message, strings.Join(more, "")))
}

// inTurn answers the first call with the first answer, and so on; the last
// answers the rest.
func inTurn(answers ...answer) answer {
	return func(c *call) { answers[min(c.nth, len(answers))-1](c) }
}

// after answers late.
func after(d time.Duration, a answer) answer {
	return func(c *call) {
		c.pause(d)
		a(c)
	}
}

// with sets a header field before it answers.
func with(name, value string, a answer) answer {
	return func(c *call) {
		c.w.Header().Set(name, value)
		a(c)
	}
}

func (c *call) pause(d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-c.r.Context().Done():
	}
}

// streams answers with an event stream. A text is written as it stands and
// flushed, an event (ev) is framed, a duration is waited for; hold keeps the
// stream open until the client goes, breaks cuts it in its middle.
func streams(steps ...any) answer { return streamsAs("text/event-stream", steps...) }

type (
	ev   string // a result, in its envelope and one data line
	mark int
)

const (
	hold mark = iota
	breaks
)

func streamsAs(contentType string, steps ...any) answer {
	return func(c *call) {
		c.w.Header()["Content-Type"] = nil
		if contentType != "" {
			c.w.Header().Set("Content-Type", contentType)
		}
		c.w.WriteHeader(200)
		c.flush()
		for _, step := range steps {
			switch v := step.(type) {
			case ev:
				_, _ = io.WriteString(c.w, c.fill(`data: {"jsonrpc":"2.0","id":$id,"result":`+string(v)+"}\n\n"))
			case string:
				_, _ = io.WriteString(c.w, c.fill(v))
			case time.Duration:
				c.pause(v)
			case mark:
				if v == breaks {
					panic(http.ErrAbortHandler)
				}
				<-c.r.Context().Done()
			}
			c.flush()
		}
	}
}

// silent never answers.
func silent(c *call) { <-c.r.Context().Done() }

// calledBack takes a push configuration and posts a body to its address, with
// its token, after a while.
func calledBack(a answer, later time.Duration, body string) answer {
	return calledBackAs(a, later, body, "X-A2A-Notification-Token", "application/json")
}

func calledBackAs(a answer, later time.Duration, body, header, contentType string) answer {
	return func(c *call) {
		var rpc struct {
			Params struct {
				PushNotificationConfig hook
				Configuration          struct{ PushNotificationConfig hook }
			}
		}
		_ = json.Unmarshal(c.body, &rpc)
		url, token := rpc.Params.PushNotificationConfig.URL, rpc.Params.PushNotificationConfig.Token
		if with := rpc.Params.Configuration.PushNotificationConfig; with.URL != "" {
			url, token = with.URL, with.Token
		}
		if header == "Authorization" {
			token = "Bearer " + token
		}
		go func() {
			<-time.After(later)
			req, err := http.NewRequest(http.MethodPost, url, strings.NewReader(body))
			if err != nil {
				return
			}
			req.Header.Set(header, token)
			if contentType != "" {
				req.Header.Set("Content-Type", contentType)
			}
			if resp, err := http.DefaultClient.Do(req); err == nil {
				_ = resp.Body.Close()
			}
		}()
		a(c)
	}
}

type hook struct{ URL, Token string }
