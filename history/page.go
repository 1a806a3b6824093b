package history

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"a2ascope/session"
)

const recordColumns = `seq, wall, elapsed, kind, task, exchange, body, raw, body_sha, raw_sha, hash, redacted`

// Reader reads one session, also while another process writes it.
type Reader struct {
	store *Store
	id    string
}

// OpenRead opens a session for reading. It is an error when the log has no
// such session.
func (s *Store) OpenRead(id string) (*Reader, error) {
	if _, err := s.head(s.read, id); err != nil {
		return nil, err
	}
	return &Reader{s, id}, nil
}

// ID returns the session's id.
func (r *Reader) ID() string { return r.id }

// Page returns up to limit records with numbers from from on, in order.
func (r *Reader) Page(from uint64, limit int) ([]session.Record, error) {
	return r.store.Page(r.id, from, limit)
}

// Head returns how many records the session has, and the last one's hash.
func (r *Reader) Head() (uint64, session.Digest, error) {
	h, err := r.store.head(r.store.read, r.id)
	return h.records, h.hash, err
}

// Page returns up to limit records of a session with numbers from from on, in
// order.
func (s *Store) Page(id string, from uint64, limit int) ([]session.Record, error) {
	var out []session.Record
	err := s.scan(context.Background(), id, from, limit, func(r session.Record) error {
		out = append(out, r)
		return nil
	})
	return out, err
}

// scan gives up to limit records of a session to each, one after the other.
func (s *Store) scan(ctx context.Context, id string, from uint64, limit int, each func(session.Record) error) error {
	rows, err := s.read.QueryContext(ctx, `SELECT `+recordColumns+` FROM records WHERE session = ? AND seq >= ? ORDER BY seq LIMIT ?`,
		id, int64(from), limit)
	if err != nil {
		return explain("reading session "+id, s.path, err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		r, err := scanRecord(rows)
		if err != nil {
			return explain(fmt.Sprintf("reading session %s after record %d", id, from), s.path, err)
		}
		from = r.Seq
		if err := each(r); err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return explain(fmt.Sprintf("reading session %s after record %d", id, from), s.path, err)
	}
	return nil
}

// walkStep is how many records are read in one query: a long query would keep
// the write-ahead log from being emptied.
const walkStep = 2000

// walk gives every record of a session to each, holding one at a time.
func (s *Store) walk(ctx context.Context, id string, each func(session.Record) error) error {
	for from := uint64(0); ; {
		n := 0
		err := s.scan(ctx, id, from, walkStep, func(r session.Record) error {
			n++
			from = r.Seq + 1
			return each(r)
		})
		if err != nil || n < walkStep {
			return err
		}
	}
}

func scanRecord(rows *sql.Rows) (session.Record, error) {
	var (
		r                          session.Record
		seq, wall, elapsed, redact int64
		kind                       string
		bodySHA, rawSHA, hash      sql.RawBytes
	)
	err := rows.Scan(&seq, &wall, &elapsed, &kind, &r.Task, &r.Exchange, &r.Body, &r.Raw, &bodySHA, &rawSHA, &hash, &redact)
	if err != nil {
		return r, err
	}
	r.Seq, r.Wall, r.Elapsed, r.Kind = uint64(seq), time.Unix(0, wall).UTC(), time.Duration(elapsed), session.Kind(kind)
	r.Redacted = redact != 0
	// A digest of another length is damage; it is left zero, and the chain
	// then names the record.
	setDigest(&r.BodySHA, bodySHA)
	setDigest(&r.RawSHA, rawSHA)
	setDigest(&r.Hash, hash)
	return r, nil
}

func setDigest(d *session.Digest, b []byte) {
	if len(b) == len(d) {
		copy(d[:], b)
	}
}

// head is the end of a session's chain as the sessions table holds it.
type head struct {
	records uint64
	hash    session.Digest
	origin  string
	peer    string
	pushed  bool
}

// head returns the stored head of a session; an unknown session is
// session.ErrNotFound.
func (s *Store) head(q querier, id string) (head, error) {
	var (
		h    head
		n    int64
		hash []byte
	)
	err := q.QueryRow(`SELECT records, head, origin, peer, pushed FROM sessions WHERE id = ?`, id).Scan(&n, &hash, &h.origin, &h.peer, &h.pushed)
	if errors.Is(err, sql.ErrNoRows) {
		return h, s.missing(q, id)
	}
	if err != nil {
		return h, explain("reading session "+id, s.path, err)
	}
	h.records = uint64(n)
	setDigest(&h.hash, hash)
	return h, nil
}

// missing says why there is no session of that id.
func (s *Store) missing(q querier, id string) error {
	var at, n int64
	err := q.QueryRow(`SELECT at, records FROM pruned WHERE session = ? ORDER BY at DESC LIMIT 1`, id).Scan(&at, &n)
	if err == nil {
		return fmt.Errorf("history: session %s: %w: it was pruned on %s with its %d records", id, session.ErrNotFound, time.Unix(0, at).UTC().Format(time.RFC3339), n)
	}
	if err := q.QueryRow(`SELECT 1 FROM records WHERE session = ? LIMIT 1`, id).Scan(&n); err == nil {
		return fmt.Errorf("history: session %s: %w in the list of %s, but records of it are there; history rebuild makes the list anew", id, session.ErrNotFound, s.path)
	}
	return fmt.Errorf("history: session %s: %w in %s; history list shows what there is", id, session.ErrNotFound, s.path)
}

// last returns the number and hash of the last record that is there, zero
// when there is none.
func (s *Store) last(q querier, id string) (uint64, session.Digest, error) {
	var (
		n    int64
		hash []byte
		d    session.Digest
	)
	err := q.QueryRow(`SELECT seq, hash FROM records WHERE session = ? ORDER BY seq DESC LIMIT 1`, id).Scan(&n, &hash)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, d, nil
	}
	if err != nil {
		return 0, d, explain("reading the end of session "+id, s.path, err)
	}
	setDigest(&d, hash)
	return uint64(n), d, nil
}
