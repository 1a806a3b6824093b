package session

import (
	"net/url"
	"strconv"
	"strings"
)

// AddressProblem is something about a declared endpoint that keeps callers
// from using it, or that an operator should know.
type AddressProblem struct {
	Code   string // kebab-case: one of the Addr constants
	Info   bool   // odd, but usable
	Detail string // one sentence
	// Fallback is the address to try in its place; empty for none.
	Fallback string
}

// The codes of an AddressProblem.
const (
	AddrUnroutable = "card-url-unroutable"
	AddrDowngrade  = "card-url-scheme-downgrade"
	AddrIsCard     = "card-url-points-to-card"
	AddrMissing    = "card-url-missing"
	AddrRelative   = "card-url-relative"
	AddrForeign    = "card-url-foreign-origin"
	AddrIsCall     = "card-url-points-to-operation"
	AddrDoubled    = "card-url-doubled"
)

// callPaths are the ends of paths of one operation each. An agent may still
// serve all of JSON-RPC below one: only a try can tell.
var callPaths = []string{
	"/message:send", "/message:stream", "/message/send", "/message/stream", "/tasks/send", "/tasks/sendSubscribe", "/tasks/get", "/tasks/cancel",
}

// ResolveEndpoint says what a declared endpoint means on a card that was read
// at cardURL, and what is wrong with it. Only a relative address is completed;
// any other is returned as declared, and is empty when there is none or when
// it cannot be read.
func ResolveEndpoint(cardURL, declared string) (string, []AddressProblem) {
	card, err := readTyped(cardURL)
	if err != nil {
		card = address{}
	}
	declared = strings.TrimSpace(declared)
	if declared == "" {
		return "", []AddressProblem{{Code: AddrMissing, Detail: "the card names no address", Fallback: agentAt(card)}}
	}
	var problems []AddressProblem
	resolved := declared
	if scheme, _, ok := strings.Cut(declared, "://"); !ok || strings.ContainsAny(scheme, "/?#") {
		if resolved = complete(card, declared); resolved == "" {
			return "", []AddressProblem{{Code: AddrUnroutable, Detail: quoteURL(declared) + " is no http address", Fallback: agentAt(card)}}
		}
		problems = append(problems, AddressProblem{
			Code: AddrRelative, Detail: quoteURL(declared) + " is relative; other clients will not know to what", Fallback: resolved,
		})
	}
	a, err := readAddress(resolved)
	if err != nil {
		p := AddressProblem{Code: AddrUnroutable, Detail: err.Error(), Fallback: agentAt(card)}
		if _, err := url.Parse(resolved); err != nil {
			resolved = ""
		}
		return resolved, append(problems, p)
	}
	return resolved, append(problems, a.problems(card)...)
}

// problems is what is wrong with an absolute address on a card.
func (a address) problems(card address) []AddressProblem {
	var out []AddressProblem
	here := a // with the card's origin in place of its own
	here.scheme, here.host, here.port = card.scheme, card.host, card.port
	fallback := ""
	if card.host != "" {
		fallback = here.String()
	}
	unroutable := a.unroutable(card)
	if unroutable != "" {
		out = append(out, AddressProblem{Code: AddrUnroutable, Detail: unroutable, Fallback: fallback})
	}
	downgrade := card.scheme == "https" && a.scheme == "http"
	if downgrade {
		out = append(out, AddressProblem{
			Code: AddrDowngrade, Detail: "the card came over https and names an http address: credentials would go in clear",
			Fallback: a.upgraded(card, unroutable != "").String(),
		})
	}
	if base, ok := a.base(); ok {
		out = append(out, AddressProblem{
			Code: AddrIsCard, Detail: "the address ends like one of a card, which only answers GET", Fallback: base.rooted().String(),
		})
	}
	out = append(out, a.misplaced(card)...)
	same := a.host == card.host && (downgrade || a.origin() == card.origin())
	if unroutable == "" && card.host != "" && !same {
		out = append(out, AddressProblem{
			Code: AddrForeign, Info: true, Fallback: fallback,
			Detail: "the card came from " + card.origin() + " and names " + a.origin() + "; credentials do not go there by themselves",
		})
	}
	return out
}

// misplaced is what looks wrong with an address's path, and may yet be right.
func (a address) misplaced(card address) []AddressProblem {
	for _, end := range callPaths {
		if rest, ok := strings.CutSuffix(a.path, end); ok {
			a.path = rest
			return []AddressProblem{{
				Code: AddrIsCall, Info: true, Detail: "the address ends in " + end + " like that of one operation, and the others are not below it", Fallback: a.rooted().String(),
			}}
		}
	}
	base, _ := card.base()
	home := strings.TrimRight(base.path, "/")
	rest, ok := strings.CutPrefix(a.path, home+home)
	if home == "" || !ok || rest != "" && rest[0] != '/' {
		return nil
	}
	twice := a.path
	a.path = home + rest
	return []AddressProblem{{
		Code: AddrDoubled, Info: true, Detail: "the card came from below " + home + " and names " + twice + ": a gateway may have put its path in front twice", Fallback: a.String(),
	}}
}

// unroutable says why callers elsewhere cannot reach an address, if so.
func (a address) unroutable(card address) string {
	switch {
	case a.host == "":
		return "the address has no host"
	case wildcard(a.host):
		return a.host + " means every address of the peer's own machine; nobody can call it"
	case loopback(a.host) && card.host != "" && !loopback(card.host):
		return a.host + " means the caller's own machine, and the card came from " + card.host
	}
	return ""
}

// upgraded is the address over https. The port of plain http goes; a port
// that the card's own host was not asked at stays, as only a try can tell.
func (a address) upgraded(card address, unroutable bool) address {
	if unroutable || a.host == card.host && (a.port == "" || a.port == "80") {
		a.host, a.port = card.host, card.port
	}
	if a.port == "80" {
		a.port = ""
	}
	a.scheme = "https"
	return a
}

// rooted has at least a slash for its path.
func (a address) rooted() address {
	if a.path == "" {
		a.path = "/"
	}
	return a
}

// agentAt is the address that a card's own address suggests for its agent.
func agentAt(card address) string {
	if card.host == "" {
		return ""
	}
	base, _ := card.base()
	base.query, base.hasQuery = "", false
	return base.rooted().String()
}

// complete makes a relative address absolute. A path without a slash in front
// goes below the agent, not below /.well-known; HOST:PORT lacks its scheme
// alone. Empty means that it is neither.
func complete(card address, declared string) string {
	if card.host == "" {
		return ""
	}
	if rest, ok := strings.CutPrefix(declared, "//"); ok {
		return card.scheme + "://" + rest
	}
	first, _, _ := strings.Cut(declared, "/")
	if i := strings.LastIndexByte(first, ':'); i >= 0 {
		if _, err := strconv.ParseUint(first[i+1:], 10, 16); err != nil {
			return ""
		}
		return card.scheme + "://" + declared
	}
	if strings.HasPrefix(declared, "/") {
		return card.origin() + declared
	}
	base, _ := card.base()
	base.query, base.hasQuery = "", false
	return base.below("/" + strings.TrimPrefix(declared, "./")).String()
}

// loopback reports whether a host is the caller's own machine. It reads names
// by hand: the domain imports no network.
func loopback(host string) bool {
	host = strings.TrimSuffix(strings.TrimPrefix(host, "::ffff:"), ".")
	if host == "localhost" || strings.HasSuffix(host, ".localhost") || host == "::1" || host == "0:0:0:0:0:0:0:1" {
		return true
	}
	parts := strings.Split(host, ".")
	if len(parts) != 4 || parts[0] != "127" {
		return false
	}
	for _, p := range parts {
		if _, err := strconv.ParseUint(p, 10, 8); err != nil {
			return false
		}
	}
	return true
}

// wildcard reports whether a host is the address that servers listen on to be
// reached at any of theirs.
func wildcard(host string) bool {
	switch strings.TrimPrefix(host, "::ffff:") {
	case "0.0.0.0", "0", "::", "0:0:0:0:0:0:0:0", "*":
		return true
	}
	return false
}

// ResolveGRPC says where a declared gRPC interface is, as an http or https
// address: plain or over TLS. Such addresses are mostly a bare HOST:PORT, which
// is as safe as the card's own address, plain on the caller's own machine, and
// never plain on port 443. It is empty for what cannot be an address.
func ResolveGRPC(cardURL, declared string) string {
	declared = strings.TrimPrefix(strings.TrimSpace(declared), "dns:///")
	if declared == "" {
		return ""
	}
	scheme, rest, ok := strings.Cut(declared, "://")
	if ok {
		switch strings.ToLower(scheme) {
		case "grpc":
			scheme = "http"
		case "grpcs":
			scheme = "https"
		}
	} else {
		scheme, rest = "https", declared
		if card, err := readTyped(cardURL); err == nil {
			scheme = card.scheme
		}
		if a, err := readAddress("http://" + declared); err == nil && loopback(a.host) {
			scheme = "http"
		} else if err == nil && a.port == "443" {
			scheme = "https"
		}
	}
	out := scheme + "://" + rest
	if a, err := readAddress(out); err != nil || a.host == "" {
		return ""
	}
	return out
}
