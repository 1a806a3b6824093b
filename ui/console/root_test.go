package console

import (
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"a2ascope/keymap"
	"a2ascope/session"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
)

var demo = []Scenario{
	{Name: "honest", URL: "demo:honest", Title: "keeps every promise", Try: "stream slow 5; ask, and answer"},
	{Name: "leaky-cancel", URL: "demo:leaky-cancel", Title: "answers canceled, then goes on", Try: "stream slow 60, then cancel: frames go on", Lies: true},
	{Name: "no-push", URL: "demo:no-push", Title: "declares push", Try: "push on", First: "push on", Lies: true},
}

func TestDemoBeginsWithAPeerAndItsFirstCommand(t *testing.T) {
	t.Parallel()
	f := discovered()
	src := &fakeSessions{scenarios: demo, live: map[string]*fakeLive{"demo:leaky-cancel": f}}
	b := newBench(t, Options{Sessions: src, Demo: true}, 80, 24)
	b.wants("honest", "leaky-cancel", "lies", "What to try", "demo, no network")
	b.keys("j").wants("frames go on", "stream slow 60").keys("enter")
	b.wants("Acme Research", "stream ▸ slow 60", "try: stream slow 60, then cancel")
	b.keys("enter")
	if want := []string{"discover demo:leaky-cancel", "stream slow 60"}; !slices.Equal(f.commands, want) {
		t.Errorf("commands %q, want %q", f.commands, want)
	}
}

func TestAnAddressOpensAtOnce(t *testing.T) {
	t.Parallel()
	f := newFake()
	src := &fakeSessions{live: map[string]*fakeLive{"https://agents.acme.example": f}}
	b := newBench(t, Options{Sessions: src, Start: "https://agents.acme.example"}, 80, 24)
	if want := []string{"discover https://agents.acme.example"}; !slices.Equal(f.commands, want) || b.m.screen != screenSession {
		t.Errorf("commands %q on screen %d", f.commands, b.m.screen)
	}
}

func TestACommandThatIsNoMessageGoesToTheCommandLine(t *testing.T) {
	t.Parallel()
	f := discovered()
	b := newBench(t, Options{Sessions: &fakeSessions{scenarios: demo, live: map[string]*fakeLive{"demo:no-push": f}}, Demo: true}, 80, 24)
	b.keys("G", "enter").wants(":push on").keys("enter")
	if want := []string{"discover demo:no-push", "push on"}; !slices.Equal(f.commands, want) {
		t.Errorf("commands %q, want %q", f.commands, want)
	}
}

func TestLeavingAsksWhenSomethingIsOpen(t *testing.T) {
	t.Parallel()
	f := working()
	b, _ := onSession(t, f, 120, 40)
	b.keys("q").wants("Leave the session?", "1 stream is open").keys("enter")
	if b.m.session == nil || len(f.stopped) > 0 {
		t.Fatal("enter left the session")
	}
	b.keys("q", "y")
	if b.m.session != nil || b.m.screen != screenPeers || !slices.Equal(f.stopped, []string{"quit"}) {
		t.Errorf("screen %d, stopped %q", b.m.screen, f.stopped)
	}
	b.wants("session 018e-demo is in the history")
	f = discovered()
	b, _ = onSession(t, f, 120, 40)
	b.keys("q")
	if b.m.session != nil || !slices.Equal(f.stopped, []string{"quit"}) {
		t.Error("nothing was open, and it asked")
	}
}

func TestCtrlCAlwaysGetsOut(t *testing.T) {
	t.Parallel()
	quits := func(b *bench) bool {
		return slices.ContainsFunc(b.sent, func(m tea.Msg) bool { _, ok := m.(tea.QuitMsg); return ok })
	}
	for name, get := range map[string][]string{"pane": nil, "message": {"s"}, "command": {":"}, "question": {"c"}, "palette": {"ctrl+p"}, "help": {"?"}, "errors": {"e"}, "filter": {"/"}, "zoom": {"+"}} {
		f := working()
		b, _ := onSession(t, f, 120, 40)
		b.keys(get...).keys("ctrl+c")
		if !quits(b) || !slices.Equal(f.stopped, []string{"quit"}) {
			t.Errorf("%s: quit %v, stopped %q", name, quits(b), f.stopped)
		}
		b.sent = nil
		b.keys("ctrl+c")
		if !quits(b) {
			t.Errorf("%s: the second time did not force it", name)
		}
	}
	b := newBench(t, Options{Sessions: &fakeSessions{}}, 80, 24)
	if b.keys("ctrl+c"); !quits(b) {
		t.Error("not from the peers")
	}
}

func TestEscapeClosesTheTopmostThingOnly(t *testing.T) {
	t.Parallel()
	f := working()
	b, s := onSession(t, f, 120, 40)
	b.keys("/").text("chunk").keys("enter", "+")
	claim(f, uint64(len(f.records)))
	b.tell(f)
	b.keys("?")
	for i, left := range []func() bool{
		func() bool { return len(b.m.layers) == 0 && s.banner != nil },
		func() bool { return s.banner == nil && !s.wire.filter.empty() },
		func() bool { return s.wire.filter.empty() && s.zoom },
		func() bool { return !s.zoom },
		func() bool { return b.m.session == s && len(f.stopped) == 0 },
	} {
		if b.keys("esc"); !left() {
			t.Fatalf("escape %d: %+v", i+1, s.focus)
		}
	}
}

func TestFocusZoomAndTabs(t *testing.T) {
	t.Parallel()
	b, s := onSession(t, leaky(), 160, 45)
	for _, c := range []struct {
		key  string
		want pane
	}{{"1", paneTask}, {"tab", paneWire}, {"tab", paneClaims}, {"tab", paneDetail}, {"tab", paneMessage}, {"tab", paneTask}, {"shift+tab", paneMessage}, {"esc", paneTask}, {"3", paneClaims}, {"4", paneDetail}, {"5", paneMessage}, {"esc", paneDetail}, {"2", paneWire}, {"enter", paneDetail}, {"esc", paneWire}} {
		if b.keys(c.key); s.focus != c.want {
			t.Errorf("after %s the focus is at %d, want %d", c.key, s.focus+1, c.want+1)
		}
	}
	b.keys("3", "+").lacks("Wire").wants("Declared vs observed").keys("+").wants("Wire").keys("+", "_").wants("Wire")
	b.keys("1").wants("Detail of the task").keys("3").wants("Detail of cancel-final", "Treat the work as possibly done").keys("2").wants("Detail of decision 23")
	b.keys("k", "k", "4").wants("[pretty]", "artifactUpdate").keys("]").wants("[raw]", "sha256").keys("[", "[").wants("[why]", "evidence for cancel-final")
}

func TestHelpIsOfThisPlaceAndCanBeSearched(t *testing.T) {
	t.Parallel()
	b, _ := onSession(t, leaky(), 120, 60)
	b.keys("3", "?").wants("declared against observed", "stop relying on this claim", "cancel the task").lacks("open a session on this peer")
	b.keys("/").text("relying").wants("stop relying").lacks("cancel the task").keys("enter", "esc").wants("cancel the task").keys("?").lacks("stop relying on this claim")
}

func TestHelpAndPaletteAreReadInFullOnASmallScreen(t *testing.T) {
	t.Parallel()
	b, _ := onSession(t, leaky(), 80, 60)
	b.keys("?").wants("panes share one place", "  you name", "selected, with a reason").lacks("Left:")
	b.keys("esc", "ctrl+p").text("overrule").wants("set the decision aside that is announced or selected, with a")
}

func TestPaletteFindsByName(t *testing.T) {
	t.Parallel()
	f := working()
	b, _ := onSession(t, f, 120, 40)
	b.keys("ctrl+p").wants("What do you want to do?", "cancel").text("pol").keys("enter")
	if !slices.Equal(f.commands, []string{"poll"}) {
		t.Errorf("commands %q", f.commands)
	}
	b.keys("ctrl+p").text("redispatch").keys("enter").wants(":redispatch")
	b.keys("esc", "ctrl+p").text("resume").wants("waits for nothing").keys("esc").lacks("What do you want")
}

func TestThemesAndColours(t *testing.T) {
	t.Parallel()
	b, _ := onSession(t, leaky(), 80, 24)
	b.send(tea.ColorProfileMsg{Profile: colorprofile.TrueColor})
	if !strings.Contains(b.m.View().Content, "38;2;") {
		t.Error("no colours on a terminal that has them")
	}
	dark := b.m.View().Content
	b.send(tea.BackgroundColorMsg{Color: ansi.White})
	if b.m.st.Dark || b.m.View().Content == dark {
		t.Error("a light terminal changes nothing")
	}
	before := b.m.theme
	if b.keys("t"); b.m.theme == before {
		t.Error("t changes nothing")
	}
	b.send(tea.ColorProfileMsg{Profile: colorprofile.ASCII})
	if strings.Contains(b.m.View().Content, "38;2;") {
		t.Error("colours although NO_COLOR")
	}
}

func TestASCIIUsesNothingElse(t *testing.T) {
	t.Parallel()
	b := newBench(t, Options{Sessions: &fakeSessions{}, ASCII: true}, 160, 45)
	b.show(leaky(), false)
	b.wants("[XX] broken 1", "[..] untested", "#", "==")
	for _, keys := range [][]string{nil, {"3"}, {"?"}, {"esc", "ctrl+p"}, {"esc", ":"}, {"esc", "1"}, {"H"}} {
		b.keys(keys...)
		for _, r := range b.screen() {
			if r > 0x7e {
				t.Errorf("after %v: %U %q", keys, r, r)
			}
		}
	}
}

func TestEverySizeDraws(t *testing.T) {
	t.Parallel()
	f := leaky()
	b, _ := onSession(t, f, 0, 0)
	screens := [][]string{nil, {"1"}, {"3", "+"}, {"_", "4"}, {"c"}, {"esc", "?"}, {"esc", "ctrl+p"}, {"esc", ":"}, {"esc", "s"}, {"esc", "H", "y"}, {"q"}}
	for _, keys := range screens {
		b.keys(keys...)
		for _, w := range []int{0, 1, 20, 59, 60, 61, 80, 109, 110, 111, 160, 220} {
			for _, h := range []int{0, 1, 2, 14, 15, 16, 24, 31, 32, 45, 70} {
				b.send(tea.WindowSizeMsg{Width: w, Height: h})
				if w == 0 || h == 0 {
					continue
				}
				rows := strings.Split(b.screen(), "\n")
				if len(rows) != h {
					t.Fatalf("%v at %dx%d: %d rows", keys, w, h, len(rows))
				}
				for i, r := range rows {
					if n := ansi.StringWidth(r); n != w {
						t.Fatalf("%v at %dx%d: row %d has %d cells: %q", keys, w, h, i, n, r)
					}
				}
			}
		}
	}
	b.send(tea.WindowSizeMsg{Width: 59, Height: 24})
	b.wants("too small: need 60×15")
}

func TestMouse(t *testing.T) {
	t.Parallel()
	b, s := onSession(t, leaky(), 160, 45)
	in := s.lay.panes[paneClaims].inner()
	b.send(tea.MouseClickMsg{X: in.x + 3, Y: in.y + 1, Button: tea.MouseLeft})
	if s.focus != paneClaims || s.claims.sel != 1 {
		t.Errorf("focus %d, claim %d", s.focus+1, s.claims.sel)
	}
	in = s.lay.panes[paneWire].inner()
	b.send(tea.MouseWheelMsg{X: in.x + 3, Y: in.y + 1, Button: tea.MouseWheelUp})
	if s.focus != paneClaims {
		t.Error("the wheel moved the focus")
	}
	for range 2 {
		b.send(tea.MouseClickMsg{X: in.x + 3, Y: in.y + 4, Button: tea.MouseLeft})
	}
	if s.focus != paneDetail || s.wire.sel != s.wire.top+4 {
		t.Errorf("a double click: focus %d, line %d of %d", s.focus+1, s.wire.sel, s.wire.top)
	}
	b.keys("M").wants("the mouse is the terminal's")
	if b.m.View().MouseMode != tea.MouseModeNone {
		t.Error("the mouse is still taken")
	}
}

func TestCopy(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		keys []string
		want string
	}{
		{[]string{"g", "j", "y"}, "2 +0.002 › discover https://agents.acme.example"},
		{[]string{"g", "j", "j", "Y"}, "GET /.well-known/agent-card.json HTTP/1.1"},
		{[]string{"1", "y"}, "t-7f3a"},
		{[]string{"3", "y"}, "cancel-final: declared implied"},
		{[]string{"3", "Y"}, "Treat the work as possibly done"},
	} {
		b, _ := onSession(t, leaky(), 120, 40)
		b.keys(c.keys...).wants("copied")
		got := ""
		for _, m := range b.sent {
			if text, ok := clipboard(m); ok {
				got = text
			}
		}
		if !strings.Contains(got, c.want) {
			t.Errorf("%v copies %q, want %q", c.keys, got, c.want)
		}
	}
}

func TestProblemsOfTheKeyFileAreShown(t *testing.T) {
	t.Parallel()
	keys, problems := keymap.Load("keys.toml", []byte("\"task.poll\" = \"X\"\n\"task.explode\" = \"Z\""))
	f := working()
	b := newBench(t, Options{Sessions: &fakeSessions{}, Keys: keys, Problems: problems}, 120, 40)
	b.wants("keys.toml:2: no action").keys("e").wants("keys.toml:2").keys("esc")
	b.show(f, false)
	b.wants("X poll").keys("p", "X")
	if !slices.Equal(f.commands, []string{"poll"}) {
		t.Errorf("commands %q", f.commands)
	}
}

func TestMessagesOfAnEarlierSessionAreDropped(t *testing.T) {
	t.Parallel()
	b, s := onSession(t, leaky(), 120, 40)
	old := b.m.gen
	b.m.gen++
	for _, msg := range []tea.Msg{viewMsg{gen: old, view: session.MakeView(session.NewState())}, rowsMsg{gen: old}, recordMsg{gen: old, seq: 1}, matchedMsg{gen: old}, commandedMsg{gen: old, err: errors.New("late")}} {
		b.send(msg)
	}
	if s.view.Seq == 0 || len(b.m.errors) > 0 {
		t.Error("a message of an earlier session was taken")
	}
	late := newFake()
	b.send(openedMsg{gen: old, live: late})
	if !slices.Equal(late.stopped, []string{"quit"}) {
		t.Error("a session that came too late goes on")
	}
}

// run starts the whole program on pipes.
func run(t *testing.T, o Options) (in io.WriteCloser, wait func() error) {
	t.Helper()
	r, w := io.Pipe()
	t.Cleanup(func() { _ = w.Close() })
	o.In, o.Out, o.Env, o.Width, o.Height = r, io.Discard, []string{"TERM=xterm-256color"}, 80, 24
	done := make(chan error, 1)
	go func() { done <- Run(t.Context(), o) }()
	return w, func() error {
		select {
		case err := <-done:
			return err
		case <-time.After(10 * time.Second):
			t.Fatal("the program does not end")
			return nil
		}
	}
}

func TestTheProgramEnds(t *testing.T) {
	t.Parallel()
	f := leaky()
	src := &fakeSessions{live: map[string]*fakeLive{"https://agents.acme.example": f}}
	in, wait := run(t, Options{Sessions: src, Start: "https://agents.acme.example"})
	if _, err := io.WriteString(in, "\x03"); err != nil {
		t.Fatal(err)
	}
	if err := wait(); err != nil {
		t.Errorf("ctrl+c: %v", err)
	}

	fatal := make(chan error, 1)
	fatal <- errors.New("panic in the writer")
	_, wait = run(t, Options{Sessions: src, Fatal: fatal})
	if err := wait(); err == nil || err.Error() != "panic in the writer" {
		t.Errorf("a fatal error elsewhere: %v", err)
	}

	in, wait = run(t, Options{Sessions: panicking{&fakeSessions{}}})
	if _, err := io.WriteString(in, "r"); err != nil && !errors.Is(err, os.ErrClosed) {
		t.Fatal(err)
	}
	if err := wait(); !errors.Is(err, tea.ErrProgramPanic) {
		t.Errorf("a panic in a Cmd: %v", err)
	}
}

// panicking cannot even list its peers.
type panicking struct{ *fakeSessions }

func (panicking) Peers() ([]PeerRow, error) { panic("no peers") }
