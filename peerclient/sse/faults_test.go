package sse

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

var errReset = errors.New("connection reset by peer")

func TestCut(t *testing.T) {
	t.Parallel()
	body := "data: a\n\ndata: {\"x\":1}\nid: 5"
	frames, end, err := gather(io.MultiReader(strings.NewReader(body), iotest.ErrReader(errReset)), Options{})
	if end.How != Cut || !errors.Is(err, errReset) || !strings.Contains(err.Error(), "cut after 28 bytes") {
		t.Errorf("ended by %v: %v", end.How, err)
	}
	if wrong := wrongBytes(frames, end, []byte(body)); wrong != "" {
		t.Error(wrong)
	}
	if len(frames) != 2 || frames[1].Kind != Tail || string(frames[1].Data) != `{"x":1}` {
		t.Errorf("the tail is %+v", frames[len(frames)-1])
	}
}

func TestCutEverywhere(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		"\xef\xbb\xbfid: 1\r\ndata: a\r\n\r\n: ping\r\n\r\ndata: b\r\n\r\n",
		"{\"a\":1}\n\x1e{\"b\":[2]},{}",
	} {
		for i := range len(body) {
			frames, end, err := gather(io.MultiReader(strings.NewReader(body[:i]), iotest.ErrReader(io.ErrUnexpectedEOF)), Options{})
			if end.How != Cut || !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("cut at %d: %v, %v", i, end.How, err)
			}
			if wrong := wrongBytes(frames, end, []byte(body[:i])); wrong != "" || end.Kept != int64(i) {
				t.Errorf("cut at %d: kept %d, %s", i, end.Kept, wrong)
			}
		}
	}
}

func TestReaderThatGivesNothing(t *testing.T) {
	t.Parallel()
	_, end, err := gather(emptyReader{}, Options{})
	if end.How != Cut || !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("ended by %v: %v", end.How, err)
	}
}

type emptyReader struct{}

func (emptyReader) Read([]byte) (int, error) { return 0, nil }

func TestEmitRefuses(t *testing.T) {
	t.Parallel()
	for _, body := range []string{"data: a\n\ndata: b\n\ndata: c\n\n", "{}{}{}", "\n\n", ": x", "{", ""} {
		full := errors.New("the log is full")
		calls := 0
		end, err := Read(strings.NewReader(body), Options{}, func(f Frame) error {
			calls++
			if calls == 2 || len(body) < 5 {
				return full
			}
			return nil
		})
		if body == "" {
			if err != nil || end.How != EOF || calls != 0 {
				t.Errorf("an empty body ended by %v: %v", end.How, err)
			}
			continue
		}
		if end.How != Refused || !errors.Is(err, full) || calls > 2 || end.Frames != calls-1 {
			t.Errorf("%q ended by %v after %d calls: %v, %+v", body, end.How, calls, err, end)
		}
	}
}

// An error of emit that is io.EOF is no clean end of the body.
func TestEmitRefusesWithEOF(t *testing.T) {
	t.Parallel()
	end, err := Read(strings.NewReader("data: a\n\n"), Options{}, func(Frame) error { return io.EOF })
	if end.How != Refused || !errors.Is(err, io.EOF) {
		t.Errorf("ended by %v: %v", end.How, err)
	}
}

func TestBigEvents(t *testing.T) {
	t.Parallel()
	for _, size := range []int{4000, 4096, 64 << 10, 70 << 10, 1 << 20, 3 << 20} {
		big := strings.Repeat("x", size)
		body := "data: " + big + "\n\ndata: b\n\ndata: " + big + "\r\n\r\ndata: c\n\n"
		frames, end, err := gather(strings.NewReader(body), Options{})
		got, _ := eventsOf(frames)
		if err != nil || !slices.Equal(got, []event{ev(big), ev("b"), ev(big), ev("c")}) {
			t.Errorf("%d bytes: %d events, %v, %v", size, len(got), end.How, err)
		}
		if wrong := wrongBytes(frames, end, []byte(body)); wrong != "" {
			t.Errorf("%d bytes: %s", size, wrong)
		}
	}
}

func TestOversize(t *testing.T) {
	t.Parallel()
	long := "id: 1\ndata: " + strings.Repeat("x", 70) + "\nid: 2\nevent: e\n\n"
	tests := []struct {
		name, body string
		how        How
		want       []event
		parts      int
		oversize   int
	}{
		{"one", "data: a\n\n" + long + "data: b\n\n", EOF, []event{ev("a"), {"b", "", "2"}}, 2, 1},
		{"one with CRLF", strings.ReplaceAll("data: a\n\n"+long+"data: b\n\n", "\n", "\r\n"), EOF, []event{ev("a"), {"b", "", "2"}}, 2, 1},
		{"one with CR", strings.ReplaceAll("data: a\n\n"+long+"data: b\n\n", "\n", "\r"), EOF, []event{ev("a"), {"b", "", "2"}}, 2, 1},
		{"two", long + "data: a\n\n" + long + "data: b\n\n", EOF, []event{{"a", "", "2"}, {"b", "", "2"}}, 4, 2},
		{"three end it", long + long + "data: a\n\n" + long + "data: b\n\n", Oversize, []event{{"a", "", "2"}}, 5, 3},
		{"the end comes while skipping", "data: a\n\ndata: " + strings.Repeat("x", 100), EOF, []event{ev("a")}, 2, 1},
		{"exactly the limit", "data: " + strings.Repeat("x", 56) + "\n\n", EOF, []event{ev(strings.Repeat("x", 56))}, 0, 0},
		{"one more", "data: " + strings.Repeat("x", 57) + "\n\ndata: a\n\n", EOF, []event{ev("a")}, 2, 1},
		{"comments without end", strings.Repeat(": ping\n", 30) + "\ndata: a\n\n", Oversize, nil, 2, 3},
		{"a document", `{"a":"` + strings.Repeat("x", 90) + "\"}\n\n{\"b\":1}", EOF, []event{ev(`{"b":1}`)}, 2, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, r := range []io.Reader{strings.NewReader(tt.body), iotest.OneByteReader(strings.NewReader(tt.body)), iotest.HalfReader(strings.NewReader(tt.body))} {
				frames, end, err := gather(r, Options{MaxEvent: 64})
				if end.How != tt.how || (err == nil) != (tt.how == EOF) || errors.Is(err, ErrOversize) != (tt.how == Oversize) {
					t.Fatalf("ended by %v: %v", end.How, err)
				}
				if wrong := wrongBytes(frames, end, []byte(tt.body)); wrong != "" {
					t.Error(wrong)
				}
				parts := 0
				var got []event
				for _, f := range frames {
					switch f.Kind {
					case Part:
						parts++
						if f.Data != nil || len(f.Raw) > 64 || (f.Skipped > 0) == (len(f.Raw) > 0) {
							t.Errorf("part %+v", f)
						}
					case Event, Document:
						got = append(got, event{string(f.Data), f.Type, f.ID})
					}
				}
				if !slices.Equal(got, tt.want) || parts != tt.parts || end.Oversize != tt.oversize {
					t.Errorf("%q, %d parts, %d oversize; want %q, %d, %d", got, parts, end.Oversize, tt.want, tt.parts, tt.oversize)
				}
			}
		})
	}
}

// A hostile peer that never ends a line, or an event, is left after a few times
// MaxEvent bytes.
func TestEndless(t *testing.T) {
	t.Parallel()
	for _, pattern := range []string{"x", "data: x\n", "data: x\r\n", ": c\r", `{"a":`, `[`, `["|x`, `[|1,`, " ", "\x00"} {
		const limit = 100 << 10
		start, again, found := strings.Cut(pattern, "|")
		if !found {
			start, again = "", pattern
		}
		r := io.MultiReader(strings.NewReader(start), &endless{pattern: again})
		frames, end, err := gather(r, Options{MaxEvent: limit})
		if end.How != Oversize || !errors.Is(err, ErrOversize) || end.Bytes > 5*limit {
			t.Errorf("%q ended by %v after %d bytes: %v", pattern, end.How, end.Bytes, err)
		}
		for _, f := range frames {
			if len(f.Raw) > limit {
				t.Errorf("%q: a frame of %d bytes", pattern, len(f.Raw))
			}
		}
	}
}

type endless struct {
	pattern string
	at      int
}

func (e *endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = e.pattern[e.at%len(e.pattern)]
		e.at++
	}
	return len(p), nil
}

func TestBinary(t *testing.T) {
	t.Parallel()
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	for range 200 {
		if _, err := w.Write([]byte("data: a\n\n")); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	garbage := make([]byte, 200<<10)
	source := rand.NewChaCha8([32]byte{1})
	if _, err := source.Read(garbage); err != nil {
		t.Fatal(err)
	}
	for name, body := range map[string][]byte{"gzip": zipped.Bytes(), "garbage": garbage, "html": []byte("<html>\n\n<body>no</body>\n</html>\n")} {
		frames, end, err := gather(bytes.NewReader(body), Options{})
		if err != nil || end.How != EOF || end.Events != 0 {
			t.Errorf("%s: %+v, %v", name, end, err)
		}
		if wrong := wrongBytes(frames, end, body); wrong != "" {
			t.Errorf("%s: %s", name, wrong)
		}
	}
}

// Each frame comes before the next read: nothing waits for bytes behind it.
func TestPrompt(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		contentType string
		pieces      []string
	}{
		{"text/event-stream", []string{"data: a\n\n", "data: b\r\n\r\n", "data: c\r\r", "\n", ": ping\n\n", "data: d\r\n\r"}},
		{"text/event-stream", []string{"\xef\xbb\xbf\n", "data: a\n\n"}},
		{"application/json", []string{`{"a":1}`, "\n", `[2]`, ",", "\x1e{}", `"x"`}},
	} {
		r := &counting{pieces: tt.pieces}
		end, err := Read(r, Options{ContentType: tt.contentType}, func(f Frame) error {
			if r.given == r.reads-1 {
				t.Errorf("%q came after the end of the body", f.Raw)
			}
			if want := tt.pieces[r.given-1]; !strings.HasSuffix(string(f.Raw), want) {
				t.Errorf("after read %d: %q, want %q", r.reads, f.Raw, want)
			}
			return nil
		})
		if alone := strings.Count(strings.Join(tt.pieces, "|"), "\r\r|\n"); err != nil || end.Frames != len(tt.pieces)-alone {
			t.Errorf("%d frames of %d pieces: %v", end.Frames, len(tt.pieces), err)
		}
	}
}

type counting struct {
	pieces       []string
	given, reads int
}

func (c *counting) Read(p []byte) (int, error) {
	c.reads++
	if c.given == len(c.pieces) {
		return 0, io.EOF
	}
	c.given++
	return copy(p, c.pieces[c.given-1]), nil
}

// What a stream holds is bounded by the event, not by the stream or the splits.
func TestBufferStaysSmall(t *testing.T) {
	t.Parallel()
	s := &stream{src: body{r: io.LimitReader(&endless{pattern: "data: x\n\n"}, 8<<20), now: time.Now},
		opt: Options{MaxEvent: defaultMaxEvent, MaxOversize: 3}, emit: func(Frame) error { return nil }}
	if err := s.run(); !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	if cap(s.src.buf) > 2*(readSize+minRoom) {
		t.Errorf("the buffer grew to %d bytes", cap(s.src.buf))
	}
}
