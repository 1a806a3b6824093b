package cli_test

import (
	"bytes"
	"encoding/base64"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// proxied is an HTTP proxy: it tunnels, and passes plain requests on to one
// server, whatever they are for.
func proxied(t *testing.T, to http.Handler) *visited {
	t.Helper()
	return visit(t, func(_ *visited, w http.ResponseWriter, r *http.Request, body []byte) {
		if r.Method != http.MethodConnect {
			r.Body = io.NopCloser(bytes.NewReader(body))
			to.ServeHTTP(w, r)
			return
		}
		out, err := net.Dial("tcp", r.Host)
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		defer out.Close()
		in, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer in.Close()
		_, _ = io.WriteString(in, "HTTP/1.1 200 OK\r\n\r\n")
		go func() { _, _ = io.Copy(out, in) }()
		_, _ = io.Copy(in, out)
	})
}

// TestProxySessions: whole sessions through a proxy. It is told where to, and
// nothing of what the peer is told; its own password is in no record.
func TestProxySessions(t *testing.T) {
	t.Parallel()
	ca := newAuthority(t, "own")
	cert, key := ca.issue("client", nil)
	const login = "joe:proxy-pass-77"
	for _, tc := range []struct {
		name  string
		https bool
		login string
		asked string // the first line that the proxy reads, with HOST for the peer
	}{
		{"plain", false, "", "GET http://HOST/.well-known/agent-card.json HTTP/1.1"},
		{"plain, with a password", false, login, "CONNECT HOST HTTP/1.1"},
		{"TLS", true, "", "CONNECT HOST HTTP/1.1"},
		{"TLS, with a password", true, login, "CONNECT HOST HTTP/1.1"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var served atomic.Int64
			agent := working(&served)
			px := proxied(t, agent)
			var address string
			if tc.https {
				address = serveTLS(t, ca.serving(ca), agent).URL
			} else {
				address = visit(t, func(_ *visited, w http.ResponseWriter, r *http.Request, body []byte) {
					r.Body = io.NopCloser(bytes.NewReader(body))
					agent.ServeHTTP(w, r)
				}).URL
			}
			b := newBench(t)
			b.env["KEY"] = theKey
			through := px.URL
			if tc.login != "" {
				through = strings.Replace(through, "://", "://"+tc.login+"@", 1)
			}
			r := b.run(append([]string{"run", address, "--proxy", through, "--ca", ca.file, "--cert", cert, "--key", key, "--bearer-env", "KEY", "-c", "send hello", "-c", "stream hello", "-c", "wait settled"}, quick...)...)
			if r.status != 0 || served.Load() < 2 {
				t.Errorf("status %d, %d calls served", r.status, served.Load())
			}
			_, host, _ := strings.Cut(address, "://")
			px.mu.Lock()
			line, _, _ := strings.Cut(px.seen[0], "\r\n")
			px.mu.Unlock()
			if want := strings.Replace(tc.asked, "HOST", host, 1); line != want {
				t.Errorf("the proxy was asked %q, want %q", line, want)
			}
			all, with := px.carrying(theKey)
			if tunnels := strings.HasPrefix(tc.asked, "CONNECT"); with > 0 && tunnels || !tunnels && with != all {
				t.Errorf("%d of %d requests to the proxy show the peer's token", with, all)
			}
			records := b.run("history", "show", "last", "--output", "jsonl").out
			for _, secret := range []string{"proxy-pass-77", base64.StdEncoding.EncodeToString([]byte(login)), theKey} {
				if strings.Contains(r.out+r.err+records, secret) {
					t.Errorf("%q was printed or recorded", secret)
				}
			}
			if t.Failed() {
				t.Logf("%s%s", r.out, r.err)
			}
		})
	}
}

// TestProxyMistakes: what is wrong with a proxy is said, without its password.
func TestProxyMistakes(t *testing.T) {
	t.Parallel()
	refusing := visit(t, func(_ *visited, w http.ResponseWriter, _ *http.Request, _ []byte) {
		w.WriteHeader(http.StatusProxyAuthRequired)
	})
	at := strings.TrimPrefix(refusing.URL, "http://")
	for _, tc := range []struct {
		name, proxy string
		status      int
		says        string
	}{
		{"no address", "://joe:proxy-pass-77@", 2, "a proxy is written like"},
		{"a space in it", "http://joe:proxy-pass-77@a b:1", 2, "a proxy is written like"},
		{"a scheme of its own", "ftp://joe:proxy-pass-77@" + at, 2, "http, https or socks5"},
		{"it refuses us", "http://joe:proxy-pass-77@" + at, 3, "the proxy refused the tunnel with 407"},
		{"nobody there", "http://joe:proxy-pass-77@127.0.0.1:1", 3, "connection refused"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			r := newBench(t).run("run", "http://peer.invalid", "--proxy", tc.proxy, "-c", "send hello")
			if r.status != tc.status || !strings.Contains(r.out+r.err, tc.says) || strings.Contains(r.out+r.err, "proxy-pass-77") {
				t.Errorf("status %d, want %d and %q\n%s%s", r.status, tc.status, tc.says, r.out, r.err)
			}
		})
	}
}

// TestProxyOfTheEnvironment: it is used as everywhere, and NO_PROXY leaves
// peers out. The environment is read once, so each session is a process.
func TestProxyOfTheEnvironment(t *testing.T) {
	t.Parallel()
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name   string
		env    []string
		status int
		used   bool
	}{
		{"HTTP_PROXY", []string{"HTTP_PROXY=$proxy"}, 0, true},
		{"http_proxy", []string{"http_proxy=$proxy"}, 0, true},
		{"ALL peers but this one", []string{"HTTP_PROXY=$proxy", "NO_PROXY=example.com,peer.invalid"}, 3, false},
		{"HTTPS_PROXY alone", []string{"HTTPS_PROXY=$proxy"}, 3, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var served atomic.Int64
			px := proxied(t, working(&served))
			dir := t.TempDir()
			cmd := exec.CommandContext(t.Context(), binary, "--db", filepath.Join(dir, "db"), "--log-file", filepath.Join(dir, "log"), "run", "http://peer.invalid", "-c", "send hello", "-c", "wait settled", "--settle-every", "20ms")
			cmd.Env = append(cmd.Env, asBinary+"=1", "HOME="+dir)
			for _, e := range tc.env {
				cmd.Env = append(cmd.Env, strings.Replace(e, "$proxy", px.URL, 1))
			}
			out, _ := cmd.CombinedOutput()
			all, _ := px.carrying()
			if cmd.ProcessState.ExitCode() != tc.status || all > 0 != tc.used {
				t.Errorf("status %d, want %d; the proxy was asked %d times\n%s", cmd.ProcessState.ExitCode(), tc.status, all, out)
			}
		})
	}
}
