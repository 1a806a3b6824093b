package rule

import (
	"fmt"
	"slices"
	"strings"

	"a2ascope/session"
	"a2ascope/session/a2a"
)

// Liveness is never contradicted: how long work may take is promised nowhere.
var livenessRules = []Rule{
	{
		ID: "liveness.silent", Claim: session.Liveness, Severity: session.Minor, Peer: "slow-silent",
		Title:    "the task works without a sign, and nothing says how often to look",
		Source:   "A2A 1.0 §3.1.3 leaves the cadence of polling open; field note 001: working for more than 30 s without a polling hint",
		Advice:   "Bound your own polling; take this for a fault of the life cycle, not of the transport.",
		Disproof: "A stream, a hint (Retry-After, poll_hint_seconds, pollIntervalMs), or anything that moves between reads.",
		On:       []session.Kind{session.KindTimer},
		Judge: func(s *session.State, c *session.Change) []Saw {
			d, a := c.Timer, c.Attempt
			if d == nil || d.Kind != session.DueSilent || a == nil || a.State != a2a.Working || a.PollHint > 0 || declared(s) || hintExtension(s) || len(s.OpenStreams(c.Task.N)) > 0 {
				return nil
			}
			return saw(session.Contradicted, fmt.Sprintf("working for %s without a change, a stream or a hint", d.Full), a.StateSeq, c.Record.Seq)
		},
	},
	{
		ID: "liveness.submitted", Claim: session.Liveness, Severity: session.Minor, Peer: "stuck-submitted",
		Title:    "the task is submitted and not begun",
		Source:   "A2A 1.0 §4.1.3 bounds no state; field note 002: bound the submitted state locally",
		Advice:   "Cancel the task and dispatch it anew; the card has no deadline, so the caller owns it.",
		Disproof: "A later state within the deadline.",
		On:       []session.Kind{session.KindTimer},
		Judge: func(s *session.State, c *session.Change) []Saw {
			return overdue(c, session.DueSubmitted, a2a.Submitted)
		},
	},
	{
		ID: "liveness.working", Claim: session.Liveness, Severity: session.Minor, Peer: "stuck-working",
		Title:    "the task works beyond the deadline",
		Source:   "A2A 1.0 §4.1.3 bounds no state; field note 002: bound the working state locally; field case 98 (task-stuck)",
		Advice:   "Cancel the task and dispatch it anew; the card has no deadline, so the caller owns it.",
		Disproof: "A later state within the deadline.",
		On:       []session.Kind{session.KindTimer},
		Judge: func(s *session.State, c *session.Change) []Saw {
			return overdue(c, session.DueWorking, a2a.Working)
		},
	},
	{
		ID: "liveness.dropped", Claim: session.Liveness, Severity: session.Info,
		Title:    "a task ended once its stream was dropped",
		Source:   "A2A 1.0 §3.1.2: a task goes on without its stream; field case 112 (disconnect-kills-task)",
		Advice:   "Keep the stream open until the task's end, or begin the task without one; this peer may stop working when nobody listens.",
		Disproof: "A task that goes on, or comes to its own end, after its stream was dropped.",
		On:       []session.Kind{session.KindResponse},
		Judge:    dropped,
	},
	{
		ID: "liveness.moves", Claim: session.Liveness, Peer: "honest",
		Title:  "the task comes to its end",
		Source: "A2A 1.0 §4.1.3; field note 002",
		On:     []session.Kind{session.KindResponse, session.KindClosed, session.KindTimer},
		Judge: func(s *session.State, c *session.Change) []Saw {
			if a := c.Attempt; c.Settled && !a.Message && a.Terminal != nil {
				seq := a.Terminal.Seq
				if a.State != a.Terminal.State {
					seq = a.StateSeq // it went on from its first end to another
				}
				return saw(session.Honoured, "settled as "+string(a.State), seq)
			}
			return nil
		},
	},
}

// dropped sees a task that worked when we dropped its last stream, and that the
// first read after it shows failed or canceled. It may be chance: info.
func dropped(s *session.State, c *session.Change) []Saw {
	r, a := c.Read, c.Attempt
	if r == nil || a == nil || !r.Found || canceled(c) || r.State != a2a.Failed && r.State != a2a.Canceled || len(s.OpenStreams(c.Task.N)) > 0 {
		return nil
	}
	for _, n := range slices.Backward(c.Task.Talk) {
		x := s.Exchanges[n-1]
		if x.Attempt != a.N || x.Stream == nil {
			continue
		}
		if st := x.Stream; st.How != session.ClosedDetached || st.Terminal != nil || c.StateBefore != a2a.Working || a.Terminal == nil || a.Terminal.Seq != r.Answer {
			return nil
		}
		if n := len(a.Reads); n > 1 && a.Reads[n-2].Request > x.Stream.Closed {
			return nil // it went on first
		}
		return saw(session.Contradicted, fmt.Sprintf("it worked when its stream was dropped; the next get says %s", r.State), x.Stream.Closed, r.Answer)
	}
	return nil
}

func overdue(c *session.Change, kind session.DeadlineKind, state a2a.State) []Saw {
	d, a := c.Timer, c.Attempt
	if d == nil || d.Kind != kind || a == nil || a.State != state {
		return nil
	}
	return saw(session.Contradicted, fmt.Sprintf("%s for %s", state, d.Full), a.StateSeq, c.Record.Seq)
}

// hintExtension reports whether the card names an extension about polling.
func hintExtension(s *session.State) bool {
	return s.Peer.Card != nil && slices.ContainsFunc(s.Peer.Card.Extensions, func(e a2a.Extension) bool {
		return strings.Contains(strings.ToLower(e.URI), "poll")
	})
}
