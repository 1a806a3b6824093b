package history

import (
	"context"
	"errors"
	"fmt"

	"a2ascope/session"
)

// RebuildReport is what Rebuild did.
type RebuildReport struct {
	Rebuilt []string // the sessions made anew
	// Refused are sessions that were left as they are, and why.
	Refused []Refusal
	// Unanchored are sessions of which no head was stored: they are whole as
	// far as their chains tell, but whether their end is there cannot be told.
	Unanchored []string
}

// Refusal is a session that was left alone.
type Refusal struct {
	Session string
	Err     error
}

// Rebuild makes the projections (sessions, peers, trust) anew from the
// records, a session at a time. It leaves alone sessions that are being
// written, and those whose stored head is not their last record: a new head
// would hide that the end was cut off.
func (s *Store) Rebuild(ctx context.Context, fold Fold) (RebuildReport, error) {
	var report RebuildReport
	if s.write == nil {
		return report, fmt.Errorf("history: rebuilding: %s was opened read-only", s.path)
	}
	if err := s.inPlace(); err != nil {
		return report, err
	}
	ids, err := s.recorded()
	if err != nil {
		return report, err
	}
	for _, id := range ids {
		if err := ctx.Err(); err != nil {
			return report, fmt.Errorf("history: rebuilding: stopped before session %s: %w", id, err)
		}
		anchored, err := s.rebuildOne(ctx, id, fold)
		if err != nil {
			report.Refused = append(report.Refused, Refusal{id, err})
			continue
		}
		report.Rebuilt = append(report.Rebuilt, id)
		if !anchored {
			report.Unanchored = append(report.Unanchored, id)
		}
	}
	return report, s.rebuildPeers()
}

// recorded returns the ids of all sessions that have records or a row,
// skipping from one to the next by the index.
func (s *Store) recorded() ([]string, error) {
	rows, err := s.read.Query(`WITH RECURSIVE ids(id) AS (
			SELECT min(session) FROM records
			UNION ALL SELECT (SELECT min(session) FROM records WHERE session > ids.id) FROM ids WHERE ids.id IS NOT NULL)
		SELECT id FROM ids WHERE id IS NOT NULL UNION SELECT id FROM sessions ORDER BY 1`)
	if err != nil {
		return nil, explain("listing the recorded sessions", s.path, err)
	}
	defer func() { _ = rows.Close() }()
	var ids []string
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return nil, explain("listing the recorded sessions", s.path, err)
		}
		ids = append(ids, id)
	}
	return ids, explain("listing the recorded sessions", s.path, rows.Err())
}

func (s *Store) rebuildOne(ctx context.Context, id string, fold Fold) (anchored bool, err error) {
	lock, err := s.lockSession(id)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, lock.release()) }()
	v, err := s.Verify(ctx, id)
	if err == nil {
		err = v.Problem
	}
	if err != nil {
		return false, err
	}
	sum, err := fold(id, func(from uint64, n int) ([]session.Record, error) { return s.Page(id, from, n) })
	if err != nil {
		return false, fmt.Errorf("history: rebuilding session %s: %w", id, err)
	}
	if sum.Origin, err = s.originOf(id, sum.Origin); err != nil {
		return false, err
	}
	return !v.Unanchored, s.replaceProjection(ctx, v, sum)
}

// originOf returns the origin of a session: imported ones do not say so
// themselves.
func (s *Store) originOf(id, origin string) (string, error) {
	var imported, unfinished int
	err := s.read.QueryRow(`SELECT count(*), coalesce(sum(done = 0), 0) FROM imports WHERE session = ?`, id).Scan(&imported, &unfinished)
	switch {
	case err != nil:
		return "", explain("reading session "+id, s.path, err)
	case unfinished > 0:
		return "", fmt.Errorf("history: session %s: %w", id, errUnfinished)
	case imported > 0:
		return OriginImported, nil
	}
	return origin, nil
}

// replaceProjection writes a session's rows anew. The records that trust
// comes from are few; they alone are read again.
func (s *Store) replaceProjection(ctx context.Context, v VerifyReport, sum session.Summary) error {
	said, err := s.said(ctx, v.Session)
	if err != nil {
		return err
	}
	tx, err := s.write.Begin()
	if err != nil {
		return explain("rebuilding session "+v.Session, s.path, err)
	}
	defer func() { _ = tx.Rollback() }()
	if _, err := tx.Exec(`DELETE FROM trust WHERE session = ?`, v.Session); err != nil {
		return explain("rebuilding session "+v.Session, s.path, err)
	}
	at := place{seq: v.Records, hash: v.Head}
	if err := project(tx, v.Session, said, sum, &at); err != nil {
		return explain("rebuilding session "+v.Session, s.path, err)
	}
	return explain("rebuilding session "+v.Session, s.path, tx.Commit())
}

// said returns the records of a session that the archive itself reads.
func (s *Store) said(ctx context.Context, id string) ([]session.Record, error) {
	rows, err := s.read.QueryContext(ctx, `SELECT `+recordColumns+` FROM records WHERE session = ? AND kind IN ('trust', 'decision', 'push') ORDER BY seq`, id)
	if err != nil {
		return nil, explain("reading session "+id, s.path, err)
	}
	defer func() { _ = rows.Close() }()
	var out []session.Record
	for rows.Next() {
		r, err := scanRecord(rows)
		if err != nil {
			return nil, explain("reading session "+id, s.path, err)
		}
		r.Raw = nil
		out = append(out, r)
	}
	return out, explain("reading session "+id, s.path, rows.Err())
}

// rebuildPeers makes the peers anew from the sessions.
func (s *Store) rebuildPeers() error {
	tx, err := s.write.Begin()
	if err != nil {
		return explain("rebuilding the peers", s.path, err)
	}
	defer func() { _ = tx.Rollback() }()
	if _, err := tx.Exec(`DELETE FROM peers`); err != nil {
		return explain("rebuilding the peers", s.path, err)
	}
	if _, err := tx.Exec(selectPeers("peer <> ''")); err != nil {
		return explain("rebuilding the peers", s.path, err)
	}
	// Rows of sessions that are gone feed nothing.
	if _, err := tx.Exec(`DELETE FROM trust WHERE session NOT IN (SELECT id FROM sessions)`); err != nil {
		return explain("rebuilding the peers", s.path, err)
	}
	return explain("rebuilding the peers", s.path, tx.Commit())
}
