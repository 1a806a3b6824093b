package rule

import (
	"a2ascope/session"
)

var durableRules = []Rule{
	{
		ID: "durable.lost", Claim: session.TaskDurable, Severity: session.Major, Peer: "restarts",
		Title:    "the peer lost a task that was not over",
		Source:   "field note 004: a state is only reached if get shows it again after a restart",
		Advice:   "TaskNotFound is not failed: the task is indeterminate. Reconcile by your own correlation id, then dispatch it anew to a peer that was seen to reach its last state.",
		Disproof: "A later get that shows the task.",
		On:       []session.Kind{session.KindResponse},
		Judge: func(s *session.State, c *session.Change) []Saw {
			r, a := c.Read, c.Attempt
			if r == nil || r.Found || a == nil || a.State == "" || a.Terminal != nil {
				return nil
			}
			if c.Task.Lost {
				return saw(session.Contradicted, "two reads, "+(r.Sent-c.PrevRead.At).Round(1e8).String()+" apart, do not know a task last seen "+string(a.State), a.StateSeq, c.PrevRead.Answer, r.Answer)
			}
			return saw(session.Inconclusive, "TaskNotFound for a task last seen "+string(a.State), a.StateSeq, r.Answer)
		},
	},
}
