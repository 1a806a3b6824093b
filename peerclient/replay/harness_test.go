package replay_test

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"a2ascope/peerclient"
	"a2ascope/peerclient/demopeer"
	"a2ascope/peerclient/replay"
	"a2ascope/peerclient/webhook"
	"a2ascope/session"
	"a2ascope/session/runner"
)

// memory is a session's log in memory.
type memory struct {
	mu      sync.Mutex
	records []session.Record
}

func (m *memory) Append(r []session.Record, _ session.Summary) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.records = append(m.records, r...)
	return nil
}

func (m *memory) Page(from uint64, limit int) ([]session.Record, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if from < 1 || from > uint64(len(m.records)) {
		return nil, nil
	}
	rest := m.records[from-1:]
	return slices.Clone(rest[:min(limit, len(rest))]), nil
}

func (m *memory) Close() error { return nil }

func newID() string {
	var b [16]byte
	_, _ = rand.Read(b[:])
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// quick is the policy with its times turned down to the pace of the peers.
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
	p.PushWindow = session.Duration(3 * time.Second)
	return p
}

// run runs a script against a peer and returns the log and what it comes to.
func run(t testing.TB, url string, policy session.Policy, lines ...string) (*memory, session.Document) {
	t.Helper()
	client := peerclient.New(peerclient.Options{})
	defer client.Close()
	log := &memory{}
	r := runner.New(runner.Config{
		Peer: client, Log: log, NewID: newID, Env: os.LookupEnv, ReadFile: os.ReadFile, Receiver: webhook.New(webhook.Options{NewID: newID}),
		Opened: session.Opened{Session: newID(), Tool: "test", Typed: url, URL: url, Policy: policy},
	})
	ctx, cancel := context.WithTimeout(context.Background(), 40*time.Second)
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- r.Run(ctx) }()
	script := []string{"discover " + url}
	for _, line := range lines {
		script = append(script, strings.ReplaceAll(line, "URL", url))
	}
	if err := runner.Script(ctx, r, script); err != nil {
		t.Errorf("script: %v", err)
	}
	r.Stop("done")
	if err := <-ended; err != nil {
		t.Fatalf("run: %v", err)
	}
	return log, r.Document(session.ToolDoc{})
}

// demo starts an embedded peer.
func demo(t testing.TB, name string, pace time.Duration) *demopeer.Peer {
	t.Helper()
	scenario, gen, err := demopeer.ParseName(name)
	if err != nil {
		t.Fatal(err)
	}
	p, err := demopeer.Start(context.Background(), demopeer.Options{Scenario: scenario, Generation: gen, Pace: cmp.Or(pace, 25*time.Millisecond)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	return p
}

// serve serves a log.
func serve(t testing.TB, o replay.Options) *replay.Server {
	t.Helper()
	s, err := replay.Start(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// transcript is a log in lines, for a failed test.
func transcript(m *memory) string {
	var b strings.Builder
	for i := range m.records {
		d := session.Describe(&m.records[i])
		fmt.Fprintf(&b, "\n%4d %9s %-8s %d/%d %s %s", m.records[i].Seq, m.records[i].Elapsed.Truncate(time.Millisecond), m.records[i].Kind, m.records[i].Task, m.records[i].Exchange, d.Title, d.Detail)
	}
	return b.String()
}
