// Package rule judges: it says what a change in a session's state means for
// the peer's claims, and what course to take. Rules are data and pure
// functions, one file a family. A rule has no memory: it sees the state and
// the change that one record made, and nothing else. Accusing an honest peer
// is worse than missing a fault.
package rule

import (
	"a2ascope/session"
)

// Rule is one way in which a claim can be honoured or broken.
type Rule struct {
	ID       string // stable: "cancel.frames-after"
	Claim    session.Claim
	Severity session.Severity // of its findings
	Title    string           // what is wrong, in a few words
	Source   string           // clause or field note
	Advice   string           // for the author of an orchestrator
	Disproof string           // what would prove the finding wrong
	Peer     string           // the embedded peer that shows it; empty for none
	On       []session.Kind   // records after which it is asked
	Judge    func(s *session.State, c *session.Change) []Saw
	// Count says how often the rule's fault was seen on an exchange, with the
	// evidence; nil for rules that are not counted.
	Count func(x *session.Exchange) (int, []uint64)
}

// Saw is what a rule has to say. Contradicted makes a finding, the others an
// observation.
type Saw struct {
	Verdict  session.Verdict
	Severity session.Severity // of a finding, where it is not the rule's own
	Detail   string
	Evidence []uint64
}

// Rules is every rule, family by family, in the order in which they are asked.
var Rules = concat(
	cardRules, cardStableRules, endpointRules, streamRules, cancelRules, terminalRules, resumeRules, resubscribeRules, stateRules, viewRules,
	modeRules, divergeRules, historyRules, durableRules, livenessRules, blockingRules, pushRules, errorRules, rawErrorRules, wireRules,
	securityRules, extendedRules, extensionRules, signatureRules, interfaceRules, bindingRules,
)

func concat(families ...[]Rule) []Rule {
	var out []Rule
	for _, f := range families {
		out = append(out, f...)
	}
	return out
}

// asked lists the rules by the kind of record after which they are asked.
var asked = func() map[session.Kind][]*Rule {
	m := map[session.Kind][]*Rule{}
	for i := range Rules {
		for _, k := range Rules[i].On {
			m[k] = append(m[k], &Rules[i])
		}
	}
	return m
}()

// byID finds a rule by its id.
var byID = func() map[string]*Rule {
	m := map[string]*Rule{}
	for i := range Rules {
		m[Rules[i].ID] = &Rules[i]
	}
	return m
}()

// ByID returns a rule by its id.
func ByID(id string) (Rule, bool) {
	if r := byID[id]; r != nil {
		return *r, true
	}
	return Rule{}, false
}

// Judge returns the records that the rules, or for records of rules the course
// table, write after a change.
func Judge(s *session.State, c *session.Change) []session.Draft {
	switch c.Record.Kind {
	case session.KindFinding, session.KindObserved:
		return course(s, c)
	case session.KindDecision:
		return nil
	}
	var out []session.Draft
	task := 0
	if c.Task != nil {
		task = c.Task.N
	}
	for _, r := range asked[c.Record.Kind] {
		if r.Severity == "" && s.HasPraised(r.ID, task) {
			continue // it is said once
		}
		for _, saw := range r.Judge(s, c) {
			if d, ok := r.draft(s, c, saw, out); ok {
				out = append(out, d)
			}
		}
	}
	switch {
	case c.Record.Kind == session.KindEnded:
		for _, f := range s.Findings {
			out = append(out, restate(s, c, f)...)
		}
	case c.ClosedNow && c.Task != nil:
		for _, f := range s.FindingsOn(c.Task.N) {
			out = append(out, restate(s, c, f)...)
		}
	}
	return out
}

// draft turns what a rule saw into a record, unless it was said before of this
// task, or the exchange or task contradicts what would be honoured.
func (r *Rule) draft(s *session.State, c *session.Change, saw Saw, said []session.Draft) (session.Draft, bool) {
	task, exchange := 0, 0
	if c.Task != nil {
		task = c.Task.N
	}
	if c.Exchange != nil {
		exchange = c.Exchange.N
	}
	d := session.Draft{Task: task, Exchange: exchange}
	evidence := saw.Evidence
	if len(evidence) == 0 {
		evidence = []uint64{c.Record.Seq}
	}
	if len(evidence) > 20 {
		evidence = evidence[:20]
	}
	if saw.Verdict == session.Contradicted {
		for _, f := range s.FindingsOn(task) {
			if f.Rule == r.ID {
				return d, false
			}
		}
		severity := r.Severity
		if saw.Severity != "" {
			severity = saw.Severity
		}
		d.Kind, d.Body = session.KindFinding, session.Finding{
			Rule: r.ID, Claim: r.Claim, Severity: severity, Title: r.Title, Detail: saw.Detail, Advice: r.Advice,
			Source: r.Source, Evidence: evidence, Count: 1, Cause: c.Record.Seq,
		}
		return d, true
	}
	for _, o := range s.ObservedOn(task) {
		if o.Rule == r.ID && o.Verdict == saw.Verdict {
			return d, false
		}
	}
	if saw.Verdict != session.Inconclusive && r.against(s, c, task, said) {
		return d, false
	}
	d.Kind, d.Body = session.KindObserved, session.Observed{
		Rule: r.ID, Claim: r.Claim, Verdict: saw.Verdict, Detail: saw.Detail, Evidence: evidence, Cause: c.Record.Seq,
	}
	return d, true
}

// against reports whether the task or exchange has contradicted the rule's
// claim, in the log or in what was just said.
func (r *Rule) against(s *session.State, c *session.Change, task int, said []session.Draft) bool {
	for _, d := range said {
		if f, ok := d.Body.(session.Finding); ok && f.Claim == r.Claim && f.Severity.Contradicts() {
			return true
		}
	}
	if c.Exchange != nil {
		for _, claim := range c.Exchange.Against {
			if claim == r.Claim {
				return true
			}
		}
	}
	if task == 0 {
		return false
	}
	for _, f := range s.FindingsOn(task) {
		if f.Claim == r.Claim && f.Severity.Contradicts() {
			return true
		}
	}
	return false
}

// restate writes the final count of a finding whose fault went on after it was
// first stated.
func restate(s *session.State, c *session.Change, f *session.FindingState) []session.Draft {
	r := byID[f.Rule]
	t := s.TaskN(f.Task)
	if r == nil || r.Count == nil || t == nil {
		return nil
	}
	n, evidence := 0, []uint64(nil)
	for _, at := range t.Talk {
		if x := s.Exchanges[at-1]; x.Stream != nil {
			k, ev := r.Count(x)
			n += k
			evidence = append(evidence, ev...)
		}
	}
	if n <= f.Count {
		return nil
	}
	b := f.Finding
	b.Count, b.Restates, b.Cause = n, f.Seq, c.Record.Seq
	b.Evidence = evidence[:min(len(evidence), 20)]
	return []session.Draft{{Kind: session.KindFinding, Task: f.Task, Body: b}}
}

// saw is one thing that a rule has to say.
func saw(v session.Verdict, detail string, evidence ...uint64) []Saw {
	return []Saw{{Verdict: v, Detail: detail, Evidence: evidence}}
}
