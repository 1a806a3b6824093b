package rule

import (
	"a2ascope/session"
)

var durableRules = []Rule{
	{
		ID: "durable.lost", Claim: session.TaskDurable, Severity: session.Major, Peer: "restarts",
		Title:    "the peer lost a task that was not over",
		Source:   "A2A 1.0 §3.1.3 (GetTask of a task that was given out); field note 004: a state is only reached if get shows it again after a restart",
		Advice:   "TaskNotFound is not failed: the task is indeterminate. Reconcile by your own correlation id, then dispatch it anew to a peer that was seen to reach its last state.",
		Disproof: "A later get that shows the task.",
		On:       []session.Kind{session.KindResponse},
		Judge: func(s *session.State, c *session.Change) []Saw {
			r, a := c.Read, c.Attempt
			if r == nil || r.Found || a == nil || a.State == "" || a.Terminal != nil {
				return nil
			}
			if !s.AsBefore(a, c.Exchange) {
				return saw(session.Inconclusive, "TaskNotFound for a task last seen "+string(a.State)+"; credentials or address are others than when it was made", a.StateSeq, r.Answer)
			}
			if c.Task.Lost && a.GoneSeq == r.Answer { // the answer to its question met the same
				return saw(session.Contradicted, "one read, after another call that met TaskNotFound, does not know a task last seen "+string(a.State), a.StateSeq, r.Answer)
			}
			if c.Task.Lost {
				return saw(session.Contradicted, "two reads, "+(r.Sent-a.GoneAt).Round(1e8).String()+" apart, do not know a task last seen "+string(a.State), a.StateSeq, a.GoneSeq, r.Answer)
			}
			return saw(session.Inconclusive, "TaskNotFound for a task last seen "+string(a.State), a.StateSeq, r.Answer)
		},
	},
	{
		ID: "durable.found", Claim: session.TaskDurable, Peer: "honest",
		Title:  "a stale view finds a task that is not over",
		Source: "A2A 1.0 §3.1.3; field note 004",
		On:     []session.Kind{session.KindResponse},
		Judge: func(s *session.State, c *session.Change) []Saw {
			r, a := c.Read, c.Attempt
			if r == nil || !r.Found || !r.Fresh || r.State.Terminal() || a == nil || len(a.States) == 0 {
				return nil
			}
			if first := a.States[0]; first.Epoch != r.Epoch || r.Sent-first.At < s.Opened.Policy.DurableWait.D() {
				return nil // too soon to have forgotten it
			}
			return saw(session.Honoured, "a connection of its own, with nothing but the id, found it "+string(r.State), r.Request, r.Answer)
		},
	},
}
