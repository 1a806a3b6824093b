package cli

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"a2ascope/history"
	"a2ascope/session"
	"a2ascope/ui/clean"
)

func (a *app) historyCards() *cobra.Command {
	cmd := &cobra.Command{
		Use: "cards PEER [CARD CARD]", Short: "The cards of a peer, and what changed from one to the next",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 && len(args) != 3 {
				return usage("history cards takes a peer, and two of its cards where these are to be compared")
			}
			return nil
		},
		Long: `cards lists each card that sessions read from a peer, by its exact bytes, the
oldest first, and what changed since the one before. PEER is an address as it
was typed, or the key that "history list" prints. Two of its cards, by number or
by the beginning of their digest, are compared with each other.`,
		Example: "  a2ascope history cards https://agents.example/research\n  a2ascope history cards demo:honest 1 3",
	}
	output := newOutput(cmd, "text", "json")
	cmd.RunE = a.does(func(cmd *cobra.Command, args []string) error {
		store, err := a.viewOrEmpty()
		if err != nil {
			return err
		}
		var h session.CardHistory
		if store != nil {
			defer store.Close()
			if err := gatherCards(cmd.Context(), store, args[0], &h); err != nil {
				return err
			}
		}
		cards := h.Versions()
		if len(args) == 3 {
			return a.printCardPair(cards, args, output.value)
		}
		if output.value == "json" {
			return writeJSON(a.out, cards)
		}
		if len(cards) == 0 {
			a.say("no session read a card of %s", args[0])
			return nil
		}
		if h.Dropped > 0 {
			a.say("%s of further cards are not listed", counted(h.Dropped, "read"))
		}
		return a.printCards(cards)
	})
	return cmd
}

// gatherCards reads the cards out of the sessions with a peer.
func gatherCards(ctx context.Context, store *history.Store, peer string, h *session.CardHistory) error {
	s := &shelf{store: store}
	sessions, err := s.withPeer(peer)
	if err != nil {
		return err
	}
	var failed error
	for _, id := range sessions {
		// "sha256" is a member of every such record's body.
		f := history.SearchFilter{Session: id, Kind: session.KindCard, Limit: 1000}
		err := store.Search(ctx, f, `"sha256"`, nil, func(hit history.Hit) bool {
			var records []session.Record
			if records, failed = store.Page(id, hit.Seq, 1); failed == nil && len(records) == 1 {
				h.Add(id, &records[0])
			}
			return failed == nil
		})
		if err = errors.Join(err, failed); err != nil {
			return err
		}
	}
	return nil
}

// printCardPair prints what differs between two cards.
func (a *app) printCardPair(cards []session.CardVersion, args []string, form string) error {
	was, err := findCard(cards, args[0], args[1])
	if err != nil {
		return err
	}
	now, err := findCard(cards, args[0], args[2])
	if err != nil {
		return err
	}
	changes, note := was.Against(now)
	if was.N == now.N {
		note = "it is the same card"
	}
	if form == "json" {
		return writeJSON(a.out, struct {
			Was     int                  `json:"was"`
			Now     int                  `json:"now"`
			Changes []session.CardChange `json:"changes"`
			Note    string               `json:"note"`
		}{was.N, now.N, changes, note})
	}
	return a.printChanges(changes, note)
}

// findCard finds a card by its number or the beginning of its digest.
func findCard(cards []session.CardVersion, peer, name string) (*session.CardVersion, error) {
	n, err := strconv.Atoi(name)
	var found *session.CardVersion
	for i := range cards {
		c := &cards[i]
		switch {
		case err == nil && c.N == n:
			return c, nil
		case len(name) >= 4 && strings.HasPrefix(c.SHA256, strings.ToLower(name)):
			if found != nil {
				return nil, usage("%s is the beginning of several digests", name)
			}
			found = c
		}
	}
	if found == nil {
		return nil, usage("%s: the log holds no such card of %s; it holds %d", name, peer, len(cards))
	}
	return found, nil
}

func (a *app) printCards(cards []session.CardVersion) error {
	s := a.style()
	for i := range cards {
		c := &cards[i]
		kind := ""
		if c.Extended {
			kind = "  extended"
		}
		name := strings.TrimSpace(clean.Line(c.Name, 60) + " " + clean.Line(c.Version, 30))
		fmt.Fprintf(a.out, "%d  %s  %s%s\n", c.N, clean.Line(shortDigest(c.SHA256), 12), name, kind)
		fmt.Fprintf(a.out, "   seen %s – %s, %s, first in session %s #%d\n", c.First.UTC().Format("2006-01-02 15:04"), c.Last.UTC().Format("2006-01-02 15:04"),
			counted(c.Reads, "read"), clean.Line(c.Session, 40), c.Seq)
		t := changesTable(s, c.Changes, c.Note)
		if t.empty() {
			continue
		}
		if err := t.write(a.out); err != nil {
			return err
		}
	}
	return nil
}

func (a *app) printChanges(changes []session.CardChange, note string) error {
	if t := changesTable(a.style(), changes, note); !t.empty() {
		return t.write(a.out)
	}
	return nil
}

func changesTable(s style, changes []session.CardChange, note string) *table {
	t := newTable(s)
	for _, x := range changes {
		t.row("  ", clean.Line(x.Path, 60), orNothing(x.Was)+" → "+orNothing(x.Now))
	}
	if note != "" {
		t.row("  ", note, "")
	}
	return t
}

// shortDigest is as much of a digest as people compare.
func shortDigest(sum string) string {
	if len(sum) > 12 {
		return sum[:12]
	}
	return sum
}
