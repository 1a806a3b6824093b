package a2a

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// everything is a message with one part of each kind, and an answer to it.
func everything() *Message {
	return &Message{ID: "m", TaskID: "t", ContextID: "c", Role: User, Parts: []Part{
		{Kind: PartText, Text: "a <b> & \u2028 é"},
		{Kind: PartData, Data: jsontext.Value(`{"n":1}`)},
		{Kind: PartBytes, Bytes: []byte{0, 1, 2}, MediaType: "image/png", Filename: "p.png"},
		{Kind: PartURL, URL: "http://x/y?z=1", MediaType: "text/plain"},
	}}
}

func TestEncode(t *testing.T) {
	t.Parallel()
	yes, no, ten := true, false, 10
	hello := &Message{ID: "m", Role: User, Parts: []Part{{Kind: PartText, Text: "hi"}}}
	push := &PushConfig{ID: "p", URL: "http://h", Token: "k", AuthSchemes: []string{"Bearer"}, Credentials: "z"}
	for _, c := range []struct {
		name string
		op   Operation
		gen  Generation
		bind Binding
		p    Params
		line string // method, path and query
		body string
		head string
	}{
		{"1.0 send", OpSend, Gen10, JSONRPC, Params{Message: hello, Blocking: &yes, AcceptedModes: []string{"text/plain"}, HistoryLength: &ten, Tenant: "acme"}, "POST ",
			`{"jsonrpc":"2.0","id":7,"method":"SendMessage","params":{"tenant":"acme","message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"hi"}]},"configuration":{"acceptedOutputModes":["text/plain"],"historyLength":10,"returnImmediately":false}}}`,
			"Content-Type: application/json|Accept: application/json|A2A-Version: 1.0"},
		{"1.0 stream", OpStream, Gen10, JSONRPC, Params{Message: everything(), Push: push}, "POST ",
			`{"jsonrpc":"2.0","id":7,"method":"SendStreamingMessage","params":{"message":{"messageId":"m","contextId":"c","taskId":"t","role":"ROLE_USER","parts":[{"text":"a <b> & ` + "\u2028" + ` é"},{"data":{"n":1}},{"raw":"AAEC","filename":"p.png","mediaType":"image/png"},{"url":"http://x/y?z=1","mediaType":"text/plain"}]},"configuration":{"taskPushNotificationConfig":{"id":"p","url":"http://h","token":"k","authentication":{"scheme":"Bearer","credentials":"z"}}}}}`,
			"Content-Type: application/json|Accept: text/event-stream|A2A-Version: 1.0"},
		{"1.0 get", OpGet, Gen10, JSONRPC, Params{TaskID: "t", HistoryLength: &ten}, "POST ", `{"jsonrpc":"2.0","id":7,"method":"GetTask","params":{"id":"t","historyLength":10}}`, ""},
		{"1.0 list", OpList, Gen10, JSONRPC, Params{ContextID: "c", State: InputRequired, PageSize: 5, PageToken: "n"}, "POST ", `{"jsonrpc":"2.0","id":7,"method":"ListTasks","params":{"contextId":"c","status":"TASK_STATE_INPUT_REQUIRED","pageSize":5,"pageToken":"n"}}`, ""},
		{"1.0 cancel", OpCancel, Gen10, JSONRPC, Params{TaskID: "t"}, "POST ", `{"jsonrpc":"2.0","id":7,"method":"CancelTask","params":{"id":"t"}}`, ""},
		{"1.0 subscribe", OpSubscribe, Gen10, JSONRPC, Params{TaskID: "t"}, "POST ", `{"jsonrpc":"2.0","id":7,"method":"SubscribeToTask","params":{"id":"t"}}`, ""},
		{"1.0 push set", OpPushSet, Gen10, JSONRPC, Params{TaskID: "t", Push: push}, "POST ", `{"jsonrpc":"2.0","id":7,"method":"CreateTaskPushNotificationConfig","params":{"taskId":"t","id":"p","url":"http://h","token":"k","authentication":{"scheme":"Bearer","credentials":"z"}}}`, ""},
		{"1.0 push get", OpPushGet, Gen10, JSONRPC, Params{TaskID: "t", PushID: "p"}, "POST ", `{"jsonrpc":"2.0","id":7,"method":"GetTaskPushNotificationConfig","params":{"taskId":"t","id":"p"}}`, ""},
		{"1.0 push list", OpPushList, Gen10, JSONRPC, Params{TaskID: "t"}, "POST ", `{"jsonrpc":"2.0","id":7,"method":"ListTaskPushNotificationConfigs","params":{"taskId":"t"}}`, ""},
		{"1.0 push delete", OpPushDelete, Gen10, JSONRPC, Params{TaskID: "t", PushID: "p"}, "POST ", `{"jsonrpc":"2.0","id":7,"method":"DeleteTaskPushNotificationConfig","params":{"taskId":"t","id":"p"}}`, ""},
		{"1.0 card", OpExtendedCard, Gen10, JSONRPC, Params{}, "POST ", `{"jsonrpc":"2.0","id":7,"method":"GetExtendedAgentCard","params":{}}`, ""},

		{"0.3 send", OpSend, Gen03, JSONRPC, Params{Message: everything(), Blocking: &no}, "POST ",
			`{"jsonrpc":"2.0","id":7,"method":"message/send","params":{"message":{"kind":"message","messageId":"m","contextId":"c","taskId":"t","role":"user","parts":[{"kind":"text","text":"a <b> & ` + "\u2028" + ` é"},{"kind":"data","data":{"n":1}},{"kind":"file","file":{"name":"p.png","mimeType":"image/png","bytes":"AAEC"}},{"kind":"file","file":{"mimeType":"text/plain","uri":"http://x/y?z=1"}}]},"configuration":{"blocking":false}}}`,
			"Content-Type: application/json|Accept: application/json|A2A-Version: 0.3"},
		{"0.2 send", OpSend, Gen02, JSONRPC, Params{Message: hello, Blocking: &yes}, "POST ",
			`{"jsonrpc":"2.0","id":7,"method":"message/send","params":{"message":{"kind":"message","messageId":"m","role":"user","parts":[{"kind":"text","text":"hi"}]},"configuration":{"acceptedOutputModes":[],"blocking":true}}}`,
			"Content-Type: application/json|Accept: application/json"},
		{"0.3 subscribe", OpSubscribe, Gen03, JSONRPC, Params{TaskID: "t"}, "POST ", `{"jsonrpc":"2.0","id":7,"method":"tasks/resubscribe","params":{"id":"t"}}`, "Content-Type: application/json|Accept: text/event-stream|A2A-Version: 0.3"},
		{"0.3 push set", OpPushSet, Gen03, JSONRPC, Params{TaskID: "t", Push: push}, "POST ", `{"jsonrpc":"2.0","id":7,"method":"tasks/pushNotificationConfig/set","params":{"taskId":"t","pushNotificationConfig":{"id":"p","url":"http://h","token":"k","authentication":{"schemes":["Bearer"],"credentials":"z"}}}}`, ""},
		{"0.3 push get", OpPushGet, Gen03, JSONRPC, Params{TaskID: "t", PushID: "p"}, "POST ", `{"jsonrpc":"2.0","id":7,"method":"tasks/pushNotificationConfig/get","params":{"id":"t","pushNotificationConfigId":"p"}}`, ""},
		{"0.3 card", OpExtendedCard, Gen03, JSONRPC, Params{}, "POST ", `{"jsonrpc":"2.0","id":7,"method":"agent/getAuthenticatedExtendedCard","params":{}}`, ""},

		{"0.1 send", OpSend, Gen01, JSONRPC, Params{Message: hello, TaskID: "t", ContextID: "s", HistoryLength: &ten}, "POST ",
			`{"jsonrpc":"2.0","id":7,"method":"tasks/send","params":{"id":"t","sessionId":"s","message":{"role":"user","parts":[{"type":"text","text":"hi"}]},"historyLength":10}}`,
			"Content-Type: application/json|Accept: application/json"},
		{"0.1 stream", OpStream, Gen01, JSONRPC, Params{Message: &Message{TaskID: "t", Role: User, Parts: []Part{{Kind: PartData, Data: jsontext.Value(`[1]`)}}}}, "POST ",
			`{"jsonrpc":"2.0","id":7,"method":"tasks/sendSubscribe","params":{"id":"t","message":{"role":"user","parts":[{"type":"data","data":{"value":[1]},"metadata":{"data_part_compat":true}}]}}}`, ""},
		{"0.1 push set", OpPushSet, Gen01, JSONRPC, Params{TaskID: "t", Push: push}, "POST ", `{"jsonrpc":"2.0","id":7,"method":"tasks/pushNotification/set","params":{"id":"t","pushNotificationConfig":{"url":"http://h","token":"k","authentication":{"schemes":["Bearer"],"credentials":"z"}}}}`, ""},

		{"rest send", OpSend, Gen10, REST, Params{Message: hello, Blocking: &no, Tenant: "a b"}, "POST /a%20b/message:send", `{"tenant":"a b","message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"hi"}]},"configuration":{"returnImmediately":true}}`, "Content-Type: application/json|Accept: application/json|A2A-Version: 1.0"},
		{"rest get", OpGet, Gen10, REST, Params{TaskID: "t/1", HistoryLength: &ten}, "GET /tasks/t%2F1?historyLength=10", "", "Accept: application/json|A2A-Version: 1.0"},
		{"rest list", OpList, Gen10, REST, Params{ContextID: "c&d", State: Working, PageSize: 2}, "GET /tasks?contextId=c%26d&status=TASK_STATE_WORKING&pageSize=2", "", ""},
		{"rest cancel", OpCancel, Gen10, REST, Params{TaskID: "t"}, "POST /tasks/t:cancel", "{}", ""},
		{"rest subscribe", OpSubscribe, Gen10, REST, Params{TaskID: "t"}, "POST /tasks/t:subscribe", "{}", "Content-Type: application/json|Accept: text/event-stream|A2A-Version: 1.0"},
		{"rest push set", OpPushSet, Gen10, REST, Params{TaskID: "t", Push: push}, "POST /tasks/t/pushNotificationConfigs", `{"id":"p","url":"http://h","token":"k","authentication":{"scheme":"Bearer","credentials":"z"}}`, ""},
		{"rest push delete", OpPushDelete, Gen10, REST, Params{TaskID: "t", PushID: "p"}, "DELETE /tasks/t/pushNotificationConfigs/p", "", ""},
		{"rest card", OpExtendedCard, Gen10, REST, Params{}, "GET /extendedAgentCard", "", ""},

		{"0.3 rest send", OpSend, Gen03, REST, Params{Message: everything(), Blocking: &yes, Push: &PushConfig{URL: "http://h"}}, "POST /v1/message:send",
			`{"message":{"messageId":"m","contextId":"c","taskId":"t","role":"ROLE_USER","content":[{"text":"a <b> & ` + "\u2028" + ` é"},{"data":{"data":{"n":1}}},{"file":{"mimeType":"image/png","fileWithBytes":"AAEC"}},{"file":{"mimeType":"text/plain","fileWithUri":"http://x/y?z=1"}}]},"configuration":{"pushNotification":{"url":"http://h"},"blocking":true}}`,
			"Content-Type: application/json|Accept: application/json|A2A-Version: 0.3"},
		{"0.3 rest subscribe", OpSubscribe, Gen03, REST, Params{TaskID: "t"}, "POST /v1/tasks/t:subscribe", "{}", ""},
		{"0.3 rest push", OpPushSet, Gen03, REST, Params{TaskID: "t", Push: push}, "POST /v1/tasks/t/pushNotificationConfigs", `{"parent":"tasks/t","configId":"p","config":{"name":"tasks/t/pushNotificationConfigs/p","pushNotificationConfig":{"id":"p","url":"http://h","token":"k","authentication":{"schemes":["Bearer"],"credentials":"z"}}}}`, ""},
		{"0.3 rest card", OpExtendedCard, Gen03, REST, Params{}, "GET /v1/card", "", ""},

		{"card", OpCard, Gen10, "", Params{}, "GET ", "", "Accept: application/json|A2A-Version: 1.0"},
		{"card of nobody", OpCard, "", "", Params{}, "GET ", "", "Accept: application/json"},
		{"raw rpc", OpRaw, Gen10, JSONRPC, Params{Method: "x/y", Body: jsontext.Value(`{"a":1}`)}, "POST ", `{"jsonrpc":"2.0","id":7,"method":"x/y","params":{"a":1}}`, ""},
		{"raw rest", OpRaw, Gen10, REST, Params{Method: "post /x?y=1", Body: jsontext.Value(`{}`)}, "POST /x?y=1", `{}`, ""},
		{"raw rpc cut off", OpRaw, Gen10, JSONRPC, Params{Method: "x/y", Body: jsontext.Value(`{"a":1}`), Broken: true}, "POST ", `{"jsonrpc":"2.0","id":7,"method":"x/y","params":{"a":1}`, ""},
		{"raw rest cut off", OpRaw, Gen10, REST, Params{Method: "POST /x", Body: jsontext.Value(`{}`), Broken: true}, "POST /x", `{`, ""},
		{"raw rest cut off, without a body", OpRaw, Gen10, REST, Params{Method: "GET /x", Broken: true}, "GET /x", ``, ""},
		{"raw version", OpRaw, "9.9", JSONRPC, Params{Method: "x"}, "POST ", `{"jsonrpc":"2.0","id":7,"method":"x"}`, "Content-Type: application/json|Accept: application/json|A2A-Version: 9.9"},
		{"raw get", OpRaw, Gen03, REST, Params{Method: "GET /x"}, "GET /x", "", "Accept: application/json|A2A-Version: 0.3"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r, err := Encode(c.op, c.gen, c.bind, 7, c.p)
			if err != nil {
				t.Fatal(err)
			}
			line := r.HTTPMethod + " " + r.Path
			if r.Query != "" {
				line += "?" + r.Query
			}
			if line != c.line || string(r.Body) != c.body {
				t.Errorf("encoded\n  %s\n  %s\nwant\n  %s\n  %s", line, r.Body, c.line, c.body)
			}
			if (r.Body == nil) != (c.body == "") {
				t.Errorf("body nil: %t", r.Body == nil)
			}
			var head []string
			for _, h := range r.Header {
				head = append(head, h[0]+": "+h[1])
			}
			if got := strings.Join(head, "|"); c.head != "" && got != c.head {
				t.Errorf("headers %s, want %s", got, c.head)
			}
			if r.Body != nil && jsontext.Value(r.Body).IsValid() == c.p.Broken {
				t.Errorf("it is to be cut off: %v, and is strict JSON: %v: %s", c.p.Broken, c.p.Broken, r.Body)
			}
		})
	}
}

func TestEncodeRefuses(t *testing.T) {
	t.Parallel()
	hello := &Message{ID: "m", Role: User, Parts: []Part{{Kind: PartText, Text: "hi"}}}
	for _, c := range []struct {
		op   Operation
		gen  Generation
		bind Binding
		p    Params
		is   error
	}{
		{OpSend, Gen02, GRPC, Params{Message: hello}, ErrNoEncoding},
		{OpRaw, Gen10, GRPC, Params{Method: "/Get Task"}, nil},
		{OpSend, Gen10, "SLIM", Params{Message: hello}, ErrNoEncoding},
		{OpSend, Gen02, REST, Params{Message: hello}, ErrNoEncoding},
		{OpList, Gen01, JSONRPC, Params{}, ErrNoEncoding},
		{OpExtendedCard, Gen02, JSONRPC, Params{}, ErrNoEncoding},
		{OpSend, Gen01, JSONRPC, Params{Message: hello}, ErrNeedsTaskID},
		{OpGet, Gen10, REST, Params{}, ErrNeedsTaskID},
		{OpPushSet, Gen10, REST, Params{Push: &PushConfig{URL: "http://h"}}, ErrNeedsTaskID},
		{OpPushSet, Gen10, JSONRPC, Params{TaskID: "t"}, nil},
		{OpPushGet, Gen10, REST, Params{TaskID: "t"}, nil},
		{OpSend, Gen10, JSONRPC, Params{}, nil},
		{OpRaw, Gen10, JSONRPC, Params{}, nil},
		{OpRaw, Gen10, JSONRPC, Params{Method: "x", Body: jsontext.Value("{")}, nil},
		{OpRaw, Gen10, REST, Params{Method: "tasks/get"}, nil},
		{OpRaw, Gen10, REST, Params{Method: "GET /a b"}, nil},
		{OpRaw, Gen10, REST, Params{Method: "G\r\nX: y /a"}, nil},
	} {
		r, err := Encode(c.op, c.gen, c.bind, 1, c.p)
		if err == nil || c.is != nil && !errors.Is(err, c.is) {
			t.Errorf("%s %s %s %+v: error %v, want %v", c.op, c.gen, c.bind, c.p, err, c.is)
		}
		if !reflect.DeepEqual(r, Request{}) {
			t.Errorf("a request beside the error: %+v", r)
		}
	}
}

// What we send can be read back, from the body alone.
func TestRequestRoundTrip(t *testing.T) {
	t.Parallel()
	for _, gen := range []Generation{Gen01, Gen02, Gen03, Gen10} {
		for _, bind := range []Binding{JSONRPC, REST} {
			for _, op := range []Operation{OpSend, OpStream} {
				m := everything()
				m.Parts = append(m.Parts, Part{Kind: PartData, Data: jsontext.Value(`{"data":{"x":1}}`)})
				if bind == JSONRPC {
					m.Parts = append(m.Parts, Part{Kind: PartData, Data: jsontext.Value(`[1,"two"]`)})
				}
				r, err := Encode(op, gen, bind, 3, Params{Message: m})
				if errors.Is(err, ErrNoEncoding) && bind == REST && gen < Gen03 {
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				got, err := DecodeRequestMessage(r.Body)
				if err != nil {
					t.Fatalf("%s %s: %v in %s", gen, bind, err, r.Body)
				}
				want := *m
				want.Parts = append([]Part{}, m.Parts...)
				if gen == Gen01 {
					want.ID = ""
				}
				if gen == Gen03 && bind == REST { // its files have no name
					want.Parts[2].Filename = ""
				}
				if fmt.Sprintf("%+v", *got) != fmt.Sprintf("%+v", want) {
					t.Errorf("%s %s: read back\n  %+v\nwant\n  %+v\nfrom %s", gen, bind, *got, want, r.Body)
				}
			}
		}
	}
}

func TestDecodeRequestMessageRefuses(t *testing.T) {
	t.Parallel()
	for _, body := range []string{"", "[]", "x", `{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"t"}}`, `{"message":"text"}`} {
		if m, err := DecodeRequestMessage([]byte(body)); err == nil || m != nil {
			t.Errorf("%q: %+v, %v", body, m, err)
		}
	}
}
