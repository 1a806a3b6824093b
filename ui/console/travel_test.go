package console

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func TestTimeTravelStepsRecordByRecord(t *testing.T) {
	t.Parallel()
	for _, review := range []bool{false, true} {
		f := leaky()
		b := newBench(t, Options{Sessions: &fakeSessions{}}, 160, 45)
		s := b.show(f, review)
		b.wants("artifact", "broken").keys("<")
		last := uint64(len(f.records))
		if !s.past.on || s.past.seq != last-1 || s.view.Seq != last-1 {
			t.Fatalf("review %v: as of %d, view of %d, want %d", review, s.past.seq, s.view.Seq, last-1)
		}
		b.wants("as of #22", "of 23", "esc returns to now").keys("<", ",", "<")
		if s.view.Seq != last-4 {
			t.Errorf("view of %d, want %d", s.view.Seq, last-4)
		}
		b.lacks("✗ broken") // nothing was found yet
		b.keys(">")
		if s.view.Seq != last-3 {
			t.Errorf("view of %d, want %d", s.view.Seq, last-3)
		}
		b.keys("g", "esc")
		if s.past.on || s.view.Seq != last {
			t.Errorf("after esc: as of %d, view of %d", s.past.seq, s.view.Seq)
		}
		b.wants("broken").lacks("as of #")
	}
}

func TestTimeTravelStepsFindingByFinding(t *testing.T) {
	t.Parallel()
	f := leaky()
	b, s := onSession(t, f, 160, 45)
	b.keys("{")
	at := s.latest.Findings[0].Seq
	if s.view.Seq != at {
		t.Fatalf("as of %d, want the finding %d", s.view.Seq, at)
	}
	b.keys("{").wants("there is no finding before this record")
	b.keys("<", "}")
	if s.view.Seq != at {
		t.Errorf("as of %d, want the finding %d", s.view.Seq, at)
	}
	b.keys("}").wants("there is no finding after this record")
}

func TestTimeTravelGoesToATime(t *testing.T) {
	t.Parallel()
	f := leaky()
	b, s := onSession(t, f, 160, 45)
	for _, c := range []struct {
		text string
		want uint64
	}{{"#5", 5}, {"7", 7}, {"+0.95", 10}, {"+0:00.95", 10}, {"950ms", 10}, {"09:26:55", 15}} {
		b.keys("@").wants("go to ▸").text(c.text).keys("enter")
		if s.view.Seq != c.want {
			t.Errorf("%s: as of %d (%s), want %d", c.text, s.view.Seq, s.view.Elapsed, c.want)
		}
	}
	b.keys("@").text("yesterday").keys("enter").wants(`"yesterday" is no place in the session`).keys("ctrl+u").text("#99").keys("enter").wants("records 1 to 23")
}

func TestACommandReturnsToNow(t *testing.T) {
	t.Parallel()
	f := leaky()
	b, s := onSession(t, f, 160, 45)
	b.keys("esc", "<", "<", "m")
	if s.past.on || !slices.Equal(f.commands, []string{"mark"}) {
		t.Errorf("in the past %v, commands %q", s.past.on, f.commands)
	}
	// What comes meanwhile does not move the picture.
	b.keys("<")
	at := s.view.Seq
	claim(f, uint64(len(f.records)))
	b.tell(f)
	if s.view.Seq != at || s.latest.Seq != uint64(len(f.records)) {
		t.Errorf("view of %d, latest %d", s.view.Seq, s.latest.Seq)
	}
}

func TestPlaceInTime(t *testing.T) {
	t.Parallel()
	begun := time.Date(2026, 3, 14, 23, 59, 50, 0, time.UTC)
	for text, want := range map[string]time.Duration{"+90": 90 * time.Second, "1m30s": 90 * time.Second, "+1:00:01.5": 3601500 * time.Millisecond, "00:00:10": 20 * time.Second, "23:59": 0} {
		if got, err := placeInTime(text, begun); err != nil || got != want {
			t.Errorf("%s: %v %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "+", "-5s", "soon", "+1:x"} {
		if got, err := placeInTime(text, begun); err == nil || !strings.Contains(err.Error(), "no place") {
			t.Errorf("%q: %v %v", text, got, err)
		}
	}
}
