package session

import (
	"slices"
	"strings"
	"testing"

	"a2ascope/session/a2a"
)

func TestResolveGRPC(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ card, declared, want string }{
		{"https://a.example/x", "b.example:50051", "https://b.example:50051"},
		{"http://a.example/x", "b.example:50051", "http://b.example:50051"},
		{"http://a.example/x", "b.example:443", "https://b.example:443"},
		{"https://a.example/x", "localhost:50051", "http://localhost:50051"},
		{"https://a.example/x", "127.0.0.1:50051", "http://127.0.0.1:50051"},
		{"https://a.example/x", "[::1]:50051", "http://[::1]:50051"},
		{"", "b.example", "https://b.example"},
		{"https://a.example/x", "grpc://b.example:1", "http://b.example:1"},
		{"http://a.example/x", "grpcs://b.example:1", "https://b.example:1"},
		{"http://a.example/x", "https://b.example:1/", "https://b.example:1/"},
		{"http://a.example/x", "dns:///b.example:1", "http://b.example:1"},
		{"http://a.example/x", "", ""},
		{"http://a.example/x", "unix:///tmp/s", ""},
		{"http://a.example/x", "b.example:port", ""},
	} {
		if got := ResolveGRPC(c.card, c.declared); got != c.want {
			t.Errorf("%s on a card of %s: %q, want %q", c.declared, c.card, got, c.want)
		}
	}
}

func TestPlacesOverGRPC(t *testing.T) {
	t.Parallel()
	const modern, old = "/lf.a2a.v1.A2AService/GetExtendedAgentCard", "/a2a.v1.A2AService/GetAgentCard"
	for _, c := range []struct {
		typed string
		want  []string
	}{
		{"grpc://A.example:50051", []string{"grpc://a.example:50051" + modern, "grpc://a.example:50051" + old, "http://a.example:50051" + wellKnownCard, "http://a.example:50051" + wellKnownLegacy}},
		{"GRPCS://u:p@a.example/", []string{"grpcs://a.example" + modern, "grpcs://a.example" + old, "https://a.example" + wellKnownCard, "https://a.example" + wellKnownLegacy}},
		{"grpc://[::1]:1" + old, []string{"grpc://[::1]:1" + old, "grpc://[::1]:1" + modern, "http://[::1]:1" + wellKnownCard, "http://[::1]:1" + wellKnownLegacy}},
	} {
		if got, err := CardPlaces(c.typed); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, %v", c.typed, got, err)
		}
	}
	for typed, words := range map[string]string{
		"grpc://a.example:1/agent": "write grpc://a.example:1,", "grpc://a.example:1?x=y": "has a path", "grpc:///x": "no host", "grpc://a.example:0": "has the port 0", "unix:///tmp/s": "grpc and grpcs can be spoken",
	} {
		if got, err := CardPlaces(typed); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%s: %q, %v", typed, got, err)
		}
	}
	for _, same := range [][2]string{
		{PeerKey("grpcs://a.example:443" + modern), "grpcs://a.example"}, {PeerKey("grpc://a.example:1/"), "grpc://a.example:1"}, {OriginOf("grpcs://a.example"), "https://a.example"},
	} {
		if same[0] != same[1] {
			t.Errorf("%s, want %s", same[0], same[1])
		}
	}
	if !SameOrigin("grpc://a.example:1", "http://a.example:1/x") || SameOrigin("grpc://a.example:1", "https://a.example:1") {
		t.Error("grpc is the origin of http, and not of https")
	}
}

// An address of gRPC is spoken by gRPC, in a generation that has it, until
// another address or interface is chosen.
func TestEndpointOfGRPC(t *testing.T) {
	t.Parallel()
	s := NewState()
	s.Peer.Card = &a2a.Card{Interfaces: []a2a.Interface{{URL: "https://a.example/rpc", Binding: a2a.JSONRPC, Generation: a2a.Gen02}}}
	for _, step := range []struct {
		line string
		want Interface
	}{
		{"endpoint grpc://b.example:1", Interface{URL: "http://b.example:1", Binding: a2a.GRPC, Gen: a2a.Gen10}},
		{"interface grpc 0.3", Interface{URL: "http://b.example:1", Binding: a2a.GRPC, Gen: a2a.Gen03}},
		{"interface jsonrpc 0.2", Interface{URL: "https://a.example/rpc", Binding: a2a.JSONRPC, Gen: a2a.Gen02}},
		{"endpoint grpcs://b.example", Interface{URL: "https://b.example", Binding: a2a.GRPC, Gen: a2a.Gen10}}, // 0.2 has no gRPC
		{"endpoint https://c.example/rpc", Interface{URL: "https://c.example/rpc", Binding: a2a.JSONRPC, Gen: a2a.Gen02}},
	} {
		cmd, err := ParseCommand(step.line)
		if err != nil {
			t.Fatal(err)
		}
		s.carryOut(&Change{}, &CommandState{Cmd: cmd}, &Commanded{})
		if s.Peer.Use != step.want {
			t.Errorf("%s: %+v, want %+v", step.line, s.Peer.Use, step.want)
		}
	}
	for _, line := range []string{"endpoint grpc://b.example:1/x", "discover grpc://", "discover grpcs://b.example?x=y", "push set grpc://b.example:1"} {
		if _, err := ParseCommand(line); err == nil {
			t.Errorf("%s is taken", line)
		}
	}
}
