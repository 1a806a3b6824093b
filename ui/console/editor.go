package console

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"a2ascope/themes"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// maxText bounds what can be typed or pasted into a field, in characters.
const maxText = 1 << 20

// editor is a text field with the keys of readline, of one line or several.
// It knows nothing of what enter means.
type editor struct {
	text   []rune
	pos    int
	multi  bool
	killed []rune // the last text that was cut
	past   []string
	at     int    // in past; len(past) is the text being written
	draft  string // that text
}

func (e *editor) value() string { return string(e.text) }

func (e *editor) set(s string) {
	e.text = []rune(s)
	e.pos = len(e.text)
}

// insert puts text at the cursor. A field of one line takes line ends as
// blanks.
func (e *editor) insert(s string) {
	s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
	if !e.multi {
		s = strings.ReplaceAll(strings.TrimRight(s, "\n"), "\n", " ")
	}
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\n':
			return r
		case r == '\t':
			return ' '
		case unicode.IsControl(r) || r == utf8.RuneError:
			return -1
		}
		return r
	}, s)
	add := []rune(s)
	add = add[:min(len(add), max(0, maxText-len(e.text)))]
	e.text = slices.Insert(e.text, e.pos, add...)
	e.pos += len(add)
}

// key takes a key press and says whether it was one of the field's.
func (e *editor) key(k tea.KeyPressMsg) bool {
	switch k.String() {
	case "left", "ctrl+b":
		e.pos = max(0, e.pos-1)
	case "right", "ctrl+f":
		e.pos = min(len(e.text), e.pos+1)
	case "alt+b", "alt+left", "ctrl+left":
		e.pos = e.wordBack()
	case "alt+f", "alt+right", "ctrl+right":
		e.pos = e.wordAhead()
	case "home", "ctrl+a":
		e.pos = e.lineStart()
	case "end", "ctrl+e":
		e.pos = e.lineEnd()
	case "backspace", "ctrl+h", "shift+backspace":
		e.remove(e.pos-1, e.pos, false)
	case "delete", "ctrl+d":
		e.remove(e.pos, e.pos+1, false)
	case "ctrl+w", "alt+backspace", "ctrl+backspace":
		e.remove(e.wordBack(), e.pos, true)
	case "alt+d":
		e.remove(e.pos, e.wordAhead(), true)
	case "ctrl+u":
		e.remove(e.lineStart(), e.pos, true)
	case "ctrl+k":
		e.remove(e.pos, e.lineEnd(), true)
	case "ctrl+y":
		e.insert(string(e.killed))
	case "space":
		e.insert(" ")
	default:
		if k.Text == "" || k.Mod&(tea.ModCtrl|tea.ModAlt|tea.ModMeta|tea.ModSuper) != 0 {
			return false
		}
		e.insert(k.Text)
	}
	return true
}

func (e *editor) remove(from, to int, keep bool) {
	from, to = max(0, from), min(len(e.text), to)
	if from >= to {
		return
	}
	if keep {
		e.killed = slices.Clone(e.text[from:to])
	}
	e.text = slices.Delete(e.text, from, to)
	e.pos = from
}

func (e *editor) wordBack() int {
	i := e.pos
	for i > 0 && !wordly(e.text[i-1]) {
		i--
	}
	for i > 0 && wordly(e.text[i-1]) {
		i--
	}
	return i
}

func (e *editor) wordAhead() int {
	i := e.pos
	for i < len(e.text) && !wordly(e.text[i]) {
		i++
	}
	for i < len(e.text) && wordly(e.text[i]) {
		i++
	}
	return i
}

func wordly(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || r == '-' }

func (e *editor) lineStart() int {
	i := e.pos
	for i > 0 && e.text[i-1] != '\n' {
		i--
	}
	return i
}

func (e *editor) lineEnd() int {
	i := e.pos
	for i < len(e.text) && e.text[i] != '\n' {
		i++
	}
	return i
}

// vertical moves a line up or down within the text, and says whether there was
// one.
func (e *editor) vertical(by int) bool {
	start := e.lineStart()
	col := e.pos - start
	if by < 0 {
		if start == 0 {
			return false
		}
		e.pos = start - 1
		e.pos = min(e.lineStart()+col, e.pos)
		return true
	}
	end := e.lineEnd()
	if end == len(e.text) {
		return false
	}
	e.pos = end + 1
	e.pos = min(e.pos+col, e.lineEnd())
	return true
}

// remember keeps a line that was sent, for history.
func (e *editor) remember(s string) {
	if s != "" && (len(e.past) == 0 || e.past[len(e.past)-1] != s) {
		e.past = append(e.past, s)
		if len(e.past) > 500 {
			e.past = e.past[1:]
		}
	}
	e.at, e.draft = len(e.past), ""
}

// recall goes through history.
func (e *editor) recall(by int) {
	to := clamp(e.at+by, 0, len(e.past))
	if to == e.at {
		return
	}
	if e.at == len(e.past) {
		e.draft = e.value()
	}
	e.at = to
	if to == len(e.past) {
		e.set(e.draft)
		return
	}
	e.set(e.past[to])
}

// rows breaks the text into lines of at most w cells and says where the cursor
// stands in them.
func (e *editor) rows(w int) (rows []string, x, y int) {
	w = max(1, w)
	var b strings.Builder
	used := 0
	for i := 0; i <= len(e.text); i++ {
		n := 0
		if i < len(e.text) && e.text[i] != '\n' {
			n = ansi.StringWidth(string(e.text[i]))
		}
		if used+max(n, 1) > w && i < len(e.text) && e.text[i] != '\n' {
			rows = append(rows, b.String())
			b.Reset()
			used = 0
		}
		if i == e.pos {
			x, y = used, len(rows)
		}
		if i == len(e.text) {
			break
		}
		if e.text[i] == '\n' {
			rows = append(rows, b.String())
			b.Reset()
			used = 0
			continue
		}
		b.WriteRune(e.text[i])
		used += n
	}
	return append(rows, b.String()), min(x, w-1), y
}

// view shows at most h lines of w cells around the cursor.
func (e *editor) view(st themes.Style, w, h int) (lines []string, x, y int) {
	rows, x, y := e.rows(w)
	top := window(0, y, len(rows), h)
	for _, r := range rows[top:min(len(rows), top+h)] {
		lines = append(lines, newLine(w).put(st, r).end())
	}
	return lines, x, y - top
}

// single shows one line of w cells, scrolled so that the cursor is in it.
func (e *editor) single(st themes.Style, w int) (string, int) {
	w = max(1, w)
	before := width(string(e.text[:e.pos]))
	skip := max(0, before-w+1)
	return newLine(w).put(st, ansi.Cut(e.value(), skip, skip+w)).end(), min(before-skip, w-1)
}
