package console

import (
	"context"
	"reflect"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// bench is a console without a terminal: messages go in, Cmds run at once.
type bench struct {
	t    testing.TB
	m    *model
	now  time.Time
	sent []tea.Msg // messages that Cmds gave for the program: quit, clipboard
}

func newBench(t testing.TB, o Options, w, h int) *bench {
	b := &bench{t: t, now: start.Add(5 * time.Second)}
	o.Now = func() time.Time { return b.now }
	over, end := context.WithCancel(context.Background())
	end() // nobody waits for changes: tests tell of them
	b.m = newModel(over, o)
	b.m.fast = true // no ticks either
	b.m.mono = true
	b.m.restyle()
	b.m.loadAll(b)
	b.send(tea.WindowSizeMsg{Width: w, Height: h})
	return b
}

// loadAll does what Init asks for, without its timers.
func (m *model) loadAll(b *bench) {
	b.do(m.loadPeers())
	if m.opt.Start != "" {
		b.do(m.open(openPeer, m.opt.Start, ""))
	}
}

// show puts a session onto the screen, without opening it.
func (b *bench) show(f *fakeLive, review bool) *sessionScreen {
	b.m.gen++
	b.m.session = newSession(f, review)
	b.m.screen = screenSession
	b.do(b.m.viewed(f.View()))
	return b.m.session
}

// tell brings the session's latest view.
func (b *bench) tell(f *fakeLive) { b.do(b.m.viewed(f.View())) }

func (b *bench) send(msg tea.Msg) {
	_, cmd := b.m.Update(msg)
	b.do(cmd)
}

// do runs a Cmd, and the Cmds that follow from it. Timers and waiting are left
// out: they are told by their time.
func (b *bench) do(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	done := make(chan tea.Msg, 1)
	go func() { done <- cmd() }()
	var msg tea.Msg
	select {
	case msg = <-done:
	case <-time.After(10 * time.Second):
		b.t.Fatal("a Cmd does not end")
	}
	switch msg := msg.(type) {
	case nil:
	case tea.BatchMsg:
		for _, c := range msg {
			b.do(c)
		}
	case tickMsg, viewMsg:
	case openedMsg, rowsMsg, recordMsg, matchedMsg, commandedMsg, peersMsg, historyMsg, asOfMsg, foundTimeMsg, editedMsg, rulesMsg, huntedMsg, huntOverMsg,
		deletedMsg, comparedMsg, cardsMsg, handoverMsg, againMsg, notedMsg, draftedMsg, exportedMsg:
		b.send(msg)
	default:
		b.sent = append(b.sent, msg)
		b.sequence(msg)
	}
}

// sequence runs the Cmds of tea.Sequence, whose message type is not exported.
func (b *bench) sequence(msg tea.Msg) {
	v := reflect.ValueOf(msg)
	if v.Kind() != reflect.Slice {
		return
	}
	for i := range v.Len() {
		if c, ok := v.Index(i).Interface().(tea.Cmd); ok {
			b.do(c)
		}
	}
}

var named = map[string]rune{
	"enter": tea.KeyEnter, "esc": tea.KeyEscape, "tab": tea.KeyTab, "up": tea.KeyUp, "down": tea.KeyDown, "left": tea.KeyLeft, "right": tea.KeyRight,
	"home": tea.KeyHome, "end": tea.KeyEnd, "pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown, "backspace": tea.KeyBackspace, "delete": tea.KeyDelete,
}

// keyMsg is the message of a key as the key map writes it.
func keyMsg(name string) tea.KeyPressMsg {
	var k tea.KeyPressMsg
	for {
		mod, rest, ok := strings.Cut(name, "+")
		m, known := map[string]tea.KeyMod{"ctrl": tea.ModCtrl, "alt": tea.ModAlt, "shift": tea.ModShift}[mod]
		if !ok || !known || rest == "" {
			break
		}
		k.Mod |= m
		name = rest
	}
	switch code, special := named[name]; {
	case special:
		k.Code = code
	case name == "space":
		k.Code, k.Text = ' ', " "
	default:
		k.Code = []rune(name)[0]
		if k.Mod == 0 {
			k.Text = name
		}
	}
	return k
}

// keys presses keys one after the other.
func (b *bench) keys(names ...string) *bench {
	for _, n := range names {
		b.send(keyMsg(n))
	}
	return b
}

// text types text.
func (b *bench) text(s string) *bench {
	for _, r := range s {
		b.send(tea.KeyPressMsg{Code: r, Text: string(r)})
	}
	return b
}

// screen is what is shown, without styles.
func (b *bench) screen() string { return ansi.Strip(b.m.View().Content) }

func (b *bench) wants(texts ...string) *bench {
	b.t.Helper()
	s := b.screen()
	for _, t := range texts {
		if !strings.Contains(s, t) {
			b.t.Errorf("%q is not on the screen:\n%s", t, s)
		}
	}
	return b
}

func (b *bench) lacks(texts ...string) *bench {
	b.t.Helper()
	s := b.screen()
	for _, t := range texts {
		if strings.Contains(s, t) {
			b.t.Errorf("%q is on the screen:\n%s", t, s)
		}
	}
	return b
}
