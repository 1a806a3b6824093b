package cli

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"a2ascope/session"
	"a2ascope/ui/clean"
)

func (a *app) compareCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "compare FILE|SESSION FILE|SESSION", Short: "What two sessions say differently", Args: cobra.ExactArgs(2),
		Long: `compare puts two sessions side by side, of an agent's old build and its new one:
the claims whose verdict is another, the findings that are new or gone, what
differs on the cards, and how long tasks took. Times alone make no difference:
the status is 1 when something else differs.`,
		Example: "  a2ascope compare before.jsonl last",
	}
	output := newOutput(cmd, "text", "json")
	cmd.RunE = a.does(func(cmd *cobra.Command, args []string) error {
		var sides [2]side
		for i, name := range args {
			r, err := a.recording(cmd.Context(), name)
			if err != nil {
				return err
			}
			defer r.close()
			if sides[i], err = sideOf(r); err != nil {
				return err
			}
		}
		c := sides[0].against(&sides[1])
		var err error
		if output.value == "json" {
			err = writeJSON(a.out, c)
		} else {
			err = writeComparison(a.out, a.style(), &c)
		}
		if err == nil && !c.Same() {
			err = &exitError{status: statusFailed}
		}
		return err
	})
	return cmd
}

// side is one of two sessions that are compared.
type side struct {
	state *session.State
	doc   session.Document
	card  []byte
}

func sideOf(r *recording) (side, error) {
	state, err := r.state()
	if err != nil {
		return side{}, err
	}
	card, err := r.card(state)
	doc := session.MakeDocument(state, tool())
	doc.Session = r.id
	doc.Exit = state.Exit(false)
	return side{state, doc, card}, err
}

func (s *side) against(now *side) session.Comparison {
	c := session.Compare(s.doc, now.doc, s.card, now.card)
	c.Time(s.state, now.state)
	return c
}

// writeComparison writes what differs, for people.
func writeComparison(w io.Writer, s style, c *session.Comparison) error {
	head := newTable(s)
	for _, x := range []struct {
		mark string
		d    *session.ComparedDoc
	}{{"-", &c.A}, {"+", &c.B}} {
		version := ""
		if x.d.CardVersion != "" {
			version = "card " + x.d.CardVersion
		}
		head.row(x.mark, clean.Line(x.d.Session, 64), clean.Line(x.d.Name, 40), strings.TrimSpace(x.d.Generation+" "+x.d.Binding), clean.Line(version, 40), counted(int(x.d.Records), "record"))
	}
	if err := head.write(w); err != nil {
		return err
	}
	for _, part := range []struct {
		title string
		table *table
	}{
		{"Claims", comparedClaims(s, c)}, {"Findings", comparedFindings(s, c)}, {"Card", comparedCards(s, c)}, {"Times", comparedTimes(s, c)},
	} {
		if err := section(w, s, part.title, part.table); err != nil {
			return err
		}
	}
	if c.Same() {
		_, err := fmt.Fprintln(w, "\nNo verdict, finding or part of the card differs.")
		return err
	}
	return nil
}

func comparedClaims(s style, c *session.Comparison) *table {
	t := newTable(s)
	for _, x := range c.Claims {
		mark, level := glyph(x.Now)
		t.row(s.level(level, mark), string(x.ID), fmt.Sprintf("%s → %s", x.Was, s.level(level, string(x.Now))))
	}
	return t
}

func comparedFindings(s style, c *session.Comparison) *table {
	t := newTable(s)
	for _, list := range []struct {
		mark string
		rows []session.FindingDoc
	}{{"-", c.Gone}, {"+", c.New}} {
		for _, f := range list.rows {
			t.row(list.mark, string(f.Severity)+" "+f.Rule, clean.Line(f.Title, 100))
		}
	}
	return t
}

func comparedCards(s style, c *session.Comparison) *table {
	t := newTable(s)
	for _, x := range c.Card {
		t.row(clean.Line(x.Path, 60), orNothing(x.Was)+" → "+orNothing(x.Now))
	}
	if c.CardNote != "" {
		t.row(c.CardNote, "")
	}
	return t
}

func orNothing(v string) string {
	if v == "" {
		return "(not there)"
	}
	return clean.Line(v, 80)
}

// comparedTimes lists the forms of task that now take another time.
func comparedTimes(s style, c *session.Comparison) *table {
	t := newTable(s)
	for _, x := range c.Timings {
		if x.Notable() {
			t.row(x.Form, "first event "+times(x.Was.FirstEvent, x.Now.FirstEvent), "end "+times(x.Was.Settle, x.Now.Settle))
		}
	}
	return t
}

func times(was, now session.Duration) string {
	show := func(d session.Duration) string {
		if d == 0 {
			return "not seen"
		}
		return d.D().Round(time.Millisecond).String()
	}
	return show(was) + " → " + show(now)
}
