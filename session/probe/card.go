package probe

import (
	"a2ascope/session"
)

// What the card says must not change under one version (field note 004), and a
// declared extended card must be there.
var cardProbes = []Probe{
	{
		Claim: session.CardStable, Name: "card-again", Also: []session.Claim{session.CardValid},
		Title: "the card, read a second time",
		What:  "other capabilities, modes or endpoints under the same version",
		Cannot: func(f Facts) string {
			if f.CardURL == "" {
				return "no card was read"
			}
			return ""
		},
		Lines: func(f Facts) []Line { return lines(Line("discover " + word(f.CardURL))) },
	},
	{
		Claim: session.ExtendedCard, Name: "extended-card", Capability: session.ExtendedCard, Also: []session.Claim{session.Security},
		Title: "the extended card",
		What:  "a declared card that is not there, or is given to anyone",
		Lines: func(Facts) []Line { return lines("extended-card") },
	},
}
