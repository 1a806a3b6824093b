package probe

import (
	"a2ascope/session"
	"a2ascope/session/a2a"
)

// A cancel may be refused, but canceled is final, in each state in which it
// can meet a task (field notes 000 and 002).
var cancelProbes = []Probe{
	{
		Claim: session.CancelFinal, Name: "cancel-working", Needs: []a2a.State{a2a.Working},
		Title: "a cancel of a task that works, its stream left open",
		What:  "frames, artifacts or another state after the answer that says canceled",
		Lines: func(f Facts) []Line {
			return script(follow(f, a2a.Working), until(f, a2a.Working), lines("cancel"), settled(f))
		},
	},
	{
		Claim: session.CancelFinal, Name: "cancel-input-required", Needs: []a2a.State{a2a.InputRequired},
		Title: "a cancel of a task that waits for input",
		What:  "another state after the answer that says canceled",
		Lines: func(f Facts) []Line {
			return script(follow(f, a2a.InputRequired), until(f, a2a.InputRequired), lines("cancel"), settled(f))
		},
	},
}
