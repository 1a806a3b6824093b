package cli_test

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"net"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	pb03 "github.com/a2aproject/a2a-go/a2apb"
	pb10 "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"

	"a2ascope/session"
)

// rpcHeard is what a peer of gRPC alone got: how many messages, and with which
// credentials its calls came.
type rpcHeard struct {
	mu    sync.Mutex
	sends int
	with  []string // a credential a call, empty for none
}

func (h *rpcHeard) hear(ctx context.Context, message bool) {
	md, _ := metadata.FromIncomingContext(ctx)
	h.mu.Lock()
	defer h.mu.Unlock()
	if message {
		h.sends++
	}
	h.with = append(h.with, strings.Join(md.Get("authorization"), ", "))
}

func (h *rpcHeard) told() (int, []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.sends, append([]string(nil), h.with...)
}

// rpc10 speaks 1.0, and gives its card by a call.
type rpc10 struct {
	pb10.UnimplementedA2AServiceServer
	rpcHeard
	at  string // what its card names
	tag string // of its skill
}

func (p *rpc10) GetExtendedAgentCard(ctx context.Context, _ *pb10.GetExtendedAgentCardRequest) (*pb10.AgentCard, error) {
	p.hear(ctx, false)
	return &pb10.AgentCard{
		Name: "Over gRPC", Description: "d", Version: "1", Capabilities: &pb10.AgentCapabilities{}, DefaultInputModes: []string{"text/plain"}, DefaultOutputModes: []string{"text/plain"},
		SupportedInterfaces: []*pb10.AgentInterface{{Url: p.at, ProtocolBinding: "GRPC", ProtocolVersion: "1.0"}},
		Skills:              []*pb10.AgentSkill{{Id: "s", Name: "s", Description: "d", Tags: []string{p.tag}}},
	}, nil
}

func (p *rpc10) SendMessage(ctx context.Context, _ *pb10.SendMessageRequest) (*pb10.SendMessageResponse, error) {
	p.hear(ctx, true)
	return &pb10.SendMessageResponse{Payload: &pb10.SendMessageResponse_Message{Message: &pb10.Message{
		MessageId: "m", Role: pb10.Role_ROLE_AGENT, Parts: []*pb10.Part{{Content: &pb10.Part_Text{Text: "hello"}}},
	}}}, nil
}

// rpc03 speaks 0.3, and has no card at all.
type rpc03 struct {
	pb03.UnimplementedA2AServiceServer
	rpcHeard
}

func (p *rpc03) SendMessage(ctx context.Context, _ *pb03.SendMessageRequest) (*pb03.SendMessageResponse, error) {
	p.hear(ctx, true)
	return &pb03.SendMessageResponse{Payload: &pb03.SendMessageResponse_Msg{Msg: &pb03.Message{
		MessageId: "m", Role: pb03.Role_ROLE_AGENT, Parts: []*pb03.Part{{Part: &pb03.Part_Text{Text: "hello"}}},
	}}}, nil
}

// serveRPC starts a server and returns its host and port.
func serveRPC(t *testing.T, register func(s *grpc.Server, at string), o ...grpc.ServerOption) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := grpc.NewServer(o...)
	register(s, l.Addr().String())
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

// answered is what a run that must come to nothing but an answer printed.
func answered(t *testing.T, r result) session.Document {
	t.Helper()
	var d session.Document
	if err := json.Unmarshal([]byte(r.out), &d); err != nil || r.status != 0 {
		t.Fatalf("status %d, %v\n%s%s", r.status, err, r.out, r.err)
	}
	if len(d.Tasks) != 1 || d.Tasks[0].LastMessage != "hello" || d.Faults != 0 || d.Peer.Binding != "GRPC" {
		t.Errorf("%+v\n%+v", d.Peer, d.Tasks)
	}
	return d
}

// An agent of gRPC alone needs no card over HTTP: its address is enough.
func TestRunOverRPC(t *testing.T) {
	t.Parallel()
	p := &rpc10{}
	host := serveRPC(t, func(s *grpc.Server, at string) {
		p.at = at
		pb10.RegisterA2AServiceServer(s, p)
	})
	d := answered(t, newBench(t).run("run", "grpc://"+host, "-c", "send hi", "--output", "json"))
	if d.Peer.Generation != "1.0" || d.Peer.Name != "Over gRPC" || d.Peer.URL != "grpc://"+host || d.Peer.CardURL != "grpc://"+host+"/lf.a2a.v1.A2AService/GetExtendedAgentCard" {
		t.Errorf("%+v", d.Peer)
	}
	if n, _ := p.told(); n != 1 {
		t.Errorf("the message came %d times", n)
	}
}

// The cards that came by gRPC are told apart like any others, and sending what
// the operator holds back arrives without it.
func TestCardsOverRPC(t *testing.T) {
	t.Parallel()
	p := &rpc10{tag: "old"}
	host := serveRPC(t, func(s *grpc.Server, at string) {
		p.at = at
		pb10.RegisterA2AServiceServer(s, p)
	})
	b := newBench(t)
	b.env["RPC_TOKEN"] = "t0p-s3cret"
	args := []string{"run", "grpc://" + host, "--bearer-env", "RPC_TOKEN", "-c", "send --without credentials hi", "--output", "json"}
	answered(t, b.run(args...))
	answered(t, b.run(args...))
	p.tag = "new"
	answered(t, b.run(args...))
	if _, with := p.told(); !slices.Equal(with, []string{"Bearer t0p-s3cret", "", "Bearer t0p-s3cret", "", "Bearer t0p-s3cret", ""}) {
		t.Errorf("calls came with %q", with)
	}
	r := b.run("history", "cards", "grpc://"+host, "--output", "json")
	var cards []session.CardVersion
	if err := json.Unmarshal([]byte(r.out), &cards); err != nil || r.status != 0 || len(cards) != 2 || len(cards[1].Changes) != 1 || !strings.Contains(cards[1].Changes[0].Path, "tags") {
		t.Errorf("status %d, %v: %s%s", r.status, err, r.out, r.err)
	}
}

// Where only 0.3 is served, and no card, 1.0 is refused first: the message is
// taken once. The card is asked for over HTTP at last, in vain: a fault.
func TestEndpointOverRPC(t *testing.T) {
	t.Parallel()
	p := &rpc03{}
	host := serveRPC(t, func(s *grpc.Server, _ string) { pb03.RegisterA2AServiceServer(s, p) })
	for _, args := range [][]string{{"grpc://" + host}, {"http://127.0.0.1:9", "-c", "endpoint grpc://" + host}} {
		r := newBench(t).run(append(append([]string{"run"}, args...), "-c", "send hi", "--output", "json")...)
		var d session.Document
		if err := json.Unmarshal([]byte(r.out), &d); err != nil || r.status != 0 || len(d.Tasks) != 1 || d.Tasks[0].LastMessage != "hello" || d.Peer.Generation != "0.3" || d.Peer.Binding != "GRPC" {
			t.Errorf("status %d, %v\n%s%s", r.status, err, r.out, r.err)
		}
	}
	if n, _ := p.told(); n != 2 {
		t.Errorf("two messages came %d times", n)
	}
}

// Over TLS, credentials go to the origin that was typed, and not where the card
// that was read there sends the calls.
func TestRunOverSecureRPC(t *testing.T) {
	t.Parallel()
	web := httptest.NewUnstartedServer(nil)
	web.StartTLS() // for its certificate
	t.Cleanup(web.Close)
	ca := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: web.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	secure := grpc.Creds(credentials.NewTLS(web.TLS))
	home, elsewhere := &rpc10{}, &rpc10{}
	away := serveRPC(t, func(s *grpc.Server, _ string) { pb10.RegisterA2AServiceServer(s, elsewhere) }, secure)
	host := serveRPC(t, func(s *grpc.Server, _ string) {
		home.at = "https://" + away
		pb10.RegisterA2AServiceServer(s, home)
	}, secure)
	b := newBench(t)
	b.env["RPC_TOKEN"] = "t0p-s3cret"
	answered(t, b.run("run", "grpcs://"+host, "--ca", ca, "--bearer-env", "RPC_TOKEN", "-c", "send hi", "--output", "json"))
	if n, with := home.told(); n != 0 || len(with) != 1 || with[0] != "Bearer t0p-s3cret" {
		t.Errorf("where it was typed: %d messages, %q", n, with)
	}
	if n, with := elsewhere.told(); n != 1 || with[0] != "" {
		t.Errorf("elsewhere: %d messages, %q", n, with)
	}
}
