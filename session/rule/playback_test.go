package rule_test

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"a2ascope/session"
	"a2ascope/session/a2a"
	"a2ascope/session/rule"
)

// playback makes a session's log of recorded exchanges, the way in which the
// runner would have: numbered, folded, judged, with the deadlines that pass in
// between.
type playback struct {
	folder string
	state  *session.State
	begin  time.Time
	first  time.Time // Date of the first answer
	at     time.Duration
	tasks  map[string]int    // logical task by server id
	step   string            // being played
	steps  map[uint64]string // of each record
	log    []session.Record
}

func newPlayback(folder string) *playback {
	p := &playback{
		folder: folder, state: session.NewState(), begin: time.Date(2026, 11, 29, 23, 0, 0, 0, time.UTC),
		tasks: map[string]int{}, steps: map[uint64]string{},
	}
	p.write(0, session.Draft{Kind: session.KindOpened, Body: session.Opened{Session: folder, Tool: "test", Policy: session.DefaultPolicy()}})
	return p
}

// write lets pass what is due before at, then writes a record and what follows
// from it.
func (p *playback) write(at time.Duration, d session.Draft) {
	p.at = max(p.at, at)
	for len(p.state.Deadlines) > 0 && p.state.Deadlines[0].Due < p.at {
		due := p.state.Deadlines[0]
		p.put(due.Due, session.Draft{Kind: session.KindTimer, Task: due.Task, Exchange: due.Exchange, Body: session.Ticked{ID: due.ID}})
	}
	p.put(p.at, d)
}

func (p *playback) put(at time.Duration, d session.Draft) {
	r := &session.Record{
		Seq: p.state.Seq + 1, Wall: p.begin.Add(at), Elapsed: max(at, p.state.Elapsed), Kind: d.Kind,
		Task: d.Task, Exchange: d.Exchange, Body: session.Encode(d.Body), Raw: d.Raw,
	}
	r.Seal(p.state.Head)
	p.steps[r.Seq], p.log = p.step, append(p.log, *r)
	c := session.Fold(p.state, r)
	for _, f := range session.Follow(p.state, &c) {
		p.put(at, f)
	}
	for _, f := range rule.Judge(p.state, &c) {
		p.put(at, f)
	}
}

// stepsOf names the steps of evidence, in order and once each.
func (p *playback) stepsOf(evidence []uint64) string {
	var out []string
	for _, seq := range evidence {
		if s := p.steps[seq]; !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return strings.Join(out, ", ")
}

func (p *playback) end() {
	p.step = "end"
	p.write(p.at+time.Minute, session.Draft{Kind: session.KindEnded, Body: session.Ended{Reason: "done"}})
}

// exchange plays one recorded exchange: the command that would have brought
// it, the request, and what came back when it came.
func (p *playback) exchange(r recorded) {
	start := p.start(&r)
	task := p.tasks[r.Task]
	if r.Task != "" && r.Task != "no-such-task" && task == 0 {
		task = p.setUp(&r, start-500*time.Millisecond)
	}
	p.step = r.Step
	op := opOf(r.Step)
	body := p.requested(&r, op)
	if line := lineOf(&r, op, task); line != "" {
		if task = p.command(start, line, &body); op == a2a.OpCard {
			p.answer(&r, start, 0, body)
			p.command(p.at, "interface "+map[a2a.Binding]string{a2a.JSONRPC: "jsonrpc", a2a.REST: "rest"}[dialects[p.folder].binding]+" "+string(dialects[p.folder].gen), nil)
			return
		}
	}
	p.answer(&r, start, task, body)
	if t := p.state.TaskN(task); t != nil && t.Last() != nil && t.Last().ServerID != "" {
		p.tasks[t.Last().ServerID] = task
	}
}

// start is when the exchange began: after the one before, and as much later as
// the peer's clock says.
func (p *playback) start(r *recorded) time.Duration {
	start := p.at + 600*time.Millisecond
	for line := range strings.Lines(string(r.raw[:bytes.Index(r.raw, []byte("\r\n\r\n"))])) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.EqualFold(name, "date") {
			if date, err := http.ParseTime(strings.TrimSpace(value)); err == nil {
				if p.first.IsZero() {
					p.first = date
				}
				start = max(start, date.Sub(p.first))
			}
		}
	}
	return start
}

// command writes a command and ties the request that follows to its
// obligation. It returns the task that the command is about.
func (p *playback) command(at time.Duration, line string, body *session.Requested) int {
	n := len(p.state.Commands) + 1
	p.write(at, session.Draft{Kind: session.KindCommand, Body: session.Commanded{Line: line, By: "script", Correlation: "c-" + strconv.Itoa(n)}})
	cs := p.state.Commands[n-1]
	if cs.Result == session.ResultCannot || cs.Result == session.ResultWithheld {
		panic(fmt.Sprintf("%s %s: %s: %s", p.folder, p.step, line, cs.Detail))
	}
	for _, o := range p.state.Obligations {
		if body != nil && o.Command == n {
			body.Obligation, body.Command, body.Purpose, body.Cause = o.N, n, o.Purpose, o.Cause
		}
	}
	return cs.Task
}

func (p *playback) requested(r *recorded, op a2a.Operation) session.Requested {
	d := dialects[p.folder]
	method, rest, _ := strings.Cut(r.Request, " ")
	path, _, _ := strings.Cut(rest, " ")
	_, host, _ := strings.Cut(r.Request, "\r\nHost: ")
	host, _, _ = strings.Cut(host, "\r\n")
	body := session.Requested{
		Op: op, Gen: d.gen, Binding: d.binding, HTTPMethod: method, URL: "http://" + host + path, RPCMethod: r.Method,
		MessageID: r.Message, TaskID: r.Task, ContextID: r.Context, Head: r.Head, Parts: r.Modes,
	}
	if d.binding == a2a.JSONRPC && op != a2a.OpCard {
		body.RPCID = r.RPC
	}
	return body
}

// answer writes the request and all that it brought.
func (p *playback) answer(r *recorded, start time.Duration, task int, body session.Requested) {
	n := len(p.state.Exchanges) + 1
	end := start + seconds(r.Took)
	p.write(start, session.Draft{Kind: session.KindRequest, Task: task, Exchange: n, Body: body, Raw: []byte(r.Request)})
	cut := bytes.Index(r.raw, []byte("\r\n\r\n")) + 4
	head, content := r.raw[:cut:cut], r.raw[cut:]
	resp := responseHead(head)
	if resp.chunked {
		content = dechunk(content)
	}
	resp.Stream = strings.HasPrefix(resp.ContentType, "text/event-stream")
	if !resp.Stream {
		p.write(end, session.Draft{Kind: session.KindResponse, Task: task, Exchange: n, Body: resp.Responded, Raw: append(head, content...)})
		return
	}
	p.write(start+time.Millisecond, session.Draft{Kind: session.KindResponse, Task: task, Exchange: n, Body: resp.Responded, Raw: head})
	off := int64(0)
	for i, raw := range events(content) {
		at := end
		if i < len(r.Arrived) {
			at = start + seconds(r.Arrived[i])
		}
		p.write(at, session.Draft{Kind: session.KindFrame, Task: task, Exchange: n, Raw: raw, Body: session.Framed{N: i + 1, Off: off, Kind: "event"}})
		off += int64(len(raw))
	}
	how := map[string]string{"complete": session.ClosedClean, "timeout": session.ClosedDetached, "server closed": session.ClosedCut}[r.Ended]
	p.write(end, session.Draft{Kind: session.KindClosed, Task: task, Exchange: n, Body: session.Closed{How: how, Frames: len(r.Arrived), Bytes: off}})
}

// setUp writes the beginning of a task whose own exchanges were not kept with
// the recordings: a message, and an answer that says the state in which the
// recorded step met the task. It is the one thing here that no server sent.
func (p *playback) setUp(r *recorded, at time.Duration) int {
	p.step = "(set-up)"
	state, text := "working", "slow 12"
	switch name := r.Step[4:]; {
	case strings.HasPrefix(name, "resub-input"), strings.HasPrefix(name, "resume-"):
		state, text = "input-required", "ask"
	case strings.HasPrefix(name, "cancel-completed"):
		state, text = "completed", "task x"
	case strings.HasPrefix(name, "cancel-"):
		text = "hang"
	}
	d := dialects[p.folder]
	said := "TASK_STATE_" + strings.ToUpper(strings.ReplaceAll(state, "-", "_"))
	if d.gen != a2a.Gen10 && d.binding == a2a.JSONRPC {
		said = state
	}
	answer := fmt.Sprintf(`{"id":%q,"contextId":%q,"status":{"state":%q}}`, r.Task, contextOf(r), said)
	switch {
	case d.binding == a2a.REST:
		answer = `{"task":` + answer + `}`
	case d.gen == a2a.Gen10:
		answer = `{"jsonrpc":"2.0","id":1,"result":{"task":` + answer + `}}`
	default:
		answer = `{"jsonrpc":"2.0","id":1,"result":{"kind":"task",` + answer[1:] + `}`
	}
	begin := recorded{
		Step: p.step, Ended: "complete", Took: 0.001, RPC: 1, Message: "m-" + r.Task, Text: text, Modes: []string{"text/plain"},
		Request: "POST / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", raw: []byte("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n" + answer),
	}
	begin.Head = len(begin.Request)
	body := p.requested(&begin, a2a.OpSend)
	task := p.command(at, "send "+text+" --new --immediate", &body)
	p.answer(&begin, at, task, body)
	p.tasks[r.Task] = task
	return task
}

// contextOf is the context of the task that a step is about.
func contextOf(r *recorded) string {
	if r.Context != "" {
		return r.Context
	}
	_, after, ok := bytes.Cut(r.raw, []byte(`"contextId"`))
	if !ok {
		return "context-of-" + r.Task
	}
	_, after, _ = bytes.Cut(after, []byte(`"`))
	id, _, _ := bytes.Cut(after, []byte(`"`))
	return string(id)
}

// lineOf is the command that would have brought an exchange; empty for those
// about a task that never was, which the console does not ask for.
func lineOf(r *recorded, op a2a.Operation, task int) string {
	on := " --task " + strconv.Itoa(task)
	switch {
	case r.Task == "no-such-task":
		return ""
	case op == a2a.OpCard:
		return "discover http://127.0.0.1/"
	case op == a2a.OpRaw:
		return "raw " + r.Method + " {}"
	case op == a2a.OpExtendedCard || op == a2a.OpList:
		return string(op)
	case op == a2a.OpGet || op == a2a.OpCancel:
		return string(op) + on
	case op == a2a.OpSubscribe:
		return "resubscribe" + on
	case op == a2a.OpPushSet:
		return "push set http://127.0.0.1/hook" + on
	case op == a2a.OpPushGet || op == a2a.OpPushList:
		return "push " + strings.TrimPrefix(string(op), "push-") + on
	}
	text := r.Text
	if text == "" {
		text = "{}"
	}
	switch {
	case task > 0 && op == a2a.OpStream:
		return "resume " + session.QuoteWord(text) + " --stream --force" + on
	case task > 0:
		return "resume " + session.QuoteWord(text) + " --force" + on
	}
	return string(op) + " " + session.QuoteWord(text) + " --new"
}

// opOf is what was asked in a step.
func opOf(step string) a2a.Operation {
	name := step[strings.IndexByte(step, '-')+1:]
	for _, x := range []struct {
		word string
		op   a2a.Operation
	}{
		{"card_", a2a.OpCard}, {"ext-card", a2a.OpExtendedCard}, {"stream-", a2a.OpStream}, {"resub-", a2a.OpSubscribe},
		{"resume-text-stream", a2a.OpStream}, {"ask-get", a2a.OpGet}, {"get-", a2a.OpGet}, {"cancel-", a2a.OpCancel}, {"list-", a2a.OpList},
		{"push-set", a2a.OpPushSet}, {"push-get", a2a.OpPushGet}, {"push-list", a2a.OpPushList}, {"bad-", a2a.OpRaw},
	} {
		if strings.HasPrefix(name, x.word) {
			return x.op
		}
	}
	return a2a.OpSend
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

type head struct {
	session.Responded
	chunked bool
}

func responseHead(raw []byte) head {
	h := head{Responded: session.Responded{Head: len(raw)}}
	for i, line := range strings.Split(strings.TrimSpace(string(raw)), "\r\n") {
		if i == 0 {
			h.Status, _ = strconv.Atoi(strings.Fields(line)[1])
			continue
		}
		name, value, _ := strings.Cut(line, ":")
		switch value = strings.TrimSpace(value); strings.ToLower(name) {
		case "content-type":
			h.ContentType = value
		case "transfer-encoding":
			h.chunked = strings.EqualFold(value, "chunked")
		}
	}
	return h
}

func dechunk(b []byte) []byte {
	var out []byte
	for {
		line, rest, ok := bytes.Cut(b, []byte("\r\n"))
		size, err := strconv.ParseInt(strings.TrimSpace(string(line)), 16, 32)
		if !ok || err != nil || size == 0 {
			return out
		}
		size = min(size, int64(len(rest)))
		out = append(out, rest[:size]...)
		b = bytes.TrimPrefix(rest[size:], []byte("\r\n"))
	}
}

// events cuts a stream's body behind each blank line, and keeps what has data.
func events(body []byte) [][]byte {
	var out [][]byte
	var block []byte
	for line := range bytes.Lines(body) {
		block = append(block, line...)
		if len(bytes.TrimRight(line, "\r\n")) > 0 {
			continue
		}
		if bytes.HasPrefix(block, []byte("data:")) || bytes.Contains(block, []byte("\ndata:")) {
			out = append(out, block)
		}
		block = nil
	}
	return out
}
