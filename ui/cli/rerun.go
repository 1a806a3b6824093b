package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"a2ascope/session"
	"a2ascope/ui/clean"
)

// statusNew is what rerun exits with when something is contradicted that was
// not.
const statusNew = 7

// rerunDoc is what rerun prints as JSON.
type rerunDoc struct {
	session.Comparison
	Outcome string   `json:"outcome"` // none, fewer, same, new or unjudged
	Exit    int      `json:"exit"`
	Notes   []string `json:"notes"` // commands that were left out, or could not be carried out
}

func (a *app) rerunCommand() *cobra.Command {
	sf := newSessionFlags()
	var trust bool
	var most time.Duration
	cmd := &cobra.Command{
		Use:   "rerun FILE|SESSION URL",
		Short: "Run a recording's commands again, and compare the verdicts",
		Long: `rerun carries out the commands of a recorded session against the agent at URL,
each at the moment at which it was given then: after the commands that were over
by then, and after the same pause. It is done under the recorded policy, unless a
flag says otherwise, and prints what is now judged differently.

It exits with 0 when nothing is contradicted any more, 1 when the same claims are
or fewer, 7 when a new one is; with 3 or 4 when the agent did not let it be
judged, 2 when the line is wrong, 6 when the log could not be written.

The commands of a recording that was made elsewhere may be anyone's: those that
read a file or the environment, or name another address, are left out without
--trust-commands.`,
		Example: "  a2ascope rerun bug-12.jsonl https://staging.agents.example/research\n  a2ascope rerun last demo:honest --output json",
		Args:    cobra.ExactArgs(2),
	}
	sf.add(cmd.Flags())
	for _, name := range []string{"session", "continue"} {
		_ = cmd.Flags().MarkHidden(name) // a rerun is always a new session
	}
	cmd.Flags().BoolVar(&trust, "trust-commands", false, "carry out all commands of a recording that was made elsewhere")
	cmd.Flags().DurationVar(&most, "max-gap", time.Minute, "longest pause between two commands")
	output := newOutput(cmd, "text", "json")
	cmd.RunE = a.does(func(cmd *cobra.Command, args []string) error {
		if err := checkPeer(args[1], cmd.Root()); err != nil {
			return err
		}
		if sf.session != "" || sf.resume {
			return usage("rerun always begins a session of its own: leave --session and --continue out")
		}
		if err := sf.check(); err != nil {
			return err
		}
		r, err := a.recording(cmd.Context(), args[0])
		if err != nil {
			return err
		}
		defer r.close()
		again, err := newRerun(r, args[1], trust, most)
		if err != nil {
			return err
		}
		again.policy(sf)
		return a.rerun(cmd.Context(), again, sf, output.value)
	})
	return cmd
}

// rerun is a recording whose commands are given again.
type rerun struct {
	was    side
	target string
	steps  []step
	notes  []string
}

// policy has the session judged and waited for as the recorded one was, but
// for the flags that were given.
func (r *rerun) policy(f *sessionFlags) {
	recorded := r.was.state.Opened.Policy
	if recorded.SettleReads < 1 {
		return // there is none
	}
	both := sessionFlags{policy: recorded}
	set := pflag.NewFlagSet("", pflag.ContinueOnError)
	both.addPolicy(set)
	f.set.Visit(func(given *pflag.Flag) {
		if set.Lookup(given.Name) != nil {
			_ = set.Set(given.Name, given.Value.String()) // it was read once already
		}
	})
	both.policy.ProbeWindowGiven = recorded.ProbeWindowGiven || f.set.Changed("probe-window")
	f.policy = both.policy
}

func (a *app) rerun(ctx context.Context, r *rerun, f *sessionFlags, form string) error {
	store, err := a.open(a.paths.db)
	if err != nil {
		return err
	}
	defer store.Close()
	o := opening{typed: r.target, flags: f, headless: r.was.state.Opened.Policy.AutoRedispatch}
	c, err := a.conduct(ctx, store, o, newPrinter(a, "none"), func(ctx context.Context, l *live) error { return r.run(ctx, l, f) })
	if err != nil {
		return err
	}
	if c.mistake != nil || c.loopErr != nil || signalOf(ctx) != nil {
		return a.ended(&c)
	}
	id := c.doc.Session
	now, err := sideOf(&recording{id: id, pages: func(from uint64, n int) ([]session.Record, error) { return store.Page(id, from, n) }})
	if err != nil {
		return err
	}
	doc := r.judge(&now)
	if form == "json" {
		err = writeJSON(a.out, doc)
	} else {
		err = a.printRerun(&doc)
	}
	if c.doc.Error != "" {
		a.say("%s", clean.Line(c.doc.Error, lineMost))
	}
	a.say("session %s · %s", id, counted(int(c.doc.Log.Records), "record"))
	if err == nil && doc.Exit != statusOK {
		err = &exitError{status: doc.Exit}
	}
	return err
}

// outcomes of a rerun, by their names in JSON.
var outcomes = map[string]string{
	"none":     "nothing is contradicted any more",
	"fewer":    "fewer claims are contradicted than before",
	"same":     "the same claims are contradicted as before",
	"new":      "a claim is contradicted that was not",
	"unjudged": "the agent did not let it be judged",
}

// judge compares the two sessions.
func (r *rerun) judge(now *side) rerunDoc {
	doc := rerunDoc{Comparison: r.was.against(now), Notes: append([]string{}, r.notes...)}
	was, is := contradicted(&r.was.doc), contradicted(&now.doc)
	fresh, kept := 0, 0
	for c := range is {
		if was[c] {
			kept++
		} else {
			fresh++
		}
	}
	switch status := now.doc.Exit.Status; {
	case fresh > 0:
		doc.Outcome, doc.Exit = "new", statusNew
	case kept > 0 && kept == len(was):
		doc.Outcome, doc.Exit = "same", statusFailed
	case kept > 0:
		doc.Outcome, doc.Exit = "fewer", statusFailed
	case (status == 3 || status == 4) && status != r.was.doc.Exit.Status:
		doc.Outcome, doc.Exit = "unjudged", status
	default:
		doc.Outcome = "none"
	}
	return doc
}

func contradicted(d *session.Document) map[session.Claim]bool {
	out := map[session.Claim]bool{}
	for _, c := range d.Claims {
		if c.Verdict == session.Contradicted {
			out[c.ID] = true
		}
	}
	return out
}

func (a *app) printRerun(doc *rerunDoc) error {
	s := a.style()
	if err := writeComparison(a.out, s, &doc.Comparison); err != nil {
		return err
	}
	for _, note := range doc.Notes {
		a.say("note: %s", clean.Line(note, lineMost))
	}
	level := session.LevelBad
	if doc.Exit == statusOK {
		level = session.LevelGood
	}
	_, err := fmt.Fprintf(a.out, "\n%s\n", s.level(level, fmt.Sprintf("status %d: %s", doc.Exit, outcomes[doc.Outcome])))
	return err
}
