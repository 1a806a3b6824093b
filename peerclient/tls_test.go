package peerclient

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"a2ascope/session/a2a"
)

// selfSigned writes a certificate for 127.0.0.1 and localhost, and its key.
func selfSigned(t *testing.T) (cert, key string) {
	t.Helper()
	priv, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	tmpl := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		DNSNames: []string{"localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, tmpl, tmpl, &priv.PublicKey, priv)
	if err != nil {
		t.Fatal(err)
	}
	pk, err := x509.MarshalECPrivateKey(priv)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for name, b := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "EC PRIVATE KEY", Bytes: pk}} {
		if err := os.WriteFile(name, pem.EncodeToMemory(b), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return cert, key
}

// serveTLS is serve over TLS; mutual asks for a client certificate.
func serveTLS(t *testing.T, cert, key string, mutual bool, play func(*rawServer, net.Conn, int)) *rawServer {
	t.Helper()
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	cfg := &tls.Config{Certificates: []tls.Certificate{pair}}
	if mutual {
		cfg.ClientAuth = tls.RequireAnyClientCert
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &rawServer{url: "https://" + l.Addr().String()}
	s.run(t, tls.NewListener(l, cfg), play)
	return s
}

func TestTLS(t *testing.T) {
	t.Parallel()
	cert, key := selfSigned(t)
	play := func(s *rawServer, nc net.Conn, _ int) {
		for len(s.request(nc)) > 0 {
			_, _ = io.WriteString(nc, okAnswer)
		}
	}
	cases := []struct {
		name      string
		insecure  bool
		ca        string
		cert, key string
		mutual    bool
		says      string // "" means an answer
	}{
		{"unknown authority", false, "", "", "", false, "--ca"},
		{"insecure", true, "", "", "", false, ""},
		{"given authority", false, cert, "", "", false, ""},
		{"client certificate", false, cert, cert, key, true, ""},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := serveTLS(t, cert, key, tc.mutual, play)
			cfg, err := LoadTLS(tc.insecure, tc.ca, tc.cert, tc.key)
			if err != nil {
				t.Fatal(err)
			}
			c := newClient(t, Options{TLS: cfg})
			if tc.says != "" {
				_, got := exchangeOf(t, c, call(a2a.OpSend, s.url))
				if f := oneFault(t, got).Fault; f.Phase != "tls" || !f.Unsent || !strings.Contains(f.Error, tc.says) {
					t.Errorf("fault %+v", *f)
				}
				return
			}
			for i := range 2 {
				p, got := exchangeOf(t, c, call(a2a.OpSend, s.url))
				a := oneResponse(t, got)
				if string(a.Raw) != okAnswer || (a.Response.Timing.TLS > 0) == (i > 0) || a.Response.Timing.Reused != (i > 0) {
					t.Errorf("%q, %+v", a.Raw, *a.Response)
				}
				if string(s.requests()[i]) != string(p.Raw) {
					t.Errorf("on the wire\n%q\nprepared\n%q", s.requests()[i], p.Raw)
				}
			}
		})
	}
}

func TestTLSToAPlainServer(t *testing.T) {
	t.Parallel()
	s := serve(t, func(_ *rawServer, nc net.Conn, _ int) {
		_, _ = nc.Read(make([]byte, 5))
		_, _ = io.WriteString(nc, "HTTP/1.1 400 Bad Request\r\n\r\n")
		_, _ = io.Copy(io.Discard, nc)
	})
	_, got := exchangeOf(t, newClient(t, Options{}), call(a2a.OpSend, strings.Replace(s.url, "http", "https", 1)))
	if f := oneFault(t, got).Fault; f.Phase != "tls" || !f.Unsent || !strings.Contains(f.Error, "http://") {
		t.Errorf("fault %+v", *f)
	}
}

func TestHandshakeThatStalls(t *testing.T) {
	t.Parallel()
	s := serve(t, func(_ *rawServer, nc net.Conn, _ int) { _, _ = io.Copy(io.Discard, nc) })
	cl := call(a2a.OpSend, strings.Replace(s.url, "http", "https", 1))
	cl.Connect = 50 * time.Millisecond
	_, got := exchangeOf(t, newClient(t, Options{}), cl)
	if f := oneFault(t, got).Fault; f.Phase != "tls" || !f.Unsent || !f.Timeout || !strings.Contains(f.Error, "50ms") {
		t.Errorf("fault %+v", *f)
	}
}

func TestLoadTLSRefuses(t *testing.T) {
	t.Parallel()
	cert, key := selfSigned(t)
	for _, f := range [][3]string{{"/nowhere", "", ""}, {key, "", ""}, {"", cert, ""}, {"", "", key}, {"", cert, cert}} {
		if _, err := LoadTLS(false, f[0], f[1], f[2]); err == nil {
			t.Errorf("%q: no error", f)
		}
	}
}

// proxying is an HTTP proxy that tunnels, or answers for the peer itself. It
// keeps what it was asked in got.
func proxying(t *testing.T, refuse bool) *rawServer {
	t.Helper()
	return serve(t, func(s *rawServer, nc net.Conn, _ int) {
		raw := s.request(nc)
		req, err := http.ReadRequest(bufio.NewReader(strings.NewReader(string(raw))))
		if err != nil {
			return
		}
		switch {
		case refuse:
			_, _ = io.WriteString(nc, "HTTP/1.1 407 No\r\nContent-Length: 0\r\n\r\n")
		case req.Method != http.MethodConnect:
			_, _ = io.WriteString(nc, okAnswer)
		default:
			to, err := net.Dial("tcp", req.Host)
			if err != nil {
				return
			}
			defer to.Close()
			_, _ = io.WriteString(nc, "HTTP/1.1 200 Go\r\n\r\n")
			go func() { _, _ = io.Copy(to, nc) }()
			_, _ = io.Copy(nc, to)
		}
	})
}

func TestProxies(t *testing.T) {
	t.Parallel()
	cert, key := selfSigned(t)
	play := func(s *rawServer, nc net.Conn, _ int) {
		s.request(nc)
		_, _ = io.WriteString(nc, okAnswer)
	}
	plainPeer := serve(t, play)
	tlsPeer := serveTLS(t, cert, key, false, play)
	cases := []struct {
		name, peer, user string
		refuse           bool
		asked            string // the first line that the proxy reads
	}{
		{"plain", "http://peer.invalid/a", "", false, "POST http://peer.invalid/a HTTP/1.1"},
		{"plain with a password", plainPeer.url, "u:s3cret", false, "CONNECT " + strings.TrimPrefix(plainPeer.url, "http://") + " HTTP/1.1"},
		{"tunnel", tlsPeer.url, "", false, "CONNECT " + strings.TrimPrefix(tlsPeer.url, "https://") + " HTTP/1.1"},
		{"tunnel with a password", tlsPeer.url, "u:s3cret", false, "CONNECT " + strings.TrimPrefix(tlsPeer.url, "https://") + " HTTP/1.1"},
		{"refused", tlsPeer.url, "u:s3cret", true, ""},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			px := proxying(t, tc.refuse)
			u, err := url.Parse(px.url)
			if err != nil {
				t.Fatal(err)
			}
			if name, pw, ok := strings.Cut(tc.user, ":"); ok {
				u.User = url.UserPassword(name, pw)
			}
			cfg, err := LoadTLS(false, cert, "", "")
			if err != nil {
				t.Fatal(err)
			}
			c := newClient(t, Options{TLS: cfg, Proxy: http.ProxyURL(u)})
			p, got := exchangeOf(t, c, call(a2a.OpSend, tc.peer))
			if strings.Contains(string(p.Raw), "Proxy-Auth") || strings.Contains(shape(got), "s3cret") {
				t.Errorf("the proxy's password is recorded: %s", shape(got))
			}
			if tc.refuse {
				if f := oneFault(t, got).Fault; f.Phase != "connect" || !f.Unsent || !strings.Contains(f.Error, "407") {
					t.Errorf("fault %+v", *f)
				}
				return
			}
			if a := oneResponse(t, got); string(a.Raw) != okAnswer {
				t.Errorf("raw %q", a.Raw)
			}
			asked := string(px.requests()[0])
			if line, _, _ := strings.Cut(asked, "\r\n"); line != tc.asked {
				t.Errorf("the proxy was asked %q, want %q", line, tc.asked)
			}
			auth := "Proxy-Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte(tc.user))
			if strings.Contains(asked, auth) != (tc.user != "") {
				t.Errorf("the proxy was asked\n%s", asked)
			}
		})
	}
}

func TestLoopbackGoesAroundTheEnvironmentsProxy(t *testing.T) {
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:1")
	t.Setenv("http_proxy", "http://127.0.0.1:1")
	s := answering(t, okAnswer)
	c := New(Options{})
	defer c.Close()
	_, got := exchangeOf(t, c, call(a2a.OpSend, s.url))
	oneResponse(t, got)
}

// socksServer speaks just enough of SOCKS 5 to tunnel one connection.
func socksServer(t *testing.T) *rawServer {
	t.Helper()
	return serve(t, func(_ *rawServer, nc net.Conn, _ int) {
		hello := make([]byte, 3) // version, one method, none
		_, _ = io.ReadFull(nc, hello)
		_, _ = nc.Write([]byte{5, 0})
		ask := make([]byte, 10) // version, connect, reserved, IPv4, address, port
		_, _ = io.ReadFull(nc, ask)
		to, err := net.DialTCP("tcp", nil, &net.TCPAddr{IP: ask[4:8], Port: int(ask[8])<<8 | int(ask[9])})
		if err != nil {
			return
		}
		defer to.Close()
		_, _ = nc.Write([]byte{5, 0, 0, 1, 0, 0, 0, 0, 0, 0})
		go func() { _, _ = io.Copy(to, nc) }()
		_, _ = io.Copy(nc, to)
	})
}

func TestSOCKSProxy(t *testing.T) {
	t.Parallel()
	s := answering(t, okAnswer)
	px := socksServer(t)
	u, err := url.Parse(strings.Replace(px.url, "http", "socks5", 1))
	if err != nil {
		t.Fatal(err)
	}
	p, got := exchangeOf(t, newClient(t, Options{Proxy: http.ProxyURL(u)}), call(a2a.OpSend, s.url))
	oneResponse(t, got)
	if string(s.requests()[0]) != string(p.Raw) || px.conns() != 1 {
		t.Errorf("on the wire\n%q\nprepared\n%q", s.requests()[0], p.Raw)
	}
}
