package replay_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"a2ascope/peerclient/replay"
	"a2ascope/session"
	"a2ascope/session/a2a"
)

const there = "http://agent.example:8080"

// tape writes a recording by hand.
type tape struct {
	memory
	now  time.Duration
	head session.Digest
	n    int // exchanges
}

func newTape() *tape {
	t := &tape{}
	t.put(session.KindOpened, 0, session.Opened{Session: "s-1", Typed: there + "/agent", URL: there + "/agent", Policy: session.DefaultPolicy()}, "")
	t.put(session.KindCommand, 0, session.Commanded{Line: "send hello", By: "script", Correlation: "c-1"}, "")
	return t
}

func (t *tape) put(kind session.Kind, exchange int, body any, raw string) {
	r := session.Record{Seq: uint64(len(t.records)) + 1, Elapsed: t.now, Kind: kind, Exchange: exchange, Body: session.Encode(body), Wall: time.Unix(1e9, 0).UTC()}
	if exchange > 0 {
		r.Task = 1
	}
	if raw != "" {
		r.Raw = []byte(raw)
	}
	r.Seal(t.head)
	t.head = r.Hash
	t.records = append(t.records, r)
}

// asks writes a request at a time and returns the exchange's number.
func (t *tape) asks(at time.Duration, op a2a.Operation, bind a2a.Binding, method, url, body string) int {
	t.n++
	t.now = at
	head := method + " / HTTP/1.1\r\nHost: agent.example\r\n\r\n"
	b := session.Requested{Op: op, Binding: bind, HTTPMethod: method, URL: url, Head: len(head), Gen: a2a.Gen10}
	t.put(session.KindRequest, t.n, b, head+body)
	return t.n
}

// rpc writes a call of JSON-RPC whose id is the exchange's number.
func (t *tape) rpc(at time.Duration, op a2a.Operation, params string) int {
	return t.asks(at, op, a2a.JSONRPC, "POST", there+"/rpc", fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, t.n+1, a2a.RPCMethod(op, a2a.Gen10), params))
}

// answers writes an answer in one piece; {id} is the exchange's number.
func (t *tape) answers(at time.Duration, n, status int, body string) {
	body = strings.ReplaceAll(body, "{id}", fmt.Sprint(n))
	head := fmt.Sprintf("HTTP/1.1 %d OK\r\nContent-Type: application/json\r\nX-Odd:  kept\r\nContent-Length: %d\r\n\r\n", status, len(body))
	t.now = at
	t.put(session.KindResponse, n, session.Responded{Status: status, ContentType: "application/json", Head: len(head)}, head+body)
}

// lone writes a call that belongs to no task of ours, and its answer.
func (t *tape) lone(at time.Duration, op a2a.Operation, params, answer string) {
	from := len(t.records)
	t.answers(at+1, t.rpc(at, op, params), 200, answer)
	for i := from; i < len(t.records); i++ {
		t.records[i].Task = 0
	}
}

func (t *tape) opens(at time.Duration, n int) {
	head := "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
	t.now = at
	t.put(session.KindResponse, n, session.Responded{Status: 200, ContentType: "text/event-stream", Head: len(head), Stream: true}, head)
}

func (t *tape) frame(at time.Duration, n int, data string) {
	t.now = at
	t.put(session.KindFrame, n, session.Framed{Kind: "event"}, "data: "+strings.ReplaceAll(data, "{id}", fmt.Sprint(n))+"\n\n")
}

func (t *tape) closes(at time.Duration, n int, how, why string) {
	t.now = at
	t.put(session.KindClosed, n, session.Closed{How: how, Error: why}, "")
}

// task is a whole task in a state, as the peer tells it.
func task(state string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":{id},"result":{"id":"T1","contextId":"C1","status":{"state":"TASK_STATE_%s"}}}`, state)
}

func status(state string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":{id},"result":{"statusUpdate":{"taskId":"T1","contextId":"C1","status":{"state":"TASK_STATE_%s"}}}}`, state)
}

const (
	hello = `{"message":{"messageId":"m-1","role":"ROLE_USER","parts":[{"text":"hello"}]}}`
	ofT1  = `{"id":"T1"}`
)

// client calls a replay as anybody's program would.
type client struct {
	t   *testing.T
	url string
	ids int
}

func (c *client) do(method, path, body string) *http.Response {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	c.t.Cleanup(cancel)
	origin := strings.TrimSuffix(c.url, "/agent")
	req, err := http.NewRequestWithContext(ctx, method, origin+path, strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		c.t.Fatalf("%s %s: %v", method, path, err)
	}
	c.t.Cleanup(func() { _ = resp.Body.Close() })
	return resp
}

// rpc calls a method with a text for its id and returns the answer.
func (c *client) rpc(method, params string) string {
	c.t.Helper()
	b, err := io.ReadAll(c.call(method, params).Body)
	if err != nil {
		c.t.Fatalf("%s: %v", method, err)
	}
	return string(b)
}

func (c *client) call(method, params string) *http.Response {
	c.ids++
	return c.do("POST", "/rpc", fmt.Sprintf(`{"jsonrpc":"2.0","id":"mine-%d","method":%q,"params":%s}`, c.ids, method, params))
}

func served(t *testing.T, log *tape, fast bool) *client {
	t.Helper()
	s := serve(t, replay.Options{Pages: log.Page, Fast: fast})
	if !strings.HasSuffix(s.URL(), "/agent") {
		t.Errorf("URL %s", s.URL())
	}
	return &client{t: t, url: s.URL()}
}

func want(t *testing.T, what, got string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(got, p) {
			t.Errorf("%s: no %q in %s", what, p, got)
		}
	}
}
