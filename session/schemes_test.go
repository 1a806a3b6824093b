package session_test

import (
	"strings"
	"testing"

	"a2ascope/session"
	"a2ascope/session/a2a"
)

// TestSchemes: the schemes of a card in either dialect, which of them are
// required and in use, how to give the others, and what is suggested after a
// refusal: what is missing comes first.
func TestSchemes(t *testing.T) {
	t.Parallel()
	const (
		old    = `"url":"http://peer.example/rpc","protocolVersion":"0.3.0","preferredTransport":"JSONRPC"`
		modern = `"supportedInterfaces":[{"url":"http://peer.example/rpc","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]`
		old2   = `"securitySchemes":{"b":{"type":"http","scheme":"bearer"},"k":{"type":"apiKey","in":"header","name":"X-Key"}}`
		new2   = `"securitySchemes":{"b":{"httpAuthSecurityScheme":{"scheme":"Bearer"}},"k":{"apiKeySecurityScheme":{"location":"header","name":"X-Key"}}}`
	)
	for _, tc := range []struct {
		name, card string
		given      []string
		declared   string // of the claim
		schemes    string // name, ! where it is required, + where it is in use
		way        string // of the last scheme
		suggested  string
	}{
		{"both, 0.3", old + `,` + old2 + `,"security":[{"b":[],"k":[]}]`, []string{"auth bearer $T"}, "b+k", "b!+ k!", "auth apikey header X-Key $KEY", "auth apikey header X-Key $KEY; auth bearer $TOKEN"},
		{"both, 1.0", modern + `,` + new2 + `,"securityRequirements":[{"schemes":{"b":{"list":[]},"k":{"list":[]}}}]`, []string{"auth bearer $T"}, "b+k", "b!+ k!", "auth apikey header X-Key $KEY", "auth apikey header X-Key $KEY; auth bearer $TOKEN"},
		{"one of them, 0.3", old + `,` + old2 + `,"security":[{"b":[]},{"k":[]}]`, []string{"auth apikey $T"}, "b, k", "b! k!+", "auth apikey header X-Key $KEY", "auth bearer $TOKEN; auth apikey header X-Key $KEY"},
		{"one of them, 1.0", modern + `,` + new2 + `,"securityRequirements":[{"schemes":{"b":{"list":[]}}},{"schemes":{"k":{"list":[]}}}]`, nil, "b, k", "b! k!", "auth apikey header X-Key $KEY", "auth bearer $TOKEN; auth apikey header X-Key $KEY"},
		{"one, or nothing", modern + `,` + new2 + `,"securityRequirements":[{"schemes":{"b":{"list":[]}}},{}]`, []string{`header "X-Key: $T"`}, "b, none", "b! k+", "auth apikey header X-Key $KEY", "auth bearer $TOKEN; auth apikey header X-Key $KEY"},
		{"a scheme of the other dialect", modern + `,` + old2 + `,"security":[{"b":[]}]`, nil, "b", "b! k", "auth apikey header X-Key $KEY", "auth bearer $TOKEN; auth apikey header X-Key $KEY"},
		{"a client certificate", modern + `,"securitySchemes":{"m":{"mtlsSecurityScheme":{}}},"securityRequirements":[{"schemes":{"m":{"list":[]}}}]`, nil, "m", "m!", "--cert FILE --key FILE, as the console is started", "auth bearer $TOKEN"},
		{"a client certificate, 0.3", old + `,"securitySchemes":{"m":{"type":"mutualTLS"}},"security":[{"m":[]}]`, nil, "m", "m!", "--cert FILE --key FILE, as the console is started", "auth bearer $TOKEN"},
		{"digest", old + `,"securitySchemes":{"d":{"type":"http","scheme":"Digest"}},"security":[{"d":[]}]`, nil, "d", "d!", `header "Authorization: $VALUE", made elsewhere: digest is not spoken here`, `header "Authorization: $VALUE"; auth bearer $TOKEN`},
		{"digest, and a bearer token is no such thing", old + `,"securitySchemes":{"d":{"type":"http","scheme":"Digest"}},"security":[{"d":[]}]`, []string{"auth bearer $T"}, "d", "d!", `header "Authorization: $VALUE", made elsewhere: digest is not spoken here`, `header "Authorization: $VALUE"; auth bearer $TOKEN`},
		{"a flow with a browser", modern + `,"securitySchemes":{"o":{"oauth2SecurityScheme":{"flows":{"authorizationCode":{"authorizationUrl":"http://a","tokenUrl":"http://t","scopes":{}}}}}}`, nil, "undeclared", "o", "auth bearer $TOKEN, with a token from elsewhere: there is no such flow here: authorizationCode", "auth bearer $TOKEN"},
		{"OpenID Connect", modern + `,"securitySchemes":{"o":{"openIdConnectSecurityScheme":{"openIdConnectUrl":"http://o"}}}`, []string{"auth bearer $T"}, "undeclared", "o+", "auth bearer $TOKEN, with a token from elsewhere: nothing is fetched from the card's address", "auth bearer $TOKEN"},
		{"client credentials", modern + `,"securitySchemes":{"o":{"oauth2SecurityScheme":{"flows":{"clientCredentials":{"tokenUrl":"http://t","scopes":{}}}}}}`, nil, "undeclared", "o", "auth oauth client-credentials $CLIENT_ID $CLIENT_SECRET", "auth oauth client-credentials $CLIENT_ID $CLIENT_SECRET; auth bearer $TOKEN"},
		{"a kind that nobody knows", old + `,"securitySchemes":{"x":{"type":"retina"}},"security":[{"x":[]}]`, nil, "x", "x!", "the card does not say what it wants", "auth bearer $TOKEN"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			l := &factLog{t: t, state: session.NewState()}
			l.write(session.KindOpened, 0, session.Opened{Session: "s", URL: "http://peer.example", Policy: session.DefaultPolicy()}, "")
			l.write(session.KindCard, 0, session.CardRead{URL: "http://peer.example/.well-known/agent-card.json"}, `{"name":"a","version":"1","capabilities":{},"skills":[],`+tc.card+`}`)
			for _, line := range tc.given {
				l.command(line)
			}
			l.write(session.KindRequest, 1, session.Requested{Op: a2a.OpList, URL: "http://peer.example/rpc"}, "")
			l.write(session.KindResponse, 1, session.Responded{Status: 401}, "")
			p := session.MakeView(l.state).Peer
			var schemes, suggested []string
			way := ""
			for _, s := range p.Schemes {
				text := s.Name
				if s.Required {
					text += "!"
				}
				if s.InUse {
					text += "+"
				}
				schemes, way = append(schemes, text), s.Way
			}
			for _, s := range p.Suggestions {
				suggested = append(suggested, s.Line)
			}
			for _, c := range []struct{ what, got, want string }{
				{"declared", l.state.DeclaredText(session.Security), tc.declared},
				{"schemes", strings.Join(schemes, " "), tc.schemes},
				{"way", way, tc.way},
				{"suggested", strings.Join(suggested, "; "), tc.suggested},
			} {
				if c.got != c.want {
					t.Errorf("%s: %q, want %q", c.what, c.got, c.want)
				}
			}
		})
	}
}
