package console

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"a2ascope/session"
)

// recorded are three sessions and two decisions.
func recorded() *fakeSessions {
	return &fakeSessions{
		live: map[string]*fakeLive{"s-1": leaky(), "s-2": leaky(), "s-3": leaky()},
		list: []session.Summary{
			{Session: "s-1", PeerName: "Acme Research", Peer: "https://a.example", Started: start, Last: start.Add(4 * time.Second), Records: 23, Tasks: 1, States: []string{"canceled"}, Contradicted: []session.Claim{session.CancelFinal}, Findings: 1},
			{Session: "s-2", PeerName: "Beta", Started: start.Add(-time.Hour), Records: 5, Tasks: 1, States: []string{"completed"}},
			{Session: "s-3", PeerName: "Gamma", Started: start.Add(-40 * 24 * time.Hour), Records: 7, Tasks: 2, States: []string{"failed", "working"}},
		},
		decisions: []DecisionRow{
			{Session: "s-1", Name: "Acme Research", Seq: 22, Active: true, Decision: session.DecisionDoc{ID: 1, Action: session.ActDemote, Claim: session.CancelFinal, By: "rule", At: "2026-03-14T09:26:53Z", Reason: "it went on", Until: "2026-03-15T09:26:53Z", Evidence: []uint64{20, 21}}},
			{Session: "s-2", Name: "Beta", Origin: "imported", Decision: session.DecisionDoc{ID: 1, Action: session.ActDemote, Claim: session.Streaming, By: "rule", At: "2026-03-01T10:00:00Z", Reason: "a plain body"}},
			{Session: "s-3", Name: "Gamma", Decision: session.DecisionDoc{ID: 2, Action: session.ActOverrule, By: "operator", At: "2026-02-02T10:00:00Z", Reason: "the proxy did it", Supersedes: 1}},
			{Session: "s-3", Name: "Gamma", Decision: session.DecisionDoc{ID: 1, Action: session.ActDemote, Claim: session.Streaming, By: "rule", At: "2026-02-02T09:00:00Z", Reason: "buffered"}},
		},
		rules:   map[string][]string{"s-1": {"cancel.frames-after"}, "s-3": {"stream.buffered"}},
		records: []Hit{{Session: "s-2", Seq: 3, Wall: start, Kind: session.KindFrame, Excerpt: "{\"text\":\"a needle \x1b[31mhere\"}"}, {Session: "s-1", Seq: 9, Wall: start, Kind: session.KindRequest, Excerpt: "needle too"}},
	}
}

func onHistory(t *testing.T, src *fakeSessions) *bench {
	t.Helper()
	b := newBench(t, Options{Sessions: src}, 120, 30)
	return b.keys("H")
}

func TestHistoryFiltersAsOneTypes(t *testing.T) {
	t.Parallel()
	b := onHistory(t, recorded())
	for _, c := range []struct {
		text string
		want []string
	}{
		{"acme", []string{"Acme"}}, {"cancel-final", []string{"Acme"}}, {"frames-after", []string{"Acme"}}, {"buffered", []string{"Gamma"}},
		{"contradicted", []string{"Acme", "Beta", "Gamma"}}, {"!cancel-final", []string{"Beta", "Gamma"}}, {"failed", []string{"Gamma"}}, {"s-2", []string{"Beta"}},
		{"a.example", []string{"Acme"}},
	} {
		b.keys("/").keys("ctrl+u").text(c.text)
		for _, name := range []string{"Acme", "Beta", "Gamma"} {
			rows := strings.Join(strings.Split(b.screen(), "\n")[3:8], "\n")
			if got := strings.Contains(rows, name); got != slices.Contains(c.want, name) {
				t.Errorf("/%s: %s shown is %v", c.text, name, got)
			}
		}
		b.keys("tab")
		if b.m.field != nil {
			t.Fatal("tab does not keep the filter")
		}
	}
	b.keys("esc").wants("Acme", "Beta", "Gamma")
}

func TestNAndShiftNGoThroughWhatMatches(t *testing.T) {
	t.Parallel()
	b := onHistory(t, recorded())
	b.keys("/").text("session").keys("ctrl+u").text("e").keys("tab")
	var got []string
	for _, k := range []string{"n", "n", "N", "N", "N"} {
		got = append(got, b.keys(k).m.history.sessionID())
	}
	n := len(b.m.history.current().shown)
	if n < 2 || got[0] == got[1] && n > 1 || got[2] != got[0] {
		t.Errorf("%d lines, went through %q", n, got)
	}
	// On the session screen n is a note again when no filter is on.
	s, _ := onSession(t, leaky(), 120, 40)
	s.keys("n").wants(":note ").keys("esc", "/").text("artifact").keys("enter", "G", "n")
	if s.m.session.wire.sel != 0 {
		t.Errorf("n after the last match is at %d", s.m.session.wire.sel)
	}
	s.keys("N")
	if sel := s.m.session.wire.sel; sel != len(s.m.session.wire.hits)-1 {
		t.Errorf("N before the first match is at %d", sel)
	}
	s.keys("esc", "n").wants(":note ")
}

func TestSearchInTheWireTextOfAllSessions(t *testing.T) {
	t.Parallel()
	src := recorded()
	b := onHistory(t, src)
	b.keys("/").text("needle").keys("enter").wants("[Found “needle” 2]", "#3 frame", "a needle ^[[31mhere", "#9 request", "Beta")
	b.keys("j", "enter").wants("review")
	if got := b.m.session.wire.selected(); got != 9 {
		t.Errorf("opened at record %d, want 9", got)
	}
	b.keys("q").wants("[Found").keys("esc").wants("[Sessions]")
	b.keys("/", "ctrl+u").text("nowhere").keys("enter").wants("nothing holds this text")
}

func TestDeletingAsksAndNamesTheTarget(t *testing.T) {
	t.Parallel()
	src := recorded()
	b := onHistory(t, src)
	b.keys("D").wants("Delete for good?", "the session with Acme Research of 2026-03-14 09:26 (23", "▸ No, keep").keys("enter").lacks("Delete for good?")
	if len(src.deleted) > 0 {
		t.Fatal("enter alone deleted")
	}
	b.keys("space", "j", "space", "D").wants("2 picked sessions").keys("y").wants("2 sessions deleted", "Gamma").lacks("Acme Research")
	if !slices.Equal(src.deleted, []string{"s-1", "s-2"}) {
		t.Errorf("deleted %q", src.deleted)
	}
}

func TestPruneDeletesWhatIsOld(t *testing.T) {
	t.Parallel()
	src := recorded()
	b := onHistory(t, src)
	b.keys("P").wants("days ▸ 30").keys("ctrl+u").text("x").keys("enter").wants(`"x" is no number of days`)
	b.keys("ctrl+u").text("400").keys("enter").wants("no session is older than 400 days")
	b.keys("ctrl+u").text("30").keys("enter").wants("1 session that began before", "(7 records)").keys("y")
	if !slices.Equal(src.deleted, []string{"s-3"}) {
		t.Errorf("deleted %q", src.deleted)
	}
	ro := newBench(t, Options{Sessions: recorded(), ReadOnly: true}, 120, 30)
	ro.keys("H", "D").wants("read-only").lacks("Delete for good?")
}

func TestTwoSessionsAreCompared(t *testing.T) {
	t.Parallel()
	src := recorded()
	src.compared = session.Comparison{
		A: session.ComparedDoc{Session: "s-2", Name: "Acme", CardVersion: "1"}, B: session.ComparedDoc{Session: "s-1", Name: "Acme", CardVersion: "2"},
		Claims:  []session.ClaimChange{{ID: session.CancelFinal, Was: session.Honoured, Now: session.Contradicted, Declared: "implied"}},
		New:     []session.FindingDoc{{Rule: "cancel.frames-after", Severity: session.Critical, Title: "it went on"}},
		Gone:    []session.FindingDoc{{Rule: "card.casing", Severity: session.Minor, Title: "odd names"}},
		Card:    []session.CardChange{{Path: "version", Was: `"1"`, Now: `"2"`}},
		Timings: []session.TimingChange{{Form: "stream", Was: session.FormTiming{FirstEvent: session.Duration(ms(20)), Settle: session.Duration(ms(900))}, Now: session.FormTiming{FirstEvent: session.Duration(ms(220))}}},
	}
	b := onHistory(t, src)
	b.keys("=").wants("pick two sessions first")
	b.keys("space", "j", "=").wants("Compared", "Verdicts that changed", "cancel-final", "honoured", "contradicted", "Findings that are new", "it went on",
		"Findings that are gone", "card.casing", "version", `"2"`, "20ms → 220ms", "900ms → –")
	b.keys("esc").lacks("Compared")
	if want := "compare s-2 s-1"; src.opened[len(src.opened)-1] != want { // the older one first
		t.Errorf("opened %q", src.opened)
	}
	src.compared = session.Comparison{A: session.ComparedDoc{Peer: "https://a.example", Name: "A"}, B: session.ComparedDoc{Peer: "https://b.example", Name: "B"}}
	b.keys("=").wants("These are two different agents").keys("esc")
	src.compared = session.Comparison{}
	b.keys("=").wants("Both say the same").lacks("two different")
}

func TestDecisionsAcrossSessions(t *testing.T) {
	t.Parallel()
	src := recorded()
	b := onHistory(t, src)
	b.keys("tab").wants("demote cancel-final", "in force", "imported", "superseded", "This decision", "it went on", "records 20, 21")
	b.keys("enter").wants("review")
	if got := b.m.session.wire.selected(); got != 22 {
		t.Errorf("opened at record %d, want 22", got)
	}
	b.keys("q", "O").wants("Go on with the session to overrule?", "Acme Research", "▸ No").keys("y").wants(":overrule 1 ").keys("esc", "q", "y")
	b = onHistory(t, src)
	b.keys("tab", "C").wants("to confirm?").keys("y").wants(":confirm 1").keys("esc", "q", "y")
	b = onHistory(t, src)
	b.keys("tab", "j", "O").wants("imported: it is somebody's record").lacks("Go on with")
	b.keys("G").wants("later", "decision 2: overrule by the operator: the proxy did it")
	if got := src.opened; !slices.Equal(got, []string{"review s-1", "continue s-1", "continue s-1"}) {
		t.Errorf("opened %q", got)
	}
}

func TestExportShowsWhatItTakesOutFirst(t *testing.T) {
	t.Parallel()
	src := recorded()
	src.draft = Draft{Text: "# Report\n\x1b]52;c;x\x07\nline 3", Size: 2048, Records: 23, Redacted: 4, Values: 2, Places: []Place{{"header X-Api-Key", 4, "sk-…9"}}}
	b := onHistory(t, src)
	path := t.TempDir() + "/report.md"
	b.keys("x").wants("Write the session as", "a bug report in Markdown").keys("enter").wants("Preview of md", "2 values that look like secrets, in 4 places", "4× header X-Api-Key", "# Report", "line 3")
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	b.wants(here+"/a2ascope-s-1.md", "2 KiB, 23 records", "r raw").keys("r").wants("Leave secrets in the file?", "▸ No, take them out", "4× header X-Api-Key").keys("enter")
	b.wants("taken out").lacks("RAW").keys("r", "y").wants("RAW, nothing taken out", "LEFT IN", "a2ascope-s-1-raw.md", "r redacted")
	b.keys("enter").wants("file ▸ a2ascope-s-1-raw.md", "RAW: secrets are left in").keys("ctrl+u").text(path + ".raw").keys("enter").wants("written: ")
	if want := []string{"s-1 md " + path + ".raw raw"}; !slices.Equal(src.exported, want) {
		t.Errorf("exported %q, want %q", src.exported, want)
	}
	src.exported = nil
	b.keys("x", "enter", "r", "y", "r").lacks("RAW").wants("taken out")
	b.keys("enter").wants("file ▸ a2ascope-s-1.md").keys("ctrl+u").text(path + "/no/such").keys("enter").wants("there is no folder").keys("ctrl+u").text(path).keys("enter").wants("written: ")
	if want := []string{"s-1 md " + path}; !slices.Equal(src.exported, want) {
		t.Errorf("exported %q", src.exported)
	}
	b.keys("x").text("md").keys("enter", "enter", "ctrl+u").text(t.TempDir()).keys("enter").wants("is a folder")

	f := leaky()
	live := newBench(t, Options{Sessions: src}, 120, 40)
	live.show(f, false)
	live.keys("esc", "x").text("jsonl").keys("enter", "enter", "ctrl+u").text("/tmp/a b.jsonl").keys("enter")
	if want := []string{`export jsonl "/tmp/a b.jsonl"`}; len(f.commands) != 1 || f.commands[0] != want[0] && f.commands[0] != `export jsonl '/tmp/a b.jsonl'` {
		t.Errorf("commands %q, want %q", f.commands, want)
	}
}

func BenchmarkHistoryOfManySessions(b *testing.B) {
	src := &fakeSessions{}
	for i := range 5000 {
		src.list = append(src.list, session.Summary{Session: fmt.Sprint("s-", i), PeerName: "Peer", Started: start, Records: 10, Tasks: 1, States: []string{"completed"}})
	}
	x := newBench(b, Options{Sessions: src}, 120, 40)
	x.keys("H")
	b.ResetTimer()
	for range b.N {
		x.keys("j")
		x.m.View()
	}
}
