package rule_test

import (
	"time"

	"a2ascope/session"
	"a2ascope/session/a2a"
)

const nothingListed = `{"tasks":[],"nextPageToken":"","pageSize":50,"totalSize":0}`

// fieldTales are of rules that no embedded peer shows: the scripted peers of
// peerclient/fieldcases do.
var fieldTales = []tale{
	{rule: "blocking.unasked", name: "late, and at the end", says: "minor", tell: func(s *scribe) []uint64 {
		x := s.ask("send task x --immediate")
		s.now += 11 * time.Second
		return is(s.request(x), s.answers(x, "task completed"))
	}},
	{rule: "blocking.unasked", name: "at once, for a quick task", tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send task x --immediate"), "task completed")
		return nil
	}},
	{rule: "blocking.unasked", name: "late, and under way", tell: func(s *scribe) []uint64 {
		x := s.ask("send task x --immediate")
		s.now += 11 * time.Second
		s.answers(x, "task working")
		return nil
	}},
	{rule: "blocking.unasked", name: "our own machine stood still", tell: func(s *scribe) []uint64 {
		x := s.ask("send task x --immediate")
		s.now += 11 * time.Second
		s.stall()
		s.answers(x, "task completed")
		return nil
	}},
	{rule: "blocking.unasked", name: "it was asked to wait", tell: func(s *scribe) []uint64 {
		x := s.ask("send task x")
		s.now += 11 * time.Second
		s.answers(x, "task completed")
		return nil
	}},

	{rule: "history.shrinks", name: "asked alike", says: "minor", tell: func(s *scribe) []uint64 {
		s.working()
		first := s.answers(s.ask("get --history 20"), "task working history=3")
		return is(first, s.answers(s.ask("get --history 20"), "task working history=1"))
	}},
	{rule: "history.shrinks", name: "asked for fewer", tell: func(s *scribe) []uint64 {
		s.working()
		s.answers(s.ask("get --history 20"), "task working history=3")
		s.answers(s.ask("get --history 1"), "task working history=1")
		return nil
	}},
	{rule: "history.shrinks", name: "more than was asked for, then as much", tell: func(s *scribe) []uint64 {
		s.working()
		s.answers(s.ask("get --history 2"), "task working history=3")
		s.answers(s.ask("get --history 2"), "task working history=2")
		return nil
	}},

	{rule: "views.unlisted", name: "an empty list", gen: a2a.Gen10, says: "minor", tell: func(s *scribe) []uint64 {
		s.working()
		read := s.get("task working")
		x := s.ask("list")
		return is(s.request(x), s.answers(x, nothingListed), read)
	}},
	{rule: "views.unlisted", name: "it is there", gen: a2a.Gen10, tell: func(s *scribe) []uint64 {
		s.working()
		s.get("task working")
		s.answers(s.ask("list"), "list T1:working")
		return nil
	}},
	{rule: "views.unlisted", name: "a further page", gen: a2a.Gen10, tell: func(s *scribe) []uint64 {
		s.working()
		s.get("task working")
		s.answers(s.ask("list"), `{"tasks":[],"nextPageToken":"more","pageSize":50,"totalSize":1}`)
		return nil
	}},
	{rule: "views.unlisted", name: "a filter", gen: a2a.Gen10, tell: func(s *scribe) []uint64 {
		s.working()
		s.get("task working")
		s.answers(s.ask("list --state completed"), nothingListed)
		return nil
	}},
	{rule: "views.unlisted", name: "no get has shown it", gen: a2a.Gen10, tell: func(s *scribe) []uint64 {
		s.working()
		s.answers(s.ask("list"), nothingListed)
		return nil
	}},

	{rule: "liveness.dropped", name: "failed at the next look", says: "info", tell: func(s *scribe) []uint64 {
		x := s.stream("stream slow 9", "working")
		s.do("detach")
		end := s.ends(x, session.ClosedDetached)
		return is(end, s.get("task failed"))
	}},
	{rule: "liveness.dropped", name: "it goes on first", tell: func(s *scribe) []uint64 {
		x := s.stream("stream slow 9", "working")
		s.do("detach")
		s.ends(x, session.ClosedDetached)
		s.get("task working")
		s.get("task failed")
		return nil
	}},
	{rule: "liveness.dropped", name: "it is completed", tell: func(s *scribe) []uint64 {
		x := s.stream("stream slow 9", "working")
		s.do("detach")
		s.ends(x, session.ClosedDetached)
		s.get("task completed")
		return nil
	}},
	{rule: "liveness.dropped", name: "the peer closed the stream", tell: func(s *scribe) []uint64 {
		x := s.stream("stream slow 9", "working", "failed final")
		s.ends(x, session.ClosedClean)
		s.settles("task failed")
		return nil
	}},
}
