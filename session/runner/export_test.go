package runner

import (
	"context"
	"time"

	"a2ascope/session"
)

// StateNow is the loop's own state. Only Committed may call it: it runs on the
// loop, and what is folded then is what is committed.
func (r *Runner) StateNow() *session.State { return r.state }

// Steps drives a runner's loop by hand, without a goroutine.
type Steps struct{ r *Runner }

// StepsOf begins a session whose rounds the test takes.
func StepsOf(cfg Config) Steps {
	r := New(cfg)
	r.start()
	return Steps{r}
}

// Exchange puts an exchange on the wire that brings what the test sends. The
// channel takes as much as a real one.
func (s Steps) Exchange(n int) (in chan<- session.Arrival, end func()) {
	x := &exchange{
		n: n, in: make(chan session.Arrival, arrivals), over: make(chan struct{}), gone: make(chan struct{}),
		cancel: func(error) {},
	}
	s.r.order = append(s.r.order, x)
	return x.in, func() { close(x.over) }
}

// Give hands in a command as of a time.
func (s Steps) Give(line string, at time.Time) {
	cmd, err := session.ParseCommand(line)
	if err != nil {
		panic(err)
	}
	s.r.commands <- &commandIn{line: line, by: "test", cmd: cmd, at: at, taken: make(chan int, 1)}
}

// Take takes the earliest input as of now.
func (s Steps) Take(now time.Time) bool { return s.r.takeEarliest(now) }

// Heartbeat looks whether the loop stood still until now.
func (s Steps) Heartbeat(now time.Time) { s.r.heartbeat(now) }

// Round is one round of the loop.
func (s Steps) Round(ctx context.Context) bool { return s.r.round(ctx) }

// Batch is what was numbered and is not committed.
func (s Steps) Batch() []session.Record { return s.r.batch }

// Write writes a record as a round would.
func (s Steps) Write(at time.Time, d session.Draft) session.Change { return s.r.write(at, d) }

// State is the loop's state.
func (s Steps) State() *session.State { return s.r.state }

// FilesKept is of how many commands files are kept.
func (r *Runner) FilesKept() int {
	n := -1
	_ = r.ask(func(*session.State) { n = len(r.files) })
	return n
}
