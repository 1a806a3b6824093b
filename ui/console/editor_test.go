package console

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"a2ascope/themes"

	"github.com/charmbracelet/x/ansi"
)

func TestEditorKeys(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text string
		keys       []string
		want       string
		pos        int
	}{
		{"to the start", "one two", []string{"ctrl+a", "x"}, "xone two", 1},
		{"to the end", "one two", []string{"home", "end", "x"}, "one twox", 8},
		{"left and right", "ab", []string{"left", "ctrl+b", "right", "x"}, "axb", 2},
		{"word back", "one two-three four", []string{"alt+b", "alt+b", "x"}, "one xtwo-three four", 5},
		{"word ahead", "one two", []string{"ctrl+a", "alt+f", "x"}, "onex two", 4},
		{"backspace", "abc", []string{"backspace"}, "ab", 2},
		{"backspace at the start", "abc", []string{"home", "backspace"}, "abc", 0},
		{"delete", "abc", []string{"home", "delete"}, "bc", 0},
		{"delete at the end", "abc", []string{"ctrl+d"}, "abc", 3},
		{"a word and back", "one two", []string{"ctrl+w", "ctrl+y", "ctrl+y"}, "one twotwo", 10},
		{"to the start and back", "one two", []string{"ctrl+u", "ctrl+y"}, "one two", 7},
		{"to the end", "one two", []string{"ctrl+a", "ctrl+k"}, "", 0},
		{"the line's part only", "one\ntwo", []string{"ctrl+u"}, "one\n", 4},
		{"word ahead is cut", "one two", []string{"home", "alt+d"}, " two", 0},
		{"wide characters", "日本", []string{"left", "backspace"}, "本", 0},
		{"nothing for a control key", "a", []string{"ctrl+g"}, "a", 1},
	} {
		e := &editor{multi: true}
		e.set(c.text)
		for _, k := range c.keys {
			e.key(keyMsg(k))
		}
		if e.value() != c.want || e.pos != c.pos {
			t.Errorf("%s: %q at %d, want %q at %d", c.name, e.value(), e.pos, c.want, c.pos)
		}
	}
}

func TestEditorRows(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		pos  int
		w    int
		rows []string
		x, y int
	}{
		{"", 0, 5, []string{""}, 0, 0},
		{"abc", 3, 5, []string{"abc"}, 3, 0},
		{"abcdef", 6, 4, []string{"abcd", "ef"}, 2, 1},
		{"abcdef", 4, 4, []string{"abcd", "ef"}, 0, 1},
		{"a\nb", 2, 4, []string{"a", "b"}, 0, 1},
		{"a\n", 2, 4, []string{"a", ""}, 0, 1},
		{"日本語", 3, 4, []string{"日本", "語"}, 2, 1},
	} {
		e := &editor{multi: true}
		e.set(c.text)
		e.pos = c.pos
		rows, x, y := e.rows(c.w)
		if !slices.Equal(rows, c.rows) || x != c.x || y != c.y {
			t.Errorf("%q at %d in %d: %q, cursor %d,%d, want %q, %d,%d", c.text, c.pos, c.w, rows, x, y, c.rows, c.x, c.y)
		}
	}
}

func TestEditorGoesUpAndDownInItsText(t *testing.T) {
	t.Parallel()
	e := &editor{multi: true}
	e.set("first\nse\nthird")
	for _, c := range []struct{ by, pos int }{{-1, 8}, {-1, 2}, {1, 8}, {1, 11}} {
		if !e.vertical(c.by) || e.pos != c.pos {
			t.Errorf("by %d to %d, want %d", c.by, e.pos, c.pos)
		}
	}
	if e.vertical(1) {
		t.Error("below the last line")
	}
}

func FuzzEditor(f *testing.F) {
	f.Add("a\nb", "xy", 10)
	f.Fuzz(func(t *testing.T, text, more string, w int) {
		w = clamp(w, 1, 200)
		e := &editor{multi: true}
		e.insert(text)
		for _, k := range []string{"alt+b", "ctrl+w", "up", "ctrl+k", "ctrl+y"} {
			e.key(keyMsg(k))
		}
		e.insert(more)
		if e.pos < 0 || e.pos > len(e.text) || !utf8.ValidString(e.value()) {
			t.Fatalf("at %d of %q", e.pos, e.value())
		}
		lines, x, y := e.view(themes.Style{}, w, 4)
		if x < 0 || x >= w || y < 0 || y >= len(lines) {
			t.Fatalf("the cursor is at %d,%d of %d lines of %d", x, y, len(lines), w)
		}
		for _, l := range lines {
			if ansi.StringWidth(l) > w+1 || strings.ContainsAny(l, "\x1b\n") {
				t.Fatalf("line %q in %d", l, w)
			}
		}
	})
}
