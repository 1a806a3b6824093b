package probe

import (
	"a2ascope/session"
	"a2ascope/session/a2a"
)

// The canary of field note 004: a state is only reached if a stale view, a
// connection of its own with nothing but the task's id, finds it again. It is
// read twice, so that a peer that comes up with an empty memory shows it.
var durabilityProbes = []Probe{
	{
		Claim: session.TaskDurable, Name: "canary-input-required", Needs: []a2a.State{a2a.InputRequired},
		Title: "a task that waits for input, read by a stale view",
		What:  "TaskNotFound for a task that is not over",
		Lines: func(f Facts) []Line {
			return script(follow(f, a2a.InputRequired), until(f, a2a.InputRequired), staleView(f), settled(f))
		},
	},
	{
		Claim: session.TaskDurable, Name: "canary-working", Needs: []a2a.State{a2a.Working},
		Title: "a task that works, read by a stale view",
		What:  "TaskNotFound for a task that is not over",
		Lines: func(f Facts) []Line {
			return script(follow(f, a2a.Working), until(f, a2a.Working), staleView(f), settled(f))
		},
	},
}

func staleView(f Facts) []Line {
	once := script(pause(f.Policy.DurableWait.D()), lines("get --fresh"))
	return script(once, once)
}
