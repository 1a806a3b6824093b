package console

import (
	"fmt"
	"os"
	"os/exec"
	"strings"

	"a2ascope/keymap"
	"a2ascope/session"
	"a2ascope/ui/clean"

	tea "charm.land/bubbletea/v2"
)

// offered are the commands that may help where something stands in the way.
func (s *sessionScreen) offered() []session.Suggestion { return s.latest.Peer.Suggestions }

// offerText is what the status line says of them.
func (s *sessionScreen) offerText(m *model) string {
	o := s.offered()
	if len(o) == 0 {
		return ""
	}
	text := m.keys.Key(keymap.Fallback) + " " + clean.Line(o[0].Line, 60)
	if len(o) > 1 {
		text += fmt.Sprintf(" or %d more", len(o)-1)
	}
	return text + ": " + clean.Line(o[0].Why, 90) // the key first: the rest may be cut
}

// takeOffer carries the only offer out, or asks which of them.
func (m *model) takeOffer() tea.Cmd {
	offers := m.session.offered()
	if len(offers) == 1 {
		return m.take(offers[0])
	}
	p := &picker{input: newLineInput(), title: "What may help"}
	for _, o := range offers {
		p.entries = append(p.entries, entry{name: clean.Line(o.Line, 200), help: clean.Line(o.Line+": "+o.Why, 400), do: func(m *model) tea.Cmd { return m.take(o) }})
	}
	p.search()
	m.push(p)
	return nil
}

// take carries an offer out. What takes a word of the operator's, and all that
// gives a credential away, comes onto the command line first.
func (m *model) take(o session.Suggestion) tea.Cmd {
	if strings.Contains(o.Line, "$") || strings.HasPrefix(o.Line, "auth ") || strings.HasPrefix(o.Line, "header ") {
		return m.openField(fieldCommand, o.Line)
	}
	return m.run(o.Line, nil)
}

// askWithheld asks about credentials that a request to another origin went
// without: once an origin. They go there only when the console is started so.
func (m *model) askWithheld(rows []row) {
	s := m.session
	for i := range rows {
		r := &rows[i]
		origin := session.OriginOf(r.url)
		if r.withheld == "" || origin == "" || s.review || s.kept[origin] || len(m.layers) > 0 || m.field != nil {
			continue
		}
		if s.kept == nil {
			s.kept = map[string]bool{}
		}
		s.kept[origin] = true
		line := fmt.Sprintf("a2ascope --session %s --allow-origin %s", s.view.Session, origin)
		m.push(&dialog{
			title: "Send credentials to another origin?",
			text: []string{
				"The card sends calls to " + clean.Line(origin, 80) + ", which is not the origin that you typed. So " + clean.Line(r.withheld, 80) + " stayed here, and the call went without.",
				"To send it there from now on, go on with the session like this:",
				clean.Line(line, 160),
			},
			no: "keep it here", yes: "copy that line",
			onYes: func(m *model) tea.Cmd { return m.copyText(line, "the line; leave with q and run it") },
		})
		return
	}
}

// editor opens the message in the operator's own editor.
func (m *model) editor() tea.Cmd {
	command := ""
	for _, name := range []string{"VISUAL", "EDITOR"} {
		if command == "" {
			command = strings.TrimSpace(m.env(name))
		}
	}
	if command == "" {
		m.say(toastWarn, "set VISUAL or EDITOR to the editor that you want")
		return nil
	}
	s := m.session
	f, err := os.CreateTemp("", "a2ascope-message-*.txt")
	if err == nil {
		_, err = f.WriteString(s.message.edit.value())
		if cerr := f.Close(); err == nil {
			err = cerr
		}
	}
	if err != nil {
		m.fail("writing the message to a file for the editor: " + err.Error())
		return nil
	}
	words := append(strings.Fields(command), f.Name())
	gen := m.gen
	return tea.ExecProcess(exec.Command(words[0], words[1:]...), func(err error) tea.Msg {
		return edited(gen, f.Name(), err)
	})
}

// edited reads what the editor left, and takes its file away.
func edited(gen int, path string, err error) editedMsg {
	msg := editedMsg{gen: gen, err: err}
	if err == nil {
		var data []byte
		if data, msg.err = os.ReadFile(path); msg.err == nil {
			msg.text = strings.TrimRight(string(data), "\n")
		}
	}
	if rerr := os.Remove(path); msg.err == nil {
		msg.err = rerr
	}
	return msg
}

// gotEdited puts it into the message field.
func (m *model) gotEdited(msg editedMsg) tea.Cmd {
	if msg.err != nil {
		m.fail("the editor: " + msg.err.Error())
		return nil
	}
	m.session.message.edit.set("")
	m.session.message.edit.insert(msg.text)
	return nil
}

// env is a variable of the environment that the console was given.
func (m *model) env(name string) string {
	if m.opt.Env == nil {
		return os.Getenv(name)
	}
	for _, e := range m.opt.Env {
		if v, ok := strings.CutPrefix(e, name+"="); ok {
			return v
		}
	}
	return ""
}
