package console

import (
	"errors"
	"strings"

	"a2ascope/keymap"
	"a2ascope/session"
	"a2ascope/ui/clean"

	tea "charm.land/bubbletea/v2"
)

// fieldKind says what a line at the bottom of the screen is for.
type fieldKind int

const (
	fieldCommand fieldKind = iota
	fieldFilter
	fieldURL
	fieldGoTo
	fieldReason
	fieldPrune
	fieldPath
	fieldSecret
	fieldKinds int = iota
)

// field is a line that is typed at the bottom of the screen: a command, a
// filter, an address.
type field struct {
	kind    fieldKind
	edit    *lineInput
	before  string                             // of a filter: what to go back to
	trouble string                             // what is wrong with the line, shown in its place
	note    string                             // what belongs there
	sign    string                             // what stands before it; empty for that of its kind
	left    string                             // what leaving it comes to
	take    func(text string) (tea.Cmd, error) // of reasons, paths and the like: what enter does

	choices []string // for the word at the cursor
	at      int      // the choice that was put in; -1: none
	start   int      // where that word begins, in characters
}

// openField opens a line with a text in it. Each kind has its own history.
func (m *model) openField(kind fieldKind, text string) tea.Cmd {
	e := m.past[kind]
	e.set(text)
	e.past.begin(text)
	m.field = &field{kind: kind, edit: e, at: -1, before: text}
	return m.fieldChanged()
}

// fieldKey takes a key while a line is being typed.
func (m *model) fieldKey(k tea.KeyPressMsg) tea.Cmd {
	f := m.field
	b, bound := m.keys.Lookup(keyName(k), keymap.Line)
	switch {
	case bound && b.Action == keymap.LineAccept:
		return m.fieldDone()
	case bound && b.Action == keymap.LineLeave:
		return m.fieldLeft()
	case bound && b.Action == keymap.LineComplete && f.kind == fieldFilter: // keep it, and go to the list
		f.edit.past.remember(strings.TrimSpace(f.edit.value()))
		m.field = nil
		return nil
	case bound && b.Action == keymap.LineComplete:
		f.complete(1)
		return nil
	case bound && b.Action == keymap.LineBackwards:
		f.complete(-1)
		return nil
	case bound && b.Action == keymap.HistoryPrev:
		f.edit.recall(-1)
	case bound && b.Action == keymap.HistoryNext:
		f.edit.recall(1)
	case f.edit.empty() && (k.String() == "backspace" || k.String() == "ctrl+h"):
		return m.fieldLeft()
	default:
		f.edit.key(k)
	}
	return m.fieldChanged()
}

// fieldChanged brings choices, filter and error up to date.
func (m *model) fieldChanged() tea.Cmd {
	f := m.field
	f.trouble, f.at = "", -1
	switch f.kind {
	case fieldCommand:
		f.choices = session.Complete(f.edit.value(), f.edit.box.Position(), m.completion())
		f.start = f.wordStart()
	case fieldFilter:
		return m.filter(f.edit.value())
	}
	return nil
}

// wordStart is where the word at the cursor begins.
func (f *field) wordStart() int {
	i, text := f.edit.box.Position(), []rune(f.edit.value())
	for i > 0 && text[i-1] != ' ' {
		i--
	}
	return i
}

// complete puts the next choice in.
func (f *field) complete(by int) {
	n := len(f.choices)
	if n == 0 {
		return
	}
	if f.at < 0 && by < 0 {
		f.at = 0
	}
	f.at = (f.at + by + n) % n
	word := f.choices[f.at]
	if n == 1 {
		word += " "
	}
	text := []rune(f.edit.value())
	head := string(text[:f.start]) + word
	f.edit.set(head + string(text[f.edit.box.Position():]))
	f.edit.box.SetCursor(len([]rune(head)))
	f.trouble = ""
	if n == 1 {
		f.choices, f.at = nil, -1
	}
}

// completion is what completing must know of the session.
func (m *model) completion() session.Completion {
	var c session.Completion
	if m.session == nil {
		return c
	}
	v := m.session.latest
	for _, at := range m.peers.addresses() {
		if !m.session.isHere(at) {
			c.Peers = append(c.Peers, at)
		}
	}
	c.Interfaces = len(v.Peer.Interfaces)
	seen := map[string]bool{}
	for i := range v.Tasks {
		t := &v.Tasks[i]
		c.Tasks = append(c.Tasks, session.TaskChoice{Number: t.N, Correlation: t.Correlation, ServerIDs: t.TaskIDs})
		if t.ContextID != "" && !seen[t.ContextID] {
			seen[t.ContextID] = true
			c.Contexts = append(c.Contexts, t.ContextID)
		}
	}
	return c
}

// fieldDone carries the line out. A command that is none stays, with what is
// wrong in its place.
func (m *model) fieldDone() tea.Cmd {
	f := m.field
	text := strings.TrimSpace(f.edit.value())
	switch f.kind {
	case fieldSecret:
		return m.fieldTaken(f.edit.value()) // blanks are a secret's own
	case fieldFilter:
		f.edit.past.remember(text)
		m.field = nil
		if m.screen == screenHistory && text != "" {
			return m.search(text)
		}
		return nil
	case fieldURL:
		if text == "" {
			m.field = nil
			return nil
		}
		if err := addressError(text); err != nil {
			f.trouble = clean.Line(err.Error(), 0)
			return nil
		}
		f.edit.past.remember(text)
		m.field = nil
		return m.open(openPeer, text, "")
	}
	if f.kind != fieldCommand {
		return m.fieldTaken(text)
	}
	return m.commandDone(f, text)
}

// commandDone carries out a command line. Some ask something first: for what a
// credential names, or whether a message is to go out once more.
func (m *model) commandDone(f *field, text string) tea.Cmd {
	c, err := session.ParseCommand(text)
	switch {
	case errors.Is(err, session.ErrBlank):
		m.field = nil
		return nil
	case err != nil:
		f.trouble = clean.Line(err.Error(), 0)
		m.keep(clean.Line(text, 200) + ": " + f.trouble)
		return nil
	}
	f.edit.past.remember(text)
	if c.Name == "cancel" {
		m.field = nil
		return m.askCancel(text)
	}
	if why := m.session.writable(m); why != "" {
		f.trouble = why
		return nil
	}
	if m.opt.Sessions != nil && isCredential(&c) && len(m.opt.Sessions.Wanted(text)) > 0 {
		return m.credential(text)
	}
	if cmd, asks := m.redispatch(text, &c); asks {
		m.field = nil
		return cmd
	}
	return m.run(text, f)
}

// addressError says why no card can be looked for at an address: nothing is
// opened and recorded for a slip of the finger. Names of embedded peers are
// judged by whoever starts them.
func addressError(text string) error {
	if strings.HasPrefix(text, "demo:") {
		return nil
	}
	_, err := session.CardPlaces(text)
	return err
}

// fieldTaken carries out a line that is no command, no filter and no address.
func (m *model) fieldTaken(text string) tea.Cmd {
	f := m.field
	if text == "" && f.kind != fieldSecret {
		m.field = nil
		return nil
	}
	take := f.take
	if f.kind == fieldGoTo {
		take = m.goTo
	}
	cmd, err := take(text)
	if err != nil {
		f.trouble = clean.Line(err.Error(), 0)
		return nil
	}
	if f.kind != fieldSecret {
		f.edit.past.remember(text)
	}
	if m.field == f {
		m.field = nil
	}
	return cmd
}

// fieldLeft closes the line; a filter that was not there before is dropped.
func (m *model) fieldLeft() tea.Cmd {
	f := m.field
	m.field = nil
	if f.left != "" {
		m.refuse(f.left)
	}
	if f.kind == fieldFilter {
		return m.filter("")
	}
	return nil
}

// filter narrows the list of the screen.
func (m *model) filter(text string) tea.Cmd {
	switch {
	case m.screen == screenHistory:
		m.history.current().setFilter(text)
	case m.screen == screenPeers:
		m.peers.table.setFilter(text)
	case m.session != nil:
		m.session.wire.setFilter(text)
		return m.refill()
	}
	return nil
}

var fieldSigns = [fieldKinds]string{":", "/", "address ▸ ", "go to ▸ ", "reason ▸ ", "days ▸ ", "file ▸ ", "secret ▸ "}

// drawField draws the line over the status line, what is wrong or the choices
// above it, and returns the cursor.
func (m *model) drawField(rows []string) *tea.Cursor {
	f := m.field
	sign := fieldSigns[f.kind]
	if f.sign != "" {
		sign = clean.Line(f.sign, 40)
	}
	n := 1 + width(sign)
	note := m.fieldNote()
	if f.kind == fieldSecret {
		note = ""
	}
	room := m.w - n - 1
	typed := max(20, width(f.edit.value())+2)
	if note != "" && width(note)+2 <= room-min(typed, room/2) { // it gives way to what is typed, up to half of the line
		room -= width(note) + 2
	} else {
		note = ""
	}
	text, x := f.edit.view(m.st.Text, room, f.kind == fieldSecret)
	l := newLine(m.w).skip(1).put(m.st.Key, sign)
	rows[m.h-2] = l.b.String() + text + newLine(m.w-n-room).right(m.st.Faint, note, m.w-n-room-1).end()
	switch {
	case f.trouble != "":
		m.above(rows, m.troubleLines())
	case len(f.choices) > 0:
		m.above(rows, m.choiceLines())
	case f.kind == fieldSecret: // it must be read, whatever the width
		m.above(rows, []string{newLine(m.w).skip(1).put(m.st.Muted, f.note).end()})
	}
	return tea.NewCursor(n+x, m.h-2)
}

// fieldNote is what stands at the end of the line: a command's form, a
// filter's count.
func (m *model) fieldNote() string {
	f := m.field
	if f.note != "" {
		return f.note
	}
	switch f.kind {
	case fieldCommand:
		name, _, _ := strings.Cut(strings.TrimLeft(f.edit.value(), " "), " ")
		if u, ok := session.UsageOf(name); ok {
			return u.Synopsis
		}
	case fieldFilter:
		if m.screen == screenHistory {
			return m.matchCount() + " · tab keeps it · enter looks in the wire text of all sessions"
		}
		return m.matchCount()
	case fieldURL:
		return "a card, an agent or its origin"
	case fieldGoTo:
		return "#12 · +1:23.5 · 83.5s · 14:03:10"
	}
	return ""
}

func (m *model) troubleLines() []string {
	var out []string
	sign := m.g.bad + " "
	for _, s := range wrap(m.field.trouble, m.w-2-width(sign), 4) {
		out = append(out, newLine(m.w).skip(1).put(m.st.Bad, sign+s).end())
		sign = spaces(width(sign))
	}
	return out
}

// choiceLines show what may stand at the cursor, in columns.
func (m *model) choiceLines() []string {
	f := m.field
	wide := 0
	for _, c := range f.choices {
		wide = max(wide, width(c))
	}
	wide = min(wide+2, m.w-2)
	columns := max(1, (m.w-2)/wide)
	const most = 5
	count := (len(f.choices) + columns - 1) / columns
	top := window(0, max(0, f.at)/columns, count, most)
	var out []string
	for r := top; r < min(count, top+most); r++ {
		l := newLine(m.w).skip(1)
		for i := r * columns; i < min(len(f.choices), (r+1)*columns); i++ {
			st := m.st.Muted
			if i == f.at {
				st = m.st.Key.Over(m.st.Selected)
			}
			l.cell(st, clean.Line(f.choices[i], wide-2), wide)
		}
		out = append(out, l.end())
	}
	return out
}

// above lays lines over the rows right above the status line.
func (m *model) above(rows []string, lines []string) {
	for i, s := range lines {
		if y := m.h - 2 - len(lines) + i; y >= 0 {
			rows[y] = s
		}
	}
}
