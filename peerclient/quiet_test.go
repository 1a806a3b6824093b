package peerclient

import (
	"context"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/http2"

	"a2ascope/session"
	"a2ascope/session/a2a"
)

// quietServers answer nothing: over HTTP, and over gRPC with a peer that keeps
// pinging, whose pings are answered and must not pass for life.
func quietServers(t *testing.T) map[a2a.Binding]string {
	t.Helper()
	plain := serve(t, func(s *rawServer, nc net.Conn, _ int) {
		s.request(nc)
		_, _ = nc.Read(make([]byte, 1)) // until the client is gone
	})
	pings := serve(t, func(_ *rawServer, nc net.Conn, _ int) {
		if _, err := io.ReadFull(nc, make([]byte, len(http2.ClientPreface))); err != nil {
			return
		}
		f := http2.NewFramer(nc, nc)
		_ = f.WriteSettings()
		gone := make(chan struct{})
		go func() {
			defer close(gone)
			for {
				if _, err := f.ReadFrame(); err != nil {
					return
				}
			}
		}()
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				_ = f.WritePing(false, [8]byte{1})
			case <-gone:
				return
			}
		}
	})
	return map[a2a.Binding]string{a2a.JSONRPC: plain.url, a2a.GRPC: strings.TrimPrefix(pings.url, "http://")}
}

// A subscription without a head has its own limit, the same over HTTP and gRPC;
// and when we leave it before that, it is closed by us and no fault.
func TestQuiet(t *testing.T) {
	t.Parallel()
	for binding, url := range quietServers(t) {
		cl := call(a2a.OpSubscribe, url)
		cl.Binding, cl.Params.TaskID = binding, "t-1"
		cl.FirstByte, cl.Quiet = 10*time.Millisecond, 300*time.Millisecond
		t.Run(string(binding)+" limit", func(t *testing.T) {
			t.Parallel()
			began := time.Now()
			_, got := exchangeOf(t, newClient(t, Options{}), cl)
			if f := oneFault(t, got).Fault; f.Phase != phaseFirstByte || !f.Timeout || !strings.Contains(f.Error, "300ms") {
				t.Error(shape(got))
			}
			if took := time.Since(began); took < cl.Quiet {
				t.Errorf("it took %v, less than it was given", took)
			}
		})
		for how, cause := range map[string]error{session.ClosedDetached: ErrDetach, session.ClosedStopped: io.ErrClosedPipe} {
			t.Run(string(binding)+" "+how, func(t *testing.T) {
				t.Parallel()
				long := cl
				long.Quiet = time.Minute
				ctx, cancel := context.WithTimeoutCause(t.Context(), 200*time.Millisecond, cause)
				defer cancel()
				_, got := exchangeIn(t, ctx, newClient(t, Options{}), long)
				if len(got) != 1 || got[0].Closed == nil || got[0].Closed.How != how {
					t.Error(shape(got))
				}
			})
		}
	}
}
