package console

import (
	"fmt"
	"strings"

	"a2ascope/session"
	"a2ascope/themes"
	"a2ascope/ui/clean"

	"charm.land/bubbles/v2/viewport"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// cardsMsg: the cards of a peer were read.
type cardsMsg struct {
	peer    string
	cards   []session.CardVersion
	dropped int
	err     error
}

// askCards reads the cards of a peer.
func (m *model) askCards(peer string) tea.Cmd {
	if peer == "" || m.opt.Sessions == nil {
		m.refuse("cards: no peer is selected")
		return nil
	}
	m.say(toastInfo, "reading the cards of "+clean.Line(peer, 80)+"…")
	src, ctx := m.opt.Sessions, m.ctx
	return func() tea.Msg {
		cards, dropped, err := src.Cards(ctx, peer)
		return cardsMsg{peer, cards, dropped, err}
	}
}

// gotCards shows them, each with what changed since the one before.
func (m *model) gotCards(msg cardsMsg) {
	m.toast = toast{}
	switch {
	case msg.err != nil:
		m.fail("reading the cards: " + msg.err.Error())
		return
	case len(msg.cards) == 0:
		m.say(toastWarn, "no session has read a card of "+clean.Line(msg.peer, 80)+" yet: enter opens one")
		return
	}
	box := m.prosed("Cards of "+clean.Line(msg.peer, 60), "the card history", func(t *prose) { t.cards(msg.cards, msg.dropped) })
	if len(msg.cards) > 1 {
		box.enter = "compare two"
		box.onEnter = func(m *model) tea.Cmd { m.pickCard(msg.cards, nil); return nil }
	}
	m.push(box)
}

// prosed is a text box with a text that is written anew for its width.
func (m *model) prosed(title, copies string, write func(t *prose)) *textBox {
	lines := func(st *themes.Styles, w int) []string {
		t := &prose{st: st, w: w}
		write(t)
		return t.lines
	}
	return &textBox{
		title: title, search: newLineInput(), box: viewport.New(), wide: true, copies: copies, make: lines,
		plain: ansi.Strip(strings.Join(lines(&themes.Styles{}, 100), "\n")),
	}
}

// pickCard asks for the first card of two, or with it for the second.
func (m *model) pickCard(cards []session.CardVersion, was *session.CardVersion) {
	p := &picker{input: newLineInput(), title: "Compare which card …"}
	if was != nil {
		p.title = fmt.Sprintf("… card %d with which", was.N)
	}
	for i := len(cards) - 1; i >= 0; i-- {
		c := &cards[i]
		if was != nil && c.N == was.N {
			continue
		}
		p.entries = append(p.entries, entry{name: fmt.Sprintf("card %d · %s", c.N, orDash(clean.Line(c.Version, 20))), key: digestText(c), help: "first seen " + c.First.Local().Format("2006-01-02 15:04"), do: func(m *model) tea.Cmd {
			if was == nil {
				m.pickCard(cards, c)
				return nil
			}
			a, b := was, c
			if b.N < a.N {
				a, b = b, a
			}
			m.push(m.prosed(fmt.Sprintf("Card %d to card %d", a.N, b.N), "the difference", func(t *prose) {
				t.cardHead(a)
				t.cardHead(b)
				t.gap()
				changes, note := a.Against(b)
				t.cardChanges(changes, note)
			}))
			return nil
		}})
	}
	p.search()
	m.push(p)
}

// digestText is the beginning of a card's digest.
func digestText(c *session.CardVersion) string {
	return clean.Line(c.SHA256[:min(12, len(c.SHA256))], 12)
}

// cards writes a peer's cards, the newest first; what is not among them is said
// before.
func (t *prose) cards(cards []session.CardVersion, dropped int) {
	if dropped > 0 {
		t.add(t.st.Warn, fmt.Sprintf("%s of further cards are not listed: no more than %d cards of a peer are told apart.", counted(dropped, "read"), len(cards)))
		t.gap()
	}
	for i := len(cards) - 1; i >= 0; i-- {
		c := &cards[i]
		t.cardHead(c)
		if i == 0 || len(c.Changes) == 0 && c.Note == "" {
			t.add(t.st.Faint, " the first of its kind in the log")
		}
		t.cardChanges(c.Changes, c.Note)
		t.gap()
	}
}

// cardHead names one card: which it is, and when it was seen.
func (t *prose) cardHead(c *session.CardVersion) {
	kind := ""
	if c.Extended {
		kind = " · extended card"
	}
	t.add(t.st.TitleFocus, fmt.Sprintf("Card %d · %s · %s%s", c.N, strings.TrimSpace(clean.Line(c.Name, 60)+" "+clean.Line(c.Version, 30)), digestText(c), kind))
	t.field(" seen", fmt.Sprintf("%s to %s, %s; first in session %s #%d", c.First.Local().Format("2006-01-02 15:04"), c.Last.Local().Format("2006-01-02 15:04"), counted(c.Reads, "read"), c.Session, c.Seq))
}

// cardChanges writes what differs, place by place.
func (t *prose) cardChanges(changes []session.CardChange, note string) {
	for _, x := range changes {
		t.add(t.st.Strong, " "+clean.Line(x.Path, 200))
		t.field("   before", orMissing(x.Was))
		t.field("   after", orMissing(x.Now))
	}
	if note != "" {
		t.add(t.st.Muted, " "+clean.Line(note, 0))
	}
}

// orMissing is a value of a card, or that it is not there.
func orMissing(v string) string {
	if v == "" {
		return "(not there)"
	}
	return clean.Line(v, 0)
}
