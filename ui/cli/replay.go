package cli

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"a2ascope/peerclient/replay"
	"a2ascope/ui/clean"
)

func (a *app) replayCommand() *cobra.Command {
	var listen string
	var fast bool
	cmd := &cobra.Command{
		Use:   "replay FILE|SESSION",
		Short: "Serve a recording as an agent",
		Long: `replay serves a recorded session as the agent that it was recorded with, so that
a fault can be seen again, with any client and without the agent: the same card
(its addresses are this server's), the same answers, the same events at the same
pace. FILE is a jsonl export; - is standard input.

What was not asked then is answered with an error that lists what the recording
holds. docs/replay.md says how a client's calls are matched with the recorded
ones.`,
		Example: "  a2ascope replay bug-12.jsonl --listen 127.0.0.1:9000\n  a2ascope replay last --fast",
		Args:    cobra.ExactArgs(1),
	}
	cmd.Flags().StringVar(&listen, "listen", "127.0.0.1:0", "`ADDR` to listen on")
	cmd.Flags().BoolVar(&fast, "fast", false, "without the recorded waits")
	cmd.RunE = a.does(func(cmd *cobra.Command, args []string) error {
		return a.replay(cmd.Context(), args[0], replay.Options{Listen: listen, Fast: fast})
	})
	return cmd
}

// replay serves a recording until ctx ends, which is the way to end it.
func (a *app) replay(ctx context.Context, name string, o replay.Options) error {
	r, err := a.recording(ctx, name)
	if err != nil {
		return err
	}
	defer r.close()
	var mu sync.Mutex
	say := func(line string) {
		mu.Lock()
		defer mu.Unlock()
		a.say("%s", clean.Line(line, lineMost))
	}
	o.Pages, o.Log = r.pages, say
	server, err := replay.Start(ctx, o)
	if err != nil {
		return err
	}
	defer server.Close()
	var b strings.Builder
	s := a.style()
	fmt.Fprintf(&b, "%s  serves session %s\n", s.bold(server.URL()), clean.Line(r.id, 64))
	t := newTable(s)
	for _, h := range server.Held() {
		tasks := clean.Line(strings.Join(h.Tasks, " "), 100)
		if n := len(h.Tasks); n > 1 {
			tasks = counted(n, "task")
		}
		t.row(" ", fmt.Sprintf("%d ×", h.Answers), clean.Line(h.Call, 100), tasks)
	}
	if err := t.write(&b); err != nil {
		return err
	}
	if _, err := fmt.Fprint(a.out, b.String()); err != nil {
		return err
	}
	for _, note := range append(server.Notes(), r.note) {
		if note != "" {
			say("note: " + note)
		}
	}
	<-ctx.Done()
	return nil
}
