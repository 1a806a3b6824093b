package rule

import (
	"fmt"
	"slices"
	"strings"

	"a2ascope/session"
	"a2ascope/session/a2a"
)

var cardStableRules = []Rule{
	{
		ID: "card.changed", Claim: session.CardStable, Severity: session.Major, Peer: "flip-card",
		Title:    "the card changed what it declares under the same version",
		Source:   "A2A 1.0 §4.4.1 (version) and §8.6; field note 004: a card fetched at one time and an artifact emitted at another may disagree",
		Advice:   "Key what you learnt on the card's content and not on its version; read the card again before each long task.",
		Disproof: "A new version, or the same capabilities, modes and endpoints.",
		On:       []session.Kind{session.KindCard},
		Judge: func(s *session.State, c *session.Change) []Saw {
			now := s.Peer.Card
			if c.CardBefore == nil || now == nil || now.Version != c.CardBefore.Version || c.CardAskedElse {
				return nil
			}
			if d := cardDifference(c.CardBefore, now); d != "" {
				return saw(session.Contradicted, "version "+now.Version+": "+d, c.CardBeforeSeq, c.Record.Seq)
			}
			return nil
		},
	},
	{
		ID: "card.edited", Claim: session.CardStable, Severity: session.Minor, Peer: "edited-card",
		Title:    "the card was edited under the same version",
		Source:   "A2A 1.0 §4.4.1 (version); field note 004",
		Advice:   "Expect descriptions and skills to move without a version.",
		Disproof: "The same bytes, or a new version.",
		On:       []session.Kind{session.KindCard},
		Judge: func(s *session.State, c *session.Change) []Saw {
			now := s.Peer.Card
			if c.CardBefore == nil || now == nil || now.Version != c.CardBefore.Version || c.CardSame || c.CardAskedElse || cardDifference(c.CardBefore, now) != "" {
				return nil
			}
			return saw(session.Contradicted, "version "+now.Version+" has other bytes, and declares the same", c.CardBeforeSeq, c.Record.Seq)
		},
	},
	{
		ID: "card.new-version", Claim: session.CardStable, Severity: session.Info, Peer: "new-version",
		Title:    "the card has a new version",
		Source:   "A2A 1.0 §4.4.1 (version); field note 002: the profile is kept by the card's version",
		Advice:   "Begin anew with what you trust of this peer.",
		Disproof: "The same version.",
		On:       []session.Kind{session.KindCard},
		Judge: func(s *session.State, c *session.Change) []Saw {
			now := s.Peer.Card
			if c.CardBefore == nil || now == nil || now.Version == c.CardBefore.Version {
				return nil
			}
			return saw(session.Contradicted, fmt.Sprintf("%q, then %q", c.CardBefore.Version, now.Version), c.CardBeforeSeq, c.Record.Seq)
		},
	},
	{
		ID: "card.stable", Claim: session.CardStable, Peer: "honest",
		Title:  "the card stays as it is under one version",
		Source: "A2A 1.0 §4.4.1 (version); field note 004",
		On:     []session.Kind{session.KindCard, session.KindResponse},
		Judge: func(s *session.State, c *session.Change) []Saw {
			if c.CardUnchanged {
				return saw(session.Honoured, "unchanged, says the peer", s.Peer.CardSeq, c.Record.Seq)
			}
			if c.CardBefore == nil || !c.CardSame {
				return nil
			}
			return saw(session.Honoured, "the same bytes again", c.CardBeforeSeq, c.Record.Seq)
		},
	},
}

// cardDifference names what two cards declare differently: capabilities, modes
// or endpoints. It is empty when they declare the same.
func cardDifference(a, b *a2a.Card) string {
	var out []string
	differ := func(what string, same bool) {
		if !same {
			out = append(out, what)
		}
	}
	differ("streaming", a.Streaming == b.Streaming)
	differ("pushNotifications", a.PushNotifications == b.PushNotifications)
	differ("stateTransitionHistory", a.StateTransitionHistory == b.StateTransitionHistory)
	differ("extendedAgentCard", a.ExtendedCard == b.ExtendedCard)
	differ("input modes", sameModes(a.InputModes, b.InputModes))
	differ("output modes", sameModes(a.OutputModes, b.OutputModes))
	differ("modes of skills", sameSkills(a.Skills, b.Skills))
	differ("interfaces", sameInterfaces(a.Interfaces, b.Interfaces))
	if len(out) == 0 {
		return ""
	}
	return "other " + strings.Join(out, ", ")
}

// sameModes compares as sets: the order of modes says nothing.
func sameModes(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

// sameSkills compares the modes of the skills that both cards have: a skill
// that comes or goes is an edit.
func sameSkills(a, b []a2a.Skill) bool {
	for _, was := range a {
		for _, now := range b {
			if was.ID == now.ID && (!sameModes(was.InputModes, now.InputModes) || !sameModes(was.OutputModes, now.OutputModes)) {
				return false
			}
		}
	}
	return true
}

// sameInterfaces compares as sets, but for the first, which is preferred.
func sameInterfaces(a, b []a2a.Interface) bool {
	if len(a) != len(b) || len(a) > 0 && a[0] != b[0] {
		return false
	}
	return !slices.ContainsFunc(a, func(i a2a.Interface) bool { return !slices.Contains(b, i) })
}
