package console

import (
	"strings"
	"testing"

	"a2ascope/themes"

	"github.com/charmbracelet/x/ansi"
)

func drawn(c *canvas) string { return ansi.Strip(strings.Join(c.lines(), "\n")) }

func TestBordersJoin(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		ascii bool
		draw  func(c *canvas)
		want  string
	}{
		{"one", false, func(c *canvas) { c.frame(rect{0, 0, 9, 3}, light, themes.Style{}) }, "┌───────┐\n│       │\n└───────┘"},
		{"side by side", false, func(c *canvas) {
			c.frame(rect{0, 0, 5, 3}, light, themes.Style{})
			c.frame(rect{4, 0, 5, 3}, light, themes.Style{})
		}, "┌───┬───┐\n│   │   │\n└───┴───┘"},
		{"the heavier wins", false, func(c *canvas) {
			c.frame(rect{0, 0, 5, 3}, heavy, themes.Style{})
			c.frame(rect{4, 0, 5, 3}, light, themes.Style{})
		}, "┏━━━┱───┐\n┃   ┃   │\n┗━━━┹───┘"},
		{"without box characters", true, func(c *canvas) {
			c.frame(rect{0, 0, 5, 3}, heavy, themes.Style{})
			c.frame(rect{4, 0, 5, 3}, light, themes.Style{})
		}, "+===+---+\n#   #   |\n+===+---+"},
		{"a title", false, func(c *canvas) {
			c.frame(rect{0, 0, 9, 3}, light, themes.Style{})
			c.label(2, 0, themes.Style{}, " 日 ")
			c.put(rect{1, 1, 7, 1}, []string{"content"})
		}, "┌─ 日 ──┐\n│content│\n└───────┘"},
		{"a title with marks", false, func(c *canvas) {
			c.frame(rect{0, 0, 9, 3}, light, themes.Style{})
			c.label(2, 0, themes.Style{}, "e\u0301⚠\ufe0f日g")
		}, "┌─e\u0301⚠日g─┐\n│       │\n└───────┘"},
		{"too small", false, func(c *canvas) { c.frame(rect{0, 0, 1, 1}, heavy, themes.Style{}) }, "         \n         \n         "},
	} {
		k := newCanvas(9, 3, c.ascii)
		c.draw(k)
		if got := drawn(k); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}

func TestEveryJunctionHasItsCharacter(t *testing.T) {
	t.Parallel()
	if len(junctions) != 81 {
		t.Fatalf("%d junctions", len(junctions))
	}
	seen := map[rune]bool{}
	for i, r := range junctions {
		if seen[r] {
			t.Errorf("%q stands twice", r)
		}
		seen[r] = true
		if ansi.StringWidth(string(r)) != 1 || (i == 0) != (r == ' ') {
			t.Errorf("junction %d is %q", i, r)
		}
	}
}

func TestOverlayKeepsTheRest(t *testing.T) {
	t.Parallel()
	st := themes.New("slate", true, false)
	rows := []string{st.Bad.Render("aaaaaaaaaa"), "日本日本日本", "short"}
	overlay(rows, rect{2, 0, 4, 3}, []string{"XXXX", "XXXX", "XXXX"})
	for i, want := range []string{"aaXXXXaaaa", "日XXXX本日本"[:3] + "XXXX", "shXXXX"} {
		if got := ansi.Strip(rows[i]); !strings.HasPrefix(got, want) {
			t.Errorf("row %d: %q, want %q", i, got, want)
		}
	}
	if !strings.Contains(rows[0], "a\x1b[m") {
		t.Errorf("the style is lost: %q", rows[0])
	}
}

func TestLineIsExactlyAsWideAsAsked(t *testing.T) {
	t.Parallel()
	st := themes.New("slate", true, false)
	for _, w := range []int{0, 1, 2, 5, 20, 200} {
		got := newLine(w).skip(1).put(st.Bad, "日本語 text").cell(st.Good, "x\x1b[2Jy", 6).right(st.Text, "1234", 9).lay(st.Selected).put(st.Key, "\r\n").end()
		if n := ansi.StringWidth(got); n != w {
			t.Errorf("%d cells of %d: %q", n, w, got)
		}
		if strings.Contains(got, "\x1b[2J") || strings.ContainsAny(got, "\r\n") {
			t.Errorf("obeyed: %q", got)
		}
	}
}

func TestWindowMovesAsLittleAsPossible(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ top, sel, n, h, want int }{
		{0, 0, 0, 10, 0}, {0, 5, 100, 10, 0}, {0, 10, 100, 10, 1}, {50, 20, 100, 10, 20}, {95, 99, 100, 10, 90}, {5, 3, 4, 10, 0}, {0, 3, 10, 0, 0},
	} {
		if got := window(c.top, c.sel, c.n, c.h); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
}

// TestAnOverlayCutsWideCharactersCleanly: what stands beside it stays where it
// was.
func TestAnOverlayCutsWideCharactersCleanly(t *testing.T) {
	t.Parallel()
	for x := range 8 {
		rows := []string{"\x1b[1m日本語日本語\x1b[m┃"}
		overlay(rows, rect{x, 0, 3, 1}, []string{"[=]"})
		got := ansi.Strip(rows[0])
		if ansi.StringWidth(got) != 13 || !strings.HasSuffix(got, "┃") || ansi.StringWidth(got[:strings.Index(got, "[=]")]) != x {
			t.Errorf("at %d: %q", x, got)
		}
	}
}
