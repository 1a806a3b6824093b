package rule

import (
	"fmt"
	"strings"

	"a2ascope/session"
	"a2ascope/session/a2a"
)

var endpointRules = []Rule{
	{
		ID: "endpoint.address", Claim: session.Endpoint, Severity: session.Minor, Peer: "dead-url",
		Title:    "the card's address looks unusable",
		Source:   "A2A 1.0 §4.4.6 (the interface's url); field cases 1 to 9 (card-url-unroutable, card-url-scheme-downgrade, card-url-points-to-card, card-url-inconsistent)",
		Advice:   "Try the address that the card was read from; \"endpoint URL\" uses it.",
		Disproof: "A call to the declared address that is answered from another host.",
		On:       []session.Kind{session.KindCard},
		Judge: func(s *session.State, c *session.Change) []Saw {
			if c.Err != nil || s.Peer.Card == nil || c.Record.Seq != s.Peer.CardSeq {
				return nil
			}
			var list []string
			severity := session.Info
			for _, i := range s.Peer.Card.Interfaces {
				if i.Binding != a2a.JSONRPC && i.Binding != a2a.REST {
					continue // gRPC addresses are a bare host and port
				}
				_, problems := session.ResolveEndpoint(s.Peer.CardURL, i.URL)
				for _, p := range problems {
					text := p.Code + ": " + p.Detail
					if p.Fallback != "" {
						text += " (endpoint " + p.Fallback + ")"
					}
					list = append(list, text)
					if !p.Info {
						severity = session.Minor
					}
				}
			}
			if len(list) == 0 {
				return nil
			}
			return []Saw{{Verdict: session.Contradicted, Severity: severity, Detail: strings.Join(list, "; "), Evidence: []uint64{c.Record.Seq}}}
		},
	},
	{
		ID: "endpoint.unusable", Claim: session.Endpoint, Severity: session.Major, Peer: "dead-url",
		Title:    "the declared endpoint cannot be used, another address of the peer can",
		Source:   "A2A 1.0 §4.4.6 (the interface's url); field cases 1 to 5 and 16",
		Advice:   "Keep the working address per peer, and tell the vendor which one the card should name.",
		Disproof: "An answer of the agent from the declared address.",
		On:       []session.Kind{session.KindResponse, session.KindFrame},
		Judge: func(s *session.State, c *session.Change) []Saw {
			p := &s.Peer
			if !c.ProvenNow || p.Override == "" || p.Declared.URL == "" || p.Use.URL == p.Declared.URL {
				return nil
			}
			why, seq := deadAddress(s)
			if why == "" {
				return nil
			}
			return saw(session.Contradicted, fmt.Sprintf("%s: %s; %s answers", p.Declared.URL, why, p.Override), seq, c.Record.Seq)
		},
	},
	{
		ID: "endpoint.redirect", Claim: session.Endpoint, Severity: session.Info,
		Title:    "the peer sends requests on to another address",
		Source:   "RFC 9110 §15.4; field cases 3 and 15 (endpoint-redirect)",
		Advice:   "Have the card name the address that answers: many clients turn a redirected POST into a GET, or drop its body.",
		Disproof: "An answer at the address itself.",
		On:       []session.Kind{session.KindResponse},
		Judge: func(s *session.State, c *session.Change) []Saw {
			var b session.Responded
			x := c.Exchange
			if x == nil || x.Op == a2a.OpToken || x.Status/100 != 3 || x.Status == a2a.StatusNotModified || x.Answer != c.Record.Seq || c.Record.Decode(&b) != nil || b.Location == "" {
				return nil
			}
			what := "it goes on there, as hop " + fmt.Sprint(x.Hop+1)
			if !c.Climbed {
				what = "it is not sent there"
			}
			return saw(session.Contradicted, fmt.Sprintf("%s is answered %s to %s: %s", x.URL, a2a.StatusText(x.Status), cut(b.Location), what), x.Request, c.Record.Seq)
		},
	},
	{
		ID: "endpoint.form", Claim: session.Endpoint, Severity: session.Info,
		Title:    "HTTP+JSON is spoken otherwise than its generation has it",
		Source:   "A2A 1.0 §11 and 0.3 §3.5; field cases 17, 18, 55, 122 and 141 (rest-prefix-mismatch, tenant-route-missing, rest-dialect, rest-route-mismatch, rest-content-type)",
		Advice:   "Try the other form once where the first was refused unread, keep what works, and tell the vendor.",
		Disproof: "An answer of the agent to the usual form.",
		On:       []session.Kind{session.KindResponse, session.KindFrame},
		Judge: func(s *session.State, c *session.Change) []Saw {
			if c.NewForm == "" {
				return nil
			}
			return saw(session.Contradicted, c.NewForm, firstRung(s, c.Exchange), c.Record.Seq)
		},
	},
	{
		ID: "endpoint.answers", Claim: session.Endpoint, Peer: "honest",
		Title:  "the declared endpoint answers",
		Source: "A2A 1.0 §4.4.6",
		On:     []session.Kind{session.KindResponse, session.KindFrame},
		Judge: func(s *session.State, c *session.Change) []Saw {
			if x := c.Exchange; c.ProvenNow && s.Peer.Override == "" && strings.HasPrefix(x.URL, s.Peer.Declared.URL) {
				return saw(session.Honoured, "the agent answers at "+x.URL, x.Request, c.Record.Seq)
			}
			return nil
		},
	},
	{
		ID: "version.refused", Claim: session.ProtocolVersion, Severity: session.Major, Peer: "wrong-version",
		Title:    "the declared generation is refused, another one works",
		Source:   "A2A 1.0 §3.6; field cases 30, 32 and 143 (version-mismatch)",
		Advice:   "Try the other generations with the same message id, and keep what worked per peer.",
		Disproof: "An answer in the declared generation.",
		On:       []session.Kind{session.KindResponse, session.KindFrame},
		Judge: func(s *session.State, c *session.Change) []Saw {
			x := c.Exchange
			if !c.ProvenNow || x.Rung == 0 || s.DeclaredGeneration() == "" || s.Peer.WantedGen != "" || session.SameDialect(x.Gen, s.Peer.Declared.Gen) {
				return nil
			}
			return saw(session.Contradicted, fmt.Sprintf("%s is declared and was refused, %s works", s.Peer.Declared.Gen, x.Gen), firstRung(s, x), c.Record.Seq)
		},
	},
	{
		ID: "version.spoken", Claim: session.ProtocolVersion, Peer: "honest",
		Title:  "the declared generation is spoken",
		Source: "A2A 1.0 §3.6",
		On:     []session.Kind{session.KindResponse, session.KindFrame},
		Judge: func(s *session.State, c *session.Change) []Saw {
			x := c.Exchange
			if c.ProvenNow && s.Peer.Card != nil && session.SameDialect(x.Gen, s.Peer.Declared.Gen) {
				return saw(session.Honoured, string(x.Gen)+" was asked and answered", x.Request, c.Record.Seq)
			}
			return nil
		},
	},
}

// deadAddress says why the declared endpoint cannot be used: what is wrong
// with it, or what a call to it met.
func deadAddress(s *session.State) (string, uint64) {
	for _, x := range s.Exchanges {
		if x.URL != s.Peer.Declared.URL || x.Answer == 0 {
			continue
		}
		switch {
		case x.Fault != "":
			return x.Fault, x.Answer
		case x.Status == 404 || x.Status == 405:
			return fmt.Sprintf("HTTP %d", x.Status), x.Answer
		case x.Error != nil && !x.Error.A2A && x.Status >= 300 && x.Status != 401 && x.Status != 403:
			why, _ := addressProblem(s) // of a mere error it cannot be told whether it is the address
			return why, x.Answer
		}
		return "", 0
	}
	return addressProblem(s)
}

// addressProblem is what is wrong with the declared address itself, and the
// card's record; empty for nothing.
func addressProblem(s *session.State) (string, uint64) {
	for _, i := range s.Peer.Card.Interfaces {
		resolved, problems := session.ResolveEndpoint(s.Peer.CardURL, i.URL)
		if resolved != s.Peer.Declared.URL {
			continue
		}
		for _, p := range problems {
			if !p.Info {
				return p.Code + ": " + p.Detail, s.Peer.CardSeq
			}
		}
	}
	return "", 0
}

// firstRung is the request that was refused first.
func firstRung(s *session.State, x *session.Exchange) uint64 {
	for _, y := range s.Exchanges {
		if y.Obligation == x.Obligation {
			return y.Request
		}
	}
	return x.Request
}
