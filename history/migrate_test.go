package history

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"a2ascope/session"
)

// A file of an earlier schema is copied, then brought up to date; a step that
// fails leaves it as it was.
func TestMigrate(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "log.db")
	s := openAt(t, path, Options{})
	record(t, s, "s1", summary("s1", "peer"), newChain().opened("s1"))
	today, err := steps()
	if err != nil {
		t.Fatal(err)
	}
	next := append(append([]string{}, today...), "ALTER TABLE sessions ADD COLUMN colour TEXT", "CREATE TABLE fails (")
	if err := s.migrate(next); err == nil {
		t.Fatal("a step that fails was taken")
	}
	if version, _, err := identify(s.write, path, len(today)); err != nil || version != len(today) {
		t.Errorf("after a failed step: schema %d, %v", version, err)
	}
	if _, err := s.write.Exec("SELECT colour FROM sessions"); err == nil {
		t.Error("half of the steps were taken")
	}
	next = next[:len(next)-1]
	if err := s.migrate(next); err != nil {
		t.Fatal(err)
	}
	if version, _, err := identify(s.write, path, len(next)); err != nil || version != len(next) {
		t.Errorf("schema %d, %v", version, err)
	}
	if _, err := s.write.Exec("SELECT colour FROM sessions"); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(path + ".v1"); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the copy: %v %v", info, err)
	}
	old := openAt(t, path+".v1", Options{})
	if got := all(t, old, "s1"); len(got) != 1 {
		t.Errorf("the copy holds %d records", len(got))
	}
}

// Settings that SQLite drops silently are noticed.
func TestSettingsAreReadBack(t *testing.T) {
	t.Parallel()
	s := open(t)
	if err := readBack(s.write, s.path, writerPragmas); err != nil {
		t.Error(err)
	}
	if _, err := s.write.Exec("PRAGMA synchronous = NORMAL"); err != nil {
		t.Fatal(err)
	}
	if err := readBack(s.write, s.path, writerPragmas); err == nil || !strings.Contains(err.Error(), "synchronous = 1 and not 2") {
		t.Errorf("got %v", err)
	}
}

// Consoles that start at the same moment make the file once.
func TestOpenedAtOnce(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "log.db")
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			s, err := Open(path, Options{})
			if err != nil {
				t.Error(err)
				return
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

// A lock that another program holds on the whole file is named as such.
func TestBusy(t *testing.T) {
	t.Parallel()
	s := open(t)
	l, err := s.Create("s1")
	if err != nil {
		t.Fatal(err)
	}
	other, err := sql.Open("sqlite3", s.Path())
	if err != nil {
		t.Fatal(err)
	}
	other.SetMaxOpenConns(1)
	if _, err := other.Exec("BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.write.Exec("PRAGMA busy_timeout = 10"); err != nil {
		t.Fatal(err)
	}
	c := newChain()
	first := c.opened("s1")
	if err := l.Append([]session.Record{first}, summary("s1", "peer")); err == nil || !strings.Contains(err.Error(), "write lock") {
		t.Errorf("got %v", err)
	}
	if _, err := other.Exec("ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	if err := l.Append([]session.Record{first}, summary("s1", "peer")); err != nil {
		t.Error(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}
