package rule_test

import (
	"time"

	"a2ascope/session"
	"a2ascope/session/a2a"
)

var closeTales = []tale{
	{rule: "stream.artifact-hidden", name: "get has what the stream did not bring", says: "major", tell: func(s *scribe) []uint64 {
		x := s.stream("stream task x", "task submitted", "working")
		end := s.brings(x, "completed")
		s.ends(x, session.ClosedClean)
		return is(end, s.answers(s.next(), "task completed r=hello"))
	}},
	{rule: "stream.artifact-hidden", name: "it is shown by get, and so was it before", says: "major", tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send ask"), "task input-required old=1")
		x := s.ask("resume Ada --stream")
		s.answers(x, "task input-required old=1")
		x = s.next()
		s.opens(x)
		end := s.brings(x, "working", "completed")
		s.ends(x, session.ClosedClean)
		return is(end, s.answers(s.next(), "task completed old=1 new=2"))
	}},
	{rule: "stream.artifact-hidden", name: "artifacts of an earlier turn", tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send ask"), "task input-required old=1")
		x := s.ask("resume Ada --stream")
		s.answers(x, "task input-required old=1")
		x = s.next()
		s.opens(x)
		s.brings(x, "working", "completed")
		s.ends(x, session.ClosedClean)
		s.settles("task completed old=1")
		return nil
	}},
	{rule: "stream.artifact-hidden", name: "artifacts of an earlier turn that no view had shown", tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send ask --immediate"), "task submitted")
		s.brings(s.stream("resubscribe"), "task working", "input-required")
		x := s.ask("resume Ada --stream --force")
		s.opens(x)
		s.brings(x, "working", "completed")
		s.ends(x, session.ClosedClean)
		s.settles("task completed old=1")
		return nil
	}},
	{rule: "stream.artifact-hidden", name: "a stream that was silent is accused of that alone", also: []session.Claim{session.Streaming}, tell: func(s *scribe) []uint64 {
		x := s.stream("stream task x", "task submitted", "working")
		s.wait(16 * time.Second)
		s.get("task working r=hello")
		s.get("task working r=hello")
		s.brings(x, "completed")
		s.ends(x, session.ClosedClean)
		s.settles("task completed r=hello")
		return nil
	}},
	{rule: "stream.truncated", name: "a stream that was silent is accused of that alone", also: []session.Claim{session.Streaming}, tell: func(s *scribe) []uint64 {
		x := s.stream("stream task x", "task submitted", "working")
		s.wait(16 * time.Second)
		s.get("task working r=hello")
		s.get("task working r=hello")
		s.ends(x, session.ClosedClean)
		s.settles("task working r=hello")
		return nil
	}},
	{rule: "stream.lingers", name: "a stream that was silent is accused of that alone", also: []session.Claim{session.Streaming}, tell: func(s *scribe) []uint64 {
		x := s.stream("stream task x", "task submitted", "working")
		s.wait(16 * time.Second)
		s.get("task working r=hello")
		s.get("task working r=hello")
		s.brings(x, "artifact r=hello", "completed")
		s.wait(10 * time.Second)
		return nil
	}},
	{rule: "stream.artifact-hidden", name: "a snapshot on the stream counts", tell: func(s *scribe) []uint64 {
		x := s.stream("stream task x", "task submitted", "working", "task completed r=hello")
		s.ends(x, session.ClosedClean)
		s.settles("task completed r=hello")
		return nil
	}},
	{rule: "stream.artifact-hidden", name: "joined late", tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send slow 9 --immediate"), "task working")
		x := s.stream("resubscribe", "task working", "completed")
		s.ends(x, session.ClosedClean)
		s.settles("task completed r=hello")
		return nil
	}},
	{rule: "stream.artifact-hidden", name: "cut off", tell: func(s *scribe) []uint64 {
		x := s.stream("stream task x", "task submitted", "working")
		s.ends(x, session.ClosedCut)
		s.get("task completed r=hello")
		s.settles("task completed r=hello")
		return nil
	}},
	{rule: "stream.artifact-hidden", name: "detached", tell: func(s *scribe) []uint64 {
		x := s.stream("stream task x", "task submitted", "working")
		s.do("detach")
		s.ends(x, session.ClosedDetached)
		s.get("task completed r=hello")
		s.settles("task completed r=hello")
		return nil
	}},
	{rule: "stream.artifact-hidden", name: "closed at input-required", tell: func(s *scribe) []uint64 {
		x := s.stream("stream ask", "task submitted", "input-required")
		s.ends(x, session.ClosedClean)
		s.get("task input-required r=half")
		return nil
	}},
	{rule: "stream.artifact-hidden", name: "after a cancel of ours", tell: func(s *scribe) []uint64 {
		x := s.stream("stream task x", "task submitted", "working")
		s.answers(s.ask("cancel"), "task canceled r=half")
		s.brings(x, "canceled")
		s.ends(x, session.ClosedClean)
		s.settles("task canceled r=half")
		return nil
	}},
	{rule: "stream.artifact-hidden", name: "it may have been the event that could not be read", also: []session.Claim{session.WireFormat}, tell: func(s *scribe) []uint64 {
		x := s.stream("stream task x", "task submitted", "body:{what", "completed")
		s.ends(x, session.ClosedClean)
		s.settles("task completed r=hello")
		return nil
	}},
	{rule: "stream.artifact-brought", name: "on the stream", says: "honoured", tell: func(s *scribe) []uint64 {
		x := s.stream("stream task x", "task submitted", "artifact r=hello", "completed")
		s.ends(x, session.ClosedClean)
		s.settles("task completed r=hello")
		return is(s.state.Exchanges[x-1].Answer)
	}},
	{rule: "stream.artifact-brought", name: "a task without artifacts", tell: func(s *scribe) []uint64 {
		x := s.stream("stream fail", "task submitted", "failed")
		s.ends(x, session.ClosedClean)
		s.settles("task failed")
		return nil
	}},

	{rule: "stream.lingers", name: "open after the end", says: "major", tell: func(s *scribe) []uint64 {
		x := s.stream("stream task x", "task submitted")
		end := s.brings(x, "completed")
		s.wait(6 * time.Second)
		return is(end, s.timer(session.DueClose))
	}},
	{rule: "stream.lingers", name: "open after final", gen: a2a.Gen03, says: "major", tell: func(s *scribe) []uint64 {
		x := s.stream("stream task x", "task submitted")
		end := s.brings(x, "working final")
		s.wait(6 * time.Second)
		return is(end, s.timer(session.DueClose))
	}},
	{rule: "stream.lingers", name: "0.3 ends a stream by final alone", gen: a2a.Gen03, tell: func(s *scribe) []uint64 {
		x := s.stream("stream task x", "task submitted", "completed open")
		s.wait(6 * time.Second)
		s.brings(x, "completed final")
		s.ends(x, session.ClosedClean)
		return nil
	}},
	{rule: "stream.lingers", name: "within the window", tell: func(s *scribe) []uint64 {
		x := s.stream("stream task x", "task submitted", "completed")
		s.wait(4 * time.Second)
		s.ends(x, session.ClosedClean)
		return nil
	}},
	{rule: "stream.lingers", name: "our own standstill arms the window anew", tell: func(s *scribe) []uint64 {
		x := s.stream("stream task x", "task submitted", "completed")
		s.wait(4 * time.Second)
		s.stall()
		s.wait(4 * time.Second)
		s.ends(x, session.ClosedClean)
		return nil
	}},
	{rule: "stream.lingers", name: "open at input-required", tell: func(s *scribe) []uint64 {
		s.stream("stream ask", "task submitted", "input-required")
		s.wait(time.Minute)
		return nil
	}},
	{rule: "stream.lingers", name: "open at auth-required", tell: func(s *scribe) []uint64 {
		s.stream("stream auth", "task submitted", "auth-required")
		s.wait(time.Minute)
		return nil
	}},
	{rule: "stream.lingers", name: "a stream that goes on is terminal-final's", also: []session.Claim{session.TerminalFinal}, tell: func(s *scribe) []uint64 {
		x := s.stream("stream task x", "task submitted", "completed", "artifact late=x")
		s.wait(6 * time.Second)
		s.brings(x, "artifact late=y")
		return nil
	}},

	{rule: "stream.truncated", name: "closed in mid-work, and get goes on", says: "major", tell: func(s *scribe) []uint64 {
		x := s.stream("stream task x", "task submitted", "working")
		end := s.ends(x, session.ClosedClean)
		return is(end, s.get("task working"))
	}},
	{rule: "stream.truncated", name: "closed in mid-work, and get has the end", says: "major", tell: func(s *scribe) []uint64 {
		x := s.stream("stream task x", "task submitted", "artifact r=hello")
		end := s.ends(x, session.ClosedClean)
		return is(end, s.get("task completed r=hello"))
	}},
	{rule: "stream.truncated", name: "closed at input-required", tell: func(s *scribe) []uint64 {
		s.ends(s.stream("stream ask", "task submitted", "input-required"), session.ClosedClean)
		s.get("task input-required")
		return nil
	}},
	{rule: "stream.truncated", name: "closed at auth-required", tell: func(s *scribe) []uint64 {
		s.ends(s.stream("stream auth", "task submitted", "auth-required"), session.ClosedClean)
		s.get("task working")
		return nil
	}},
	{rule: "stream.truncated", name: "get finds it waiting", tell: func(s *scribe) []uint64 {
		s.ends(s.stream("stream ask", "task submitted", "working"), session.ClosedClean)
		s.get("task input-required")
		return nil
	}},
	{rule: "stream.truncated", name: "a broken body is a fault", tell: func(s *scribe) []uint64 {
		s.ends(s.stream("stream task x", "task submitted", "working"), session.ClosedCut)
		s.get("task working")
		return nil
	}},
	{rule: "stream.truncated", name: "a read from before the end", tell: func(s *scribe) []uint64 {
		x := s.stream("stream task x", "task submitted", "working")
		g := s.ask("get")
		s.ends(x, session.ClosedClean)
		s.answers(g, "task working")
		return nil
	}},
	{rule: "stream.truncated", name: "a message", tell: func(s *scribe) []uint64 {
		s.ends(s.stream("stream echo x", "message x"), session.ClosedClean)
		return nil
	}},
	{rule: "stream.truncated", name: "after a cancel of ours", tell: func(s *scribe) []uint64 {
		x := s.stream("stream task x", "task submitted", "working")
		s.answers(s.ask("cancel"), "task canceled")
		s.ends(x, session.ClosedClean)
		s.settles("task canceled")
		return nil
	}},
	{rule: "stream.truncated", name: "the end may have been the event that could not be read", also: []session.Claim{session.WireFormat}, tell: func(s *scribe) []uint64 {
		s.ends(s.stream("stream task x", "task submitted", "body:{what"), session.ClosedClean)
		s.get("task completed")
		return nil
	}},
	{rule: "stream.closed", name: "after the end", says: "honoured", tell: func(s *scribe) []uint64 {
		x := s.stream("stream task x", "task submitted")
		end := s.brings(x, "completed")
		return is(end, s.ends(x, session.ClosedClean))
	}},
	{rule: "stream.closed", name: "broken off after the end", tell: func(s *scribe) []uint64 {
		s.ends(s.stream("stream task x", "task submitted", "completed"), session.ClosedCut)
		return nil
	}},
	{rule: "stream.closed", name: "too late", also: []session.Claim{session.StreamCloses}, tell: func(s *scribe) []uint64 {
		x := s.stream("stream task x", "task submitted", "completed")
		s.wait(6 * time.Second)
		s.ends(x, session.ClosedClean)
		return nil
	}},
}
