package history

import (
	"database/sql"
	"encoding/json"
	"errors"
	"time"

	"a2ascope/session"
)

// execer is a database or a transaction that can be written.
type execer interface {
	querier
	Exec(query string, args ...any) (sql.Result, error)
}

// project brings the projections up to date with a batch of records. It is
// what both recording and rebuilding use, so that both come to the same.
func project(tx execer, id string, records []session.Record, sum session.Summary, at *place) error {
	for i := range records {
		if err := projectRecord(tx, id, &records[i], sum, at); err != nil {
			return err
		}
	}
	if err := putSession(tx, id, sum, *at); err != nil {
		return err
	}
	return projectPeer(tx, sum, at)
}

// projectPeer brings the peer's row up to date. It is made anew only when more
// than its time changes: that reads all of the peer's sessions.
func projectPeer(tx execer, sum session.Summary, at *place) error {
	seen := peerRow{sum.Peer, sum.Origin, sum.PeerName, sum.CardVersion, sum.Typed, stamp(sum.Started), string(session.Encode(sum.Profile))}
	if seen == at.row {
		_, err := tx.Exec(`UPDATE peers SET last = max(last, ?) WHERE peer = ? AND origin = ?`, stamp(sum.Last), sum.Peer, sum.Origin)
		return err
	}
	before := at.peer
	at.peer, at.row = sum.Peer, seen
	if before != sum.Peer {
		if err := refreshPeer(tx, before); err != nil {
			return err
		}
	}
	return refreshPeer(tx, sum.Peer)
}

// projectRecord takes from one record what trust is made of.
func projectRecord(tx execer, id string, r *session.Record, sum session.Summary, at *place) error {
	if r.Redacted {
		return nil
	}
	switch r.Kind {
	case session.KindTrust:
		var c session.Carried
		if r.Decode(&c) == nil && c.Peer != "" {
			at.about = about{c.Peer, c.CardVersion}
		}
	case session.KindPush:
		var p session.Pushed
		if r.Decode(&p) == nil && p.TokenOK {
			at.pushed = true
		}
	case session.KindDecision:
		var d session.Decision
		if sum.Origin != "" || r.Decode(&d) != nil {
			return nil // a body that cannot be read demotes nothing
		}
		of := at.about
		if of.peer == "" {
			of = about{sum.Peer, sum.CardVersion}
		}
		_, err := tx.Exec(`INSERT OR REPLACE INTO trust (session, seq, id, peer, card_version, claim, action, by, at, reason, until, supersedes)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			id, int64(r.Seq), d.ID, of.peer, of.version, string(d.Claim), string(d.Action), d.By, r.Wall.UnixNano(), d.Reason, nanos(d.Until), d.Supersedes)
		return err
	}
	return nil
}

// nanos is a time as it is stored; the zero time is NULL.
func nanos(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UnixNano()
}

func putSession(tx execer, id string, sum session.Summary, at place) error {
	sum.Session, sum.Records, sum.Head = id, at.seq, at.hash
	text, err := json.Marshal(sum)
	if err != nil {
		return err
	}
	_, err = tx.Exec(`INSERT INTO sessions (id, peer, peer_name, card_version, typed, origin, started, last, records, head, pushed, summary)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (id) DO UPDATE SET peer = excluded.peer, peer_name = excluded.peer_name, card_version = excluded.card_version,
			typed = excluded.typed, origin = excluded.origin, started = excluded.started, last = excluded.last, records = excluded.records,
			head = excluded.head, pushed = excluded.pushed, summary = excluded.summary`,
		id, sum.Peer, sum.PeerName, sum.CardVersion, sum.Typed, sum.Origin, stamp(sum.Started), stamp(sum.Last),
		int64(at.seq), at.hash[:], at.pushed, string(text))
	return err
}

// stamp is a time as a number that sorts; the zero time comes first.
func stamp(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

// refreshPeer makes the rows of one peer anew from its sessions.
func refreshPeer(tx execer, peer string) error {
	if peer == "" {
		return nil
	}
	if _, err := tx.Exec(`DELETE FROM peers WHERE peer = ?`, peer); err != nil {
		return err
	}
	_, err := tx.Exec(selectPeers("peer = ?"), peer)
	return err
}

// selectPeers returns the statement that makes the rows of the peers whose
// sessions are picked by a condition.
func selectPeers(where string) string {
	return `INSERT INTO peers (peer, origin, name, card_version, typed, first, last, sessions, session, profile)
	SELECT peer, origin, peer_name, card_version, typed, first, seen, total, id, coalesce(summary ->> '$.profile', '{}') FROM (
		SELECT *, min(started) OVER w AS first, max(last) OVER w AS seen, count(*) OVER w AS total,
			row_number() OVER (PARTITION BY peer, origin ORDER BY started DESC, id DESC) AS n
		FROM sessions WHERE ` + where + ` WINDOW w AS (PARTITION BY peer, origin)) WHERE n = 1`
}

// lastAbout returns the peer and card version that the last trust record of a
// session names.
func (s *Store) lastAbout(q querier, id string) (about, error) {
	var body []byte
	err := q.QueryRow(`SELECT body FROM records WHERE session = ? AND kind IN ('trust', 'decision', 'push') AND kind = 'trust' AND redacted = 0
		ORDER BY seq DESC LIMIT 1`, id).Scan(&body)
	if errors.Is(err, sql.ErrNoRows) {
		return about{}, nil
	}
	if err != nil {
		return about{}, explain("reading session "+id, s.path, err)
	}
	r := session.Record{Kind: session.KindTrust, Body: body}
	var c session.Carried
	if r.Decode(&c) != nil {
		return about{}, nil
	}
	return about{c.Peer, c.CardVersion}, nil
}
