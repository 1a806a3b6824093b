package rule

import (
	"fmt"

	"a2ascope/session"
	"a2ascope/session/a2a"
)

var stateRules = []Rule{
	{
		ID: "states.backward", Claim: session.StatesForward, Severity: session.Major, Peer: "replays",
		Title:    "the task went back to submitted",
		Source:   "A2A 1.0 §4.1.3 (submitted is the first state); field note 002: a second submitted corrupts the consumer's state machine",
		Advice:   "Deduplicate by task, state and timestamp, and refuse a step backwards.",
		Disproof: "The event lying within a replay of what had been seen.",
		On:       []session.Kind{session.KindFrame, session.KindResponse},
		Judge: func(s *session.State, c *session.Change) []Saw {
			if !c.Backward || c.AfterTerminal || c.AfterCancel { // behind an end, that end's rules have it
				return nil
			}
			return saw(session.Contradicted, fmt.Sprintf("submitted after %s, and no replay of what was seen", orNone(c.StateBefore)), c.Record.Seq)
		},
	},
	{
		ID: "states.forward", Claim: session.StatesForward, Peer: "honest",
		Title:  "the task's states go forward",
		Source: "A2A 1.0 §4.1.3",
		On:     []session.Kind{session.KindResponse, session.KindClosed, session.KindTimer},
		Judge: func(s *session.State, c *session.Change) []Saw {
			if !c.Settled || len(c.Attempt.States) < 2 || saidCanceled(c) {
				return nil
			}
			for i, seen := range c.Attempt.States {
				if i > 0 && seen.State == a2a.Submitted {
					return nil
				}
			}
			return saw(session.Honoured, fmt.Sprintf("%d states, none backwards", len(c.Attempt.States)), c.Record.Seq)
		},
	},
}
