package rule

import (
	"fmt"

	"a2ascope/session"
	"a2ascope/session/a2a"
)

var resumeRules = []Rule{
	{
		ID: "resume.other-task", Claim: session.ResumeSameTask, Severity: session.Major, Peer: "new-task-on-resume",
		Title:    "the answer to input-required came back as another task",
		Source:   "field note 002; A2A 1.0 §3.4.3",
		Advice:   "Key your records on a correlation id of your own, never on the server's task id.",
		Disproof: "An answer that names the task that asked.",
		On:       []session.Kind{session.KindResponse, session.KindFrame},
		Judge: func(s *session.State, c *session.Change) []Saw {
			x := c.Exchange
			if c.NewAttempt == nil || x == nil || x.ServerTask == "" || x.Asked != a2a.InputRequired {
				return nil
			}
			return saw(session.Contradicted, fmt.Sprintf("task %s asked, task %s answered", x.ServerTask, c.NewAttempt.ServerID), x.Request, c.Record.Seq)
		},
	},
	{
		ID: "resume.lost", Claim: session.ResumeSameTask, Severity: session.Major, Peer: "unknown-answer",
		Title:    "the answer to input-required met TaskNotFound, although the task is there",
		Source:   "A2A 1.0 §3.4.3 (multi-turn); field note 002: a follow-up with the same task id",
		Advice:   "Read the task before giving it up; dispatch it anew only when get does not know it either.",
		Disproof: "A get that does not know the task either.",
		On:       []session.Kind{session.KindResponse, session.KindFrame},
		Judge:    resumeLost,
	},
	{
		ID: "resume.same-task", Claim: session.ResumeSameTask, Peer: "resumes",
		Title:  "the answer to input-required goes on in the same task",
		Source: "A2A 1.0 §3.4.3; field note 002",
		On:     []session.Kind{session.KindResponse, session.KindFrame},
		Judge: func(s *session.State, c *session.Change) []Saw {
			x, p := c.Exchange, c.Payload
			if x == nil || p == nil || x.Turn == nil || x.Asked != a2a.InputRequired || c.NewAttempt != nil || x.Stream != nil && !c.FirstEvent {
				return nil
			}
			var id string
			switch {
			case p.Task != nil:
				id = p.Task.ID
			case p.Status != nil:
				id = p.Status.TaskID
			case p.Artifact != nil:
				id = p.Artifact.TaskID
			}
			if id == "" || id != x.ServerTask {
				return nil
			}
			return saw(session.Honoured, "the task that asked took the answer", x.Request, c.Record.Seq)
		},
	},
}

// resumeLost speaks twice: when TaskNotFound came to the answer, it can not
// tell yet; when the get that follows shows the task, it can.
func resumeLost(s *session.State, c *session.Change) []Saw {
	if c.ResumeLost {
		return saw(session.Inconclusive, "TaskNotFound came to the answer; one read tells whether the task is there", c.Exchange.Request, c.Record.Seq)
	}
	r := c.Read
	if r == nil || !r.Found || c.Exchange.Purpose != session.PurposeResumeLost {
		return nil
	}
	return saw(session.Contradicted, fmt.Sprintf("TaskNotFound came to the answer, and get says %s", r.State), r.Answer)
}
