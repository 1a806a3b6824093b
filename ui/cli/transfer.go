package cli

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"a2ascope/history"
	"a2ascope/history/export"
	"a2ascope/session"
)

func formatNames() string {
	var names []string
	for _, f := range export.Formats {
		names = append(names, f.Name)
	}
	return strings.Join(names, ", ")
}

// exporter carries out the export command of a session.
type exporter struct{ store *history.Store }

// Export writes the session, without what looks like a secret unless raw is
// set, to path or to a file named after it in the working directory, and
// returns where.
func (e exporter) Export(id, format, path string, raw bool) (string, error) {
	f, ok := export.ByName(format)
	if !ok {
		return "", fmt.Errorf("there is no format %s; there are %s", format, formatNames())
	}
	if path == "" {
		path = "a2ascope-" + id + "." + f.Ext
	}
	ready, err := e.open(id, exportOptions(raw, ""))
	if err != nil {
		return "", err
	}
	return path, writeFile(path, func(w io.Writer) error { return ready.Write(w, format) })
}

// open makes a session ready to be exported.
func (e exporter) open(id string, o export.Options) (*export.Export, error) {
	reader, err := e.store.OpenRead(id)
	if err != nil {
		return nil, err
	}
	return export.Open(reader.Page, o)
}

func exportOptions(raw bool, finding string) export.Options {
	return export.Options{Raw: raw, Finding: finding, Tool: toolName + " " + Version()}
}

// writeFile writes a file in one step: who opens it sees all of it, or what
// was there before.
func writeFile(path string, write func(io.Writer) error) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), ".a2ascope-*") // made for its owner alone
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = f.Close()           // it may be closed already
			_ = os.Remove(f.Name()) // the error that matters is err
		}
	}()
	w := bufio.NewWriterSize(f, 1<<16)
	if err = write(w); err != nil {
		return err
	}
	if err = w.Flush(); err != nil {
		return err
	}
	if err = f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// exportWish is what an export was asked for.
type exportWish struct {
	format, path, finding string
	raw, preview          bool
}

func (a *app) exportCommand() *cobra.Command {
	var wish exportWish
	cmd := &cobra.Command{
		Use: "export SESSION", Short: "Write a session for others to read", Args: cobra.ExactArgs(1),
		Long: `export writes a session, given by its id, the beginning of it, or "last".

Known secrets are not in the log. What else looks like one is replaced by
‹redacted:N›, and standard error says before the writing what that is; --raw
leaves it in. docs/reports.md describes the formats.`,
		Example: "  a2ascope export last --format html -o report.html\n  a2ascope export last --format md --finding cancel.frames-after\n  a2ascope export last --format jsonl --preview",
	}
	set := cmd.Flags()
	set.StringVar(&wish.format, "format", "jsonl", "`FORMAT` to write: "+formatNames())
	set.StringVarP(&wish.path, "out", "o", "-", "`PATH` of the file; - is standard output")
	set.BoolVar(&wish.raw, "raw", false, "leave in what looks like a secret")
	set.StringVar(&wish.finding, "finding", "", "this finding alone, by its `RULE`, its claim or its record (md, html, curl, script)")
	set.BoolVar(&wish.preview, "preview", false, "say what would be taken out, and write nothing")
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(strings.Split(formatNames(), ", "), cobra.ShellCompDirectiveNoFileComp)) // the flag is there
	cmd.RunE = a.does(func(_ *cobra.Command, args []string) error {
		if err := wish.check(); err != nil {
			return err
		}
		store, err := a.view(a.paths.db)
		if err != nil {
			return err
		}
		defer store.Close()
		id, err := a.checkSession(store, args[0])
		if err != nil {
			return err
		}
		return a.export(store, id, &wish)
	})
	return cmd
}

func (w *exportWish) check() error {
	if _, ok := export.ByName(w.format); !ok {
		return usage("--format %s: there are %s", w.format, formatNames())
	}
	if w.finding != "" && (w.format == "jsonl" || w.format == "har") {
		return usage("--finding has no meaning for --format %s, which holds the whole session", w.format)
	}
	if w.raw && w.preview {
		return usage("--raw takes nothing out, so there is nothing to preview")
	}
	return nil
}

// export writes a session, and says first what is taken out of it.
func (a *app) export(store *history.Store, id string, wish *exportWish) error {
	ready, err := exporter{store}.open(id, exportOptions(wish.raw, wish.finding))
	if err != nil {
		return err
	}
	if err := a.sayTakenOut(ready, wish.raw); err != nil || wish.preview {
		return err
	}
	write := func(w io.Writer) error { return ready.Write(w, wish.format) }
	if wish.path != "-" {
		return writeFile(wish.path, write)
	}
	w := bufio.NewWriterSize(a.out, 1<<16)
	if err := write(w); err != nil {
		return err
	}
	return w.Flush()
}

// sayTakenOut prints what looks like a secret and where, with counts.
func (a *app) sayTakenOut(ready *export.Export, raw bool) error {
	if raw {
		a.say("raw: what looks like a secret is left in; known secrets are not in the log")
		return nil
	}
	p, err := ready.Preview()
	if err != nil {
		return err
	}
	if p.Values == 0 {
		a.say("nothing in %s looks like a secret; known ones are not in the log", counted(int(p.Records), "record"))
		return nil
	}
	a.say("%s in %s of %d taken out, at %s:", counted(p.Values, "value"), counted(int(p.Redacted), "record"), p.Records, counted(p.Count(), "place"))
	for i, x := range p.Places {
		if i == 20 {
			a.say("  and %s more", counted(len(p.Places)-i, "kind"))
			break
		}
		a.say("  %5d × %s %s", x.Count, x.Where, x.Sample)
	}
	return nil
}

func (a *app) importCommand() *cobra.Command {
	return &cobra.Command{
		Use: "import FILE…", Short: "Read sessions from jsonl files", Args: cobra.MinimumNArgs(1),
		Long:    "import stores the sessions of colleagues beside one's own. A file whose hash chain\ndoes not hold is refused with status 1. - is standard input.",
		Example: "  a2ascope import bug-12.jsonl",
		RunE: a.does(func(cmd *cobra.Command, args []string) error {
			store, err := a.open(a.paths.db)
			if err != nil {
				return err
			}
			defer store.Close()
			for _, path := range args {
				if err := a.importFile(cmd, store, path); err != nil {
					return err
				}
			}
			return nil
		}),
	}
}

func (a *app) importFile(cmd *cobra.Command, store *history.Store, path string) error {
	var r io.Reader = a.in
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return usage("%w", err)
		}
		defer f.Close()
		r = f
	}
	id, report, err := store.Import(cmd.Context(), r, history.Summarise)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	note := ""
	switch {
	case report.Already:
		note = " · it was there already"
	case report.Incomplete != "":
		note = " · " + report.Incomplete
	}
	if report.Redacted > 0 {
		note += fmt.Sprintf(" · %s redacted", counted(int(report.Redacted), "record"))
	}
	fmt.Fprintln(a.out, id)
	a.say("imported %s · %s%s", path, counted(int(report.Records), "record"), note)
	return nil
}

var _ session.Exporter = exporter{}
