package clean_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"a2ascope/ui/clean"
)

func TestLine(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		in   string
		max  int
		want string
	}{
		"plain":               {"working on it", 0, "working on it"},
		"other scripts":       {"größer 日本 שלום", 0, "größer 日本 שלום"},
		"escape":              {"\x1b[2Jgone", 0, "^[[2Jgone"},
		"title by OSC":        {"\x1b]0;x\x07", 0, "^[]0;x^G"},
		"C1 CSI":              {"\u009b31m", 0, "^[[31m"},
		"delete and null":     {"a\x7f\x00", 0, "a^?^@"},
		"right to left":       {"invoice\u202efdp.exe", 0, "invoice‹U+202E›fdp.exe"},
		"isolate":             {"\u2066x\u2069", 0, "‹U+2066›x‹U+2069›"},
		"zero width":          {"pay\u200bpal\ufeff", 0, "pay‹U+200B›pal‹U+FEFF›"},
		"tags":                {"a\U000E0041", 0, "a‹U+E0041›"},
		"blank letter":        {"\u3164", 0, "‹U+3164›"},
		"separator":           {"a\u2028b", 0, "a‹U+2028›b"},
		"not UTF-8":           {"a\xff\xc3", 0, `a‹\xFF›‹\xC3›`},
		"line ends":           {"a\nb\r\nc\rd", 0, "a↵b↵c^Md"},
		"tab":                 {"ab\tc", 0, "ab  c"},
		"marks":               {"e\u0301\u0301\u0301\u0301", 0, "e\u0301\u0301\u0301‹U+0301›"},
		"mark at the front":   {"\u0301a", 0, "‹U+0301›a"},
		"cut":                 {"abcdefgh", 5, "abcd…"},
		"just fits":           {"abcde", 5, "abcde"},
		"wide":                {"日本語", 4, "日…"},
		"wide at the edge":    {"日本", 1, "…"},
		"long":                {strings.Repeat("x", 1<<20), 3, "xx…"},
		"controls are capped": {"\x1b\x1b\x1b", 4, "^[^…"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := clean.Line(c.in, c.max); got != c.want {
				t.Errorf("Line(%q, %d) = %q, want %q", c.in, c.max, got, c.want)
			}
		})
	}
}

func TestBlock(t *testing.T) {
	t.Parallel()
	in := "a\tb\r\n\x1b[1mc\n\n\u202ed"
	want := "a   b\n^[[1mc\n\n‹U+202E›d"
	if got := clean.Block(in); got != want {
		t.Errorf("Block(%q) = %q, want %q", in, got, want)
	}
}

// Whatever comes in, what goes out holds nothing that a terminal obeys.
func FuzzClean(f *testing.F) {
	for _, s := range []string{"", "a", "\x1b[31m\u202e\xff\t\r\n", "\u009b\u0301\u0301日\ufe0f\u200d", "👩‍👩‍👧 ok"} {
		f.Add(s, 7)
	}
	f.Fuzz(func(t *testing.T, s string, max int) {
		max %= 200
		line := clean.Line(s, max)
		safe(t, line, "")
		if max > 0 && ansi.StringWidth(line) > max {
			t.Errorf("%q is %d cells wide, wanted at most %d", line, ansi.StringWidth(line), max)
		}
		if again := clean.Line(line, max); again != line {
			t.Errorf("cleaning twice: %q, then %q", line, again)
		}
		block := clean.Block(s)
		safe(t, block, "\n")
		if again := clean.Block(block); again != block {
			t.Errorf("cleaning twice: %q, then %q", block, again)
		}
	})
}

func safe(t *testing.T, s, but string) {
	t.Helper()
	if !utf8.ValidString(s) {
		t.Errorf("%q is not UTF-8", s)
	}
	for _, r := range s {
		if !unicode.IsGraphic(r) && !strings.ContainsRune(but, r) {
			t.Errorf("%q holds %U", s, r)
		}
	}
}

// Terminals differ in how wide a sign with a selector or a tone of skin is.
func TestWhatIsShownIsOfOneWidth(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"⚠\ufe0f ok", "👍🏽", "🏳\ufe0f\u200d🌈", "1\ufe0f\u20e3", "👩\u200d👩\u200d👧", "日本", "e\u0301", "🇩🇪"} {
		got := clean.Line(s, 0)
		if a, b := ansi.StringWidth(got), ansi.StringWidthWc(got); a != b {
			t.Errorf("%q becomes %q: %d or %d cells", s, got, a, b)
		}
	}
}
