package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"a2ascope/history"
	"a2ascope/session"
	"a2ascope/ui/clean"
)

// recording is a session that is looked at or used again: one of the log, or a
// file that was read into a log of its own for the time being.
type recording struct {
	id      string
	pages   func(from uint64, n int) ([]session.Record, error)
	foreign bool // it was recorded elsewhere: what it says is a stranger's word
	note    string
	close   func()
}

// recording opens a session by its name in the log, or a jsonl file.
func (a *app) recording(ctx context.Context, name string) (*recording, error) {
	info, err := os.Stat(name)
	switch {
	case err == nil && !info.IsDir(), name == "-":
		return a.recordedFile(ctx, name)
	case strings.ContainsAny(name, `/\`) || filepath.Ext(name) == ".jsonl":
		return nil, usage("%s: there is no such file", name)
	}
	store, err := a.view(a.paths.db)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, usage("%s is no file, and nothing was recorded yet: there is no %s", name, a.paths.db)
	}
	if err != nil {
		return nil, err
	}
	id, err := a.checkSession(store, name)
	if err != nil {
		_ = store.Close() // it was only read
		return nil, err
	}
	r := &recording{id: id, close: func() { _ = store.Close() }}
	r.pages = func(from uint64, n int) ([]session.Record, error) { return store.Page(id, from, n) }
	rows, err := store.Sessions(history.Filter{Text: id, Limit: 10})
	for _, row := range rows {
		r.foreign = r.foreign || row.Session == id && row.Origin == history.OriginImported
	}
	if err != nil {
		r.close()
		return nil, err
	}
	return r, nil
}

// recordedFile reads a file into a log that goes when the command is over:
// what is needed of it need not fit into memory.
func (a *app) recordedFile(ctx context.Context, path string) (_ *recording, err error) {
	in := a.in
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return nil, usage("%w", err)
		}
		defer f.Close()
		in = f
	}
	dir, err := os.MkdirTemp("", "a2ascope-*")
	if err != nil {
		return nil, err
	}
	store, err := history.Open(filepath.Join(dir, "recording.db"), history.Options{})
	if err != nil {
		_ = os.RemoveAll(dir) // the error that matters is err
		return nil, err
	}
	r := &recording{foreign: true, close: func() {
		_ = store.Close() // it is thrown away
		_ = os.RemoveAll(dir)
	}}
	id, report, err := store.Import(ctx, in, history.Summarise)
	if err != nil {
		r.close()
		return nil, fmt.Errorf("%s: %w", clean.Line(path, lineMost), err)
	}
	r.id, r.note = id, report.Incomplete
	r.pages = func(from uint64, n int) ([]session.Record, error) { return store.Page(id, from, n) }
	return r, nil
}

// state folds the whole recording.
func (r *recording) state() (*session.State, error) { return session.At(r.pages, ^uint64(0)) }

// card returns the last card that a session read; nil when it read none.
func (r *recording) card(s *session.State) ([]byte, error) {
	if s.Peer.CardSeq == 0 {
		return nil, nil
	}
	records, err := r.pages(s.Peer.CardSeq, 1)
	if err != nil || len(records) == 0 {
		return nil, err
	}
	return records[0].Raw, nil
}
