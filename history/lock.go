package history

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"a2ascope/session"
)

const noFollow = syscall.O_NOFOLLOW

// sessionLock is the right to write one session. It is a lock on a file beside
// the log, which the system gives back when the process dies, however it dies.
type sessionLock struct{ file *os.File }

// lockSession takes the lock of a session, or says who is in the way.
func (s *Store) lockSession(id string) (*sessionLock, error) {
	if err := validID(id); err != nil { // ids in the file may have been tampered with
		return nil, err
	}
	path := s.path + "." + id + ".lock"
	for {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|noFollow, 0o600)
		if err != nil {
			return nil, fmt.Errorf("history: locking session %s: %w", id, err)
		}
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if errors.Is(err, syscall.EWOULDBLOCK) {
			_ = f.Close()
			return nil, fmt.Errorf("history: session %s: %w; open it read-only with history show", id, session.ErrBusy)
		}
		if err != nil {
			_ = f.Close()
			return nil, fmt.Errorf("history: locking session %s: %s: %w (is the folder on a network share?)", id, path, err)
		}
		ours, err := f.Stat()
		if err == nil {
			var named fs.FileInfo
			named, err = os.Lstat(path)
			if err == nil && os.SameFile(ours, named) {
				return &sessionLock{f}, nil
			}
		}
		// The owner before us deleted the file between our open and our lock.
		_ = f.Close()
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("history: locking session %s: %w", id, err)
		}
	}
}

// release gives the lock back. The file goes first, while it is still locked,
// so that nobody locks a file that is about to go.
func (l *sessionLock) release() error {
	err := os.Remove(l.file.Name())
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return errors.Join(err, l.file.Close())
}
