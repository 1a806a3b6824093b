package session

// ReplayHeader is in every answer of a recording that is served as a peer.
const ReplayHeader = "A2ascope-Replay"

// fromReplay keeps that the peer is a recording: what it does says nothing of
// whoever listens at that address next, and feeds no trust.
func (s *State) fromReplay(c *Change, b *Responded) {
	if s.Opened.Origin == "" && headValue(c.Record.Raw[:headEnd(b.Head, c.Record.Raw)], ReplayHeader) != "" {
		s.Replayed = true
	}
}

// origin is where the session's verdicts come from: "" for a peer in the
// field.
func (s *State) origin() string {
	if s.Opened.Origin == "" && s.Replayed {
		return "replayed"
	}
	return s.Opened.Origin
}
