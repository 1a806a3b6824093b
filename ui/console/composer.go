package console

import (
	"fmt"
	"strings"

	"a2ascope/keymap"
	"a2ascope/session"
	"a2ascope/session/a2a"

	tea "charm.land/bubbletea/v2"
)

// composer is the field in which messages are written, and how they are sent.
type composer struct {
	edit *areaInput
	how  string // the command: send, stream or resume
}

func newComposer() composer { return composer{edit: newAreaInput(), how: "send"} }

var sendings = []string{"send", "stream", "resume"}

// commandLine turns what was typed into a line of the command language. Flags
// in front ("--data '{}' --file a.pdf look at this") are the command's; the
// rest is the text, whatever it holds.
func (c *composer) commandLine() string {
	typed := strings.TrimSpace(c.edit.value())
	if plain := c.how + " " + typed; saysJust(plain, typed) {
		return plain
	}
	flags, text := cutFlags(c.how, typed)
	parts := []string{c.how}
	if flags != "" {
		parts = append(parts, flags)
	}
	if text = strings.TrimSpace(text); text != "" {
		parts = append(parts, "--", session.QuoteWord(text))
	}
	return strings.Join(parts, " ")
}

// saysJust reports whether a line sends exactly the text, with nothing read as
// a flag, a quote or an ampersand.
func saysJust(line, text string) bool {
	c, err := session.ParseCommand(line)
	return err == nil && c.Text == text && !c.Background && !strings.Contains(text, "--")
}

// cutFlags separates the flags that stand in front of a text from it. A flag's
// value goes with it.
func cutFlags(command, s string) (flags, text string) {
	takes := map[string]bool{}
	if u, ok := session.UsageOf(command); ok {
		for _, f := range u.Flags {
			takes[f.Name] = f.Value != ""
		}
	}
	rest := strings.TrimLeft(s, " \t\n")
	start := rest
	for strings.HasPrefix(rest, "--") {
		w := firstWord(rest)
		after := strings.TrimLeft(rest[len(w):], " \t\n")
		if w == "--" {
			return strings.TrimSpace(start[:len(start)-len(rest)]), after
		}
		if takes[w] {
			after = strings.TrimLeft(after[len(firstWord(after)):], " \t\n")
		}
		rest = after
	}
	return strings.ReplaceAll(strings.TrimSpace(start[:len(start)-len(rest)]), "\n", " "), rest
}

// firstWord is the first word of s as the command language reads it: quotes
// hold blanks.
func firstWord(s string) string {
	var quote rune
	escaped := false
	for i, r := range s {
		switch {
		case escaped:
			escaped = false
		case quote == '"' && r == '\\':
			escaped = true
		case quote != 0:
			if r == quote {
				quote = 0
			}
		case r == '\'' || r == '"':
			quote = r
		case r == ' ' || r == '\t' || r == '\n':
			return s[:i]
		}
	}
	return s
}

// suggest puts a first command where it can be sent with enter: a message into
// the message field, anything else onto the command line.
func (m *model) suggest(command string) tea.Cmd {
	s := m.session
	if command == "" || s.review {
		return nil
	}
	name, text, _ := strings.Cut(command, " ")
	for _, how := range sendings {
		if name == how {
			s.message.how = how
			s.message.edit.set(text)
			s.setFocus(paneMessage)
			return nil
		}
	}
	return m.openField(fieldCommand, command)
}

// messageKey takes a key while a message is being written.
func (m *model) messageKey(k tea.KeyPressMsg) tea.Cmd {
	s := m.session
	b, bound := m.keys.Lookup(keyName(k), keymap.Message)
	if bound {
		switch b.Action {
		case keymap.MessageSend:
			return m.sendMessage()
		case keymap.MessageBreak:
			s.message.edit.insert("\n")
		case keymap.MessageKind:
			s.message.cycle()
			if t, ok := s.currentTask(); ok && a2a.State(t.State).Interrupted() && s.message.how != "resume" {
				m.say(toastWarn, fmt.Sprintf("task %d waits for input: a %s answers it all the same; --new in front begins another task", t.N, s.message.how))
			}
		case keymap.HistoryPrev:
			if !s.message.edit.vertical(-1) {
				s.message.edit.recall(-1)
			}
		case keymap.HistoryNext:
			if !s.message.edit.vertical(1) {
				s.message.edit.recall(1)
			}
		case keymap.MessageEditor:
			if why := s.writable(m); why != "" {
				m.say(toastWarn, why)
				return nil
			}
			return m.editor()
		case keymap.MessageLeave:
			s.setFocus(s.last)
		case keymap.FocusNext, keymap.FocusPrev:
			return m.actSession(b)
		}
		return nil
	}
	if why := s.writable(m); why != "" {
		m.say(toastWarn, why)
		return nil
	}
	if s.message.edit.key(k) {
		return nil
	}
	if b, ok := m.keys.Lookup(keyName(k), keymap.Everywhere); ok && b.Action != keymap.Dismiss {
		return m.act(b)
	}
	return nil
}

func (c *composer) cycle() {
	for i, how := range sendings {
		if how == c.how {
			c.how = sendings[(i+1)%len(sendings)]
			return
		}
	}
}

// sendMessage gives the message to the runner. The text is kept for history.
func (m *model) sendMessage() tea.Cmd {
	s := m.session
	if why := s.writable(m); why != "" {
		m.say(toastWarn, why)
		return nil
	}
	text := s.message.edit.value()
	if strings.TrimSpace(text) == "" {
		m.say(toastWarn, "the message is empty")
		return nil
	}
	line := s.message.commandLine()
	if _, err := session.ParseCommand(line); err != nil {
		m.say(toastError, err.Error())
		return nil
	}
	s.message.edit.past.remember(text)
	s.message.edit.set("")
	s.setFocus(s.last)
	return m.run(line, nil)
}

// view draws the field; the cursor is within it.
func (c *composer) view(m *model, w, h int, focused bool) (lines []string, x, y int) {
	if why := m.session.writable(m); why != "" {
		return []string{newLine(w).skip(1).put(m.st.Faint, why).end()}, 1, 0
	}
	label := c.how + " ▸ "
	n := width(label) + 1
	st := m.st.Muted
	if focused {
		st = m.st.Key
	}
	if c.edit.empty() {
		hint := "a message · --data JSON and --file PATH in front add parts"
		if n+width(hint) > w {
			hint = "a message"
		}
		return []string{newLine(w).skip(1).put(st, label).put(m.st.Placeholder, hint).end()}, n, 0
	}
	rows, x, y := c.edit.view(&m.st, w-n-1, h)
	for i, r := range rows {
		l := newLine(n)
		if i == 0 {
			l.skip(1).put(st, label)
		}
		lines = append(lines, l.end()+r+" ")
	}
	return lines, n + x, y
}

// rowsWanted is how many lines the text asks for.
func (c *composer) rowsWanted(w int) int {
	return c.edit.rows(w - width(c.how) - 7)
}
