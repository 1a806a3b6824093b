package peerclient

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	"golang.org/x/net/proxy"
)

// dialer makes one connection for one plan.
type dialer struct {
	c    *Client
	plan *plan
	t    *steps
}

// dial connects, through the proxy if there is one, and does the handshake.
// All of it has the plan's connect limit.
func (d dialer) dial(ctx context.Context) (*conn, *failure) {
	if d.plan.connect > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, d.plan.connect)
		defer cancel()
	}
	nc, f := d.open(d.t.trace(ctx))
	if f != nil {
		return nil, f
	}
	m := &meter{Conn: nc, now: d.c.o.Now}
	c := &conn{Conn: m, meter: m, key: d.plan.key(), remote: nc.RemoteAddr().String()}
	if d.plan.scheme == "https" {
		proto := "http/1.1"
		if d.plan.rpc {
			proto = "h2"
		}
		tc, err := d.handshake(ctx, m, d.plan.name, proto, !d.plan.bare, &c.asked)
		if err != nil {
			_ = nc.Close()
			return nil, c.asked.fail(phaseTLS, "TLS with "+d.plan.dial, err)
		}
		d.t.mark(stepTLS)
		c.Conn = tc
	}
	c.br = bufio.NewReaderSize(c.Conn, readBuffer)
	return c, nil
}

// handshake does it, with our certificate where it may go along.
func (d dialer) handshake(ctx context.Context, nc net.Conn, name, proto string, certify bool, a *asked) (*tls.Conn, error) {
	cfg := &tls.Config{MinVersion: tls.VersionTLS12}
	if d.c.o.TLS != nil {
		cfg = d.c.o.TLS.Clone()
	}
	cfg.NextProtos = []string{proto}
	if cfg.ServerName == "" {
		cfg.ServerName = name
	}
	choose(cfg, certify, a)
	tc := tls.Client(nc, cfg)
	return tc, tc.HandshakeContext(ctx)
}

// open makes the connection that the request's bytes, or its TLS, go over.
func (d dialer) open(ctx context.Context) (net.Conn, *failure) {
	to := d.plan.dial
	if d.plan.proxy != nil {
		to = proxyAddress(d.plan.proxy)
	}
	if d.plan.proxy != nil && socks(d.plan.proxy) {
		return d.overSOCKS(ctx, to)
	}
	nc, err := new(net.Dialer).DialContext(ctx, "tcp", to)
	if err != nil {
		if d.t.resolving() {
			return nil, fail(phaseDNS, "look up "+to, err)
		}
		return nil, fail(phaseConnect, "connect to "+to, err)
	}
	d.t.mark(stepConnect)
	if d.plan.proxy == nil {
		return nc, nil
	}
	if nc, err = d.throughProxy(ctx, nc); err != nil {
		return nil, fail(phaseConnect, "connect to "+d.plan.dial+" through the proxy "+to, err)
	}
	return nc, nil
}

func proxyAddress(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	if port == "" {
		port = "1080"
	}
	return net.JoinHostPort(u.Hostname(), port)
}

func (d dialer) overSOCKS(ctx context.Context, to string) (net.Conn, *failure) {
	attempt := "connect to " + d.plan.dial + " through the proxy " + to
	var auth *proxy.Auth
	if u := d.plan.proxy.User; u != nil {
		pw, _ := u.Password()
		auth = &proxy.Auth{User: u.Username(), Password: pw}
	}
	pd, err := proxy.SOCKS5("tcp", to, auth, new(net.Dialer))
	if err != nil {
		return nil, fail(phaseConnect, attempt, err)
	}
	cd, ok := pd.(proxy.ContextDialer)
	if !ok {
		return nil, fail(phaseConnect, attempt, errors.New("this proxy dialer cannot be stopped"))
	}
	nc, err := cd.DialContext(ctx, "tcp", d.plan.dial)
	if err != nil {
		return nil, fail(phaseConnect, attempt, err)
	}
	d.t.mark(stepConnect)
	return nc, nil
}

// throughProxy turns a connection to a proxy into one that the request can go
// over: as it is, or through a tunnel. It closes nc when it fails.
func (d dialer) throughProxy(ctx context.Context, nc net.Conn) (net.Conn, error) {
	stop := context.AfterFunc(ctx, func() { _ = nc.Close() })
	out, err := d.tunnel(ctx, nc)
	if !stop() && err == nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		_ = nc.Close()
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return nil, err
	}
	return out, nil
}

func (d dialer) tunnel(ctx context.Context, nc net.Conn) (net.Conn, error) {
	u := d.plan.proxy
	if u.Scheme == "https" {
		var ask asked // our certificate is for the peer, and not for a proxy
		tc, err := d.handshake(ctx, nc, u.Hostname(), "http/1.1", false, &ask)
		if err != nil {
			return nil, fmt.Errorf("TLS with the proxy: %s", reason(err))
		}
		nc = tc
	}
	if !d.plan.tunnels() {
		return nc, nil
	}
	ask := "CONNECT " + d.plan.dial + " HTTP/1.1\r\nHost: " + d.plan.dial + "\r\nUser-Agent: " + userAgent + "\r\n"
	if u.User != nil {
		pw, _ := u.User.Password()
		ask += "Proxy-Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte(u.User.Username()+":"+pw)) + "\r\n"
	}
	if _, err := io.WriteString(nc, ask+"\r\n"); err != nil {
		return nil, err
	}
	br := bufio.NewReader(io.LimitReader(nc, maxHead))
	resp, err := http.ReadResponse(br, &http.Request{Method: http.MethodConnect})
	if err != nil {
		return nil, fmt.Errorf("the proxy's answer cannot be read: %s", reason(err))
	}
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the proxy refused the tunnel with %d %s", resp.StatusCode, http.StatusText(resp.StatusCode))
	}
	if br.Buffered() > 0 {
		return nil, errors.New("the proxy sent bytes before the tunnel was used")
	}
	return nc, nil
}

// connection takes an idle connection, if it may, or dials a new one.
func (x *exchange) connection(ctx context.Context, idle bool) (*conn, *failure) {
	if idle {
		if c := x.c.pool.take(x.plan.key()); c != nil {
			c.mark = c.meter.wrote.Load()
			x.steps.on(c)
			return c, nil
		}
	}
	c, f := dialer{x.c, x.plan, &x.steps}.dial(ctx)
	if f != nil {
		if ctx.Err() != nil {
			f = stopped(ctx, f.phase, "connect to "+x.plan.dial)
		} else if f.timeout && x.plan.connect > 0 {
			f.text += " after " + x.plan.connect.Round(time.Millisecond).String()
		}
		return nil, f
	}
	c.mark = c.meter.wrote.Load()
	x.steps.on(c)
	return c, nil
}
