package cli

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime/debug"
)

// logMost is the size in bytes at which the program's log is begun anew; the
// one before is kept beside it.
const logMost = 8 << 20

func (a *app) logPath() string {
	if a.logFile != "" {
		return a.logFile
	}
	return a.paths.log
}

// openLog opens the program's own log. It holds what the program did, never
// what a peer or the operator said. Only a file that was asked for must be
// writable.
func (a *app) openLog() error {
	path := a.logPath()
	f, err := openAppend(path)
	if err != nil {
		if a.logFile != "" {
			return usage("--log-file %s: %w", path, err)
		}
		return nil
	}
	a.log = slog.New(slog.NewJSONHandler(f, nil)).With("pid", os.Getpid())
	a.closeLog = func() { _ = f.Close() } // nothing is buffered
	return nil
}

func openAppend(path string) (*os.File, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	if st, err := os.Stat(path); err == nil && st.Mode().IsRegular() && st.Size() > logMost {
		if err := os.Rename(path, path+".1"); err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
	}
	return os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
}

// guarded calls f and turns a panic into an error.
func guarded(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("a2ascope broke, which is a fault of its own: %v\n%s", p, debug.Stack())
		}
	}()
	return f()
}

// background runs f in a goroutine that a panic does not take the program down
// with. The channel gets f's error, or the panic as one.
func background(f func() error) <-chan error {
	done := make(chan error, 1)
	go func() { done <- guarded(f) }()
	return done
}
