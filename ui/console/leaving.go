package console

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// leave goes back to the peers or the history, asking when something is open.
func (m *model) leave(history bool) tea.Cmd {
	s := m.session
	if n := len(s.latest.Streams) + len(s.latest.Waiting) + len(s.latest.Pending); n > 0 && !s.review {
		m.push(&dialog{
			title: "Leave the session?",
			text:  []string{s.openText(), "Leaving ends the session in order; its record stays. The peer's task goes on unless it is canceled."},
			yes:   "leave", no: "stay",
			onYes: func(m *model) tea.Cmd { return m.left(history) },
		})
		return nil
	}
	return m.left(history)
}

// openText says what is still open.
func (s *sessionScreen) openText() string {
	var parts []string
	for _, c := range []struct {
		n    int
		one  string
		many string
	}{{len(s.latest.Streams), "stream is", "streams are"}, {len(s.latest.Waiting), "answer is awaited,", "answers are awaited,"}, {len(s.latest.Pending), "command is under way,", "commands are under way,"}} {
		switch {
		case c.n == 1:
			parts = append(parts, "1 "+c.one)
		case c.n > 1:
			parts = append(parts, fmt.Sprintf("%d %s", c.n, c.many))
		}
	}
	text := strings.TrimSuffix(strings.Join(parts, " "), ",")
	if len(s.latest.Streams) > 0 {
		text += " open"
	}
	return "Still open: " + text + "."
}

// left ends the session and shows the list that it came from.
func (m *model) left(history bool) tea.Cmd {
	s := m.session
	review := s.review
	m.gen++
	m.session, m.layers, m.field = nil, nil, nil
	close(s.gone)
	if id := s.view.Session; id != "" && !review {
		m.say(toastInfo, "session "+id+" is in the history")
	}
	stop := func() tea.Msg { s.stop("quit"); return nil }
	if s.given != nil && !history { // back to where the task comes from
		return tea.Sequence(stop, m.open(openReview, s.given.of.Session, ""))
	}
	if history || review {
		m.screen = screenHistory
		return tea.Sequence(stop, m.loadHistory())
	}
	m.screen = screenPeers
	return tea.Sequence(stop, m.loadPeers())
}

// giveUp stops waiting for a session that is being opened.
func (m *model) giveUp() tea.Cmd {
	m.opening.stop()
	m.opening = nil
	m.gen++
	m.say(toastInfo, "given up")
	return m.askAgain()
}
