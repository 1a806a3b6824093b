package probe

import (
	"a2ascope/session"
	"a2ascope/session/a2a"
)

// What a declared stream brings, when it brings it, and when it ends (field
// notes 000 and 001).
var streamingProbes = []Probe{
	{
		Claim: session.Streaming, Name: "stream-short", Capability: session.Streaming, Needs: []a2a.State{a2a.Completed},
		Also:  []session.Claim{session.ArtifactsStreamed, session.StreamCloses, session.StatesForward, session.TerminalFinal, session.ViewsAgree, session.OutputModes, session.WireFormat, session.Endpoint, session.ProtocolVersion, session.Security},
		Title: "a stream of a short task, to its end",
		What:  "no event within the window, an artifact that only get has, a stream that does not close",
		Lines: func(f Facts) []Line { return script(stream(f, a2a.Completed), settled(f), closed(f)) },
	},
	{
		Claim: session.Streaming, Name: "stream-long", Capability: session.Streaming, Needs: []a2a.State{a2a.Working},
		Also:  []session.Claim{session.ArtifactsStreamed, session.StreamCloses, session.StatesForward, session.TerminalFinal, session.ViewsAgree, session.OutputModes, session.Liveness},
		Title: "a stream of a task that works for a while, to its end",
		What:  "events that are held back, a stream that ends in mid-work",
		Lines: func(f Facts) []Line { return script(stream(f, a2a.Working), settled(f), closed(f)) },
	},
	{
		Claim: session.ViewsAgree, Name: "two-streams", Capability: session.Streaming, Needs: []a2a.State{a2a.Working},
		Also:  []session.Claim{session.Resubscribe, session.StatesForward},
		Title: "a second stream on a task beside its first",
		What:  "a second stream that is refused, or tells another story",
		Lines: func(f Facts) []Line {
			return script(stream(f, a2a.Working), until(f, a2a.Working), lines("resubscribe"), settled(f), closed(f))
		},
	},
}
