package console

import (
	"errors"
	"fmt"

	"a2ascope/session"

	tea "charm.land/bubbletea/v2"
)

// Secret is a variable that credentials name, and that neither a file nor the
// environment answers for.
type Secret struct {
	Name  string
	Given bool // it was typed into this console before
}

// isCredential reports whether a command names secrets.
func isCredential(c *session.Command) bool { return c.Name == "auth" || c.Name == "header" }

// askSecrets asks for the values of variables, one after the other, and goes on
// with then. Leaving a question gives all of it up. A value is kept in memory
// alone: what is sent to the log is its name.
func (m *model) askSecrets(wanted []Secret, what string, then func(m *model) tea.Cmd) tea.Cmd {
	if len(wanted) == 0 {
		return then(m)
	}
	w := wanted[0]
	m.field = &field{kind: fieldSecret, edit: newLineInput(), at: -1, sign: "$" + w.Name + " ▸ ", note: "not shown, and kept in memory alone; the log holds the name"}
	if w.Given {
		m.field.note += " · enter alone keeps"
	}
	m.field.left = what + ": not done, since $" + w.Name + " has no value"
	m.field.take = func(value string) (tea.Cmd, error) {
		switch {
		case value == "" && !w.Given:
			return nil, errors.New("a value is missing; esc gives it up")
		case value != "":
			m.opt.Sessions.Give(w.Name, value)
		}
		m.field = nil
		return m.askSecrets(wanted[1:], what, then), nil
	}
	return nil
}

// credential gives a credential command to the runner, once its secrets are
// there. What the runner refuses is forgotten.
func (m *model) credential(line string) tea.Cmd {
	wanted := m.opt.Sessions.Wanted(line)
	return m.askSecrets(wanted, "the credential", func(m *model) tea.Cmd {
		run := m.run(line, nil)
		if len(wanted) > 0 {
			m.session.typed = append(m.session.typed, typedSecrets{line, wanted})
		}
		return run
	})
}

// typedSecrets are values that were typed for a line.
type typedSecrets struct {
	line    string
	secrets []Secret
}

// forget drops the values that were typed for a line which was refused: they
// are asked for anew.
func (m *model) forget(line string) {
	s := m.session
	kept := s.typed[:0]
	for _, t := range s.typed {
		if t.line != line {
			kept = append(kept, t)
			continue
		}
		for _, x := range t.secrets {
			m.opt.Sessions.Give(x.Name, "")
		}
	}
	s.typed = kept
}

// askCarried asks for what the credentials of a session that goes on name and
// nothing answers for any more, and gives those credentials again.
func (m *model) askCarried() tea.Cmd {
	var lines []string
	var wanted []Secret
	seen := map[string]bool{}
	for _, line := range m.session.latest.Peer.Credentials {
		lacks := false
		for _, w := range m.opt.Sessions.Wanted(line) {
			if w.Given {
				continue
			}
			lacks = true
			if !seen[w.Name] {
				seen[w.Name] = true
				wanted = append(wanted, w)
			}
		}
		if lacks {
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		return nil
	}
	m.say(toastInfo, fmt.Sprintf("this session used %s, which has no value now", "$"+wanted[0].Name))
	return m.askSecrets(wanted, "the credentials of before", func(m *model) tea.Cmd {
		var cmds []tea.Cmd
		for _, line := range lines {
			cmds = append(cmds, m.run(line, nil))
		}
		return tea.Sequence(cmds...)
	})
}

// lackingFor are the secrets that a session which is to be opened needs and
// that were not given yet.
func (m *model) lackingFor(how openKind) []Secret {
	if how == openReview || m.opt.Sessions == nil {
		return nil
	}
	var out []Secret
	for _, w := range m.opt.Sessions.Wanted("") {
		if !w.Given {
			out = append(out, w)
		}
	}
	return out
}
