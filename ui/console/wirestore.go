package console

import (
	"strconv"
	"strings"
	"time"

	"a2ascope/session"
	"a2ascope/ui/clean"
)

// The wire log is read in parts of so many records, and so many parts are
// kept: what a screen shows and some pages around it, however long the log.
const (
	partRows  = 128
	keptParts = 24
)

// row is what a line of the wire log needs of a record.
type row struct {
	seq            uint64
	at             time.Duration
	wall           time.Time
	kind           session.Kind
	task, exchange int
	arrow          string
	title, detail  string // cleaned
	level          session.Level
	// withheld names the credentials that a request to url went without.
	withheld, url string
}

// longest is how many cells of a title or detail are kept.
const longest = 400

func makeRow(r *session.Record) row {
	d := session.Describe(r)
	out := row{
		seq: r.Seq, at: r.Elapsed, wall: r.Wall, kind: r.Kind, task: r.Task, exchange: r.Exchange,
		arrow: d.Arrow, title: clean.Line(d.Title, longest), detail: clean.Line(d.Detail, longest), level: d.Level,
	}
	if r.Kind == session.KindRequest {
		var b session.Requested
		if r.Decode(&b) == nil && b.Withheld != "" {
			out.withheld, out.url = b.Withheld, b.URL
		}
	}
	return out
}

// store keeps the parts of the log that were read last. Record n stands in
// part (n-1)/partRows.
type store struct {
	parts map[uint64]*stretch
	asked map[uint64]uint64 // parts that are being read, and the log's head then
	turn  int
}

type stretch struct {
	rows []row
	used int    // turn in which it was last shown
	upTo uint64 // the log's head when it was asked for
}

func newStore() store { return store{parts: map[uint64]*stretch{}, asked: map[uint64]uint64{}} }

// row returns a record's row, if it is there.
func (s *store) row(seq uint64) (*row, bool) {
	p := s.parts[(seq-1)/partRows]
	if p == nil {
		return nil, false
	}
	if i := int((seq - 1) % partRows); i < len(p.rows) {
		return &p.rows[i], true
	}
	return nil, false
}

// want lists the parts that hold the given records and are not there, or not
// as far as the log reaches. They count as asked for. One that came back short
// is asked for again once the log has grown: it would be read without end.
func (s *store) want(seqs []uint64, head uint64) []uint64 {
	var out []uint64
	s.turn++
	for _, seq := range seqs {
		if seq == 0 || seq > head {
			continue
		}
		n := (seq - 1) / partRows
		p := s.parts[n]
		if p != nil {
			p.used = s.turn
		}
		full := min(head-n*partRows, partRows)
		if s.asked[n] > 0 || p != nil && (uint64(len(p.rows)) >= full || p.upTo >= head) {
			continue
		}
		s.asked[n] = head
		out = append(out, n)
	}
	return out
}

// fill puts a part that was read into its place, and drops what was not shown
// for longest.
func (s *store) fill(n uint64, rows []row) {
	upTo := s.asked[n]
	delete(s.asked, n)
	if old := s.parts[n]; old != nil && len(old.rows) > len(rows) {
		old.upTo = max(old.upTo, upTo)
		return
	}
	s.parts[n] = &stretch{rows: rows, used: s.turn, upTo: upTo}
	for len(s.parts) > keptParts {
		oldest, at := uint64(0), s.turn+1
		for k, p := range s.parts {
			if k != n && (p.used < at || p.used == at && k < oldest) {
				oldest, at = k, p.used
			}
		}
		delete(s.parts, oldest)
	}
}

// add puts rows behind those that are there. What does not join on is left out:
// its part is read when it is shown.
func (s *store) add(rows []row) {
	for i := range rows {
		n, at := (rows[i].seq-1)/partRows, int((rows[i].seq-1)%partRows)
		p := s.parts[n]
		switch {
		case p == nil && at == 0:
			s.fill(n, append(make([]row, 0, partRows), rows[i]))
		case p != nil && at == len(p.rows):
			p.rows = append(p.rows, rows[i])
		}
	}
}

// match is a filter: words that a row must all have, in any order and case.
// "kind:" and "task:" look at these alone; a leading ! turns the whole round.
type match struct {
	text   string
	not    bool
	kinds  []string
	tasks  []int
	words  []string
	broken string // why it can match nothing
}

func parseMatch(text string) match {
	f := match{text: text}
	rest := strings.TrimSpace(text)
	if r, ok := strings.CutPrefix(rest, "!"); ok {
		f.not, rest = true, r
	}
	for _, w := range strings.Fields(strings.ToLower(rest)) {
		switch k, v, ok := strings.Cut(w, ":"); {
		case ok && k == "kind" && v != "":
			f.kinds = append(f.kinds, v)
		case ok && k == "task":
			n, err := strconv.Atoi(v)
			if err != nil {
				f.broken = "task: takes a number"
			}
			f.tasks = append(f.tasks, n)
		default:
			f.words = append(f.words, w)
		}
	}
	return f
}

func (f match) empty() bool {
	return len(f.kinds) == 0 && len(f.tasks) == 0 && len(f.words) == 0
}

// row reports whether a row is shown.
func (f match) row(r *row) bool {
	return f.empty() || f.not != f.all(r)
}

func (f match) all(r *row) bool {
	for _, k := range f.kinds {
		if string(r.kind) != k {
			return false
		}
	}
	for _, n := range f.tasks {
		if r.task != n {
			return false
		}
	}
	return f.has(string(r.kind) + " " + r.title + " " + r.detail)
}

// has reports whether text holds all the words.
func (f match) has(text string) bool {
	text = strings.ToLower(text)
	for _, w := range f.words {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return true
}

// text reports whether a row of a list is shown, by its words.
func (f match) line(text string) bool {
	return len(f.words) == 0 || f.not != f.has(text)
}
