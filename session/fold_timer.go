package session

import (
	"time"

	"a2ascope/session/a2a"
)

// ticked folds a timer: an epoch's end, or a deadline's.
func (s *State) ticked(c *Change, b *Ticked) {
	if b.ID == TimerStall || b.ID == TimerJump {
		s.newEpoch(c.Record.Seq)
		return
	}
	if b.ID == TimerFull {
		s.LogFull = true
		for _, n := range s.Open {
			s.dropFull(s.Exchanges[n-1])
		}
		return
	}
	d, ok := s.disarm(b.ID)
	if !ok {
		return
	}
	c.Timer = &d
	if d.Exchange > 0 && d.Exchange <= len(s.Exchanges) {
		c.Exchange = s.Exchanges[d.Exchange-1]
		c.Task, c.Attempt = s.attemptOf(c.Exchange)
	} else if t := s.TaskN(d.Task); t != nil {
		c.Task, c.Attempt = t, t.Last()
	}
	if c.Attempt != nil {
		c.StateBefore = c.Attempt.State
	}
	s.passed(c, d)
}

// dropFull has a stream dropped because the log has reached its limit. What it
// brings without end would take the whole disk.
func (s *State) dropFull(x *Exchange) {
	if x.Stream != nil || x.Op == a2a.OpSubscribe {
		x.Detach, x.Full = true, true
	}
}

// fullText says what the operator can do about the log's limit.
const fullText = "the log of this session has reached its limit, and no stream is kept open any more: begin another session, or continue this one with a larger --log-limit"

// window is how long a stream may take to its first event (DESIGN.md §5,
// streaming).
func (s *State) window() time.Duration {
	p := s.Opened.Policy
	if p.ProbeWindowGiven || s.Peer.Card == nil || s.Peer.Card.DefaultTimeout == 0 {
		return p.ProbeWindow.D()
	}
	return min(max(2*s.Peer.Card.DefaultTimeout, time.Second), 5*time.Minute)
}

// passed notes what a deadline says about the state. Rules judge it.
func (s *State) passed(c *Change, d Deadline) {
	switch d.Kind {
	case DueWindow:
		if x := c.Exchange; x.Stream != nil && !x.Over && x.Stream.Events == 0 {
			x.Stream.Silent = true
			s.fulfilExchange(x) // silence sends nothing a second time
		}
	case DueHead:
		c.Exchange.Quiet = !c.Exchange.Over && c.Exchange.Stream == nil
	case DueIdle:
		if x := c.Exchange; x.Stream != nil && !x.Over {
			x.Stream.Idle = true
		}
	case DueClose:
		if x := c.Exchange; x.Stream != nil && !x.Over {
			x.Stream.CloseDue = true
		}
	case DueCancel:
		if c.Attempt != nil && c.Attempt.Cancel != nil {
			c.Attempt.Cancel.Watched = true
		}
	case DueSilent:
		s.silentFor(c, d)
	case DueReread:
		if s.Peer.CardURL != "" && s.find(func(o *Obligation) bool { return o.Op == a2a.OpCard }) == nil {
			s.takeOn(Obligation{Op: a2a.OpCard, Cause: c.Record.Seq, At: s.Elapsed, Purpose: PurposeReread, Places: []string{s.Peer.CardURL}})
		}
	case DueCommand:
		cs := s.Commands[d.Command-1]
		if cs.Over {
			return
		}
		if cs.Cmd.Name == "wait" && cs.Cmd.Sub == "for" {
			s.commandOver(cs, ResultOK, "")
		} else {
			s.commandOver(cs, ResultRanOut, s.waitedFor(cs))
		}
	}
}

// silentFor looks at a task that works without a sign: where something moved
// since, the deadline counts from there.
func (s *State) silentFor(c *Change, d Deadline) {
	a := c.Attempt
	if a == nil || a.State != a2a.Working {
		return
	}
	if quiet := s.Elapsed - a.MovedAt; quiet < d.Full {
		c.Timer = nil
		s.armAt(DueSilent, a.MovedAt, d.Full, d.Task, 0, 0)
	}
}

func (s *State) newEpoch(seq uint64) {
	s.Epoch++
	s.EpochSeq = seq
	for i := range s.Deadlines {
		if d := &s.Deadlines[i]; d.Kind != DueCommand {
			d.Due = s.Elapsed + d.Full
		}
	}
	s.sortDeadlines()
}
