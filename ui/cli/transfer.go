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

// formats are the forms of export that this build writes.
var formats = map[string]func(io.Writer, export.Pages) error{
	"jsonl": export.JSONL,
}

func formatNames() string {
	var names []string
	for _, f := range []string{"md", "html", "jsonl", "har", "curl", "script"} {
		if formats[f] != nil {
			names = append(names, f)
		}
	}
	return strings.Join(names, ", ")
}

// exporter carries out the export command of a session.
type exporter struct{ store *history.Store }

// Export writes the session to path, or to a file named after it in the
// working directory, and returns where.
func (e exporter) Export(id, format, path string) (string, error) {
	write := formats[format]
	if write == nil {
		return "", fmt.Errorf("%s is not written by this build; it writes %s", format, formatNames())
	}
	if path == "" {
		path = "a2ascope-" + id + "." + format
	}
	reader, err := e.store.OpenRead(id)
	if err != nil {
		return "", err
	}
	return path, writeFile(path, func(w io.Writer) error { return write(w, reader.Page) })
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

func (a *app) exportCommand() *cobra.Command {
	var format, path string
	cmd := &cobra.Command{
		Use: "export SESSION", Short: "Write a session for others to read", Args: cobra.ExactArgs(1),
		Long:    "export writes a session, given by its id, the beginning of it, or \"last\".\ndocs/jsonl.md describes jsonl, from which \"a2ascope import\" reads a session back.",
		Example: "  a2ascope export last --format jsonl -o bug-12.jsonl",
	}
	cmd.Flags().StringVar(&format, "format", "jsonl", "`FORMAT` to write: "+formatNames())
	cmd.Flags().StringVarP(&path, "out", "o", "-", "`PATH` of the file; - is standard output")
	cmd.RunE = a.does(func(_ *cobra.Command, args []string) error {
		write := formats[format]
		if write == nil {
			return usage("--format %s: this build writes %s", format, formatNames())
		}
		store, err := a.view(a.paths.db)
		if err != nil {
			return err
		}
		defer store.Close()
		id, err := checkSession(store, args[0])
		if err != nil {
			return err
		}
		if path != "-" {
			_, err := exporter{store}.Export(id, format, path)
			return err
		}
		reader, err := store.OpenRead(id)
		if err != nil {
			return err
		}
		w := bufio.NewWriterSize(a.out, 1<<16)
		if err := write(w, reader.Page); err != nil {
			return err
		}
		return w.Flush()
	})
	return cmd
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
			return usage("import: %w", err)
		}
		defer f.Close()
		r = f
	}
	id, report, err := store.Import(cmd.Context(), r, history.Summarise)
	if err != nil {
		return fmt.Errorf("import %s: %w", path, err)
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
