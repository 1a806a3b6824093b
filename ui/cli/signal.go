package cli

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
)

// Signal is the cause of a context that a signal ended.
type Signal struct{ Number syscall.Signal }

func (s *Signal) Error() string { return "signal: " + s.Number.String() }

// status is what a program exits with that the signal ended.
func (s *Signal) status() int { return 128 + int(s.Number) }

// WithSignals returns a context that ends on the first SIGINT, SIGTERM or
// SIGHUP, with a *Signal as its cause. A second one ends the program at once,
// as if nobody had listened. Stop gives the signals up.
func WithSignals(parent context.Context) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(parent)
	got := make(chan os.Signal, 1)
	signal.Notify(got, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	go func() {
		select {
		case s := <-got:
			signal.Stop(got)
			number, _ := s.(syscall.Signal)
			cancel(&Signal{Number: number})
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		signal.Stop(got)
		cancel(context.Canceled)
	}
}

// signalOf returns the signal that ended ctx, or nil.
func signalOf(ctx context.Context) *Signal {
	var s *Signal
	if errors.As(context.Cause(ctx), &s) {
		return s
	}
	return nil
}
