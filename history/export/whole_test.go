package export

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"a2ascope/session"
	"a2ascope/session/a2a"
)

// flood gives a session of n records without holding them.
func flood(n uint64) Pages {
	frame := []byte(`data: {"jsonrpc":"2.0","id":2,"result":{"artifactUpdate":{"taskId":"t-1","contextId":"c-1","artifact":{"artifactId":"a","parts":[{"text":"a chunk of the text that the agent makes\n"}]},"append":true}}}` + "\n\n")
	req := []byte(post + "Authorization: Bearer " + tOpaque + "\r\n\r\n{}")
	return func(from uint64, limit int) ([]session.Record, error) {
		var out []session.Record
		for seq := from; seq <= n && len(out) < limit; seq++ {
			r := session.Record{Seq: seq, Elapsed: time.Duration(seq) * time.Millisecond, Wall: time.Unix(int64(seq), 0), Kind: session.KindFrame, Task: 1, Exchange: 1, Raw: frame}
			switch seq {
			case 1:
				r.Kind, r.Body, r.Raw, r.Exchange, r.Task = session.KindOpened, session.Encode(session.Opened{Session: "s", Policy: session.DefaultPolicy()}), nil, 0, 0
			case 2:
				r.Kind, r.Body, r.Raw = session.KindCommand, session.Encode(session.Commanded{Line: "stream go", By: "script"}), nil
				r.Exchange, r.Task = 0, 0
			case 3:
				r.Kind, r.Raw = session.KindRequest, req
				r.Body = session.Encode(session.Requested{Op: a2a.OpStream, HTTPMethod: "POST", URL: "http://h/", Obligation: 1, Command: 1, Head: len(req) - 2})
			case 4:
				r.Kind, r.Raw = session.KindResponse, []byte("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
				r.Body = session.Encode(session.Responded{Status: 200, Stream: true, Head: len(r.Raw)})
			default:
				r.Body = session.Encode(&session.Framed{N: int(seq), Kind: "event"})
			}
			out = append(out, r)
		}
		return out, nil
	}
}

// A session of many pages is exported whole, and as it was when the export
// began.
func TestWhole(t *testing.T) {
	t.Parallel()
	const n = 5*pageSize + 3
	length := uint64(n)
	e, err := Open(func(from uint64, limit int) ([]session.Record, error) { return flood(length)(from, limit) }, Options{})
	if err != nil {
		t.Fatal(err)
	}
	length = 2 * n // it goes on while it is exported
	for format, want := range map[string]string{
		"jsonl": fmt.Sprintf(`"seq":%d,`, n), "html": fmt.Sprintf("%d of %d records", n, n), "har": fmt.Sprintf(`"record":%d,`, n), "md": fmt.Sprintf("records %d", n), "curl": fmt.Sprintf("then %d frames", n-4),
	} {
		var out bytes.Buffer
		if err := e.Write(&out, format); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.String(), want) || strings.Contains(out.String(), fmt.Sprintf(`"seq":%d,`, n+1)) {
			t.Errorf("%s does not end with record %d", format, n)
		}
	}
}

// heapPeak is the most that the heap held whenever it was looked at.
type heapPeak uint64

func (p *heapPeak) look() {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	*p = max(*p, heapPeak(m.HeapAlloc))
}

// over looks each time that another tenth of a session of n records was read:
// formats that write little read it all, too.
func (p *heapPeak) over(pages Pages, n uint64) Pages {
	read := uint64(0)
	return func(from uint64, limit int) ([]session.Record, error) {
		out, err := pages(from, limit)
		if before := read; n >= 10 && (before+uint64(len(out)))/(n/10) > before/(n/10) {
			p.look()
		}
		read += uint64(len(out))
		return out, err
	}
}

// counter counts what is written, in bytes.
type counter int64

func (w *counter) Write(b []byte) (int, error) {
	*w += counter(len(b))
	return len(b), nil
}

// Memory stays flat however long the session is.
func BenchmarkExport(b *testing.B) {
	for _, f := range Formats {
		for _, n := range []uint64{10_000, 1_000_000} {
			b.Run(fmt.Sprintf("%s/%d", f.Name, n), func(b *testing.B) {
				for b.Loop() {
					var peak heapPeak
					var out counter
					e, err := Open(peak.over(flood(n), n), Options{})
					if err != nil {
						b.Fatal(err)
					}
					if err := e.Write(&out, f.Name); err != nil {
						b.Fatal(err)
					}
					peak.look()
					runtime.KeepAlive(e)
					b.ReportMetric(float64(peak)/(1<<20), "MiB-heap")
					b.ReportMetric(float64(out)/(1<<20), "MiB-out")
				}
			})
		}
	}
}
