package runner

import (
	"context"
	"sync"
	"time"

	"a2ascope/session"
)

// disk is what became of the last commit. While the disk refuses, records are
// kept here, up to a bound, and served from here.
type disk struct {
	mu      sync.Mutex
	kept    []session.Record
	bytes   int
	err     error
	failed  bool // it refused at least once and was not made good
	retryAt time.Time
}

const (
	keptMost  = 64 << 20 // bytes that are kept while the disk refuses
	retryTime = time.Second
)

func (d *disk) refuses() bool  { return d.err != nil }
func (d *disk) writable() bool { return d.err == nil }
func (d *disk) full() bool     { return d.bytes >= keptMost }
func (d *disk) pause() time.Duration {
	return retryTime
}

func (d *disk) retryIn(now time.Time) time.Duration { return max(0, d.retryAt.Sub(now)) }

func (d *disk) tail(from uint64, limit int) []session.Record {
	d.mu.Lock()
	defer d.mu.Unlock()
	var out []session.Record
	for _, r := range d.kept {
		if r.Seq >= from && len(out) < limit {
			out = append(out, r)
		}
	}
	return out
}

// commit makes the batch durable in one transaction and publishes what it came
// to. A batch that the disk refuses is kept and tried again.
func (r *Runner) commit() {
	batch := r.batch
	r.batch, r.batchSize = nil, 0
	urgent := r.urgent
	r.urgent = false
	r.disk.keep(batch)
	now := r.clock.Now()
	if r.disk.refuses() && now.Before(r.disk.retryAt) {
		r.publish(now)
		return
	}
	err := r.cfg.Log.Append(r.disk.kept, session.Summarise(r.state))
	if r.disk.done(err, now); err == nil && r.cfg.Committed != nil {
		r.cfg.Committed(r.disk.take())
	} else if err == nil {
		r.disk.take()
	}
	if now = r.clock.Now(); urgent || now.Sub(r.published) >= frameTime {
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

func (d *disk) done(err error, now time.Time) {
	d.err = err
	d.failed = err != nil
	if err != nil {
		d.retryAt = now.Add(retryTime)
	}
}

func (d *disk) take() []session.Record {
	d.mu.Lock()
	defer d.mu.Unlock()
	out := d.kept
	d.kept, d.bytes = nil, 0
	return out
}

// publish shows the committed state.
func (r *Runner) publish(now time.Time) {
	v := session.MakeView(r.state)
	v.Live = r.stopping == "" || r.state.Ended == nil
	if r.disk.err != nil {
		v.Recorded, v.Trouble = false, r.disk.err.Error()
	}
	r.view.Store(v)
	r.published, r.stale = now, false
	r.mu.Lock()
	close(r.changed)
	r.changed = make(chan struct{})
	r.mu.Unlock()
}

// finish ends the session in order: exchanges are cut off and their ends
// recorded, then "ended" is written.
func (r *Runner) finish(ctx context.Context) {
	for _, n := range r.order {
		r.exchanges[n].cancel(ErrStopped)
	}
	limit, giveUp := r.clock.After(stopTime)
	defer giveUp()
	for over := false; (len(r.order) > 0 || r.exporting > 0) && !over; {
		if r.takeEarliest(r.clock.Now()) {
			continue
		}
		select {
		case <-r.poke:
		case d := <-r.exports:
			r.exporting--
			r.later = append(r.later, d)
		case q := <-r.queries:
			q.read(r.state)
			close(q.done)
		case <-limit:
			over = true
		}
	}
	for len(r.waiting) > 0 {
		r.takeCommand()
	}
	for len(r.later) > 0 {
		r.takeLater()
	}
	r.disk.retryAt = time.Time{}
	r.write(r.clock.Now(), session.Draft{Kind: session.KindEnded, Body: session.Ended{Reason: r.stopping}})
	r.commit()
	r.abandon()
}

// abandon lets go of exchanges that did not end in time, so that nobody waits
// for a loop that is gone.
func (r *Runner) abandon() {
	for _, x := range r.exchanges {
		x.cancel(ErrStopped)
		go func() { // until the exchange gives up
			for range x.in {
			}
		}()
	}
}
