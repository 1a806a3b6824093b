package history

import (
	"fmt"
	"testing"

	"a2ascope/session"
)

// BenchmarkRead says how many records a second are paged, verified and
// searched, at 1 KiB of raw bytes each.
func BenchmarkRead(b *testing.B) {
	const records = 50_000
	s, c := open(b), newChain()
	l, err := s.Create("bench")
	if err != nil {
		b.Fatal(err)
	}
	for c.seq < records {
		var batch []session.Record
		for range 500 {
			raw := make([]byte, 1024)
			copy(raw, fmt.Sprintf("data: %d the quick brown fox jumps over", c.seq))
			for i := 50; i < len(raw); i++ {
				raw[i] = 'a' + byte(i%26)
			}
			for i, ch := range raw {
				if ch == 0 {
					raw[i] = ' '
				}
			}
			batch = append(batch, c.add(session.KindFrame, session.Framed{N: int(c.seq), Kind: "event"}, raw))
		}
		if err := l.Append(batch, summary("bench", "peer")); err != nil {
			b.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		b.Fatal(err)
	}
	for name, f := range map[string]func() error{
		"page of 50": func() error { _, err := s.Page("bench", records/2, 50); return err },
		"all in pages": func() error {
			for from := uint64(1); from <= records; from += 512 {
				if _, err := s.Page("bench", from, 512); err != nil {
					return err
				}
			}
			return nil
		},
		"verify": func() error { _, err := s.Verify(b.Context(), "bench"); return err },
		"search": func() error {
			return s.Search(b.Context(), SearchFilter{}, "no such text", nil, func(Hit) bool { return true })
		},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if err := f(); err != nil {
					b.Fatal(err)
				}
			}
			if name != "page of 50" {
				b.ReportMetric(float64(records*b.N)/b.Elapsed().Seconds(), "records/s")
			}
		})
	}
}
