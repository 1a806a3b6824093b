package probe

import (
	"a2ascope/session"
	"a2ascope/session/a2a"
)

// A list is one more view of a task.
var listProbes = []Probe{
	{
		Claim: session.ViewsAgree, Name: "list", Needs: []a2a.State{a2a.Completed},
		Title: "a finished task, looked up in the list",
		What:  "a list that tells another state than get",
		Cannot: func(f Facts) string {
			if f.Use.Gen != a2a.Gen10 {
				return "generation " + string(f.Use.Gen) + " has no list"
			}
			return ""
		},
		Lines: func(f Facts) []Line {
			return script(send(f, a2a.Completed), settled(f), lines("list --page 20"))
		},
	},
}
