package cli

import (
	"log/slog"

	"github.com/spf13/cobra"
)

// What the tests of the documentation look at.
var (
	Walk     = walk
	FlagText = flagText
)

// Commands returns the commands of the binary, to be looked at.
func Commands() *cobra.Command {
	a := &app{paths: defaultPaths(), log: slog.New(slog.DiscardHandler), closeLog: func() {}}
	return a.root()
}
