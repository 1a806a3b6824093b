package history

import (
	"context"
	"errors"
	"fmt"
	"io"

	"a2ascope/history/export"
	"a2ascope/session"
)

// OriginImported is the origin of sessions that were recorded elsewhere.
const OriginImported = "imported"

var errUnfinished = errors.New("its import was not finished; import it again")

// ImportReport is what Import read.
type ImportReport struct {
	export.Contents
	// Already is set when the log has this very session: nothing was stored.
	Already bool
	// Incomplete says what may be missing at the end; empty when the file is
	// a whole export of a session that was ended in order.
	Incomplete string
}

// importBatch is how many records are stored in one transaction: small enough
// that consoles which are recording need not wait.
const importBatch = 512

// Import stores a session from JSONL under its own id, or under that id with a
// number when another session has it, and returns the id. The records are
// stored as they are; the session counts as imported and feeds no trust. A
// file whose chain does not hold is refused, with session.ErrBroken.
func (s *Store) Import(ctx context.Context, r io.Reader, fold Fold) (id string, report ImportReport, err error) {
	if s.write == nil {
		return "", report, fmt.Errorf("history: importing: %s was opened read-only", s.path)
	}
	if err := s.inPlace(); err != nil {
		return "", report, err
	}
	in := importer{store: s, ctx: ctx}
	defer func() {
		if !in.kept {
			err = errors.Join(err, in.drop())
		}
		if in.lock != nil {
			err = errors.Join(err, in.lock.release())
		}
	}()
	report.Contents, err = export.ReadJSONL(r, in.add)
	if err != nil {
		return "", report, fmt.Errorf("history: importing: %w", err)
	}
	if report.Records == 0 {
		return "", report, fmt.Errorf("history: importing: the file holds no record")
	}
	if err := in.flush(); err != nil {
		return "", report, err
	}
	report.Incomplete = incomplete(report.Contents)
	if have, err := s.sameSession(in.id, report.Contents); err != nil || have != "" {
		report.Already = have != ""
		return have, report, err
	}
	return in.id, report, in.finish(report.Contents, fold)
}

// incomplete says what a file's end leaves open.
func incomplete(c export.Contents) string {
	const lost = "; what rules said of its last records may be missing with its last transaction"
	switch {
	case c.Cut != "":
		return c.Cut + lost
	case !c.Whole && !c.Ended:
		return fmt.Sprintf("neither an end of the session nor the export's trailer follows record %d: the file may be cut", c.Records) + lost
	case !c.Whole:
		return ""
	case !c.Ended:
		return fmt.Sprintf("the session was not ended in order: it was still going on, or its console died, after record %d", c.Records)
	}
	return ""
}

// sameSession returns the session, other than but, that ends in the same
// record and holds no less.
func (s *Store) sameSession(but string, c export.Contents) (string, error) {
	rows, err := s.write.Query(`SELECT id FROM sessions WHERE records = ? AND head = ? AND id <> ?
		AND (SELECT count(*) FROM records WHERE session = id AND redacted <> 0) <= ? ORDER BY started`, int64(c.Records), c.Head[:], but, int64(c.Redacted))
	if err != nil {
		return "", explain("importing", s.path, err)
	}
	defer func() { _ = rows.Close() }()
	var id string
	if rows.Next() {
		err = rows.Scan(&id)
	}
	return id, explain("importing", s.path, errors.Join(err, rows.Err()))
}

// importer stores the records of a file as they are read. Until the import is
// finished the session is in no list.
type importer struct {
	store   *Store
	ctx     context.Context
	id      string
	lock    *sessionLock
	pending []session.Record
	size    int
	kept    bool
}

func (in *importer) add(r session.Record) error {
	if err := in.ctx.Err(); err != nil {
		return err
	}
	if in.lock == nil {
		if err := in.begin(&r); err != nil {
			return err
		}
	}
	in.pending = append(in.pending, r)
	in.size += len(r.Body) + len(r.Raw)
	if len(in.pending) < importBatch && in.size < 16<<20 {
		return nil
	}
	return in.flush()
}

// begin takes an id: the session's own, if it is free.
func (in *importer) begin(first *session.Record) error {
	var o session.Opened
	if first.Kind != session.KindOpened || first.Decode(&o) != nil {
		o.Session = ""
	}
	original := o.Session
	base := original
	if in.store.writable(base) != nil || len(base) > 56 {
		base = "imported"
	}
	for n := 1; ; n++ {
		id := base
		if n > 1 {
			id = fmt.Sprintf("%s-%d", base, n)
		}
		lock, err := in.store.lockSession(id)
		if errors.Is(err, session.ErrBusy) {
			continue
		}
		if err != nil {
			return err
		}
		done, err := in.take(id, original)
		if err == nil && done {
			in.id, in.lock = id, lock
			return nil
		}
		if err := errors.Join(err, lock.release()); err != nil {
			return err
		}
	}
}

// take reserves an id whose lock is held, unless it was used before. What an
// import that died left under it is removed.
func (in *importer) take(id, original string) (bool, error) {
	s := in.store
	var left int
	if err := s.write.QueryRow(`SELECT count(*) FROM imports WHERE session = ? AND done = 0`, id).Scan(&left); err != nil {
		return false, explain("importing", s.path, err)
	}
	if left > 0 {
		if err := s.remove(id, head{}, false); err != nil {
			return false, err
		}
	}
	taken, err := s.taken(s.write, id)
	if err != nil || taken {
		return false, err
	}
	_, err = s.write.Exec(`INSERT INTO imports (session, original, at, done) VALUES (?, ?, ?, 0)`, id, original, s.now().UnixNano())
	return true, explain("importing", s.path, err)
}

func (in *importer) flush() error {
	if len(in.pending) == 0 {
		return nil
	}
	s := in.store
	tx, err := s.write.Begin()
	if err != nil {
		return explain("importing", s.path, err)
	}
	defer func() { _ = tx.Rollback() }()
	if err := s.insertAll(tx, in.id, in.pending); err != nil {
		return explain("importing", s.path, err)
	}
	in.pending, in.size = in.pending[:0], 0
	return explain("importing", s.path, tx.Commit())
}

// finish gives the session its rows.
func (in *importer) finish(c export.Contents, fold Fold) error {
	s := in.store
	sum, err := fold(in.id, func(from uint64, n int) ([]session.Record, error) { return s.Page(in.id, from, n) })
	if err != nil {
		return fmt.Errorf("history: importing: summing up the session: %w", err)
	}
	sum.Origin = OriginImported
	tx, err := s.write.Begin()
	if err != nil {
		return explain("importing", s.path, err)
	}
	defer func() { _ = tx.Rollback() }()
	if err := project(tx, in.id, nil, sum, &place{seq: c.Records, hash: c.Head}); err != nil {
		return explain("importing", s.path, err)
	}
	if _, err := tx.Exec(`UPDATE imports SET done = 1 WHERE session = ?`, in.id); err != nil {
		return explain("importing", s.path, err)
	}
	if err := tx.Commit(); err != nil {
		return explain("importing", s.path, err)
	}
	in.kept = true
	return nil
}

// drop takes back what was stored.
func (in *importer) drop() error {
	if in.lock == nil {
		return nil
	}
	return in.store.remove(in.id, head{}, false)
}
