package session

// ReplayHeader is in every answer of a recording that is served as a peer.
const ReplayHeader = "A2ascope-Replay"

// fromReplay keeps that the peer is a recording: what it does says nothing of
// whoever listens at that address next, and feeds no trust. Only an address of
// this machine is believed: a peer in the field must not talk itself out of
// what is found.
func (s *State) fromReplay(c *Change, b *Responded) {
	if s.Opened.Origin == "" && onLoopback(c.Exchange.URL) && headValue(c.Record.Raw[:headEnd(b.Head, c.Record.Raw)], ReplayHeader) != "" {
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
