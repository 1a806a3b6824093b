package runner_test

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"a2ascope/session"
	"a2ascope/session/runner"
)

// byHand is a clock that stands still until it is moved.
type byHand struct {
	mu  sync.Mutex
	now time.Time
}

func (c *byHand) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *byHand) After(d time.Duration) (<-chan time.Time, func()) {
	ch := make(chan time.Time, 1)
	c.mu.Lock()
	c.now = c.now.Add(d) // who waits alone finds the time gone by
	ch <- c.now
	c.mu.Unlock()
	return ch, func() {}
}

func steps(clock *byHand, log session.Log) runner.Steps {
	return runner.StepsOf(runner.Config{
		Log: log, Clock: clock, NewID: newID, Opened: session.Opened{Session: "s", Policy: quick()},
	})
}

// TestEarliestFirst: whatever waits is recorded in the order in which it was
// read, given or due, with a deadline behind all that was read up to it.
func TestEarliestFirst(t *testing.T) {
	t.Parallel()
	for seed := range uint64(200) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		clock := &byHand{now: time.Now()}
		begin := clock.Now()
		s := steps(clock, &calm{})
		at := func() time.Time { return begin.Add(time.Duration(1+rnd.IntN(300)) * time.Millisecond) }
		type event struct {
			at   time.Time
			kind session.Kind
		}
		var want []event
		// Deadlines: waits that were given at the beginning.
		for range 1 + rnd.IntN(4) {
			d := time.Duration(1+rnd.IntN(300)) * time.Millisecond
			s.Give(fmt.Sprintf("wait %s", d), begin)
			s.Take(begin)
			want = append(want, event{begin.Add(d), session.KindTimer})
		}
		skip := len(s.Batch())
		for n := range 1 + rnd.IntN(4) {
			in, _ := s.Exchange(100 + n)
			var times []time.Time
			for range rnd.IntN(20) {
				times = append(times, at())
			}
			slices.SortFunc(times, time.Time.Compare) // a stream brings things in order
			for i, a := range times {
				in <- session.Arrival{Frame: &session.Framed{N: i + 1, Kind: "comment"}, At: a}
				want = append(want, event{a, session.KindFrame})
			}
		}
		var given []time.Time
		for range rnd.IntN(5) {
			given = append(given, at())
		}
		slices.SortFunc(given, time.Time.Compare)
		for _, g := range given {
			s.Give("tasks", g)
			want = append(want, event{g, session.KindCommand})
		}
		slices.SortStableFunc(want, func(a, b event) int { return cmp.Compare(a.at.UnixNano(), b.at.UnixNano()) })
		now := begin.Add(400 * time.Millisecond)
		for s.Take(now) {
		}
		got := s.Batch()[skip:]
		if len(got) != len(want) {
			t.Fatalf("seed %d: %d records, want %d", seed, len(got), len(want))
		}
		for i := range want {
			if got[i].Elapsed != want[i].at.Sub(begin) {
				t.Fatalf("seed %d: record %d is of %s, want %s (%s)", seed, i, got[i].Elapsed, want[i].at.Sub(begin), want[i].kind)
			}
			if got[i].Kind == session.KindTimer && i+1 < len(got) && got[i+1].Kind != session.KindTimer && got[i+1].Elapsed < got[i].Elapsed {
				t.Fatalf("seed %d: a deadline went before what was read before it", seed)
			}
		}
	}
}

// TestDeadlineLeavesRoom: a deadline waits a little for what was read before
// it and is still on its way, and an arrival of that time goes first.
func TestDeadlineLeavesRoom(t *testing.T) {
	t.Parallel()
	clock := &byHand{now: time.Now()}
	begin := clock.Now()
	s := steps(clock, &calm{})
	s.Give("wait 100ms", begin)
	s.Take(begin)
	if s.Take(begin.Add(105 * time.Millisecond)) {
		t.Fatal("the deadline was taken at once")
	}
	in, _ := s.Exchange(9)
	in <- session.Arrival{Frame: &session.Framed{N: 1, Kind: "comment"}, At: begin.Add(99 * time.Millisecond)}
	var kinds []session.Kind
	from := len(s.Batch())
	for s.Take(begin.Add(120 * time.Millisecond)) {
	}
	for _, r := range s.Batch()[from:] {
		kinds = append(kinds, r.Kind)
	}
	if !slices.Equal(kinds, []session.Kind{session.KindFrame, session.KindTimer}) {
		t.Errorf("recorded %v", kinds)
	}
}

// TestStandstill: what was read after the loop's last sign of life belongs to
// the new epoch, what was read before to the old one, and deadlines count from
// when the loop was back.
func TestStandstill(t *testing.T) {
	t.Parallel()
	clock := &byHand{now: time.Now()}
	begin := clock.Now()
	s := steps(clock, &calm{})
	in, _ := s.Exchange(9)
	s.Heartbeat(begin.Add(50 * time.Millisecond))
	at := func(ms int) time.Time { return begin.Add(time.Duration(ms) * time.Millisecond) }
	for _, ms := range []int{40, 60, 1999} {
		in <- session.Arrival{Frame: &session.Framed{N: ms, Kind: "comment"}, At: at(ms)}
	}
	from := len(s.Batch())
	s.Heartbeat(at(2000))
	for s.Take(at(2000)) {
	}
	var got []string
	for _, r := range s.Batch()[from:] {
		got = append(got, fmt.Sprintf("%s %s", r.Kind, r.Elapsed))
	}
	want := []string{"frame 40ms", "timer 2s", "frame 2s", "frame 2s"}
	if !slices.Equal(got, want) {
		t.Errorf("recorded %q, want %q", got, want)
	}
	if s.State().Epoch != 2 {
		t.Errorf("epoch %d, want 2", s.State().Epoch)
	}
}

// TestNotAhead: nothing is taken that was read after the round began, for the
// loop may have stood still in between.
func TestNotAhead(t *testing.T) {
	t.Parallel()
	clock := &byHand{now: time.Now()}
	begin := clock.Now()
	s := steps(clock, &calm{})
	in, _ := s.Exchange(9)
	clock.now = begin.Add(10 * time.Second)
	in <- session.Arrival{Frame: &session.Framed{N: 1, Kind: "comment"}, At: begin.Add(9 * time.Second)}
	from := len(s.Batch())
	if !s.Take(begin.Add(time.Millisecond)) {
		t.Error("the loop is to go round at once")
	}
	if n := len(s.Batch()) - from; n != 0 {
		t.Errorf("%d records were written", n)
	}
	s.Heartbeat(clock.Now())
	s.Take(clock.Now())
	s.Take(clock.Now())
	if b := s.Batch()[from:]; len(b) != 2 || b[0].Kind != session.KindTimer || b[1].Kind != session.KindFrame {
		t.Errorf("recorded %+v, want the end of the epoch and then the frame", b)
	}
}

// batches is a log that keeps how its records were cut into transactions.
type batches struct {
	calm
	mu  sync.Mutex
	cut [][]session.Record
}

func (l *batches) Append(r []session.Record, s session.Summary) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cut = append(l.cut, slices.Clone(r))
	return l.calm.Append(r, s)
}

// TestWhatRulesSaidIsNotCutOff: the records that rules write are in the
// transaction of the record that they judged.
func TestWhatRulesSaidIsNotCutOff(t *testing.T) {
	t.Parallel()
	peer := demo(t, "leaky-cancel")
	log := &batches{}
	id := newID()
	l := start(t, nil, id, config(t, nil, log, id, peer.URL(), func(c *runner.Config) { c.Archive = nil }), runner.New)
	l.script(t, peer.URL(), "stream slow 40", "wait state working", "cancel", "wait settled")
	judged := 0
	for i, batch := range log.cut {
		for _, r := range batch {
			if !r.Kind.ByRule() {
				continue
			}
			var b struct{ Cause uint64 }
			if err := r.Decode(&b); err != nil {
				t.Fatal(err)
			}
			judged++
			if b.Cause < batch[0].Seq || b.Cause >= r.Seq {
				t.Errorf("record %d is in transaction %d with %d to %d, its cause %d is not", r.Seq, i, batch[0].Seq, batch[len(batch)-1].Seq, b.Cause)
			}
		}
	}
	if judged < 5 {
		t.Fatalf("only %d records of rules", judged)
	}
}

// TestFramesAreBatched: a fast stream fills transactions up to their bound, a
// slower one makes about one in 20 ms.
func TestFramesAreBatched(t *testing.T) {
	t.Parallel()
	const events = 20_000
	peer, log := newFire(t, events), &batches{}
	id := newID()
	l := start(t, nil, id, config(t, nil, log, id, peer.url, func(c *runner.Config) { c.Archive = nil }), runner.New)
	stormScript(t, l, peer.url)
	frames, most, commits := 0, 0, 0
	for _, b := range log.cut {
		most = max(most, len(b))
		if n := slices.IndexFunc(b, func(r session.Record) bool { return r.Kind == session.KindFrame }); n >= 0 {
			commits++
			for _, r := range b {
				if r.Kind == session.KindFrame {
					frames++
				}
			}
		}
	}
	if frames != events+2 {
		t.Errorf("%d frames, want %d", frames, events+2)
	}
	if most > 8*512+8 { // frames that waited for the transaction before them
		t.Errorf("a transaction holds %d records", most)
	}
	if commits > frames/20 {
		t.Errorf("%d transactions for %d frames", commits, frames)
	}
}

// TestTwentyMilliseconds: frames alone wait for company, and not longer than
// 20 ms; a command takes them with it at once.
func TestTwentyMilliseconds(t *testing.T) {
	t.Parallel()
	clock := &byHand{now: time.Now()}
	log := &batches{}
	s := steps(clock, log)
	in, _ := s.Exchange(9)
	ctx := context.Background()
	frame := func() {
		clock.mu.Lock()
		clock.now = clock.now.Add(5 * time.Millisecond)
		clock.mu.Unlock()
		in <- session.Arrival{Frame: &session.Framed{N: 1, Kind: "comment"}, At: clock.Now()}
	}
	s.Round(ctx)
	before := len(log.cut)
	for range 4 {
		frame()
		s.Round(ctx)
	}
	if n := len(log.cut) - before; n != 0 {
		t.Fatalf("%d transactions after 15 ms of frames", n)
	}
	frame()
	s.Round(ctx)
	if n := len(log.cut) - before; n != 1 || len(log.cut[before]) != 5 {
		t.Fatalf("%d transactions after 20 ms of frames, the first of %d records", n, len(log.cut[before]))
	}
	frame()
	s.Round(ctx)
	s.Give("mark", clock.Now())
	s.Round(ctx)
	if n := len(log.cut) - before; n != 2 || len(log.cut[before+1]) != 3 {
		t.Errorf("the command did not take the frame with it: %d transactions", n)
	}
}
