package rule_test

import (
	"strings"
	"time"

	"a2ascope/session"
	"a2ascope/session/a2a"
)

// pushing begins a task that works, with our receiver's address in its
// message.
func (s *scribe) pushing() int {
	s.t.Helper()
	s.do("push on")
	x := s.ask("send slow 9 --immediate")
	s.answers(x, "task working")
	return x
}

// called makes the receiver known to be reachable.
func (s *scribe) called() {
	s.t.Helper()
	s.calls("working", true)
}

var pushTales = []tale{
	{rule: "push.refused", name: "a configuration of its own", says: "major", tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send slow 9 --immediate"), "task working")
		x := s.ask("push set http://hook.example/x")
		return is(s.request(x), s.answers(x, "error -32003 Push notifications are not supported"))
	}},
	{rule: "push.refused", name: "with a message", says: "major", tell: func(s *scribe) []uint64 {
		s.do("push on")
		x := s.ask("send slow 9 --immediate")
		return is(s.request(x), s.answers(x, "error -32003 Push notifications are not supported"))
	}},
	{rule: "push.refused", name: "it may be the address", says: "inconclusive", tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send slow 9 --immediate"), "task working")
		x := s.ask("push set http://hook.example/x")
		return is(s.request(x), s.answers(x, "error -32602 the url is not allowed"))
	}},
	{rule: "push.refused", name: "not declared", says: "honoured", card: func(k *card) { k.push = "false" }, tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send slow 9 --immediate"), "task working")
		s.answers(s.ask("push set http://hook.example/x"), "error -32003 Push notifications are not supported")
		return nil
	}},
	{rule: "push.refused", name: "the task is over", says: "inconclusive", tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send task x"), "task completed")
		s.answers(s.ask("push set http://hook.example/x"), "error -32004 the task is over")
		return nil
	}},
	{rule: "push.supported", name: "a call came", says: "honoured", tell: func(s *scribe) []uint64 {
		s.pushing()
		return is(s.calls("working", true))
	}},
	{rule: "push.supported", name: "not declared", says: "under-declared", card: func(k *card) { k.push = "false" }, tell: func(s *scribe) []uint64 {
		s.pushing()
		return is(s.calls("working", true))
	}},
	{rule: "push.supported", name: "a configuration that was taken honours nothing", tell: func(s *scribe) []uint64 {
		s.pushing()
		return nil
	}},
	{rule: "push.absent", name: "a receiver on loopback may well be kept away from", says: "inconclusive", local: true, tell: func(s *scribe) []uint64 {
		x := s.pushing()
		end := s.get("task completed")
		s.wait(16 * time.Second)
		return is(s.request(x), s.state.Exchanges[x-1].Answer, end, s.timer(session.DuePush))
	}},
	{rule: "push.absent", name: "a call had reached the address before", says: "major", tell: func(s *scribe) []uint64 {
		s.pushing()
		s.called()
		x := s.ask("send slow 9 --immediate --new")
		taken := s.answers(x, "task working #T2")
		s.id = "T2"
		end := s.get("task completed")
		s.wait(16 * time.Second)
		return is(s.request(x), taken, end, s.timer(session.DuePush))
	}},
	{rule: "push.absent", name: "the receiver is not proven reachable", says: "inconclusive", tell: func(s *scribe) []uint64 {
		s.pushing()
		s.get("task completed")
		s.wait(16 * time.Second)
		return nil
	}},
	{rule: "push.absent", name: "in time", local: true, tell: func(s *scribe) []uint64 {
		s.pushing()
		s.get("task completed")
		s.wait(10 * time.Second)
		s.calls("task completed", true)
		s.wait(10 * time.Second)
		return nil
	}},
	{rule: "push.absent", name: "nothing changed", local: true, tell: func(s *scribe) []uint64 {
		s.pushing()
		s.get("task working")
		s.wait(time.Minute)
		return nil
	}},
	{rule: "push.absent", name: "our own standstill arms the window anew", local: true, tell: func(s *scribe) []uint64 {
		s.pushing()
		s.get("task completed")
		s.wait(10 * time.Second)
		s.stall()
		s.wait(10 * time.Second)
		s.calls("task completed", true)
		return nil
	}},
	{rule: "push.absent", name: "our own cancel brought it about", says: "inconclusive", local: true, tell: func(s *scribe) []uint64 {
		s.pushing()
		s.answers(s.ask("cancel"), "task canceled")
		s.wait(16 * time.Second)
		return nil
	}},
	{rule: "push.partial", name: "the end was not called back", says: "minor", tell: func(s *scribe) []uint64 {
		s.pushing()
		call := s.calls("working", true)
		end := s.get("task completed")
		s.wait(16 * time.Second)
		return is(end, call, s.timer(session.DuePush))
	}},
	{rule: "push.partial", name: "the end was", tell: func(s *scribe) []uint64 {
		s.pushing()
		s.called()
		s.get("task completed")
		s.calls("completed", true)
		s.wait(16 * time.Second)
		return nil
	}},
	{rule: "push.untokened", name: "without the token", says: "minor", tell: func(s *scribe) []uint64 {
		s.pushing()
		return is(s.calls("working", false))
	}},
	{rule: "push.untokened", name: "with it", tell: func(s *scribe) []uint64 {
		s.pushing()
		s.called()
		return nil
	}},
	{rule: "push.delivered", name: "with the token", says: "honoured", tell: func(s *scribe) []uint64 {
		s.pushing()
		return is(s.calls("completed", true))
	}},
	{rule: "push.delivered", name: "before the answer that names its task", says: "honoured", tell: func(s *scribe) []uint64 {
		s.do("push on")
		x := s.ask("send slow 9 --immediate")
		call := s.calls("working", true)
		s.answers(x, "task working")
		return is(call)
	}},
	{rule: "push.delivered", name: "without the token", tell: func(s *scribe) []uint64 {
		s.pushing()
		s.calls("completed", false)
		return nil
	}},
}

// finished brings a task to its confirmed end.
func (s *scribe) finished() {
	s.t.Helper()
	s.answers(s.ask("send task x"), "task completed")
	s.settles("task completed")
}

func raw(rule, name, says, line, answer string, gen a2a.Generation) tale {
	return tale{rule: rule, name: name, says: says, gen: gen, tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send echo x"), "message x")
		x := s.ask(line)
		seq := s.answers(x, answer)
		if says == "" {
			return nil
		}
		return is(s.request(x), seq)
	}}
}

var wireTales = []tale{
	{rule: "errors.code", name: "cancel of a finished task", says: "minor", tell: func(s *scribe) []uint64 {
		s.finished()
		x := s.ask("cancel")
		return is(s.request(x), s.answers(x, "error -32603 out of memory"))
	}},
	{rule: "errors.code", name: "message to a finished task", gen: a2a.Gen10, says: "minor", tell: func(s *scribe) []uint64 {
		s.finished()
		x := s.ask("resume more --force")
		return is(s.request(x), s.answers(x, "error -32602 the task is over"))
	}},
	{rule: "errors.code", name: "subscription to a finished task", gen: a2a.Gen10, says: "minor", tell: func(s *scribe) []uint64 {
		s.finished()
		x := s.ask("resubscribe")
		return is(s.request(x), s.answers(x, "error -32001 Task not found"))
	}},
	{rule: "errors.code", name: "0.3 names no code for them", gen: a2a.Gen03, tell: func(s *scribe) []uint64 {
		s.finished()
		s.answers(s.ask("resume more --force"), "error -32602 the task is over")
		s.answers(s.ask("resubscribe"), "error -32001 Task not found")
		return nil
	}},
	{rule: "errors.code", name: "the end was not confirmed", tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send task x"), "task completed")
		s.answers(s.ask("cancel"), "error -32603 out of memory")
		return nil
	}},
	{rule: "errors.code", name: "by the reason in ErrorInfo", tell: func(s *scribe) []uint64 {
		s.finished()
		s.answers(s.ask("cancel"), `error data=[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"TASK_NOT_CANCELABLE","domain":"a2a-protocol.org"}] -32000 no`)
		return nil
	}},
	{rule: "errors.right", name: "cancel of a finished task", says: "honoured", tell: func(s *scribe) []uint64 {
		s.finished()
		x := s.ask("cancel")
		return is(s.request(x), s.answers(x, "error -32002 Task cannot be canceled"))
	}},
	{rule: "errors.right", name: "cancel of a task under way", tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send slow 9 --immediate"), "task working")
		s.answers(s.ask("cancel"), "error -32002 Task cannot be canceled")
		return nil
	}},
	raw("errors.unknown-task", "another error", "minor", `raw GetTask {"id":"`+session.NoSuchTask+`"}`, "error -32602 bad id", a2a.Gen10),
	raw("errors.unknown-task", "TaskNotFound", "honoured", `raw GetTask {"id":"`+session.NoSuchTask+`"}`, gone, a2a.Gen10),
	raw("errors.unknown-task", "an id that may be somebody's", "", `raw GetTask {"id":"abc"}`, "error -32602 bad id", a2a.Gen10),
	raw("errors.unknown-method", "another error", "minor", `raw `+session.NoSuchMethod+` {}`, "error -32602 what?", ""),
	raw("errors.unknown-method", "MethodNotFound", "honoured", `raw `+session.NoSuchMethod+` {}`, "error -32601 Method not found", ""),
	raw("errors.unknown-method", "a method that an extension may have", "", `raw vendor/thing {}`, "error -32602 what?", ""),
	raw("errors.unknown-version", "another error", "minor", `raw GetTask {"id":"x"} --version 9.9`, "error -32602 what?", a2a.Gen10),
	raw("errors.unknown-version", "VersionNotSupported", "honoured", `raw GetTask {"id":"x"} --version 9.9`, "error -32009 Version not supported", a2a.Gen10),
	raw("errors.unknown-version", "0.3 checks none", "", `raw tasks/get {"id":"x"} --version 9.9`, gone, a2a.Gen03),
	raw("errors.malformed", "another error", "minor", `raw GetTask {"id":"x"} --broken`, "error -32602 what?", a2a.Gen10),
	raw("errors.malformed", "ParseError", "honoured", `raw GetTask {"id":"x"} --broken`, "error -32700 Parse error", a2a.Gen10),
	raw("errors.malformed", "it was whole", "", `raw GetTask {"id":"x"}`, "error -32602 what?", a2a.Gen10),

	{rule: "wire.lossy", name: "two contents in one part", gen: a2a.Gen10, says: "major", tell: func(s *scribe) []uint64 {
		return is(s.answers(s.ask("send task x"), `{"task":{"id":"T1","contextId":"c","status":{"state":"TASK_STATE_COMPLETED"},"artifacts":[{"artifactId":"r","parts":[{"text":"a","data":{"b":1}}]}]}}`))
	}},
	{rule: "wire.lossy", name: "one name twice with different values", says: "major", tell: func(s *scribe) []uint64 {
		return is(s.get1(`"id":"T1","id":"T9",`))
	}},
	{rule: "wire.lossy", name: "one name twice with the same value", tell: func(s *scribe) []uint64 {
		s.get1(`"id":"T1","id":"T1",`)
		return nil
	}},
	{rule: "wire.lossy", name: "members that nobody knows", tell: func(s *scribe) []uint64 {
		s.get1(`"id":"T1","x":1,`)
		return nil
	}},
	{rule: "wire.unreadable", name: "an event that is no JSON", says: "major", tell: func(s *scribe) []uint64 {
		return is(s.brings(s.stream("stream task x", "task submitted"), "body:{what"))
	}},
	{rule: "wire.unreadable", name: "a tail that was cut is the transport's", tell: func(s *scribe) []uint64 {
		x := s.stream("stream task x", "task submitted")
		st := s.state.Exchanges[x-1].Stream
		s.arrives(x, session.KindFrame, &session.Framed{N: st.Frames + 1, Off: st.Bytes, Kind: "tail"}, []byte(`data: {"jsonrpc":"2.0","id":2,"resu`))
		s.ends(x, session.ClosedCut)
		return nil
	}},
	{rule: "wire.unreadable", name: "a heartbeat", tell: func(s *scribe) []uint64 {
		s.comment(s.stream("stream task x", "task submitted"))
		return nil
	}},
	{rule: "wire.other-id", name: "another request's", says: "major", tell: func(s *scribe) []uint64 {
		x := s.ask("send task x")
		return is(s.request(x), s.answers(x, "task completed id=99"))
	}},
	{rule: "wire.other-id", name: "its own, as a text", tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send task x"), `task completed id="2"`)
		return nil
	}},
	{rule: "wire.other-id", name: "null in an error", tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send task x"), "error id=null -32700 Parse error")
		return nil
	}},
	{rule: "wire.tolerated", name: "a state spelled otherwise", says: "minor", tell: func(s *scribe) []uint64 {
		return is(s.answers(s.ask("send task x"), "task cancelled"))
	}},
	{rule: "wire.tolerated", name: "as the specification has it", tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send task x"), "task completed r=1")
		return nil
	}},
	{rule: "wire.tolerated", name: "deeper than we look", gen: a2a.Gen10, tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send task x"), `{"task":{"id":"T","contextId":"C","status":{"state":"TASK_STATE_COMPLETED"},"x-vendor":`+strings.Repeat("[", 1100)+strings.Repeat("]", 1100)+`}}`)
		return nil
	}},
	{rule: "wire.lossy", name: "a longer history than we keep", gen: a2a.Gen10, tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send task x"), `{"task":{"id":"T","contextId":"C","status":{"state":"TASK_STATE_COMPLETED"},"history":[`+
			strings.Repeat(`{"messageId":"m","role":"ROLE_AGENT","parts":[{"text":"x"}]},`, 12000)+`{"messageId":"m","role":"ROLE_AGENT","parts":[{"text":"x"}]}]}}`)
		return nil
	}},
	{rule: "wire.lossy", name: "more than we look into", gen: a2a.Gen10, tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send task x"), `{"task":{"id":"T","contextId":"C","status":{"state":"TASK_STATE_COMPLETED"},"x-vendor":[`+strings.Repeat("0,", 2<<20)+`0]}}`)
		return nil
	}},
	{rule: "wire.tolerated", name: "another generation's names", says: "minor", tell: func(s *scribe) []uint64 {
		s.do("interface jsonrpc 0.3")
		return is(s.answers(s.ask("send task x"), `{"task":{"id":"T","contextId":"C","status":{"state":"TASK_STATE_COMPLETED"}}}`))
	}},
	{rule: "wire.tolerated", name: "the same names over gRPC, where 0.3 has them too", tell: func(s *scribe) []uint64 {
		s.do("interface grpc 0.3")
		s.answers(s.ask("send task x"), `{"task":{"id":"T","contextId":"C","status":{"state":"TASK_STATE_COMPLETED"}}}`)
		return nil
	}},
	{rule: "wire.clean", name: "as the specification has it", says: "honoured", tell: func(s *scribe) []uint64 {
		return is(s.answers(s.ask("send task x"), "task completed r=1"))
	}},
	{rule: "wire.clean", name: "an oddity", tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send task x"), "task cancelled")
		return nil
	}},
}

// get1 sends a task whose members begin as given.
func (s *scribe) get1(members string) uint64 {
	s.t.Helper()
	if s.gen == a2a.Gen10 {
		return s.answers(s.ask("send task x"), `{"task":{`+members+`"contextId":"c","status":{"state":"TASK_STATE_COMPLETED"}}}`)
	}
	return s.answers(s.ask("send task x"), `{"kind":"task",`+members+`"contextId":"c","status":{"state":"completed"}}`)
}
