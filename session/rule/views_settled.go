package rule

import (
	"fmt"

	"a2ascope/session"
)

// settledViewRules hold what a list and what callbacks tell of a settled task
// against what reads say of it. A list that was asked for before a read had
// said so is never held against it, and of callbacks only what they say of the
// task's end is: the others may come late.
var settledViewRules = []Rule{
	{
		ID: "views.listed", Claim: session.ViewsAgree, Severity: session.Major, Peer: "other-ends",
		Title:    "the list shows a settled task in another state",
		Source:   "A2A 1.0 §3.1.4 and §4.1.3: terminal states are final",
		Advice:   "Do not take a list for the state of a task: read the task.",
		Disproof: "The state that get says, on a list that was asked for after get had said it.",
		On:       []session.Kind{session.KindResponse},
		Judge: func(s *session.State, c *session.Change) []Saw {
			if len(c.Listed) == 0 {
				return nil
			}
			l := c.Listed[0]
			a := s.TaskN(l.Task).Attempts[l.Attempt-1]
			detail := fmt.Sprintf("two lists show task %s as %s, and reads before them said %s", cut(a.ServerID), l.State, a.State)
			if n := len(c.Listed) - 1; n > 0 {
				detail += fmt.Sprintf("; so it is with %s more", count(n, "task"))
			}
			return saw(session.Contradicted, detail, l.Read, l.Before.Answer, c.Record.Seq)
		},
	},
	{
		ID: "views.pushed", Claim: session.ViewsAgree, Severity: session.Major, Peer: "other-ends",
		Title:    "a callback tells another end of the task than get does",
		Source:   "A2A 1.0 §4.3.3 and §4.1.3: terminal states are final",
		Advice:   "Take a callback as a hint to read the task, and not as its end.",
		Disproof: "A callback with the state that get says, or none about another end.",
		On:       []session.Kind{session.KindPush, session.KindResponse, session.KindClosed, session.KindTimer},
		Judge: func(s *session.State, c *session.Change) []Saw {
			a := c.Attempt
			if !c.Settled && c.Record.Kind != session.KindPush || a == nil || !a.Settled || a.Push == nil || a.Stable < 2 || canceled(c) {
				return nil
			}
			f, read := a.Push, a.Reads[len(a.Reads)-1]
			if f.End == "" || f.End == read.State {
				return nil
			}
			return saw(session.Contradicted, fmt.Sprintf("a callback with our token told %s, and %d reads say %s", f.End, a.Stable, read.State), f.EndSeq, read.Answer)
		},
	},
}
