package session

import (
	"a2ascope/session/a2a"
)

// messageAnswered folds what the first answer to a message, or the first event
// of its stream, says about resuming and about input modes (field note 002).
func (s *State) messageAnswered(c *Change, x *Exchange, p *a2a.Payload) {
	resumed := x.ServerTask != ""
	switch {
	case p.Error != nil:
		if resumed && p.Error.Name == a2a.ErrTaskNotFound && x.Asked == a2a.InputRequired {
			s.Profile.Resume = "not-found"
			c.ResumeLost = true
		}
		if resumed && p.Error.Name == a2a.ErrInternal && x.Asked.Interrupted() && c.Task != nil { // it may have been taken all the same
			s.takeOn(Obligation{Op: a2a.OpGet, Task: c.Task.N, Cause: c.Record.Seq, At: s.Elapsed, Purpose: PurposeResumeUnclear})
		}
		return
	case resumed && c.NewAttempt != nil:
		s.Profile.Resume = "new-task"
	case resumed && x.Asked == a2a.InputRequired:
		s.Profile.Resume = "same-task"
	}
	if st := stateOf(p); st != a2a.Failed && st != a2a.Rejected {
		for _, m := range x.Parts {
			s.Profile.AcceptedInputModes = mergeSorted(s.Profile.AcceptedInputModes, m)
		}
	}
}

func stateOf(p *a2a.Payload) a2a.State {
	switch {
	case p.Task != nil:
		return p.Task.Status.State
	case p.Status != nil:
		return p.Status.Status.State
	}
	return ""
}

// profileCancel keeps what became of a cancel in the state that it met. A
// cancel is never promised.
func (s *State) profileCancel(x *Exchange, said a2a.State, refused *a2a.Error) {
	var word string
	switch {
	case refused != nil && refused.Name == a2a.ErrTaskNotFound:
		return
	case refused != nil:
		word = "refused"
	case said == a2a.Canceled:
		word = "honoured"
	case said != "" && !said.Terminal():
		word = "ignored"
	default:
		return
	}
	switch x.Asked {
	case a2a.Working, a2a.Submitted:
		s.Profile.CancelWorking = word
	case a2a.InputRequired, a2a.AuthRequired:
		s.Profile.CancelInputRequired = word
	}
}

// subscribeRefused keeps that a subscription found no task.
func (s *State) subscribeRefused(x *Exchange, e *a2a.Error) {
	if e.Name == a2a.ErrTaskNotFound {
		s.profileSubscribe(x, "not-found")
	}
}

// profileSubscribe keeps what a subscription brings, by the state it met.
func (s *State) profileSubscribe(x *Exchange, word string) {
	switch {
	case x.Op != a2a.OpSubscribe:
	case x.Asked.Interrupted():
		s.Profile.ResubscribeAfterInput = word
	case !x.Asked.Terminal():
		s.Profile.Resubscribe = word
	}
}

// mergeProfile lays what this session learnt over what earlier ones did.
func mergeProfile(old, now Profile) Profile {
	pick := func(a, b string) string {
		if b != "" {
			return b
		}
		return a
	}
	union := func(a, b []string) []string {
		out := append([]string(nil), a...)
		for _, v := range b {
			out = mergeSorted(out, v)
		}
		return out
	}
	return Profile{
		Resubscribe:           pick(old.Resubscribe, now.Resubscribe),
		ResubscribeAfterInput: pick(old.ResubscribeAfterInput, now.ResubscribeAfterInput),
		Resume:                pick(old.Resume, now.Resume),
		CancelWorking:         pick(old.CancelWorking, now.CancelWorking),
		CancelInputRequired:   pick(old.CancelInputRequired, now.CancelInputRequired),
		Durable:               pick(old.Durable, now.Durable),
		VerifiedStates:        union(old.VerifiedStates, now.VerifiedStates),
		VerifiedOutputModes:   union(old.VerifiedOutputModes, now.VerifiedOutputModes),
		AcceptedInputModes:    union(old.AcceptedInputModes, now.AcceptedInputModes),
		RefusedInputModes:     union(old.RefusedInputModes, now.RefusedInputModes),
	}
}
