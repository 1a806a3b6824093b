package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"a2ascope/history"
	"a2ascope/session"
	"a2ascope/ui/clean"
)

func (a *app) historyCommand() *cobra.Command {
	cmd := group("history", "The sessions that were recorded",
		"history lists, shows and keeps the recorded sessions. A SESSION is given by its\nid, the beginning of it, or \"last\".")
	cmd.Example = `  a2ascope history list
  a2ascope history show last
  a2ascope history search TASK_NOT_FOUND --since 168h
  a2ascope history verify last
  a2ascope --db PATH history list     (of another log; "a2ascope config path" prints that of the demo)`
	cmd.AddCommand(a.historyList(), a.historyShow(), a.historySearch(), a.historyCards(), a.historyVerify(), a.historyRebuild(), a.historyPrune())
	return cmd
}

// viewOrEmpty opens the log for reading. It returns nil when nothing was ever
// recorded there.
func (a *app) viewOrEmpty() (*history.Store, error) {
	store, err := a.view(a.paths.db)
	if errors.Is(err, fs.ErrNotExist) {
		a.say("nothing was recorded yet: there is no %s", a.paths.db)
		return nil, nil
	}
	return store, err
}

func (a *app) historyList() *cobra.Command {
	var f history.Filter
	cmd := &cobra.Command{Use: "list", Short: "List sessions, the last one first", Args: cobra.NoArgs}
	cmd.Flags().StringVar(&f.Peer, "peer", "", "with the peer of this `URL` alone")
	cmd.Flags().StringVar(&f.Text, "text", "", "whose id, peer, name or contradicted claims hold this `TEXT`")
	cmd.Flags().IntVar(&f.Limit, "limit", 100, "at most this many, up to 1000")
	output := newOutput(cmd, "text", "json")
	cmd.RunE = a.does(func(*cobra.Command, []string) error {
		store, err := a.viewOrEmpty()
		if err != nil {
			return err
		}
		rows := []session.Summary{}
		if store != nil {
			defer store.Close()
			if rows, err = store.Sessions(f); err != nil {
				return err
			}
		}
		if output.value == "json" {
			if rows == nil {
				rows = []session.Summary{}
			}
			return writeJSON(a.out, rows)
		}
		s := a.style()
		t := newTable(s).heading("SESSION", "STARTED", "PEER", "TASKS", "FINDINGS", "RECORDS", "", "CONTRADICTED")
		for _, m := range rows {
			t.row(sessionCells(s, &m)...)
		}
		if t.empty() {
			return nil
		}
		return t.write(a.out)
	})
	return cmd
}

func sessionCells(s style, m *session.Summary) []string {
	peer := m.Typed
	if peer == "" {
		peer = m.Peer
	}
	var claims []string
	for _, c := range m.Contradicted {
		claims = append(claims, string(c))
	}
	contradicted := s.level(session.LevelBad, strings.Join(claims, ", "))
	if len(claims) == 0 {
		contradicted = "–"
	}
	origin := m.Origin
	if !m.Ended {
		origin = strings.TrimSpace(origin + " not ended")
	}
	return []string{
		clean.Line(m.Session, 40), m.Started.UTC().Format("2006-01-02 15:04"), clean.Line(peer, 48), strconv.Itoa(m.Tasks), strconv.Itoa(m.Findings),
		strconv.FormatUint(m.Records, 10), origin, contradicted,
	}
}

func (a *app) historyShow() *cobra.Command {
	cmd := &cobra.Command{
		Use: "show SESSION", Short: "Print a session", Args: cobra.ExactArgs(1),
		Long:    "show prints a recorded session: as text its records and what they come to, as json\nthe verdict document, as jsonl its records.",
		Example: "  a2ascope history show last\n  a2ascope history show 20260301-1200 --output json",
	}
	output := newOutput(cmd, "text", "json", "jsonl")
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
		state, err := stateOf(store, id)
		if err != nil {
			return err
		}
		p := newPrinter(a, output.value)
		p.begin(id)
		all := newPump(func(from uint64, n int) ([]session.Record, error) { return store.Page(id, from, n) }, p.record, 1)
		if output.value != "json" {
			if err := all.drain(all.page, state.Seq); err != nil {
				return err
			}
		}
		doc := session.MakeDocument(state, tool())
		doc.Exit = state.Exit(false)
		return p.end(&doc, false)
	})
	return cmd
}

func (a *app) historyVerify() *cobra.Command {
	return &cobra.Command{
		Use: "verify SESSION…", Short: "Check that sessions are as they were recorded", Args: cobra.MinimumNArgs(1),
		Long: "verify walks the hash chain of each session. It exits with 1 when one does not hold.",
		RunE: a.does(func(cmd *cobra.Command, args []string) error {
			store, err := a.view(a.paths.db)
			if err != nil {
				return err
			}
			defer store.Close()
			broken := false
			for _, name := range args {
				id, err := a.checkSession(store, name)
				if err != nil {
					return err
				}
				report, err := store.Verify(cmd.Context(), id)
				if err != nil {
					return err
				}
				broken = broken || report.Problem != nil
				fmt.Fprintln(a.out, verifyLine(a.style(), &report))
			}
			if broken {
				return &exitError{status: statusFailed}
			}
			return nil
		}),
	}
}

func verifyLine(s style, r *history.VerifyReport) string {
	if r.Problem != nil {
		return s.level(session.LevelBad, "✗ broken") + "  " + r.Session + "  " + clean.Line(r.Problem.Error(), lineMost)
	}
	line := s.level(session.LevelGood, "✓ whole") + "  " + r.Session + "  " + counted(int(r.Records), "record") + "  head " + r.Head.String()
	if r.Redacted > 0 {
		line += fmt.Sprintf("  %d redacted", r.Redacted)
	}
	if r.Unanchored {
		line += "  (no head was stored: whether the end is there cannot be told)"
	}
	return line
}

func (a *app) historyRebuild() *cobra.Command {
	return &cobra.Command{
		Use: "rebuild", Short: "Make lists and trust anew from the records", Args: cobra.NoArgs,
		RunE: a.does(func(cmd *cobra.Command, _ []string) error {
			store, err := a.open(a.paths.db)
			if err != nil {
				return err
			}
			defer store.Close()
			report, err := store.Rebuild(cmd.Context(), history.Summarise)
			if err != nil {
				return err
			}
			fmt.Fprintf(a.out, "%s made anew\n", counted(len(report.Rebuilt), "session"))
			for _, r := range report.Refused {
				a.say("left as it is: session %s: %v", r.Session, r.Err)
			}
			for _, id := range report.Unanchored {
				a.say("session %s had no stored head: whether its end is there cannot be told", id)
			}
			if len(report.Refused) > 0 {
				return &exitError{status: statusFailed}
			}
			return nil
		}),
	}
}
