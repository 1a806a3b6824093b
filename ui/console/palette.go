package console

import (
	"slices"
	"strings"

	"a2ascope/keymap"
	"a2ascope/session"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"github.com/sahilm/fuzzy"
)

// picker is the palette: every action by name, and every command of the
// language, found by typing some of their letters.
type picker struct {
	input   *lineInput
	title   string
	entries []entry
	shown   []fuzzy.Match
	sel     int
	top     int
	h       int
}

// entry is something that the palette offers.
type entry struct {
	name, key, help string
	off             string // why it cannot be done now
	do              func(m *model) tea.Cmd
}

func (m *model) openPalette() {
	p := &picker{input: newLineInput(), title: "What do you want to do?"}
	contexts := m.contexts()
	if m.screen == screenSession && m.session != nil {
		contexts = append(contexts, keymap.Session)
	}
	seen := map[keymap.Action]bool{keymap.Palette: true}
	for _, b := range m.keys.All() {
		if !slices.Contains(contexts, b.Context) || b.Context == keymap.Move || b.Context == keymap.Message || seen[b.Action] {
			continue
		}
		seen[b.Action] = true
		key := ""
		if len(b.Keys) > 0 {
			key = keymap.Show(b.Keys[0])
		}
		p.entries = append(p.entries, entry{name: b.Name, key: key, help: b.Help, off: m.disabled(b), do: func(m *model) tea.Cmd { return m.act(b) }})
	}
	if m.screen == screenSession && m.session != nil && m.session.writable(m) == "" {
		for _, u := range session.Usages() {
			p.entries = append(p.entries, entry{name: ":" + u.Name, help: u.Help, do: func(m *model) tea.Cmd { return m.openField(fieldCommand, u.Name+" ") }})
		}
	}
	p.search()
	m.push(p)
}

// String and Len make the entries a source for the fuzzy search.
func (p *picker) String(i int) string { return p.entries[i].name }

// Len is how many entries there are.
func (p *picker) Len() int { return len(p.entries) }

func (p *picker) search() {
	p.sel, p.top = 0, 0
	p.shown = p.shown[:0]
	if q := strings.TrimSpace(p.input.value()); q != "" {
		p.shown = append(p.shown, fuzzy.FindFrom(q, p)...)
		begins := func(i int) bool {
			return strings.HasPrefix(strings.TrimPrefix(p.entries[i].name, ":"), strings.ToLower(q))
		}
		slices.SortStableFunc(p.shown, func(a, b fuzzy.Match) int {
			switch x, y := begins(a.Index), begins(b.Index); {
			case x && !y:
				return -1
			case y && !x:
				return 1
			}
			return 0
		})
		named := map[int]bool{}
		for _, hit := range p.shown {
			named[hit.Index] = true
		}
		words := parseMatch(q)
		for i, e := range p.entries { // then what only its help speaks of
			if !named[i] && words.has(e.help) {
				p.shown = append(p.shown, fuzzy.Match{Index: i})
			}
		}
		return
	}
	for i := range p.entries {
		p.shown = append(p.shown, fuzzy.Match{Index: i})
	}
}

func (p *picker) context() keymap.Context { return keymap.Line }

// shortHelp says what the keys do here.
func (p *picker) shortHelp(m *model) []key.Binding {
	say := func(k, what string) key.Binding { return key.NewBinding(key.WithKeys(k), key.WithHelp(k, what)) }
	return []key.Binding{
		say(m.keys.Key(keymap.LineAccept), "choose"), say(m.keys.Key(keymap.HistoryPrev, keymap.Line)+" "+m.keys.Key(keymap.HistoryNext, keymap.Line), "move"),
		say("type", "to find"), say(m.keys.Key(keymap.LineLeave), "close"),
	}
}

func (p *picker) key(m *model, k tea.KeyPressMsg) tea.Cmd {
	if b, ok := m.keys.Lookup(keyName(k), keymap.Line); ok {
		switch b.Action {
		case keymap.LineLeave:
			m.pop()
		case keymap.LineAccept:
			return p.choose(m)
		case keymap.HistoryPrev, keymap.LineBackwards:
			p.sel = moved(keymap.Up, p.sel, len(p.shown), p.h)
		case keymap.HistoryNext, keymap.LineComplete:
			p.sel = moved(keymap.Down, p.sel, len(p.shown), p.h)
		}
		return nil
	}
	switch k.String() {
	case "pgup":
		p.sel = moved(keymap.PageUp, p.sel, len(p.shown), p.h)
	case "pgdown":
		p.sel = moved(keymap.PageDown, p.sel, len(p.shown), p.h)
	default:
		if p.input.key(k) {
			p.search()
		}
	}
	return nil
}

// fullHelp is how many lines say in full what the selected entry does.
const fullHelp = 2

// explained is the selected entry's help in so many lines of w cells.
func (p *picker) explained(w int) []string {
	if p.sel >= len(p.shown) {
		return make([]string, fullHelp)
	}
	e := p.entries[p.shown[p.sel].Index]
	text := e.help
	if e.off != "" {
		text = "not now: " + e.off
	}
	return append(wrap(text, w, fullHelp), make([]string, fullHelp)...)[:fullHelp]
}

func (p *picker) view(m *model) (rect, []string) {
	w := clamp(m.w-8, 52, 84)
	p.h = clamp(m.h-8-fullHelp, 3, 16)
	p.top = window(p.top, p.sel, len(p.shown), p.h)
	text, _ := p.input.view(m.st.Text, w-8, false)
	body := []string{newLine(3).skip(1).put(m.st.Key, "▸ ").end() + text + " ", spaces(w - 4)}
	for i := p.top; i < p.top+p.h; i++ {
		if i >= len(p.shown) {
			body = append(body, spaces(w-4))
			continue
		}
		e := p.entries[p.shown[i].Index]
		l := newLine(w - 4)
		point(l, &m.st, i == p.sel, true)
		name, help := m.st.Text, m.st.Muted
		text := e.help
		if e.off != "" {
			name, help, text = m.st.Faint, m.st.Faint, e.off
		}
		l.cell(name, e.name, 20).skip(1).cell(m.st.Key, e.key, 9).skip(1).put(help, text)
		body = append(body, l.end())
	}
	for _, text := range p.explained(w - 6) {
		body = append(body, newLine(w-4).skip(1).put(m.st.Text, text).end())
	}
	r, lines := boxed(m, p.title, body, w)
	for i := p.top; i < min(len(p.shown), p.top+p.h); i++ {
		m.zoned(rect{r.x + 1, r.y + 3 + i - p.top, r.w - 2, 1}, func(m *model) tea.Cmd {
			p.sel = i
			return p.choose(m)
		})
	}
	return r, lines
}

// choose carries the selected entry out.
func (p *picker) choose(m *model) tea.Cmd {
	if p.sel >= len(p.shown) {
		return nil
	}
	m.pop()
	return p.entries[p.shown[p.sel].Index].do(m)
}

// cursor is where the typed text ends.
func (p *picker) cursor(r rect) *tea.Cursor {
	_, x := p.input.view(themesNone, r.w-8, false)
	return tea.NewCursor(r.x+5+x, r.y+1)
}
