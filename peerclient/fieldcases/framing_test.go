package fieldcases

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"a2ascope/peerclient"
)

// class E: event streams and HTTP framing.
var framing = []fieldCase{
	{
		n: 64, name: "keep-alive comments crash the reader",
		peer:  framed03("id: 7e\n", status03("working", false), ":keep-alive\n\n", "id: 7f\n", chunk03("report"), ":keep-alive\n\n", "id: 80\n", status03("completed", true), ":keep-alive\n\n"),
		lines: streamed, state: "completed", text: "report", shows: []string{"keep-alive"}, how: "shown as comments, never read as JSON",
	},
	{n: 65, name: "no space after data:", peer: framed03(tight(status03("working", false)), tight(chunk03("report")), tight(status03("completed", true))), lines: streamed, state: "completed", text: "report"},
	{
		n: 65, name: "bytes received and not one event", peer: framed03("retry: 10\n\nJust a moment\n\nfoo: bar\n\n"),
		lines: []string{"stream report", "wait closed"}, shows: []string{"no data", "the stream brought no event and broke no rule"}, check: asked(map[string]int{"stream": 1}),
	},
	{
		n: 66, name: "events over 64 KiB", peer: peer{card: card03, on: routes{"stream": streams(status03("working", false), chunk03(huge), status03("completed", true)), "get": says(strings.Replace(task03("completed", report03), `"report"`, `"`+huge+`"`, 1))}},
		lines: streamed, state: "completed", how: "read whole, up to 64 MiB; 64 KiB of the text are kept beside the log, the rest enters the digest",
	},
	{
		n: 67, name: "endless line or event", client: peerclient.Options{MaxEvent: 1 << 16},
		peer:  peer{card: card03, on: routes{"stream": endless, "get": says(task03("completed", report03))}},
		lines: []string{"stream report", "wait closed"}, shows: []string{"stream given up", "too many oversize events"}, how: "given up after three events beyond 64 MiB, and said so; the rest of the session goes on",
	},
	{
		n: 68, name: "last event not followed by a blank line", peer: framed03(status03("working", false), chunk03("report"), "data: "+enveloped(status03("completed", true))),
		lines: streamed, state: "completed", text: "report", finds: []string{"minor wire.tolerated sse-unterminated"}, shows: []string{"tail (unterminated)"},
	},
	{
		n: 69, name: "CRLF line ends", peer: framed03(crlf(status03("working", false)), "\r", "\n", crlf(chunk03("report")), "\r", "\n", crlf(status03("completed", true)), "\r", "\n"),
		lines: streamed, state: "completed", text: "report",
	},
	{
		n: 71, name: "event: lines and multi-line data",
		peer:  framed03("event: task-update\nid: 5\n"+overLines(status03("working", false)), "event: task-update\nid: 6\n"+overLines(chunk03("report")), "event: task-update\nid: 7\n"+overLines(status03("completed", true))),
		lines: streamed, state: "completed", text: "report", shows: []string{"event: task-update"},
	},
	{
		n: 72, name: "REST stream frames are pretty-printed JSON over many data: lines",
		peer: peer{gen: "1.0", card: rest10, on: routes{
			"POST /message:stream": streams("data: {\r\ndata:   \"statusUpdate\": {\r\ndata:     \"taskId\": \"t\", \"contextId\": \"c\",\r\ndata:     \"status\": {\r\ndata:       \"state\": \"TASK_STATE_WORKING\"\r\ndata:     }\r\ndata:   }\r\ndata: }\r\n\r\n",
				"data: {\r\ndata:   \"artifactUpdate\": {\"taskId\": \"t\", \"contextId\": \"c\",\r\ndata:    \"artifact\": {\"artifactId\": \"a\", \"parts\": [\r\ndata:    {\"text\": \"report\"}]}}}\r\n\r\n",
				"data: {\"statusUpdate\": {\"taskId\": \"t\", \"contextId\": \"c\",\r\ndata:  \"status\": {\"state\": \"TASK_STATE_COMPLETED\"}}}\r\n\r\n"),
			"POST /message:send": silent, "GET /tasks/t": is(200, "application/json", task10("COMPLETED", report10)),
		}},
		lines: streamed, state: "completed", text: "report",
	},
	{
		n: 73, name: "a stream that is JSON documents one after another",
		peer:  peer{card: card03, on: routes{"get": says(task03("completed", report03)), "stream": streamsAs("application/json", enveloped(status03("working", false)), "\x1e"+enveloped(chunk03("report"))+"\n", enveloped(status03("completed", true)))}},
		lines: streamed, state: "completed", text: "report", finds: []string{"minor wire.tolerated stream-not-sse"},
	},
	{
		n: 74, name: "streaming asked and declared, single JSON answer", peer: peer{card: card03, on: routes{"stream": says(task03("completed", report03)), "get": says(task03("completed", report03))}},
		lines: streamed, state: "completed", text: "report", finds: []string{"major stream.plain-answer"},
	},
	{
		n: 74, name: "streaming asked and not declared, single JSON answer", peer: peer{card: undeclared03, on: routes{"stream": says(task03("completed", report03)), "get": says(task03("completed", report03))}},
		lines: streamed, state: "completed", text: "report",
	},
	{n: 75, name: "JSON-RPC error to a stream call arrives as plain JSON", peer: refusing(refuses(-32004, "streaming is not supported")), lines: []string{"stream report"}, finds: []string{"major stream.plain-answer"}, shows: []string{"-32004"}},
	{n: 75, name: "the same without a content type", peer: refusing(is(200, "", refusal)), lines: []string{"stream report"}, finds: []string{"major stream.plain-answer"}, shows: []string{"-32004"}},
	{n: 75, name: "the same as text/event-stream", peer: refusing(is(200, "text/event-stream", refusal)), lines: []string{"stream report"}, finds: []string{"major stream.plain-answer"}, shows: []string{"-32004"}},
	{
		n: 76, name: "pre-stream errors wrapped in 200 SSE", peer: peer{gen: "1.0", card: card10, on: with1(answers10, "subscribe", streams(`data: {"jsonrpc":"2.0","id":$id,"error":{"code":-32004,"message":"the task is over"}}`+"\n\n"))},
		lines: []string{"send report", "wait settled", "resubscribe", "wait closed"}, state: "completed", text: "report", shows: []string{"error  UNSUPPORTED_OPERATION", "the task is over"}, check: asked(map[string]int{"subscribe": 1}),
	},
	{
		n: 77, name: "REST stream error frame: google.rpc", peer: restBroken(`{"error":{"code":400,"status":"INVALID_ARGUMENT","message":"it broke","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"INVALID_AGENT_RESPONSE","domain":"a2a-protocol.org"}]}}`),
		lines: streamed, state: "completed", text: "report", shows: []string{"INVALID_AGENT_RESPONSE", "it broke"}, how: "the stream has failed, and the task is read",
	},
	{n: 77, name: "REST stream error frame: a bare text", peer: restBroken(`{"error":"it broke"}`), lines: streamed, state: "completed", text: "report", shows: []string{"it broke"}},
	{n: 77, name: "REST stream error frame: RFC 7807", peer: restBroken(`{"type":"about:blank","title":"it broke","status":500,"detail":"badly"}`), lines: streamed, state: "completed", text: "report", shows: []string{"badly"}},
	{
		n: 78, name: "a buffering proxy: everything at once",
		peer: framed03(ev(dated03("submitted", "2026-01-01T00:00:00Z", false)), ev(dated03("working", "2026-01-01T00:00:05Z", false)), chunk03("report"), ev(dated03("completed", "2026-01-01T00:01:00Z", true))),
		// the events come in one write
		lines: streamed, state: "completed", text: "report", finds: []string{"major stream.buffered"},
	},
	{
		n: 78, name: "a buffering proxy: 502", peer: refusing(is(502, "text/html", "<html><head><title>502 Bad Gateway</title></head></html>")),
		lines: []string{"stream report"}, shows: []string{"502 text/html", "not an answer of the agent"}, check: asked(map[string]int{"stream": 1}),
	},
	{
		n: 79, name: "long silence between events",
		peer: peer{card: card03, on: routes{"stream": streams(status03("working", false), 600*time.Millisecond, chunk03("report"), status03("completed", true)),
			"get": func(c *call) {
				says(task03(map[bool]string{true: "working", false: "completed"}[c.nth < 3], map[bool]string{false: report03}[c.nth < 3]))(c)
			}}},
		lines: streamed, state: "completed", text: "report", how: "polled beside, and never cut", check: func(t *testing.T, w *walked) {
			if n := w.asked("get"); n < 3 {
				t.Errorf("%d reads: a silent stream is polled beside", n)
			}
		},
	},
	{
		n: 80, name: "server loses frames when events come back to back",
		peer: peer{card: card03, on: routes{"stream": streams(status03("working", false), chunk03("one "), chunk03("two ", `,"append":true`), status03("completed", true)),
			"get": says(task03("completed", `,"artifacts":[{"artifactId":"a","parts":[{"kind":"text","text":"one two three"}]}]`))}},
		lines: streamed, state: "completed", text: "one two three", finds: []string{"major views.differ"},
	},
}

var huge = strings.Repeat("report", 1<<16/6*4)

var streamed = []string{"stream report", "wait settled"}

var undeclared03 = strings.Replace(card03, `"streaming":true,`, "", 1)

const refusal = `{"jsonrpc":"2.0","id":$id,"error":{"code":-32004,"message":"streaming is not supported"}}`

// framed03 is a peer of 0.3 whose stream is written out; get has the report.
func framed03(steps ...any) peer {
	return peer{card: card03, on: routes{"stream": streams(steps...), "get": says(task03("completed", report03))}}
}

func refusing(a answer) peer {
	return peer{card: card03, on: routes{"stream": a, "send": silent}}
}

// restBroken is a peer over HTTP+JSON whose stream ends with an error.
func restBroken(data string) peer {
	return peer{gen: "1.0", card: rest10, on: routes{
		"POST /message:stream": streams(`data: {"task":`+task10("WORKING")+"}\n\n", "data: "+data+"\n\n"), "POST /message:send": silent,
		"GET /tasks/t": is(200, "application/json", task10("COMPLETED", report10)),
	}}
}

func enveloped(e ev) string { return `{"jsonrpc":"2.0","id":$id,"result":` + string(e) + `}` }
func tight(e ev) string     { return "data:" + enveloped(e) + "\n\n" }
func crlf(e ev) string      { return "data: " + enveloped(e) + "\r\n" }

// overLines breaks the JSON of an event over several data lines.
func overLines(e ev) string {
	return "data: " + strings.ReplaceAll(strings.ReplaceAll(enveloped(e), `"result":`, "\ndata:  \"result\":\ndata: "), `,"status"`, ",\ndata: \"status\"") + "\n\n"
}

func dated03(state, at string, final bool) string {
	return fmt.Sprintf(`{"kind":"status-update","taskId":"t","contextId":"c","status":{"state":%q,"timestamp":%q},"final":%t}`, state, at, final)
}

// endless writes data lines without a blank line until the client has enough.
func endless(c *call) {
	c.w.Header().Set("Content-Type", "text/event-stream")
	line := []byte("data: " + strings.Repeat("x", 1<<14) + "\n")
	for {
		if _, err := c.w.Write(line); err != nil || c.r.Context().Err() != nil {
			return
		}
		_ = http.NewResponseController(c.w).Flush()
	}
}

// asked wants a number of calls of some kinds.
func asked(want map[string]int) func(*testing.T, *walked) {
	return func(t *testing.T, w *walked) {
		for key, n := range want {
			if got := w.asked(key); got != n {
				t.Errorf("%s was called %d times, want %d", key, got, n)
			}
		}
	}
}
