package session

import (
	"iter"
	"slices"
	"sort"
	"time"

	"a2ascope/session/a2a"
)

// found folds a finding, or its restatement with the final count.
func (s *State) found(c *Change, b *Finding) {
	if b.Restates != 0 {
		for _, f := range s.FindingsOn(c.Record.Task) {
			if f.Seq == b.Restates && f.Rule == b.Rule {
				f.Count, f.Detail, f.Evidence, f.Last = b.Count, b.Detail, b.Evidence, c.Record.Seq
			}
		}
		return
	}
	said := s.said(c.Record.Task)
	said.Findings = append(said.Findings, len(s.Findings))
	s.Findings = append(s.Findings, &FindingState{Finding: *b, Seq: c.Record.Seq, Last: c.Record.Seq, Task: c.Record.Task, At: c.Record.Wall})
	n := s.count(b.Claim, b.Rule)
	if b.Severity.Contradicts() {
		if n.Contradicted == 0 {
			n.Evidence = nil
		}
		n.Contradicted++
		n.evidence(b.Evidence)
		if c.Exchange != nil {
			c.Exchange.Against = append(c.Exchange.Against, b.Claim)
		}
		tr := s.trust(b.Claim)
		tr.Tasks = append(tr.Tasks, c.Record.Task)
	}
	if c.Task != nil && b.Severity.Contradicts() {
		switch b.Claim {
		case CancelFinal:
			if c.Attempt != nil {
				c.Attempt.Orphaned = true
			}
		case InputModes:
			c.Task.FalseFail = true
		}
		s.outcome(c.Task)
	}
}

func (s *State) observed(c *Change, b *Observed) {
	said := s.said(c.Record.Task)
	said.Observed = append(said.Observed, len(s.Observed))
	s.Observed = append(s.Observed, &ObservedState{Observed: *b, Seq: c.Record.Seq, Task: c.Record.Task})
	n := s.count(b.Claim, b.Rule)
	before := n.Verdict()
	switch b.Verdict {
	case Honoured:
		n.Honoured++
		if tr := s.trust(b.Claim); tr.Trust == AsDeclared {
			tr.Trust = Verified
		}
	case UnderDeclared:
		n.UnderDeclared++
	default:
		n.Inconclusive++
	}
	if n.Verdict() != before {
		n.Evidence = nil
	}
	if n.Verdict() == b.Verdict {
		n.evidence(b.Evidence)
	}
}

// HasPraised reports whether a rule has seen its claim honoured or
// under-declared on the task (0 for none). It stands on the path of every
// event.
func (s *State) HasPraised(rule string, task int) bool {
	for _, i := range s.said(task).Observed {
		if o := s.Observed[i]; o.Rule == rule && o.Verdict != Inconclusive {
			return true
		}
	}
	return false
}

// FindingsOn yields the findings on a logical task, or with 0 those that
// belong to none, in order.
func (s *State) FindingsOn(task int) iter.Seq2[int, *FindingState] {
	return func(yield func(int, *FindingState) bool) {
		for _, i := range s.said(task).Findings {
			if !yield(i, s.Findings[i]) {
				return
			}
		}
	}
}

// ObservedOn yields the observations on a logical task, or with 0 those that
// belong to none, in order.
func (s *State) ObservedOn(task int) iter.Seq2[int, *ObservedState] {
	return func(yield func(int, *ObservedState) bool) {
		for _, i := range s.said(task).Observed {
			if !yield(i, s.Observed[i]) {
				return
			}
		}
	}
}

func (s *State) said(task int) *Said {
	if t := s.TaskN(task); t != nil {
		return &t.Said
	}
	return &s.Said
}

// decided folds a decision of a rule or of the operator.
func (s *State) decided(c *Change, b *Decision) {
	s.Decisions = append(s.Decisions, &DecisionState{Decision: *b, Seq: c.Record.Seq, Task: c.Record.Task, At: c.Record.Wall})
	s.LastDecision = max(s.LastDecision, b.ID)
	t := s.TaskN(c.Record.Task)
	if old := s.DecisionN(b.Supersedes); old != nil && s.TaskN(old.Task) != nil {
		s.wakeTask(s.TaskN(old.Task))
	}
	switch b.Action {
	case ActDemote:
		tr := s.trust(b.Claim)
		tr.Trust, tr.Until, tr.Decision = Demoted, b.Until, b.ID
	case ActRestore:
		tr := s.trust(b.Claim)
		tr.Trust, tr.Until, tr.Decision = Verified, b.Until, b.ID
	case ActOverrule:
		s.overruled(c, b)
	case ActConfirm:
		if old := s.DecisionN(b.Supersedes); old != nil && old.Offer && old.Action == ActRedispatch {
			old.Offer = false
			s.redispatch(c, &old.Decision, s.TaskN(old.Task))
		}
	case ActRedispatch:
		if old := s.DecisionN(b.Supersedes); old != nil && old.Action == ActRedispatch {
			old.Offer = false
		}
		if t != nil && !b.Offer {
			s.redispatch(c, b, t)
		}
	}
	s.takeCourse(c, b, t)
}

// takeCourse does what a decision on a task's course says, when it is made and
// when it holds again. A redispatch is not one: it sends.
func (s *State) takeCourse(c *Change, b *Decision, t *Task) {
	switch b.Action {
	case ActRefuse:
		if t != nil {
			s.refuse(t)
		}
	case ActFallBack:
		if t != nil {
			t.FallBack = true
		}
	case ActReconcile:
		s.reconcile(c, t)
	}
	if b.Mode != "" {
		s.Profile.RefusedInputModes = mergeSorted(s.Profile.RefusedInputModes, b.Mode)
	}
}

// reconcile finds out whether the peer has lost the task. After an answer
// that met TaskNotFound one read tells; else the reader looks again once the
// peer had time to come back.
func (s *State) reconcile(c *Change, t *Task) {
	switch {
	case t == nil:
	case c.Exchange != nil && c.Exchange.Turn != nil:
		s.takeOn(Obligation{Op: a2a.OpGet, Task: t.N, Cause: c.Record.Seq, At: s.Elapsed, Purpose: PurposeResumeLost})
	case c.Exchange != nil && c.Exchange.Op == a2a.OpSubscribe:
		s.takeOn(Obligation{Op: a2a.OpGet, Task: t.N, Cause: c.Record.Seq, At: s.Elapsed, Purpose: PurposeSubscribeRefused})
	default:
		t.Reconcile = true
		s.lookElsewhere(c, t)
	}
}

// lookElsewhere asks for a lost task in the other ways that the peer declares:
// by its context, and at another interface.
func (s *State) lookElsewhere(c *Change, t *Task) {
	at := s.Elapsed + s.Opened.Policy.DurableWait.D()
	if s.Peer.Use.Gen == a2a.Gen10 && s.contextOf(t.N) != "" {
		s.takeOn(Obligation{Op: a2a.OpList, Task: t.N, Cause: c.Record.Seq, At: at, Purpose: PurposeReconcile})
	}
	s.readElsewhere(c, t, at, PurposeReconcile)
}

// readElsewhere asks for a task once at another binding that the peer declares.
func (s *State) readElsewhere(c *Change, t *Task, at time.Duration, purpose string) {
	for _, i := range s.interfaces() {
		if i.Binding != s.Peer.Use.Binding && i.Gen == s.Peer.Use.Gen {
			s.takeOn(Obligation{Op: a2a.OpGet, Task: t.N, Cause: c.Record.Seq, At: at, Purpose: purpose, On: &i})
			return
		}
	}
}

// PurposeUntold marks the read at another binding of a task whose state the
// binding in use does not convey.
const PurposeUntold = "untold"

// PurposeResumeLost marks the read that follows a TaskNotFound to the answer
// to input-required.
const PurposeResumeLost = "resume-lost"

// PurposeResumeUnclear marks the read that follows an internal error to the
// answer to input-required: the answer is never sent again by itself.
const PurposeResumeUnclear = "resume-unclear"

// PurposeSubscribeRefused marks the read that follows a refused subscription.
const PurposeSubscribeRefused = "subscribe-refused"

// PurposeReconcile marks the requests that look for a lost task elsewhere.
const PurposeReconcile = "reconcile"

// DecisionN returns the decision with this id, or nil.
func (s *State) DecisionN(id int) *DecisionState {
	for _, d := range s.Decisions {
		if d.ID == id {
			return d
		}
	}
	return nil
}

func (s *State) count(claim Claim, rule string) *Counts {
	n := s.Counts[claim]
	if n == nil {
		n = &Counts{}
		s.Counts[claim] = n
	}
	for _, r := range n.Rules {
		if r == rule {
			return n
		}
	}
	n.Rules = append(n.Rules, rule)
	sort.Strings(n.Rules)
	return n
}

func (n *Counts) evidence(seqs []uint64) {
	for _, q := range seqs {
		if len(n.Evidence) >= maxEvidence {
			return
		}
		if !slices.Contains(n.Evidence, q) {
			n.Evidence = append(n.Evidence, q)
		}
	}
}

// Verdict is the strongest verdict that was reached.
func (n *Counts) Verdict() Verdict {
	switch {
	case n == nil:
		return Unproven
	case n.Contradicted > 0:
		return Contradicted
	case n.Honoured > 0:
		return Honoured
	case n.UnderDeclared > 0:
		return UnderDeclared
	case n.Inconclusive > 0:
		return Inconclusive
	}
	return Unproven
}

func (s *State) trust(claim Claim) *TrustState {
	tr := s.Trust[claim]
	if tr == nil {
		tr = &TrustState{Trust: AsDeclared}
		s.Trust[claim] = tr
	}
	return tr
}

// TrustOf returns what is acted on for a claim at the time of the last record:
// a demotion holds until its time.
func (s *State) TrustOf(claim Claim) TrustState {
	tr := s.Trust[claim]
	if tr == nil {
		return TrustState{Trust: AsDeclared}
	}
	out := *tr
	if out.Trust == Demoted && !out.Until.IsZero() && !s.Wall.Before(out.Until) {
		out.Trust = AsDeclared
	}
	return out
}

// Declares returns what the card says of a capability claim.
func (s *State) Declares(claim Claim) a2a.Declared {
	c := s.Peer.Card
	if c == nil {
		return a2a.Undeclared
	}
	switch claim {
	case Streaming:
		return c.Streaming
	case PushNotifications:
		return c.PushNotifications
	case StateTransitionHistory:
		return c.StateTransitionHistory
	case ExtendedCard:
		return c.ExtendedCard
	}
	return a2a.Undeclared
}
