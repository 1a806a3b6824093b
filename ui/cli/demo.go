package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"a2ascope/peerclient/demopeer"
	"a2ascope/ui/clean"
)

func (a *app) demoCommand() *cobra.Command {
	sf, screen := newSessionFlags(), &screenFlags{}
	cmd := &cobra.Command{
		Use:   "demo [SCENARIO]",
		Short: "The console on embedded agents: no network, no key",
		Long: `demo opens the console on an embedded agent. "a2ascope demo serve" lists the
agents and serves all of them.

Its sessions are kept in a log of their own, demo.db in the XDG data directory:
"a2ascope config path" prints where that is, and history, export and the other
commands read it with --db and that path.`,
		Example:           "  a2ascope demo\n  a2ascope demo leaky-cancel\n  a2ascope --db ~/.local/share/a2ascope/demo.db history list",
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeScenario,
		RunE: a.does(func(cmd *cobra.Command, args []string) error {
			typed := ""
			if len(args) == 1 {
				typed = demoPrefix + strings.TrimPrefix(args[0], demoPrefix)
				if err := checkPeer(typed, cmd.Root()); err != nil {
					return err
				}
			}
			db := a.paths.demoDB
			if cmd.Flags().Changed("db") {
				db = a.paths.db
			}
			return a.console(cmd.Context(), sf, screen, typed, db, true)
		}),
	}
	sf.add(cmd.Flags())
	screen.add(cmd.Flags())
	var listen string
	serve := &cobra.Command{
		Use:   "serve",
		Short: "Serve the embedded agents, one URL each",
		Args:  cobra.NoArgs,
		RunE: a.does(func(cmd *cobra.Command, _ []string) error {
			return a.serveDemos(cmd.Context(), listen)
		}),
	}
	serve.Flags().StringVar(&listen, "listen", "127.0.0.1:0", "`ADDR` to listen on")
	cmd.AddCommand(serve)
	return cmd
}

func completeScenario(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var names []string
	for _, s := range demopeer.Scenarios() {
		names = append(names, s.Name+"\t"+s.Title)
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// serveDemos serves every embedded peer below a path of its own until ctx
// ends, which is the way to end it.
func (a *app) serveDemos(ctx context.Context, listen string) error {
	d := demos{pace: a.demoPace}
	pace, err := d.chunkPace()
	if err != nil {
		return err
	}
	var lc net.ListenConfig
	ln, err := lc.Listen(ctx, "tcp", listen)
	if err != nil {
		return fmt.Errorf("listening on %s: %w; choose another address with --listen", listen, err)
	}
	base := "http://" + reachable(ln.Addr())
	mux, closeAll, err := demoMux(base, pace)
	if err != nil {
		_ = ln.Close() // nothing was served
		return err
	}
	defer closeAll()
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	served := background(func() error { return server.Serve(ln) })
	if _, err := io.WriteString(a.out, demoList(a.style(), base)); err != nil {
		_ = server.Close() // the error of the output is the one to tell
		return err
	}
	select {
	case <-ctx.Done():
		_ = server.Close() // its peers end with it
		<-served
		return nil
	case err := <-served:
		if errors.Is(err, http.ErrServerClosed) {
			return nil
		}
		return err
	}
}

// reachable is the address as others can call it.
func reachable(addr net.Addr) string {
	tcp, ok := addr.(*net.TCPAddr)
	if !ok || !tcp.IP.IsUnspecified() {
		return addr.String()
	}
	host, err := os.Hostname()
	if err != nil {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(host, fmt.Sprint(tcp.Port))
}

var demoGenerations = []string{"1.0", "0.3"}

// demoMux mounts every peer in both generations.
func demoMux(base string, pace time.Duration) (mux *http.ServeMux, closeAll func(), err error) {
	mux = http.NewServeMux()
	var closers []io.Closer
	closeAll = func() {
		for _, c := range closers {
			_ = c.Close() // it has no error to report
		}
	}
	for _, s := range demopeer.Scenarios() {
		for _, generation := range demoGenerations {
			path := demoPath(s.Name, generation)
			h, err := demopeer.Handler(demopeer.Options{Scenario: s.Name, Generation: generation, Pace: pace, BaseURL: base + path})
			if err != nil {
				closeAll()
				return nil, nil, err
			}
			if c, ok := h.(io.Closer); ok {
				closers = append(closers, c)
			}
			h = http.StripPrefix(path, h)
			mux.Handle(path, h)
			mux.Handle(path+"/", h)
		}
	}
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = io.WriteString(w, demoList(style{}, base)) // a visitor who went away
	})
	return mux, closeAll, nil
}

func demoPath(name, generation string) string {
	if generation == "0.3" {
		return "/" + name + "@0.3"
	}
	return "/" + name
}

// demoList is every peer with its URL, what it does and what to try.
func demoList(s style, base string) string {
	var b strings.Builder
	for _, p := range demopeer.Scenarios() {
		mark := "✓ honest"
		if p.Lies {
			mark = "✗ " + strings.Join(p.Claims, ", ")
		}
		fmt.Fprintf(&b, "%s  %s\n", s.bold(pad(base+demoPath(p.Name, "1.0"), 46)), clean.Line(mark, 0))
		fmt.Fprintf(&b, "    %s\n    %s %s\n", clean.Line(p.Title, 0), s.dim("try:"), clean.Line(p.Try, 0))
	}
	fmt.Fprintf(&b, "\nEach also speaks 0.3, at its URL with @0.3 behind it.\n")
	return b.String()
}
