package rule

import (
	"fmt"

	"a2ascope/session"
	"a2ascope/session/a2a"
)

var interfaceRules = []Rule{
	{
		ID: "interfaces.dead", Claim: session.Interfaces, Severity: session.Major, Peer: "paper-interface",
		Title:    "a declared interface does not answer as the binding it names, another one does",
		Source:   "A2A 1.0 §4.4.6 and §8.3.1",
		Advice:   "Use the interface that answers (\"interface N\"), and tell the vendor which one to take off the card.",
		Disproof: "An answer of the agent from the interface, in its binding.",
		On:       []session.Kind{session.KindResponse, session.KindFrame},
		Judge: func(s *session.State, c *session.Change) []Saw {
			x := c.Exchange
			if x == nil || x.Answer == 0 || c.Record.Kind == session.KindFrame && !c.FirstEvent {
				return nil
			}
			dead, alive := interfacesNow(s)
			if dead == nil || alive == nil {
				return nil
			}
			return saw(session.Contradicted, fmt.Sprintf("interface %d (%s) at %s answers %s; interface %d (%s) works", dead.N, dead.At.Binding, dead.At.URL, dead.Why, alive.N, alive.At.Binding), dead.Dead, alive.Alive)
		},
	},
	{
		ID: "interfaces.answer", Claim: session.Interfaces, Peer: "honest",
		Title:  "a declared interface answers as the binding it names",
		Source: "A2A 1.0 §4.4.6",
		On:     []session.Kind{session.KindResponse},
		Judge: func(s *session.State, c *session.Change) []Saw {
			if c.Exchange == nil || c.Exchange.Op == a2a.OpCard {
				return nil
			}
			if dead, _ := interfacesNow(s); dead != nil {
				return nil
			}
			for _, sp := range s.Peer.Spoken {
				if sp.Alive == c.Record.Seq {
					return saw(session.Honoured, fmt.Sprintf("%s answers at %s", sp.At.Binding, sp.At.URL), c.Record.Seq)
				}
			}
			return nil
		},
	},
}

// interfacesNow finds a declared interface that does not answer, and one that
// does.
func interfacesNow(s *session.State) (dead, alive *session.SpokenAt) {
	for i := range s.Peer.Spoken {
		sp := &s.Peer.Spoken[i]
		switch {
		case sp.Alive != 0 && alive == nil:
			alive = sp
		case sp.Alive == 0 && sp.Dead != 0 && dead == nil:
			dead = sp
		}
	}
	return dead, alive
}
