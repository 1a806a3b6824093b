package export

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"a2ascope/session"
)

// visible returns text in which what is not meant to be seen is spelt out:
// control characters, characters that turn the direction of writing, bytes
// that are no UTF-8. Line ends and tabs stay.
func visible(s string) string {
	plain := true
	for i := 0; i < len(s) && plain; i++ {
		plain = s[i] >= ' ' && s[i] < 0x7f || s[i] == '\n' || s[i] == '\t'
	}
	if plain {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `‹\x%02X›`, s[i])
		case r == '\r' && strings.HasPrefix(s[i+1:], "\n"):
			// the line end that follows stands for both
		case r == '\n' || r == '\t':
			b.WriteRune(r)
		case session.Hidden(r):
			fmt.Fprintf(&b, "‹U+%04X›", r)
		default:
			b.WriteRune(r)
		}
		i += n
	}
	return b.String()
}

// oneLine is visible text on one line.
func oneLine(s string) string {
	s = visible(s)
	if strings.ContainsAny(s, "\n\t") {
		s = strings.Join(strings.Fields(s), " ")
	}
	return s
}

// cut shortens s to at most max bytes, between two characters.
func cut(s string, max int) string {
	if len(s) <= max {
		return s
	}
	end := max
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + "…"
}

// at is a time within the session, for people.
func at(d time.Duration) string { return fmt.Sprintf("+%.3f s", d.Seconds()) }

// number names a record.
func number(seq uint64) string { return "#" + strconv.FormatUint(seq, 10) }

func counted(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return strconv.Itoa(n) + " " + word + "s"
}

func size(n int) string {
	switch {
	case n >= 10<<20:
		return strconv.Itoa(n>>20) + " MiB"
	case n >= 10<<10:
		return strconv.Itoa(n>>10) + " KiB"
	}
	return counted(n, "byte")
}

// when is a time on the wall, in UTC.
func when(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05.000 MST") }

// headOf returns where the head of a wire record ends.
func headOf(r *session.Record) int {
	var b struct {
		Head int `json:"head"`
	}
	if r.Decode(&b) != nil || b.Head < 0 || b.Head > len(r.Raw) {
		return 0
	}
	return b.Head
}
