package replay_test

import (
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"a2ascope/peerclient/replay"
	"a2ascope/session"
	"a2ascope/session/a2a"
)

// A card and an endpoint of two origins stay two.
func TestOrigins(t *testing.T) {
	t.Parallel()
	const other, dead = "https://rpc.example", "http://dead.example"
	log := newTape()
	n := log.asks(0, a2a.OpCard, a2a.JSONRPC, "GET", there+"/agent/card", "")
	log.answers(1, n, 200, `["`+other+`/rpc","`+dead+`/rpc"]`)
	log.put(session.KindCard, n, session.CardRead{URL: there + "/agent/card"}, `["`+other+`/rpc","`+dead+`/rpc"]`)
	n = log.asks(2, a2a.OpSend, a2a.JSONRPC, "POST", dead+"/rpc", `{"jsonrpc":"2.0","id":2,"method":"SendMessage","params":`+hello+`}`)
	log.put(session.KindFault, n, session.Faulted{Phase: "dns", Error: "no such host", Unsent: true}, "")
	n = log.asks(3, a2a.OpSend, a2a.JSONRPC, "POST", other+"/rpc", `{"jsonrpc":"2.0","id":3,"method":"SendMessage","params":`+hello+`}`)
	log.answers(4, n, 200, `{"jsonrpc":"2.0","id":3,"result":"there"}`)
	s := serve(t, replay.Options{Pages: log.Page})
	c := &client{t: t, url: s.URL()}
	var card []string
	if err := json.NewDecoder(c.do("GET", "/agent/card", "").Body).Decode(&card); err != nil || len(card) != 2 {
		t.Fatal(card, err)
	}
	here := strings.TrimSuffix(s.URL(), "/agent")
	if !strings.HasPrefix(card[0], "http://127.0.0.1:") || strings.HasPrefix(card[0], here) || card[1] != dead+"/rpc" {
		t.Errorf("card %q, served at %s", card, here)
	}
	if !slices.ContainsFunc(s.Notes(), func(n string) bool { return strings.Contains(n, "in place of "+other) }) {
		t.Errorf("notes %q", s.Notes())
	}
	resp, err := http.Post(card[0], "application/json", strings.NewReader(`{"jsonrpc":"2.0","id":9,"method":"SendMessage","params":`+hello+`}`))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil || string(b) != `{"jsonrpc":"2.0","id":9,"result":"there"}` {
		t.Errorf("%s, %v", b, err)
	}
}
