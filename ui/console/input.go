package console

import (
	"strings"
	"unicode/utf8"

	"a2ascope/themes"

	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/textarea"
	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"
)

// maxText bounds what can be typed or pasted into a field, in characters; a
// longer message goes as a file.
const maxText = 256 << 10

// yank gives back the text that was cut last. Bubbles has no such key.
const yank = "ctrl+y"

// lineInput is a text of one line with the keys of readline and a history. It
// knows nothing of what enter means.
type lineInput struct {
	box  textinput.Model
	cut  string // the last text that was cut
	past past
}

func newLineInput() *lineInput {
	box := textinput.New()
	box.Prompt = ""
	box.CharLimit = maxText
	box.SetVirtualCursor(false)
	// The clipboard is the terminal's: it pastes what it holds. Bubbles would
	// run xclip.
	box.KeyMap.Paste.SetEnabled(false)
	box.Focus()
	return &lineInput{box: box}
}

func (l *lineInput) value() string { return l.box.Value() }

func (l *lineInput) empty() bool { return l.box.Value() == "" }

func (l *lineInput) set(s string) {
	l.box.SetValue(s)
	l.box.CursorEnd()
}

// insert puts text at the cursor; line ends become blanks.
func (l *lineInput) insert(s string) {
	s = strings.TrimRight(strings.ReplaceAll(s, "\r\n", "\n"), "\r\n")
	l.box, _ = l.box.Update(tea.PasteMsg{Content: s})
}

// key takes a key press and says whether it was one of the field's.
func (l *lineInput) key(k tea.KeyPressMsg) bool {
	m := &l.box.KeyMap
	if k.String() == yank {
		l.insert(l.cut)
		return true
	}
	if typed(k) == "" && !key.Matches(k, m.CharacterForward, m.CharacterBackward, m.WordForward, m.WordBackward, m.DeleteWordBackward,
		m.DeleteWordForward, m.DeleteAfterCursor, m.DeleteBeforeCursor, m.DeleteCharacterBackward, m.DeleteCharacterForward, m.LineStart, m.LineEnd) {
		return false
	}
	before := l.value()
	l.box, _ = l.box.Update(k)
	if key.Matches(k, m.DeleteWordBackward, m.DeleteWordForward, m.DeleteAfterCursor, m.DeleteBeforeCursor) {
		l.cut = removed(before, l.value(), l.cut)
	}
	return true
}

// recall goes through history.
func (l *lineInput) recall(by int) {
	if s, ok := l.past.recall(by, l.value()); ok {
		l.set(s)
	}
}

// view shows w cells of the line, scrolled so that the cursor is in them, and
// says where it is. A masked one shows a dot for each character.
func (l *lineInput) view(st themes.Style, w int, masked bool) (string, int) {
	w = max(1, w)
	text := []rune(l.value())
	if masked {
		for i := range text {
			text[i] = '•'
		}
	}
	before := width(string(text[:l.box.Position()]))
	skip := max(0, before-w+1)
	return newLine(w).put(st, cells(string(text), skip, skip+w)).end(), min(before-skip, w-1)
}

// areaInput is a text of several lines with the keys of readline and a
// history.
type areaInput struct {
	box  textarea.Model
	cut  string
	past past
	look look
}

// look is what styles were made of.
type look struct {
	theme      string
	dark, mono bool
}

func newAreaInput() *areaInput {
	box := textarea.New()
	box.Prompt = ""
	box.ShowLineNumbers = false
	box.CharLimit, box.MaxHeight, box.MaxWidth = maxText, 0, 0
	box.SetVirtualCursor(false)
	// As above; and what enter and the arrows mean is the composer's to say.
	for _, b := range []*key.Binding{&box.KeyMap.Paste, &box.KeyMap.CopySelection, &box.KeyMap.InsertNewline, &box.KeyMap.TransposeCharacterBackward,
		&box.KeyMap.SelectAll} {
		b.SetEnabled(false)
	}
	box.Focus()
	return &areaInput{box: box}
}

// restyle takes the theme's styles, when they are others.
func (a *areaInput) restyle(st *themes.Styles) {
	if now := (look{st.Name, st.Dark, st.Mono}); a.look == now {
		return
	} else {
		a.look = now
	}
	text := textarea.StyleState{Text: st.Text.Lip(), CursorLine: st.Text.Lip(), Placeholder: st.Placeholder.Lip(), Selection: st.Selected.Lip()}
	a.box.SetStyles(textarea.Styles{Focused: text, Blurred: text})
}

func (a *areaInput) value() string { return a.box.Value() }

func (a *areaInput) empty() bool { return a.box.LineCount() <= 1 && a.box.Value() == "" }

func (a *areaInput) set(s string) {
	a.box.SetValue(s)
	a.box.MoveToEnd()
}

// insert puts text at the cursor.
func (a *areaInput) insert(s string) {
	s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
	a.box, _ = a.box.Update(tea.PasteMsg{Content: s})
}

// key takes a key press and says whether it was one of the field's.
func (a *areaInput) key(k tea.KeyPressMsg) bool {
	m := &a.box.KeyMap
	if k.String() == yank {
		a.insert(a.cut)
		return true
	}
	if typed(k) == "" && !key.Matches(k, m.CharacterForward, m.CharacterBackward, m.WordForward, m.WordBackward, m.DeleteWordBackward,
		m.DeleteWordForward, m.DeleteAfterCursor, m.DeleteBeforeCursor, m.DeleteCharacterBackward, m.DeleteCharacterForward, m.LineStart, m.LineEnd,
		m.PageUp, m.PageDown, m.InputBegin, m.InputEnd, m.SelectCharacterForward, m.SelectCharacterBackward, m.SelectWordForward,
		m.SelectWordBackward, m.SelectLineUp, m.SelectLineDown) {
		return false
	}
	before := a.value()
	a.box, _ = a.box.Update(k)
	if key.Matches(k, m.DeleteWordBackward, m.DeleteWordForward, m.DeleteAfterCursor, m.DeleteBeforeCursor) {
		a.cut = removed(before, a.value(), a.cut)
	}
	return true
}

// vertical moves a line up or down within the text, and says whether there was
// one.
func (a *areaInput) vertical(by int) bool {
	row, info := a.box.Line(), a.box.LineInfo()
	if by < 0 {
		a.box.CursorUp()
	} else {
		a.box.CursorDown()
	}
	return row != a.box.Line() || info.RowOffset != a.box.LineInfo().RowOffset
}

// recall goes through history.
func (a *areaInput) recall(by int) {
	if s, ok := a.past.recall(by, a.value()); ok {
		a.set(s)
	}
}

// rows is how many lines the text takes at a width.
func (a *areaInput) rows(w int) int {
	n := 0
	for _, l := range strings.Split(a.value(), "\n") {
		n += max(1, (width(l)+w)/max(1, w))
		if n > maxLines {
			break
		}
	}
	return n
}

// view shows h lines of w cells around the cursor, and says where it is.
func (a *areaInput) view(st *themes.Styles, w, h int) (lines []string, x, y int) {
	a.restyle(st)
	a.resize(w, h)
	lines = strings.Split(a.box.View(), "\n")
	if c := a.box.Cursor(); c != nil {
		x, y = clamp(c.X, 0, w-1), clamp(c.Y, 0, h-1)
	}
	for i := range lines {
		lines[i] = padTo(lines[i], w)
	}
	return lines[:min(len(lines), h)], x, y
}

// resize gives the field another size and scrolls it anew: at the end of a text
// it is filled with what stands before.
func (a *areaInput) resize(w, h int) {
	if a.box.Width() == w && a.box.Height() == h {
		return
	}
	atEnd, column := a.box.Line() == a.box.LineCount()-1, a.box.Column()
	if atEnd {
		a.box.MoveToBegin()
	}
	a.box.SetWidth(w)
	a.box.SetHeight(h)
	a.box, _ = a.box.Update(nil) // it scrolls by the lines of the old width otherwise
	if atEnd {
		a.box.MoveToEnd()
		a.box.SetCursorColumn(column)
	}
}

// typed is the text that a key press writes; empty for keys that do something.
func typed(k tea.KeyPressMsg) string {
	if k.Mod&(tea.ModCtrl|tea.ModAlt|tea.ModMeta|tea.ModSuper) != 0 {
		return ""
	}
	return k.Text
}

// removed is what a cut took out of a text; last when it took nothing.
func removed(before, after, last string) string {
	n := len(before) - len(after)
	if n <= 0 {
		return last
	}
	i := 0
	for i < len(after) && before[i] == after[i] {
		i++
	}
	// A cut may end in what it began with: what stands behind it decides.
	for i > 0 && (before[i+n:] != after[i:] || !utf8.RuneStart(before[i])) {
		i--
	}
	return before[i : i+n]
}

// past is what was sent from a field before.
type past struct {
	lines []string
	at    int    // len(lines) is the text that is being written
	draft string // that text
}

const maxPast = 500

// begin starts a text that is not of the past yet.
func (p *past) begin(text string) { p.at, p.draft = len(p.lines), text }

// remember keeps a text that was sent.
func (p *past) remember(s string) {
	if s != "" && (len(p.lines) == 0 || p.lines[len(p.lines)-1] != s) {
		p.lines = append(p.lines, s)
		if len(p.lines) > maxPast {
			p.lines = p.lines[1:]
		}
	}
	p.begin("")
}

// recall returns the text before or after; written is what stands there now.
func (p *past) recall(by int, written string) (string, bool) {
	to := clamp(p.at+by, 0, len(p.lines))
	if to == p.at {
		return "", false
	}
	if p.at == len(p.lines) {
		p.draft = written
	}
	p.at = to
	if to == len(p.lines) {
		return p.draft, true
	}
	return p.lines[to], true
}
