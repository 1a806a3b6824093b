package session

import (
	"fmt"
	"strconv"
	"strings"

	"a2ascope/session/a2a"
)

// cardAnswered folds the answer from one place where a card may be. The card
// itself is folded from the card record that follows.
func (s *State) cardAnswered(c *Change, x *Exchange, b *Responded, body []byte) {
	o := s.obligationN(x.Obligation)
	if o == nil {
		return
	}
	s.answersRPC(x, b)
	card, why := CardFrom(b, body, o.wellKnown())
	if card != nil {
		x.Kind = a2a.KindCard
		return
	}
	switch {
	case b.Status/100 != 2 || b.Status == a2a.StatusNoContent:
	case b.Cut != "": // what was lost on the way is no word of the peer's
		s.FaultCount++
		s.LastFault = true
		if len(s.Faults) < maxFaults {
			s.Faults = append(s.Faults, FaultSeen{Seq: c.Record.Seq, What: "the card's body broke off: " + b.Cut})
		}
	case b.Truncated: // longer than we read: a limit of ours
	default:
		x.Kind = a2a.KindUnreadable
		s.Peer.NotCards = evidence(s.Peer.NotCards, c.Record.Seq)
	}
	o.Seen = append(o.Seen, fmt.Sprintf("%s: %s", cardAt(x), why))
	if o.Purpose == PurposeReread && b.Status == a2a.StatusNotModified {
		c.CardUnchanged = true
	}
	s.nextPlace(c, x, false)
}

// CardFrom reads a card from an answer to a card's GET, or says in a few words
// what came instead. An empty object is a card only where a card belongs.
func CardFrom(b *Responded, body []byte, wellKnown bool) (*a2a.Card, string) {
	if b.Status != a2a.StatusOK {
		if b.Challenge != "" {
			return nil, a2a.StatusText(b.Status) + ", asks for " + b.Challenge
		}
		return nil, a2a.StatusText(b.Status)
	}
	card, _, err := a2a.DecodeCard(body)
	switch {
	case err == nil:
	case b.Cut != "":
		return nil, "the body broke off: " + b.Cut
	case b.Truncated:
		return nil, "the answer is longer than a card may be"
	default:
		return nil, err.Error()
	}
	if card.Name == "" && len(card.Interfaces) == 0 && len(card.Skills) == 0 && card.Version == "" && !wellKnown {
		return nil, "a JSON object that is no card"
	}
	return &card, ""
}

// wellKnown: the place is one where even an empty object is a card. A card that
// is read again is replaced by nothing that has no member of a card.
func (o *Obligation) wellKnown() bool {
	return o.Purpose != PurposeReread && o.Rung < len(o.Places) && strings.Contains(o.Places[o.Rung], "/.well-known/")
}

// nextPlace goes on to the next place of a discovery, or ends it. After a
// fault the other places of the same origin are not tried: they would not
// answer either.
func (s *State) nextPlace(c *Change, x *Exchange, fault bool) {
	o := s.obligationN(x.Obligation)
	if o == nil {
		return
	}
	if o.Purpose == PurposeReread {
		s.fulfil(o.N)
		s.armReread(0)
		return
	}
	if fault {
		o.Seen = append(o.Seen, cardAt(x)+": "+x.Fault)
	}
	o.Exchange = 0
	for o.Rung++; o.Rung < len(o.Places); o.Rung++ {
		if !fault || !SameOrigin(o.Places[o.Rung], x.URL) {
			return
		}
	}
	s.Peer.Undiscovered = true
	c.DiscoveryFailed = true
	detail := "no card was found; asked " + strings.Join(o.Seen, "; ")
	if s.Peer.RPC != "" {
		s.chooseInterface()
		detail += "; a gRPC server answers there, and calls go to it without a card"
	}
	s.fulfil(o.N)
	if cs := s.CommandN(o.Command); cs != nil {
		s.commandOver(cs, ResultOK, detail)
	}
	if s.Peer.Use.URL == "" {
		s.nowhereToGo(o.N)
	}
}

// nowhereToGo ends the commands that waited for a discovery in vain.
func (s *State) nowhereToGo(discovery int) {
	var waited []*CommandState
	for _, o := range s.Obligations {
		if cs := s.CommandN(o.Command); o.After == discovery && cs != nil {
			waited = append(waited, cs)
		}
	}
	for _, cs := range waited { // ending one drops its obligations
		s.commandOver(cs, ResultCannot, s.noEndpoint())
	}
}

// PurposeReread marks a card's later reads.
const PurposeReread = "reread"

// Spoken lists the bindings that the console speaks, and Generations the
// generations, newest first.
var (
	Spoken      = []a2a.Binding{a2a.JSONRPC, a2a.REST, a2a.GRPC}
	Generations = []a2a.Generation{a2a.Gen10, a2a.Gen03, a2a.Gen02, a2a.Gen01}
)

// speaks reports whether the console can use an interface.
func speaks(i a2a.Interface) bool {
	for _, b := range Spoken {
		if b == i.Binding {
			return generationOf(i.Generation) != ""
		}
	}
	return false
}

func generationOf(g a2a.Generation) a2a.Generation {
	if g == "" {
		return a2a.Gen03 // an interface without a version speaks 0.3 (1.0, 3.6.2)
	}
	for _, known := range Generations {
		if g == known {
			return g
		}
	}
	return ""
}

// chooseInterface settles what requests go to: what the operator typed, else
// the first interface of the card that the console speaks.
func (s *State) chooseInterface() {
	p := &s.Peer
	list := s.interfaces()
	p.Declared = Interface{}
	if len(list) > 0 {
		p.Declared = list[0]
	}
	if p.Pinned {
		return
	}
	p.Use = p.Declared
	p.preferRPC(list)
	if p.Wanted != "" {
		p.Use = s.wantedInterface(list)
	}
	if p.WantedGen != "" {
		p.Use.Gen = p.WantedGen
	}
	if p.Override != "" {
		p.override()
	}
	p.Proven = false
}

// interfaces returns the card's interfaces that the console speaks, in the
// card's order, with their addresses made absolute.
func (s *State) interfaces() []Interface {
	if s.Peer.Card == nil {
		return nil
	}
	var out []Interface
	for _, i := range s.Peer.Card.Interfaces {
		if !speaks(i) {
			continue
		}
		resolved := s.resolve(i)
		if resolved == "" {
			continue
		}
		out = append(out, Interface{URL: resolved, Binding: i.Binding, Gen: generationOf(i.Generation), Tenant: i.Tenant})
	}
	return out
}

// resolve is what an interface's address means on its card; empty for none.
func (s *State) resolve(i a2a.Interface) string {
	if i.Binding == a2a.GRPC {
		return ResolveGRPC(s.Peer.CardURL, i.URL)
	}
	resolved, _ := ResolveEndpoint(s.Peer.CardURL, i.URL)
	return resolved
}

// wantedInterface finds what "interface" asked for: the nth of the card, or
// one of a binding. A binding that the card does not name is tried at the
// declared address.
func (s *State) wantedInterface(list []Interface) Interface {
	p := &s.Peer
	if n, err := strconv.Atoi(p.Wanted); err == nil {
		if p.Card != nil && n >= 1 && n <= len(p.Card.Interfaces) {
			i := p.Card.Interfaces[n-1]
			return Interface{URL: s.resolve(i), Binding: i.Binding, Gen: generationOf(i.Generation), Tenant: i.Tenant}
		}
		return p.Declared
	}
	want := map[string]a2a.Binding{"jsonrpc": a2a.JSONRPC, "rest": a2a.REST, "grpc": a2a.GRPC}[p.Wanted]
	for _, i := range list {
		if i.Binding == want && (p.WantedGen == "" || i.Gen == p.WantedGen) {
			return i
		}
	}
	out := p.Declared
	out.Binding = want
	return out
}
