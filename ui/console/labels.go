package console

import (
	"fmt"

	"a2ascope/themes"

	tea "charm.land/bubbletea/v2"
)

// labels writes into the top border of a pane.
func (s *sessionScreen) labels(m *model, c *canvas, p pane, r rect, focused bool) {
	st := m.st.Title
	if focused {
		st = m.st.TitleFocus
	}
	if s.lay.tabs && p != paneMessage && !(p == paneDetail && s.lay.panes[paneDetail].y > s.lay.panes[s.shownTop()].y) {
		s.tabLabels(m, c, p, r)
		return
	}
	title := [panes]string{s.task.title(), s.wire.title(), s.claims.title(), s.detail.title(m), "Message"}[p]
	end := c.label(r.x+2, r.y, st, cut(fmt.Sprintf(" %d %s ", p+1, title), r.w-4))
	m.zoned(rect{r.x + 2, r.y, end - r.x - 2, 1}, goTo(p))
	s.markLabel(m, c, p, r, 2+width(title)+4)
}

// goTo is a click on the name of a pane.
func goTo(p pane) func(m *model) tea.Cmd {
	return func(m *model) tea.Cmd { m.session.setFocus(p); return m.refill() }
}

// shownTop is the pane in the place that the tabs share.
func (s *sessionScreen) shownTop() pane {
	for _, p := range []pane{paneTask, paneWire, paneClaims} {
		if s.lay.panes[p].w > 0 {
			return p
		}
	}
	return paneDetail
}

// tabLabels names all panes that share one place; the one shown stands out.
func (s *sessionScreen) tabLabels(m *model, c *canvas, shown pane, r rect) {
	x := r.x + 2
	for _, p := range []pane{paneTask, paneWire, paneClaims, paneDetail} {
		if s.lay.panes[p].w > 0 && p != shown {
			continue
		}
		name := [panes]string{"Task", "Wire", "Claims", "Detail"}[p]
		from := x
		st := m.st.Title
		if p == shown {
			st = m.st.TitleFocus
			if p == paneWire {
				name = s.wire.title()
			} else if p == paneTask {
				name = s.task.title()
			}
			x = c.label(x, r.y, st, fmt.Sprintf("[%d %s]", p+1, name))
		} else {
			x = c.label(x, r.y, st, fmt.Sprintf(" %d %s ", p+1, name))
		}
		if n := s.claims.broken(); p == paneClaims && n > 0 { // seen from every tab
			gap := ""
			if p == shown {
				gap = " "
			}
			x = c.label(x, r.y, m.st.Bad, fmt.Sprintf("%s%s%d ", gap, m.g.bad, n))
		}
		m.zoned(rect{from, r.y, x - from, 1}, goTo(p))
	}
	s.markLabel(m, c, shown, r, x-r.x)
}

// markLabel writes at the right end of the border: following, tabs, place.
func (s *sessionScreen) markLabel(m *model, c *canvas, p pane, r rect, used int) {
	st := m.st.Title
	text := ""
	switch p {
	case paneWire:
		text = s.wire.mark(!s.review)
		if s.wire.fresh() > 0 {
			st = m.st.Notice
		}
	case paneClaims:
		if s.claims.said > 0 {
			text = fmt.Sprintf("%d of %d", s.claims.said, len(s.claims.claims))
		}
	case paneDetail:
		s.detailTabs(m, c, r, used)
		return
	case paneMessage:
		if s.focus == paneMessage {
			text = "enter sends"
		}
	}
	if text != "" && used+width(text)+4 <= r.w {
		c.label(r.x+r.w-width(text)-4, r.y, st, " "+text+" ")
	}
}

// detailTabs writes the ways to look at what is selected.
func (s *sessionScreen) detailTabs(m *model, c *canvas, r rect, used int) {
	tabs := s.detail.tabs()
	if len(tabs) < 2 {
		return
	}
	n := 0
	for _, t := range tabs {
		n += len(t) + 2
	}
	if used+n+2 > r.w {
		return
	}
	x := r.x + r.w - n - 2
	for _, t := range tabs {
		var st themes.Style
		text := " " + string(t) + " "
		if st = m.st.Title; t == s.detail.tab() {
			st, text = m.st.TitleFocus, "["+string(t)+"]"
		}
		from := x
		x = c.label(x, r.y, st, text)
		m.zoned(rect{from, r.y, x - from, 1}, func(m *model) tea.Cmd {
			s.setFocus(paneDetail)
			s.detail.want = t
			s.detail.toTop()
			return m.refill()
		})
	}
}
