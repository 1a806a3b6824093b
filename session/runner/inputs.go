package runner

import (
	"time"

	"a2ascope/session"
)

// commandIn is a command on its way to the loop.
type commandIn struct {
	line  string
	by    string
	cmd   session.Command
	at    time.Time
	err   string // why it cannot be carried out
	taken chan int
}

// takeEarliest takes the earliest of what waits: an arrival by when it was
// read, a command by when it was given, a deadline only when nothing read
// before it still waits. It returns false when nothing waits.
func (r *Runner) takeEarliest(now time.Time) bool {
	r.collect()
	var best time.Time
	var take func()
	earlier := func(at time.Time, f func()) {
		if take == nil || at.Before(best) {
			best, take = at, f
		}
	}
	if !r.disk.full() {
		for _, n := range r.order {
			if x := r.exchanges[n]; x.head != nil {
				earlier(x.head.At, func() { r.takeArrival(x) })
			}
		}
	}
	if len(r.waiting) > 0 {
		earlier(r.waiting[0].at, r.takeCommand)
	}
	if r.stall != nil {
		earlier(r.stall.at, r.takeStall)
	} else if d := r.state.Deadlines; len(d) > 0 && len(r.batch) < batchMost {
		if at := r.at(d[0].Due); !at.Add(graceTime).After(now) {
			earlier(at, func() { r.takeDeadline(now) })
		}
	}
	if take == nil && len(r.later) > 0 {
		take = r.takeLater
	}
	if take == nil {
		return r.reap(now)
	}
	take()
	return true
}

// collect looks at the head of every channel.
func (r *Runner) collect() {
	for {
		select {
		case in := <-r.commands:
			r.waiting = append(r.waiting, in)
			continue
		default:
		}
		break
	}
	for _, n := range r.order {
		x := r.exchanges[n]
		if x.head != nil || x.drained {
			continue
		}
		select {
		case a, ok := <-x.in:
			if ok {
				x.head = &a
			} else {
				x.drained = true
			}
		default:
		}
	}
}

// somethingWaits reports whether an arrival or a command waits.
func (r *Runner) somethingWaits() bool {
	r.collect()
	if len(r.waiting) > 0 {
		return true
	}
	for _, n := range r.order {
		if r.exchanges[n].head != nil {
			return true
		}
	}
	return false
}

func (r *Runner) takeArrival(x *exchange) {
	a := *x.head
	x.head = nil
	d := session.Draft{Task: x.task, Exchange: x.n, Raw: a.Raw}
	switch {
	case a.Response != nil:
		d.Kind, d.Body = session.KindResponse, *a.Response
		x.told = x.told || !a.Response.Stream
	case a.Frame != nil:
		d.Kind, d.Body = session.KindFrame, *a.Frame
	case a.Closed != nil:
		d.Kind, d.Body = session.KindClosed, *a.Closed
		x.told = true
	case a.Fault != nil:
		d.Kind, d.Body = session.KindFault, *a.Fault
		x.told = true
	case a.Push != nil:
		d.Kind, d.Body = session.KindPush, *a.Push
	default:
		return
	}
	r.write(a.At, d)
}

func (r *Runner) takeCommand() {
	in := r.waiting[0]
	r.waiting = append(r.waiting[:0], r.waiting[1:]...)
	r.write(in.at, session.Draft{Kind: session.KindCommand, Body: session.Commanded{
		Line: in.line, By: in.by, Correlation: r.cfg.NewID(), Error: in.err,
	}})
	if in.cmd.Name == "export" && in.err == "" {
		r.export(in.cmd)
	}
	in.taken <- len(r.state.Commands)
}

func (r *Runner) takeStall() {
	st := r.stall
	r.stall = nil
	r.write(st.at, session.Draft{Kind: session.KindTimer, Body: session.Ticked{ID: st.id, Late: session.Duration(st.late)}})
}

func (r *Runner) takeDeadline(now time.Time) {
	d := r.state.Deadlines[0]
	due := r.at(d.Due)
	r.write(due, session.Draft{Kind: session.KindTimer, Task: d.Task, Exchange: d.Exchange, Body: session.Ticked{
		ID: d.ID, Late: session.Duration(now.Sub(due)),
	}})
}

func (r *Runner) takeLater() {
	d := r.later[0]
	r.later = r.later[1:]
	r.write(r.clock.Now(), d)
}

// reap forgets exchanges that are over. One that ended without a word is a
// fault: nothing else would end it in the log.
func (r *Runner) reap(now time.Time) bool {
	some := false
	kept := r.order[:0]
	for _, n := range r.order {
		x := r.exchanges[n]
		if !x.drained || x.head != nil {
			kept = append(kept, n)
			continue
		}
		x.cancel(nil)
		delete(r.exchanges, n)
		if !x.told {
			why := "the exchange ended without an answer"
			if x.err != nil {
				why = x.err.Error()
			}
			d := session.Draft{Kind: session.KindFault, Task: x.task, Exchange: n, Body: session.Faulted{Phase: "body", Error: why}}
			if st := r.state.ExchangeN(n); st != nil && st.Stream != nil {
				d = session.Draft{Kind: session.KindClosed, Task: x.task, Exchange: n, Body: session.Closed{How: session.ClosedCut, Error: why}}
			}
			r.write(now, d)
			some = true
		}
	}
	r.order = kept
	return some
}
