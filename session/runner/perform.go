package runner

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"sync/atomic"
	"time"

	"a2ascope/session"
	"a2ascope/session/a2a"
)

// exchange is a request that is on the wire.
type exchange struct {
	n       int
	task    int
	in      chan session.Arrival
	over    chan struct{} // closed once Do has returned
	gone    chan struct{} // closed once the loop has let go of it
	head    session.Arrival
	has     bool  // head was taken from in, and is not numbered yet
	drained bool  // it is over, and all that it brought was taken
	told    bool  // its end is in the log
	late    bool  // the log says that something came after its end
	err     error // of Do; to be read once over is closed
	cancel  context.CancelCauseFunc
	dropped bool      // on a command
	left    time.Time // when it was told to end; zero while it was not
	size    int64     // of a request that is long enough for its writing to be shown; else 0
	wrote   atomic.Int64
	shown   int64 // what the last view was told of wrote
}

// arrivals is how much an exchange may bring before it has to wait for the
// loop.
const arrivals = 256

// ready is a request that is to be sent once it is committed.
type ready struct {
	n, task  int
	prepared session.Prepared
	limit    time.Duration
	reads    bool // it changes nothing at the peer
}

// perform sends what is due, each request committed before its first byte is
// written, and drops the streams that are to be dropped. It reports whether it
// did anything.
func (r *Runner) perform(now time.Time) bool {
	did := r.dropStreams(now)
	r.dropFiles()
	list := r.unsent
	if r.disk.writable() {
		r.unsent = nil
	} else {
		list = nil
	}
	for _, w := range r.state.Due(r.since(now), r.disk.writable()) {
		if !r.stillDue(w) {
			continue
		}
		if s, ok := r.prepare(now, w); ok {
			list = append(list, s)
		}
		did = true
	}
	if len(r.batch) > 0 {
		r.commit()
	}
	for _, s := range list {
		if !s.reads && !r.disk.writable() {
			r.unsent = append(r.unsent, s) // its record is not on the disk
			continue
		}
		r.send(s)
		did = true
	}
	return did
}

// stillDue reports whether a piece of work is left to do: the record of the
// one before it may have ended what it was for.
func (r *Runner) stillDue(w session.Work) bool {
	if t := w.Reader; t != nil {
		return t.Reader != nil && t.Reader.Exchange == 0
	}
	return w.Obligation.Exchange == 0 && slices.Contains(r.state.Obligations, w.Obligation)
}

// prepare fixes a request's bytes and writes its record. A request that cannot
// be made is recorded with the reason.
func (r *Runner) prepare(now time.Time, w session.Work) (ready, bool) {
	body := session.Requested{Op: a2a.OpGet, Cause: r.state.Seq}
	task := 0
	if w.Reader != nil {
		task, body.Cause = w.Reader.N, w.Reader.Reader.Cause
	} else {
		o := w.Obligation
		task, body.Op, body.Cause = o.Task, o.Op, o.Cause
	}
	call, err := r.state.Compose(w, session.Resources{MessageID: r.cfg.NewID(), File: r.file, Sent: r.sent, Receiver: r.receiver})
	var p session.Prepared
	if err == nil {
		r.hidePush(&call)
		r.authorise(&call)
		r.askToken(&call, w.Obligation)
		p, err = r.prepared(call)
	}
	if err == nil {
		cause := body.Cause
		body = p.Body
		body.Cause = cause
	}
	if o := w.Obligation; o != nil {
		body.Obligation, body.Rung, body.Command, body.Purpose, body.Hop = o.N, o.Rung, o.Command, o.Purpose, o.Hop
	} else {
		body.Reader, body.Hop = true, w.Reader.Reader.Hop
	}
	if call.Params.HistoryLength != nil {
		body.HistoryLen = *call.Params.HistoryLength
	}
	body.Blocking = call.Params.Blocking != nil && *call.Params.Blocking
	body.Receiver = call.Params.Push != nil && call.Params.Push.URL == r.receiver.URL
	n := len(r.state.Exchanges) + 1
	r.write(now, session.Draft{Kind: session.KindRequest, Task: task, Exchange: n, Body: body, Raw: p.Raw})
	if err != nil {
		r.write(now, session.Draft{Kind: session.KindFault, Task: task, Exchange: n, Body: session.Faulted{
			Phase: session.PhasePrepare, Error: fmt.Sprintf("%s: %v", body.Op, err), Unsent: true,
		}})
		return ready{}, false
	}
	limit := time.Duration(0)
	if call.FirstByte == 0 && call.Op == a2a.OpSend {
		limit = r.state.Opened.Policy.WorkingDeadline.D()
	}
	return ready{n: n, task: task, prepared: p, limit: limit, reads: session.OnlyReads(call.Op)}, true
}

// prepared asks the peer to fix a request's bytes.
func (r *Runner) prepared(call session.Call) (p session.Prepared, err error) {
	defer func() {
		if broke := recover(); broke != nil {
			err = fmt.Errorf("making the request broke: %v\n%s", broke, debug.Stack())
		}
	}()
	return r.cfg.Peer.Prepare(call)
}

// longRequest is how long a request is, in bytes, for its writing to be shown.
const longRequest = 1 << 20

// writing has a view made where more of a long request was written. It is
// shown and not recorded: a chunk says nothing of the peer.
func (r *Runner) writing() {
	for _, x := range r.order {
		if n := x.wrote.Load(); n != x.shown {
			x.shown, r.stale = n, true
		}
	}
}

// send lets an exchange run in a goroutine of its own.
func (r *Runner) send(s ready) {
	ctx, cancel := context.WithCancelCause(context.Background())
	x := &exchange{
		n: s.n, task: s.task, in: make(chan session.Arrival, arrivals), over: make(chan struct{}), gone: make(chan struct{}), cancel: cancel,
	}
	if len(s.prepared.Raw) >= longRequest {
		x.size = int64(len(s.prepared.Raw))
		s.prepared.Wrote = func(n int) {
			x.wrote.Store(int64(n))
			r.wake()
		}
	}
	r.order = append(r.order, x)
	r.wg.Add(1)
	go func() {
		defer r.wg.Done()
		defer r.wake()
		defer close(x.over)
		if err := r.do(ctx, x, s); err != nil {
			x.err = err
		}
	}()
}

func (r *Runner) do(ctx context.Context, x *exchange, s ready) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("sending broke: %v\n%s", p, debug.Stack())
		}
	}()
	if s.limit > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeoutCause(ctx, s.limit, fmt.Errorf("no answer within the working deadline of %s", s.limit))
		defer stop()
	}
	return r.cfg.Peer.Do(ctx, s.prepared, func(a session.Arrival) { r.hand(x, a) })
}

// dropStreams ends the exchanges that the state says are to be dropped.
func (r *Runner) dropStreams(now time.Time) bool {
	did := false
	for _, x := range r.order {
		if st := r.state.ExchangeN(x.n); st != nil && st.Detach && !x.dropped {
			x.dropped, x.left = true, now
			cause := session.ErrDetach
			if st.Full {
				cause = session.ErrLogFull
			}
			x.cancel(cause)
			did = true
		}
	}
	return did
}

// sent reads the message of an earlier request record back from the log.
func (r *Runner) sent(seq uint64) (*a2a.Message, error) {
	records, err := r.Page(seq, 1)
	if err != nil {
		return nil, err
	}
	if len(records) == 0 || records[0].Seq != seq {
		return nil, fmt.Errorf("record %d is %w in the log", seq, session.ErrNotFound)
	}
	var b session.Requested
	if err := records[0].Decode(&b); err != nil {
		return nil, err
	}
	return a2a.DecodeRequestMessage(b.Content(records[0].Raw))
}

// export carries out an export command beside the loop.
func (r *Runner) export(n int, cmd session.Command) {
	if r.cfg.Exporter == nil {
		r.later = append(r.later, outcome(n, "export "+cmd.Format+": this console cannot export from here", true))
		return
	}
	if len(r.batch) > 0 {
		r.commit()
	}
	r.beside(n, "export "+cmd.Format, func() (string, bool) {
		path, err := r.cfg.Exporter.Export(r.cfg.Opened.Session, cmd.Format, cmd.Path, cmd.Raw)
		if err != nil {
			return "export " + cmd.Format + " failed: " + err.Error(), true
		}
		how := ""
		if cmd.Raw {
			how = ", raw,"
		}
		return "exported as " + cmd.Format + how + " to " + path, false
	})
}

// beside carries out command n in a goroutine of its own. A note says what
// came of it, and ends the command.
func (r *Runner) beside(n int, what string, do func() (text string, failed bool)) {
	r.aside++
	r.wg.Add(1)
	go func() {
		defer r.wg.Done()
		text, failed := "", true
		defer func() {
			if p := recover(); p != nil {
				text, failed = fmt.Sprintf("%s broke: %v\n%s", what, p, debug.Stack()), true
			}
			r.outcomes <- outcome(n, text, failed)
			r.wake()
		}()
		text, failed = do()
	}()
}

// outcome is the note that ends command n.
func outcome(n int, text string, failed bool) session.Draft {
	return session.Draft{Kind: session.KindNote, Body: session.Noted{Text: text, Ends: n, Failed: failed}}
}
