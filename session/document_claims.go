package session

import (
	"strconv"
	"strings"

	"a2ascope/session/a2a"
)

func (s *State) claimDocs() []ClaimDoc {
	out := make([]ClaimDoc, 0, len(Claims))
	for _, id := range Claims {
		n, tr := s.Counts[id], s.TrustOf(id)
		d := ClaimDoc{
			ID: id, Declared: s.DeclaredText(id), Verdict: n.Verdict(), Trust: tr.Trust, Rules: []string{}, Evidence: []uint64{},
		}
		if tr.Trust == Demoted {
			d.Until = stamp(tr.Until)
		}
		if n != nil {
			d.Counts = ClaimCount{Honoured: n.Honoured + n.UnderDeclared, Contradicted: n.Contradicted, Inconclusive: n.Inconclusive}
			d.Rules = append(d.Rules, n.Rules...)
			d.Evidence = append(d.Evidence, n.Evidence...)
		}
		d.Observed = s.observedText(id, n)
		out = append(out, d)
	}
	return out
}

// DeclaredText is what the card or the protocol says of a claim, in one word
// or list.
func (s *State) DeclaredText(id Claim) string {
	c := s.Peer.Card
	switch id {
	case Streaming, PushNotifications, StateTransitionHistory, ExtendedCard:
		return string(s.Declares(id))
	case InputModes, OutputModes, Interfaces, Endpoint, ProtocolVersion, Security, Extensions, Signature, CardStable, CardValid:
	default:
		return "implied"
	}
	if c == nil {
		return string(a2a.Undeclared)
	}
	var list []string
	switch id {
	case InputModes:
		list = c.InputModes
	case OutputModes:
		list = c.OutputModes
	case Interfaces:
		for _, i := range c.Interfaces {
			list = append(list, strings.TrimSpace(string(i.Binding)+" "+string(i.Generation)))
		}
	case Endpoint:
		if len(c.Interfaces) > 0 {
			return orUndeclared(c.Interfaces[0].URL)
		}
	case ProtocolVersion:
		return orUndeclared(string(s.DeclaredGeneration()))
	case Security:
		for _, alt := range c.Security {
			if len(alt) == 0 {
				alt = []string{"none"} // callers may come without
			}
			list = append(list, strings.Join(alt, "+"))
		}
	case Extensions:
		for _, e := range c.Extensions {
			list = append(list, e.URI)
		}
	case Signature:
		if c.Signatures > 0 {
			return strconv.Itoa(c.Signatures)
		}
	case CardStable:
		return orUndeclared(c.Version)
	case CardValid:
		return string(a2a.DeclaredTrue)
	}
	return orUndeclared(strings.Join(list, ", "))
}

// DeclaredGeneration is the generation that the card names for the interface
// that it prefers; empty where it leaves it open and 0.3 was our guess.
func (s *State) DeclaredGeneration() a2a.Generation {
	p := &s.Peer
	if p.Card == nil {
		return ""
	}
	for _, i := range p.Card.Interfaces {
		if i.Binding != p.Declared.Binding || generationOf(i.Generation) != p.Declared.Gen {
			continue
		}
		if resolved, _ := ResolveEndpoint(p.CardURL, i.URL); resolved == p.Declared.URL && !i.Assumed {
			return p.Declared.Gen
		}
	}
	return ""
}

// observedText says in a few words what was seen of a claim.
func (s *State) observedText(id Claim, n *Counts) string {
	var parts []string
	if id == Streaming && s.Streams > 0 {
		parts = append(parts, plural(s.Streams, "stream"), plural(s.StreamEvents, "event"))
	}
	if n != nil {
		for _, c := range []struct {
			n    int
			word string
		}{{n.Contradicted, "contradicted"}, {n.Honoured, "honoured"}, {n.UnderDeclared, "under-declared"}, {n.Inconclusive, "inconclusive"}} {
			if c.n > 0 {
				parts = append(parts, strconv.Itoa(c.n)+" "+c.word)
			}
		}
	}
	return strings.Join(parts, ", ")
}

func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return strconv.Itoa(n) + " " + word + "s"
}
