package session

import (
	"slices"
	"sort"
	"strconv"

	"a2ascope/session/a2a"
)

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

// offerOf is the redispatch of a task that waits for the operator's word, or
// nil.
func (s *State) offerOf(task int) *DecisionState {
	for _, d := range slices.Backward(s.Decisions) {
		if d.Task == task && d.Offer && d.Action == ActRedispatch {
			return d
		}
	}
	return nil
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
	s.abandon(t)
	s.sendAgain(c, t, t.FirstSend, Obligation{Purpose: PurposeRedispatch})
	s.Current = t.N
	s.outcome(t)
}

// abandon gives up what was still to be found out about an attempt that
// another one replaces: where it is looked for no longer matters, and the
// requests would ask for the new one.
func (s *State) abandon(t *Task) {
	s.dropObligations(func(o *Obligation) bool {
		return o.Task == t.N && o.Exchange == 0 && o.Command == 0 && slices.Contains(seekers, o.Purpose)
	})
}

// seekers are the purposes of reads that find out about a task by themselves.
var seekers = []string{PurposeReconcile, PurposeResumeLost, PurposeResumeUnclear, PurposeSubscribeRefused, PurposeUntold}

// sendAgain takes on a message of ours once more, with the options of the
// command that it came from. It is streamed where that asked for a stream,
// unless what a stream needs is not relied on any more.
func (s *State) sendAgain(c *Change, t *Task, request uint64, o Obligation) {
	o.Op, o.Task, o.Cause, o.At, o.Resend = a2a.OpSend, t.N, c.Record.Seq, s.Elapsed, request
	if x := s.exchangeOf(request); x != nil {
		o.Meant = x.Meant
	}
	if cs := s.CommandN(o.Meant); cs != nil && cs.Cmd.Streams() && !s.streamsDemoted() {
		o.Op = a2a.OpStream
	}
	s.takeOn(o)
}

// MeantBy returns the command whose message a request record carried, however
// often that went out before, or nil.
func (s *State) MeantBy(request uint64) *Command {
	if x := s.exchangeOf(request); x != nil {
		if cs := s.CommandN(x.Meant); cs != nil {
			return &cs.Cmd
		}
	}
	return nil
}

// Streams reports whether a message's command asks for a stream.
func (cmd *Command) Streams() bool { return cmd.Name == "stream" || cmd.Stream }

// exchangeOf returns the exchange that a request record began, or nil.
func (s *State) exchangeOf(request uint64) *Exchange {
	i := sort.Search(len(s.Exchanges), func(i int) bool { return s.Exchanges[i].Request >= request })
	if i == len(s.Exchanges) || s.Exchanges[i].Request != request {
		return nil
	}
	return s.Exchanges[i]
}

// mint is the id that we give to the task's attempt n, as 0.1 wants it of the
// client: the correlation id, and for a later attempt one of its own.
func (t *Task) mint(n int) string {
	if n <= 1 {
		return t.Correlation
	}
	return t.Correlation + "-" + strconv.Itoa(n)
}

// minted reports whether the id that a message names is one that we gave: the
// message begins an attempt.
func (t *Task) minted(id string) bool {
	if id == "" || slices.ContainsFunc(t.Attempts, func(a *Attempt) bool { return a.ServerID == id }) {
		return false
	}
	return id == t.mint(len(t.Attempts)) || id == t.mint(len(t.Attempts)+1)
}

// attemptBegun is the attempt that a message begins, or has begun on an
// earlier rung or before a redirect.
func (t *Task) attemptBegun(o *Obligation) int {
	if o.MessageID != "" && len(t.Attempts) > 0 {
		return len(t.Attempts)
	}
	return len(t.Attempts) + 1
}

// Purposes of what a redispatch sends.
const (
	PurposeRedispatch = "redispatch"  // the first message, as a new attempt
	PurposeLostAnswer = "lost-answer" // the answer that the old attempt lost
)
