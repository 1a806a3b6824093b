package console

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"a2ascope/keymap"
	"a2ascope/session"
	"a2ascope/ui/clean"

	"charm.land/bubbles/v2/viewport"
	tea "charm.land/bubbletea/v2"
)

// sessionScreen is one session, live or under review.
type sessionScreen struct {
	live   Live
	review bool
	gone   chan struct{} // closed when the screen was left: nobody waits any more

	view   *session.View // what is shown
	latest *session.View // what there is; differs while the view is paused
	paused bool

	focus pane
	last  pane // that had the focus before the message field
	zoom  bool
	lay   layout

	task    taskPane
	wire    wirePane
	claims  claimsPane
	detail  detailPane
	message composer

	past      pastView
	banner    *announcement
	announced int // number of the last decision that was looked at
	reported  int // number of the last command whose outcome was told
	asked     time.Time
	ahead     *session.Record // the log's last one, read along with the view
	hint      string          // what to try with an embedded peer
	kept      map[string]bool // origins that credentials were kept from, and the operator was asked about
	typed     []typedSecrets  // for credential lines
	given     *handover       // task of another session that this one goes on with
	ending    sync.Once
}

// stop ends the session, once.
func (s *sessionScreen) stop(reason string) { s.ending.Do(func() { s.live.Stop(reason) }) }

// end notes where a task went, if one did, and ends the session.
func (s *sessionScreen) end(given *handover, at string) tea.Msg {
	var err error
	if given != nil && !s.review {
		_, err = s.live.Command(given.note(at), "operator")
	}
	s.stop("quit")
	if err != nil {
		return notedMsg{"session " + s.view.Session + " could not note that its task went to " + at + ": " + err.Error()}
	}
	return nil
}

func newSession(live Live, review bool) *sessionScreen {
	s := &sessionScreen{
		live: live, review: review, gone: make(chan struct{}), focus: paneWire, last: paneWire,
		task: newTask(), wire: newWire(), message: newComposer(), detail: detailPane{box: viewport.New()}, announced: -1, reported: -1,
	}
	s.view = live.View()
	s.latest = s.view
	return s
}

func (s *sessionScreen) restyle() { s.detail.key = detailKey{} }

// contexts are those in force on this screen, outside of the message field.
func (s *sessionScreen) contexts() []keymap.Context {
	inner := [panes]keymap.Context{keymap.Task, keymap.Wire, keymap.Claims, keymap.Detail, keymap.Message}[s.focus]
	if s.focus == paneMessage {
		return []keymap.Context{keymap.Message}
	}
	out := []keymap.Context{inner, keymap.Session, keymap.Move, keymap.Everywhere}
	if s.past.on {
		out = append([]keymap.Context{keymap.Past}, out...)
	}
	if s.focus == paneWire && !s.wire.filter.empty() {
		out = append([]keymap.Context{keymap.Found}, out...)
	}
	return out
}

// writable says why nothing can be added to the session; empty when it can.
func (s *sessionScreen) writable(m *model) string {
	switch {
	case s.review:
		key := m.keys.Key(keymap.Continue, keymap.Session)
		return "under review: read-only; " + key + " goes on with this session"
	case s.latest.Ended != "":
		return "the session has ended (" + clean.Line(s.latest.Ended, 40) + ")"
	}
	return ""
}

// awaits reports whether an answer is awaited, so that clocks must run.
func (s *sessionScreen) awaits() bool {
	return !s.review && (len(s.view.Waiting) > 0 || len(s.view.Pending) > 0 || len(s.view.Streams) > 0)
}

// viewed takes a newer view.
func (m *model) viewed(v *session.View) tea.Cmd {
	s := m.session
	s.latest = v
	m.announce(v)
	m.report(v)
	sent := m.sendHandover(v)
	if s.past.on {
		s.wire.grow(v.Seq)
		return tea.Batch(sent, m.refill())
	}
	if s.paused {
		return sent
	}
	s.view = v
	s.task.show(v, m.g)
	s.claims.show(v)
	s.wire.grow(v.Seq)
	cmds := []tea.Cmd{sent, m.refill()}
	if s.awaits() {
		cmds = append(cmds, m.hurry())
	}
	return tea.Batch(cmds...)
}

// refill asks for what is shown and not there: parts of the log, the selected
// record, a stretch to search.
func (m *model) refill() tea.Cmd {
	s := m.session
	if s == nil {
		return nil
	}
	s.place(m)
	var cmds []tea.Cmd
	for _, n := range s.wire.store.want(s.wire.visible(), s.wire.head) {
		cmds = append(cmds, m.readRows(n))
	}
	if from := s.wire.toSearch(); from > 0 {
		s.wire.busy = true
		cmds = append(cmds, m.searchRows(s.wire.filterID, s.wire.filter, from))
	}
	if r := s.ahead; r != nil && r.Seq == s.wire.selected() {
		s.detail.got(r)
		s.ahead = nil
	}
	if seq := s.wire.selected(); seq > 0 && s.detail.asked == 0 && (s.detail.rec == nil || s.detail.rec.Seq != seq) {
		s.detail.asked = seq
		cmds = append(cmds, m.readRecord(seq))
	}
	cmds = append(cmds, m.asOf())
	return tea.Batch(cmds...)
}

func (m *model) gotRows(msg rowsMsg) tea.Cmd {
	s := m.session
	if msg.err != nil {
		delete(s.wire.store.asked, msg.part)
		m.fail("reading the log: " + msg.err.Error())
		return nil
	}
	s.wire.store.fill(msg.part, msg.rows)
	m.askWithheld(msg.rows)
	return m.refill()
}

func (m *model) gotRecord(msg recordMsg) tea.Cmd {
	s := m.session
	s.detail.asked = 0
	if msg.err != nil {
		m.fail(fmt.Sprintf("reading record %d: %v", msg.seq, msg.err))
		return nil
	}
	if msg.rec == nil {
		return nil
	}
	s.detail.got(msg.rec)
	return m.refill()
}

func (m *model) gotMatches(msg matchedMsg) tea.Cmd {
	s := m.session
	if msg.filter != s.wire.filterID {
		return nil
	}
	s.wire.busy = false
	if msg.err != nil {
		m.fail("searching the log: " + msg.err.Error())
		return nil
	}
	if msg.upTo <= s.wire.searched {
		return nil // nothing came: asked for again at once, it would be without end
	}
	s.wire.found(msg.hits, msg.upTo)
	return m.refill()
}

// commanded notes that something was asked for, for the spinner.
func (s *sessionScreen) commanded(now time.Time) { s.asked = now }

// commandTaken tells what the runner thinks of a line.
func (m *model) commandTaken(msg commandedMsg) tea.Cmd {
	if msg.err == nil {
		if msg.from != nil && m.field == msg.from {
			m.field = nil
		}
		return m.hurry()
	}
	if msg.from != nil && m.field == msg.from {
		msg.from.trouble = clean.Line(msg.err.Error(), 0)
		m.keep(msg.line + ": " + msg.from.trouble)
		return nil
	}
	m.forget(msg.line)
	m.fail(msg.line + ": " + msg.err.Error())
	return nil
}

// report tells how the last command ended, unless it simply worked.
func (m *model) report(v *session.View) {
	s := m.session
	c := v.Last
	if s.reported < 0 || s.review {
		s.reported = c.N
		if c.N == 0 || c.Over || s.review {
			return
		}
		s.reported = c.N - 1
	}
	if c.N <= s.reported || !c.Over {
		return
	}
	s.reported = c.N
	text := clean.Line(c.Line, clamp(m.w/4, 16, 60)) + ": " + clean.Line(c.Detail, 400)
	switch {
	case c.Result == session.ResultCannot || c.Result == session.ResultRanOut:
		m.fail(text)
	case c.Result != session.ResultOK || strings.HasPrefix(c.Detail, "refused: "):
		m.refuse(text)
	case strings.HasPrefix(c.Line, "export "):
		if _, path, ok := strings.Cut(c.Detail, " to "); ok {
			text = "written: " + clean.Line(path, 300)
		}
		m.say(toastInfo, text)
	case c.Detail != "":
		m.say(toastInfo, text)
	}
}

// setFocus moves the focus, and makes the detail follow it.
func (s *sessionScreen) setFocus(p pane) {
	s.focus = p
	if p != paneMessage {
		s.last = p
	}
	switch p {
	case paneTask:
		s.detail.pick(aboutTask)
	case paneWire:
		s.detail.pick(aboutRecord)
	case paneClaims:
		s.detail.pick(aboutClaim)
	}
}

// shown is the pane that tabs and zoom show.
func (s *sessionScreen) shown() pane {
	if s.focus == paneMessage && !s.zoom {
		return s.last
	}
	return s.focus
}

// place lays the screen out.
func (s *sessionScreen) place(m *model) {
	banner := 0
	if s.banner != nil {
		banner = 2
	}
	s.lay = arrange(m.w, m.h, s.shown(), s.zoom, banner, s.message.rowsWanted(m.w))
	if s.lay.small {
		return
	}
	if r := s.lay.panes[paneWire]; r.w > 0 {
		s.wire.h = max(1, r.inner().h)
	}
}

// draw draws the screen but its two last rows.
func (s *sessionScreen) draw(m *model) ([]string, *tea.Cursor) {
	s.place(m)
	c := m.surface()
	c.put(s.lay.header, []string{s.header(m)})
	if s.banner != nil {
		c.put(s.lay.banner, s.banner.view(m, m.w))
	}
	var cursor *tea.Cursor
	for p := range pane(panes) {
		if s.lay.panes[p].w > 0 {
			c.frame(s.lay.panes[p], light, m.st.Border)
		}
	}
	if r := s.lay.panes[s.focus]; r.w > 0 {
		c.frame(r, heavy, m.st.BorderFocus)
	}
	for p := range pane(panes) {
		r := s.lay.panes[p]
		if r.w == 0 {
			continue
		}
		in := r.inner()
		focused := p == s.focus
		var lines []string
		switch p {
		case paneTask:
			lines = s.task.view(m, in.w, in.h, focused)
		case paneWire:
			lines = s.wire.view(m, in.w, in.h, focused)
		case paneClaims:
			lines = s.claims.view(m, in.w, in.h, focused)
		case paneDetail:
			lines = s.detail.view(m, in.w, in.h)
		case paneMessage:
			var x, y int
			lines, x, y = s.message.view(m, in.w, in.h, focused)
			if focused && s.writable(m) == "" {
				cursor = tea.NewCursor(in.x+x, in.y+y)
			}
		}
		for len(lines) < in.h {
			lines = append(lines, spaces(in.w))
		}
		c.put(in, lines)
		s.labels(m, c, p, r, focused)
	}
	return c.lines(), cursor
}
