package probe

import (
	"a2ascope/session"
	"a2ascope/session/a2a"
)

// answer is what a question is answered with: no card says what a peer asks
// for, so it is as general as can be.
const answer = "yes, go on"

// The answer to input-required must go on in the task that asked (field note
// 002).
var resumeProbes = []Probe{
	{
		Claim: session.ResumeSameTask, Name: "resume-send", Needs: []a2a.State{a2a.InputRequired},
		Also:  []session.Claim{session.StatesForward, session.TaskDurable},
		Title: "an answer in text, sent",
		What:  "an answer that becomes another task, or meets TaskNotFound",
		Lines: func(f Facts) []Line {
			return script(follow(f, a2a.InputRequired), until(f, a2a.InputRequired), lines("resume "+answer), settled(f))
		},
	},
	{
		Claim: session.ResumeSameTask, Name: "resume-stream", Capability: session.Streaming, Needs: []a2a.State{a2a.InputRequired},
		Also:  []session.Claim{session.StatesForward, session.TaskDurable, session.Streaming, session.ArtifactsStreamed, session.StreamCloses},
		Title: "an answer in text, on a stream of its own",
		What:  "a second submitted, or old events told as new",
		Lines: func(f Facts) []Line {
			return script(stream(f, a2a.InputRequired), until(f, a2a.InputRequired), lines("resume --stream "+answer), settled(f), closed(f))
		},
	},
}
