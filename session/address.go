package session

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// The places of a card, newest first, below an agent's address.
const (
	wellKnownCard   = "/.well-known/agent-card.json"
	wellKnownLegacy = "/.well-known/agent.json"
)

// cardPaths are the ends of paths that only bring a card, longest first.
var cardPaths = []string{rpcCards[0].path, rpcCards[1].path, wellKnownCard, wellKnownLegacy, "/agent-card.json", "/agent.json", "/v1/card", "/card"}

// address is a URL cut up, with path and query as they were written: no slash
// is added or taken away, no escape rewritten. The user part is left out.
type address struct {
	scheme   string // in lower case
	host     string // in lower case, without port and brackets
	port     string // as written, or empty
	path     string
	query    string
	hasQuery bool
}

// origin is scheme, host and port; a default port is left out.
func (a address) origin() string {
	host := a.host
	if strings.Contains(host, ":") {
		host = "[" + strings.Replace(host, "%", "%25", 1) + "]"
	}
	if a.port != "" && a.port != defaultPorts[a.scheme] {
		host += ":" + a.port
	}
	return a.scheme + "://" + host
}

var defaultPorts = map[string]string{"http": "80", "https": "443"}

func (a address) String() string { return a.origin() + a.path + a.search() }

func (a address) search() string {
	if !a.hasQuery {
		return ""
	}
	return "?" + a.query
}

// below is the address with more path, joined by one slash.
func (a address) below(more string) address {
	a.path = strings.TrimSuffix(a.path, "/") + more
	return a
}

// base is the agent's address that a card's address belongs to, and whether
// it was one of a card.
func (a address) base() (address, bool) {
	for _, end := range cardPaths {
		if rest, ok := strings.CutSuffix(a.path, end); ok {
			if before, tenant, ok := strings.Cut(rest, "/.well-known/"); ok { // /.well-known/TENANT/agent-card.json
				rest = before + "/" + tenant
			}
			a.path = rest
			return a, true
		}
	}
	return a, false
}

// readAddress cuts an absolute http or https address up. Its errors say what
// to do and do not quote a user part.
func readAddress(raw string) (address, error) {
	scheme, rest, ok := strings.Cut(raw, "://")
	if !ok || strings.ContainsAny(scheme, "/?#@") {
		return address{}, fmt.Errorf("the address %s has no scheme; write %s", quoteURL(raw), quoteURL(withScheme(raw)))
	}
	a := address{scheme: strings.ToLower(scheme)}
	if defaultPorts[a.scheme] == "" {
		return address{}, fmt.Errorf("the address %s has the scheme %q; only http, https, grpc and grpcs can be spoken", quoteURL(raw), scheme)
	}
	rest, _, _ = strings.Cut(rest, "#")
	authority := rest
	if i := strings.IndexAny(rest, "/?"); i >= 0 {
		authority, rest = rest[:i], rest[i:]
	} else {
		rest = ""
	}
	a.path, a.query, a.hasQuery = strings.Cut(rest, "?")
	if i := strings.LastIndexByte(authority, '@'); i >= 0 {
		authority = authority[i+1:]
	}
	u, err := url.Parse(a.scheme + "://" + authority)
	if err != nil || strings.ContainsFunc(raw, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return address{}, fmt.Errorf("the address %s cannot be read; look for blanks and odd characters in the host", quoteURL(raw))
	}
	a.host, a.port = strings.ToLower(u.Hostname()), u.Port()
	if a.port != "" {
		if n, err := strconv.Atoi(a.port); err != nil || n < 1 || n > 65535 {
			return address{}, fmt.Errorf("the address %s has the port %s; a port is a number from 1 to 65535", quoteURL(raw), a.port)
		}
	}
	return a, nil
}

// quoteURL quotes an address for people, without its user part.
func quoteURL(raw string) string {
	scheme, rest, ok := strings.Cut(raw, "://")
	if !ok {
		scheme, rest = "", raw
	} else {
		scheme += "://"
	}
	end := len(rest)
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		end = i
	}
	if i := strings.LastIndexByte(rest[:end], '@'); i >= 0 {
		rest = rest[i+1:]
	}
	if r := []rune(rest); len(r) > 200 {
		rest = string(r[:200]) + "…"
	}
	return strconv.Quote(scheme + rest)
}

// withScheme guesses the scheme that was left out.
func withScheme(raw string) string {
	host := strings.ToLower(strings.TrimPrefix(raw, "//"))
	if i := strings.IndexAny(host, "/?#"); i >= 0 {
		host = host[:i]
	}
	name, port := host, ""
	if i := strings.LastIndexByte(host, ':'); i >= 0 && !strings.HasSuffix(host, "]") {
		name, port = host[:i], host[i+1:]
	}
	name = strings.Trim(name, "[]")
	if loopback(name) || wildcard(name) || port != "" && port != "443" {
		return "http://" + strings.TrimPrefix(raw, "//")
	}
	return "https://" + strings.TrimPrefix(raw, "//")
}

// CardPlaces lists the addresses to ask for a card, in order, for what an
// operator typed: it as it is when it looks like a card's address, the
// well-known places below it and at its origin, the place of a tenant of that
// name, the places of managed platforms, and at last it as it is. A query is
// kept, a user part is not: it is a credential. For grpc:// and grpcs:// the
// calls that bring a card come first, as addresses of that scheme.
func CardPlaces(typed string) ([]string, error) {
	typed = strings.TrimSpace(typed)
	if typed == "" {
		return nil, errors.New("there is no address; give the peer's URL, like https://agents.example/")
	}
	if _, rpc := overRPC(typed); rpc {
		return rpcPlaces(typed)
	}
	a, err := readAddress(typed)
	if err != nil {
		return nil, err
	}
	if a.host == "" {
		return nil, fmt.Errorf("the address %s has no host; write it like https://agents.example/", quoteURL(typed))
	}
	root := a
	root.path = ""
	base, isCard := a.base()
	if !isCard && strings.HasSuffix(a.path, ".json") {
		base, isCard = root, true
	}
	var places []string
	add := func(a address) {
		if s := a.String(); !slices.Contains(places, s) {
			places = append(places, s)
		}
	}
	if isCard {
		add(a)
	}
	add(base.below(wellKnownCard))
	add(base.below(wellKnownLegacy))
	add(root.below(wellKnownCard))
	add(root.below(wellKnownLegacy))
	if !isCard && strings.Count(strings.Trim(a.path, "/"), "/") == 0 && strings.Trim(a.path, "/") != "" {
		tenant := root // some peers have the tenant within the well-known path
		tenant.path = "/.well-known/" + strings.Trim(a.path, "/") + "/agent-card.json"
		add(tenant)
	}
	add(base.below("/v1/card"))
	add(base.below("/card"))
	add(a)
	return places, nil
}

// PeerKey is what a peer is known by: the address its card was read from,
// without the well-known end of its path. Letters of scheme and host are made
// small, a default port, a last slash, the user part, the fragment and
// parameters with the name of a secret are left out. What is no address of http
// or gRPC is its own key.
func PeerKey(cardURL string) string {
	plain, rpc := overRPC(strings.TrimSpace(cardURL))
	a, err := readAddress(plain)
	if err != nil {
		return cardURL
	}
	a, _ = a.base()
	a.path = strings.TrimRight(a.path, "/")
	var kept []string
	for _, p := range strings.Split(a.query, "&") {
		if name, _, _ := strings.Cut(p, "="); p != "" && !SecretName(name) {
			kept = append(kept, p)
		}
	}
	a.query, a.hasQuery = strings.Join(kept, "&"), len(kept) > 0
	if rpc {
		return a.asRPC()
	}
	return a.String()
}

// SameOrigin reports whether two addresses have scheme, host and port in
// common. Addresses that cannot be read have no origin, not even their own.
func SameOrigin(a, b string) bool {
	x, errX := readTyped(a)
	y, errY := readTyped(b)
	return errX == nil && errY == nil && x.host != "" && x.origin() == y.origin()
}
