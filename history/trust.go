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
	last := map[session.Claim]session.CarriedDecision{}
	known := map[decisionKey]moved{}
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
		known[decisionKey{d.Session, d.ID}] = moved{d, action, on}
		switch action {
		case session.ActDemote, session.ActRestore:
		case session.ActOverrule:
			root, lifted, ok := rootOf(known, d.Session, on)
			if ok && root.action != session.ActDemote {
				continue // what demoted nothing (a refusal, say) lifts no demotion
			}
			if ok && !lifted { // the overruling was overruled itself
				d, action = root.CarriedDecision, root.action
			}
		default:
			continue
		}
		delete(last, d.Claim)
		if action == session.ActDemote && (d.Until.IsZero() || d.Until.After(now)) {
			last[d.Claim] = d
		}
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	return oldestFirst(last), nil
}

// moved is a decision, and the one that it answers.
type moved struct {
	session.CarriedDecision
	action session.Action
	on     int
}

// rootOf is the decision that an overruling of decision on comes down to, and
// whether that one is lifted by it: one that was lifted before holds again. It
// is not there where the log does not hold it.
func rootOf(known map[decisionKey]moved, in string, on int) (root moved, lifted, ok bool) {
	lifted = true
	for range known {
		if root, ok = known[decisionKey{in, on}]; !ok || root.action != session.ActOverrule {
			break
		}
		on, lifted = root.on, !lifted
	}
	return root, lifted, ok
}

func oldestFirst(last map[session.Claim]session.CarriedDecision) []session.CarriedDecision {
	out := make([]session.CarriedDecision, 0, len(last))
	for _, d := range last {
		out = append(out, d)
	}
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
