package rule

import (
	"fmt"

	"a2ascope/session"
	"a2ascope/session/a2a"
)

// bindingRules compare what a settled task is through two declared interfaces.
// Nothing is held against an interface that our credentials were kept from, or
// that serves another tenant: a task may be hidden there by right.
var bindingRules = []Rule{
	{
		ID: "bindings.differ", Claim: session.BindingsAgree, Severity: session.Major, Peer: "split-bindings",
		Title:    "two bindings of the peer tell one settled task differently",
		Source:   "A2A 1.0 §5.1 (consistent behaviour); 0.3 §3.4.1",
		Advice:   "Keep to one binding for a task; report both answers.",
		Disproof: "The same state and artifacts through both, read one after the other.",
		On:       []session.Kind{session.KindResponse},
		Judge: func(s *session.State, c *session.Change) []Saw {
			if m := c.Missed; m != nil {
				if s.Exchanges[m.Exchange-1].Op != a2a.OpGet {
					return nil
				}
				return saw(session.Contradicted, fmt.Sprintf("the task is not found through %s, and a later read finds it %s", s.Exchanges[m.Exchange-1].Binding, c.Read.State), m.Answer, c.Record.Seq)
			}
			x, o := compared(c)
			if o == nil || o.Than == nil || o.Before == nil || !s.Differs(x) {
				return nil
			}
			why := "the artifacts are not the same"
			if o.State != o.Than.State {
				why = fmt.Sprintf("the task is %s through one, and twice %s through the other", o.Than.State, o.State)
			}
			return saw(session.Contradicted, why, o.Than.Answer, o.Before.Answer, c.Record.Seq)
		},
	},
	{
		ID: "bindings.late", Claim: session.BindingsAgree, Peer: "",
		Title:  "another binding tells a settled task differently once",
		Source: "A2A 1.0 §5.1; 0.3 §3.4.1: how soon bindings agree is not said",
		On:     []session.Kind{session.KindResponse},
		Judge: func(s *session.State, c *session.Change) []Saw {
			x, o := compared(c)
			if o == nil || o.Than == nil || o.Before != nil || !s.Differs(x) {
				return nil
			}
			return saw(session.Inconclusive, fmt.Sprintf("one read through %s differs from what %s says; a second one tells", x.Binding, s.Peer.Use.Binding), o.Than.Answer, c.Record.Seq)
		},
	},
	{
		ID: "bindings.error", Claim: session.BindingsAgree, Severity: session.Major, Peer: "split-errors",
		Title:    "two bindings of the peer answer one and the same call with different errors",
		Source:   "A2A 1.0 §5.1 (same error handling) and §5.4 (code mappings); 0.3 §3.4.1 and §8.2",
		Advice:   "Match the errors of this peer by binding, or keep to one; report both answers.",
		Disproof: "Codes or reasons that name the same error of A2A's own through both.",
		On:       []session.Kind{session.KindResponse},
		Judge:    errorsDiffer,
	},
	{
		ID: "bindings.agree", Claim: session.BindingsAgree, Peer: "honest",
		Title:  "two bindings tell one settled task alike",
		Source: "A2A 1.0 §5.1; 0.3 §3.4.1",
		On:     []session.Kind{session.KindResponse},
		Judge: func(s *session.State, c *session.Change) []Saw {
			x, o := compared(c)
			switch {
			case o == nil:
			case o.Than != nil && o.Found && !s.Differs(x):
				return saw(session.Honoured, fmt.Sprintf("%s through %s too", o.State, x.Binding), o.Than.Answer, c.Record.Seq)
			case o.Late != nil:
				one, other := s.Exchanges[o.Late.Exchange-1].Error, x.Error
				if one != nil && other != nil && one.Stated() && other.Stated() && one.Name == other.Name {
					return saw(session.Honoured, fmt.Sprintf("%s through %s too", one.Name, x.Binding), o.Late.Answer, c.Record.Seq)
				}
			}
			return nil
		},
	},
}

// compared returns a call through another interface that can be held against
// what the one in use said.
func compared(c *session.Change) (*session.Exchange, *session.Compared) {
	x := c.Exchange
	if x == nil || x.Compared == nil || x.Answer != c.Record.Seq || c.Attempt == nil {
		return x, nil
	}
	return x, x.Compared
}

// errorsDiffer compares what the cancel of a finished task is answered with.
// Only errors of A2A's own count, and those that their code or reason names:
// the statuses of HTTP and gRPC are shared by several (1.0 §5.4), 0.3 maps none,
// and any other error may be a passing one. A task that is not found by the one
// alone has to be found through the other afterwards.
func errorsDiffer(s *session.State, c *session.Change) []Saw {
	if m := c.Missed; m != nil {
		x := s.Exchanges[m.Exchange-1]
		if x.Compared.Late == nil || saidOf(s, c.Task.N, "bindings.differ") {
			return nil
		}
		return twoErrors(s, x, m.Answer, c.Record.Seq)
	}
	x, o := compared(c)
	if o == nil || o.Late == nil || o.Error == string(a2a.ErrTaskNotFound) {
		return nil
	}
	return twoErrors(s, x, c.Record.Seq)
}

// twoErrors holds the answer to a cancel through another interface against that
// through the one in use.
func twoErrors(s *session.State, x *session.Exchange, answers ...uint64) []Saw {
	late := x.Compared.Late
	in := s.Exchanges[late.Exchange-1]
	if !session.SameDialect(in.Gen, x.Gen) {
		return nil // two generations map errors in their own ways
	}
	evidence := append([]uint64{late.Answer}, answers...)
	one, other := in.Error, x.Error
	switch {
	case one != nil && !one.Stated() || other != nil && !other.Stated() || one == nil && other == nil:
		return nil
	case one == nil:
		return odd(fmt.Sprintf("the cancel of the finished task is answered with the task through %s, and with %s through %s", in.Binding, other.Name, x.Binding), evidence)
	case other == nil:
		return odd(fmt.Sprintf("the cancel of the finished task is %s through %s, and answered with the task, %s, through %s", one.Name, in.Binding, x.Compared.State, x.Binding), evidence)
	case one.Name == other.Name:
		return nil
	}
	return saw(session.Contradicted, fmt.Sprintf("the cancel of the finished task is %s (%d) through %s, and %s (%d) through %s", one.Name, one.Code, in.Binding, other.Name, other.Code, x.Binding), evidence...)
}

// odd is a finding that changes nothing: an answer that says how the task is
// tells a caller what the error tells.
func odd(detail string, evidence []uint64) []Saw {
	return []Saw{{Verdict: session.Contradicted, Severity: session.Minor, Detail: detail, Evidence: evidence}}
}

// saidOf reports whether a rule has accused the peer because of a task.
func saidOf(s *session.State, task int, rule string) bool {
	for _, f := range s.FindingsOn(task) {
		if f.Rule == rule {
			return true
		}
	}
	return false
}
