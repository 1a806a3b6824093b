package rule_test

import (
	"a2ascope/session"
	"a2ascope/session/a2a"
)

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
	{rule: "resubscribe.refused", name: "our credentials are refused", tell: func(s *scribe) []uint64 {
		s.do("auth bearer $TOKEN")
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
