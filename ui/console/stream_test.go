package console

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"a2ascope/session"
)

// torrent is a session whose log grows by itself. Its view costs nothing, so
// that what is measured is the console.
type torrent struct {
	*fakeLive
	one session.Record
}

// grow adds n records.
func (f *torrent) grow(n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	v := *f.view
	v.Seq += uint64(n)
	v.Elapsed += time.Duration(n) * time.Millisecond / 2
	f.view = &v
	close(f.changed)
	f.changed = make(chan struct{})
}

func (f *torrent) Page(from uint64, limit int) ([]session.Record, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var out []session.Record
	for seq := from; seq <= f.view.Seq && len(out) < limit; seq++ {
		r := f.one
		r.Seq, r.Elapsed = seq, time.Duration(seq)*time.Millisecond/2
		out = append(out, r)
	}
	return out, nil
}

// screenBytes takes what the program writes, and says when a mark was written.
type screenBytes struct {
	mu    sync.Mutex
	mark  []byte
	seen  chan time.Time
	bytes int
}

func (s *screenBytes) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bytes += len(p)
	if len(s.mark) > 0 && bytes.Contains(p, s.mark) {
		s.mark = nil
		s.seen <- time.Now()
	}
	return len(p), nil
}

func (s *screenBytes) await(mark string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mark = []byte(mark)
}

// cpu is what this process has used.
func cpu() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkStream runs the whole program on 2,000 records a second for ten
// seconds while keys are pressed, and reports the share of one core that it
// took and how long a key takes to the screen.
func BenchmarkStream(b *testing.B) {
	base := leaky()
	f := &torrent{fakeLive: base}
	for i := range base.records {
		if base.records[i].Kind == session.KindFrame {
			f.one = base.records[i]
		}
	}
	out := &screenBytes{seen: make(chan time.Time, 1)}
	in, keys := io.Pipe()
	src := &torrents{fakeSessions: &fakeSessions{}, live: f}
	done := make(chan error, 1)
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	go func() {
		done <- Run(ctx, Options{Sessions: src, Start: "https://x.example", In: in, Out: out, Env: []string{"TERM=xterm-256color", "COLORTERM=truecolor"}, Width: 160, Height: 45})
	}()
	time.AfterFunc(time.Second, func() { _, _ = io.WriteString(keys, ":") }) // the session is open by then
	b.ResetTimer()
	for range b.N {
		begun, used := time.Now(), cpu()
		var took []time.Duration
		grown := 0
		tick := time.NewTicker(5 * time.Millisecond)
		for n := 0; time.Since(begun) < 10*time.Second; n++ {
			<-tick.C
			due := int(time.Since(begun) / (time.Second / 2000))
			f.grow(due - grown)
			grown = due
			if n%40 != 39 || time.Since(begun) < 2*time.Second {
				continue
			}
			mark := fmt.Sprintf("note k%06dz", n)
			out.await(mark[6:])
			at := time.Now()
			if _, err := io.WriteString(keys, "\x1b[200~"+mark+"\x1b[201~"); err != nil {
				b.Fatal(err)
			}
			select {
			case seen := <-out.seen:
				took = append(took, seen.Sub(at))
			case <-time.After(2 * time.Second):
				b.Fatal("a key does not reach the screen")
			}
			if _, err := io.WriteString(keys, "\x15"); err != nil { // empties the line
				b.Fatal(err)
			}
		}
		tick.Stop()
		slices.Sort(took)
		b.ReportMetric(100*float64(cpu()-used)/float64(time.Since(begun)), "%core")
		b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "p95-ms")
		b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
		b.ReportMetric(float64(f.View().Seq)/float64(b.N), "records")
	}
	stop()
	<-done
}

// torrents opens the one session that there is.
type torrents struct {
	*fakeSessions
	live *torrent
}

func (s *torrents) Open(context.Context, string) (Live, error) { return s.live, nil }
