package probe

import (
	"a2ascope/session"
	"a2ascope/session/a2a"
)

// A send waits for the end or does not, as it was asked to; and what works
// without a stream gives a sign now and then (field note 001).
var blockingProbes = []Probe{
	{
		Claim: session.Blocking, Name: "send-blocking", Needs: []a2a.State{a2a.Completed},
		Also:  []session.Claim{session.CompletedStable, session.OutputModes},
		Title: "a send that is to wait for the end",
		What:  "an answer while the task still works",
		Lines: func(f Facts) []Line {
			return script(lines(Line("send --new "+word(f.Prompt(a2a.Completed)))), settled(f))
		},
	},
	{
		Claim: session.Liveness, Name: "send-immediate", Needs: []a2a.State{a2a.Working},
		Also:  []session.Claim{session.StatesForward, session.TerminalFinal, session.CompletedStable},
		Title: "a send that is not to wait, and reads until the end",
		What:  "work without a sign and without a hint when to look again",
		Lines: func(f Facts) []Line { return script(send(f, a2a.Working), settled(f)) },
	},
}
