package cli

import (
	"strings"
	"time"

	"github.com/spf13/cobra"

	"a2ascope/history"
	"a2ascope/session"
	"a2ascope/ui/clean"
)

// decisionRow is a decision as --output json prints it.
type decisionRow struct {
	Session  string           `json:"session"`
	Peer     string           `json:"peer"`
	Seq      uint64           `json:"seq"`
	At       time.Time        `json:"at"`
	Active   bool             `json:"active"`
	Decision session.Decision `json:"decision"`
}

func (a *app) decisionsCommand() *cobra.Command {
	var f history.DecisionFilter
	var claim string
	cmd := &cobra.Command{
		Use: "decisions", Short: "The decisions of all sessions, the last one first", Args: cobra.NoArgs,
		Example: "  a2ascope decisions --peer https://agents.example/research --active",
	}
	cmd.Flags().StringVar(&f.Peer, "peer", "", "of the peer with this `URL` alone")
	cmd.Flags().StringVar(&f.Session, "session", "", "of the session with this `ID` alone")
	cmd.Flags().StringVar(&claim, "claim", "", "about this `CLAIM` alone")
	cmd.Flags().BoolVar(&f.Active, "active", false, "only demotions that hold now")
	cmd.Flags().IntVar(&f.Limit, "limit", 100, "at most this many, up to 1000")
	output := newOutput(cmd, "text", "json")
	cmd.RunE = a.does(func(*cobra.Command, []string) error {
		if f.Claim = session.Claim(claim); claim != "" && !f.Claim.Known() {
			return usage("--claim %s: there is no such claim", claim)
		}
		store, err := a.viewOrEmpty()
		if err != nil {
			return err
		}
		var rows []history.DecisionRow
		if store != nil {
			defer store.Close()
			if f.Session != "" {
				if f.Session, err = a.checkSession(store, f.Session); err != nil {
					return err
				}
			}
			if rows, err = store.Decisions(f); err != nil {
				return err
			}
		}
		return a.printDecisions(rows, output.value)
	})
	return cmd
}

func (a *app) printDecisions(rows []history.DecisionRow, form string) error {
	if form == "json" {
		out := []decisionRow{}
		for _, r := range rows {
			out = append(out, decisionRow{Session: r.Session, Peer: r.Peer, Seq: r.Seq, At: r.Wall.UTC(), Active: r.Active, Decision: r.Decision})
		}
		return writeJSON(a.out, out)
	}
	s := a.style()
	t := newTable(s).heading("AT", "PEER", "DECISION", "BY", "HOLDS", "SESSION", "REASON")
	for _, r := range rows {
		holds := "–"
		if r.Active {
			holds = "until " + r.Decision.Until.UTC().Format("01-02 15:04")
			if r.Decision.Until.IsZero() {
				holds = "yes"
			}
		}
		t.row(r.Wall.UTC().Format("2006-01-02 15:04:05"), clean.Line(r.Peer, 48), strings.TrimSpace(string(r.Decision.Action)+" "+string(r.Decision.Claim)),
			clean.Line(r.Decision.By, 12), holds, r.Session, clean.Line(r.Decision.Reason, 120))
	}
	if t.empty() {
		a.say("no decisions")
		return nil
	}
	return t.write(a.out)
}
