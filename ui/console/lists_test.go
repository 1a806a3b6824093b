package console

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"a2ascope/session"
)

func TestKnownPeers(t *testing.T) {
	t.Parallel()
	src := &fakeSessions{live: map[string]*fakeLive{"https://b.example": discovered(), "https://typed.example": discovered()}, peers: []PeerRow{
		{URL: "https://a.example", Name: "Alpha", CardVersion: "1.0", Speaks: "1.0 JSONRPC", LastSeen: start.Add(-3 * time.Hour), Sessions: 12, Verified: 4},
		{URL: "https://b.example", Name: "Beta\x1b[2J", Sessions: 2, LastSeen: start, Demoted: []session.Claim{session.CancelFinal}},
		{URL: "demo:leaky-cancel", Name: "Gamma", Sessions: 3, LastSeen: start, Verified: 8, Origin: "demo", Contradicted: []session.Claim{session.CancelFinal}},
		{URL: "demo:honest", Name: "Delta", Sessions: 1, LastSeen: start, Verified: 7, Origin: "demo"},
	}}
	b := newBench(t, Options{Sessions: src}, 150, 24)
	b.wants("Alpha", "✓ 4 states and modes proven", "3 h ago", "Beta", "✗ 1 demoted: cancel-final", "just now", "✗ last session: cancel-final (demo)", "✓ 7 states and modes proven (demo)")
	b.wants("q quit").lacks("✓ 8", "q back")
	b.keys("/").text("beta").wants("1/4").lacks("Alpha").keys("enter", "enter")
	b.keys("q").keys("y") // the fake awaits nothing: it leaves at once
	b.keys("o").text("https://typed.example").keys("enter")
	if want := []string{"open https://b.example", "open https://typed.example"}; !slices.Equal(src.opened, want) {
		t.Errorf("opened %q, want %q", src.opened, want)
	}
}

func TestAnOpeningThatFailsIsSaid(t *testing.T) {
	t.Parallel()
	src := &fakeSessions{err: errors.New("no route to host")}
	b := newBench(t, Options{Sessions: src}, 80, 24)
	b.keys("o").text("https://x.example").keys("enter").wants("opening https://x.example: no route to host")
	b.keys("e").wants("no route to host")
}

func TestAnAddressThatIsNoneOpensNothing(t *testing.T) {
	t.Parallel()
	src := &fakeSessions{}
	b := newBench(t, Options{Sessions: src}, 80, 24)
	b.keys("o").text("localhost:9").keys("enter").wants("address ▸ localhost:9", "http")
	if b.m.field == nil || b.m.field.trouble == "" || len(src.opened) > 0 {
		t.Errorf("opened %q", src.opened)
	}
	b.keys("esc", "o").text("demo:honest").keys("enter")
	if !slices.Equal(src.opened, []string{"open demo:honest"}) {
		t.Errorf("opened %q", src.opened)
	}
}

func TestHistoryOpensForReadingAndGoesOn(t *testing.T) {
	t.Parallel()
	f := leaky()
	src := &fakeSessions{
		live: map[string]*fakeLive{"s-1": f, "s-2": leaky()},
		list: []session.Summary{
			{Session: "s-1", PeerName: "Acme Research", Started: start, Records: 23, Tasks: 1, States: []string{"canceled"}, Contradicted: []session.Claim{session.CancelFinal}},
			{Session: "s-2", Typed: "https://b.example", Started: start.Add(-time.Hour), Records: 5, Tasks: 1},
		},
		decisions: []DecisionRow{
			{Session: "s-2", Name: "Beta", Decision: session.DecisionDoc{ID: 1, Action: session.ActDemote, Claim: session.Streaming, By: "rule", At: "2026-03-01T10:00:00Z", Reason: "old"}},
			{Session: "s-1", Name: "Acme Research", Decision: session.DecisionDoc{ID: 1, Action: session.ActDemote, Claim: session.CancelFinal, By: "rule", At: "2026-03-14T09:26:53Z", Reason: "new"}, Active: true},
		},
	}
	b := newBench(t, Options{Sessions: src}, 120, 24)
	b.keys("H").wants("Sessions", "Acme Research", "✗ cancel-final", "✓ nothing contradicted", "1 canceled", "2 sessions · 3.0 MiB on disk")
	b.keys("enter").wants("review", "Declared vs observed")
	b.keys("q").wants("Sessions")
	b.keys("tab").wants("demote cancel-final", "in force", "past", "old")
	if rows := b.screen(); strings.Index(rows, "cancel-final") > strings.Index(rows, "streaming") {
		t.Error("what is in force does not come first")
	}
	b.keys("j", "enter").wants("Decision 1 by a rule: demote cancel-final").keys("q", "[", "c")
	if want := []string{"review s-1", "review s-2", "continue s-1"}; !slices.Equal(src.opened, want) {
		t.Errorf("opened %q, want %q", src.opened, want)
	}
	if len(f.commands) > 0 {
		t.Errorf("a review sent %q", f.commands)
	}
}

func TestAReviewGoesOnAsASession(t *testing.T) {
	t.Parallel()
	old, goes := leaky(), leaky()
	src := &fakeSessions{live: map[string]*fakeLive{"018e-demo": goes}}
	b := newBench(t, Options{Sessions: src}, 120, 40)
	b.show(old, true)
	src.err = session.ErrBusy
	b.keys("ctrl+r").wants("opening 018e-demo", "another console is writing this session", "review")
	b.keys("g").wants("opened") // the review still reads its log
	src.err = nil
	b.keys("ctrl+r").wants("recording").lacks("under review").keys("m")
	if !slices.Equal(old.stopped, []string{"quit"}) || !slices.Equal(goes.commands, []string{"mark"}) {
		t.Errorf("the review was stopped %q, the session got %q", old.stopped, goes.commands)
	}
}

// busySessions has sessions that another console is writing.
type busySessions struct {
	*fakeSessions
	other *fakeLive
}

func (s busySessions) Continue(context.Context, string) (Live, error) {
	return readLive{s.other}, nil
}

type readLive struct{ *fakeLive }

func (readLive) Reviewed() {}

// TestASessionThatAnotherConsoleWritesIsRead: the second console does not say
// that it records, asks nothing on leaving and sends nothing.
func TestASessionThatAnotherConsoleWritesIsRead(t *testing.T) {
	t.Parallel()
	other := leaky()
	src := busySessions{&fakeSessions{
		list: []session.Summary{{Session: "s-1", PeerName: "Acme Research", Started: start, Records: 23, Tasks: 1}},
	}, other}
	b := newBench(t, Options{Sessions: src}, 120, 40)
	b.keys("H", "c").wants("another console is writing this session: it is read here as of record").wants("review").lacks("● recording")
	b.keys("s").wants("under review: read-only").keys("q").wants("Sessions").lacks("Leave the session?")
	if len(other.commands) > 0 {
		t.Errorf("the review sent %q", other.commands)
	}
}

func TestATextThatIsCutShowsWhatWasLookedFor(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text, near string
		w          int
		want       string
	}{
		{"short", "ort", 10, "short"},
		{"0123456789 Needle 0123456789", "needle", 12, "…9 Needle 0123456789"},
		{"0123456789 Needle", "needle", 10, "…89 Needle"},
		{"Needle 0123456789", "needle", 10, "Needle 0123456789"},
		{"0123456789", "x", 5, "0123456789"},
	} {
		if got := around(c.text, c.near, c.w); got != c.want {
			t.Errorf("%q around %q in %d: %q, want %q", c.text, c.near, c.w, got, c.want)
		}
	}
}

func TestTablesSort(t *testing.T) {
	t.Parallel()
	src := &fakeSessions{peers: []PeerRow{{URL: "b", Sessions: 2}, {URL: "a", Sessions: 10}, {URL: "c", Sessions: 1}}}
	b := newBench(t, Options{Sessions: src}, 110, 24)
	order := func() string {
		var out []string
		for _, n := range b.m.peers.table.shown {
			out = append(out, b.m.peers.table.rows[n].cells[0])
		}
		return strings.Join(out, "")
	}
	for _, c := range []struct{ keys, want string }{{"", "bac"}, {"s", "abc"}, {"S", "cba"}, {"ssss", "cba"}, {"S", "abc"}, {"ss", "bac"}} {
		for _, k := range c.keys {
			b.keys(string(k))
		}
		if got := order(); got != c.want {
			t.Errorf("after %q: %s, want %s", c.keys, got, c.want)
		}
	}
}
