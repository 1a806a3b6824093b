// Package clean makes text that came from a peer safe to show on a terminal.
//
// What a peer sends may hold escape sequences that move the cursor, controls
// that turn the direction of writing, and characters that nobody sees. Here
// they become visible text: shown, not obeyed. The log and all exports keep
// the bytes as they came; only what is drawn goes through this package.
package clean

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

const (
	tabWidth = 4
	// maxMarks is how many combining marks one character may carry: more of
	// them are drawn over the lines above and below.
	maxMarks = 3
	// room is how many bytes are looked at for each cell that may be filled; a
	// character of one cell takes no more than that with all its marks.
	room = 32
	// colourForm is the variation selector behind a sign that is to be an emoji.
	colourForm = '\uFE0F'
)

// Line returns s as one line without control characters. Line ends become ↵.
// When max is above 0 the result is at most max cells wide, and ends in … when
// something was left out.
func Line(s string, max int) string {
	limit := -1
	if max > 0 {
		limit = max*room + room
	}
	out := write(s, limit, false)
	if max > 0 && (ansi.StringWidth(out) > max || limit > 0 && len(out) > limit) {
		out = ansi.Truncate(out, max, "…")
		for ansi.StringWidth(out) > max { // a wide character at the edge
			_, n := utf8.DecodeLastRuneInString(out)
			out = out[:len(out)-n]
		}
	}
	return out
}

// Block returns s without control characters but its line ends, which become
// LF.
func Block(s string) string { return write(s, -1, true) }

// writer is what is needed to know of the characters before.
type writer struct {
	b     strings.Builder
	col   int // cells since the last line end, for tabs
	marks int // combining marks since the last other character
}

// write cleans s until the result is longer than limit bytes; -1 is no limit.
func write(s string, limit int, lines bool) string {
	var w writer
	for i := 0; i < len(s); {
		if limit >= 0 && w.b.Len() > limit {
			break
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			w.visible(fmt.Sprintf(`‹\x%02X›`, s[i]))
		case r == '\r' && strings.HasPrefix(s[i+1:], "\n"):
			// the LF that follows stands for both
		case r == '\n' && lines:
			w.b.WriteByte('\n')
			w.col, w.marks = 0, 0
		case r == '\n':
			w.visible("↵")
		case r == colourForm:
			// it only asks for colour, and terminals differ in what it makes wide
		case r == '\t':
			w.visible(strings.Repeat(" ", tabWidth-w.col%tabWidth))
		default:
			w.rune(r)
		}
		i += n
	}
	return w.b.String()
}

func (w *writer) rune(r rune) {
	switch {
	case r < ' ':
		w.visible("^" + string(r+'@'))
	case r == 0x7f:
		w.visible("^?")
	case r >= 0x80 && r < 0xa0: // C1: shown as the two characters that mean the same
		w.visible("^[" + string(r-'@'))
	case unseen(r), r >= 0x1F3FB && r <= 0x1F3FF: // a tone of skin: two cells to one terminal, none to another
		w.visible(fmt.Sprintf("‹U+%04X›", r))
	case unicode.In(r, unicode.Mn, unicode.Me):
		if w.marks++; w.marks > maxMarks || w.b.Len() == 0 {
			w.visible(fmt.Sprintf("‹U+%04X›", r))
			return
		}
		w.b.WriteRune(r)
	default:
		w.visible(string(r))
	}
}

// visible writes text that holds no combining marks.
func (w *writer) visible(text string) {
	w.b.WriteString(text)
	w.col += ansi.StringWidth(text)
	w.marks = 0
}

// unseen reports whether a character leaves nothing to see where it stands, or
// changes how others are seen: formatting and bidirectional controls, line and
// paragraph separators, private and unassigned characters, and the letters
// that are blank.
func unseen(r rune) bool {
	switch r {
	case 0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0: // joiners and fillers
		return true
	}
	if r >= 0xFE00 && r <= 0xFE0E || r >= 0xE0100 && r <= 0xE01EF || r >= 0x180B && r <= 0x180F { // variation selectors
		return true
	}
	return !unicode.IsGraphic(r)
}
