package rule_test

import (
	"time"

	"a2ascope/session"
	"a2ascope/session/a2a"
)

// working begins a task that works, by a plain send.
func (s *scribe) working() uint64 {
	s.t.Helper()
	return s.answers(s.ask("send slow 9 --immediate"), "task working")
}

// looks answers what is asked to find out whether a task is lost, up to the
// next get; it returns that answer.
func (s *scribe) looks(list, get string) uint64 {
	s.t.Helper()
	for {
		x := s.next()
		if s.state.Exchanges[x-1].Op == a2a.OpGet {
			return s.answers(x, get)
		}
		s.answers(x, list)
	}
}

const gone = "error -32001 Task not found"

var durableTales = []tale{
	{rule: "durable.lost", name: "two reads apart", says: "major", tell: func(s *scribe) []uint64 {
		seen := s.working()
		first := s.get(gone)
		second := s.looks(`{"tasks":[]}`, gone)
		if o := s.state.Tasks[0].Outcome; o != session.OutcomeIndeterminate {
			s.t.Errorf("the outcome is %s", o)
		}
		return is(seen, first, second)
	}},
	{rule: "durable.lost", name: "a poll that is quicker", says: "major", tell: func(s *scribe) []uint64 {
		seen := s.working()
		first, last := s.get(gone), uint64(0)
		for range 9 {
			if len(s.state.Findings) > 0 {
				break
			}
			s.wait(500 * time.Millisecond)
			last = s.get(gone)
		}
		return is(seen, first, last)
	}},
	{rule: "durable.lost", name: "two reads at once", says: "inconclusive", tell: func(s *scribe) []uint64 {
		seen := s.working()
		first := s.get(gone)
		s.get(gone)
		return is(seen, first)
	}},
	{rule: "durable.lost", name: "it is there again", says: "inconclusive", tell: func(s *scribe) []uint64 {
		s.working()
		s.get(gone)
		s.looks(`{"tasks":[]}`, "task working")
		s.get(gone)
		return nil
	}},
	{rule: "durable.lost", name: "a list that still has it does not make get know it", gen: a2a.Gen10, says: "major", tell: func(s *scribe) []uint64 {
		s.working()
		s.get(gone)
		s.looks("list T1:working", gone)
		return nil
	}},
	{rule: "durable.lost", name: "our own standstill lies between", says: "inconclusive", tell: func(s *scribe) []uint64 {
		s.working()
		s.get(gone)
		s.stall()
		s.wait(3 * time.Second)
		s.get(gone)
		return nil
	}},
	{rule: "durable.lost", name: "a read that lags behind the answer", says: "inconclusive", tell: func(s *scribe) []uint64 {
		s.working()
		s.get(gone)
		s.get("task working")
		return nil
	}},
	{rule: "durable.lost", name: "TaskNotFound to a subscription alone", tell: func(s *scribe) []uint64 {
		s.asks()
		s.answers(s.ask("resubscribe"), gone)
		s.wait(5 * time.Second)
		s.answers(s.ask("resubscribe"), gone)
		return nil
	}},
	{rule: "durable.lost", name: "TaskNotFound to push alone", tell: func(s *scribe) []uint64 {
		s.working()
		s.answers(s.ask("push list"), gone)
		s.wait(5 * time.Second)
		s.answers(s.ask("push list"), gone)
		return nil
	}},
	{rule: "durable.lost", name: "after its end", tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send task x"), "task completed")
		s.get(gone)
		s.wait(3 * time.Second)
		s.get(gone)
		return nil
	}},
	{rule: "durable.found", name: "a stale view", says: "honoured", tell: func(s *scribe) []uint64 {
		s.working()
		s.wait(3 * time.Second)
		x := s.ask("get --fresh")
		return is(s.request(x), s.answers(x, "task working"))
	}},
	{rule: "durable.found", name: "too soon", tell: func(s *scribe) []uint64 {
		s.working()
		s.answers(s.ask("get --fresh"), "task working")
		return nil
	}},
	{rule: "durable.found", name: "the usual view", tell: func(s *scribe) []uint64 {
		s.working()
		s.wait(3 * time.Second)
		s.get("task working")
		return nil
	}},

	{rule: "history.empty", name: "twice", gen: a2a.Gen03, says: "major", card: withHistory, tell: func(s *scribe) []uint64 {
		s.working()
		s.get("task input-required history=1")
		s.get("task input-required history=1")
		s.wait(time.Second)
		return is(s.get("task input-required"), s.get("task input-required"))
	}},
	{rule: "history.empty", name: "once only", card: withHistory, tell: func(s *scribe) []uint64 {
		s.working()
		s.get("task input-required")
		s.get("task input-required history=2")
		s.get("task input-required")
		return nil
	}},
	{rule: "history.empty", name: "one state", card: withHistory, tell: func(s *scribe) []uint64 {
		s.working()
		s.get("task working")
		s.get("task working")
		return nil
	}},
	{rule: "history.empty", name: "less was asked for", card: withHistory, tell: func(s *scribe) []uint64 {
		s.working()
		s.answers(s.ask("get --history 2"), "task input-required")
		s.answers(s.ask("get --history 2"), "task input-required")
		return nil
	}},
	{rule: "history.empty", name: "not declared", tell: func(s *scribe) []uint64 {
		s.working()
		s.answers(s.ask("get --history 20"), "task input-required")
		s.answers(s.ask("get --history 20"), "task input-required")
		return nil
	}},
	{rule: "history.kept", name: "messages", says: "honoured", card: withHistory, tell: func(s *scribe) []uint64 {
		s.working()
		return is(s.get("task working history=2"))
	}},
	{rule: "history.kept", name: "none", card: withHistory, tell: func(s *scribe) []uint64 {
		s.working()
		s.get("task working")
		return nil
	}},

	{rule: "liveness.silent", name: "working, and nothing else", says: "minor", card: undeclared, tell: func(s *scribe) []uint64 {
		seen := s.working()
		s.wait(31 * time.Second)
		return is(seen, s.timer(session.DueSilent))
	}},
	{rule: "liveness.silent", name: "a hint in the task", card: undeclared, tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send slow 9 --immediate"), "task working hint")
		s.wait(31 * time.Second)
		return nil
	}},
	{rule: "liveness.silent", name: "a hint in the head", card: undeclared, tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send slow 9 --immediate"), "task working retry=10")
		s.wait(31 * time.Second)
		return nil
	}},
	{rule: "liveness.silent", name: "a hint on the card", card: func(k *card) {
		k.streaming = `false,"extensions":[{"uri":"https://example.com/ext/polling/v1"}]`
	}, tell: func(s *scribe) []uint64 {
		s.working()
		s.wait(31 * time.Second)
		return nil
	}},
	{rule: "liveness.silent", name: "streaming is declared", tell: func(s *scribe) []uint64 {
		s.working()
		s.wait(31 * time.Second)
		return nil
	}},
	{rule: "liveness.silent", name: "a stream is open all the same", card: undeclared, tell: func(s *scribe) []uint64 {
		s.stream("stream slow 9", "task working", "working")
		s.wait(31 * time.Second)
		return nil
	}},
	{rule: "liveness.silent", name: "an artifact grew between reads", card: undeclared, tell: func(s *scribe) []uint64 {
		s.working()
		s.wait(20 * time.Second)
		s.get("task working r=1")
		s.wait(20 * time.Second)
		return nil
	}},
	{rule: "liveness.silent", name: "the status's message moved between reads", card: undeclared, tell: func(s *scribe) []uint64 {
		s.working()
		s.wait(20 * time.Second)
		s.get("task working says=half_done")
		s.wait(20 * time.Second)
		return nil
	}},
	{rule: "liveness.silent", name: "and then it stands still", says: "minor", card: undeclared, tell: func(s *scribe) []uint64 {
		s.working()
		s.wait(20 * time.Second)
		s.get("task working r=1")
		s.wait(31 * time.Second)
		return nil
	}},
	{rule: "liveness.submitted", name: "past the deadline", says: "minor", tell: func(s *scribe) []uint64 {
		seen := s.answers(s.ask("send slow 9 --immediate"), "task submitted")
		s.wait(61 * time.Second)
		return is(seen, s.timer(session.DueSubmitted))
	}},
	{rule: "liveness.submitted", name: "begun in time", tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send slow 9 --immediate"), "task submitted")
		s.wait(50 * time.Second)
		s.get("task working")
		s.wait(50 * time.Second)
		return nil
	}},
	{rule: "liveness.submitted", name: "a new attempt has a time of its own", also: []session.Claim{session.TaskDurable}, policy: automatic, tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send slow 9 --immediate"), "task submitted")
		s.wait(30 * time.Second)
		s.get(gone)
		s.wait(3 * time.Second)
		s.get(gone)
		s.wait(20 * time.Second)
		s.do("redispatch")
		x := s.next()
		s.answers(x, "task submitted #T2")
		s.wait(20 * time.Second)
		return nil
	}},
	{rule: "liveness.working", name: "past the deadline", says: "minor", tell: func(s *scribe) []uint64 {
		seen := s.working()
		s.wait(601 * time.Second)
		return is(seen, s.timer(session.DueWorking))
	}},
	{rule: "liveness.working", name: "waiting for input is no work", tell: func(s *scribe) []uint64 {
		s.working()
		s.wait(300 * time.Second)
		s.get("task input-required")
		s.wait(600 * time.Second)
		return nil
	}},
	{rule: "liveness.moves", name: "to its end", says: "honoured", tell: func(s *scribe) []uint64 {
		end := s.answers(s.ask("send task x"), "task completed")
		s.settles("task completed")
		return is(end)
	}},
	{rule: "liveness.moves", name: "a message is no task", tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send echo x"), "message x")
		return nil
	}},

	{rule: "blocking.returned-early", name: "working", says: "major", tell: func(s *scribe) []uint64 {
		x := s.ask("send slow 9")
		return is(s.request(x), s.answers(x, "task working"))
	}},
	{rule: "blocking.returned-early", name: "submitted", says: "major", tell: func(s *scribe) []uint64 {
		x := s.ask("send slow 9")
		return is(s.request(x), s.answers(x, "task submitted"))
	}},
	{rule: "blocking.returned-early", name: "we did not ask to wait", tell: func(s *scribe) []uint64 {
		s.working()
		return nil
	}},
	{rule: "blocking.returned-early", name: "interrupted", tell: func(s *scribe) []uint64 {
		s.asks()
		return nil
	}},
	{rule: "blocking.returned-early", name: "a message", tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send echo x"), "message x")
		return nil
	}},
	{rule: "blocking.returned-early", name: "a state that nobody knows", tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send slow 9"), "task paused")
		return nil
	}},
	{rule: "blocking.returned-early", name: "0.1 has no such thing", gen: a2a.Gen03, tell: func(s *scribe) []uint64 {
		s.do("interface jsonrpc 0.1")
		s.answers(s.ask("send slow 9"), "task working")
		return nil
	}},
	{rule: "blocking.waited", name: "to the end", says: "honoured", tell: func(s *scribe) []uint64 {
		x := s.ask("send task x")
		return is(s.request(x), s.answers(x, "task completed"))
	}},
	{rule: "blocking.waited", name: "until it is interrupted", says: "honoured", tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send auth"), "task auth-required")
		return nil
	}},
	{rule: "blocking.waited", name: "we did not ask to wait", tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send task x --immediate"), "task completed")
		return nil
	}},
}
