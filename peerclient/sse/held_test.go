package sse

import (
	"io"
	"slices"
	"strings"
	"testing"
	"time"
)

// wire is a scripted body on a clock of its own: each Read takes as long as its
// step says, then gives the step's bytes.
type wire struct {
	steps []step
	now   time.Time
	next  int
}

type step struct {
	took time.Duration
	text string
}

func (w *wire) Read(p []byte) (int, error) {
	if w.next == len(w.steps) {
		return 0, io.EOF
	}
	s := w.steps[w.next]
	w.next++
	w.now = w.now.Add(s.took)
	return copy(p, s.text), nil
}

func (w *wire) clock() time.Time { return w.now }

// heldFrames runs the script; emit takes as long as emitTook says for the data
// (or the raw text) of the frame. It lists what was held.
func heldFrames(t *testing.T, steps []step, emitTook map[string]time.Duration) []string {
	t.Helper()
	w := &wire{steps: steps, now: time.Unix(1, 0)}
	held := []string{}
	if _, err := Read(w, Options{Now: w.clock}, func(f Frame) error {
		name := string(f.Data)
		if f.Data == nil {
			name = string(f.Raw)
		}
		w.now = w.now.Add(emitTook[name])
		if f.Held {
			held = append(held, name)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return held
}

func TestHeld(t *testing.T) {
	t.Parallel()
	const us, ms = time.Microsecond, time.Millisecond
	d := func(name string) string { return "data: " + name + "\n\n" }
	tests := []struct {
		name  string
		steps []step
		emit  map[string]time.Duration
		want  []string
	}{
		{"fast peer, fast emit", []step{{3 * ms, d("a")}, {10 * us, d("b")}, {0, d("c")}, {20 * us, d("d")}}, map[string]time.Duration{"a": ms, "b": 4 * ms}, []string{}},
		{"slow peer, slow emit", []step{{3 * ms, d("a")}, {200 * ms, d("b")}, {200 * ms, d("c")}}, map[string]time.Duration{"a": 50 * ms, "b": 50 * ms}, []string{}},
		{"read after a blocked emit, without a wait", []step{{3 * ms, d("a")}, {0, d("b")}, {10 * us, d("c")}, {30 * ms, d("d")}, {0, d("e")}},
			map[string]time.Duration{"a": time.Second}, []string{"b", "c"}},
		{"in the same read as the blocked frame: its time is exact", []step{{3 * ms, d("a") + d("b") + d("c")}, {0, d("d")}}, map[string]time.Duration{"a": time.Second}, []string{"d"}},
		{"blocked again while catching up", []step{{3 * ms, d("a")}, {0, d("b")}, {0, d("c")}, {ms, d("d")}}, map[string]time.Duration{"a": 6 * ms, "b": 6 * ms}, []string{"b", "c"}},
		{"blocked again after the wait", []step{{3 * ms, d("a")}, {0, d("b")}, {5 * ms, d("c")}, {0, d("d")}}, map[string]time.Duration{"a": 6 * ms, "c": 5 * ms}, []string{"b", "d"}},
		{"many short emits add up", []step{{3 * ms, d("x") + d("x") + d("x")}, {0, d("b")}}, map[string]time.Duration{"x": 2 * ms}, []string{"b"}},
		{"just below the limit", []step{{3 * ms, d("a")}, {0, d("b")}}, map[string]time.Duration{"a": 5*ms - 1}, []string{}},
		{"a read that took just too little", []step{{3 * ms, d("a")}, {ms - 1, d("b")}}, map[string]time.Duration{"a": 5 * ms}, []string{"b"}},
		{"the last byte decides: late end", []step{{3 * ms, d("a")}, {0, "data: b"}, {20 * ms, "\n\n"}}, map[string]time.Duration{"a": 5 * ms}, []string{}},
		{"the last byte decides: held end", []step{{3 * ms, d("a") + "data: b"}, {0, "\n\n"}}, map[string]time.Duration{"a": 5 * ms}, []string{"b"}},
		{"a full read may be backlog", []step{{3 * ms, d("a")}, {2 * ms, "data: b" + strings.Repeat(" ", readSize-7)}, {0, "\n\n"}},
			map[string]time.Duration{"a": 5 * ms}, []string{"b" + strings.Repeat(" ", readSize-7)}},
		{"tail and comments too", []step{{3 * ms, d("a")}, {0, ": c\n\ndata: b"}}, map[string]time.Duration{"a": 5 * ms}, []string{": c\n\n", "b"}},
		{"documents too", []step{{3 * ms, `{"a":1}`}, {0, `{"b":1}`}, {4 * ms, `{"c":1}`}}, map[string]time.Duration{`{"a":1}`: time.Second}, []string{`{"b":1}`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := heldFrames(t, tt.steps, tt.emit); !slices.Equal(got, tt.want) {
				t.Errorf("held %.100q, want %.100q", got, tt.want)
			}
		})
	}
}

// A fast stream into a fast emit holds nothing, though the reader never waits.
// The clock advances by the work alone: 1 µs a frame.
func TestFastStreamHoldsNothing(t *testing.T) {
	t.Parallel()
	now := time.Unix(1, 0)
	body := strings.NewReader(strings.Repeat("data: "+strings.Repeat("x", 190)+"\n\n", 50_000))
	end, err := Read(body, Options{Now: func() time.Time { return now }}, func(f Frame) error {
		now = now.Add(time.Microsecond)
		if f.Held {
			t.Errorf("the frame at %d is held", f.Off)
		}
		return nil
	})
	if err != nil || end.Events != 50_000 {
		t.Errorf("%d events, %v", end.Events, err)
	}
}

func TestTimes(t *testing.T) {
	t.Parallel()
	const s = time.Second
	w := &wire{now: time.Unix(0, 0), steps: []step{
		{1 * s, "\xef\xbb\xbf"}, {1 * s, "data: a\r\n\r"}, {1 * s, "\n"}, {1 * s, "dat"}, {1 * s, "a: b\n"}, {1 * s, "\ndata: c\n\ndata: d\n\n\n: e"}, {1 * s, "\n\ndata: f"}, {1 * s, "\n"},
	}}
	type times struct {
		data        string
		first, last int64
	}
	var got []times
	if _, err := Read(w, Options{Now: w.clock}, func(f Frame) error {
		got = append(got, times{string(f.Data), f.First.Unix(), f.Last.Unix()})
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	// The line feed of second 3 stands in front of b and is none of it; the
	// nameless ones are the blank line and the comment.
	want := []times{{"a", 2, 2}, {"b", 4, 6}, {"c", 6, 6}, {"d", 6, 6}, {"", 6, 6}, {"", 6, 7}, {"f", 7, 8}}
	if !slices.Equal(got, want) {
		t.Errorf("\n got %v\nwant %v", got, want)
	}
}

// What we did between the response's head and the first read counts too.
func TestHeldSinceTheHead(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		since, took time.Duration
		want        bool
	}{{4 * time.Millisecond, 0, false}, {5 * time.Millisecond, 0, true}, {time.Second, time.Millisecond, false}} {
		w := &wire{now: time.Unix(1, 0), steps: []step{{tt.took, "data: a\n\n"}}}
		frames, _, err := gather(w, Options{Now: w.clock, Since: w.now.Add(-tt.since)})
		if err != nil || len(frames) != 1 || frames[0].Held != tt.want {
			t.Errorf("%v after the head, a read of %v: %+v, %v", tt.since, tt.took, frames, err)
		}
	}
}
