package rule_test

import (
	"time"

	"a2ascope/session"
	"a2ascope/session/a2a"
)

// canceled begins a task on a stream, and has it canceled. It returns the
// stream and the record of the answer.
func (s *scribe) canceled() (int, uint64) {
	s.t.Helper()
	x := s.stream("stream slow 9", "task submitted", "working")
	return x, s.answers(s.ask("cancel"), "task canceled")
}

var cancelTales = []tale{
	{rule: "cancel.frames-after", name: "an artifact after the stream's own canceled", says: "critical", tell: func(s *scribe) []uint64 {
		x, a := s.canceled()
		own := s.brings(x, "canceled")
		return is(a, own, s.brings(x, "artifact r=late"))
	}},
	{rule: "cancel.frames-after", name: "a state after the stream's own canceled", says: "critical", tell: func(s *scribe) []uint64 {
		x, a := s.canceled()
		own := s.brings(x, "canceled open")
		return is(a, own, s.brings(x, "working"))
	}},
	{rule: "cancel.frames-after", name: "the stream's own canceled suffices", says: "critical", tell: func(s *scribe) []uint64 {
		x := s.stream("stream slow 9", "task submitted", "working")
		own := s.brings(x, "canceled")
		return is(own, own, s.brings(x, "artifact r=late"))
	}},
	{rule: "cancel.frames-after", name: "no canceled on the stream, and it goes on", says: "critical", tell: func(s *scribe) []uint64 {
		x, a := s.canceled()
		s.wait(time.Second)
		return is(a, s.brings(x, "artifact r=late"))
	}},
	{rule: "cancel.frames-after", name: "the stream says completed, and goes on", says: "critical", tell: func(s *scribe) []uint64 {
		x := s.stream("stream slow 9", "task submitted", "working")
		c := s.ask("cancel")
		s.brings(x, "completed")
		a := s.answers(c, "task canceled")
		s.wait(time.Second)
		return is(a, s.brings(x, "artifact r=late"))
	}},
	{rule: "cancel.frames-after", name: "within the race margin", tell: func(s *scribe) []uint64 {
		x, _ := s.canceled()
		s.brings(x, "artifact r=crossed", "working", "canceled")
		s.ends(x, session.ClosedClean)
		s.settles("task canceled r=crossed")
		return nil
	}},
	{rule: "cancel.frames-after", name: "a margin of the operator's", policy: func(p *session.Policy) { p.RaceMargin = session.Duration(5 * time.Second) }, tell: func(s *scribe) []uint64 {
		x, _ := s.canceled()
		s.wait(4 * time.Second)
		s.brings(x, "artifact r=crossed")
		return nil
	}},
	{rule: "cancel.frames-after", name: "begun within the margin, read behind it", tell: func(s *scribe) []uint64 {
		x, _ := s.canceled()
		s.wait(1500 * time.Millisecond)
		s.brings(x, "artifact r=crossed lead=1s")
		return nil
	}},
	{rule: "cancel.frames-after", name: "held by our own reader", tell: func(s *scribe) []uint64 {
		x, _ := s.canceled()
		s.wait(3 * time.Second)
		s.brings(x, "artifact r=crossed held")
		return nil
	}},
	{rule: "cancel.frames-after", name: "order counts for a held frame too", says: "critical", tell: func(s *scribe) []uint64 {
		x, a := s.canceled()
		own := s.brings(x, "canceled")
		return is(a, own, s.brings(x, "artifact r=late held"))
	}},
	{rule: "cancel.frames-after", name: "times of two epochs are not compared", tell: func(s *scribe) []uint64 {
		x, _ := s.canceled()
		s.wait(3 * time.Second)
		s.stall()
		s.brings(x, "artifact r=crossed")
		return nil
	}},
	{rule: "cancel.frames-after", name: "the canceled status itself, late", tell: func(s *scribe) []uint64 {
		x, _ := s.canceled()
		s.wait(4 * time.Second)
		s.brings(x, "canceled", "task canceled")
		s.ends(x, session.ClosedClean)
		s.settles("task canceled")
		return nil
	}},
	{rule: "cancel.frames-after", name: "the cancel was not taken", tell: func(s *scribe) []uint64 {
		x := s.stream("stream slow 9", "task submitted", "working")
		s.answers(s.ask("cancel"), "task working")
		s.wait(3 * time.Second)
		s.brings(x, "artifact r=more", "completed")
		s.ends(x, session.ClosedClean)
		return nil
	}},
	{rule: "cancel.frames-after", name: "a subscription afterwards tells how it came to be", tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send slow 9 --immediate"), "task working")
		s.answers(s.ask("cancel"), "task canceled")
		s.wait(3 * time.Second)
		s.stream("resubscribe", "submitted", "working", "artifact r=half", "canceled")
		return nil
	}},

	{rule: "cancel.not-final", name: "get says completed once", says: "critical", tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send slow 9 --immediate"), "task working")
		a := s.answers(s.ask("cancel"), "task canceled")
		return is(a, s.get("task completed r=half"))
	}},
	{rule: "cancel.not-final", name: "get says failed once", says: "critical", tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send slow 9 --immediate"), "task working")
		a := s.answers(s.ask("cancel"), "task canceled")
		return is(a, s.get("task failed"))
	}},
	{rule: "cancel.not-final", name: "get says working twice", says: "critical", tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send slow 9 --immediate"), "task working")
		a := s.answers(s.ask("cancel"), "task canceled")
		return is(a, s.get("task working"), s.get("task working"))
	}},
	{rule: "cancel.not-final", name: "get says working once", tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send slow 9 --immediate"), "task working")
		s.answers(s.ask("cancel"), "task canceled")
		s.get("task working")
		s.settles("task canceled")
		return nil
	}},
	{rule: "cancel.not-final", name: "the get was sent before the answer", tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send slow 9 --immediate"), "task working")
		c := s.ask("cancel")
		g := s.ask("get")
		s.answers(c, "task canceled")
		s.answers(g, "task completed")
		s.settles("task canceled")
		return nil
	}},
	{rule: "cancel.not-final", name: "the task is gone", tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send slow 9 --immediate"), "task working")
		s.answers(s.ask("cancel"), "task canceled")
		s.get("error -32001 Task not found")
		s.get("error -32001 Task not found")
		return nil
	}},
	{rule: "cancel.not-final", name: "a finished task that a cancel rewrote is terminal-final's", also: []session.Claim{session.TerminalFinal}, tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send task x"), "task completed r=hello")
		s.settles("task completed r=hello")
		s.answers(s.ask("cancel"), "task canceled")
		s.get("task completed r=hello")
		return nil
	}},

	{rule: "cancel.left", name: "canceled, then working", says: "critical", tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send slow 9 --immediate"), "task working")
		return is(s.get("task canceled"), s.get("task working"))
	}},
	{rule: "cancel.left", name: "canceled twice", tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send slow 9 --immediate"), "task working")
		s.get("task canceled")
		s.get("task canceled")
		return nil
	}},
	{rule: "cancel.left", name: "canceled, then gone", tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send slow 9 --immediate"), "task working")
		s.get("task canceled")
		s.get("error -32001 Task not found")
		return nil
	}},
	{rule: "cancel.left", name: "the reads overlap", tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send slow 9 --immediate"), "task working")
		g, h := s.ask("get"), s.ask("get")
		s.answers(g, "task canceled")
		s.answers(h, "task working")
		s.settles("task canceled")
		return nil
	}},

	{rule: "cancel.artifacts-change", name: "two reads say canceled and differ", says: "critical", tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send slow 9 --immediate"), "task working")
		s.answers(s.ask("cancel"), "task canceled")
		return is(s.get("task canceled r=1"), s.get("task canceled r=2"))
	}},
	{rule: "cancel.artifacts-change", name: "the first was sent before the answer", tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send slow 9 --immediate"), "task working")
		c := s.ask("cancel")
		g := s.ask("get")
		s.answers(c, "task canceled r=2")
		s.answers(g, "task canceled r=1")
		s.settles("task canceled r=2")
		return nil
	}},
	{rule: "cancel.artifacts-change", name: "the stream had brought it: the first read lags", tell: func(s *scribe) []uint64 {
		x := s.stream("stream slow 9", "task submitted", "working", "artifact r=1")
		s.answers(s.ask("cancel"), "task canceled r=1")
		s.brings(x, "canceled")
		s.ends(x, session.ClosedClean)
		s.get("task canceled")
		s.settles("task canceled r=1")
		return nil
	}},
	{rule: "cancel.artifacts-change", name: "artifacts are the same", tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send slow 9 --immediate"), "task working")
		s.answers(s.ask("cancel"), "task canceled")
		s.settles("task canceled r=1")
		return nil
	}},

	{rule: "cancel.held", name: "reads agree and the stream closes", says: "honoured", tell: func(s *scribe) []uint64 {
		x, a := s.canceled()
		s.brings(x, "canceled")
		s.ends(x, session.ClosedClean)
		return is(a, s.settles("task canceled"))
	}},
	{rule: "cancel.held", name: "watched to the end of the watch", says: "honoured", also: []session.Claim{session.StreamCloses}, tell: func(s *scribe) []uint64 {
		x, _ := s.canceled()
		s.brings(x, "canceled final")
		s.settles("task canceled")
		s.wait(31 * time.Second)
		return nil
	}},
	{rule: "cancel.held", name: "reads alone do not tell while the stream is open", gen: a2a.Gen10, tell: func(s *scribe) []uint64 {
		s.canceled()
		s.get("task canceled")
		s.get("task canceled")
		return nil
	}},
	{rule: "cancel.held", name: "an orphan", also: []session.Claim{session.CancelFinal}, tell: func(s *scribe) []uint64 {
		x, _ := s.canceled()
		s.brings(x, "canceled", "artifact r=late")
		s.ends(x, session.ClosedClean)
		s.settles("task canceled r=late")
		return nil
	}},

	{rule: "cancel.not-honoured", name: "another state", says: "info", tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send slow 9 --immediate"), "task working")
		x := s.ask("cancel")
		return is(s.request(x), s.answers(x, "task working"))
	}},
	{rule: "cancel.not-honoured", name: "not cancelable", says: "info", tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send slow 9 --immediate"), "task working")
		x := s.ask("cancel")
		seq := s.answers(x, "error -32002 Task cannot be canceled")
		if s.state.Profile.CancelWorking != "refused" {
			s.t.Errorf("the profile says %q", s.state.Profile.CancelWorking)
		}
		return is(s.request(x), seq)
	}},
	{rule: "cancel.not-honoured", name: "unsupported at input-required", says: "info", tell: func(s *scribe) []uint64 {
		s.asks()
		s.answers(s.ask("cancel"), "error -32004 This operation is not supported")
		if s.state.Profile.CancelInputRequired != "refused" || s.state.Profile.CancelWorking != "" {
			s.t.Errorf("the profile says %+v", s.state.Profile)
		}
		return nil
	}},
	{rule: "cancel.not-honoured", name: "canceled", tell: func(s *scribe) []uint64 {
		s.canceled()
		if s.state.Profile.CancelWorking != "honoured" {
			s.t.Errorf("the profile says %q", s.state.Profile.CancelWorking)
		}
		return nil
	}},
}

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

var resumeTales = []tale{
	{rule: "resume.other-task", name: "another id in the answer", says: "major", tell: func(s *scribe) []uint64 {
		s.asks()
		x := s.resumes("resume Ada")
		return is(s.request(x), s.answers(x, "task completed #T2"))
	}},
	{rule: "resume.other-task", name: "another id as the first event", says: "major", tell: func(s *scribe) []uint64 {
		s.asks()
		x := s.resumes("resume Ada --stream")
		s.opens(x)
		return is(s.request(x), s.brings(x, "task working #T2"))
	}},
	{rule: "resume.other-task", name: "a message in between", tell: func(s *scribe) []uint64 {
		s.asks()
		s.answers(s.resumes("resume Ada"), "message thanks")
		return nil
	}},
	{rule: "resume.other-task", name: "a message to a finished task begins another", tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send task x"), "task completed")
		s.settles("task completed")
		s.answers(s.ask("resume more --force"), "task completed #T2")
		return nil
	}},

	{rule: "resume.lost", name: "TaskNotFound, and get shows the task", says: "major", tell: func(s *scribe) []uint64 {
		s.asks()
		s.answers(s.resumes("resume Ada"), "error -32001 Task not found")
		return is(s.answers(s.next(), "task input-required"))
	}},
	{rule: "resume.lost", name: "the answer alone does not tell", says: "inconclusive", tell: func(s *scribe) []uint64 {
		s.asks()
		x := s.resumes("resume Ada")
		return is(s.request(x), s.answers(x, "error -32001 Task not found"))
	}},
	{rule: "resume.lost", name: "get agrees: it is task-durable's", says: "inconclusive", also: []session.Claim{session.TaskDurable}, tell: func(s *scribe) []uint64 {
		s.asks()
		s.answers(s.resumes("resume Ada"), "error -32001 Task not found")
		s.answers(s.next(), "error -32001 Task not found")
		return nil
	}},
	{rule: "resume.lost", name: "get agrees, and was never asked before", says: "inconclusive", also: []session.Claim{session.TaskDurable}, tell: func(s *scribe) []uint64 {
		s.asks()
		s.answers(s.ask("resume Ada --force"), "error -32001 Task not found")
		s.answers(s.next(), "error -32001 Task not found")
		return nil
	}},
	{rule: "resume.lost", name: "at auth-required nobody asked for an answer", tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send auth"), "task auth-required")
		s.answers(s.ask("resume Ada --force"), "error -32001 Task not found")
		return nil
	}},

	{rule: "resume.same-task", name: "the same id", says: "honoured", tell: func(s *scribe) []uint64 {
		s.asks()
		x := s.resumes("resume Ada")
		seq := s.answers(x, "task completed")
		if s.state.Profile.Resume != "same-task" {
			s.t.Errorf("the profile says %q", s.state.Profile.Resume)
		}
		return is(s.request(x), seq)
	}},
	{rule: "resume.same-task", name: "refused", tell: func(s *scribe) []uint64 {
		s.asks()
		s.answers(s.resumes("resume Ada"), "error -32603 out of memory")
		return nil
	}},

	{rule: "resume.redispatched", name: "another id after a redispatch of ours", says: "minor", tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send task x --immediate"), "task working")
		s.do("redispatch")
		x := s.next()
		return is(s.request(x), s.answers(x, "task completed #T2"))
	}},
	{rule: "resume.redispatched", name: "no redispatch", tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send task x --immediate"), "task working")
		s.answers(s.ask("send task y --immediate"), "task working #T2")
		return nil
	}},

	{rule: "resubscribe.refused", name: "and get says working", says: "major", tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send slow 9 --immediate"), "task working")
		s.answers(s.ask("resubscribe"), "error -32001 Task not found")
		return is(s.answers(s.next(), "task working"))
	}},
	{rule: "resubscribe.refused", name: "TaskNotFound alone: one read first", says: "inconclusive", tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send slow 9 --immediate"), "task working")
		x := s.ask("resubscribe")
		return is(s.request(x), s.answers(x, "error -32001 Task not found"))
	}},
	{rule: "resubscribe.refused", name: "it was over by then", says: "inconclusive", tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send slow 9 --immediate"), "task working")
		s.answers(s.ask("resubscribe"), "error -32004 the task is over")
		s.answers(s.next(), "task completed")
		s.settles("task completed")
		return nil
	}},
	{rule: "resubscribe.refused", name: "after the end", tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send task x"), "task completed")
		s.settles("task completed")
		s.answers(s.ask("resubscribe"), "error -32001 Task not found")
		return nil
	}},
	{rule: "resubscribe.refused", name: "credentials are refused", tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send slow 9 --immediate"), "task working")
		s.answers(s.ask("resubscribe"), "error -32000 who are you? http=401")
		for range s.state.Obligations {
			s.answers(s.next(), "task working")
		}
		return nil
	}},
	{rule: "resubscribe.at-input", name: "refused at input-required", says: "minor", tell: func(s *scribe) []uint64 {
		s.asks()
		x := s.ask("resubscribe")
		seq := s.answers(x, "error -32001 Task not found")
		if s.state.Profile.ResubscribeAfterInput != "not-found" {
			s.t.Errorf("the profile says %q", s.state.Profile.ResubscribeAfterInput)
		}
		return is(s.request(x), seq)
	}},
	{rule: "resubscribe.at-input", name: "streaming was never declared", card: undeclared, tell: func(s *scribe) []uint64 {
		s.asks()
		s.answers(s.ask("resubscribe"), "error -32004 This operation is not supported")
		return nil
	}},
	{rule: "resubscribe.undeclared", name: "our own fault", says: "info", card: undeclared, tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send slow 9 --immediate"), "task working")
		x := s.ask("resubscribe")
		seq := s.answers(x, "error -32004 This operation is not supported")
		s.get("task working")
		return is(s.request(x), seq)
	}},
	{rule: "resubscribe.undeclared", name: "declared", tell: func(s *scribe) []uint64 {
		s.asks()
		s.answers(s.ask("resubscribe"), "error -32004 This operation is not supported")
		return nil
	}},
	{rule: "resubscribe.works", name: "the task as it is", says: "honoured", tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send slow 9 --immediate"), "task working")
		x := s.stream("resubscribe")
		return is(s.request(x), s.brings(x, "task working"))
	}},
	{rule: "resubscribe.works", name: "after the end it honours nothing", tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send task x"), "task completed")
		s.stream("resubscribe", "task completed")
		return nil
	}},
	{rule: "resubscribe.replays", name: "in 1.0", gen: a2a.Gen10, says: "minor", tell: func(s *scribe) []uint64 {
		s.ends(s.stream("stream slow 9", "task submitted @1s", "working @2s", "artifact r=1"), session.ClosedCut)
		y := s.stream("resubscribe", "task submitted @1s")
		again := s.brings(y, "working @2s")
		if s.state.Profile.Resubscribe != "replays" {
			s.t.Errorf("the profile says %q", s.state.Profile.Resubscribe)
		}
		return is(s.state.Exchanges[y-1].Answer, again)
	}},
	{rule: "resubscribe.replays", name: "0.x never said that it must not", gen: a2a.Gen03, tell: func(s *scribe) []uint64 {
		s.ends(s.stream("stream slow 9", "task submitted @1s", "working @2s", "artifact r=1"), session.ClosedCut)
		s.stream("resubscribe", "task submitted @1s", "working @2s", "artifact r=1", "artifact +r=2")
		if s.state.Profile.Resubscribe != "replays" {
			s.t.Errorf("the profile says %q", s.state.Profile.Resubscribe)
		}
		return nil
	}},
	{rule: "resubscribe.replays", name: "the task as it is, then news", tell: func(s *scribe) []uint64 {
		s.ends(s.stream("stream slow 9", "task submitted @1s", "working @2s", "artifact r=1"), session.ClosedCut)
		s.stream("resubscribe", "task working @2s r=1", "artifact +r=2", "artifact +r=3")
		if s.state.Profile.Resubscribe != "resumes" {
			s.t.Errorf("the profile says %q", s.state.Profile.Resubscribe)
		}
		return nil
	}},
}

var stateTales = []tale{
	{rule: "states.backward", name: "submitted after working", says: "major", tell: func(s *scribe) []uint64 {
		x := s.stream("stream slow 9", "task submitted @1s", "working @2s")
		return is(s.brings(x, "submitted @3s"))
	}},
	{rule: "states.backward", name: "a second submitted after the answer", says: "major", tell: func(s *scribe) []uint64 {
		s.ends(s.stream("stream ask", "task submitted @1s", "working @2s", "input-required @3s"), session.ClosedClean)
		x := s.resumes("resume Ada --stream")
		s.opens(x)
		return is(s.brings(x, "submitted @5s"))
	}},
	{rule: "states.backward", name: "a second submitted as the answer itself", says: "major", tell: func(s *scribe) []uint64 {
		s.asks()
		x := s.resumes("send Ada --immediate")
		return is(s.answers(x, "task submitted @5s"))
	}},
	{rule: "states.backward", name: "behind the replayed prefix", says: "major", tell: func(s *scribe) []uint64 {
		s.ends(s.stream("stream slow 9", "task submitted @1s", "working @2s"), session.ClosedCut)
		x := s.stream("resubscribe", "task submitted @1s", "working @2s", "working @4s")
		return is(s.brings(x, "submitted @5s"))
	}},
	{rule: "states.backward", name: "a replayed prefix", tell: func(s *scribe) []uint64 {
		s.ends(s.stream("stream slow 9", "task submitted @1s", "working @2s", "artifact r=1"), session.ClosedCut)
		s.stream("resubscribe", "task submitted @1s", "working @2s", "artifact r=1", "artifact +r=2", "completed @5s")
		return nil
	}},
	{rule: "states.backward", name: "a replay without the snapshot that opened the stream", tell: func(s *scribe) []uint64 {
		s.ends(s.stream("stream slow 9", "task submitted @1s", "submitted @1s", "working @2s"), session.ClosedCut)
		s.stream("resubscribe", "submitted @1s", "working @2s", "working @4s")
		return nil
	}},
	{rule: "states.backward", name: "a replay that says as a status what was a snapshot", tell: func(s *scribe) []uint64 {
		s.ends(s.stream("stream slow 9", "task submitted @1s", "working @2s"), session.ClosedCut)
		s.stream("resubscribe", "submitted @1s", "working @2s", "working @4s")
		return nil
	}},
	{rule: "states.backward", name: "a replay of what no stream of ours had brought", tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send slow 9 --immediate"), "task working @2s")
		s.stream("resubscribe", "submitted @1s", "working @2s", "working @4s")
		return nil
	}},
	{rule: "states.backward", name: "a replay after the answer", tell: func(s *scribe) []uint64 {
		s.ends(s.stream("stream ask", "task submitted @1s", "working @2s", "input-required @3s"), session.ClosedClean)
		x := s.resumes("resume Ada --stream")
		s.opens(x)
		s.brings(x, "task submitted @1s", "working @2s", "input-required @3s", "working @5s", "completed @6s")
		return nil
	}},
	{rule: "states.backward", name: "working again after the answer", tell: func(s *scribe) []uint64 {
		s.ends(s.stream("stream ask", "task submitted @1s", "working @2s", "input-required @3s"), session.ClosedClean)
		x := s.resumes("resume Ada --stream")
		s.opens(x)
		s.brings(x, "working @5s", "completed @6s")
		return nil
	}},
	{rule: "states.backward", name: "a read that lags", tell: func(s *scribe) []uint64 {
		s.stream("stream slow 9", "task submitted @1s", "working @2s")
		s.get("task submitted @1s")
		return nil
	}},
	{rule: "states.backward", name: "submitted twice at the beginning", tell: func(s *scribe) []uint64 {
		s.stream("stream slow 9", "task submitted @1s", "submitted @1s", "working @2s", "working @3s", "task working @3s")
		return nil
	}},
	{rule: "states.forward", name: "to the end", says: "honoured", tell: func(s *scribe) []uint64 {
		s.ends(s.stream("stream task x", "task submitted", "working", "completed"), session.ClosedClean)
		return is(s.settles("task completed"))
	}},
	{rule: "states.forward", name: "one state tells nothing", tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send task x"), "task completed")
		s.settles("task completed")
		return nil
	}},
}

var viewTales = []tale{
	{rule: "views.differ", name: "the stream said completed, get says failed", says: "major", tell: func(s *scribe) []uint64 {
		x := s.stream("stream task x", "task submitted")
		end := s.brings(x, "completed")
		s.ends(x, session.ClosedClean)
		return is(end, s.settles("task failed"))
	}},
	{rule: "views.differ", name: "an artifact is another", says: "major", tell: func(s *scribe) []uint64 {
		x := s.stream("stream task x", "task submitted", "artifact r=1")
		end := s.brings(x, "completed")
		s.ends(x, session.ClosedClean)
		return is(end, s.settles("task completed r=2"))
	}},
	{rule: "views.differ", name: "some artifacts did not come", says: "major", tell: func(s *scribe) []uint64 {
		x := s.stream("stream task x", "task submitted", "artifact r=1")
		end := s.brings(x, "completed")
		s.ends(x, session.ClosedClean)
		return is(end, s.settles("task completed r=1 q=2"))
	}},
	{rule: "views.differ", name: "the first read lags", tell: func(s *scribe) []uint64 {
		s.ends(s.stream("stream task x", "task submitted", "artifact r=1", "completed"), session.ClosedClean)
		s.answers(s.next(), "task working")
		s.settles("task completed r=1")
		return nil
	}},
	{rule: "views.differ", name: "joined late, chunks are lost", tell: func(s *scribe) []uint64 {
		s.ends(s.stream("stream task x", "task submitted", "artifact r=a"), session.ClosedCut)
		s.ends(s.stream("resubscribe", "task working", "artifact +r=c", "completed"), session.ClosedClean)
		s.settles("task completed r=abc")
		return nil
	}},
	{rule: "views.differ", name: "it may have been the event that could not be read", also: []session.Claim{session.WireFormat}, tell: func(s *scribe) []uint64 {
		s.ends(s.stream("stream task x", "task submitted", "artifact r=1", "body:{what", "completed"), session.ClosedClean)
		s.settles("task completed r=1 q=2")
		return nil
	}},
	{rule: "views.differ", name: "artifacts of an earlier turn that no stream could bring", tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send ask"), "task input-required old=1")
		x := s.resumes("resume Ada --stream")
		s.opens(x)
		s.brings(x, "working", "artifact new=2", "completed")
		s.ends(x, session.ClosedClean)
		s.settles("task completed old=1 new=2")
		return nil
	}},
	{rule: "views.foreign", name: "another task's event", says: "major", tell: func(s *scribe) []uint64 {
		x := s.stream("stream task x", "task submitted")
		return is(s.state.Exchanges[x-1].Answer, s.brings(x, "working #T9"))
	}},
	{rule: "views.foreign", name: "an event that names none", tell: func(s *scribe) []uint64 {
		s.id = ""
		s.stream("stream task x", "task submitted #T1", "working")
		return nil
	}},
	{rule: "views.agree", name: "one story", says: "honoured", tell: func(s *scribe) []uint64 {
		x := s.stream("stream task x", "task submitted", "artifact r=1")
		end := s.brings(x, "completed")
		s.ends(x, session.ClosedClean)
		return is(end, s.settles("task completed r=1"))
	}},
	{rule: "views.agree", name: "no stream", tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send task x"), "task completed")
		s.settles("task completed")
		return nil
	}},
}
