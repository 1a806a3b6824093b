package session

import "testing"

// TestReplayIsKnownByItsHeader: a recording that is served on this machine
// feeds no trust, and a peer elsewhere cannot claim to be one.
func TestReplayIsKnownByItsHeader(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, url, head, want string }{
		{"a replay", "http://127.0.0.1:7/x", "HTTP/1.1 200 OK\r\nA2ascope-Replay: exchange 1\r\n\r\n", "replayed"},
		{"a peer of this machine", "http://127.0.0.1:7/x", "HTTP/1.1 200 OK\r\n\r\n", ""},
		{"a peer elsewhere", "https://agents.example/x", "HTTP/1.1 200 OK\r\nA2ascope-Replay: exchange 1\r\n\r\n", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := NewState()
			s.fromReplay(&Change{Exchange: &Exchange{URL: tc.url}, Record: &Record{Raw: []byte(tc.head)}}, &Responded{Head: len(tc.head)})
			if got := s.origin(); got != tc.want {
				t.Errorf("origin %q, want %q", got, tc.want)
			}
		})
	}
}
