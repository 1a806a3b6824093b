package runner

import (
	"maps"
	"sync"
	"time"

	"a2ascope/session"
)

// disk is what became of the last commit. While the disk refuses, records are
// kept here, up to a bound, and served from here.
type disk struct {
	mu      sync.Mutex
	kept    []session.Record // guarded by mu where others than the loop read it
	bytes   int
	err     error
	failed  bool // the last commit was refused
	retryAt time.Time
}

const (
	keptMost  = 64 << 20 // bytes that are kept while the disk refuses; beyond it arrivals wait
	retryTime = time.Second
)

func (d *disk) refuses() bool  { return d.err != nil }
func (d *disk) writable() bool { return d.err == nil }
func (d *disk) full() bool     { return d.bytes >= keptMost }

func (d *disk) retryIn(now time.Time) time.Duration { return max(0, d.retryAt.Sub(now)) }

// tail returns records that the disk has refused so far, from number from on.
func (d *disk) tail(from uint64, limit int) []session.Record {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.kept) == 0 || from < d.kept[0].Seq || from-d.kept[0].Seq >= uint64(len(d.kept)) {
		return nil // a gap is never shown: what is missing is on the disk by now
	}
	rest := d.kept[from-d.kept[0].Seq:]
	return append([]session.Record(nil), rest[:min(limit, len(rest))]...)
}

// flight is a full batch of frames that is written beside the loop: the next
// one is numbered and folded meanwhile. There is never more than one, and
// whoever sees, asks or sends waits for it to land.
type flight struct {
	batch []session.Record
	view  *session.View // what it came to; nil when no view is due
	done  chan error
}

// commit makes the batch durable in one transaction and publishes what it came
// to. A batch that the disk refuses is kept and tried again.
func (r *Runner) commit() {
	r.land()
	batch, urgent := r.batch, r.urgent
	r.batch, r.batchSize, r.urgent, r.batchLast = nil, 0, false, len(batch)
	d := &r.disk
	now := r.clock.Now()
	if d.refuses() && now.Before(d.retryAt) {
		d.keep(batch)
		r.show(now, urgent)
		return
	}
	if d.refuses() {
		d.keep(batch)
		batch = d.kept
	} else if !urgent && len(batch) >= batchMost && !r.ending {
		r.launch(now, batch)
		return
	}
	changed := r.written(batch, r.cfg.Log.Append(batch, session.Summarise(r.state)))
	r.show(r.clock.Now(), urgent || changed)
}

// launch writes a batch beside the loop.
func (r *Runner) launch(now time.Time, batch []session.Record) {
	f := &flight{batch: batch, done: make(chan error, 1)}
	if now.Sub(r.published) >= frameTime {
		f.view = r.picture()
		r.published, r.stale = now, false
	} else {
		r.stale = true
	}
	sum := session.Summarise(r.state)
	sum.Prompts, sum.Profile = maps.Clone(sum.Prompts), sum.Profile.Clone()
	r.flight = f
	r.wg.Add(1)
	go func() {
		defer r.wg.Done()
		defer r.wake()
		f.done <- r.cfg.Log.Append(batch, sum)
	}()
}

// land waits for the batch that is being written, if there is one.
func (r *Runner) land() {
	if r.flight != nil {
		r.landed(<-r.flight.done)
	}
}

// landing takes in a batch that was written meanwhile, without waiting.
func (r *Runner) landing() {
	if r.flight == nil {
		return
	}
	select {
	case err := <-r.flight.done:
		r.landed(err)
	default:
	}
}

func (r *Runner) landed(err error) {
	f := r.flight
	r.flight = nil
	r.written(f.batch, err)
	switch {
	case f.view != nil:
		r.reveal(f.view)
	case err != nil:
		r.stale = true
	}
}

// written notes what became of a batch, and reports whether the disk changed
// its mind.
func (r *Runner) written(batch []session.Record, err error) bool {
	d := &r.disk
	changed := d.refuses() != (err != nil)
	if err != nil && !d.refuses() {
		d.keep(batch)
	}
	d.err, d.failed = err, err != nil
	if err != nil {
		d.retryAt = r.clock.Now().Add(retryTime)
		return changed
	}
	d.forget()
	if r.cfg.Committed != nil && len(batch) > 0 {
		r.cfg.Committed(batch)
	}
	return changed
}

// show publishes at once, or when the screen can take the next view.
func (r *Runner) show(now time.Time, urgent bool) {
	if urgent || now.Sub(r.published) >= frameTime {
		r.publish(now)
	} else {
		r.stale = true
	}
}

func (d *disk) keep(batch []session.Record) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.kept = append(d.kept, batch...)
	for i := range batch {
		d.bytes += len(batch[i].Body) + len(batch[i].Raw) + 256
	}
}

func (d *disk) forget() {
	if len(d.kept) == 0 {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.kept, d.bytes = nil, 0
}

// publish shows the committed state.
func (r *Runner) publish(now time.Time) {
	r.published, r.stale = now, false
	r.reveal(r.picture())
}

func (r *Runner) picture() *session.View {
	v := r.viewer.View(r.state)
	v.Live = r.stopping == "" || r.state.Ended == nil
	for i := range v.Waiting {
		for _, x := range r.order {
			if w := &v.Waiting[i]; x.n == w.Exchange {
				w.Size, w.Wrote = x.size, x.wrote.Load()
			}
		}
	}
	return v
}

// reveal lets everyone see a view of what the disk was given last.
func (r *Runner) reveal(v *session.View) {
	if r.disk.err != nil {
		v.Recorded, v.Trouble = false, r.disk.err.Error()
	}
	r.view.Store(v)
	r.mu.Lock()
	close(r.changed)
	r.changed = make(chan struct{})
	r.mu.Unlock()
}

// finish ends the session in order: exchanges are cut off and their ends
// recorded, then "ended" is written.
func (r *Runner) finish() {
	now := r.clock.Now()
	r.ending = true
	r.die()
	for _, x := range r.order {
		if x.left.IsZero() {
			x.left = now
		}
		x.cancel(ErrStopped)
	}
	for len(r.order) > 0 || r.aside > 0 && r.clock.Now().Sub(now) < stopTime {
		at := r.clock.Now()
		r.heartbeat(at)
		if r.takeEarliest(at) {
			if r.full(at) {
				r.commit()
			}
			continue
		}
		if len(r.order) > 0 || r.aside > 0 {
			r.restAtEnd()
		}
	}
	for len(r.waiting) > 0 {
		r.takeCommand()
	}
	for len(r.later) > 0 {
		r.takeLater()
	}
	for _, s := range r.unsent {
		r.write(r.clock.Now(), session.Draft{Kind: session.KindFault, Task: s.task, Exchange: s.n, Body: session.Faulted{
			Phase: session.PhasePrepare, Error: "it was never sent: the log could not be written", Unsent: true,
		}})
	}
	r.disk.retryAt = time.Time{}
	r.write(r.clock.Now(), session.Draft{Kind: session.KindEnded, Body: session.Ended{Reason: r.stopping}})
	r.commit()
}

func (r *Runner) restAtEnd() {
	timer, giveUp := r.clock.After(tickTime)
	defer giveUp()
	select {
	case <-r.poke:
	case <-timer:
	case d := <-r.outcomes:
		r.aside--
		r.later = append(r.later, d)
	case q := <-r.queries:
		r.answer(q)
	}
}

// leave waits for the goroutines of exchanges and exports, unless one of them
// is known not to end. Exchanges that the loop did not see to the end are let
// go, so that none waits for a loop that is gone.
func (r *Runner) leave() {
	if r.flight != nil { // the loop broke while a batch was being written
		<-r.flight.done
	}
	r.die()
	for _, x := range r.order {
		x.cancel(ErrStopped)
		close(x.gone)
	}
	if r.stuck > 0 || r.aside > 0 {
		return
	}
	r.wg.Wait()
}
