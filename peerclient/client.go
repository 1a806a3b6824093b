package peerclient

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"time"

	"a2ascope/session"
)

// ErrDetach is the cause to cancel an exchange's context with when the
// operator drops the connection: its stream is then closed as detached. Any
// other end of the context closes it as stopped.
var ErrDetach = session.ErrDetach

// Default limits of Options.
const (
	DefaultMaxBody  = 64 << 20 // bytes of a body that is no stream
	DefaultMaxEvent = 64 << 20 // bytes of one event of a stream
)

// Options are what a Client is made of. The zero value is usable.
type Options struct {
	// TLS is used for https, without change to it; nil means the system's
	// roots. LoadTLS makes one.
	TLS *tls.Config
	// Proxy says which proxy a request goes through; nil means the usual
	// environment variables, and none for loopback. Its URL may be http,
	// https or socks5.
	Proxy func(*http.Request) (*url.URL, error)
	// Now tells the time of arrivals, with a monotonic reading; nil means
	// time.Now.
	Now func() time.Time
	// MaxBody is how many bytes of a plain body are kept; 0 means
	// DefaultMaxBody.
	MaxBody int64
	// MaxEvent is how long one event of a stream may be, in bytes; 0 means
	// DefaultMaxEvent.
	MaxEvent int
}

// Client is a session.Peer over HTTP/1.1, and over HTTP/2 for gRPC. It may be
// used by several goroutines.
type Client struct {
	o    Options
	pool pool
	rpcs rpcPool
}

var _ session.Peer = (*Client)(nil)

// New makes a client.
func New(o Options) *Client {
	if o.Proxy == nil {
		o.Proxy = http.ProxyFromEnvironment // leaves loopback out by itself
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.MaxBody <= 0 {
		o.MaxBody = DefaultMaxBody
	}
	if o.MaxEvent <= 0 {
		o.MaxEvent = DefaultMaxEvent
	}
	return &Client{o: o}
}

// Close drops the idle connections. Exchanges under way are not touched.
func (c *Client) Close() {
	c.pool.close()
	c.rpcs.close()
}

// Do implements session.Peer. It returns an error only for a request that
// this client did not prepare; whatever goes wrong on the wire is emitted.
func (c *Client) Do(ctx context.Context, p session.Prepared, emit func(session.Arrival)) error {
	if pl, ok := p.Send.(*rpcPlan); ok {
		x := &rpcExchange{c: c, plan: pl, emit: emit, start: c.o.Now()}
		if p.Wrote != nil {
			x.told = func(n int) { p.Wrote(p.Body.Head + n) }
		}
		x.run(ctx)
		return nil
	}
	pl, ok := p.Send.(*plan)
	if !ok {
		return fmt.Errorf("send %s %s: it was not prepared by this client", p.Body.HTTPMethod, p.Body.URL)
	}
	x := &exchange{c: c, plan: pl, emit: emit, start: c.o.Now(), told: p.Wrote}
	x.run(ctx)
	return nil
}

// LoadTLS makes the TLS settings of --insecure, --ca, --cert and --key. The
// file names may be empty.
func LoadTLS(insecure bool, ca, cert, key string) (*tls.Config, error) {
	cfg := &tls.Config{InsecureSkipVerify: insecure, MinVersion: tls.VersionTLS12}
	if ca != "" {
		pem, err := os.ReadFile(ca)
		if err != nil {
			return nil, fmt.Errorf("read the CA file: %w", err)
		}
		cfg.RootCAs = x509.NewCertPool()
		if !cfg.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("read the CA file %s: it holds no PEM certificate", ca)
		}
	}
	if (cert == "") != (key == "") {
		return nil, errors.New("a client certificate needs both its file and its key's file")
	}
	if cert != "" {
		pair, err := tls.LoadX509KeyPair(cert, key)
		if err != nil {
			return nil, fmt.Errorf("read the client certificate %s with key %s: %w", cert, key, err)
		}
		cfg.Certificates = []tls.Certificate{pair}
	}
	return cfg, nil
}
