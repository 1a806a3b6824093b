package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"

	"github.com/spf13/cobra"

	"a2ascope/ui/clean"
)

// Statuses that the binary exits with, beside those that a session earns.
const (
	statusOK     = 0
	statusFailed = 1 // what was asked for could not be done, or a chain is broken
	statusUsage  = 2
	statusLog    = 6 // the log could not be opened or written
)

// app is one run of the binary.
type app struct {
	env         func(string) (string, bool)
	in          io.Reader
	out, errOut io.Writer
	paths       paths
	log         *slog.Logger
	logFile     string // --log-file
	closeLog    func()
	demoPace    string // --demo-pace
}

// Run carries out one command line and returns the status to exit with. Args
// come without the program's name. When ctx ends with a *Signal as its cause,
// the command ends in order and the status is the signal's.
func Run(ctx context.Context, args []string, env func(string) (string, bool), in io.Reader, out, errOut io.Writer) int {
	a := &app{env: env, in: in, out: out, errOut: errOut, paths: defaultPaths(), log: slog.New(slog.DiscardHandler), closeLog: func() {}}
	root := a.root()
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(out)
	root.SetErr(errOut)
	cmd, err := root.ExecuteContextC(ctx)
	defer func() { a.closeLog() }()
	if err == nil {
		return statusOK
	}
	// What cobra itself refuses is a mistake in the line.
	ended := &exitError{status: statusUsage, err: err, hint: true}
	errors.As(err, &ended)
	if ended.err != nil {
		fmt.Fprintf(errOut, "%s: %s\n", cmd.CommandPath(), clean.Block(ended.err.Error()))
	}
	if ended.hint {
		fmt.Fprintf(errOut, "%s --help shows how it is used\n", cmd.CommandPath())
	}
	a.log.Info("Ended", "command", cmd.CommandPath(), "status", ended.status)
	return ended.status
}

// exitError ends a command with a status. A nil err says nothing on standard
// error: it was said already.
type exitError struct {
	status int
	err    error
	hint   bool // the line is wrong: point at --help
}

func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("status %d", e.status)
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// statusOf is the status that an error ends a command with.
func statusOf(err error) int {
	var ended *exitError
	if errors.As(err, &ended) {
		return ended.status
	}
	return statusFailed
}

// usage is a mistake in the command line.
func usage(format string, args ...any) error {
	return &exitError{status: statusUsage, err: fmt.Errorf(format, args...)}
}

// does wraps what a command does: whatever it returns has a status.
func (a *app) does(do func(cmd *cobra.Command, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		if err := a.openLog(); err != nil {
			return err
		}
		a.log.Info("Started", "command", cmd.CommandPath(), "version", Version())
		err := guarded(func() error { return do(cmd, args) })
		var ended *exitError
		if err == nil || errors.As(err, &ended) {
			return err
		}
		a.log.Error("Failed", "command", cmd.CommandPath(), "error", err.Error())
		return &exitError{status: statusFailed, err: err}
	}
}

func (a *app) root() *cobra.Command {
	sf, screen := newSessionFlags(), &screenFlags{}
	root := &cobra.Command{
		Use:   "a2ascope [URL]",
		Short: "An operator console for the Agent2Agent protocol",
		Long: `a2ascope steps a task of an A2A agent through its life and shows where what the
agent declares and what it does differ. Every byte of a session is kept.

Without a command it opens the console, on URL where one is given. Anywhere a
URL is asked for, demo:SCENARIO or demo:SCENARIO@0.3 starts an embedded agent,
and grpc://HOST:PORT or grpcs://HOST:PORT is an agent that speaks gRPC alone.`,
		Example: `  a2ascope https://agents.example/research
  a2ascope run demo:leaky-cancel -c 'stream slow 20' -c 'wait state working' -c cancel -c 'wait settled'`,
		Args:          cobra.MaximumNArgs(1),
		Version:       Version(),
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE: a.does(func(cmd *cobra.Command, args []string) error {
			typed := strings.Join(args, "")
			if typed != "" {
				if err := checkPeer(typed, cmd.Root()); err != nil {
					return err
				}
			}
			return a.console(cmd.Context(), sf, screen, typed, a.paths.db, false)
		}),
	}
	root.SetVersionTemplate("a2ascope {{.Version}}\n")
	root.PersistentFlags().StringVar(&a.paths.db, "db", a.paths.db, "`PATH` of the log that sessions are kept in (default in the XDG data directory)")
	root.PersistentFlags().Lookup("db").DefValue = "" // it differs from machine to machine
	root.PersistentFlags().StringVar(&a.logFile, "log-file", "", "`PATH` of the program's own log (default in the XDG state directory)")
	root.PersistentFlags().StringVar(&a.demoPace, "demo-pace", "", "time between two chunks of an embedded agent")
	_ = root.PersistentFlags().MarkHidden("demo-pace") // the flag is there
	sf.add(root.Flags())
	screen.add(root.Flags())
	root.AddCommand(a.runCommand(), a.probeCommand(), a.demoCommand(), a.historyCommand(), a.decisionsCommand(), a.exportCommand(), a.importCommand(), a.rejudgeCommand(), a.replayCommand(), a.rerunCommand(), a.compareCommand(),
		a.manCommand(), a.versionCommand(), a.configCommand())
	sayArguments(root)
	root.SetFlagErrorFunc(flagMistake)
	root.InitDefaultHelpFlag()
	root.InitDefaultVersionFlag()
	return root
}

// group is a command that only holds others.
func group(use, short, long string) *cobra.Command {
	return &cobra.Command{
		Use: use, Short: short, Long: long, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
}

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Args: cobra.NoArgs,
		RunE: a.does(func(*cobra.Command, []string) error {
			fmt.Fprintf(a.out, "a2ascope %s\n", Version())
			return nil
		}),
	}
}

func (a *app) configCommand() *cobra.Command {
	c := group("config", "Where a2ascope keeps its files", "")
	c.AddCommand(&cobra.Command{
		Use: "path", Short: "Print the files that a2ascope uses", Args: cobra.NoArgs,
		RunE: a.does(func(*cobra.Command, []string) error {
			t := newTable(a.style())
			t.row("key bindings", a.paths.keys)
			t.row("sessions", a.paths.db)
			t.row("demo sessions", a.paths.demoDB)
			t.row("program log", a.logPath())
			return t.write(a.out)
		}),
	})
	return c
}
