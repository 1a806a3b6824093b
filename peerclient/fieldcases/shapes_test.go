package fieldcases

import (
	"strings"
	"testing"
)

// class D: the shape of messages, tasks, parts and values.
var shapes = []fieldCase{
	{
		n: 42, name: "stream events without kind",
		peer: peer{card: card03, on: routes{"get": says(task03("completed", report03)), "stream": streams(
			ev(`{"taskId":"t","contextId":"c","status":{"state":"working"},"final":false}`), ev(`{"artifact":{"artifactId":"a","parts":[{"kind":"text","text":"report"}]},"taskId":"t"}`),
			ev(`{"taskId":"t","contextId":"c","status":{"state":"completed"},"final":true}`))}},
		lines: []string{"stream report", "wait settled"}, state: "completed", text: "report", finds: []string{"minor wire.tolerated kind-missing"},
	},
	{
		n: 43, name: "status.message lacks kind and messageId",
		peer:  answering(`{"kind":"task","id":"t","contextId":"c","status":{"state":"completed","message":{"role":"agent","parts":[{"kind":"text","text":"done"}]}}}`),
		lines: []string{"send report"}, state: "completed", last: "done", finds: []string{"minor wire.tolerated message-id-missing"},
	},
	{
		n: 44, name: "discriminator not first, nulls everywhere",
		peer: answering(`{"artifacts":[{"artifactId":"a","description":null,"extensions":null,"metadata":null,"name":null,"parts":[{"kind":"text","metadata":null,"text":"report"}]}],"contextId":"c",` +
			`"history":[{"kind":"message","messageId":"m1","parts":[{"kind":"text","metadata":null,"text":"go"}],"referenceTaskIds":null,"role":"user","taskId":null}],"id":"t","kind":"task","metadata":null,"status":{"message":null,"state":"completed","timestamp":null}}`),
		lines: []string{"send report"}, state: "completed", text: "report",
	},
	{
		n: 45, name: "key kind emitted twice in one object",
		peer:  peer{card: card03, on: routes{"send": says(`{"kind":"message","role":"agent","messageId":"m","parts":[{"kind":"text","text":"hi","kind":"text"}],"kind":"message"}`)}},
		lines: []string{"send report"}, state: "message", last: "hi", finds: []string{"minor wire.tolerated json-duplicate-key"},
	},
	{n: 46, name: "file part dialects: 0.3", peer: withFile(`{"kind":"file","file":{"bytes":"`+png+`","mimeType":"image/png","name":"p"}}`, false), lines: []string{"send report"}, state: "completed", check: isPNG},
	{
		n: 46, name: "file part dialects: draft of 1.0", peer: withFile(`{"file":{"fileWithBytes":"`+png+`","mediaType":"image/png","name":"p"}}`, true), lines: []string{"send report"}, state: "completed", check: isPNG,
		finds: []string{"minor wire.tolerated part-dialect"},
	},
	{n: 46, name: "file part dialects: 1.0", peer: withFile(`{"raw":"`+png+`","filename":"p","mediaType":"image/png"}`, true), lines: []string{"send report"}, state: "completed", check: isPNG},
	{
		n: 47, name: "pre-standard dialect: sessionId, type parts", peer: answering(strings.Replace(task01, "sessionId", "session_id", 1)),
		lines: []string{"send report"}, state: "completed", text: "report", finds: []string{"minor wire.tolerated"},
		check: func(t *testing.T, w *walked) {
			if c := w.doc.Tasks[0].ContextID; c != "s" {
				t.Errorf("the context is %q, want what session_id says", c)
			}
		},
	},
	{
		n: 49, name: "result.message wrapper in the stream, flat message in unary",
		peer: peer{card: card03, on: routes{
			"send":   says(`{"kind":"message","messageId":"m","role":"agent","parts":[{"kind":"text","text":"flat"}]}`),
			"stream": streams(ev(`{"message":{"kind":"message","messageId":"m2","role":"agent","parts":[{"kind":"text","text":"wrapped"}]},"final":false}`)),
		}},
		lines: []string{"stream hello", "wait settled", "send --new hello"}, state: "message", last: "wrapped", finds: []string{"minor wire.tolerated version-shape-mix"},
	},
	{
		n: 51, name: "ListTasks items each wrapped like stream events",
		peer:  peer{gen: "1.0", card: card10, on: with1(answers10, "list", says(`{"tasks":[{"task":`+task10("COMPLETED")+`},{"task":{"id":"t2","status":{"state":"TASK_STATE_WORKING"}}}],"totalSize":2}`))},
		lines: []string{"send report", "list"}, state: "completed", finds: []string{"minor wire.tolerated list-shape"}, shows: []string{"2 tasks listed"},
	},
	{
		n: 52, name: "final still present in 1.0 events",
		peer:  streaming10(ev(`{"statusUpdate":{"taskId":"t","contextId":"c","status":{"state":"TASK_STATE_WORKING"},"final":false}}`), chunk10("report"), ev(`{"statusUpdate":{"taskId":"t","contextId":"c","status":{"state":"TASK_STATE_COMPLETED"},"final":true}}`)),
		lines: []string{"stream report", "wait settled"}, state: "completed", text: "report",
	},
	{
		n: 52, name: "final contradicts the state: the state wins",
		peer:  streaming10(ev(`{"statusUpdate":{"taskId":"t","contextId":"c","status":{"state":"TASK_STATE_WORKING"},"final":true}}`), chunk10("report"), ev(`{"statusUpdate":{"taskId":"t","contextId":"c","status":{"state":"TASK_STATE_COMPLETED"},"final":false}}`)),
		lines: []string{"stream report", "wait settled"}, state: "completed", text: "report", finds: []string{"minor wire.tolerated final-contradiction"},
	},
	{
		n: 53, name: "proto3 JSON omits default values",
		peer:  streaming10(ev(`{"statusUpdate":{"taskId":"t","status":{}}}`), ev(`{"statusUpdate":{"taskId":"t","contextId":null,"status":{"state":null,"message":null}}}`), chunk10("report"), status10("COMPLETED")),
		lines: []string{"stream report", "wait settled"}, state: "completed", text: "report", finds: []string{"minor wire.tolerated field-missing"}, shows: []string{"unspecified"},
		check: func(t *testing.T, w *walked) {
			if c := w.doc.Tasks[0].ContextID; c != "c" {
				t.Errorf("the context is %q: an absent one is inherited", c)
			}
		},
	},
	{
		n: 54, name: "parts missing or empty",
		peer: peer{card: card03, on: routes{"get": says(task03("completed", report03)), "stream": streams(status03("working", false), chunk03("report"),
			ev(`{"kind":"artifact-update","taskId":"t","contextId":"c","artifact":{"artifactId":"a","parts":[]},"append":true,"lastChunk":true}`), ev(`{"kind":"artifact-update","taskId":"t","contextId":"c","artifact":{"artifactId":"a"},"append":true,"lastChunk":true}`),
			status03("completed", true))}},
		lines: []string{"stream report", "wait settled"}, state: "completed", text: "report", finds: []string{"minor wire.tolerated parts-empty"},
	},
	{
		n: 56, name: "GetTask returns a home-made record",
		peer:  peer{card: card03, on: routes{"send": says(task03("working")), "get": inTurn(says(`{"run_id":"t","status":"running","result":null}`), says(`{"run_id":"t","status":"timeout","result":null}`), says(`{"run_id":"t","status":"cancelled","result":null}`))}},
		lines: []string{"send --immediate report", "get", "get", "get", "wait settled"}, state: "canceled", finds: []string{"minor wire.tolerated task-shape"}, shows: []string{"running", "timeout"},
	},
	{
		n: 57, name: "timestamps without zone",
		peer: peer{card: card03, on: routes{"get": says(task03("completed", report03)), "stream": streams(
			status03("submitted", false), ev(`{"kind":"status-update","taskId":"t","contextId":"c","status":{"state":"working","timestamp":"2025-04-16T13:38:21.503444"},"final":false}`), chunk03("report"),
			ev(`{"kind":"status-update","taskId":"t","contextId":"c","status":{"state":"completed","timestamp":"2025-04-16 13:38:22"},"final":true}`))}},
		lines: []string{"stream report", "wait settled"}, state: "completed", text: "report", finds: []string{"minor wire.tolerated timestamp-invalid"},
	},
	{
		n: 58, name: "escaping differences in text", peer: answering(task03("completed", `,"artifacts":[{"artifactId":"a","parts":[{"kind":"text","text":"a \u003c b \u0026 c \u6f22 \\u003c"}]}]`)),
		lines: []string{"send report"}, state: "completed", text: `a < b & c 漢 \u003c`, how: "decoded once; what was escaped twice is shown as it came",
	},
	{
		n: 59, name: "non-object data parts and the compat wrapper: 1.0",
		peer: peer{gen: "1.0", card: json10, on: routes{
			"send": says(sent10("COMPLETED", `,"artifacts":[{"artifactId":"a","parts":[{"data":[1,2,3]},{"data":null}]}]`)), "get": says(task10("COMPLETED", `,"artifacts":[{"artifactId":"a","parts":[{"data":[1,2,3]},{"data":null}]}]`))}},
		lines: []string{"send report"}, state: "completed", text: "[1,2,3]\nnull",
	},
	{
		n: 59, name: "non-object data parts and the compat wrapper: 0.3",
		peer:  jsonAnswering(`,"artifacts":[{"artifactId":"a","parts":[{"kind":"data","data":{"value":[1,2,3]},"metadata":{"data_part_compat":true}}]}]`),
		lines: []string{"send report"}, state: "completed", text: "[1,2,3]",
	},
	{
		n: 61, name: "bytes encoded twice", peer: withFile(`{"kind":"file","file":{"bytes":"`+pngTwice+`","mimeType":"image/png","name":"p"}}`, false),
		lines: []string{"send report"}, state: "completed", finds: []string{"minor wire.tolerated bytes-encoding: the bytes are base64 twice: 12 bytes, of which the content is 8"},
	},
	{
		n: 62, name: "response id differs: null", peer: answeringAs(`{"jsonrpc":"2.0","id":null,"result":` + task03("completed", report03) + `}`),
		lines: []string{"send report"}, state: "completed", text: "report", finds: []string{"minor wire.tolerated rpc-id-mismatch"},
	},
	{
		n: 62, name: "response id differs: a text for a number", peer: answeringAs(`{"jsonrpc":"2.0","id":"$id","result":` + task03("completed", report03) + `}`),
		lines: []string{"send report"}, state: "completed", text: "report",
	},
	{
		n: 62, name: "response id differs: a constant", peer: answeringAs(`{"jsonrpc":"2.0","id":"constant","result":` + task03("completed", report03) + `}`),
		lines: []string{"send report"}, state: "completed", text: "report", finds: []string{"major wire.other-id"},
	},
}

const (
	png      = "iVBORw0KGgo="
	pngTwice = "aVZCT1J3MEtHZ289"
)

var (
	png03  = strings.Replace(card03, `"defaultOutputModes":["text/plain"]`, `"defaultOutputModes":["image/png"]`, 1)
	png10  = strings.Replace(card10, `"defaultOutputModes":["text/plain"]`, `"defaultOutputModes":["image/png"]`, 1)
	json03 = strings.Replace(card03, `"defaultOutputModes":["text/plain"]`, `"defaultOutputModes":["application/json"]`, 1)
	json10 = strings.Replace(card10, `"defaultOutputModes":["text/plain"]`, `"defaultOutputModes":["application/json"]`, 1)
)

// answering is a peer of 0.3 whose answer to send and get is one task.
func answering(task string) peer {
	return peer{card: card03, on: routes{"send": says(task), "get": says(task)}}
}

// answeringAs is one whose envelope is written out too.
func answeringAs(body string) peer {
	a := is(200, "application/json", body)
	return peer{card: card03, on: routes{"send": a, "get": a}}
}

func jsonAnswering(more string) peer {
	p := answering(task03("completed", more))
	p.card = json03
	return p
}

// withFile is a peer whose task has one part in its artifact.
func withFile(part string, modern bool) peer {
	more := `,"artifacts":[{"artifactId":"a","parts":[` + part + `]}]`
	if modern {
		return peer{gen: "1.0", card: png10, on: routes{"send": says(sent10("COMPLETED", more)), "get": says(task10("COMPLETED", more))}}
	}
	p := answering(task03("completed", more))
	p.card = png03
	return p
}

// streaming10 is a peer of 1.0 whose stream begins with the task and goes on
// with these events; get then has the finished task.
func streaming10(events ...any) peer {
	steps := append([]any{first10("SUBMITTED")}, events...)
	return peer{gen: "1.0", card: card10, on: routes{"stream": streams(steps...), "get": says(task10("COMPLETED", report10))}}
}

// with1 is a set of routes with one more.
func with1(on routes, key string, a answer) routes {
	out := routes{key: a}
	for k, v := range on {
		if k != key {
			out[k] = v
		}
	}
	return out
}

// isPNG wants the artifact to be the eight bytes of a PNG's head, whatever the
// dialect: all have one digest then.
func isPNG(t *testing.T, w *walked) {
	for _, a := range w.doc.Tasks[0].Artifacts {
		if a.Digest == pngDigest && len(a.MediaTypes) == 1 && a.MediaTypes[0] == "image/png" {
			return
		}
	}
	t.Errorf("no image with the bytes of a PNG: %+v", w.doc.Tasks[0].Artifacts)
}

const pngDigest = "5d5a489d4e94e7a02fd05cf3bcd76b43e3b9563e6b5fb9376373e8f394c89398"
