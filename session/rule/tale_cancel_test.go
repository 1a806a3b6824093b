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
	{rule: "cancel.not-honoured", name: "not cancelable, and read at work", says: "info", tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send slow 9 --immediate"), "task working")
		x := s.ask("cancel")
		seq := s.answers(x, "error -32002 Task cannot be canceled")
		read := s.answers(s.ask("get"), "task working")
		if s.state.Profile.CancelWorking != "refused" {
			s.t.Errorf("the profile says %q", s.state.Profile.CancelWorking)
		}
		return is(s.request(x), seq, read)
	}},
	{rule: "cancel.not-honoured", name: "not cancelable, for it was over", tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send slow 9 --immediate"), "task working")
		s.answers(s.ask("cancel"), "error -32002 Task cannot be canceled")
		s.answers(s.ask("get"), "task completed")
		if s.state.Profile.CancelWorking != "" {
			s.t.Errorf("the profile says %q", s.state.Profile.CancelWorking)
		}
		return nil
	}},
	{rule: "cancel.not-honoured", name: "the answer says that it was over", says: "info", tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send slow 9 --immediate"), "task working")
		x := s.ask("cancel")
		return is(s.request(x), s.answers(x, "task completed"))
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
