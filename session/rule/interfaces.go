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
	{
		ID: "bindings.differ", Claim: session.BindingsAgree, Severity: session.Major, Peer: "split-bindings",
		Title:    "two bindings of the peer tell one settled task differently",
		Source:   "A2A 1.0 §5.1",
		Advice:   "Keep to one binding for a task; report both answers.",
		Disproof: "The same state and artifacts through both, read one after the other.",
		On:       []session.Kind{session.KindResponse},
		Judge: func(s *session.State, c *session.Change) []Saw {
			x, r := compared(c)
			if r == nil {
				return nil
			}
			if why := differs(s, x, r); why != "" {
				return saw(session.Contradicted, why, r.Answer, c.Record.Seq)
			}
			return nil
		},
	},
	{
		ID: "bindings.agree", Claim: session.BindingsAgree, Peer: "honest",
		Title:  "two bindings tell one settled task alike",
		Source: "A2A 1.0 §5.1",
		On:     []session.Kind{session.KindResponse},
		Judge: func(s *session.State, c *session.Change) []Saw {
			x, r := compared(c)
			if r == nil || differs(s, x, r) != "" {
				return nil
			}
			return saw(session.Honoured, fmt.Sprintf("%s through %s too", x.Compared.State, x.Binding), r.Answer, c.Record.Seq)
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

// compared returns a read through another interface, and the read of the same
// settled task that it is held against; nil where there is nothing to compare.
func compared(c *session.Change) (*session.Exchange, *session.Read) {
	x, a := c.Exchange, c.Attempt
	if x == nil || x.Op != a2a.OpGet || x.Compared == nil || x.Answer != c.Record.Seq || a == nil || !a.Settled || x.ServerTask != a.ServerID {
		return x, nil
	}
	if !x.Compared.Found && x.Compared.Error != string(a2a.ErrTaskNotFound) {
		return x, nil // another refusal says nothing of the task
	}
	for i := len(a.Reads) - 1; i >= 0; i-- {
		if a.Reads[i].Found && a.Reads[i].Answer < c.Record.Seq {
			return x, &a.Reads[i]
		}
	}
	return x, nil
}

// differs says in what two reads differ; empty when they agree. Two generations
// cannot say the same of every artifact.
func differs(s *session.State, x *session.Exchange, r *session.Read) string {
	o := x.Compared
	switch {
	case !o.Found:
		return fmt.Sprintf("the task is %s through one, and is not found through the other", r.State)
	case o.State != r.State:
		return fmt.Sprintf("the task is %s through one, and %s through the other", r.State, o.State)
	case o.Digest != r.Digest && session.SameDialect(x.Gen, s.Peer.Use.Gen):
		return "the artifacts are not the same"
	}
	return ""
}
