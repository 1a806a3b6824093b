package history

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"a2ascope/session"
)

// BenchmarkHistory says what a log of a million records costs beside one of ten
// thousand: to open it and list its sessions, to read a page anywhere, and to
// search it, until the first hit and to the end. Half of the records are in
// one session, the others in sessions of 1,000. The needle stands once in the
// first session and once in the last.
func BenchmarkHistory(b *testing.B) {
	for _, n := range []int{10_000, 1_000_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			path := haystack(b, n)
			b.Run("open and list", func(b *testing.B) {
				for b.Loop() {
					s, err := Open(path, Options{})
					if err != nil {
						b.Fatal(err)
					}
					if rows, err := s.Sessions(Filter{}); err != nil || len(rows) == 0 {
						b.Fatal(len(rows), err)
					}
					if _, err := s.Peers(); err != nil {
						b.Fatal(err)
					}
					_ = s.Close()
				}
			})
			s, err := Open(path, Options{})
			if err != nil {
				b.Fatal(err)
			}
			b.Cleanup(func() { _ = s.Close() })
			for name, at := range map[string]int{"first": 1, "middle": n / 4, "last": n/2 - 60} {
				b.Run("page/"+name, func(b *testing.B) {
					for b.Loop() {
						if p, err := s.Page(hayBig, uint64(at), 50); err != nil || len(p) != 50 {
							b.Fatal(len(p), err)
						}
					}
				})
			}
			for _, text := range []string{"newest needle", "oldest needle", "no such needle"} {
				b.Run("search/"+text, func(b *testing.B) { searchHay(b, s, text) })
			}
		})
	}
}

// searchHay reports the time to the first hit, the longest time without a word
// of the progress, and, as the time of a run, that of the whole search.
func searchHay(b *testing.B, s *Store, text string) {
	var first, silent time.Duration
	for b.Loop() {
		begun := time.Now()
		heard := begun
		word := func() { silent, heard = max(silent, time.Since(heard)), time.Now() }
		err := s.Search(context.Background(), SearchFilter{}, text, func(uint64, uint64) { word() }, func(Hit) bool {
			first = max(first, time.Since(begun))
			word()
			return true
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(first.Microseconds())/1000, "ms-to-hit")
	b.ReportMetric(float64(silent.Microseconds())/1000, "ms-silent")
}

const hayBig = "big"

// haystack makes a log of n records, most of them frames of a stream.
func haystack(b *testing.B, n int) string {
	b.Helper()
	path := filepath.Join(b.TempDir(), "log.db")
	s, err := Open(path, Options{Now: time.Now})
	if err != nil {
		b.Fatal(err)
	}
	began := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	small := n / 2 / 1000
	for i := range small {
		needle := ""
		switch i {
		case 0:
			needle = "oldest needle"
		case small - 1:
			needle = "newest needle"
		}
		hay(b, s, fmt.Sprintf("s%05d", i), began.Add(time.Duration(i)*time.Hour), 1000, needle)
		if i == small/2 {
			hay(b, s, hayBig, began.Add(time.Duration(i)*time.Hour+time.Minute), n/2, "")
		}
	}
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
	return path
}

func hay(b *testing.B, s *Store, id string, began time.Time, n int, needle string) {
	b.Helper()
	l, err := s.Create(id)
	if err != nil {
		b.Fatal(err)
	}
	c := newChain()
	sum := summary(id, fmt.Sprintf("http://peer-%d.example", began.Day()))
	sum.Started = began
	for c.seq < uint64(n) {
		var batch []session.Record
		for range min(512, n-int(c.seq)) {
			text := "a chunk of the text that the agent makes"
			if needle != "" && c.seq == uint64(n/2) {
				text = needle
			}
			raw := fmt.Sprintf("data: {\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"artifactUpdate\":{\"taskId\":\"5d0b8a3e-1c55-4ed1-9b0a-57cbb4b2c6cf\",\"contextId\":\"c-1\",\"artifact\":{\"artifactId\":\"a\",\"parts\":[{\"text\":\"%06d %s\\n\"}]},\"append\":true}}}\n\n", c.seq, text)
			batch = append(batch, c.add(session.KindFrame, session.Framed{N: int(c.seq), Kind: "event"}, []byte(raw)))
		}
		if err := l.Append(batch, sum); err != nil {
			b.Fatal(err)
		}
	}
	if err := errors.Join(l.Close()); err != nil {
		b.Fatal(err)
	}
}
