package cli

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
)

// A session of the demo is found from the shell: the console's last line names
// its log, and a look in the other log says where it is.
func TestDemoSessionFound(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := newShelf(t, filepath.Join(dir, "demo.db"))
	var said bytes.Buffer
	s.app.errOut = &said
	s.app.paths = paths{db: filepath.Join(dir, "a2ascope.db"), demoDB: s.store.Path()}
	l, err := s.Open(t.Context(), "demo:honest")
	if err != nil {
		t.Fatal(err)
	}
	id := l.(driven).ID
	s.end()
	s.app.nameSessions(s)
	if want := "session " + id + " · a2ascope --db " + s.store.Path() + " history show " + id + "\n"; !strings.Contains(said.String(), want) {
		t.Errorf("the console's last words are %q, want %q", said.String(), want)
	}

	other, err := s.app.open(s.app.paths.db)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	_, err = s.app.checkSession(other, id)
	if want := "it is in the demo log: --db " + s.store.Path(); err == nil || statusOf(err) != statusUsage || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("in the other log: %v, want …%s", err, want)
	}
	if found, err := s.app.checkSession(s.store, id[:15]); err != nil || found != id {
		t.Errorf("in its own log: %s, %v", found, err)
	}
	_, err = s.app.checkSession(other, "nowhere")
	if err == nil || strings.Count(err.Error(), "history list") != 1 || strings.Contains(err.Error(), "demo log") {
		t.Errorf("in no log: %v", err)
	}
}

func TestShowLine(t *testing.T) {
	t.Parallel()
	for db, want := range map[string]string{
		defaultPaths().db:     "a2ascope history show x",
		"/tmp/demo.db":        "a2ascope --db /tmp/demo.db history show x",
		"/tmp/it's here.db":   `a2ascope --db '/tmp/it'\''s here.db' history show x`,
		defaultPaths().demoDB: "a2ascope --db " + shellWord(defaultPaths().demoDB) + " history show x",
	} {
		if got := showLine(db, "x"); got != want {
			t.Errorf("%s: %s, want %s", db, got, want)
		}
	}
}
