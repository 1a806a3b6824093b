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
		Source:   "A2A 0.3 §5.5.2 (stateTransitionHistory); field note 001: the history endpoint returned an empty array",
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
		ID: "history.shrinks", Claim: session.StateTransitionHistory, Severity: session.Minor,
		Title:    "the history of a task gets shorter",
		Source:   "A2A 1.0 §3.1.3 historyLength; field case 116 (history-shrinks)",
		Advice:   "Keep the conversation yourself; this peer forgets turns.",
		Disproof: "A get that asks for as many messages and is given as many.",
		On:       []session.Kind{session.KindResponse},
		Judge: func(s *session.State, c *session.Change) []Saw {
			r, prev := c.Read, c.PrevRead
			if r == nil || prev == nil || !r.Found || !prev.Found || r.Asked != prev.Asked || r.Asked < prev.History || r.History >= prev.History ||
				s.Exchanges[prev.Exchange-1].Binding != c.Exchange.Binding {
				return nil
			}
			return saw(session.Contradicted, fmt.Sprintf("asked for up to %d messages twice, it gave %d, then %d", r.Asked, prev.History, r.History), prev.Answer, r.Answer)
		},
	},
	{
		ID: "history.removed", Claim: session.StateTransitionHistory, Severity: session.Info,
		Title:    "the card declares a capability that its generation does not have",
		Source:   "A2A 1.0 §4.4.3: stateTransitionHistory of 0.3 is not there any more",
		Advice:   "Do not build on it: nobody says what it means in 1.0.",
		Disproof: "A card of 1.0 without the member.",
		On:       []session.Kind{session.KindCard},
		Judge:    historyRemoved,
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

// historyRemoved: 1.0 took the field off the card.
func historyRemoved(s *session.State, c *session.Change) []Saw {
	card := s.Peer.Card
	if c.Err != nil || card == nil || c.Record.Seq != s.Peer.CardSeq || card.Generation != a2a.Gen10 || card.StateTransitionHistory == a2a.Undeclared {
		return nil
	}
	return saw(session.Contradicted, "stateTransitionHistory is "+string(card.StateTransitionHistory)+" on a card of 1.0", c.Record.Seq)
}

func emptyHistory(r *session.Read) bool { return r.Found && r.Asked >= 10 && r.History == 0 }
