package rule

import (
	"fmt"
	"slices"
	"strings"

	"a2ascope/session"
	"a2ascope/session/a2a"
)

var extendedRules = []Rule{
	{
		ID: "extended.refused", Claim: session.ExtendedCard, Severity: session.Major, Peer: "no-extended",
		Title:    "an extended card is declared, and cannot be had",
		Source:   "A2A 1.0 §3.1.11, §4.4.3 and §5.3; 0.3 §7.10 and §3.5.6; field cases 29 and 134",
		Advice:   "Work with the public card; ask the vendor what the extended one would add.",
		Disproof: "The extended card, by any of its names and with the same credentials.",
		On:       []session.Kind{session.KindResponse},
		Judge: func(s *session.State, c *session.Change) []Saw {
			x, p := c.Exchange, c.Payload
			if x == nil || x.Op != a2a.OpExtendedCard || p == nil || p.Error == nil || c.Climbed || s.Declares(session.ExtendedCard) != a2a.DeclaredTrue {
				return nil
			}
			evidence := []uint64{s.Peer.CardSeq, firstRung(s, x), c.Record.Seq}
			switch e := p.Error; {
			case denied(x) && !letIn(s, x):
				return []Saw{{Verdict: session.Inconclusive, Detail: a2a.StatusText(x.Status) + ", and no credentials of ours are known to be good", Evidence: evidence}}
			case !e.A2A && notThere(x, e) && !s.Routes(x):
				return []Saw{{Verdict: session.Inconclusive, Detail: refusedCard(x, e) + " at each of its paths, and no call has shown yet that this is where the agent answers", Evidence: evidence}}
			case !e.A2A && notThere(x, e) && s.Secured() && !letIn(s, x):
				return []Saw{{Verdict: session.Inconclusive, Detail: refusedCard(x, e) + " at each of its paths; it may be hidden from callers whose credentials are not known to be good", Evidence: evidence}}
			case denied(x), notThere(x, e):
				return []Saw{{Verdict: session.Contradicted, Detail: refusedCard(x, e), Evidence: evidence}}
			default:
				return []Saw{{Verdict: session.Inconclusive, Detail: refusedCard(x, e), Evidence: evidence}}
			}
		},
	},
	{
		ID: "extended.served", Claim: session.ExtendedCard, Peer: "free-extended",
		Title:  "the extended card is there",
		Source: "A2A 1.0 §3.1.11",
		On:     []session.Kind{session.KindCard},
		Judge: func(s *session.State, c *session.Change) []Saw {
			if c.Err != nil || s.Peer.ExtendedCard == nil || c.Record.Seq != s.Peer.ExtendedSeq {
				return nil
			}
			verdict := session.Honoured
			if s.Declares(session.ExtendedCard) != a2a.DeclaredTrue {
				verdict = session.UnderDeclared
			}
			detail := beyond(s.Peer.Card, s.Peer.ExtendedCard)
			if x := c.Exchange; x != nil && x.Rung > 0 {
				detail += otherName(x)
			}
			return saw(verdict, detail, c.Record.Seq)
		},
	},
}

// otherName says by which name the card was had that does not go by its own.
func otherName(x *session.Exchange) string {
	if x.Binding == a2a.REST {
		return "; it is at " + cut(x.URL) + " alone"
	}
	return fmt.Sprintf("; it answers to the name of %s alone", x.Gen)
}

// letIn reports whether the credentials of an exchange were good for another
// call of the session.
func letIn(s *session.State, x *session.Exchange) bool {
	return x.With != "" && slices.ContainsFunc(s.Exchanges, func(y *session.Exchange) bool {
		return y.With == x.With && y.Op != a2a.OpCard && y.Status/100 == 2 && y.Error == nil
	})
}

// notThere reports whether an error says that there is no such card.
func notThere(x *session.Exchange, e *a2a.Error) bool {
	switch e.Name {
	case a2a.ErrMethodNotFound, a2a.ErrExtendedCardMissing, a2a.ErrUnsupportedOperation:
		return true
	}
	return !e.A2A && (x.Status == a2a.StatusNotFound || x.Status == a2a.StatusMethodRefused || x.Status == a2a.StatusNotImplemented)
}

// refusedCard is an error in a few words.
func refusedCard(x *session.Exchange, e *a2a.Error) string {
	if !e.A2A {
		return a2a.StatusText(x.Status)
	}
	return fmt.Sprintf("%s (%d) %q", e.Name, e.Code, cut(e.Message))
}

// beyond says what an extended card has that the public one has not.
func beyond(public, extended *a2a.Card) string {
	if public == nil {
		return "there is no public card to compare it with"
	}
	var out []string
	var skills []string
	for _, k := range extended.Skills {
		if !slices.ContainsFunc(public.Skills, func(p a2a.Skill) bool { return p.ID == k.ID }) {
			skills = append(skills, cut(k.ID))
		}
	}
	if len(skills) > 0 {
		out = append(out, "more skills: "+listed(skills))
	}
	for _, d := range []struct {
		name        string
		before, now any
	}{
		{"version", public.Version, extended.Version}, {"streaming", public.Streaming, extended.Streaming},
		{"push notifications", public.PushNotifications, extended.PushNotifications},
		{"input modes", strings.Join(public.InputModes, ", "), strings.Join(extended.InputModes, ", ")},
		{"output modes", strings.Join(public.OutputModes, ", "), strings.Join(extended.OutputModes, ", ")},
		{"interfaces", len(public.Interfaces), len(extended.Interfaces)},
	} {
		if d.before != d.now {
			out = append(out, fmt.Sprintf("%s: %v, publicly %v", d.name, d.now, d.before))
		}
	}
	if len(out) == 0 {
		return "it declares what the public card does"
	}
	return strings.Join(out, "; ")
}
