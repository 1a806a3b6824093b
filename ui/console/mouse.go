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

// pointed takes what the mouse does: the wheel scrolls what is under the
// pointer, a click selects, a second one opens.
func (m *model) pointed(msg tea.MouseMsg) tea.Cmd {
	if !m.mouse || m.w < minWidth || m.h < minHeight {
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
		if e.Button == tea.MouseLeft && len(m.layers) == 0 && m.field == nil {
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
		if b, ok := m.layers[n-1].(*textBox); ok {
			for range wheelStep {
				scroll(&b.box, a)
			}
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
		s.task.sel = clamp(s.task.top+row, 0, len(s.task.items)-1)
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
