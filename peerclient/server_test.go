package peerclient

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"a2ascope/session"
	"a2ascope/session/a2a"
)

// rawServer accepts connections and lets play say what happens on each; n
// counts them from 1.
type rawServer struct {
	url string
	mu  sync.Mutex
	got [][]byte // the requests that were read with request, in order
	n   int
}

func serve(t *testing.T, play func(s *rawServer, nc net.Conn, n int)) *rawServer {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &rawServer{url: "http://" + l.Addr().String()}
	s.run(t, l, play)
	return s
}

func (s *rawServer) run(t *testing.T, l net.Listener, play func(s *rawServer, nc net.Conn, n int)) {
	var wg sync.WaitGroup
	var open sync.Map
	wg.Go(func() {
		for {
			nc, err := l.Accept()
			if err != nil {
				return
			}
			open.Store(nc, true)
			s.mu.Lock()
			s.n++
			n := s.n
			s.mu.Unlock()
			wg.Go(func() {
				defer nc.Close()
				play(s, nc, n)
			})
		}
	})
	t.Cleanup(func() {
		l.Close()
		open.Range(func(k, _ any) bool { k.(net.Conn).Close(); return true })
		wg.Wait()
	})
}

// request reads one whole request, exactly as it came.
func (s *rawServer) request(nc net.Conn) []byte {
	var raw []byte
	one := make([]byte, 1)
	for !strings.HasSuffix(string(raw), "\r\n\r\n") {
		if _, err := nc.Read(one); err != nil {
			return raw
		}
		raw = append(raw, one[0])
	}
	req, err := http.ReadRequest(bufio.NewReader(strings.NewReader(string(raw))))
	if err != nil {
		return raw
	}
	if req.ContentLength > 0 {
		body := make([]byte, req.ContentLength)
		n, _ := io.ReadFull(nc, body)
		raw = append(raw, body[:n]...)
	}
	s.mu.Lock()
	s.got = append(s.got, raw)
	s.mu.Unlock()
	return raw
}

func (s *rawServer) requests() [][]byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([][]byte(nil), s.got...)
}

func (s *rawServer) conns() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.n
}

// answering serves one fixed answer to each connection's one request.
func answering(t *testing.T, answer string) *rawServer {
	t.Helper()
	return serve(t, func(s *rawServer, nc net.Conn, _ int) {
		s.request(nc)
		_, _ = io.WriteString(nc, answer)
	})
}

func noProxy(*http.Request) (*url.URL, error) { return nil, nil }

func newClient(t *testing.T, o Options) *Client {
	t.Helper()
	if o.Proxy == nil {
		o.Proxy = noProxy
	}
	c := New(o)
	t.Cleanup(c.Close)
	return c
}

func call(op a2a.Operation, url string) session.Call {
	return session.Call{
		Op: op, Gen: a2a.Gen10, Binding: a2a.JSONRPC, URL: url, RPCID: 7,
		Connect: 5 * time.Second, FirstByte: 5 * time.Second,
		Params: a2a.Params{
			TaskID:  "t-1",
			Message: &a2a.Message{ID: "m-1", Role: a2a.User, Parts: []a2a.Part{{Kind: a2a.PartText, Text: "hallo"}}},
		},
	}
}

// exchangeOf prepares and sends, and returns all that arrived.
func exchangeOf(t *testing.T, c *Client, cl session.Call) (session.Prepared, []session.Arrival) {
	t.Helper()
	return exchangeIn(t, t.Context(), c, cl)
}

func exchangeIn(t *testing.T, ctx context.Context, c *Client, cl session.Call) (session.Prepared, []session.Arrival) {
	t.Helper()
	p, err := c.Prepare(cl)
	if err != nil {
		t.Fatal(err)
	}
	var got []session.Arrival
	if err := c.Do(ctx, p, func(a session.Arrival) { got = append(got, a) }); err != nil {
		t.Fatal(err)
	}
	for i, a := range got {
		if a.At.IsZero() {
			t.Errorf("arrival %d has no time", i)
		}
	}
	return p, got
}

func oneResponse(t *testing.T, got []session.Arrival) session.Arrival {
	t.Helper()
	if len(got) != 1 || got[0].Response == nil {
		t.Fatalf("got %s, want one response", shape(got))
	}
	return got[0]
}

func oneFault(t *testing.T, got []session.Arrival) session.Arrival {
	t.Helper()
	if len(got) != 1 || got[0].Fault == nil {
		t.Fatalf("got %s, want one fault", shape(got))
	}
	return got[0]
}

// shape words arrivals for a failing test.
func shape(got []session.Arrival) string {
	var b strings.Builder
	for _, a := range got {
		switch {
		case a.Response != nil:
			fmt.Fprintf(&b, "[response %+v %.200q]", *a.Response, a.Raw)
		case a.Frame != nil:
			fmt.Fprintf(&b, "[frame %+v %.60q]", *a.Frame, a.Raw)
		case a.Closed != nil:
			fmt.Fprintf(&b, "[closed %+v]", *a.Closed)
		case a.Fault != nil:
			fmt.Fprintf(&b, "[fault %+v %.60q]", *a.Fault, a.Raw)
		}
	}
	return b.String()
}
