package runner

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"a2ascope/session"
)

// ScriptError says which line of a script could not be carried out. Lines
// count from 1; blank lines and comments count too. Text has placeholders where
// the line held a secret.
type ScriptError struct {
	Line int
	Text string
	Err  error
}

func (e *ScriptError) Error() string {
	return fmt.Sprintf("command %d (%s): %v", e.Line, strings.TrimSpace(e.Text), e.Err)
}

// Unwrap returns why the line could not be carried out.
func (e *ScriptError) Unwrap() error { return e.Err }

// Script runs command lines one after another: each is waited for, unless it
// ends in "&". A line that cannot be carried out stops it with a *ScriptError;
// a refusal by the peer does not. After the last line it waits for
// confirmations that are under way, and detaches what is open.
func Script(ctx context.Context, r *Runner, lines []string) error {
	ctx, stop := r.whileRecorded(ctx)
	defer stop()
	for i, line := range lines {
		if err := scriptLine(ctx, r, line); err != nil {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if errors.Is(err, ErrStopped) {
				return err
			}
			return &ScriptError{Line: i + 1, Text: string(r.cfg.Secrets.Scrub([]byte(line))), Err: err}
		}
	}
	if err := windDown(ctx, r); err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return err
	}
	return nil
}

// ErrUnrecorded is returned by Script when the disk refused the log for longer
// than Config.DiskPatience: no message goes out then, and waiting for one would
// have no end.
var ErrUnrecorded = errors.New("the log could not be written")

const diskPatience = 30 * time.Second

// whileRecorded returns a context that ends once the disk has refused the log
// for too long.
func (r *Runner) whileRecorded(parent context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(parent)
	patience := r.cfg.DiskPatience
	if patience <= 0 {
		patience = diskPatience
	}
	go func() {
		var since time.Time // when it was first seen to refuse
		for {
			changed, v := r.Changed(), r.View()
			var timer <-chan time.Time
			giveUp := func() {}
			switch {
			case v.Recorded:
				since = time.Time{}
			case since.IsZero():
				since = r.clock.Now()
			}
			if !v.Recorded {
				timer, giveUp = r.clock.After(max(0, patience-r.clock.Now().Sub(since)))
			}
			select {
			case <-changed:
			case <-timer:
				cancel(fmt.Errorf("%w for %s: %s", ErrUnrecorded, patience, v.Trouble))
			case <-r.done:
				cancel(ErrStopped)
			case <-ctx.Done():
			}
			giveUp()
			if ctx.Err() != nil {
				return
			}
		}
	}()
	return ctx, func() { cancel(nil) }
}

func scriptLine(ctx context.Context, r *Runner, line string) error {
	cmd, err := session.ParseCommand(line)
	if errors.Is(err, session.ErrBlank) {
		return nil
	}
	if err != nil {
		return err
	}
	n, err := r.Command(line, "script")
	if err != nil {
		return err
	}
	if cmd.Background {
		var cv session.CommandView
		if err := r.ask(func(s *session.State) { cv, _ = s.CommandDone(n) }); err != nil {
			return err
		}
		return cannot(cv)
	}
	cv, err := r.Await(ctx, n)
	if err != nil {
		return err
	}
	return cannot(cv)
}

func cannot(cv session.CommandView) error {
	if cv.Result == session.ResultCannot {
		return errors.New(cv.Detail)
	}
	return nil
}

// windDown waits for commands that run beside the script and for what
// confirms, then drops the streams that are still open.
func windDown(ctx context.Context, r *Runner) error {
	if err := until(ctx, r, func(v *session.View) bool { return len(v.Pending) == 0 && !v.Confirming }); err != nil {
		return err
	}
	tasks := map[int]bool{}
	for _, st := range r.View().Streams {
		if tasks[st.Task] {
			continue
		}
		tasks[st.Task] = true
		if _, err := r.Command(fmt.Sprintf("detach --task %d", st.Task), "console"); err != nil {
			return err
		}
	}
	return until(ctx, r, func(v *session.View) bool { return len(v.Streams) == 0 && !v.Confirming })
}

// until waits for a view of which is holds.
func until(ctx context.Context, r *Runner, is func(*session.View) bool) error {
	for {
		changed := r.Changed()
		// The loop answers only between two pieces of work: what it has taken
		// on by now is in the view that follows.
		if err := r.ask(func(*session.State) {}); err != nil {
			return err
		}
		if is(r.View()) {
			return nil
		}
		select {
		case <-changed:
		case <-r.done:
			return ErrStopped
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
