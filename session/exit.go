package session

// Reasons for an exit status other than 0.
const (
	ReasonContradicted = "contradicted"
	ReasonCredentials  = "credentials"
	ReasonUnreachable  = "unreachable"
	ReasonWait         = "wait"
	ReasonLog          = "log"
	ReasonSignal       = "signal"
)

// Exit returns the exit status that a finished session earns, and why: the
// first of DESIGN.md §8's table that applies gives the status.
func (s *State) Exit(logFailed bool) ExitDoc {
	d := ExitDoc{Reasons: []string{}}
	add := func(status int, reason string) {
		if d.Status == 0 {
			d.Status = status
		}
		d.Reasons = append(d.Reasons, reason)
	}
	if logFailed {
		add(6, ReasonLog)
	}
	if len(s.ContradictedClaims()) > 0 {
		add(1, ReasonContradicted)
	}
	if s.Denied > 0 && s.Served == 0 {
		add(4, ReasonCredentials)
	}
	if s.Peer.Undiscovered && s.Served == 0 || s.LastFault {
		add(3, ReasonUnreachable)
	}
	if s.someRanOut() {
		add(5, ReasonWait)
	}
	return d
}

// someRanOut: what a probe's own command waited for in vain is the probe's to
// tell, and no failure of the run.
func (s *State) someRanOut() bool {
	for _, c := range s.Commands {
		if c.Result == ResultRanOut && c.By != ByProbe {
			return true
		}
	}
	return false
}
