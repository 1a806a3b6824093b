package session

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
)

// Hidden reports whether a character must not reach a terminal or a page as it
// is: controls, line ends and tabs among them, what turns the direction of
// writing, and what leaves nothing to see. Characters that join visible ones are
// not hidden.
func Hidden(r rune) bool {
	switch {
	case r >= ' ' && r < 0x7f:
		return false
	case r == '\u200d' || r == '\u200c' || r == '\ufe0f': // they join what can be seen
		return false
	case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Cs, unicode.Zl, unicode.Zp):
		return true
	case r&0xfffe == 0xfffe || r >= 0xfdd0 && r <= 0xfdef: // no characters at all
		return true
	}
	return false
}

// AppendEscaped appends a character as \uXXXX, or as the pair of them for what
// lies beyond U+FFFF: JSON reads it, and so does a command line in quotes.
func AppendEscaped(b []byte, r rune) []byte {
	if r > 0xffff {
		high, low := utf16.EncodeRune(r)
		return fmt.Appendf(b, `\u%04x\u%04x`, high, low)
	}
	return fmt.Appendf(b, `\u%04x`, r)
}

// VisibleLine returns a command line that reads as the same command and in
// which every hidden character is spelt out. A line that cannot be split into
// words is returned as it is.
func VisibleLine(line string) string {
	if !strings.ContainsFunc(line, Hidden) {
		return line
	}
	words, err := splitWords(line)
	if err != nil {
		return line
	}
	out := make([]string, len(words))
	for i, w := range words {
		name, value, flag := strings.Cut(w.text, "=")
		switch {
		case !w.bare:
			out[i] = quoteWord(w.text, true)
		case !strings.ContainsFunc(w.text, Hidden):
			out[i] = w.text // as it stood
		case w.isFlag() && flag:
			out[i] = name + "=" + quoteWord(value, true)
		default:
			out[i] = quoteWord(w.text, true)
		}
	}
	return strings.Join(out, " ")
}
