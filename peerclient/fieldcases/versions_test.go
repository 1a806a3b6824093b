package fieldcases

import (
	"strings"
	"testing"
)

// class C: the protocol's version.
var versions = []fieldCase{
	{n: 30, name: "card says 1.0, wire is 0.3 both ways", peer: peer{card: card10, on: answers03}, lines: []string{"send report"}, state: "completed", text: "report", finds: []string{"major version.refused"}, check: all(speaks("0.3"), oneMessage)},
	{
		n: 32, name: "card says 0.3.0, server implements only 0.1 tasks/send", peer: peer{gen: "0.1", card: card03, on: answers01}, lines: []string{"send report"}, state: "completed", text: "report",
		finds: []string{"major version.refused"}, check: all(speaks("0.1"), oneMessage),
	},
	{
		n: 33, name: "old method still routed but answers -32603 deprecated",
		peer:  peer{card: card01, on: with1(answers03, "tasks/send", refuses(-32603, "Internal error", `,"data":"old send hook is deprecated, use the message hook"`))},
		lines: []string{"interface jsonrpc 0.1", "send report"}, state: "completed", text: "report", shows: []string{"old send hook is deprecated"}, check: all(speaks("0.3"), oneMessage),
	},
	{
		n: 34, name: "1.0 method names aliased, but replies keep the 0.3 shape",
		peer:  peer{gen: "1.0", card: card10, on: routes{"send": says(task03("completed", report03)), "get": says(task03("completed", report03))}},
		lines: []string{"send report"}, state: "completed", text: "report", finds: []string{"minor wire.tolerated version-shape-mix: asked in 1.0, answered in the shape of 0.3"},
	},
	{
		n: 35, name: "version header refused with a generic error and null id",
		peer:  peer{card: card10, on: with1(answers03, "SendMessage", is(400, "application/json", `{"jsonrpc":"2.0","error":{"code":-32600,"message":"this agent speaks 0.x only"},"id":null}`))},
		lines: []string{"send report"}, state: "completed", text: "report", finds: []string{"major version.refused"}, check: all(speaks("0.3"), oneMessage),
	},
	{
		n: 36, name: "version header ignored: A2A-Version: 99.0 is served", peer: peer{gen: "1.0", card: card10, on: answers10},
		lines: []string{"send report", "wait settled", `raw GetTask {"id":"a2ascope-0b1d5c52-no-such-task"} --version 99.0`}, state: "completed", text: "report", finds: []string{"minor errors.unknown-version"},
	},
	{
		n: 37, name: "missing header or missing protocolVersion must mean 0.3: the peer speaks 0.3",
		peer:  peer{card: versionless, on: answers03},
		lines: []string{"send report"}, state: "completed", text: "report", finds: []string{"minor card.fields card-required-missing"}, check: speaks("0.3"),
	},
	{
		n: 37, name: "missing header or missing protocolVersion must mean 0.3: the peer speaks 1.0",
		peer:  peer{gen: "1.0", card: versionless, on: answers10},
		lines: []string{"send report"}, state: "completed", text: "report", finds: []string{"minor card.fields card-required-missing"}, check: speaks("1.0"),
	},
	{n: 38, name: "1.0 client cannot talk to the installed base of 0.3 servers", peer: peer{card: card03, on: answers03}, lines: []string{"send report"}, state: "completed", text: "report", check: speaks("0.3")},
	{
		n: 39, name: "old header names X-A2A-Extensions, X-A2A-Version", peer: peer{card: card03, on: with1(answers03, "send", with("X-A2A-Extensions", "https://ext.example/a", says(task03("completed", report03))))},
		lines: []string{"send report"}, state: "completed", text: "report",
	},
	{
		n: 40, name: "1.0-labelled peer that still emits lower-case states",
		peer:  peer{gen: "1.0", card: card10, on: routes{"send": says(`{"task":{"id":"t","contextId":"c","status":{"state":"input-required","message":{"messageId":"m","role":"agent","parts":[{"text":"Which city?"}]}}}}`), "get": says(task10("INPUT_REQUIRED"))}},
		lines: []string{"send report"}, state: "input-required", last: "Which city?", finds: []string{"minor wire.tolerated state-spelling"},
	},
	{n: 41, name: "CANCELLED with two Ls: 0.3", peer: canceling(says(task03("cancelled")), says(task03("cancelled"))), lines: canceledNow, state: "canceled", finds: []string{"minor wire.tolerated state-spelling"}},
	{
		n: 41, name: "CANCELLED with two Ls: 1.0", peer: peer{gen: "1.0", card: card10, on: routes{"send": says(sent10("WORKING")), "cancel": says(task10("CANCELLED")), "get": says(task10("CANCELLED"))}},
		lines: canceledNow, state: "canceled", finds: []string{"minor wire.tolerated state-spelling"},
	},
}

var canceledNow = []string{"send --immediate report", "cancel", "wait settled"}

var versionless = strings.Replace(card10, `,"protocolVersion":"1.0"`, "", 1)

func all(checks ...func(*testing.T, *walked)) func(*testing.T, *walked) {
	return func(t *testing.T, w *walked) {
		for _, check := range checks {
			check(t, w)
		}
	}
}

// oneMessage: whatever the rungs, they carry one message, with one id.
func oneMessage(t *testing.T, w *walked) {
	ids := map[string]bool{}
	for _, h := range w.peer.heard {
		if !strings.Contains(h.body, stillThere) && strings.Contains(h.body, "report") {
			if _, rest, ok := strings.Cut(h.body, `"messageId":"`); ok {
				ids[rest[:36]] = true
			}
		}
	}
	if len(ids) > 1 {
		t.Errorf("one message went out under %d ids", len(ids))
	}
}
