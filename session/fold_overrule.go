package session

import (
	"slices"
	"time"
)

// overruled takes back what a decision did. What an overrule took back holds
// again when it is overruled itself.
func (s *State) overruled(c *Change, b *Decision) {
	if old := s.DecisionN(b.Supersedes); old != nil {
		s.takeBack(c, b, old)
	}
}

func (s *State) takeBack(c *Change, b *Decision, old *DecisionState) {
	switch old.Action {
	case ActOverrule:
		if root := s.DecisionN(old.Supersedes); root != nil && root.ID < old.ID {
			s.putBack(c, b, root)
		}
	case ActDemote:
		tr := s.trust(old.Claim)
		if tr.Decision == old.ID {
			tr.Trust, tr.Until, tr.Decision = AsDeclared, b.Until, b.ID
		}
	case ActRestore:
		tr := s.trust(old.Claim)
		if tr.Decision == old.ID {
			tr.Trust, tr.Until, tr.Decision = Demoted, s.demotedUntil(old), b.ID
		}
	case ActRefuse:
		if t := s.TaskN(old.Task); t != nil {
			t.Refused = false
			s.outcome(t)
		}
	case ActFallBack:
		if t := s.TaskN(old.Task); t != nil {
			t.FallBack = false
		}
	case ActReconcile, ActRedispatch:
		s.calledOff(old)
	}
	if old.Mode != "" {
		kept := []string{}
		for _, m := range s.Profile.RefusedInputModes {
			if m != old.Mode {
				kept = append(kept, m)
			}
		}
		s.Profile.RefusedInputModes = kept
	}
}

// demotedUntil is the time to which the demotion holds that a restoration set
// aside.
func (s *State) demotedUntil(restored *DecisionState) time.Time {
	for _, d := range slices.Backward(s.Decisions) {
		if d.ID < restored.ID && d.Action == ActDemote && d.Claim == restored.Claim {
			return d.Until
		}
	}
	return time.Time{}
}

// putBack makes hold again what was overruled. Nothing is sent by it but the
// reads of a reconciliation: a redispatch is offered anew.
func (s *State) putBack(c *Change, b *Decision, old *DecisionState) {
	t := s.TaskN(old.Task)
	switch old.Action {
	case ActOverrule:
		if root := s.DecisionN(old.Supersedes); root != nil && root.ID < old.ID {
			s.takeBack(c, b, root)
		}
		return
	case ActDemote, ActRestore:
		tr := s.trust(old.Claim)
		if tr.Decision != b.Supersedes {
			return // something else was decided on the claim since
		}
		tr.Trust, tr.Until, tr.Decision = Verified, old.Until, old.ID
		if old.Action == ActDemote {
			tr.Trust = Demoted
		}
	case ActRedispatch:
		old.Offer = t != nil && !t.Redispatched
	}
	s.takeCourse(c, &old.Decision, t)
}

// refuse leaves a task where it is: no further step of ours is taken on it.
func (s *State) refuse(t *Task) {
	t.Refused = true
	s.withholdQueued(t)
	s.dropObligations(func(o *Obligation) bool { return o.Task == t.N && o.Exchange == 0 })
	s.outcome(t)
}

// withholdQueued ends the commands whose steps on a refused task were not sent
// yet.
func (s *State) withholdQueued(t *Task) {
	var queued []*CommandState
	for _, o := range s.Obligations {
		if o.Task == t.N && o.Exchange == 0 && o.Command > 0 {
			queued = append(queued, s.Commands[o.Command-1])
		}
	}
	for _, cs := range queued {
		s.commandOver(cs, ResultWithheld, "the task was refused at this peer before it was sent; --force sends it all the same")
	}
}

// calledOff takes back a reconciliation or a redispatch: an offer, and what
// was not sent yet.
func (s *State) calledOff(old *DecisionState) {
	old.Offer = false
	t := s.TaskN(old.Task)
	if t == nil {
		return
	}
	purposes := []string{PurposeRedispatch}
	if old.Action == ActReconcile {
		t.Reconcile = false
		purposes = []string{PurposeReconcile, PurposeResumeLost, PurposeSubscribeRefused}
	}
	n := len(s.Obligations)
	s.dropObligations(func(o *Obligation) bool {
		return o.Task == t.N && o.Exchange == 0 && slices.Contains(purposes, o.Purpose)
	})
	if old.Action == ActRedispatch && len(s.Obligations) < n {
		t.Redispatched, t.Owed = false, 0
	}
}
