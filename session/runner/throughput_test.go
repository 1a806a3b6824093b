package runner_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"a2ascope/history"
	"a2ascope/session"
	"a2ascope/session/runner"
)

// fire is a peer that answers a streaming call with as many events as it was
// made for, as fast as the connection takes them, and counts messages.
type fire struct {
	url    string
	events int
	sends  atomic.Int64
	gets   atomic.Int64
	stop   func()
}

var rpcID = regexp.MustCompile(`"id":\s*(\d+)`)

func newFire(t testing.TB, events int) *fire {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	f := &fire{url: "http://" + l.Addr().String(), events: events}
	srv := &http.Server{Handler: f, ReadHeaderTimeout: time.Minute}
	go func() { _ = srv.Serve(l) }()
	f.stop = func() { _ = srv.Close() }
	t.Cleanup(f.stop)
	return f
}

func (f *fire) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	if q.Method == http.MethodGet {
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"name":"Fire","description":"d","version":"1","capabilities":{"streaming":true},"defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"],"skills":[{"id":"s","name":"s","description":"d","tags":["t"]}],"supportedInterfaces":[{"url":%q,"protocolBinding":"JSONRPC","protocolVersion":"1.0"}]}`, f.url+"/rpc")
		return
	}
	body, _ := io.ReadAll(q.Body)
	id := "0"
	if m := rpcID.FindSubmatch(body); m != nil {
		id = string(m[1])
	}
	if !bytes.Contains(body, []byte(`SendStreamingMessage`)) {
		f.gets.Add(1)
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, id, f.task("TASK_STATE_COMPLETED"))
		return
	}
	f.sends.Add(1)
	w.Header().Set("Content-Type", "text/event-stream")
	send := func(result string) {
		_, _ = fmt.Fprintf(w, "data: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}\n\n", id, result)
	}
	send(`{"task":` + f.task("TASK_STATE_WORKING") + `}`)
	for i := range f.events {
		send(fmt.Sprintf(`{"artifactUpdate":{"taskId":"t-1","contextId":"c-1","artifact":{"artifactId":"a","parts":[{"text":%q}]},"append":%t}}`, chunkText(i), i > 0))
	}
	send(`{"statusUpdate":{"taskId":"t-1","contextId":"c-1","status":{"state":"TASK_STATE_COMPLETED"}}}`)
}

// chunkText makes an event 200 bytes long.
func chunkText(i int) string { return fmt.Sprintf("%06d ", i) + strings.Repeat("x", 40) }

func (f *fire) task(state string) string {
	artifacts := ""
	if state == "TASK_STATE_COMPLETED" {
		var b strings.Builder
		for i := range f.events {
			b.WriteString(chunkText(i))
		}
		artifacts = fmt.Sprintf(`,"artifacts":[{"artifactId":"a","parts":[{"text":%q}]}]`, b.String())
	}
	return fmt.Sprintf(`{"id":"t-1","contextId":"c-1","status":{"state":%q}%s}`, state, artifacts)
}

// calm is a log that is not on a disk: it keeps its records.
type calm struct{ records []session.Record }

func (l *calm) Append(r []session.Record, _ session.Summary) error {
	l.records = append(l.records, r...)
	return nil
}
func (l *calm) Page(from uint64, limit int) ([]session.Record, error) {
	if from > uint64(len(l.records)) {
		return nil, nil
	}
	rest := l.records[from-1:]
	return rest[:min(limit, len(rest))], nil
}
func (l *calm) Close() error { return nil }

func stormScript(b testing.TB, l *live, url string) session.Document {
	b.Helper()
	return l.script(b, url, "stream go", "wait closed", "wait settled")
}

// BenchmarkWireToLog says how many events a second go from a socket through
// the client, the loop, the fold and the rules into SQLite, each transaction
// on the disk.
func BenchmarkWireToLog(b *testing.B) {
	const events = 100_000
	var all time.Duration
	rounds := 0
	for b.Loop() {
		b.StopTimer()
		peer := newFire(b, events)
		st, err := history.Open(filepath.Join(b.TempDir(), "log.db"), history.Options{})
		if err != nil {
			b.Fatal(err)
		}
		l := open(b, st, peer.url)
		ctx := context.Background()
		if err := runner.Script(ctx, l.Runner, []string{"discover " + peer.url}); err != nil {
			b.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		b.StartTimer()
		begin := time.Now()
		if err := runner.Script(ctx, l.Runner, []string{"stream go", "wait closed"}); err != nil {
			b.Fatal(err)
		}
		all += time.Since(begin)
		rounds++
		b.StopTimer()
		runtime.GC()
		runtime.ReadMemStats(&after)
		l.Stop("done")
		if err := <-l.ended; err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(events*rounds)/all.Seconds(), "events/s")
		b.ReportMetric(float64(int64(after.HeapAlloc)-int64(before.HeapAlloc))/(1<<20), "MiB-grown")
		if n := checkInOrder(b, st, l.id); n != events {
			b.Fatalf("%d chunks are in the log, want %d", n, events)
		}
		if _, err := st.Verify(ctx, l.id); err != nil {
			b.Fatal(err)
		}
		_ = st.Close()
		peer.stop()
		b.StartTimer()
	}
}

// checkInOrder counts the chunks in the log and fails where one is out of
// place.
func checkInOrder(t testing.TB, st *history.Store, id string) int {
	t.Helper()
	n, s := 0, session.NewState()
	err := runner.Replay(s, func(from uint64, limit int) ([]session.Record, error) {
		records, err := st.Page(id, from, limit)
		for i := range records {
			if records[i].Kind != session.KindFrame || !bytes.Contains(records[i].Raw, []byte("artifactUpdate")) {
				continue
			}
			if want := fmt.Sprintf("\"%06d ", n); !bytes.Contains(records[i].Raw, []byte(want)) {
				t.Fatalf("record %d is not chunk %d", records[i].Seq, n)
			}
			n++
		}
		return records, err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// BenchmarkFold says how many records a second are folded from memory, without
// rules.
func BenchmarkFold(b *testing.B) {
	const events = 100_000
	peer, log := newFire(b, events), &calm{}
	id := newID()
	l := start(b, nil, id, config(b, nil, log, id, peer.url, func(c *runner.Config) { c.Archive = nil }), runner.New)
	stormScript(b, l, peer.url)
	n := len(log.records)
	for b.Loop() {
		s := session.NewState()
		for i := range log.records {
			session.Fold(s, &log.records[i])
		}
		if s.Tasks[0].Outcome != session.OutcomeDone {
			b.Fatal("the task is not done")
		}
	}
	b.ReportMetric(float64(n*b.N)/b.Elapsed().Seconds(), "records/s")
	b.ReportMetric(0, "ns/op")
}
