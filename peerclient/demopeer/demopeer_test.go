package demopeer

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestEveryPeerDoesTheRest drives what no scenario lies about: each peer lets
// a plain blocking task end, whatever else it does.
func TestEveryPeerDoesTheRest(t *testing.T) {
	t.Parallel()
	for _, sc := range Scenarios() {
		both(t, sc.Name, func(t *testing.T, c *raw) {
			if slices.Contains([]string{"stuck-submitted", "stuck-working"}, sc.Name) {
				return // theirs never end
			}
			if sc.Name == "wrong-version" {
				c.gen = map[string]string{"1.0": "0.3", "0.3": "1.0"}[c.gen]
			}
			want(t, "echo", c.send("echo hello", "").kind(), "message")
			if s := c.send("task report", "").state(); s != "completed" && sc.Name != "no-blocking" {
				t.Fatalf("task: %s", s)
			}
			if s := c.send("fail", "").state(); s != "failed" && sc.Name != "no-blocking" && sc.Name != "slow-silent" {
				t.Fatalf("fail: %s", s)
			}
		})
	}
}

func TestCloseEndsEverything(t *testing.T) {
	for _, sc := range Scenarios() {
		for _, gen := range []string{"1.0", "0.3"} {
			t.Run(sc.Name+"@"+gen, func(t *testing.T) {
				p, err := Start(context.Background(), Options{Scenario: sc.Name, Generation: gen, Pace: 20 * time.Millisecond})
				if err != nil {
					t.Fatal(err)
				}
				c := &raw{t: t, peer: p, gen: gen}
				if p.s.b.foreignWire {
					c.gen = map[string]string{"1.0": "0.3", "0.3": "1.0"}[gen]
				}
				words := "slow 2000"
				if p.s.b.plain {
					words = "task report" // its answer comes whole, at the end
				}
				open := c.open("SendStreamingMessage", c.text(words, ""))
				began := time.Now()
				if err := p.Close(); err != nil {
					t.Fatal(err)
				}
				if d := time.Since(began); d > 2*time.Second {
					t.Errorf("Close took %v", d)
				}
				_, _ = io.Copy(io.Discard, open.lines) // it ends now, one way or the other
				if err := p.Close(); err != nil {
					t.Errorf("a second Close: %v", err)
				}
				// A goroutine that has told Close of its end may need a moment more.
				eventually(t, "all goroutines end", func() bool {
					buf := make([]byte, 1<<20)
					stacks := string(buf[:runtime.Stack(buf, true)])
					return !slices.ContainsFunc([]string{"demopeer.(*server)", "demopeer.(*stream)", "demopeer.(*work)"},
						func(ours string) bool { return strings.Contains(stacks, ours) })
				})
				if _, err := net.DialTimeout("tcp", strings.TrimPrefix(p.URL(), "http://"), time.Second); err == nil {
					t.Error("the port is still open")
				}
			})
		}
	}
}

func TestContextEndsThePeer(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	p, err := Start(ctx, Options{})
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	select {
	case <-p.done:
	case <-time.After(patience):
		t.Fatal("the peer outlived its context")
	}
}

func TestHandlerBelowAPath(t *testing.T) {
	t.Parallel()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	base := "http://" + ln.Addr().String() + "/liar"
	h, err := Handler(Options{Scenario: "leaky-cancel", Pace: testPace, BaseURL: base})
	if err != nil {
		t.Fatal(err)
	}
	srv := &http.Server{Handler: http.StripPrefix("/liar", h)}
	go srv.Serve(ln)
	t.Cleanup(func() {
		srv.Close()
		if err := h.(io.Closer).Close(); err != nil {
			t.Error(err)
		}
	})
	c := &raw{t: t, gen: "1.0", peer: &Peer{url: base}}
	want(t, "endpoint", c.card().endpoint(), base+"/rpc")
	want(t, "a task", c.stream("task report", "").rest(), "submitted working artifact completed")
}

func TestNames(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ in, name, gen string }{
		{"honest", "honest", "1.0"}, {"honest@0.3", "honest", "0.3"}, {"leaky-cancel@1.0", "leaky-cancel", "1.0"},
	} {
		name, gen, err := ParseName(tc.in)
		if err != nil || name != tc.name || gen != tc.gen {
			t.Errorf("%q: %q %q %v", tc.in, name, gen, err)
		}
	}
	for _, bad := range []string{"", "nobody", "honest@0.2", "honest@"} {
		if _, _, err := ParseName(bad); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
	_, _, err := ParseName("nobody")
	if err == nil || !strings.Contains(err.Error(), "honest, leaky-cancel, refused-mode") {
		t.Errorf("the error lists no names: %v", err)
	}
	if _, err := Start(t.Context(), Options{Scenario: "nobody"}); err == nil {
		t.Error("a peer of nobody starts")
	}
	if _, err := Start(t.Context(), Options{Listen: "256.0.0.1:0"}); err == nil || errors.Is(err, net.ErrClosed) {
		t.Errorf("a bad address gives %v", err)
	}
}

func TestScenariosAreDescribed(t *testing.T) {
	t.Parallel()
	claims := strings.Fields(`streaming push-notifications state-transition-history extended-card input-modes output-modes
		interfaces endpoint protocol-version security extensions signature card-stable card-valid blocking artifacts-streamed
		stream-closes states-forward terminal-final cancel-final completed-stable resume-same-task resubscribe task-durable
		liveness push-delivered error-codes bindings-agree views-agree wire-format`)
	seen := map[string]bool{}
	for _, sc := range Scenarios() {
		if seen[sc.Name] || sc.Title == "" || sc.Try == "" || sc.Lies != (len(sc.Claims) > 0) {
			t.Errorf("%+v", sc)
		}
		seen[sc.Name] = true
		for _, claim := range sc.Claims {
			if !slices.Contains(claims, claim) {
				t.Errorf("%s: no claim is called %q", sc.Name, claim)
			}
		}
	}
	want(t, "scenarios", len(seen), 66)
}

func TestWildcardAddress(t *testing.T) {
	t.Parallel()
	p, err := Start(t.Context(), Options{Listen: "0.0.0.0:0"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	c := &raw{t: t, peer: p, gen: "1.0"}
	want(t, "endpoint", c.card().endpoint(), p.URL()+"/rpc")
	want(t, "host", strings.HasPrefix(p.URL(), "http://127.0.0.1:"), true)
}
