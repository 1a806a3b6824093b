package console

import (
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// clickOn clicks on the first place where a text stands on the screen.
func (b *bench) clickOn(text string) *bench {
	b.t.Helper()
	for y, row := range strings.Split(b.screen(), "\n") {
		if i := strings.Index(row, text); i >= 0 {
			b.send(tea.MouseClickMsg{X: ansi.StringWidth(row[:i]), Y: y, Button: tea.MouseLeft})
			return b
		}
	}
	b.t.Fatalf("%q is not on the screen:\n%s", text, b.screen())
	return b
}

func TestNamesOfPanesAndTabsAreClicked(t *testing.T) {
	t.Parallel()
	for _, size := range []struct{ w, h int }{{80, 24}, {160, 45}} {
		b := newBench(t, Options{Sessions: &fakeSessions{}}, size.w, size.h)
		s := b.show(leaky(), false)
		b.clickOn("1 Task")
		if s.focus != paneTask {
			t.Errorf("%d: pane %d after a click on the task's name", size.w, s.focus)
		}
		if b.clickOn("4 Detail"); s.focus != paneDetail {
			t.Errorf("%d: pane %d after a click on the detail's name", size.w, s.focus)
		}
		b.keys("2", "g").keys("4").clickOn(" why ")
		if s.detail.tab() != tabWhy {
			t.Errorf("%d: tab %s", size.w, s.detail.tab())
		}
	}
	b := newBench(t, Options{Sessions: &fakeSessions{}}, 80, 24)
	b.keys("H").clickOn("Decisions").wants("[Decisions]", "no decision was made yet")
}

func TestAnswersAndEntriesAreClicked(t *testing.T) {
	t.Parallel()
	f := working()
	b := newBench(t, Options{Sessions: &fakeSessions{}}, 80, 24)
	b.show(f, false)
	b.keys("c").clickOn("No, let it go on").lacks("Cancel the task?")
	if len(f.commands) > 0 {
		t.Errorf("No sent %q", f.commands)
	}
	b.keys("c").clickOn("1 Task").wants("Cancel the task?") // what lies below takes no clicks
	b.clickOn("Yes, cancel it").lacks("Cancel the task?")
	if want := []string{"cancel"}; !slices.Equal(f.commands, want) {
		t.Errorf("commands %q, want %q", f.commands, want)
	}
	b.keys("ctrl+p").text("theme").clickOn("the next theme").lacks("What do you want to do?").wants("theme ")
	b.keys("ctrl+p")
	b.send(tea.MouseWheelMsg{X: 40, Y: 12, Button: tea.MouseWheelDown})
	if p := b.m.layers[0].(*picker); p.sel != 1 {
		t.Errorf("the wheel went to entry %d", p.sel)
	}
}

// TestAClickOnALadderFindsTheStep: a step may take several rows.
func TestAClickOnALadderFindsTheStep(t *testing.T) {
	t.Parallel()
	b := newBench(t, Options{Sessions: &fakeSessions{}}, 120, 40)
	s := b.show(leaky(), false)
	b.keys("1", "G")
	b.screen()
	for row, step := range s.task.steps {
		in := s.lay.panes[paneTask].inner()
		b.send(tea.MouseClickMsg{X: in.x + 2, Y: in.y + row, Button: tea.MouseLeft})
		if s.task.sel != step {
			t.Errorf("row %d: step %d, want %d", row, s.task.sel, step)
		}
	}
	if n := len(s.task.steps); n <= len(s.task.items) {
		t.Errorf("%d rows for %d steps: none is wrapped, and the test proves nothing", n, len(s.task.items))
	}
}

func TestTheFooterSaysThatTheMouseIsTheTerminals(t *testing.T) {
	t.Parallel()
	b := newBench(t, Options{Sessions: &fakeSessions{}}, 120, 40)
	b.show(leaky(), false)
	b.lacks("mouse back").keys("M").wants("M mouse back").keys("M").lacks("mouse back")
}

func TestSuspendWorksWhateverIsOpen(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]string{"question": "c", "palette": "ctrl+p", "help": "?", "command": ":", "message": "s", "pane": "2"} {
		b := newBench(t, Options{Sessions: &fakeSessions{}}, 80, 24)
		b.show(working(), false)
		b.keys(open, "ctrl+z")
		if !slices.ContainsFunc(b.sent, func(m tea.Msg) bool { _, ok := m.(tea.SuspendMsg); return ok }) {
			t.Errorf("%s: ctrl+z did nothing", name)
		}
	}
}
