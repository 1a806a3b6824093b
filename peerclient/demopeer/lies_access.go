package demopeer

import (
	"net/http"
	"strings"
)

// accessLies: who is let in, by which door, and by whose signature.
var accessLies = []script{
	{Scenario{
		Name: "open-door", Title: "its card requires a bearer token, and it serves everybody",
		Try:    "send task report: a call without credentials is carried out",
		Claims: []string{"security"},
	}, behaviour{cardText: requireBearer}},
	{Scenario{
		Name: "locked", Title: "its card asks for nothing, and every call without a token is answered 401",
		Try:    "send task report: refused; with the token that it asks for (auth bearer $TOKEN, TOKEN=" + DemoToken + ") it works",
		Claims: []string{"security"},
	}, behaviour{admits: func(r *http.Request, _ operation) bool { return hasToken(r) }}},
	{Scenario{
		Name: "no-extended", Title: "declares an extended card that nobody ever configured",
		Try:    "extended-card: ExtendedAgentCardNotConfigured, by whatever name it is asked for",
		Claims: []string{"extended-card"},
	}, behaviour{cardText: declareExtended, recode: noExtended}},
	{Scenario{
		Name: "free-extended", Title: "requires a bearer token for every call, but for its extended card",
		Try:    "send task report: 401; extended-card: there it is, without any token",
		Claims: []string{"security"},
	}, behaviour{
		cardText: func(text string) string { return declareExtended(requireBearer(text)) },
		admits:   func(r *http.Request, op operation) bool { return op == opExtendedCard || hasToken(r) },
		extended: extendedCard,
	}},
	{Scenario{
		Name: "bad-signature", Title: "changed its card after it was signed",
		Try:    "discover with --card-key and the demo's key: the signature does not verify",
		Claims: []string{"signature"},
	}, behaviour{cardText: staleSignature}},
	{Scenario{
		Name: "lax-extension", Title: "requires an extension of its callers, and serves those that do not name it: odd",
		Try: "send --without extensions task report: carried out all the same",
	}, behaviour{cardText: requireExtension}},
	{Scenario{
		Name: "paper-interface", Title: "declares HTTP+JSON beside JSON-RPC, and has no routes for it",
		Try:    "send task report; get --on 2: 404",
		Claims: []string{"interfaces"},
	}, behaviour{cardText: secondInterface}},
	{Scenario{
		Name: "split-bindings", Title: "a task that is completed over JSON-RPC is still working over HTTP+JSON",
		Try:    "send task report; wait settled; get --on 2: another state",
		Claims: []string{"bindings-agree"},
	}, behaviour{cardText: secondInterface, route: restThat(neverDone, nil)}},
	{Scenario{
		Name: "split-errors", Title: "a finished task cannot be canceled over JSON-RPC, and over HTTP+JSON canceling is not supported",
		Try:    "send task report; wait settled; cancel; cancel --on 2: another error",
		Claims: []string{"bindings-agree"},
	}, behaviour{cardText: secondInterface, route: restThat(nil, neverCanceled)}},
	{Scenario{
		Name: "two-bindings", Title: "keeps every promise over HTTP+JSON too, where tasks are read and canceled",
		Try: "send task report; wait settled; get --on 2; cancel; cancel --on 2: the same through both",
	}, behaviour{cardText: secondInterface, route: restThat(nil, nil)}},
}

// DemoToken lets callers in at the peers that want a token.
const DemoToken = "demo-token"

// DemoCardKey is the public key, as a JWK, that bad-signature's card was
// signed by.
const DemoCardKey = `{"kty":"OKP","crv":"Ed25519","kid":"demo-2026","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}`

func hasToken(r *http.Request) bool { return r.Header.Get("Authorization") == "Bearer "+DemoToken }

// of10 says whether a card's text is one of 1.0.
func of10(text string) bool { return strings.Contains(text, `"supportedInterfaces":`) }

func requireBearer(text string) string {
	more := `"securitySchemes":{"token":{"type":"http","scheme":"bearer"}},"security":[{"token":[]}],`
	if of10(text) {
		more = `"securitySchemes":{"token":{"httpAuthSecurityScheme":{"scheme":"bearer"}}},"securityRequirements":[{"schemes":{"token":{"list":[]}}}],`
	}
	return strings.Replace(text, `"skills":`, more+`"skills":`, 1)
}

func declareExtended(text string) string {
	if of10(text) {
		return strings.Replace(text, `"capabilities":{`, `"capabilities":{"extendedAgentCard":true,`, 1)
	}
	return strings.Replace(text, `"skills":`, `"supportsAuthenticatedExtendedCard":true,"skills":`, 1)
}

// noExtended is the error that the specification has for it.
func noExtended(f *fault) *fault {
	if strings.Contains(f.text, "extended card") {
		return faultf(-32007, "EXTENDED_AGENT_CARD_NOT_CONFIGURED", "The extended agent card is not configured")
	}
	return f
}

// extendedCard has a skill more than the public one.
func extendedCard(s *server, r *http.Request) string {
	text := s.b.cardText(s.cardWire.card(s.declared(s.baseURL(r))))
	return strings.Replace(text, `"skills":[`, `"skills":[{"id":"audit","name":"Audit","description":"for callers that are known","tags":["demo"]},`, 1)
}

// staleSignature carries a signature of the right form that was made over
// another text. The protected header is {"alg":"EdDSA","kid":"demo-2026"}.
func staleSignature(text string) string {
	return strings.Replace(text, `"skills":`, `"signatures":[{"protected":"eyJhbGciOiJFZERTQSIsImtpZCI6ImRlbW8tMjAyNiJ9",`+
		`"signature":"5VZDAMNgrHKQhuzQeoQ6hvHyvI1ewjpW7GD0pPM36XUjmVW4Ef0yQ-9uWb1gNGK7LgIHi4TNVk2h0y_zA3SCDA"}],"skills":`, 1)
}

func requireExtension(text string) string {
	return strings.Replace(text, `"capabilities":{`, `"capabilities":{"extensions":[{"uri":"https://demo.example/ext/receipts/v1","required":true}],`, 1)
}

// secondInterface declares HTTP+JSON below /rest.
func secondInterface(text string) string {
	_, rest, _ := strings.Cut(text, `"url":"`)
	base, _, found := strings.Cut(rest, rpcPath+`"`)
	if !found {
		return text
	}
	if of10(text) {
		return strings.Replace(text, `}],"capabilities":`, `},{"url":"`+base+`/rest","protocolBinding":"HTTP+JSON","protocolVersion":"1.0"}],"capabilities":`, 1)
	}
	return strings.Replace(text, `"skills":`, `"additionalInterfaces":[{"url":"`+base+rpcPath+`","transport":"JSONRPC"},{"url":"`+base+`/rest","transport":"HTTP+JSON"}],"skills":`, 1)
}
