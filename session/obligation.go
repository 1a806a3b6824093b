package session

import (
	"strings"

	"a2ascope/session/a2a"
)

// oblige takes on an obligation for a command, or ends the command where the
// peer's address is not known and no discovery is under way. It returns nil
// then.
func (s *State) oblige(cs *CommandState, o Obligation) *Obligation {
	o.Task, o.Command, o.Cause, o.At = cs.Task, cs.N, cs.Seq, s.Elapsed
	if o.Op == a2a.OpCard {
		return s.takeOn(o)
	}
	s.freshTokens(cs.Seq)
	if s.Peer.Use.URL == "" {
		pending := s.find(func(p *Obligation) bool { return p.Op == a2a.OpCard })
		if pending == nil {
			s.commandOver(cs, ResultCannot, s.noEndpoint())
			return nil
		}
		if o.After == 0 {
			o.After = pending.N
		}
	}
	return s.takeOn(o)
}

func (s *State) noEndpoint() string {
	if c := s.Peer.Card; c != nil {
		names := make([]string, 0, len(c.Interfaces))
		for _, i := range c.Interfaces {
			names = append(names, string(i.Binding)+" "+string(i.Generation))
		}
		if len(names) > 0 {
			return "the card offers no interface that can be used (" + strings.Join(names, ", ") + "); \"endpoint URL\" names one"
		}
		return "the card names no endpoint; \"endpoint URL\" names one"
	}
	return "no card was read, so there is no endpoint; \"discover URL\" looks for a card, \"endpoint URL\" works without one"
}

func (s *State) takeOn(o Obligation) *Obligation {
	s.LastObligation++
	o.N = s.LastObligation
	p := &o
	s.Obligations = append(s.Obligations, p)
	return p
}

func (s *State) find(is func(*Obligation) bool) *Obligation {
	for _, o := range s.Obligations {
		if is(o) {
			return o
		}
	}
	return nil
}

func (s *State) obligationN(n int) *Obligation {
	return s.find(func(o *Obligation) bool { return o.N == n })
}

func (s *State) dropObligations(is func(*Obligation) bool) {
	kept := s.Obligations[:0]
	for _, o := range s.Obligations {
		if !is(o) {
			kept = append(kept, o)
		}
	}
	for i := len(kept); i < len(s.Obligations); i++ {
		s.Obligations[i] = nil
	}
	s.Obligations = kept
}

func (s *State) fulfil(n int) {
	s.dropObligations(func(o *Obligation) bool { return o.N == n })
}
