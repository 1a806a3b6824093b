package cli

import (
	"context"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"a2ascope/session"
	"a2ascope/ui/console"
)

func newShelf(t testing.TB, path string) *shelf {
	t.Helper()
	a := &app{env: func(string) (string, bool) { return "", false }, log: slog.New(slog.DiscardHandler), demoPace: "5ms"}
	store, err := a.open(path)
	if err != nil {
		t.Fatal(err)
	}
	f := newSessionFlags()
	f.add(pflag.NewFlagSet("", pflag.ContinueOnError))
	s := &shelf{app: a, ctx: t.Context(), store: store, flags: f, demo: true, fatal: make(chan error, 1)}
	t.Cleanup(func() {
		s.end()
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// ask gives a command and waits until it is over.
func ask(t *testing.T, l console.Live, line string) session.CommandView {
	t.Helper()
	n, err := l.Command(line, "console")
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	for {
		changed := l.Changed()
		if v := l.View().Last; v.N == n && v.Over {
			return v
		}
		select {
		case <-changed:
		case <-t.Context().Done():
			t.Fatalf("%s: never over", line)
		}
	}
}

// The console's sessions: begun, gone on with, looked at and listed.
func TestShelf(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "demo.db")
	s := newShelf(t, path)
	l, err := s.Open(t.Context(), "demo:leaky-cancel")
	if err != nil {
		t.Fatal(err)
	}
	ask(t, l, "discover demo:leaky-cancel") // the console reads the card by what was typed
	ask(t, l, "send echo pineapple")
	ask(t, l, "demote streaming seen by hand")
	view := l.View()
	if view.Peer.Name == "" || len(view.Tasks) != 1 || len(view.Decisions) != 1 || !view.Live {
		t.Errorf("live: %+v", view)
	}

	// While it is written here, another console only looks at it.
	other := newShelf(t, path)
	looked, err := other.Continue(t.Context(), view.Session)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := looked.Command("send echo x", "console"); err == nil || looked.View().Live || looked.View().Tasks[0].Correlation != view.Tasks[0].Correlation {
		t.Errorf("a session that is being written: %v, %+v", err, looked.View())
	}

	s.end()
	reviewed, err := s.Review(view.Session)
	if err != nil {
		t.Fatal(err)
	}
	if v := reviewed.View(); v.Ended != "quit" || v.Live || len(v.Tasks) != 1 {
		t.Errorf("reviewed: %+v", v)
	}
	if page, err := reviewed.Page(1, 3); err != nil || len(page) != 3 || page[0].Kind != session.KindOpened {
		t.Errorf("page: %+v, %v", page, err)
	}
	on, err := s.Continue(t.Context(), view.Session)
	if err != nil {
		t.Fatal(err)
	}
	ask(t, on, "send echo again")
	if v := on.View(); v.Session != view.Session || len(v.Tasks) != 2 {
		t.Errorf("continued: %+v", v)
	}
	s.end()
	if ids := s.sessions(); len(ids) != 1 || ids[0] != view.Session {
		t.Errorf("sessions: %v", ids)
	}
	lists(t, s, view)
}

func lists(t *testing.T, s *shelf, view *session.View) {
	t.Helper()
	if list, err := s.List(console.Filter{}); err != nil || len(list) != 1 || list[0].Session != view.Session {
		t.Errorf("list: %+v, %v", list, err)
	}
	if peers, err := s.Peers(); err != nil || len(peers) != 1 || peers[0].URL != "demo:leaky-cancel" || peers[0].Sessions != 1 || peers[0].Speaks != "1.0 JSONRPC" {
		t.Errorf("peers: %+v, %v", peers, err)
	}
	if d, err := s.Decisions(); err != nil || len(d) != 1 || d[0].Decision.Claim != session.Streaming || d[0].Decision.At == "" || d[0].Active {
		t.Errorf("decisions: %+v, %v", d, err)
	}
	if sc := s.Scenarios(); len(sc) < 8 || sc[0].URL != "demo:honest" {
		t.Errorf("scenarios: %+v", sc)
	}
}

// An embedded peer is one line of the list, whatever port it had, and what its
// last session contradicted stands there.
func TestAnEmbeddedPeerIsListedOnce(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "demo.db")
	for _, text := range []string{"send echo one", "stream task stream"} {
		s := newShelf(t, path) // its peers listen on ports of their own
		s.demo = false
		l, err := s.Open(t.Context(), "demo:no-stream")
		if err != nil {
			t.Fatal(err)
		}
		ask(t, l, "discover demo:no-stream")
		ask(t, l, text)
		s.end()
	}
	s := newShelf(t, path)
	peers, err := s.Peers()
	if err != nil || len(peers) != 1 {
		t.Fatalf("peers: %+v, %v", peers, err)
	}
	if p := peers[0]; p.URL != "demo:no-stream" || p.Sessions != 2 || p.Origin != "demo" || len(p.Contradicted) == 0 || p.Contradicted[0] != session.Streaming {
		t.Errorf("peer: %+v", p)
	}
}

// Sessions of the console end with the program's context.
func TestShelfEndsWithTheProgram(t *testing.T) {
	t.Parallel()
	s := newShelf(t, filepath.Join(t.TempDir(), "demo.db"))
	ctx, cancel := context.WithCancel(t.Context())
	s.ctx = ctx
	l, err := s.Open(ctx, "demo:honest")
	if err != nil {
		t.Fatal(err)
	}
	ask(t, l, "discover demo:honest")
	cancel()
	s.loops.Wait()
	if r, err := s.Review(l.View().Session); err != nil || r.View().Ended != "signal" {
		t.Errorf("%v, %+v", err, r)
	}
}

// A variable that is not set is asked for before the console has the terminal,
// or by the screen, and never on the terminal beside it: the error names the
// variable then, and no session is begun.
func TestShelfNeverAsks(t *testing.T) {
	t.Parallel()
	s := newShelf(t, filepath.Join(t.TempDir(), "demo.db"))
	s.flags.headers = append(s.flags.headers, "X-Key: $UNSET")
	if _, err := s.Open(t.Context(), "demo:honest"); err == nil || !strings.Contains(err.Error(), "UNSET") || !strings.Contains(err.Error(), "--secret-file") {
		t.Errorf("without it: %v", err)
	}
	s.given = map[string]string{"UNSET": "a value that was asked for"}
	if _, err := s.Open(t.Context(), "demo:honest"); err != nil {
		t.Errorf("with it: %v", err)
	}
}
