package session

import "a2ascope/session/a2a"

// redispatchCommand takes on "redispatch": the decision that follows the
// command does it, so that a rule and the operator go the same way.
func (s *State) redispatchCommand(cs *CommandState, cmd *Command) {
	t := s.TaskN(cs.Task)
	if t == nil || t.FirstSend == 0 {
		s.commandOver(cs, ResultCannot, "there is no task whose message could be sent anew")
		return
	}
	cs.Result = ResultOK
	if s.elsewhere(cmd.URL) {
		s.commandOver(cs, ResultOK, "the decision is recorded and nothing is sent from here: a session with "+cmd.URL+" sends it")
	}
}

// elsewhere reports whether an address is that of another peer than the
// session's.
func (s *State) elsewhere(to string) bool {
	return to != "" && to != s.Peer.Key && PeerKey(to) != s.Peer.Key
}

// redispatch sends the task's first message again, as a new attempt of the
// same logical task (DESIGN.md §5, course).
func (s *State) redispatch(c *Change, b *Decision, t *Task) {
	if t == nil || s.elsewhere(b.To) {
		return // it is sent by a session with that peer
	}
	t.Redispatched = true
	t.Reconcile, t.Lost, t.FallBack = false, false, false
	if a := t.Last(); a != nil && len(t.Answers) > 0 && a.Terminal == nil {
		t.Owed = t.Answers[len(t.Answers)-1]
	}
	s.takeOn(Obligation{Op: a2a.OpSend, Task: t.N, Cause: c.Record.Seq, At: s.Elapsed, Purpose: PurposeRedispatch, Resend: t.FirstSend})
	s.Current = t.N
	s.outcome(t)
}

// Purposes of what a redispatch sends.
const (
	PurposeRedispatch = "redispatch"  // the first message, as a new attempt
	PurposeLostAnswer = "lost-answer" // the answer that the old attempt lost
)
