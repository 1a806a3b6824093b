package peerclient

import (
	"context"
	"net/http/httptrace"
	"sync"
	"time"

	"a2ascope/session"
)

// steps collects the timing of one exchange. The dialer reports from
// goroutines of its own, some of them after the dial is over.
type steps struct {
	mu    sync.Mutex
	now   func() time.Time
	start time.Time
	t     session.Timing
	inDNS bool
}

// mark sets one step's offset to now.
func (s *steps) mark(step func(*session.Timing) *session.Duration) {
	at := s.now()
	s.mu.Lock()
	defer s.mu.Unlock()
	*step(&s.t) = max(session.Duration(at.Sub(s.start)), 1) // 0 would say that it did not take place
}

func stepDNS(t *session.Timing) *session.Duration       { return &t.DNS }
func stepConnect(t *session.Timing) *session.Duration   { return &t.Connect }
func stepTLS(t *session.Timing) *session.Duration       { return &t.TLS }
func stepWrote(t *session.Timing) *session.Duration     { return &t.Wrote }
func stepFirstByte(t *session.Timing) *session.Duration { return &t.FirstByte }
func stepDone(t *session.Timing) *session.Duration      { return &t.Done }

func (s *steps) on(c *conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.t.Reused, s.t.Remote = c.reused, c.remote
}

// resolving reports whether a name is being looked up.
func (s *steps) resolving() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.inDNS
}

func (s *steps) get() session.Timing {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.t
}

// trace hears of the name look-up of dials under the context.
func (s *steps) trace(ctx context.Context) context.Context {
	look := func(on bool) {
		s.mu.Lock()
		s.inDNS = on
		s.mu.Unlock()
	}
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		DNSStart: func(httptrace.DNSStartInfo) { look(true) },
		DNSDone: func(d httptrace.DNSDoneInfo) {
			if d.Err == nil {
				look(false)
				s.mark(stepDNS)
			}
		},
	})
}
