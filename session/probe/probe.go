package probe

import (
	"slices"
	"strings"

	"a2ascope/session"
	"a2ascope/session/a2a"
)

// Probe is one script, and what it is for.
type Probe struct {
	Claim session.Claim
	Also  []session.Claim // other claims that the same situation shows
	Name  string          // kebab-case, unique: "cancel-working"
	Title string          // what it does, in a few words
	What  string          // what would be seen if the claim were not kept
	// Needs are the states that the peer must be brought to. For those that
	// have no prompt, and none to fall back to, the probe is not run.
	Needs []a2a.State
	// Capability is the claim that the card must declare for the probe to be
	// run unasked; empty for none.
	Capability session.Claim
	// Cannot says why nothing can be learnt in this way here; empty when it
	// can. Nil for probes that always can.
	Cannot func(Facts) string
	Lines  func(Facts) []Line
}

// Line is one line of a script: a command of the language (DESIGN.md §7). A
// send or stream with --new begins the task that the lines after it are about.
type Line string

// All returns every probe in the order in which they are run: what disturbs
// the peer least comes first; the same message twice before other tasks, which
// could change the peer's defaults unseen; and text before other modes, because
// it is the control for them.
func All() []Probe {
	return slices.Concat(
		cardProbes, accessProbes, outputProbes, streamingProbes, completedProbes, historyProbes, listProbes, blockingProbes, cancelProbes,
		resubscribeProbes, resumeProbes, modeProbes, durabilityProbes, pushProbes, errorProbes,
	)
}

// For returns the probes that say something of one of the claims, in the order
// of All; no claims means all of them.
func For(claims []session.Claim) []Probe {
	var out []Probe
	for _, p := range All() {
		if len(claims) == 0 || slices.ContainsFunc(claims, p.Shows) {
			out = append(out, p)
		}
	}
	return out
}

// Shows reports whether the probe says something of a claim.
func (p Probe) Shows(c session.Claim) bool { return p.Claim == c || slices.Contains(p.Also, c) }

// Skip says why the probe is not run; empty when it is.
func (p Probe) Skip(f Facts, undeclared bool) string {
	if f.Use.URL == "" {
		return "the peer has no endpoint"
	}
	if p.Capability != "" && !undeclared && f.Declared[p.Capability] != a2a.DeclaredTrue {
		return "the card does not declare " + string(p.Capability)
	}
	var missing []string
	for _, s := range p.Needs {
		if f.Prompt(s) == "" {
			missing = append(missing, string(s))
		}
	}
	if len(missing) > 0 {
		return "no prompt for " + strings.Join(missing, ", ")
	}
	if p.Cannot != nil {
		return p.Cannot(f)
	}
	return ""
}
