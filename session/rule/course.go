package rule

import (
	"cmp"
	"slices"
	"strconv"

	"a2ascope/session"
)

// course judges findings and observations: what becomes of trust, and what is
// done. Rules judge records of the wire and the clock; nobody judges
// decisions.
func course(s *session.State, c *session.Change) []session.Draft {
	switch c.Record.Kind {
	case session.KindFinding:
		var f session.Finding
		if c.Record.Decode(&f) != nil || f.Restates != 0 || !f.Severity.Contradicts() {
			return nil
		}
		at := matter{s: s, c: c, claim: f.Claim, rule: f.Rule, detail: f.Detail, evidence: f.Evidence}
		return at.decide(demotes(at, f), steps(findingSteps, at))
	case session.KindObserved:
		var o session.Observed
		if c.Record.Decode(&o) != nil {
			return nil
		}
		at := matter{s: s, c: c, claim: o.Claim, rule: o.Rule, detail: o.Detail, evidence: o.Evidence, verdict: o.Verdict}
		return at.decide(steps(observedSteps, at), restores(at))
	}
	return nil
}

// matter is what one row of the course table looks at.
type matter struct {
	s        *session.State
	c        *session.Change
	claim    session.Claim
	rule     string
	detail   string
	verdict  session.Verdict // of an observation
	evidence []uint64
}

// step is a row of the course table: the first that holds wins.
type step struct {
	Name string
	When func(matter) bool
	Then func(matter) session.Decision
}

// findingSteps is the course after a finding that contradicts (DESIGN.md §5,
// course). A transport fault makes no finding, so step 1 of the design is that
// there is no row for it.
var findingSteps = []step{
	{
		Name: "3 the lost answer: dispatch the task anew, here and once",
		When: func(a matter) bool {
			return a.rule == "durable.lost" && a.redispatchable() && a.c.Exchange != nil && a.c.Exchange.Purpose == session.PurposeResumeLost
		},
		Then: func(a matter) session.Decision {
			return session.Decision{
				Action: session.ActRedispatch, To: a.s.Peer.Key, Offer: !a.s.Opened.Policy.AutoRedispatch,
				Reason: "the peer lost the task that asked: its first message goes out again with the same correlation id, and the answer once more when it is asked for",
			}
		},
	},
	{
		Name: "2 a lost task: offer another peer",
		When: func(a matter) bool { return a.rule == "durable.lost" && a.redispatchable() },
		Then: func(a matter) session.Decision {
			to, why := a.candidate()
			return session.Decision{Action: session.ActRedispatch, To: to, Offer: true, Reason: why}
		},
	},
	{
		Name: "4 refuse",
		When: func(a matter) bool {
			return refusable[a.rule] && a.c.Task != nil && !a.c.Task.Refused && a.firstExercise() && a.reachable()
		},
		Then: func(a matter) session.Decision {
			return session.Decision{
				Action: session.ActRefuse, Claim: a.claim,
				Reason: "the task relied on " + string(a.claim) + ", which its first use contradicts: no further step of ours on it at this peer; a retry would meet the same",
			}
		},
	},
	{
		Name: "5 fall back to polling",
		When: func(a matter) bool {
			t := a.c.Task
			return fallsBack[a.rule] && t != nil && !t.FallBack && t.Last() != nil && t.Last().ServerID != "" && t.Last().Terminal == nil
		},
		Then: func(a matter) session.Decision {
			return session.Decision{
				Action: session.ActFallBack, Claim: a.claim,
				Reason: "the stream brings nothing to rely on: the task is polled, and the stream left open beside it",
			}
		},
	},
}

// observedSteps is the course after an observation.
var observedSteps = []step{
	{
		Name: "2 a task that is not known: read it again",
		When: func(a matter) bool { return a.rule == "durable.lost" && a.verdict == session.Inconclusive },
		Then: reconcile("the peer does not know a task that was not over: it is read again, and looked for elsewhere, before anything is concluded"),
	},
	{
		Name: "3 an answer that met TaskNotFound: one read",
		When: func(a matter) bool { return a.rule == "resume.lost" && a.verdict == session.Inconclusive },
		Then: reconcile("the answer to input-required met TaskNotFound: one read tells whether the task is there"),
	},
	{
		Name: "a refused subscription: one read",
		When: func(a matter) bool { return a.rule == "resubscribe.refused" && a.verdict == session.Inconclusive },
		Then: reconcile("the subscription was refused: one read tells whether the task was over by then"),
	},
}

func reconcile(reason string) func(matter) session.Decision {
	return func(matter) session.Decision {
		return session.Decision{Action: session.ActReconcile, Reason: reason}
	}
}

// steps returns the decision of the first row that holds, if one does.
func steps(table []step, a matter) []session.Decision {
	for _, st := range table {
		if st.When(a) {
			return []session.Decision{st.Then(a)}
		}
	}
	return nil
}

// fallsBack names the findings after which a task is polled.
var fallsBack = map[string]bool{"stream.silent": true, "stream.plain-answer": true, "stream.behind": true}

// refusable names the findings that contradict a capability by its output
// (field note 001): an empty history, an artifact that was not streamed, a
// callback that did not come.
var refusable = map[string]bool{"history.empty": true, "stream.artifact-hidden": true, "push.absent": true}

// firstExercise: nothing in this session has honoured the claim before.
func (a matter) firstExercise() bool {
	n := a.s.Counts[a.claim]
	return n == nil || n.Honoured == 0
}

// reachable: the declared input modes made the transition reachable.
func (a matter) reachable() bool {
	for i := len(a.s.Exchanges) - 1; i >= 0; i-- {
		if x := a.s.Exchanges[i]; x.Task == a.c.Task.N && x.Turn != nil {
			return allDeclared(a.s, x.Parts)
		}
	}
	return false
}

func (a matter) redispatchable() bool {
	t := a.c.Task
	return t != nil && !t.Redispatched && t.FirstSend != 0
}

// candidate is a known peer that was seen to reach the task's last state, or
// this one where there is none.
func (a matter) candidate() (to, why string) {
	last := a.c.Task.State()
	for _, k := range a.s.Peer.Carried.Candidates {
		if slices.Contains(k.VerifiedStates, string(last)) {
			return k.URL, k.Name + " was seen to reach " + string(last) + ": the task can be dispatched there with the same correlation id (a2ascope run " + k.URL + " --redispatch " + a.s.Opened.Session + "/" + strconv.Itoa(a.c.Task.N) + ")"
		}
	}
	return a.s.Peer.Key, "no other known peer was seen to reach " + orNone(last) + ": the task can be dispatched here anew with the same correlation id"
}

// demotes: the first contradiction demotes the claim; a refused mode is kept
// whether or not it was demoted before (step 6 of the course).
func demotes(a matter, f session.Finding) []session.Decision {
	mode := refusedMode(a.s, a.c, &f)
	trust := a.s.TrustOf(f.Claim)
	if trust.Trust == session.Demoted && mode == "" {
		return nil
	}
	return []session.Decision{{
		Action: session.ActDemote, Claim: f.Claim, Reason: f.Title + ": " + f.Detail, Mode: mode,
		Until: a.c.Record.Wall.Add(a.s.Opened.Policy.TrustTTL.D()), Supersedes: trust.Decision,
	}}
}

// refusedMode is the mode that a finding says the peer does not take.
func refusedMode(s *session.State, c *session.Change, f *session.Finding) string {
	if f.Claim != session.InputModes || c.Exchange == nil {
		return ""
	}
	x := c.Exchange
	if len(f.Evidence) > 0 { // the text that was accepted afterwards is not what was refused
		at, there := slices.BinarySearchFunc(s.Exchanges, f.Evidence[0], func(y *session.Exchange, seq uint64) int { return cmp.Compare(y.Request, seq) })
		if there {
			x = s.Exchanges[at]
		}
	}
	for _, m := range x.Parts {
		if m != "text/plain" && m != "" {
			return m
		}
	}
	return ""
}

// restores: an honoured observation takes a demotion back, if it comes from
// another task than those that contradicted the claim, and from one that could
// have shown the same fault: a cancel without a stream shows nothing of what
// streams do after a cancel.
func restores(a matter) []session.Decision {
	tr := a.s.Trust[a.claim] // also past its time: the decision says that it was tested again
	if tr == nil || a.verdict != session.Honoured || tr.Trust != session.Demoted || slices.Contains(tr.Tasks, a.c.Record.Task) {
		return nil
	}
	if a.claim == session.CancelFinal && (a.c.Attempt == nil || a.c.Attempt.Cancel == nil || a.c.Attempt.Cancel.Streams == 0) {
		return nil
	}
	if a.claim == session.InputModes { // text that is taken says nothing of the mode that was not
		taken := a.c.Exchange != nil && slices.ContainsFunc(a.c.Exchange.Parts, func(m string) bool {
			return slices.Contains(a.s.Profile.RefusedInputModes, m)
		})
		if !taken {
			return nil
		}
	}
	return []session.Decision{{Action: session.ActRestore, Claim: a.claim, Reason: "honoured again: " + a.detail, Supersedes: tr.Decision}}
}

// decide turns decisions into records, numbered from the last one on.
func (a matter) decide(lists ...[]session.Decision) []session.Draft {
	id := a.s.LastDecision
	var out []session.Draft
	for _, list := range lists {
		for _, d := range list {
			id++
			d.ID, d.By, d.Evidence, d.Cause = id, "rule", a.evidence, a.c.Record.Seq
			out = append(out, session.Draft{Kind: session.KindDecision, Task: a.c.Record.Task, Exchange: a.c.Record.Exchange, Body: d})
		}
	}
	return out
}
