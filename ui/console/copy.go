package console

import (
	"fmt"
	"strings"

	"a2ascope/session"
	"a2ascope/themes"
	"a2ascope/ui/clean"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// maxCopy bounds what is put onto the clipboard: terminals refuse more.
const maxCopy = 72 << 10

// copyText puts text onto the clipboard, without what a terminal would obey.
func (m *model) copyText(text, what string) tea.Cmd {
	text = clean.Block(text)
	if strings.TrimSpace(text) == "" {
		m.say(toastWarn, "there is nothing to copy")
		return nil
	}
	note := ""
	if len(text) > maxCopy {
		text, note = strings.ToValidUTF8(text[:maxCopy], ""), fmt.Sprintf(", its first %d KiB", maxCopy>>10)
	}
	m.say(toastInfo, "copied "+what+note)
	return tea.SetClipboard(text)
}

// copy copies what is selected: its line, or the whole of it.
func (m *model) copy(long bool) tea.Cmd {
	s := m.session
	switch s.detail.about {
	case aboutClaim:
		c, ok := s.claims.selected()
		if !ok {
			return nil
		}
		if long {
			return m.copyText(m.proseOf(func(t *prose) { t.claim(s.view, &c, m.g) }), "all of "+string(c.ID))
		}
		sign, word, _ := m.g.verdictText(&m.st, &c)
		return m.copyText(fmt.Sprintf("%s: declared %s, observed %s %s (%s)", c.ID, c.Declared, sign, word, c.Observed), string(c.ID))
	case aboutTask:
		if long {
			return m.copyText(m.proseOf(func(t *prose) { t.task(s.view, s.task.shown) }), "the task")
		}
		if t := s.task.shown; t >= 0 && t < len(s.view.Tasks) {
			k := &s.view.Tasks[t]
			if n := len(k.TaskIDs); n > 0 {
				return m.copyText(k.TaskIDs[n-1], "the task's id")
			}
			return m.copyText(k.Correlation, "the correlation id")
		}
		return m.copyText(s.view.Peer.CardURL, "the card's address")
	}
	return m.copyRecord(long)
}

func (m *model) copyRecord(long bool) tea.Cmd {
	s := m.session
	if !long {
		r, ok := s.wire.store.row(s.wire.selected())
		if s.wire.selected() == 0 || !ok {
			m.say(toastWarn, "there is nothing to copy")
			return nil
		}
		return m.copyText(strings.TrimSpace(fmt.Sprintf("%d %s %s %s %s", r.seq, sinceStart(r.at), r.arrow, r.title, r.detail)), "the line")
	}
	r := s.detail.rec
	if r == nil {
		m.say(toastWarn, "there is nothing to copy")
		return nil
	}
	what := fmt.Sprintf("record %d", r.Seq)
	switch {
	case r.Kind == session.KindFinding || r.Kind == session.KindDecision:
		return m.copyText(m.proseOf(func(t *prose) { t.why(s.view, r) }), what)
	case len(r.Raw) > 0:
		return m.copyText(string(r.Raw), what+", its wire bytes")
	}
	return m.copyText(string(r.Body), what)
}

// proseOf is a detail as plain text.
func (m *model) proseOf(write func(*prose)) string {
	t := &prose{st: &themes.Styles{}, w: 100}
	write(t)
	return ansi.Strip(strings.Join(t.lines, "\n"))
}
