package session

import "slices"

const maxCredentials = 10 // commands kept of a session

// Summarise makes the row that feeds the archive.
func Summarise(s *State) Summary {
	m := Summary{
		Session: s.Opened.Session, Typed: s.Opened.Typed, Peer: s.Peer.Key, Generation: string(s.Peer.Use.Gen),
		Binding: string(s.Peer.Use.Binding), Origin: s.origin(), Started: s.Started, Last: s.Wall, Ended: s.Ended != nil,
		Records: s.Seq, Head: s.Head, Tasks: len(s.Tasks), States: []string{}, Findings: len(s.Findings),
		Contradicted: s.ContradictedClaims(), Decisions: len(s.Decisions), Profile: s.Profile, Prompts: s.Prompts, Endpoint: s.Peer.Override,
	}
	for _, ref := range s.Peer.Credentials {
		if len(m.Credentials) < maxCredentials && !slices.Contains(m.Credentials, ref.Line) {
			m.Credentials = append(m.Credentials, ref.Line)
		}
	}
	if c := s.Peer.Card; c != nil {
		m.PeerName, m.CardVersion = c.Name, c.Version
	}
	for i, t := range s.Tasks {
		if i < maxStates {
			d := string(t.State())
			if t.Lost {
				d = "indeterminate"
			}
			m.States = append(m.States, d)
		}
	}
	return m
}

// ContradictedClaims lists the claims that were contradicted, in their order.
func (s *State) ContradictedClaims() []Claim {
	out := []Claim{}
	for _, id := range Claims {
		if s.Counts[id].Verdict() == Contradicted {
			out = append(out, id)
		}
	}
	return out
}
