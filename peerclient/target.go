package peerclient

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"

	"golang.org/x/net/idna"
)

// target is the address of a request, cut up but not rewritten: the path and
// query stay as they were typed, escapes and slashes included.
type target struct {
	scheme   string // http or https
	user     *url.Userinfo
	host     string // as in the Host header: name, and the port if one was typed
	dial     string // host:port
	name     string // for the certificate: the host without port, in ASCII
	path     string
	query    string
	hasQuery bool
}

// parseTarget cuts an address up. Its errors never quote the address, which
// may hold a password.
func parseTarget(raw string) (target, error) {
	scheme, rest, ok := strings.Cut(raw, "://")
	if !ok {
		return target{}, errors.New("the address has no scheme: write http:// or https:// in front of it")
	}
	t := target{scheme: strings.ToLower(scheme)}
	if t.scheme != "http" && t.scheme != "https" {
		return target{}, fmt.Errorf("the address has the scheme %.20q: only http and https can be spoken", scheme)
	}
	rest, _, _ = strings.Cut(rest, "#")
	authority := rest
	if i := strings.IndexAny(rest, "/?"); i >= 0 {
		authority, rest = rest[:i], rest[i:]
	} else {
		rest = ""
	}
	t.path, t.query, t.hasQuery = strings.Cut(rest, "?")
	if i := strings.LastIndexByte(authority, '@'); i >= 0 {
		u, err := url.Parse("http://" + authority[:i] + "@h")
		if err != nil {
			return target{}, errors.New("the address has a user part that cannot be read: percent-encode its special characters")
		}
		t.user, authority = u.User, authority[i+1:]
	}
	if err := t.setHost(authority); err != nil {
		return target{}, err
	}
	return t, nil
}

func (t *target) setHost(authority string) error {
	u, err := url.Parse(t.scheme + "://" + authority)
	if err != nil {
		return fmt.Errorf("the host %.100q of the address cannot be read", authority)
	}
	name, port := u.Hostname(), u.Port()
	if name == "" {
		return errors.New("the address has no host")
	}
	if !strings.Contains(name, ":") {
		if a, err := idna.Lookup.ToASCII(name); err == nil {
			name = a
		}
	}
	if strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
		return fmt.Errorf("the host %.100q of the address cannot be a host name", name)
	}
	bare, _, _ := strings.Cut(name, "%") // a zone is ours alone
	t.name, t.host = bare, bare
	if strings.Contains(bare, ":") {
		t.host = "[" + bare + "]"
	}
	if port != "" {
		t.host += ":" + port
	} else if t.scheme == "https" {
		port = "443"
	} else {
		port = "80"
	}
	t.dial = net.JoinHostPort(name, port)
	return nil
}

// join appends what an operation adds to the endpoint. The endpoint's own
// query stays, after the path.
func (t *target) join(path, query string) {
	if path != "" {
		if strings.HasSuffix(t.path, "/") && strings.HasPrefix(path, "/") {
			path = path[1:]
		}
		t.path += path
	}
	t.addQuery(query)
}

func (t *target) addQuery(query string) {
	if query == "" {
		return
	}
	if t.query != "" {
		t.query += "&"
	}
	t.query += query
	t.hasQuery = true
}

// String is the address without user and fragment.
func (t target) String() string { return t.scheme + "://" + t.host + t.path + t.search() }

func (t target) search() string {
	if !t.hasQuery {
		return ""
	}
	return "?" + t.query
}

// requestURI is what stands in the request line.
func (t target) requestURI() string {
	path := t.path
	if path == "" {
		path = "/"
	}
	return escapeIllegal(path + t.search())
}

// escapeIllegal percent-encodes the bytes that may not stand in a request
// line, and no others.
func escapeIllegal(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
		return s
	}
	var b strings.Builder
	for i := range len(s) {
		if c := s[i]; c <= ' ' || c >= 0x7f {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}
