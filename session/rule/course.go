package rule

import (
	"slices"

	"a2ascope/session"
)

// course judges findings and observations: what is done about them. It is one
// decision table, first row that holds wins (DESIGN.md §5, course); trust is
// decided beside it.
func course(s *session.State, c *session.Change) []session.Draft {
	switch c.Record.Kind {
	case session.KindFinding:
		var f session.Finding
		if c.Record.Decode(&f) != nil || f.Restates != 0 {
			return nil
		}
		return afterFinding(s, c, &f)
	case session.KindObserved:
		var o session.Observed
		if c.Record.Decode(&o) != nil {
			return nil
		}
		return afterObserved(s, c, &o)
	}
	return nil
}

func afterFinding(s *session.State, c *session.Change, f *session.Finding) []session.Draft {
	if !f.Severity.Contradicts() {
		return nil
	}
	next := len(s.Decisions) + 1
	var out []session.Draft
	decide := func(d session.Decision) {
		d.ID, d.By, d.Evidence, d.Cause = next, "rule", f.Evidence, c.Record.Seq
		next++
		out = append(out, session.Draft{Kind: session.KindDecision, Task: c.Record.Task, Exchange: c.Record.Exchange, Body: d})
	}
	mode := refusedMode(c, f)
	if trust := s.TrustOf(f.Claim); trust.Trust != session.Demoted || mode != "" {
		decide(session.Decision{
			Action: session.ActDemote, Claim: f.Claim, Reason: f.Title + ": " + f.Detail, Mode: mode,
			Until: c.Record.Wall.Add(s.Opened.Policy.TrustTTL.D()), Supersedes: trust.Decision,
		})
	}
	if t := c.Task; t != nil && !t.FallBack && fallsBack[f.Rule] && t.Last() != nil && t.Last().ServerID != "" && t.Last().Terminal == nil {
		decide(session.Decision{Action: session.ActFallBack, Claim: f.Claim, Reason: "the stream brings nothing to rely on: the task is polled, and the stream left open beside it"})
	}
	return out
}

// fallsBack names the findings after which a task is polled.
var fallsBack = map[string]bool{"stream.silent": true, "stream.plain-answer": true, "stream.behind": true}

// refusedMode is the mode that a finding says the peer does not take.
func refusedMode(c *session.Change, f *session.Finding) string {
	if f.Claim != session.InputModes || c.Exchange == nil {
		return ""
	}
	for _, m := range c.Exchange.Parts {
		if m != "text/plain" && m != "" {
			return m
		}
	}
	return ""
}

func afterObserved(s *session.State, c *session.Change, o *session.Observed) []session.Draft {
	d := session.Decision{ID: len(s.Decisions) + 1, By: "rule", Evidence: o.Evidence, Cause: c.Record.Seq, Claim: o.Claim}
	switch {
	case o.Rule == "durable.lost" && o.Verdict == session.Inconclusive:
		d.Action, d.Reason = session.ActReconcile, "the peer does not know a task that was not over: it is read again before anything is concluded"
	case o.Rule == "resume.lost" && o.Verdict == session.Inconclusive:
		d.Action, d.Reason = session.ActReconcile, "the answer to input-required met TaskNotFound: one read tells whether the task is there"
	case o.Verdict == session.Honoured && restores(s, c, o):
		d.Action, d.Reason, d.Supersedes = session.ActRestore, "honoured again: "+o.Detail, s.TrustOf(o.Claim).Decision
	default:
		return nil
	}
	return []session.Draft{{Kind: session.KindDecision, Task: c.Record.Task, Exchange: c.Record.Exchange, Body: d}}
}

// restores reports whether an honoured observation takes a demotion back: it
// must come from another task than those that contradicted the claim.
func restores(s *session.State, c *session.Change, o *session.Observed) bool {
	tr := s.TrustOf(o.Claim)
	if tr.Trust != session.Demoted || slices.Contains(tr.Tasks, c.Record.Task) {
		return false
	}
	if o.Claim == session.InputModes { // text that is taken says nothing of the mode that was not
		return c.Exchange != nil && slices.ContainsFunc(c.Exchange.Parts, func(m string) bool {
			return slices.Contains(s.Profile.RefusedInputModes, m)
		})
	}
	return true
}
