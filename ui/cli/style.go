package cli

import (
	"io"
	"os"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"

	"a2ascope/session"
)

// style colours text. Its zero value leaves it as it is. Colour never says
// anything that a word or a glyph beside it does not say too.
type style struct {
	colours bool
	width   int // cells of the terminal; 0 where the output is none
}

// style looks at standard output: colours and cuts are for terminals.
func (a *app) style() style {
	f, ok := a.out.(*os.File)
	if !ok || !term.IsTerminal(f.Fd()) {
		return style{}
	}
	var s style
	if w, _, err := term.GetSize(f.Fd()); err == nil {
		s.width = max(w, 40)
	}
	no, _ := a.env("NO_COLOR")
	kind, _ := a.env("TERM")
	s.colours = no == "" && kind != "dumb"
	return s
}

func (s style) paint(code, text string) string {
	if !s.colours || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func (s style) bold(text string) string { return s.paint("1", text) }
func (s style) dim(text string) string  { return s.paint("2", text) }

func (s style) level(l session.Level, text string) string {
	switch l {
	case session.LevelGood:
		return s.paint("32", text)
	case session.LevelWarn:
		return s.paint("33", text)
	case session.LevelBad:
		return s.paint("1;31", text)
	}
	return text
}

// pad fills text up to width cells.
func pad(text string, width int) string {
	return text + strings.Repeat(" ", max(0, width-ansi.StringWidth(text)))
}

// table aligns columns. The last one takes what is left of the line.
type table struct {
	style style
	head  bool // the first row is a heading
	rows  [][]string
}

const gap = "  "

func newTable(s style) *table { return &table{style: s} }

func (t *table) heading(cells ...string) *table {
	t.head = true
	t.rows = append(t.rows, cells)
	return t
}

func (t *table) row(cells ...string) { t.rows = append(t.rows, cells) }

// empty reports whether there is nothing below the heading.
func (t *table) empty() bool { return len(t.rows) == 0 || t.head && len(t.rows) == 1 }

// write writes the rows. Cells must be clean; they may be painted.
func (t *table) write(w io.Writer) error {
	var widths []int
	for _, row := range t.rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], ansi.StringWidth(cell))
		}
	}
	var b strings.Builder
	for n, row := range t.rows {
		var line strings.Builder
		for i, cell := range row {
			if i < len(row)-1 {
				cell = pad(cell, widths[i]) + gap
			}
			line.WriteString(cell)
		}
		text := strings.TrimRight(line.String(), " ")
		if t.style.width > 0 {
			text = ansi.Truncate(text, t.style.width, "…")
		}
		if t.head && n == 0 {
			text = t.style.dim(text)
		}
		b.WriteString(text)
		b.WriteByte('\n')
	}
	_, err := io.WriteString(w, b.String())
	return err
}
