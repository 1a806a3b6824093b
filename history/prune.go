package history

import (
	"errors"
	"fmt"
	"time"

	"a2ascope/session"
)

// Prune deletes whole sessions, with all that later sessions would have
// taken from them, and keeps of each that it was there. It stops at the first
// session that is being written or is not there, and returns how many went.
func (s *Store) Prune(ids ...string) (int, error) {
	if s.write == nil {
		return 0, fmt.Errorf("history: pruning: %s was opened read-only", s.path)
	}
	for i, id := range ids {
		if err := s.pruneOne(id); err != nil {
			return i, err
		}
	}
	// The freed pages were overwritten; now the write-ahead log goes too.
	return len(ids), explain("pruning", s.path, s.checkpoint())
}

func (s *Store) pruneOne(id string) (err error) {
	if err := s.writable(id); err != nil {
		return err
	}
	if err := s.inPlace(); err != nil {
		return err
	}
	lock, err := s.lockSession(id)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.release()) }()
	h, err := s.head(s.write, id)
	if errors.Is(err, session.ErrNotFound) {
		var unfinished int
		if s.write.QueryRow(`SELECT count(*) FROM imports WHERE session = ? AND done = 0`, id).Scan(&unfinished) == nil && unfinished > 0 {
			return s.remove(id, head{}, false)
		}
	}
	if err != nil {
		return err
	}
	return s.remove(id, h, true)
}

// remove deletes a session in one transaction.
func (s *Store) remove(id string, h head, tombstone bool) error {
	tx, err := s.write.Begin()
	if err != nil {
		return explain("pruning session "+id, s.path, err)
	}
	defer func() { _ = tx.Rollback() }()
	type step struct {
		query string
		args  []any
	}
	var steps []step
	if tombstone {
		steps = append(steps, step{`INSERT INTO pruned (session, peer, started, last, records, head, at)
			SELECT id, peer, started, last, records, head, ?2 FROM sessions WHERE id = ?1`, []any{id, s.now().UnixNano()}})
	}
	steps = append(steps,
		step{`UPDATE control SET pruning = ?`, []any{id}},
		step{`DELETE FROM records WHERE session = ?`, []any{id}},
		step{`UPDATE control SET pruning = NULL`, nil},
		step{`DELETE FROM trust WHERE session = ?`, []any{id}},
		step{`DELETE FROM sessions WHERE id = ?`, []any{id}},
		step{`DELETE FROM imports WHERE session = ?`, []any{id}})
	for _, st := range steps {
		if _, err := tx.Exec(st.query, st.args...); err != nil {
			return explain("pruning session "+id, s.path, err)
		}
	}
	if err := refreshPeer(tx, h.peer); err != nil {
		return explain("pruning session "+id, s.path, err)
	}
	return explain("pruning session "+id, s.path, tx.Commit())
}

// Tombstone is what is kept of a pruned session.
type Tombstone struct {
	Session       string
	Peer          string
	Started, Last time.Time
	Records       uint64
	Head          session.Digest
	Pruned        time.Time
}

// Pruned lists the sessions that were pruned, the last pruned first.
func (s *Store) Pruned() ([]Tombstone, error) {
	rows, err := s.read.Query(`SELECT session, peer, started, last, records, head, at FROM pruned ORDER BY at DESC, session`)
	if err != nil {
		return nil, explain("listing pruned sessions", s.path, err)
	}
	defer func() { _ = rows.Close() }()
	var out []Tombstone
	for rows.Next() {
		var (
			t                    Tombstone
			started, last, n, at int64
			hash                 []byte
		)
		if err := rows.Scan(&t.Session, &t.Peer, &started, &last, &n, &hash, &at); err != nil {
			return nil, explain("listing pruned sessions", s.path, err)
		}
		t.Started, t.Last, t.Pruned, t.Records = time.Unix(0, started).UTC(), time.Unix(0, last).UTC(), time.Unix(0, at).UTC(), uint64(n)
		setDigest(&t.Head, hash)
		out = append(out, t)
	}
	return out, explain("listing pruned sessions", s.path, rows.Err())
}
