package peerclient

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"runtime"
	"strings"
	"testing"
	"time"

	"a2ascope/session"
	"a2ascope/session/a2a"
)

const sseHead = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\n\r\n"

// streamOf checks the order of a stream's arrivals and returns its frames'
// bytes and its end.
func streamOf(t *testing.T, got []session.Arrival) (string, *session.Closed) {
	t.Helper()
	if len(got) < 2 || got[0].Response == nil || !got[0].Response.Stream || got[len(got)-1].Closed == nil {
		t.Fatalf("no stream: %s", shape(got))
	}
	var raw []byte
	for i, a := range got[1 : len(got)-1] {
		if a.Frame == nil || a.Frame.N != i+1 {
			t.Fatalf("arrival %d is no frame %d: %s", i+1, i+1, shape(got[i+1:i+2]))
		}
		if got[i].At.After(a.At) {
			t.Errorf("arrival %d was read before the one in front of it", i+1)
		}
		raw = append(raw, a.Raw...)
	}
	end := got[len(got)-1].Closed
	if end.Frames != len(got)-2 {
		t.Errorf("closed says %d frames, %d came", end.Frames, len(got)-2)
	}
	return string(raw), end
}

func TestStreams(t *testing.T) {
	t.Parallel()
	events := "data: 1\n\n: ping\n\nid: 4\nevent: x\ndata: 2\r\n\r\n"
	chunked := func(body string, size int, last bool) string {
		var b strings.Builder
		b.WriteString("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
		for len(body) > 0 {
			n := min(size, len(body))
			fmt.Fprintf(&b, "%x\r\n%s\r\n", n, body[:n])
			body = body[n:]
		}
		if last {
			b.WriteString("0\r\n\r\n")
		}
		return b.String()
	}
	cases := []struct {
		name, answer string
		op           a2a.Operation
		raw, how     string
	}{
		{"until close", sseHead + events, a2a.OpStream, events, "clean"},
		{"chunks of 1", chunked(events, 1, true), a2a.OpStream, events, "clean"},
		{"chunks of 7", chunked(events, 7, true), a2a.OpSubscribe, events, "clean"},
		{"cut between chunks", chunked(events, 7, false), a2a.OpStream, events, "cut"},
		{"cut in an event", chunked("data: 1\n\ndata: 2", 4, false), a2a.OpStream, "data: 1\n\ndata: 2", "cut"},
		{"shorter than declared", "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 99\r\n\r\n" + events, a2a.OpStream, events, "cut"},
		{"empty", sseHead, a2a.OpStream, "", "clean"},
		{"to a send", sseHead + events, a2a.OpSend, events, "clean"},
		{"without a type", "HTTP/1.1 200 OK\r\n\r\n" + events, a2a.OpStream, events, "clean"},
		{"as text", "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n" + events, a2a.OpStream, events, "clean"},
		{"lines of JSON", "HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\n\r\n{}\n{}\n", a2a.OpStream, "{}\n{}\n", "clean"},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := answering(t, tc.answer)
			_, got := exchangeOf(t, newClient(t, Options{}), call(tc.op, s.url))
			raw, end := streamOf(t, got)
			if raw != tc.raw || end.How != tc.how || (end.Error != "") != (tc.how == "cut") {
				t.Errorf("frames %q, closed %+v", raw, *end)
			}
			if end.Bytes != int64(len(tc.raw)) {
				t.Errorf("%d bytes, want %d", end.Bytes, len(tc.raw))
			}
			if head := string(got[0].Raw); !strings.HasPrefix(tc.answer, head) || !strings.HasSuffix(head, "\r\n\r\n") || got[0].Response.Head != len(head) {
				t.Errorf("head %q", head)
			}
			if reqs := s.requests(); len(reqs) != 1 {
				t.Errorf("%d requests were sent, want 1", len(reqs))
			}
		})
	}
}

func TestAnswersToAStreamThatAreNone(t *testing.T) {
	t.Parallel()
	for _, answer := range []string{
		"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{\"error\":{}}",
		"HTTP/1.1 200 OK\r\nContent-Type: application/problem+json\r\n\r\n{}",
		"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<html>",
		"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nno",
		"HTTP/1.1 500 Oops\r\nContent-Type: text/plain\r\n\r\nno",
	} {
		s := answering(t, answer)
		_, got := exchangeOf(t, newClient(t, Options{}), call(a2a.OpStream, s.url))
		if a := oneResponse(t, got); string(a.Raw) != answer || a.Response.Stream {
			t.Errorf("%q came as %+v with %q", answer, *a.Response, a.Raw)
		}
	}
}

func TestFrameSaysWhatTheReaderSaw(t *testing.T) {
	t.Parallel()
	s := answering(t, sseHead+"\xef\xbb\xbfid: 4\r\nevent: x\r\ndata: 2\r\n\r\n")
	_, got := exchangeOf(t, newClient(t, Options{}), call(a2a.OpStream, s.url))
	streamOf(t, got)
	f := got[1].Frame
	if f.Kind != "event" || f.Type != "x" || f.ID != "4" || f.Off != 0 || f.Flags != "bom, crlf" || f.Held || f.Lead < 0 {
		t.Errorf("frame %+v", *f)
	}
}

func TestEncodedStreams(t *testing.T) {
	t.Parallel()
	const events = "data: 1\n\ndata: 2\n\n"
	gz, zl := new(bytes.Buffer), new(bytes.Buffer)
	w, z := gzip.NewWriter(gz), zlib.NewWriter(zl)
	for i := 0; i < len(events); i += 5 {
		end := min(i+5, len(events))
		fmt.Fprint(w, events[i:end])
		fmt.Fprint(z, events[i:end])
		w.Flush()
		z.Flush()
	}
	w.Close()
	z.Close()
	for _, tc := range []struct{ coding, body, raw, flags, how string }{
		{"gzip", gz.String(), events, "gzip", "clean"},
		{"deflate", zl.String(), events, "deflate", "clean"},
		{"GZIP", gz.String()[:gz.Len()-9], events, "gzip", "cut"},
		{"gzip", "data: 1\n\n", "", "", "cut"},
		{"br", "data: 1\n\n", "data: 1\n\n", "br", "clean"},
		{"identity", "data: 1\n\n", "data: 1\n\n", "", "clean"},
	} {
		s := answering(t, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Encoding: "+tc.coding+"\r\n\r\n"+tc.body)
		_, got := exchangeOf(t, newClient(t, Options{}), call(a2a.OpStream, s.url))
		raw, end := streamOf(t, got)
		if raw != tc.raw || end.How != tc.how || got[0].Response.Encoding != tc.coding {
			t.Errorf("%s: frames %q, closed %+v", tc.coding, raw, *end)
		}
		if tc.raw != "" && got[1].Frame.Flags != tc.flags {
			t.Errorf("%s: flags %q", tc.coding, got[1].Frame.Flags)
		}
	}
}

func TestOversizeEvents(t *testing.T) {
	t.Parallel()
	s := answering(t, sseHead+strings.Repeat("data: "+strings.Repeat("x", 5000)+"\n\n", 9))
	_, got := exchangeOf(t, newClient(t, Options{MaxEvent: 100}), call(a2a.OpStream, s.url))
	_, end := streamOf(t, got)
	if end.How != "oversize" || end.Skipped == 0 || end.Error == "" {
		t.Errorf("closed %+v", *end)
	}
}

// endless streams numbered events until the client goes.
func endless(t *testing.T) *rawServer {
	t.Helper()
	return serve(t, func(s *rawServer, nc net.Conn, _ int) {
		s.request(nc)
		_, _ = io.WriteString(nc, sseHead)
		for i := 0; ; i++ {
			if _, err := fmt.Fprintf(nc, "data: %d\n\n", i); err != nil {
				return
			}
		}
	})
}

// An idle stream is left by a cancel, and nothing of it stays behind.
func TestLeavingAStream(t *testing.T) {
	before := runtime.NumGoroutine()
	for _, tc := range []struct {
		cause error
		how   string
	}{
		{ErrDetach, "detached"},
		{fmt.Errorf("on the command of line 3: %w", ErrDetach), "detached"},
		{errors.New("interrupted"), "stopped"},
		{nil, "stopped"},
	} {
		s := serve(t, func(s *rawServer, nc net.Conn, _ int) {
			s.request(nc)
			_, _ = io.WriteString(nc, sseHead+"data: 1\n\ndata: 2")
			_, _ = io.Copy(io.Discard, nc)
		})
		c := New(Options{Proxy: noProxy})
		ctx, cancel := context.WithCancelCause(t.Context())
		p, err := c.Prepare(call(a2a.OpStream, s.url))
		if err != nil {
			t.Fatal(err)
		}
		var got []session.Arrival
		err = c.Do(ctx, p, func(a session.Arrival) {
			got = append(got, a)
			if a.Frame != nil && a.Frame.N == 1 {
				cancel(tc.cause)
			}
		})
		cancel(nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, end := streamOf(t, got); end.How != tc.how || tc.how == "detached" && end.Error != "" {
			t.Errorf("%v: closed %+v", tc.cause, *end)
		}
		c.Close()
	}
	settle(t, before+4) // the four listeners of this test are still there
}

func settle(t *testing.T, most int) {
	t.Helper()
	deadline := time.Now().Add(60 * time.Second)
	for runtime.NumGoroutine() > most {
		if time.Now().After(deadline) {
			buf := make([]byte, 1<<16)
			t.Fatalf("%d goroutines are left, want %d\n%s", runtime.NumGoroutine(), most, buf[:runtime.Stack(buf, true)])
		}
		runtime.Gosched()
		<-time.After(time.Millisecond)
	}
}

// A receiver that blocks slows the reader down; what it gets is the same.
func TestBlockedEmitLosesNothing(t *testing.T) {
	t.Parallel()
	s := endless(t)
	c := newClient(t, Options{})
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	p, err := c.Prepare(call(a2a.OpStream, s.url))
	if err != nil {
		t.Fatal(err)
	}
	const last = 20000
	n, held := 0, 0
	var end *session.Closed
	err = c.Do(ctx, p, func(a session.Arrival) {
		switch {
		case a.Frame != nil && n <= last:
			if want := fmt.Sprintf("data: %d\n\n", n); string(a.Raw) != want {
				t.Errorf("frame %d is %q", n, a.Raw)
			}
			if n%5000 == 100 {
				<-time.After(20 * time.Millisecond) // the peer's buffers fill meanwhile
			}
			if a.Frame.Held {
				held++
			}
			if n++; n > last {
				cancel(ErrDetach)
			}
		case a.Closed != nil:
			end = a.Closed
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if n != last+1 || end == nil || end.How != "detached" {
		t.Errorf("%d frames, closed %+v", n, end)
	}
	if held == 0 {
		t.Error("no frame was held, although the receiver blocked")
	}
}

func BenchmarkStream(b *testing.B) {
	event := []byte("data: " + strings.Repeat("x", 192) + "\n\n")
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	go func() {
		nc, err := l.Accept()
		if err != nil {
			return
		}
		defer nc.Close()
		new(rawServer).request(nc)
		_, _ = io.WriteString(nc, sseHead)
		burst := bytes.Repeat(event, 64)
		for sent := 0; sent < b.N; sent += 64 {
			if _, err := nc.Write(burst[:min(64, b.N-sent)*len(event)]); err != nil {
				return
			}
		}
	}()
	c := New(Options{Proxy: noProxy})
	defer c.Close()
	p, err := c.Prepare(call(a2a.OpStream, "http://"+l.Addr().String()))
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(event)))
	b.ResetTimer()
	n := 0
	if err := c.Do(b.Context(), p, func(a session.Arrival) {
		if a.Frame != nil {
			n++
		}
	}); err != nil {
		b.Fatal(err)
	}
	b.StopTimer()
	if n != b.N {
		b.Fatalf("%d of %d events came", n, b.N)
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "events/s")
}
