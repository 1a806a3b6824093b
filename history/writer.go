package history

import (
	"database/sql"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"

	"a2ascope/session"
)

const insertRecord = `INSERT INTO records (session, seq, wall, elapsed, kind, task, exchange, body, raw, body_sha, raw_sha, hash, redacted)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

// SessionLog is the log of one session, open for writing. It implements
// session.Log. One goroutine uses it.
type SessionLog struct {
	store *Store
	id    string
	lock  *sessionLock
	at    place
	// unsure is set when a commit failed: whether it took place is then read
	// from the file.
	unsure bool
}

// place is where a session's log stands.
type place struct {
	seq    uint64
	hash   session.Digest
	peer   string // as in the sessions table
	about  about
	pushed bool
	row    peerRow // what the peers table was last given
}

// peerRow is what a session tells of its peer.
type peerRow struct {
	peer, origin, name, version, typed string
	started                            int64
	profile                            string
}

// about is the peer and card version that decisions speak of: those of the
// last trust record.
type about struct{ peer, version string }

// Create begins a session. The session is seen by others with its first
// records. An id is of letters, digits, dots, dashes and underscores.
func (s *Store) Create(id string) (*SessionLog, error) {
	if err := s.writable(id); err != nil {
		return nil, err
	}
	lock, err := s.lockSession(id)
	if err != nil {
		return nil, err
	}
	taken, err := s.taken(s.write, id)
	if err == nil && taken {
		err = fmt.Errorf("history: beginning session %s: a session of that id was recorded before; take another id, or continue it with --continue", id)
	}
	if err != nil {
		return nil, errors.Join(err, lock.release())
	}
	return &SessionLog{store: s, id: id, lock: lock}, nil
}

// Continue opens a recorded session to write on. It refuses one whose records
// end before its stored head: what is missing would be hidden.
func (s *Store) Continue(id string) (*SessionLog, error) {
	if err := s.writable(id); err != nil {
		return nil, err
	}
	lock, err := s.lockSession(id)
	if err != nil {
		return nil, err
	}
	l := &SessionLog{store: s, id: id, lock: lock}
	var from string
	if err := s.write.QueryRow(`SELECT original FROM imports WHERE session = ?`, id).Scan(&from); err == nil {
		return nil, errors.Join(fmt.Errorf("history: session %s was imported (it was %s where it was made), and such sessions are only read", id, from), lock.release())
	}
	if l.at, err = s.place(id); err != nil {
		return nil, errors.Join(err, lock.release())
	}
	return l, nil
}

func (s *Store) writable(id string) error {
	if s.write == nil {
		return fmt.Errorf("history: session %s: %s was opened read-only", id, s.path)
	}
	return validID(id)
}

// validID keeps ids to what can stand in a file's name and in a shell.
func validID(id string) error {
	if id == "" || len(id) > 64 || id[0] == '.' || id[0] == '-' {
		return fmt.Errorf("history: a session's id has 1 to 64 letters, digits, dots, dashes and underscores, and begins with no dot or dash: %q", id)
	}
	for _, c := range []byte(id) {
		ok := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' || c == '.'
		if !ok {
			return fmt.Errorf("history: a session's id has only letters, digits, dots, dashes and underscores: %q", id)
		}
	}
	return nil
}

// taken reports whether an id was ever used in this file.
func (s *Store) taken(q querier, id string) (bool, error) {
	var n int
	err := q.QueryRow(`SELECT EXISTS (SELECT 1 FROM records WHERE session = ?1) OR EXISTS (SELECT 1 FROM sessions WHERE id = ?1)
		OR EXISTS (SELECT 1 FROM pruned WHERE session = ?1) OR EXISTS (SELECT 1 FROM imports WHERE session = ?1)`, id).Scan(&n)
	return n != 0, explain("looking for session "+id, s.path, err)
}

// place reads where a session's log stands.
func (s *Store) place(id string) (place, error) {
	var p place
	h, err := s.head(s.write, id)
	if err != nil {
		return p, err
	}
	seq, hash, err := s.last(s.write, id)
	if err != nil {
		return p, err
	}
	if seq != h.records || hash != h.hash {
		return p, fmt.Errorf("history: session %s: its head is record %d, but the last one there is %d: %w; history verify tells more, and history show still opens it", id, h.records, seq, session.ErrBroken)
	}
	p = place{seq: seq, hash: hash, peer: h.peer, pushed: h.pushed}
	p.about, err = s.lastAbout(s.write, id)
	return p, err
}

// ID returns the session's id.
func (l *SessionLog) ID() string { return l.id }

// Head returns how many records the log has, and the last one's hash.
func (l *SessionLog) Head() (uint64, session.Digest) { return l.at.seq, l.at.hash }

// Page implements session.Log.
func (l *SessionLog) Page(from uint64, limit int) ([]session.Record, error) {
	return l.store.Page(l.id, from, limit)
}

// Close empties the write-ahead log into the file, as far as readers allow,
// and gives up the right to write.
func (l *SessionLog) Close() error {
	err := l.store.checkpoint()
	return errors.Join(explain("closing session "+l.id, l.store.path, err), l.lock.release())
}

// checkpoint empties the write-ahead log into the file. It does not wait for
// readers: what is left stays in the write-ahead log, where it is as safe.
func (s *Store) checkpoint() error {
	_, err := s.write.Exec("PRAGMA busy_timeout = 50; PRAGMA wal_checkpoint(TRUNCATE)")
	_, restored := s.write.Exec("PRAGMA busy_timeout = 5000")
	return errors.Join(err, restored)
}

// Append implements session.Log: one transaction, on the disk when it
// returns. Records must follow the head. After an error nothing of the batch
// is in the log, or, when the disk failed at the very end, all of it; the
// same records can then be given again.
func (l *SessionLog) Append(records []session.Record, sum session.Summary) error {
	if err := l.store.inPlace(); err != nil {
		return err
	}
	if l.unsure {
		var err error
		if records, err = l.settle(records); err != nil {
			return err
		}
	}
	if len(records) == 0 {
		return nil
	}
	next, err := l.follow(records)
	if err != nil {
		return err
	}
	if err := l.commit(records, sum, &next); err != nil {
		l.unsure = true
		return explain(fmt.Sprintf("recording %d to %d of session %s", records[0].Seq, next.seq, l.id), l.store.path, err)
	}
	l.at = next
	return nil
}

// settle finds out what became of the commit that failed, and returns the
// records that are still to be written.
func (l *SessionLog) settle(records []session.Record) ([]session.Record, error) {
	seq, hash, err := l.store.last(l.store.write, l.id)
	if err != nil {
		return nil, err
	}
	if seq == l.at.seq && hash == l.at.hash {
		l.unsure = false
		return records, nil
	}
	for i, r := range records {
		if r.Seq == seq && r.Hash == hash {
			at, err := l.store.place(l.id)
			if err != nil {
				return nil, err
			}
			l.at, l.unsure = at, false
			return records[i+1:], nil
		}
	}
	return nil, fmt.Errorf("history: recording session %s: after a failed commit the file ends at record %d, which is none of those given: %w", l.id, seq, session.ErrBroken)
}

// follow checks that the batch goes on from the head and returns where the
// log stands after it.
func (l *SessionLog) follow(records []session.Record) (place, error) {
	next := l.at
	for i := range records {
		r := &records[i]
		if err := r.Verify(next.seq, next.hash); err != nil {
			return next, fmt.Errorf("history: recording session %s, whose head is record %d: %w: %w", l.id, l.at.seq, session.ErrBroken, err)
		}
		next.seq, next.hash = r.Seq, r.Hash
	}
	return next, nil
}

// commit writes the batch and the projections. There is no context: a
// cancelled statement would leave it open whether the batch was written.
func (l *SessionLog) commit(records []session.Record, sum session.Summary, next *place) error {
	tx, err := l.store.write.Begin()
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	if err := l.store.insertAll(tx, l.id, records); err != nil {
		return err
	}
	if err := project(tx, l.id, records, sum, next); err != nil {
		return err
	}
	return tx.Commit()
}

// bulky reports whether the copies of a record weigh.
func bulky(r session.Record) bool { return len(r.Body)+len(r.Raw) >= 8<<20 }

// inserter is the statement that writes records. SQLite makes two copies of a
// row where the collector does not see them: before a bulky one, what is
// garbage by now has to go. The driver keeps the first of them as long as the
// statement lives, so a bulky record gets one of its own.
func (s *Store) inserter(tx *sql.Tx, bulky bool) (*sql.Stmt, error) {
	if !bulky {
		return tx.Stmt(s.insert), nil
	}
	debug.FreeOSMemory()
	return tx.Prepare(insertRecord)
}

func (s *Store) insertAll(tx *sql.Tx, id string, records []session.Record) error {
	stmt, err := s.inserter(tx, slices.ContainsFunc(records, bulky))
	if err != nil {
		return err
	}
	defer func() { _ = stmt.Close() }()
	args := make([]any, 13)
	args[0] = id
	for i := range records {
		r := &records[i]
		body, redacted := r.Body, int64(0)
		if body == nil {
			body = []byte{}
		}
		if r.Redacted {
			redacted = 1
		}
		var raw any
		if r.Raw != nil {
			raw = r.Raw
		}
		args[1], args[2], args[3] = int64(r.Seq), r.Wall.UnixNano(), int64(r.Elapsed)
		args[4], args[5], args[6] = string(r.Kind), int64(r.Task), int64(r.Exchange)
		args[7], args[8] = body, raw
		args[9], args[10], args[11], args[12] = r.BodySHA[:], r.RawSHA[:], r.Hash[:], redacted
		if _, err := stmt.Exec(args...); err != nil {
			return err
		}
	}
	return nil
}
