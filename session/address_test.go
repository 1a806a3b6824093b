package session

import (
	"slices"
	"strings"
	"testing"
)

func TestCardPlaces(t *testing.T) {
	t.Parallel()
	cases := []struct {
		typed string
		want  []string
	}{
		{"https://h.example", []string{
			"https://h.example/.well-known/agent-card.json", "https://h.example/.well-known/agent.json",
			"https://h.example/v1/card", "https://h.example/card", "https://h.example"}},
		{" HTTP://H.example:80/ ", []string{
			"http://h.example/.well-known/agent-card.json", "http://h.example/.well-known/agent.json",
			"http://h.example/v1/card", "http://h.example/card", "http://h.example/"}},
		{"https://h.example/a2a/x?tenant=1", []string{
			"https://h.example/a2a/x/.well-known/agent-card.json?tenant=1", "https://h.example/a2a/x/.well-known/agent.json?tenant=1",
			"https://h.example/.well-known/agent-card.json?tenant=1", "https://h.example/.well-known/agent.json?tenant=1",
			"https://h.example/a2a/x/v1/card?tenant=1", "https://h.example/a2a/x/card?tenant=1", "https://h.example/a2a/x?tenant=1"}},
		{"https://h.example/acme/", []string{
			"https://h.example/acme/.well-known/agent-card.json", "https://h.example/acme/.well-known/agent.json",
			"https://h.example/.well-known/agent-card.json", "https://h.example/.well-known/agent.json",
			"https://h.example/.well-known/acme/agent-card.json",
			"https://h.example/acme/v1/card", "https://h.example/acme/card", "https://h.example/acme/"}},
		{"http://[::1]:9999/p/.well-known/agent.json", []string{
			"http://[::1]:9999/p/.well-known/agent.json", "http://[::1]:9999/p/.well-known/agent-card.json",
			"http://[::1]:9999/.well-known/agent-card.json", "http://[::1]:9999/.well-known/agent.json",
			"http://[::1]:9999/p/v1/card", "http://[::1]:9999/p/card"}},
		{"https://u:p@h.example/cards/one.json#x", []string{
			"https://h.example/cards/one.json",
			"https://h.example/.well-known/agent-card.json", "https://h.example/.well-known/agent.json",
			"https://h.example/v1/card", "https://h.example/card"}},
		{"https://h.example/re/ID/a2a/v1/card", []string{
			"https://h.example/re/ID/a2a/v1/card",
			"https://h.example/re/ID/a2a/.well-known/agent-card.json", "https://h.example/re/ID/a2a/.well-known/agent.json",
			"https://h.example/.well-known/agent-card.json", "https://h.example/.well-known/agent.json",
			"https://h.example/re/ID/a2a/card"}},
	}
	for _, tc := range cases {
		got, err := CardPlaces(tc.typed)
		if err != nil || !slices.Equal(got, tc.want) {
			t.Errorf("CardPlaces(%q) = %v, %v\nwant %v", tc.typed, strings.Join(got, "\n"), err, strings.Join(tc.want, "\n"))
		}
	}
}

func TestCardPlacesRefuses(t *testing.T) {
	t.Parallel()
	for typed, says := range map[string]string{
		"":                       "no address",
		"  \t":                   "no address",
		"localhost:8080":         `write "http://localhost:8080"`,
		"127.0.0.1:8080/a":       `write "http://127.0.0.1:8080/a"`,
		"agents.example/a":       `write "https://agents.example/a"`,
		"ftp://h.example":        `scheme "ftp"`,
		"http://":                "no host",
		"http:///x":              "no host",
		"http://:8080/":          "no host",
		"http://h.example:99999": "65535",
		"http://a b/":            "cannot be read",
		"http://h/\x00":          "cannot be read",
		"http://u:geheim@a b/":   "cannot be read",
	} {
		got, err := CardPlaces(typed)
		if err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "geheim") {
			t.Errorf("CardPlaces(%q) = %v, %v; want an error with %q", typed, got, err, says)
		}
	}
}

func TestPeerKey(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"https://H.example/.well-known/agent-card.json":      "https://h.example",
		"https://h.example:443/":                             "https://h.example",
		"http://h.example:8080/a/.well-known/agent.json":     "http://h.example:8080/a",
		"https://h.example/a/":                               "https://h.example/a",
		"https://h.example/.well-known/t1/agent-card.json":   "https://h.example/t1",
		"https://h.example/x/v1/card":                        "https://h.example/x",
		"https://u:p@h.example/x?agent=7&api_key=geheim#f":   "https://h.example/x?agent=7",
		"https://h.example/Case/.well-known/agent-card.json": "https://h.example/Case",
		"demo:honest": "demo:honest",
	} {
		if got := PeerKey(in); got != want {
			t.Errorf("PeerKey(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestSameOrigin(t *testing.T) {
	t.Parallel()
	cases := []struct {
		a, b string
		want bool
	}{
		{"https://h.example/a", "HTTPS://H.EXAMPLE:443/b?x", true},
		{"http://h.example:80", "http://u:p@h.example/", true},
		{"http://h.example", "https://h.example", false},
		{"http://h.example:8080", "http://h.example", false},
		{"http://h.example.evil.example", "http://h.example", false},
		{"http://h.example@evil.example/", "http://h.example/", false},
		{"http://h.example", "http://h.example:8080@evil.example", false},
		{"http://[::1]:1/", "http://[::1]:1/x", true},
		{"", "", false},
		{"/a", "/a", false},
		{"http:///a", "http:///a", false},
	}
	for _, tc := range cases {
		if got := SameOrigin(tc.a, tc.b); got != tc.want {
			t.Errorf("SameOrigin(%q, %q) = %v", tc.a, tc.b, got)
		}
	}
}

func TestResolveEndpoint(t *testing.T) {
	t.Parallel()
	const card = "https://h.example/x/.well-known/agent-card.json"
	cases := []struct {
		name, card, declared string
		resolved             string
		problems             []string // "code fallback"
	}{
		{"as it should be", card, "https://h.example/x", "https://h.example/x", nil},
		{"default port", card, "https://h.example:443/x", "https://h.example:443/x", nil},
		{"query and slashes stay", card, "https://h.example/x//?a=%2F", "https://h.example/x//?a=%2F", nil},
		{"missing", card, " ", "", []string{"card-url-missing https://h.example/x"}},
		{"missing at the root", "http://h.example/.well-known/agent.json", "", "", []string{"card-url-missing http://h.example/"}},
		{"rooted path", card, "/a2a", "https://h.example/a2a", []string{"card-url-relative https://h.example/a2a"}},
		{"path", card, "a2a/v1", "https://h.example/x/a2a/v1", []string{"card-url-relative https://h.example/x/a2a/v1"}},
		{"no scheme", card, "h.example:443/a", "https://h.example:443/a", []string{"card-url-relative https://h.example:443/a"}},
		{"host only after slashes", card, "//h.example/a", "https://h.example/a", []string{"card-url-relative https://h.example/a"}},
		{"wildcard 4", "http://h.example:9/.well-known/agent.json", "http://0.0.0.0:9999/rpc", "http://0.0.0.0:9999/rpc", []string{"card-url-unroutable http://h.example:9/rpc"}},
		{"wildcard 6", "http://h.example:9/.well-known/agent.json", "http://[::]:8080/invoke", "http://[::]:8080/invoke", []string{"card-url-unroutable http://h.example:9/invoke"}},
		{"wildcard even at home", "http://localhost:9/", "http://0.0.0.0:9/", "http://0.0.0.0:9/", []string{"card-url-unroutable http://localhost:9/"}},
		{"no host", card, "https://:8000/a", "https://:8000/a", []string{"card-url-unroutable https://h.example/a"}},
		{"loopback from elsewhere", "http://h.example/c.json", "http://localhost:8000/", "http://localhost:8000/", []string{"card-url-unroutable http://h.example/"}},
		{"loopback at home", "http://127.0.0.1:8000/c.json", "http://127.0.0.1:8000/", "http://127.0.0.1:8000/", nil},
		{"loopback by another name", "http://127.0.0.1:8000/c.json", "http://localhost:8000/a", "http://localhost:8000/a", []string{"card-url-foreign-origin http://127.0.0.1:8000/a"}},
		{"downgrade", card, "http://h.example/x", "http://h.example/x", []string{"card-url-scheme-downgrade https://h.example/x"}},
		{"downgrade with its port", card, "http://h.example:80/x", "http://h.example:80/x", []string{"card-url-scheme-downgrade https://h.example/x"}},
		{"downgrade to the card's port", "https://h.example:8443/c.json", "http://h.example/x", "http://h.example/x", []string{"card-url-scheme-downgrade https://h.example:8443/x"}},
		{"downgrade of loopback", card, "http://127.0.0.1:8000/x", "http://127.0.0.1:8000/x", []string{"card-url-unroutable https://h.example/x", "card-url-scheme-downgrade https://h.example/x"}},
		{"points to the card", "http://h.example:5001/v1/card", "http://h.example:5001/v1/card", "http://h.example:5001/v1/card", []string{"card-url-points-to-card http://h.example:5001/"}},
		{"points to the well-known place", card, card, card, []string{"card-url-points-to-card https://h.example/x"}},
		{"foreign", card, "https://other.example/a", "https://other.example/a", []string{"card-url-foreign-origin https://h.example/a"}},
		{"forced port", card, "https://h.example:8000", "https://h.example:8000", []string{"card-url-foreign-origin https://h.example"}},
		{"odd scheme", card, "grpc://h.example:50051", "grpc://h.example:50051", []string{"card-url-unroutable https://h.example/x"}},
		{"no address at all", card, "mailto:x@y", "", []string{"card-url-unroutable https://h.example/x"}},
		{"unreadable", card, "http://[::", "", []string{"card-url-unroutable https://h.example/x"}},
		{"no card address", "", "https://h.example/a", "https://h.example/a", nil},
		{"nothing", "", "", "", []string{"card-url-missing "}},
	}
	for _, tc := range cases {
		resolved, problems := ResolveEndpoint(tc.card, tc.declared)
		var got []string
		for _, p := range problems {
			got = append(got, p.Code+" "+p.Fallback)
			if p.Info != (p.Code == AddrForeign) || p.Detail == "" {
				t.Errorf("%s: %+v", tc.name, p)
			}
		}
		if resolved != tc.resolved || !slices.Equal(got, tc.problems) {
			t.Errorf("%s: ResolveEndpoint(%q, %q) = %q, %q\nwant %q, %q", tc.name, tc.card, tc.declared, resolved, got, tc.resolved, tc.problems)
		}
	}
}

func FuzzAddresses(f *testing.F) {
	for _, s := range []string{"http://h/", "https://u@[::1]:1/x?y#z", "//h", "h:1", "/a", "http://%zz/"} {
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		if places, err := CardPlaces(a); err == nil {
			for _, p := range places {
				if !SameOrigin(p, a) && !SameOrigin(p, strings.TrimSpace(a)) {
					t.Errorf("%q is asked at another origin: %q", a, p)
				}
			}
		}
		if k := PeerKey(a); k != PeerKey(k) && !strings.Contains(k, "card") && !strings.Contains(k, ".well-known") && !strings.Contains(k, "json") {
			t.Errorf("PeerKey(%q) = %q, and of that %q", a, k, PeerKey(k))
		}
		_, problems := ResolveEndpoint(a, b)
		for _, p := range problems {
			if p.Code == "" || p.Detail == "" {
				t.Errorf("problem %+v", p)
			}
		}
	})
}
