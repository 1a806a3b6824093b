package history

import (
	"time"

	"a2ascope/session"
)

// DecisionFilter picks decisions. Its zero value picks the newest 100.
type DecisionFilter struct {
	Session string
	Peer    string
	Claim   session.Claim
	Active  bool // only demotions that hold now
	// Before, BeforeSession and BeforeSeq go on from a page: those of its last
	// row.
	Before        time.Time
	BeforeSession string
	BeforeSeq     uint64
	Limit         int // at most 1,000
}

// DecisionRow is a decision with the session that it was made in.
type DecisionRow struct {
	Session  string
	Peer     string
	PeerName string
	Origin   string // of the session; only "" feeds trust
	Seq      uint64
	Wall     time.Time
	Decision session.Decision
	// Active is set on a demotion that holds now.
	Active bool
}

// Decisions lists decisions of all sessions, whatever their origin, the last
// made first.
func (s *Store) Decisions(f DecisionFilter) ([]DecisionRow, error) {
	active, err := s.activeDemotions()
	if err != nil {
		return nil, explain("listing decisions", s.path, err)
	}
	rows, err := s.read.Query(`SELECT r.session, s.peer, s.peer_name, s.origin, r.seq, r.wall, r.body
		FROM records AS r JOIN sessions AS s ON s.id = r.session
		WHERE r.kind IN ('trust', 'decision', 'push') AND r.kind = 'decision' AND r.redacted = 0
			AND (?1 = '' OR r.session = ?1) AND (?2 = '' OR s.peer = ?2) AND (r.wall, r.session, r.seq) < (?3, ?4, ?5)
		ORDER BY r.wall DESC, r.session DESC, r.seq DESC`,
		f.Session, f.Peer, before(f.Before), f.BeforeSession, int64(f.BeforeSeq))
	if err != nil {
		return nil, explain("listing decisions", s.path, err)
	}
	defer func() { _ = rows.Close() }()
	var out []DecisionRow
	for limit := limited(f.Limit); rows.Next() && len(out) < limit; {
		var (
			d    DecisionRow
			seq  int64
			wall int64
			r    session.Record
		)
		if err := rows.Scan(&d.Session, &d.Peer, &d.PeerName, &d.Origin, &seq, &wall, &r.Body); err != nil {
			return nil, explain("listing decisions", s.path, err)
		}
		d.Seq, d.Wall = uint64(seq), time.Unix(0, wall).UTC()
		if r.Decode(&d.Decision) != nil || f.Claim != "" && f.Claim != d.Decision.Claim {
			continue // verify names a body that cannot be read
		}
		d.Active = active[decisionKey{d.Session, d.Decision.ID}]
		if f.Active && !d.Active {
			continue
		}
		out = append(out, d)
	}
	return out, explain("listing decisions", s.path, rows.Err())
}

type decisionKey struct {
	session string
	id      int
}

// activeDemotions returns the demotions of all peers that hold now.
func (s *Store) activeDemotions() (map[decisionKey]bool, error) {
	rows, err := s.read.Query(`SELECT DISTINCT peer, card_version FROM trust WHERE action = 'demote'`)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var of []about
	for rows.Next() {
		var a about
		if err := rows.Scan(&a.peer, &a.version); err != nil {
			return nil, err
		}
		of = append(of, a)
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	out := map[decisionKey]bool{}
	for _, a := range of {
		held, err := s.demoted(a.peer, a.version, s.now())
		if err != nil {
			return nil, err
		}
		for _, d := range held {
			out[decisionKey{d.Session, d.ID}] = true
		}
	}
	return out, nil
}
