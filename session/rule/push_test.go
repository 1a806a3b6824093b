package rule_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"strings"
	"testing"
	"time"

	"a2ascope/session"
	"a2ascope/session/a2a"
	"a2ascope/session/rule"
)

// pushLog is a session's log made by hand: a peer somewhere, a receiver
// somewhere, and what came when.
type pushLog struct {
	*playback
	t      *testing.T
	calls  int // deliveries so far
	server string
}

type pushSetting struct {
	peer, receiver, declared string
	carried                  bool
	checked                  bool // the peer checked the receiver's address
}

var atHome = pushSetting{"http://127.0.0.1:9/rpc", "http://127.0.0.1:7/‹secret:2›", "true", false, false}

// checked is atHome after a request of the peer has reached the receiver.
var checked = pushSetting{atHome.peer, atHome.receiver, "true", false, true}

func newPushLog(t *testing.T, s pushSetting) *pushLog {
	t.Helper()
	p := &pushLog{playback: newPlayback("push"), t: t, server: "t-1"}
	card := fmt.Sprintf(`{"name":"a","version":"1","url":%q,"protocolVersion":"0.3.0","preferredTransport":"JSONRPC","capabilities":{"streaming":true,"pushNotifications":%s},"skills":[]}`, s.peer, s.declared)
	p.write(0, session.Draft{Kind: session.KindCard, Raw: []byte(card), Body: session.CardRead{URL: s.peer + "/.well-known/agent-card.json"}})
	if s.carried {
		p.write(0, session.Draft{Kind: session.KindTrust, Body: session.Carried{PushReachable: true}})
	}
	p.write(0, session.Draft{Kind: session.KindCommand, Body: session.Commanded{Line: "push on", By: "script", Receiver: s.receiver}})
	if s.checked {
		p.push("", func(b *session.Pushed) { b.Validation = true })
		p.calls = 0
	}
	return p
}

const rawHead = "HEAD\r\n\r\n"

// ask writes a command and the request that it makes.
func (p *pushLog) ask(line string, op a2a.Operation, task int) (exchange, logical int) {
	p.t.Helper()
	body := session.Requested{Op: op, Gen: a2a.Gen03, Binding: a2a.JSONRPC, URL: "http://x", Receiver: op != a2a.OpGet && op != a2a.OpPushList && !strings.Contains(line, "push set"), Head: len(rawHead)}
	if task > 0 {
		body.TaskID = p.server
	}
	logical = p.command(p.at, line, &body)
	exchange = len(p.state.Exchanges) + 1
	p.write(p.at, session.Draft{Kind: session.KindRequest, Task: logical, Exchange: exchange, Body: body, Raw: []byte(rawHead + "{}")})
	return exchange, logical
}

func (p *pushLog) answered(exchange int, body string) {
	x := p.state.Exchanges[exchange-1]
	p.write(p.at+time.Millisecond, session.Draft{
		Kind: session.KindResponse, Task: x.Task, Exchange: exchange, Raw: []byte(rawHead + body),
		Body: session.Responded{Status: 200, ContentType: "application/json", Head: len(rawHead)},
	})
}

func task(id, state, stamp string) string {
	if stamp != "" {
		stamp = fmt.Sprintf(`,"timestamp":%q`, stamp)
	}
	return fmt.Sprintf(`{"kind":"task","id":%q,"contextId":"c","status":{"state":%q%s}}`, id, state, stamp)
}

func result(body string) string { return `{"jsonrpc":"2.0","id":1,"result":` + body + `}` }

// send lets a message be answered with a task in a state.
func (p *pushLog) send(state string) int {
	p.t.Helper()
	x, t := p.ask("send x --immediate", a2a.OpSend, 0)
	p.answered(x, result(task(p.server, state, "")))
	return t
}

// read lets a get show a state.
func (p *pushLog) read(state string) {
	p.t.Helper()
	x, _ := p.ask("get", a2a.OpGet, 1)
	p.answered(x, result(task(p.server, state, "")))
}

// push lets a delivery come.
func (p *pushLog) push(body string, change ...func(*session.Pushed)) {
	p.calls++
	b := session.Pushed{Path: "/x", Head: len(rawHead), TokenOK: true, Answered: 200}
	for _, c := range change {
		c(&b)
	}
	p.write(p.at+time.Millisecond, session.Draft{Kind: session.KindPush, Body: b, Raw: []byte(rawHead + body)})
}

func (p *pushLog) pass(d time.Duration) {
	p.write(p.at+d, session.Draft{Kind: session.KindNote, Body: session.Noted{Text: "later"}})
}

// said is what the rules said of a family, in order, once each: "rule verdict".
func (p *pushLog) said(family string) string {
	var out []string
	for _, o := range p.state.Observed {
		if strings.HasPrefix(o.Rule, family) {
			out = append(out, strings.TrimPrefix(o.Rule, "push.")+" "+string(o.Verdict))
		}
	}
	for _, f := range p.state.Findings {
		if strings.HasPrefix(f.Rule, family) {
			out = append(out, strings.TrimPrefix(f.Rule, "push.")+" "+string(f.Severity))
		}
	}
	return strings.Join(out, ", ")
}

func untokened(b *session.Pushed) { b.TokenOK, b.Untokened, b.Answered = false, true, 401 }
func elsewhere(b *session.Pushed) { b.TokenOK, b.Answered = false, 404 }
func proof(b *session.Pushed)     { b.TokenOK, b.Validation = false, true }

func TestPushRules(t *testing.T) {
	t.Parallel()
	away := func(peer, receiver string) pushSetting { return pushSetting{peer, receiver, "true", false, false} }
	const late = 20 * time.Second
	for _, tc := range []struct {
		name    string
		setting pushSetting
		play    func(p *pushLog)
		want    string
	}{
		{"absent, the address checked", checked, func(p *pushLog) { p.send("working"); p.read("completed"); p.pass(late) }, "absent major"},
		{"absent, both at home", atHome, func(p *pushLog) { p.send("working"); p.read("completed"); p.pass(late) }, "absent inconclusive"},
		{"within the window", atHome, func(p *pushLog) { p.send("working"); p.read("completed"); p.pass(10 * time.Second) }, ""},
		{"absent at a question", checked, func(p *pushLog) { p.send("working"); p.read("input-required"); p.pass(late) }, "absent major"},
		{"working is told at the peer's will", atHome, func(p *pushLog) { p.send("submitted"); p.read("working"); p.pass(late) }, ""},
		{"the peer is elsewhere", away("https://agents.example/rpc", "http://127.0.0.1:7/x"), func(p *pushLog) { p.send("working"); p.read("completed"); p.pass(late) }, "absent inconclusive"},
		{"a tunnel that nobody came through", away("https://agents.example/rpc", "https://t.example/x"), func(p *pushLog) { p.send("working"); p.read("completed"); p.pass(late) }, "absent inconclusive"},
		{"a tunnel that another task's call came through", away("https://agents.example/rpc", "https://t.example/x"), func(p *pushLog) {
			p.send("working")
			p.push(task("t-1", "completed", ""))
			p.server = "t-2"
			p.command(p.at, "use 1", nil)
			p.send("working")
			p.read("completed")
			p.pass(late)
		}, "supported honoured, delivered honoured, absent major"},
		{"a tunnel whose address was proved", away("https://agents.example/rpc", "https://t.example/x"), func(p *pushLog) {
			p.send("working")
			p.push("", proof)
			p.read("completed")
			p.pass(late)
		}, "absent major"},
		{"calls in an earlier session", pushSetting{"https://agents.example/rpc", "https://t.example/x", "true", true, false}, func(p *pushLog) { p.send("working"); p.read("completed"); p.pass(late) }, "absent major"},
		{"calls in an earlier session, and now only this machine can call", pushSetting{"https://agents.example/rpc", "http://127.0.0.1:7/x", "true", true, false}, func(p *pushLog) { p.send("working"); p.read("completed"); p.pass(late) }, "absent inconclusive"},
		{"not declared", pushSetting{atHome.peer, atHome.receiver, "false", false, false}, func(p *pushLog) { p.send("working"); p.read("completed"); p.pass(late) }, "absent inconclusive"},
		{"the answer told the end", atHome, func(p *pushLog) { p.send("completed"); p.read("completed"); p.pass(late) }, "absent inconclusive"},
		{"another task is named", atHome, func(p *pushLog) {
			p.send("working")
			p.push(task("inner-7", "completed", ""))
			p.read("completed")
			p.pass(late)
		}, "absent inconclusive"},
		{"a body that cannot be read", atHome, func(p *pushLog) { p.send("working"); p.push("<html>"); p.read("completed"); p.pass(late) }, "absent inconclusive"},
		{"to another path", checked, func(p *pushLog) {
			p.send("working")
			p.push(task("t-1", "completed", ""), elsewhere)
			p.read("completed")
			p.pass(late)
		}, "absent major"},
		{"without the token", atHome, func(p *pushLog) {
			p.send("working")
			p.push(task("t-1", "completed", ""), untokened)
			p.read("completed")
			p.pass(late)
		}, "untokened minor"},
		{"delivered", atHome, func(p *pushLog) {
			p.send("working")
			p.read("completed")
			p.push(task("t-1", "completed", ""))
			p.pass(late)
		}, "supported honoured, delivered honoured"},
		{"delivered before it was seen", atHome, func(p *pushLog) {
			p.send("working")
			p.push(task("t-1", "completed", ""))
			p.read("completed")
			p.pass(late)
		}, "supported honoured, delivered honoured"},
		{"delivered before the answer", atHome, func(p *pushLog) {
			x, _ := p.ask("send x", a2a.OpSend, 0)
			p.push(task("t-1", "working", ""))
			p.push(task("t-1", "completed", ""))
			p.answered(x, result(task("t-1", "completed", "")))
			p.pass(late)
		}, "supported honoured, delivered honoured"},
		{"delivered, never declared", pushSetting{atHome.peer, atHome.receiver, "false", false, false}, func(p *pushLog) { p.send("working"); p.push(task("t-1", "completed", "")) }, "supported under-declared, delivered honoured"},
		{"in part", atHome, func(p *pushLog) {
			p.send("submitted")
			p.push(task("t-1", "working", ""))
			p.read("completed")
			p.pass(late)
		}, "supported honoured, delivered honoured, partial minor"},
		{"an epoch ends in between", atHome, func(p *pushLog) {
			p.send("working")
			p.read("completed")
			p.pass(10 * time.Second)
			p.write(p.at, session.Draft{Kind: session.KindTimer, Body: session.Ticked{ID: session.TimerStall}})
			p.pass(10 * time.Second)
			p.push(task("t-1", "completed", ""))
			p.pass(late)
		}, "supported honoured, delivered honoured"},
		{"the console ends in between", atHome, func(p *pushLog) {
			p.send("working")
			p.read("completed")
			p.write(p.at, session.Draft{Kind: session.KindOpened, Body: session.Opened{Session: "push", Policy: session.DefaultPolicy(), Continued: true}})
			p.pass(2 * late)
		}, ""},
	} {
		p := newPushLog(t, tc.setting)
		tc.play(p)
		if got := p.said("push."); got != tc.want {
			t.Errorf("%s: said %q, want %q", tc.name, got, tc.want)
		}
	}
}

func TestPushRefusals(t *testing.T) {
	t.Parallel()
	undeclared := pushSetting{atHome.peer, atHome.receiver, "null", false, false}
	set := func(code int) func(*pushLog) {
		return func(p *pushLog) {
			p.send("working")
			x, _ := p.ask("push set http://127.0.0.1:1/own", a2a.OpPushSet, 1)
			p.answered(x, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"error":{"code":%d,"message":"no"}}`, code))
		}
	}
	inline := func(code int) func(*pushLog) {
		return func(p *pushLog) {
			x, _ := p.ask("send x", a2a.OpSend, 0)
			p.answered(x, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"error":{"code":%d,"message":"no"}}`, code))
		}
	}
	for _, tc := range []struct {
		name    string
		setting pushSetting
		play    func(*pushLog)
		want    string
	}{
		{"set, not supported", atHome, set(-32003), "refused major"},
		{"set, unsupported operation", atHome, set(-32004), "refused major"},
		{"set, no such method", atHome, set(-32601), "refused major"},
		{"set, the address", atHome, set(-32602), "refused inconclusive"},
		{"set, broken", atHome, set(-32603), "refused inconclusive"},
		{"set, unknown task", atHome, set(-32001), "refused inconclusive"},
		{"sent along, not supported", atHome, inline(-32003), "refused major"},
		{"sent along, unsupported operation", atHome, inline(-32004), ""},
		{"sent along, no such method", atHome, inline(-32601), ""},
		{"sent along, the address or the message", atHome, inline(-32602), "refused inconclusive"},
		{"not declared, not supported", undeclared, set(-32003), "refused honoured"},
		{"not declared, no such method", undeclared, set(-32601), "refused honoured"},
		{"not declared, sent along", undeclared, inline(-32003), "refused honoured"},
		{"a finished task", atHome, func(p *pushLog) {
			p.send("completed")
			x, _ := p.ask("push set http://127.0.0.1:1/own", a2a.OpPushSet, 1)
			p.answered(x, `{"jsonrpc":"2.0","id":1,"error":{"code":-32004,"message":"terminal"}}`)
		}, "refused inconclusive"},
		{"a list that the peer does not know", atHome, func(p *pushLog) {
			p.send("working")
			x, _ := p.ask("push list", a2a.OpPushList, 1)
			p.answered(x, `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}`)
		}, ""},
	} {
		p := newPushLog(t, tc.setting)
		tc.play(p)
		if got := p.said("push.refused"); got != tc.want {
			t.Errorf("%s: said %q, want %q", tc.name, got, tc.want)
		}
	}
}

// TestPushTellsStates: a delivery brings the task on, and one that lags does
// not take it back.
func TestPushTellsStates(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		play func(p *pushLog)
		want string
		via  session.Via
	}{
		{"forward", func(p *pushLog) {
			p.send("submitted")
			p.push(task("t-1", "working", ""))
			p.push(task("t-1", "completed", ""))
		}, "submitted working completed", session.ViaPush},
		{"after the end", func(p *pushLog) {
			p.send("working")
			p.read("completed")
			p.push(task("t-1", "working", ""))
			p.push(task("t-1", "failed", ""))
		}, "working completed", session.ViaGet},
		{"submitted late", func(p *pushLog) { p.send("working"); p.push(task("t-1", "submitted", "")) }, "working", session.ViaSend},
		{"working late, at a question", func(p *pushLog) { p.send("input-required"); p.push(task("t-1", "working", "")) }, "input-required", session.ViaSend},
		{"dated, after a question", func(p *pushLog) {
			x, _ := p.ask("send x", a2a.OpSend, 0)
			p.answered(x, result(task("t-1", "input-required", "2026-11-29T23:00:01Z")))
			p.push(task("t-1", "working", "2026-11-29T23:00:02Z"))
		}, "input-required working", session.ViaPush},
		{"dated, before the question", func(p *pushLog) {
			x, _ := p.ask("send x", a2a.OpSend, 0)
			p.answered(x, result(task("t-1", "input-required", "2026-11-29T23:00:01Z")))
			p.push(task("t-1", "working", "2026-11-29T23:00:00Z"))
		}, "input-required", session.ViaSend},
		{"without the token", func(p *pushLog) { p.send("working"); p.push(task("t-1", "completed", ""), untokened) }, "working", session.ViaSend},
		{"of 1.0, zipped", func(p *pushLog) {
			p.send("working")
			var b bytes.Buffer
			z := gzip.NewWriter(&b)
			_, _ = z.Write([]byte(`{"statusUpdate":{"taskId":"t-1","status":{"state":"TASK_STATE_COMPLETED"}}}`))
			_ = z.Close()
			p.push(b.String(), func(b *session.Pushed) { b.Encoding = "gzip" })
		}, "working completed", session.ViaPush},
		{"wrapped in an envelope", func(p *pushLog) { p.send("working"); p.push(result(task("t-1", "completed", ""))) }, "working completed", session.ViaPush},
	} {
		p := newPushLog(t, atHome)
		tc.play(p)
		a := p.state.Tasks[0].Last()
		var states []string
		for _, s := range a.States {
			states = append(states, string(s.State))
		}
		if got := strings.Join(states, " "); got != tc.want || string(a.State) != states[len(states)-1] || a.StateVia != tc.via {
			t.Errorf("%s: %s, by %s; want %s, by %s", tc.name, got, a.StateVia, tc.want, tc.via)
		}
		if a.Push == nil || a.Push.Count+a.Push.Untokened != p.calls || len(a.Push.Seqs) != p.calls {
			t.Errorf("%s: %d calls came, counted %+v", tc.name, p.calls, a.Push)
		}
	}
}

// TestPushIsBounded: whatever comes, the state stays small.
func TestPushIsBounded(t *testing.T) {
	t.Parallel()
	p := newPushLog(t, atHome)
	p.send("working")
	for i := range 500 {
		p.push(task(fmt.Sprintf("other-%d", i), "working", ""))
		p.push(task("t-1", "working", ""))
	}
	f := p.state.Tasks[0].Last().Push
	if len(p.state.Push.Strays) > 64 || len(p.state.Push.StrayIDs) != len(p.state.Push.Strays) || len(f.Seqs) != 20 || f.Count != 500 {
		t.Errorf("%d strays, %d seqs, %d counted", len(p.state.Push.Strays), len(f.Seqs), f.Count)
	}
	if r, ok := rule.ByID("push.absent"); !ok || r.Disproof == "" {
		t.Error("push.absent does not say what would prove it wrong")
	}
}
