package console

import (
	"strings"

	"a2ascope/themes"
	"a2ascope/ui/clean"

	"github.com/charmbracelet/x/ansi"
)

// width is how many cells a string without escape sequences takes.
func width(s string) int {
	for i := range len(s) {
		if s[i] >= 0x7f || s[i] < 0x20 {
			return ansi.StringWidth(s)
		}
	}
	return len(s)
}

// safe returns s without anything that a terminal would obey. Texts are cleaned
// where they come from; this is the one place that all of them pass, imported
// names of rules and claims too.
func safe(s string) string {
	for i := range len(s) {
		if s[i] >= 0x7f || s[i] < 0x20 {
			return clean.Line(s, 0)
		}
	}
	return s
}

// cut shortens s to w cells, with a mark where something was left out.
func cut(s string, w int) string {
	switch {
	case w <= 0:
		return ""
	case width(s) <= w:
		return s
	}
	return ansi.Truncate(s, w, "…")
}

const blanks = "                                                                                                                                "

// spaces returns n blanks.
func spaces(n int) string {
	switch {
	case n <= 0:
		return ""
	case n <= len(blanks):
		return blanks[:n]
	}
	return strings.Repeat(" ", n)
}

// line builds one row of exactly so many cells out of styled pieces. What does
// not fit is cut.
type line struct {
	b    strings.Builder
	left int
	over themes.Style // laid over everything: the selection
	on   bool
}

func newLine(w int) *line { return &line{left: max(0, w)} }

// lay lays a style over everything that follows.
func (l *line) lay(s themes.Style) *line {
	l.over, l.on = s, true
	return l
}

// put writes a piece.
func (l *line) put(st themes.Style, s string) *line {
	if l.left == 0 || s == "" {
		return l
	}
	s = cut(safe(s), l.left)
	l.left -= width(s)
	if l.on {
		st = st.Over(l.over)
	}
	l.b.WriteString(st.Render(s))
	return l
}

// cell writes a piece into so many cells.
func (l *line) cell(st themes.Style, s string, w int) *line {
	w = min(w, l.left)
	s = cut(safe(s), w)
	l.put(st, s)
	return l.skip(w - width(s))
}

// right writes a piece so that it ends after so many cells.
func (l *line) right(st themes.Style, s string, w int) *line {
	w = min(w, l.left)
	s = cut(safe(s), w)
	l.skip(w - width(s))
	return l.put(st, s)
}

// skip leaves cells blank.
func (l *line) skip(n int) *line {
	n = min(n, l.left)
	if n <= 0 {
		return l
	}
	l.left -= n
	if l.on {
		l.b.WriteString(l.over.Render(spaces(n)))
	} else {
		l.b.WriteString(spaces(n))
	}
	return l
}

// end returns the row, filled to its width.
func (l *line) end() string {
	l.skip(l.left)
	return l.b.String()
}

// joiner stands for a hyphen while a text is wrapped: dates, ids and the names
// of claims are not broken there. No cleaned text holds it.
const joiner = "\uE000"

// wrap breaks text into lines of at most w cells, at blanks where it can, and
// returns at most limit of them (0: all).
func wrap(s string, w, limit int) []string {
	if w <= 0 {
		return nil
	}
	var out []string
	for _, para := range strings.Split(strings.ReplaceAll(s, "-", joiner), "\n") {
		for _, l := range strings.Split(ansi.Wrap(para, w, ""), "\n") {
			out = append(out, strings.ReplaceAll(l, joiner, "-"))
			if limit > 0 && len(out) == limit {
				return out
			}
		}
	}
	return out
}

// window returns the first line to show so that the selected one of n is among
// h, moving as little as possible from top.
func window(top, selected, n, h int) int {
	if h <= 0 {
		return 0
	}
	top = min(top, selected)
	top = max(top, selected-h+1)
	return clamp(top, 0, n-h)
}

// cutLeft leaves out the first n cells.
func cutLeft(s string, n int) string {
	if n <= 0 {
		return s
	}
	return ansi.TruncateLeft(s, n, "")
}

// cells returns the cells of a styled row between two places, exactly so many:
// half of a wide character is a blank.
func cells(row string, from, to int) string {
	if to <= from {
		return ""
	}
	head := ansi.Truncate(row, to, "")
	part := ansi.TruncateLeft(head, from, "")
	want := max(0, ansi.StringWidth(head)-from)
	if ansi.StringWidth(part) > want { // its first character began before
		part = ansi.TruncateLeft(head, from+1, "")
	}
	return padTo(spaces(want-ansi.StringWidth(part))+part, to-from)
}

// padTo fills a styled line to w cells, or cuts it.
func padTo(s string, w int) string {
	n := ansi.StringWidth(s)
	if n > w {
		return ansi.Truncate(s, w, "…")
	}
	return s + spaces(w-n)
}
