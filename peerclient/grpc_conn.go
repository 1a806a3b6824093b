package peerclient

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/credentials"
	_ "google.golang.org/grpc/encoding/gzip" // messages may come packed; the caps hold for them unpacked too
	"google.golang.org/grpc/grpclog"
	"google.golang.org/grpc/stats"
)

func init() {
	// The library would write to the terminal that the console draws on.
	grpclog.SetLoggerV2(grpclog.NewLoggerV2(io.Discard, io.Discard, io.Discard))
}

const (
	// rpcWindow is how much of one stream may wait in the library for us.
	rpcWindow = 1 << 20
	// peekSize is how much of what a server says first is kept, to tell what
	// it is when it is no gRPC server.
	peekSize = 64
)

// rpcConn is one connection to a gRPC server, with one exchange at a time.
type rpcConn struct {
	cc     *grpc.ClientConn
	key    string
	remote string
	meter  *meter
	peek   *peeked
	asked  asked
	mark   int64 // meter.wrote when the call began
	reused bool
	timer  *time.Timer // ends it when nobody takes it
}

func (c *rpcConn) close() {
	_ = c.cc.Close()
	_ = c.meter.Close()
}

// sent reports whether any byte may have left since the call began.
func (c *rpcConn) sent() bool { return c.meter.wrote.Load() > c.mark }

// peeked keeps the first bytes that come.
type peeked struct {
	net.Conn
	mu    sync.Mutex
	first []byte
	err   error // that ended the reading
}

func (p *peeked) Read(b []byte) (int, error) {
	n, err := p.Conn.Read(b)
	p.mu.Lock()
	defer p.mu.Unlock()
	if room := peekSize - len(p.first); room > 0 {
		p.first = append(p.first, b[:min(n, room)]...)
	}
	if p.err == nil {
		p.err = err
	}
	return n, err
}

func (p *peeked) seen() []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]byte(nil), p.first...)
}

// ended is what ended the reading. The library may have closed the connection
// before it read why the peer did.
func (p *peeked) ended() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err == nil || errors.Is(p.err, net.ErrClosed) {
		return io.EOF
	}
	return p.err
}

// given hands the library a connection on which the handshake is over already.
type given struct{ secure bool }

// givenInfo says that the connection is as safe as TLS makes it.
type givenInfo struct{ credentials.CommonAuthInfo }

func (givenInfo) AuthType() string { return "tls" }

func (g given) ClientHandshake(_ context.Context, _ string, nc net.Conn) (net.Conn, credentials.AuthInfo, error) {
	level := credentials.NoSecurity
	if g.secure {
		level = credentials.PrivacyAndIntegrity
	}
	return nc, givenInfo{credentials.CommonAuthInfo{SecurityLevel: level}}, nil
}

func (given) ServerHandshake(net.Conn) (net.Conn, credentials.AuthInfo, error) {
	return nil, nil, errors.New("this side serves nothing")
}

func (g given) Info() credentials.ProtocolInfo {
	if g.secure {
		return credentials.ProtocolInfo{SecurityProtocol: "tls"} // makes the scheme https
	}
	return credentials.ProtocolInfo{SecurityProtocol: "insecure"}
}

func (g given) Clone() credentials.TransportCredentials { return g }

func (given) OverrideServerName(string) error { return nil }

// dialRPC connects like any request does, and lets the library begin HTTP/2 on
// the connection. It gets no other one: it can repeat nothing.
func (d dialer) dialRPC(ctx context.Context, authority string) (*rpcConn, *failure) {
	nc, f := d.dial(ctx)
	if f != nil {
		return nil, f
	}
	peek := &peeked{Conn: nc.Conn}
	var once sync.Once
	cc, err := grpc.NewClient("passthrough:///"+d.plan.dial,
		grpc.WithContextDialer(func(context.Context, string) (net.Conn, error) {
			var out net.Conn
			once.Do(func() { out = peek })
			if out == nil {
				return nil, errors.New("the connection is gone")
			}
			return out, nil
		}),
		grpc.WithTransportCredentials(given{secure: d.plan.scheme == "https"}),
		grpc.WithAuthority(authority), grpc.WithUserAgent(userAgent), grpc.WithNoProxy(),
		grpc.WithDisableRetry(), grpc.WithDisableServiceConfig(), grpc.WithDefaultServiceConfig("{}"), grpc.WithDisableHealthCheck(),
		grpc.WithIdleTimeout(0), grpc.WithMaxHeaderListSize(maxHead), grpc.WithStatsHandler(watcher{}),
		grpc.WithInitialWindowSize(rpcWindow), grpc.WithInitialConnWindowSize(rpcWindow),
	)
	if err != nil {
		nc.abort()
		return nil, fail(phaseConnect, "begin gRPC with "+d.plan.dial, err)
	}
	c := &rpcConn{cc: cc, key: nc.key, remote: nc.remote, meter: nc.meter, peek: peek, asked: nc.asked}
	if f := c.begin(ctx, d.plan); f != nil {
		c.close()
		return nil, f
	}
	return c, nil
}

// begin waits until both sides speak HTTP/2.
func (c *rpcConn) begin(ctx context.Context, p *plan) *failure {
	if p.connect > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, p.connect)
		defer cancel()
	}
	attempt := "begin gRPC with " + p.dial
	c.cc.Connect()
	for {
		switch s := c.cc.GetState(); s {
		case connectivity.Ready:
			return nil
		case connectivity.TransientFailure, connectivity.Shutdown:
			if err := c.peek.ended(); c.asked.blamed(err) {
				return c.asked.fail(phaseTLS, attempt, err)
			}
			return &failure{phase: phaseConnect, text: attempt + ": what answers there does not speak HTTP/2" + c.guess()}
		default:
			if !c.cc.WaitForStateChange(ctx, s) {
				f := stopped(ctx, phaseConnect, attempt)
				if f.timeout {
					f.text = attempt + ": no answer in HTTP/2" + c.guess()
				}
				return f
			}
		}
	}
}

// guess names what was received in place of HTTP/2.
func (c *rpcConn) guess() string {
	first := c.peek.seen()
	switch {
	case len(first) == 0:
		return "; the peer closed the connection, or said nothing"
	case couldBeHTTP(first):
		return "; it speaks HTTP/1.1: choose another interface of the card, or write http:// in place of grpc://"
	}
	return guessWhat(first)
}

// rpcPool keeps idle connections to gRPC servers.
type rpcPool struct {
	mu     sync.Mutex
	idle   map[string][]*rpcConn
	closed bool
}

// put parks a connection, or closes it.
func (p *rpcPool) put(c *rpcConn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || len(p.idle[c.key]) >= idleMax || c.cc.GetState() != connectivity.Ready {
		c.close()
		return
	}
	if p.idle == nil {
		p.idle = map[string][]*rpcConn{}
	}
	p.idle[c.key] = append(p.idle[c.key], c)
	c.timer = time.AfterFunc(idleFor, func() {
		if p.drop(c) {
			c.close()
		}
	})
}

// drop takes a connection out and reports whether it was there.
func (p *rpcPool) drop(c *rpcConn) bool {
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
func (p *rpcPool) take(key string) *rpcConn {
	p.mu.Lock()
	defer p.mu.Unlock()
	for list := p.idle[key]; len(list) > 0; list = p.idle[key] {
		c := list[len(list)-1]
		p.idle[key] = list[:len(list)-1]
		c.timer.Stop()
		if c.cc.GetState() == connectivity.Ready {
			c.reused = true
			return c
		}
		c.close()
	}
	return nil
}

func (p *rpcPool) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	for _, list := range p.idle {
		for _, c := range list {
			c.timer.Stop()
			c.close()
		}
	}
	p.idle = nil
}

// watcher hears from the library what came from the peer itself: a status that
// it made up does not come with a trailer.
type watcher struct{}

type callKey struct{}

// rpcSeen is what a watcher saw of one call.
type rpcSeen struct {
	mu       sync.Mutex
	answered bool // a head came
	trailed  bool // a trailer came, and with it the peer's own status
}

func (c *rpcSeen) saw() (head, trailer bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.answered, c.trailed
}

func (watcher) TagRPC(ctx context.Context, _ *stats.RPCTagInfo) context.Context { return ctx }

func (watcher) HandleRPC(ctx context.Context, s stats.RPCStats) {
	c, ok := ctx.Value(callKey{}).(*rpcSeen)
	if !ok {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch s.(type) {
	case *stats.InHeader:
		c.answered = true
	case *stats.InTrailer:
		c.answered, c.trailed = true, true
	}
}

func (watcher) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context { return ctx }

func (watcher) HandleConn(context.Context, stats.ConnStats) {}
