package runner

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"a2ascope/session"
	"a2ascope/session/rule"
)

const (
	batchMost  = 512                    // records of one transaction
	batchRoom  = 8 * batchMost          // of one that had to wait for the one before
	batchTime  = 20 * time.Millisecond  // a batch of frames waits this long at most
	frameTime  = 16 * time.Millisecond  // between two views of a fast stream
	tickTime   = 100 * time.Millisecond // the loop's heartbeat while a stream is open
	stallTime  = 250 * time.Millisecond // a heartbeat later than this ends the epoch
	jumpTime   = 5 * time.Second        // between wall and monotonic clock
	graceTime  = 10 * time.Millisecond  // for an arrival that was read before a deadline and is still on its way
	stopTime   = 5 * time.Second        // for exchanges to end when the session is stopped
	batchBytes = 4 << 20
)

// Run is the loop. It returns after Stop, or when ctx ends; the error is that
// of the log, if the disk refused to the end.
func (r *Runner) Run(ctx context.Context) (err error) {
	defer close(r.done)
	defer r.leave()
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the session's loop broke: %v\n%s", p, debug.Stack())
		}
	}()
	r.start()
	for r.round(ctx) {
	}
	r.finish()
	return r.disk.err
}

// start writes the opened record.
func (r *Runner) start() {
	now := r.clock.Now()
	r.begin, r.base, r.alive = now, 0, now
	if r.cfg.Opened.Continued {
		r.base = r.state.Elapsed + max(0, now.Round(0).Sub(r.state.Wall))
	}
	r.write(now, session.Draft{Kind: session.KindOpened, Body: r.cfg.Opened})
	r.commit()
}

// round does one thing, the earliest, or waits for one. It returns false when
// the session is to end. Between two batches it always looks at what is to be
// sent and at who asks, however much is waiting to be recorded.
func (r *Runner) round(ctx context.Context) bool {
	now := r.clock.Now()
	r.heartbeat(now)
	r.landing()
	r.writing()
	r.limit(now)
	if len(r.batch) == 0 {
		if r.disk.refuses() && r.disk.retryIn(now) == 0 {
			r.commit()
		}
		if r.perform(now) {
			return true
		}
		if !r.attend(ctx, nil, nil) {
			return false
		}
	}
	if r.takeEarliest(now) {
		if r.full(now) || r.urgent && !r.somethingWaits() {
			r.commit()
		}
		return true
	}
	if len(r.batch) > 0 && (r.urgent || r.full(now)) {
		r.commit()
		return true
	}
	return r.rest(ctx, now)
}

// limit notes when the log has taken as much as it may. The record, and not the
// size, has the fold drop the streams: a copy with bytes taken out says the same.
func (r *Runner) limit(now time.Time) {
	most := r.state.Opened.Policy.LogLimit
	if most <= 0 || r.state.LogFull || r.state.Size < int64(most)<<20 {
		return
	}
	r.write(now, session.Draft{Kind: session.KindTimer, Body: session.Ticked{ID: session.TimerFull}})
	r.write(now, session.Draft{Kind: session.KindNote, Body: session.Noted{Text: fmt.Sprintf(
		"the log of this session has reached %d MiB (--log-limit): its streams were dropped by the console, and nothing is held against the peer for that; begin another session, or continue this one with a larger --log-limit", most)}})
}

// full reports whether the batch must not grow or wait any longer. Frames
// alone gather on, up to a bound, while the batch before them is being written:
// a slow disk then gets fewer and larger transactions.
func (r *Runner) full(now time.Time) bool {
	if r.flight != nil && !r.urgent && len(r.batch) < batchRoom && r.batchSize < batchBytes {
		return false
	}
	return len(r.batch) >= batchMost || r.batchSize >= batchBytes || len(r.batch) > 0 && now.Sub(r.batchAt) >= batchTime
}

// rest waits until something arrives or is due.
func (r *Runner) rest(ctx context.Context, now time.Time) bool {
	wait := r.until(now)
	if wait <= 0 {
		return true
	}
	timer, giveUp := r.clock.After(wait)
	defer giveUp()
	return r.attend(ctx, r.poke, timer)
}

// attend serves whoever asks, or returns once poked or timed out. A nil timer
// does not wait. It returns false when the session is to end.
func (r *Runner) attend(ctx context.Context, poke <-chan struct{}, timer <-chan time.Time) bool {
	if timer == nil {
		timer = r.past
	}
	select {
	case reason := <-r.stops:
		r.stopping = reason
		return false
	case <-ctx.Done():
		r.stopping = "signal"
		return false
	default:
	}
	select {
	case <-poke:
	case <-timer:
	case q := <-r.queries:
		r.answer(q)
	case d := <-r.outcomes:
		r.aside--
		r.later = append(r.later, d)
	case reason := <-r.stops:
		r.stopping = reason
		return false
	case <-ctx.Done():
		r.stopping = "signal"
		return false
	}
	return true
}

// answer lets a query read the committed state.
func (r *Runner) answer(q query) {
	r.land()
	if len(r.batch) > 0 {
		r.commit()
		r.land()
	}
	if r.stale {
		r.publish(r.clock.Now())
	}
	q.read(r.state)
	close(q.done)
}

// until is how long the loop may rest.
func (r *Runner) until(now time.Time) time.Duration {
	wait := time.Hour
	sooner := func(d time.Duration) { wait = min(wait, d) }
	switch {
	case len(r.batch) > 0 && r.flight != nil: // its landing pokes
	case len(r.batch) > 0:
		sooner(batchTime - now.Sub(r.batchAt))
	default:
		if r.stale && r.flight == nil {
			if d := frameTime - now.Sub(r.published); d > 0 {
				sooner(d)
			} else {
				r.publish(now)
			}
		}
		if due, ok := r.state.NextDue(r.disk.writable()); ok && !r.choked {
			sooner(max(r.at(due).Add(graceTime).Sub(now), time.Millisecond))
		}
		if r.disk.refuses() {
			sooner(r.disk.retryIn(now))
		}
	}
	if len(r.order) > 0 || r.choked {
		sooner(tickTime)
	}
	return max(wait, 0)
}

// heartbeat notes when the loop was not running, or left arrivals waiting: our
// own slowness is no evidence, so an epoch ends there. It ticks while an
// exchange is under way: any of them can turn out to be a stream.
func (r *Runner) heartbeat(now time.Time) {
	before := r.alive
	late := now.Sub(before)
	wall := now.Round(0).Sub(before.Round(0))
	r.alive = now
	drift := wall - late
	switch {
	case r.stall != nil:
		r.stall.at = now
	case drift > jumpTime || drift < -jumpTime:
		r.stall = &stall{id: session.TimerJump, from: before, at: now, late: drift}
	case late > tickTime+stallTime && len(r.order) > 0:
		r.stall = &stall{id: session.TimerStall, from: before, at: now, late: late}
	case r.choked && (r.ending || !r.disk.full()):
		r.choked = false
		r.stall = &stall{id: session.TimerStall, from: r.chokedAt, at: now, late: now.Sub(r.chokedAt)}
	}
	if r.disk.full() && !r.choked && !r.ending {
		r.choked, r.chokedAt = true, now
	}
}

// stall is an end of an epoch that waits for its place among the arrivals:
// before all that was read after the loop's last sign of life, for nobody
// knows when that would have been read. It is dated when the loop was back,
// so that deadlines count from there.
type stall struct {
	id   string
	from time.Time
	at   time.Time
	late time.Duration
}

// at turns session time into a time of the clock, and since the other way.
func (r *Runner) at(elapsed time.Duration) time.Time { return r.begin.Add(elapsed - r.base) }
func (r *Runner) since(at time.Time) time.Duration   { return r.base + at.Sub(r.begin) }

// write numbers, hashes and folds a record, then lets follow what follows: the
// records that it brings by itself, and what the rules say, with the very next
// numbers.
func (r *Runner) write(at time.Time, d session.Draft) session.Change {
	c := r.put(at, d)
	for _, f := range session.Follow(r.state, &c) {
		r.write(at, r.checked(f))
	}
	if c.Record.Kind == session.KindCard && c.Err == nil {
		r.carryTrust(at, &c)
	}
	for _, f := range rule.Judge(r.state, &c) {
		r.write(at, f)
	}
	return c
}

// put numbers, hashes and folds one record.
func (r *Runner) put(at time.Time, d session.Draft) session.Change {
	if len(r.batch) == 0 {
		r.batchAt = r.clock.Now()
		r.batch = make([]session.Record, 0, r.batchLast+8) // batches come in runs of one size
	}
	raw, shift := r.scrub(d)
	rec := session.Record{
		Seq: r.state.Seq + 1, Wall: at.UTC().Round(0), Elapsed: max(r.since(at), r.state.Elapsed), Kind: d.Kind,
		Task: d.Task, Exchange: d.Exchange, Body: session.Encode(shift), Raw: raw,
	}
	if len(rec.Body) > 0 {
		rec.Body = r.cfg.Secrets.Scrub(rec.Body)
	}
	rec.Seal(r.state.Head)
	r.batch = append(r.batch, rec)
	r.batchSize += len(rec.Body) + len(rec.Raw)
	if d.Kind != session.KindFrame {
		r.urgent = true
	}
	return session.Fold(r.state, &r.batch[len(r.batch)-1])
}

// scrub takes known secrets out of a draft's bytes. Where the head changes its
// length, the body's note of where it ends moves with it.
func (r *Runner) scrub(d session.Draft) ([]byte, any) {
	if len(d.Raw) == 0 || r.cfg.Secrets.Len() == 0 { // a body's JSON is never without raw bytes
		return d.Raw, d.Body
	}
	cut := func(head int) ([]byte, int) {
		head = min(head, len(d.Raw))
		h, b := r.cfg.Secrets.Scrub(d.Raw[:head:head]), r.cfg.Secrets.Scrub(d.Raw[head:])
		return append(append(make([]byte, 0, len(h)+len(b)), h...), b...), len(h)
	}
	switch body := d.Body.(type) {
	case session.Requested:
		raw, n := cut(body.Head)
		body.Head, body.ProtoJSON = n, r.cfg.Secrets.Scrub(body.ProtoJSON)
		return raw, body
	case session.Responded:
		raw, n := cut(body.Head)
		body.Head, body.ProtoJSON = n, r.cfg.Secrets.Scrub(body.ProtoJSON)
		body.Odd = r.scrubAll(body.Odd)
		return raw, body
	case *session.Framed:
		if len(body.ProtoJSON) > 0 {
			b := *body // it belongs to the arrival
			b.ProtoJSON, b.Odd = r.cfg.Secrets.Scrub(b.ProtoJSON), r.scrubAll(b.Odd)
			return r.cfg.Secrets.Scrub(d.Raw), &b
		}
	case session.Pushed:
		raw, n := cut(body.Head)
		body.Head = n
		return raw, body
	}
	return r.cfg.Secrets.Scrub(d.Raw), d.Body
}

// scrubAll takes the known secrets out of texts.
func (r *Runner) scrubAll(texts []string) []string {
	out := make([]string, len(texts))
	for i, t := range texts {
		out[i] = string(r.cfg.Secrets.Scrub([]byte(t)))
	}
	return out
}

// carryTrust writes what earlier sessions say of the peer, once its card is
// known.
func (r *Runner) carryTrust(at time.Time, c *session.Change) {
	if r.cfg.Archive == nil || r.cfg.Opened.Origin != "" || r.state.Peer.Card == nil || r.state.Peer.CardSeq != c.Record.Seq {
		return
	}
	if c.CardBefore != nil && c.CardBefore.Version == r.state.Peer.Card.Version && r.state.Peer.CarriedSeq != 0 {
		return
	}
	carried, err := r.cfg.Archive.Trust(r.state.Peer.Key, r.state.Peer.Card.Version, at)
	if err != nil {
		r.write(at, session.Draft{Kind: session.KindNote, Body: session.Noted{Text: "what earlier sessions say of this peer could not be read: " + err.Error()}})
		return
	}
	carried.Peer, carried.CardVersion, carried.Cause = r.state.Peer.Key, r.state.Peer.Card.Version, c.Record.Seq
	r.write(at, session.Draft{Kind: session.KindTrust, Body: carried})
}
