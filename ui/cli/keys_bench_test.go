package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"a2ascope/ui/console"
)

// marked takes what the console writes, and says when a mark was written.
type marked struct {
	mu   sync.Mutex
	mark []byte
	seen chan time.Time
}

// Write implements io.Writer.
func (m *marked) Write(p []byte) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.mark) > 0 && bytes.Contains(p, m.mark) {
		m.mark = nil
		m.seen <- time.Now()
	}
	return len(p), nil
}

// pouring is an agent whose stream brings so many chunks as fast as they are
// taken, and then 2,000 a second until it is over.
func pouring(n int, over <-chan struct{}) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			w.Header().Set("Content-Type", "application/json")
			_, _ = fmt.Fprintf(w, `{"name":"Pour","description":"pours","version":"1","supportedInterfaces":[{"url":"http://%s/rpc","protocolBinding":"JSONRPC","protocolVersion":"1.0"}],"capabilities":{"streaming":true},"defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"],"skills":[]}`, r.Host)
			return
		}
		var call struct {
			ID     json.RawMessage
			Method string
		}
		if json.NewDecoder(r.Body).Decode(&call) != nil || call.Method != "SendStreamingMessage" {
			w.Header().Set("Content-Type", "application/json")
			_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"id":"t","contextId":"c","status":{"state":"TASK_STATE_COMPLETED"}}}`, call.ID)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		say := func(result string) {
			_, _ = fmt.Fprintf(w, "data: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}\n\n", call.ID, result)
		}
		chunk := func(i int) {
			say(fmt.Sprintf(`{"artifactUpdate":{"taskId":"t","contextId":"c","append":%t,"artifact":{"artifactId":"a","parts":[{"text":"chunk %d "}]}}}`, i > 0, i))
		}
		say(`{"task":{"id":"t","contextId":"c","status":{"state":"TASK_STATE_WORKING"}}}`)
		i := 0
		for ; i < n; i++ {
			chunk(i)
		}
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				for range 10 {
					chunk(i)
					i++
				}
				_ = http.NewResponseController(w).Flush() // a client that went away
			case <-r.Context().Done():
				return
			case <-over:
				say(`{"statusUpdate":{"taskId":"t","contextId":"c","status":{"state":"TASK_STATE_COMPLETED"}}}`)
				return
			}
		}
	}
}

func (m *marked) await(mark string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.mark = []byte(mark)
}

// BenchmarkKeyToScreen measures how long a key takes to the screen's bytes with
// all that stands behind the console: an embedded peer, the wire, the runner,
// the rules and SQLite. The session holds 100,000 records; first the stream
// still pours in, then it is over. The other work of the machine is reported as its load.
func BenchmarkKeyToScreen(b *testing.B) {
	const records = 100_000
	s := newShelf(b, filepath.Join(b.TempDir(), "demo.db"))
	over := make(chan struct{})
	peer := httptest.NewServer(pouring(records, over))
	defer peer.Close()
	out := &marked{seen: make(chan time.Time, 1)}
	in, keys := io.Pipe()
	done := make(chan error, 1)
	ctx, stop := context.WithCancel(b.Context())
	defer stop()
	go func() {
		done <- console.Run(ctx, console.Options{Sessions: s, Demo: true, Start: peer.URL, In: in, Out: out, Env: []string{"TERM=xterm-256color", "COLORTERM=truecolor"}, Width: 160, Height: 45})
	}()
	await := func(what string, ok func() bool) {
		b.Helper()
		for late := time.Now().Add(time.Minute); !ok(); time.Sleep(20 * time.Millisecond) {
			if time.Now().After(late) {
				b.Fatal("not " + what)
			}
		}
	}
	press := func(text string) {
		if _, err := io.WriteString(keys, text); err != nil {
			b.Fatal(err)
		}
	}
	first := func() *live {
		s.mu.Lock()
		defer s.mu.Unlock()
		if len(s.begun) == 0 {
			return nil
		}
		return s.begun[0]
	}
	await("opened", func() bool { l := first(); return l != nil && l.View().Peer.CardSeq > 0 })
	l := first()
	if _, err := l.Runner.Command("stream pour", "operator"); err != nil {
		b.Fatal(err)
	}
	await("long enough", func() bool { return l.View().Seq >= records })
	time.Sleep(time.Second) // the screen has caught up
	press("\x1b")
	time.Sleep(200 * time.Millisecond)
	press(":")
	b.ResetTimer()
	for n := range b.N {
		measure(b, out, press, n, "stream", 60, func() bool { return len(l.View().Streams) > 0 })
		close(over)
		await("over", func() bool { return len(l.View().Streams) == 0 })
		measure(b, out, press, n, "still", 60, func() bool { return true })
	}
	b.ReportMetric(float64(l.View().Seq), "records")
	b.ReportMetric(load(), "load")
	stop()
	<-done
}

// measure pastes words and empties the line again, and reports how long each
// took.
func measure(b *testing.B, out *marked, press func(string), run int, name string, most int, on func() bool) {
	b.Helper()
	var took []time.Duration
	for n := 0; n < most && on(); n++ {
		mark := fmt.Sprintf("k%s%d%04dz", name, run, n)
		out.await(mark)
		at := time.Now()
		press("\x1b[200~" + mark + "\x1b[201~")
		select {
		case seen := <-out.seen:
			took = append(took, seen.Sub(at))
		case <-time.After(5 * time.Second):
			b.Fatal("a key does not reach the screen")
		}
		press("\x15")
		time.Sleep(100 * time.Millisecond)
	}
	if len(took) == 0 {
		return
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, name+"-p50-ms")
	b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, name+"-p95-ms")
	b.ReportMetric(float64(len(took)), name+"-keys")
}

// load is how many processes wanted a processor in the last minute.
func load() float64 {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return 0
	}
	n, _ := strconv.ParseFloat(strings.Fields(string(text))[0], 64)
	return n
}
