package runner_test

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"a2ascope/peerclient/cardkey"
	"a2ascope/peerclient/demopeer"
	"a2ascope/peerclient/webhook"
	"a2ascope/session"
	"a2ascope/session/rule"
	"a2ascope/session/runner"
)

// shown is what a script brings to light at one embedded peer.
type shown struct {
	lines []string // URL stands for the peer's address
	// finds is every finding, whatever its severity, as "severity rule", in
	// order. finds03 is what its 0.3 self is found to do, where that differs.
	finds, finds03 []string
	policy         func(*session.Policy) // nil for quick
	pace           time.Duration         // of the peer; 0 is 25 ms
	keys           string                // that cards may be signed by
}

func (m shown) want(gen string) []string {
	if gen == "@0.3" && m.finds03 != nil {
		return m.finds03
	}
	return m.finds
}

// atOnce is how many peers of the matrix run side by side: they mostly wait.
const atOnce = 12

// TestMatrix runs every embedded peer, in both generations, against all rules:
// what is found is exactly what the table says, and the claims contradicted
// are exactly those that the peer is said to contradict.
func TestMatrix(t *testing.T) {
	t.Parallel()
	slots := make(chan struct{}, atOnce)
	var wg sync.WaitGroup
	defer wg.Wait()
	for _, sc := range demopeer.Scenarios() {
		for _, gen := range []string{"", "@0.3"} {
			wg.Go(func() {
				slots <- struct{}{}
				defer func() { <-slots }()
				t.Run(sc.Name+gen, func(t *testing.T) { matrixRun(t, sc, gen) })
			})
		}
	}
}

// attempts is how often a peer that lies is looked at before its lie counts as
// missed. These peers work at a pace of milliseconds, and on a machine that has
// other things to do the read that would catch one comes too late. What is found
// of a peer counts at once.
const attempts = 3

func matrixRun(t *testing.T, sc demopeer.Scenario, gen string) {
	m, ok := matrix[sc.Name]
	if !ok {
		t.Fatalf("%s is not in the matrix", sc.Name)
	}
	for n := 1; !matrixSession(t, sc, gen, m, n == attempts); n++ {
		t.Logf("once more: not all of it was seen")
	}
}

// matrixSession reports whether a session held all against a peer that is to be
// held against it; the last one fails otherwise. Anything else fails at once.
func matrixSession(t *testing.T, sc demopeer.Scenario, gen string, m shown, last bool) bool {
	peer := demoAt(t, sc.Name, gen, cmp.Or(m.pace, 25*time.Millisecond))
	l := open(t, store(t), peer.URL(), func(c *runner.Config) {
		c.Receiver = webhook.New(webhook.Options{NewID: newID})
		if m.policy != nil {
			m.policy(&c.Opened.Policy)
		}
		if m.keys != "" {
			c.Verify = cardKeys(t, m.keys)
		}
	})
	d := l.script(t, peer.URL(), replaceAll(m.lines, "URL", peer.URL())...)
	l.rejudged(t, d)
	l.carried(t, d)
	var finds []string
	claims := map[session.Claim]bool{}
	for _, f := range d.Findings {
		finds = append(finds, string(f.Severity)+" "+f.Rule)
		if session.Severity(f.Severity).Contradicts() {
			claims[session.Claim(f.Claim)] = true
		}
	}
	slices.Sort(finds)
	finds = slices.Compact(finds)
	want := slices.Sorted(slices.Values(m.want(gen)))
	if !last && !t.Failed() && lacks(finds, want) {
		return false
	}
	if !slices.Equal(finds, want) {
		t.Errorf("found %q, want %q", finds, want)
	}
	for _, c := range session.Claims {
		lied := slices.Contains(sc.Claims, string(c)) && (c != session.StateTransitionHistory || gen == "@0.3") // 1.0 cards cannot declare one
		if claims[c] != lied {
			t.Errorf("%s: contradicted is %t, want %t", c, claims[c], lied)
		}
	}
	if t.Failed() {
		for _, f := range d.Findings {
			t.Logf("%s %s %s: %s", f.Severity, f.Rule, f.Claim, f.Detail)
		}
		if testing.Verbose() {
			t.Log(l.transcript(t))
		}
	}
	return true
}

// lacks reports whether all that was found is wanted, and more is.
func lacks(found, want []string) bool {
	return len(found) < len(want) && !slices.ContainsFunc(found, func(f string) bool { return !slices.Contains(want, f) })
}

// cardKeys checks cards with the keys of a JWK.
func cardKeys(t *testing.T, jwk string) func([]byte) []session.SignatureFact {
	t.Helper()
	var keys cardkey.Keys
	if err := keys.Add([]byte(jwk)); err != nil {
		t.Fatal(err)
	}
	return keys.Verify
}

func demoAt(t *testing.T, scenario, gen string, pace time.Duration) *demopeer.Peer {
	t.Helper()
	p, err := demopeer.Start(context.Background(), demopeer.Options{Scenario: scenario, Generation: strings.TrimPrefix(gen, "@"), Pace: pace})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	return p
}

// unshown are the rules that accuse and that no embedded peer shows, and why.
var unshown = map[string]string{
	"endpoint.redirect": "the embedded peers answer where they are called",
	"endpoint.form":     "the embedded peers speak HTTP+JSON as it is written",
	"history.removed":   "the embedded cards of 1.0 keep to 1.0",
	"completed.purged":  "no embedded peer forgets what is over",
	"blocking.unasked":  "peerclient/fieldcases shows it: an answer takes longer than an embedded peer should",
	"history.shrinks":   "peerclient/fieldcases shows it",
	"liveness.dropped":  "peerclient/fieldcases shows it",
	"views.unlisted":    "peerclient/fieldcases shows it",
}

// TestEveryAccuserHasAPeer: each rule that makes findings names an embedded
// peer, and the matrix finds it there.
func TestEveryAccuserHasAPeer(t *testing.T) {
	t.Parallel()
	for _, r := range rule.Rules {
		if r.Severity == "" {
			continue
		}
		why, excused := unshown[r.ID]
		if _, _, err := demopeer.ParseName(r.Peer); err != nil {
			if !excused {
				t.Errorf("%s: %v", r.ID, err)
			}
			continue
		}
		m, ok := matrix[r.Peer]
		found := slices.ContainsFunc(slices.Concat(m.want(""), m.want("@0.3")), func(f string) bool {
			var severity, id string
			_, _ = fmt.Sscan(f, &severity, &id)
			return id == r.ID
		})
		if !ok || !found {
			t.Errorf("%s is to be shown by %s, where the matrix does not find it", r.ID, r.Peer)
		}
		if excused {
			t.Errorf("%s is shown by %s, and yet excused: %s", r.ID, r.Peer, why)
		}
	}
	for id := range unshown {
		if _, ok := rule.ByID(id); !ok {
			t.Errorf("%s is excused, and there is no such rule", id)
		}
	}
}

// begins and finishes turn one deadline of the life cycle each down to the pace
// of tests: the state before must not be late where the machine is busy.
func begins(p *session.Policy)   { p.SubmittedDeadline = session.Duration(150 * time.Millisecond) }
func finishes(p *session.Policy) { p.WorkingDeadline = session.Duration(150 * time.Millisecond) }

// patient waits longer for the first event than a burst takes to come.
func patient(p *session.Policy) { p.ProbeWindow = session.Duration(5 * time.Second) }

// doubtful reads a finished task for longer than one takes to rise again, and
// leaves its stream the time for it.
func doubtful(p *session.Policy) {
	p.SettleReads, p.SettleMax, p.CloseWindow = 20, 100, session.Duration(5*time.Second)
}

// calls waits less long for callbacks.
func calls(p *session.Policy) { p.PushWindow = session.Duration(300 * time.Millisecond) }

// untold waits for callbacks that come, and count for nothing.
func untold(p *session.Policy) { p.PushWindow = session.Duration(3 * time.Second) }

// matrix has one row for each embedded peer.
var matrix = map[string]shown{
	"honest": {lines: []string{"stream slow 5", "wait settled", "stream ask", "wait settled", "resume --data {\"a\":1} --stream", "wait settled", "get --history 20",
		"push on", "send slow 10 --immediate", "wait settled", "list", "stream slow 200", "wait state working", "cancel", "wait settled", "list"}},
	"text-only":          {lines: []string{"stream task report", "wait settled", "send ask", "wait settled", "send --plain task report", "wait settled"}},
	"leaky-cancel":       {pace: 60 * time.Millisecond, lines: []string{"stream slow 40", "wait state working", "cancel", "wait settled"}, finds: []string{"critical cancel.frames-after", "critical cancel.not-final"}},
	"half-cancel":        {lines: []string{"send slow 40 --immediate", "poll --until working --every 20ms", "cancel", "get", "get", "wait settled"}, finds: []string{"critical cancel.left", "info cancel.not-honoured"}},
	"growing-cancel":     {lines: []string{"send slow 40 --immediate", "poll --until working --every 20ms", "cancel", "wait settled"}, finds: []string{"critical cancel.artifacts-change"}},
	"no-cancel":          {lines: []string{"stream slow 20", "wait state working", "cancel", "wait settled"}, finds: []string{"info cancel.not-honoured"}},
	"refused-mode":       {lines: []string{"send ask", "resume --data {\"a\":1}", "wait settled"}, finds: []string{"major modes.false-failure"}},
	"refuses-json":       {lines: []string{"send ask", "resume --data {\"a\":1}", "wait settled"}, finds: []string{"major modes.input-refused"}},
	"hidden-artifact":    {lines: []string{"stream task report", "wait settled"}, finds: []string{"major stream.artifact-hidden"}, finds03: []string{"major history.empty", "major stream.artifact-hidden"}},
	"empty-history":      {lines: []string{"stream task report", "wait settled"}, finds03: []string{"major history.empty"}},
	"forgets-task":       {lines: []string{"stream ask", "wait state input-required", "resubscribe", "get", "wait settled", "resume Ada --force", "wait settled"}, finds: []string{"major durable.lost", "major resume.other-task", "minor resubscribe.at-input"}},
	"replays":            {lines: []string{"stream ask", "wait state input-required", "resume Ada --stream", "wait settled", "stream slow 20", "wait state working", "detach", "resubscribe", "wait settled"}, finds: []string{"major states.backward", "minor resubscribe.replays"}, finds03: []string{"major states.backward"}},
	"resumes":            {lines: []string{"stream ask", "wait state input-required", "resubscribe &", "resume Ada", "wait settled"}},
	"restarts":           {lines: []string{"send task report --accept application/json", "wait settled", "send slow 20 --immediate", "wait 400ms", "poll --every 50ms", "redispatch", "wait settled"}, finds: []string{"major durable.lost", "major modes.output-undeclared", "minor resume.redispatched"}},
	"reloads":            {lines: []string{"send task report", "wait settled", "send --again", "wait settled"}, finds: []string{"major modes.diverge"}},
	"new-task-on-resume": {lines: []string{"stream ask", "wait state input-required", "resume Ada", "wait settled"}, finds: []string{"major resume.other-task"}},
	"unknown-answer":     {lines: []string{"stream ask", "wait state input-required", "resume Ada", "wait settled"}, finds: []string{"major resume.lost"}},
	"silent-stream":      {lines: []string{"stream slow 30", "wait settled"}, finds: []string{"major stream.silent"}},
	"stalled-stream":     {lines: []string{"stream slow 40", "wait settled"}, finds: []string{"major stream.behind"}},
	"no-stream":          {lines: []string{"stream task report", "wait settled"}, finds: []string{"major stream.plain-answer"}},
	"buffered-stream":    {lines: []string{"stream slow 4", "wait settled"}, policy: patient, pace: 300 * time.Millisecond, finds: []string{"major stream.buffered"}},
	"lingering-stream":   {lines: []string{"stream task report", "wait settled"}, finds: []string{"major stream.lingers"}},
	"cut-stream":         {lines: []string{"stream slow 20", "wait settled"}, finds: []string{"major stream.truncated"}},
	"crossed-stream":     {lines: []string{"stream task report", "wait settled"}, finds: []string{"major views.foreign"}},
	"stale-subscribe":    {lines: []string{"stream slow 30", "wait state working", "detach", "wait closed", "resubscribe", "wait settled"}, finds: []string{"major resubscribe.refused"}},
	"under-declared":     {lines: []string{"stream task report", "wait settled"}},
	"slow-silent":        {lines: []string{"send task report --immediate", "poll --until working --every 20ms", "resubscribe", "wait 700ms"}, finds: []string{"info resubscribe.undeclared", "minor liveness.silent"}},
	"undead-task":        {lines: []string{"stream task report", "wait settled"}, finds: []string{"critical terminal.left", "major terminal.events-after"}, policy: doubtful, pace: 50 * time.Millisecond},
	"drifting-artifacts": {lines: []string{"send task report", "get", "get"}, finds: []string{"major completed.drifts"}},
	"two-faced":          {lines: []string{"stream task report", "wait settled"}, finds: []string{"major views.differ"}},
	"loses-task":         {lines: []string{"stream slow 30", "get", "wait 150ms", "get", "wait closed"}, finds: []string{"major durable.lost"}},
	"no-blocking":        {lines: []string{"send slow 5", "wait settled"}, finds: []string{"major blocking.returned-early"}},
	"double-submit":      {lines: []string{"stream task report", "wait settled"}, finds: []string{"major states.backward"}},
	"wrong-mode":         {lines: []string{"send task report", "wait settled"}, finds: []string{"major modes.output-undeclared"}},
	"rewrites-end":       {lines: []string{"send task report", "wait settled", "cancel", "get"}, finds: []string{"critical terminal.rewritten"}},
	"stuck-submitted":    {lines: []string{"send task report --immediate", "wait 300ms"}, policy: begins, finds: []string{"minor liveness.submitted"}},
	"stuck-working":      {lines: []string{"send task report --immediate", "poll --until working --every 20ms", "wait 300ms"}, policy: finishes, finds: []string{"minor liveness.working"}},
	"wrong-codes":        {lines: []string{"send task report", "wait settled", "cancel", "resubscribe", "probe error-codes"}, finds: []string{"minor errors.code", "minor errors.malformed", "minor errors.unknown-method", "minor errors.unknown-task", "minor errors.unknown-version"}, finds03: []string{"minor errors.code", "minor errors.malformed", "minor errors.unknown-method", "minor errors.unknown-task"}},
	"flip-card":          {lines: []string{"discover URL"}, finds: []string{"major card.changed"}},
	"edited-card":        {lines: []string{"discover URL"}, finds: []string{"minor card.edited"}},
	"new-version":        {lines: []string{"discover URL"}, finds: []string{"info card.new-version"}},
	"ragged-card":        {lines: []string{"send task report", "wait settled"}, finds: []string{"minor card.fields"}},
	"no-address":         {lines: []string{"endpoint URL/rpc", "send task report", "wait settled"}, finds: []string{"major card.no-endpoint"}, finds03: []string{"major card.no-endpoint", "minor card.fields"}},
	"wrong-version":      {lines: []string{"send task report", "wait settled"}, finds: []string{"major version.refused"}},
	"dead-url":           {lines: []string{"send task report", "endpoint URL/rpc", "send task report", "wait settled"}, finds: []string{"major endpoint.unusable", "minor endpoint.address"}},
	"html-card":          {lines: []string{"endpoint URL/rpc", "send task report", "wait settled"}, finds: []string{"major card.not-a-card"}},
	"two-contents":       {lines: []string{"send task report", "wait settled"}, finds: []string{"major wire.lossy"}},
	"twice-named":        {lines: []string{"send task report", "wait settled"}, finds: []string{"major wire.lossy"}},
	"broken-event":       {lines: []string{"stream task report", "wait settled"}, finds: []string{"major wire.unreadable"}},
	"other-id":           {lines: []string{"send task report", "wait settled"}, finds: []string{"major wire.other-id"}},
	"loose-dialect":      {lines: []string{"stream slow 200", "wait state working", "cancel", "wait settled"}, finds: []string{"minor wire.tolerated"}},
	"no-push":            {lines: []string{"push on", "send slow 10 --immediate", "wait settled"}, policy: calls, finds: []string{"major push.refused"}},
	"deaf-push":          {lines: []string{"push on", "send slow 10 --immediate", "wait settled"}, policy: calls, finds: []string{"major push.absent"}},
	"patchy-push":        {lines: []string{"push on", "send slow 10 --immediate", "wait settled"}, policy: calls, finds: []string{"minor push.partial"}},
	"open-door":          {lines: []string{"send task report", "wait settled"}, finds: []string{"major security.open"}},
	"locked":             {lines: []string{"send task report"}, finds: []string{"info security.challenge", "major security.refused"}},
	"no-extended":        {lines: []string{"extended-card", "send task report", "wait settled"}, finds: []string{"major extended.refused"}},
	"free-extended":      {lines: []string{"send task report", "extended-card"}, finds: []string{"info security.challenge", "major security.extended-open"}},
	"bad-signature":      {lines: []string{"send task report", "wait settled"}, keys: demopeer.DemoCardKey, finds: []string{"critical signature.invalid"}},
	"lax-extension":      {lines: []string{"send task report", "wait settled", "send --without extensions task report", "wait settled"}, finds: []string{"minor extensions.not-enforced"}},
	"paper-interface":    {lines: []string{"send task report", "wait settled", "get --on 2"}, finds: []string{"major interfaces.dead"}},
	"split-bindings":     {lines: []string{"send task report", "wait settled", "get --on 2"}, finds: []string{"major bindings.differ"}},
	"other-ends":         {lines: []string{"push on", "send slow 10 --immediate", "wait settled", "list", "list"}, policy: untold, finds: []string{"major views.listed", "major views.pushed"}, finds03: []string{"major views.pushed"}},
	"split-errors":       {lines: []string{"send task report", "wait settled", "get --on 2", "cancel", "cancel --on 2"}, finds: []string{"major bindings.error", "minor errors.code"}},
	"two-bindings":       {lines: []string{"send task report", "wait settled", "get --on 2", "cancel", "cancel --on 2", "probe bindings-agree"}},
	"tokenless-push":     {lines: []string{"push on", "send slow 10 --immediate", "wait settled"}, policy: untold, finds: []string{"minor push.untokened"}},
}
