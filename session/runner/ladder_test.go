package runner_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"a2ascope/session"
	"a2ascope/session/a2a"
	"a2ascope/session/runner"
)

// rung is one request as a scripted peer met it.
type rung struct {
	r      *http.Request
	method string // of JSON-RPC, or "POST /path"
	id     string
	body   string
}

// reply is an answer in literal bytes. A message that was taken is one that
// the peer may have begun to work on.
type reply struct {
	status int
	kind   string // media type; empty for JSON
	body   string
	taken  bool
	silent bool // nothing comes, and the connection stays
	to     string
}

const (
	task10 = `{"task":{"id":"T","contextId":"C","status":{"state":"TASK_STATE_COMPLETED"}}}`
	task03 = `{"kind":"task","id":"T","contextId":"C","status":{"state":"completed"}}`
	task01 = `{"id":"T","sessionId":"C","status":{"state":"completed"}}`
)

// ladderPeer counts what it is sent.
type ladderPeer struct {
	mu    sync.Mutex
	rungs []string // of messages and subscriptions, in order
	taken int
	ids   map[string]bool // of the messages
}

// serveLadder answers messages as the case says, and reads with the finished
// task.
func serveLadder(t *testing.T, card string, on func(rung) reply) (*ladderPeer, string) {
	t.Helper()
	p := &ladderPeer{ids: map[string]bool{}}
	stop := make(chan struct{})
	var s *httptest.Server
	s = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/agent-card.json") {
			_, _ = io.WriteString(w, strings.ReplaceAll(card, "$url", s.URL))
			return
		}
		body, _ := io.ReadAll(r.Body)
		in := rung{r: r, method: r.Method + " " + r.URL.RequestURI(), body: string(body)}
		var env struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
		}
		if json.Unmarshal(body, &env) == nil && env.Method != "" {
			in.method, in.id = env.Method, string(env.ID)
		}
		out := on(in)
		p.note(in, out)
		if out.silent {
			select {
			case <-stop:
			case <-r.Context().Done():
			}
			return
		}
		if out.to != "" {
			w.Header().Set("Location", out.to)
		}
		if out.kind == "" {
			out.kind = "application/json"
		}
		w.Header().Set("Content-Type", out.kind)
		w.WriteHeader(max(out.status, 200))
		_, _ = io.WriteString(w, strings.ReplaceAll(out.body, "$id", in.id))
	}))
	t.Cleanup(func() {
		close(stop)
		s.Close()
	})
	return p, s.URL
}

func (p *ladderPeer) note(in rung, out reply) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if strings.Contains(in.method, "GetTask") || strings.Contains(in.method, "tasks/get") || strings.HasPrefix(in.method, "GET ") && !strings.Contains(in.method, ":subscribe") {
		return
	}
	p.rungs = append(p.rungs, in.method)
	if out.taken {
		p.taken++
	}
	if _, rest, ok := strings.Cut(in.body, `"messageId":"`); ok {
		id, _, _ := strings.Cut(rest, `"`)
		p.ids[id] = true
	}
}

func result(body string) reply {
	return reply{body: `{"jsonrpc":"2.0","id":$id,"result":` + body + `}`, taken: true}
}

func refusal(code int, text string) reply {
	return reply{body: fmt.Sprintf(`{"jsonrpc":"2.0","id":$id,"error":{"code":%d,"message":%q}}`, code, text)}
}

const (
	card10 = `{"name":"n","description":"d","version":"1","supportedInterfaces":[{"url":"$url/rpc","protocolBinding":"JSONRPC","protocolVersion":"1.0"}],"capabilities":{},"defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"],"skills":[]}`
	card03 = `{"name":"n","description":"d","version":"1","url":"$url/rpc","protocolVersion":"0.3.0","preferredTransport":"JSONRPC","capabilities":{},"defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"],"skills":[]}`
)

// rest10 and rest03 are cards of HTTP+JSON, at a path below the peer.
func rest10(path string) string {
	return strings.ReplaceAll(strings.ReplaceAll(card10, "$url/rpc", "$url"+path), `"JSONRPC"`, `"HTTP+JSON"`)
}

func rest03(path string) string {
	return strings.ReplaceAll(strings.ReplaceAll(card03, "$url/rpc", "$url"+path), `"JSONRPC"`, `"HTTP+JSON"`)
}

// ladderCase is a peer that refuses some forms of a message.
type ladderCase struct {
	name  string
	card  string
	lines []string // after the send; nil for none
	on    func(rung) reply
	rungs []string // the methods by which messages and subscriptions came, in order
	state string   // of the task; empty when no message was understood
	gen   string
	taken int // messages that may have been taken
	fault bool
	form  string // words of the endpoint.form finding; empty when there is none
}

// TestLadder: what is refused unlooked-at goes on with the same message id;
// what may have been taken goes out once.
func TestLadder(t *testing.T) {
	t.Parallel()
	for _, tc := range ladder {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			p, url := serveLadder(t, tc.card, tc.on)
			l := open(t, store(t), url, func(c *runner.Config) {
				c.Opened.Policy.WorkingDeadline = session.Duration(300 * time.Millisecond)
				c.Opened.Policy.TimeoutFirstByte = session.Duration(300 * time.Millisecond)
			})
			d := l.script(t, url, append([]string{"send hello"}, tc.lines...)...)
			p.mu.Lock()
			defer p.mu.Unlock()
			if got := strings.Join(p.rungs, ", "); got != strings.Join(tc.rungs, ", ") {
				t.Errorf("the peer met %s; want %s", got, strings.Join(tc.rungs, ", "))
			}
			if p.taken != tc.taken || len(p.ids) > 1 {
				t.Errorf("%d messages taken, want %d; ids %v", p.taken, tc.taken, p.ids)
			}
			if len(d.Tasks) != 1 || d.Tasks[0].State != tc.state || d.Tasks[0].Attempts != 1 {
				t.Errorf("tasks %+v, want state %q", d.Tasks, tc.state)
			}
			if tc.gen != "" && d.Peer.Generation != tc.gen {
				t.Errorf("generation %s, want %s", d.Peer.Generation, tc.gen)
			}
			form := ""
			for _, f := range d.Findings {
				if f.Rule == "endpoint.form" {
					form += f.Detail
				}
			}
			if !strings.Contains(form, tc.form) || tc.form == "" && form != "" {
				t.Errorf("endpoint.form says %q, want %q", form, tc.form)
			}
			if (d.Faults > 0) != tc.fault {
				t.Errorf("%d faults", d.Faults)
			}
			if t.Failed() {
				t.Log(l.transcript(t))
			}
		})
	}
}

// onlyMethod serves one method and gives every other the same answer.
func onlyMethod(method, task string, other reply) func(rung) reply {
	return func(in rung) reply {
		switch in.method {
		case method:
			return result(task)
		case "GetTask", "tasks/get":
			return result(strings.TrimSuffix(strings.TrimPrefix(task, `{"task":`), ""))
		}
		return other
	}
}

var unknown = refusal(-32601, "Method not found")

// always gives messages one answer, and says that it took them.
func always(r reply) func(rung) reply {
	r.taken = true
	return func(rung) reply { return r }
}

var ladder = []ladderCase{
	{name: "30 and 38: a 1.0 card, and 0.3 behind it", card: card10, on: onlyMethod("message/send", task03, unknown),
		rungs: []string{"SendMessage", "message/send"}, state: "completed", gen: "0.3", taken: 1},
	{name: "32: a 0.3 card, and 0.1 behind it", card: card03, on: onlyMethod("tasks/send", task01, unknown),
		rungs: []string{"message/send", "SendMessage", "tasks/send"}, state: "completed", gen: "0.1", taken: 1},
	{name: "33: an old method answers -32603 and names itself", card: strings.Replace(card10, `"1.0"`, `"0.1"`, 1), on: onlyMethod("SendMessage", task10, reply{
		body: `{"jsonrpc":"2.0","id":$id,"error":{"code":-32603,"message":"Internal error","data":"old send hook is deprecated, use the message hook"}}`}),
		rungs: []string{"tasks/send", "SendMessage"}, state: "completed", gen: "1.0", taken: 1},
	{name: "35: the version is refused with 400, -32600 and a null id", card: card10, on: func(in rung) reply {
		if in.r.Header.Get("A2A-Version") == "1.0" {
			return reply{status: 400, body: `{"jsonrpc":"2.0","error":{"code":-32600,"message":"this agent speaks 0.x only"},"id":null}`}
		}
		return onlyMethod("message/send", task03, unknown)(in)
	}, rungs: []string{"SendMessage", "message/send"}, state: "completed", gen: "0.3", taken: 1},
	{name: "36: any version is served", card: card10, on: onlyMethod("SendMessage", task10, unknown),
		rungs: []string{"SendMessage"}, state: "completed", gen: "1.0", taken: 1},
	{name: "37: an interface without a version speaks 0.3", card: strings.Replace(card10, `,"protocolVersion":"1.0"`, "", 1), on: func(in rung) reply {
		if v := in.r.Header.Get("A2A-Version"); v != "0.3" {
			return reply{status: 400, body: `{"jsonrpc":"2.0","id":$id,"error":{"code":-32009,"message":"version ` + v + ` is not supported"}}`}
		}
		return onlyMethod("message/send", task03, unknown)(in)
	}, rungs: []string{"message/send"}, state: "completed", gen: "0.3", taken: 1},
	{name: "40: 1.0 with states of 0.3", card: card10, on: onlyMethod("SendMessage", strings.Replace(task10, "TASK_STATE_COMPLETED", "completed", 1), unknown),
		rungs: []string{"SendMessage"}, state: "completed", gen: "1.0", taken: 1},

	{name: "-32603 may hide a task", card: card10, on: always(refusal(-32603, "Internal error")), rungs: []string{"SendMessage"}, taken: 1},
	{name: "-32603 about a version of something", card: card10, on: always(refusal(-32603, "the model supports 0.3 only")), rungs: []string{"SendMessage"}, taken: 1},
	{name: "-32603 about something deprecated", card: card10, on: always(refusal(-32603, "model x is deprecated")), rungs: []string{"SendMessage"}, taken: 1},
	{name: "-32602", card: card10, on: always(refusal(-32602, "Invalid params")), rungs: []string{"SendMessage"}, taken: 1},
	{name: "-32600", card: card10, on: always(refusal(-32600, "Invalid request")), rungs: []string{"SendMessage"}, taken: 1},
	{name: "500 with a page", card: card10, on: always(reply{status: 500, kind: "text/html", body: "<title>oops</title>"}), rungs: []string{"SendMessage"}, taken: 1},
	{name: "502 of a proxy", card: card10, on: always(reply{status: 502, kind: "text/html", body: "bad gateway"}), rungs: []string{"SendMessage"}, taken: 1},
	{name: "429", card: card10, on: always(reply{status: 429, body: "{}"}), rungs: []string{"SendMessage"}, taken: 1},
	{name: "silence", card: card10, on: always(reply{silent: true}), rungs: []string{"SendMessage"}, taken: 1, fault: true},
	{name: "200 and nothing", card: card10, on: always(reply{}), rungs: []string{"SendMessage"}, taken: 1},
	{name: "a body that is no JSON", card: card10, on: always(reply{body: "certainly!"}), rungs: []string{"SendMessage"}, taken: 1},

	{name: "17: routes below /v1, and no /v1 on the card", card: rest10(""), on: func(in rung) reply {
		if in.method == "POST /v1/message:send" {
			return reply{body: task10, taken: true}
		}
		return restRead(in, "/v1/tasks/T")
	}, rungs: []string{"POST /message:send", "POST /v1/message:send"}, state: "completed", gen: "1.0", taken: 1, form: "below /v1, and"},
	{name: "17: the other way round", card: rest10("/v1"), on: func(in rung) reply {
		if in.method == "POST /message:send" {
			return reply{body: task10, taken: true}
		}
		return restRead(in, "/tasks/T")
	}, rungs: []string{"POST /v1/message:send", "POST /message:send"}, state: "completed", gen: "1.0", taken: 1, form: "not below"},
	{name: "17: /v1 on a 0.3 card, doubled by us", card: rest03("/v1"), on: func(in rung) reply {
		if in.method == "POST /v1/message:send" {
			return reply{body: task10, taken: true}
		}
		return restRead(in, "/v1/tasks/T")
	}, rungs: []string{"POST /v1/v1/message:send", "POST /v1/message:send"}, state: "completed", gen: "0.3", taken: 1, form: "not below"},
	{name: "55: 0.3 with the bodies of JSON-RPC", card: rest03(""), on: func(in rung) reply {
		switch {
		case strings.Contains(in.body, `"content"`):
			return reply{status: 400, body: `{"error":{"code":400,"status":"INVALID_ARGUMENT","message":"proto: unknown field \"content\""}}`}
		case in.method == "POST /v1/message:send" && strings.Contains(in.body, `"kind":"message"`):
			return reply{body: task03, taken: true}
		}
		return restRead(in, "/v1/tasks/T")
	}, rungs: []string{"POST /v1/message:send", "POST /v1/message:send"}, state: "completed", gen: "0.3", taken: 1, form: "as they are over JSON-RPC"},
	{name: "55: 400 that proves nothing", card: rest03(""), on: func(in rung) reply {
		return reply{status: 400, body: `{"error":{"code":400,"status":"INVALID_ARGUMENT","message":"I cannot do that"}}`, taken: true}
	}, rungs: []string{"POST /v1/message:send"}, taken: 1},
	{name: "141: another media type is wanted", card: rest10(""), on: func(in rung) reply {
		switch {
		case in.r.Method == "POST" && in.r.Header.Get("Content-Type") != a2a.MediaA2A:
			return reply{status: 415, body: `{}`}
		case in.method == "POST /message:send":
			return reply{body: task10, taken: true}
		}
		return restRead(in, "/tasks/T")
	}, rungs: []string{"POST /message:send", "POST /message:send"}, state: "completed", gen: "1.0", taken: 1, form: "application/a2a+json"},
	{name: "141: a cancel takes no body", card: rest10(""), lines: []string{"cancel"}, on: func(in rung) reply {
		switch {
		case in.method == "POST /message:send":
			return reply{body: strings.Replace(task10, "COMPLETED", "WORKING", 1), taken: true}
		case in.method == "POST /tasks/T:cancel" && in.body != "":
			return reply{status: 415, kind: "text/plain", body: "no body, please"}
		case in.method == "POST /tasks/T:cancel":
			return reply{body: `{"id":"T","contextId":"C","status":{"state":"TASK_STATE_CANCELED"}}`}
		}
		return reply{body: `{"id":"T","contextId":"C","status":{"state":"TASK_STATE_CANCELED"}}`}
	}, rungs: []string{"POST /message:send", "POST /tasks/T:cancel", "POST /tasks/T:cancel", "POST /tasks/T:cancel"}, state: "canceled", gen: "1.0", taken: 1, form: "no body"},
	{name: "122: subscribe by GET alone", card: strings.Replace(rest10(""), `"capabilities":{}`, `"capabilities":{"streaming":true}`, 1), lines: []string{"resubscribe", "wait settled --for 3s"}, on: func(in rung) reply {
		switch in.method {
		case "POST /message:send":
			return reply{body: strings.Replace(task10, "COMPLETED", "WORKING", 1), taken: true}
		case "POST /tasks/T:subscribe":
			return reply{status: 405, kind: "text/plain", body: "Method Not Allowed"}
		case "GET /tasks/T:subscribe":
			return reply{kind: "text/event-stream", body: "data: " + task10 + "\n\n"}
		}
		return restRead(in, "/tasks/T")
	}, rungs: []string{"POST /message:send", "POST /tasks/T:subscribe", "GET /tasks/T:subscribe"}, state: "completed", gen: "1.0", taken: 1, form: "served to GET"},
	{name: "122: the route of get takes a subscription", card: strings.Replace(rest10(""), `"capabilities":{}`, `"capabilities":{"streaming":true}`, 1), lines: []string{"resubscribe", "wait settled --for 3s"}, on: func(in rung) reply {
		switch in.method {
		case "POST /message:send":
			return reply{body: strings.Replace(task10, "COMPLETED", "WORKING", 1), taken: true}
		case "POST /tasks/T:subscribe":
			return reply{status: 404, body: `{"error":{"code":404,"status":"NOT_FOUND","message":"Task not found: T:subscribe","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"TASK_NOT_FOUND","domain":"a2a-protocol.org"}]}}`}
		case "GET /tasks/T:subscribe":
			return reply{kind: "text/event-stream", body: "data: " + task10 + "\n\n"}
		}
		return restRead(in, "/tasks/T")
	}, rungs: []string{"POST /message:send", "POST /tasks/T:subscribe", "GET /tasks/T:subscribe"}, state: "completed", gen: "1.0", taken: 1, form: "served to GET"},
	{name: "18 and 144: the tenant in path and body", card: strings.Replace(rest10(""), `"protocolVersion":"1.0"`, `"protocolVersion":"1.0","tenant":"acme"`, 1), on: func(in rung) reply {
		if in.method == "POST /acme/message:send" && strings.Contains(in.body, `"tenant":"acme"`) {
			return reply{body: task10, taken: true}
		}
		return restRead(in, "/acme/tasks/T")
	}, rungs: []string{"POST /acme/message:send"}, state: "completed", gen: "1.0", taken: 1},
	{name: "18: the tenant's path is not routed", card: strings.Replace(rest10(""), `"protocolVersion":"1.0"`, `"protocolVersion":"1.0","tenant":"acme"`, 1), on: func(in rung) reply {
		if in.method == "POST /message:send" && strings.Contains(in.body, `"tenant":"acme"`) {
			return reply{body: task10, taken: true}
		}
		return restRead(in, "/tasks/T?tenant=acme")
	}, rungs: []string{"POST /acme/message:send", "POST /v1/acme/message:send", "POST /message:send"}, state: "completed", gen: "1.0", taken: 1, form: "not in the path"},
	{name: "the card's other binding, last", card: strings.Replace(card10, `"supportedInterfaces":[`, `"supportedInterfaces":[{"url":"$url/r","protocolBinding":"HTTP+JSON","protocolVersion":"1.0"},`, 1), on: func(in rung) reply {
		if in.method == "SendMessage" {
			return result(task10)
		}
		if in.method == "GetTask" {
			return result(`{"id":"T","contextId":"C","status":{"state":"TASK_STATE_COMPLETED"}}`)
		}
		return reply{status: 404, kind: "text/plain", body: "404 page not found"}
	}, rungs: []string{"POST /r/message:send", "POST /r/v1/message:send", "POST /r/v1/message:send", "POST /r/message:send", "SendMessage"}, state: "completed", gen: "1.0", taken: 1},
}

// restRead answers the read of the finished task at one path, and 404 to the
// rest.
func restRead(in rung, path string) reply {
	if in.method == "GET "+path {
		return reply{body: `{"id":"T","contextId":"C","status":{"state":"TASK_STATE_COMPLETED"}}`}
	}
	return reply{status: 404, kind: "text/plain", body: "404 page not found"}
}
