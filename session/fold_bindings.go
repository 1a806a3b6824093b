package session

import "a2ascope/session/a2a"

// PurposeCompare marks a call through a declared interface that is not the one
// in use: what it brings is compared, and changes nothing else.
const PurposeCompare = "compare"

// PurposeInUse marks the read through the interface in use that follows a call
// elsewhere which did not find the task: it may have been purged meanwhile.
const PurposeInUse = "in-use"

// Compared is what a call about a task through another interface than the one
// in use said.
type Compared struct {
	Found  bool
	State  a2a.State
	Digest string
	Error  string // name of the error; empty for none
	// Than is the read through the interface in use that a read is held
	// against; nil where nothing can be: the task is not settled, or the call
	// went with other credentials or for another tenant.
	Than *Read
	// Before is an earlier read through the same interface that differed from
	// Than too; nil for none. One that differs alone may be late.
	Before *Elsewhere
	// Late is the cancel through the interface in use that a cancel is held
	// against; nil where nothing can be.
	Late *LateCancel
}

// Elsewhere is a call through another interface than the one in use.
type Elsewhere struct {
	Exchange int
	Answer   uint64
}

// LateCancel is what came of the first cancel that was sent, through the
// interface in use, after the task's end.
type LateCancel struct {
	Exchange int
	Answer   uint64
	Said     a2a.State // in the answer; empty for an error
}

// compared keeps what a call through another interface said, and takes on what
// makes sure of it where it tells a settled task differently: one more read
// there, for a replica may be late, or one through the interface in use, for a
// task may be purged.
func (s *State) compared(c *Change, x *Exchange, p *a2a.Payload) {
	o := &Compared{}
	switch {
	case p.Task != nil:
		o.Found, o.State, o.Digest = true, p.Task.Status.State, a2a.DigestOf(p.Task.Artifacts)
	case p.Error != nil:
		o.Error = string(p.Error.Name)
	default:
		return
	}
	x.Compared = o
	a, cs := c.Attempt, s.CommandN(x.Command)
	if a == nil || cs == nil || !a.Settled || x.ServerTask != a.ServerID || x.Withheld || x.On.Tenant != s.Peer.Use.Tenant {
		return
	}
	switch x.Op {
	case a2a.OpGet:
		o.Than = readBefore(a, c.Record.Seq)
	case a2a.OpCancel:
		o.Late = a.Late
	}
	if o.Than == nil && o.Late == nil {
		return
	}
	here := &Elsewhere{Exchange: x.N, Answer: c.Record.Seq}
	switch {
	case p.Error != nil && p.Error.A2A && p.Error.Name == a2a.ErrTaskNotFound:
		a.Missing = here
		s.oblige(cs, Obligation{Op: a2a.OpGet, Purpose: PurposeInUse})
	case o.Than == nil:
	case o.Found && s.Differs(x):
		if a.Odd != nil && s.Exchanges[a.Odd.Exchange-1].On == x.On {
			o.Before, a.Odd = a.Odd, nil
			return
		}
		a.Odd = here
		on := x.On
		if again := s.oblige(cs, Obligation{Op: a2a.OpGet, On: &on, Purpose: PurposeCompare}); again != nil {
			again.At = s.Elapsed + s.Opened.Policy.SettleEvery.D()
		}
	default:
		a.Odd = nil
	}
}

// readBefore is the last read through the interface in use that was answered
// before a record and found the task.
func readBefore(a *Attempt, seq uint64) *Read {
	for i := len(a.Reads) - 1; i >= 0; i-- {
		if r := a.Reads[i]; r.Found && r.Answer < seq {
			return &r
		}
	}
	return nil
}

// Differs reports whether a read through another interface shows another state
// or other artifacts than the read that it is held against. Two generations
// cannot say the same of every artifact.
func (s *State) Differs(x *Exchange) bool {
	o := x.Compared
	if o == nil || o.Than == nil || !o.Found {
		return false
	}
	return o.State != o.Than.State || o.Digest != o.Than.Digest && SameDialect(x.Gen, s.Peer.Use.Gen)
}
