package rule

import (
	"fmt"
	"slices"
	"time"

	"a2ascope/session"
	"a2ascope/session/a2a"
)

var streamRules = []Rule{
	{
		ID: "stream.plain-answer", Claim: session.Streaming, Severity: session.Major, Peer: "no-stream",
		Title:    "streaming is declared, and a streaming call is not answered with a stream",
		Source:   "A2A 1.0 §3.1.2, §9.4.2; field note 000",
		Advice:   "Send without streaming and poll; do not rely on the card's streaming flag for this peer.",
		Disproof: "An answer to a streaming call as text/event-stream.",
		On:       []session.Kind{session.KindResponse, session.KindFrame},
		Judge:    plainAnswer,
	},
	{
		ID: "stream.silent", Claim: session.Streaming, Severity: session.Major, Peer: "silent-stream",
		Title:    "streaming is declared, and the stream stays silent",
		Source:   "A2A 1.0 §3.1.2 (events as they happen); field note 000: no event within a bounded window",
		Advice:   "Bound the wait for the first event and fall back to polling.",
		Disproof: "A first event within the window.",
		On:       []session.Kind{session.KindTimer},
		Judge: func(s *session.State, c *session.Change) []Saw {
			x := c.Exchange
			if c.Timer == nil || c.Timer.Kind != session.DueWindow || x == nil || x.Stream == nil || !x.Stream.Silent || !declared(s) || canceled(c) || x.Op != a2a.OpStream {
				return nil
			}
			if x.Stream.Unread > 0 { // wire-format's: one cause, one claim
				return saw(session.Inconclusive, fmt.Sprintf("%d events came, and none could be read", x.Stream.Unread), x.Answer, c.Record.Seq)
			}
			if x.Stream.Frames > 0 { // comments: somebody is there, and works
				return saw(session.Inconclusive, fmt.Sprintf("%s after its headers the stream had brought signs of life and no event", c.Timer.Full), x.Answer, c.Record.Seq)
			}
			return saw(session.Contradicted, fmt.Sprintf("%s after its headers the stream had not brought one event", c.Timer.Full), x.Answer, c.Record.Seq)
		},
	},
	{
		ID: "stream.behind", Claim: session.Streaming, Severity: session.Major, Peer: "stalled-stream",
		Title:    "the stream is silent while the task moves on",
		Source:   "field note 000; A2A 1.0 §3.1.2",
		Advice:   "Poll beside a silent stream; the stream alone does not tell how the task is.",
		Disproof: "The stream bringing what the reads showed.",
		On:       []session.Kind{session.KindResponse},
		Judge:    streamBehind,
	},
	{
		ID: "stream.buffered", Claim: session.Streaming, Severity: session.Major, Peer: "buffered-stream",
		Title:    "events are held back and come all at once",
		Source:   "A2A 1.0 §3.1.2 (events as they happen); field case 78 (stream-buffered)",
		Advice:   "Look for a buffering proxy before the peer; use polling until the events come as they happen.",
		Disproof: "Events that arrive as far apart as their own timestamps.",
		On:       []session.Kind{session.KindFrame},
		Judge: func(s *session.State, c *session.Change) []Saw {
			x := c.Exchange
			if x == nil || x.Stream == nil || !x.Stream.Buffered || !declared(s) || canceled(c) {
				return nil
			}
			how := "dated " + x.Stream.BurstMax.Sub(x.Stream.BurstMin).String() + " apart by the peer"
			if x.Stream.Shown {
				how = "a second or more after get had shown the end"
			}
			return saw(session.Contradicted, fmt.Sprintf("%d events within 50ms, %s", x.Stream.Burst, how), x.Stream.BurstEvidence...)
		},
	},
	{
		ID: "stream.works", Claim: session.Streaming, Peer: "honest",
		Title:  "a streaming call brings events as they happen",
		Source: "A2A 1.0 §3.1.2",
		On:     []session.Kind{session.KindFrame, session.KindClosed, session.KindFault},
		Judge:  streamWorks,
	},
	{
		ID: "stream.artifact-hidden", Claim: session.ArtifactsStreamed, Severity: session.Major, Peer: "hidden-artifact",
		Title:    "the stream ended with the task and brought no artifact, although there is one",
		Source:   "field note 001; A2A 1.0 §3.1.2",
		Advice:   "Read the task with get after every stream; do not take the stream for the whole result.",
		Disproof: "An artifact event, or a task snapshot with the artifact, on the stream.",
		On:       []session.Kind{session.KindResponse},
		Judge:    artifactHidden,
	},
	{
		ID: "stream.artifact-brought", Claim: session.ArtifactsStreamed, Peer: "honest",
		Title:  "artifacts come on the stream",
		Source: "A2A 1.0 §3.1.2",
		On:     []session.Kind{session.KindResponse, session.KindClosed, session.KindTimer},
		Judge: func(s *session.State, c *session.Change) []Saw {
			if x := endedStream(s, c); c.Settled && x != nil && x.Stream.Artifacts > 0 && len(c.Attempt.Told.Items) > 0 {
				return saw(session.Honoured, fmt.Sprintf("%d artifact events before the end", x.Stream.Artifacts), x.Answer)
			}
			return nil
		},
	},
	{
		ID: "stream.lingers", Claim: session.StreamCloses, Severity: session.Major, Peer: "lingering-stream",
		Title:    "the stream stays open after the task's end",
		Source:   "A2A 1.0 §3.1.2: the stream MUST close at a terminal state; 0.3 §7.2: final ends the stream",
		Advice:   "Close the stream yourself once a terminal state was seen.",
		Disproof: "The stream closing within the window.",
		On:       []session.Kind{session.KindTimer},
		Judge: func(s *session.State, c *session.Change) []Saw {
			x := c.Exchange
			if c.Timer == nil || c.Timer.Kind != session.DueClose || x == nil || x.Stream == nil || !x.Stream.CloseDue || x.Stream.AfterTerminal > 0 || fellSilent(s, x) {
				return nil // what goes on behind the end is judged by terminal-final or cancel-final
			}
			ended := x.Stream.Final
			if x.Stream.Terminal != nil {
				ended = x.Stream.Terminal.Seq
			}
			return saw(session.Contradicted, fmt.Sprintf("still open %s after the last state", c.Timer.Full), ended, c.Record.Seq)
		},
	},
	{
		ID: "stream.truncated", Claim: session.StreamCloses, Severity: session.Major, Peer: "cut-stream",
		Title:    "the stream ended in mid-work, as if the task were over",
		Source:   "field case 81 (stream-truncated); A2A 1.0 §3.1.2",
		Advice:   "Never take the end of a stream for the end of the task: read it, and subscribe again.",
		Disproof: "A terminal or interrupted state on the stream before it closed.",
		On:       []session.Kind{session.KindResponse},
		Judge:    streamTruncated,
	},
	{
		ID: "stream.closed", Claim: session.StreamCloses, Peer: "honest",
		Title:  "the stream closes at the task's end",
		Source: "A2A 1.0 §3.1.2",
		On:     []session.Kind{session.KindClosed},
		Judge: func(s *session.State, c *session.Change) []Saw {
			if st := stream(c); st != nil && c.ClosedNow && st.How == session.ClosedClean && st.Terminal != nil && !st.CloseDue {
				return saw(session.Honoured, "closed after "+string(st.Terminal.State), st.Terminal.Seq, c.Record.Seq)
			}
			return nil
		},
	},
}

func declared(s *session.State) bool { return s.Declares(session.Streaming) == a2a.DeclaredTrue }

// canceled reports whether a cancel of ours was answered: what streams do
// after it is judged by cancel-final and stream-closes.
func canceled(c *session.Change) bool { return c.Attempt != nil && c.Attempt.Cancel != nil }

// fellSilent reports whether a stream is accused of its silence: nothing else
// is held against it then (DESIGN.md §5, one cause, one claim).
func fellSilent(s *session.State, x *session.Exchange) bool {
	st := x.Stream
	return declared(s) && !st.Buffered && (st.Beside >= 2 && st.Events > 0 || slices.Contains(x.Against, session.Streaming))
}

func stream(c *session.Change) *session.Stream {
	if c.Exchange == nil {
		return nil
	}
	return c.Exchange.Stream
}

// plainAnswer judges the first answer to a streaming call that began a task. A
// message to a task under way may be refused for the task's sake.
func plainAnswer(s *session.State, c *session.Change) []Saw {
	x, p := c.Exchange, c.Payload
	if x == nil || p == nil || x.Op != a2a.OpStream || x.ServerTask != "" || c.Climbed {
		return nil
	}
	first := x.Stream == nil || c.FirstEvent
	switch {
	case !first:
		return nil
	case p.Error == nil && x.Stream != nil:
		return nil
	case p.Error == nil && (p.Task != nil || p.Message != nil) && declared(s):
		return saw(session.Contradicted, "the answer is one "+string(p.Kind)+" in a plain body", x.Request, c.Record.Seq)
	case p.Error == nil:
		return nil
	case p.Error.Name == a2a.ErrUnsupportedOperation && declared(s):
		return saw(session.Contradicted, fmt.Sprintf("refused with %s (%d)", p.Error.Name, p.Error.Code), x.Request, c.Record.Seq)
	case declared(s):
		return saw(session.Inconclusive, fmt.Sprintf("the streaming call was refused with %s (%d)", p.Error.Name, p.Error.Code), x.Request, c.Record.Seq)
	case p.Error.Name == a2a.ErrUnsupportedOperation || p.Error.Name == a2a.ErrMethodNotFound:
		return saw(session.Honoured, "not declared, and refused", x.Request, c.Record.Seq)
	}
	return nil
}

func streamBehind(s *session.State, c *session.Change) []Saw {
	if c.Read == nil || c.Task == nil || !declared(s) || canceled(c) {
		return nil
	}
	for _, x := range s.OpenStreams(c.Task.N) {
		if x.Op == a2a.OpStream && x.Stream.Beside >= 2 && x.Stream.Events > 0 {
			return saw(session.Contradicted, "two reads beside the open stream showed what it had not brought", x.Stream.BesideEvidence...)
		}
	}
	return nil
}

// streamWorks sees streaming honoured once events came apart, or the stream
// ended having brought some that were not held back.
func streamWorks(s *session.State, c *session.Change) []Saw {
	x, st := c.Exchange, stream(c)
	if x == nil || x.Op != a2a.OpStream {
		return nil
	}
	if c.Record.Kind == session.KindFault && unsent(c) {
		return nil
	}
	if c.Record.Kind == session.KindFault || c.ClosedNow && st.Events == 0 && st.How != session.ClosedDetached && st.How != session.ClosedStopped && st.How != session.ClosedFull {
		if declared(s) && c.Err == nil {
			return saw(session.Inconclusive, "the stream brought no event and broke no rule", c.Record.Seq)
		}
		return nil
	}
	if st == nil || st.Buffered || st.Events == 0 || st.Errors == st.Events || x.Error != nil && st.Statuses+st.Artifacts == 0 && !st.Message {
		return nil
	}
	apart := st.Events >= 2 && !st.LastHeld && !st.Catching && st.LastAt-st.FirstAt > 50*time.Millisecond // by the peer's pace, not by ours
	ended := c.ClosedNow || st.Terminal != nil || st.Message || st.Last.Interrupted()
	if !apart && !ended {
		return nil
	}
	detail := fmt.Sprintf("%d events on a stream", st.Events)
	if !declared(s) {
		return saw(session.UnderDeclared, detail+", not declared", x.Request, c.Record.Seq)
	}
	return saw(session.Honoured, detail, x.Request, c.Record.Seq)
}

// unsent reports whether a fault says that nothing of the request left.
func unsent(c *session.Change) bool {
	var b session.Faulted
	return c.Record.Decode(&b) != nil || b.Unsent || b.Phase == session.PhasePrepare
}

// endedStream returns the task's last stream of ours that itself brought the
// terminal state, or nil. It is none where the task was read last by another
// way: two of them are compared by bindings-agree alone.
func endedStream(s *session.State, c *session.Change) *session.Exchange {
	if c.Task == nil || c.Attempt == nil {
		return nil
	}
	for _, n := range slices.Backward(c.Task.Talk) {
		x := s.Exchanges[n-1]
		if x.Attempt == c.Attempt.N && x.Op == a2a.OpStream && x.Stream != nil {
			if x.Stream.Terminal == nil || x.Stream.How == session.ClosedCut || !readAlike(s, c, x) {
				return nil
			}
			return x
		}
	}
	return nil
}

// readAlike reports whether the attempt's last read, if there is one, went the
// way of an exchange.
func readAlike(s *session.State, c *session.Change, x *session.Exchange) bool {
	n := len(c.Attempt.Reads)
	return n == 0 || session.SameDoor(s.Exchanges[c.Attempt.Reads[n-1].Exchange-1], x)
}

func artifactHidden(s *session.State, c *session.Change) []Saw {
	r := c.Read
	if r == nil || !r.Found || r.Artifacts == 0 || !r.State.Terminal() {
		return nil
	}
	x := endedStream(s, c)
	if x == nil || canceled(c) || x.Turn == nil || x.Stream.Artifacts > 0 || fellSilent(s, x) || r.Request < x.Stream.Terminal.Seq {
		return nil
	}
	if how := x.Stream.How; !x.Turn.Whole || x.Stream.Unread > 0 || how != "" && how != session.ClosedClean {
		return nil // it may be of an earlier turn, or in what was not read
	}
	for _, a := range c.Attempt.Told.Artifacts() {
		if x.Turn.Known[a.ID] != a.Digest {
			return saw(session.Contradicted, fmt.Sprintf("get has artifact %q, the stream brought none", a.ID), x.Stream.Terminal.Seq, c.Record.Seq)
		}
	}
	return nil
}

func streamTruncated(s *session.State, c *session.Change) []Saw {
	r := c.Read
	if r == nil || !r.Found || canceled(c) || r.State.Interrupted() {
		return nil
	}
	for _, n := range slices.Backward(c.Task.Talk) {
		x := s.Exchanges[n-1]
		if x.Attempt != c.Attempt.N || x.Stream == nil {
			continue
		}
		st := x.Stream
		if !x.Over || fellSilent(s, x) || st.How != session.ClosedClean || st.Events == 0 || st.Terminal != nil || st.Final != 0 ||
			st.Errors > 0 || st.Unread > 0 || st.Last.Interrupted() || st.Message || r.Request < st.Closed {
			return nil
		}
		severity := session.Severity("")
		if x.Op == a2a.OpSubscribe {
			if st.Said.Terminal() || st.Said.Interrupted() || x.Asked.Terminal() || x.Asked.Interrupted() {
				return nil // it told what was known already
			}
			severity = session.Minor // how long a subscription lasts is promised by nobody
		}
		detail := fmt.Sprintf("it closed in order after %s; get then says %s", orNone(st.Said), r.State)
		return []Saw{{Verdict: session.Contradicted, Severity: severity, Detail: detail, Evidence: []uint64{st.Closed, c.Record.Seq}}}
	}
	return nil
}

func orNone(st a2a.State) string {
	if st == "" {
		return "no state at all"
	}
	return string(st)
}
