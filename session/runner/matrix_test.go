package runner_test

import (
	"slices"
	"testing"

	"a2ascope/peerclient/demopeer"
	"a2ascope/session"
)

// scripts is what shows each embedded peer's lie. URL stands for the peer's
// address.
var scripts = map[string][]string{
	"honest":             {"stream slow 5", "wait settled", "stream ask", "wait settled", "resume --data {\"a\":1} --stream", "wait settled", "get --history 20"},
	"leaky-cancel":       {"stream slow 40", "wait state working", "cancel", "wait settled"},
	"refused-mode":       {"send ask", "resume --data {\"a\":1}", "wait settled"},
	"hidden-artifact":    {"stream task report", "wait settled"},
	"forgets-task":       {"stream ask", "wait state input-required", "get", "wait settled", "resume Ada --force", "wait settled"},
	"replays":            {"stream ask", "wait state input-required", "resume Ada --stream", "wait settled"},
	"resumes":            {"stream ask", "wait state input-required", "resubscribe &", "resume Ada", "wait settled"},
	"restarts":           {"send task report --accept application/json", "wait settled", "send slow 60 --immediate", "poll", "redispatch", "wait settled"},
	"new-task-on-resume": {"stream ask", "wait state input-required", "resume Ada", "wait settled"},
	"silent-stream":      {"stream slow 30", "wait settled"},
	"no-stream":          {"stream task report", "wait settled"},
	"buffered-stream":    {"stream slow 50", "wait settled"},
	"lingering-stream":   {"stream task report", "wait settled"},
	"cut-stream":         {"stream slow 20", "wait settled"},
	"stale-subscribe":    {"stream slow 50", "wait state working", "detach", "resubscribe", "wait settled"},
	"under-declared":     {"stream task report", "wait settled"},
	"slow-silent":        {"send task report --immediate", "wait settled"},
	"undead-task":        {"stream task report", "wait settled"},
	"drifting-artifacts": {"send task report", "get", "get"},
	"two-faced":          {"stream task report", "wait settled"},
	"loses-task":         {"stream slow 50", "get", "wait 150ms", "get", "wait closed"},
	"no-blocking":        {"send slow 5", "wait settled"},
	"double-submit":      {"stream task report", "wait settled"},
	"wrong-mode":         {"send task report", "wait settled"},
	"flip-card":          {"discover URL"},
	"wrong-version":      {"send task report", "wait settled"},
	"dead-url":           {"send task report", "endpoint URL/rpc", "send task report", "wait settled"},
	"html-card":          {},
}

// TestMatrix runs every embedded peer against all rules: it contradicts
// exactly the claims that it says it does.
func TestMatrix(t *testing.T) {
	t.Parallel()
	for _, sc := range demopeer.Scenarios() {
		lines, ok := scripts[sc.Name]
		if !ok {
			continue
		}
		for _, gen := range []string{"", "@0.3"} {
			t.Run(sc.Name+gen, func(t *testing.T) {
				t.Parallel()
				var want []session.Claim
				for _, c := range session.Claims {
					if slices.Contains(sc.Claims, string(c)) && (c != session.StateTransitionHistory || gen == "@0.3") {
						want = append(want, c)
					}
				}
				peer := demo(t, sc.Name+gen)
				l := open(t, store(t), peer.URL())
				d := l.script(t, peer.URL(), replaceAll(lines, "URL", peer.URL())...)
				l.rejudged(t, d)
				var got []session.Claim
				for _, c := range d.Claims {
					if c.Verdict == session.Contradicted {
						got = append(got, c.ID)
					}
				}
				if !slices.Equal(got, want) {
					t.Errorf("contradicted %v, want %v", got, want)
				}
				for _, f := range d.Findings {
					if t.Failed() {
						t.Logf("%s %s %s: %s", f.Severity, f.Rule, f.Claim, f.Detail)
					}
				}
				if t.Failed() && testing.Verbose() {
					t.Log(l.transcript(t))
				}
			})
		}
	}
}
