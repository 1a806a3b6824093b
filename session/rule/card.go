package rule

import (
	"fmt"
	"slices"
	"strings"

	"a2ascope/session"
	"a2ascope/session/a2a"
)

var cardRules = []Rule{
	{
		ID: "card.not-a-card", Claim: session.CardValid, Severity: session.Major, Peer: "html-card",
		Title:    "what is served as the card is no JSON object",
		Source:   "A2A 1.0 §8.2; field case 11",
		Advice:   "Check the card's shape, not only the status 200.",
		Disproof: "A JSON object at one of the card's places.",
		On:       []session.Kind{session.KindResponse, session.KindFault},
		Judge: func(s *session.State, c *session.Change) []Saw {
			if !c.DiscoveryFailed || len(s.Peer.NotCards) == 0 {
				return nil
			}
			return saw(session.Contradicted, fmt.Sprintf("%d answers with status 200 where a card belongs, none of them a card", len(s.Peer.NotCards)), s.Peer.NotCards...)
		},
	},
	{
		ID: "card.no-endpoint", Claim: session.CardValid, Severity: session.Major, Peer: "no-address",
		Title:    "the card names no endpoint that could be used",
		Source:   "A2A 1.0 §4.4.1; field cases 8 and 22",
		Advice:   "Ask the peer's operator for the address; \"endpoint URL\" tries one.",
		Disproof: "An interface with an address on the card.",
		On:       []session.Kind{session.KindCard},
		Judge: func(s *session.State, c *session.Change) []Saw {
			// Of a card that was not looked into to its end the address may stand
			// in the rest.
			if card := s.Peer.Card; c.Err == nil && card != nil && !hasAddress(s.Peer.CardURL, card) && !slices.ContainsFunc(s.Peer.Anomalies, a2a.Anomaly.Ours) {
				return saw(session.Contradicted, count(len(card.Interfaces), "interface")+", none with an address", c.Record.Seq)
			}
			return nil
		},
	},
	{
		ID: "card.fields", Claim: session.CardValid, Severity: session.Minor, Peer: "ragged-card",
		Title:    "the card departs from its own generation's schema",
		Source:   "A2A 1.0 §4.4.1, 0.3 §5.5; field cases 19 to 28",
		Advice:   "Read cards tolerantly: null is absent, and a missing capability is not a false one.",
		Disproof: "The members as the schema has them.",
		On:       []session.Kind{session.KindCard},
		Judge: func(s *session.State, c *session.Change) []Saw {
			odd := slices.DeleteFunc(slices.Clone(s.Peer.Anomalies), a2a.Anomaly.Ours)
			if c.Err != nil || len(odd) == 0 || c.Record.Seq != s.Peer.CardSeq {
				return nil
			}
			var list []string
			for i, a := range odd {
				if i == 8 {
					list = append(list, fmt.Sprintf("and %d more", len(odd)-i))
					break
				}
				list = append(list, a.Code+": "+a.Detail)
			}
			return saw(session.Contradicted, strings.Join(list, "; "), c.Record.Seq)
		},
	},
	{
		ID: "card.valid", Claim: session.CardValid, Peer: "honest",
		Title:  "the card is a JSON object with an endpoint",
		Source: "A2A 1.0 §4.4.1",
		On:     []session.Kind{session.KindCard},
		Judge: func(s *session.State, c *session.Change) []Saw {
			if card := s.Peer.Card; c.Err == nil && card != nil && hasAddress(s.Peer.CardURL, card) && c.Record.Seq == s.Peer.CardSeq {
				return saw(session.Honoured, count(len(card.Interfaces), "interface")+", "+count(len(card.Skills), "skill"), c.Record.Seq)
			}
			return nil
		},
	},
}

func count(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

// hasAddress reports whether an interface has an address that a request could
// go to. Of bindings that this console does not speak it cannot tell.
func hasAddress(cardURL string, card *a2a.Card) bool {
	for _, i := range card.Interfaces {
		if i.Binding != a2a.JSONRPC && i.Binding != a2a.REST {
			if i.URL != "" {
				return true
			}
			continue
		}
		if resolved, _ := session.ResolveEndpoint(cardURL, i.URL); session.OriginOf(resolved) != "" {
			return true
		}
	}
	return false
}
