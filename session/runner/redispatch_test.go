package runner_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"a2ascope/session"
	"a2ascope/session/runner"
)

// wanted is what a message asked for, whatever the generation.
type wanted struct {
	method, text, data, context, task, id string
	immediate                             bool
	accept                                []string
}

// ordersPeer keeps what it is asked, and loses every task but the last.
type ordersPeer struct {
	mu    sync.Mutex
	sent  []wanted
	other []string // methods of the rest, in order
	end   string   // state of a task that is read
}

// ordered reads a message of either generation.
func ordered(body string) wanted {
	var r struct {
		Method string `json:"method"`
		Params struct {
			ID, SessionID       string
			AcceptedOutputModes []string
			Message             struct {
				MessageID, TaskID, ContextID string
				Parts                        []struct {
					Text string
					Data json.RawMessage
				}
			}
			Configuration struct {
				AcceptedOutputModes []string
				ReturnImmediately   bool
				Blocking            *bool
			}
		}
	}
	_ = json.Unmarshal([]byte(body), &r)
	p, c := r.Params, r.Params.Configuration
	w := wanted{method: r.Method, context: p.Message.ContextID + p.SessionID, task: p.Message.TaskID + p.ID, id: p.Message.MessageID}
	w.accept = append(p.AcceptedOutputModes, c.AcceptedOutputModes...)
	w.immediate = c.ReturnImmediately || c.Blocking != nil && !*c.Blocking
	for _, part := range p.Message.Parts {
		w.text += part.Text
		w.data += string(part.Data)
	}
	return w
}

func (p *ordersPeer) on(in rung) reply {
	p.mu.Lock()
	defer p.mu.Unlock()
	w := ordered(in.body)
	if w.text == "" && w.data == "" {
		p.other = append(p.other, in.method)
		if strings.Contains(in.method, "List") {
			return result(`{"tasks":[]}`)
		}
		var r struct{ Params struct{ ID string } }
		_ = json.Unmarshal([]byte(in.body), &r)
		if r.Params.ID != p.name(len(p.sent)) {
			return refusal(-32001, "Task not found")
		}
		return result(p.told(in.method, r.Params.ID, p.end))
	}
	p.sent = append(p.sent, w)
	if strings.Contains(strings.ToLower(in.method), "stream") || strings.Contains(in.method, "Subscribe") {
		told := p.told(in.method, p.name(len(p.sent)), "completed")
		return reply{kind: "text/event-stream", body: "data: " + `{"jsonrpc":"2.0","id":$id,"result":` + told + "}\n\n"}
	}
	return result(p.told(in.method, p.name(len(p.sent)), "working"))
}

// name is the n-th task's: ours where the client names it.
func (p *ordersPeer) name(n int) string {
	if n > 0 && strings.HasPrefix(p.sent[n-1].method, "tasks/") {
		return p.sent[n-1].task
	}
	return fmt.Sprintf("T%d", n)
}

func (p *ordersPeer) told(method, id, state string) string {
	switch {
	case method == "GetTask":
		return `{"id":"` + id + `","contextId":"C","status":{"state":"TASK_STATE_` + strings.ToUpper(state) + `"}}`
	case strings.HasPrefix(method, "Send"):
		return `{"task":{"id":"` + id + `","contextId":"C","status":{"state":"TASK_STATE_` + strings.ToUpper(state) + `"}}}`
	}
	return `{"kind":"task","id":"` + id + `","contextId":"C","status":{"state":"` + state + `"}}`
}

// TestSentAgain: a redispatch sends what the first message meant: its parts,
// its options, and its form as far as trust goes, under the same correlation
// id and with a message id of its own. Where the client names the task, each
// attempt has a name of its own.
func TestSentAgain(t *testing.T) {
	t.Parallel()
	const (
		streams   = `"capabilities":{"streaming":true}`
		plainCaps = `"capabilities":{}`
	)
	cards := map[string]string{"1.0": strings.Replace(card10, plainCaps, streams, 1), "0.3": strings.Replace(card03, plainCaps, streams, 1)}
	cards["0.1"] = strings.Replace(cards["1.0"], `"1.0"`, `"0.1"`, 1)
	for _, tc := range []struct {
		name, gen string
		lines     []string
		methods   []string
		immediate bool
		accept    bool
	}{
		{"a stream", "1.0", []string{`stream "do it" --data '{"n":1}' --accept application/json --context K`, "redispatch"}, []string{"SendStreamingMessage", "SendStreamingMessage"}, false, true},
		{"a stream", "0.3", []string{`stream "do it" --data '{"n":1}' --accept application/json --context K`, "redispatch"}, []string{"message/stream", "message/stream"}, false, true},
		{"a stream", "0.1", []string{`stream "do it" --data '{"n":1}' --context K`, "redispatch"}, []string{"tasks/sendSubscribe", "tasks/sendSubscribe"}, false, false},
		{"streams are not relied on any more", "1.0", []string{`stream "do it" --data '{"n":1}' --accept application/json --context K`, "demote streaming it hangs", "redispatch"}, []string{"SendStreamingMessage", "SendMessage"}, false, true},
		{"at once", "1.0", []string{`send "do it" --data '{"n":1}' --immediate --context K`, "redispatch", "redispatch"}, []string{"SendMessage", "SendMessage", "SendMessage"}, true, false},
		{"at once", "0.3", []string{`send "do it" --data '{"n":1}' --immediate --context K`, "redispatch"}, []string{"message/send", "message/send"}, true, false},
		{"again and anew", "0.1", []string{`send "do it" --data '{"n":1}' --context K`, "send --again", "redispatch"}, []string{"tasks/send", "tasks/send", "tasks/send"}, false, false},
	} {
		t.Run(tc.name+" "+tc.gen, func(t *testing.T) {
			t.Parallel()
			p := &ordersPeer{end: "completed"}
			_, url := serveLadder(t, cards[tc.gen], p.on)
			l := open(t, store(t), url)
			d := l.script(t, url, append(tc.lines, "wait settled --for 5s")...)
			checkOrders(t, p, tc.methods, tc.immediate, tc.accept)
			if len(d.Tasks) != 1 || d.Tasks[0].Attempts != len(tc.methods) || d.Tasks[0].State != "completed" {
				t.Errorf("it came to %+v", d.Tasks)
			}
			if tc.gen == "0.1" && len(p.sent) == len(tc.methods) {
				for i, w := range p.sent {
					want := d.Tasks[0].Correlation
					if i > 0 {
						want = fmt.Sprintf("%s-%d", want, i+1)
					}
					if w.task != want {
						t.Errorf("attempt %d is called %q, want %q", i+1, w.task, want)
					}
				}
			}
		})
	}
}

func checkOrders(t *testing.T, p *ordersPeer, methods []string, immediate, accept bool) {
	t.Helper()
	ids := map[string]bool{}
	var got []string
	for i, w := range p.sent {
		got = append(got, w.method)
		if ids[w.id] && w.id != "" {
			t.Errorf("message id %s twice", w.id)
		}
		ids[w.id] = true
		if w.text != "do it" || w.data != `{"n":1}` || w.context != "K" || w.immediate != immediate || (len(w.accept) > 0) != accept {
			t.Errorf("message %d asked for %+v", i+1, w)
		}
	}
	if !slices.Equal(got, methods) {
		t.Errorf("sent %q, want %q", got, methods)
	}
}

// TestAbandoned: nobody looks for an attempt that another one has replaced.
func TestAbandoned(t *testing.T) {
	t.Parallel()
	p := &ordersPeer{end: "completed"}
	var lost sync.Once
	_, url := serveLadder(t, card10, func(in rung) reply {
		gone := false
		if in.method == "GetTask" {
			lost.Do(func() { gone = true })
		}
		if gone {
			return refusal(-32001, "Task not found")
		}
		return p.on(in)
	})
	l := open(t, store(t), url, func(c *runner.Config) { c.Opened.Policy.DurableWait = session.Duration(700 * time.Millisecond) })
	d := l.script(t, url, `send "do it" --immediate`, "get", "redispatch", "wait settled --for 5s", "wait 900ms")
	if slices.Contains(p.other, "ListTasks") {
		t.Errorf("the first attempt was looked for: %q", p.other)
	}
	if got := d.Decisions[0].Action; got != session.ActReconcile {
		t.Fatalf("the first decision is %q: nothing was to be looked for", got)
	}
	if len(p.sent) != 2 || !d.Tasks[0].Settled || d.Tasks[0].State != "completed" || len(l.View().Doing) > 0 {
		t.Errorf("sent %d times, the task is %+v, still to do: %q", len(p.sent), d.Tasks[0], l.View().Doing)
	}
}

// TestPollWhereItWaits: a poll of a task that waits reads it before it says
// so, whatever was read before.
func TestPollWhereItWaits(t *testing.T) {
	t.Parallel()
	peer := demo(t, "honest")
	for _, line := range []string{"poll", "poll --until completed", "poll --until input-required"} {
		l := open(t, store(t), peer.URL())
		if err := runner.Script(t.Context(), l.Runner, []string{"discover " + peer.URL(), "send ask", "get"}); err != nil {
			t.Fatal(err)
		}
		before := reads(t, l)
		n, err := l.Command(line, "script")
		if err != nil {
			t.Fatal(err)
		}
		cv, err := l.Await(t.Context(), n)
		if err != nil || cv.Result != session.ResultOK || line != "poll --until input-required" && !strings.Contains(cv.Detail, "input-required (record ") {
			t.Errorf("%s came to %q %q (%v)", line, cv.Result, cv.Detail, err)
		}
		if got := reads(t, l); got != before+1 {
			t.Errorf("%s: %d reads, want 1", line, got-before)
		}
		l.Stop("done")
	}
}

// reads counts the gets of a session's log.
func reads(t *testing.T, l *live) int {
	t.Helper()
	records, err := l.Page(1, 5000)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for i := range records {
		var b session.Requested
		if records[i].Kind == session.KindRequest && records[i].Decode(&b) == nil && b.Op == "get" {
			n++
		}
	}
	return n
}
