package fieldcases

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"a2ascope/session"
)

// class G: cancel.
var cancels = []fieldCase{
	{
		n: 106, name: "cancel is a no-op stub, the task completes later",
		peer:  canceling(says(task03("canceled")), says(task03("working")), says(task03("completed", report03))),
		lines: []string{"send --immediate report", "cancel", "wait settled"}, state: "completed", finds: []string{"critical cancel.not-final"},
	},
	{
		n: 106, name: "cancel is a no-op stub that says so", peer: canceling(says(task03("working")), says(task03("completed", report03))),
		lines: []string{"send --immediate report", "cancel", "get", "wait settled"}, state: "completed", finds: []string{"info cancel.not-honoured"},
	},
	{
		n: 107, name: "cancel returns a stale state", peer: canceling(says(task03("working")), says(task03("canceled"))),
		lines: []string{"send --immediate report", "cancel", "get", "wait settled"}, state: "canceled", finds: []string{"info cancel.not-honoured"},
	},
	{
		n: 108, name: "second cancel errors", peer: canceling(inTurn(says(task03("canceled")), refuses(-32002, "Task cannot be canceled")), says(task03("canceled"))),
		lines: []string{"send --immediate report", "cancel", "wait settled", "cancel"}, state: "canceled", how: "an error to a second cancel means nothing more",
	},
	{
		n: 108, name: "cancel of a finished task rewrites it",
		peer:  peer{card: card03, on: routes{"send": says(task03("completed", report03)), "cancel": says(task03("canceled")), "get": inTurn(says(task03("completed", report03)), says(task03("completed", report03)), says(task03("canceled")))}},
		lines: []string{"send report", "wait settled", "cancel", "wait settled", "get"}, state: "canceled", finds: []string{"critical terminal.rewritten"},
	},
	{
		n: 109, name: "cancel races with completion", peer: canceling(says(task03("completed", report03)), says(task03("completed", report03))),
		lines: []string{"send --immediate report", "cancel", "wait settled"}, state: "completed", finds: []string{"info cancel.not-honoured it was over before the cancel took effect: the answer says completed"},
	},
	{
		n: 110, name: "completion overwrites CANCELED", peer: canceling(says(task03("canceled")), says(task03("canceled")), says(task03("completed", report03))),
		lines: []string{"send --immediate report", "cancel", "get", "wait settled"}, state: "completed", finds: []string{"critical cancel.not-final"},
	},
	{
		n: 111, name: "events after a terminal status, even back to SUBMITTED",
		peer:  streaming10(status10("WORKING"), chunk10("report"), status10("COMPLETED"), first10("SUBMITTED"), chunk10("report")),
		lines: streamed, state: "completed", text: "report", finds: []string{"major terminal.events-after"},
	},
	{
		n: 112, name: "client disconnect fails the task",
		peer:  peer{card: card03, on: routes{"stream": streams(status03("working", false), hold), "get": says(`{"kind":"task","id":"t","contextId":"c","status":{"state":"failed"` + message03("the client went away") + `}}`)}},
		lines: []string{"stream report", "detach", "get", "wait settled"}, state: "failed", finds: []string{"info liveness.dropped"}, shows: []string{"by us; the task goes on", "the client went away"},
	},
}

// canceling is a peer of 0.3 with a task under way, what answers its cancel,
// and what its gets show.
func canceling(cancel answer, gets ...answer) peer {
	return peer{card: card03, on: routes{"send": says(task03("working")), "cancel": cancel, "get": inTurn(gets...)}}
}

// class H: resume, context, history.
var resumes = []fieldCase{
	{
		n: 114, name: "follow-up in non-blocking mode errors",
		peer:  peer{card: card03, on: routes{"send": inTurn(says(asks03("Which city?")), refuses(-32603, "execution ended before anything was produced")), "get": inTurn(says(asks03("Which city?")), says(task03("completed", report03)))}},
		lines: []string{"send report", "send --immediate Rome", "wait state completed", "wait settled"}, state: "completed", text: "report", shows: []string{"execution ended before anything was produced"}, how: "the task is read once; the message is never sent again by itself", check: asked(map[string]int{"send": 3}),
	},
	{
		n: 115, name: "message to a terminal task: wrong code",
		peer:  peer{gen: "1.0", card: card10, on: with1(answers10, "send", inTurn(says(sent10("COMPLETED", report10)), refuses(-32602, "task t is already in a terminal state (completed)")))},
		lines: []string{"send report", "wait settled", "resume --force more"}, state: "completed", text: "report", finds: []string{"minor errors.code already in a terminal state"},
	},
	{
		n: 115, name: "message to a terminal task: 0.3 has no code for it",
		peer:  peer{card: card03, on: with1(answers03, "send", inTurn(says(task03("completed", report03)), refuses(-32602, "task t is already in a terminal state (completed)")))},
		lines: []string{"send report", "wait settled", "resume --force more"}, state: "completed", text: "report", shows: []string{"already in a terminal state"},
	},
	{
		n: 116, name: "history holds only the current turn",
		peer:  peer{card: card03, on: routes{"send": says(asks03("Which city?")), "get": inTurn(says(past03("one", "two", "three")), says(past03("three")))}},
		lines: []string{"send report", "get --history 20", "get --history 20"}, state: "input-required", finds: []string{"minor history.shrinks"},
	},
	{
		n: 117, name: "contextId handed out but not used for memory", peer: peer{card: card03, on: answers03},
		lines: []string{"send report", "send --new --context current more"}, state: "completed", check: asksWith("send", `"contextId":"c"`), how: "what a peer forgets is in its words alone; the context id is sent, and stands in the request",
	},
	{
		n: 118, name: "server insists on UUID context ids", peer: peer{card: card03, on: answers03}, lines: []string{"send report"}, state: "completed",
		check: func(t *testing.T, w *walked) {
			if body := w.asks("send"); strings.Contains(body, "contextId") || !regexp.MustCompile(`"messageId":"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"`).MatchString(body) {
				t.Errorf("the first message names no context, and itself by a UUID: %s", body)
			}
		},
		how: "no context id is made up: the peer's is taken over",
	},
	{
		n: 119, name: "client sends contextId but not taskId on resume",
		peer:  peer{card: card03, on: routes{"send": inTurn(says(asks03("Which city?")), says(task03("completed", report03))), "get": inTurn(says(asks03("Which city?")), says(task03("completed", report03)))}},
		lines: []string{"send report", "resume Rome", "wait settled"}, state: "completed", text: "report", check: asksWith("send", `"contextId":"c"`, `"taskId":"t"`), how: "resume sends both",
	},
}

func past03(texts ...string) string {
	var list []string
	for _, text := range texts {
		list = append(list, strings.TrimPrefix(message03(text), `,"message":`))
	}
	return task03("input-required", `,"history":[`+strings.Join(list, ",")+`]`)
}

// class I: subscribe, get, list.
var views = []fieldCase{
	{
		n: 121, name: "subscribe to a finished task: -32001", peer: peer{gen: "1.0", card: card10, on: with1(answers10, "subscribe", refuses(-32001, "Task not found"))},
		lines: resubscribed, state: "completed", text: "report", finds: []string{"minor errors.code"}, check: asked(map[string]int{"subscribe": 1}),
	},
	{
		n: 121, name: "subscribe to a finished task: -32004", peer: peer{gen: "1.0", card: card10, on: with1(answers10, "subscribe", refuses(-32004, "the task is over"))},
		lines: resubscribed, state: "completed", text: "report", check: asked(map[string]int{"subscribe": 1}),
	},
	{
		n: 121, name: "subscribe to a finished task: an empty stream", peer: peer{gen: "1.0", card: card10, on: with1(answers10, "subscribe", streams())},
		lines: resubscribed, state: "completed", text: "report", check: asked(map[string]int{"subscribe": 1}),
	},
	{
		n: 123, name: "historyLength defaults and zero", peer: peer{card: card03, on: routes{"send": says(asks03("Which city?")), "get": inTurn(says(task03("input-required", `,"history":[]`)), says(past03("one", "two")))}},
		lines: []string{"send report", "get", "get --history 50"}, state: "input-required", check: asksWith("get", `"historyLength":50`), how: "asked for by number; never told from one answer",
	},
	{
		n: 124, name: "disconnect stops the producer; resubscribe is silent", policy: func(p *session.Policy) { hurried(p); p.ProbeWindow = session.Duration(200 * time.Millisecond) },
		peer:  peer{card: card03, on: routes{"stream": streams(status03("working", false), hold), "subscribe": streams(": ping\n\n", hold), "get": says(task03("working"))}},
		lines: []string{"stream report", "detach", "resubscribe", "wait settled --for 300ms"}, state: "working", finds: []string{"minor liveness.working"},
	},
	{
		n: 125, name: "list returns nothing unless filtered", peer: peer{gen: "1.0", card: card10, on: with1(answers10, "list", says(`{"tasks":[],"totalSize":0,"pageSize":50,"nextPageToken":""}`))},
		lines: []string{"send report", "wait settled", "list"}, state: "completed", finds: []string{"minor views.unlisted"}, shows: []string{"0 tasks listed"},
	},
	{
		n: 125, name: "the list exists and always fails", peer: peer{card: card03, on: with1(answers03, "list", is(500, "application/json", `{"detail":"NotImplemented"}`))},
		lines: []string{"send report", "list"}, state: "completed", shows: []string{"500 application/json"},
	},
}

var resubscribed = []string{"send report", "wait settled", "resubscribe", "wait closed"}

// class J: push notifications.
var pushes = []fieldCase{
	{
		n: 127, name: "push methods always unsupported: declared", peer: peer{card: pushing03, on: routes{"send": says(asks03("Which city?")), "get": says(asks03("Which city?")), "push-set": refuses(-32004, "This operation is not supported")}},
		lines: []string{"send report", "push set http://127.0.0.1:9/hook"}, state: "input-required", finds: []string{"major push.refused"},
	},
	{
		n: 127, name: "push methods always unsupported: not declared", peer: peer{card: card03, on: with1(answers03, "push-set", refuses(-32004, "This operation is not supported"))},
		lines: []string{"send report", "push set http://127.0.0.1:9/hook"}, state: "completed", shows: []string{"This operation is not supported"},
	},
	{
		n: 128, name: "push only once, after the reply",
		peer: peer{card: pushing03, on: routes{"push-set": calledBack(accepted, 0, task03("working")), "send": says(task03("working")),
			"get": inTurn(says(task03("working")), says(task03("completed", report03)))}},
		lines: []string{"send --immediate report", "push on", "get", "wait 50ms", "get", "wait settled", "wait 450ms"}, state: "completed", finds: []string{"minor push.partial"},
	},
	{
		n: 128, name: "push only in streaming mode",
		peer: peer{card: pushing03, on: routes{"stream": calledBack(streams(status03("working", false), 60*time.Millisecond, chunk03("report"), status03("completed", true)), 0, task03("working")),
			"send": says(strings.ReplaceAll(task03("working"), `"t"`, `"t2"`)), "get": inTurn(says(task03("completed", report03)), says(task03("completed", report03)), says(strings.ReplaceAll(task03("completed", report03), `"t"`, `"t2"`)))}},
		lines: []string{"push on", "stream report", "wait settled", "send --new --immediate report", "get", "wait settled", "wait 450ms"}, state: "completed", text: "report",
		finds: []string{"minor push.partial", "major push.absent"},
	},
	{
		n: 129, name: "card says no push, server does it", peer: peer{card: card03, on: routes{"push-set": calledBack(accepted, 0, task03("completed", report03)), "send": says(task03("working")), "get": says(task03("completed", report03))}},
		lines: []string{"send --immediate report", "push on", "wait settled"}, state: "completed", text: "report", check: verdict(session.PushNotifications, session.UnderDeclared), how: "shown as under-declared",
	},
	{n: 130, name: "callback body: bare", peer: calling(task03("completed", report03), "X-A2A-Notification-Token", "application/json"), lines: calledLines, state: "completed", text: "report", check: verdict(session.PushDelivered, session.Honoured)},
	{n: 130, name: "callback body: wrapped, and no content type", peer: calling(sent10("COMPLETED", report10), "A2A-Notification-Token", ""), lines: calledLines, state: "completed", text: "report", check: verdict(session.PushDelivered, session.Honoured)},
	{n: 130, name: "callback body: a status update, the token as bearer", peer: calling(string(status10("COMPLETED")), "Authorization", "application/a2a+json"), lines: calledLines, state: "completed", text: "report", check: verdict(session.PushDelivered, session.Honoured)},
	{
		n: 131, name: "listing push configs: a bare array in 1.0", peer: peer{gen: "1.0", card: card10, on: with1(answers10, "push-list", says(`[{"taskId":"t","id":"p","url":"http://127.0.0.1:9/hook"}]`))},
		lines: []string{"send report", "push list"}, state: "completed", shows: []string{"1 push configuration"}, finds: []string{"minor wire.tolerated list-shape"},
	},
	{
		n: 131, name: "listing push configs: an object in 0.3", peer: peer{card: card03, on: with1(answers03, "push-list", says(`{"configs":[{"taskId":"t","pushNotificationConfig":{"id":"p","url":"http://127.0.0.1:9/hook"}}]}`))},
		lines: []string{"send report", "push list"}, state: "completed", shows: []string{"1 push configuration"}, finds: []string{"minor wire.tolerated list-shape"},
	},
	{
		n: 131, name: "listing push configs: the method's other name", peer: peer{gen: "1.0", card: card10, on: with1(answers10, "ListTaskPushNotificationConfig", says(`{"configs":[]}`))},
		lines: []string{"send report", "push list"}, state: "completed", shows: []string{"0 push configurations"},
	},
}

var (
	pushing03   = strings.Replace(card03, `"pushNotifications":false`, `"pushNotifications":true`, 1)
	accepted    = says(`{"taskId":"t","pushNotificationConfig":{"id":"p","url":"http://127.0.0.1:9/hook"}}`)
	calledLines = []string{"send --immediate report", "push on", "wait settled", "wait 100ms"}
)

// calling is a peer whose one callback has a body, a token and a content type
// as told.
func calling(body, header, contentType string) peer {
	return peer{card: pushing03, on: routes{"push-set": calledBackAs(accepted, 0, body, header, contentType), "send": says(task03("working")), "get": says(task03("completed", report03))}}
}

func verdict(claim session.Claim, want session.Verdict) func(*testing.T, *walked) {
	return func(t *testing.T, w *walked) {
		for _, c := range w.doc.Claims {
			if c.ID == claim && c.Verdict != want {
				t.Errorf("%s is %s, want %s%s", claim, c.Verdict, want, w.transcript())
			}
		}
	}
}
