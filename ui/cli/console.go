package cli

import (
	"context"
	"os"

	"github.com/charmbracelet/x/term"
)

// console opens the terminal program, on a peer where one was typed. Db is the
// log that it works on.
func (a *app) console(_ context.Context, f *sessionFlags, _, _ string) error {
	if err := f.check(); err != nil {
		return err
	}
	if kind, _ := a.env("TERM"); kind == "dumb" || !isTerminal(a.in) || !isTerminal(a.out) {
		return usage("the console needs a terminal; \"a2ascope run URL -c …\" works without one, and \"a2ascope history show\" prints a session")
	}
	return usage("this build has no console; \"a2ascope run URL -c …\" does the same from the command line")
}

func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(f.Fd())
}
