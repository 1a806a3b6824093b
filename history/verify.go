package history

import (
	"context"
	"errors"
	"fmt"

	"a2ascope/session"
)

// VerifyReport is what Verify found.
type VerifyReport struct {
	Session  string
	Records  uint64 // that are there and follow one another
	Head     session.Digest
	Redacted uint64 // of them, copies whose body or wire bytes were withheld
	// Problem is the first thing that is wrong, with the number of the record;
	// nil when the chain holds to its stored head. It wraps
	// session.ErrBroken.
	Problem error
	// Unanchored is set when no head is stored: whether the end is whole
	// cannot be told.
	Unanchored bool
}

// Verify walks a session's hash chain, one record in memory at a time. The
// error is of reading; what is wrong with the chain is in the report.
func (s *Store) Verify(ctx context.Context, id string) (VerifyReport, error) {
	v := VerifyReport{Session: id}
	h, headErr := s.head(s.read, id)
	if headErr != nil && !errors.Is(headErr, session.ErrNotFound) {
		return v, headErr
	}
	err := s.walk(ctx, id, func(r session.Record) error {
		if headErr == nil && r.Seq > h.records && v.Records == h.records {
			return errTail // written after the head was read, or added to the end
		}
		if err := r.Verify(v.Records, v.Head); err != nil {
			v.Problem = fmt.Errorf("%w: %w", session.ErrBroken, err)
			return v.Problem
		}
		v.Records, v.Head = r.Seq, r.Hash
		if r.Redacted {
			v.Redacted++
		}
		return nil
	})
	switch {
	case v.Problem != nil:
		return v, nil
	case errors.Is(err, errTail):
		return v, s.verifyTail(&v, h)
	case err != nil:
		return v, err
	case headErr != nil && v.Records == 0:
		return v, headErr
	case headErr != nil:
		v.Unanchored = true
	case v.Records < h.records:
		v.Problem = fmt.Errorf("%w: records %d to %d are missing: the log was cut, the stored head is record %d", session.ErrBroken, v.Records+1, h.records, h.records)
	case v.Head != h.hash:
		v.Problem = fmt.Errorf("%w: record %d: its hash is not the stored head", session.ErrBroken, v.Records)
	}
	return v, nil
}

var errTail = errors.New("past the stored head")

// verifyTail tells a session that is being written from one that something
// was added to past its head.
func (s *Store) verifyTail(v *VerifyReport, was head) error {
	now, err := s.head(s.read, v.Session)
	if err != nil {
		return err
	}
	switch {
	case v.Head != was.hash:
		v.Problem = fmt.Errorf("%w: record %d: its hash is not the stored head", session.ErrBroken, v.Records)
	case now.records == was.records:
		v.Problem = fmt.Errorf("%w: record %d is past the stored head, which is record %d", session.ErrBroken, was.records+1, was.records)
	}
	return nil
}
