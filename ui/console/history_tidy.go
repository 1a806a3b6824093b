package console

import (
	"fmt"
	"strconv"
	"time"

	"a2ascope/session"
	"a2ascope/ui/clean"

	tea "charm.land/bubbletea/v2"
)

// Messages of what takes its time on the history screen.
type (
	// deletedMsg: sessions were deleted, or some of them.
	deletedMsg struct {
		n, of int
		err   error
	}
	// comparedMsg: two sessions were compared.
	comparedMsg struct {
		comparison session.Comparison
		err        error
	}
)

// askDelete asks before the picked sessions, or the selected one, are deleted.
func (m *model) askDelete() tea.Cmd {
	h := m.history
	ids := h.picked
	if len(ids) == 0 {
		ids = []string{h.sessionID()}
	}
	what := counted(len(ids), "picked session")
	if s := h.byID(ids[0]); len(ids) == 1 && s != nil {
		what = fmt.Sprintf("the session with %s of %s (%d records, %s)", peerName(s.PeerName, s.Typed), s.Started.Local().Format("2006-01-02 15:04"), s.Records, s.Session)
	}
	m.confirmDelete(what, ids)
	return nil
}

func (m *model) confirmDelete(what string, ids []string) {
	m.push(&dialog{
		title: "Delete for good?",
		text: []string{
			"Delete " + clean.Line(what, 200) + ".",
			"Its records, and the trust that rests on them, go and cannot be brought back. That it was there stays noted: its peer, its time, how many records it had and the hash of the last one.",
		},
		yes: "delete", no: "keep",
		onYes: func(m *model) tea.Cmd { return m.delete(ids) },
	})
}

func (m *model) delete(ids []string) tea.Cmd {
	m.history.working = "sessions are being deleted"
	src := m.opt.Sessions
	return func() tea.Msg {
		n, err := src.Delete(ids...)
		return deletedMsg{n, len(ids), err}
	}
}

func (m *model) deleted(msg deletedMsg) tea.Cmd {
	m.history.working = ""
	m.history.picked = nil
	switch {
	case msg.err != nil:
		m.fail(fmt.Sprintf("%d of %s deleted: %v", msg.n, counted(msg.of, "session"), msg.err))
	default:
		m.say(toastInfo, counted(msg.n, "session")+" deleted")
	}
	return m.loadHistory()
}

// askPrune asks for an age and then before all older sessions are deleted.
func (m *model) askPrune() tea.Cmd {
	cmd := m.openField(fieldPrune, "30")
	m.field.note = "delete sessions that began more than so many days ago"
	m.field.take = func(text string) (tea.Cmd, error) {
		days, err := strconv.Atoi(text)
		if err != nil || days < 1 {
			return nil, fmt.Errorf("%q is no number of days: write 1 or more", text)
		}
		edge := m.now().Add(-time.Duration(days) * 24 * time.Hour)
		var ids []string
		var total uint64
		for i := range m.history.sessions {
			if s := &m.history.sessions[i]; s.Started.Before(edge) {
				ids = append(ids, s.Session)
				total += s.Records
			}
		}
		if len(ids) == 0 {
			return nil, fmt.Errorf("no session is older than %s", counted(days, "day"))
		}
		m.confirmDelete(fmt.Sprintf("%s that began before %s (%d records)", counted(len(ids), "session"), edge.Local().Format("2006-01-02 15:04"), total), ids)
		return nil, nil
	}
	return cmd
}
