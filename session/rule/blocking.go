package rule

import (
	"fmt"
	"time"

	"a2ascope/session"
	"a2ascope/session/a2a"
)

var blockingRules = []Rule{
	{
		ID: "blocking.returned-early", Claim: session.Blocking, Severity: session.Major, Peer: "no-blocking",
		Title:    "a blocking send came back before the task's end",
		Source:   "A2A 1.0 §3.2.2: the answer waits for a terminal or interrupted state; 0.3 MessageSendConfiguration.blocking; field case 99",
		Advice:   "Poll after every send; do not take the answer of this peer for the result.",
		Disproof: "An answer whose task is over or waits for the client.",
		On:       []session.Kind{session.KindResponse},
		Judge: func(s *session.State, c *session.Change) []Saw {
			x, p := c.Exchange, c.Payload
			if x == nil || p == nil || p.Task == nil || x.Op != a2a.OpSend || !x.Blocking || x.Gen == a2a.Gen01 {
				return nil
			}
			if st := p.Task.Status.State; st == a2a.Submitted || st == a2a.Working {
				return saw(session.Contradicted, "the answer says "+string(st), x.Request, c.Record.Seq)
			}
			return nil
		},
	},
	{
		ID: "blocking.unasked", Claim: session.Blocking, Severity: session.Minor,
		Title:    "an answer that was to come at once waited for the task's end",
		Source:   "A2A 1.0 §3.2.2 returnImmediately; 0.3 MessageSendConfiguration.blocking; field case 100",
		Advice:   "Send in the background, and bound the wait: this peer answers when it is done.",
		Disproof: "An answer before the task's end, or one that came at once.",
		On:       []session.Kind{session.KindResponse},
		Judge: func(s *session.State, c *session.Change) []Saw {
			x, p := c.Exchange, c.Payload
			if x == nil || p == nil || p.Task == nil || x.Op != a2a.OpSend || x.Blocking || x.Gen == a2a.Gen01 || x.Epoch != s.Epoch {
				return nil
			}
			took := x.Answered - x.Sent
			if !p.Task.Status.State.Terminal() || took <= s.Opened.Policy.IdlePoll.D() {
				return nil
			}
			return saw(session.Contradicted, fmt.Sprintf("asked not to wait, it answered after %s with %s", took.Round(time.Millisecond), p.Task.Status.State), x.Request, c.Record.Seq)
		},
	},
	{
		ID: "blocking.waited", Claim: session.Blocking, Peer: "honest",
		Title:  "a blocking send waits for the task",
		Source: "A2A 1.0 §3.2.2",
		On:     []session.Kind{session.KindResponse},
		Judge: func(s *session.State, c *session.Change) []Saw {
			x, p := c.Exchange, c.Payload
			if x == nil || p == nil || x.Op != a2a.OpSend || !x.Blocking {
				return nil
			}
			if p.Task != nil && (p.Task.Status.State.Terminal() || p.Task.Status.State.Interrupted()) {
				return saw(session.Honoured, "the answer says "+string(p.Task.Status.State), x.Request, c.Record.Seq)
			}
			return nil
		},
	},
}
