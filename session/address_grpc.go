package session

import (
	"fmt"
	"slices"
	"strings"

	"a2ascope/session/a2a"
)

// An agent of gRPC has an address that no card need name: grpc://HOST:PORT is
// spoken in clear, grpcs:// over TLS. It is the same origin as http:// and
// https:// of that host and port, and its card comes by a call.

// rpcCards are the calls that bring a card, as the paths of their addresses,
// newest first.
var rpcCards = []struct {
	path string
	gen  a2a.Generation
}{
	{"/lf.a2a.v1.A2AService/GetExtendedAgentCard", a2a.Gen10},
	{"/a2a.v1.A2AService/GetAgentCard", a2a.Gen03},
}

// overRPC writes an address of gRPC as the http or https address that it is
// on the wire. It reports false, and leaves the address alone, where it is
// none.
func overRPC(raw string) (string, bool) {
	scheme, rest, ok := strings.Cut(raw, "://")
	if ok {
		switch strings.ToLower(scheme) {
		case "grpc":
			return "http://" + rest, true
		case "grpcs":
			return "https://" + rest, true
		}
	}
	return raw, false
}

// readTyped is readAddress for what may be an address of gRPC.
func readTyped(raw string) (address, error) {
	plain, _ := overRPC(raw)
	return readAddress(plain)
}

// asRPC spells an address as one of gRPC.
func (a address) asRPC() string {
	return strings.Replace(a.String(), "http", "grpc", 1) // https becomes grpcs
}

// readRPC cuts an address of gRPC up. A path other than that of a card's call
// is refused: gRPC has none.
func readRPC(raw string) (address, error) {
	plain, _ := overRPC(raw)
	a, err := readAddress(plain)
	if err != nil {
		return a, err
	}
	if a.host == "" {
		return a, fmt.Errorf("the address %s has no host; write it like grpc://agents.example:50051", quoteURL(raw))
	}
	if rest, _ := a.base(); strings.Trim(rest.path, "/") != "" || a.hasQuery {
		a.path, a.query, a.hasQuery = "", "", false
		return a, fmt.Errorf("the address %s has a path, and gRPC has none: write %s, or http:// where a card is read over HTTP", quoteURL(raw), a.asRPC())
	}
	return a, nil
}

// rpcPlaces lists where a card is asked for at an address of gRPC: the calls
// of both generations, and then the well-known places of the same origin, as
// one port may serve both.
func rpcPlaces(typed string) ([]string, error) {
	a, err := readRPC(typed)
	if err != nil {
		return nil, err
	}
	var places []string
	root := a
	root.path = ""
	for _, c := range rpcCards {
		place := root.below(c.path).asRPC()
		if c.path == a.path {
			places = slices.Insert(places, 0, place)
		} else {
			places = append(places, place)
		}
	}
	return append(places, root.below(wellKnownCard).String(), root.below(wellKnownLegacy).String()), nil
}

// cardCall has a call ask for a card at one of its places.
func (c *Call) cardCall(place string) {
	plain, rpc := overRPC(place)
	if c.URL = plain; !rpc {
		return
	}
	for _, k := range rpcCards {
		if at, ok := strings.CutSuffix(plain, k.path); ok {
			c.URL, c.Binding, c.Gen = at, a2a.GRPC, k.gen
		}
	}
}

// cardAt is the address of the card that an exchange asked for.
func cardAt(x *Exchange) string {
	if x.Binding == a2a.GRPC && x.Op == a2a.OpCard {
		if a, err := readAddress(x.URL); err == nil {
			for _, k := range rpcCards {
				if k.gen == x.Gen {
					a.path = ""
					return a.below(k.path).asRPC()
				}
			}
		}
	}
	return x.URL
}

// answersRPC keeps that a gRPC server stands where discovery asked one for its
// card: calls may go there, whether there is a card or not.
func (s *State) answersRPC(x *Exchange, b *Responded) {
	if x.Binding == a2a.GRPC && (len(b.ProtoJSON) > 0 || strings.HasPrefix(b.ContentType, "application/grpc")) {
		s.Peer.RPC = x.URL
	}
}

// preferRPC settles what the operator's spelling of an address says of the
// binding: a card found by gRPC is used by gRPC, and where it names no address,
// or where there is none, the one that answered serves.
func (p *PeerState) preferRPC(list []Interface) {
	if p.RPC == "" || p.Wanted != "" {
		return
	}
	if i := slices.IndexFunc(list, func(i Interface) bool { return i.Binding == a2a.GRPC }); i >= 0 {
		p.Use = list[i]
	} else if p.Use.URL == "" {
		p.Use = Interface{URL: p.RPC, Binding: a2a.GRPC, Gen: a2a.Gen10}
	}
}

// override puts the endpoint that the operator typed in the place of the
// declared one. Written as one of gRPC, it is spoken by gRPC.
func (p *PeerState) override() {
	at, rpc := overRPC(p.Override)
	p.Use.URL = at
	if rpc {
		p.Use.Binding = a2a.GRPC
	}
	if p.Use.Binding == "" {
		p.Use.Binding = a2a.JSONRPC
	}
	if p.Use.Gen == "" || rpc && !has(a2a.GRPC, p.Use.Gen) {
		p.Use.Gen = a2a.Gen10
	}
}

// leaveRPC drops an override of gRPC when the operator chooses an interface
// that is spoken otherwise.
func (s *State) leaveRPC() {
	p := &s.Peer
	if _, rpc := overRPC(p.Override); rpc && p.Wanted != "" && s.wantedInterface(s.interfaces()).Binding != a2a.GRPC {
		p.Override = ""
	}
}
