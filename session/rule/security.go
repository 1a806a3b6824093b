package rule

import (
	"fmt"
	"strings"

	"a2ascope/session"
	"a2ascope/session/a2a"
)

// securityRules compare what the card asks of callers with what calls get.
// They say nothing where credentials may have gone along unseen, and nothing
// of an origin that our credentials are kept from.
var securityRules = []Rule{
	{
		ID: "security.refused", Claim: session.Security, Severity: session.Major, Peer: "locked",
		Title:    "the card asks for no credentials, and a call without any is refused",
		Source:   "A2A 1.0 §3.3.2, §7.4 and §4.5; 0.3 §4",
		Advice:   "Ask the peer's operator for credentials, and the vendor to declare the scheme; \"auth\" gives them.",
		Disproof: "A security scheme on the card, or a proxy or gateway of our own that gave the answer.",
		On:       []session.Kind{session.KindResponse},
		Judge: func(s *session.State, c *session.Change) []Saw {
			x := c.Exchange
			if !denied(x) || x.Op == a2a.OpCard || x.Op == a2a.OpRaw || !s.AsksNothing() || !s.Unauthenticated(x) || x.Withheld {
				return nil
			}
			detail := fmt.Sprintf("%s at %s", denial(x), x.URL)
			if x.Challenge != "" {
				detail += ", asking for " + cut(x.Challenge)
			}
			if x.Status == a2a.StatusForbidden && x.Challenge == "" && (c.Payload == nil || c.Payload.Error == nil || !c.Payload.Error.A2A) {
				return saw(session.Inconclusive, detail+", and no word of the agent: a gateway may have said it", x.Request, c.Record.Seq)
			}
			if x.Op == a2a.OpList { // it shows a caller's tasks (1.0 §3.1.4), and the Go SDK's store has none for strangers
				return saw(session.Inconclusive, detail+": a list is of the tasks of a caller who is known", x.Request, c.Record.Seq)
			}
			return saw(session.Contradicted, detail, s.Peer.CardSeq, x.Request, c.Record.Seq)
		},
	},
	{
		ID: "security.open", Claim: session.Security, Severity: session.Major, Peer: "open-door",
		Title:    "the card requires credentials, and a call without any is served",
		Source:   "A2A 1.0 §7.4 and §4.5; 0.3 §4",
		Advice:   "Tell the vendor: whoever finds the address can use the agent. Do not take the card for a sign that callers are checked.",
		Disproof: "Credentials that went along unseen: a client certificate, an address that is trusted, a proxy that adds them.",
		On:       []session.Kind{session.KindResponse, session.KindFrame},
		Judge: func(s *session.State, c *session.Change) []Saw {
			x := c.Exchange
			if !s.Asks() || !served(c) || x.Op == a2a.OpExtendedCard || !s.Unauthenticated(x) || x.Withheld {
				return nil
			}
			return saw(session.Contradicted, fmt.Sprintf("the card requires %s; %s was served without", s.DeclaredText(session.Security), x.Op), s.Peer.CardSeq, x.Request, c.Record.Seq)
		},
	},
	{
		ID: "security.extended-open", Claim: session.Security, Severity: session.Minor, Peer: "free-extended",
		Title:    "the extended card is given to anyone",
		Source:   "A2A 1.0 §3.1.11; field case 135 (extended-card-unauthenticated)",
		Advice:   "Take nothing on the extended card for private; compare it with the public one.",
		Disproof: "A refusal of the same call without credentials.",
		On:       []session.Kind{session.KindResponse},
		Judge: func(s *session.State, c *session.Change) []Saw {
			x := c.Exchange
			if x == nil || x.Op != a2a.OpExtendedCard || c.Payload == nil || c.Payload.Card == nil || !s.Unauthenticated(x) || x.Withheld {
				return nil
			}
			severity, detail := session.Minor, "it came without credentials"
			if s.Asks() {
				severity, detail = session.Major, "it came without credentials, and the card requires "+s.DeclaredText(session.Security)
			}
			return []Saw{{Verdict: session.Contradicted, Severity: severity, Detail: detail, Evidence: []uint64{x.Request, c.Record.Seq}}}
		},
	},
	{
		ID: "security.challenge", Claim: session.Security, Severity: session.Info, Peer: "locked",
		Title:    "the peer says how it wants to be called",
		Source:   "RFC 9110 §11.6.1; field cases 13 and 138 (card-behind-auth)",
		Advice:   "Give what it asks for with \"auth\", and try again.",
		Disproof: "The same answer without WWW-Authenticate.",
		On:       []session.Kind{session.KindResponse},
		Judge: func(s *session.State, c *session.Change) []Saw {
			x := c.Exchange
			if !denied(x) || x.Challenge == "" || x.Op == a2a.OpToken || said(s, "security.challenge") {
				return nil
			}
			return saw(session.Contradicted, fmt.Sprintf("%s asks for %s", denial(x), cut(x.Challenge)), x.Request, c.Record.Seq)
		},
	},
	{
		ID: "security.honoured", Claim: session.Security, Peer: "honest",
		Title:  "callers are let in as the card says",
		Source: "A2A 1.0 §7.4",
		On:     []session.Kind{session.KindResponse, session.KindFrame},
		Judge: func(s *session.State, c *session.Change) []Saw {
			x := c.Exchange
			switch {
			case x == nil || x.Op == a2a.OpCard || x.Op == a2a.OpToken || x.Withheld:
			case s.Asks() && denied(x) && s.Unauthenticated(x):
				return saw(session.Honoured, "credentials are required, and a call without any got "+denial(x), x.Request, c.Record.Seq)
			case s.AsksNothing() && served(c) && s.Unauthenticated(x) && !said(s, "security.refused"):
				return saw(session.Honoured, "nothing is asked for, and a call without credentials was served", x.Request, c.Record.Seq)
			}
			return nil
		},
	},
}

// denied reports whether an exchange was refused for want of credentials: by
// 401 or 403, which stand for gRPC's UNAUTHENTICATED and PERMISSION_DENIED too,
// or in JSON-RPC by an error that says so (1.0 §3.3.2).
func denied(x *session.Exchange) bool {
	return x != nil && (x.Status == a2a.StatusUnauthorized || x.Status == a2a.StatusForbidden || unauthenticated(x))
}

func unauthenticated(x *session.Exchange) bool {
	return x.Error != nil && x.Error.A2A && x.Error.Name == a2a.ErrUnauthenticated
}

// denial is a refusal for want of credentials in a few words.
func denial(x *session.Exchange) string {
	if x.Status/100 == 2 && unauthenticated(x) {
		return fmt.Sprintf("%s (%d)", x.Error.Name, x.Error.Code)
	}
	if x.Binding == a2a.GRPC {
		return map[int]string{a2a.StatusUnauthorized: "UNAUTHENTICATED", a2a.StatusForbidden: "PERMISSION_DENIED"}[x.Status]
	}
	return a2a.StatusText(x.Status)
}

// served reports whether the record shows that a call was carried out: a task,
// a message, a list or a card came. An error is no service, whatever it says.
func served(c *session.Change) bool {
	x, p := c.Exchange, c.Payload
	if x == nil || p == nil || x.Op == a2a.OpCard || x.Op == a2a.OpToken || p.Error != nil {
		return false
	}
	if c.Record.Kind == session.KindFrame && !c.FirstEvent {
		return false
	}
	return p.Task != nil || p.Message != nil || p.Status != nil || p.Artifact != nil || p.List != nil || p.Card != nil
}

// said reports whether a rule has spoken in this session.
func said(s *session.State, rule string) bool {
	for _, f := range s.Findings {
		if f.Rule == rule {
			return true
		}
	}
	return false
}

// listed joins what there is of a list, up to a few.
func listed(list []string) string {
	const most = 6
	if len(list) > most {
		return strings.Join(list[:most], ", ") + fmt.Sprintf(" and %d more", len(list)-most)
	}
	return strings.Join(list, ", ")
}
