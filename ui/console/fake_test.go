package console

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"a2ascope/session"
	"a2ascope/session/a2a"

	tea "charm.land/bubbletea/v2"
)

// start is when every session of these tests began.
var start = time.Date(2026, 3, 14, 9, 26, 53, 0, time.UTC)

// fakeLive is a session made of records by hand, folded as a runner would.
type fakeLive struct {
	mu       sync.Mutex
	state    *session.State
	records  []session.Record
	view     *session.View
	changed  chan struct{}
	commands []string
	refuse   error // what Command answers
	stopped  []string
	pages    int
}

func newFake() *fakeLive {
	f := &fakeLive{state: session.NewState(), changed: make(chan struct{})}
	f.view = session.MakeView(f.state)
	f.view.Live = true
	return f
}

func (f *fakeLive) View() *session.View { f.mu.Lock(); defer f.mu.Unlock(); return f.view }

func (f *fakeLive) Changed() <-chan struct{} { f.mu.Lock(); defer f.mu.Unlock(); return f.changed }

func (f *fakeLive) Command(line, by string) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, err := session.ParseCommand(line); err != nil {
		return 0, err
	}
	if f.refuse != nil {
		return 0, f.refuse
	}
	f.commands = append(f.commands, line)
	return len(f.commands), nil
}

func (f *fakeLive) Page(from uint64, limit int) ([]session.Record, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.pages++
	i := min(int(from)-1, len(f.records))
	return f.records[i:min(len(f.records), i+limit)], nil
}

func (f *fakeLive) Stop(reason string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.stopped = append(f.stopped, reason)
}

// becomes takes the records of another session.
func (f *fakeLive) becomes(g *fakeLive) { f.records, f.state, f.view = g.records, g.state, g.view }

// add appends one record and folds it.
func (f *fakeLive) add(at time.Duration, kind session.Kind, task, exchange int, body any, raw string) uint64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	r := session.Record{
		Seq: uint64(len(f.records) + 1), Wall: start.Add(at), Elapsed: at, Kind: kind, Task: task, Exchange: exchange,
		Body: session.Encode(body),
	}
	if raw != "" {
		r.Raw = []byte(raw)
	}
	r.Seal(f.state.Head)
	f.records = append(f.records, r)
	session.Fold(f.state, &f.records[len(f.records)-1])
	f.view = session.MakeView(f.state)
	f.view.Live = true
	close(f.changed)
	f.changed = make(chan struct{})
	return r.Seq
}

const card = `{"name":"Acme Research","description":"Looks things up.","version":"2.3.0","protocolVersion":"1.0",
"supportedInterfaces":[{"url":"https://agents.acme.example/a2a","protocolBinding":"JSONRPC","protocolVersion":"1.0"}],
"capabilities":{"streaming":true},"defaultInputModes":["text/plain"],"defaultOutputModes":["application/json"],
"skills":[{"id":"r","name":"research","description":"Looks things up","tags":["x"]}]}`

func event(data string) string { return "data: " + data + "\n\n" }

func status(state string) string {
	return event(`{"jsonrpc":"2.0","id":2,"result":{"statusUpdate":{"taskId":"t-7f3a","contextId":"c-1","status":{"state":"` + state + `"}}}}`)
}

func artifact(text string) string {
	return event(`{"jsonrpc":"2.0","id":2,"result":{"artifactUpdate":{"taskId":"t-7f3a","contextId":"c-1","artifact":{"artifactId":"r-1","parts":[{"text":"` + text + `"}]},"append":true}}}`)
}

// ms is a session time.
func ms(n int) time.Duration { return time.Duration(n) * time.Millisecond }

// discovered is a session whose peer's card was read.
func discovered() *fakeLive {
	f := newFake()
	policy := session.DefaultPolicy()
	f.add(0, session.KindOpened, 0, 0, session.Opened{Session: "018e-demo", Tool: "test", Typed: "https://agents.acme.example", URL: "https://agents.acme.example", Policy: policy}, "")
	c := f.add(ms(2), session.KindCommand, 0, 0, session.Commanded{Line: "discover https://agents.acme.example", By: "operator"}, "")
	f.add(ms(3), session.KindRequest, 0, 1, session.Requested{Op: a2a.OpCard, HTTPMethod: "GET", URL: "https://agents.acme.example/.well-known/agent-card.json", Obligation: 1, Head: 64, Cause: c},
		"GET /.well-known/agent-card.json HTTP/1.1\r\nHost: agents.acme.example\r\n\r\n")
	head := "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n"
	a := f.add(ms(14), session.KindResponse, 0, 1, session.Responded{Status: 200, ContentType: "application/json", Head: len(head), Timing: session.Timing{DNS: session.Duration(ms(1)), FirstByte: session.Duration(ms(9)), Done: session.Duration(ms(11))}}, head+card)
	f.add(ms(14), session.KindCard, 0, 1, session.CardRead{URL: "https://agents.acme.example/.well-known/agent-card.json", Response: a, SHA256: "00", Cause: a}, card)
	return f
}

// leaky is a session in which a canceled task went on.
func leaky() *fakeLive {
	f := discovered()
	c := f.add(ms(900), session.KindCommand, 0, 0, session.Commanded{Line: "stream slow 20", By: "operator", Correlation: "5f0c9a1e-0000-4000-8000-000000000001"}, "")
	body := `{"jsonrpc":"2.0","id":2,"method":"SendStreamingMessage","params":{"message":{"messageId":"m-1","role":"ROLE_USER","parts":[{"text":"slow 20"}]}}}`
	head := "POST /a2a HTTP/1.1\r\nHost: agents.acme.example\r\nContent-Type: application/json\r\n\r\n"
	f.add(ms(901), session.KindRequest, 1, 2, session.Requested{Op: a2a.OpStream, Gen: a2a.Gen10, Binding: a2a.JSONRPC, HTTPMethod: "POST", URL: "https://agents.acme.example/a2a", RPCMethod: "SendStreamingMessage", RPCID: 2, MessageID: "m-1", Obligation: 2, Head: len(head), Parts: []string{"text/plain"}, Cause: c}, head+body)
	shead := "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
	f.add(ms(921), session.KindResponse, 1, 2, session.Responded{Status: 200, ContentType: "text/event-stream", Head: len(shead), Stream: true}, shead)
	n := 0
	frame := func(at int, raw string) uint64 {
		n++
		return f.add(ms(at), session.KindFrame, 1, 2, session.Framed{N: n, Kind: "event"}, raw)
	}
	frame(924, status("TASK_STATE_SUBMITTED"))
	frame(931, status("TASK_STATE_WORKING"))
	for i := range 6 {
		frame(1131+200*i, artifact(fmt.Sprintf("chunk %d ", i+1)))
	}
	c = f.add(ms(2400), session.KindCommand, 1, 0, session.Commanded{Line: "cancel", By: "operator"}, "")
	chead := "POST /a2a HTTP/1.1\r\nHost: agents.acme.example\r\n\r\n"
	f.add(ms(2401), session.KindRequest, 1, 3, session.Requested{Op: a2a.OpCancel, Gen: a2a.Gen10, Binding: a2a.JSONRPC, HTTPMethod: "POST", URL: "https://agents.acme.example/a2a", RPCMethod: "CancelTask", RPCID: 3, TaskID: "t-7f3a", Obligation: 3, Head: len(chead), Cause: c},
		chead+`{"jsonrpc":"2.0","id":3,"method":"CancelTask","params":{"id":"t-7f3a"}}`)
	rhead := "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n"
	f.add(ms(2412), session.KindResponse, 1, 3, session.Responded{Status: 200, ContentType: "application/json", Head: len(rhead)},
		rhead+`{"jsonrpc":"2.0","id":3,"result":{"id":"t-7f3a","contextId":"c-1","status":{"state":"TASK_STATE_CANCELED"}}}`)
	frame(2420, status("TASK_STATE_CANCELED"))
	late := frame(3620, artifact("chunk 7 "))
	claim(f, late)
	return f
}

// claim writes the finding and the decision that a late artifact earns.
func claim(f *fakeLive, late uint64) {
	n := f.add(ms(3620), session.KindFinding, 1, 2, session.Finding{
		Rule: "cancel.frames-after", Claim: session.CancelFinal, Severity: session.Critical, Title: "the task went on after it was canceled",
		Detail: "An artifact came 1.2 s after the stream had said canceled.", Advice: "Treat the work as possibly done: read the task once more before you start it elsewhere.",
		Source: "A2A 1.0 §3.1.5; field note 000", Evidence: []uint64{late - 1, late}, Count: 1, Cause: late,
	}, "")
	f.add(ms(3620), session.KindDecision, 1, 2, session.Decision{
		ID: 1, Action: session.ActDemote, Claim: session.CancelFinal, By: "rule", Reason: "an artifact came 1.2 s after canceled",
		Until: start.Add(24 * time.Hour), Evidence: []uint64{late - 1, late}, Cause: n,
	}, "")
}

// long is a session with so many records.
func long(records int) *fakeLive {
	f := discovered()
	c := f.add(ms(900), session.KindCommand, 0, 0, session.Commanded{Line: "stream slow 2000", By: "operator", Correlation: "c"}, "")
	f.add(ms(901), session.KindRequest, 1, 2, session.Requested{Op: a2a.OpStream, Gen: a2a.Gen10, Binding: a2a.JSONRPC, HTTPMethod: "POST", URL: "https://agents.acme.example/a2a", RPCMethod: "SendStreamingMessage", RPCID: 2, MessageID: "m-1", Obligation: 2, Cause: c}, "")
	for n := len(f.records); n < records; n++ {
		r := session.Record{Seq: uint64(n + 1), Wall: start.Add(ms(n)), Elapsed: ms(n), Kind: session.KindFrame, Task: 1, Exchange: 2, Body: session.Encode(session.Framed{N: n, Kind: "event"}), Raw: []byte(artifact(fmt.Sprintf("chunk %d", n)))}
		f.records = append(f.records, r)
	}
	f.state.Seq = uint64(records)
	f.view = session.MakeView(f.state)
	return f
}

// fakeSessions gives out fake sessions.
type fakeSessions struct {
	live      map[string]*fakeLive
	err       error
	scenarios []Scenario
	peers     []PeerRow
	list      []session.Summary
	decisions []DecisionRow
	opened    []string
	records   []Hit // that hold what is looked for
	rules     map[string][]string
	deleted   []string
	draft     Draft
	exported  []string
	compared  session.Comparison
	cards     []session.CardVersion
	dropped   int // reads of cards that are not among them
	followers []session.Summary
	unset     []string // variables
	always    bool     // every session needs them
	secrets   map[string]string
	again     string // what sends a task once more
	noAgain   error
}

func (s *fakeSessions) get(how, what string) (Live, error) {
	s.opened = append(s.opened, how+" "+what)
	if f := s.live[what]; f != nil && s.err == nil {
		return f, nil
	}
	if s.err == nil {
		return nil, session.ErrNotFound
	}
	return nil, s.err
}

func (s *fakeSessions) Open(_ context.Context, url string) (Live, error) { return s.get("open", url) }
func (s *fakeSessions) Redispatch(_ context.Context, url string, of TaskRef) (Live, string, error) {
	live, err := s.get(fmt.Sprintf("redispatch %s/%d", of.Session, of.Task), url)
	return live, url, err
}
func (s *fakeSessions) Again(_ TaskRef, form string) (string, error) {
	return form + " " + s.again, s.noAgain
}
func (s *fakeSessions) Wanted(line string) []Secret {
	var out []Secret
	for _, name := range s.unset {
		if line == "" && s.always || line != "" && strings.Contains(line, "$"+name) {
			out = append(out, Secret{name, s.secrets[name] != ""})
		}
	}
	return out
}

func (s *fakeSessions) Give(name, value string) {
	if s.secrets == nil {
		s.secrets = map[string]string{}
	}
	s.secrets[name] = value
}

func (s *fakeSessions) Followers(TaskRef) ([]session.Summary, error) { return s.followers, s.err }
func (s *fakeSessions) Continue(_ context.Context, id string) (Live, error) {
	return s.get("continue", id)
}
func (s *fakeSessions) Review(id string) (Live, error)         { return s.get("review", id) }
func (s *fakeSessions) Peers() ([]PeerRow, error)              { return s.peers, s.err }
func (s *fakeSessions) List(Filter) ([]session.Summary, error) { return s.list, s.err }
func (s *fakeSessions) Decisions() ([]DecisionRow, error)      { return s.decisions, s.err }
func (s *fakeSessions) Scenarios() []Scenario                  { return s.scenarios }

func (s *fakeSessions) Search(_ context.Context, text string, progress func(done, total uint64), hit func(Hit) bool) error {
	progress(1, 2)
	for _, h := range s.records {
		if strings.Contains(h.Excerpt, text) && !hit(h) {
			return nil
		}
	}
	return s.err
}

func (s *fakeSessions) Rules(context.Context) (map[string][]string, error) { return s.rules, s.err }

func (s *fakeSessions) Delete(ids ...string) (int, error) {
	s.deleted = append(s.deleted, ids...)
	s.list = slices.DeleteFunc(s.list, func(x session.Summary) bool { return slices.Contains(ids, x.Session) })
	return len(ids), s.err
}

func (s *fakeSessions) Size() (int64, error) { return 3 << 20, s.err }

func (s *fakeSessions) Compare(was, now string) (session.Comparison, error) {
	s.opened = append(s.opened, "compare "+was+" "+now)
	return s.compared, s.err
}

func (s *fakeSessions) Cards(_ context.Context, peer string) ([]session.CardVersion, int, error) {
	s.opened = append(s.opened, "cards "+peer)
	return s.cards, s.dropped, s.err
}

func (s *fakeSessions) Formats() []Format {
	return []Format{{"md", "md", "a bug report in Markdown"}, {"jsonl", "jsonl", "every record"}}
}

func (s *fakeSessions) Draft(_, _ string, raw bool) (Draft, error) {
	d := s.draft
	d.Raw = raw
	return d, s.err
}

func (s *fakeSessions) Export(id, format, path string, raw bool) (string, error) {
	what := id + " " + format + " " + path
	if raw {
		what += " raw"
	}
	s.exported = append(s.exported, what)
	return path, s.err
}

// jsonText is s within a JSON string.
func jsonText(s string) string {
	b, _ := json.Marshal(s)
	return string(b[1 : len(b)-1])
}

// rawBody is a body that is encoded already.
func rawBody(b []byte) json.RawMessage { return json.RawMessage(b) }

// clipboard is the text of a message that sets the clipboard; its type is not
// exported.
func clipboard(msg tea.Msg) (string, bool) {
	v := reflect.ValueOf(msg)
	if v.Kind() == reflect.String && strings.Contains(v.Type().Name(), "etClipboard") {
		return v.String(), true
	}
	return "", false
}
