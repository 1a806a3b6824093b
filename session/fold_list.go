package session

import "a2ascope/session/a2a"

// ListedOdd is a settled task that a list shows in another state than reads
// do, and the list before it that did so too: one alone may be late.
type ListedOdd struct {
	Task, Attempt int
	State         a2a.State // on the list
	Read          uint64    // answer of the read that both lists were asked for after
	Before        Elsewhere
}

// PurposeListAgain marks the list that follows one which showed a settled task
// otherwise.
const PurposeListAgain = "list-again"

// learnList folds what a list shows of the session's tasks. Where it shows a
// settled one otherwise, it is asked for once more.
func (s *State) learnList(c *Change, x *Exchange, l *a2a.TaskList) {
	again := false
	for i := range l.Tasks {
		t, a := s.attemptNamed(l.Tasks[i].ID)
		if a == nil {
			continue
		}
		state := l.Tasks[i].Status.State
		a.Listed = &Seen{State: state, Seq: c.Record.Seq, At: s.Elapsed, Via: ViaList, Epoch: s.Epoch}
		read := s.readOfEnd(a, x)
		if read == 0 || x.Op != a2a.OpList || state == "" || state == a2a.Unspecified || state == a.State {
			a.Misled = nil
			continue
		}
		if before := a.Misled; before != nil && before.Answer < x.Request {
			c.Listed = append(c.Listed, ListedOdd{Task: t.N, Attempt: a.N, State: state, Read: read, Before: *before})
			a.Misled = nil
			continue
		}
		a.Misled = &Elsewhere{Exchange: x.N, Answer: c.Record.Seq}
		again = true
	}
	if cs := s.CommandN(x.Command); again && cs != nil && cs.Cmd.Name == "list" {
		if o := s.oblige(cs, Obligation{Op: a2a.OpList, Purpose: PurposeListAgain}); o != nil {
			o.At = s.Elapsed + s.Opened.Policy.SettleEvery.D()
		}
	}
}

// readOfEnd is the answer of a read that had said the settled task's end before
// a list was asked for by the same way; 0 for none. What a cancel has brought
// about is left to the rules of cancels.
func (s *State) readOfEnd(a *Attempt, list *Exchange) uint64 {
	if !a.Settled || a.Stable < 2 || a.Cancel != nil {
		return 0
	}
	for _, r := range a.Reads {
		if r.Found && r.State == a.State && r.Answer < list.Request && SameDoor(s.Exchanges[r.Exchange-1], list) {
			return r.Answer
		}
	}
	return 0
}
