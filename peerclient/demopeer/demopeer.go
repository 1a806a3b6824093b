package demopeer

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Generations that every scenario is served in.
const (
	generation10 = "1.0"
	generation03 = "0.3"
)

// DefaultPace is the time between two chunks of "slow N".
const DefaultPace = 200 * time.Millisecond

// Scenario describes one embedded peer for lists and help.
type Scenario struct {
	Name  string // kebab-case
	Title string // one line: what it does
	Try   string // one line: how to see it
	// Lies says that the peer contradicts a claim. A peer can be odd without.
	Lies bool
	// Claims are the ids of the claims that it contradicts; nil if none.
	Claims []string
}

// Options choose and tune a peer.
type Options struct {
	Scenario   string        // one of Scenarios; "" is honest
	Generation string        // "1.0" (also for "") or "0.3"
	Listen     string        // address for Start; "" is 127.0.0.1:0
	Pace       time.Duration // between two chunks; 0 is DefaultPace
	// BaseURL is what the card calls the peer, without a slash at its end.
	// "" is the address that Start listens on; behind Handler it is the host
	// that the request for the card names.
	BaseURL string
}

// Peer is a running peer with a listener of its own.
type Peer struct {
	s    *server
	http *http.Server
	url  string
	done chan struct{} // closed when the listener's goroutine has ended
	stop func() bool   // no longer waits for the context that Start got
}

// Scenarios lists all peers: the honest ones first, then liars from the plain
// to the subtle.
func Scenarios() []Scenario {
	all := slices.Concat(families...)
	rank := func(p script) int {
		if i := slices.Index(first, p.Name); i >= 0 {
			return i
		}
		return len(first)
	}
	slices.SortStableFunc(all, func(a, b script) int { return rank(a) - rank(b) })
	out := make([]Scenario, len(all))
	for i, p := range all {
		out[i] = p.Scenario
		out[i].Claims = slices.Clone(p.Claims)
		out[i].Lies = len(p.Claims) > 0
	}
	return out
}

// ParseName splits "honest@0.3" into its scenario and its generation, which is
// "1.0" when none is given. The error lists the names.
func ParseName(s string) (name, generation string, err error) {
	name, generation, found := strings.Cut(s, "@")
	if !found {
		generation = generation10
	}
	if generation != generation10 && generation != generation03 {
		return "", "", fmt.Errorf("demo peer %.60q: generation %.20q is not served; use %s or %s", s, generation, generation10, generation03)
	}
	if _, ok := find(name); !ok {
		return "", "", fmt.Errorf("demo peer %.60q: no such scenario; use one of %s", s, names())
	}
	return name, generation, nil
}

func names() string {
	var out []string
	for _, sc := range Scenarios() {
		out = append(out, sc.Name)
	}
	return strings.Join(out, ", ")
}

func find(name string) (script, bool) {
	for _, family := range families {
		for _, p := range family {
			if p.Name == name {
				return p, true
			}
		}
	}
	return script{}, false
}

func newServer(o Options) (*server, error) {
	if o.Scenario == "" {
		o.Scenario = "honest"
	}
	if o.Generation == "" {
		o.Generation = generation10
	}
	if _, _, err := ParseName(o.Scenario + "@" + o.Generation); err != nil {
		return nil, err
	}
	p, _ := find(o.Scenario)
	s := &server{
		name: p.Name, b: p.behaviour, wire: wire10{}, base: strings.TrimSuffix(o.BaseURL, "/"),
		pace: o.Pace, now: time.Now, tasks: map[string]*task{},
		client: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}},
	}
	if o.Generation == generation03 {
		s.wire = wire03{}
	}
	s.cardWire = s.wire
	if s.b.foreignWire {
		s.wire = map[dialect]dialect{wire10{}: wire03{}, wire03{}: wire10{}}[s.wire]
	}
	if s.pace <= 0 {
		s.pace = DefaultPace
	}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.powerOn()
	return s, nil
}

// Handler returns a peer without a listener, for mounting at the root of a
// host, or below a path with http.StripPrefix and BaseURL. The handler is an
// io.Closer too: closing it ends all its streams and work.
func Handler(o Options) (http.Handler, error) { return newServer(o) }

// Start serves a peer until ctx ends or Close is called.
func Start(ctx context.Context, o Options) (*Peer, error) {
	s, err := newServer(o)
	if err != nil {
		return nil, err
	}
	if o.Listen == "" {
		o.Listen = "127.0.0.1:0"
	}
	var lc net.ListenConfig
	ln, err := lc.Listen(ctx, "tcp", o.Listen)
	if err != nil {
		return nil, fmt.Errorf("start demo peer %s on %s: %w; choose another address with Listen", s.name, o.Listen, err)
	}
	p := &Peer{s: s, url: "http://" + ln.Addr().String(), done: make(chan struct{})}
	if tcp, ok := ln.Addr().(*net.TCPAddr); ok && tcp.IP.IsUnspecified() {
		// Nobody can call that address: the card names the host that it was
		// asked for by, and URL is the way in from here.
		p.url = fmt.Sprintf("http://127.0.0.1:%d", tcp.Port)
	} else if s.base == "" {
		s.base = p.url
	}
	p.http = &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second}
	go func() {
		defer close(p.done)
		_ = p.http.Serve(ln) // it ends with ErrServerClosed, by Close
	}()
	p.stop = context.AfterFunc(ctx, func() { _ = p.shut() })
	return p, nil
}

// URL is the base address; the card is below it at /.well-known/agent-card.json.
func (p *Peer) URL() string { return p.url }

// Close ends the peer with all its streams, tasks and connections, and returns
// when they are gone. Closing twice is fine.
func (p *Peer) Close() error {
	p.stop()
	return p.shut()
}

func (p *Peer) shut() error {
	err := p.http.Close()
	_ = p.s.Close() // it has no error to report
	<-p.done
	if err != nil && !errors.Is(err, net.ErrClosed) {
		return fmt.Errorf("close demo peer %s: %w", p.s.name, err)
	}
	return nil
}
