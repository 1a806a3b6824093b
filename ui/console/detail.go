package console

import (
	"fmt"
	"slices"

	"a2ascope/keymap"
	"a2ascope/session"
	"a2ascope/themes"
	"a2ascope/ui/clean"

	"github.com/charmbracelet/x/ansi"
)

// tabID is one way to look at what is selected.
type tabID string

const (
	tabPretty  tabID = "pretty"
	tabRaw     tabID = "raw"
	tabHeaders tabID = "headers"
	tabTiming  tabID = "timing"
	tabWhy     tabID = "why"
	tabTask    tabID = "task"
	tabClaim   tabID = "claim"
)

// subject is what the detail is about: the selection of the pane that had the
// focus last.
type subject int

const (
	aboutRecord subject = iota
	aboutTask
	aboutClaim
)

// detailPane shows all there is of one record, task or claim.
type detailPane struct {
	about subject
	rec   *session.Record // the record that was read last
	asked uint64          // record that is being read
	want  tabID           // tab that the operator chose last
	top   int
	x     int
	h     int
	w     int

	lines []string // made for key
	key   detailKey
}

// detailKey says what the lines were made of.
type detailKey struct {
	about subject
	seq   uint64 // of the record, or of the view
	id    string
	tab   tabID
	w     int
	theme string
	dark  bool
	mono  bool
}

// tabs are those that say something of the subject.
func (p *detailPane) tabs() []tabID {
	switch p.about {
	case aboutTask:
		return []tabID{tabTask}
	case aboutClaim:
		return []tabID{tabClaim}
	}
	switch r := p.rec; {
	case r == nil:
		return nil
	case r.Kind == session.KindFinding || r.Kind == session.KindDecision || r.Kind == session.KindObserved:
		return []tabID{tabWhy, tabPretty}
	case r.Kind == session.KindCard || r.Kind == session.KindFrame:
		return []tabID{tabPretty, tabRaw, tabTiming, tabWhy}
	case isWire(r.Kind):
		return []tabID{tabPretty, tabRaw, tabHeaders, tabTiming, tabWhy}
	case r.Kind == session.KindFault || r.Kind == session.KindClosed:
		return []tabID{tabPretty, tabTiming, tabWhy}
	}
	return []tabID{tabPretty, tabWhy}
}

// tab is the one that is shown.
func (p *detailPane) tab() tabID {
	tabs := p.tabs()
	switch {
	case slices.Contains(tabs, p.want):
		return p.want
	case len(tabs) > 0:
		return tabs[0]
	}
	return ""
}

// turn goes to another tab.
func (p *detailPane) turn(by int) {
	tabs := p.tabs()
	if len(tabs) == 0 {
		return
	}
	i := slices.Index(tabs, p.tab())
	p.want = tabs[(i+by+len(tabs))%len(tabs)]
	p.top, p.x = 0, 0
}

func (p *detailPane) move(a keymap.Action) {
	switch a {
	case keymap.Left:
		p.x = max(0, p.x-8)
	case keymap.Right:
		p.x = min(p.x+8, 1000)
	case keymap.Up:
		p.scroll(-1)
	case keymap.Down:
		p.scroll(1)
	default:
		p.scroll(moved(a, p.top, max(1, len(p.lines)-p.h+1), max(1, p.h-1)) - p.top)
	}
}

func (p *detailPane) scroll(by int) { p.top = clamp(p.top+by, 0, len(p.lines)-p.h) }

// pick makes another thing the subject.
func (p *detailPane) pick(about subject) {
	if p.about != about {
		p.about, p.top, p.x = about, 0, 0
	}
}

// got takes the record that was read.
func (p *detailPane) got(r *session.Record) {
	if p.rec == nil || r == nil || p.rec.Seq != r.Seq {
		p.top, p.x = 0, 0
	}
	p.rec = r
	p.key = detailKey{}
}

// view draws the part of the text that fits.
func (p *detailPane) view(m *model, w, h int) []string {
	p.h, p.w = max(1, h), w
	p.make(m, w)
	p.top = clamp(p.top, 0, len(p.lines)-p.h)
	lines := make([]string, 0, h)
	for i := p.top; i < min(len(p.lines), p.top+h); i++ {
		s := p.lines[i]
		if n := ansi.StringWidth(s); p.x > 0 || n > w-2 {
			s = ansi.Truncate(ansi.Cut(s, p.x, max(n, p.x)), w-2, "…")
		}
		lines = append(lines, " "+s+spaces(w-1-ansi.StringWidth(s)))
	}
	return lines
}

// make writes the text anew when what it is made of has changed.
func (p *detailPane) make(m *model, w int) {
	v := m.session.view
	key := detailKey{about: p.about, tab: p.tab(), w: w, theme: m.st.Name, dark: m.st.Dark, mono: m.st.Mono}
	switch p.about {
	case aboutRecord:
		if p.rec != nil {
			key.seq, key.id = p.rec.Seq, fmt.Sprint(len(v.Findings), len(v.Decisions))
		}
	case aboutTask:
		key.seq, key.id = v.Seq, fmt.Sprint(m.session.task.shown)
	case aboutClaim:
		c, _ := m.session.claims.selected()
		key.seq, key.id = v.Seq, string(c.ID)
	}
	if key == p.key && p.lines != nil {
		return
	}
	p.key = key
	t := &prose{st: &m.st, w: max(10, w-2)}
	switch {
	case p.about == aboutTask:
		t.task(v, m.session.task.shown)
	case p.about == aboutClaim:
		if c, ok := m.session.claims.selected(); ok {
			t.claim(v, &c, m.g)
		}
	case p.rec == nil:
		t.add(m.st.Faint, "nothing is selected")
	default:
		t.record(v, p.rec, key.tab)
	}
	p.lines = t.lines
}

// title is what the border says: the subject and its tabs.
func (p *detailPane) title(m *model) string {
	switch p.about {
	case aboutTask:
		return "Detail of the task"
	case aboutClaim:
		c, _ := m.session.claims.selected()
		return "Detail of " + string(c.ID)
	}
	if p.rec == nil {
		return "Detail"
	}
	return fmt.Sprintf("Detail of %s %d", p.rec.Kind, p.rec.Seq)
}

// prose is text that is being written, wrapped to a width.
type prose struct {
	st    *themes.Styles
	w     int
	lines []string
}

// maxProse bounds the lines of a detail.
const maxProse = 20000

// add writes a paragraph.
func (t *prose) add(st themes.Style, s string) {
	for _, l := range wrap(clean.Block(s), t.w, 0) {
		if len(t.lines) >= maxProse {
			return
		}
		t.lines = append(t.lines, st.Render(l))
	}
}

// gap writes one empty line between paragraphs.
func (t *prose) gap() {
	if n := len(t.lines); n > 0 && t.lines[n-1] != "" {
		t.lines = append(t.lines, "")
	}
}

// field writes a name and a value, the value's lines below each other.
func (t *prose) field(name, value string) { t.fieldIn(t.st.Text, name, value) }

func (t *prose) fieldIn(st themes.Style, name, value string) {
	if value == "" {
		return
	}
	const indent = 14
	label := cut(safe(name), indent-1)
	label += spaces(indent - width(label))
	for _, l := range wrap(clean.Block(value), max(10, t.w-indent), 200) {
		t.lines = append(t.lines, t.st.Muted.Render(label)+st.Render(l))
		label = spaces(indent)
	}
}
