package runner_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"a2ascope/peerclient/demopeer"
	"a2ascope/session"
	"a2ascope/session/runner"
)

var prompts = []string{"prompt working slow 20", "prompt input-required ask", "prompt completed task x"}

// probed runs a discovery, lines and a probe, and returns what came of it.
func (l *live) probed(t testing.TB, url string, o runner.ProbeOptions, lines ...string) (runner.ProbeReport, session.Document) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	if err := runner.Script(ctx, l.Runner, append([]string{"discover " + url}, lines...)); err != nil {
		t.Fatalf("script: %v", err)
	}
	report, err := runner.Probe(ctx, l.Runner, o)
	if err != nil {
		t.Errorf("probe: %v", err)
	}
	return report, l.script(t, url)
}

func contradicted(d session.Document) []session.Claim {
	var out []session.Claim
	for _, c := range d.Claims {
		if c.Verdict == session.Contradicted {
			out = append(out, c.ID)
		}
	}
	return out
}

// TestProbeHonest: an honest peer comes out of every probe without a
// contradiction, and what was reached is honoured.
func TestProbeHonest(t *testing.T) {
	t.Parallel()
	for _, gen := range []string{"", "@0.3"} {
		t.Run("honest"+gen, func(t *testing.T) {
			t.Parallel()
			peer := demo(t, "honest"+gen)
			l := open(t, store(t), peer.URL(), receiving)
			report, d := l.probed(t, peer.URL(), runner.ProbeOptions{}, prompts...)
			if got := contradicted(d); len(got) > 0 {
				t.Errorf("contradicted %v", got)
			}
			reached := map[session.Claim]bool{}
			for _, p := range report.Probes {
				if p.Outcome == runner.ProbeRan {
					reached[p.Claim] = true
				}
			}
			for _, c := range d.Claims {
				if reached[c.ID] && c.Verdict != session.Honoured {
					t.Errorf("%s was reached and is %s", c.ID, c.Verdict)
				}
			}
			if n := len(d.Tasks); report.Tasks != n || n == 0 {
				t.Errorf("the report counts %d tasks, the document %d", report.Tasks, n)
			}
			if len(report.Left) > 0 {
				t.Errorf("left at the peer: %v", report.Left)
			}
			over(t, d)
			for _, f := range d.Findings { // not even a minor one
				t.Errorf("%s %s: %s", f.Severity, f.Rule, f.Detail)
			}
		})
	}
}

// over checks that nothing that a probe began goes on.
func over(t *testing.T, d session.Document) {
	t.Helper()
	for i, task := range d.Tasks {
		switch task.State {
		case "completed", "failed", "canceled", "rejected", "message", "indeterminate", "": // empty: never named
		default:
			t.Errorf("task %d is %s", i+1, task.State)
		}
	}
}

// probedAtOnce is how many peers are probed side by side: they mostly wait.
const probedAtOnce = 12

// TestProbeLiars: the probe of a liar's claim contradicts it, and nothing that
// the peer keeps.
func TestProbeLiars(t *testing.T) {
	t.Parallel()
	first := map[string][]string{
		"hidden-artifact": {"prompt working slow 5"}, // in a longer silence its stream would be found wanting too
		"html-card":       {"endpoint URL/rpc"},
		"no-address":      {"endpoint URL/rpc"},
		"dead-url":        {"send task report", "endpoint URL/rpc"},
	}
	// Streams that bring nothing in time name no task that could be canceled.
	unnamed := []string{"silent-stream", "buffered-stream"}
	slots := make(chan struct{}, probedAtOnce)
	var wg sync.WaitGroup
	defer wg.Wait()
	for _, sc := range demopeer.Scenarios() {
		if !sc.Lies {
			continue
		}
		for _, gen := range []string{"", "@0.3"} {
			lines := append(slices.Clone(prompts), first[sc.Name]...)
			wg.Go(func() {
				slots <- struct{}{}
				defer func() { <-slots }()
				t.Run(sc.Name+gen, func(t *testing.T) { probeLiar(t, sc, gen, lines, slices.Contains(unnamed, sc.Name)) })
			})
		}
	}
}

// probeLiar probes the claims that a peer is said to contradict. Loose says
// that something of it cannot be ended.
func probeLiar(t *testing.T, sc demopeer.Scenario, gen string, lines []string, loose bool) {
	var claims []session.Claim
	for _, c := range session.Claims {
		if gen == "@0.3" && sc.Name == "other-ends" {
			continue // its probe lists, and 0.3 has no list; the matrix sees its calls
		}
		if slices.Contains(sc.Claims, string(c)) && (c != session.StateTransitionHistory || gen == "@0.3") {
			claims = append(claims, c)
		}
	}
	var report runner.ProbeReport
	var d session.Document
	seen := func() bool { // the lie, and what it leaves behind
		got := contradicted(d)
		return (len(report.Left) > 0 || !loose) && !slices.ContainsFunc(claims, func(c session.Claim) bool { return !slices.Contains(got, c) })
	}
	for n := 0; n == 0 || n < attempts && !seen(); n++ {
		peer := demo(t, sc.Name+gen)
		l := open(t, store(t), peer.URL(), receiving, func(c *runner.Config) { c.Verify = cardKeys(t, demopeer.DemoCardKey) })
		report, d = l.probed(t, peer.URL(), runner.ProbeOptions{Claims: claims}, replaceAll(lines, "URL", peer.URL())...)
	}
	// What else a lie brings about when a busy machine stretches it is no
	// business of the probe's; the matrix holds each peer to its very findings.
	for got := contradicted(d); len(claims) > 0; claims = claims[1:] {
		if !slices.Contains(got, claims[0]) {
			t.Errorf("contradicted %v, and not %s", got, claims[0])
		}
	}
	if got := len(report.Left) > 0; got != loose {
		t.Errorf("left at the peer: %v", report.Left)
	}
	over(t, d)
	if !t.Failed() {
		return
	}
	for _, p := range report.Probes {
		t.Logf("%s %s %s (%s): %s, %d tasks", p.Claim, p.Name, p.Outcome, p.Why, p.Verdict, p.Tasks)
	}
	for _, f := range d.Findings {
		t.Logf("%s %s %s: %s", f.Severity, f.Rule, f.Claim, f.Detail)
	}
}

// background gives a line and returns its number without waiting for its end.
func (l *live) background(t testing.TB, line, by string) int {
	t.Helper()
	n, err := l.Command(line, by)
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	return n
}

func (l *live) await(t testing.TB, n int) session.CommandView {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cv, err := l.Await(ctx, n)
	if err != nil {
		t.Fatalf("awaiting command %d: %v", n, err)
	}
	return cv
}

// TestProbeBeside: a probe leaves the operator's work alone, there is one at a
// time, and the command is over when the note says what it came to.
func TestProbeBeside(t *testing.T) {
	t.Parallel()
	peer := demo(t, "honest")
	l := open(t, store(t), peer.URL())
	l.await(t, l.background(t, "discover "+peer.URL(), "operator"))
	l.await(t, l.background(t, "prompt working slow 20", "operator"))
	l.await(t, l.background(t, "send --new ask", "operator"))
	first := l.background(t, "probe cancel-final", "operator")
	if cv := l.await(t, l.background(t, "probe streaming", "operator")); cv.Result != session.ResultCannot || !strings.Contains(cv.Detail, "probes the peer already") {
		t.Errorf("a second probe is %s: %s", cv.Result, cv.Detail)
	}
	cv := l.await(t, first)
	want := "probe cancel-final: 1 ran, 1 skipped (no prompt for input-required), 1 task made"
	if cv.Result != session.ResultOK || cv.Detail != want {
		t.Errorf("it is %s: %s, want %s", cv.Result, cv.Detail, want)
	}
	v := l.View()
	if v.Current != 1 || v.Tasks[0].State != "input-required" {
		t.Errorf("the current task is %d, and task 1 is %s", v.Current, v.Tasks[0].State)
	}
	if v.Tasks[1].State != "canceled" {
		t.Errorf("the probe's task is %s", v.Tasks[1].State)
	}
	l.await(t, l.background(t, "resume Ada", "operator"))
	if cv := l.await(t, l.background(t, "probe signature", "operator")); cv.Result != session.ResultOK || !strings.Contains(cv.Detail, "there is no script") {
		t.Errorf("a claim without a probe is %s: %s", cv.Result, cv.Detail)
	}
	if l.View().Tasks[0].State != "completed" {
		t.Errorf("task 1 is %s after its answer", l.View().Tasks[0].State)
	}
}

// TestProbeInScript: a script goes on after a probe, and what follows sees
// what it came to.
func TestProbeInScript(t *testing.T) {
	t.Parallel()
	peer := demo(t, "leaky-cancel")
	l := open(t, store(t), peer.URL())
	d := l.script(t, peer.URL(), "prompt working slow 20", "probe cancel-final", "send task x", "wait settled")
	if got := contradicted(d); !slices.Equal(got, []session.Claim{session.CancelFinal}) || len(d.Tasks) != 2 || d.Tasks[1].State != "completed" {
		t.Errorf("contradicted %v, tasks %v", got, d.Tasks)
	}
}

// TestProbeUndeclared: what the card does not declare is left alone until it
// is asked for.
func TestProbeUndeclared(t *testing.T) {
	t.Parallel()
	for _, asked := range []bool{false, true} {
		peer := demo(t, "under-declared")
		l := open(t, store(t), peer.URL())
		report, d := l.probed(t, peer.URL(), runner.ProbeOptions{Claims: []session.Claim{session.Streaming}, Undeclared: asked}, prompts...)
		verdict, tasks := session.Unproven, false
		for _, c := range d.Claims {
			if c.ID == session.Streaming {
				verdict = c.Verdict
			}
		}
		for _, p := range report.Probes {
			tasks = tasks || p.Undeclared
		}
		if want := map[bool]session.Verdict{false: session.Unproven, true: session.UnderDeclared}[asked]; verdict != want || tasks != asked {
			t.Errorf("asked for: %v, the verdict is %s, what is undeclared was exercised: %v", asked, verdict, tasks)
		}
	}
}

// TestProbeFallsBack: without a prompt the card's examples are tried until one
// makes a task; the first of the embedded peers' makes a message.
func TestProbeFallsBack(t *testing.T) {
	t.Parallel()
	peer := demo(t, "honest")
	l := open(t, store(t), peer.URL())
	report, d := l.probed(t, peer.URL(), runner.ProbeOptions{Claims: []session.Claim{session.Blocking}})
	if len(report.Probes) != 1 || report.Probes[0].Verdict != session.Honoured || report.Tasks != len(d.Tasks) {
		t.Errorf("%+v, %d tasks", report, len(d.Tasks))
	}
}

// TestProbeEnds: a probe ends with the session, with its caller, and where
// there is no peer to probe.
func TestProbeEnds(t *testing.T) {
	t.Parallel()
	t.Run("no peer", func(t *testing.T) {
		t.Parallel()
		l := open(t, store(t), "http://127.0.0.1:9")
		if _, err := runner.Probe(context.Background(), l.Runner, runner.ProbeOptions{}); err == nil || !strings.Contains(err.Error(), "no endpoint") {
			t.Errorf("%v", err)
		}
	})
	for name, end := range map[string]func(*live, context.CancelFunc){
		"caller":  func(_ *live, cancel context.CancelFunc) { cancel() },
		"session": func(l *live, _ context.CancelFunc) { l.Stop("quit") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			peer := demo(t, "honest")
			l := open(t, store(t), peer.URL())
			l.await(t, l.background(t, "discover "+peer.URL(), "operator"))
			l.await(t, l.background(t, "prompt working slow 2000", "operator"))
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			go func() { // once its first task works
				for {
					changed := l.Changed()
					if v := l.View(); len(v.Tasks) > 0 && v.Tasks[0].State == "working" {
						end(l, cancel)
						return
					}
					<-changed
				}
			}()
			report, err := runner.Probe(ctx, l.Runner, runner.ProbeOptions{Claims: []session.Claim{session.Liveness}})
			if !errors.Is(err, context.Canceled) && !errors.Is(err, runner.ErrStopped) {
				t.Errorf("the error is %v", err)
			}
			if !report.Interrupted || report.Tasks == 0 {
				t.Errorf("%+v", report)
			}
			if name == "session" {
				if len(report.Left) != 1 {
					t.Errorf("left at the peer: %v", report.Left)
				}
				return
			}
			if v := l.View(); v.Tasks[0].State != "canceled" || len(report.Left) > 0 {
				t.Errorf("the task is %s, left is %v", v.Tasks[0].State, report.Left)
			}
		})
	}
}

// TestExportEndsWithItsNote: an export is over when it was written, and one
// that cannot be written stops a script.
func TestExportEndsWithItsNote(t *testing.T) {
	t.Parallel()
	peer := demo(t, "honest")
	l := open(t, store(t), peer.URL())
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	err := runner.Script(ctx, l.Runner, []string{"discover " + peer.URL(), "export md"})
	var stopped *runner.ScriptError
	if !errors.As(err, &stopped) || stopped.Line != 2 || !strings.Contains(err.Error(), "cannot export") {
		t.Errorf("%v", err)
	}
}
