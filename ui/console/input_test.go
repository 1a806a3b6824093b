package console

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"a2ascope/themes"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// textField is what both kinds of text fields do.
type textField interface {
	value() string
	set(string)
	insert(string)
	recall(int)
}

func TestFieldsHaveTheKeysOfReadline(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text string
		keys       []string
		want       string
	}{
		{"to the start", "one two", []string{"ctrl+a", "x"}, "xone two"},
		{"to the end", "one two", []string{"home", "end", "x"}, "one twox"},
		{"left and right", "ab", []string{"left", "ctrl+b", "right", "x"}, "axb"},
		{"word back", "one two four", []string{"alt+b", "alt+b", "x"}, "one xtwo four"},
		{"backspace", "abc", []string{"backspace"}, "ab"},
		{"backspace at the start", "abc", []string{"home", "backspace"}, "abc"},
		{"delete", "abc", []string{"home", "delete"}, "bc"},
		{"delete at the end", "abc", []string{"ctrl+d"}, "abc"},
		{"a word and back", "one two", []string{"ctrl+w", "ctrl+y", "ctrl+y"}, "one twotwo"},
		{"to the start and back", "one two", []string{"ctrl+u", "ctrl+y"}, "one two"},
		{"to the end and back", "one two", []string{"ctrl+a", "ctrl+k", "ctrl+y"}, "one two"},
		{"what repeats itself", "aaaa aa", []string{"ctrl+a", "alt+d", "ctrl+e", "ctrl+y"}, " aaaaaa"},
		{"wide characters", "日本", []string{"left", "backspace"}, "本"},
		{"nothing for a control key", "a", []string{"ctrl+q"}, "a"},
		{"nothing of another's clipboard", "a", []string{"ctrl+v"}, "a"},
	} {
		line, area := newLineInput(), newAreaInput()
		for _, f := range []textField{line, area} {
			f.set(c.text)
			for _, k := range c.keys {
				if f == textField(line) {
					line.key(keyMsg(k))
				} else {
					area.key(keyMsg(k))
				}
			}
			if f.value() != c.want {
				t.Errorf("%s: %q, want %q", c.name, f.value(), c.want)
			}
		}
	}
}

func TestRemoved(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ before, after, want string }{
		{"abc", "ab", "c"}, {"abc", "c", "ab"}, {"aaa", "a", "aa"}, {"one one", "one ", "one"}, {"x", "x", "last"}, {"日本", "本", "日"},
	} {
		if got := removed(c.before, c.after, "last"); got != c.want {
			t.Errorf("%q to %q: %q, want %q", c.before, c.after, got, c.want)
		}
	}
}

func TestTheAreaGoesUpAndDownInItsTextBeforeItsHistory(t *testing.T) {
	t.Parallel()
	a := newAreaInput()
	a.set("first\nse\nthird")
	for i, c := range []struct {
		by, line int
		moved    bool
	}{{-1, 1, true}, {-1, 0, true}, {-1, 0, false}, {1, 1, true}, {1, 2, true}, {1, 2, false}} {
		if moved := a.vertical(c.by); moved != c.moved || a.box.Line() != c.line {
			t.Errorf("%d: moved %v to line %d", i, moved, a.box.Line())
		}
	}
}

func TestHistoryKeepsWhatIsBeingWritten(t *testing.T) {
	t.Parallel()
	for _, f := range []textField{newLineInput(), newAreaInput()} {
		p := &past{}
		switch f := f.(type) {
		case *lineInput:
			p = &f.past
		case *areaInput:
			p = &f.past
		}
		p.remember("one")
		p.remember("two")
		p.remember("two")
		f.set("dra")
		var got []string
		for _, by := range []int{-1, -1, -1, 1, 1, 1} {
			f.recall(by)
			got = append(got, f.value())
		}
		if want := []string{"two", "one", "one", "two", "dra", "dra"}; !slices.Equal(got, want) {
			t.Errorf("%T: %q", f, got)
		}
	}
}

// A key that pastes must not run a program: the clipboard is the terminal's.
func TestNoFieldRunsAProgram(t *testing.T) {
	dir := t.TempDir()
	trace := filepath.Join(dir, "ran")
	for _, tool := range []string{"xclip", "xsel", "wl-copy", "wl-paste", "pbpaste", "termux-clipboard-get"} {
		if err := os.WriteFile(filepath.Join(dir, tool), []byte("#!/bin/sh\necho ran > "+trace+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir)
	t.Setenv("DISPLAY", ":1")
	line, area := newLineInput(), newAreaInput()
	area.set("text")
	for _, k := range []string{"shift+left", "ctrl+shift+c", "ctrl+v", "ctrl+c", "shift+insert"} {
		line.key(keyMsg(k))
		area.key(keyMsg(k))
		_, cmd := area.box.Update(keyMsg(k))
		if cmd != nil {
			cmd()
		}
		if _, cmd = line.box.Update(keyMsg(k)); cmd != nil {
			cmd()
		}
	}
	if _, err := os.Stat(trace); err == nil {
		t.Error("a program was run for the clipboard")
	}
}

func FuzzFields(f *testing.F) {
	f.Add("a\nb", "xy", 10)
	f.Add("日本\x1b[31m", "\r\n\t", 1)
	f.Fuzz(func(t *testing.T, text, more string, w int) {
		w = clamp(w, 4, 200)
		a, l := newAreaInput(), newLineInput()
		a.insert(text)
		l.insert(text)
		for _, k := range []string{"alt+b", "ctrl+w", "up", "ctrl+k", "ctrl+y"} {
			a.key(keyMsg(k))
			l.key(keyMsg(k))
		}
		a.insert(more)
		l.insert(more)
		if !utf8.ValidString(a.value()) || !utf8.ValidString(l.value()) || strings.Contains(l.value(), "\n") {
			t.Fatalf("%q, %q", a.value(), l.value())
		}
		st := themes.New("", true, true)
		lines, x, y := a.view(&st, w, 4)
		if x < 0 || x >= w || y < 0 || y >= len(lines) {
			t.Fatalf("the cursor is at %d,%d of %d lines of %d", x, y, len(lines), w)
		}
		one, _ := l.view(st.Text, w, false)
		for _, s := range append(lines, one) {
			if s = ansi.Strip(s); ansi.StringWidth(s) != w || strings.ContainsAny(s, "\x1b\n") {
				t.Fatalf("line %q in %d", s, w)
			}
		}
	})
}

// TestAPastedTextIsSeen: the field grows with it and shows its end.
func TestAPastedTextIsSeen(t *testing.T) {
	t.Parallel()
	b := newBench(t, Options{Sessions: &fakeSessions{}}, 80, 24)
	s := b.show(discovered(), false)
	b.keys("s")
	b.send(tea.PasteMsg{Content: strings.Repeat("日本 word ", 70)})
	b.wants("日本 word").keys("ctrl+u")
	b.send(tea.WindowSizeMsg{Width: 160, Height: 45})
	b.send(tea.WindowSizeMsg{Width: 80, Height: 24})
	b.send(tea.PasteMsg{Content: strings.Repeat("a line of a hundred kilobytes\n", 3500)})
	if n := strings.Count(b.screen(), "a line of a hundred kilobytes"); n != maxLines-1 {
		t.Errorf("%d lines of the text are seen:\n%s", n, b.screen())
	}
	b.text("end").wants("end")
	if v := s.message.edit.value(); !strings.HasSuffix(v, "\nend") || len(v) != 3500*30+3 {
		t.Errorf("%d bytes, ending in %q", len(v), v[max(0, len(v)-10):])
	}
}

// TestALineSaysWhatBelongsThere, on the usual screen too.
func TestALineSaysWhatBelongsThere(t *testing.T) {
	t.Parallel()
	b := newBench(t, Options{Sessions: &fakeSessions{}}, 80, 24)
	b.keys("o").wants("a card, an agent or its origin", "enter go on").lacks("complete").keys("esc")
	b.keys("H", "/").wants("tab keep", "enter search all", "esc drop").keys("esc", "esc")
	b.show(leaky(), false)
	b.keys("@").wants("#12 · +1:23.5 · 83.5s · 14:03:10", "enter go on").lacks("complete").keys("esc")
	b.keys("/").wants("enter keep", "esc drop").text(strings.Repeat("long ", 15)).wants("long long")
}

func TestDatesAndIdsStayWhole(t *testing.T) {
	t.Parallel()
	for in, want := range map[string][]string{
		"it began on 2026-11-30 at ten": {"it began on", "2026-11-30 at", "ten"},
		"2026-11-30-2026-11-30":         {"2026-11-30-2026", "-11-30"},
	} {
		if got := wrap(in, 15, 0); !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
