package rule

import (
	"fmt"

	"a2ascope/session"
	"a2ascope/session/a2a"
)

// A task that a cancel answer called canceled is judged by these alone, and so
// is anything that leaves canceled (DESIGN.md §5, one cause, one claim).
var cancelRules = []Rule{
	{
		ID: "cancel.frames-after", Claim: session.CancelFinal, Severity: session.Critical, Peer: "leaky-cancel",
		Title:    "the task was canceled, and its stream goes on",
		Source:   "A2A 1.0 §4.1.3 (canceled is terminal) and §3.1.5; field note 000: canceled is terminal and must suppress further artifact updates",
		Advice:   "Do not take canceled for the end: read the task until it says canceled twice with the same artifacts, and drop its stream. Its work may go on at your cost.",
		Disproof: "Nothing but the canceled status on the stream, later than the race margin after the answer.",
		On:       []session.Kind{session.KindFrame},
		Judge: func(s *session.State, c *session.Change) []Saw {
			st := stream(c)
			switch {
			case c.AfterTerminal && st.Terminal.State == a2a.Canceled:
				return saw(session.Contradicted, what(c)+" after the stream's own canceled", canceledSeq(c), st.Terminal.Seq, c.Record.Seq)
			case c.AfterCancel:
				return saw(session.Contradicted, what(c)+" more than "+s.Opened.Policy.RaceMargin.D().String()+" after the cancel was answered canceled", canceledSeq(c), c.Record.Seq)
			}
			return nil
		},
		Count: func(x *session.Exchange) (int, []uint64) {
			st := x.Stream
			if st.Terminal != nil && st.Terminal.State == a2a.Canceled {
				return st.AfterTerminal + st.AfterCancel, append(append([]uint64(nil), st.CancelEvidence...), st.AfterEvidence...)
			}
			return st.AfterCancel, st.CancelEvidence
		},
	},
	{
		ID: "cancel.not-final", Claim: session.CancelFinal, Severity: session.Critical, Peer: "leaky-cancel",
		Title:    "the task was canceled, and get says otherwise",
		Source:   "field note 000; A2A 1.0 §3.1.5; field cases 106 and 110",
		Advice:   "Read a canceled task until two reads agree; treat it as orphaned when they say anything else.",
		Disproof: "Reads that were sent after the cancel's answer and say canceled.",
		On:       []session.Kind{session.KindResponse},
		Judge:    cancelNotFinal,
	},
	{
		ID: "cancel.left", Claim: session.CancelFinal, Severity: session.Critical, Peer: "half-cancel",
		Title:    "a canceled task left canceled",
		Source:   "A2A 1.0 §4.1.3: canceled is terminal; field case 110",
		Advice:   "Keep every state of a task with its source and time; a terminal state of this peer is not one.",
		Disproof: "The same read saying canceled again.",
		On:       []session.Kind{session.KindResponse},
		Judge: func(s *session.State, c *session.Change) []Saw {
			r, prev := c.Read, c.PrevRead
			if r == nil || prev == nil || !r.Found || !prev.Found || prev.State != a2a.Canceled || r.State == a2a.Canceled || r.State == a2a.Unspecified || saidCanceled(c) {
				return nil
			}
			return saw(session.Contradicted, fmt.Sprintf("one read said canceled, the next %s", r.State), prev.Answer, r.Answer)
		},
	},
	{
		ID: "cancel.artifacts-change", Claim: session.CancelFinal, Severity: session.Critical, Peer: "growing-cancel",
		Title:    "the artifacts of a canceled task change",
		Source:   "A2A 1.0 §4.1.3 (canceled is terminal); field note 000: no artifact deltas across two consecutive polls",
		Advice:   "Treat the task as orphaned: it is still working.",
		Disproof: "The same artifact digest in both reads.",
		On:       []session.Kind{session.KindResponse},
		Judge: func(s *session.State, c *session.Change) []Saw {
			r, prev := c.Read, c.PrevRead
			if r == nil || prev == nil || !saidCanceled(c) || r.State != a2a.Canceled || prev.State != a2a.Canceled ||
				prev.Request < c.Attempt.Cancel.Answer || r.Digest == prev.Digest || shownElsewhere(c.Attempt, r, prev) {
				return nil
			}
			return saw(session.Contradicted, "two reads say canceled and show different artifacts", prev.Answer, r.Answer)
		},
	},
	{
		ID: "cancel.held", Claim: session.CancelFinal, Peer: "honest",
		Title:  "a canceled task stays canceled and sends nothing more",
		Source: "A2A 1.0 §4.1.3; field note 000",
		On:     []session.Kind{session.KindResponse, session.KindClosed, session.KindTimer},
		Judge: func(s *session.State, c *session.Change) []Saw {
			if !c.Settled || !saidCanceled(c) || c.Attempt.Orphaned || c.Attempt.State != a2a.Canceled {
				return nil
			}
			return saw(session.Honoured, fmt.Sprintf("%d reads agree, and no stream went on", c.Attempt.Stable), c.Attempt.Cancel.Answer, c.Record.Seq)
		},
	},
	{
		ID: "cancel.not-honoured", Claim: session.CancelFinal, Severity: session.Info, Peer: "no-cancel",
		Title:    "a cancel was not taken",
		Source:   "A2A 1.0 §3.1.5: a cancel is never promised; field cases 107 to 109",
		Advice:   "Plan for a task that cannot be canceled: bound it by your own deadline.",
		Disproof: "An answer that says canceled, or a task that was over when it was refused.",
		On:       []session.Kind{session.KindResponse, session.KindFrame},
		Judge:    cancelNotTaken,
	},
}

// cancelNotTaken speaks of a task at work that could not be canceled only when
// it is seen at work afterwards: it may have ended while the cancel was under
// way, and then the refusal is right.
func cancelNotTaken(s *session.State, c *session.Change) []Saw {
	if c.CancelOutlived {
		f := c.Attempt.Refused
		x := s.Exchanges[f.Exchange-1]
		return saw(session.Contradicted, fmt.Sprintf("in %s the cancel was refused with %s, and the task goes on", orNone(x.Asked), a2a.ErrTaskNotCancelable), x.Request, f.Answer, c.Record.Seq)
	}
	x, p := c.Exchange, c.Payload
	if x == nil || p == nil || x.Op != a2a.OpCancel || c.Climbed || x.Asked.Terminal() { // what is over cannot be canceled
		return nil
	}
	refused := c.Attempt != nil && c.Attempt.Refused != nil && c.Attempt.Refused.Answer == c.Record.Seq
	switch {
	case p.Error != nil && !refused:
		return saw(session.Contradicted, fmt.Sprintf("in %s the cancel was refused with %s (%d)", orNone(x.Asked), p.Error.Name, p.Error.Code), x.Request, c.Record.Seq)
	case p.Task != nil && p.Task.Status.State != a2a.Canceled && p.Task.Status.State.Terminal(): // field case 109
		return saw(session.Contradicted, fmt.Sprintf("it was over before the cancel took effect: the answer says %s", p.Task.Status.State), x.Request, c.Record.Seq)
	case p.Task != nil && p.Task.Status.State != a2a.Canceled:
		return saw(session.Contradicted, fmt.Sprintf("the answer to the cancel says %s", p.Task.Status.State), x.Request, c.Record.Seq)
	}
	return nil
}

// saidCanceled reports whether the answer to a cancel of ours said canceled.
func saidCanceled(c *session.Change) bool {
	return c.Attempt != nil && c.Attempt.Cancel != nil && c.Attempt.Cancel.Said == a2a.Canceled
}

func canceledSeq(c *session.Change) uint64 {
	if saidCanceled(c) {
		return c.Attempt.Cancel.Answer
	}
	return c.Exchange.Stream.Terminal.Seq
}

// what names the event of a change for people.
func what(c *session.Change) string {
	switch p := c.Payload; {
	case p.Artifact != nil:
		return fmt.Sprintf("artifact %q", p.Artifact.Artifact.ID)
	case p.Status != nil:
		return "status " + string(p.Status.Status.State)
	case p.Task != nil:
		return "a task snapshot that says " + string(p.Task.Status.State)
	}
	return "an event"
}

func cancelNotFinal(s *session.State, c *session.Change) []Saw {
	r := c.Read
	if r == nil || !r.Found || !saidCanceled(c) || r.Request < c.Attempt.Cancel.Answer || r.State == a2a.Canceled || r.State == a2a.Unspecified {
		return nil
	}
	answer := c.Attempt.Cancel.Answer
	if asked := s.Exchanges[c.Attempt.Cancel.Exchange-1].Asked; asked.Terminal() && asked != a2a.Canceled {
		return nil // terminal.rewritten has it
	}
	if r.State == a2a.Completed || r.State == a2a.Failed {
		return saw(session.Contradicted, fmt.Sprintf("the cancel was answered canceled, a later get says %s", r.State), answer, r.Answer)
	}
	if prev := c.PrevRead; prev != nil && prev.Found && prev.Request > answer && prev.State != a2a.Canceled && prev.State != a2a.Unspecified {
		return saw(session.Contradicted, fmt.Sprintf("the cancel was answered canceled, two later reads say %s and %s", prev.State, r.State), answer, prev.Answer, r.Answer)
	}
	return nil
}
