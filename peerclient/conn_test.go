package peerclient

import (
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"a2ascope/session/a2a"
)

const okAnswer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"

// keepingAlive answers every request of a connection, up to most.
func keepingAlive(t *testing.T, most int, answer string) *rawServer {
	t.Helper()
	return serve(t, func(s *rawServer, nc net.Conn, _ int) {
		for range most {
			if len(s.request(nc)) == 0 {
				return
			}
			_, _ = io.WriteString(nc, answer)
		}
	})
}

func TestConnectionsAreKept(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name, answer string
		fresh        bool
		conns        int
	}{
		{"kept", okAnswer, false, 1},
		{"chunked", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n", false, 1},
		{"fresh", okAnswer, true, 3},
		{"the peer says close", "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}", false, 3},
		{"old protocol", "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\n{}", false, 3},
		{"bytes too many", okAnswer + "junk", false, 3},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := keepingAlive(t, 9, tc.answer)
			c := newClient(t, Options{})
			cl := call(a2a.OpGet, s.url)
			cl.Fresh = tc.fresh
			for i := range 3 {
				_, got := exchangeOf(t, c, cl)
				r := oneResponse(t, got).Response
				if want := i > 0 && tc.conns == 1; r.Timing.Reused != want || want == (r.Timing.Connect > 0) {
					t.Errorf("exchange %d: %+v", i, r.Timing)
				}
			}
			if s.conns() != tc.conns {
				t.Errorf("%d connections, want %d", s.conns(), tc.conns)
			}
		})
	}
}

// A kept connection that the peer closed while idle is not used: the request
// goes over a new one, once.
func TestIdleConnectionThatThePeerClosed(t *testing.T) {
	t.Parallel()
	s := keepingAlive(t, 1, okAnswer)
	c := newClient(t, Options{})
	for range 20 {
		_, got := exchangeOf(t, c, call(a2a.OpGet, s.url))
		if len(got) == 1 && got[0].Fault != nil {
			// The close was still on its way when the request was written: a
			// fault it is, and no repetition.
			if !strings.Contains(got[0].Fault.Error, "was not repeated") || got[0].Fault.Unsent || !got[0].Fault.Timing.Reused {
				t.Errorf("fault %+v", *got[0].Fault)
			}
			continue
		}
		oneResponse(t, got)
	}
	if n := len(s.requests()); n > 20 {
		t.Errorf("20 calls made %d requests", n)
	}
}

// A kept connection that dies after the request was read gives a fault, and
// the request is not sent again. An answer that is read before our own writer
// has noted its end leaves a connection that is not kept: such a round says
// nothing, and another is played.
func TestReusedConnectionThatDies(t *testing.T) {
	t.Parallel()
	for range 50 {
		if reusedAndDead(t) {
			return
		}
	}
	t.Error("no connection was kept in 50 rounds")
}

func reusedAndDead(t *testing.T) bool {
	t.Helper()
	s := serve(t, func(s *rawServer, nc net.Conn, _ int) {
		s.request(nc)
		_, _ = io.WriteString(nc, okAnswer)
		s.request(nc)
	})
	c := newClient(t, Options{})
	cl := call(a2a.OpSend, s.url)
	cl.Header = [][2]string{{"Idempotency-Key", "1"}}
	_, got := exchangeOf(t, c, cl)
	oneResponse(t, got)
	c.pool.mu.Lock()
	kept := len(c.pool.idle) > 0
	c.pool.mu.Unlock()
	if !kept {
		return false
	}
	_, got = exchangeOf(t, c, cl)
	f := oneFault(t, got).Fault
	if f.Phase != "first-byte" || f.Unsent || !f.Timing.Reused || !strings.Contains(f.Error, "not repeated") {
		t.Errorf("fault %+v", *f)
	}
	if n := len(s.requests()); n != 2 || s.conns() != 1 {
		t.Errorf("%d requests on %d connections, want 2 on 1", n, s.conns())
	}
	return true
}

func TestClosedClientKeepsNothing(t *testing.T) {
	t.Parallel()
	s := keepingAlive(t, 9, okAnswer)
	c := newClient(t, Options{})
	c.Close()
	for range 2 {
		_, got := exchangeOf(t, c, call(a2a.OpGet, s.url))
		oneResponse(t, got)
	}
	if s.conns() != 2 {
		t.Errorf("%d connections, want 2", s.conns())
	}
}

// broken accepts no byte: what was never written must be known as unsent.
type broken struct{ net.Conn }

func (broken) Write([]byte) (int, error)        { return 0, errors.New("broken on purpose") }
func (broken) SetWriteDeadline(time.Time) error { return nil }

// brokenConn is a connection to s whose writes fail.
func brokenConn(t *testing.T, x *exchange) *conn {
	t.Helper()
	cn, f := x.connection(t.Context(), false)
	if f != nil {
		t.Fatal(f.text)
	}
	cn.meter.Conn = broken{cn.meter.Conn}
	return cn
}

func TestWriteThatNeverBeganIsUnsent(t *testing.T) {
	t.Parallel()
	s := keepingAlive(t, 1, okAnswer)
	c := newClient(t, Options{})
	p, err := c.Prepare(call(a2a.OpSend, s.url))
	if err != nil {
		t.Fatal(err)
	}
	x := &exchange{c: c, plan: p.Send.(*plan), start: time.Now()}
	x.steps.now = time.Now
	f := x.on(t.Context(), brokenConn(t, x))
	if f == nil || f.phase != "write" || x.sent() || !strings.Contains(f.text, "broken on purpose") {
		t.Errorf("failure %+v, sent %v", f, x.sent())
	}
}

// Nothing left over the dead connection, so the request goes out for the first
// time over a new one.
func TestIdleConnectionThatTakesNothing(t *testing.T) {
	t.Parallel()
	s := keepingAlive(t, 1, okAnswer)
	c := newClient(t, Options{})
	cl := call(a2a.OpSend, s.url)
	p, err := c.Prepare(cl)
	if err != nil {
		t.Fatal(err)
	}
	x := &exchange{c: c, plan: p.Send.(*plan), start: time.Now()}
	x.steps.now = time.Now
	c.pool.put(brokenConn(t, x))
	_, got := exchangeOf(t, c, cl)
	if r := oneResponse(t, got).Response; r.Timing.Reused || r.Timing.Connect == 0 {
		t.Errorf("timing %+v", r.Timing)
	}
	if n := len(s.requests()); n != 1 || s.conns() != 2 {
		t.Errorf("%d requests on %d connections, want 1 on 2", n, s.conns())
	}
}
