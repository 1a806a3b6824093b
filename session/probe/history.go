package probe

import (
	"a2ascope/session"
	"a2ascope/session/a2a"
)

// A declared history must hold what led to the end (field note 001).
var historyProbes = []Probe{
	{
		Claim: session.StateTransitionHistory, Name: "history", Capability: session.StateTransitionHistory, Needs: []a2a.State{a2a.Completed},
		Title: "the history of a finished task, asked for twice",
		What:  "an empty history although the card declares one",
		Lines: func(f Facts) []Line {
			return script(follow(f, a2a.Completed), settled(f), lines("get --history 20", "get --history 20"))
		},
	},
}
