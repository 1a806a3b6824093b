package peerclient

import (
	"context"
	"slices"
	"strings"
	"testing"

	pb10 "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"a2ascope/session"
	"a2ascope/session/a2a"
)

// packing answers a get and a stream with one task each, packed, whose one
// artifact holds as many letters as asked.
func packing(t *testing.T, letters int) string {
	task := task10("t-1", pb10.TaskState_TASK_STATE_COMPLETED)
	task.Artifacts = []*pb10.Artifact{{ArtifactId: "a", Parts: []*pb10.Part{{Content: &pb10.Part_Text{Text: strings.Repeat("x", letters)}}}}}
	return serve10(t, &agent10{
		get: func(ctx context.Context, _ *pb10.GetTaskRequest) (*pb10.Task, error) {
			return task, grpc.SetSendCompressor(ctx, "gzip")
		},
		stream: func(_ *pb10.SendMessageRequest, s grpc.ServerStreamingServer[pb10.StreamResponse]) error {
			if err := grpc.SetSendCompressor(s.Context(), "gzip"); err != nil {
				return err
			}
			return s.Send(&pb10.StreamResponse{Payload: &pb10.StreamResponse_Task{Task: task}})
		},
	})
}

// A packed message is read, and recorded as what it holds.
func TestRPCPacked(t *testing.T) {
	t.Parallel()
	const letters = 5000
	addr, c := packing(t, letters), newClient(t, Options{})
	p, got := exchangeOf(t, c, rpcCall(a2a.OpGet, addr))
	if head := string(p.Raw[:p.Body.Head]); !strings.Contains(head, "\r\ngrpc-accept-encoding: gzip\r\n") {
		t.Errorf("the head does not say what is taken:\n%s", head)
	}
	a := oneResponse(t, got)
	if pl := a2a.Decode(a2a.Input{Raw: a.Response.ProtoJSON, Op: a2a.OpGet, HTTPStatus: 200}); pl.Task == nil || len(pl.Task.Artifacts) != 1 || len(a.Raw)-a.Response.Head < letters {
		t.Errorf("%+v from %s", pl, shape(got))
	}
	_, got = exchangeOf(t, c, rpcCall(a2a.OpStream, addr))
	if len(got) != 3 || got[1].Frame == nil || len(got[1].Raw) < letters || got[2].Closed == nil || got[2].Closed.How != session.ClosedClean {
		t.Error(shape(got))
	}
}

// A message that is short packed and too long unpacked meets the same cap as
// one that came as it is.
func TestRPCPackedBomb(t *testing.T) {
	t.Parallel()
	addr, c := packing(t, 3<<20), newClient(t, Options{MaxBody: 1 << 20, MaxEvent: 1 << 20})
	_, got := exchangeOf(t, c, rpcCall(a2a.OpGet, addr))
	if r := oneResponse(t, got).Response; !r.Truncated || r.ProtoJSON != nil {
		t.Error(shape(got))
	}
	_, got = exchangeOf(t, c, rpcCall(a2a.OpStream, addr))
	if last := got[len(got)-1]; last.Closed == nil || last.Closed.How != session.ClosedOversize {
		t.Error(shape(got))
	}
}

// Extensions that are understood go along as metadata, by the name that the
// generation gives them; credentials do so unless they are withheld.
func TestRPCExtensionsAndCredentials(t *testing.T) {
	t.Parallel()
	got := make(chan metadata.MD, 1)
	addr := serve10(t, &agent10{get: func(ctx context.Context, _ *pb10.GetTaskRequest) (*pb10.Task, error) {
		md, _ := metadata.FromIncomingContext(ctx)
		got <- md
		return task10("t-1", pb10.TaskState_TASK_STATE_COMPLETED), nil
	}})
	c := newClient(t, Options{})
	cl := rpcCall(a2a.OpGet, addr)
	cl.Extensions = []string{"urn:one", "urn:two", "not, one"}
	exchangeOf(t, c, cl)
	if md := <-got; !slices.Equal(md.Get("a2a-extensions"), []string{"urn:one, urn:two"}) || md.Get("authorization") != nil {
		t.Errorf("the server read %v", md)
	}
	cl.Auth, cl.Withhold = []session.Credential{{Kind: "bearer", Value: "s3cret", From: "$TOKEN"}}, true
	p, _ := exchangeOf(t, c, cl)
	if md := <-got; md.Get("authorization") != nil || p.Body.Withheld != "bearer $TOKEN" {
		t.Errorf("the server read %v, withheld %q", md, p.Body.Withheld)
	}
	cl.Gen = a2a.Gen03
	if p := mustPrepare(t, cl); !strings.Contains(string(p.Raw[:p.Body.Head]), "\r\nx-a2a-extensions: urn:one, urn:two\r\n") {
		t.Errorf("0.3:\n%s", p.Raw[:p.Body.Head])
	}
}
