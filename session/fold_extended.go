package session

import (
	"net/url"
	"strings"

	"a2ascope/session/a2a"
)

// cardName is one way to ask for the extended card.
type cardName struct {
	on     Interface
	url    string // in place of the interface's; empty for that
	method string // in place of the operation's own name; empty for that
}

// otherCardName asks for the extended card by its next name, where the peer
// does not know this one (field case 29), and reports whether it does.
func (s *State) otherCardName(c *Change, x *Exchange) bool {
	if x.Op != a2a.OpExtendedCard || !unknownName(x) {
		return false
	}
	o := s.obligationN(x.Obligation)
	names := s.cardNames()
	if o == nil || o.Rung >= len(names) {
		return false
	}
	next := names[o.Rung]
	o.Exchange, o.On, o.URL, o.Method = 0, &next.on, next.url, next.method
	o.Rung++
	c.Climbed = true
	return true
}

// cardNames are the names that follow the extended card's own: that of the
// other generation (over HTTP+JSON with /v1 in front and without it, as servers
// of one generation differ: that of the Go SDK has 1.0's path in 0.3 too), and
// the one that 0.2 has, beside the endpoint.
func (s *State) cardNames() []cardName {
	use := s.Peer.Use
	var out []cardName
	switch {
	case use.Gen == a2a.Gen02 && use.Binding == a2a.JSONRPC: // its own is the last of the others'
		for _, g := range []a2a.Generation{a2a.Gen03, a2a.Gen10} {
			on := use
			on.Gen = g
			out = append(out, cardName{on: on})
		}
		return out
	case use.Binding == a2a.REST:
		for _, path := range otherCardPaths(use) {
			out = append(out, cardName{on: use, method: "GET " + path})
		}
	default:
		on := use
		on.Gen = a2a.Gen10
		if use.Gen == a2a.Gen10 {
			on.Gen = a2a.Gen03
		}
		out = append(out, cardName{on: on})
	}
	if parent := parentOf(use.URL); parent != "" && use.Binding != a2a.GRPC {
		on := use
		on.Binding, on.Gen = a2a.REST, a2a.Gen02
		out = append(out, cardName{on: on, url: parent, method: extendedCard02})
	}
	return out
}

// otherCardPaths are the paths of the extended card below an interface of
// HTTP+JSON, without the one that is asked for first.
func otherCardPaths(use Interface) []string {
	modern := use.Gen == a2a.Gen10
	own, other := "/card", "/extendedAgentCard" // 0.3 §3.5.6; 1.0 §5.3
	here, there := "/v1", ""
	if modern {
		own, other = other, own
	}
	if modern != use.Form.OtherPrefix {
		here, there = there, here
	}
	tenant := ""
	if modern && use.Tenant != "" && !use.Form.TenantInside {
		tenant = "/" + url.PathEscape(use.Tenant)
	}
	return []string{here + tenant + other, there + tenant + other, there + tenant + own}
}

// unknownName reports whether an answer says that nothing goes by this name.
func unknownName(x *Exchange) bool {
	e := x.Error
	if e == nil {
		return false
	}
	switch {
	case e.Name == a2a.ErrMethodNotFound || e.Name == a2a.ErrVersionNotSupported:
		return true
	case e.A2A:
		return false
	}
	return x.Status == a2a.StatusNotFound || x.Status == a2a.StatusMethodRefused || x.Status == a2a.StatusNotImplemented
}

// Routes reports whether the agent is shown to answer calls where an exchange
// went, by another name than that of the exchange: only then is a missing path
// a missing thing, and no wrong address.
func (s *State) Routes(x *Exchange) bool {
	if s.Peer.Proven {
		return true
	}
	for _, y := range s.Exchanges {
		if y.Obligation == x.Obligation && x.Obligation != 0 && y.Error != nil && y.Error.A2A {
			return true
		}
	}
	return false
}

// parentOf is the address one path segment up; empty for what cannot be read.
func parentOf(raw string) string {
	a, err := readAddress(raw)
	if err != nil {
		return ""
	}
	a.path = strings.TrimSuffix(a.path, "/")
	if i := strings.LastIndexByte(a.path, '/'); i >= 0 {
		a.path = a.path[:i]
	}
	a.query, a.hasQuery = "", false
	return a.String()
}
