package console

import (
	"testing"
	"time"

	"a2ascope/session"
)

func TestCardsOfAPeerAndWhatChanged(t *testing.T) {
	t.Parallel()
	var h session.CardHistory
	for i, raw := range []string{`{"name":"Acme","version":"1","capabilities":{"streaming":true}}`, `{"name":"Acme","version":"2"}`, `{"name":"Acme\u001b[2J","version":"3"}`} {
		h.Add("s-1", &session.Record{Seq: uint64(i + 4), Wall: start.Add(time.Duration(i) * time.Hour), Kind: session.KindCard, Raw: []byte(raw),
			Body: session.Encode(session.CardRead{SHA256: string(rune('a'+i)) + "0000000000000000"})})
	}
	src := recorded()
	src.cards = h.Versions()
	src.peers = []PeerRow{{URL: "https://a.example", Name: "Acme", Sessions: 1}}
	for _, size := range [][2]int{{80, 24}, {160, 45}} {
		b := newBench(t, Options{Sessions: src}, size[0], size[1])
		b.keys("v").wants("Cards of https://a.example", "Card 3 · Acme^[[2J 3 · c00000000000", "version", `"2"`, "enter compare two")
		b.keys("G").wants("capabilities", "(not there)", "the first of its kind").keys("enter").wants("Compare which card …", "card 3 · 3")
		b.text("card 1").keys("enter").wants("… card 1 with which").lacks("card 1 · 1").keys("enter").wants("Card 1 to card 3", "capabilities")
		b.keys("esc").lacks("Card 1 to card 3")
		b.keys("H", "v").wants("Cards of ", "Card 3").keys("esc")
	}
	src.dropped = 2
	b := newBench(t, Options{Sessions: src}, 80, 24)
	b.keys("v").wants("2 reads of further cards are not listed", "no more than 3 cards")
	src.cards = nil
	b = newBench(t, Options{Sessions: src}, 80, 24)
	b.keys("v").wants("no session has read a card of https://a.example")
}
