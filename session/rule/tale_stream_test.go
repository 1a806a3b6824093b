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
	{rule: "stream.plain-answer", name: "our credentials are refused", says: "inconclusive", tell: func(s *scribe) []uint64 {
		s.do("auth bearer $TOKEN")
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
	{rule: "stream.silent", name: "heartbeats are signs of life, and no events", says: "inconclusive", tell: func(s *scribe) []uint64 {
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
	{rule: "stream.buffered", name: "dates in whole seconds, the next second begins", tell: func(s *scribe) []uint64 {
		x := s.stream("stream task x")
		s.step = 10 * time.Millisecond
		s.brings(x, "task submitted @1s", "working @1s", "completed @2s")
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
	{rule: "stream.works", name: "apart only because we read late", tell: func(s *scribe) []uint64 {
		s.stream("stream task x", "task submitted", "working held")
		return nil
	}},
	{rule: "stream.works", name: "apart only because we stood still", tell: func(s *scribe) []uint64 {
		x := s.stream("stream task x", "task submitted")
		s.stall()
		s.wait(time.Second)
		s.brings(x, "working")
		return nil
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
