package session_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"a2ascope/peerclient"
	"a2ascope/peerclient/demopeer"
	"a2ascope/session"
	"a2ascope/session/a2a"
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

// recorded runs a script against an embedded peer and returns its log.
func recorded(t testing.TB, scenario string, lines ...string) *memory {
	t.Helper()
	peer, err := demopeer.Start(context.Background(), demopeer.Options{Scenario: scenario, Pace: 10 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer peer.Close()
	client := peerclient.New(peerclient.Options{})
	defer client.Close()
	policy := session.DefaultPolicy()
	policy.SettleEvery, policy.CancelWatch, policy.CloseWindow = session.Duration(10*time.Millisecond), session.Duration(200*time.Millisecond), session.Duration(200*time.Millisecond)
	m, ids := &memory{}, 0
	r := runner.New(runner.Config{
		Peer: client, Log: m, NewID: func() string { ids++; return fmt.Sprintf("id-%d", ids) },
		Opened: session.Opened{Session: "s", Tool: "test", Typed: peer.URL(), URL: peer.URL(), Policy: policy},
	})
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- r.Run(ctx) }()
	if err := runner.Script(ctx, r, append([]string{"discover " + peer.URL()}, lines...)); err != nil {
		t.Error(err)
	}
	r.Stop("done")
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	return m
}

func picture(t testing.TB, s *session.State) string {
	t.Helper()
	b, err := json.Marshal([]any{s, session.MakeDocument(s, session.ToolDoc{}), session.MakeView(s)})
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestTimeTravel: the state as of any record is the fold of the records up to
// it, in whatever order one goes there, and also when it is folded further.
func TestTimeTravel(t *testing.T) {
	t.Parallel()
	log := recorded(t, "leaky-cancel", "stream slow 30", "wait state working", "cancel", "wait settled", "send task x", "wait settled", "send ask", "resume --data {\"a\":1}")
	pictures := []string{picture(t, session.NewState())}
	s := session.NewState()
	for i := range log.records {
		session.Fold(s, &log.records[i])
		pictures = append(pictures, picture(t, s))
	}
	end := uint64(len(log.records))
	travel := session.NewCheckpoints(log.Page)
	travel.Every(10, 5)
	random := rand.New(rand.NewPCG(1, 2))
	for range 150 {
		seq := random.Uint64N(end + 1)
		got, err := travel.At(seq)
		if err != nil {
			t.Fatal(err)
		}
		if picture(t, got) != pictures[seq] {
			t.Fatalf("record %d: another state than that of the records up to it", seq)
		}
		for i := seq; i < min(end, seq+15); i++ { // what it shares with a checkpoint would change there
			session.Fold(got, &log.records[i])
		}
		if at := min(end, seq+15); picture(t, got) != pictures[at] {
			t.Fatalf("from record %d on to %d: another state than that of the records up to it", seq, at)
		}
	}
	if n := travel.Kept(); n < 2 || n > 5 {
		t.Errorf("%d checkpoints are kept", n)
	}
	at, err := session.At(log.Page, 12)
	if err != nil || picture(t, at) != pictures[12] {
		t.Errorf("At: %v", err)
	}
	if past, err := travel.At(end + 100); err != nil || past.Seq != end {
		t.Errorf("past the end: record %d, %v", past.Seq, err)
	}
}

func TestSteps(t *testing.T) {
	t.Parallel()
	log := recorded(t, "leaky-cancel", "stream slow 30", "wait state working", "cancel", "wait settled", "note so it is", "restore cancel-final I do not believe it")
	end := uint64(len(log.records))
	s, err := session.At(log.Page, end)
	if err != nil {
		t.Fatal(err)
	}
	for kind, step := range map[session.Kind]struct {
		next, prev func(uint64) (uint64, bool)
	}{
		session.KindFinding:  {s.NextFinding, s.PrevFinding},
		session.KindDecision: {s.NextDecision, s.PrevDecision},
	} {
		var want []uint64 // restatements are the finding that they restate
		for _, r := range log.records {
			if r.Kind == kind && !strings.Contains(string(r.Body), `"restates":`) {
				want = append(want, r.Seq)
			}
		}
		var ahead, back []uint64
		for seq, ok := step.next(0); ok; seq, ok = step.next(seq) {
			ahead = append(ahead, seq)
		}
		for seq, ok := step.prev(end + 1); ok; seq, ok = step.prev(seq) {
			back = append(back, seq)
		}
		slices.Reverse(back)
		if !slices.Equal(ahead, want) || !slices.Equal(back, want) || len(want) == 0 {
			t.Errorf("%s: forwards %v, backwards %v, want %v", kind, ahead, back, want)
		}
	}
}

func TestSeqAt(t *testing.T) {
	t.Parallel()
	m := &memory{}
	for i, at := range []time.Duration{0, 10, 10, 20, 35} {
		m.records = append(m.records, session.Record{Seq: uint64(i) + 1, Elapsed: at})
	}
	for at, want := range map[time.Duration]uint64{-1: 0, 0: 1, 9: 1, 10: 3, 34: 4, 35: 5, 99: 5} {
		if got, err := session.SeqAt(m.Page, 5, at); err != nil || got != want {
			t.Errorf("after %d: record %d, %v; want %d", at, got, err, want)
		}
	}
	broken := errors.New("the disk is gone")
	failing := func(uint64, int) ([]session.Record, error) { return nil, broken }
	if _, err := session.SeqAt(failing, 5, 3); !errors.Is(err, broken) {
		t.Errorf("SeqAt: %v", err)
	}
	if _, err := session.At(failing, 5); !errors.Is(err, broken) {
		t.Errorf("At: %v", err)
	}
}

// TestCheckpointsFitIn: the copies of long sessions are fewer.
func TestCheckpointsFitIn(t *testing.T) {
	t.Parallel()
	var log memory
	s := session.NewState()
	head := session.Digest{}
	for seq := uint64(1); seq <= 60; seq++ {
		r := session.Record{Seq: seq, Kind: session.KindRequest, Body: session.Encode(session.Requested{Op: "get"}), Elapsed: time.Duration(seq)}
		r.Seal(head)
		head = r.Hash
		log.records = append(log.records, r)
		session.Fold(s, &r)
	}
	travel := session.NewCheckpoints(log.Page)
	travel.Every(1, 1000)
	travel.Room(3 * len(s.Exchanges))
	if _, err := travel.At(s.Seq); err != nil {
		t.Fatal(err)
	}
	if n := travel.Kept(); n < 2 || n > 8 {
		t.Errorf("%d copies are kept of a state with %d exchanges", n, len(s.Exchanges))
	}
}

// TestStateIsPlain: a copy of a state shares nothing that a fold changes,
// because nothing that it reaches hides a reference from the copy.
func TestStateIsPlain(t *testing.T) {
	t.Parallel()
	known := map[reflect.Type]bool{reflect.TypeFor[time.Time](): true, reflect.TypeFor[a2a.Assembly](): true, reflect.TypeFor[a2a.Card](): true}
	var walk func(t reflect.Type, at string)
	walk = func(typ reflect.Type, at string) {
		if known[typ] {
			return
		}
		known[typ] = true
		switch typ.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Map:
			walk(typ.Elem(), at)
		case reflect.Struct:
			for i := range typ.NumField() {
				f := typ.Field(i)
				if k := f.Type.Kind(); !f.IsExported() && (k < reflect.Bool || k > reflect.Complex128) && k != reflect.String {
					t.Errorf("%s.%s is hidden and refers to something: a copy of the state shares it", at, f.Name)
				}
				walk(f.Type, at+"."+f.Name)
			}
		case reflect.Interface, reflect.Func, reflect.Chan:
			t.Errorf("%s is no plain data", at)
		}
	}
	walk(reflect.TypeFor[session.State](), "State")
}

func BenchmarkStepBack(b *testing.B) {
	log := recorded(b, "honest", "stream slow 60", "wait settled", "stream slow 60", "wait settled")
	end := uint64(len(log.records))
	travel := session.NewCheckpoints(log.Page)
	travel.Every(100, 32)
	for b.Loop() {
		if _, err := travel.At(end - 1); err != nil {
			b.Fatal(err)
		}
	}
}
