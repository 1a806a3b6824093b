package history

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"a2ascope/session"
)

// Filter picks sessions. Its zero value picks the newest 100.
type Filter struct {
	Peer string // the peer's key, or the address as it was typed
	Text string // found in the id, the peer, its name, what was typed, or a contradicted claim; letter case does not count
	// Before and BeforeID go on from a page: the Started and Session of its
	// last row.
	Before   time.Time
	BeforeID string
	Limit    int // at most 1,000
}

// likePattern makes a LIKE pattern (ESCAPE '\') that finds text anywhere.
func likePattern(text string) string {
	return "%" + strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(text) + "%"
}

func limited(n int) int {
	if n <= 0 {
		return 100
	}
	return min(n, 1000)
}

// before is the key that a page goes on from.
func before(t time.Time) int64 {
	if t.IsZero() {
		return math.MaxInt64
	}
	return t.UnixNano()
}

// Sessions lists sessions, the last begun first.
func (s *Store) Sessions(f Filter) ([]session.Summary, error) {
	rows, err := s.read.Query(`SELECT id, records, head, origin, summary FROM sessions
		WHERE (started, id) < (?1, ?2) AND (?3 = '' OR peer = ?3 OR typed = ?3)
			AND (?4 = '' OR id LIKE ?5 ESCAPE '\' OR peer LIKE ?5 ESCAPE '\' OR peer_name LIKE ?5 ESCAPE '\' OR typed LIKE ?5 ESCAPE '\'
				OR summary ->> '$.contradicted' LIKE ?5 ESCAPE '\')
		ORDER BY started DESC, id DESC LIMIT ?6`,
		before(f.Before), f.BeforeID, f.Peer, f.Text, likePattern(f.Text), limited(f.Limit))
	if err != nil {
		return nil, explain("listing sessions", s.path, err)
	}
	defer func() { _ = rows.Close() }()
	var out []session.Summary
	for rows.Next() {
		var (
			sum              session.Summary
			id, origin, text string
			n                int64
			hash             []byte
		)
		if err := rows.Scan(&id, &n, &hash, &origin, &text); err != nil {
			return nil, explain("listing sessions", s.path, err)
		}
		if err := json.Unmarshal([]byte(text), &sum); err != nil {
			return nil, fmt.Errorf("history: listing sessions: the summary of session %s cannot be read: %w; history rebuild makes it anew", id, err)
		}
		sum.Session, sum.Records, sum.Origin = id, uint64(n), origin
		setDigest(&sum.Head, hash)
		out = append(out, sum)
	}
	return out, explain("listing sessions", s.path, rows.Err())
}

// Latest returns the session begun last with a peer, given by its key or by
// the address as it was typed; with "" it is the one begun last of all.
// Imported and replayed sessions do not count.
func (s *Store) Latest(typedOrPeer string) (string, error) {
	var id string
	err := s.read.QueryRow(`SELECT id FROM sessions WHERE origin NOT IN ('imported', 'replayed') AND (?1 = '' OR typed = ?1 OR peer = ?1)
		ORDER BY started DESC, id DESC LIMIT 1`, typedOrPeer).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return "", fmt.Errorf("history: a session with %s to continue: %w in %s", typedOrPeer, session.ErrNotFound, s.path)
	}
	return id, explain("looking for the latest session", s.path, err)
}

// Resolve returns the session whose id is, or alone begins with, the text.
func (s *Store) Resolve(prefix string) (string, error) {
	rows, err := s.read.Query(`SELECT id FROM sessions WHERE id = ?1 OR substr(id, 1, length(?1)) = ?1 ORDER BY id <> ?1, started DESC, id DESC LIMIT 6`, prefix)
	if err != nil {
		return "", explain("looking for session "+prefix, s.path, err)
	}
	defer func() { _ = rows.Close() }()
	var ids []string
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return "", explain("looking for session "+prefix, s.path, err)
		}
		ids = append(ids, id)
	}
	switch err := rows.Err(); {
	case err != nil:
		return "", explain("looking for session "+prefix, s.path, err)
	case len(ids) == 0 || prefix == "":
		return "", s.missing(s.read, prefix)
	case len(ids) == 1 || ids[0] == prefix:
		return ids[0], nil
	}
	return "", fmt.Errorf("history: several sessions begin with %s: %s; give more of the id", prefix, strings.Join(ids, ", "))
}

// PeerRow is a peer as the list of peers shows it.
type PeerRow struct {
	Peer        string // its key
	Name        string
	CardVersion string // as last seen
	Typed       string
	Origin      string // of its sessions; "" for peers in the field
	First, Last time.Time
	Sessions    int
	Session     string // the newest
	Profile     session.Profile
	// Demoted are the demotions that hold now for the last seen card version.
	Demoted []session.CarriedDecision
}

// Peers lists the known peers, the one met last first.
func (s *Store) Peers() ([]PeerRow, error) {
	rows, err := s.read.Query(`SELECT peer, name, card_version, typed, origin, first, last, sessions, session, profile FROM peers ORDER BY last DESC, peer, origin`)
	if err != nil {
		return nil, explain("listing peers", s.path, err)
	}
	defer func() { _ = rows.Close() }()
	var out []PeerRow
	for rows.Next() {
		var (
			p           PeerRow
			first, last int64
			profile     string
		)
		if err := rows.Scan(&p.Peer, &p.Name, &p.CardVersion, &p.Typed, &p.Origin, &first, &last, &p.Sessions, &p.Session, &profile); err != nil {
			return nil, explain("listing peers", s.path, err)
		}
		p.First, p.Last = time.Unix(0, first).UTC(), time.Unix(0, last).UTC()
		if err := json.Unmarshal([]byte(profile), &p.Profile); err != nil {
			return nil, fmt.Errorf("history: listing peers: the profile of %s cannot be read: %w; history rebuild makes it anew", p.Peer, err)
		}
		out = append(out, p)
	}
	if err := rows.Err(); err != nil {
		return nil, explain("listing peers", s.path, err)
	}
	for i := range out {
		if out[i].Origin != "" {
			continue
		}
		if out[i].Demoted, err = s.demoted(out[i].Peer, out[i].CardVersion, s.now()); err != nil {
			return nil, explain("listing peers", s.path, err)
		}
	}
	return out, nil
}
