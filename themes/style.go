package themes

import (
	"image/color"

	"github.com/charmbracelet/x/ansi"
)

// Style is a way to write text: the escape sequence that begins it. The zero
// Style writes text as it is. It is made once and used for every cell, so it
// keeps no more than that.
type Style struct{ open string }

const reset = "\x1b[m"

// Render writes s in the style. s holds no escape sequences.
func (s Style) Render(text string) string {
	if s.open == "" || text == "" {
		return text
	}
	return s.open + text + reset
}

// Over returns the style with another one laid over it: what the other sets
// wins.
func (s Style) Over(top Style) Style { return Style{s.open + top.open} }

// paint is how a style is described: colours as "#rrggbb", empty for the
// terminal's own.
type paint struct {
	fg, bg       string
	bold, dim    bool
	under, rever bool
}

func (p paint) style() Style {
	s := ansi.Style{}
	if p.bold {
		s = s.Bold()
	}
	if p.dim {
		s = s.Faint()
	}
	if p.under {
		s = s.Underline(true)
	}
	if p.rever {
		s = s.Reverse(true)
	}
	if p.fg != "" {
		s = s.ForegroundColor(rgb(p.fg))
	}
	if p.bg != "" {
		s = s.BackgroundColor(rgb(p.bg))
	}
	if len(s) == 0 {
		return Style{}
	}
	return Style{s.String()}
}

func rgb(hex string) color.Color {
	v := func(i int) uint8 { return nibble(hex[i])<<4 | nibble(hex[i+1]) }
	return color.RGBA{R: v(1), G: v(3), B: v(5), A: 255}
}

func nibble(c byte) uint8 {
	if c >= 'a' {
		return c - 'a' + 10
	}
	return c - '0'
}
