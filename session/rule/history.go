package rule

import (
	"fmt"

	"a2ascope/session"
	"a2ascope/session/a2a"
)

var historyRules = []Rule{
	{
		ID: "history.empty", Claim: session.StateTransitionHistory, Severity: session.Major, Peer: "empty-history",
		Title:    "a history is declared, and there is none",
		Source:   "field note 001: the history endpoint returned an empty array",
		Advice:   "Abandon, and do not retry: a retry reproduces it. Keep the states that you see yourself.",
		Disproof: "A get with historyLength whose history is not empty.",
		On:       []session.Kind{session.KindResponse},
		Judge: func(s *session.State, c *session.Change) []Saw {
			r, prev := c.Read, c.PrevRead
			if r == nil || prev == nil || s.Declares(session.StateTransitionHistory) != a2a.DeclaredTrue {
				return nil
			}
			if !emptyHistory(r) || !emptyHistory(prev) || len(c.Attempt.States) < 2 || s.Exchanges[prev.Exchange-1].Binding != c.Exchange.Binding {
				return nil
			}
			return saw(session.Contradicted, fmt.Sprintf("%d states were seen; two reads that asked for %d messages of history got none", len(c.Attempt.States), r.Asked), prev.Answer, r.Answer)
		},
	},
	{
		ID: "history.kept", Claim: session.StateTransitionHistory, Peer: "honest",
		Title:  "a declared history is kept",
		Source: "A2A 0.3 §5.5.2",
		On:     []session.Kind{session.KindResponse},
		Judge: func(s *session.State, c *session.Change) []Saw {
			r := c.Read
			if r == nil || !r.Found || r.History == 0 || s.Declares(session.StateTransitionHistory) != a2a.DeclaredTrue {
				return nil
			}
			return saw(session.Honoured, fmt.Sprintf("%d messages of history", r.History), r.Answer)
		},
	},
}

func emptyHistory(r *session.Read) bool { return r.Found && r.Asked >= 10 && r.History == 0 }
