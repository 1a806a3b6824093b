package console

import (
	"fmt"
	"strings"
	"time"

	"a2ascope/keymap"
	"a2ascope/session"
	"a2ascope/themes"
	"a2ascope/ui/clean"

	tea "charm.land/bubbletea/v2"
)

// historyScreen lists what was recorded: sessions, and decisions.
type historyScreen struct {
	tab       int // 0: sessions, 1: decisions
	tables    [2]table
	sessions  []session.Summary
	decisions []DecisionRow
	loaded    bool
}

// loadHistory reads both lists.
func (m *model) loadHistory() tea.Cmd {
	src := m.opt.Sessions
	if src == nil {
		return nil
	}
	return func() tea.Msg {
		var msg historyMsg
		msg.sessions, msg.err = src.List(Filter{Limit: 5000})
		if msg.err == nil {
			msg.decisions, msg.err = src.Decisions()
		}
		return msg
	}
}

func (h *historyScreen) fill(m *model, sessions []session.Summary, decisions []DecisionRow) {
	h.sessions, h.decisions = sessions, decisions
	if !h.loaded {
		h.tables[0] = newTable(column{title: "When", w: 16}, column{title: "Peer", share: 3}, column{title: "Result", share: 4},
			column{title: "Tasks", share: 3, wide: true}, column{title: "Records", w: 7, right: true})
		h.tables[1] = newTable(column{title: "When", w: 16}, column{title: "Peer", share: 3}, column{title: "Decision", share: 4},
			column{title: "Now", w: 8}, column{title: "By", w: 8, wide: true}, column{title: "Reason", share: 5, wide: true})
		h.loaded = true
	}
	h.tables[0].fill(h.sessionRows(m))
	h.tables[1].fill(h.decisionRows(m))
}

func (h *historyScreen) sessionRows(m *model) []tableRow {
	rows := make([]tableRow, len(h.sessions))
	for i, s := range h.sessions {
		result, st := m.g.ok+" nothing contradicted", goodStyle
		if n := len(s.Contradicted); n > 0 {
			ids := make([]string, n)
			for k, c := range s.Contradicted {
				ids[k] = string(c)
			}
			result, st = m.g.bad+" "+strings.Join(ids, ", "), badStyle
		}
		name := clean.Line(s.PeerName, 60)
		if name == "" {
			name = clean.Line(s.Typed, 80)
		}
		if s.Origin != "" && !m.opt.Demo {
			name += " (" + clean.Line(s.Origin, 12) + ")"
		}
		rows[i] = tableRow{
			cells:  []string{s.Started.Local().Format("2006-01-02 15:04"), name, result, clean.Line(taskStates(s), 80), fmt.Sprint(s.Records)},
			sort:   []string{s.Started.UTC().Format(time.RFC3339Nano), "", "", "", fmt.Sprintf("%012d", s.Records)},
			styles: []func(*themes.Styles) themes.Style{plainStyle, strongStyle, st},
			ref:    i,
		}
	}
	return rows
}

// taskStates says what came of a session's tasks.
func taskStates(s session.Summary) string {
	switch {
	case s.Tasks == 0:
		return "none"
	case s.Tasks == 1 && len(s.States) == 1:
		return "1 " + orDash(s.States[0])
	}
	return fmt.Sprintf("%d %s", s.Tasks, strings.Join(s.States, ", "))
}

func (h *historyScreen) decisionRows(m *model) []tableRow {
	var rows []tableRow
	for _, active := range []bool{true, false} {
		for i, d := range h.decisions {
			if d.Active != active {
				continue
			}
			at, _ := time.Parse(time.RFC3339Nano, d.Decision.At)
			name := clean.Line(d.Name, 60)
			if name == "" {
				name = clean.Line(d.Peer, 80)
			}
			what, now, st := strings.TrimSpace(string(d.Decision.Action)+" "+string(d.Decision.Claim)), "past", mutedStyle
			if active {
				now, st = "in force", warnStyle
			}
			rows = append(rows, tableRow{
				cells:  []string{at.Local().Format("2006-01-02 15:04"), name, what, now, clean.Line(d.Decision.By, 8), clean.Line(d.Decision.Reason, 200)},
				sort:   []string{at.UTC().Format(time.RFC3339Nano)},
				styles: []func(*themes.Styles) themes.Style{plainStyle, strongStyle, nil, st},
				ref:    i, dim: !active,
			})
		}
	}
	return rows
}

// current is the list that is shown.
func (h *historyScreen) current() *table { return &h.tables[h.tab] }

func (h *historyScreen) setFilter(text string) { h.current().setFilter(text) }

// sessionID is the session that is selected, directly or through a decision.
func (h *historyScreen) sessionID() string {
	i := h.current().selected()
	switch {
	case i < 0:
		return ""
	case h.tab == 0:
		return h.sessions[i].Session
	}
	return h.decisions[i].Session
}

func (h *historyScreen) disabled(b keymap.Binding) string {
	if (b.Action == keymap.Open || b.Action == keymap.Continue || b.Action == keymap.Copy) && h.sessionID() == "" {
		return "no session is selected"
	}
	return ""
}

func (h *historyScreen) draw(m *model) []string {
	c := m.surface()
	c.put(rect{0, 0, m.w, 1}, []string{listHeader(m, "History")})
	r := rect{0, 1, m.w, m.h - 3}
	c.frame(r, heavy, m.st.BorderFocus)
	x := 2
	for i, name := range []string{"Sessions", "Decisions"} {
		if i == h.tab {
			x = c.label(x, r.y, m.st.TitleFocus, "["+name+"]")
		} else {
			x = c.label(x, r.y, m.st.Title, " "+name+" ")
		}
	}
	empty := "nothing was recorded yet"
	if !h.loaded {
		empty = "reading…"
	}
	putTable(m, c, r, h.current(), empty)
	return c.lines()
}

// actHistory carries an action out on this screen.
func (m *model) actHistory(b keymap.Binding) tea.Cmd {
	h := m.history
	if b.Context == keymap.Move {
		h.current().move(b.Action)
		return nil
	}
	switch b.Action {
	case keymap.Open:
		cmd := m.open(openReview, h.sessionID(), "")
		if h.tab == 1 {
			m.opening.show = h.decisions[h.current().selected()].Decision.ID
		}
		return cmd
	case keymap.Continue:
		return m.open(openContinue, h.sessionID(), "")
	case keymap.TabNext, keymap.TabPrev:
		h.tab = 1 - h.tab
	case keymap.Filter:
		return m.openField(fieldFilter, h.current().filter.text)
	case keymap.Sort:
		h.current().sortNext()
	case keymap.SortOrder:
		h.current().turn()
	case keymap.Refresh:
		return m.loadHistory()
	case keymap.Copy:
		return m.copyText(h.sessionID(), "the session's id")
	case keymap.Back:
		m.screen = screenPeers
		return m.loadPeers()
	case keymap.Dismiss:
		switch {
		case m.opening != nil:
			return m.giveUp()
		case !h.current().filter.empty():
			h.setFilter("")
		default:
			m.screen = screenPeers
			return m.loadPeers()
		}
	}
	return nil
}
