package console

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"a2ascope/keymap"
	"a2ascope/session"
	"a2ascope/themes"
)

// wirePane is the wire log: a window on the session's records, which it does
// not hold. It sticks to the end until somebody scrolls away.
type wirePane struct {
	store  store
	head   uint64 // number of the last record
	sel    int    // place in the list of what is selected
	top    int    // place of the first line shown
	x      int    // cells scrolled to the right
	h      int    // lines shown when it was last drawn
	follow bool
	left   uint64 // head when following was let go

	filter   match
	filterID int
	hits     []uint64 // records that the filter shows, as far as was searched
	searched uint64
	busy     bool // a stretch is being searched
}

// numberedFrom is the width of a screen whose wire log shows record numbers.
const numberedFrom = 120

// titled is the width that a title may take in any case: the names of methods
// and rules fit.
const titled = 36

func newWire() wirePane { return wirePane{store: newStore(), follow: true, h: 20} }

// n is how many lines the list has.
func (p *wirePane) n() int {
	if p.filter.empty() {
		return int(p.head)
	}
	return len(p.hits)
}

// seq is the record at a place of the list; 0 where there is none.
func (p *wirePane) seq(i int) uint64 {
	switch {
	case i < 0 || i >= p.n():
		return 0
	case p.filter.empty():
		return uint64(i + 1)
	}
	return p.hits[i]
}

// selected is the record that is selected; 0 when the log is empty.
func (p *wirePane) selected() uint64 { return p.seq(p.sel) }

// grow takes notice of a longer log.
func (p *wirePane) grow(head uint64) {
	p.head = head
	p.stick()
}

// stick stays at the end while it is followed.
func (p *wirePane) stick() {
	if p.follow {
		p.sel = max(0, p.n()-1)
		p.left = p.head
	}
	p.sel = clamp(p.sel, 0, p.n()-1)
	p.top = window(p.top, p.sel, p.n(), p.h)
}

// fresh is how many records came since following was let go.
func (p *wirePane) fresh() uint64 {
	if p.follow {
		return 0
	}
	return p.head - p.left
}

// move goes to another line; going up lets go of the end.
func (p *wirePane) move(a keymap.Action) {
	page := max(1, p.h-1)
	switch a {
	case keymap.Left, keymap.Right:
		step := 8
		if a == keymap.Left {
			step = -8
		}
		p.x = clamp(p.x+step, 0, longest)
		return
	}
	p.to(moved(a, p.sel, p.n(), page))
	if a == keymap.Bottom {
		p.setFollow(true)
	}
}

// to selects a place.
func (p *wirePane) to(i int) {
	i = clamp(i, 0, p.n()-1)
	if i < p.sel || i < p.n()-1 {
		p.setFollow(false)
	}
	p.sel = i
	p.top = window(p.top, p.sel, p.n(), p.h)
}

// toSeq selects a record, or the one before it that the filter shows, and says
// whether the record itself is shown.
func (p *wirePane) toSeq(seq uint64) bool {
	if p.filter.empty() {
		p.to(int(seq) - 1)
		p.centre()
		return true
	}
	i, ok := slices.BinarySearch(p.hits, seq)
	p.to(i)
	p.centre()
	return ok
}

// match goes to the next line that the filter shows; after the last one to the
// first.
func (p *wirePane) match(by int) {
	if n := p.n(); n > 0 {
		p.to((p.sel + by + n) % n)
	}
}

// centre puts the selected line into the middle when it stands at an edge.
func (p *wirePane) centre() {
	if p.sel <= p.top || p.sel >= p.top+p.h-1 {
		p.top = clamp(p.sel-p.h/2, 0, p.n()-p.h)
	}
}

func (p *wirePane) setFollow(on bool) {
	if p.follow && !on {
		p.left = p.head
	}
	p.follow = on
	p.stick()
}

// wheel scrolls without taking the selection out of sight.
func (p *wirePane) wheel(by int) {
	p.top = clamp(p.top+by, 0, p.n()-p.h)
	p.to(clamp(p.sel, p.top, p.top+p.h-1))
	if by > 0 && p.top+p.h >= p.n() {
		p.setFollow(true)
	}
}

// setFilter shows only what matches, keeping the selected record or the one
// before it.
func (p *wirePane) setFilter(text string) {
	at := p.selected()
	p.filter, p.filterID = parseMatch(text), p.filterID+1
	p.hits, p.searched, p.busy = nil, 0, false
	if p.filter.empty() && at > 0 && !p.follow {
		p.sel = int(at) - 1
	}
	p.stick()
}

// found takes what a search brought.
func (p *wirePane) found(hits []uint64, upTo uint64) {
	p.hits = append(p.hits, hits...)
	p.searched = max(p.searched, upTo)
	p.stick()
}

// toSearch says from where the log must still be searched; 0 for nowhere.
func (p *wirePane) toSearch() uint64 {
	if p.filter.empty() || p.filter.broken != "" || p.busy || p.searched >= p.head {
		return 0
	}
	return p.searched + 1
}

// visible lists the records that are shown, and one page around them.
func (p *wirePane) visible() []uint64 {
	var out []uint64
	last := uint64(1<<64 - 1)
	for i := max(0, p.top-p.h); i < min(p.n(), p.top+2*p.h); i++ {
		if s := p.seq(i); s > 0 && (s-1)/partRows != last {
			last = (s - 1) / partRows
			out = append(out, s)
		}
	}
	return out
}

// title is what the border says.
func (p *wirePane) title() string {
	if p.filter.empty() {
		return "Wire"
	}
	return fmt.Sprintf("Wire /%s %d/%d", cut(p.filter.text, 24), len(p.hits), p.head)
}

// mark is what stands at the end of the border: following, or what is new.
func (p *wirePane) mark(live bool) string {
	if n := p.fresh(); n > 0 {
		return "▼ " + strconv.FormatUint(n, 10) + " new"
	}
	if p.follow && live {
		return "following"
	}
	return strconv.Itoa(p.sel+1) + "/" + strconv.Itoa(p.n())
}

// view draws the window. Only what is shown costs anything.
func (p *wirePane) view(m *model, w, h int, focused bool) []string {
	p.h = max(1, h)
	p.top = window(p.top, p.sel, p.n(), p.h)
	lines := make([]string, 0, h)
	if p.n() == 0 {
		why := "nothing recorded yet"
		switch {
		case p.filter.broken != "":
			why = p.filter.broken
		case p.head > 0:
			why = "nothing matches /" + p.filter.text
		}
		return append(lines, newLine(w).skip(1).put(m.st.Faint, why).end())
	}
	for i := p.top; i < min(p.n(), p.top+h); i++ {
		lines = append(lines, p.line(m, p.seq(i), w, i == p.sel, focused))
	}
	return lines
}

func (p *wirePane) line(m *model, seq uint64, w int, selected, focused bool) string {
	l := newLine(w)
	point(l, &m.st, selected, focused)
	r, ok := p.store.row(seq)
	if !ok {
		return l.put(m.st.Faint, "  "+strconv.FormatUint(seq, 10)+" …").end()
	}
	arrow, title := levelStyle(&m.st, r)
	muted := m.st.Muted
	if s := m.session; s.past.on && seq > s.past.seq { // of what was to come
		arrow, title, muted = m.st.Faint, m.st.Faint, m.st.Faint
	}
	if m.w >= numberedFrom {
		l.right(m.st.Faint, strconv.FormatUint(seq, 10), max(3, len(strconv.FormatUint(p.head, 10)))).skip(1)
	}
	l.right(m.st.Faint, m.when(r), 8).skip(1).put(arrow, r.arrow).skip(1)
	text, detail := r.title, r.detail
	if p.x > 0 {
		text, detail = shift(text, detail, p.x)
	}
	column := 0
	if w >= 60 && detail != "" {
		column = min(26, w/3)
	}
	room := l.left
	if detail != "" { // a long name leaves room for what it brought
		room = max(column, titled, l.left*3/5)
	}
	l.cell(title, text, max(column, min(width(text), room)))
	if detail != "" {
		l.skip(1).put(muted, detail)
	}
	return l.end()
}

// point begins a line of a list: the selected one is marked by its shape too.
func point(l *line, st *themes.Styles, selected, focused bool) {
	switch {
	case selected && focused:
		l.lay(st.Selected).put(st.Key, "▌")
	case selected:
		l.lay(st.SelectedOff).put(st.Faint, "▌")
	default:
		l.skip(1)
	}
}

// shift leaves out the first x cells of title and detail.
func shift(title, detail string, x int) (string, string) {
	if n := width(title); x >= n {
		return "", cutLeft(detail, x-n)
	}
	return cutLeft(title, x), detail
}

// when writes a record's time: of the session, or of the day.
func (m *model) when(r *row) string {
	if m.byWall {
		return r.wall.Local().Format("15:04:05")
	}
	return sinceStart(r.at)
}

// sinceStart writes session time in at most eight cells.
func sinceStart(d time.Duration) string {
	switch {
	case d < 100*time.Second:
		return fmt.Sprintf("+%.3f", d.Seconds())
	case d < time.Hour:
		return fmt.Sprintf("+%d:%04.1f", int(d.Minutes()), (d % time.Minute).Seconds())
	}
	return fmt.Sprintf("+%d:%02d:%02d", int(d.Hours()), int(d.Minutes())%60, int(d.Seconds())%60)
}

// moved is where a movement leads in a list of n lines.
func moved(a keymap.Action, at, n, page int) int {
	switch a {
	case keymap.Up:
		at--
	case keymap.Down:
		at++
	case keymap.PageUp:
		at -= page
	case keymap.PageDown:
		at += page
	case keymap.HalfUp:
		at -= max(1, page/2)
	case keymap.HalfDown:
		at += max(1, page/2)
	case keymap.Top:
		at = 0
	case keymap.Bottom:
		at = n - 1
	}
	return clamp(at, 0, n-1)
}

// isKind reports whether a record carries wire bytes.
func isWire(k session.Kind) bool {
	return k == session.KindRequest || k == session.KindResponse || k == session.KindFrame || k == session.KindPush
}
