package session

import (
	"regexp"
	"strings"

	"a2ascope/session/a2a"
)

// climb sends a refused request to the next rung of the ladder, and reports
// whether it did. A message goes out again only when the answer proves that it
// was not taken (DESIGN.md §5, "Never sent twice").
func (s *State) climb(c *Change, x *Exchange, status int) bool {
	p := &s.Peer
	if x.Purpose == PurposeCompare {
		return false // it is about that interface, and no other
	}
	if !notTaken(x, status) {
		if x.Error == nil || x.Error.A2A {
			s.proven(c, x)
		}
		return false
	}
	o := s.obligationN(x.Obligation)
	if o == nil || x.Op == a2a.OpRaw || x.Op == a2a.OpExtendedCard {
		return false
	}
	o.Tried = append(o.Tried, o.rung(p))
	next := s.nextForm(o, x, status)
	if next == nil {
		next = s.rungsLeft(o)
	}
	if next == nil {
		return false
	}
	if !x.Over {
		s.endExchange(x, c.Record.Seq)
		x.Detach = true
	}
	o.Exchange = 0
	o.Rung++
	o.On = next
	c.Climbed = true
	return true
}

// proven keeps that the agent itself answered at the rung that the exchange
// stands on. A rung that was climbed to is pinned for the session.
func (s *State) proven(c *Change, x *Exchange) {
	p := &s.Peer
	s.learnForm(c, x)
	if p.Proven || x.Op == a2a.OpCard || x.Op == a2a.OpExtendedCard && x.Rung > 0 {
		return
	}
	p.Proven, c.ProvenNow = true, true
	if x.Rung == 0 {
		return
	}
	p.Pinned = true
	p.Use = x.On
}

// rung returns the interface that the obligation's request goes to.
func (o *Obligation) rung(p *PeerState) Interface {
	if o.On != nil {
		return *o.On
	}
	return p.Use
}

// rungsLeft returns the next interface to try for an obligation, or nil: the
// card's others of the same binding first, then the other generations at the
// same address, and then the card's other bindings, unless the operator said
// which one to use.
func (s *State) rungsLeft(o *Obligation) *Interface {
	if s.Peer.Proven || s.Peer.Pinned {
		return nil
	}
	tried := func(i Interface) bool {
		if i == s.Peer.Use && o.On == nil && len(o.Tried) == 0 {
			return true
		}
		for _, t := range o.Tried {
			if t.URL == i.URL && t.Binding == i.Binding && SameDialect(t.Gen, i.Gen) {
				return true
			}
		}
		return false
	}
	list := s.interfaces()
	for _, i := range list {
		if i.Binding == s.Peer.Use.Binding && !tried(i) {
			return &i
		}
	}
	for _, g := range Generations {
		i := s.Peer.Use
		i.Gen = g
		if i.URL != "" && has(i.Binding, g) && !tried(i) {
			return &i
		}
	}
	for _, i := range list {
		if s.Peer.Wanted == "" && s.Peer.Override == "" && !tried(i) {
			return &i
		}
	}
	return nil
}

// has reports whether a generation has a binding.
func has(b a2a.Binding, g a2a.Generation) bool {
	return b == a2a.JSONRPC || g != a2a.Gen01 && g != a2a.Gen02
}

// lacks says why an operation cannot be asked for in the generation that is
// spoken: it came later. It is empty where it can, and where none is spoken yet.
func (s *State) lacks(op a2a.Operation) string {
	on := s.Peer.Use
	if on.URL == "" || on.Binding != a2a.JSONRPC || op == a2a.OpRaw || a2a.RPCMethod(op, on.Gen) != "" || op == a2a.OpExtendedCard && on.Gen == a2a.Gen02 {
		return ""
	}
	return "A2A " + string(on.Gen) + " has no " + strings.ReplaceAll(string(op), "-", " ") + "; \"interface\" chooses another generation"
}

// SameDialect reports whether two generations are one on the wire: 0.2 and 0.3 call the same methods by the same names.
func SameDialect(a, b a2a.Generation) bool {
	fold := func(g a2a.Generation) a2a.Generation {
		if g == a2a.Gen02 {
			return a2a.Gen03
		}
		return g
	}
	return fold(a) == fold(b)
}

// notTaken reports whether an answer proves that the request was not taken.
func notTaken(x *Exchange, status int) bool {
	e := x.Error
	if e == nil {
		return false
	}
	switch e.Name {
	case a2a.ErrMethodNotFound, a2a.ErrVersionNotSupported:
		return true
	case a2a.ErrTaskNotFound:
		if e.A2A {
			return false
		}
	}
	if !e.A2A {
		switch status {
		case a2a.StatusNotFound, a2a.StatusMethodRefused, a2a.StatusTypeUnsupported, a2a.StatusNotImplemented:
			return true
		}
	}
	return refusesForm(x, status) || e.A2A && refusesCall(e)
}

// refusesCall reports whether an error's text names the method or the version
// as what is refused. An internal error has to say it of the method in so many
// words: with any other the task may have run.
func refusesCall(e *a2a.Error) bool {
	text := strings.ToLower(e.Message + " " + string(e.Data))
	for _, w := range []string{"method not found", "unknown method", "unsupported method"} {
		if strings.Contains(text, w) {
			return true
		}
	}
	if strings.Contains(text, "deprecated") && (strings.Contains(text, "hook") || strings.Contains(text, "method")) {
		return true
	}
	if e.Name == a2a.ErrInternal {
		return false
	}
	for _, w := range []string{"protocol version", "unsupported version", "version not supported", "version is not supported"} {
		if strings.Contains(text, w) {
			return true
		}
	}
	return versionOnly.MatchString(text)
}

// versionOnly is an agent that says which version it speaks (field case 35).
var versionOnly = regexp.MustCompile(`\b(?:speaks?|supports?|understands?)(?: only)?(?: a2a)? (?:v|version )?[01]\.[0-9x]\b|\bonly(?: a2a)? (?:v|version )?[01]\.[0-9x]\b|\b[01]\.[0-9x] only\b`)

// otherNames are what servers of 1.0 call some methods besides (field case
// 131).
var otherNames = map[a2a.Operation]string{
	a2a.OpPushList: "ListTaskPushNotificationConfig",
	a2a.OpPushSet:  "SetTaskPushNotificationConfig",
}

// otherName sends a call whose method the peer does not know once more, under
// the other name that it has with some servers. It reports whether it did.
func (s *State) otherName(c *Change, x *Exchange) bool {
	o := s.obligationN(x.Obligation)
	name := otherNames[x.Op]
	if o == nil || name == "" || o.Method != "" || x.Gen != a2a.Gen10 || x.Binding != a2a.JSONRPC || x.Error == nil || x.Error.Name != a2a.ErrMethodNotFound {
		return false
	}
	o.Method, o.Exchange = name, 0
	c.Climbed = true
	return true
}
