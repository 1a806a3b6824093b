package rule_test

import (
	"time"

	"a2ascope/session"
	"a2ascope/session/a2a"
)

func undeclared(k *card)  { k.streaming = "false" }
func withHistory(k *card) { k.history = "true" }
func slowCard(k *card)    { k.more = `,"defaultTimeout":3` }
func second(p *session.Policy) {
	p.ProbeWindow, p.ProbeWindowGiven = session.Duration(time.Second), true
}

// asks begins a task that waits for input, by plain sends.
func (s *scribe) asks() {
	s.t.Helper()
	s.answers(s.ask("send ask"), "task input-required says=Who?")
}

// resumes sends an answer, after the get that goes before it, and returns its
// exchange.
func (s *scribe) resumes(line string) int {
	s.t.Helper()
	x := s.ask(line)
	if s.state.Exchanges[x-1].Op == a2a.OpGet {
		s.answers(x, "task input-required says=Who?")
		x = s.next()
	}
	return x
}

var streamTales = []tale{
	{rule: "stream.plain-answer", name: "a task in a plain body", says: "major", tell: func(s *scribe) []uint64 {
		x := s.ask("stream task x")
		return is(s.request(x), s.answers(x, "task completed r=hello"))
	}},
	{rule: "stream.plain-answer", name: "a message in a plain body", says: "major", tell: func(s *scribe) []uint64 {
		x := s.ask("stream task x")
		return is(s.request(x), s.answers(x, "message hello"))
	}},
	{rule: "stream.plain-answer", name: "unsupported operation", says: "major", tell: func(s *scribe) []uint64 {
		x := s.ask("stream task x")
		return is(s.request(x), s.answers(x, "error -32004 This operation is not supported"))
	}},
	{rule: "stream.plain-answer", name: "unsupported operation as the first event", says: "major", tell: func(s *scribe) []uint64 {
		x := s.ask("stream task x")
		s.opens(x)
		return is(s.request(x), s.brings(x, "error -32004 This operation is not supported"))
	}},
	{rule: "stream.plain-answer", name: "another error says nothing of streaming", says: "inconclusive", tell: func(s *scribe) []uint64 {
		x := s.ask("stream task x")
		return is(s.request(x), s.answers(x, "error -32603 out of memory"))
	}},
	{rule: "stream.plain-answer", name: "credentials are refused", says: "inconclusive", tell: func(s *scribe) []uint64 {
		x := s.ask("stream task x")
		return is(s.request(x), s.answers(x, "error -32000 who are you? http=401"))
	}},
	{rule: "stream.plain-answer", name: "not declared and refused", says: "honoured", card: undeclared, tell: func(s *scribe) []uint64 {
		x := s.ask("stream task x")
		return is(s.request(x), s.answers(x, "error -32004 This operation is not supported"))
	}},
	{rule: "stream.plain-answer", name: "not declared and answered plainly", card: undeclared, tell: func(s *scribe) []uint64 {
		s.answers(s.ask("stream task x"), "task completed r=hello")
		return nil
	}},
	{rule: "stream.plain-answer", name: "a message to a task under way is refused for the task's sake", tell: func(s *scribe) []uint64 {
		s.asks()
		s.answers(s.resumes("resume Ada --stream"), "error -32004 This operation is not supported")
		return nil
	}},

	{rule: "stream.silent", name: "headers and no event", says: "major", tell: func(s *scribe) []uint64 {
		x := s.stream("stream task x")
		s.wait(16 * time.Second)
		return is(s.state.Exchanges[x-1].Answer, s.timer(session.DueWindow))
	}},
	{rule: "stream.silent", name: "heartbeats are no events", says: "major", tell: func(s *scribe) []uint64 {
		x := s.stream("stream task x")
		for range 5 {
			s.wait(4 * time.Second)
			s.comment(x)
		}
		return is(s.state.Exchanges[x-1].Answer, s.timer(session.DueWindow))
	}},
	{rule: "stream.silent", name: "twice the card's timeout", says: "major", card: slowCard, tell: func(s *scribe) []uint64 {
		s.stream("stream task x")
		s.wait(6100 * time.Millisecond)
		return nil
	}},
	{rule: "stream.silent", name: "within twice the card's timeout", card: slowCard, tell: func(s *scribe) []uint64 {
		x := s.stream("stream task x")
		s.wait(5800 * time.Millisecond)
		s.brings(x, "working")
		s.wait(time.Minute)
		return nil
	}},
	{rule: "stream.silent", name: "a window that was typed wins", says: "major", card: slowCard, policy: second, tell: func(s *scribe) []uint64 {
		s.stream("stream task x")
		s.wait(1100 * time.Millisecond)
		return nil
	}},
	{rule: "stream.silent", name: "our own standstill arms the window anew", tell: func(s *scribe) []uint64 {
		x := s.stream("stream task x")
		s.wait(10 * time.Second)
		s.stall()
		s.wait(10 * time.Second)
		s.brings(x, "working")
		return nil
	}},
	{rule: "stream.silent", name: "after our own standstill the window still ends", says: "major", tell: func(s *scribe) []uint64 {
		s.stream("stream task x")
		s.wait(10 * time.Second)
		s.stall()
		s.wait(15 * time.Second)
		return nil
	}},
	{rule: "stream.silent", name: "not declared", card: undeclared, tell: func(s *scribe) []uint64 {
		s.stream("stream task x")
		s.wait(16 * time.Second)
		return nil
	}},
	{rule: "stream.silent", name: "a subscription may have nothing to say", tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send slow 9 --immediate"), "task working")
		s.stream("resubscribe")
		s.wait(20 * time.Second)
		return nil
	}},
	{rule: "stream.silent", name: "after a cancel of ours", tell: func(s *scribe) []uint64 {
		s.asks()
		x := s.resumes("resume Ada --stream")
		s.opens(x)
		s.answers(s.ask("cancel"), "task canceled")
		s.wait(20 * time.Second)
		return nil
	}},
	{rule: "stream.silent", name: "events that cannot be read are wire-format's", says: "inconclusive", also: []session.Claim{session.WireFormat}, tell: func(s *scribe) []uint64 {
		x := s.ask("stream task x")
		s.opens(x)
		s.brings(x, "body:{what")
		s.wait(16 * time.Second)
		return nil
	}},

	{rule: "stream.behind", name: "two reads show the end", says: "major", tell: func(s *scribe) []uint64 {
		s.stream("stream task x", "task submitted", "working")
		s.wait(16 * time.Second)
		return is(s.get("task completed r=hello"), s.get("task completed r=hello"))
	}},
	{rule: "stream.behind", name: "two reads show an artifact", says: "major", tell: func(s *scribe) []uint64 {
		s.stream("stream task x", "task submitted", "working")
		s.wait(16 * time.Second)
		return is(s.get("task working r=hello"), s.get("task working r=hello"))
	}},
	{rule: "stream.behind", name: "one read may have overtaken the event", tell: func(s *scribe) []uint64 {
		x := s.stream("stream task x", "task submitted", "working")
		s.wait(16 * time.Second)
		s.get("task completed r=hello")
		s.brings(x, "artifact r=hello", "completed")
		s.ends(x, session.ClosedClean)
		s.settles("task completed r=hello")
		return nil
	}},
	{rule: "stream.behind", name: "reads within the window", tell: func(s *scribe) []uint64 {
		x := s.stream("stream task x", "task submitted", "working")
		s.wait(5 * time.Second)
		s.get("task completed r=hello")
		s.get("task completed r=hello")
		s.brings(x, "artifact r=hello", "completed")
		s.ends(x, session.ClosedClean)
		return nil
	}},
	{rule: "stream.behind", name: "reads say what the stream said", tell: func(s *scribe) []uint64 {
		s.stream("stream task x", "task submitted", "working")
		s.wait(16 * time.Second)
		s.get("task working")
		s.get("task working")
		return nil
	}},
	{rule: "stream.behind", name: "artifacts of an earlier turn need not come again", tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send ask"), "task input-required old=1")
		x := s.ask("resume Ada --stream")
		s.answers(x, "task input-required old=1")
		x = s.next()
		s.opens(x)
		s.brings(x, "working")
		s.wait(16 * time.Second)
		s.get("task working old=1")
		s.get("task working old=1")
		return nil
	}},
	{rule: "stream.behind", name: "after a cancel of ours", tell: func(s *scribe) []uint64 {
		s.stream("stream task x", "task submitted", "working")
		s.answers(s.ask("cancel"), "task canceled")
		s.wait(16 * time.Second)
		s.get("task canceled")
		s.get("task canceled")
		return nil
	}},

	{rule: "stream.buffered", name: "dated far apart, come at once", says: "major", tell: func(s *scribe) []uint64 {
		x := s.stream("stream task x")
		s.wait(5 * time.Second)
		s.step = 10 * time.Millisecond
		return is(s.brings(x, "task submitted @1s"), s.brings(x, "working @3s"), s.brings(x, "completed @5s"))
	}},
	{rule: "stream.buffered", name: "a read had shown the end a second before", says: "major", tell: func(s *scribe) []uint64 {
		x := s.stream("stream task x", "task submitted")
		s.get("task completed r=hello")
		s.wait(2 * time.Second)
		s.step = 10 * time.Millisecond
		return is(s.brings(x, "working"), s.brings(x, "artifact r=hello"), s.brings(x, "completed"))
	}},
	{rule: "stream.buffered", name: "a read had shown the end just before", tell: func(s *scribe) []uint64 {
		x := s.stream("stream task x", "task submitted")
		s.get("task completed r=hello")
		s.step = 10 * time.Millisecond
		s.brings(x, "working", "artifact r=hello", "completed")
		s.ends(x, session.ClosedClean)
		return nil
	}},
	{rule: "stream.buffered", name: "a fast task", tell: func(s *scribe) []uint64 {
		x := s.stream("stream task x")
		s.step = 10 * time.Millisecond
		s.brings(x, "task submitted @200ms", "working @220ms", "completed @240ms")
		s.ends(x, session.ClosedClean)
		return nil
	}},
	{rule: "stream.buffered", name: "held by our own reader", tell: func(s *scribe) []uint64 {
		x := s.stream("stream task x")
		s.wait(5 * time.Second)
		s.step = 10 * time.Millisecond
		s.brings(x, "task submitted @1s held", "working @3s held", "completed @5s held")
		s.ends(x, session.ClosedClean)
		return nil
	}},
	{rule: "stream.buffered", name: "after our own standstill", tell: func(s *scribe) []uint64 {
		x := s.stream("stream task x", "task submitted @300ms")
		s.wait(5 * time.Second)
		s.stall()
		s.step = 10 * time.Millisecond
		s.brings(x, "working @1s", "working @3s says=more", "completed @5s")
		s.ends(x, session.ClosedClean)
		return nil
	}},
	{rule: "stream.buffered", name: "a subscription that replays", tell: func(s *scribe) []uint64 {
		x := s.stream("stream task x", "task submitted @300ms", "working @400ms")
		s.ends(x, session.ClosedCut)
		s.wait(5 * time.Second)
		x = s.stream("resubscribe")
		s.step = 10 * time.Millisecond
		s.brings(x, "task submitted @300ms", "working @400ms", "working @3s says=more", "completed @5s")
		s.ends(x, session.ClosedClean)
		return nil
	}},
	{rule: "stream.buffered", name: "after a cancel of ours", tell: func(s *scribe) []uint64 {
		x := s.stream("stream task x", "task submitted @300ms")
		s.answers(s.ask("cancel"), "task canceled")
		s.step = 10 * time.Millisecond
		s.brings(x, "working @400ms", "working @1s says=more", "canceled @3s")
		s.ends(x, session.ClosedClean)
		return nil
	}},

	{rule: "stream.works", name: "events as they happen", says: "honoured", tell: func(s *scribe) []uint64 {
		x := s.stream("stream task x", "task submitted")
		return is(s.request(x), s.brings(x, "working"))
	}},
	{rule: "stream.works", name: "a message stream", says: "honoured", tell: func(s *scribe) []uint64 {
		x := s.stream("stream echo x")
		seq := s.brings(x, "message x")
		s.ends(x, session.ClosedClean)
		return is(s.request(x), seq)
	}},
	{rule: "stream.works", name: "a task that was over at once", says: "honoured", tell: func(s *scribe) []uint64 {
		x := s.stream("stream task x")
		seq := s.brings(x, "task completed r=hello")
		s.ends(x, session.ClosedClean)
		return is(s.request(x), seq)
	}},
	{rule: "stream.works", name: "not declared", says: "under-declared", card: undeclared, tell: func(s *scribe) []uint64 {
		x := s.stream("stream task x", "task submitted")
		return is(s.request(x), s.brings(x, "working"))
	}},
	{rule: "stream.works", name: "no headers", says: "inconclusive", tell: func(s *scribe) []uint64 {
		return is(s.fails(s.ask("stream task x")))
	}},
	{rule: "stream.works", name: "a cut body without an event", says: "inconclusive", tell: func(s *scribe) []uint64 {
		return is(s.ends(s.stream("stream task x"), session.ClosedCut))
	}},
	{rule: "stream.works", name: "a clean end without an event", says: "inconclusive", tell: func(s *scribe) []uint64 {
		return is(s.ends(s.stream("stream task x"), session.ClosedClean))
	}},
	{rule: "stream.works", name: "we dropped it", tell: func(s *scribe) []uint64 {
		s.ends(s.stream("stream task x"), session.ClosedDetached)
		return nil
	}},
	{rule: "stream.works", name: "what was held back honours nothing", also: []session.Claim{session.Streaming}, tell: func(s *scribe) []uint64 {
		x := s.stream("stream task x")
		s.wait(5 * time.Second)
		s.step = 10 * time.Millisecond
		s.brings(x, "task submitted @1s", "working @3s", "working @5s says=more")
		s.ends(x, session.ClosedClean)
		return nil
	}},
}

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
