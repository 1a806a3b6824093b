package fieldcases

import (
	"strings"
	"testing"
	"time"

	"a2ascope/session"
)

// class K: other gaps between what is declared and what is observed.
var gaps = []fieldCase{
	{
		n: 132, name: "declares streaming:false, serves streams",
		peer:  peer{card: strings.Replace(card03, `"streaming":true`, `"streaming":false`, 1), on: routes{"stream": streams(status03("working", false), chunk03("report"), status03("completed", true)), "get": says(task03("completed", report03))}},
		lines: streamed, state: "completed", text: "report", check: verdict(session.Streaming, session.UnderDeclared), how: "shown as under-declared",
	},
	{
		n: 133, name: "declares streaming, sends one frame at the end", peer: framed03(60*time.Millisecond, ev(task03("completed", report03))),
		lines: streamed, state: "completed", text: "report", shows: []string{"1 events on a stream"}, check: verdict(session.Streaming, session.Honoured), how: "honoured, with the number of events",
	},
	{
		n: 134, name: "extended card: code and gate wrong: -32007 where none is declared", peer: peer{gen: "1.0", card: card10, on: with1(answers10, "extended-card", refuses(-32007, "no extended card is configured"))},
		lines: []string{"extended-card"}, shows: []string{"-32007"},
	},
	{
		n: 134, name: "extended card: a stub that answers -32004", peer: peer{gen: "1.0", card: card10, on: with1(answers10, "extended-card", refuses(-32004, "not implemented"))},
		lines: []string{"extended-card"}, shows: []string{"-32004"},
	},
	{
		n: 135, name: "extended card handed out without credentials", peer: peer{card: strings.Replace(card03, `"capabilities"`, `"supportsAuthenticatedExtendedCard":true,"securitySchemes":{"b":{"type":"http","scheme":"bearer"}},"capabilities"`, 1), on: with1(answers03, "extended-card", extended03)},
		lines: []string{"extended-card"}, finds: []string{"minor security.extended-open"},
	},
	{
		n: 136, name: "content modes that are not MIME", peer: peer{card: loose03, on: answers03}, lines: []string{"send report"}, state: "completed", text: "report",
	},
	{
		n: 136, name: "content modes contradicted",
		peer:  peer{card: loose03, on: routes{"send": says(task03("completed", json03art)), "get": says(task03("completed", json03art))}},
		lines: []string{"send report"}, state: "completed", text: `{"k":1}`, finds: []string{"major modes.output-undeclared"},
	},
	{
		n: 136, name: "content modes not enforced", peer: peer{card: loose03, on: answers03}, lines: []string{`send --data {"k":1} report`}, state: "completed", text: "report",
	},
	{
		n: 137, name: "required header not declared: request falls into a default tenant", peer: peer{card: card03, on: answers03},
		lines: []string{`header "X-Tenant-Id: acme"`, "send report"}, state: "completed", text: "report",
		check: func(t *testing.T, w *walked) {
			for _, h := range w.peer.heard {
				if h.key == "message/send" && h.head.Get("X-Tenant-Id") != "acme" {
					t.Errorf("a message went out without the operator's header")
				}
			}
		},
		how: "nothing on the wire says it; the operator's headers go along",
	},
}

var (
	loose03    = strings.NewReplacer(`"defaultInputModes":["text/plain"]`, `"defaultInputModes":["text"]`, `"defaultOutputModes":["text/plain"]`, `"defaultOutputModes":["text"]`).Replace(card03)
	json03art  = `,"artifacts":[{"artifactId":"a","parts":[{"kind":"data","data":{"k":1},"mediaType":"application/json"}]}]`
	extended03 = func(c *call) { says(c.fill(strings.Replace(card03, "A peer", "More of a peer", 1)))(c) }
)

// class L: errors and HTTP details.
var failures = []fieldCase{
	{
		n: 138, name: "non-2xx answers: 429 with Retry-After and a page", peer: peer{card: card03, on: routes{"send": with("Retry-After", "7", is(429, "text/html", "<html><title>Slow down</title></html>"))}},
		lines: []string{"send report"}, shows: []string{"429 text/html", "retry after 7"}, check: asked(map[string]int{"send": 2}),
	},
	{
		n: 138, name: "non-2xx answers: 503 with the JSON of a gateway", peer: peer{card: card03, on: routes{"send": is(503, "application/json", `{"message":"no healthy upstream"}`)}},
		lines: []string{"send report"}, shows: []string{"503 application/json", "not an answer of the agent"}, check: asked(map[string]int{"send": 2}),
	},
	{
		n: 138, name: "non-2xx answers: 401 with WWW-Authenticate", peer: peer{card: card03, on: routes{"send": with("WWW-Authenticate", `Bearer realm="agents"`, is(401, "text/plain", "who are you?"))}},
		lines: []string{"send report"}, shows: []string{"401 text/plain", `Bearer realm="agents"`}, finds: []string{"major security.refused", "info security.challenge"},
	},
	{
		n: 138, name: "non-2xx answers: 400 with a JSON-RPC error inside", peer: peer{card: card03, on: routes{"send": is(400, "application/json", `{"jsonrpc":"2.0","id":$id,"error":{"code":-32602,"message":"params.message is odd"}}`)}},
		lines: []string{"send report"}, shows: []string{"INVALID_PARAMS · -32602", "params.message is odd"}, check: asked(map[string]int{"send": 2}),
	},
	{
		n: 139, name: "error content type and format: problem+json", peer: restFailing(is(409, "application/problem+json", `{"type":"https://a2a-protocol.org/errors/task-not-cancelable","title":"Task cannot be canceled","status":409}`)),
		lines: canceledOver, state: "completed", text: "report", shows: []string{"TASK_NOT_CANCELABLE"},
	},
	{
		n: 139, name: "error content type and format: google.rpc in JSON", peer: restFailing(is(400, "application/json", `{"error":{"code":400,"status":"FAILED_PRECONDITION","message":"no","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"TASK_NOT_CANCELABLE","domain":"a2a-protocol.org"}]}}`)),
		lines: canceledOver, state: "completed", text: "report", shows: []string{"TASK_NOT_CANCELABLE"},
	},
	{
		n: 140, name: "error.data is an object", peer: failing(`,"data":{"k":"v"}`), lines: canceledOver, state: "completed", text: "report", shows: []string{"TASK_NOT_CANCELABLE"},
	},
	{
		n: 140, name: "error.data is an array of ErrorInfo", peer: failing(`,"data":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"TASK_NOT_CANCELABLE","metadata":{"taskId":"t"}}]`),
		lines: canceledOver, state: "completed", text: "report", shows: []string{"TASK_NOT_CANCELABLE"},
	},
	{n: 140, name: "error.data is called details", peer: failing(`,"details":[{"reason":"TASK_NOT_CANCELABLE"}]`), lines: canceledOver, state: "completed", text: "report", shows: []string{"TASK_NOT_CANCELABLE"}},
	{n: 140, name: "error.data is a bare text", peer: failing(`,"data":"it is over"`), lines: canceledOver, state: "completed", text: "report", shows: []string{"it is over"}},
}

var canceledOver = []string{"send report", "wait settled", "cancel"}

// failing is a peer of 0.3 that refuses the cancel of its finished task.
func failing(more string) peer {
	return peer{card: card03, on: with1(answers03, "cancel", refuses(-32002, "it cannot be done", more))}
}

// restFailing is one of 1.0 over HTTP+JSON.
func restFailing(a answer) peer {
	return peer{gen: "1.0", card: rest10, on: routes{"POST /message:send": is(200, "application/json", sent10("COMPLETED", report10)), "GET /tasks/t": is(200, "application/json", task10("COMPLETED", report10)), "POST /tasks/t:cancel": a}}
}
