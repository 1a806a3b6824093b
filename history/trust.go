package history

import (
	"cmp"
	"database/sql"
	"encoding/json"
	"slices"
	"time"

	"a2ascope/session"
)

var (
	_ session.Log     = (*SessionLog)(nil)
	_ session.Archive = (*Store)(nil)
)

// Trust implements session.Archive: what sessions with peers in the field say
// of a peer and card version, as of now. Sessions of another origin (demo,
// imported, replayed) say nothing here. For a peer that was never met all but
// the candidates is empty.
func (s *Store) Trust(peer, cardVersion string, now time.Time) (session.Carried, error) {
	c := session.Carried{Peer: peer, CardVersion: cardVersion}
	var err error
	if c.Demoted, err = s.demoted(peer, cardVersion, now); err != nil {
		return session.Carried{}, explain("reading the trust in "+peer, s.path, err)
	}
	if err = s.learnt(&c); err != nil {
		return session.Carried{}, explain("reading what is known of "+peer, s.path, err)
	}
	if c.Candidates, err = s.candidates(peer); err != nil {
		return session.Carried{}, explain("reading the known peers", s.path, err)
	}
	return c, nil
}

// demoted returns the demotions that hold: per claim the last decision that
// moved its trust, where that is a demotion which has not run out.
func (s *Store) demoted(peer, cardVersion string, now time.Time) ([]session.CarriedDecision, error) {
	rows, err := s.read.Query(`SELECT session, id, claim, action, by, at, reason, until, supersedes FROM trust
		WHERE peer = ? AND card_version = ? ORDER BY at, session, seq`, peer, cardVersion)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	held := newHeld()
	for rows.Next() {
		var (
			d      session.CarriedDecision
			action session.Action
			at     int64
			until  sql.NullInt64
			on     int
		)
		if err := rows.Scan(&d.Session, &d.ID, &d.Claim, &action, &d.By, &at, &d.Reason, &until, &on); err != nil {
			return nil, err
		}
		d.At = time.Unix(0, at).UTC()
		if until.Valid {
			d.Until = time.Unix(0, until.Int64).UTC()
		}
		held.take(moved{d, action, on})
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	return oldestFirst(held.now(now)), nil
}

func oldestFirst(out []session.CarriedDecision) []session.CarriedDecision {
	slices.SortFunc(out, func(a, b session.CarriedDecision) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Session, b.Session), cmp.Compare(a.ID, b.ID))
	})
	if len(out) == 0 {
		return nil
	}
	return out
}

// learntFrom is how many sessions back a peer's profile is looked for.
const learntFrom = 100

// learnt fills in what earlier sessions learnt of the peer, the newest that
// knows a thing winning. The profile is that of the card version; what the
// operator set holds for all versions.
func (s *Store) learnt(c *session.Carried) error {
	rows, err := s.read.Query(`SELECT card_version, pushed, summary FROM sessions WHERE peer = ? AND origin = ''
		ORDER BY started DESC, id DESC LIMIT ?`, c.Peer, learntFrom)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var (
			version, text string
			pushed        bool
			sum           session.Summary
		)
		if err := rows.Scan(&version, &pushed, &text); err != nil {
			return err
		}
		c.PushReachable = c.PushReachable || pushed
		if json.Unmarshal([]byte(text), &sum) != nil {
			continue // a projection; rebuild mends it
		}
		// The session that asks stands here too, before it knows the card.
		c.Known = c.Known || sum.Generation != "" || sum.CardVersion != ""
		if version == c.CardVersion {
			fillProfile(&c.Profile, sum.Profile)
		}
		if len(c.Prompts) == 0 && len(sum.Prompts) > 0 {
			c.Prompts = sum.Prompts
		}
		c.Endpoint = cmp.Or(c.Endpoint, sum.Endpoint)
		if len(c.Credentials) == 0 {
			c.Credentials = sum.Credentials
		}
	}
	return rows.Err()
}

// fillProfile takes from an older profile what the newer one leaves open.
func fillProfile(p *session.Profile, older session.Profile) {
	for _, f := range [][2]*string{
		{&p.Resubscribe, &older.Resubscribe}, {&p.ResubscribeAfterInput, &older.ResubscribeAfterInput}, {&p.Resume, &older.Resume},
		{&p.CancelWorking, &older.CancelWorking}, {&p.CancelInputRequired, &older.CancelInputRequired}, {&p.Durable, &older.Durable},
	} {
		*f[0] = cmp.Or(*f[0], *f[1])
	}
	for _, f := range [][2]*[]string{
		{&p.VerifiedStates, &older.VerifiedStates}, {&p.VerifiedOutputModes, &older.VerifiedOutputModes},
		{&p.AcceptedInputModes, &older.AcceptedInputModes}, {&p.RefusedInputModes, &older.RefusedInputModes},
	} {
		if len(*f[0]) == 0 {
			*f[0] = *f[1]
		}
	}
}

// maxCandidates bounds how many other peers a trust record names.
const maxCandidates = 50

// candidates returns the other known peers that were seen to reach a state,
// the one met last first.
func (s *Store) candidates(but string) ([]session.Candidate, error) {
	rows, err := s.read.Query(`SELECT peer, name, profile FROM peers WHERE origin = '' AND peer <> ?
		AND json_array_length(profile, '$.verifiedStates') > 0 ORDER BY last DESC, peer LIMIT ?`, but, maxCandidates)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var out []session.Candidate
	for rows.Next() {
		var (
			c    session.Candidate
			text string
			p    session.Profile
		)
		if err := rows.Scan(&c.URL, &c.Name, &text); err != nil {
			return nil, err
		}
		if json.Unmarshal([]byte(text), &p) != nil {
			continue
		}
		c.VerifiedStates = p.VerifiedStates
		out = append(out, c)
	}
	return out, rows.Err()
}
