package session

import "testing"

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
