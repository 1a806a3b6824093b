package probe

import (
	"a2ascope/session"
	"a2ascope/session/a2a"
)

// A task is completed when get says so and its artifacts are the same in two
// reads (field note 000).
var completedProbes = []Probe{
	{
		Claim: session.CompletedStable, Name: "completed-twice", Needs: []a2a.State{a2a.Completed},
		Also:  []session.Claim{session.TerminalFinal, session.StatesForward, session.OutputModes, session.Liveness, session.WireFormat, session.Endpoint, session.ProtocolVersion, session.Security},
		Title: "a finished task, read again and again",
		What:  "artifacts or a state that change after the end",
		Lines: func(f Facts) []Line {
			return script(send(f, a2a.Completed), settled(f), lines("get", "get"))
		},
	},
}
