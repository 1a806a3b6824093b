package console

import (
	"fmt"
	"strings"

	"a2ascope/keymap"
	"a2ascope/themes"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// textBox shows a text that can be scrolled and searched: help, errors.
type textBox struct {
	title  string
	make   func(st *themes.Styles, w int) []string
	plain  string // what y copies
	search *lineInput
	typing bool // the search
	lines  []string
	top    int
	h      int
}

func (b *textBox) context() keymap.Context { return keymap.Move }

func (b *textBox) key(m *model, k tea.KeyPressMsg) tea.Cmd {
	if b.typing {
		return b.searchKey(m, k)
	}
	if k.String() == "y" && b.plain != "" {
		return m.copyText(b.plain, "the errors")
	}
	found, ok := m.keys.Lookup(keyName(k), keymap.Move, keymap.Session, keymap.Everywhere)
	switch {
	case !ok:
	case found.Context == keymap.Move:
		b.top = moved(found.Action, b.top, max(1, len(b.lines)-b.h+1), max(1, b.h-1))
	case found.Action == keymap.Filter:
		b.typing = true
	case found.Action == keymap.Dismiss && !b.search.empty():
		b.search.set("")
	case found.Action == keymap.Dismiss, found.Action == keymap.Back, found.Action == keymap.Help, found.Action == keymap.Errors:
		m.pop()
	}
	return nil
}

// searchKey takes a key while the search is typed.
func (b *textBox) searchKey(m *model, k tea.KeyPressMsg) tea.Cmd {
	found, ok := m.keys.Lookup(keyName(k), keymap.Line)
	switch {
	case ok && found.Action == keymap.LineAccept:
		b.typing = false
	case ok && found.Action == keymap.LineLeave:
		b.typing = false
		b.search.set("")
	case !ok:
		b.search.key(k)
		b.top = 0
	}
	return nil
}

// footer says what the keys do here.
func (b *textBox) footer(m *model, l *line) string {
	if b.typing {
		return l.put(m.st.Key, "enter").put(m.st.KeyName, " keep  ").put(m.st.Key, "esc").put(m.st.KeyName, " drop").end()
	}
	l.put(m.st.Key, "↑ ↓").put(m.st.KeyName, " scroll  ").put(m.st.Key, m.keys.Key(keymap.Filter)).put(m.st.KeyName, " search  ")
	if b.plain != "" {
		l.put(m.st.Key, "y").put(m.st.KeyName, " copy  ")
	}
	return l.put(m.st.Key, m.keys.Key(keymap.Dismiss)).put(m.st.KeyName, " close").end()
}

func (b *textBox) view(m *model) (rect, []string) {
	w := clamp(m.w-8, 52, 100)
	all := b.make(&m.st, w-6)
	b.lines = all
	title := b.title
	if f := parseMatch(b.search.value()); !f.empty() {
		b.lines = nil
		for _, s := range all {
			if f.line(ansi.Strip(s)) {
				b.lines = append(b.lines, s)
			}
		}
		title = fmt.Sprintf("%s /%s %d", b.title, f.text, len(b.lines))
	} else if b.typing {
		title += " /"
	}
	b.h = max(1, min(len(all), m.h-6))
	b.top = clamp(b.top, 0, len(b.lines)-b.h)
	body := make([]string, b.h)
	for i := range body {
		s := ""
		if b.top+i < len(b.lines) {
			s = b.lines[b.top+i]
		}
		body[i] = " " + padTo(s, w-5)
	}
	if len(b.lines) > b.h {
		title += fmt.Sprintf(" (%d–%d of %d)", b.top+1, min(len(b.lines), b.top+b.h), len(b.lines))
	}
	return boxed(m, strings.TrimSpace(title), body, w)
}
