package console

import (
	"fmt"
	"slices"
	"strings"

	"a2ascope/keymap"
	"a2ascope/themes"

	"charm.land/bubbles/v2/help"
	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/viewport"
)

// themesNone writes text as it is, where only its place matters.
var themesNone = themes.Style{}

// about says in a few sentences what a screen shows.
var about = map[screenID]string{
	screenPeers:   "Peers that earlier sessions met, or the embedded ones of the demo. enter opens a session on one: the console reads its card and waits for you. o opens any other by its address.",
	screenHistory: "Everything that was recorded. enter opens a session to read it exactly as it was; c goes on with it. The second list holds the decisions, with those in force first.",
	screenSession: "1: the task and the states that the peer showed. 2: every record of the session, as it comes. 3: what the peer's card and the protocol claim, against what was seen. 4: all there is of what is selected. 5: the message that you write. The number's key goes to the pane; on a small screen panes share one place.",
}

// openHelp shows the keys that hold here.
func (m *model) openHelp() {
	contexts := m.contexts()
	screen := m.screen
	g := m.g
	m.push(&textBox{title: "Help", search: newLineInput(), box: viewport.New(), make: func(st *themes.Styles, w int) []string {
		t := &prose{st: st, w: w}
		t.add(st.Text, about[screen])
		for _, c := range contexts {
			t.gap()
			t.add(st.TitleFocus, c.Title())
			for _, b := range m.keys.In(c) {
				keys := make([]string, len(b.Keys))
				for i, k := range b.Keys {
					keys[i] = keymap.Show(k)
				}
				t.named(st.Key, strings.Join(keys, " "), 15, b.Help)
			}
		}
		if screen == screenSession {
			t.gap()
			t.add(st.TitleFocus, "Signs")
			for _, s := range []struct{ sign, word, means string }{
				{g.ok, "ok", "declared, or implied by the protocol, and seen to hold"},
				{g.bad, "missing", "a capability that the card declares, and that never worked"},
				{g.bad, "broken", "declared, or implied by the protocol, and seen not to hold"},
				{g.extra, "extra", "works though the card does not declare it"},
				{g.unclear, "unclear", "tried, and could not be judged"},
				{g.none, "untested", "nothing has been seen of it"},
			} {
				t.named(st.Key, s.sign+" "+s.word, 15, s.means)
			}
		}
		return t.lines
	}})
}

// named writes a name of so many cells and what it means, wrapped beside it.
func (t *prose) named(st themes.Style, name string, n int, means string) {
	for _, text := range wrap(means, max(10, t.w-n-1), 0) {
		t.lines = append(t.lines, newLine(t.w).cell(st, name, n).skip(1).put(t.st.Text, text).end())
		name = ""
	}
}

// openErrors shows everything that went wrong, the latest first.
func (m *model) openErrors() {
	var plain strings.Builder
	for i := len(m.errors) - 1; i >= 0; i-- {
		fmt.Fprintf(&plain, "%s %s\n", m.errors[i].at.Local().Format("15:04:05"), m.errors[i].text)
	}
	list := m.errors
	m.push(&textBox{title: "Errors", search: newLineInput(), box: viewport.New(), plain: plain.String(), copies: "the errors", make: func(st *themes.Styles, w int) []string {
		t := &prose{st: st, w: w}
		if len(list) == 0 {
			t.add(st.Faint, "Nothing went wrong.")
		}
		for i := len(list) - 1; i >= 0; i-- {
			t.gap()
			t.add(st.Muted, list[i].at.Local().Format("15:04:05"))
			t.add(st.Text, list[i].text)
		}
		return t.lines
	}})
}

// footer shows the keys that work now; the others come back when they do.
func (m *model) footer() string {
	bindings, tail := m.shortHelp(), ""
	if len(m.contexts()) > 1 && len(m.layers) == 0 {
		tail = m.keys.Key(keymap.Help) + " help"
	}
	h := help.New()
	h.ShortSeparator = "  "
	h.Styles = help.Styles{ShortKey: m.st.Key.Lip(), ShortDesc: m.st.KeyName.Lip(), ShortSeparator: m.st.KeyName.Lip(), Ellipsis: m.st.Faint.Lip()}
	room := m.w - 2
	if tail != "" {
		room -= width(tail) + 2
	}
	h.SetWidth(room)
	row := " " + padTo(h.ShortHelpView(bindings), room)
	if tail != "" {
		row += "  " + m.st.Key.Render(m.keys.Key(keymap.Help)) + m.st.KeyName.Render(" help")
	}
	return padTo(row, m.w)
}

// lineHelp says what a key does in the line that is typed: what is no command
// has no choices, and a filter is not run.
func (m *model) lineHelp(b keymap.Binding, short *key.Binding) {
	f := m.field
	if f == nil || f.kind == fieldCommand || b.Context != keymap.Line {
		return
	}
	keys, searches := short.Help().Key, f.kind == fieldFilter && m.screen == screenHistory
	switch b.Action {
	case keymap.LineComplete:
		short.SetEnabled(searches)
		short.SetHelp(keys, "keep")
	case keymap.HistoryPrev:
		short.SetEnabled(len(f.edit.past.lines) > 0)
	case keymap.LineAccept:
		short.SetHelp(keys, map[bool]string{true: "keep", false: "go on"}[f.kind == fieldFilter])
		if searches {
			short.SetHelp(keys, "search all")
		}
	case keymap.LineLeave:
		short.SetHelp(keys, map[bool]string{true: "drop", false: "leave"}[f.kind == fieldFilter])
	}
}

// shortHelp are the bindings that the footer shows: the pane's last, so that
// the screen's keep their places; first where not all of them fit.
func (m *model) shortHelp() []key.Binding {
	if n := len(m.layers); n > 0 {
		if l, ok := m.layers[n-1].(interface{ shortHelp(m *model) []key.Binding }); ok {
			return l.shortHelp(m)
		}
	}
	order := m.contexts()
	if i := slices.Index(order, keymap.Session); i > 0 && m.w >= wideFrom {
		order = append(append([]keymap.Context{keymap.Session}, order[:i]...), order[i+1:]...)
		if order[1] == keymap.Past {
			order[0], order[1] = order[1], order[0]
		}
	}
	var out []key.Binding
	for _, c := range order {
		for _, b := range m.keys.In(c) {
			freed := b.Action == keymap.Mouse && !m.mouse && !m.opt.NoMouse
			if c != keymap.Move && (b.Footer || freed) && len(b.Keys) > 0 && b.Action != keymap.Help {
				short := b.Bubble()
				switch {
				case b.Action == keymap.TabNext && b.Context == keymap.Detail:
					if m.session == nil || len(m.session.detail.tabs()) < 2 {
						continue
					}
					short.SetHelp(m.keys.Key(keymap.TabPrev, keymap.Detail)+" "+m.keys.Key(keymap.TabNext, keymap.Detail), "tabs")
				case freed:
					short.SetHelp(short.Help().Key, "mouse back")
				case b.Action == keymap.Back && m.screen == screenPeers:
					short.SetHelp(m.keys.Key(keymap.Back), "quit")
				}
				short.SetEnabled(m.disabled(b) == "")
				m.lineHelp(b, &short)
				out = append(out, short)
			}
		}
	}
	return out
}
