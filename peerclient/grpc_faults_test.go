package peerclient

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	pb10 "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"golang.org/x/net/http2"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"a2ascope/session"
	"a2ascope/session/a2a"
)

// A slow receiver slows the peer down and drops nothing; what waited for it is
// held.
func TestRPCHeld(t *testing.T) {
	t.Parallel()
	addr := serve10(t, &agent10{stream: func(_ *pb10.SendMessageRequest, s grpc.ServerStreamingServer[pb10.StreamResponse]) error {
		for range 50 {
			if err := s.Send(&pb10.StreamResponse{Payload: &pb10.StreamResponse_Task{Task: task10("t-1", pb10.TaskState_TASK_STATE_WORKING)}}); err != nil {
				return err
			}
		}
		return nil
	}})
	n, held := 0, 0
	c := newClient(t, Options{})
	if err := c.Do(t.Context(), mustPrepare(t, rpcCall(a2a.OpStream, addr)), func(a session.Arrival) {
		if a.Frame == nil {
			return
		}
		if n++; n == 1 {
			time.Sleep(200 * time.Millisecond) // the receiver is blocked
		}
		if a.Frame.Held {
			held++
		}
	}); err != nil {
		t.Fatal(err)
	}
	if n != 50 || held == 0 {
		t.Errorf("%d frames, %d held", n, held)
	}
}

func TestRPCLimits(t *testing.T) {
	t.Parallel()
	big := &pb10.Task{Id: strings.Repeat("x", 100<<10)}
	addr := serve10(t, &agent10{
		get: func(context.Context, *pb10.GetTaskRequest) (*pb10.Task, error) { return big, nil },
		stream: func(_ *pb10.SendMessageRequest, s grpc.ServerStreamingServer[pb10.StreamResponse]) error {
			return s.Send(&pb10.StreamResponse{Payload: &pb10.StreamResponse_Task{Task: big}})
		},
	})
	c := newClient(t, Options{MaxBody: 50 << 10, MaxEvent: 50 << 10})
	_, got := exchangeOf(t, c, rpcCall(a2a.OpGet, addr))
	if r := oneResponse(t, got).Response; !r.Truncated || r.Status != 200 || len(r.ProtoJSON) > 0 {
		t.Error(shape(got))
	}
	_, got = exchangeOf(t, c, rpcCall(a2a.OpStream, addr))
	if last := got[len(got)-1]; last.Closed == nil || last.Closed.How != session.ClosedOversize {
		t.Error(shape(got))
	}
}

func TestRPCSilence(t *testing.T) {
	t.Parallel()
	stop := make(chan struct{})
	addr := serve10(t, &agent10{get: func(ctx context.Context, _ *pb10.GetTaskRequest) (*pb10.Task, error) {
		select {
		case <-stop:
		case <-ctx.Done():
		}
		return nil, ctx.Err()
	}})
	t.Cleanup(func() { close(stop) })
	cl := rpcCall(a2a.OpGet, addr)
	cl.FirstByte = 50 * time.Millisecond
	c := newClient(t, Options{})
	_, got := exchangeOf(t, c, cl)
	if f := oneFault(t, got).Fault; f.Phase != phaseFirstByte || !f.Timeout || f.Unsent {
		t.Error(shape(got))
	}
	cl.FirstByte = 0
	ctx, cancel := context.WithTimeoutCause(t.Context(), 50*time.Millisecond, fmt.Errorf("enough"))
	defer cancel()
	_, got = exchangeIn(t, ctx, c, cl)
	if f := oneFault(t, got).Fault; f.Phase != phaseFirstByte || !strings.Contains(f.Error, "enough") {
		t.Error(shape(got))
	}
}

// What answers is no gRPC server.
func TestRPCElsewhere(t *testing.T) {
	t.Parallel()
	web := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(web.Close)
	mute := serve(t, func(s *rawServer, nc net.Conn, _ int) { _, _ = io.Copy(io.Discard, nc) })
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = closed.Close()
	for _, tc := range []struct{ name, url, text string }{
		{"refused", closed.Addr().String(), "connection refused"},
		{"HTTP/1.1", web.Listener.Addr().String(), "it speaks HTTP/1.1"},
		{"mute", strings.TrimPrefix(mute.url, "http://"), "no answer in HTTP/2"},
		{"TLS asked of plain", "grpcs://" + web.Listener.Addr().String(), "does not speak TLS"},
	} {
		cl := rpcCall(a2a.OpSend, tc.url)
		cl.Connect = 300 * time.Millisecond
		_, got := exchangeOf(t, newClient(t, Options{}), cl)
		if f := oneFault(t, got).Fault; !f.Unsent || !strings.Contains(f.Error, tc.text) {
			t.Errorf("%s: %s", tc.name, shape(got))
		}
	}
}

// An HTTP/2 server that knows nothing of gRPC answers; that is no fault.
func TestRPCOtherHTTP2(t *testing.T) {
	t.Parallel()
	web := httptest.NewUnstartedServer(http.NotFoundHandler())
	web.EnableHTTP2 = true
	web.StartTLS()
	t.Cleanup(web.Close)
	c := newClient(t, Options{TLS: web.Client().Transport.(*http.Transport).TLSClientConfig})
	_, got := exchangeOf(t, c, rpcCall(a2a.OpSend, web.URL))
	r := oneResponse(t, got).Response
	p := a2a.Decode(a2a.Input{Raw: got[0].Raw[r.Head:], Op: a2a.OpSend, HTTPStatus: r.Status})
	if r.Status != 404 || p.Error == nil || p.Error.A2A {
		t.Errorf("%s: %+v", shape(got), p.Error)
	}
}

// A stream that the server refuses is one that it has not looked at, and
// libraries send it again unseen: ours must not.
func TestRPCRefusedStream(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	s := serve(t, func(_ *rawServer, nc net.Conn, _ int) {
		if _, err := io.ReadFull(nc, make([]byte, len(http2.ClientPreface))); err != nil {
			return
		}
		f := http2.NewFramer(nc, nc)
		_ = f.WriteSettings()
		for {
			frame, err := f.ReadFrame()
			if err != nil {
				return
			}
			if d, ok := frame.(*http2.DataFrame); ok && d.StreamEnded() {
				calls.Add(1)
				_ = f.WriteRSTStream(d.StreamID, http2.ErrCodeRefusedStream)
			}
		}
	})
	_, got := exchangeOf(t, newClient(t, Options{}), rpcCall(a2a.OpSend, strings.TrimPrefix(s.url, "http://")))
	if f := oneFault(t, got).Fault; f.Unsent || calls.Load() != 1 {
		t.Errorf("%d calls, want 1: %s", calls.Load(), shape(got))
	}
}

// A connection that breaks after the call is a fault, and the call goes out
// once.
func TestRPCBroken(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	calls := 0
	conns := make(chan net.Conn, 10)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := grpc.NewServer()
	pb10.RegisterA2AServiceServer(s, &agent10{send: func(ctx context.Context, _ *pb10.SendMessageRequest) (*pb10.SendMessageResponse, error) {
		mu.Lock()
		calls++
		mu.Unlock()
		_ = (<-conns).Close()
		<-ctx.Done()
		return nil, ctx.Err()
	}})
	go func() { _ = s.Serve(tapped{l, conns}) }()
	t.Cleanup(s.Stop)
	_, got := exchangeOf(t, newClient(t, Options{}), rpcCall(a2a.OpSend, l.Addr().String()))
	if f := oneFault(t, got).Fault; f.Unsent || f.Phase != phaseFirstByte {
		t.Error(shape(got))
	}
	mu.Lock()
	defer mu.Unlock()
	if calls != 1 {
		t.Errorf("%d calls, want 1", calls)
	}
}

// tapped hands on the connections that it accepts.
type tapped struct {
	net.Listener
	conns chan net.Conn
}

func (l tapped) Accept() (net.Conn, error) {
	nc, err := l.Listener.Accept()
	if err == nil {
		l.conns <- nc
	}
	return nc, err
}

func TestRPCOverTLS(t *testing.T) {
	t.Parallel()
	web := httptest.NewUnstartedServer(nil)
	web.StartTLS() // for its certificate
	t.Cleanup(web.Close)
	addr := serve10(t, &agent10{get: func(context.Context, *pb10.GetTaskRequest) (*pb10.Task, error) {
		return task10("t-1", pb10.TaskState_TASK_STATE_WORKING), nil
	}}, grpc.Creds(credentials.NewTLS(web.TLS)))
	c := newClient(t, Options{TLS: web.Client().Transport.(*http.Transport).TLSClientConfig})
	_, got := exchangeOf(t, c, rpcCall(a2a.OpGet, "grpcs://"+addr))
	if r := oneResponse(t, got).Response; r.Status != 200 || r.Timing.TLS == 0 {
		t.Error(shape(got))
	}
	_, got = exchangeOf(t, newClient(t, Options{}), rpcCall(a2a.OpGet, "grpcs://"+addr))
	if f := oneFault(t, got).Fault; f.Phase != phaseTLS || !f.Unsent {
		t.Error(shape(got))
	}
}

// rawCodec lets a server answer with any bytes.
type rawCodec struct{}

func (rawCodec) Marshal(v any) ([]byte, error)      { return v.([]byte), nil }
func (rawCodec) Unmarshal(data []byte, v any) error { *v.(*[]byte) = data; return nil }
func (rawCodec) Name() string                       { return "proto" }

// A message that is no protobuf is kept as it came, and unreadable.
func TestRPCUnreadable(t *testing.T) {
	t.Parallel()
	junk := []byte{0xff, 0xff, 0xff}
	addr := serveRPC(t, func(*grpc.Server) {}, grpc.ForceServerCodec(rawCodec{}), grpc.UnknownServiceHandler(func(_ any, s grpc.ServerStream) error {
		var in []byte
		if err := s.RecvMsg(&in); err != nil {
			return err
		}
		return s.SendMsg(junk)
	}))
	c := newClient(t, Options{})
	_, got := exchangeOf(t, c, rpcCall(a2a.OpGet, addr))
	if a := oneResponse(t, got); !bytes.Equal(a.Raw[a.Response.Head:], junk) || a.Response.ProtoJSON != nil {
		t.Error(shape(got))
	}
	_, got = exchangeOf(t, c, rpcCall(a2a.OpStream, addr))
	if len(got) != 3 || got[1].Frame == nil || !bytes.Equal(got[1].Raw, junk) || got[1].Frame.ProtoJSON != nil {
		t.Error(shape(got))
	}
}

// Binary metadata and details of unknown types are kept as base64.
func TestRPCOddMetadata(t *testing.T) {
	t.Parallel()
	addr := serve10(t, &agent10{get: func(ctx context.Context, _ *pb10.GetTaskRequest) (*pb10.Task, error) {
		_ = grpc.SetTrailer(ctx, metadata.Pairs("x-bin", "\x00\r\n", "www-authenticate", "Bearer"))
		return nil, status.Error(codes.Unauthenticated, "no")
	}})
	_, got := exchangeOf(t, newClient(t, Options{}), rpcCall(a2a.OpGet, addr))
	a := oneResponse(t, got)
	if want := "x-bin: " + base64.StdEncoding.EncodeToString([]byte("\x00\r\n")) + "\r\n"; !strings.Contains(string(a.Raw), want) || a.Response.Challenge != "Bearer" {
		t.Error(shape(got))
	}
}
