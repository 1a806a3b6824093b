package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"a2ascope/session"
	"a2ascope/session/rule"
	"a2ascope/ui/clean"
)

// difference is what today's rules say otherwise than those of a session's
// day.
type difference struct {
	Session string       `json:"session"`
	Records uint64       `json:"records"`
	Claims  []claimDiff  `json:"claims"`
	Gone    []findingRow `json:"gone"` // findings that are made no more
	New     []findingRow `json:"new"`
}

type claimDiff struct {
	ID  session.Claim   `json:"id"`
	Was session.Verdict `json:"was"`
	Now session.Verdict `json:"now"`
}

type findingRow struct {
	Rule     string           `json:"rule"`
	Severity session.Severity `json:"severity"`
	Task     string           `json:"task"`
	Title    string           `json:"title"`
	Evidence []uint64         `json:"evidence"`
}

func (d *difference) none() bool { return len(d.Claims)+len(d.Gone)+len(d.New) == 0 }

func (a *app) rejudgeCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "rejudge SESSION", Short: "What today's rules say of an old session", Args: cobra.ExactArgs(1),
		Long: `rejudge folds a recorded session again, under its own policy and with what the
operator decided then, lets today's rules judge it, and prints what they say
otherwise. Nothing is written. The status is 1 when there is a difference.`,
		Example: "  a2ascope rejudge last",
	}
	output := newOutput(cmd, "text", "json")
	cmd.RunE = a.does(func(_ *cobra.Command, args []string) error {
		store, err := a.view(a.paths.db)
		if err != nil {
			return err
		}
		defer store.Close()
		id, err := a.checkSession(store, args[0])
		if err != nil {
			return err
		}
		was, err := stateOf(store, id)
		if err != nil {
			return err
		}
		now, err := rule.Rejudge(func(from uint64, n int) ([]session.Record, error) { return store.Page(id, from, n) })
		if err != nil {
			return err
		}
		d := compare(session.MakeDocument(was, tool()), session.MakeDocument(now, tool()))
		if output.value == "json" {
			err = writeJSON(a.out, d)
		} else {
			err = a.printDifference(&d)
		}
		if err == nil && !d.none() {
			err = &exitError{status: statusFailed}
		}
		return err
	})
	return cmd
}

// compare finds what two verdict documents of one log say differently.
func compare(was, now session.Document) difference {
	d := difference{Session: was.Session, Records: was.Log.Records, Claims: []claimDiff{}, Gone: missing(was, now), New: missing(now, was)}
	for i, c := range was.Claims {
		if c.Verdict != now.Claims[i].Verdict {
			d.Claims = append(d.Claims, claimDiff{ID: c.ID, Was: c.Verdict, Now: now.Claims[i].Verdict})
		}
	}
	return d
}

// missing lists the findings of a that b does not have: the same rule, of the
// same task, as grave.
func missing(a, b session.Document) []findingRow {
	key := func(f session.FindingDoc) string { return f.Rule + " " + string(f.Severity) + " " + f.Task }
	has := map[string]bool{}
	for _, f := range b.Findings {
		has[key(f)] = true
	}
	out := []findingRow{}
	for _, f := range a.Findings {
		if !has[key(f)] {
			out = append(out, findingRow{Rule: f.Rule, Severity: f.Severity, Task: f.Task, Title: f.Title, Evidence: f.Evidence})
		}
	}
	return out
}

func (a *app) printDifference(d *difference) error {
	if d.none() {
		_, err := fmt.Fprintf(a.out, "session %s, %s: today's rules say the same\n", d.Session, counted(int(d.Records), "record"))
		return err
	}
	s := a.style()
	t := newTable(s)
	for _, c := range d.Claims {
		mark, level := glyph(c.Now)
		t.row(s.level(level, mark), string(c.ID), fmt.Sprintf("%s → %s", c.Was, c.Now))
	}
	for _, list := range []struct {
		mark string
		rows []findingRow
	}{{"-", d.Gone}, {"+", d.New}} {
		for _, f := range list.rows {
			records := strings.Trim(strings.ReplaceAll(fmt.Sprint(f.Evidence), " ", " #"), "[]")
			t.row(list.mark, string(f.Severity)+" "+f.Rule, clean.Line(f.Title, 100)+" · #"+records)
		}
	}
	return t.write(a.out)
}
