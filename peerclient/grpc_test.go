package peerclient

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	pb03 "github.com/a2aproject/a2a-go/a2apb"
	pb10 "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"a2ascope/session"
	"a2ascope/session/a2a"
)

// agent10 answers as each test says.
type agent10 struct {
	pb10.UnimplementedA2AServiceServer
	send   func(context.Context, *pb10.SendMessageRequest) (*pb10.SendMessageResponse, error)
	stream func(*pb10.SendMessageRequest, grpc.ServerStreamingServer[pb10.StreamResponse]) error
	get    func(context.Context, *pb10.GetTaskRequest) (*pb10.Task, error)
}

func (a *agent10) SendMessage(ctx context.Context, r *pb10.SendMessageRequest) (*pb10.SendMessageResponse, error) {
	return a.send(ctx, r)
}

func (a *agent10) SendStreamingMessage(r *pb10.SendMessageRequest, s grpc.ServerStreamingServer[pb10.StreamResponse]) error {
	return a.stream(r, s)
}

func (a *agent10) GetTask(ctx context.Context, r *pb10.GetTaskRequest) (*pb10.Task, error) {
	return a.get(ctx, r)
}

// serveRPC serves on loopback and returns host:port.
func serveRPC(t *testing.T, register func(*grpc.Server), o ...grpc.ServerOption) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := grpc.NewServer(o...)
	register(s)
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = s.Serve(l)
	}()
	t.Cleanup(func() {
		s.Stop()
		<-served
	})
	return l.Addr().String()
}

func serve10(t *testing.T, a *agent10, o ...grpc.ServerOption) string {
	t.Helper()
	return serveRPC(t, func(s *grpc.Server) { pb10.RegisterA2AServiceServer(s, a) }, o...)
}

func rpcCall(op a2a.Operation, url string) session.Call {
	c := call(op, url)
	c.Binding = a2a.GRPC
	return c
}

func task10(id string, state pb10.TaskState) *pb10.Task {
	return &pb10.Task{Id: id, ContextId: "c-1", Status: &pb10.TaskStatus{State: state}}
}

func TestRPCUnary(t *testing.T) {
	t.Parallel()
	var got *pb10.SendMessageRequest
	var md metadata.MD
	want := &pb10.SendMessageResponse{Payload: &pb10.SendMessageResponse_Task{Task: task10("t-9", pb10.TaskState_TASK_STATE_COMPLETED)}}
	addr := serve10(t, &agent10{send: func(ctx context.Context, r *pb10.SendMessageRequest) (*pb10.SendMessageResponse, error) {
		got = r
		md, _ = metadata.FromIncomingContext(ctx)
		_ = grpc.SetHeader(ctx, metadata.Pairs("x-served-by", "seven"))
		return want, nil
	}})
	c := newClient(t, Options{})
	cl := rpcCall(a2a.OpSend, addr)
	cl.Params.Tenant = "acme"
	cl.Auth = []session.Credential{{Kind: "bearer", Value: "let-me-in-please", From: "$TOKEN"}}
	cl.Header = [][2]string{{"X-Mine", "yes"}}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	p, arrived := exchangeIn(t, ctx, c, cl)
	a := oneResponse(t, arrived)

	sent := &pb10.SendMessageRequest{}
	if err := proto.Unmarshal(p.Raw[p.Body.Head:], sent); err != nil || !proto.Equal(sent, got) {
		t.Errorf("recorded %v (%v), the server read %v", sent, err, got)
	}
	if got.GetTenant() != "acme" || got.GetMessage().GetMessageId() != "m-1" {
		t.Errorf("the server read %v", got)
	}
	if p.Body.URL != "http://"+addr || p.Body.RPCMethod != "lf.a2a.v1.A2AService/SendMessage" || p.Body.Authenticated != "bearer $TOKEN" {
		t.Errorf("requested %+v", p.Body)
	}
	head := string(p.Raw[:p.Body.Head])
	for _, name := range []string{"a2a-version", "authorization", "x-mine", "user-agent", "content-type"} {
		if v := strings.Join(md.Get(name), ","); v == "" || !strings.Contains(head, "\r\n"+name+": "+v+"\r\n") {
			t.Errorf("%s: the server read %q, recorded is\n%s", name, v, head)
		}
	}
	if v := md.Get("grpc-timeout"); v != nil {
		t.Errorf("grpc-timeout %v went along", v)
	}
	r := a.Response
	answer := &pb10.SendMessageResponse{}
	if err := proto.Unmarshal(a.Raw[r.Head:], answer); err != nil || !proto.Equal(answer, want) {
		t.Errorf("recorded %v (%v)", answer, err)
	}
	if r.Status != 200 || !json.Valid(r.ProtoJSON) || !strings.Contains(string(a.Raw[:r.Head]), "x-served-by: seven\r\n") || !strings.Contains(string(a.Raw[:r.Head]), "grpc-status: 0\r\n") {
		t.Errorf("%s", shape(arrived))
	}
	pl := a2a.Decode(a2a.Input{Raw: r.ProtoJSON, Op: a2a.OpSend, HTTPStatus: r.Status})
	if pl.Task == nil || pl.Task.ID != "t-9" || pl.Task.Status.State != a2a.Completed || len(pl.Anomalies) > 0 {
		t.Errorf("decoded %+v", pl)
	}
	if r.Timing.Connect == 0 || r.Timing.Done == 0 || r.Timing.Reused {
		t.Errorf("timing %+v", r.Timing)
	}
	_, again := exchangeOf(t, c, cl)
	if !oneResponse(t, again).Response.Timing.Reused {
		t.Error("the connection was not used again")
	}
	cl.Fresh = true
	if _, fresh := exchangeOf(t, c, cl); oneResponse(t, fresh).Response.Timing.Reused {
		t.Error("a fresh call went over a used connection")
	}
}

// The message's JSON is that of the request, for the log to be read by.
func TestRPCRequestIsRead(t *testing.T) {
	t.Parallel()
	for _, gen := range []a2a.Generation{a2a.Gen03, a2a.Gen10} {
		cl := rpcCall(a2a.OpSend, "grpcs://h.example")
		cl.Gen = gen
		cl.Params.Message.Parts = append(cl.Params.Message.Parts,
			a2a.Part{Kind: a2a.PartData, Data: []byte(`{"n":1}`)}, a2a.Part{Kind: a2a.PartBytes, Bytes: []byte{0, 255}, MediaType: "image/png", Filename: "p.png"})
		p := mustPrepare(t, cl)
		m, err := a2a.DecodeRequestMessage(p.Body.Content(p.Raw))
		if err != nil || m.ID != "m-1" || len(m.Parts) != 3 || m.Parts[0].Text != "hallo" || !bytes.Equal(m.Parts[2].Bytes, []byte{0, 255}) {
			t.Errorf("%s: %+v, %v", gen, m, err)
		}
		if p.Body.URL != "https://h.example" {
			t.Errorf("URL %s", p.Body.URL)
		}
	}
}

// Every operation of both generations has a message that its service knows.
func TestRPCOperations(t *testing.T) {
	t.Parallel()
	n := 3
	for _, gen := range []a2a.Generation{a2a.Gen03, a2a.Gen10} {
		for _, op := range []a2a.Operation{
			a2a.OpSend, a2a.OpStream, a2a.OpGet, a2a.OpList, a2a.OpCancel, a2a.OpSubscribe,
			a2a.OpPushSet, a2a.OpPushGet, a2a.OpPushList, a2a.OpPushDelete, a2a.OpExtendedCard,
		} {
			cl := rpcCall(op, "127.0.0.1:1")
			cl.Gen = gen
			cl.Params.HistoryLength, cl.Params.PageSize, cl.Params.PageToken, cl.Params.State = &n, 5, "p", a2a.Canceled
			cl.Params.Push = &a2a.PushConfig{ID: "p-1", URL: "http://h/x", Token: "k", AuthSchemes: []string{"Bearer"}, Credentials: "z"}
			cl.Params.AcceptedModes = []string{"text/plain"}
			p := mustPrepare(t, cl)
			if len(p.Raw) <= p.Body.Head && op != a2a.OpExtendedCard {
				t.Errorf("%s %s: an empty message", gen, op)
			}
		}
	}
}

func TestRPCRefusedByPrepare(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*session.Call){
		"unknown method": func(c *session.Call) { c.Op, c.Params.Method = a2a.OpRaw, "Fly" },
		"wrong JSON": func(c *session.Call) {
			c.Op, c.Params.Method, c.Params.Body = a2a.OpRaw, "GetTask", []byte(`{"id":{}}`)
		},
		"generation": func(c *session.Call) { c.Gen = a2a.Gen01 },
		"query key": func(c *session.Call) {
			c.Auth = []session.Credential{{Kind: "apikey", In: "query", Name: "k", Value: "v"}}
		},
		"grpc's own":    func(c *session.Call) { c.Header = [][2]string{{"grpc-timeout", "1S"}} },
		"header name":   func(c *session.Call) { c.Header = [][2]string{{"a!b", "1"}} },
		"header value":  func(c *session.Call) { c.Header = [][2]string{{"a", "é"}} },
		"other service": func(c *session.Call) { c.Op, c.Params.Method = a2a.OpRaw, "x.Y/GetTask" },
	} {
		cl := rpcCall(a2a.OpSend, "127.0.0.1:1")
		change(&cl)
		if _, err := newClient(t, Options{}).Prepare(cl); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestRPCTargets(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		"127.0.0.1:50": "http://127.0.0.1:50", "localhost:50": "http://localhost:50", "[::1]:50": "http://[::1]:50",
		"h.example:50": "https://h.example:50", "h.example": "https://h.example", "grpc://h.example:50": "http://h.example:50",
		"grpcs://127.0.0.1:50": "https://127.0.0.1:50", "http://h.example:50/x?y=1": "http://h.example:50", "https://h.example/": "https://h.example",
		"dns:///h.example:50": "https://h.example:50",
	} {
		if got, err := rpcTarget(raw); err != nil || got.String() != want {
			t.Errorf("%s: %s, %v; want %s", raw, got, err, want)
		}
	}
}

func TestRPCErrors(t *testing.T) {
	t.Parallel()
	info := func(code codes.Code, reason string) error {
		st, err := status.New(code, "no: "+reason).WithDetails(&errdetails.ErrorInfo{Reason: reason, Domain: "a2a-protocol.org"})
		if err != nil {
			t.Error(err)
		}
		return st.Err()
	}
	for _, tc := range []struct {
		name   string
		err    error
		want   a2a.ErrorName
		status int
		a2a    bool
	}{
		{"not found", info(codes.NotFound, "TASK_NOT_FOUND"), a2a.ErrTaskNotFound, 404, true},
		{"not cancelable", info(codes.FailedPrecondition, "TASK_NOT_CANCELABLE"), a2a.ErrTaskNotCancelable, 400, true},
		{"version", info(codes.Unimplemented, "VERSION_NOT_SUPPORTED"), a2a.ErrVersionNotSupported, 501, true},
		{"unimplemented", status.Error(codes.Unimplemented, "unknown service lf.a2a.v1.A2AService"), a2a.ErrMethodNotFound, 501, false},
		{"unauthenticated", status.Error(codes.Unauthenticated, "who are you"), a2a.ErrUnauthenticated, 401, false},
		{"forbidden", status.Error(codes.PermissionDenied, "not you"), a2a.ErrPermissionDenied, 403, false},
		{"task in words", status.Error(codes.NotFound, "task not found"), a2a.ErrTaskNotFound, 404, true},
		{"parameters", status.Error(codes.InvalidArgument, "no parts"), a2a.ErrInvalidParams, 400, true},
		{"internal", status.Error(codes.Internal, "it broke\r\nbadly"), a2a.ErrInternal, 500, true},
		{"unavailable", status.Error(codes.Unavailable, "try later"), a2a.ErrOther, 503, false},
		{"no gRPC code", status.Error(codes.Code(99), "odd"), a2a.ErrInternal, 500, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			addr := serve10(t, &agent10{
				get:    func(context.Context, *pb10.GetTaskRequest) (*pb10.Task, error) { return nil, tc.err },
				stream: func(*pb10.SendMessageRequest, grpc.ServerStreamingServer[pb10.StreamResponse]) error { return tc.err },
			})
			c := newClient(t, Options{})
			for _, op := range []a2a.Operation{a2a.OpGet, a2a.OpStream} {
				_, got := exchangeOf(t, c, rpcCall(op, addr))
				r := oneResponse(t, got).Response
				p := a2a.Decode(a2a.Input{Raw: r.ProtoJSON, Op: op, HTTPStatus: r.Status})
				if p.Error == nil || p.Error.Name != tc.want || r.Status != tc.status || p.Error.A2A != tc.a2a || r.Stream {
					t.Errorf("%s: %+v from %s", op, p.Error, shape(got))
				}
				if head := string(got[0].Raw[:r.Head]); !strings.Contains(head, fmt.Sprintf("grpc-status: %d\r\n", status.Code(tc.err))) {
					t.Errorf("%s: head %q", op, head)
				}
			}
		})
	}
}

func TestRPCStream(t *testing.T) {
	t.Parallel()
	event := func(i int) *pb10.StreamResponse {
		return &pb10.StreamResponse{Payload: &pb10.StreamResponse_ArtifactUpdate{ArtifactUpdate: &pb10.TaskArtifactUpdateEvent{
			TaskId: "t-1", Artifact: &pb10.Artifact{ArtifactId: "a", Parts: []*pb10.Part{{Content: &pb10.Part_Text{Text: fmt.Sprint(i)}}}},
		}}}
	}
	for _, tc := range []struct {
		name string
		end  error
		want string // of the last frame
	}{
		{"clean", nil, ""},
		{"error at the end", status.Error(codes.Internal, "it broke"), "trailer"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			addr := serve10(t, &agent10{stream: func(_ *pb10.SendMessageRequest, s grpc.ServerStreamingServer[pb10.StreamResponse]) error {
				for i := range 3 {
					if err := s.Send(event(i)); err != nil {
						return err
					}
				}
				return tc.end
			}})
			_, got := exchangeOf(t, newClient(t, Options{}), rpcCall(a2a.OpStream, addr))
			if len(got) < 5 || got[0].Response == nil || !got[0].Response.Stream || got[len(got)-1].Closed == nil {
				t.Fatal(shape(got))
			}
			for i, a := range got[1:4] {
				m := &pb10.StreamResponse{}
				if err := proto.Unmarshal(a.Raw, m); err != nil || !proto.Equal(m, event(i)) || a.Frame.N != i+1 || a.Frame.Kind != "message" {
					t.Errorf("%d: %v %v", i, m, err)
				}
				if p := a2a.Decode(a2a.Input{Raw: a.Frame.ProtoJSON, Op: a2a.OpStream}); p.Artifact == nil || len(p.Anomalies) > 0 {
					t.Errorf("%d: %+v", i, p)
				}
			}
			closed := got[len(got)-1].Closed
			if closed.How != session.ClosedClean || closed.Frames != len(got)-2 {
				t.Errorf("closed %+v", closed)
			}
			if last := got[len(got)-2]; tc.want != "" && (last.Frame == nil || last.Frame.Kind != tc.want || !strings.Contains(string(last.Raw), "grpc-status: 13")) {
				t.Error(shape(got))
			}
		})
	}
}

// An operator drops the stream; a console that stops does too.
func TestRPCStreamLeft(t *testing.T) {
	t.Parallel()
	for cause, how := range map[error]string{ErrDetach: session.ClosedDetached, io.ErrClosedPipe: session.ClosedStopped} {
		gone := make(chan struct{})
		addr := serve10(t, &agent10{stream: func(_ *pb10.SendMessageRequest, s grpc.ServerStreamingServer[pb10.StreamResponse]) error {
			_ = s.Send(&pb10.StreamResponse{Payload: &pb10.StreamResponse_Task{Task: task10("t-1", pb10.TaskState_TASK_STATE_WORKING)}})
			<-s.Context().Done()
			close(gone)
			return nil
		}})
		ctx, cancel := context.WithCancelCause(t.Context())
		c := newClient(t, Options{})
		var got []session.Arrival
		if err := c.Do(ctx, mustPrepare(t, rpcCall(a2a.OpStream, addr)), func(a session.Arrival) {
			got = append(got, a)
			if a.Frame != nil {
				cancel(cause)
			}
		}); err != nil {
			t.Fatal(err)
		}
		if last := got[len(got)-1]; last.Closed == nil || last.Closed.How != how {
			t.Error(shape(got))
		}
		select {
		case <-gone:
		case <-time.After(10 * time.Second):
			t.Error("the server was not told")
		}
	}
}

// agent03 is a server of the old service alone.
type agent03 struct {
	pb03.UnimplementedA2AServiceServer
	got chan *pb03.SendMessageRequest
}

func (a *agent03) SendMessage(_ context.Context, r *pb03.SendMessageRequest) (*pb03.SendMessageResponse, error) {
	a.got <- r
	return &pb03.SendMessageResponse{Payload: &pb03.SendMessageResponse_Msg{Msg: &pb03.Message{MessageId: "x", Role: pb03.Role_ROLE_AGENT, Parts: r.GetRequest().GetParts()}}}, nil
}

// The services of 0.3 and 1.0 are told apart by name.
func TestRPCGenerations(t *testing.T) {
	t.Parallel()
	a := &agent03{got: make(chan *pb03.SendMessageRequest, 1)}
	addr := serveRPC(t, func(s *grpc.Server) { pb03.RegisterA2AServiceServer(s, a) })
	c := newClient(t, Options{})
	cl := rpcCall(a2a.OpSend, addr)
	_, got := exchangeOf(t, c, cl)
	if r := oneResponse(t, got).Response; r.Status != 501 {
		t.Error(shape(got))
	}
	cl.Gen = a2a.Gen03
	_, got = exchangeOf(t, c, cl)
	r := oneResponse(t, got).Response
	p := a2a.Decode(a2a.Input{Raw: r.ProtoJSON, Op: a2a.OpSend, HTTPStatus: r.Status})
	if p.Message == nil || p.Message.ID != "x" || p.Message.Parts[0].Text != "hallo" {
		t.Errorf("%+v %s", p, shape(got))
	}
	if m := (<-a.got).GetRequest(); m.GetMessageId() != "m-1" || m.GetRole() != pb03.Role_ROLE_USER {
		t.Errorf("the server read %v", m)
	}
}
