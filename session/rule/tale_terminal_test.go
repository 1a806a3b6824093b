package rule_test

import (
	"a2ascope/session"
)

var terminalTales = []tale{
	{rule: "terminal.events-after", name: "an artifact", says: "major", tell: func(s *scribe) []uint64 {
		x := s.stream("stream task x", "task submitted", "artifact r=1")
		end := s.brings(x, "completed")
		return is(end, s.brings(x, "+r=2 artifact"))
	}},
	{rule: "terminal.events-after", name: "another state", says: "major", tell: func(s *scribe) []uint64 {
		x := s.stream("stream fail", "task submitted")
		end := s.brings(x, "failed")
		return is(end, s.brings(x, "working"))
	}},
	{rule: "terminal.events-after", name: "the same state again, and as a snapshot", tell: func(s *scribe) []uint64 {
		x := s.stream("stream task x", "task submitted", "artifact r=1", "completed", "completed", "task completed r=1")
		s.ends(x, session.ClosedClean)
		s.settles("task completed r=1")
		return nil
	}},
	{rule: "terminal.events-after", name: "a heartbeat", tell: func(s *scribe) []uint64 {
		x := s.stream("stream task x", "task submitted", "completed")
		s.comment(x)
		s.ends(x, session.ClosedClean)
		return nil
	}},
	{rule: "terminal.events-after", name: "another stream of the task is still behind", tell: func(s *scribe) []uint64 {
		x := s.stream("stream task x", "task submitted", "working")
		y := s.stream("resubscribe", "task working")
		s.brings(x, "artifact r=1", "completed")
		s.brings(y, "artifact r=1", "completed")
		s.ends(x, session.ClosedClean)
		s.ends(y, session.ClosedClean)
		s.settles("task completed r=1")
		return nil
	}},

	{rule: "terminal.left", name: "completed, then failed", says: "critical", tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send task x --immediate"), "task working")
		return is(s.get("task completed"), s.get("task failed"))
	}},
	{rule: "terminal.left", name: "failed, then working", says: "critical", tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send task x --immediate"), "task working")
		return is(s.get("task failed"), s.get("task working"))
	}},
	{rule: "terminal.left", name: "completed, then gone", tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send task x"), "task completed")
		s.get("task completed")
		s.get("error -32001 Task not found")
		return nil
	}},
	{rule: "terminal.left", name: "the reads overlap", tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send task x --immediate"), "task working")
		g, h := s.ask("get"), s.ask("get")
		s.answers(g, "task completed")
		s.answers(h, "task working")
		s.settles("task completed")
		return nil
	}},
	{rule: "terminal.left", name: "the first read lags behind the stream", tell: func(s *scribe) []uint64 {
		x := s.stream("stream task x", "task submitted", "completed")
		s.ends(x, session.ClosedClean)
		s.answers(s.next(), "task working")
		s.settles("task completed")
		return nil
	}},

	{rule: "terminal.rewritten", name: "a cancel answered canceled after the end", says: "critical", tell: func(s *scribe) []uint64 {
		end := s.answers(s.ask("send task x"), "task completed r=hello")
		s.settles("task completed r=hello")
		return is(end, s.answers(s.ask("cancel"), "task canceled"))
	}},
	{rule: "terminal.rewritten", name: "refused", tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send task x"), "task completed r=hello")
		s.settles("task completed r=hello")
		s.answers(s.ask("cancel"), "error -32002 Task cannot be canceled")
		return nil
	}},
	{rule: "terminal.rewritten", name: "answered with the end that it had", tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send task x"), "task completed r=hello")
		s.answers(s.ask("cancel"), "task completed r=hello")
		return nil
	}},
	{rule: "terminal.rewritten", name: "it ended while the cancel was on its way", tell: func(s *scribe) []uint64 {
		x := s.stream("stream task x", "task submitted", "working")
		c := s.ask("cancel")
		s.brings(x, "completed")
		s.answers(c, "task canceled")
		s.ends(x, session.ClosedClean)
		s.settles("task canceled")
		return nil
	}},

	{rule: "terminal.stays", name: "reads agree", says: "honoured", tell: func(s *scribe) []uint64 {
		end := s.answers(s.ask("send task x"), "task completed")
		return is(end, s.settles("task completed"))
	}},
	{rule: "terminal.stays", name: "a message has no end to stay", tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send echo x"), "message x")
		return nil
	}},
	{rule: "terminal.stays", name: "purged before two reads agreed", tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send task x"), "task completed")
		s.settles("error -32001 Task not found")
		return nil
	}},

	{rule: "completed.drifts", name: "two reads differ", says: "major", tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send task x"), "task completed r=0")
		return is(s.get("task completed r=1"), s.get("task completed r=2"))
	}},
	{rule: "completed.drifts", name: "an artifact goes", says: "major", tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send task x --immediate"), "task working")
		return is(s.get("task completed r=1"), s.get("task completed"))
	}},
	{rule: "completed.drifts", name: "the stream had shown it: the first read lags", tell: func(s *scribe) []uint64 {
		x := s.stream("stream task x", "task submitted", "artifact r=1", "completed")
		s.ends(x, session.ClosedClean)
		s.answers(s.next(), "task completed")
		s.settles("task completed r=1")
		return nil
	}},
	{rule: "completed.drifts", name: "the send's answer had shown it: the first read lags", tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send task x"), "task completed r=1")
		s.answers(s.next(), "task completed")
		s.settles("task completed r=1")
		return nil
	}},
	{rule: "completed.drifts", name: "the reads overlap", tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send task x --immediate"), "task working")
		g, h := s.ask("get"), s.ask("get")
		s.answers(g, "task completed r=1")
		s.answers(h, "task completed r=2")
		return nil
	}},
	{rule: "completed.drifts", name: "it grew before it was completed", tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send task x --immediate"), "task working")
		s.get("task working r=1")
		s.get("task completed r=2")
		s.settles("task completed r=2")
		return nil
	}},
	{rule: "completed.drifts", name: "cut into other chunks, and dated anew", tell: func(s *scribe) []uint64 {
		x := s.stream("stream task x", "task submitted", "artifact r=ab", "artifact +r=cd", "completed")
		s.ends(x, session.ClosedClean)
		s.get("task completed r=abcd @1s")
		s.get("task completed r=abcd @2s")
		return nil
	}},
	{rule: "completed.drifts", name: "a failed task may be added to", tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send task x --immediate"), "task working")
		s.get("task failed")
		s.get("task failed r=1")
		return nil
	}},
	{rule: "completed.drifts", name: "gone after completed", tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send task x"), "task completed r=1")
		s.settles("error -32001 Task not found")
		return nil
	}},
	{rule: "completed.purged", name: "gone after completed", says: "info", tell: func(s *scribe) []uint64 {
		end := s.answers(s.ask("send task x"), "task completed r=1")
		return is(end, s.get("error -32001 Task not found"))
	}},
	{rule: "completed.purged", name: "gone while it worked", tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send task x --immediate"), "task working")
		s.get("error -32001 Task not found")
		return nil
	}},
	{rule: "completed.stable", name: "reads agree", says: "honoured", tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send task x"), "task completed r=1")
		return is(s.settles("task completed r=1"))
	}},
	{rule: "completed.stable", name: "one read is not enough", tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send task x"), "task completed r=1")
		s.get("task completed r=1")
		return nil
	}},
	{rule: "completed.stable", name: "a failed task", tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send fail"), "task failed")
		s.settles("task failed")
		return nil
	}},
}
