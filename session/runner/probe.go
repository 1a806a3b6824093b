package runner

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"a2ascope/session"
	"a2ascope/session/a2a"
	"a2ascope/session/probe"
)

// ProbeOptions say what is put to the test.
type ProbeOptions struct {
	Claims     []session.Claim // none: every one
	Undeclared bool            // also what the card does not declare
	By         string          // who asks, as in a command record; empty is "script"
}

// ProbeReport says what a probe did.
type ProbeReport struct {
	Command     int // that asked for it
	Probes      []ProbeResult
	Tasks       int      // that it made at the peer
	Left        []string // tasks of its own that could not be ended: server ids, or what they are
	Interrupted bool     // it was ended before its last probe
}

// ProbeOutcome says how far a probe came.
type ProbeOutcome string

// The outcomes of a probe.
const (
	ProbeRan      ProbeOutcome = "ran"
	ProbeSkipped  ProbeOutcome = "skipped"
	ProbeCutShort ProbeOutcome = "cut short" // a step could not be done: the rest had no sense
)

// ProbeResult is one probe of a report.
type ProbeResult struct {
	Claim      session.Claim
	Name       string
	Title      string
	Outcome    ProbeOutcome
	Why        string          // it was skipped or cut short; empty when it ran
	Verdict    session.Verdict // of its claim, afterwards
	Tasks      int             // that it made
	Undeclared bool            // it exercised what the card does not declare
}

// Probe puts claims to the test and returns when that is over, and what was
// begun for it is ended. It is the probe command with its report: an error says
// that the command could not be carried out, or ctx ended; the report then
// holds what was done until then.
func Probe(ctx context.Context, r *Runner, o ProbeOptions) (ProbeReport, error) {
	words := []string{"probe"}
	for _, c := range o.Claims {
		words = append(words, string(c))
	}
	if o.Undeclared {
		words = append(words, "--undeclared")
	}
	if o.By == "" {
		o.By = "script"
	}
	n, err := r.Command(strings.Join(words, " "), o.By)
	if err != nil {
		return ProbeReport{}, fmt.Errorf("probing the peer: %w", err)
	}
	cv, err := r.Await(ctx, n)
	if ctx.Err() != nil {
		r.stopProbe(n)
		cv, err = r.Await(context.Background(), n)
	}
	report := r.probeReport(n)
	switch {
	case err != nil:
		return report, fmt.Errorf("probing the peer: %w", err)
	case cv.Result == session.ResultCannot:
		return report, fmt.Errorf("probing the peer: %s", cv.Detail)
	case cv.Result == session.ResultStopped, report.Interrupted && ctx.Err() == nil:
		return report, fmt.Errorf("probing the peer: %w", ErrStopped)
	}
	return report, ctx.Err()
}

// probing is a probe under way, and what it has done.
type probing struct {
	stop   context.CancelFunc
	report ProbeReport
}

func (r *Runner) stopProbe(n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if p := r.probes[n]; p != nil {
		p.stop()
	}
}

func (r *Runner) probeReport(n int) ProbeReport {
	r.mu.Lock()
	defer r.mu.Unlock()
	if p := r.probes[n]; p != nil {
		return p.report
	}
	return ProbeReport{Command: n}
}

// probe carries out a probe command beside the loop.
func (r *Runner) probe(n int, cmd session.Command) {
	ctx, stop := context.WithCancel(r.life)
	under := &probing{stop: stop, report: ProbeReport{Command: n}}
	r.mu.Lock()
	r.probes[n] = under
	r.mu.Unlock()
	claims := make([]session.Claim, len(cmd.Claims))
	for i, c := range cmd.Claims {
		claims[i] = session.Claim(c)
	}
	p := &prober{r: r, ctx: ctx, undeclared: cmd.Undeclared, policy: r.state.Opened.Policy}
	p.report.Command = n
	r.beside(n, "probe", func() (string, bool) {
		defer stop()
		p.run(probe.For(claims))
		r.mu.Lock()
		under.report = p.report
		r.mu.Unlock()
		return p.report.text(claims), false
	})
}

// prober runs the scripts of one probe command.
type prober struct {
	r          *Runner
	ctx        context.Context // ends when the probe is to end
	undeclared bool
	policy     session.Policy
	report     ProbeReport
}

func (p *prober) run(list []probe.Probe) {
	p.discovered()
	for _, pr := range list {
		if p.ctx.Err() != nil {
			p.report.Interrupted = true
			return
		}
		res := p.one(pr)
		p.report.Tasks += res.Tasks
		p.report.Probes = append(p.report.Probes, res)
	}
	p.report.Interrupted = p.ctx.Err() != nil
}

// discovered waits for a discovery that is under way.
func (p *prober) discovered() {
	limit, giveUp := p.r.clock.After(p.answerLimit() * 4) // there are a few places
	defer giveUp()
	for {
		changed := p.r.Changed()
		looking := false
		err := p.r.askWithin(p.ctx, func(s *session.State) {
			looking = slices.ContainsFunc(s.Obligations, func(o *session.Obligation) bool { return o.Op == a2a.OpCard })
		})
		if err != nil || !looking {
			return
		}
		select {
		case <-changed:
		case <-limit:
			return
		case <-p.ctx.Done():
			return
		}
	}
}

// tries bounds how often a probe is run anew because the peer answered its
// text with a message: the card's next example may make a task.
const tries = 4

// one runs a probe and ends what it began.
func (p *prober) one(pr probe.Probe) ProbeResult {
	res := ProbeResult{Claim: pr.Claim, Name: pr.Name, Title: pr.Title}
	var f probe.Facts
	before := -1 // commands that were given before it
	look := func() error {
		return p.r.askWithin(p.ctx, func(s *session.State) {
			f = probe.FactsOf(s)
			if before < 0 {
				before = len(s.Commands)
			}
		})
	}
	if look() != nil {
		res.Outcome, res.Why = ProbeSkipped, "the session is ending"
		return res
	}
	if why := pr.Skip(f, p.undeclared); why != "" {
		res.Outcome, res.Why = ProbeSkipped, why
	}
	res.Undeclared = pr.Capability != "" && f.Declared[pr.Capability] != a2a.DeclaredTrue && res.Why == ""
	for n := 0; n < tries && res.Outcome != ProbeSkipped; n++ {
		script := pr.Lines(f)
		why := p.script(script)
		if res.Outcome, res.Why = ProbeRan, why; why != "" {
			res.Outcome = ProbeCutShort
		}
		if look() != nil || slices.Equal(pr.Lines(f), script) {
			break
		}
	}
	res.Tasks = p.clean(p.begun(before))
	res.Verdict = session.Unproven
	_ = p.r.ask(func(s *session.State) { res.Verdict = s.Counts[pr.Claim].Verdict() })
	return res
}

// script runs the lines of a probe one after another. It returns why it did
// not come to its end; empty when it did.
func (p *prober) script(lines []probe.Line) (why string) {
	task := 0
	for _, l := range lines {
		cmd, err := session.ParseCommand(string(l))
		if err != nil {
			return err.Error()
		}
		cv, err := p.do(p.ctx, about(task, string(l), cmd), p.limit(cmd))
		if cmd.New && cv.Task > 0 {
			task = cv.Task
		}
		switch {
		case err != nil:
			return err.Error()
		case cv.Result == session.ResultOK, cmd.Name == "wait" && cmd.Sub == "closed":
		default:
			return cv.Detail
		}
	}
	return ""
}

// about gives a line the task that it is about, so that the operator's own
// work beside is left alone.
func about(task int, line string, cmd session.Command) string {
	u, _ := session.UsageOf(cmd.Name)
	takes := slices.ContainsFunc(u.Flags, func(f session.FlagUsage) bool { return f.Name == "--task" })
	if task == 0 || cmd.New || !takes || cmd.Name == "wait" && cmd.Sub == "for" {
		return line
	}
	return strings.Replace(line, cmd.Name, fmt.Sprintf("%s --task %d", cmd.Name, task), 1)
}

// errLate says that a step of a probe did not end in its time.
var errLate = errors.New("no answer in time")

// do gives a command and waits until it is over, but not longer than limit.
func (p *prober) do(ctx context.Context, line string, limit time.Duration) (session.CommandView, error) {
	if ctx.Err() != nil {
		return session.CommandView{}, ctx.Err()
	}
	n, err := p.r.command(ctx, line, session.ByProbe)
	if err != nil {
		return session.CommandView{}, err
	}
	late, giveUp := p.r.clock.After(limit)
	defer giveUp()
	for {
		changed := p.r.Changed()
		var cv session.CommandView
		if err := p.r.askWithin(ctx, func(s *session.State) { cv, _ = s.CommandDone(n) }); err != nil {
			return cv, err
		}
		if cv.Over {
			return cv, nil
		}
		select {
		case <-changed:
		case <-late:
			return cv, fmt.Errorf("%w: %q was not over after %s", errLate, line, limit)
		case <-ctx.Done():
			return cv, ctx.Err()
		}
	}
}

// answerLimit is how long one answer may take.
func (p *prober) answerLimit() time.Duration {
	d := p.policy.TimeoutConnect.D() + p.policy.TimeoutFirstByte.D()
	if d <= 0 {
		d = session.DefaultPolicy().TimeoutFirstByte.D()
	}
	return d + 5*time.Second
}

// longestWindow is the longest that a card can make the window for a stream's
// first event.
const longestWindow = 5 * time.Minute

// limit bounds a line by the policy's times: a step that hangs ends its probe,
// and not the session.
func (p *prober) limit(cmd session.Command) time.Duration {
	switch d := p.answerLimit(); {
	case cmd.Name == "wait":
		return cmd.For + d
	case cmd.Name == "stream" || cmd.Name == "resubscribe" || cmd.Stream:
		return longestWindow + d
	case cmd.Name == "send" || cmd.Name == "resume":
		return min(session.DefaultFor, p.policy.WorkingDeadline.D()) + d
	case cmd.Name == "cancel":
		return p.policy.CancelWatch.D() + p.policy.SettleEvery.D()*time.Duration(p.policy.SettleMax) + d
	case cmd.Name == "discover":
		return 4 * d
	default:
		return d
	}
}

// text is the report as a note.
func (r *ProbeReport) text(claims []session.Claim) string {
	names := make([]string, len(claims))
	for i, c := range claims {
		names[i] = string(c)
	}
	if len(claims) == 0 || len(claims) == len(session.Claims) {
		names = []string{"all"}
	}
	head := "probe " + strings.Join(names, ", ") + ": "
	if len(r.Probes) == 0 && !r.Interrupted {
		return head + "there is no script for this; its rules judge what the other probes bring about"
	}
	count := func(o ProbeOutcome) (n int, why []string) {
		for _, p := range r.Probes {
			if p.Outcome != o {
				continue
			}
			if n++; p.Why != "" && !slices.Contains(why, p.Why) {
				why = append(why, p.Why)
			}
		}
		return n, why
	}
	var out []string
	for _, o := range []ProbeOutcome{ProbeRan, ProbeCutShort, ProbeSkipped} {
		n, why := count(o)
		switch {
		case n == 0 && o != ProbeRan:
		case len(why) > 0:
			out = append(out, fmt.Sprintf("%d %s (%s)", n, o, strings.Join(why, "; ")))
		default:
			out = append(out, fmt.Sprintf("%d %s", n, o))
		}
	}
	out = append(out, plural(r.Tasks, "task")+" made")
	if n := len(slices.DeleteFunc(slices.Clone(r.Probes), func(p ProbeResult) bool { return !p.Undeclared })); n > 0 {
		out = append(out, fmt.Sprintf("%d of what the card does not declare", n))
	}
	if len(r.Left) > 0 {
		out = append(out, "left at the peer: "+strings.Join(r.Left, ", "))
	}
	if r.Interrupted {
		out = append(out, "interrupted")
	}
	return head + strings.Join(out, ", ")
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
