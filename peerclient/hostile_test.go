package peerclient

import (
	"bytes"
	"compress/gzip"
	"io"
	"net"
	"runtime"
	"strings"
	"testing"
	"time"

	"a2ascope/session"
	"a2ascope/session/a2a"
)

// bomb is size bytes of events, packed.
func bomb(t *testing.T, event string, size int) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	block := strings.Repeat(event, 1<<20/len(event))
	for n := 0; n < size; n += len(block) {
		if _, err := io.WriteString(w, block); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// pour answers with a head and then with block, as often as it is taken.
func pour(t *testing.T, head, block string, times int) *rawServer {
	t.Helper()
	bytes := []byte(block)
	return serve(t, func(s *rawServer, nc net.Conn, _ int) {
		s.request(nc)
		_, err := io.WriteString(nc, head)
		for n := 0; n < times && err == nil; n++ {
			_, err = nc.Write(bytes)
		}
	})
}

// TestHostileAnswersCostLittle: whatever an agent pours out, what we allocate is
// bounded by what is kept of it. Not parallel: memory is measured, with that of
// the server, which takes next to none.
func TestHostileAnswersCostLittle(t *testing.T) {
	const kept = 1 << 20 // MaxBody and MaxEvent
	mega := strings.Repeat("x", 1<<20)
	packed := "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Type: "
	for _, tc := range []struct {
		name, head, block string
		times             int
		op                a2a.Operation
		most              uint64
		says              string // of how it ended
	}{
		{"100 MB", "HTTP/1.1 200 OK\r\n\r\n", mega, 100, a2a.OpGet, 3 * kept, "truncated"},
		{"100 MB that it announces", "HTTP/1.1 200 OK\r\nContent-Length: 104857600\r\n\r\n", mega, 100, a2a.OpGet, 3 * kept, "truncated"},
		{"what it announces, and no more", "HTTP/1.1 200 OK\r\nContent-Length: 1048000\r\n\r\n", mega[:1048000], 1, a2a.OpGet, kept * 7 / 4, ""},
		{"a chunk of 100 MB", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n6400000\r\n", mega, 100, a2a.OpGet, 3 * kept, "truncated"},
		{"chunks that are all extension", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "1;" + mega[:1000] + "\r\nx\r\n", 1 << 20, a2a.OpGet, kept, "non-data"},
		{"headers without end", "HTTP/1.1 200 OK\r\n", "X-Y: " + mega[:1000] + "\r\n", 1 << 20, a2a.OpGet, 8 * kept, "longer than 1 MiB"},
		{"a header without end", "HTTP/1.1 200 OK\r\nX-Y: ", mega, 100, a2a.OpGet, 8 * kept, "longer than 1 MiB"},
		{"interim answers without end", "", "HTTP/1.1 100 Continue\r\n\r\n", 1 << 20, a2a.OpGet, kept, "interim"},
		{"an event without end", sseHead + "data: ", mega, 100, a2a.OpStream, 5 * kept, "oversize"},
		{"comments without end", sseHead, strings.Repeat(": x\n", 1<<18), 100, a2a.OpStream, 5 * kept, "oversize"},
		{"a packed bomb", packed + "application/json\r\n\r\n", string(bomb(t, "0", 64<<20)), 1, a2a.OpGet, kept, ""},
		{"a packed bomb of one event", packed + "text/event-stream\r\n\r\n", string(bomb(t, "data:", 64<<20)), 1, a2a.OpStream, 5 * kept, "oversize"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := pour(t, tc.head, tc.block, tc.times)
			c := newClient(t, Options{MaxBody: kept, MaxEvent: kept})
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, got := exchangeOf(t, c, call(tc.op, s.url))
			runtime.ReadMemStats(&after)
			if took := after.TotalAlloc - before.TotalAlloc; took > tc.most {
				t.Errorf("%d bytes were allocated, wanted at most %d", took, tc.most)
			}
			if how := ending(got[len(got)-1]); !strings.Contains(how, tc.says) {
				t.Errorf("it ended with %s", how)
			}
		})
	}
}

// ending says how an exchange ended, by its last arrival.
func ending(a session.Arrival) string {
	switch {
	case a.Fault != nil:
		return a.Fault.Error
	case a.Closed != nil:
		return a.Closed.How + ": " + a.Closed.Error
	case a.Response.Truncated:
		return "truncated"
	}
	return a.Response.Cut
}

// A stream that unpacks to far more than was sent is left, however small its
// events are.
func TestPackedEventsWithoutEnd(t *testing.T) {
	t.Parallel()
	s := pour(t, "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Type: text/event-stream\r\n\r\n", string(bomb(t, "data: "+strings.Repeat("x", 1<<16-8)+"\n\n", 64<<20)), 1)
	_, got := exchangeOf(t, newClient(t, Options{}), call(a2a.OpStream, s.url))
	size := 0
	for _, a := range got {
		size += len(a.Raw)
	}
	if how := ending(got[len(got)-1]); !strings.Contains(how, "unpacked to more than") || size > 16<<20 {
		t.Errorf("after %d bytes it ended with %s", size, how)
	}
}

// armed keeps the read deadline that it was given.
type armed struct {
	net.Conn // nothing else is used
	at       time.Time
}

func (a *armed) SetReadDeadline(at time.Time) error { a.at = at; return nil }

// One byte at a time is no way to hold us: however short its pauses are, a body
// has to come at the least rate once patience is over.
func TestDripWithoutEnd(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name      string
		firstByte time.Duration
		age       time.Duration // of the body
		n         int           // bytes of it
		want      time.Duration // after it began; 0: a first-byte limit from now
	}{
		{"at first", time.Minute, 0, 1, 0},
		{"a drip", time.Minute, 10*time.Minute - time.Second, 0, 10 * time.Minute},
		{"a drip of a second's bytes more", time.Minute, 10*time.Minute - time.Second, leastRate, 10*time.Minute + time.Second},
		{"slow, and fast enough", time.Minute, time.Hour, leastRate * 3600, 0},
	} {
		line := &armed{}
		x := &exchange{plan: &plan{firstByte: tc.firstByte}, conn: &conn{Conn: line}}
		began := time.Now().Add(-tc.age)
		x.bodyLimit(began, tc.n)
		if got := line.at.Sub(began); tc.want > 0 && got != tc.want || tc.want == 0 && (got < tc.age+tc.firstByte || got > tc.age+2*tc.firstByte) {
			t.Errorf("%s: the limit is %v after the body began", tc.name, got)
		}
	}
	kept := &armed{at: time.Now()}
	x := &exchange{plan: &plan{}, conn: &conn{Conn: kept}}
	if x.bodyLimit(time.Now().Add(-time.Hour), 0); !kept.at.IsZero() {
		t.Errorf("without a first-byte limit the body has until %v", kept.at)
	}
}
