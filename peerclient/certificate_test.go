package peerclient

import (
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"

	"a2ascope/session"
	"a2ascope/session/a2a"
)

// A client certificate goes where credentials go, and a connection that was
// made with it is not used without.
func TestCertificateIsACredential(t *testing.T) {
	t.Parallel()
	cert, key := selfSigned(t)
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	l, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{pair}, ClientAuth: tls.RequestClientCert})
	if err != nil {
		t.Fatal(err)
	}
	s := &rawServer{url: "https://" + l.Addr().String()}
	s.run(t, l, func(s *rawServer, nc net.Conn, _ int) {
		for len(s.request(nc)) > 0 {
			n := len(nc.(*tls.Conn).ConnectionState().PeerCertificates)
			_, _ = io.WriteString(nc, fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n%d", n))
		}
	})
	cfg, err := LoadTLS(false, cert, cert, key)
	if err != nil {
		t.Fatal(err)
	}
	c := newClient(t, Options{TLS: cfg})
	for i, tc := range []struct {
		change         func(*session.Call)
		seen           string
		sent, withheld string
	}{
		{func(*session.Call) {}, "1", "client certificate", ""},
		{func(c *session.Call) { c.Bare = true }, "0", "", ""},
		{func(c *session.Call) { c.Withhold = true }, "0", "", "client certificate"},
		{func(*session.Call) {}, "1", "client certificate", ""},
	} {
		cl := call(a2a.OpSend, s.url)
		tc.change(&cl)
		p, got := exchangeOf(t, c, cl)
		if a := oneResponse(t, got); !strings.HasSuffix(string(a.Raw), tc.seen) || p.Body.Authenticated != tc.sent || p.Body.Withheld != tc.withheld {
			t.Errorf("call %d: the peer saw %q; sent %q, withheld %q", i+1, a.Raw, p.Body.Authenticated, p.Body.Withheld)
		}
	}
}
