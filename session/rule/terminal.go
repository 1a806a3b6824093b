package rule

import (
	"fmt"

	"a2ascope/session"
	"a2ascope/session/a2a"
)

var terminalRules = []Rule{
	{
		ID: "terminal.events-after", Claim: session.TerminalFinal, Severity: session.Major, Peer: "undead-task",
		Title:    "the stream goes on after the task's end",
		Source:   "A2A 1.0 §3.1.2 and §4.1.3; field case 111 (event-after-terminal)",
		Advice:   "Stop reading at the terminal state, and read the task once more before using its result.",
		Disproof: "Nothing but repeats of the terminal state behind it.",
		On:       []session.Kind{session.KindFrame},
		Judge: func(s *session.State, c *session.Change) []Saw {
			st := stream(c)
			if !c.AfterTerminal || st.Terminal.State == a2a.Canceled || saidCanceled(c) {
				return nil
			}
			return saw(session.Contradicted, what(c)+" after "+string(st.Terminal.State), st.Terminal.Seq, c.Record.Seq)
		},
		Count: func(x *session.Exchange) (int, []uint64) {
			if st := x.Stream; st.Terminal != nil && st.Terminal.State != a2a.Canceled {
				return st.AfterTerminal, st.AfterEvidence
			}
			return 0, nil
		},
	},
	{
		ID: "terminal.left", Claim: session.TerminalFinal, Severity: session.Critical, Peer: "undead-task",
		Title:    "a terminal state changed",
		Source:   "A2A 1.0 §4.1.3: terminal states are final; field case 110 (terminal-rewritten)",
		Advice:   "Confirm an end by two equal reads before acting on it.",
		Disproof: "Two reads in a row that say the same terminal state.",
		On:       []session.Kind{session.KindResponse},
		Judge: func(s *session.State, c *session.Change) []Saw {
			r, prev := c.Read, c.PrevRead
			if r == nil || prev == nil || !r.Found || !prev.Found || saidCanceled(c) {
				return nil
			}
			if !prev.State.Terminal() || prev.State == a2a.Canceled || r.State == prev.State || r.State == a2a.Unspecified {
				return nil
			}
			return saw(session.Contradicted, fmt.Sprintf("one read said %s, the next %s", prev.State, r.State), prev.Answer, r.Answer)
		},
	},
	{
		ID: "terminal.rewritten", Claim: session.TerminalFinal, Severity: session.Critical, Peer: "rewrites-end",
		Title:    "a finished task was rewritten by a cancel",
		Source:   "A2A 1.0 §3.1.5: a cancel of a finished task is TaskNotCancelable; field case 108",
		Advice:   "Do not cancel a task that has ended; its result may be lost.",
		Disproof: "An error, or the state that the task had ended in, as the answer to the cancel.",
		On:       []session.Kind{session.KindResponse},
		Judge: func(s *session.State, c *session.Change) []Saw {
			x := c.Exchange
			if !c.CancelAnswered || !saidCanceled(c) {
				return nil
			}
			t := c.Attempt.Terminal
			if t == nil || t.State == a2a.Canceled || t.Seq > x.Request || !x.Asked.Terminal() {
				return nil
			}
			return saw(session.Contradicted, fmt.Sprintf("it was %s before the cancel, whose answer says canceled", t.State), t.Seq, c.Record.Seq)
		},
	},
	{
		ID: "terminal.stays", Claim: session.TerminalFinal, Peer: "honest",
		Title:  "the task's end stays its end",
		Source: "A2A 1.0 §4.1.3",
		On:     []session.Kind{session.KindResponse, session.KindClosed, session.KindTimer},
		Judge: func(s *session.State, c *session.Change) []Saw {
			a := c.Attempt
			if !c.Settled || a.Message || saidCanceled(c) || a.Stable < 2 || a.Terminal == nil || a.State != a.Terminal.State {
				return nil
			}
			return saw(session.Honoured, fmt.Sprintf("%d reads agree on %s", a.Stable, a.State), a.Terminal.Seq, c.Record.Seq)
		},
	},
	{
		ID: "completed.drifts", Claim: session.CompletedStable, Severity: session.Major, Peer: "drifting-artifacts",
		Title:    "the artifacts of a completed task change",
		Source:   "A2A 1.0 §4.1.3 (completed is terminal); field note 000: completed only when the artifact set is stable across two reads; field case 94",
		Advice:   "Read a completed task until two reads show the same artifacts.",
		Disproof: "The same artifact digest in both reads.",
		On:       []session.Kind{session.KindResponse},
		Judge:    completedDrifts,
	},
	{
		ID: "completed.purged", Claim: session.CompletedStable, Severity: session.Info,
		Title:    "the peer does not know the completed task any more",
		Source:   "A2A 1.0 §3.1.3: how long a task can be read is left to the peer",
		Advice:   "Take the artifacts when the task is completed; they may be gone later.",
		Disproof: "A get that shows the task.",
		On:       []session.Kind{session.KindResponse},
		Judge: func(s *session.State, c *session.Change) []Saw {
			r, a := c.Read, c.Attempt
			if r == nil || r.Found || a == nil || a.Terminal == nil || a.State != a2a.Completed {
				return nil
			}
			return saw(session.Contradicted, "TaskNotFound for a task that was completed", a.Terminal.Seq, r.Answer)
		},
	},
	{
		ID: "completed.stable", Claim: session.CompletedStable, Peer: "honest",
		Title:  "the artifacts of a completed task stay as they are",
		Source: "A2A 1.0 §4.1.3; field note 000",
		On:     []session.Kind{session.KindResponse, session.KindClosed, session.KindTimer},
		Judge: func(s *session.State, c *session.Change) []Saw {
			a := c.Attempt
			if !c.Settled || a.State != a2a.Completed || a.Stable < 2 || saidCanceled(c) {
				return nil
			}
			return saw(session.Honoured, fmt.Sprintf("%d reads show the same artifacts", a.Stable), c.Record.Seq)
		},
	},
}

// completedDrifts compares two reads that both said completed. What another
// view had shown before the first of them is lag, and no drift.
func completedDrifts(s *session.State, c *session.Change) []Saw {
	r, prev := c.Read, c.PrevRead
	if r == nil || prev == nil || !r.Found || !prev.Found || r.State != a2a.Completed || prev.State != a2a.Completed || r.Digest == prev.Digest {
		return nil
	}
	if shownElsewhere(c.Attempt, r, prev) {
		return nil
	}
	return saw(session.Contradicted, fmt.Sprintf("two reads of the completed task show different artifacts (%d, then %d)", prev.Artifacts, r.Artifacts), prev.Answer, r.Answer)
}

// shownElsewhere reports whether another view than get had shown what a read
// shows before the read that went before it: then that one was behind.
func shownElsewhere(a *session.Attempt, r, prev *session.Read) bool {
	switch {
	case r.Artifacts == 0: // what was shown does not go
		return false
	case a.Streamed.Digest() == r.Digest && a.Terminal != nil && a.Terminal.Seq < prev.Answer:
		return true
	case a.ToldElse == r.Digest && a.ToldElseSeq > 0 && a.ToldElseSeq < prev.Answer:
		return true
	}
	return a.Push != nil && a.Push.Digest == r.Digest && a.Push.LastSeq < prev.Answer
}
