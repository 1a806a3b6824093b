package cli_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// authority is a certificate authority of a test's own.
type authority struct {
	t    *testing.T
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	file string // PEM
	dir  string
	n    int64
	pair tls.Certificate // of a server
}

func newAuthority(t *testing.T, name string) *authority {
	t.Helper()
	a := &authority{t: t, dir: t.TempDir()}
	a.file = filepath.Join(a.dir, "ca.pem")
	a.cert, a.key = a.sign(&x509.Certificate{
		Subject: pkix.Name{CommonName: name}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	})
	a.write(a.file, "CERTIFICATE", a.cert.Raw)
	pair, err := tls.LoadX509KeyPair(a.issue("server", nil))
	if err != nil {
		t.Fatal(err)
	}
	a.pair = pair
	return a
}

// sign makes a key and a certificate for it, by the authority or, where it is
// none yet, by itself.
func (a *authority) sign(tmpl *x509.Certificate) (*x509.Certificate, *ecdsa.PrivateKey) {
	a.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		a.t.Fatal(err)
	}
	a.n++
	tmpl.SerialNumber, tmpl.NotBefore = big.NewInt(a.n), time.Now().Add(-2*time.Hour)
	if tmpl.NotAfter.IsZero() {
		tmpl.NotAfter = time.Now().Add(time.Hour)
	}
	parent, by := a.cert, a.key
	if parent == nil {
		parent, by = tmpl, key
	}
	der, err := x509.CreateCertificate(rand.Reader, tmpl, parent, &key.PublicKey, by)
	if err != nil {
		a.t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		a.t.Fatal(err)
	}
	return cert, key
}

func (a *authority) write(path, kind string, der []byte) {
	a.t.Helper()
	if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
		a.t.Fatal(err)
	}
}

// issue writes a certificate of the authority and its key.
func (a *authority) issue(name string, change func(*x509.Certificate)) (cert, key string) {
	a.t.Helper()
	tmpl := &x509.Certificate{
		Subject: pkix.Name{CommonName: name}, DNSNames: []string{"localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	if change != nil {
		change(tmpl)
	}
	c, k := a.sign(tmpl)
	der, err := x509.MarshalECPrivateKey(k)
	if err != nil {
		a.t.Fatal(err)
	}
	cert, key = filepath.Join(a.dir, name+".pem"), filepath.Join(a.dir, name+".key")
	a.write(cert, "CERTIFICATE", c.Raw)
	a.write(key, "EC PRIVATE KEY", der)
	return cert, key
}

// serving are the settings of a server with a certificate of the authority;
// clients, if any, must have one of theirs.
func (a *authority) serving(clients *authority) *tls.Config {
	cfg := &tls.Config{Certificates: []tls.Certificate{a.pair}, MinVersion: tls.VersionTLS12}
	if clients != nil {
		cfg.ClientAuth, cfg.ClientCAs = tls.RequireAndVerifyClientCert, x509.NewCertPool()
		cfg.ClientCAs.AddCert(clients.cert)
	}
	return cfg
}

// serveTLS serves over TLS, and keeps the handshakes that fail to itself.
func serveTLS(t *testing.T, cfg *tls.Config, h http.Handler) *httptest.Server {
	t.Helper()
	s := httptest.NewUnstartedServer(h)
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.TLS = cfg
	s.StartTLS()
	t.Cleanup(s.Close)
	return s
}
