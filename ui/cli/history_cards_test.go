package cli_test

import (
	"encoding/json"
	"strings"
	"testing"

	"a2ascope/session"
)

// The cards of a peer are told from the log: each embedded peer of these runs
// listens on a port of its own, so each run reads another card.
func TestHistoryCards(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.session(0, "demo:honest", "json")
	b.session(0, "demo:honest", "json")
	b.session(0, "demo:resumes", "json")
	r := b.run("history", "cards", "demo:honest", "--output", "json")
	var cards []session.CardVersion
	if err := json.Unmarshal([]byte(r.out), &cards); err != nil || r.status != 0 {
		t.Fatalf("status %d, %v: %s%s", r.status, err, r.out, r.err)
	}
	if len(cards) != 2 || cards[0].N != 1 || cards[0].SHA256 == cards[1].SHA256 || cards[0].Version == "" || len(cards[0].Changes) != 0 {
		t.Fatalf("cards %+v", cards)
	}
	if len(cards[1].Changes) == 0 || !strings.Contains(cards[1].Changes[0].Path, "url") {
		t.Errorf("changes %+v, want the address", cards[1].Changes)
	}
	text := b.run("history", "cards", "demo:honest")
	for _, want := range []string{"1  " + cards[0].SHA256[:12], "2  " + cards[1].SHA256[:12], "first in session " + cards[1].Session, cards[1].Changes[0].Path} {
		if !strings.Contains(text.out, want) {
			t.Errorf("%q is not in\n%s", want, text.out)
		}
	}
	if r := b.run("history", "cards", "demo:honest", cards[1].SHA256[:8], "1"); r.status != 0 || !strings.Contains(r.out, cards[1].Changes[0].Path) {
		t.Errorf("two cards: status %d: %s%s", r.status, r.out, r.err)
	}
	for _, args := range [][]string{{"demo:honest", "1"}, {"demo:honest", "1", "9"}, {"demo:honest", "1", "zzzz"}} {
		if r := b.run(append([]string{"history", "cards"}, args...)...); r.status != 2 {
			t.Errorf("%q: status %d, want 2: %s", args, r.status, r.err)
		}
	}
	if r := b.run("history", "cards", "https://nobody.example"); r.status != 0 || !strings.Contains(r.err, "no session read a card") {
		t.Errorf("nobody: status %d: %s", r.status, r.err)
	}
}
