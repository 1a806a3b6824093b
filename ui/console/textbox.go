package console

import (
	"fmt"
	"strings"

	"a2ascope/keymap"
	"a2ascope/themes"

	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/viewport"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// textBox shows a text that can be scrolled and searched: help, errors.
type textBox struct {
	title   string
	make    func(st *themes.Styles, w int) []string
	plain   string // what y copies
	copies  string // what that is, for people
	wide    bool   // takes the width that there is
	enter   string // what enter does; empty for nothing
	onEnter func(m *model) tea.Cmd
	// other is what otherKey does, where there is one more thing to do.
	other, otherKey string
	onOther         func(m *model) tea.Cmd
	search          *lineInput
	typing          bool // the search
	box             viewport.Model
	from            string // what its lines were made of
}

func (b *textBox) context() keymap.Context { return keymap.Move }

func (b *textBox) key(m *model, k tea.KeyPressMsg) tea.Cmd {
	if b.typing {
		return b.searchKey(m, k)
	}
	if k.String() == "y" && b.plain != "" {
		return m.copyText(b.plain, b.copies)
	}
	if k.String() == "enter" && b.enter != "" {
		m.pop()
		return b.onEnter(m)
	}
	if b.other != "" && k.String() == b.otherKey {
		return b.onOther(m)
	}
	found, ok := m.keys.Lookup(keyName(k), keymap.Move, keymap.Session, keymap.Everywhere)
	switch {
	case !ok:
	case found.Context == keymap.Move:
		scroll(&b.box, found.Action)
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
		b.box.GotoTop()
	}
	return nil
}

// shortHelp says what the keys do here.
func (b *textBox) shortHelp(m *model) []key.Binding {
	say := func(k, what string) key.Binding { return key.NewBinding(key.WithKeys(k), key.WithHelp(k, what)) }
	if b.typing {
		return []key.Binding{say("enter", "keep"), say("esc", "drop")}
	}
	copies := say("y", "copy")
	copies.SetEnabled(b.plain != "")
	enters := say("enter", b.enter)
	enters.SetEnabled(b.enter != "")
	others := say(b.otherKey, b.other)
	others.SetEnabled(b.other != "")
	return []key.Binding{enters, others, say("↑ ↓", "scroll"), say(m.keys.Key(keymap.Filter), "search"), copies, say(m.keys.Key(keymap.Dismiss), "close")}
}

func (b *textBox) view(m *model) (rect, []string) {
	w := clamp(m.w-8, 52, 100)
	if b.wide {
		w = m.w - 4
	}
	all := b.make(&m.st, w-6)
	lines := all
	title := b.title
	if f := parseMatch(b.search.value()); !f.empty() {
		lines = nil
		for _, s := range all {
			if f.line(ansi.Strip(s)) {
				lines = append(lines, s)
			}
		}
		title = fmt.Sprintf("%s /%s %d", b.title, f.text, len(lines))
	} else if b.typing {
		title += " /"
	}
	if from := strings.Join(lines, "\n"); from != b.from || len(lines) == 0 {
		b.box.SetContentLines(lines)
		b.from = from
	}
	h := max(1, min(len(all), m.h-6))
	body := shown(&b.box, w-4, h)
	if len(lines) > h {
		top := b.box.YOffset()
		title += fmt.Sprintf(" (%d–%d of %d)", top+1, min(len(lines), top+h), len(lines))
	}
	return boxed(m, strings.TrimSpace(title), body, w)
}
