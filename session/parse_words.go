package session

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// MaxLine is the longest command line that is read, in bytes.
const MaxLine = 1 << 20

// ErrBlank says that a line holds no command: it is blank or a comment.
var ErrBlank = errors.New("no command: the line is blank or a comment")

// CommandError says what is wrong with a command line, and where.
type CommandError struct {
	Command string // the command's name; empty when the line has no known one
	Column  int    // in characters, from 1
	Reason  string // what is wrong and what would be right
}

// Error names command, column and reason.
func (e *CommandError) Error() string {
	if e.Command == "" {
		return fmt.Sprintf("column %d: %s", e.Column, e.Reason)
	}
	return fmt.Sprintf("%s: column %d: %s", e.Command, e.Column, e.Reason)
}

// word is one word of a line after its quotes were taken off.
type word struct {
	text string
	col  int  // where it starts, in characters from 1
	bare bool // its first character stood outside quotes: only such words are flags, "--" and "&"
}

func (w word) isFlag() bool { return w.bare && strings.HasPrefix(w.text, "--") }

// splitter cuts a line into words. A quote opens at the start of a word, after
// the = of a flag, and right behind another quote; anywhere else it is a
// character like any other, so that "don't" and {"a":1} need no care.
type splitter struct {
	line string
	at   int // in bytes
	col  int // in characters from 1
}

func splitWords(line string) ([]word, error) {
	s := splitter{line: line, col: 1}
	var words []word
	for {
		s.blanks()
		if s.at == len(s.line) {
			return words, nil
		}
		w, err := s.word()
		if err != nil {
			return nil, err
		}
		words = append(words, w)
	}
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

func (s *splitter) blanks() {
	for s.at < len(s.line) && isBlank(s.line[s.at]) {
		s.skip(1)
	}
}

// skip moves over n bytes.
func (s *splitter) skip(n int) {
	s.col += utf8.RuneCountInString(s.line[s.at : s.at+n])
	s.at += n
}

func (s *splitter) word() (word, error) {
	w := word{col: s.col, bare: s.line[s.at] != '"' && s.line[s.at] != '\''}
	var text strings.Builder
	opens := true // a quote opens here
	for s.at < len(s.line) && !isBlank(s.line[s.at]) {
		c := s.line[s.at]
		switch {
		case opens && (c == '"' || c == '\''):
			if err := s.quoted(&text, c); err != nil {
				return w, err
			}
		case c == '\n' || c == '\r':
			return w, &CommandError{Column: s.col, Reason: `a line is one command; write a line break inside a text as "\n"`}
		default:
			_, n := utf8.DecodeRuneInString(s.line[s.at:])
			text.WriteString(s.line[s.at : s.at+n])
			s.skip(n)
			opens = c == '=' && w.bare && endsFlagName(text.String())
		}
	}
	w.text = text.String()
	return w, nil
}

// endsFlagName reports whether s is a flag's name and its =. It looks at few
// bytes, because it is asked at every = of a word.
func endsFlagName(s string) bool {
	return len(s) < 32 && strings.HasPrefix(s, "--") && strings.IndexByte(s, '=') == len(s)-1
}

// quoted reads one quoted piece, from its opening quote on.
func (s *splitter) quoted(text *strings.Builder, quote byte) error {
	start := s.col
	s.skip(1)
	for s.at < len(s.line) {
		stop := strings.IndexAny(s.line[s.at:], string(quote)+`\`)
		if stop < 0 {
			break
		}
		text.WriteString(s.line[s.at : s.at+stop])
		s.skip(stop)
		switch {
		case s.line[s.at] == quote:
			s.skip(1)
			return nil
		case quote == '\'':
			text.WriteByte('\\')
			s.skip(1)
		default:
			if err := s.escape(text); err != nil {
				return err
			}
		}
	}
	return &CommandError{Column: start, Reason: fmt.Sprintf("the quote %c that opens here is not closed", quote)}
}

// escape reads \" \\ \n \t \uXXXX, and a pair of \u for what lies beyond
// U+FFFF.
func (s *splitter) escape(text *strings.Builder) error {
	rest := s.line[s.at:]
	if len(rest) > 1 {
		if i := strings.IndexByte(`"\nt`, rest[1]); i >= 0 {
			text.WriteByte("\"\\\n\t"[i])
			s.skip(2)
			return nil
		}
		if rest[1] == 'u' {
			return s.unicode(text)
		}
	}
	return &CommandError{Column: s.col, Reason: `unknown escape: inside "…" write \" \\ \n \t or \uXXXX; inside '…' nothing is an escape`}
}

func (s *splitter) unicode(text *strings.Builder) error {
	rest := s.line[s.at:]
	r, ok := hex4(rest)
	if !ok {
		return &CommandError{Column: s.col, Reason: `\u needs four hexadecimal digits, such as \u00e9`}
	}
	n := 6
	if r >= 0xD800 && r < 0xE000 {
		low, ok := hex4(rest[6:])
		if r >= 0xDC00 || !ok || low < 0xDC00 || low > 0xDFFF {
			return &CommandError{Column: s.col, Reason: `half of a surrogate pair: write both, such as \ud83d\ude00`}
		}
		r = 0x10000 + (r-0xD800)<<10 + (low - 0xDC00)
		n = 12
	}
	text.WriteRune(r)
	s.skip(n)
	return nil
}

// hex4 reads \uXXXX.
func hex4(s string) (rune, bool) {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return 0, false
	}
	v, err := strconv.ParseUint(s[2:6], 16, 16)
	return rune(v), err == nil
}

// QuoteWord writes s so that ParseCommand reads it back as one word that is
// never a flag, a comment or an ampersand. A word that needs no quotes stays
// as it is. What is not UTF-8 becomes U+FFFD.
func QuoteWord(s string) string { return quoteWord(s, false) }

// quoteWord is QuoteWord; with always, a word gets quotes though it needs none.
func quoteWord(s string, always bool) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if !always && s != "" && s != "&" && !strings.HasPrefix(s, "--") && !strings.ContainsAny(s[:1], `"'#`) && !strings.ContainsAny(s, " \t\n\r") && printable(s) {
		return s
	}
	if !strings.ContainsAny(s, "'\n\r\t") && printable(s) {
		return "'" + s + "'"
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case Hidden(r):
			b.Write(AppendEscaped(nil, r))
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// printable reports whether s has no hidden characters.
func printable(s string) bool { return !strings.ContainsFunc(s, Hidden) }
