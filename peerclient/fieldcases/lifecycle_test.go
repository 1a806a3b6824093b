package fieldcases

import (
	"strings"
	"testing"
	"time"

	"a2ascope/session"
)

// class F: the life cycle of streams and tasks.
var lifecycle = []fieldCase{
	{
		n: 81, name: "stream closes cleanly while the task is still WORKING", peer: streaming10(status10("WORKING"), chunk10("rep")),
		lines: streamed, state: "completed", text: "report", finds: []string{"major stream.truncated"},
	},
	{
		n: 82, name: "append:true for an artifact that was never created", peer: streaming10(status10("WORKING"), chunk10("rep", `,"append":true`), chunk10("ort", `,"append":true`), status10("COMPLETED")),
		lines: streamed, state: "completed", text: "report", finds: []string{"minor wire.tolerated artifact-append-unknown"},
	},
	{
		n: 83, name: "subscription closed by server timeout with a : done comment",
		peer: peer{gen: "1.0", card: card10, on: routes{"stream": streams(first10("WORKING"), hold), "get": says(task10("WORKING")),
			"subscribe": streams(first10("WORKING"), 20*time.Millisecond, ": done\n\n")}},
		lines: []string{"stream report", "detach", "resubscribe", "wait closed", "get"}, state: "working", finds: []string{"minor stream.truncated"}, shows: []string{"comment  done"}, check: asked(map[string]int{"subscribe": 1}),
	},
	{
		n: 84, name: "INPUT_REQUIRED does not end the stream",
		peer: peer{card: card03, on: routes{"stream": streams(status03("working", false), status03("input-required", false, message03("Which city?")), hold),
			"send": says(task03("completed", report03)), "get": inTurn(says(asks03("Which city?")), says(task03("completed", report03)))}},
		lines: []string{"stream report", "wait state input-required", "resume Rome", "wait settled"}, state: "completed", text: "report",
	},
	{
		n: 84, name: "INPUT_REQUIRED ends the stream",
		peer: peer{card: card03, on: routes{"stream": streams(status03("working", false), status03("input-required", true, message03("Which city?"))),
			"send": says(task03("completed", report03)), "get": inTurn(says(asks03("Which city?")), says(task03("completed", report03)))}},
		lines: []string{"stream report", "wait state input-required", "resume Rome", "wait settled"}, state: "completed", text: "report",
	},
	{
		n: 86, name: "resubscribe race: stream ends without artifacts or final event",
		peer: peer{card: card03, on: routes{"stream": streams(status03("working", false), hold), "get": says(task03("completed", report03)),
			"subscribe": streams(status03("working", false))}},
		lines: []string{"stream report", "detach", "resubscribe", "wait settled"}, state: "completed", text: "report", finds: []string{"minor stream.truncated"}, check: asked(map[string]int{"subscribe": 1}),
	},
	{n: 87, name: "first task snapshot (submitted) taken as the answer", peer: streaming10(50*time.Millisecond, status10("WORKING"), chunk10("report"), status10("COMPLETED")), lines: streamed, state: "completed", text: "report"},
	{
		n: 87, name: "a stream that begins with a status update", peer: peer{gen: "1.0", card: card10, on: routes{"get": says(task10("COMPLETED", report10)), "stream": streams(status10("WORKING"), chunk10("report"), status10("COMPLETED"))}},
		lines: streamed, state: "completed", text: "report",
	},
	{
		n: 88, name: "COMPLETED is streamed, afterwards the store says FAILED",
		peer:  peer{card: card03, on: routes{"stream": streams(status03("working", false), status03("completed", true)), "get": says(task03("failed"))}},
		lines: streamed, state: "failed", finds: []string{"major views.differ the stream ended with completed, 2 reads say failed"},
	},
	{
		n: 90, name: "final status has no message; content came in earlier artifacts",
		peer:  framed03(status03("working", false), chunk03("rep"), chunk03("ort", `,"append":true`), chunk03("", `,"append":true,"lastChunk":true`), status03("completed", true)),
		lines: streamed, state: "completed", text: "report",
	},
	{
		n: 90, name: "artifact text plus input-required with a prompt",
		peer: peer{card: card03, on: routes{"stream": streams(chunk03("draft"), status03("input-required", true, message03("Is it good?"))),
			"get": says(task03("input-required", `,"artifacts":[{"artifactId":"a","parts":[{"kind":"text","text":"draft"}]}]`))}},
		lines: []string{"stream report", "wait settled"}, state: "input-required", text: "draft", last: "Is it good?",
	},
	{
		n: 91, name: "same text twice, the user's own text echoed as status",
		peer: framed03(ev(`{"kind":"status-update","taskId":"t","contextId":"c","status":{"state":"submitted","message":{"kind":"message","messageId":"u","role":"user","parts":[{"kind":"text","text":"report"}]}},"final":false}`),
			status03("working", false), status03("working", false, message03("report")), chunk03("report"), status03("completed", true)),
		lines: streamed, state: "completed", text: "report", last: "report",
	},
	{
		n: 92, name: "chunk joining corrupts words",
		peer: peer{card: card03, on: routes{"get": says(task03("completed", `,"artifacts":[{"artifactId":"a","parts":[{"kind":"text","text":"Hello, world"}]}]`)),
			"stream": streams(status03("working", false), chunk03("Hel"), chunk03("lo, ", `,"append":true`), chunk03("wor", `,"append":true`), chunk03("ld", `,"append":true`), status03("completed", true))}},
		lines: streamed, state: "completed", text: "Hello, world",
	},
	{
		n: 93, name: "lastChunk never sent", peer: streaming10(status10("WORKING"), chunk10("rep"), chunk10("ort", `,"append":true`), status10("COMPLETED")),
		lines: streamed, state: "completed", text: "report", how: "a terminal state seals all artifacts",
	},
	{
		n: 94, name: "COMPLETED on a notice, the real answer comes later",
		peer:  peer{card: card03, on: routes{"send": says(notice03), "get": inTurn(says(notice03), says(task03("completed", report03)))}},
		lines: []string{"send report", "wait settled"}, state: "completed", text: "report", finds: []string{"major completed.drifts"},
	},
	{
		n: 95, name: "ran out of budget, reported as COMPLETED", peer: answering(task03("completed", `,"artifacts":[{"artifactId":"a","parts":[{"kind":"text","text":"partial: the budget is used up"}]}]`)),
		lines: []string{"send report", "wait settled"}, state: "completed", text: "partial: the budget is used up", how: "nothing on the wire says it; the whole text is in the log",
	},
	{
		n: 97, name: "question asked, task reported completed",
		peer:  peer{card: card03, on: routes{"send": inTurn(says(task03("completed", asking)), says(strings.ReplaceAll(task03("completed", report03), `"t"`, `"t2"`))), "get": says(task03("completed", asking))}},
		lines: []string{"send report", "wait settled", "send --new --context current Rome"}, state: "completed", text: "Which city?",
		check: func(t *testing.T, w *walked) {
			if body := w.asks("send"); !strings.Contains(body, `"contextId":"c"`) || strings.Contains(body, `"taskId"`) {
				t.Errorf("a follow-up names the context and no task: %s", body)
			}
		},
	},
	{
		n: 98, name: "task never reaches a terminal state", peer: answering(task03("working")), policy: hurried,
		lines: []string{"send --immediate report", "poll --until working --every 20ms", "wait 250ms"}, state: "working", finds: []string{"minor liveness.working"},
	},
	{
		n: 99, name: "blocking send returns a WORKING task", peer: peer{gen: "1.0", card: card10, on: routes{"send": says(sent10("WORKING")), "get": inTurn(says(task10("WORKING")), says(task10("COMPLETED", report10)))}},
		lines: []string{"send report", "wait settled"}, state: "completed", text: "report", finds: []string{"major blocking.returned-early"},
	},
	{
		n: 100, name: "blocking:false ignored: 0.3", peer: peer{card: card03, on: routes{"send": after(200*time.Millisecond, says(task03("completed", report03))), "get": says(task03("completed", report03))}},
		lines: []string{"send --immediate report"}, state: "completed", text: "report", finds: []string{"minor blocking.unasked"}, check: asksWith("send", `"blocking":false`),
	},
	{
		n: 100, name: "blocking:false ignored: 1.0 has returnImmediately", peer: peer{gen: "1.0", card: card10, on: with1(answers10, "send", after(200*time.Millisecond, says(sent10("COMPLETED", report10))))},
		lines: []string{"send --immediate report"}, state: "completed", text: "report", finds: []string{"minor blocking.unasked"}, check: asksWith("send", `"returnImmediately":true`),
	},
	{
		n: 101, name: "sending with a taskId: the stream never opens", policy: func(p *session.Policy) { p.TimeoutFirstByte = session.Duration(300 * time.Millisecond) },
		peer:  peer{card: card03, on: routes{"send": says(asks03("Which city?")), "get": says(asks03("Which city?")), "stream": silent}},
		lines: []string{"send report", "resume Rome --stream", "get"}, state: "input-required", shows: []string{"no byte within"}, how: "a fault of the first-byte timeout, and no verdict; the message is not repeated", check: asked(map[string]int{"stream": 1}),
	},
	{
		n: 102, name: "a Message in the middle of a task stream",
		peer: peer{gen: "1.0", card: card10, on: routes{"get": says(task10("COMPLETED", report10)), "stream": streams(first10("SUBMITTED"), status10("WORKING"),
			ev(`{"message":{"messageId":"m","role":"ROLE_AGENT","taskId":"t","contextId":"c","parts":[{"text":"by the way"}]}}`), chunk10("report"), status10("COMPLETED"))}},
		lines: streamed, state: "completed", text: "report", last: "by the way", finds: []string{"minor wire.tolerated event-order"},
	},
	{
		n: 103, name: "blocking call errors although the task completed",
		peer:  peer{gen: "1.0", card: card10, on: routes{"send": refuses(-32603, "nothing captured for this call"), "list": says(`{"tasks":[` + task10("COMPLETED") + `],"totalSize":1,"pageSize":50,"nextPageToken":""}`)}},
		lines: []string{"send report", "list"}, shows: []string{"nothing captured for this call", "1 task listed"}, check: asked(map[string]int{"send": 2}), how: "never sent again by itself; list shows what there is",
	},
	{
		n: 104, name: "get lags behind the stream, and catches up",
		peer:  peer{card: card03, on: routes{"stream": streams(status03("working", false), chunk03("report"), status03("completed", true)), "get": inTurn(says(task03("working")), says(task03("completed", report03)))}},
		lines: streamed, state: "completed", text: "report",
	},
	{
		n: 104, name: "get lags behind the stream for ever", policy: soon,
		peer:  peer{card: card03, on: routes{"stream": streams(status03("working", false), chunk03("report"), status03("completed", true)), "get": says(task03("working"))}},
		lines: []string{"stream report", "wait settled --for 300ms"}, state: "working", text: "report", finds: []string{"major views.differ"},
	},
}

var (
	notice03 = task03("completed", `,"artifacts":[{"artifactId":"a","parts":[{"kind":"text","text":"switched to the backup model"}]}]`)
	asking   = `,"artifacts":[{"artifactId":"a","parts":[{"kind":"text","text":"Which city?"}]}]`
)

// hurried turns the deadlines of the life cycle down.
func hurried(p *session.Policy) {
	p.SubmittedDeadline, p.WorkingDeadline = session.Duration(150*time.Millisecond), session.Duration(150*time.Millisecond)
}

// asksWith wants the last request of a kind to hold some words.
func asksWith(key string, words ...string) func(*testing.T, *walked) {
	return func(t *testing.T, w *walked) {
		for _, word := range words {
			if body := w.asks(key); !strings.Contains(body, word) {
				t.Errorf("%s was asked without %s: %s", key, word, body)
			}
		}
	}
}
