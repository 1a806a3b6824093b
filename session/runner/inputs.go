package runner

import (
	"fmt"
	"time"

	"a2ascope/session"
)

// commandIn is a command on its way to the loop.
type commandIn struct {
	line  string
	by    string
	cmd   session.Command
	at    time.Time
	err   string          // why it cannot be carried out
	files map[string]file // that it sends, by path
	size  int             // of them, in bytes
	taken chan int
}

// input is one thing that the loop can take.
type input int

const (
	none input = iota
	anArrival
	aCommand
	aStall
	aDeadline
)

// takeEarliest takes the earliest of what waits: an arrival by when it was
// read, a command by when it was given, a deadline only when nothing read
// before it still waits. It returns false when nothing waits.
func (r *Runner) takeEarliest(now time.Time) bool {
	r.collect(now)
	var best time.Time
	what, later := none, false
	earlier := func(at time.Time, in input) bool {
		if what != none && !at.Before(best) {
			return false
		}
		best, what = at, in
		return true
	}
	// The end of an epoch goes before what was read at the same time.
	if r.stall != nil {
		earlier(r.stall.from, aStall)
	}
	var from *exchange
	for _, x := range r.order {
		switch {
		case !x.has || r.choked:
		case x.head.At.After(now):
			later = true // the loop has not been seen alive since then
		case earlier(x.head.At, anArrival):
			from = x
		}
	}
	if len(r.waiting) > 0 {
		earlier(r.waiting[0].at, aCommand)
	}
	due := -1
	if r.stall == nil {
		due = r.passed(now)
	}
	if due >= 0 {
		earlier(r.at(r.state.Deadlines[due].Due), aDeadline)
	}
	if what == none && len(r.later) == 0 {
		return r.reap(now) || later
	}
	r.take(what, from, now, due)
	return true
}

// take takes the input that was found to be the earliest.
func (r *Runner) take(what input, from *exchange, now time.Time, due int) {
	switch what {
	case anArrival:
		r.takeArrival(from)
	case aCommand:
		r.takeCommand()
	case aStall:
		r.takeStall()
	case aDeadline:
		r.takeDeadline(now, due)
	case none:
		r.takeLater()
	}
}

// passed returns the place of the first deadline that is over, or -1. While
// arrivals are left waiting nothing is judged by time, but a wait still ends.
func (r *Runner) passed(now time.Time) int {
	for i := range r.state.Deadlines {
		d := &r.state.Deadlines[i]
		if r.at(d.Due).Add(graceTime).After(now) {
			return -1
		}
		if !r.choked || d.Kind == session.DueCommand {
			return i
		}
	}
	return -1
}

// collect looks at the head of every channel.
func (r *Runner) collect(now time.Time) {
	for some := true; some; {
		select {
		case in := <-r.commands:
			r.waiting = append(r.waiting, in)
		default:
			some = false
		}
	}
	for _, x := range r.order {
		if !x.has && !x.drained {
			x.look(now, r.clock)
		}
	}
}

// look takes the exchange's next arrival, if it has one. Nothing can have been
// read later than now.
func (x *exchange) look(now time.Time, clock session.Clock) {
	select {
	case x.head = <-x.in:
		x.has = true
	default:
		select {
		case <-x.over: // what it brought was there before
			select {
			case x.head = <-x.in:
				x.has = true
			default:
				x.drained = true
			}
		default:
		}
	}
	if x.has && x.head.At.After(now) {
		if late := clock.Now(); x.head.At.After(late) {
			x.head.At = late
		}
	}
}

// somethingWaits reports whether an arrival or a command waits.
func (r *Runner) somethingWaits() bool {
	r.collect(r.alive)
	if len(r.waiting) > 0 {
		return true
	}
	for _, x := range r.order {
		if x.has && !r.choked {
			return true
		}
	}
	return false
}

func (r *Runner) takeArrival(x *exchange) {
	a := x.head
	x.head, x.has = session.Arrival{}, false
	d := session.Draft{Task: x.task, Exchange: x.n, Raw: a.Raw}
	after := x.told
	switch {
	case a.Response != nil:
		d.Raw = r.mint(x.n, a.Response, d.Raw)
		d.Kind, d.Body = session.KindResponse, *a.Response
		x.told = x.told || !a.Response.Stream
	case a.Frame != nil:
		d.Kind, d.Body = session.KindFrame, a.Frame
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
	if after && !x.late {
		x.late = true
		r.write(a.At, session.Draft{Kind: session.KindNote, Body: session.Noted{
			Text: fmt.Sprintf("exchange %d was over, and brought a %s all the same; it is kept, and not judged", x.n, d.Kind),
		}})
	}
}

func (r *Runner) takeCommand() {
	in := r.waiting[0]
	r.waiting = append(r.waiting[:0], r.waiting[1:]...)
	body := session.Commanded{Line: in.line, By: in.by, Correlation: r.cfg.NewID(), Error: in.err}
	r.listen(in, &body)
	r.write(in.at, session.Draft{Kind: session.KindCommand, Body: body})
	n := len(r.state.Commands)
	if len(in.files) > 0 {
		r.files[n] = in.files
	}
	if cs := r.state.Commands[n-1]; !cs.Over {
		switch in.cmd.Name {
		case "export":
			r.export(n, in.cmd)
		case "save":
			r.save(n, cs)
		case "probe":
			r.probe(n, in.cmd)
		}
	}
	in.taken <- n
}

func (r *Runner) takeStall() {
	st := r.stall
	r.stall = nil
	r.write(st.at, session.Draft{Kind: session.KindTimer, Body: session.Ticked{ID: st.id, Late: session.Duration(st.late)}})
}

func (r *Runner) takeDeadline(now time.Time, i int) {
	d := r.state.Deadlines[i]
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

// reap forgets exchanges that are over, and those that would not end when they
// were told to. One that ended without a word is a fault: nothing else would
// end it in the log.
func (r *Runner) reap(now time.Time) bool {
	some := false
	kept := r.order[:0]
	for _, x := range r.order {
		switch {
		case x.has || !x.drained && (x.left.IsZero() || now.Sub(x.left) < stopTime):
			kept = append(kept, x)
			continue
		case !x.drained:
			x.err = fmt.Errorf("it did not end within %s of being dropped", stopTime)
			r.stuck++
		}
		some = r.forget(now, x) || some
	}
	clear(r.order[len(kept):])
	r.order = kept
	return some
}

// forget lets go of an exchange, and sees to it that the log says how it
// ended. It reports whether it wrote anything.
func (r *Runner) forget(now time.Time, x *exchange) bool {
	x.cancel(nil)
	close(x.gone)
	if x.told {
		if x.err == nil {
			return false
		}
		r.write(now, session.Draft{Kind: session.KindNote, Body: session.Noted{Text: fmt.Sprintf("exchange %d, after its end: %v", x.n, x.err)}})
		return true
	}
	why := "the exchange ended without an answer"
	if x.err != nil {
		why = x.err.Error()
	}
	d := session.Draft{Kind: session.KindFault, Task: x.task, Exchange: x.n, Body: session.Faulted{Phase: "body", Error: why}}
	if st := r.state.ExchangeN(x.n); st != nil && st.Stream != nil {
		how := session.ClosedCut
		switch {
		case st.Full:
			how = session.ClosedFull
		case x.dropped:
			how = session.ClosedDetached
		case !x.left.IsZero():
			how = session.ClosedStopped
		}
		d = session.Draft{Kind: session.KindClosed, Task: x.task, Exchange: x.n, Body: session.Closed{How: how, Error: why}}
	}
	r.write(now, d)
	return true
}
