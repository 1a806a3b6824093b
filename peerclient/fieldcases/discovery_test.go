package fieldcases

import (
	"crypto/tls"
	"strings"

	"a2ascope/peerclient"
)

// class A: where the card is, and what address it gives. The mend is one
// command away in each: "endpoint URL".
var discovery = []fieldCase{
	{
		n: 1, name: "card advertises the wildcard listen address [::]", peer: peer{card: naming("http://[::]:$port/rpc"), on: answers03}, lines: mended,
		finds: []string{"minor endpoint.address card-url-unroutable"}, shows: []string{"endpoint http://127.0.0.1:"},
	},
	{
		n: 2, name: "card advertises http://0.0.0.0:PORT/", peer: peer{card: naming("http://0.0.0.0:$port/rpc"), on: answers03}, lines: []string{"send report"},
		state: "completed", finds: []string{"minor endpoint.address card-url-unroutable"},
	},
	{
		n: 3, name: "card says http:// although the peer is only reachable over TLS", peer: peer{card: naming("http://127.0.0.1:$port/rpc"), on: answers03, secure: true},
		client: peerclient.Options{TLS: &tls.Config{InsecureSkipVerify: true}}, lines: mended, //nolint:gosec // the test's own server
		finds: []string{"minor endpoint.address card-url-scheme-downgrade", "major endpoint.unusable"}, shows: []string{"endpoint https://127.0.0.1:"},
	},
	{
		n: 4, name: "framework forces a port onto a public host name", peer: peer{card: naming("http://127.0.0.1:9/rpc"), on: answers03}, lines: mended,
		finds: []string{"info endpoint.address card-url-foreign-origin", "major endpoint.unusable 127.0.0.1:9"}, shows: []string{"connection refused"},
	},
	{
		n: 5, name: "url is the address of the card itself", peer: peer{card: naming("$url/v1/card"), on: with1(answers03, "GET /v1/card", is(200, "application/json", naming("$url/v1/card")))}, lines: []string{"send report", "endpoint $url/rpc", "send --new report"},
		finds: []string{"minor endpoint.address card-url-points-to-card", "major endpoint.unusable"},
	},
	{
		n: 5, name: "url is the address of one operation", peer: peer{card: naming("$url/rpc/message/send"), on: answers03}, lines: mended,
		finds: []string{"info endpoint.address card-url-points-to-operation", "major endpoint.unusable"}, shows: []string{"(endpoint http://127.0.0.1:", "not an answer of the agent · “404 page not found”"},
	},
	{
		n: 5, name: "url is the address of one operation: and all of JSON-RPC is served there", peer: peer{card: naming("$url/message/send"), rpc: "/message/send", on: answers03}, lines: []string{"send report"},
		state: "completed", text: "report", finds: []string{"info endpoint.address card-url-points-to-operation"},
	},
	{n: 8, name: "empty url", peer: peer{card: naming(""), on: answers03}, lines: mended[1:], state: "completed", text: "report", finds: []string{"major card.no-endpoint", "minor card.fields"}},
	{n: 8, name: "null url", peer: peer{card: strings.Replace(card03, `"$url/rpc"`, "null", 1), on: answers03}, lines: mended[1:], state: "completed", text: "report", finds: []string{"major card.no-endpoint", "minor card.fields"}},
	{
		n: 9, name: "a gateway rewrites interface URLs wrongly: url and interface disagree",
		peer:  peer{gen: "1.0", card: strings.Replace(card10, `"version":"1.0.0"`, `"version":"1.0.0","url":"http://backend.internal/rpc"`, 1), on: answers10},
		lines: []string{"send report"}, state: "completed", text: "report", finds: []string{"minor card.fields card-url-inconsistent"},
	},
	{
		n: 9, name: "a gateway rewrites interface URLs wrongly: doubled path", at: "/a2a/tick",
		peer:  peer{on: with1(answers03, "GET /a2a/tick/.well-known/agent-card.json", is(200, "application/json", naming("$url/a2a/tick/a2a/tock/")))},
		lines: []string{"send report", "endpoint $url/rpc", "send --new report"}, finds: []string{"major endpoint.unusable HTTP 404"},
	},
	{
		n: 9, name: "a gateway rewrites interface URLs wrongly: its own path in front twice", at: "/gw",
		peer:  peer{rpc: "/gw/rpc", on: with1(answers03, "GET /gw/.well-known/agent-card.json", is(200, "application/json", naming("$url/gw/gw/rpc")))},
		lines: []string{"send report", "endpoint $url/gw/rpc", "send --new report"}, finds: []string{"info endpoint.address card-url-doubled", "major endpoint.unusable"},
	},
	{
		n: 10, name: "card lives at the origin, endpoint below", at: "/a2a", peer: peer{rpc: "/a2a", card: naming("$url/a2a"), on: answers03}, lines: []string{"send report"}, state: "completed", text: "report",
		shows: []string{"404 text/plain", "card  Field"}, how: "the origin is asked after the address itself; each attempt is shown",
	},
	{
		n: 11, name: "old peers only serve agent.json", peer: peer{on: with1(answers03, "GET /.well-known/agent.json", is(200, "application/json", card03))}, lines: []string{"send report"}, state: "completed", text: "report",
		shows: []string{"from http://127.0.0.1:", "/.well-known/agent.json"}, how: "both places are asked, and the one that had it is shown",
	},
	{
		n: 11, name: "old peers only serve agent.json: an HTML shell at the new place", peer: peer{on: with1(with1(answers03, "GET /.well-known/agent.json", is(200, "application/json", card03)), "GET /.well-known/agent-card.json", is(200, "text/html", "<!doctype html><title>App</title>"))},
		lines: []string{"send report"}, state: "completed", text: "report",
	},
	{
		n: 12, name: "card below a sub-path gives 404 or 405: GET of the endpoint has it", at: "/agent/a2a",
		peer:  peer{rpc: "/agent/a2a", on: with1(answers03, "GET /agent/a2a", is(200, "application/json", naming("$url/agent/a2a")))},
		lines: []string{"send report"}, state: "completed", text: "report",
	},
	{n: 12, name: "card below a sub-path gives 404 or 405: a typed endpoint", at: "/agent", peer: peer{on: with1(answers03, "GET /agent", is(405, "", ""))}, lines: mended[1:], state: "completed", text: "report", shows: []string{"no card was found", "405"}},
	{
		n: 13, name: "managed platform: card only at /v1/card, with bearer auth, HTTP+JSON only", peer: peer{on: managed},
		lines: []string{"auth bearer $FIELD_TOKEN", "discover $url/a2a/v1/card", "send report"}, state: "completed", text: "report", shows: []string{"no card was found"}, how: "a card's own address is asked as typed, with the operator's credentials",
	},
	{n: 14, name: "peer serves no card at all", how: "every place that was asked is named; a typed endpoint works without a card", peer: peer{on: answers03}, lines: mended[1:], state: "completed", text: "report", shows: []string{"no card was found"}},
	{
		n: 14, name: "peer serves no card at all: 1.0 over gRPC, its card by a call", typed: "grpc://$host", peer: peer{gen: "grpc 1.0", on: with1(rpcAnswers10, "extended-card", rpcSays(rpc10))},
		lines: []string{"send report", "wait settled"}, state: "completed", text: "report", shows: []string{"lf.a2a.v1.A2AService/GetExtendedAgentCard", "card  Field"}, check: speaks("1.0"),
	},
	{
		n: 14, name: "peer serves no card at all: 0.3 over gRPC, its card by a call", typed: "grpc://$host", peer: peer{gen: "grpc 0.3", on: with1(rpcAnswers03, "extended-card", rpcSays(rpc03))},
		lines: []string{"send report", "wait settled"}, state: "completed", text: "report", shows: []string{"a2a.v1.A2AService/GetAgentCard", "card  Field"}, check: all(speaks("0.3"), asked(map[string]int{"send": 2})),
	},
	{
		n: 14, name: "peer serves no card at all: 1.0 over gRPC", typed: "grpc://$host", peer: peer{gen: "grpc 1.0", on: rpcAnswers10},
		lines: []string{"send report", "wait settled"}, state: "completed", text: "report", shows: []string{"no card was found", "calls go to it without a card"}, check: speaks("1.0"),
	},
	{
		n: 14, name: "peer serves no card at all: 0.3 over gRPC", typed: "grpc://$host", peer: peer{gen: "grpc 0.3", on: rpcAnswers03},
		lines: []string{"send report", "wait settled"}, state: "completed", text: "report", check: all(speaks("0.3"), oneMessage),
	},
	{
		n: 14, name: "peer serves no card at all: a gRPC endpoint is typed", peer: peer{gen: "grpc 0.3", on: rpcAnswers03},
		lines: []string{"endpoint grpc://$host", "send report", "wait settled"}, state: "completed", text: "report", check: all(speaks("0.3"), oneMessage),
	},
	{
		n: 14, name: "peer serves no card at all: gRPC is typed where its card is served over HTTP", typed: "grpc://$host", peer: peer{gen: "grpc 1.0", card: rpc10, on: rpcAnswers10},
		lines: []string{"send report", "wait settled"}, state: "completed", text: "report", shows: []string{"card  Field"}, check: speaks("1.0"),
	},
	{
		n: 15, name: "trailing slash: POST is answered with 307", peer: peer{card: card03, rpc: "/rpc/", on: with1(answers03, "POST /rpc", redirected)},
		lines: []string{"send report"}, state: "completed", text: "report", finds: []string{"info endpoint.redirect"}, check: oneMessage,
	},
	{
		n: 16, name: "1.0-only card makes a 0.x reader POST to /", peer: peer{gen: "1.0", rpc: "/a2a/v1/rpc", card: strings.Replace(card10, "$url/rpc", "$url/a2a/v1/rpc", 1), on: answers10}, lines: []string{"send report"}, state: "completed", text: "report",
	},
	{
		n: 17, name: "HTTP+JSON interface URL without the prefix the routes use",
		peer:  peer{gen: "1.0", card: rest10, on: routes{"POST /v1/message:send": is(200, "application/json", sent10("COMPLETED", report10)), "GET /v1/tasks/t": is(200, "application/json", task10("COMPLETED", report10))}},
		lines: []string{"send report", "wait settled"}, state: "completed", text: "report", finds: []string{"info endpoint.form the routes are below /v1"},
	},
	{
		n: 18, name: "tenant-specific card: path order differs", at: "/acme",
		peer:  peer{on: with1(answers03, "GET /.well-known/acme/agent-card.json", is(200, "application/json", card03))},
		lines: []string{"send report"}, state: "completed", text: "report",
	},
}

var mended = []string{"send report", "endpoint $url/rpc", "send --new report"}

// naming is the card of 0.3 with another address.
func naming(url string) string { return strings.Replace(card03, "$url/rpc", url, 1) }

var managed = routes{
	"GET /a2a/v1/card":          let(is(200, "application/json", strings.Replace(naming("$url/a2a"), `"JSONRPC"`, `"HTTP+JSON"`, 1))),
	"POST /a2a/v1/message:send": let(is(200, "application/json", `{"task":{"id":"t","contextId":"c","status":{"state":"TASK_STATE_COMPLETED"},"artifacts":[{"artifactId":"a","parts":[{"text":"report"}]}]}}`)),
	"GET /a2a/v1/tasks/t":       let(is(200, "application/json", `{"id":"t","contextId":"c","status":{"state":"TASK_STATE_COMPLETED"},"artifacts":[{"artifactId":"a","parts":[{"text":"report"}]}]}`)),
}

// let lets in who has the token.
func let(a answer) answer {
	return func(c *call) {
		if c.r.Header.Get("Authorization") != "Bearer s3cret-t0ken" {
			a = with("WWW-Authenticate", "Bearer", is(401, "text/plain", "no token"))
		}
		a(c)
	}
}

func redirected(c *call) {
	c.w.Header().Set("Location", "/rpc/")
	is(307, "", "")(c)
}

// class B, what stands under the card's security and capabilities.
var secured = []fieldCase{
	{n: 24, name: "security schemes in two dialects: JSON Schema", peer: schemed(`"k":{"type":"apiKey","in":"header","name":"X-Key"}`), lines: []string{"send report"}, state: "completed"},
	{n: 24, name: "security schemes in two dialects: proto", peer: schemed10(`"k":{"apiKeySecurityScheme":{"location":"header","name":"X-Key"}}`), lines: []string{"send report"}, state: "completed"},
	{n: 24, name: "security schemes in two dialects: a hybrid", peer: schemed(`"oidc":{"openIdConnectUrl":"https://idp.example/.well-known"}`), lines: []string{"send report"}, state: "completed", finds: []string{"minor card.fields card-security-dialect"}},
	{n: 25, name: "Python keyword leaks: in_ instead of in", peer: schemed(`"k":{"type":"apiKey","in_":"header","name":"X-API-Key"}`), lines: []string{"send report"}, state: "completed", finds: []string{"minor card.fields card-security-invalid"}},
	{n: 26, name: "HTTP scheme without scheme", peer: schemed(`"h":{"type":"http"}`), lines: []string{"send report"}, state: "completed", finds: []string{"minor card.fields card-security-invalid"}},
	{n: 26, name: "OAuth2 flows without flow name", peer: schemed(`"o":{"flows":{"authorizationUrl":"https://a.example","tokenUrl":"https://t.example","scopes":{}}}`), lines: []string{"send report"}, state: "completed", finds: []string{"minor card.fields card-security-invalid"}},
	{n: 27, name: "capabilities null crashes the client", peer: peer{card: strings.Replace(card03, `{"streaming":true,"pushNotifications":false}`, "null", 1), on: answers03}, lines: []string{"send report"}, state: "completed", finds: []string{"minor card.fields card-capabilities-missing"}, check: declares("streaming", "undeclared")},
	{n: 27, name: "capabilities absent crashes the client", peer: peer{card: strings.Replace(card03, `"capabilities":{"streaming":true,"pushNotifications":false},`, "", 1), on: answers03}, lines: []string{"send report"}, state: "completed", finds: []string{"minor card.fields card-capabilities-missing"}, check: declares("streaming", "undeclared")},
	{n: 28, name: "transport names in unexpected case", peer: peer{card: strings.Replace(card03, `"JSONRPC"`, `"json-rpc"`, 1), on: answers03}, lines: []string{"send report"}, state: "completed", finds: []string{"minor card.fields card-binding-spelling"}},
	{
		n: 28, name: "transport names unknown", peer: peer{card: strings.Replace(card03, `"capabilities"`, `"additionalInterfaces":[{"url":"$url/slim","transport":"SLIMRPC"}],"capabilities"`, 1), on: answers03},
		lines: []string{"send report"}, state: "completed", finds: []string{"minor card.fields card-binding-unknown"},
	},
	{
		n: 29, name: "extended-card method names differ", peer: peer{card: strings.Replace(card03, `"capabilities"`, `"supportsAuthenticatedExtendedCard":true,"capabilities"`, 1), on: with1(answers03, "GetExtendedAgentCard", extended03)},
		lines: []string{"auth bearer $FIELD_TOKEN", "extended-card"}, shows: []string{"card  Field"},
	},
	{
		n: 29, name: "extended-card method names differ: 0.2 has it beside the endpoint", peer: peer{card: asking02, on: with1(answers03, "GET /agent/authenticatedExtendedCard", let(is(200, "application/json", asking02)))},
		lines: []string{"auth bearer $FIELD_TOKEN", "extended-card", "send report"}, state: "completed", shows: []string{"GET /agent/authenticatedExtendedCard", "card · Field"}, check: asked(map[string]int{"GET /agent/authenticatedExtendedCard": 1, "extended-card": 0, "GetExtendedAgentCard": 0}),
	},
	{
		n: 29, name: "extended-card method names differ: a card of 0.2, the name of 0.3", peer: peer{card: asking02, on: with1(answers03, "extended-card", extended03)},
		lines: []string{"auth bearer $FIELD_TOKEN", "extended-card"}, shows: []string{"card · Field"}, check: asked(map[string]int{"GET /agent/authenticatedExtendedCard": 1, "extended-card": 1}),
	},
	{
		n: 29, name: "extended-card method names differ: 0.2 declares one and has none", peer: peer{card: asking02, on: answers03},
		lines: []string{"auth bearer $FIELD_TOKEN", "send report", "extended-card"}, state: "completed", finds: []string{"major extended.refused"},
	},
}

// asking02 is a card of 0.2 with an extended one for whoever has a token.
var asking02 = strings.NewReplacer(`"protocolVersion":"0.3.0","preferredTransport":"JSONRPC"`, `"protocolVersion":"0.2.5"`, `"capabilities"`, `"supportsAuthenticatedExtendedCard":true,"securitySchemes":{"b":{"type":"http","scheme":"bearer"}},"security":[{"b":[]}],"capabilities"`).Replace(card03)

func schemed(schemes string) peer {
	return peer{card: strings.Replace(card03, `"capabilities"`, `"securitySchemes":{`+schemes+`},"capabilities"`, 1), on: answers03}
}

func schemed10(schemes string) peer {
	return peer{gen: "1.0", card: strings.Replace(card10, `"capabilities"`, `"securitySchemes":{`+schemes+`},"capabilities"`, 1), on: answers10}
}
