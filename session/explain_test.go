package session_test

import (
	"strings"
	"testing"

	"a2ascope/session"
)

// Each status and code that peers use has one plain line of its own.
func TestMeanings(t *testing.T) {
	t.Parallel()
	seen := map[string]int{}
	check := func(n int, s string) {
		if s == "" || strings.Contains(s, "\n") || !strings.Contains(s, ": ") || len(s) > 160 {
			t.Errorf("%d: %q is not one line of what it means and what to do", n, s)
		}
		if other := seen[s]; other != 0 {
			t.Errorf("%d and %d say the same", n, other)
		}
		seen[s] = n
	}
	for _, n := range []int{400, 401, 403, 404, 405, 406, 415, 429, 500, 502, 503, 504} {
		check(n, session.MeaningOfStatus(n))
	}
	for _, n := range []int{-32700, -32600, -32601, -32602, -32603, -32001, -32002, -32003, -32004, -32005, -32006, -32007, -32008, -32009} {
		check(n, session.MeaningOfCode(n))
	}
	if s := session.MeaningOfStatus(200) + session.MeaningOfCode(7); s != "" {
		t.Errorf("what needs no word has %q", s)
	}
	head := "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n"
	for _, c := range []struct {
		name string
		r    session.Record
		want string
	}{
		{"an error in an answer", session.Record{Kind: session.KindResponse, Body: session.Encode(session.Responded{Status: 200, ContentType: "application/json", Head: len(head)}),
			Raw: []byte(head + `{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"gone"}}`)}, "-32001 "},
		{"a page", session.Record{Kind: session.KindResponse, Body: session.Encode(session.Responded{Status: 502, ContentType: "text/html", Head: len(head)}), Raw: []byte(head + "<html>")}, "HTTP 502: "},
		{"an error on a stream", session.Record{Kind: session.KindFrame, Body: session.Encode(session.Framed{N: 1, Kind: "event"}),
			Raw: []byte("data: {\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32603,\"message\":\"x\"}}\n\n")}, "-32603 "},
		{"a good answer", session.Record{Kind: session.KindResponse, Body: session.Encode(session.Responded{Status: 200, Head: len(head)}), Raw: []byte(head + `{"jsonrpc":"2.0","id":1,"result":{}}`)}, ""},
	} {
		if got := session.Meaning(&c.r); c.want == "" && got != "" || !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %q, want it to begin with %q", c.name, got, c.want)
		}
	}
}
