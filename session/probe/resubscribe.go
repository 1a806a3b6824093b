package probe

import (
	"a2ascope/session"
	"a2ascope/session/a2a"
)

// What a subscription brings in each state: streaming is no promise of
// resumption (field note 002).
var resubscribeProbes = []Probe{
	{
		Claim: session.Resubscribe, Name: "resubscribe-working", Capability: session.Streaming, Needs: []a2a.State{a2a.Working},
		Also:  []session.Claim{session.StatesForward, session.StreamCloses},
		Title: "a stream that is dropped in mid-work, and opened again",
		What:  "a working task that cannot be subscribed to, or old events told as new",
		Lines: func(f Facts) []Line {
			return script(stream(f, a2a.Working), until(f, a2a.Working), lines("detach"), closed(f), lines("resubscribe"), settled(f), closed(f))
		},
	},
	{
		Claim: session.Resubscribe, Name: "resubscribe-input-required", Capability: session.Streaming, Needs: []a2a.State{a2a.InputRequired},
		Title: "a subscription to a task that waits for input",
		What:  "a waiting task that cannot be subscribed to",
		Lines: func(f Facts) []Line {
			return script(stream(f, a2a.InputRequired), until(f, a2a.InputRequired), lines("detach"), closed(f), lines("resubscribe"))
		},
	},
	{
		Claim: session.ErrorCodes, Name: "resubscribe-after-end", Capability: session.Streaming, Needs: []a2a.State{a2a.Completed},
		Title: "a subscription to a finished task",
		What:  "an error other than the specification's",
		Lines: func(f Facts) []Line {
			return script(send(f, a2a.Completed), settled(f), lines("resubscribe"))
		},
	},
}
