package history

import (
	"database/sql"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"a2ascope/session"
)

func TestPathsAreTakenLiterally(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"a#b.db", "a?mode=ro.db", "a%20b.db", "a b&c.db", "ünïcode.db", "file:x.db", ":memory:"} {
		dir := filepath.Join(t.TempDir(), "made", "for it")
		path := filepath.Join(dir, name)
		s := openAt(t, path, Options{})
		record(t, s, "s1", summary("s1", "peer"), newChain().opened("s1"))
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		if len(entries) != 1 || entries[0].Name() != name {
			t.Errorf("%s: the folder holds %v", name, entries)
		}
		for p, want := range map[string]fs.FileMode{dir: 0o700, path: 0o600} {
			if info, err := os.Stat(p); err != nil || info.Mode().Perm() != want {
				t.Errorf("%s: %v %v, want %v", p, info.Mode().Perm(), err, want)
			}
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	write := func(b []byte) func(*testing.T, string) {
		return func(t *testing.T, path string) {
			if err := os.WriteFile(path, b, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	run := func(queries ...string) func(*testing.T, string) {
		return func(t *testing.T, path string) {
			db, err := sql.Open("sqlite3", path)
			if err != nil {
				t.Fatal(err)
			}
			for _, q := range queries {
				if _, err := db.Exec(q); err != nil {
					t.Fatal(err)
				}
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	ours := func(t *testing.T, path string) {
		s := openAt(t, path, Options{})
		c := newChain()
		record(t, s, "s1", summary("s1", "peer"), append([]session.Record{c.opened("s1")}, random(rand.New(rand.NewPCG(1, 2)), c, 300)...)...)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		make func(*testing.T, string)
		want string
	}{
		"a text file": {write([]byte(strings.Repeat("hello, this is no database\n", 100))), "no SQLite database"},
		"a symbolic link": {func(t *testing.T, path string) {
			ours(t, path+".real")
			if err := os.Symlink(path+".real", path); err != nil {
				t.Fatal(err)
			}
		}, "symbolic link"},
		"a dangling link": {func(t *testing.T, path string) {
			if err := os.Symlink(path+".none", path); err != nil {
				t.Fatal(err)
			}
		}, "symbolic link"},
		"a linked write-ahead log": {func(t *testing.T, path string) {
			if err := os.Symlink(path+".none", path+"-wal"); err != nil {
				t.Fatal(err)
			}
		}, "symbolic link"},
		"a folder": {func(t *testing.T, path string) {
			if err := os.Mkdir(path, 0o700); err != nil {
				t.Fatal(err)
			}
		}, "no regular file"},
		"a truncated file": {func(t *testing.T, path string) {
			ours(t, path)
			if err := os.Truncate(path, 3*4096+100); err != nil {
				t.Fatal(err)
			}
		}, "damaged"},
		"a destroyed page": {func(t *testing.T, path string) {
			ours(t, path)
			f, err := os.OpenFile(path, os.O_RDWR, 0)
			if err != nil {
				t.Fatal(err)
			}
			info, err := f.Stat()
			if err != nil {
				t.Fatal(err)
			}
			if _, err := f.WriteAt([]byte(strings.Repeat("x", 4096)), info.Size()-4096); err != nil {
				t.Fatal(err)
			}
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
		}, "damaged"},
		"another program's":   {run("CREATE TABLE cookies (a)"), "another program"},
		"another program's 2": {run("PRAGMA application_id = 7", "CREATE TABLE a (b)"), "another program"},
		"a newer a2ascope's": {func(t *testing.T, path string) {
			ours(t, path)
			run("PRAGMA user_version = 99")(t, path)
		}, "newer a2ascope"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "log.db")
			c.make(t, path)
			before, _ := os.ReadFile(path)
			for _, readOnly := range []bool{true, false} {
				s, err := Open(path, Options{ReadOnly: readOnly})
				if err == nil {
					_ = s.Close()
					t.Fatalf("read-only %v: opened", readOnly)
				}
				// What is not there yet is no link of the log's to refuse.
				missing := readOnly && errors.Is(err, fs.ErrNotExist)
				if !missing && (!strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), path)) {
					t.Errorf("read-only %v: %v", readOnly, err)
				}
			}
			if after, _ := os.ReadFile(path); string(after) != string(before) {
				t.Error("the file was changed")
			}
		})
	}
}

func TestReadOnly(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "log.db")
	if _, err := Open(path, Options{ReadOnly: true}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
	w, c := openAt(t, path, Options{}), newChain()
	l, err := w.Create("s1")
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Append([]session.Record{c.opened("s1")}, summary("s1", "peer")); err != nil {
		t.Fatal(err)
	}
	r := openAt(t, path, Options{ReadOnly: true})
	reader, err := r.OpenRead("s1")
	if err != nil {
		t.Fatal(err)
	}
	for n := 1; n < 4; n++ { // it sees what is recorded meanwhile
		if got, err := reader.Page(1, 10); err != nil || len(got) != n {
			t.Errorf("%d records, %v, want %d", len(got), err, n)
		}
		if err := l.Append([]session.Record{c.add(session.KindNote, session.Noted{Text: "x"}, nil)}, summary("s1", "peer")); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := r.read.Exec("DELETE FROM sessions"); err == nil {
		t.Error("a reader could write")
	}
	for name, f := range map[string]func() error{
		"create":   func() error { _, err := r.Create("s2"); return err },
		"continue": func() error { _, err := r.Continue("s1"); return err },
		"prune":    func() error { _, err := r.Prune("s1"); return err },
		"rebuild":  func() error { _, err := r.Rebuild(t.Context(), nil); return err },
		"import":   func() error { _, _, err := r.Import(t.Context(), strings.NewReader(""), nil); return err },
	} {
		if err := f(); err == nil || !strings.Contains(err.Error(), "read-only") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}

// A full disk loses nothing, and the same log goes on once there is room.
func TestFull(t *testing.T) {
	t.Parallel()
	s, c, sum := open(t), newChain(), summary("s1", "peer")
	l, err := s.Create("s1")
	if err != nil {
		t.Fatal(err)
	}
	want := []session.Record{c.opened("s1")}
	if err := l.Append(want, sum); err != nil {
		t.Fatal(err)
	}
	if _, err := s.write.Exec("PRAGMA max_page_count = 40"); err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	batch := random(rng, c, 2000)
	err = l.Append(batch, sum)
	if err == nil || !strings.Contains(err.Error(), "no room left") {
		t.Fatalf("got %v", err)
	}
	if got := all(t, s, "s1"); len(got) != 1 {
		t.Errorf("%d records are there, want 1", len(got))
	}
	if _, err := s.write.Exec("PRAGMA max_page_count = 1000000"); err != nil {
		t.Fatal(err)
	}
	batch = append(batch, random(rng, c, 3)...) // what came meanwhile
	if err := l.Append(batch, sum); err != nil {
		t.Fatal(err)
	}
	if got := all(t, s, "s1"); len(got) != len(batch)+1 {
		t.Errorf("%d records are there, want %d", len(got), len(batch)+1)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}

// A commit that failed at its very end may have taken place: giving the same
// records again is no fault then.
func TestRepeatedAfterAFailedCommit(t *testing.T) {
	t.Parallel()
	s, c, sum := open(t), newChain(), summary("s1", "peer")
	l, err := s.Create("s1")
	if err != nil {
		t.Fatal(err)
	}
	batch := append([]session.Record{c.opened("s1")}, random(rand.New(rand.NewPCG(1, 2)), c, 5)...)
	if err := l.Append(batch, sum); err != nil {
		t.Fatal(err)
	}
	l.at, l.unsure = place{}, true // as if the answer had been lost
	batch = append(batch, random(rand.New(rand.NewPCG(1, 2)), c, 5)...)
	if err := l.Append(batch, sum); err != nil {
		t.Fatal(err)
	}
	if got := all(t, s, "s1"); len(got) != 11 {
		t.Errorf("%d records, want 11", len(got))
	}
	if err := l.Append(batch[5:6], sum); !errors.Is(err, session.ErrBroken) {
		t.Errorf("records that do not follow were taken: %v", err)
	}
	gap := c.add(session.KindNote, session.Noted{}, nil)
	gap.Seq++
	if err := l.Append([]session.Record{gap}, sum); !errors.Is(err, session.ErrBroken) {
		t.Errorf("a gap was taken: %v", err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestFileGoneOrReplaced(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		suffix  string
		replace bool
	}{"deleted": {}, "replaced": {replace: true}, "write-ahead log deleted": {suffix: "-wal"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, ch := open(t), newChain()
			l, err := s.Create("s1")
			if err != nil {
				t.Fatal(err)
			}
			if err := l.Append([]session.Record{ch.opened("s1")}, summary("s1", "peer")); err != nil {
				t.Fatal(err)
			}
			if err := os.Remove(s.Path() + c.suffix); err != nil {
				t.Fatal(err)
			}
			if c.replace {
				if err := os.WriteFile(s.Path(), nil, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			err = l.Append([]session.Record{ch.add(session.KindNote, session.Noted{}, nil)}, summary("s1", "peer"))
			if err == nil || !strings.Contains(err.Error(), "while it was open") {
				t.Errorf("got %v", err)
			}
			if got := all(t, s, "s1"); len(got) != 1 {
				t.Errorf("%d records", len(got))
			}
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// A file that others could read is closed to them; a folder that others could
// change is not used.
func TestKeptFromOthers(t *testing.T) {
	t.Parallel()
	s := open(t)
	if err := os.Chmod(s.Path(), 0o644); err != nil {
		t.Fatal(err)
	}
	openAt(t, s.Path(), Options{})
	if info, err := os.Stat(s.Path()); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(filepath.Join(dir, "log.db"), Options{}); err == nil || !strings.Contains(err.Error(), "written by anyone") {
		t.Errorf("got %v", err)
	}
}

// A log on a medium that cannot be written is read as it lies.
func TestReadAsItLies(t *testing.T) {
	t.Parallel()
	s, c := open(t), newChain()
	record(t, s, "s1", summary("s1", "peer"), c.opened("s1"))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	lying := &Store{path: s.path, driver: s.driver, now: s.now}
	if err := lying.identifyReaders(true); err != nil {
		t.Fatal(err)
	}
	if got := all(t, lying, "s1"); len(got) != 1 {
		t.Errorf("%d records", len(got))
	}
	if err := lying.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(s.path + "-shm"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("something was written beside it: %v", err)
	}
}

// An id that leads out of the folder, put into the file by hand, is refused.
func TestTamperedIDs(t *testing.T) {
	t.Parallel()
	s, c := open(t), newChain()
	record(t, s, "s1", summary("s1", "peer"), c.opened("s1"))
	tamper(t, s, `UPDATE records SET session = '/../../s1'`)
	report, err := s.Rebuild(t.Context(), asPeer)
	if err != nil || len(report.Refused) != 2 || !strings.Contains(report.Refused[0].Err.Error(), "only letters") {
		t.Errorf("%+v %v", report, err)
	}
}
