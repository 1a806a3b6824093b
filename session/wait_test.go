package session_test

import (
	"testing"

	"a2ascope/session"
	"a2ascope/session/a2a"
)

// TestWaitAfterAnAnswer: official servers begin the stream of an answer with
// the task as it was; a wait must not take that for the next question.
func TestWaitAfterAnAnswer(t *testing.T) {
	t.Parallel()
	const (
		old      = `{"task":{"id":"T1","contextId":"c","status":{"state":"TASK_STATE_INPUT_REQUIRED","timestamp":"2026-11-29T23:30:02.1Z"}}}`
		asks     = `{"statusUpdate":{"taskId":"T1","contextId":"c","status":{"state":"TASK_STATE_INPUT_REQUIRED","timestamp":"2026-11-29T23:30:02.1Z"}}}`
		works    = `{"statusUpdate":{"taskId":"T1","contextId":"c","status":{"state":"TASK_STATE_WORKING","timestamp":"2026-11-29T23:30:09Z"}}}`
		asksMore = `{"statusUpdate":{"taskId":"T1","contextId":"c","status":{"state":"TASK_STATE_INPUT_REQUIRED","timestamp":"2026-11-29T23:30:09.5Z"}}}`
	)
	tests := []struct {
		name   string
		events []string
		over   bool
	}{
		{"the task as it was", []string{old}, false},
		{"and on it goes", []string{old, works}, false},
		{"and the next question", []string{old, works, asksMore}, true},
		{"the next question alone", []string{asksMore}, true},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			l := newFactLog(t, nil)
			x := l.stream()
			l.event(x, taskSays("TASK_STATE_SUBMITTED", ""))
			l.event(x, asks)
			l.write(session.KindClosed, x, session.Closed{How: session.ClosedClean}, "")
			l.command("resume --stream y")
			if l.state.Obligations[0].Op == a2a.OpGet { // what goes before the first answer
				l.answer(l.ask(), old)
			}
			o := l.state.Obligations[0]
			x = len(l.state.Exchanges) + 1
			l.write(session.KindRequest, x, session.Requested{
				Op: o.Op, Gen: a2a.Gen10, Binding: a2a.JSONRPC, URL: "http://peer.example/rpc", Obligation: o.N, Command: o.Command, TaskID: "T1",
			}, "")
			wait := l.command("wait settled")
			l.write(session.KindResponse, x, session.Responded{Status: 200, Stream: true}, "")
			for _, e := range tc.events {
				l.event(x, e)
			}
			if wait.Over != tc.over {
				t.Errorf("the wait is over: %t (%s)", wait.Over, wait.Detail)
			}
		})
	}
	t.Run("a read says that it still waits", func(t *testing.T) {
		t.Parallel()
		l := newFactLog(t, nil)
		x := l.stream()
		l.event(x, taskSays("TASK_STATE_SUBMITTED", ""))
		l.event(x, asks)
		l.write(session.KindClosed, x, session.Closed{How: session.ClosedClean}, "")
		l.write(session.KindRequest, 2, session.Requested{Op: a2a.OpStream, Gen: a2a.Gen10, Binding: a2a.JSONRPC, URL: "http://peer.example/rpc", TaskID: "T1"}, "")
		wait := l.command("wait settled")
		l.write(session.KindResponse, 2, session.Responded{Status: 200, Stream: true}, "")
		l.event(2, old)
		if wait.Over {
			t.Fatal("over too early")
		}
		l.read(`{"id":"T1","contextId":"c","status":{"state":"TASK_STATE_INPUT_REQUIRED","timestamp":"2026-11-29T23:30:02.1Z"}}`)
		if !wait.Over {
			t.Error("the wait goes on although the task waits")
		}
	})
}
