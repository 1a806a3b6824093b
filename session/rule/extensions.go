package rule

import (
	"slices"

	"a2ascope/session"
	"a2ascope/session/a2a"
)

var extensionRules = []Rule{
	{
		ID: "extensions.not-enforced", Claim: session.Extensions, Severity: session.Minor, Peer: "lax-extension",
		Title:    "an extension is required, and a call that does not name it is served",
		Source:   "A2A 1.0 §3.2.6 and §4.6.2",
		Advice:   "Name the extension all the same: another release may insist on it.",
		Disproof: "ExtensionSupportRequired as the answer to a call without A2A-Extensions.",
		On:       []session.Kind{session.KindResponse, session.KindFrame},
		Judge: func(s *session.State, c *session.Change) []Saw {
			if required := requiredOf(s); len(required) > 0 && served(c) && withoutExtensions(s, c.Exchange) {
				return saw(session.Contradicted, listed(required)+" was not named in the call", s.Peer.CardSeq, c.Exchange.Request, c.Record.Seq)
			}
			return nil
		},
	},
	{
		ID: "extensions.enforced", Claim: session.Extensions, Peer: "honest",
		Title:  "a required extension is insisted on",
		Source: "A2A 1.0 §3.2.6",
		On:     []session.Kind{session.KindResponse},
		Judge: func(s *session.State, c *session.Change) []Saw {
			x := c.Exchange
			if x == nil || x.Error == nil || x.Error.Name != a2a.ErrExtensionRequired || len(requiredOf(s)) == 0 || !withoutExtensions(s, x) {
				return nil
			}
			return saw(session.Honoured, listed(requiredOf(s))+" was not named, and the call was refused", x.Request, c.Record.Seq)
		},
	},
}

// requiredOf lists the extensions that the card requires.
func requiredOf(s *session.State) []string {
	var out []string
	if s.Peer.Card != nil {
		for _, e := range s.Peer.Card.Extensions {
			if e.Required {
				out = append(out, cut(e.URI))
			}
		}
	}
	return out
}

func withoutExtensions(s *session.State, x *session.Exchange) bool {
	return x != nil && x.Command > 0 && slices.Contains(s.Commands[x.Command-1].Cmd.Without, session.WithoutExtensions)
}
