// Command a2ascope is an operator console for the Agent2Agent (A2A) protocol:
// it steps a task of a remote agent through its life and shows where what the
// agent declares and what it does differ. README.md says how to use it.
package main

import (
	"context"
	"os"

	"a2ascope/ui/cli"
)

func main() {
	ctx, stop := cli.WithSignals(context.Background())
	status := cli.Run(ctx, os.Args[1:], os.LookupEnv, os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(status)
}
