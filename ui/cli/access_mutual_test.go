package cli_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	pb10 "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
)

// working is an agent that is done at once, over JSON-RPC and by its stream.
func working(served *atomic.Int64) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/agent-card.json", func(w http.ResponseWriter, r *http.Request) {
		scheme := "http"
		if r.TLS != nil {
			scheme = "https"
		}
		_, _ = fmt.Fprintf(w, `{"name":"Done","description":"d","version":"1","supportedInterfaces":[{"url":"%s://%s/rpc","protocolBinding":"JSONRPC","protocolVersion":"1.0"}],
			"capabilities":{"streaming":true},"defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"],"skills":[]}`, scheme, r.Host)
	})
	mux.HandleFunc("POST /rpc", func(w http.ResponseWriter, r *http.Request) {
		var call struct {
			ID     json.RawMessage
			Method string
		}
		_ = json.NewDecoder(r.Body).Decode(&call)
		served.Add(1)
		const task = `{"id":"T","contextId":"C","status":{"state":"TASK_STATE_COMPLETED"},"artifacts":[{"artifactId":"a","parts":[{"text":"done"}]}]}`
		switch call.Method {
		case "SendStreamingMessage":
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = fmt.Fprintf(w, "data: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"task\":%s}}\n\n", call.ID, task)
		case "SendMessage":
			_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"task":%s}}`, call.ID, task)
		default:
			_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, call.ID, task)
		}
	})
	return mux
}

// TestMutualTLS: a session at a peer that wants a client certificate, and what
// is said where one of the files is not the right one.
func TestMutualTLS(t *testing.T) {
	t.Parallel()
	ca, other := newAuthority(t, "own"), newAuthority(t, "other")
	cert, key := ca.issue("client", nil)
	strange, strangeKey := other.issue("stranger", nil)
	old, oldKey := ca.issue("old", func(c *x509.Certificate) { c.NotAfter = time.Now().Add(-time.Hour) })
	empty := filepath.Join(t.TempDir(), "empty.pem")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name   string
		max    uint16 // version of TLS
		flags  []string
		status int
		says   []string
	}{
		{"all right", 0, []string{"--ca", ca.file, "--cert", cert, "--key", key}, 0, nil},
		{"all right, TLS 1.2", tls.VersionTLS12, []string{"--ca", ca.file, "--cert", cert, "--key", key}, 0, nil},
		{"no certificate", 0, []string{"--ca", ca.file}, 3, []string{"wants a client certificate", "--cert and --key"}},
		{"no certificate, TLS 1.2", tls.VersionTLS12, []string{"--ca", ca.file}, 3, []string{"client certificate", "--cert and --key"}},
		{"a stranger's certificate", 0, []string{"--ca", ca.file, "--cert", strange, "--key", strangeKey}, 3, []string{"client certificate", "--cert and --key"}},
		{"a certificate that has ended", 0, []string{"--ca", ca.file, "--cert", old, "--key", oldKey}, 3, []string{"client certificate (", "expired", "--cert and --key"}},
		{"the authority is not given", 0, []string{"--cert", cert, "--key", key}, 3, []string{"authority", "--ca"}},
		{"another authority", 0, []string{"--ca", other.file, "--cert", cert, "--key", key}, 3, []string{"authority", "--ca", "--insecure"}},
		{"another key", 0, []string{"--ca", ca.file, "--cert", cert, "--key", strangeKey}, 2, []string{"client certificate", "does not match"}},
		{"no key", 0, []string{"--ca", ca.file, "--cert", cert}, 2, []string{"needs both"}},
		{"no file", 0, []string{"--ca", ca.file, "--cert", cert + ".none", "--key", key}, 2, []string{"client certificate", "no such file"}},
		{"the key where the authority should be", 0, []string{"--ca", key}, 2, []string{"holds no PEM certificate"}},
		{"an empty authority", 0, []string{"--ca", empty}, 2, []string{"holds no PEM certificate"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var served atomic.Int64
			cfg := ca.serving(ca)
			cfg.MaxVersion = tc.max
			s := serveTLS(t, cfg, working(&served))
			b := newBench(t)
			args := append([]string{"run", s.URL}, append(append([]string{}, quick...), tc.flags...)...)
			r := b.run(append(args, "-c", "send hello", "-c", "wait settled", "-c", "stream hello", "-c", "wait settled")...)
			if r.status != tc.status {
				t.Errorf("status %d, want %d", r.status, tc.status)
			}
			if tc.status == 0 && served.Load() < 4 || tc.status != 0 && served.Load() > 0 {
				t.Errorf("%d calls were served", served.Load())
			}
			for _, want := range tc.says {
				if !strings.Contains(r.out+r.err, want) {
					t.Errorf("nothing says %q", want)
				}
			}
			if t.Failed() {
				t.Logf("%s%s", r.out, r.err)
			}
		})
	}
}

// doneRPC is working over gRPC.
type doneRPC struct {
	pb10.UnimplementedA2AServiceServer
	served *atomic.Int64
}

func (d doneRPC) task() *pb10.Task {
	d.served.Add(1)
	return &pb10.Task{Id: "T", ContextId: "C", Status: &pb10.TaskStatus{State: pb10.TaskState_TASK_STATE_COMPLETED}}
}

func (d doneRPC) SendMessage(context.Context, *pb10.SendMessageRequest) (*pb10.SendMessageResponse, error) {
	return &pb10.SendMessageResponse{Payload: &pb10.SendMessageResponse_Task{Task: d.task()}}, nil
}

func (d doneRPC) SendStreamingMessage(_ *pb10.SendMessageRequest, s grpc.ServerStreamingServer[pb10.StreamResponse]) error {
	return s.Send(&pb10.StreamResponse{Payload: &pb10.StreamResponse_Task{Task: d.task()}})
}

func (d doneRPC) GetTask(context.Context, *pb10.GetTaskRequest) (*pb10.Task, error) {
	return d.task(), nil
}

// TestMutualTLSOverRPC: the same over gRPC, whose card comes from an origin of
// its own: ours has to be allowed at the other.
func TestMutualTLSOverRPC(t *testing.T) {
	t.Parallel()
	ca, other := newAuthority(t, "own"), newAuthority(t, "other")
	cert, key := ca.issue("client", nil)
	strange, strangeKey := other.issue("stranger", nil)
	for _, tc := range []struct {
		name   string
		flags  []string
		status int
		says   []string
	}{
		{"all right", []string{"--ca", ca.file, "--cert", cert, "--key", key, "--allow-origin", "$RPC"}, 0, nil},
		{"an origin that was not typed", []string{"--ca", ca.file, "--cert", cert, "--key", key}, 3, []string{"without credentials: client certificate", "goes to the origin that you typed alone", "--allow-origin"}},
		{"no certificate", []string{"--ca", ca.file}, 3, []string{"a client certificate", "--cert and --key"}},
		{"a stranger's certificate", []string{"--ca", ca.file, "--cert", strange, "--key", strangeKey, "--allow-origin", "$RPC"}, 3, []string{"client certificate", "--cert and --key"}},
		{"another authority", []string{"--ca", other.file, "--cert", cert, "--key", key, "--allow-origin", "$RPC"}, 3, []string{"authority", "--ca"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var served atomic.Int64
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			s := grpc.NewServer(grpc.Creds(credentials.NewTLS(ca.serving(ca))))
			pb10.RegisterA2AServiceServer(s, doneRPC{served: &served})
			over := make(chan struct{})
			go func() {
				defer close(over)
				_ = s.Serve(l)
			}()
			t.Cleanup(func() {
				s.Stop()
				<-over
			})
			origin := "https://" + l.Addr().String()
			card := serveTLS(t, ca.serving(nil), http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				_, _ = io.WriteString(w, `{"name":"Done","description":"d","version":"1","supportedInterfaces":[{"url":"`+origin+`","protocolBinding":"GRPC","protocolVersion":"1.0"}],
					"capabilities":{"streaming":true},"securitySchemes":{"m":{"mtlsSecurityScheme":{}}},"securityRequirements":[{"schemes":{"m":{"list":[]}}}],
					"defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"],"skills":[]}`)
			}))
			args := append([]string{"run", card.URL}, append(append([]string{}, quick...), tc.flags...)...)
			for i := range args {
				args[i] = strings.Replace(args[i], "$RPC", origin, 1)
			}
			r := newBench(t).run(append(args, "-c", "send hello", "-c", "wait settled", "-c", "stream hello", "-c", "wait settled")...)
			if r.status != tc.status {
				t.Errorf("status %d, want %d", r.status, tc.status)
			}
			if tc.status == 0 && served.Load() < 4 || tc.status != 0 && served.Load() > 0 {
				t.Errorf("%d calls were served", served.Load())
			}
			for _, want := range tc.says {
				if !strings.Contains(r.out+r.err, want) {
					t.Errorf("nothing says %q", want)
				}
			}
			if t.Failed() {
				t.Logf("%s%s", r.out, r.err)
			}
		})
	}
}
