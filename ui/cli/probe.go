package cli

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"a2ascope/history"
	"a2ascope/history/export"
	"a2ascope/session"
	"a2ascope/session/runner"
	"a2ascope/ui/clean"
)

// probed is what came of probing one peer.
type probed struct {
	typed  string
	doc    session.Document
	report runner.ProbeReport
	done   bool // the probes were begun
}

// probeWish says what is to be probed, and how.
type probeWish struct {
	claims     []session.Claim // none: all
	undeclared bool
	prompts    []string // "STATE TEXT"
	export     string   // PATH of a report; empty for none
}

// demoPrompt brings every embedded peer to ask for input.
const demoPrompt = "input-required ask"

// script are the commands that go before the probes.
func (w *probeWish) script(typed string) script {
	s := script{word: "preparing"}
	prompts := w.prompts
	if len(prompts) == 0 && isDemo(typed) {
		prompts = []string{demoPrompt}
	}
	for _, p := range prompts {
		s.lines = append(s.lines, "prompt "+p)
	}
	return s
}

func (a *app) probeCommand() *cobra.Command {
	sf := newSessionFlags()
	w := probeWish{}
	var claims []string
	cmd := &cobra.Command{
		Use: "probe URL…", Short: "Put the claims of agents to the test", Args: cobra.MinimumNArgs(1),
		Long: `probe carries out every probe that needs no operator against each agent, one
after the other and each in a session of its own, and prints what it came to.
The status is that of the gravest session, as for run.

It takes about a minute for an agent, and begins about two dozen tasks there:
they cost what that agent's work costs. Nothing is printed before an agent is
done. --claim puts fewer claims to the test, and begins fewer tasks.`,
		Example: "  a2ascope probe demo:honest demo:replays\n  a2ascope probe https://agents.example/research --claim cancel-final --claim input-modes\n  a2ascope probe https://agents.example/research --output junit > probe.xml",
	}
	sf.add(cmd.Flags())
	cmd.Flags().BoolVar(&w.undeclared, "undeclared", false, "also what the card does not declare")
	cmd.Flags().StringArrayVar(&claims, "claim", nil, "put this `CLAIM` alone to the test (repeat)")
	cmd.Flags().StringArrayVar(&w.prompts, "prompt", nil, "what to send so that a task reaches a state, as `'STATE TEXT'` (repeat)")
	cmd.Flags().StringVar(&w.export, "export", "", "also write a report of each agent to this `FILE`; its ending says in which form (.md, .html, .jsonl, .har)")
	output := newOutput(cmd, "text", "json", "jsonl", "junit")
	cmd.RunE = a.does(func(cmd *cobra.Command, args []string) error {
		if _, ok := export.ByExt(strings.TrimPrefix(filepath.Ext(w.export), ".")); w.export != "" && !ok {
			return usage("--export %s: the ending of the name must be one of .md, .html, .jsonl, .har, .sh (curl) and .txt (script)", w.export)
		}
		if sf.session != "" || sf.resume {
			return usage("probe begins a session of its own for each agent; --session and --continue have no meaning here")
		}
		for _, typed := range args {
			if err := checkPeer(typed, cmd.Root()); err != nil {
				return err
			}
		}
		if err := sf.check(); err != nil {
			return err
		}
		for _, c := range claims {
			if !session.Claim(c).Known() {
				return usage("--claim %s: there is no such claim", c)
			}
			w.claims = append(w.claims, session.Claim(c))
		}
		for _, p := range w.prompts {
			if _, err := session.ParseCommand("prompt " + p); err != nil {
				return usage("--prompt %s: %w", p, err)
			}
		}
		return a.probe(cmd.Context(), args, sf, w, output.value)
	})
	return cmd
}

// probe probes the peers one after the other, and prints what they came to.
func (a *app) probe(ctx context.Context, peers []string, f *sessionFlags, w probeWish, form string) error {
	store, storeErr := a.open(a.paths.db)
	if storeErr == nil {
		defer store.Close()
	}
	var all []probed
	var worst error
	for i, typed := range peers {
		one, err := a.probeOne(ctx, store, storeErr, typed, f, w, form)
		if one.doc.Exit.Status == statusUsage || one.doc.Claims == nil {
			return err // a mistake holds for all of them
		}
		worst = graver(worst, err)
		all = append(all, one)
		if w.export != "" && one.doc.Session != "" {
			if err := a.exportProbed(store, one.doc.Session, numberedPath(w.export, i, len(peers))); err != nil {
				return err
			}
		}
		if form == "text" {
			if err := writeProbed(a.out, a.style(), &all[i]); err != nil {
				return err
			}
		}
		if ctx.Err() != nil {
			break
		}
	}
	return a.writeAll(all, form, worst)
}

// exportProbed writes the report of one peer.
func (a *app) exportProbed(store *history.Store, id, path string) error {
	f, _ := export.ByExt(strings.TrimPrefix(filepath.Ext(path), ".")) // it was checked
	if err := a.export(store, id, &exportWish{format: f.Name, path: path}); err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	a.say("report written to %s", path)
	return nil
}

// numberedPath is where the report of the i-th of n peers goes.
func numberedPath(path string, i, n int) string {
	if n < 2 {
		return path
	}
	ext := filepath.Ext(path)
	return fmt.Sprintf("%s-%d%s", strings.TrimSuffix(path, ext), i+1, ext)
}

// probeOne probes one peer in a session of its own.
func (a *app) probeOne(ctx context.Context, store *history.Store, storeErr error, typed string, f *sessionFlags, w probeWish, form string) (probed, error) {
	one := probed{typed: typed}
	o := opening{typed: typed, flags: f, headless: true}
	if form != "jsonl" {
		form = "json" // nothing is printed before the end
	}
	p := newPrinter(a, form)
	err := storeErr
	var c conducted
	if err == nil {
		c, err = a.conduct(ctx, store, o, p, func(ctx context.Context, l *live) error {
			s := w.script(typed)
			if err := a.perform(ctx, l, f, &s); err != nil || l.View().Peer.Undiscovered {
				return err
			}
			one.done = true
			var err error
			one.report, err = runner.Probe(ctx, l.Runner, runner.ProbeOptions{Claims: w.claims, Undeclared: w.undeclared})
			return a.scriptError(ctx, err, &s)
		})
	}
	if err != nil {
		one.doc = unopened(o, err)
		return one, err
	}
	if one.doc = c.doc; form == "jsonl" && c.printErr == nil {
		c.printErr = p.end(&c.doc, false)
	}
	return one, a.ended(&c)
}

// gravity orders statuses: the first that applies to any session is that of
// all of them.
var gravity = []int{143, 130, 129, statusLog, 1, 4, 3, 5}

// graver returns the error with the status that comes first.
func graver(a, b error) error {
	rank := func(err error) int {
		for i, status := range gravity {
			if err != nil && statusOf(err) == status {
				return i
			}
		}
		return len(gravity)
	}
	if a == nil || b != nil && rank(b) < rank(a) {
		return b
	}
	return a
}

// writeAll prints what is printed once, after the last peer.
func (a *app) writeAll(all []probed, form string, worst error) error {
	var err error
	switch form {
	case "text":
		err = writeMesh(a.out, a.style(), all)
	case "json":
		docs := []session.Document{}
		for _, one := range all {
			docs = append(docs, one.doc)
		}
		err = writeJSON(a.out, docs)
	case "junit":
		err = writeJUnit(a.out, all)
	}
	if err != nil {
		return err
	}
	return worst
}

// writeProbed writes the table of one peer: its probes, and what they came to.
func writeProbed(w io.Writer, s style, one *probed) error {
	for _, part := range []summaryPart{summaryPeer, summaryClaims, summaryFindings, summaryDecisions} {
		if err := part(w, s, &one.doc); err != nil {
			return err
		}
	}
	if !one.done {
		return summaryEnd(w, s, &one.doc)
	}
	t := newTable(s).heading("PROBE", "CLAIM", "CAME TO", "")
	for _, p := range one.report.Probes {
		came := string(p.Verdict)
		if p.Outcome != runner.ProbeRan {
			came = string(p.Outcome)
		}
		t.row(p.Name, string(p.Claim), came, clean.Line(p.Why, 120))
	}
	if err := section(w, s, "Probes", t); err != nil {
		return err
	}
	if len(one.report.Left) > 0 {
		if _, err := fmt.Fprintf(w, "left at the agent, because they could not be ended: %s\n", clean.Line(strings.Join(one.report.Left, ", "), lineMost)); err != nil {
			return err
		}
	}
	return summaryEnd(w, s, &one.doc)
}

// writeMesh writes which peer keeps which claim, where there are several.
func writeMesh(w io.Writer, s style, all []probed) error {
	if len(all) < 2 {
		return nil
	}
	head := []string{"CLAIM"}
	for i, one := range all {
		head = append(head, strconv.Itoa(i+1))
		if _, err := fmt.Fprintf(w, "%s%d  %s\n", map[bool]string{true: "\n"}[i == 0], i+1, clean.Line(one.typed, 100)); err != nil {
			return err
		}
	}
	t := newTable(s).heading(append(head, "")...)
	for c, id := range session.Claims {
		row, said := []string{string(id)}, false
		for _, one := range all {
			v := one.doc.Claims[c].Verdict
			mark, level := glyph(v)
			said = said || v != session.Unproven
			row = append(row, s.level(level, mark+" "+string(v)))
		}
		if said {
			t.row(row...)
		}
	}
	return section(w, s, "All agents", t)
}
