package session

import (
	"fmt"
	"slices"
	"strings"

	"a2ascope/session/a2a"
)

// What --without leaves out of a request.
const (
	WithoutCredentials = "credentials"
	WithoutExtensions  = "extensions"
)

// SpokenAt is what became of calls to one declared interface.
type SpokenAt struct {
	N     int // on the card, from 1
	At    Interface
	Alive uint64 // record in which an agent answered as this binding; 0 for none
	Dead  uint64 // record in which something else did, before any agent had
	Why   string // of Dead
}

// listInterfaces keeps the declared interfaces that the console speaks, with
// what is known of those that were there before.
func (s *State) listInterfaces() {
	before := s.Peer.Spoken
	s.Peer.Spoken = nil
	for n, i := range s.Peer.Card.Interfaces {
		at, ok := s.usable(i)
		if !ok {
			continue
		}
		next := SpokenAt{N: n + 1, At: at}
		for _, b := range before {
			if b.At == at {
				next.Alive, next.Dead, next.Why = b.Alive, b.Dead, b.Why
			}
		}
		s.Peer.Spoken = append(s.Peer.Spoken, next)
	}
}

// usable completes a declared interface, and reports whether the console
// speaks it.
func (s *State) usable(i a2a.Interface) (Interface, bool) {
	if !speaks(i) {
		return Interface{}, false
	}
	at := s.resolve(i)
	return Interface{URL: at, Binding: i.Binding, Gen: generationOf(i.Generation), Tenant: i.Tenant}, at != ""
}

// interfaceN returns the card's nth interface, or why it cannot be called.
func (s *State) interfaceN(n int) (*Interface, error) {
	card := s.Peer.Card
	if card == nil {
		return nil, fmt.Errorf("no card was read, so no interface is numbered")
	}
	if n > len(card.Interfaces) {
		return nil, fmt.Errorf("the card declares %s, and no number %d", plural(len(card.Interfaces), "interface"), n)
	}
	at, ok := s.usable(card.Interfaces[n-1])
	if !ok {
		return nil, fmt.Errorf("interface %d (%s %s) cannot be called from here", n, card.Interfaces[n-1].Binding, card.Interfaces[n-1].Generation)
	}
	return &at, nil
}

// otherInterface has an obligation go through the interface that --on names.
// It reports false where there is none, and ends the command then.
func (s *State) otherInterface(cs *CommandState, o *Obligation) bool {
	if cs.Cmd.On == 0 {
		return true
	}
	on, err := s.interfaceN(cs.Cmd.On)
	if err != nil {
		s.commandOver(cs, ResultCannot, err.Error())
		return false
	}
	o.On, o.Purpose = on, PurposeCompare
	return true
}

// answeredAt keeps whether a declared interface answers as the binding it
// names. An error of the agent is an answer; a page of a proxy is not, and a
// status that may pass (429, 5xx) or asks for credentials says nothing.
func (s *State) answeredAt(x *Exchange, status int, stream bool) {
	for i := range s.Peer.Spoken {
		sp := &s.Peer.Spoken[i]
		if x.Binding != sp.At.Binding || !SameDialect(x.Gen, sp.At.Gen) || !under(x.URL, sp.At.URL) {
			continue
		}
		switch agent := x.Kind == a2a.KindTask || x.Kind == a2a.KindMessage || x.Kind == a2a.KindList || stream ||
			x.Error != nil && x.Error.A2A && x.Error.Name != a2a.ErrMethodNotFound; {
		case agent && sp.Alive == 0:
			sp.Alive = x.Answer
		case agent || x.Op == a2a.OpRaw && x.Purpose != PurposeCompare || sp.Dead != 0:
		case status == a2a.StatusNotFound || status == a2a.StatusMethodRefused || status == a2a.StatusTypeUnsupported || status == a2a.StatusNotImplemented:
			sp.Dead, sp.Why = x.Answer, a2a.StatusText(status)
		case status/100 == 2 && x.Kind == a2a.KindUnreadable:
			sp.Dead, sp.Why = x.Answer, a2a.StatusText(status)+" with a body that is no JSON"
		}
	}
}

// under reports whether an address is an interface's, or one of its
// operations.
func under(address, base string) bool {
	rest, ok := strings.CutPrefix(address, strings.TrimSuffix(base, "/"))
	return ok && (rest == "" || rest[0] == '/' || rest[0] == '?')
}

// composeAccess fixes what a request says of us: the extensions, and whether
// the credentials go with it.
func (s *State) composeAccess(c *Call, o *Obligation, cmd *Command) {
	c.Bare = slices.Contains(cmd.Without, WithoutCredentials)
	if slices.Contains(cmd.Without, WithoutExtensions) {
		c.Extensions = nil
	}
	if o.Op != a2a.OpExtendedCard {
		return
	}
	c.Params.Method = o.Method
	if o.URL != "" {
		c.URL = o.URL
	}
	if at := parentOf(c.URL); o.Rung == 0 && c.Gen == a2a.Gen02 && at != "" {
		c.URL, c.Binding, c.Params.Method = at, a2a.REST, extendedCard02
	}
}

// extendedCard02 is how 0.2 has the extended card: beside the endpoint, and no
// method of JSON-RPC (0.2.6, 7.10).
const extendedCard02 = "GET /agent/authenticatedExtendedCard"

// requiredExtensions are those without which the card says that no call is
// served.
func (s *State) requiredExtensions() []string {
	if s.Peer.Card == nil {
		return nil
	}
	var out []string
	for _, e := range s.Peer.Card.Extensions {
		if e.Required && e.URI != "" && len(out) < maxExtensions {
			out = append(out, e.URI)
		}
	}
	return out
}

const maxExtensions = 20

// Asks reports whether the card asks every caller for credentials: there are
// requirements, and none of them is empty.
func (s *State) Asks() bool {
	c := s.Peer.Card
	if c == nil || len(c.Security) == 0 {
		return false
	}
	return !slices.ContainsFunc(c.Security, func(alt []string) bool { return len(alt) == 0 })
}

// AsksNothing reports whether nothing on the card says that credentials could
// be needed.
func (s *State) AsksNothing() bool {
	c := s.Peer.Card
	return c != nil && len(c.Security) == 0 && len(c.Schemes) == 0 && !slices.ContainsFunc(c.Skills, func(k a2a.Skill) bool { return k.Secured })
}

// Secured reports whether the card names a way to give credentials.
func (s *State) Secured() bool { return s.Peer.Card != nil && len(s.Peer.Card.Schemes) > 0 }

// Unauthenticated reports whether a request went without anything that could
// let us in: no credentials, and no header of the operator's that may hold
// some.
func (s *State) Unauthenticated(x *Exchange) bool {
	if x.With != "" {
		return false
	}
	if x.Command > 0 && slices.Contains(s.Commands[x.Command-1].Cmd.Without, WithoutCredentials) {
		return true
	}
	for _, ref := range s.Peer.Credentials {
		if cmd, err := ParseCommand(ref.Line); err == nil && (cmd.Name == "auth" || cmd.Secret || ref.Seq < x.Request && cmd.Name == "header" && !plainHeader(cmd.Header)) {
			return false
		}
	}
	return true
}

// plainHeader reports whether a header tells nothing that could let us in.
func plainHeader(header string) bool {
	name, _, _ := strings.Cut(header, ":")
	switch strings.ToLower(strings.TrimSpace(name)) {
	case "accept", "accept-language", "user-agent", "a2a-version", "a2a-extensions", "x-a2a-extensions", "traceparent", "x-request-id", "x-tenant-id", "x-tenant":
		return true
	}
	return false
}
