package sse

import (
	"bytes"
	"io"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// reference reads a whole stream the slow and obvious way, straight from the
// standard's text.
func reference(body string) (list []event, tail string) {
	body = strings.TrimPrefix(body, "\xef\xbb\xbf")
	body = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(body)
	lines := strings.Split(body, "\n")
	var data, typ, id string
	for _, line := range lines[:len(lines)-1] {
		if line == "" {
			if data != "" {
				list = append(list, event{strings.TrimSuffix(data, "\n"), typ, id})
			}
			data, typ = "", ""
			continue
		}
		data, typ, id = referenceLine(line, data, typ, id)
	}
	data, _, _ = referenceLine(lines[len(lines)-1], data, typ, id)
	return list, strings.TrimSuffix(data, "\n")
}

func referenceLine(line, data, typ, id string) (string, string, string) {
	name, value, _ := strings.Cut(line, ":")
	value = strings.TrimPrefix(value, " ")
	switch {
	case line == "" || line[0] == ':':
	case name == "data":
		data += value + "\n"
	case name == "event":
		typ = value
	case name == "id" && !strings.Contains(value, "\x00"):
		id = value
	}
	return data, typ, id
}

// atoms are what random streams are made of: they meet in every order.
var atoms = []string{
	"\n", "\n", "\n", "\r", "\r\n", "\n\n", "\r\n\r\n", "\r\r", "data", "data:", "data: ", "data: a", "data:b", ":", ": ", " ", "x", "id: 1", "id",
	"id: \x00", "event: e", "event", "retry: 1", "retry: x", "foo", ": ping", "\xef\xbb\xbf", "\xef", "\xbb", "\x00", "}", "\x1e", ",", "é",
}

func randomStream(r *rand.Rand) string {
	var b strings.Builder
	for range r.IntN(30) {
		b.WriteString(atoms[r.IntN(len(atoms))])
	}
	return b.String()
}

// splits gives r's bytes in pieces of random length.
type splits struct {
	r    io.Reader
	rand *rand.Rand
}

func (s splits) Read(p []byte) (int, error) {
	return s.r.Read(p[:min(len(p), 1+s.rand.IntN(9))])
}

func TestRandomStreams(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 60_000 {
		body := randomStream(r)
		want, tail := reference(body)
		frames, end, err := gather(splits{strings.NewReader(body), r}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if wrong := wrongBytes(frames, end, []byte(body)); wrong != "" {
			t.Fatalf("stream %d, %q: %s", i, body, wrong)
		}
		got, gotTail := eventsOf(frames)
		if !slices.Equal(got, want) || gotTail != tail {
			t.Fatalf("stream %d, %q:\n got %q, tail %q\nwant %q, tail %q", i, body, got, gotTail, want, tail)
		}
	}
}

// With a small MaxEvent everything still adds up, however the reads fall, and
// the events that fit are the same ones.
func TestRandomStreamsWithLimit(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	for i := range 20_000 {
		body := strings.Repeat(randomStream(r), 1+r.IntN(5))
		o := Options{MaxEvent: 64, MaxOversize: 1 + r.IntN(3)}
		whole, end, err := gather(strings.NewReader(body), o)
		if (err != nil) != (end.How == Oversize) {
			t.Fatalf("stream %d: %v, %v", i, end.How, err)
		}
		split, end2, _ := gather(splits{strings.NewReader(body), r}, o)
		for _, wrong := range []string{wrongBytes(whole, end, []byte(body)), wrongBytes(split, end2, []byte(body))} {
			if wrong != "" {
				t.Fatalf("stream %d, %q: %s", i, body, wrong)
			}
		}
		a, _ := eventsOf(whole)
		b, _ := eventsOf(split)
		all, _ := reference(body)
		if end.Oversize == 0 && !slices.Equal(a, all) {
			t.Fatalf("stream %d, %q: %q, want %q", i, body, a, all)
		}
		// Where a CR and its LF fall into different reads, the LF counts for the
		// next event: only then may the limit fall differently.
		if !strings.Contains(body, "\r") && (!slices.Equal(a, b) || end.How != end2.How || end.Oversize != end2.Oversize) {
			t.Fatalf("stream %d, %q: whole %q %+v, split %q %+v", i, body, a, end, b, end2)
		}
	}
}

// FuzzRead: the frames of any stream are its bytes, its events those that the
// standard dispatches, and both are the same wherever the reads fall.
func FuzzRead(f *testing.F) {
	for _, c := range whatwgCases {
		f.Add([]byte(c.body), uint8(3), false)
	}
	paths, err := filepath.Glob("testdata/*.raw")
	if err != nil || len(paths) == 0 {
		f.Fatalf("no recorded streams: %v", err)
	}
	for _, path := range paths {
		body, _ := recordedBody(f, path)
		f.Add(body, uint8(5), false)
	}
	f.Add([]byte("{\"a\":1}\n\x1e{\"b\":[2]},{}"), uint8(2), true)
	f.Add([]byte("[[[{\"a\":1]"), uint8(1), true)
	f.Fuzz(func(t *testing.T, body []byte, seed uint8, small bool) {
		o := Options{}
		if small {
			o = Options{MaxEvent: leastMaxEvent, ContentType: "application/json"}
		}
		frames, end, err := gather(splits{bytes.NewReader(body), rand.New(rand.NewPCG(uint64(seed), 1))}, o)
		if (err != nil) != (end.How == Oversize) || end.How == Cut {
			t.Fatalf("ended by %v: %v", end.How, err)
		}
		if wrong := wrongBytes(frames, end, body); wrong != "" {
			t.Fatal(wrong)
		}
		whole, wholeEnd, _ := gather(bytes.NewReader(body), o)
		if wrong := wrongBytes(whole, wholeEnd, body); wrong != "" {
			t.Fatal(wrong)
		}
		got, tail := eventsOf(frames)
		// With a small limit a CR and its LF may fall into different events.
		if one, oneTail := eventsOf(whole); (!small || bytes.IndexByte(body, '\r') < 0) && (!slices.Equal(got, one) || tail != oneTail) {
			t.Fatalf("\nsplit %q, tail %q\nwhole %q, tail %q", got, tail, one, oneTail)
		}
		if !end.Documents && end.Oversize == 0 {
			if want, wantTail := reference(string(body)); !slices.Equal(got, want) || tail != wantTail {
				t.Fatalf("\n got %q, tail %q\nwant %q, tail %q", got, tail, want, wantTail)
			}
		}
		Disagrees(body)
	})
}
