package runner_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"a2ascope/history"
	"a2ascope/peerclient"
	"a2ascope/peerclient/demopeer"
	"a2ascope/session"
	"a2ascope/session/runner"
)

// quick is the policy with its times turned down to the pace of the embedded
// peers in tests: what takes a second in the field takes 20 ms here.
func quick() session.Policy {
	p := session.DefaultPolicy()
	p.SettleEvery = session.Duration(20 * time.Millisecond)
	p.ProbeWindow, p.ProbeWindowGiven = session.Duration(400*time.Millisecond), true
	p.IdlePoll = session.Duration(200 * time.Millisecond)
	p.CloseWindow = session.Duration(300 * time.Millisecond)
	p.CancelWatch = session.Duration(2 * time.Second)
	p.RaceMargin = session.Duration(400 * time.Millisecond) // more than what is noticed as a stall
	p.DurableWait = session.Duration(100 * time.Millisecond)
	p.WorkingSilent = session.Duration(500 * time.Millisecond)
	return p
}

// demo starts an embedded peer.
func demo(t testing.TB, name string) *demopeer.Peer {
	t.Helper()
	scenario, gen, err := demopeer.ParseName(name)
	if err != nil {
		t.Fatal(err)
	}
	p, err := demopeer.Start(context.Background(), demopeer.Options{Scenario: scenario, Generation: gen, Pace: 25 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	return p
}

func store(t testing.TB) *history.Store {
	t.Helper()
	s, err := history.Open(filepath.Join(t.TempDir(), "log.db"), history.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func newID() string {
	var b [16]byte
	_, _ = rand.Read(b[:])
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// live is a session with a peer, its log in a store.
type live struct {
	*runner.Runner
	store *history.Store
	id    string
	ended chan error
}

func open(t testing.TB, st *history.Store, url string, change ...func(*runner.Config)) *live {
	t.Helper()
	id := newID()
	log, err := st.Create(id)
	if err != nil {
		t.Fatal(err)
	}
	return start(t, st, id, config(t, st, log, id, url, change...), runner.New)
}

func config(t testing.TB, st *history.Store, log session.Log, id, url string, change ...func(*runner.Config)) runner.Config {
	t.Helper()
	client := peerclient.New(peerclient.Options{})
	t.Cleanup(client.Close)
	cfg := runner.Config{
		Peer: client, Log: log, Archive: st, NewID: newID, Env: os.LookupEnv, ReadFile: os.ReadFile,
		Opened: session.Opened{Session: id, Tool: "test", Typed: url, URL: url, Policy: quick()},
	}
	for _, c := range change {
		c(&cfg)
	}
	return cfg
}

func start(t testing.TB, st *history.Store, id string, cfg runner.Config, begin func(runner.Config) *runner.Runner) *live {
	t.Helper()
	l := &live{Runner: begin(cfg), store: st, id: id, ended: make(chan error, 1)}
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		l.ended <- l.Run(ctx)
		_ = cfg.Log.Close()
		close(l.ended)
	}()
	t.Cleanup(func() {
		cancel()
		<-l.ended
	})
	return l
}

// script runs lines after a discover, ends the session and returns the verdict
// document.
func (l *live) script(t testing.TB, url string, lines ...string) session.Document {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	err := runner.Script(ctx, l.Runner, append([]string{"discover " + url}, lines...))
	if err != nil {
		t.Errorf("script: %v", err)
	}
	l.Stop("done")
	if err := <-l.ended; err != nil {
		t.Fatalf("run: %v", err)
	}
	return l.Document(session.ToolDoc{Name: "a2ascope", Version: "test"})
}

func replaceAll(lines []string, old, with string) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = strings.ReplaceAll(l, old, with)
	}
	return out
}
