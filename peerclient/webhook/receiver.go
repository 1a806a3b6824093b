package webhook

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"a2ascope/session"
)

// Options say where a Receiver listens. NewID is needed.
type Options struct {
	// Listen is the address to listen at; "127.0.0.1:0" where it is empty.
	Listen string
	// PublicURL is the address by which the peer reaches Listen, through a
	// tunnel or proxy; empty where it is Listen itself. Paths are appended.
	PublicURL string
	// NewID mints the path and the token. It must not be guessable.
	NewID func() string
	// Now tells the time, with a monotonic reading; nil is time.Now.
	Now func() time.Time
	// Rate is how many requests a second are recorded, with Burst at once; the
	// rest is answered with 429 and counted. 0 is 200 a second, 1,000 at once.
	Rate, Burst int
	// Most is how many requests are recorded in all; 0 is 50,000.
	Most int
}

const (
	defaultListen = "127.0.0.1:0"
	defaultRate   = 200
	defaultBurst  = 1000
	defaultMost   = 50_000
	connsMost     = 64 // open connections; more wait in the socket's queue
)

// Receiver is a session.Receiver: one listener, one path and one token. It can
// be started again once it was stopped, with a new path and token.
type Receiver struct {
	o Options

	mu    sync.Mutex
	ln    net.Listener
	conns map[net.Conn]struct{}
	wg    sync.WaitGroup

	// Of the present start; set before the first connection is accepted.
	path, token string
	emit        func(session.Arrival)
	limit       *limiter
}

// New returns a receiver that does not listen yet.
func New(o Options) *Receiver {
	if o.Listen == "" {
		o.Listen = defaultListen
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Rate == 0 {
		o.Rate = defaultRate
	}
	if o.Burst == 0 {
		o.Burst = defaultBurst
	}
	if o.Most == 0 {
		o.Most = defaultMost
	}
	return &Receiver{o: o}
}

// Start listens, and hands what comes to emit, from several goroutines. It
// returns the address to give to the peer, whose last path segment nobody can
// guess, and the token that deliveries are to carry. Emit may block: further
// deliveries then wait.
func (r *Receiver) Start(emit func(session.Arrival)) (address, token string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ln != nil {
		return "", "", errors.New("the receiver for push notifications is listening already; stop it first")
	}
	ln, err := net.Listen("tcp", r.o.Listen)
	if err != nil {
		return "", "", fmt.Errorf("listen for push notifications at %s: %w; give another address with --push-listen", r.o.Listen, err)
	}
	path := r.o.NewID()
	public, err := r.public(ln.Addr(), path)
	if err != nil {
		_ = ln.Close()
		return "", "", err
	}
	r.ln, r.conns = ln, map[net.Conn]struct{}{}
	r.path, r.token, r.emit = path, r.o.NewID(), emit
	r.limit = &limiter{rate: float64(r.o.Rate), burst: float64(r.o.Burst), tokens: float64(r.o.Burst), left: r.o.Most}
	r.wg.Add(1)
	go r.accept(ln)
	return public, r.token, nil
}

// public is the address under which the peer reaches the path.
func (r *Receiver) public(at net.Addr, path string) (string, error) {
	if r.o.PublicURL == "" {
		tcp, ok := at.(*net.TCPAddr)
		if !ok || tcp.IP.IsUnspecified() {
			return "", fmt.Errorf("listen for push notifications at %s: no peer can be told to call %q; name the address with --push-url", r.o.Listen, at)
		}
		return (&url.URL{Scheme: "http", Host: at.String(), Path: "/" + path}).String(), nil
	}
	u, err := url.Parse(r.o.PublicURL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return "", fmt.Errorf("announce the receiver for push notifications: --push-url %q is no http or https address", r.o.PublicURL)
	}
	return u.JoinPath(path).String(), nil
}

// Stop closes the listener and every connection, and returns when nothing of
// the receiver runs any more; what was read by then was handed on, and how
// many requests were refused and not counted yet. It does nothing where the
// receiver is not listening.
func (r *Receiver) Stop() {
	r.mu.Lock()
	open := r.conns != nil
	if open {
		_ = r.ln.Close()
		for c := range r.conns {
			_ = c.Close()
		}
		r.conns = nil
	}
	r.mu.Unlock()
	r.wg.Wait()
	if !open {
		return
	}
	if n := r.limit.uncounted(); n > 0 {
		r.emit(session.Arrival{Push: &session.Pushed{Answered: http.StatusTooManyRequests, Skipped: n}, At: r.o.Now()})
	}
	r.mu.Lock()
	r.ln = nil
	r.mu.Unlock()
}

// accept takes connections until the listener is closed.
func (r *Receiver) accept(ln net.Listener) {
	defer r.wg.Done()
	slots := make(chan struct{}, connsMost)
	pause := time.Duration(0)
	for {
		slots <- struct{}{}
		c, err := ln.Accept()
		switch {
		case errors.Is(err, net.ErrClosed):
			return
		case err != nil: // out of descriptors, most likely: it passes
			<-slots
			pause = min(max(2*pause, 5*time.Millisecond), time.Second)
			time.Sleep(pause)
			continue
		}
		pause = 0
		if !r.keep(c) {
			_ = c.Close()
			return
		}
		go func() {
			defer r.wg.Done()
			defer r.drop(c)
			defer func() { <-slots }()
			r.serve(c)
		}()
	}
}

// keep notes an open connection, unless the receiver is being stopped.
func (r *Receiver) keep(c net.Conn) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.conns == nil {
		return false
	}
	r.conns[c] = struct{}{}
	r.wg.Add(1)
	return true
}

func (r *Receiver) drop(c net.Conn) {
	_ = c.Close()
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.conns, c)
}

// ours reports whether a request's path is the one that the peer was given. A
// tunnel may have kept or cut what stands before it.
func (r *Receiver) ours(path string) bool {
	return path[strings.LastIndexByte(path, '/')+1:] == r.path
}

// limiter is a token bucket, with a bound on the whole.
type limiter struct {
	mu          sync.Mutex
	rate, burst float64
	tokens      float64
	at          time.Time
	left        int
	skipped     int // refused since the last one that was taken
}

// take says whether one more request is recorded, and how many were not since
// the last that was.
func (l *limiter) take(now time.Time) (skipped int, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.at.IsZero() {
		l.tokens = min(l.burst, l.tokens+now.Sub(l.at).Seconds()*l.rate)
	}
	l.at = now
	if l.tokens < 1 || l.left < 1 {
		l.skipped++
		return 0, false
	}
	l.tokens--
	l.left--
	skipped, l.skipped = l.skipped, 0
	return skipped, true
}

// uncounted is how many requests no record has counted.
func (l *limiter) uncounted() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.skipped
}
