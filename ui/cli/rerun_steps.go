package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"a2ascope/session"
	"a2ascope/session/a2a"
	"a2ascope/session/runner"
	"a2ascope/ui/clean"
)

// step is a recorded command and the moment at which it was given.
type step struct {
	line  string
	cmd   session.Command
	after []int         // steps that were over by then
	gap   time.Duration // since the last thing before it
	// state is the one that the task was in, where the command depends on it;
	// empty where it does not.
	state a2a.State
}

// given is a command on its way through a recording.
type given struct {
	seq     uint64
	at      time.Duration
	over    uint64 // record by which it was over; 0 while it was not
	overAt  time.Duration
	command int // in the state
	step    step
}

// newRerun reads the commands of a recording.
func newRerun(r *recording, target string, trust bool, most time.Duration) (*rerun, error) {
	out := &rerun{target: target}
	s := session.NewState()
	var all, open []*given
	for {
		records, err := r.pages(s.Seq+1, 512)
		if err != nil {
			return nil, err
		}
		if len(records) == 0 {
			break
		}
		for i := range records {
			if g := commanded(s, &records[i]); g != nil {
				all, open = append(all, g), append(open, g)
			}
			session.Fold(s, &records[i])
			open = slices.DeleteFunc(open, func(g *given) bool {
				over := s.Commands[g.command-1].Over
				if over {
					g.over, g.overAt = s.Seq, s.Elapsed
				}
				return over
			})
		}
	}
	was, err := sideOf(r)
	if err != nil {
		return nil, err
	}
	out.was = was
	out.plan(all, r.foreign && !trust, most)
	if len(out.steps) == 0 {
		return nil, usage("session %s holds no command to run again", r.id)
	}
	return out, nil
}

// commanded returns the operator's command that a record holds, if it holds
// one. s is the state before it.
func commanded(s *session.State, r *session.Record) *given {
	var b session.Commanded
	if r.Kind != session.KindCommand || r.Decode(&b) != nil || b.By != "operator" && b.By != "script" || b.Error != "" {
		return nil
	}
	cmd, err := session.ParseCommand(b.Line)
	if err != nil {
		return nil
	}
	g := &given{seq: r.Seq, at: r.Elapsed, command: len(s.Commands) + 1, step: step{line: b.Line, cmd: cmd}}
	switch cmd.Name {
	case "cancel", "resume", "resubscribe":
		if t := s.TaskN(s.Current); t != nil && cmd.Task == "" && t.State() != "" && !t.State().Terminal() {
			g.step.state = t.State()
		}
	}
	return g
}

// plan makes the steps.
func (r *rerun) plan(all []*given, wary bool, most time.Duration) {
	var kept []*given
	for _, g := range all {
		if why := r.leaveOut(&g.step.cmd, wary); why != "" {
			r.notes = append(r.notes, fmt.Sprintf("left out: %s: %s", clean.Line(g.step.line, 80), why))
			continue
		}
		var before time.Duration
		for i, k := range kept {
			before = max(before, k.at)
			if k.over > 0 && k.over < g.seq {
				g.step.after = append(g.step.after, i)
				before = max(before, k.overAt)
			}
		}
		g.step.gap = min(max(0, g.at-before), most)
		if len(kept) == 0 {
			g.step.gap = 0
		}
		kept = append(kept, g)
		r.steps = append(r.steps, g.step)
	}
}

// leaveOut says why a command is not given again; empty when it is.
func (r *rerun) leaveOut(c *session.Command, wary bool) string {
	switch {
	case c.Name == "export":
		return "a rerun writes no files"
	case !wary:
		return ""
	case len(c.Files) > 0 || slices.ContainsFunc(c.Data, func(d string) bool { return strings.HasPrefix(d, "@") }):
		return "it reads a file, and the recording was made elsewhere (--trust-commands)"
	case (c.Name == "auth" || c.Name == "header") && strings.Contains(c.Line, "$"):
		return "it reads the environment, and the recording was made elsewhere (--trust-commands)"
	case c.URL != "" && !r.own(c.URL):
		return "it names another address, and the recording was made elsewhere (--trust-commands)"
	}
	return ""
}

// own reports whether an address is the recorded peer's.
func (r *rerun) own(address string) bool {
	o := r.was.state.Opened
	return address == o.Typed || session.SameOrigin(address, o.URL)
}

// mapped is a line with the new peer's address in place of the recorded one.
func (r *rerun) mapped(st *step, target string) string {
	o := r.was.state.Opened
	if st.cmd.URL == "" || !r.own(st.cmd.URL) {
		return st.line
	}
	now := target
	if st.cmd.URL != o.Typed && st.cmd.URL != o.URL {
		_, path, _ := strings.Cut(strings.SplitN(st.cmd.URL, "://", 2)[1], "/")
		now = session.OriginOf(target) + "/" + path
		if strings.HasPrefix(strings.ToLower(st.cmd.URL), "grpc") { // an origin is written as http, and has no word on gRPC
			now = strings.Replace(session.OriginOf(target), "http", "grpc", 1)
		}
	}
	return strings.Replace(st.line, st.cmd.URL, now, 1)
}

// situation is how long a rerun waits for the task to be in the state in which
// it was when a command was given.
const situation = "30s"

// run gives the commands.
func (r *rerun) run(ctx context.Context, l *live, f *sessionFlags) error {
	if err := runner.Script(ctx, l.Runner, f.credentials()); err != nil {
		return err
	}
	numbers := make([]int, len(r.steps))
	if r.steps[0].cmd.Name != "discover" && !slices.ContainsFunc(r.steps, func(s step) bool { return s.cmd.Name == "discover" }) {
		if err := runner.Script(ctx, l.Runner, []string{"discover " + session.QuoteWord(l.Address)}); err != nil {
			return err
		}
	}
	for i := range r.steps {
		err := r.give(ctx, l, i, numbers)
		switch {
		case err == nil:
		case ctx.Err() != nil || errors.Is(err, runner.ErrStopped):
			return nil // what it means is in the session's status
		default:
			r.notes = append(r.notes, fmt.Sprintf("not carried out: %s: %v", clean.Line(r.steps[i].line, 80), err))
		}
	}
	err := runner.Script(ctx, l.Runner, nil) // until confirmations that are under way are over
	if ctx.Err() != nil || errors.Is(err, runner.ErrStopped) {
		return nil
	}
	return err
}

// give gives one command at its moment.
func (r *rerun) give(ctx context.Context, l *live, i int, numbers []int) error {
	st := &r.steps[i]
	for _, before := range st.after {
		if numbers[before] == 0 {
			continue // it was not given
		}
		if _, err := l.Await(ctx, numbers[before]); err != nil {
			return err
		}
	}
	select {
	case <-time.After(st.gap):
	case <-ctx.Done():
		return ctx.Err()
	}
	if err := r.situate(ctx, l, st); err != nil {
		return err
	}
	n, err := l.Command(r.mapped(st, l.Address), "script")
	if err != nil {
		return err
	}
	numbers[i] = n
	return nil
}

// situate waits for the task to be where it was when the command was given.
// What the task has passed already is not waited for.
func (r *rerun) situate(ctx context.Context, l *live, st *step) error {
	if st.state == "" {
		return nil
	}
	for _, t := range l.View().Tasks {
		if t.N == l.View().Current && (slices.Contains(t.States, string(st.state)) || a2a.State(t.State).Terminal()) {
			return nil
		}
	}
	n, err := l.Command("wait state "+string(st.state)+" --for "+situation, "console")
	if err != nil {
		return err
	}
	_, err = l.Await(ctx, n) // the command is given all the same when it did not come true
	return err
}
