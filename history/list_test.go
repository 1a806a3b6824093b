package history

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"a2ascope/session"
)

// filled is a log with sessions s00 to s24 of two peers, one a minute, and a
// demo.
func filled(t *testing.T) *Store {
	t.Helper()
	s := openAt(t, filepath.Join(t.TempDir(), "log.db"), Options{Now: func() time.Time { return start.Add(time.Hour) }})
	for i := range 25 {
		id := fmt.Sprintf("s%02d", i)
		sum := summary(id, fmt.Sprintf("http://peer%d.example", i%2))
		sum.Typed = fmt.Sprintf("peer%d", i%2)
		sum.Started = start.Add(time.Duration(i/2) * time.Minute) // some begin at the same time
		sum.Last = sum.Started.Add(time.Second)
		if i == 7 {
			sum.Contradicted = []session.Claim{session.CancelFinal}
		}
		c := newChain()
		c.at = sum.Started
		record(t, s, id, sum, c.opened(id), c.add(session.KindDecision, demote(1, session.Streaming, start.Add(2*time.Hour)), nil))
	}
	demo := summary("demo", "http://demo.example")
	demo.Origin, demo.Started = "demo", start.Add(-time.Minute)
	c := newChain()
	record(t, s, "demo", demo, c.opened("demo"), c.add(session.KindDecision, demote(1, session.Streaming, start.Add(2*time.Hour)), nil))
	return s
}

func TestSessions(t *testing.T) {
	t.Parallel()
	s := filled(t)
	var got []string
	for f := (Filter{Limit: 4}); ; {
		page, err := s.Sessions(f)
		if err != nil {
			t.Fatal(err)
		}
		if len(page) == 0 {
			break
		}
		for _, sum := range page {
			got = append(got, sum.Session)
			if h, err := s.head(s.read, sum.Session); err != nil || sum.Head != h.hash || sum.Records != 2 {
				t.Errorf("%s: %+v %v", sum.Session, sum, err)
			}
		}
		f.Before, f.BeforeID = page[len(page)-1].Started, page[len(page)-1].Session
	}
	var want []string
	for i := 24; i >= 0; i-- {
		want = append(want, fmt.Sprintf("s%02d", i))
	}
	if want = append(want, "demo"); !reflect.DeepEqual(got, want) {
		t.Errorf("paged: %v", got)
	}
	for f, n := range map[Filter]int{
		{Peer: "http://peer1.example"}: 12, {Peer: "peer0"}: 13, {Text: "CANCEL-final"}: 1, {Text: "s1"}: 10, {Text: "%"}: 0, {Text: "_"}: 0, {Text: "none"}: 0,
	} {
		if page, err := s.Sessions(f); err != nil || len(page) != n {
			t.Errorf("%+v: %d sessions, %v, want %d", f, len(page), err, n)
		}
	}
}

func TestResolveAndLatest(t *testing.T) {
	t.Parallel()
	s := filled(t)
	for prefix, want := range map[string]string{"s07": "s07", "d": "demo", "demo": "demo"} {
		if got, err := s.Resolve(prefix); err != nil || got != want {
			t.Errorf("%s: %s %v", prefix, got, err)
		}
	}
	if _, err := s.Resolve("s1"); err == nil || !strings.Contains(err.Error(), "s19, s18") {
		t.Errorf("an ambiguous id: %v", err)
	}
	for _, none := range []string{"", "x", "%", "s0%"} {
		if _, err := s.Resolve(none); !errors.Is(err, session.ErrNotFound) {
			t.Errorf("%q: %v", none, err)
		}
	}
	for peer, want := range map[string]string{"": "s24", "peer1": "s23", "http://peer0.example": "s24"} {
		if got, err := s.Latest(peer); err != nil || got != want {
			t.Errorf("latest of %q: %s %v", peer, got, err)
		}
	}
	if _, err := s.Latest("none"); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("latest of none: %v", err)
	}
}

func TestPeersAndDecisions(t *testing.T) {
	t.Parallel()
	s := filled(t)
	peers, err := s.Peers()
	if err != nil || len(peers) != 3 {
		t.Fatalf("%+v %v", peers, err)
	}
	if p := peers[0]; p.Peer != "http://peer0.example" || p.Sessions != 13 || p.Session != "s24" || !p.First.Equal(start) || len(p.Demoted) != 1 || p.Demoted[0].Session != "s24" {
		t.Errorf("%+v", p)
	}
	for _, p := range peers {
		if p.Origin == "demo" && p.Demoted != nil {
			t.Errorf("a demo demotes: %+v", p)
		}
	}
	active, err := s.Decisions(DecisionFilter{Active: true})
	if err != nil || len(active) != 2 || active[0].Session != "s24" || active[1].Session != "s23" {
		t.Errorf("%+v %v", active, err)
	}
	seen := map[string]bool{}
	for f := (DecisionFilter{Limit: 10}); ; {
		page, err := s.Decisions(f)
		if err != nil {
			t.Fatal(err)
		}
		if len(page) == 0 {
			break
		}
		for _, d := range page {
			if seen[d.Session] {
				t.Errorf("%s twice", d.Session)
			}
			seen[d.Session] = true
		}
		last := page[len(page)-1]
		f.Before, f.BeforeSession, f.BeforeSeq = last.Wall, last.Session, last.Seq
	}
	if len(seen) != 26 {
		t.Errorf("%d decisions paged, want 26", len(seen))
	}
	for f, n := range map[DecisionFilter]int{{Session: "s03"}: 1, {Peer: "http://peer1.example"}: 12, {Claim: session.CardValid}: 0, {Claim: session.Streaming}: 26} {
		if page, err := s.Decisions(f); err != nil || len(page) != n {
			t.Errorf("%+v: %d, %v", f, len(page), err)
		}
	}
}

func TestPrune(t *testing.T) {
	t.Parallel()
	s := filled(t)
	for i := 24; i > 0; i -= 2 {
		if n, err := s.Prune(fmt.Sprintf("s%02d", i)); err != nil || n != 1 {
			t.Fatal(n, err)
		}
	}
	if n, err := s.Prune("s00", "none", "s01"); n != 1 || !errors.Is(err, session.ErrNotFound) {
		t.Errorf("%d %v", n, err)
	}
	if _, err := s.OpenRead("s24"); !errors.Is(err, session.ErrNotFound) || !strings.Contains(err.Error(), "pruned on 2026-03-01T13:00:00Z with its 2 records") {
		t.Errorf("%v", err)
	}
	if c, err := s.Trust("http://peer0.example", "1", start); err != nil || c.Known || c.Demoted != nil {
		t.Errorf("trust of pruned sessions: %+v %v", c, err)
	}
	if peers, err := s.Peers(); err != nil || len(peers) != 2 {
		t.Errorf("%+v %v", peers, err)
	}
	if _, err := s.Create("s24"); err == nil {
		t.Error("a pruned id was given again")
	}
	if gone, err := s.Pruned(); err != nil || len(gone) != 13 || gone[0].Session != "s00" || gone[0].Records != 2 || !gone[0].Pruned.Equal(s.now()) || !gone[0].Started.Equal(start) {
		t.Errorf("%+v %v", gone, err)
	}
	// Records are guarded again.
	if _, err := s.write.Exec("DELETE FROM records"); err == nil {
		t.Error("records can be deleted after a prune")
	}
	// Others are as they were.
	if v, err := s.Verify(t.Context(), "s01"); err != nil || v.Problem != nil || v.Records != 2 {
		t.Errorf("%+v %v", v, err)
	}
}

func TestSearch(t *testing.T) {
	t.Parallel()
	s := open(t)
	for i, id := range []string{"old", "new"} {
		c, sum := newChain(), summary(id, "peer-"+id)
		sum.Started = start.Add(time.Duration(i) * time.Minute)
		record(t, s, id, sum, c.opened(id),
			c.add(session.KindFrame, session.Framed{N: 1}, []byte("data: {\"text\":\"Ein Häuschen, 100% of_it\"}\n\n")),
			c.add(session.KindNote, session.Noted{Text: "the needle " + id}, nil),
			c.add(session.KindFrame, session.Framed{N: 2, ProtoJSON: []byte("{}")}, []byte("\x0a\x00\x07needle2")),
			c.add(session.KindFrame, session.Framed{N: 3}, []byte("event: x\ndata: NEEDLE\n\n")))
	}
	find := func(f SearchFilter, text string) (out []string) {
		t.Helper()
		var done, total uint64
		err := s.Search(t.Context(), f, text, func(d, n uint64) { done, total = d, n }, func(h Hit) bool {
			out = append(out, fmt.Sprintf("%s/%d/%s", h.Session, h.Seq, h.Where))
			if !strings.Contains(strings.ToLower(h.Excerpt), strings.ToLower(text)) {
				t.Errorf("excerpt of %s: %q", text, h.Excerpt)
			}
			return true
		})
		if err != nil || f.Limit == 0 && done != total {
			t.Errorf("%s: %d of %d, %v", text, done, total, err)
		}
		return out
	}
	for text, want := range map[string][]string{
		"needle":     {"new/3/body", "new/4/raw", "new/5/raw", "old/3/body", "old/4/raw", "old/5/raw"},
		"NEEDLE new": {"new/3/body"},
		"häuSCHEN":   {"new/2/raw", "old/2/raw"},
		"HÄUSCHEN":   {}, // only ASCII letters are folded
		"100%":       {"new/2/raw", "old/2/raw"},
		"f_i":        {"new/2/raw", "old/2/raw"},
		"0_ ":        {},
	} {
		got := find(SearchFilter{}, text)
		if len(got)+len(want) > 0 && !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
	for f, n := range map[SearchFilter]int{
		{Session: "old"}: 3, {Peer: "peer-new"}: 3, {Kind: session.KindNote}: 2, {Since: start.Add(time.Second)}: 3, {Limit: 4}: 4,
	} {
		if got := find(f, "needle"); len(got) != n {
			t.Errorf("%+v: %v", f, got)
		}
	}
	if err := s.Search(t.Context(), SearchFilter{}, "", nil, nil); err == nil {
		t.Error("an empty text was looked for")
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if err := s.Search(stopped, SearchFilter{}, "needle", nil, func(Hit) bool { return true }); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
}
