package cli

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"a2ascope/history"
	"a2ascope/session"
	"a2ascope/session/a2a"
	"a2ascope/session/runner"
	"a2ascope/ui/clean"
)

// script is what a run carries out, and how its lines are called when one of
// them is wrong.
type script struct {
	lines []string
	word  string // "command" for -c, "line" for --script
	// skipped counts the lines that were carried out before the others.
	skipped int
}

func (a *app) runCommand() *cobra.Command {
	sf := newSessionFlags()
	var commands []string
	var file string
	cmd := &cobra.Command{
		Use:   "run URL",
		Short: "Run a session without the console",
		Long: `run discovers the agent at URL, carries out the commands one after another,
waits for the confirmations that are under way, and exits with what the session
came to: 0 nothing contradicted, 1 a claim was contradicted, 2 a command could
not be carried out, 3 no answer, 4 our credentials were refused, 5 a wait ran
out, 6 the log could not be written, 129, 130 or 143 on a signal.

docs/commands.md lists the commands.`,
		Example: `  a2ascope run demo:leaky-cancel -c 'stream slow 20' -c 'wait state working' -c cancel -c 'wait settled'
  a2ascope run https://agents.example/research -H 'X-Api-Key: $KEY' --script triage.txt --output json`,
		Args: cobra.MaximumNArgs(1),
	}
	sf.add(cmd.Flags())
	cmd.Flags().StringArrayVarP(&commands, "command", "c", nil, "carry out this `CMD` (repeat)")
	cmd.Flags().StringVar(&file, "script", "", "carry out the commands in this `FILE`, one a line; - is standard input")
	output := newOutput(cmd, "text", "json", "jsonl")
	cmd.RunE = a.does(func(cmd *cobra.Command, args []string) error {
		typed := strings.Join(args, "")
		if typed == "" && sf.session == "" && !sf.resume {
			return usage("which agent? Give its URL, or --session or --continue to go on with a session")
		}
		if typed != "" {
			if err := checkPeer(typed, cmd.Root()); err != nil {
				return err
			}
		}
		if err := sf.check(); err != nil {
			return err
		}
		s, err := a.readScript(commands, file)
		if err != nil {
			return err
		}
		return a.run(cmd.Context(), opening{typed: typed, flags: sf, headless: true}, s, output.value)
	})
	return cmd
}

// readScript gathers the lines of -c or --script and checks that each is a
// command.
func (a *app) readScript(commands []string, file string) (script, error) {
	s := script{lines: commands, word: "command"}
	if file != "" {
		if len(commands) > 0 {
			return s, usage("-c and --script both give the commands; use one of them")
		}
		var text []byte
		var err error
		if file == "-" {
			text, err = readAll(a.in, "standard input")
		} else {
			text, err = readFile(file)
		}
		if err != nil {
			return s, usage("reading the script: %w", err)
		}
		s = script{lines: strings.Split(strings.TrimSuffix(string(text), "\n"), "\n"), word: "line"}
	}
	for i, line := range s.lines {
		if _, err := session.ParseCommand(line); err != nil && !errors.Is(err, session.ErrBlank) {
			return s, s.wrong(i, line, err)
		}
	}
	return s, nil
}

// wrong says which line, from 0, is wrong and why.
func (s *script) wrong(i int, line string, err error) error {
	if i+s.skipped < 0 {
		return usage("redispatching (%s): %w", clean.Line(shown(line), 80), err)
	}
	return &exitError{status: statusUsage, err: fmt.Errorf("%s %d (%s): %w", s.word, i+1+s.skipped, clean.Line(shown(line), 80), err)}
}

// shown is a line as it can be shown in an error: without the password in an
// address, and without what a header or auth line holds.
func shown(line string) string {
	line = strings.TrimSpace(line)
	if word, _, more := strings.Cut(line, " "); more && (word == "header" || word == "auth") {
		return word + " …"
	}
	return inAddress.ReplaceAllString(line, "://…@")
}

var inAddress = regexp.MustCompile(`://[^/?#\s]*@`)

// run opens a session, carries out the script and prints what was asked for.
func (a *app) run(ctx context.Context, o opening, s script, form string) error {
	p := newPrinter(a, form)
	store, err := a.open(a.paths.db)
	if err != nil {
		return p.failed(o, err)
	}
	defer store.Close()
	c, err := a.conduct(ctx, store, o, p, func(ctx context.Context, l *live) error { return a.perform(ctx, l, o.flags, &s) })
	if err != nil {
		return p.failed(o, err)
	}
	if c.printErr == nil {
		c.printErr = p.end(&c.doc, c.mistake != nil)
	}
	return a.ended(&c)
}

// conducted is what came of a session.
type conducted struct {
	doc      session.Document
	mistake  error // a command that could not be carried out
	loopErr  error // the log could not be written, or the loop broke
	printErr error // the output broke
}

// conduct opens a session and does something in it, with its records printed
// as they come. An error says that there was no session.
func (a *app) conduct(ctx context.Context, store *history.Store, o opening, p printer, act func(context.Context, *live) error) (conducted, error) {
	var pumped *pump
	o.committed = func(r []session.Record) { pumped.committed(r) }
	l, err := a.begin(ctx, store, o)
	if err != nil {
		return conducted{}, err
	}
	defer l.close()
	first := l.From
	if p.form == "jsonl" {
		first = 1 // a file that can be verified begins at the beginning
	}
	pumped = newPump(func(from uint64, n int) ([]session.Record, error) { return store.Page(l.ID, from, n) }, p.record, first)
	p.begin(l.ID)
	a.log.Info("Session opened", "session", l.ID)

	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	over := make(chan struct{})
	printed := background(func() error {
		err := pumped.run(over)
		if err != nil {
			stop(err)
		}
		return err
	})
	looped := background(func() error { return l.Run(ctx) })
	c := conducted{mistake: guarded(func() error { return act(ctx, l) })}
	var unrecorded error // no mistake of the script's
	if errors.Is(c.mistake, runner.ErrUnrecorded) {
		c.mistake, unrecorded = nil, c.mistake
	}
	if c.mistake != nil || unrecorded != nil {
		l.Stop("error")
	} else {
		l.Stop("done")
	}
	if c.loopErr = <-looped; c.loopErr == nil {
		c.loopErr = unrecorded
	}
	close(over)
	c.printErr = <-printed
	a.conclude(ctx, l, pumped, &c)
	return c, nil
}

// perform carries out credentials, discovery and the script.
func (a *app) perform(ctx context.Context, l *live, f *sessionFlags, s *script) error {
	given := &script{lines: f.credentials(), word: "credential"}
	own := &script{lines: s.lead(), word: s.word}
	card := &script{word: "preparing"}
	if l.View().Peer.CardURL == "" {
		card.lines = append(card.lines, "discover "+session.QuoteWord(l.Address))
	}
	for _, first := range []*script{given, own, card} {
		if err := runner.Script(ctx, l.Runner, first.lines); err != nil {
			return a.scriptError(ctx, err, first)
		}
	}
	if p := l.View().Peer; p.Undiscovered && p.Use.Binding != a2a.GRPC && !s.findsPeer() {
		a.say("no agent card was found at %s: the commands were not carried out", l.View().Peer.Typed)
		return nil // what it means is in the session's status
	}
	if f.redispatch != "" {
		line, err := again(l.store, f.redispatch, l.View().Form)
		if err != nil {
			return err
		}
		s.lines, s.skipped = append([]string{line}, s.lines...), s.skipped-1 // one script: a stream stays open
	}
	lines := make([]string, len(s.lines))
	for i, line := range s.lines {
		var err error
		if lines[i], err = l.localise(ctx, line); err != nil {
			return s.wrong(i, s.lines[i], err)
		}
	}
	return a.scriptError(ctx, runner.Script(ctx, l.Runner, lines), s)
}

// lead takes the credentials off the script's beginning: they come before the
// card is read, which may need them.
func (s *script) lead() []string {
	n := 0
	for ; n < len(s.lines); n++ {
		if c, err := session.ParseCommand(s.lines[n]); err == nil && c.Name != "auth" && c.Name != "header" {
			break
		}
	}
	lead := s.lines[:n]
	s.lines, s.skipped = s.lines[n:], s.skipped+n
	return lead
}

// findsPeer reports whether the script itself says where the peer is.
func (s *script) findsPeer() bool {
	for _, line := range s.lines {
		if c, err := session.ParseCommand(line); err == nil && (c.Name == "endpoint" || c.Name == "discover") {
			return true
		}
	}
	return false
}

// scriptError leaves out what is no mistake of the script: a signal, or a
// session that ended under it.
func (a *app) scriptError(ctx context.Context, err error, s *script) error {
	var se *runner.ScriptError
	switch {
	case err == nil || ctx.Err() != nil || errors.Is(err, runner.ErrStopped):
		return nil
	case errors.As(err, &se) && se.Line >= 1 && se.Line <= len(s.lines):
		return s.wrong(se.Line-1, se.Text, se.Err) // without its secrets
	}
	return err
}

// localise starts the embedded peer that a line names, and puts its address in
// its place.
func (l *live) localise(ctx context.Context, line string) (string, error) {
	c, err := session.ParseCommand(line)
	if err != nil || !isDemo(c.URL) {
		return line, nil
	}
	if c.URL == l.typed {
		return strings.Replace(line, c.URL, l.Address, 1), nil
	}
	at, err := l.demos.start(ctx, c.URL, "")
	if err != nil {
		return line, err
	}
	return strings.Replace(line, c.URL, at, 1), nil
}

// conclude makes the verdict document of a session that has ended.
func (a *app) conclude(ctx context.Context, l *live, pumped *pump, c *conducted) {
	doc := l.Document(tool())
	if doc.Peer.CardURL == "" && l.View().Peer.Undiscovered {
		doc.Error = "no agent card was found at " + l.View().Peer.Typed
	}
	if c.loopErr != nil {
		doc.Error = c.loopErr.Error()
		if doc.Exit.Status != statusLog {
			doc.Exit = session.ExitDoc{Status: statusLog, Reasons: append([]string{session.ReasonLog}, doc.Exit.Reasons...)}
		}
		if c.printErr == nil { // what the disk refused is nowhere else
			c.printErr = pumped.drain(l.Page, doc.Log.Records)
		}
	}
	if s := signalOf(ctx); s != nil {
		doc.Exit = session.ExitDoc{Status: s.status(), Reasons: append(doc.Exit.Reasons, session.ReasonSignal)}
	}
	denied := slices.Contains(doc.Exit.Reasons, session.ReasonCredentials)
	for _, s := range l.View().Peer.Suggestions {
		elsewhere := strings.HasPrefix(s.Line, "endpoint ") || strings.HasPrefix(s.Line, "interface ")
		if denied || elsewhere && doc.Exit.Status != 0 {
			a.say("may help: %s (%s)", s.Line, s.Why)
		}
	}
	if c.mistake != nil {
		doc.Exit = session.ExitDoc{Status: statusUsage, Reasons: doc.Exit.Reasons}
	}
	c.doc = doc
}

// ended names the session and says how the program ends.
func (a *app) ended(c *conducted) error {
	a.say("session %s · %s", c.doc.Session, counted(int(c.doc.Log.Records), "record"))
	a.log.Info("Session ended", "session", c.doc.Session, "status", c.doc.Exit.Status)
	switch {
	case c.mistake != nil:
		return c.mistake
	case c.printErr != nil:
		return fmt.Errorf("printing: %w", c.printErr)
	case c.doc.Exit.Status == statusOK:
		return nil
	case c.loopErr != nil:
		return &exitError{status: c.doc.Exit.Status, err: c.loopErr}
	}
	return &exitError{status: c.doc.Exit.Status}
}

// say writes a line to standard error.
func (a *app) say(format string, args ...any) {
	fmt.Fprintln(a.errOut, clean.Line(fmt.Sprintf(format, args...), 0))
}
