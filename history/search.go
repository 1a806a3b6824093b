package history

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"a2ascope/session"
)

// SearchFilter picks the records that are searched. Its zero value picks all.
type SearchFilter struct {
	Session string // one session alone
	Peer    string // the peer's key
	Kind    session.Kind
	Since   time.Time // sessions begun at this time or later
	Limit   int       // hits; 0 is 1,000
}

// Hit is a record in which the text was found.
type Hit struct {
	Session  string
	Seq      uint64
	Wall     time.Time
	Kind     session.Kind
	Task     int
	Exchange int
	Where    string // "body" or "raw"
	Offset   int    // in it, in bytes
	Excerpt  string // what stands around, on one line, not made safe for a terminal
}

// searchStep is how many records are looked through in one query.
const searchStep = 5000

// maxSearchText keeps a text within what a LIKE pattern may hold.
const maxSearchText = 1000

// Search looks for a text in bodies and wire bytes and gives the hits to hit,
// newest session first and in each in order, as they are found. Letter case of
// ASCII does not count. progress, which may be nil, is told of the records
// looked through and of all there are. It stops when ctx is done or hit
// returns false.
func (s *Store) Search(ctx context.Context, f SearchFilter, text string, progress func(done, total uint64), hit func(Hit) bool) error {
	if text == "" || len(text) > maxSearchText {
		return fmt.Errorf("history: searching: the text to look for must have 1 to %d bytes", maxSearchText)
	}
	sessions, total, err := s.searched(ctx, f)
	if err != nil {
		return err
	}
	scan := search{store: s, kind: f.Kind, text: text, left: f.Limit, hit: hit}
	if scan.left <= 0 {
		scan.left = 1000
	}
	var done uint64
	for _, in := range sessions {
		for from := uint64(1); from <= in.records; from += searchStep {
			if err := scan.step(ctx, in.id, from); errors.Is(err, errEnough) {
				return nil
			} else if err != nil {
				return err
			}
			done += min(searchStep, in.records-from+1)
			if progress != nil {
				progress(done, total)
			}
		}
	}
	return nil
}

type searchedSession struct {
	id      string
	records uint64
}

// searched returns the sessions to look through, newest first, and how many
// records they have.
func (s *Store) searched(ctx context.Context, f SearchFilter) (out []searchedSession, total uint64, err error) {
	since := int64(math.MinInt64)
	if !f.Since.IsZero() {
		since = f.Since.UnixNano()
	}
	rows, err := s.read.QueryContext(ctx, `SELECT id, records FROM sessions WHERE (?1 = '' OR id = ?1) AND (?2 = '' OR peer = ?2) AND started >= ?3
		ORDER BY started DESC, id DESC`, f.Session, f.Peer, since)
	if err != nil {
		return nil, 0, explain("searching", s.path, err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var (
			in searchedSession
			n  int64
		)
		if err := rows.Scan(&in.id, &n); err != nil {
			return nil, 0, explain("searching", s.path, err)
		}
		in.records = uint64(n)
		total += in.records
		out = append(out, in)
	}
	return out, total, explain("searching", s.path, rows.Err())
}

// search is one search under way.
type search struct {
	store *Store
	kind  session.Kind
	text  string
	left  int
	hit   func(Hit) bool
}

var errEnough = errors.New("enough hits")

// LIKE over text is the fastest scan that SQLite has, but it ends at the first
// zero byte; the messages of gRPC, whose bodies hold them as protoJson too,
// are therefore also searched byte by byte.
const searchQuery = `SELECT seq, wall, kind, task, exchange, body, raw FROM records
	WHERE session = ?1 AND seq BETWEEN ?2 AND ?3 AND (?4 = '' OR kind = ?4)
		AND (CAST(raw AS TEXT) LIKE ?5 ESCAPE '\' OR CAST(body AS TEXT) LIKE ?5 ESCAPE '\'
			OR (instr(body, CAST('"protoJson"' AS BLOB)) > 0 AND instr(raw, ?6) > 0))
	ORDER BY seq`

// step looks through the records of a session from one number on.
func (q *search) step(ctx context.Context, id string, from uint64) error {
	rows, err := q.store.read.QueryContext(ctx, searchQuery, id, int64(from), int64(from+searchStep-1), string(q.kind), likePattern(q.text), []byte(q.text))
	if err != nil {
		return explain("searching session "+id, q.store.path, err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var (
			h         Hit
			seq, wall int64
			kind      string
			body, raw sql.RawBytes
		)
		if err := rows.Scan(&seq, &wall, &kind, &h.Task, &h.Exchange, &body, &raw); err != nil {
			return explain("searching session "+id, q.store.path, err)
		}
		h.Session, h.Seq, h.Wall, h.Kind = id, uint64(seq), time.Unix(0, wall).UTC(), session.Kind(kind)
		h.locate(body, raw, q.text)
		q.left--
		if !q.hit(h) || q.left == 0 {
			return errEnough
		}
	}
	if err := rows.Err(); err != nil {
		if ctx.Err() != nil {
			return fmt.Errorf("history: searching: %w", ctx.Err())
		}
		return explain("searching session "+id, q.store.path, err)
	}
	return nil
}

// locate finds where in the record the text stands.
func (h *Hit) locate(body, raw []byte, text string) {
	h.Where = "raw"
	at, in := indexFold(raw, text), raw
	if at < 0 {
		h.Where = "body"
		at, in = max(0, indexFold(body, text)), body
	}
	h.Offset, h.Excerpt = at, excerpt(in, at, len(text))
}

// indexFold is bytes.Index without regard to the case of ASCII letters.
func indexFold(b []byte, text string) int {
	for i := 0; i+len(text) <= len(b); i++ {
		if fold(b[i]) == fold(text[0]) && equalFold(b[i:i+len(text)], text) {
			return i
		}
	}
	return -1
}

func equalFold(b []byte, text string) bool {
	for i, c := range b {
		if fold(c) != fold(text[i]) {
			return false
		}
	}
	return true
}

func fold(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// excerpt returns some 40 bytes on either side of a find, cut between
// characters.
func excerpt(b []byte, at, n int) string {
	from, to := max(0, at-40), min(len(b), at+n+40)
	for from < at && from > 0 && !utf8.RuneStart(b[from]) {
		from++
	}
	for to > at+n && to < len(b) && !utf8.RuneStart(b[to]) {
		to--
	}
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\r' || r == '\t' {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(string(b[from:to]), "\ufffd"))
}
