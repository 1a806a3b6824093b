package a2a

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// sketch writes what a payload says in one line, for tables.
func sketch(p Payload) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s", p.Kind)
	if p.Gen != "" {
		fmt.Fprintf(&b, " %s", p.Gen)
	}
	switch {
	case p.Task != nil:
		t := p.Task
		fmt.Fprintf(&b, " %s/%s %s", t.ID, t.ContextID, t.Status.State)
		if m := t.Status.Message; m != nil {
			fmt.Fprintf(&b, " says[%s]", sketchMessage(*m))
		}
		for _, a := range t.Artifacts {
			fmt.Fprintf(&b, " %s[%s]", a.ID, sketchParts(a.Parts))
		}
		for _, m := range t.History {
			fmt.Fprintf(&b, " history[%s]", sketchMessage(m))
		}
	case p.Message != nil:
		fmt.Fprintf(&b, " %s", sketchMessage(*p.Message))
	case p.Status != nil:
		u := p.Status
		fmt.Fprintf(&b, " %s/%s %s", u.TaskID, u.ContextID, u.Status.State)
		if u.Final != nil {
			fmt.Fprintf(&b, " final=%t", *u.Final)
		}
	case p.Artifact != nil:
		u := p.Artifact
		fmt.Fprintf(&b, " %s/%s %s[%s] append=%t last=%t", u.TaskID, u.ContextID, u.Artifact.ID, sketchParts(u.Artifact.Parts), u.Append, u.LastChunk)
	case p.List != nil:
		for _, t := range p.List.Tasks {
			fmt.Fprintf(&b, " %s:%s", t.ID, t.Status.State)
		}
	case p.Kind == KindPush:
		for _, c := range p.Push {
			fmt.Fprintf(&b, " %s/%s=%s %s %v", c.TaskID, c.ID, c.URL, c.Token, c.AuthSchemes)
		}
	case p.Error != nil:
		fmt.Fprintf(&b, " %s %d a2a=%t %q", p.Error.Name, p.Error.Code, p.Error.A2A, p.Error.Message)
	}
	return b.String()
}

func sketchMessage(m Message) string {
	return fmt.Sprintf("%s %s: %s", m.Role, m.ID, sketchParts(m.Parts))
}

func sketchParts(parts []Part) string {
	out := make([]string, len(parts))
	for i, p := range parts {
		switch p.Kind {
		case PartText:
			out[i] = p.Text
		case PartData:
			out[i] = "data " + string(p.Data)
		case PartBytes:
			out[i] = fmt.Sprintf("bytes %q", p.Bytes)
		case PartURL:
			out[i] = "url " + p.URL
		}
		if p.MediaType != "" || p.Filename != "" {
			out[i] += " (" + p.MediaType + " " + p.Filename + ")"
		}
	}
	return strings.Join(out, ", ")
}

// codes lists the anomalies' codes; "!" marks the lossy ones.
func codes(as []Anomaly) string {
	var out []string
	for _, a := range as {
		c := a.Code
		if a.Lossy {
			c += "!"
		}
		out = append(out, c)
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

// rpc puts a result into an envelope.
func rpc(result string) string { return `{"jsonrpc":"2.0","id":7,"result":` + result + `}` }

func TestDecode(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, raw string
		op        Operation
		status    int
		want      string
		codes     string
	}{
		// Regular wire of each generation.
		{name: "1.0 task", raw: rpc(`{"task":{"id":"t","contextId":"c","status":{"state":"TASK_STATE_SUBMITTED"}}}`), op: OpSend, want: "task 1.0 t/c submitted"},
		{name: "1.0 bare task", raw: rpc(`{"id":"t","contextId":"c","status":{"state":"TASK_STATE_INPUT_REQUIRED"}}`), op: OpGet, want: "task 1.0 t/c input-required"},
		{name: "1.0 parts", raw: rpc(`{"message":{"messageId":"m","role":"ROLE_AGENT","parts":[{"text":"a"},{"data":[1,2]},{"data":null},{"raw":"AAEC","filename":"f","mediaType":"image/png"},{"url":"http://x/y"}]}}`), op: OpSend, want: `message 1.0 agent m: a, data [1,2], data null, bytes "\x00\x01\x02" (image/png f), url http://x/y`},
		{name: "1.0 rest", raw: `{"artifactUpdate":{"taskId":"t","contextId":"c","artifact":{"artifactId":"a","parts":[{"text":"x","mediaType":"text/markdown"}]},"append":true,"lastChunk":true}}`, op: OpStream, want: "artifact 1.0 t/c a[x (text/markdown )] append=true last=true"},
		{name: "0.3 status", raw: rpc(`{"kind":"status-update","taskId":"t","contextId":"c","status":{"state":"completed"},"final":true}`), op: OpStream, want: "status 0.3 t/c completed final=true"},
		{name: "0.3 file", raw: rpc(`{"kind":"message","messageId":"m","role":"agent","parts":[{"kind":"file","file":{"bytes":"AAEC","mimeType":"image/png","name":"p"}},{"kind":"file","file":{"uri":"http://x"}},{"kind":"data","data":{"a":1}}]}`), op: OpSend, want: `message 0.3 agent m: bytes "\x00\x01\x02" (image/png p), url http://x, data {"a":1}`},
		{name: "0.3 rest", raw: `{"message":{"messageId":"m","role":"ROLE_AGENT","content":[{"text":"x"},{"data":{"data":{"a":1}}},{"file":{"fileWithBytes":"AAEC","mimeType":"a/b"}},{"file":{"fileWithUri":"http://x"}}]}}`, op: OpSend, want: `message 0.3 agent m: x, data {"a":1}, bytes "\x00\x01\x02" (a/b ), url http://x`},
		{name: "0.3 rest msg", raw: `{"msg":{"messageId":"m","role":"ROLE_AGENT","content":[{"text":"x"}]}}`, op: OpSend, want: "message 0.3 agent m: x"},
		{name: "0.3 rest two Ls", raw: `{"id":"t","contextId":"c","status":{"state":"TASK_STATE_CANCELLED"}}`, op: OpGet, want: "task 0.3 t/c canceled"},
		{name: "0.1 task", raw: rpc(`{"id":"t","sessionId":"s","status":{"state":"completed"},"artifacts":[{"name":"r","index":0,"parts":[{"type":"text","text":"x"}]}]}`), op: OpSend, want: "task 0.1 t/s completed 0[x]"},
		{name: "0.1 update", raw: rpc(`{"id":"t","status":{"state":"working"},"final":false}`), op: OpStream, want: "status t/ working final=false"},
		{name: "0.1 chunk", raw: rpc(`{"id":"t","artifact":{"index":2,"append":true,"lastChunk":true,"parts":[{"type":"text","text":"x"}]}}`), op: OpStream, want: "artifact 0.1 t/ 2[x] append=true last=true"},
		{name: "1.0 data in data stays", raw: rpc(`{"message":{"messageId":"m","role":"ROLE_AGENT","parts":[{"data":{"data":{"a":1}}}]}}`), op: OpSend, want: `message 1.0 agent m: data {"data":{"a":1}}`},
		{name: "deleted", raw: rpc("null"), op: OpPushDelete, want: "none"},
		{name: "no content", raw: "", status: 204, op: OpPushDelete, want: "none"},
		{name: "nulls", raw: rpc(`{"artifacts":[{"artifactId":"a","description":null,"parts":[{"kind":"text","metadata":null,"text":"x"}]}],"contextId":"c","history":null,"id":"t","kind":"task","status":{"state":"working","message":null}}`), op: OpGet, want: "task 0.3 t/c working a[x]"},
		{name: "proto defaults", raw: `{"message":{"messageId":"m","role":"ROLE_AGENT","parts":[{"text":"x","filename":"","mediaType":"","url":""}]}}`, op: OpSend, want: "message 1.0 agent m: x"},

		// Field cases.
		{name: "40", raw: rpc(`{"task":{"id":"t","contextId":"c","status":{"state":"input-required"}}}`), op: OpSend, want: "task 1.0 t/c input-required", codes: "state-spelling"},
		{name: "41", raw: rpc(`{"kind":"task","id":"t","contextId":"c","status":{"state":"cancelled"}}`), op: OpGet, want: "task 0.3 t/c canceled", codes: "state-spelling"},
		{name: "42 status", raw: rpc(`{"taskId":"t","contextId":"c","status":{"state":"working"},"final":false}`), op: OpStream, want: "status t/c working final=false", codes: "kind-missing"},
		{name: "42 artifact", raw: rpc(`{"artifact":{"artifactId":"a","parts":[{"text":"x"}]},"taskId":"t"}`), op: OpStream, want: "artifact t/ a[x] append=false last=false", codes: "kind-missing"},
		{name: "43", raw: rpc(`{"kind":"task","id":"t","contextId":"c","status":{"state":"completed","message":{"role":"agent","parts":[{"kind":"text","text":"done"}]}}}`), op: OpGet, want: "task 0.3 t/c completed says[agent : done]", codes: "message-id-missing"},
		{name: "45", raw: rpc(`{"kind":"message","role":"agent","messageId":"m","parts":[{"kind":"text","text":"x"}],"kind":"message"}`), op: OpSend, want: "message 0.3 agent m: x", codes: "json-duplicate-key"},
		{name: "45 differing", raw: rpc(`{"kind":"task","id":"t","contextId":"c","status":{"state":"working"},"status":{"state":"completed"}}`), op: OpGet, want: "task 0.3 t/c completed", codes: "json-duplicate-key!"},
		{name: "45 in metadata", raw: rpc(`{"kind":"task","id":"t","contextId":"c","metadata":{"a":1,"a":2},"status":{"state":"completed"}}`), op: OpGet, want: "task 0.3 t/c completed", codes: "json-duplicate-key"},
		{name: "45 in data", raw: rpc(`{"kind":"message","role":"agent","messageId":"m","parts":[{"kind":"data","data":{"n":1,"n":2}}]}`), op: OpSend, want: `message 0.3 agent m: data {"n":1,"n":2}`, codes: "json-duplicate-key!"},
		{name: "45 escaped", raw: rpc(`{"kind":"task","id":"t","contextId":"c","status":{"state":"working","st\u0061te":"completed"}}`), op: OpGet, want: "task 0.3 t/c completed", codes: "json-duplicate-key!"},
		{name: "46 draft", raw: rpc(`{"message":{"messageId":"m","role":"ROLE_AGENT","parts":[{"file":{"fileWithBytes":"AAEC","mediaType":"a/b"}}]}}`), op: OpSend, want: `message 0.3 agent m: bytes "\x00\x01\x02" (a/b )`, codes: "part-dialect"},
		{name: "47", raw: `{"result":{"id":"t","session_id":"s","status":{"state":"completed"},"artifacts":[{"name":"r","index":0,"parts":[{"type":"text","text":"x"}]}]}}`, op: OpSend, want: "task 0.1 t/s completed 0[x]", codes: "envelope-shape key-casing"},
		{name: "49", raw: rpc(`{"message":{"kind":"message","messageId":"m","role":"agent","parts":[{"kind":"text","text":"x"}]},"final":false}`), op: OpStream, want: "message 0.3 agent m: x", codes: "version-shape-mix"},
		{name: "51", raw: rpc(`{"tasks":[{"task":{"id":"t1","status":{"state":"TASK_STATE_WORKING"}}},{"task":{"id":"t2","status":{"state":"TASK_STATE_COMPLETED"}}}],"totalSize":2}`), op: OpList, want: "list 1.0 t1:working t2:completed", codes: "list-shape"},
		{name: "52", raw: rpc(`{"statusUpdate":{"taskId":"t","contextId":"c","status":{"state":"TASK_STATE_WORKING"},"final":false}}`), op: OpStream, want: "status 1.0 t/c working final=false"},
		{name: "52 true", raw: rpc(`{"statusUpdate":{"taskId":"t","contextId":"c","status":{"state":"TASK_STATE_WORKING"},"final":true}}`), op: OpStream, want: "status 1.0 t/c working final=true", codes: "final-contradiction"},
		{name: "52 false", raw: rpc(`{"kind":"status-update","taskId":"t","contextId":"c","status":{"state":"completed"},"final":false}`), op: OpStream, want: "status 0.3 t/c completed final=false", codes: "final-contradiction"},
		{name: "53", raw: `{"statusUpdate":{"taskId":"t","status":{}}}`, op: OpStream, want: "status t/ unspecified", codes: "field-missing"},
		{name: "54", raw: rpc(`{"kind":"artifact-update","taskId":"t","artifact":{"artifactId":"a","parts":[]},"append":true,"lastChunk":true}`), op: OpStream, want: "artifact 0.3 t/ a[] append=true last=true", codes: "parts-empty"},
		{name: "54 no key", raw: rpc(`{"kind":"artifact-update","taskId":"t","artifact":{"artifactId":"a"},"append":true}`), op: OpStream, want: "artifact 0.3 t/ a[] append=true last=false", codes: "parts-empty"},
		{name: "55 snake", raw: `{"task":{"id":"t","context_id":"c","status":{"state":"TASK_STATE_COMPLETED","update":null},"artifacts":[{"artifact_id":"a","parts":[{"text":"x"}]}]}}`, op: OpSend, want: "task t/c completed a[x]", codes: "key-casing"},
		{name: "56", raw: rpc(`{"run_id":"r1","status":"running","result":null}`), op: OpGet, want: "task r1/ running", codes: "key-casing state-unknown task-shape"},
		{name: "56 state word", raw: rpc(`{"task_id":"r1","state":"completed"}`), op: OpGet, want: "task r1/ completed", codes: "key-casing task-shape"},
		{name: "59 compat", raw: rpc(`{"kind":"message","messageId":"m","role":"agent","parts":[{"kind":"data","data":{"value":[1,2,3]},"metadata":{"data_part_compat":true}}]}`), op: OpSend, want: "message 0.3 agent m: data [1,2,3]"},
		{name: "61", raw: rpc(`{"message":{"messageId":"m","role":"ROLE_AGENT","parts":[{"raw":"aVZCT1J3PT0=","mediaType":"image/png"}]}}`), op: OpSend, want: `message 1.0 agent m: bytes "iVBORw==" (image/png )`, codes: "bytes-encoding"},
		{name: "61 undeclared", raw: rpc(`{"message":{"messageId":"m","role":"ROLE_AGENT","parts":[{"raw":"aVZCT1J3PT0="}]}}`), op: OpSend, want: `message 1.0 agent m: bytes "iVBORw=="`, codes: "bytes-encoding"},
		{name: "61 of a type without a beginning", raw: rpc(`{"message":{"messageId":"m","role":"ROLE_AGENT","parts":[{"raw":"SlZCRVJnPT0=","mediaType":"application/octet-stream"}]}}`), op: OpSend, want: `message 1.0 agent m: bytes "JVBERg==" (application/octet-stream )`, codes: "bytes-encoding"},
		{name: "61 not: once", raw: rpc(`{"message":{"messageId":"m","role":"ROLE_AGENT","parts":[{"raw":"iVBORw==","mediaType":"image/png"}]}}`), op: OpSend, want: `message 1.0 agent m: bytes "\x89PNG" (image/png )`},
		{name: "61 not: a text that is base64", raw: rpc(`{"message":{"messageId":"m","role":"ROLE_AGENT","parts":[{"raw":"aVZCT1J3PT0=","mediaType":"text/plain; charset=utf-8"}]}}`), op: OpSend, want: `message 1.0 agent m: bytes "iVBORw==" (text/plain; charset=utf-8 )`},
		{name: "61 not: letters of something else", raw: rpc(`{"message":{"messageId":"m","role":"ROLE_AGENT","parts":[{"raw":"aGVsbG93b3JsZA=="}]}}`), op: OpSend, want: `message 1.0 agent m: bytes "helloworld"`},
		{name: "61 url safe", raw: rpc(`{"message":{"messageId":"m","role":"ROLE_AGENT","parts":[{"raw":"-_8"}]}}`), op: OpSend, want: `message 1.0 agent m: bytes "\xfb\xff"`},
		{name: "61 text", raw: rpc(`{"message":{"messageId":"m","role":"ROLE_AGENT","parts":[{"raw":"é!"}]}}`), op: OpSend, want: `message 1.0 agent m: bytes "é!"`, codes: "bytes-encoding"},
		{name: "131 array", raw: rpc(`[{"taskId":"t","pushNotificationConfig":{"id":"c","url":"http://h","token":"k","authentication":{"schemes":["Bearer"]}}}]`), op: OpPushList, want: "push t/c=http://h k [Bearer]"},
		{name: "131 empty", raw: rpc(`{}`), op: OpPushList, want: "push"},
		{name: "0.3 rest push", raw: `{"name":"tasks/t/pushNotificationConfigs/c","pushNotificationConfig":{"url":"http://h"}}`, op: OpPushGet, want: "push t/c=http://h  []"},
		{name: "list bare", raw: rpc(`[{"id":"t","contextId":"c","status":{"state":"TASK_STATE_WORKING"}}]`), op: OpList, want: "list 1.0 t:working", codes: "list-shape"},
		{name: "list empty", raw: `{"nextPageToken":"","pageSize":50,"totalSize":0}`, op: OpList, want: "list"},

		// Content that is lost or ambiguous.
		{name: "two contents", raw: rpc(`{"message":{"messageId":"m","role":"ROLE_AGENT","parts":[{"text":"x","url":"http://h"}]}}`), op: OpSend, want: "message 1.0 agent m: x", codes: "part-two-contents!"},
		{name: "two results", raw: rpc(`{"task":{"id":"t","status":{"state":"TASK_STATE_WORKING"}},"message":{"messageId":"m","role":"ROLE_AGENT","parts":[{"text":"x"}]}}`), op: OpSend, want: "task 1.0 t/ working", codes: "payload-ambiguous!"},
		{name: "result and error", raw: `{"jsonrpc":"2.0","id":1,"result":{"id":"t"},"error":{"code":-32001,"message":"no"}}`, op: OpGet, want: `error TASK_NOT_FOUND -32001 a2a=true "no"`, codes: "envelope-ambiguous!"},
		{name: "two documents", raw: rpc("null") + rpc("null"), op: OpGet, want: "none", codes: "json-trailing!"},
		{name: "cut", raw: `{"jsonrpc":"2.0","id":1,"result":{"kind":"ta`, op: OpStream, want: "unreadable", codes: "event-unreadable!"},
		{name: "bad UTF-8", raw: rpc("{\"kind\":\"message\",\"messageId\":\"m\",\"role\":\"agent\",\"parts\":[{\"kind\":\"text\",\"text\":\"a\xffb\"}]}"), op: OpSend, want: "message 0.3 agent m: a\ufffdb", codes: "json-utf8"},
		{name: "lone surrogate", raw: rpc(`{"kind":"message","messageId":"m","role":"agent","parts":[{"kind":"text","text":"a\ud800b"}]}`), op: OpSend, want: "message 0.3 agent m: a\ufffdb", codes: "json-utf8"},
		{name: "BOM", raw: "\xef\xbb\xbf" + rpc("null"), op: OpGet, want: "none", codes: "json-bom"},
		{name: "unknown part kind", raw: rpc(`{"kind":"message","messageId":"m","role":"agent","parts":[{"kind":"form","fields":[1]}]}`), op: OpSend, want: `message 0.3 agent m: data {"kind":"form","fields":[1]}`, codes: "part-dialect"},
		{name: "unknown shape", raw: rpc(`{"answer":42}`), op: OpSend, want: "unknown", codes: "shape-unknown"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := Decode(Input{Raw: []byte(c.raw), Op: c.op, HTTPStatus: c.status})
			if got := sketch(p); got != c.want {
				t.Errorf("decoded\n  %s\nas\n  %s\nwant\n  %s", c.raw, got, c.want)
			}
			if got := codes(p.Anomalies); got != c.codes {
				t.Errorf("anomalies of\n  %s\nare %q, want %q: %+v", c.raw, got, c.codes, p.Anomalies)
			}
		})
	}
}

func TestDecodeErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, raw string
		status    int
		want      string
	}{
		{"data array", `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"x","data":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"TASK_NOT_CANCELABLE","domain":"a2a-protocol.org"}]}}`, 200, `error TASK_NOT_CANCELABLE -32603 a2a=true "x"`},
		{"data object", `{"jsonrpc":"2.0","id":1,"error":{"code":-32002,"message":"x","data":{"k":"v"}}}`, 200, `error TASK_NOT_CANCELABLE -32002 a2a=true "x"`},
		{"data text", `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"Internal error","data":"old hook"}}`, 500, `error INTERNAL -32603 a2a=true "Internal error"`},
		{"null id", `{"jsonrpc":"2.0","error":{"code":-32600,"message":"0.x only"},"id":null}`, 400, `error INVALID_REQUEST -32600 a2a=true "0.x only"`},
		{"unknown code, known words", `{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"Task not found: t"}}`, 200, `error TASK_NOT_FOUND -1 a2a=true "Task not found: t"`},
		{"0.1 streaming", `{"jsonrpc":"2.0","id":1,"error":{"code":-32006,"message":"Streaming is not supported"}}`, 200, `error UNSUPPORTED_OPERATION -32006 a2a=true "Streaming is not supported"`},
		{"rest 1.0", `{"error":{"code":404,"status":"NOT_FOUND","message":"no","details":[{"reason":"TASK_NOT_FOUND"}]}}`, 404, `error TASK_NOT_FOUND 404 a2a=true "no"`},
		{"rest 1.0 in a stream", `{"error":{"code":400,"status":"INVALID_ARGUMENT","message":"no","details":[{"reason":"INVALID_PARAMS"}]}}`, 0, `error INVALID_PARAMS 400 a2a=true "no"`},
		{"gateway 404", `{"error":{"code":404,"status":"NOT_FOUND","message":"Requested entity was not found."}}`, 404, `error OTHER 404 a2a=false "Requested entity was not found."`},
		{"no ListTasks over gRPC", `{"error":{"code":501,"status":"UNIMPLEMENTED","message":"Method not found: a2a.v1.A2AService/ListTasks"}}`, 501, `error METHOD_NOT_FOUND 501 a2a=false "Method not found: a2a.v1.A2AService/ListTasks"`},
		{"rest 500 of an agent", `{"error":{"code":500,"status":"INTERNAL","message":"boom"}}`, 500, `error INTERNAL 500 a2a=true "boom"`},
		{"rest 0.3", `{"code":-32001,"message":"Task not found: t"}`, 404, `error TASK_NOT_FOUND -32001 a2a=true "Task not found: t"`},
		{"problem", `{"type":"https://a2a-protocol.org/errors/task-not-found","title":"Task not found","status":404}`, 404, `error TASK_NOT_FOUND 404 a2a=true "Task not found"`},
		{"foreign problem", `{"type":"about:blank","title":"Bad Gateway","status":502}`, 502, `error OTHER 502 a2a=false "Bad Gateway"`},
		{"bare text in a stream", `{"error":"text"}`, 0, `error OTHER 0 a2a=true "text"`},
		{"bare text of a gateway", `{"error":"invalid_token","error_description":"expired"}`, 401, `error UNAUTHENTICATED 401 a2a=false "invalid_token: expired"`},
		{"rpc text", `{"jsonrpc":"2.0","id":1,"error":"nope"}`, 200, `error OTHER 0 a2a=true "nope"`},
		{"page", "<!DOCTYPE html><html><head><title>502 Bad Gateway</title>", 502, `error OTHER 502 a2a=false "502 Bad Gateway"`},
		{"words", "404 page not found\n", 404, `error OTHER 404 a2a=false "404 page not found"`},
		{"nothing", "", 403, `error PERMISSION_DENIED 403 a2a=false "HTTP 403"`},
		{"framework", `{"detail":"Method Not Allowed"}`, 405, `error METHOD_NOT_FOUND 405 a2a=false "Method Not Allowed"`},
		{"validation", `{"detail":[{"loc":["body"],"msg":"field required"}]}`, 422, `error INVALID_PARAMS 422 a2a=false "body: field required"`},
		{"validation, two places", `{"detail":[{"type":"missing","loc":["body","params","message"],"msg":"Field required","input":{}},{"loc":["query",0],"msg":"too long"}]}`, 422, `error INVALID_PARAMS 422 a2a=false "body.params.message: Field required; query.0: too long"`},
		{"validation, without places", `{"detail":["no","never",{"msg":"ever"},7]}`, 422, `error INVALID_PARAMS 422 a2a=false "no; never; ever"`},
		{"validation, many", `{"detail":["a","b","c","d","e"]}`, 422, `error INVALID_PARAMS 422 a2a=false "a; b; c; d; …"`},
		{"validation, nothing said", `{"detail":[{"loc":["body"]}]}`, 422, `error INVALID_PARAMS 422 a2a=false "HTTP 422"`},
		{"media type", `{"message":"Unsupported"}`, 415, `error CONTENT_TYPE_NOT_SUPPORTED 415 a2a=false "Unsupported"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := Decode(Input{Raw: []byte(c.raw), Op: OpGet, HTTPStatus: c.status})
			if got := sketch(p); got != c.want {
				t.Errorf("decoded\n  %s\nas\n  %s\nwant\n  %s", c.raw, got, c.want)
			}
			for _, a := range p.Anomalies {
				if a.Lossy {
					t.Errorf("an error is lossy: %+v", a)
				}
			}
		})
	}
}

func TestErrorDataIsKept(t *testing.T) {
	t.Parallel()
	p := Decode(Input{Raw: []byte(`{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"m","data":[ {"loc":"x"} ]}}`)})
	if got := string(p.Error.Data); got != `[ {"loc":"x"} ]` {
		t.Errorf("data is %s", got)
	}
}

func TestTimestamps(t *testing.T) {
	t.Parallel()
	at := time.Date(2025, 4, 16, 13, 38, 21, 503444000, time.UTC)
	for _, c := range []struct {
		json string
		want time.Time
		odd  bool
	}{
		{`"2025-04-16T13:38:21.503444Z"`, at, false},
		{`"2025-04-16T15:38:21.503444+02:00"`, at, false},
		{`"2025-04-16T13:38:21Z"`, at.Truncate(time.Second), false},
		{`"2025-04-16T13:38:21.503444000Z"`, at, false},
		{`"2025-04-16T13:38:21.503444"`, at, true},
		{`"2025-04-16 13:38:21.503444"`, at, true},
		{`"2025-04-16 13:38:21.503444+00:00"`, at, true},
		{`1744810701`, at.Truncate(time.Second), true},
		{`1744810701503`, at.Truncate(time.Millisecond), true},
		{`"1744810701503"`, at.Truncate(time.Millisecond), true},
		{`{"seconds":1744810701,"nanos":503444000}`, at, true},
		{`"yesterday"`, time.Time{}, true},
		{`"0000-01-01T00:00:00+23:00"`, time.Time{}, true},
		{`null`, time.Time{}, false},
		{`""`, time.Time{}, false},
	} {
		p := Decode(Input{Raw: []byte(`{"statusUpdate":{"taskId":"t","status":{"state":"TASK_STATE_WORKING","timestamp":` + c.json + `}}}`)})
		if p.Status == nil || !p.Status.Status.Timestamp.Equal(c.want) {
			t.Errorf("%s: read as %+v, want %v", c.json, p.Status, c.want)
		}
		if odd := codes(p.Anomalies) == "timestamp-invalid"; odd != c.odd {
			t.Errorf("%s: anomalies %+v, want one: %t", c.json, p.Anomalies, c.odd)
		}
	}
}

func TestPollHints(t *testing.T) {
	t.Parallel()
	for json, want := range map[string]time.Duration{
		`{"kind":"task","id":"t","status":{"state":"working"},"metadata":{"poll_hint_seconds":5}}`:                                                                   5 * time.Second,
		`{"kind":"task","id":"t","status":{"state":"working","message":{"messageId":"m","role":"agent","parts":[{"text":"x"}],"metadata":{"pollIntervalMs":1500}}}}`: 1500 * time.Millisecond,
		`{"kind":"task","id":"t","status":{"state":"working"},"metadata":{"poll_hint_seconds":"2.5"}}`:                                                               2500 * time.Millisecond,
		`{"kind":"task","id":"t","status":{"state":"working"},"metadata":{"poll_hint_seconds":-1}}`:                                                                  0,
		`{"kind":"task","id":"t","status":{"state":"working"},"metadata":{"pollIntervalMs":1e300}}`:                                                                  24 * time.Hour,
		`{"kind":"task","id":"t","status":{"state":"working"},"metadata":{"polls":3}}`:                                                                               0,
	} {
		if p := Decode(Input{Raw: []byte(json)}); p.Task == nil || p.Task.PollHint != want {
			t.Errorf("%s: hint %+v, want %v", json, p.Task, want)
		}
	}
}

func TestParseState(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]State{
		"TASK_STATE_AUTH_REQUIRED": AuthRequired, "auth_required": AuthRequired, "AuthRequired": AuthRequired,
		"Input Required": InputRequired, "CANCELLED": Canceled, "cancelled": Canceled, "TASK_STATE_CANCELED": Canceled,
		"": Unspecified, "unknown": Unspecified, "Running": "running", "timeout": "timeout",
	} {
		got := ParseState(raw)
		if got != want {
			t.Errorf("ParseState(%q) = %q, want %q", raw, got, want)
		}
		if got == State(strings.ToLower(raw)) && raw != string(got) && got.Terminal() {
			t.Errorf("ParseState(%q): an unknown state is terminal", raw)
		}
	}
}

// Hostile documents must end in bounded time and memory, and without a panic.
func TestHostileDocuments(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("[", 1_000_000)
	nested := strings.Repeat(`{"task":`, 5000) + "1" + strings.Repeat("}", 5000)
	for name, raw := range map[string]string{
		"brackets": deep, "closed brackets": strings.Repeat("[", 9000) + strings.Repeat("]", 9000), "nested": nested,
		"many parts":      rpc(`{"kind":"message","messageId":"m","role":"agent","parts":[` + strings.Repeat(`{"kind":"text","text":"x"},`, 150_000) + `{}]}`),
		"many names":      rpc(`{"kind":"message","messageId":"m",` + strings.Repeat(`"a":1,`, 20_000) + `"a":2}`),
		"many duplicates": rpc(`{"kind":"message","messageId":"m","role":"agent","parts":[` + strings.Repeat(`{"text":1,"text":2},`, 100_000) + `{}]}`),
		"deep duplicates": strings.Repeat(`{"id":1,"id":`, 900) + "1" + strings.Repeat("}", 900),
		"deep data":       rpc(`{"kind":"message","messageId":"m","role":"agent","parts":[{"kind":"data","data":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + `}]}`),
	} {
		start := time.Now()
		p := Decode(Input{Raw: []byte(raw)})
		if p.Kind == "" {
			t.Errorf("%s: no kind", name)
		}
		if took := time.Since(start); took > 10*time.Second {
			t.Errorf("%s: took %v", name, took)
		}
		if name == "many parts" && (len(p.Message.Parts) != maxParts || codes(p.Anomalies) != "list-cut!") {
			t.Errorf("%s: %d parts, %s", name, len(p.Message.Parts), codes(p.Anomalies))
		}
	}
}

func BenchmarkDecode(b *testing.B) {
	for name, raw := range map[string]string{
		"status":   `{"jsonrpc":"2.0","id":1,"result":{"kind":"status-update","taskId":"549ba1e2-e78f-4beb-9f96-e62e","contextId":"2bca5946-b666","status":{"state":"working","timestamp":"2026-11-29T23:49:31.277Z"},"final":false}}`,
		"artifact": `{"jsonrpc":"2.0","id":1,"result":{"artifactUpdate":{"taskId":"549ba1e2-e78f-4beb-9f96-e62e","contextId":"2bca5946-b666","artifact":{"artifactId":"a","parts":[{"text":"chunk 17"}]},"append":true}}}`,
	} {
		b.Run(name, func(b *testing.B) {
			data := []byte(raw)
			b.ReportAllocs()
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				Decode(Input{Raw: data, Op: OpStream})
			}
		})
	}
}
