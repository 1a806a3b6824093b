package sse

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

func TestDocuments(t *testing.T) {
	t.Parallel()
	const anyType, jsonType, sseType = "", "application/json; charset=utf-8", "text/event-stream"
	type frame struct {
		kind Kind
		data string
	}
	doc := func(data string) frame { return frame{Document, data} }
	tests := []struct {
		name, contentType, body string
		want                    []frame
	}{
		{"one", jsonType, `{"a":1}`, []frame{doc(`{"a":1}`)}},
		{"an error with the type of a stream", sseType, `{"error":{"code":-32001}}`, []frame{doc(`{"error":{"code":-32001}}`)}},
		{"no type", anyType, "\n {\"a\": 1}\n", []frame{doc(`{"a": 1}`)}},
		{"back to back", jsonType, `{"a":1}{"b":2}[3]`, []frame{doc(`{"a":1}`), doc(`{"b":2}`), doc(`[3]`)}},
		{"lines", "application/x-ndjson", "{\"a\":1}\n{\"b\":2}\r\n\n{}\n", []frame{doc(`{"a":1}`), doc(`{"b":2}`), doc(`{}`)}},
		{"record separators", "application/json-seq", "\x1e{\"a\":1}\n\x1e{\"b\":2}\n", []frame{doc(`{"a":1}`), doc(`{"b":2}`)}},
		{"commas", jsonType, `{"a":1},{"b":2},`, []frame{doc(`{"a":1}`), doc(`{"b":2}`)}},
		{"byte order mark", jsonType, "\xef\xbb\xbf{}", []frame{doc(`{}`)}},
		{"brackets in strings", jsonType, `{"a":"}{\"]"}{"b":"\\"}`, []frame{doc(`{"a":"}{\"]"}`), doc(`{"b":"\\"}`)}},
		{"duplicate names and bad UTF-8 stay", jsonType, "{\"a\":1,\"a\":\"\xff\"}", []frame{doc("{\"a\":1,\"a\":\"\xff\"}")}},
		{"scalars when the type says so", "application/problem+json", `"no" 12 null`, []frame{doc(`"no"`), doc(`12`), doc(`null`)}},
		{"no scalars otherwise", anyType, `"no"`, []frame{{Tail, ""}}},
		{"events whatever the type", jsonType, "data: {}\n\n", []frame{{Event, "{}"}}},
		{"field that looks like a scalar", jsonType, "nope: 1\n\ndata: a\n\n", []frame{{NoData, ""}, {Event, "a"}}},
		{"truncated", jsonType, `{"a":1}` + "\n" + `{"b":"tex`, []frame{doc(`{"a":1}`), {Tail, `{"b":"tex`}}},
		{"truncated at once", sseType, `{`, []frame{{Tail, `{`}}},
		{"broken, then events", sseType, "{\"a\":1}\n{nope}\n\ndata: b\n\n", []frame{doc(`{"a":1}`), {NoData, ""}, {Event, "b"}}},
		{"events behind a document", sseType, "{\"a\":1}data: b\n\n", []frame{doc(`{"a":1}`), {Event, "b"}}},
		{"wrong bracket", jsonType, `{"a":1]`, []frame{{Tail, ""}}},
		{"too deep", jsonType, strings.Repeat("[", 20000), []frame{{Tail, ""}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			check := func(how string, r io.Reader) {
				t.Helper()
				frames, end, err := gather(r, Options{ContentType: tt.contentType})
				if err != nil {
					t.Fatalf("%s: %v", how, err)
				}
				if wrong := wrongBytes(frames, end, []byte(tt.body)); wrong != "" {
					t.Errorf("%s: %s", how, wrong)
				}
				var got []frame
				bad := false
				for _, f := range frames {
					bad = bad || f.Flags&BadJSON != 0
					if f.Kind != Blank {
						got = append(got, frame{f.Kind, string(f.Data)})
					}
				}
				if !slices.Equal(got, tt.want) {
					t.Errorf("%s:\n got %v\nwant %v", how, got, tt.want)
				}
				last := tt.want[len(tt.want)-1]
				if want := end.Documents && (last.kind != Document && last.data != tt.body[len(tt.body)-len(last.data):] || last.kind == Tail && last.data == ""); bad != want {
					t.Errorf("%s: BadJSON is %v", how, bad)
				}
			}
			check("whole", strings.NewReader(tt.body))
			check("byte by byte", iotest.OneByteReader(strings.NewReader(tt.body)))
			if len(tt.body) < 100 {
				for i := range len(tt.body) {
					check(fmt.Sprintf("split at %d", i), chunks(tt.body[:i], tt.body[i:]))
				}
			}
		})
	}
}

func TestManyDocuments(t *testing.T) {
	t.Parallel()
	var body bytes.Buffer
	for i := range 5000 {
		fmt.Fprintf(&body, "{\"n\":%d,\"text\":%q}\n", i, strings.Repeat("y", i%700))
	}
	body.WriteString(`["` + strings.Repeat("z", 300<<10) + `"]`)
	for _, r := range []io.Reader{bytes.NewReader(body.Bytes()), iotest.HalfReader(bytes.NewReader(body.Bytes()))} {
		frames, end, err := gather(r, Options{})
		if wrong := wrongBytes(frames, end, body.Bytes()); err != nil || wrong != "" || end.Events != 5001 {
			t.Errorf("%d documents, %v %s", end.Events, err, wrong)
		}
	}
}
