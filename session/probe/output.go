package probe

import (
	"a2ascope/session"
	"a2ascope/session/a2a"
)

// What a task brings is of declared types, and of the same ones however often
// it is dispatched (field note 004).
var outputProbes = []Probe{
	{
		Claim: session.OutputModes, Name: "sent-again", Needs: []a2a.State{a2a.Completed},
		Title: "the same message twice, as two attempts at one task",
		What:  "artifacts whose types differ from one attempt to the next",
		Lines: func(f Facts) []Line {
			return script(send(f, a2a.Completed), settled(f), lines("send --again --immediate"), settled(f))
		},
	},
}
