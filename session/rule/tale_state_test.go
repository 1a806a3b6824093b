package rule_test

import (
	"a2ascope/session"
)

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
	{rule: "views.differ", name: "get has nothing of what the stream brought", says: "major", tell: func(s *scribe) []uint64 {
		x := s.stream("stream task x", "task submitted", "artifact r=1")
		end := s.brings(x, "completed")
		s.ends(x, session.ClosedClean)
		return is(end, s.settles("task completed"))
	}},
	{rule: "views.differ", name: "get has one of two that the stream brought", says: "major", tell: func(s *scribe) []uint64 {
		x := s.stream("stream task x", "task submitted", "artifact r=1", "artifact q=2")
		end := s.brings(x, "completed")
		s.ends(x, session.ClosedClean)
		return is(end, s.settles("task completed q=2"))
	}},
	{rule: "views.differ", name: "an artifact that was begun and stayed empty", tell: func(s *scribe) []uint64 {
		x := s.stream("stream task x", "task submitted", "artifact r=1", "artifact q=")
		s.brings(x, "completed")
		s.ends(x, session.ClosedClean)
		s.settles("task completed r=1")
		return nil
	}},
	{rule: "views.differ", name: "a snapshot on the stream took it back", tell: func(s *scribe) []uint64 {
		x := s.stream("stream task x", "task submitted", "artifact r=1", "artifact q=2", "task completed q=2")
		s.ends(x, session.ClosedClean)
		s.settles("task completed q=2")
		return nil
	}},
	{rule: "views.differ", name: "one of an earlier turn is gone", tell: func(s *scribe) []uint64 {
		x := s.stream("stream ask", "task submitted", "artifact old=1", "input-required")
		s.ends(x, session.ClosedClean)
		s.get("task input-required old=1")
		x = s.resumes("resume Ada --stream")
		s.opens(x)
		s.brings(x, "working", "artifact new=2", "completed")
		s.ends(x, session.ClosedClean)
		s.settles("task completed new=2")
		return nil
	}},
	{rule: "views.differ", name: "it is read by another way than it was streamed", plain: true, tell: func(s *scribe) []uint64 {
		s.discover(doors(s.gen))
		s.ends(s.stream("stream task x", "task submitted", "artifact r=1", "completed"), session.ClosedClean)
		s.do("interface 2")
		s.get("body:" + bareTask(s, "completed"))
		s.get("body:" + bareTask(s, "completed"))
		return nil
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
	{rule: "views.agree", name: "get has nothing of what the stream brought", also: []session.Claim{session.ViewsAgree}, tell: func(s *scribe) []uint64 {
		s.ends(s.stream("stream task x", "task submitted", "artifact r=1", "completed"), session.ClosedClean)
		s.settles("task completed")
		return nil
	}},
	{rule: "views.agree", name: "no stream", tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send task x"), "task completed")
		s.settles("task completed")
		return nil
	}},
}
