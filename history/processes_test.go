package history

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"a2ascope/session"
)

func TestOneWriterASession(t *testing.T) {
	t.Parallel()
	s := open(t)
	record(t, s, "s1", summary("s1", "peer"), newChain().opened("s1"))
	other := openAt(t, s.Path(), Options{})
	l, err := s.Continue("s1")
	if err != nil {
		t.Fatal(err)
	}
	for _, st := range []*Store{s, other} {
		if _, err := st.Continue("s1"); !errors.Is(err, session.ErrBusy) || !strings.Contains(err.Error(), "s1") {
			t.Errorf("a second writer: %v", err)
		}
		if _, err := st.Prune("s1"); !errors.Is(err, session.ErrBusy) {
			t.Errorf("pruned while it is written: %v", err)
		}
	}
	// Another session of the same file is no concern of it.
	record(t, other, "s2", summary("s2", "peer"), newChain().opened("s2"))
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := other.Continue("s1")
	if err != nil {
		t.Fatal(err)
	}
	if err := again.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Create("s1"); err == nil {
		t.Error("a session was begun twice")
	}
	for _, id := range []string{"", ".", "-x", "../x", "a/b", "a b", strings.Repeat("x", 65)} {
		if l, err := s.Create(id); err == nil {
			_ = l.Close()
			t.Errorf("id %q was taken", id)
		}
	}
	if _, err := s.Continue("none"); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("continuing what is not there: %v", err)
	}
}

const (
	childPath    = "A2ASCOPE_HISTORY_TEST_CHILD"
	childSession = "A2ASCOPE_HISTORY_TEST_SESSION" // record a little in it and go
)

// TestMain lets the test binary be the console that is killed.
func TestMain(m *testing.M) {
	if path := os.Getenv(childPath); path != "" {
		child(path)
	}
	os.Exit(m.Run())
}

// child records for ever, or a session of 100 commits, and says after each commit how many records are in.
func child(path string) {
	s, err := Open(path, Options{})
	if err != nil {
		panic(err)
	}
	id := cmp.Or(os.Getenv(childSession), "s1")
	l, err := s.Create(id)
	if err != nil {
		panic(err)
	}
	c, rng := newChain(), rand.New(rand.NewPCG(1, 2))
	batch := []session.Record{c.opened(id)}
	for n := 0; ; n++ {
		if id != "s1" && n == 100 {
			if err := errors.Join(l.Close(), s.Close()); err != nil {
				panic(err)
			}
			os.Exit(0)
		}
		if err := l.Append(batch, summary(id, "peer")); err != nil {
			panic(err)
		}
		if _, err := os.Stdout.WriteString(strconv.FormatUint(c.seq, 10) + "\n"); err != nil {
			os.Exit(1) // nobody listens any more
		}
		batch = random(rng, c, 1+rng.IntN(30))
	}
}

// A console that is killed leaves no lock behind, and every record that it
// was told is safe.
func TestKilled(t *testing.T) {
	t.Parallel()
	for range 5 {
		path := filepath.Join(t.TempDir(), "log.db")
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), childPath+"="+path)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		var acknowledged uint64
		lines := bufio.NewScanner(out)
		for n := 0; lines.Scan(); n++ {
			if acknowledged, err = strconv.ParseUint(lines.Text(), 10, 64); err != nil {
				t.Fatal(err)
			}
			if n == 3 {
				s := openAt(t, path, Options{})
				if _, err := s.Continue("s1"); !errors.Is(err, session.ErrBusy) {
					t.Errorf("a second process may write: %v", err)
				}
			}
			if n == 40 {
				if err := cmd.Process.Kill(); err != nil {
					t.Fatal(err)
				}
			}
		}
		_ = cmd.Wait() // it was killed
		s := openAt(t, path, Options{})
		v, err := s.Verify(t.Context(), "s1")
		if err != nil || v.Problem != nil || v.Records < acknowledged || acknowledged < 40 {
			t.Fatalf("acknowledged %d: %+v %v", acknowledged, v, err)
		}
		l, err := s.Continue("s1")
		if err != nil {
			t.Fatal(err)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// Consoles in several processes make one file together and record side by
// side.
func TestManyProcesses(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "log.db")
	var wg sync.WaitGroup
	for i := range 5 {
		wg.Go(func() {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), childPath+"="+path, fmt.Sprintf("%s=p%d", childSession, i))
			var said strings.Builder
			cmd.Stderr = &said
			if err := cmd.Run(); err != nil {
				t.Errorf("%v: %s", err, said.String())
			}
		})
	}
	wg.Wait()
	s := openAt(t, path, Options{})
	for i := range 5 {
		if v, err := s.Verify(t.Context(), fmt.Sprintf("p%d", i)); err != nil || v.Problem != nil || v.Records < 100 {
			t.Errorf("%+v %v", v, err)
		}
	}
}
