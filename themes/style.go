package themes

import (
	"strings"

	"charm.land/lipgloss/v2"
)

// Style is a way to write text, made with Lip Gloss once. It keeps the escape
// sequence that begins it, because a style is used for every cell of every
// frame. The zero Style writes text as it is.
type Style struct {
	open string
	lip  *lipgloss.Style
}

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
func (s Style) Over(top Style) Style { return Style{open: s.open + top.open} }

// Lip returns the style as Lip Gloss's own, for the parts of Bubbles. That of
// a style made with Over writes text as it is.
func (s Style) Lip() lipgloss.Style {
	if s.lip == nil {
		return lipgloss.NewStyle()
	}
	return *s.lip
}

// paint is how a style is described: colours as "#rrggbb", empty for the
// terminal's own.
type paint struct {
	fg, bg       string
	bold, dim    bool
	under, rever bool
}

func (p paint) style() Style {
	s := lipgloss.NewStyle().Bold(p.bold).Faint(p.dim).Underline(p.under).Reverse(p.rever)
	if p.fg != "" {
		s = s.Foreground(lipgloss.Color(p.fg))
	}
	if p.bg != "" {
		s = s.Background(lipgloss.Color(p.bg))
	}
	// What Lip Gloss writes in front of a character is all that it takes.
	open, _, _ := strings.Cut(s.Render("x"), "x")
	if open == "" {
		return Style{}
	}
	return Style{open: open, lip: &s}
}
