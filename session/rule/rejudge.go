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
	s := session.NewState()
	for {
		records, err := page(s.Seq+1, 512)
		if err != nil {
			return nil, fmt.Errorf("rejudging: reading records from %d on: %w", s.Seq+1, err)
		}
		if len(records) == 0 {
			return s, nil
		}
		for i := range records {
			r := &records[i]
			if ruled(r) {
				s.Seq, s.Head = r.Seq, r.Hash
				continue
			}
			c := session.Fold(s, r)
			judgeAnew(s, &c, r)
			s.Head = r.Hash
		}
	}
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
