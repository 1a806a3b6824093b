package console

import (
	"fmt"
	"slices"
	"strings"

	"a2ascope/keymap"
	"a2ascope/session"
	"a2ascope/themes"
	"a2ascope/ui/clean"

	"charm.land/bubbles/v2/viewport"
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
	box   viewport.Model
	key   detailKey // what its text was made of
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
	p.toTop()
}

func (p *detailPane) move(a keymap.Action) {
	scroll(&p.box, a)
}

// scroll moves in a finite text.
func scroll(box *viewport.Model, a keymap.Action) {
	switch a {
	case keymap.Left:
		box.ScrollLeft(8)
	case keymap.Right:
		box.ScrollRight(8)
	case keymap.Up:
		box.ScrollUp(1)
	case keymap.Down:
		box.ScrollDown(1)
	case keymap.PageUp:
		box.PageUp()
	case keymap.PageDown:
		box.PageDown()
	case keymap.HalfUp:
		box.HalfPageUp()
	case keymap.HalfDown:
		box.HalfPageDown()
	case keymap.Top:
		box.GotoTop()
	case keymap.Bottom:
		box.GotoBottom()
	}
}

func (p *detailPane) toTop() {
	p.box.GotoTop()
	p.box.SetXOffset(0)
}

// pick makes another thing the subject.
func (p *detailPane) pick(about subject) {
	if p.about != about {
		p.about = about
		p.toTop()
	}
}

// got takes the record that was read.
func (p *detailPane) got(r *session.Record) {
	if p.rec == nil || r == nil || p.rec.Seq != r.Seq {
		p.toTop()
	}
	p.rec = r
	p.key = detailKey{}
}

// view draws the part of the text that fits.
func (p *detailPane) view(m *model, w, h int) []string {
	p.make(m, w)
	return shown(&p.box, w, h)
}

// shown draws the part of a finite text that is seen, a blank on either side.
func shown(box *viewport.Model, w, h int) []string {
	box.SetWidth(max(1, w-2))
	box.SetHeight(max(1, h))
	lines := strings.Split(box.View(), "\n")
	for i := range lines {
		lines[i] = " " + padTo(lines[i], w-1)
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
	if key == p.key {
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
	p.box.SetContentLines(t.lines)
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
