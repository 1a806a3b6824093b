package console

import (
	"fmt"
	"strings"
	"time"

	"a2ascope/keymap"
	"a2ascope/themes"
	"a2ascope/ui/clean"

	tea "charm.land/bubbletea/v2"
)

// peersScreen lists the peers that are known, or the embedded ones of a demo.
type peersScreen struct {
	table     table
	scenarios []Scenario
	peers     []PeerRow
	loaded    bool
}

func newPeers(o Options) *peersScreen {
	p := &peersScreen{}
	if o.Demo && o.Sessions != nil {
		p.scenarios = o.Sessions.Scenarios()
	}
	if len(p.scenarios) > 0 {
		p.table = newTable(column{title: "Peer", w: 20}, column{title: "Kind", w: 8}, column{title: "What it does", share: 5})
		var rows []tableRow
		for i, s := range p.scenarios {
			word, st := "honest", goodStyle
			if s.Lies {
				word, st = "lies", badStyle
			}
			rows = append(rows, tableRow{cells: []string{s.Name, word, s.Title}, styles: []func(*themes.Styles) themes.Style{strongStyle, st, plainStyle}, ref: i})
		}
		p.table.fill(rows)
		p.loaded = true
		return p
	}
	p.table = newTable(column{title: "Peer", share: 2}, column{title: "Trust", share: 3}, column{title: "Speaks", w: 12, wide: true}, column{title: "Card", w: 8, wide: true},
		column{title: "Sessions", w: 8, right: true}, column{title: "Last seen", w: 10, right: true})
	return p
}

// loadPeers reads the known peers.
func (m *model) loadPeers() tea.Cmd {
	if len(m.peers.scenarios) > 0 || m.opt.Sessions == nil {
		return nil
	}
	src := m.opt.Sessions
	return func() tea.Msg {
		rows, err := src.Peers()
		return peersMsg{rows, err}
	}
}

// fill takes what was read.
func (p *peersScreen) fill(m *model, peers []PeerRow) {
	p.peers, p.loaded = peers, true
	rows := make([]tableRow, len(peers))
	for i, r := range peers {
		name := clean.Line(r.Name, 60)
		if name == "" {
			name = clean.Line(r.URL, 80)
		}
		trust, st := trustGlance(m.g, r)
		rows[i] = tableRow{
			cells:  []string{name, trust, clean.Line(strings.Replace(r.Speaks, "JSONRPC", "JSON-RPC", 1), 16), clean.Line(r.CardVersion, 12), fmt.Sprint(r.Sessions), ago(m.now(), r.LastSeen)},
			sort:   []string{"", "", "", "", fmt.Sprintf("%09d", r.Sessions), r.LastSeen.UTC().Format(time.RFC3339Nano)},
			styles: []func(*themes.Styles) themes.Style{strongStyle, st},
			ref:    i,
		}
	}
	p.table.fill(rows)
}

// trustGlance is a peer's trust in a few words.
func trustGlance(g glyphs, r PeerRow) (string, func(*themes.Styles) themes.Style) {
	from := ""
	if r.Origin != "" {
		from = " (" + clean.Line(r.Origin, 12) + ")"
	}
	switch n := len(r.Demoted); {
	case n > 0:
		return fmt.Sprintf("%s %d demoted: %s", g.bad, n, claimNames(r.Demoted)), badStyle
	case len(r.Contradicted) > 0:
		return g.bad + " last session: " + claimNames(r.Contradicted) + from, badStyle
	case r.Verified > 0:
		return fmt.Sprintf("%s %d states and modes proven%s", g.ok, r.Verified, from), goodStyle
	}
	return g.none + " as declared" + from, mutedStyle
}

// ago writes how long since.
func ago(now, at time.Time) string {
	d := now.Sub(at)
	switch {
	case at.IsZero():
		return "–"
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return fmt.Sprintf("%d min ago", int(d.Minutes()))
	case d < 24*time.Hour:
		return fmt.Sprintf("%d h ago", int(d.Hours()))
	case d < 14*24*time.Hour:
		return fmt.Sprintf("%d d ago", int(d.Hours()/24))
	}
	return at.Local().Format("2006-01-02")
}

// draw draws the screen: the list, and below it what the selected peer is.
func (p *peersScreen) draw(m *model) []string {
	c := m.surface()
	title := "Peers"
	if len(p.scenarios) > 0 {
		title = "Embedded peers"
	}
	c.put(rect{0, 0, m.w, 1}, []string{listHeader(m, strings.ToLower(title))})
	note := p.note(m)
	below := 0
	if len(note) > 0 && m.h >= 20 {
		below = noteRows
	}
	r := rect{0, 1, m.w, m.h - 3 - below}
	if below > 0 {
		r.h++
		putNote(m, c, rect{0, r.y + r.h - 1, m.w, below}, p.noteTitle(), note)
	}
	c.frame(r, heavy, m.st.BorderFocus)
	c.label(2, r.y, m.st.TitleFocus, " "+title+" ")
	empty := "no peer is known yet: " + m.keys.Key(keymap.OpenURL, keymap.Peers) + " opens one by its address, and “a2ascope demo” has some built in"
	if !p.loaded {
		empty = "reading…"
	}
	putTable(m, c, r, &p.table, empty)
	return c.lines()
}

// noteRows is how many rows the note below a list takes, borders included.
const noteRows = 6

// putNote draws what is said of the selected line.
func putNote(m *model, c *canvas, d rect, title string, note [][2]string) {
	c.frame(d, light, m.st.Border)
	c.label(2, d.y, m.st.Title, " "+title+" ")
	in := d.inner()
	t := &prose{st: &m.st, w: in.w - 2}
	for _, n := range note {
		t.field(n[0], n[1])
	}
	var lines []string
	for i := range in.h {
		s := spaces(in.w)
		if i < len(t.lines) {
			s = " " + padTo(t.lines[i], in.w-1)
		}
		lines = append(lines, s)
	}
	c.put(in, lines)
}

// putTable draws a table within a frame.
func putTable(m *model, c *canvas, r rect, t *table, empty string) {
	in := r.inner()
	lines := t.view(m, in.w, in.h, empty)
	for len(lines) < in.h {
		lines = append(lines, spaces(in.w))
	}
	c.put(in, lines)
}

// listHeader is the first line of the screens that are lists.
func listHeader(m *model, what string) string {
	l := newLine(m.w).skip(1).put(m.st.Strong, "a2ascope").put(m.st.Muted, " · "+what)
	if m.opt.Demo {
		l.put(m.st.Muted, " · demo, no network")
	}
	v := clean.Line(m.opt.Version, 30)
	return l.skip(l.left-width(v)-1).put(m.st.Faint, v).end()
}

func (p *peersScreen) noteTitle() string {
	if len(p.scenarios) > 0 {
		return "What to try"
	}
	return "This peer"
}

// note is what is said of the selected peer.
func (p *peersScreen) note(m *model) [][2]string {
	i := p.table.selected()
	switch {
	case i < 0:
		return nil
	case len(p.scenarios) > 0:
		s := p.scenarios[i]
		return [][2]string{{s.Name, s.Title}, {"try", s.Try}, {"enter", "opens a session, with “" + firstCommand(s) + "” ready to send"}}
	}
	r := p.peers[i]
	trust, _ := trustGlance(m.g, r)
	return [][2]string{{"address", clean.Line(r.URL, 0)}, {"trust", trust}, {"last seen", r.LastSeen.Local().Format("2006-01-02 15:04:05")}, {"enter", "opens a new session; H lists those of before"}}
}

// scenario is the embedded peer of an address.
func (m *model) scenario(url string) (Scenario, bool) {
	for _, s := range m.peers.scenarios {
		if s.URL == url || s.URL == url+"@1.0" {
			return s, true
		}
	}
	return Scenario{}, false
}

// firstCommand is what a scenario begins with: said outright, or the first
// step of what to try.
func firstCommand(s Scenario) string {
	if s.First != "" {
		return s.First
	}
	first := s.Try
	if i := strings.IndexAny(first, ",;:"); i >= 0 {
		first = first[:i]
	}
	for _, how := range sendings[:2] {
		if strings.HasPrefix(first, how+" ") {
			return first
		}
	}
	return "send task hello"
}

// address is that of the selected peer; empty when none is selected.
func (p *peersScreen) address() string {
	switch i := p.table.selected(); {
	case i < 0:
		return ""
	case len(p.scenarios) > 0:
		return p.scenarios[i].URL
	default:
		return p.peers[i].URL
	}
}

// addresses are those of all peers of the list.
func (p *peersScreen) addresses() []string {
	var out []string
	for i := range p.scenarios {
		out = append(out, p.scenarios[i].URL)
	}
	for i := range p.peers {
		out = append(out, p.peers[i].URL)
	}
	return out
}

// actPeers carries an action out on this screen.
func (m *model) actPeers(b keymap.Binding) tea.Cmd {
	p := m.peers
	if b.Context == keymap.Move {
		p.table.move(b.Action)
		return nil
	}
	switch b.Action {
	case keymap.Open:
		i := p.table.selected()
		switch {
		case i < 0:
		case len(p.scenarios) > 0:
			return m.open(openPeer, p.scenarios[i].URL, firstCommand(p.scenarios[i]))
		default:
			return m.open(openPeer, p.peers[i].URL, "")
		}
	case keymap.OpenURL:
		return m.openField(fieldURL, "")
	case keymap.Filter:
		return m.openField(fieldFilter, p.table.filter.text)
	case keymap.NextMatch:
		p.table.match(1)
	case keymap.PrevMatch:
		p.table.match(-1)
	case keymap.Sort:
		p.table.sortNext()
	case keymap.SortOrder:
		p.table.turn()
	case keymap.Refresh:
		return m.loadPeers()
	case keymap.Cards:
		return m.askCards(p.address())
	case keymap.ToHistory:
		m.screen = screenHistory
		return m.loadHistory()
	case keymap.Copy:
		if at := p.address(); at != "" {
			return m.copyText(at, "the address")
		}
	case keymap.Back:
		return m.quit()
	case keymap.Dismiss:
		switch {
		case m.opening != nil:
			return m.giveUp()
		case !p.table.filter.empty():
			p.table.setFilter("")
		default:
			m.toast = toast{}
		}
	}
	return nil
}

// listStatus is the status line of the screens that are lists.
func (m *model) listStatus() []piece {
	if p, ok := m.huntStatus(); ok {
		return []piece{p}
	}
	if n := m.matchCount(); n != "" {
		if m.screen == screenPeers && len(m.peers.scenarios) > 0 && m.peers.table.filter.empty() {
			return []piece{{m.st.Text, "pick a peer and press enter; leaky-cancel is a good first one"}, {m.st.Muted, n}}
		}
		return []piece{{m.st.Muted, n}}
	}
	return []piece{{m.st.Faint, "nothing under way"}}
}

// matchCount says how many lines a filter shows.
func (m *model) matchCount() string {
	var t *table
	switch {
	case m.screen == screenHistory:
		t = m.history.current()
	case m.screen == screenPeers:
		t = &m.peers.table
	case m.session != nil:
		w := &m.session.wire
		if w.filter.broken != "" {
			return w.filter.broken
		}
		if w.filter.empty() {
			return fmt.Sprintf("%d records", w.head)
		}
		return fmt.Sprintf("%d/%d", len(w.hits), w.head)
	default:
		return ""
	}
	if t.filter.empty() {
		return fmt.Sprintf("%d", len(t.rows)) + " in the list"
	}
	return fmt.Sprintf("/%s %d/%d", t.filter.text, len(t.shown), len(t.rows))
}
