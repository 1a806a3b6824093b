package session

import (
	"fmt"
	"slices"

	"a2ascope/session/a2a"
)

// commandOver ends a command.
func (s *State) commandOver(cs *CommandState, r CommandResult, detail string) {
	if cs.Over {
		return
	}
	cs.Over, cs.Result, cs.Detail = true, r, detail
	kept := make([]int, 0, len(s.Pending))
	for _, n := range s.Pending {
		if n != cs.N {
			kept = append(kept, n)
		}
	}
	s.Pending = kept
	s.dropObligations(func(o *Obligation) bool { return o.Command == cs.N && o.Exchange == 0 && r != ResultOK })
	s.disarm(fmt.Sprintf("%s:c%d", DueCommand, cs.N))
}

// commandsOver ends every command whose end has come (DESIGN.md §7, "When a
// command is over").
func (s *State) commandsOver() {
	for _, n := range append([]int(nil), s.Pending...) {
		cs := s.Commands[n-1]
		if cs.Over {
			continue
		}
		if over, r, detail := s.isOver(cs); over {
			s.commandOver(cs, r, detail)
		}
	}
}

func (s *State) isOver(cs *CommandState) (bool, CommandResult, string) {
	switch cs.Cmd.Name {
	case "wait":
		return s.waitOver(cs)
	case "poll":
		return s.pollOver(cs)
	case "probe", "export", "save":
		return false, "", "" // a note ends it
	}
	x := s.lastExchange(cs)
	if x != nil && x.Quiet && !x.Over {
		return true, ResultOK, "no answer within the window; the subscription stays open"
	}
	if s.find(func(o *Obligation) bool { return o.Command == cs.N }) != nil {
		return false, "", ""
	}
	switch {
	case x == nil:
		return true, ResultOK, ""
	case cs.Cmd.Name == "stream" || cs.Cmd.Name == "resubscribe" || cs.Cmd.Stream:
		if x.Stream != nil && !x.Over && x.Stream.Events == 0 && !x.Stream.Silent {
			return false, "", ""
		}
		return x.Answer != 0 || x.Over, ResultOK, answerDetail(x)
	case cs.Cmd.Name == "cancel":
		return s.cancelOver(x)
	}
	return x.Over, ResultOK, answerDetail(x)
}

func (s *State) lastExchange(cs *CommandState) *Exchange {
	for _, n := range slices.Backward(cs.Exchanges) {
		if x := s.Exchanges[n-1]; x.Purpose != PurposeInUse {
			return x
		}
	}
	return nil
}

// answerDetail says in one line how an exchange went wrong; empty when it did
// not.
func answerDetail(x *Exchange) string {
	switch {
	case x.Fault != "":
		return "no answer: " + x.Fault
	case x.InDoubt:
		return "no answer is known: the console ended before it came"
	case x.Error != nil:
		return fmt.Sprintf("refused: %s (%d) %s", x.Error.Name, x.Error.Code, x.Error.Message)
	}
	return ""
}

func (s *State) cancelOver(x *Exchange) (bool, CommandResult, string) {
	if !x.Over {
		return false, "", ""
	}
	_, a := s.attemptOf(x)
	if x.Error != nil || x.Fault != "" || a == nil || a.Cancel == nil || a.Cancel.Exchange != x.N || a.Cancel.Said != a2a.Canceled {
		return true, ResultOK, answerDetail(x)
	}
	if a.Settled || a.GaveUp && a.Cancel.Watched {
		return true, ResultOK, ""
	}
	return false, "", ""
}

func (s *State) waitOver(cs *CommandState) (bool, CommandResult, string) {
	t := s.TaskN(cs.Task)
	switch cs.Cmd.Sub {
	case "closed":
		return len(s.Listening(cs.Task)) == 0 && !s.messagePending(t), ResultOK, ""
	case "settled":
		return s.waitSettledOver(t)
	case "state":
		return s.waitStateOver(t, a2a.State(cs.Cmd.State))
	}
	return false, "", "" // wait D ends by its deadline
}

func (s *State) waitSettledOver(t *Task) (bool, CommandResult, string) {
	a := t.Last()
	switch {
	case a != nil && (a.Settled || a.Message), t.Refused && t.Reader == nil, t.Lost && !s.messagePending(t):
		return true, ResultOK, ""
	case s.messagePending(t):
		return false, "", ""
	case a != nil && a.State.Interrupted() && !t.Reconcile && !s.answerAwaited(t):
		return true, ResultOK, "the task waits: " + string(a.State)
	case a != nil && a.GaveUp && (a.Cancel == nil || a.Cancel.Watched):
		return true, ResultRanOut, fmt.Sprintf("%d reads did not confirm the end of the task", a.AfterEnd)
	case s.nothingToWaitFor(t):
		return true, ResultRanOut, "the peer named no task, and nothing is under way"
	}
	return false, "", ""
}

func (s *State) waitStateOver(t *Task, want a2a.State) (bool, CommandResult, string) {
	a := t.Last()
	if a != nil {
		for _, seen := range a.States {
			if seen.State == want {
				return true, ResultOK, ""
			}
		}
		if a.State == want {
			return true, ResultOK, ""
		}
		if a.Terminal != nil && !want.Terminal() || a.Settled || a.Message {
			return true, ResultRanOut, fmt.Sprintf("the task is %s and cannot become %s any more", orNone(a.State), want)
		}
	}
	switch {
	case t.Lost && !s.messagePending(t):
		return true, ResultRanOut, "the peer does not know the task any more"
	case s.nothingToWaitFor(t):
		return true, ResultRanOut, "the peer named no task, and nothing is under way"
	}
	return false, "", ""
}

// messagePending reports whether a message of ours to the task has not
// brought anything yet.
func (s *State) messagePending(t *Task) bool {
	if t == nil {
		return false
	}
	if s.find(func(o *Obligation) bool { return o.Task == t.N && (o.Op == a2a.OpSend || o.Op == a2a.OpStream) }) != nil {
		return true
	}
	for _, n := range s.Open {
		x := s.Exchanges[n-1]
		if x.Task == t.N && (x.Op == a2a.OpSend || x.Op == a2a.OpStream) && (x.Stream == nil || x.Stream.Events == 0 && !x.Stream.dead()) {
			return true
		}
	}
	return false
}

// answerAwaited reports whether all that the open stream of an answer of ours
// has brought is the state that we answered: official servers begin such a
// stream with the task as it was. A read after it settles the question.
func (s *State) answerAwaited(t *Task) bool {
	a := t.Last()
	for _, x := range s.OpenStreams(t.N) {
		st := x.Stream
		if x.Op == a2a.OpStream && st.Joined && !st.News && st.Events > 0 && st.Events <= st.Replayed+1 && a != nil && a.ToldSeq < x.Answer {
			return true
		}
	}
	return false
}

// nothingToWaitFor: no server id is known, and nothing that could bring one is
// under way.
func (s *State) nothingToWaitFor(t *Task) bool {
	a := t.Last()
	if a != nil && a.ServerID != "" {
		return false
	}
	for _, x := range s.OpenStreams(t.N) {
		if !x.Stream.dead() {
			return false
		}
	}
	return !s.messagePending(t)
}

func (s *State) pollOver(cs *CommandState) (bool, CommandResult, string) {
	t := s.TaskN(cs.Task)
	a := t.Last()
	most := cs.Cmd.Max
	if most == 0 {
		most = DefaultMax
	}
	switch until := cs.Cmd.Until; {
	case a == nil:
		return true, ResultCannot, "there is no task to poll"
	case a.State.Interrupted() && !a.readAfter(cs.Seq):
		return false, "", "" // what was known before it was asked for is no read of it
	case a.State.Interrupted() && !s.messagePending(t) && !s.answerAwaited(t):
		return true, ResultOK, fmt.Sprintf("the task waits: %s (record %d)", a.State, a.Reads[len(a.Reads)-1].Answer)
	case until == "" || until == "settled":
		if a.Settled || t.Lost {
			return true, ResultOK, ""
		}
		if a.GaveUp {
			return true, ResultRanOut, fmt.Sprintf("%d reads did not confirm the end of the task", a.AfterEnd)
		}
	default:
		if over, r, d := s.waitStateOver(t, a2a.State(until)); over {
			return over, r, d
		}
	}
	if cs.Reads >= most {
		return true, ResultRanOut, fmt.Sprintf("%d reads after the end did not bring it about", cs.Reads)
	}
	return false, "", ""
}

// readAfter reports whether a read that was sent after a record has been
// answered.
func (a *Attempt) readAfter(seq uint64) bool {
	n := len(a.Reads)
	return n > 0 && a.Reads[n-1].Request > seq
}

// waitedFor says in one line what a wait or poll that ran out was waiting for.
func (s *State) waitedFor(cs *CommandState) string {
	t := s.TaskN(cs.Task)
	now := "there is no task"
	if t != nil {
		now = "the task is " + orNone(t.State())
	}
	switch {
	case cs.Cmd.Name == "poll":
		return "polling ran out: " + now
	case cs.Cmd.Sub == "closed":
		return fmt.Sprintf("%d streams of the task are still open", len(s.Listening(cs.Task)))
	case cs.Cmd.Sub == "state":
		return fmt.Sprintf("waiting for %s ran out: %s", cs.Cmd.State, now)
	}
	return "waiting for the task to settle ran out: " + now
}
