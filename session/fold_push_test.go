package session_test

import (
	"testing"

	"a2ascope/session"
	"a2ascope/session/a2a"
)

// pushTask is a state with one task at a peer of 1.0, and a receiver.
func pushTask(t *testing.T) (*session.State, func(session.Kind, int, any, string)) {
	t.Helper()
	s := session.NewState()
	write := func(k session.Kind, exchange int, body any, raw string) {
		t.Helper()
		task := 0
		if x := s.ExchangeN(exchange); x != nil {
			task = x.Task
		} else if k == session.KindRequest {
			task = 1
		}
		r := &session.Record{Seq: s.Seq + 1, Elapsed: s.Elapsed + 1, Kind: k, Task: task, Exchange: exchange, Body: session.Encode(body), Raw: []byte(raw)}
		r.Seal(s.Head)
		if c := session.Fold(s, r); c.Err != nil {
			t.Fatalf("record %d (%s): %v", r.Seq, k, c.Err)
		}
	}
	write(session.KindOpened, 0, session.Opened{Session: "s", Policy: session.DefaultPolicy()}, "")
	write(session.KindCard, 0, session.CardRead{URL: "http://127.0.0.1:9/.well-known/agent-card.json"},
		`{"name":"a","version":"1","supportedInterfaces":[{"url":"http://127.0.0.1:9/rpc","protocolBinding":"JSONRPC","protocolVersion":"1.0"}],"capabilities":{"pushNotifications":true},"skills":[]}`)
	write(session.KindCommand, 0, session.Commanded{Line: "send x --immediate", By: "script"}, "")
	write(session.KindRequest, 1, session.Requested{Op: a2a.OpSend, Gen: a2a.Gen10, Binding: a2a.JSONRPC, Obligation: 1, Command: 1, Head: 1}, "H{}")
	write(session.KindResponse, 1, session.Responded{Status: 200, Head: 1}, `H{"jsonrpc":"2.0","id":1,"result":{"task":{"id":"t-1","contextId":"c","status":{"state":"TASK_STATE_WORKING"}}}}`)
	return s, write
}

var ours = session.Resources{MessageID: "m", Receiver: session.ReceiverAddress{URL: "http://127.0.0.1:7/p", Token: "tok"}}

// TestPushOnGoesIntoMessages: the address goes into each later message, and to
// the current task, until "push off".
func TestPushOnGoesIntoMessages(t *testing.T) {
	t.Parallel()
	s, write := pushTask(t)
	compose := func(line string, res session.Resources) *a2a.PushConfig {
		t.Helper()
		write(session.KindCommand, 0, session.Commanded{Line: line, By: "script", Receiver: "http://127.0.0.1:7/‹secret:1›"}, "")
		due := s.Due(s.Elapsed, true)
		if len(due) == 0 {
			return nil
		}
		c, err := s.Compose(due[len(due)-1], res)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		return c.Params.Push
	}
	if p := compose("push on", ours); p == nil || p.TaskID != "t-1" || p.URL != ours.Receiver.URL || p.Token != "tok" || p.Credentials != "tok" {
		t.Errorf("push on sets %+v on the current task", p)
	}
	for _, line := range []string{"send y", "stream y", "send y --immediate"} {
		if p := compose(line, ours); p == nil || p.URL != ours.Receiver.URL || p.TaskID != "" {
			t.Errorf("%s goes with %+v", line, p)
		}
	}
	if p := compose("send y --plain", ours); p != nil {
		t.Errorf("a plain send goes with %+v", p)
	}
	if p := compose("push set https://own.example/x --task 1", ours); p == nil || p.URL != "https://own.example/x" || p.Token == "tok" {
		t.Errorf("push set sets %+v", p)
	}
	if p := compose("send y", session.Resources{MessageID: "m"}); p != nil {
		t.Errorf("with nothing listening a message goes with %+v", p)
	}
	write(session.KindCommand, 0, session.Commanded{Line: "push off", By: "script"}, "")
	if p := compose("send y", ours); p != nil {
		t.Errorf("after push off a message goes with %+v", p)
	}
}

// TestPushMethodsHaveOtherNames: a method that the peer does not know is tried
// once more under its other name (field case 131), and no third time.
func TestPushMethodsHaveOtherNames(t *testing.T) {
	t.Parallel()
	for line, name := range map[string]string{
		"push list":                      "ListTaskPushNotificationConfig",
		"push set https://own.example/x": "SetTaskPushNotificationConfig",
		"push get":                       "",
	} {
		s, write := pushTask(t)
		write(session.KindCommand, 0, session.Commanded{Line: line, By: "script"}, "")
		refuse := func(n int) []session.Work {
			due := s.Due(s.Elapsed, true)
			if len(due) != 1 {
				t.Fatalf("%s: %d requests are due", line, len(due))
			}
			o := due[0].Obligation
			write(session.KindRequest, n, session.Requested{Op: o.Op, Gen: a2a.Gen10, Binding: a2a.JSONRPC, Obligation: o.N, Command: o.Command, TaskID: "t-1", Head: 1}, "H{}")
			write(session.KindResponse, n, session.Responded{Status: 200, Head: 1}, `H{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}`)
			return s.Due(s.Elapsed, true)
		}
		due := refuse(2)
		if name == "" {
			if len(due) != 0 {
				t.Errorf("%s is asked for again", line)
			}
			continue
		}
		if len(due) != 1 {
			t.Fatalf("%s is not tried under another name", line)
		}
		c, err := s.Compose(due[0], ours)
		if err != nil {
			t.Fatal(err)
		}
		req, err := a2a.Encode(c.Op, c.Gen, c.Binding, c.RPCID, c.Params)
		if err != nil || req.RPCMethod != name {
			t.Errorf("%s: the other name is %q, %v", line, req.RPCMethod, err)
		}
		if due := refuse(3); len(due) != 0 {
			t.Errorf("%s is asked for a third time", line)
		}
		if cs := s.Commands[len(s.Commands)-1]; !cs.Over || cs.Result != session.ResultOK {
			t.Errorf("%s: %s", line, cs.Result)
		}
	}
}

// TestPushConfigurationKeepsTheirName: what the peer calls our configuration
// is what it is asked for by.
func TestPushConfigurationKeepsTheirName(t *testing.T) {
	t.Parallel()
	s, write := pushTask(t)
	write(session.KindCommand, 0, session.Commanded{Line: "push on", By: "script", Receiver: "http://127.0.0.1:7/x"}, "")
	o := s.Due(s.Elapsed, true)[0].Obligation
	write(session.KindRequest, 2, session.Requested{Op: o.Op, Gen: a2a.Gen10, Binding: a2a.JSONRPC, Obligation: o.N, Command: o.Command, TaskID: "t-1", Receiver: true, Head: 1}, "H{}")
	write(session.KindResponse, 2, session.Responded{Status: 200, Head: 1}, `H{"jsonrpc":"2.0","id":1,"result":{"taskId":"t-1","id":"theirs","url":"http://127.0.0.1:7/x"}}`)
	for line, want := range map[string]string{"push get": "theirs", "push delete": "theirs"} {
		write(session.KindCommand, 0, session.Commanded{Line: line, By: "script"}, "")
		due := s.Due(s.Elapsed, true)
		c, err := s.Compose(due[len(due)-1], ours)
		if err != nil || c.Params.PushID != want {
			t.Errorf("%s asks for %q, %v", line, c.Params.PushID, err)
		}
	}
	if f := s.Tasks[0].Last().Push; f == nil || f.Accepted == 0 || f.ConfigID != "theirs" {
		t.Errorf("facts: %+v", f)
	}
}
