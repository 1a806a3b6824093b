package sse

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"testing"
	"testing/iotest"
)

// event is what the standard dispatches.
type event struct{ data, typ, id string }

type whatwgCase struct {
	name, body string
	want       []event
	tail       string // data of the unterminated end, if it has any
}

func ev(data string) event { return event{data: data} }

// The table is the standard's section "Interpreting an event stream" read line
// by line, each case with the line ends and splits that trip readers.
var whatwgCases = []whatwgCase{
	{"nothing", "", nil, ""},
	{"one event", "data: a\n\n", []event{ev("a")}, ""},
	{"two events", "data: a\n\ndata: b\n\n", []event{ev("a"), ev("b")}, ""},
	{"CRLF", "data: a\r\n\r\ndata: b\r\n\r\n", []event{ev("a"), ev("b")}, ""},
	{"CR", "data: a\r\rdata: b\r\r", []event{ev("a"), ev("b")}, ""},
	{"LF then CR", "data: a\n\rdata: b\n\r", []event{ev("a"), ev("b")}, ""},
	{"CR then LF is one line end", "data: a\r\ndata: b\r\n\r\n", []event{ev("a\nb")}, ""},
	{"CRLF then CR", "data: a\r\n\rdata: b\r\n\r", []event{ev("a"), ev("b")}, ""},
	{"CRLF then LF", "data: a\r\n\ndata: b\n\r\n", []event{ev("a"), ev("b")}, ""},
	{"CR then CRLF", "data: a\r\r\ndata: b\r\r\n", []event{ev("a"), ev("b")}, ""},
	{"LF then CRLF", "data: a\n\r\ndata: b\n\r\n", []event{ev("a"), ev("b")}, ""},
	{"CR after CR ended a block", "data: a\r\r\rdata: b\r\r", []event{ev("a"), ev("b")}, ""},
	{"mixed line ends in one block", "data: a\ndata: b\rdata: c\r\ndata: d\n\n", []event{ev("a\nb\nc\nd")}, ""},
	{"byte order mark", "\xef\xbb\xbfdata: a\n\n", []event{ev("a")}, ""},
	{"byte order mark, then a blank line", "\xef\xbb\xbf\ndata: a\n\n", []event{ev("a")}, ""},
	{"byte order mark, then CRLF", "\xef\xbb\xbf\r\ndata: a\r\n\r\n", []event{ev("a")}, ""},
	{"only one byte order mark goes", "\xef\xbb\xbf\xef\xbb\xbfdata: a\n\ndata: b\n\n", []event{ev("b")}, ""},
	{"byte order mark later is a field name", "data: a\n\n\xef\xbb\xbfdata: b\n\n", []event{ev("a")}, ""},
	{"half a byte order mark", "\xef\xbbdata: a\n\ndata: b\n\n", []event{ev("b")}, ""},
	{"byte order mark alone", "\xef\xbb\xbf", nil, ""},
	{"no space", "data:a\n\n", []event{ev("a")}, ""},
	{"one space goes", "data:  a\n\n", []event{ev(" a")}, ""},
	{"a tab stays", "data:\ta\n\n", []event{ev("\ta")}, ""},
	{"trailing blanks stay", "data: a \t\n\n", []event{ev("a \t")}, ""},
	{"colons in the value", "data: a:b: c\n\n", []event{ev("a:b: c")}, ""},
	{"many data lines", "data: a\ndata: b\ndata\ndata: c\n\n", []event{ev("a\nb\n\nc")}, ""},
	{"empty data is dispatched", "data:\n\n", []event{ev("")}, ""},
	{"data without colon is dispatched", "data\n\n", []event{ev("")}, ""},
	{"two empty data lines", "data\ndata\n\n", []event{ev("\n")}, ""},
	{"data of one blank", "data: \n\n", []event{ev("")}, ""},
	{"comment alone", ": ping\n\ndata: a\n\n", []event{ev("a")}, ""},
	{"comment without text", ":\n\n:\n\n", nil, ""},
	{"comment inside", "data: a\n: ping\ndata: b\n\n", []event{ev("a\nb")}, ""},
	{"comment before", ": ping\ndata: a\n\n", []event{ev("a")}, ""},
	{"comment that looks like data", ":data: x\n\n", nil, ""},
	{"event name", "event: x\ndata: a\n\ndata: b\n\n", []event{{"a", "x", ""}, ev("b")}, ""},
	{"last event name counts", "event: x\nevent: y\ndata: a\n\n", []event{{"a", "y", ""}}, ""},
	{"event without colon resets", "event: x\nevent\ndata: a\n\n", []event{ev("a")}, ""},
	{"event alone is not dispatched", "event: x\n\ndata: a\n\n", []event{ev("a")}, ""},
	{"id stays", "id: 1\ndata: a\n\ndata: b\n\n", []event{{"a", "", "1"}, {"b", "", "1"}}, ""},
	{"id alone counts", "id: 1\n\ndata: a\n\n", []event{{"a", "", "1"}}, ""},
	{"id without colon resets", "id: 1\ndata: a\n\nid\ndata: b\n\n", []event{{"a", "", "1"}, ev("b")}, ""},
	{"empty id resets", "id: 1\ndata: a\n\nid:\ndata: b\n\n", []event{{"a", "", "1"}, ev("b")}, ""},
	{"id with NUL is ignored", "id: 1\ndata: a\n\nid: 2\x003\ndata: b\n\n", []event{{"a", "", "1"}, {"b", "", "1"}}, ""},
	{"id after the data", "data: a\nid: 1\n\n", []event{{"a", "", "1"}}, ""},
	{"retry alone is not dispatched", "retry: 10\n\ndata: a\n\n", []event{ev("a")}, ""},
	{"bad retry", "retry: 1x\ndata: a\n\n", []event{ev("a")}, ""},
	{"unknown field", "foo: x\ndata: a\nbar\n\n", []event{ev("a")}, ""},
	{"names have case", "Data: x\nDATA: y\ndata: a\n\n", []event{ev("a")}, ""},
	{"blank before the name", " data: x\ndata: a\n\n", []event{ev("a")}, ""},
	{"blank behind the name", "data : x\ndata: a\n\n", []event{ev("a")}, ""},
	{"name that begins like data", "datax: x\ndata: a\n\n", []event{ev("a")}, ""},
	{"leading blank lines", "\n\r\n\r\ndata: a\n\n", []event{ev("a")}, ""},
	{"many blank lines between", "data: a\n\n\n\r\n\n\rdata: b\n\n", []event{ev("a"), ev("b")}, ""},
	{"blank lines behind", "data: a\n\n\n\n", []event{ev("a")}, ""},
	{"blank lines alone", "\n\r\r\n\n", nil, ""},
	{"line of blanks is no blank line", "data: a\n \ndata: b\n\n", []event{ev("a\nb")}, ""},
	{"unterminated", "data: a\n\ndata: b\n", []event{ev("a")}, "b"},
	{"unterminated in the line", "data: a\n\ndata: b", []event{ev("a")}, "b"},
	{"unterminated by CR", "data: a\r\rdata: b\r", []event{ev("a")}, "b"},
	{"unterminated by CRLF", "data: a\r\n\r\ndata: {\r\ndata: }\r\n", []event{ev("a")}, "{\n}"},
	{"unterminated field name", "data: a\n\ndat", []event{ev("a")}, ""},
	{"unterminated comment", "data: a\n\n: ping\n", []event{ev("a")}, ""},
	{"NUL in data", "data: a\x00b\n\n", []event{ev("a\x00b")}, ""},
	{"invalid UTF-8 stays", "data: \xff\xfe\n\n", []event{ev("\xff\xfe")}, ""},
	{"other line separators are data", "data: a\u2028b\u0085c\vd\fe\n\n", []event{ev("a\u2028b\u0085c\vd\fe")}, ""},
	{"pretty JSON", "data: {\r\ndata:   \"a\": 1\r\ndata: }\r\n\r\n", []event{ev("{\n  \"a\": 1\n}")}, ""},
	{"everything", "\xef\xbb\xbf: hi\r\nid: 7\r\nevent: e\r\nretry: 5\r\ndata: a\r\n\r\n", []event{{"a", "e", "7"}}, ""},
}

// gather reads r and keeps all frames.
func gather(r io.Reader, o Options) ([]Frame, End, error) {
	var frames []Frame
	end, err := Read(r, o, func(f Frame) error {
		frames = append(frames, f)
		return nil
	})
	return frames, end, err
}

func eventsOf(frames []Frame) (list []event, tail string) {
	for _, f := range frames {
		switch f.Kind {
		case Event:
			list = append(list, event{string(f.Data), f.Type, f.ID})
		case Tail:
			tail = string(f.Data)
		}
	}
	return list, tail
}

// wrongBytes checks what holds for every stream: the frames in a row are the
// body, and the end counts them. It says what is wrong.
func wrongBytes(frames []Frame, end End, body []byte) string {
	var at, kept int64
	count := 0
	for i, f := range frames {
		if f.Off != at {
			return fmt.Sprintf("frame %d (%v) is at %d, want %d", i, f.Kind, f.Off, at)
		}
		next := at + int64(len(f.Raw)) + f.Skipped
		if next > int64(len(body)) || !bytes.Equal(f.Raw, body[at:at+int64(len(f.Raw))]) {
			return fmt.Sprintf("frame %d (%v) holds %.80q, which is not the body's", i, f.Kind, f.Raw)
		}
		if next == at {
			return fmt.Sprintf("frame %d (%v) is of no bytes", i, f.Kind)
		}
		if f.Kind == Event || f.Kind == Document {
			count++
		}
		at, kept = next, kept+int64(len(f.Raw))
	}
	if end.How == EOF && (at != int64(len(body)) || end.Bytes != at) {
		return fmt.Sprintf("frames end at %d, End says %d, body is %d", at, end.Bytes, len(body))
	}
	if end.Kept != kept || end.Frames != len(frames) || end.Events != count {
		return fmt.Sprintf("End counts %+v, want %d kept, %d frames, %d events", end, kept, len(frames), count)
	}
	return ""
}

func TestWHATWG(t *testing.T) {
	t.Parallel()
	for _, c := range whatwgCases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			check := func(how string, r io.Reader) {
				t.Helper()
				frames, end, err := gather(r, Options{})
				if err != nil || end.How != EOF {
					t.Fatalf("%s: ended by %v: %v", how, end.How, err)
				}
				if wrong := wrongBytes(frames, end, []byte(c.body)); wrong != "" {
					t.Errorf("%s: %s", how, wrong)
				}
				got, tail := eventsOf(frames)
				if !slices.Equal(got, c.want) || tail != c.tail {
					t.Errorf("%s:\n got %q, tail %q\nwant %q, tail %q", how, got, tail, c.want, c.tail)
				}
			}
			check("whole", bytes.NewReader([]byte(c.body)))
			check("byte by byte", iotest.OneByteReader(bytes.NewReader([]byte(c.body))))
			check("end with the last bytes", iotest.DataErrReader(bytes.NewReader([]byte(c.body))))
			for i := range len(c.body) {
				check(fmt.Sprintf("split at %d", i), chunks(c.body[:i], c.body[i:]))
			}
		})
	}
}

// chunks is a reader that gives one piece a Read.
func chunks(pieces ...string) io.Reader {
	readers := make([]io.Reader, len(pieces))
	for i, p := range pieces {
		readers[i] = bytes.NewReader([]byte(p))
	}
	return io.MultiReader(readers...)
}

func TestKindsAndFlags(t *testing.T) {
	t.Parallel()
	type frame struct {
		raw   string
		kind  Kind
		flags Flags
		retry string
	}
	tests := []struct {
		name, body string
		want       []frame
	}{
		{"kinds", "\ndata: a\n\n: c\n\nid: 1\n\ndata: b", []frame{
			{"\n", Blank, 0, ""}, {"data: a\n\n", Event, 0, ""}, {": c\n\n", Comment, 0, ""},
			{"id: 1\n\n", NoData, 0, ""}, {"data: b", Tail, 0, ""}}},
		{"a run of blank lines is one frame", "data: a\n\n\n\n\ndata: b\n\n", []frame{
			{"data: a\n\n", Event, 0, ""}, {"\n\n\n", Blank, 0, ""}, {"data: b\n\n", Event, 0, ""}}},
		{"only the first frame has the mark", "\xef\xbb\xbfdata: a\n\ndata: b\n\n", []frame{
			{"\xef\xbb\xbfdata: a\n\n", Event, BOM, ""}, {"data: b\n\n", Event, 0, ""}}},
		{"line ends", "data: a\r\n\r\ndata: b\r\rdata: c\n\n", []frame{
			{"data: a\r\n\r\n", Event, CRLF, ""}, {"data: b\r\r", Event, CR, ""}, {"data: c\n\n", Event, 0, ""}}},
		{"both line ends", "data: a\rdata: b\r\n\n", []frame{{"data: a\rdata: b\r\n\n", Event, CR | CRLF | MultiData, ""}}},
		{"ids and retries", "id: \x00\nretry: x\n\nretry: 20\n\nretry:\n\n", []frame{
			{"id: \x00\nretry: x\n\n", NoData, NULID | BadRetry, ""}, {"retry: 20\n\n", NoData, 0, "20"}, {"retry:\n\n", NoData, BadRetry, ""}}},
		{"unknown fields", "foo\ndata\ndata\n\n", []frame{{"foo\ndata\ndata\n\n", Event, UnknownField | MultiData, ""}}},
		{"byte order mark alone", "\xef\xbb\xbf", []frame{{"\xef\xbb\xbf", Blank, BOM, ""}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			frames, _, err := gather(bytes.NewReader([]byte(tt.body)), Options{})
			var got []frame
			for _, f := range frames {
				got = append(got, frame{string(f.Raw), f.Kind, f.Flags, f.Retry})
			}
			if err != nil || !slices.Equal(got, tt.want) {
				t.Errorf("error %v\n got %+v\nwant %+v", err, got, tt.want)
			}
		})
	}
	if got := (BOM | CRLF | BadJSON).String(); got != "bom,crlf,bad-json" {
		t.Errorf("flags are called %q", got)
	}
}

func TestDataIsNilOnlyWithoutDataLines(t *testing.T) {
	t.Parallel()
	frames, _, err := gather(bytes.NewReader([]byte("data\n\nid: 1\n\n:\n\nevent: x")), Options{})
	if err != nil || len(frames) != 4 {
		t.Fatalf("%d frames, error %v", len(frames), err)
	}
	for i, f := range frames {
		if (f.Data == nil) != (i > 0) {
			t.Errorf("frame %d (%v): data is %#v", i, f.Kind, f.Data)
		}
	}
}

// A CR that ends a block ends its frame at once; the LF of the same line end,
// when it comes in a later read, is neither a blank line nor lost.
func TestLateLineFeed(t *testing.T) {
	t.Parallel()
	frames, end, err := gather(chunks("data: a\r\n\r", "\n", "data: b\r\n\r", "\ndata: c\r\n\r", "\n"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"data: a\r\n\r", "\ndata: b\r\n\r", "\ndata: c\r\n\r", "\n"}
	kinds := []Kind{Event, Event, Event, Blank}
	if len(frames) != len(want) || end.Events != 3 {
		t.Fatalf("%d frames, %d events", len(frames), end.Events)
	}
	for i, f := range frames {
		if string(f.Raw) != want[i] || f.Kind != kinds[i] || f.Flags != CRLF {
			t.Errorf("frame %d is %v %q, flags %v", i, f.Kind, f.Raw, f.Flags)
		}
	}
}
