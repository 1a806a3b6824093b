package console

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"a2ascope/session"
	"a2ascope/session/a2a"

	tea "charm.land/bubbletea/v2"
)

func TestTheLogFollowsItsEndUntilSomebodyScrollsAway(t *testing.T) {
	t.Parallel()
	f := long(1000)
	b, s := onSession(t, f, 160, 45)
	b.wants("following", "chunk 999")
	b.keys("k", "ctrl+u").lacks("following")
	at := s.wire.selected()
	for range 37 {
		f.records = append(f.records, f.records[999])
		f.records[len(f.records)-1].Seq = uint64(len(f.records))
	}
	f.state.Seq += 37
	f.view = session.MakeView(f.state)
	b.tell(f)
	b.wants("▼ 37 new")
	if s.wire.selected() != at {
		t.Errorf("the selection went from %d to %d", at, s.wire.selected())
	}
	b.keys("G").wants("following").lacks("new ")
	if s.wire.selected() != 1037 {
		t.Errorf("at %d", s.wire.selected())
	}
	b.keys("g").lacks("following")
	b.keys("F").wants("following")
}

func TestMovements(t *testing.T) {
	t.Parallel()
	b, s := onSession(t, long(1000), 80, 24)
	page := s.wire.h - 1
	for _, c := range []struct {
		key  string
		want uint64
	}{
		{"g", 1}, {"j", 2}, {"down", 3}, {"k", 2}, {"up", 1}, {"up", 1}, {"ctrl+f", uint64(1 + page)}, {"ctrl+b", 1}, {"pgdown", uint64(1 + page)}, {"pgup", 1},
		{"ctrl+d", uint64(1 + page/2)}, {"ctrl+u", 1}, {"end", 1000}, {"home", 1}, {"G", 1000}, {"j", 1000},
	} {
		b.keys(c.key)
		if got := s.wire.selected(); got != c.want {
			t.Errorf("after %s at %d, want %d", c.key, got, c.want)
		}
		if s.wire.sel < s.wire.top || s.wire.sel >= s.wire.top+s.wire.h {
			t.Errorf("after %s the selection is out of sight", c.key)
		}
	}
	b.keys("l", "l").lacks("artifact r-1").keys("h", "h", "h").wants("artifact r-1")
}

func TestFilter(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		want int
	}{
		{"", 1000}, {"chunk 99", 19}, {"CHUNK 99", 19}, {"kind:frame", 993}, {"!kind:frame", 7}, {"!chunk", 7}, {"kind:frame 500", 1},
		{"task:1", 994}, {"task:2", 0}, {"!", 1000}, {"no such thing", 0},
	} {
		b, s := onSession(t, long(1000), 120, 40)
		b.keys("/").text(c.text)
		if s.wire.n() != c.want {
			t.Errorf("/%s shows %d, want %d", c.text, s.wire.n(), c.want)
		}
		if c.text != "" && c.text != "!" {
			b.wants(fmt.Sprintf("%d/1000", c.want))
		}
		for i := range s.wire.n() {
			if i > 0 && s.wire.seq(i) <= s.wire.seq(i-1) {
				t.Fatalf("/%s: not in order at %d", c.text, i)
			}
		}
		b.keys("enter", "esc")
		if s.wire.n() != 1000 {
			t.Errorf("/%s: escape leaves %d", c.text, s.wire.n())
		}
	}
}

func TestAFilterGoesOnWithTheLog(t *testing.T) {
	t.Parallel()
	f := leaky()
	b, s := onSession(t, f, 120, 40)
	b.keys("/").text("note").keys("enter")
	if s.wire.n() != 0 {
		t.Fatalf("%d shown", s.wire.n())
	}
	b.wants("nothing matches /note")
	f.add(ms(5000), session.KindNote, 0, 0, session.Noted{Text: "seen"}, "")
	b.tell(f)
	b.wants("Wire /note 1/24", "seen")
	b.keys("/").wants("/note").keys("esc")
	if s.wire.n() != 24 {
		t.Errorf("escape leaves %d", s.wire.n())
	}
	b.keys("/").text("task:x").wants("task: takes a number")
}

func TestEvidenceLeavesAFilterThatHidesIt(t *testing.T) {
	t.Parallel()
	f := leaky()
	b, s := onSession(t, f, 120, 40)
	b.keys("/").text("discover").keys("enter", "3", "enter")
	c := f.view.Claims[slices.IndexFunc(f.view.Claims, func(c session.ClaimDoc) bool { return c.ID == session.CancelFinal })]
	if s.focus != paneWire || s.wire.selected() != c.Evidence[0] {
		t.Errorf("focus %d, record %d, want %d", s.focus, s.wire.selected(), c.Evidence[0])
	}
	b.keys("3", "enter")
	if s.wire.selected() != c.Evidence[1] {
		t.Errorf("the second time at record %d, want %d", s.wire.selected(), c.Evidence[1])
	}
	b.keys("3", "j", "enter").wants("streaming: nothing was seen of it")
}

func TestEnterOnAFindingGoesToWhatItRestsOn(t *testing.T) {
	t.Parallel()
	f := leaky()
	b, s := onSession(t, f, 120, 40)
	n := f.view.Findings[0].Seq
	b.wants(" 22   +3.620") // its number stands there too
	b.m.jump(n)
	b.do(b.m.refill())
	b.keys("enter").wants(fmt.Sprintf("record %d is evidence for record %d", f.view.Findings[0].Evidence[0], n))
	if s.focus != paneWire || s.wire.selected() != f.view.Findings[0].Evidence[0] {
		t.Errorf("focus %d, record %d", s.focus, s.wire.selected())
	}
	b.keys("enter")
	if s.focus != paneDetail {
		t.Error("enter on another record does not show it")
	}
}

func TestTheLogIsNotHeldInMemory(t *testing.T) {
	t.Parallel()
	f := long(100_000)
	b, s := onSession(t, f, 160, 45)
	for range 60 {
		b.keys("g", "G")
		for range 30 {
			b.keys("ctrl+b")
		}
		b.send(tea.MouseWheelMsg{X: 60, Y: 10, Button: tea.MouseWheelUp})
	}
	if n := len(s.wire.store.parts); n > keptParts {
		t.Errorf("%d parts are kept", n)
	}
	if len(s.wire.store.asked) > 0 {
		t.Errorf("still asked for: %v", s.wire.store.asked)
	}
	b.keys("g").wants("opened").keys("G").wants("chunk 99999")
}

func TestEveryLineThatIsShownIsRead(t *testing.T) {
	t.Parallel()
	f := long(5000)
	b, s := onSession(t, f, 120, 40)
	for i := 1; i < 5000; i += 137 {
		s.wire.to(i)
		b.do(b.m.refill())
		for k := s.wire.top; k < min(s.wire.n(), s.wire.top+s.wire.h); k++ {
			if _, ok := s.wire.store.row(s.wire.seq(k)); !ok {
				t.Fatalf("record %d is shown and was not read", s.wire.seq(k))
			}
		}
	}
}

// TestALogThatIsShorterThanItsHeadIsNotReadWithoutEnd: what does not come is
// asked for again when the log has grown, and not at once.
func TestALogThatIsShorterThanItsHeadIsNotReadWithoutEnd(t *testing.T) {
	t.Parallel()
	f := long(300)
	b, s := onSession(t, f, 120, 40)
	f.records = f.records[:290]
	s.wire.store = newStore()
	b.do(b.m.refill()) // the bench carries out what follows from it, to the end
	if _, ok := s.wire.store.row(290); !ok {
		t.Error("what is there was not read")
	}
	if got := s.wire.store.want(s.wire.visible(), s.wire.head); got != nil {
		t.Errorf("asks again for %v", got)
	}
	if got := s.wire.store.want(s.wire.visible(), s.wire.head+1); got == nil {
		t.Error("does not ask for what came since")
	}
	s.wire.setFilter("nothing has this word")
	b.do(b.m.refill())
	if s.wire.searched != 290 || s.wire.busy {
		t.Errorf("searched up to %d, busy %t", s.wire.searched, s.wire.busy)
	}
}

func TestAPartGrowsWithTheLog(t *testing.T) {
	t.Parallel()
	st := newStore()
	rows := func(from, to uint64) (out []row) {
		for s := from; s <= to; s++ {
			out = append(out, row{seq: s})
		}
		return out
	}
	if got := st.want([]uint64{1}, 3); !slices.Equal(got, []uint64{0}) {
		t.Fatalf("wants %v", got)
	}
	if got := st.want([]uint64{1}, 3); got != nil {
		t.Fatalf("asks twice: %v", got)
	}
	st.fill(0, rows(1, 3))
	if got := st.want([]uint64{1}, 3); got != nil {
		t.Fatalf("asks for what is there: %v", got)
	}
	if got := st.want([]uint64{1}, 5); !slices.Equal(got, []uint64{0}) {
		t.Fatalf("does not ask for what came since: %v", got)
	}
	st.fill(0, rows(1, 5))
	st.fill(0, rows(1, 3)) // an older answer that came late
	if _, ok := st.row(5); !ok {
		t.Error("an older answer replaced a newer one")
	}
}

// frame draws once.
func frame(m *model) string { return m.View().Content }

func BenchmarkFrame(b *testing.B) {
	for _, n := range []int{1_000, 100_000} {
		for _, size := range []struct{ w, h int }{{80, 24}, {160, 45}} {
			b.Run(fmt.Sprintf("%d-%dx%d", n, size.w, size.h), func(b *testing.B) {
				bn := newBench(b, Options{Sessions: &fakeSessions{}}, size.w, size.h)
				bn.m.mono = false
				bn.m.restyle()
				f := long(n)
				bn.show(f, false)
				b.ReportAllocs()
				for b.Loop() {
					bn.m.viewed(f.view)
					frame(bn.m)
				}
			})
		}
	}
}

// TestAFrameCostsTheSameHoweverLongTheLog compares times only with a wide
// margin: it is there to catch work that grows with the log.
func TestAFrameCostsTheSameHoweverLongTheLog(t *testing.T) {
	cost := func(n int) time.Duration {
		b, _ := onSession(t, long(n), 160, 45)
		v := b.m.session.latest
		runtime.GC()
		best := time.Hour
		for range 30 {
			from := time.Now()
			b.m.viewed(v)
			frame(b.m)
			best = min(best, time.Since(from))
		}
		return best
	}
	short, far := cost(1_000), cost(100_000)
	if far > 5*short+5*time.Millisecond {
		t.Errorf("a frame takes %v at 1,000 records and %v at 100,000", short, far)
	}
}

// TestEscapesAreReadable: many servers write nothing but ASCII. What cannot be
// seen stays as it is written.
func TestEscapesAreReadable(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`"\u65e5\u672c"`: `"日本"`, `"\ud83d\ude80 \u00e9"`: `"🚀 é"`, `"\\u65e5"`: `"\\u65e5"`, `"\u202e\u0041\u001b\u00a0"`: `"\u202e\u0041\u001b\u00a0"`,
		`"\ud83d"`: `"\ud83d"`, `"\ude80x"`: `"\ude80x"`, `"\u65"`: `"\u65"`, `\`: `\`, `"a\nb"`: `"a\nb"`, `"\\\u65e5"`: `"\\日"`,
	} {
		if got := unescaped(in); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}

// TestALongNameLeavesRoomForWhatItBrought: an artifact's id may be of any
// length.
func TestALongNameLeavesRoomForWhatItBrought(t *testing.T) {
	t.Parallel()
	f := discovered()
	c := f.add(ms(900), session.KindCommand, 0, 0, session.Commanded{Line: "stream x", By: "operator", Correlation: "c"}, "")
	f.add(ms(901), session.KindRequest, 1, 2, session.Requested{Op: a2a.OpStream, Gen: a2a.Gen10, Binding: a2a.JSONRPC, HTTPMethod: "POST", URL: "https://agents.acme.example/a2a", RPCMethod: "SendStreamingMessage", RPCID: 2, MessageID: "m-1", Obligation: 2, Cause: c}, "")
	f.add(ms(902), session.KindFrame, 1, 2, session.Framed{N: 1, Kind: "event"}, strings.Replace(artifact("the seventh part"), `"r-1"`, `"`+strings.Repeat("long ", 800)+`"`, 1))
	b := newBench(t, Options{Sessions: &fakeSessions{}}, 80, 24)
	b.show(f, false)
	b.wants("artifact long", "+16 B")
}

// TestAnErrorThatIsCutSaysWhereItIsRead, whatever its length.
func TestAnErrorThatIsCutSaysWhereItIsRead(t *testing.T) {
	t.Parallel()
	b := newBench(t, Options{Sessions: &fakeSessions{}}, 80, 24)
	b.m.fail(strings.Repeat("went wrong ", 40))
	b.wants("e reads it in full")
	b.m.refuse(strings.Repeat("not now ", 40))
	b.wants("e reads it in full")
	b.m.refuse("not now")
	b.lacks("e reads it in full")
}

func TestAnEmptyListSaysAllItHasToSay(t *testing.T) {
	t.Parallel()
	b := newBench(t, Options{Sessions: &fakeSessions{}}, 60, 15)
	b.wants("no peer is known yet", "built in")
}
