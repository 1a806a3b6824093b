package rule_test

import (
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"time"

	"a2ascope/session"
	"a2ascope/session/a2a"
)

// said is one thing that the peer says, written out.
type said struct {
	gen     a2a.Generation
	wrapper string // of the result in 1.0: "task", "statusUpdate", …; empty for none
	result  string // JSON; empty for an error
	fault   string // JSON of the error
	status  int
	rpcID   string
	whole   string // the whole body, where it is no envelope
	retry   string
	asks    string // WWW-Authenticate
	held    bool
	lead    time.Duration
}

// bytes is the body of an answer, or the data of an event. In 1.0 what sends
// and streams bring is wrapped, and a get brings the bare task.
func (p *said) bytes(id int64, op a2a.Operation, union bool) []byte {
	if p.whole != "" {
		return []byte(p.whole)
	}
	rpcID := p.rpcID
	if rpcID == "" {
		rpcID = strconv.FormatInt(id, 10)
	}
	if p.fault != "" {
		return []byte(`{"jsonrpc":"2.0","id":` + rpcID + `,"error":` + p.fault + `}`)
	}
	result := p.result
	if p.gen == a2a.Gen10 && union && p.wrapper != "" {
		result = `{"` + p.wrapper + `":` + result + `}`
	}
	if op == "" { // a delivery has no envelope
		return []byte(result)
	}
	return []byte(`{"jsonrpc":"2.0","id":` + rpcID + `,"result":` + result + `}`)
}

// saying writes out a saying in the scribe's generation:
//
//	working @2s #T2          a status, dated two seconds after the beginning, of another task
//	task completed r=hello   a whole task with an artifact; history=3 adds messages
//	artifact r=hello         a chunk; +r=more appends, r! marks the last chunk
//	message hello            a message
//	error -32001 no task     a JSON-RPC error
//	list T1:completed        a page of a list
//	{…                       a result as it is; body:… a whole body as it is
//
// says=a_b is a status's message, hint its poll hint, final and open its final
// flag (0.3), http=404 the status, id=7 the envelope's id; held and lead=1s are
// our reader's. An artifact's content is r:image/png=x for a file of a type,
// r:data={} for data, r:file=x for a file that names none. asks=Bearer is a
// challenge.
func (s *scribe) saying(text string) said {
	p := said{gen: s.gen, status: 200}
	if text == "" {
		p.result = "null"
		return p
	}
	if strings.HasPrefix(text, "{") {
		p.result = text
		return p
	}
	if before, body, ok := strings.Cut(text, "body:"); ok {
		p.whole = body
		s.words(&p, strings.Fields(before))
		return p
	}
	words := strings.Fields(text)
	w := s.words(&p, words)
	switch first := w.rest[0]; first {
	case "task":
		p.wrapper, p.result = "task", w.task(w.rest[1])
	case "message":
		p.wrapper, p.result = "message", w.message("m-agent", strings.Join(w.rest[1:], " "), false)
	case "error":
		data := ""
		if w.data != "" {
			data = `,"data":` + w.data
		}
		p.fault = fmt.Sprintf(`{"code":%s,"message":%q%s}`, w.rest[1], strings.Join(w.rest[2:], " "), data)
	case "list":
		id, state, _ := strings.Cut(w.rest[1], ":")
		w.id = id
		p.result = `{"tasks":[` + w.task(state) + `],"nextPageToken":"","pageSize":50,"totalSize":1}`
	case "artifact":
		p.wrapper, p.result = "artifactUpdate", w.chunk()
	default:
		p.wrapper, p.result = "statusUpdate", w.update(first)
	}
	return p
}

// words is a saying taken apart.
type words struct {
	gen       a2a.Generation
	id        string
	stamp     string
	says      string
	hint      bool
	history   int
	final     string
	data      string
	artifacts []string // JSON
	add, last bool
	rest      []string
}

func (s *scribe) words(p *said, list []string) *words {
	w := &words{gen: s.gen, id: s.id}
	text := false
	for _, word := range list {
		name, value, has := strings.Cut(word, "=")
		switch {
		case name == "http" && has:
			p.status, _ = strconv.Atoi(value)
		case name == "id" && has:
			p.rpcID = value
		case name == "asks" && has:
			p.asks = value
		case name == "retry" && has:
			p.retry = value
		case name == "data" && has:
			w.data = value
		case text:
			w.rest = append(w.rest, word)
		case word == "message" || word == "error":
			w.rest, text = append(w.rest, word), true
		case name == "says" && has:
			w.says = strings.ReplaceAll(value, "_", " ")
		case name == "history" && has:
			w.history, _ = strconv.Atoi(value)
		case name == "lead" && has:
			p.lead, _ = time.ParseDuration(value)
		case word == "held":
			p.held = true
		case word == "hint":
			w.hint = true
		case word == "final":
			w.final = "true"
		case word == "open":
			w.final = "false"
		case word[0] == '@':
			d, err := time.ParseDuration(word[1:])
			if err != nil {
				s.t.Fatalf("%s: %v", word, err)
			}
			w.stamp = s.begin.Add(d).Format(time.RFC3339Nano)
		case word[0] == '#':
			w.id = word[1:]
		case has:
			if strings.HasPrefix(name, "+") {
				name, w.add = name[1:], true
			}
			if strings.HasSuffix(name, "!") {
				name, w.last = name[:len(name)-1], true
			}
			w.artifacts = append(w.artifacts, w.artifact(name, value))
		default:
			w.rest = append(w.rest, word)
		}
	}
	return w
}

func (w *words) old() bool { return w.gen != a2a.Gen10 }

// stateName spells a state as the generation does.
func (w *words) stateName(state string) string {
	if w.old() {
		return state
	}
	return "TASK_STATE_" + strings.ToUpper(strings.ReplaceAll(state, "-", "_"))
}

func (w *words) status(state string) string {
	out := `{"state":"` + w.stateName(state) + `"`
	if w.stamp != "" {
		out += `,"timestamp":"` + w.stamp + `"`
	}
	if w.says != "" {
		out += `,"message":` + w.message("m-status", w.says, true)
	}
	return out + `}`
}

func (w *words) task(state string) string {
	out := `{"id":"` + w.id + `","contextId":"ctx-1","status":` + w.status(state)
	if w.old() {
		out = `{"kind":"task",` + out[1:]
	}
	if len(w.artifacts) > 0 {
		out += `,"artifacts":[` + strings.Join(w.artifacts, ",") + `]`
	}
	if w.history > 0 {
		var list []string
		for i := range w.history {
			list = append(list, w.message("h-"+strconv.Itoa(i), "turn", true))
		}
		out += `,"history":[` + strings.Join(list, ",") + `]`
	}
	if w.hint {
		out += `,"metadata":{"poll_hint_seconds":5}`
	}
	return out + `}`
}

func (w *words) update(state string) string {
	out := `{"taskId":"` + w.id + `","contextId":"ctx-1","status":` + w.status(state)
	if w.hint {
		out += `,"metadata":{"poll_hint_seconds":5}`
	}
	if !w.old() {
		return out + `}`
	}
	final := w.final
	if final == "" {
		st := a2a.ParseState(state)
		final = strconv.FormatBool(st.Terminal() || st.Interrupted())
	}
	return `{"kind":"status-update",` + out[1:] + `,"final":` + final + `}`
}

func (w *words) chunk() string {
	out := `{"taskId":"` + w.id + `","contextId":"ctx-1","artifact":` + strings.Join(w.artifacts, "")
	if w.old() {
		out = `{"kind":"artifact-update",` + out[1:]
	}
	if w.add {
		out += `,"append":true`
	}
	if w.last {
		out += `,"lastChunk":true`
	}
	return out + `}`
}

func (w *words) message(id, text string, nested bool) string {
	role, part := "ROLE_AGENT", `{"text":"`+text+`"}`
	if w.old() {
		role, part = "agent", `{"kind":"text","text":"`+text+`"}`
	}
	out := `{"messageId":"` + id + `","role":"` + role + `","parts":[` + part + `]}`
	if w.old() {
		out = `{"kind":"message",` + out[1:]
	}
	if nested && !w.old() {
		return `{"taskId":"` + w.id + `",` + out[1:]
	}
	return out
}

// artifact writes an artifact with one part; "a:TYPE" names its type.
func (w *words) artifact(name, value string) string {
	id, mode, typed := strings.Cut(name, ":")
	value = strings.ReplaceAll(value, "_", " ")
	raw := base64.StdEncoding.EncodeToString([]byte(value))
	part := `{"text":"` + value + `"}`
	switch {
	case typed && mode == "data":
		part = `{"data":` + value + `}`
	case typed && mode == "file":
		part = `{"raw":"` + raw + `","filename":"f"}`
	case typed:
		part = `{"raw":"` + raw + `","mediaType":"` + mode + `"}`
	}
	if w.old() {
		part = `{"kind":"text","text":"` + value + `"}`
		switch {
		case typed && mode == "data":
			part = `{"kind":"data","data":` + value + `}`
		case typed && mode == "file":
			part = `{"kind":"file","file":{"bytes":"` + raw + `","name":"f"}}`
		case typed:
			part = `{"kind":"file","file":{"bytes":"` + raw + `","mimeType":"` + mode + `"}}`
		}
	}
	return `{"artifactId":"` + id + `","parts":[` + part + `]}`
}

// card is what a card says; the zero value of a capability leaves it out.
type card struct {
	version, streaming, push, history string
	in, out                           string // JSON arrays
	interfaces                        string // 1.0: JSON; 0.3: members in place of url and preferredTransport
	skills                            string // JSON
	more                              string // further members, with a comma before them
	url                               string
}

func newCard(server string) card {
	return card{
		version: "2.3.0", streaming: "true", push: "true", url: server + "/rpc",
		in: `["text/plain","application/json"]`, out: `["text/plain","application/json"]`,
		skills: `[{"id":"s","name":"S","description":"does things","tags":["t"]}]`,
	}
}

// json writes the card in the layout of a generation.
func (k *card) json(gen a2a.Generation) string {
	var capabilities []string
	for _, c := range []struct{ name, value string }{{"streaming", k.streaming}, {"pushNotifications", k.push}, {"stateTransitionHistory", k.history}} {
		if c.value != "" {
			capabilities = append(capabilities, `"`+c.name+`":`+c.value)
		}
	}
	where := k.interfaces
	switch {
	case where == "" && gen == a2a.Gen10:
		where = `"supportedInterfaces":[{"url":"` + k.url + `","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]`
	case where == "":
		where = `"protocolVersion":"0.3.0","url":"` + k.url + `","preferredTransport":"JSONRPC"`
	}
	return `{"name":"Acme","description":"an agent","version":"` + k.version + `",` + where +
		`,"capabilities":{` + strings.Join(capabilities, ",") + `},"defaultInputModes":` + k.in + `,"defaultOutputModes":` + k.out +
		`,"skills":` + k.skills + k.more + `}`
}

// discover reads the peer's card, with what is changed of the usual one.
func (s *scribe) discover(change func(*card)) uint64 {
	s.t.Helper()
	k := newCard(s.server)
	if change != nil {
		change(&k)
	}
	s.served = k.json(s.gen)
	return s.rereads("discover "+s.server, s.served, 200)
}

// rereads asks for the card by a command and answers with a body. It returns
// the number of the record that came of it: the card, or the response.
func (s *scribe) rereads(line, body string, status int) uint64 {
	s.t.Helper()
	return s.card(s.ask(line), body, status)
}

func (s *scribe) card(x int, body string, status int) uint64 {
	seq := s.arrives(x, session.KindResponse, session.Responded{Status: status, ContentType: "application/json"}, []byte(body))
	if int(seq) < len(s.log) && s.log[seq].Kind == session.KindCard {
		return seq + 1
	}
	return seq
}
