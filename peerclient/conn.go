package peerclient

import (
	"bufio"
	"errors"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// readBuffer is small on purpose: what a stream brings should wait in the
	// socket, where nobody has read it yet, and not in a buffer of ours.
	readBuffer = 4 << 10
	// idleFor is how long an unused connection is kept, idleMax how many there
	// are for one address.
	idleFor = 60 * time.Second
	idleMax = 4
)

// meter counts the bytes that really left, below TLS, and notes when bytes
// last came in.
type meter struct {
	net.Conn
	now   func() time.Time
	wrote atomic.Int64
	told  atomic.Pointer[func()] // called after each write; nil for nobody
	last  time.Time              // of the last byte read; for the reading goroutine alone
}

func (m *meter) Read(p []byte) (int, error) {
	n, err := m.Conn.Read(p)
	if n > 0 {
		m.last = m.now()
	}
	return n, err
}

func (m *meter) Write(p []byte) (int, error) {
	n, err := m.Conn.Write(p)
	m.wrote.Add(int64(n))
	if told := m.told.Load(); told != nil {
		(*told)()
	}
	return n, err
}

// conn is one connection to a peer, ready for a request.
type conn struct {
	net.Conn // with TLS, where there is any
	meter    *meter
	br       *bufio.Reader
	key      string
	remote   string
	mark     int64 // meter.wrote when the request began
	reused   bool
	parked   chan error // the idle watch's last word
	asked    asked
}

// abort ends a connection at once, from any goroutine. It closes below TLS:
// a farewell could block behind a peer that does not read.
func (c *conn) abort() { _ = c.meter.Close() }

// sent reports whether any byte of the request may have left.
func (c *conn) sent() bool { return c.meter.wrote.Load() > c.mark }

// pool keeps idle connections. Each is watched by one goroutine, so that one
// that the peer closes meanwhile is not used again.
type pool struct {
	mu     sync.Mutex
	idle   map[string][]*conn
	closed bool
	watch  sync.WaitGroup
}

// put parks a connection, or drops it.
func (p *pool) put(c *conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || len(p.idle[c.key]) >= idleMax || c.SetReadDeadline(time.Now().Add(idleFor)) != nil {
		c.abort()
		return
	}
	if p.idle == nil {
		p.idle = map[string][]*conn{}
	}
	p.idle[c.key] = append(p.idle[c.key], c)
	c.parked = make(chan error, 1)
	p.watch.Go(func() { p.guard(c) })
}

// guard waits beside an idle connection for bytes or an end, neither of which
// should come.
func (p *pool) guard(c *conn) {
	_, err := c.br.Peek(1)
	if p.drop(c) {
		c.abort()
		return
	}
	c.parked <- err
}

// drop takes a connection out and reports whether it was there.
func (p *pool) drop(c *conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := p.idle[c.key]
	for i, o := range list {
		if o == c {
			p.idle[c.key] = append(list[:i:i], list[i+1:]...)
			return true
		}
	}
	return false
}

// take returns a connection that was alive a moment ago, or nil.
func (p *pool) take(key string) *conn {
	for {
		p.mu.Lock()
		list := p.idle[key]
		if len(list) == 0 {
			p.mu.Unlock()
			return nil
		}
		c := list[len(list)-1]
		p.idle[key] = list[:len(list)-1]
		p.mu.Unlock()
		_ = c.SetReadDeadline(time.Unix(1, 0)) // ends the watch
		err := <-c.parked
		if errors.Is(err, os.ErrDeadlineExceeded) && c.SetReadDeadline(time.Time{}) == nil {
			c.reused = true
			return c
		}
		c.abort()
	}
}

// close drops the idle connections and waits for their watches.
func (p *pool) close() {
	p.mu.Lock()
	p.closed = true
	for _, list := range p.idle {
		for _, c := range list {
			c.abort()
		}
	}
	p.mu.Unlock()
	p.watch.Wait()
}
