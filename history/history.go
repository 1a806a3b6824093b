// Package history keeps sessions in one SQLite file: an append-only log of
// records with a hash chain a session, and beside it what can be made again
// from the log (lists of sessions and peers, and the trust that later sessions
// start from). It implements session.Log and session.Archive.
//
// One process writes a session at a time, many may read it; several processes
// may write different sessions into the same file.
package history

import (
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// Options say how a Store is opened.
type Options struct {
	// ReadOnly opens an existing file for reading alone. Nothing is created,
	// migrated or changed.
	ReadOnly bool
	// Now is the clock; nil is the machine's. It dates imports and prunes and
	// tells which demotions have run out.
	Now func() time.Time
}

// Store is an open log file. Its methods may be called from several
// goroutines, but those of one SessionLog from one alone.
type Store struct {
	path   string
	now    func() time.Time
	driver driver.Driver
	write  *sql.DB // one connection; nil when read-only
	read   *sql.DB // a small pool that cannot write
	insert *sql.Stmt
	file   fs.FileInfo // what path was when it was opened
	wal    fs.FileInfo
}

// opening keeps the steps of Open together. Closing any descriptor of a file
// drops this process's locks on it, so no file that SQLite may have open is
// ever opened by us; the one that we create is closed again before another
// Open can reach it.
var opening sync.Mutex

// Open opens the log file at path and makes it, with its folder, when it is
// not there. It refuses symbolic links, files of other programs, files that a
// newer a2ascope wrote, and damaged ones, and says what to do.
func Open(path string, o Options) (*Store, error) {
	opening.Lock()
	defer opening.Unlock()
	drv, err := newDriver()
	if err != nil {
		return nil, err
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("history: opening %s: %w", path, err)
	}
	s := &Store{path: abs, now: o.Now, driver: drv}
	if s.now == nil {
		s.now = time.Now
	}
	if err := s.prepareFile(o.ReadOnly); err != nil {
		return nil, err
	}
	if o.ReadOnly {
		err = s.openReadOnly()
	} else {
		err = s.openWriter()
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// Path returns the file's absolute path.
func (s *Store) Path() string { return s.path }

// ReadOnly reports whether the Store was opened for reading alone.
func (s *Store) ReadOnly() bool { return s.write == nil }

// Close closes the file. SessionLogs must be closed before it.
func (s *Store) Close() error {
	var errs []error
	if s.insert != nil {
		errs = append(errs, s.insert.Close())
	}
	if s.read != nil {
		errs = append(errs, s.read.Close())
	}
	if s.write != nil {
		errs = append(errs, s.write.Close())
	}
	return errors.Join(errs...)
}

// prepareFile sees to it that path is a regular file which only its owner can
// read.
func (s *Store) prepareFile(readOnly bool) error {
	if !readOnly {
		if err := prepareDir(filepath.Dir(s.path)); err != nil {
			return err
		}
		f, err := os.OpenFile(s.path, os.O_RDWR|os.O_CREATE|os.O_EXCL|noFollow, 0o600)
		switch {
		case err == nil:
			if err := f.Close(); err != nil {
				return fmt.Errorf("history: creating %s: %w", s.path, err)
			}
		case !errors.Is(err, fs.ErrExist):
			return fmt.Errorf("history: creating %s: %w; see that its folder is yours to write in, or name another file with --db", s.path, err)
		}
	}
	for _, p := range []string{s.path, s.path + "-wal", s.path + "-shm"} {
		info, err := os.Lstat(p)
		if errors.Is(err, fs.ErrNotExist) && p != s.path {
			continue
		}
		if errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("history: opening %s: there is no such log: %w", s.path, fs.ErrNotExist)
		}
		if err != nil {
			return fmt.Errorf("history: opening %s: %w", s.path, err)
		}
		if info.Mode()&fs.ModeSymlink != 0 {
			return fmt.Errorf("history: opening %s: %s is a symbolic link, which could send the log anywhere; name the file itself with --db", s.path, p)
		}
		if !info.Mode().IsRegular() {
			return fmt.Errorf("history: opening %s: %s is no regular file (%s); name another with --db", s.path, p, info.Mode().Type())
		}
		if info.Mode().Perm()&0o077 != 0 && !readOnly {
			if err := os.Chmod(p, 0o600); err != nil {
				return fmt.Errorf("history: opening %s: others can read it, and that cannot be changed: %w", p, err)
			}
		}
		if p == s.path {
			s.file = info
		}
	}
	return nil
}

func prepareDir(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("history: making the folder %s for the log: %w", dir, err)
	}
	info, err := os.Stat(dir)
	if err != nil {
		return fmt.Errorf("history: looking at the folder %s: %w", dir, err)
	}
	if info.Mode().Perm()&0o002 != 0 && info.Mode()&fs.ModeSticky == 0 {
		return fmt.Errorf("history: the folder %s can be written by anyone, who could then replace the log: chmod o-w it, or name another file with --db", dir)
	}
	return nil
}

// inPlace says whether path still names the file that is open. Writes into a
// file that was deleted or replaced succeed, and are lost.
func (s *Store) inPlace() error {
	for _, f := range []struct {
		path string
		was  fs.FileInfo
	}{{s.path, s.file}, {s.path + "-wal", s.wal}} {
		if f.was == nil {
			continue
		}
		now, err := os.Lstat(f.path)
		if err == nil && os.SameFile(now, f.was) {
			continue
		}
		what := "was replaced"
		if errors.Is(err, fs.ErrNotExist) {
			what = "was deleted"
		} else if err != nil {
			what = "cannot be looked at (" + err.Error() + ")"
		}
		return fmt.Errorf("history: recording: %s %s while it was open, so what is written now would be lost; end this session and begin another (the export of this one still works while it is open)", f.path, what)
	}
	return nil
}
