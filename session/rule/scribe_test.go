package rule_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"a2ascope/session"
	"a2ascope/session/a2a"
	"a2ascope/session/rule"
)

// scribe writes a session's log in a few words, numbered, folded and judged
// the way the runner does it. What the peer says is written literally, in
// either generation (see say_test.go); only our own requests are encoded.
type scribe struct {
	t      testing.TB
	gen    a2a.Generation
	state  *session.State
	log    []session.Record
	now    time.Duration
	step   time.Duration // before each thing that arrives
	begin  time.Time
	id     string // of the peer's task, where a saying names none
	ids    int
	carry  *session.Carried        // written after the first card
	with   string                  // credentials that go with every request
	kept   string                  // credentials that are left out of every request
	facts  []session.SignatureFact // of the cards that come
	server string                  // the peer's address
	served string                  // its card, as it stands
}

// newScribe opens a session.
func newScribe(t testing.TB, gen a2a.Generation, policy func(*session.Policy)) *scribe {
	s := &scribe{
		t: t, gen: gen, state: session.NewState(), step: 100 * time.Millisecond, id: "T1", server: "http://peer.example",
		begin: time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC),
	}
	p := session.DefaultPolicy()
	if policy != nil {
		policy(&p)
	}
	s.write(session.Draft{Kind: session.KindOpened, Body: session.Opened{Session: "s-1", Tool: "test", Typed: s.server, URL: s.server, Policy: p}})
	return s
}

// write lets pass what was due before now, then writes a record and all that
// follows from it. It returns the record's number.
func (s *scribe) write(d session.Draft) uint64 {
	s.expire(s.now - 1)
	seq := s.state.Seq + 1
	s.put(s.now, d)
	return seq
}

// expire writes the timers that are due up to a time, earliest first.
func (s *scribe) expire(until time.Duration) {
	for len(s.state.Deadlines) > 0 && s.state.Deadlines[0].Due <= until {
		due := s.state.Deadlines[0]
		s.put(due.Due, session.Draft{Kind: session.KindTimer, Task: due.Task, Exchange: due.Exchange, Body: session.Ticked{ID: due.ID}})
	}
}

func (s *scribe) put(at time.Duration, d session.Draft) {
	r := session.Record{
		Seq: s.state.Seq + 1, Wall: s.begin.Add(at), Elapsed: max(at, s.state.Elapsed), Kind: d.Kind,
		Task: d.Task, Exchange: d.Exchange, Body: session.Encode(d.Body), Raw: d.Raw,
	}
	r.Seal(s.state.Head)
	s.log = append(s.log, r)
	c := session.Fold(s.state, &r)
	for _, f := range session.Follow(s.state, &c) {
		if card, ok := f.Body.(session.CardRead); ok {
			card.Signatures = s.facts
			f.Body = card
		}
		s.put(at, f)
	}
	if c.Record.Kind == session.KindCard && c.Err == nil && s.carry != nil {
		carried := *s.carry
		s.carry, carried.Cause = nil, r.Seq
		s.put(at, session.Draft{Kind: session.KindTrust, Body: carried})
	}
	for _, f := range rule.Judge(s.state, &c) {
		s.put(at, f)
	}
}

// wait lets time pass, and returns the number of the last record.
func (s *scribe) wait(d time.Duration) uint64 {
	s.now += d
	s.expire(s.now)
	return s.state.Seq
}

// stall ends an epoch: our own loop was not running.
func (s *scribe) stall() uint64 {
	return s.write(session.Draft{Kind: session.KindTimer, Body: session.Ticked{ID: session.TimerStall}})
}

// do gives a command, and sends nothing yet.
func (s *scribe) do(line string) *session.CommandState {
	s.now += s.step
	n := len(s.state.Commands) + 1
	body := session.Commanded{Line: line, By: "script", Correlation: "c-" + strconv.Itoa(n)}
	if line == "push on" {
		body.Receiver = "http://hook.example/in/1"
		if strings.Contains(s.server, "127.0.0.1") {
			body.Receiver = "http://127.0.0.1:9/in/1"
		}
	}
	s.write(session.Draft{Kind: session.KindCommand, Body: body})
	return s.state.Commands[n-1]
}

// ask gives a command and sends its first request. It returns the exchange.
func (s *scribe) ask(line string) int {
	s.t.Helper()
	cs := s.do(line)
	for _, w := range s.state.Due(s.now, true) {
		if o := w.Obligation; o != nil && o.Command == cs.N {
			return s.send(w)
		}
	}
	s.t.Fatalf("%s asks for nothing: %s %s", line, cs.Result, cs.Detail)
	return 0
}

// next sends what is due next, once it is due.
func (s *scribe) next() int {
	s.t.Helper()
	for range 50 {
		if due := s.state.Due(s.now, true); len(due) > 0 {
			return s.send(due[0])
		}
		at, some := s.state.NextDue(true)
		if !some {
			break
		}
		s.now = max(s.now, at)
		s.expire(s.now)
	}
	s.t.Fatal("nothing is due")
	return 0
}

// send writes the request that carries out a piece of work.
func (s *scribe) send(w session.Work) int {
	s.t.Helper()
	s.ids++
	body := session.Requested{Reader: w.Reader != nil}
	task := 0
	if w.Reader != nil {
		task, body.Cause = w.Reader.N, w.Reader.Reader.Cause
	} else {
		o := w.Obligation
		task, body.Obligation, body.Rung, body.Command, body.Purpose, body.Cause, body.Hop = o.Task, o.N, o.Rung, o.Command, o.Purpose, o.Cause, o.Hop
	}
	receiver := session.ReceiverAddress{URL: s.state.Push.URL, Token: "tok"}
	call, err := s.state.Compose(w, session.Resources{
		MessageID: "m-" + strconv.Itoa(s.ids), Receiver: receiver, Sent: s.sent,
		File: func(_ int, p session.FilePart) ([]byte, string, error) { return []byte("file"), p.Type, nil },
	})
	if err != nil {
		s.t.Fatal(err)
	}
	p := call.Params
	body.Op, body.Gen, body.Binding, body.URL, body.TaskID, body.ContextID = call.Op, call.Gen, call.Binding, call.URL, p.TaskID, p.ContextID
	if len(s.state.Peer.Credentials) > 0 {
		body.Authenticated = "bearer $TOKEN"
	}
	body.Authenticated, body.Withheld = s.with, s.kept
	body.Receiver = p.Push != nil && p.Push.URL == receiver.URL
	if p.HistoryLength != nil {
		body.HistoryLen = *p.HistoryLength
	}
	var enc a2a.Request
	if call.Op != a2a.OpCard {
		body.RPCID = call.RPCID
		enc, err = a2a.Encode(call.Op, call.Gen, call.Binding, call.RPCID, p)
		body.HTTPMethod = enc.HTTPMethod
	}
	if m := p.Message; m != nil && (call.Op == a2a.OpSend || call.Op == a2a.OpStream) {
		body.MessageID, body.ContextID, body.Blocking = m.ID, m.ContextID, p.Blocking != nil && *p.Blocking
		for i := range m.Parts {
			body.Parts = append(body.Parts, m.Parts[i].Mode())
		}
	}
	n := len(s.state.Exchanges) + 1
	s.write(session.Draft{Kind: session.KindRequest, Task: task, Exchange: n, Body: body, Raw: enc.Body})
	if err != nil { // what it was for is gone by now
		s.write(session.Draft{Kind: session.KindFault, Task: task, Exchange: n, Body: session.Faulted{Phase: session.PhasePrepare, Error: err.Error(), Unsent: true}})
	}
	return n
}

// sent reads the message of an earlier request back, as the runner does.
func (s *scribe) sent(seq uint64) (*a2a.Message, error) {
	var b session.Requested
	if err := s.log[seq-1].Decode(&b); err != nil {
		return nil, err
	}
	return a2a.DecodeRequestMessage(s.log[seq-1].Raw[b.Head:])
}

// arrives writes what an exchange brought.
func (s *scribe) arrives(x int, kind session.Kind, body any, raw []byte) uint64 {
	s.now += s.step
	return s.write(session.Draft{Kind: kind, Task: s.state.Exchanges[x-1].Task, Exchange: x, Body: body, Raw: raw})
}

// answers writes a whole answer.
func (s *scribe) answers(x int, said string) uint64 {
	s.t.Helper()
	p := s.saying(said)
	e := s.state.Exchanges[x-1]
	body := session.Responded{Status: p.status, ContentType: "application/json", RetryAfter: p.retry, Challenge: p.asks}
	return s.arrives(x, session.KindResponse, body, p.bytes(e.RPCID, e.Op, e.Op == a2a.OpStream || e.Op == a2a.OpSend || e.Op == a2a.OpSubscribe))
}

// redirects writes an answer that sends the request elsewhere.
func (s *scribe) redirects(x, status int, to string) uint64 {
	return s.arrives(x, session.KindResponse, session.Responded{Status: status, Location: to}, nil)
}

// opens writes the head of an event stream.
func (s *scribe) opens(x int) uint64 {
	return s.arrives(x, session.KindResponse, session.Responded{Status: 200, ContentType: "text/event-stream", Stream: true}, nil)
}

// brings writes events of an open stream, and returns the number of the last.
func (s *scribe) brings(x int, said ...string) uint64 {
	s.t.Helper()
	seq := uint64(0)
	for _, one := range said {
		p := s.saying(one)
		e := s.state.Exchanges[x-1]
		frame := &session.Framed{N: e.Stream.Frames + 1, Off: e.Stream.Bytes, Kind: "event", Held: p.held, Lead: session.Duration(p.lead)}
		seq = s.arrives(x, session.KindFrame, frame, []byte("data: "+string(p.bytes(e.RPCID, e.Op, true))+"\n\n"))
	}
	return seq
}

// comment writes a heartbeat.
func (s *scribe) comment(x int) uint64 {
	st := s.state.Exchanges[x-1].Stream
	return s.arrives(x, session.KindFrame, &session.Framed{N: st.Frames + 1, Off: st.Bytes, Kind: "comment"}, []byte(": ping\n\n"))
}

// ends writes the end of a stream.
func (s *scribe) ends(x int, how string) uint64 {
	st := s.state.Exchanges[x-1].Stream
	return s.arrives(x, session.KindClosed, session.Closed{How: how, Frames: st.Frames, Bytes: st.Bytes}, nil)
}

// fails writes a fault.
func (s *scribe) fails(x int) uint64 {
	return s.arrives(x, session.KindFault, session.Faulted{Phase: "head", Error: "connection reset by peer"}, nil)
}

// calls writes a webhook delivery.
func (s *scribe) calls(said string, token bool) uint64 {
	s.t.Helper()
	s.now += s.step
	p := s.saying(said)
	body := session.Pushed{Path: "/in/1", ContentType: "application/json", TokenOK: token, Untokened: !token, Answered: 200}
	return s.write(session.Draft{Kind: session.KindPush, Body: body, Raw: p.bytes(0, "", true)})
}

// get reads the current task.
func (s *scribe) get(said string) uint64 {
	s.t.Helper()
	return s.answers(s.ask("get"), said)
}

// stream begins a task on a stream that says some things.
func (s *scribe) stream(line string, said ...string) int {
	s.t.Helper()
	x := s.ask(line)
	s.opens(x)
	s.brings(x, said...)
	return x
}

// settles answers the task's reader until nothing more is due.
func (s *scribe) settles(said string) uint64 {
	s.t.Helper()
	seq := uint64(0)
	for range 4 {
		t := s.state.TaskN(s.state.Current)
		if t == nil || t.Last() == nil || t.Last().Settled || t.Reader == nil {
			return seq
		}
		seq = s.answers(s.next(), said)
	}
	return seq
}

// request is the number of an exchange's request record.
func (s *scribe) request(x int) uint64 { return s.state.Exchanges[x-1].Request }

// heard lists what rules said, as "severity rule" and "verdict rule", in order.
func (s *scribe) heard() []string {
	var out []string
	for _, f := range s.state.Findings {
		out = append(out, fmt.Sprintf("%s %s %v", f.Severity, f.Rule, f.Evidence))
	}
	for _, o := range s.state.Observed {
		out = append(out, fmt.Sprintf("%s %s %v", o.Verdict, o.Rule, o.Evidence))
	}
	return out
}

// contradicted lists the claims that findings contradict, in order.
func (s *scribe) contradicted() []session.Claim {
	var out []session.Claim
	for _, c := range session.Claims {
		if s.state.Counts[c].Verdict() == session.Contradicted {
			out = append(out, c)
		}
	}
	return out
}

// folds makes sure that the log means what it meant live, and that today's
// rules say of it what they said.
func (s *scribe) folds() {
	s.t.Helper()
	again := session.NewState()
	for i := range s.log {
		session.Fold(again, &s.log[i])
	}
	if live, back := asJSON(s.t, s.state), asJSON(s.t, again); !bytes.Equal(live, back) {
		s.t.Errorf("folded again the state is another:\nlive  %s\nagain %s", live, back)
	}
	judged, err := rule.Rejudge(func(from uint64, limit int) ([]session.Record, error) {
		if from > uint64(len(s.log)) {
			return nil, nil
		}
		return s.log[from-1 : min(from-1+uint64(limit), uint64(len(s.log)))], nil
	})
	if err != nil {
		s.t.Fatal(err)
	}
	other := &scribe{t: s.t, state: judged}
	// Live, what follows from a record is judged before the record itself: only
	// the order may differ.
	live, anew := slices.Sorted(slices.Values(s.heard())), slices.Sorted(slices.Values(other.heard()))
	if !slices.Equal(live, anew) {
		s.t.Errorf("rejudged, the rules say\n%s\nand said\n%s", strings.Join(anew, "\n"), strings.Join(live, "\n"))
	}
}

func asJSON(t testing.TB, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// transcript is the log in lines, for a test that failed.
func (s *scribe) transcript() string {
	var b strings.Builder
	for i := range s.log {
		r := &s.log[i]
		raw := string(r.Raw)
		if len(raw) > 300 {
			raw = raw[:300] + "…"
		}
		fmt.Fprintf(&b, "%3d %-9s %-8s t%d x%d %.300s %s\n", r.Seq, r.Elapsed, r.Kind, r.Task, r.Exchange, r.Body, strings.TrimSpace(raw))
	}
	return b.String()
}

// timer is the number of the last timer record of a deadline's kind.
func (s *scribe) timer(kind session.DeadlineKind) uint64 {
	s.t.Helper()
	for i := len(s.log) - 1; i >= 0; i-- {
		var b session.Ticked
		if s.log[i].Kind == session.KindTimer && s.log[i].Decode(&b) == nil && strings.HasPrefix(b.ID, string(kind)+":") {
			return s.log[i].Seq
		}
	}
	s.t.Fatalf("no deadline of the kind %s has passed", kind)
	return 0
}
