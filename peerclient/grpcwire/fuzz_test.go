package grpcwire

import (
	"bytes"
	"encoding/json"
	"runtime"
	"testing"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
)

// fuzzedMethods are those whose answers differ.
var fuzzedMethods = []string{
	"/lf.a2a.v1.A2AService/SendMessage", "/lf.a2a.v1.A2AService/SendStreamingMessage", "/lf.a2a.v1.A2AService/GetTask",
	"/lf.a2a.v1.A2AService/ListTasks", "/lf.a2a.v1.A2AService/GetExtendedAgentCard",
	"/a2a.v1.A2AService/SendMessage", "/a2a.v1.A2AService/SendStreamingMessage", "/a2a.v1.A2AService/GetTask", "/a2a.v1.A2AService/GetAgentCard",
}

// A message of nothing but empty messages is refused before it is built. Not
// parallel: memory is measured.
func TestEmptyMessagesWithoutEnd(t *testing.T) {
	m, err := Find("/lf.a2a.v1.A2AService/ListTasks")
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		n  int
		ok bool
	}{{1000, true}, {mostFields + 1, false}, {8 << 20, false}} {
		raw := bytes.Repeat([]byte{0x0a, 0}, tc.n) // tasks: {}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, _, err := m.Answer(raw)
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; (err == nil) != tc.ok || took > 1<<20 {
			t.Errorf("%d empty tasks: %v, and %d bytes were allocated", tc.n, err, took)
		}
	}
}

// FuzzAnswer: any bytes as the answer of any method give an error or JSON that
// means the same message, always the same, and cost no more than they may.
func FuzzAnswer(f *testing.F) {
	var methods []Method
	for i, full := range fuzzedMethods {
		m, err := Find(full)
		if err != nil {
			f.Fatal(err)
		}
		methods = append(methods, m)
		for _, doc := range []string{
			`{}`,
			`{"id":"t","contextId":"c","status":{"state":"TASK_STATE_WORKING"},"metadata":{"a":[1,{"b":null}]}}`,
			`{"task":{"id":"t","status":{"state":"TASK_STATE_COMPLETED"},"artifacts":[{"artifactId":"a","parts":[{"text":"x"}]}]}}`,
			`{"statusUpdate":{"taskId":"t","contextId":"c","status":{"state":"TASK_STATE_WORKING"}}}`,
			`{"artifactUpdate":{"taskId":"t","artifact":{"artifactId":"a","parts":[{"text":"x"}]},"append":true}}`,
			`{"name":"n","version":"1","skills":[{"id":"s","tags":["t"]}],"defaultInputModes":["text/plain"]}`,
		} {
			msg := m.out.New().Interface()
			if protojson.Unmarshal([]byte(doc), msg) != nil {
				continue
			}
			raw, err := proto.Marshal(msg)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(raw, uint8(i))
		}
	}
	f.Fuzz(func(t *testing.T, raw []byte, which uint8) {
		m := methods[int(which)%len(methods)]
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		doc, _, err := m.Answer(raw)
		runtime.ReadMemStats(&after)
		if took, most := after.TotalAlloc-before.TotalAlloc, uint64(256<<10+1024*len(raw)); took > most {
			t.Fatalf("%d bytes made us allocate %d, wanted at most %d", len(raw), took, most)
		}
		if err != nil {
			if doc != nil || !utf8.ValidString(err.Error()) {
				t.Fatalf("%q beside %q", doc, err)
			}
			return
		}
		if !json.Valid(doc) {
			t.Fatalf("%x gave %q, which is no JSON", raw, doc)
		}
		again, _, err := m.Answer(bytes.Clone(raw))
		if err != nil || !bytes.Equal(doc, again) {
			t.Fatalf("first %s, then %s (%v)", doc, again, err)
		}
		msg := m.out.New().Interface()
		if err := protojson.Unmarshal(doc, msg); err != nil {
			return // an Any of a type that nobody knows, or JSON nested beyond protojson's depth
		}
		back, err := proto.Marshal(msg)
		if err != nil {
			t.Fatal(err)
		}
		if third, _, err := m.Answer(back); err != nil || !bytes.Equal(third, doc) {
			t.Fatalf("%s, read and written again, is %s (%v)", doc, third, err)
		}
	})
}
