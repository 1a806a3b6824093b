package cli

import (
	"bufio"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"a2ascope/history"
	"a2ascope/session"
	"a2ascope/ui/clean"
)

func (a *app) historyPrune() *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use: "prune SESSION…", Short: "Delete whole sessions", Args: cobra.MinimumNArgs(1),
		Long: "prune deletes sessions, with all that later sessions would have taken from them.\nIt asks first, unless --yes is given.",
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	cmd.RunE = a.does(func(_ *cobra.Command, args []string) error {
		store, err := a.open(a.paths.db)
		if err != nil {
			return err
		}
		defer store.Close()
		var ids []string
		for _, name := range args {
			id, err := a.checkSession(store, name)
			if err != nil {
				return err
			}
			ids = append(ids, id)
		}
		if !yes {
			if !isTerminal(a.in) {
				return usage("prune deletes for good; without a terminal to ask on, give --yes")
			}
			fmt.Fprintf(a.errOut, "Delete %s (%s) for good? [y/N] ", counted(len(ids), "session"), strings.Join(ids, ", "))
			answer, _ := bufio.NewReader(a.in).ReadString('\n') // no answer is a no
			if a := strings.ToLower(strings.TrimSpace(answer)); a != "y" && a != "yes" {
				return &exitError{status: statusFailed, err: fmt.Errorf("nothing was deleted")}
			}
		}
		n, err := store.Prune(ids...)
		fmt.Fprintf(a.out, "%s deleted\n", counted(n, "session"))
		return err
	})
	return cmd
}

func (a *app) historySearch() *cobra.Command {
	var f history.SearchFilter
	var kind, since string
	cmd := &cobra.Command{
		Use: "search TEXT", Short: "Find a text in all that was recorded", Args: cobra.MinimumNArgs(1),
		Long:    "search looks for a text in the bodies and wire bytes of all records, newest session\nfirst. Letter case of ASCII does not count. It exits with 1 when nothing was found.",
		Example: "  a2ascope history search 'TASK_NOT_FOUND' --since 168h",
	}
	cmd.Flags().StringVar(&f.Session, "session", "", "in the session with this `ID` alone")
	cmd.Flags().StringVar(&f.Peer, "peer", "", "with the peer of this `URL` alone")
	cmd.Flags().StringVar(&kind, "kind", "", "in records of this `KIND` alone, such as frame")
	cmd.Flags().StringVar(&since, "since", "", "in sessions begun since this `TIME` (2026-03-01) or in this last while (168h)")
	cmd.Flags().IntVar(&f.Limit, "limit", 1000, "at most this many hits")
	cmd.RunE = a.does(func(cmd *cobra.Command, args []string) error {
		var err error
		if f.Since, err = sinceTime(since, time.Now()); err != nil {
			return err
		}
		f.Kind = session.Kind(kind)
		store, err := a.viewOrEmpty()
		if err != nil {
			return err
		}
		if store == nil {
			return &exitError{status: statusFailed}
		}
		defer store.Close()
		if f.Session != "" {
			if f.Session, err = a.checkSession(store, f.Session); err != nil {
				return err
			}
		}
		found, s := 0, a.style()
		err = store.Search(cmd.Context(), f, strings.Join(args, " "), nil, func(h history.Hit) bool {
			found++
			_, err := fmt.Fprintf(a.out, "%s  #%d  %s  %s  %s\n", h.Session, h.Seq, h.Wall.UTC().Format("2006-01-02 15:04:05"),
				pad(string(h.Kind), 8), s.dim(clean.Line(h.Excerpt, 160)))
			return err == nil
		})
		if err == nil && found == 0 {
			return &exitError{status: statusFailed, err: noHit(strings.Join(args, " "), &f)}
		}
		return err
	})
	return cmd
}

// noHit says what was looked for in vain, and where.
func noHit(text string, f *history.SearchFilter) error {
	where := "no record"
	if f.Kind != "" {
		where += " of kind " + string(f.Kind)
	}
	if f.Session != "" {
		where += " of session " + f.Session
	}
	if f.Peer != "" {
		where += " with " + f.Peer
	}
	if !f.Since.IsZero() {
		where += " of a session begun since " + f.Since.UTC().Format("2006-01-02 15:04 MST")
	}
	return fmt.Errorf("%s holds %q", where, text)
}

// sinceTime reads --since: a day, a time, or how long ago.
func sinceTime(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if d, err := time.ParseDuration(text); err == nil && d > 0 {
		return now.Add(-d), nil
	}
	for _, layout := range []string{time.DateOnly, time.RFC3339} {
		if t, err := time.Parse(layout, text); err == nil {
			return t, nil
		}
	}
	return time.Time{}, usage("--since %s: write a day (2026-03-01), a time (2026-03-01T12:00:00Z) or how long ago (168h)", text)
}
