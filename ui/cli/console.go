package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/pflag"

	"a2ascope/keymap"
	"a2ascope/themes"
	"a2ascope/ui/console"
)

// screenFlags are the flags of the terminal program.
type screenFlags struct {
	theme    string
	readOnly bool
	noMouse  bool
	ascii    bool
}

func (f *screenFlags) add(set *pflag.FlagSet) {
	set.StringVar(&f.theme, "theme", "", "colours: "+strings.Join(themes.Names(), ", "))
	set.BoolVar(&f.readOnly, "read-only", false, "look, and send nothing that changes a task")
	set.BoolVar(&f.noMouse, "no-mouse", false, "leave the mouse to the terminal")
	set.BoolVar(&f.ascii, "ascii", false, "draw with ASCII alone")
}

// console opens the terminal program on the log db, and on a peer where one
// was typed.
func (a *app) console(ctx context.Context, f *sessionFlags, screen *screenFlags, typed, db string, demo bool) error {
	if err := f.check(); err != nil {
		return err
	}
	if screen.theme != "" && !themes.Known(screen.theme) {
		return usage("--theme %s: the themes are %s", screen.theme, strings.Join(themes.Names(), ", "))
	}
	if kind, _ := a.env("TERM"); kind == "dumb" || !isTerminal(a.in) || !isTerminal(a.out) {
		return usage("the console needs a terminal; \"a2ascope run URL -c …\" works without one, and \"a2ascope history show\" prints a session")
	}
	store, err := a.open(db)
	if err != nil {
		return err
	}
	defer store.Close()
	o := console.Options{
		Start: typed, Demo: demo, Version: Version(), Theme: screen.theme, NoMouse: screen.noMouse, ASCII: screen.ascii, ReadOnly: screen.readOnly,
	}
	old, err := a.which(store, opening{typed: typed, flags: f})
	if err != nil {
		return err
	}
	if old != nil {
		o.Start, o.Continue = "", old.Session
	}
	if f.redispatch != "" {
		if o.Start == "" {
			return usage("--redispatch gives a task to a peer: say which by its URL")
		}
		state, t, err := followed(store, f.redispatch)
		if err != nil {
			return err
		}
		o.Follow = console.TaskRef{Session: state.Opened.Session, Task: t.N}
	}
	o.Keys, o.Problems = a.keys()
	s := &shelf{app: a, ctx: ctx, store: store, flags: f, demo: demo, fatal: make(chan error, 1)}
	if o.Start != "" || o.Continue != "" { // a session is opened at once: what it lacks is asked for while that can be done
		given, err := f.secrets(a.env, a.asker())
		if err != nil {
			return &exitError{status: statusUsage, err: err}
		}
		s.given = given.given
	}
	return a.show(ctx, s, o)
}

// show runs the terminal program and says how it ended.
func (a *app) show(ctx context.Context, s *shelf, o console.Options) error {
	o.Sessions, o.Fatal = s, s.fatal
	err := guarded(func() error { return console.Run(ctx, o) })
	s.end()
	a.nameSessions(s)
	switch sig := signalOf(ctx); {
	case sig != nil:
		return &exitError{status: sig.status()}
	case errors.Is(err, console.ErrInterrupted):
		return &exitError{status: (&Signal{Number: syscall.SIGINT}).status()}
	case err != nil && ctx.Err() == nil:
		return fmt.Errorf("the console ended: %w", err)
	}
	return nil
}

// nameSessions says which sessions the console wrote, and how to look at them
// from the shell: those of the demo are in a log of their own.
func (a *app) nameSessions(s *shelf) {
	for _, id := range s.sessions() {
		a.say("session %s · %s", id, showLine(s.store.Path(), id))
	}
}

// keys are the key bindings, with the operator's own.
func (a *app) keys() (*keymap.Map, []keymap.Problem) {
	data, err := os.ReadFile(a.paths.keys)
	if errors.Is(err, os.ErrNotExist) {
		return keymap.Default(), nil
	}
	if err != nil {
		return keymap.Default(), []keymap.Problem{{File: a.paths.keys, Text: err.Error()}}
	}
	return keymap.Load(a.paths.keys, data)
}

func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(f.Fd())
}
