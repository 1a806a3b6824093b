package interop

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2acompat/a2av0"
	grpcv0 "github.com/a2aproject/a2a-go/v2/a2agrpc/v0"
	grpcv1 "github.com/a2aproject/a2a-go/v2/a2agrpc/v1"
	"github.com/a2aproject/a2a-go/v2/a2asrv"
	"github.com/a2aproject/a2a-go/v2/a2asrv/push"
	"github.com/a2aproject/a2a-go/v2/a2asrv/taskstore"
	"google.golang.org/grpc"
)

// peer is an agent of the official Go SDK behind all its bindings.
type peer struct {
	url  string // of the card that declares every binding
	grpc string // host:port
}

// goSDK serves the agent on loopback: one handler behind JSON-RPC, HTTP+JSON
// and gRPC, each in 1.0 and in the SDK's 0.3 compatibility.
func goSDK(t testing.TB, pace time.Duration) *peer {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	web := httptest.NewServer(mux)
	card := cardOf(web.URL, listener.Addr().String())
	handler := a2asrv.NewHandler(newAgent(pace),
		// The SDK lists tasks for those alone whom its store can name.
		a2asrv.WithTaskStore(taskstore.NewInMemory(&taskstore.InMemoryStoreConfig{
			Authenticator: func(context.Context) (string, error) { return "operator", nil },
		})),
		a2asrv.WithExtendedAgentCard(card),
		a2asrv.WithCapabilityChecks(&card.Capabilities),
		a2asrv.WithPushNotifications(push.NewInMemoryStore(), push.NewHTTPPushSender(nil)),
	)
	mux.Handle(a2asrv.WellKnownAgentCardPath, a2asrv.NewAgentCardHandler(a2av0.NewStaticAgentCardProducer(card)))
	mux.Handle("/rpc", a2asrv.NewJSONRPCHandler(handler))
	mux.Handle("/rest/", http.StripPrefix("/rest", a2asrv.NewRESTHandler(handler)))
	mux.Handle("/v0/rpc", a2av0.NewJSONRPCHandler(handler))
	// The SDK serves 0.3 below the paths of 1.0; the /v1 of the 0.3 text is
	// for who mounts it.
	mux.Handle("/v0/rest/v1/", http.StripPrefix("/v0/rest/v1", a2av0.NewRESTHandler(handler)))
	rpc := grpc.NewServer()
	grpcv1.NewHandler(handler).RegisterWith(rpc)
	grpcv0.NewHandler(handler).RegisterWith(rpc)
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = rpc.Serve(listener)
	}()
	t.Cleanup(func() {
		rpc.Stop()
		<-served
		web.CloseClientConnections()
		web.Close()
	})
	return &peer{url: web.URL, grpc: listener.Addr().String()}
}

func cardOf(web, rpc string) *a2a.AgentCard {
	at := func(url string, binding a2a.TransportProtocol, version a2a.ProtocolVersion) *a2a.AgentInterface {
		return &a2a.AgentInterface{URL: url, ProtocolBinding: binding, ProtocolVersion: version}
	}
	return &a2a.AgentCard{
		Name: "Go SDK", Description: "an agent on the official Go SDK", Version: "1.0.0",
		SupportedInterfaces: []*a2a.AgentInterface{
			at(web+"/rpc", a2a.TransportProtocolJSONRPC, a2a.Version),
			at(web+"/rest", a2a.TransportProtocolHTTPJSON, a2a.Version),
			at(rpc, a2a.TransportProtocolGRPC, a2a.Version),
			at(web+"/v0/rpc", a2a.TransportProtocolJSONRPC, a2av0.Version),
			at(web+"/v0/rest", a2a.TransportProtocolHTTPJSON, a2av0.Version),
			at(rpc, a2a.TransportProtocolGRPC, a2av0.Version),
		},
		Capabilities:       a2a.AgentCapabilities{Streaming: true, PushNotifications: true, ExtendedAgentCard: true},
		DefaultInputModes:  []string{"text/plain", "application/json"},
		DefaultOutputModes: []string{"text/plain", "application/json"},
		Skills: []a2a.AgentSkill{{
			ID: "texts", Name: "texts", Description: strings.Join([]string{"echo X", "task X", "slow N", "ask", "fail", "reject", "hang"}, ", "), Tags: []string{"test"},
		}},
	}
}
