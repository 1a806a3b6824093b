package history

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"a2ascope/session"
)

// start is the time at which the tests' sessions begin.
var start = time.Date(2026, 3, 1, 12, 0, 0, 123456789, time.UTC)

// chain makes sealed records one after the other.
type chain struct {
	seq  uint64
	prev session.Digest
	at   time.Time
}

func newChain() *chain { return &chain{at: start} }

func (c *chain) add(kind session.Kind, body any, raw []byte) session.Record {
	b, ok := body.([]byte)
	if !ok {
		b = session.Encode(body)
	}
	c.seq++
	c.at = c.at.Add(time.Millisecond)
	r := session.Record{Seq: c.seq, Wall: c.at, Elapsed: c.at.Sub(start), Kind: kind, Task: 1, Exchange: int(c.seq), Body: b, Raw: raw}
	r.Seal(c.prev)
	c.prev = r.Hash
	return r
}

// opened begins a session and names it.
func (c *chain) opened(id string) session.Record {
	return c.add(session.KindOpened, session.Opened{Session: id, Typed: "http://peer.example", URL: "http://peer.example"}, nil)
}

func summary(id, peer string) session.Summary {
	return session.Summary{Session: id, Typed: "http://peer.example", Peer: peer, PeerName: "Peer", CardVersion: "1", Started: start, Last: start.Add(time.Second)}
}

func open(t testing.TB) *Store {
	t.Helper()
	return openAt(t, filepath.Join(t.TempDir(), "log.db"), Options{})
}

func openAt(t testing.TB, path string, o Options) *Store {
	t.Helper()
	s, err := Open(path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// record makes a session with the given records and closes it.
func record(t testing.TB, s *Store, id string, sum session.Summary, records ...session.Record) {
	t.Helper()
	l, err := s.Create(id)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Append(records, sum); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}

// random makes n records with bodies and raw bytes of all sorts.
func random(rng *rand.Rand, c *chain, n int) []session.Record {
	var out []session.Record
	for range n {
		var raw []byte
		if rng.IntN(3) > 0 {
			raw = make([]byte, rng.IntN(200))
			for i := range raw {
				raw[i] = byte(rng.UintN(256))
			}
		}
		out = append(out, c.add(session.KindFrame, session.Framed{N: int(c.seq), Kind: fmt.Sprintf("<&> \u2028 %q", raw)}, raw))
	}
	return out
}

func all(t testing.TB, s *Store, id string) []session.Record {
	t.Helper()
	var out []session.Record
	for from := uint64(1); ; {
		page, err := s.Page(id, from, 7)
		if err != nil {
			t.Fatal(err)
		}
		if len(page) == 0 {
			return out
		}
		out = append(out, page...)
		from = page[len(page)-1].Seq + 1
	}
}

// Whatever is appended, in whatever batches, is what is read after opening
// the file again and continuing the session.
func TestAppendedIsRead(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 1))
		path := filepath.Join(t.TempDir(), "log.db")
		c := newChain()
		want := []session.Record{c.opened("s1")}
		s := openAt(t, path, Options{})
		record(t, s, "s1", summary("s1", "peer"), want...)
		for range 3 {
			s = openAt(t, path, Options{})
			l, err := s.Continue("s1")
			if err != nil {
				t.Fatal(err)
			}
			for range rng.IntN(4) {
				batch := random(rng, c, rng.IntN(40))
				if err := l.Append(batch, summary("s1", "peer")); err != nil {
					t.Fatal(err)
				}
				want = append(want, batch...)
			}
			if seq, hash := l.Head(); seq != c.seq || hash != c.prev {
				t.Fatalf("seed %d: head %d, want %d", seed, seq, c.seq)
			}
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if got := all(t, s, "s1"); !reflect.DeepEqual(got, want) {
			t.Fatalf("seed %d: %d records read are not the %d appended", seed, len(got), len(want))
		}
	}
}

// BenchmarkAppend says how many records a second are made durable in batches
// of 512 with 1 KiB of raw bytes each.
func BenchmarkAppend(b *testing.B) {
	for _, size := range []int{1, 32, 512} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			s := open(b)
			l, err := s.Create("bench")
			if err != nil {
				b.Fatal(err)
			}
			c, sum, raw := newChain(), summary("bench", "peer"), make([]byte, 1024)
			batches := make([][]session.Record, b.N)
			for i := range batches {
				for range size {
					binary.BigEndian.PutUint64(raw, c.seq)
					batches[i] = append(batches[i], c.add(session.KindFrame, session.Framed{N: 1, Off: 1, Kind: "event"}, raw[:len(raw):len(raw)]))
					batches[i][len(batches[i])-1].Raw = append([]byte(nil), raw...)
				}
			}
			b.ResetTimer()
			for _, batch := range batches {
				if err := l.Append(batch, sum); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(size*b.N)/b.Elapsed().Seconds(), "records/s")
			if err := l.Close(); err != nil {
				b.Fatal(err)
			}
		})
	}
}
