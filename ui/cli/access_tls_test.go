package cli_test

import (
	"crypto/tls"
	"encoding/pem"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Without the client certificate that a peer insists on, the session says so.
func TestClientCertificateMissing(t *testing.T) {
	t.Parallel()
	s := httptest.NewUnstartedServer(http.NotFoundHandler())
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.TLS = &tls.Config{ClientAuth: tls.RequireAnyClientCert}
	s.StartTLS()
	t.Cleanup(s.Close)
	ca := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	r := newBench(t).run("run", s.URL, "--ca", ca, "--output", "text")
	if r.status != 3 || !strings.Contains(r.out, "certificate required") || !strings.Contains(r.out, "--cert") {
		t.Errorf("status %d\n%s%s", r.status, r.out, r.err)
	}
}
