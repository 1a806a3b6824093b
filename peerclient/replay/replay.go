// Package replay serves a recorded session as a peer: whoever calls it gets
// what the recorded peer answered, byte for byte and at the same pace, so that
// a fault can be seen again without the peer.
//
// What a client asks is matched with what the recorded client asked: by the
// call (path and method), then within one conversation, which is a message and
// all that was asked about the task it began. The nth message of a
// conversation gets the nth recorded answer. A read gets the answer that was
// recorded at that time of the task's life. Time runs from the client's own
// messages and cancels: what the recorded peer did after a cancel is not shown
// before the client cancels.
package replay

import (
	"context"
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

// Options say what is replayed, and how.
type Options struct {
	// Pages gives the records of the session by their numbers, as
	// session.Log's Page does. It is called as long as the server runs, from
	// several goroutines.
	Pages  func(from uint64, n int) ([]session.Record, error)
	Listen string // address to listen on; "" is 127.0.0.1:0
	// Fast leaves out the waits; what the recorded peer did only after a
	// message or a cancel of the client's still waits for that.
	Fast bool
	// Pace is how many times faster than recorded time passes; 0 is 1.
	Pace float64
	// Log is told in one line of each request what is done with it; nil for
	// nobody. It is called from several goroutines.
	Log func(line string)
}

// ErrGRPC is wrapped by Start's error for a recording of gRPC calls alone.
var ErrGRPC = errors.New("gRPC calls are not replayed yet")

const (
	maxBody     = 16 << 20 // of a request
	headTimeout = 10 * time.Second
	sayTimeout  = 30 * time.Second // for a client to take what is written
	maxOrigins  = 16
	maxServed   = 512 // requests at a time; more wait
)

// Server is a recording that is being served.
type Server struct {
	o       Options
	rec     *recording
	url     string
	own     map[string]string // recorded origin → ours
	servers []*http.Server
	ctx     context.Context
	stop    context.CancelFunc
	unhook  func() bool // no longer waits for Start's context
	wg      sync.WaitGroup
	slots   chan struct{}
	client  *http.Client // calls back receivers of push notifications

	mu      sync.Mutex // guards what follows
	plays   []*play
	byTask  map[string]*play // by the task's id as the client knows it
	byMsg   map[string]*play // by the client's message id
	begun   map[*conversation]bool
	pointer map[string]int // of what belongs to no conversation: by call and traits
	ended   bool
}

// Start reads the recording and serves it until ctx ends or Close is called.
// It is an error when the recording holds nothing that can be served.
func Start(ctx context.Context, o Options) (*Server, error) {
	if o.Pace <= 0 {
		o.Pace = 1
	}
	if o.Log == nil {
		o.Log = func(string) {}
	}
	rec, err := read(o.Pages)
	if err != nil {
		return nil, err
	}
	s := &Server{
		o: o, rec: rec, own: map[string]string{}, slots: make(chan struct{}, maxServed),
		byTask: map[string]*play{}, byMsg: map[string]*play{}, begun: map[*conversation]bool{}, pointer: map[string]int{},
		client: &http.Client{Timeout: sayTimeout, Transport: &http.Transport{DisableKeepAlives: true}, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
	}
	s.ctx, s.stop = context.WithCancel(context.WithoutCancel(ctx))
	listen := o.Listen
	if listen == "" {
		listen = "127.0.0.1:0"
	}
	for i, origin := range rec.origins {
		if err := s.listen(ctx, listen, i, origin); err != nil {
			_ = s.Close() // the error that matters is that of listening
			return nil, err
		}
		if host, _, err := net.SplitHostPort(listen); err == nil {
			listen = net.JoinHostPort(host, "0") // the others take any port
		}
	}
	s.url = s.own[rec.origins[0]] + rec.path
	s.unhook = context.AfterFunc(ctx, func() { _ = s.shut() })
	return s, nil
}

// listen serves one origin of the recording.
func (s *Server) listen(ctx context.Context, listen string, n int, origin string) error {
	var lc net.ListenConfig
	ln, err := lc.Listen(ctx, "tcp", listen)
	if err != nil {
		return fmt.Errorf("replay: listening on %s: %w; choose another address with --listen", listen, err)
	}
	at := ln.Addr().String()
	if tcp, ok := ln.Addr().(*net.TCPAddr); ok && tcp.IP.IsUnspecified() {
		at = fmt.Sprintf("127.0.0.1:%d", tcp.Port) // nobody can call the other
	}
	s.own[origin] = "http://" + at
	srv := &http.Server{
		Handler:           http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.serve(w, r, n) }),
		ReadHeaderTimeout: headTimeout, ReadTimeout: time.Minute, ErrorLog: nil,
	}
	srv.SetKeepAlivesEnabled(false)
	s.servers = append(s.servers, srv)
	s.wg.Go(func() { _ = srv.Serve(ln) }) // it ends with ErrServerClosed, by Close
	return nil
}

// URL is the address to give to a client in place of the recorded peer's.
func (s *Server) URL() string { return s.url }

// Close ends the server with all its streams, and returns when nothing of it
// runs any more. Closing twice is fine.
func (s *Server) Close() error {
	if s.unhook != nil {
		s.unhook()
	}
	return s.shut()
}

func (s *Server) shut() error {
	s.mu.Lock()
	s.ended = true
	s.mu.Unlock()
	s.stop()
	for _, srv := range s.servers {
		_ = srv.Close() // its listener may be closed already
	}
	s.wg.Wait()
	return nil
}

// enter counts a request in, unless the server is being closed. The caller
// counts it out.
func (s *Server) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return false
	}
	s.wg.Add(1)
	return true
}

// Held is one call that the recording holds answers to.
type Held struct {
	Call    string   // "POST /rpc SendMessage"
	Answers int      // how often it was answered, faults included
	Tasks   []string // the tasks that it was about, in order
}

// Held lists what the recording holds, in the order in which it was first
// asked.
func (s *Server) Held() []Held { return s.rec.held("") }

// Notes says in sentences what is not served as it was recorded.
func (s *Server) Notes() []string {
	notes := s.rec.notes()
	for _, origin := range s.rec.origins {
		if s.rec.onCard[origin] {
			notes = append(notes, fmt.Sprintf("the cards name %s in place of %s; a signature on them no longer holds", s.own[origin], origin))
		}
	}
	return notes
}

// pathOf is the path of an address, at least a slash, and its query.
func pathOf(raw string) (path, query string) {
	u, err := url.Parse(raw)
	if err != nil {
		return "/", ""
	}
	path = u.EscapedPath()
	if path == "" {
		path = "/"
	}
	return path, u.RawQuery
}

// clip cuts a text that a stranger wrote.
func clip(s string) string {
	if len(s) > 100 {
		s = strings.ToValidUTF8(s[:100], "") + "…"
	}
	return s
}
