package fieldcases

import (
	"context"
	"net"
	"strings"
	"testing"

	pb10 "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// rpcOnly is a peer of gRPC alone. It refuses everything with a code unless
// that is OK.
type rpcOnly struct {
	pb10.UnimplementedA2AServiceServer
	refusal codes.Code
}

func (r *rpcOnly) SendMessage(context.Context, *pb10.SendMessageRequest) (*pb10.SendMessageResponse, error) {
	if r.refusal != codes.OK {
		return nil, status.Error(r.refusal, "no")
	}
	return &pb10.SendMessageResponse{Payload: &pb10.SendMessageResponse_Message{Message: &pb10.Message{
		MessageId: "m-after", Role: pb10.Role_ROLE_AGENT, Parts: []*pb10.Part{{Content: &pb10.Part_Text{Text: "still here"}}},
	}}}, nil
}

func (r *rpcOnly) GetExtendedAgentCard(context.Context, *pb10.GetExtendedAgentCardRequest) (*pb10.AgentCard, error) {
	return &pb10.AgentCard{Name: "Only over gRPC", Description: "d", Version: "1", Capabilities: &pb10.AgentCapabilities{}}, nil
}

// overRPC walks a session that finds no card and is told a gRPC address.
func overRPC(t *testing.T, r *rpcOnly, lines ...string) *walked {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := grpc.NewServer()
	pb10.RegisterA2AServiceServer(s, r)
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = s.Serve(l)
	}()
	t.Cleanup(func() {
		s.Stop()
		<-served
	})
	return fieldCase{lines: append([]string{"endpoint http://" + l.Addr().String(), "interface grpc 1.0"}, lines...)}.walk(t)
}

// TestNoCardButRPC is case 14 where the peer speaks gRPC alone: its card comes
// by a call.
func TestNoCardButRPC(t *testing.T) {
	t.Parallel()
	w := overRPC(t, &rpcOnly{}, "extended-card")
	if told := w.told(); w.err != nil || !strings.Contains(told, "Only over gRPC") || w.doc.Exit.Status != 0 {
		t.Errorf("%v, exit %+v%s\n%s", w.err, w.doc.Exit, w.transcript(), told)
	}
	if n := len(w.doc.Tasks); n == 0 || w.doc.Tasks[n-1].LastMessage != "still here" {
		t.Errorf("a message was not answered%s", w.transcript())
	}
}

// TestRefusedOverRPC: gRPC's words for 401 and 403 earn the exit status of
// refused credentials, and no other refusal does.
func TestRefusedOverRPC(t *testing.T) {
	t.Parallel()
	for code, want := range map[codes.Code]bool{codes.Unauthenticated: true, codes.PermissionDenied: true, codes.InvalidArgument: false} {
		t.Run(code.String(), func(t *testing.T) {
			t.Parallel()
			w := overRPC(t, &rpcOnly{refusal: code})
			if got := w.doc.Exit.Status == 4; got != want {
				t.Errorf("exit %+v%s", w.doc.Exit, w.transcript())
			}
		})
	}
}
