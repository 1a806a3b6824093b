package replay_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"a2ascope/peerclient/demopeer"
	"a2ascope/peerclient/replay"
	"a2ascope/session"
)

// scene is a script that brings to light what an embedded peer does.
type scene struct {
	lines  []string
	policy func(*session.Policy)
	pace   time.Duration
	timed  bool // what is to be seen lies in the times: --fast does not show it
	// reads says that every read tells something else: one more than was
	// recorded gets the last answer again, and that honours what no answer did.
	reads bool
}

const atOnce = 8

// TestLoop records every embedded peer in both generations, serves the
// recording, runs the same script against that, and expects the same verdicts.
func TestLoop(t *testing.T) {
	t.Parallel()
	slots := make(chan struct{}, atOnce)
	var wg sync.WaitGroup
	defer wg.Wait()
	for _, sc := range demopeer.Scenarios() {
		for _, gen := range []string{"1.0", "0.3"} {
			wg.Go(func() {
				slots <- struct{}{}
				defer func() { <-slots }()
				t.Run(sc.Name+"@"+gen, func(t *testing.T) { loop(t, sc.Name, gen) })
			})
		}
	}
}

func loop(t *testing.T, name, gen string) {
	sc, ok := scenes[name]
	if !ok {
		t.Fatalf("%s has no scene", name)
	}
	policy := quick()
	if sc.policy != nil {
		sc.policy(&policy)
	}
	for attempt := 1; ; attempt++ {
		peer := demo(t, name+"@"+gen, sc.pace)
		log, was := run(t, peer.URL(), policy, sc.lines...)
		_ = peer.Close()
		differ := ""
		for _, fast := range []bool{false, true} {
			if fast && sc.timed {
				continue
			}
			again := serve(t, replay.Options{Pages: log.Page, Fast: fast})
			relog, now := run(t, again.URL(), policy, sc.lines...)
			_ = again.Close()
			if a, b := sc.told(was), sc.told(now); !slices.Equal(a, b) {
				differ += fmt.Sprintf("recorded: %q\nreplayed: %q (fast: %t)", a, b, fast)
				if testing.Verbose() {
					differ += transcript(log) + transcript(relog)
				}
			}
		}
		if differ == "" {
			return
		}
		if attempt == attempts {
			t.Fatal(differ)
		}
		t.Logf("once more: %s", differ)
	}
}

// attempts is how often a peer is recorded and replayed before a difference
// counts. The peers move every few milliseconds: which of two things comes
// first can come out differently in any two sessions. What replay gets wrong is
// wrong each time.
const attempts = 4

// told is what is to be the same twice.
func (sc *scene) told(d session.Document) []string {
	out := verdicts(d)
	if sc.reads {
		out = slices.DeleteFunc(out, func(v string) bool { return strings.HasSuffix(v, " honoured") })
	}
	return out
}

// verdicts is what a session says of a peer, but for how often.
func verdicts(d session.Document) []string {
	var out []string
	for _, c := range d.Claims {
		if c.Verdict != session.Unproven {
			out = append(out, fmt.Sprintf("%s %s", c.ID, c.Verdict))
		}
	}
	var finds []string
	for _, f := range d.Findings {
		finds = append(finds, fmt.Sprintf("%s %s", f.Severity, f.Rule))
	}
	slices.Sort(finds)
	out = append(out, slices.Compact(finds)...)
	for _, x := range d.Tasks {
		out = append(out, fmt.Sprintf("%s %s", x.State, x.Outcome))
	}
	return out
}

func deadlines(p *session.Policy) {
	p.SubmittedDeadline = session.Duration(600 * time.Millisecond)
	p.WorkingDeadline = session.Duration(600 * time.Millisecond)
}

func patient(p *session.Policy) { p.ProbeWindow = session.Duration(5 * time.Second) }

// calls waits less long for callbacks that do not come.
func calls(p *session.Policy) { p.PushWindow = session.Duration(300 * time.Millisecond) }

func doubtful(p *session.Policy) {
	p.SettleReads, p.SettleMax, p.CloseWindow = 20, 100, session.Duration(5*time.Second)
}

// scenes has one row for each embedded peer.
var scenes = map[string]scene{
	"honest":             {lines: []string{"stream slow 5", "wait settled", "stream ask", "wait settled", "resume --data {\"a\":1} --stream", "wait settled", "get --history 20", "push on", "send slow 10 --immediate", "wait settled", "stream slow 200", "wait state working", "cancel", "wait settled"}},
	"text-only":          {lines: []string{"stream task report", "wait settled", "send ask", "wait settled", "send --plain task report", "wait settled"}},
	"leaky-cancel":       {lines: []string{"stream slow 40", "wait state working", "cancel", "wait settled"}, pace: 80 * time.Millisecond, timed: true},
	"half-cancel":        {lines: []string{"send slow 40 --immediate", "poll --until working --every 20ms", "cancel", "get", "get", "wait settled"}, timed: true},
	"growing-cancel":     {lines: []string{"send slow 40 --immediate", "poll --until working --every 20ms", "cancel", "wait settled"}, timed: true},
	"no-cancel":          {lines: []string{"stream slow 10", "wait state working", "cancel", "wait settled"}, timed: true},
	"refused-mode":       {lines: []string{"send ask", "resume --data {\"a\":1}", "wait settled"}},
	"refuses-json":       {lines: []string{"send ask", "resume --data {\"a\":1}", "wait settled"}},
	"hidden-artifact":    {lines: []string{"stream task report", "wait settled"}},
	"empty-history":      {lines: []string{"stream task report", "wait settled"}},
	"forgets-task":       {lines: []string{"stream ask", "wait state input-required", "resubscribe", "get", "wait settled", "resume Ada --force", "wait settled"}},
	"replays":            {lines: []string{"stream ask", "wait state input-required", "resume Ada --stream", "wait settled", "stream slow 20", "wait state working", "detach", "resubscribe", "wait settled"}},
	"resumes":            {lines: []string{"stream ask", "wait state input-required", "resubscribe &", "resume Ada", "wait settled"}},
	"restarts":           {lines: []string{"send task report --accept application/json", "wait settled", "send slow 20 --immediate", "wait 400ms", "poll --every 50ms", "redispatch", "wait settled"}},
	"reloads":            {lines: []string{"send task report", "wait settled", "send --again", "wait settled"}},
	"new-task-on-resume": {lines: []string{"stream ask", "wait state input-required", "resume Ada", "wait settled"}},
	"unknown-answer":     {lines: []string{"stream ask", "wait state input-required", "resume Ada", "wait settled"}},
	"silent-stream":      {lines: []string{"stream slow 30", "wait settled"}},
	"stalled-stream":     {lines: []string{"stream slow 40", "wait settled"}, timed: true},
	"no-stream":          {lines: []string{"stream task report", "wait settled"}},
	"buffered-stream":    {lines: []string{"stream slow 4", "wait settled"}, policy: patient, pace: 300 * time.Millisecond, timed: true},
	"lingering-stream":   {lines: []string{"stream task report", "wait settled"}},
	"cut-stream":         {lines: []string{"stream slow 20", "wait settled"}},
	"crossed-stream":     {lines: []string{"stream task report", "wait settled"}},
	"stale-subscribe":    {lines: []string{"stream slow 30", "wait state working", "detach", "wait closed", "resubscribe", "wait settled"}},
	"under-declared":     {lines: []string{"stream task report", "wait settled"}},
	"slow-silent":        {lines: []string{"send task report --immediate", "poll --until working --every 20ms", "resubscribe", "wait 700ms"}, timed: true},
	"undead-task":        {lines: []string{"stream task report", "wait settled"}, policy: doubtful, pace: 50 * time.Millisecond, timed: true},
	"drifting-artifacts": {lines: []string{"send task report", "get", "get"}, reads: true},
	"two-faced":          {lines: []string{"stream task report", "wait settled"}},
	"loses-task":         {lines: []string{"stream slow 80", "get", "wait 150ms", "get", "wait closed"}, timed: true},
	"no-blocking":        {lines: []string{"send slow 5", "wait settled"}},
	"double-submit":      {lines: []string{"stream task report", "wait settled"}},
	"wrong-mode":         {lines: []string{"send task report", "wait settled"}},
	"rewrites-end":       {lines: []string{"send task report", "wait settled", "cancel", "get"}},
	"stuck-submitted":    {lines: []string{"send task report --immediate", "wait 1s"}, policy: deadlines, timed: true},
	"stuck-working":      {lines: []string{"send task report --immediate", "poll --until working --every 20ms", "wait 1s"}, policy: deadlines, timed: true},
	"wrong-codes":        {lines: []string{"send task report", "wait settled", "cancel", "resubscribe", "probe error-codes"}},
	"flip-card":          {lines: []string{"discover URL"}},
	"edited-card":        {lines: []string{"discover URL"}},
	"new-version":        {lines: []string{"discover URL"}},
	"ragged-card":        {lines: []string{"send task report", "wait settled"}},
	"no-address":         {lines: []string{"endpoint URL/rpc", "send task report", "wait settled"}},
	"wrong-version":      {lines: []string{"send task report", "wait settled"}},
	"dead-url":           {lines: []string{"send task report", "endpoint URL/rpc", "send task report", "wait settled"}},
	"html-card":          {lines: []string{"endpoint URL/rpc", "send task report", "wait settled"}},
	"two-contents":       {lines: []string{"send task report", "wait settled"}},
	"twice-named":        {lines: []string{"send task report", "wait settled"}},
	"broken-event":       {lines: []string{"stream task report", "wait settled"}},
	"other-id":           {lines: []string{"send task report", "wait settled"}},
	"loose-dialect":      {lines: []string{"stream slow 200", "wait state working", "cancel", "wait settled"}},
	"no-push":            {lines: []string{"push on", "send slow 10 --immediate", "wait settled"}},
	"deaf-push":          {lines: []string{"push on", "send slow 10 --immediate", "wait settled"}, policy: calls},
	"patchy-push":        {lines: []string{"push on", "send slow 10 --immediate", "wait settled"}, policy: calls},
	"open-door":          {lines: []string{"send task report", "wait settled"}},
	"locked":             {lines: []string{"send task report"}},
	"no-extended":        {lines: []string{"extended-card", "send task report", "wait settled"}},
	"free-extended":      {lines: []string{"send task report", "extended-card"}},
	"bad-signature":      {lines: []string{"send task report", "wait settled"}},
	"lax-extension":      {lines: []string{"send task report", "wait settled", "send --without extensions task report", "wait settled"}},
	"paper-interface":    {lines: []string{"send task report", "wait settled", "get --on 2"}},
	"split-bindings":     {lines: []string{"send task report", "wait settled", "get --on 2"}},
	"other-ends":         {lines: []string{"push on", "send slow 10 --immediate", "wait settled", "list", "list"}, policy: calls, reads: true},
	"split-errors":       {lines: []string{"send task report", "wait settled", "get --on 2", "cancel", "cancel --on 2"}},
	"two-bindings":       {lines: []string{"send task report", "wait settled", "get --on 2", "cancel", "cancel --on 2"}},
	"tokenless-push":     {lines: []string{"push on", "send slow 10 --immediate", "wait settled"}},
}
