package rule

import (
	"fmt"

	"a2ascope/session"
)

// Rejudge folds a log under today's rules: everything in it but what rules
// wrote, with the policy, timers, carried trust and operator's decisions as
// recorded. Nothing is written; what today's rules would have asked of the
// peer beyond what was asked stays unproven. page is as session.Log's.
func Rejudge(page func(from uint64, limit int) ([]session.Record, error)) (*session.State, error) {
	j := rejudging{state: session.NewState(), page: page}
	for {
		r, err := j.take()
		if err != nil {
			return nil, fmt.Errorf("rejudging: reading records from %d on: %w", j.read+1, err)
		}
		if r == nil {
			j.state.Seq, j.state.Head = j.read, j.head
			return j.state, nil
		}
		if err := j.judge(r); err != nil {
			return nil, err
		}
	}
}

// rejudging goes through a log, past what rules wrote.
type rejudging struct {
	state *session.State
	page  func(from uint64, limit int) ([]session.Record, error)
	ahead []session.Record
	read  uint64 // the last record that was taken or passed over
	head  session.Digest
}

// peek returns the next record that no rule wrote, or nil at the end.
func (j *rejudging) peek() (*session.Record, error) {
	for {
		if len(j.ahead) == 0 {
			records, err := j.page(j.read+1, 512)
			if err != nil || len(records) == 0 {
				return nil, err
			}
			j.ahead = records
		}
		r := &j.ahead[0]
		if !ruled(r) {
			return r, nil
		}
		j.pass(r)
	}
}

func (j *rejudging) pass(r *session.Record) {
	j.read, j.head = r.Seq, r.Hash
	j.ahead = j.ahead[1:]
}

func (j *rejudging) take() (*session.Record, error) {
	r, err := j.peek()
	if r != nil {
		j.pass(r)
	}
	return r, err
}

// judge folds a record, then what followed from it by itself, and then lets
// the rules judge it: the order in which the runner writes.
func (j *rejudging) judge(r *session.Record) error {
	c := session.Fold(j.state, r)
	for range session.Follow(j.state, &c) {
		if err := j.follow(func(*session.Record) bool { return true }); err != nil {
			return err
		}
	}
	if r.Kind == session.KindCard {
		if err := j.follow(func(next *session.Record) bool { return next.Kind == session.KindTrust }); err != nil {
			return err
		}
	}
	judgeAnew(j.state, &c, r)
	return nil
}

// follow judges the next record, if it is the one that is expected.
func (j *rejudging) follow(expected func(*session.Record) bool) error {
	next, err := j.peek()
	if err != nil || next == nil || !expected(next) {
		return err
	}
	j.pass(next)
	return j.judge(next)
}

// ruled reports whether a rule wrote the record.
func ruled(r *session.Record) bool {
	switch r.Kind {
	case session.KindFinding, session.KindObserved:
		return true
	case session.KindDecision:
		var d session.Decision
		return r.Decode(&d) == nil && d.By == "rule"
	}
	return false
}

// judgeAnew folds what today's rules say after a change. The records that hold
// it are made up: they stand at the place of their cause.
func judgeAnew(s *session.State, c *session.Change, cause *session.Record) {
	for _, d := range Judge(s, c) {
		r := session.Record{
			Seq: cause.Seq, Wall: cause.Wall, Elapsed: cause.Elapsed, Kind: d.Kind, Task: d.Task, Exchange: d.Exchange, Body: session.Encode(d.Body),
		}
		next := session.Fold(s, &r)
		judgeAnew(s, &next, cause)
	}
}
