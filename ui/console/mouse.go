package console

import (
	"time"

	"a2ascope/keymap"

	tea "charm.land/bubbletea/v2"
)

// click is the last one, to know a double click by.
type click struct {
	x, y int
	at   time.Time
}

// doubled is how soon a second click on the same line opens it.
const doubled = 400 * time.Millisecond

// wheelStep is how many lines the wheel moves.
const wheelStep = 3

// zone is a part of the screen where a click does something of its own: the
// name of a tab, an answer.
type zone struct {
	rect
	do func(m *model) tea.Cmd
}

// zoned makes a part of the last frame clickable.
func (m *model) zoned(r rect, do func(m *model) tea.Cmd) {
	m.zones = append(m.zones, zone{r, do})
}

// pointed takes what the mouse does: the wheel scrolls what is under the
// pointer, a click selects, a second one opens.
func (m *model) pointed(msg tea.MouseMsg) tea.Cmd {
	if !m.mouse || m.small() {
		return nil
	}
	e := msg.Mouse()
	switch msg.(type) {
	case tea.MouseWheelMsg:
		by := wheelStep
		switch e.Button {
		case tea.MouseWheelUp:
			by = -wheelStep
		case tea.MouseWheelDown:
		default:
			return nil
		}
		return m.wheeled(e.X, e.Y, by)
	case tea.MouseClickMsg:
		if e.Button != tea.MouseLeft {
			return nil
		}
		for _, z := range m.zones {
			if z.has(e.X, e.Y) {
				return z.do(m)
			}
		}
		if len(m.layers) == 0 && m.field == nil {
			return m.clicked(e.X, e.Y)
		}
	case tea.MouseMotionMsg:
		if e.Button == tea.MouseLeft {
			m.say(toastInfo, "to select text: hold shift, or "+m.keys.Key(keymap.Mouse)+" gives the mouse to the terminal")
		}
	}
	return nil
}

func (m *model) wheeled(x, y, by int) tea.Cmd {
	a := keymap.Down
	if by < 0 {
		a = keymap.Up
	}
	if n := len(m.layers); n > 0 {
		switch l := m.layers[n-1].(type) {
		case *textBox:
			for range wheelStep {
				scroll(&l.box, a)
			}
		case *picker:
			l.sel = moved(a, l.sel, len(l.shown), l.h)
		}
		return nil
	}
	s := m.session
	if m.screen != screenSession || s == nil {
		t := m.listTable()
		for range wheelStep {
			t.move(a)
		}
		return nil
	}
	p, ok := s.lay.at(x, y)
	if !ok {
		return nil
	}
	switch p {
	case paneWire:
		s.wire.wheel(by)
	case paneDetail:
		for range wheelStep {
			scroll(&s.detail.box, a)
		}
	case paneTask, paneClaims:
		for range wheelStep {
			if p == paneTask {
				s.task.move(a)
			} else {
				s.claims.move(a)
			}
		}
	}
	return m.refill()
}

func (m *model) listTable() *table {
	if m.screen == screenHistory {
		return m.history.current()
	}
	return &m.peers.table
}

func (m *model) clicked(x, y int) tea.Cmd {
	now := m.now()
	twice := m.click.x == x && m.click.y == y && now.Sub(m.click.at) < doubled
	m.click = click{x, y, now}
	s := m.session
	if m.screen != screenSession || s == nil {
		t := m.listTable()
		i := t.top + y - 3 // header, border, head of the table
		if i < t.top || i >= len(t.shown) || i >= t.top+t.h {
			return nil
		}
		t.sel = i
		if twice {
			return m.act(keymap.Binding{Action: keymap.Open, Context: map[bool]keymap.Context{true: keymap.History, false: keymap.Peers}[m.screen == screenHistory]})
		}
		return nil
	}
	p, ok := s.lay.at(x, y)
	if !ok {
		return nil
	}
	row := y - s.lay.panes[p].inner().y
	s.setFocus(p)
	switch p {
	case paneTask:
		s.task.pointAt(row)
	case paneWire:
		s.wire.to(s.wire.top + row)
	case paneClaims:
		s.claims.sel, s.claims.next = clamp(s.claims.top+row, 0, len(s.claims.claims)-1), 0
	}
	if twice && p == paneClaims {
		m.evidence()
	} else if twice {
		m.drill()
	}
	return m.refill()
}
