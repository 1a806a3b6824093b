package session

// SameDoor reports whether two exchanges went to the agent by the same way: the
// same address, binding, generation and tenant. What is read through two of
// them is compared by bindings-agree alone.
func SameDoor(a, b *Exchange) bool {
	return a.On.URL == b.On.URL && a.On.Binding == b.On.Binding && SameDialect(a.On.Gen, b.On.Gen) && a.On.Tenant == b.On.Tenant
}

// AsBefore reports whether an exchange asks for an attempt's task as the caller
// and by the way that it was made: a peer hides tasks from those whose they are
// not, and says that there is none (A2A 1.0 §3.3.2).
func (s *State) AsBefore(a *Attempt, x *Exchange) bool {
	first := s.exchangeOf(a.First)
	if first == nil {
		return true
	}
	for _, ref := range s.Peer.Credentials {
		if ref.Seq > a.First {
			return false // another caller, perhaps
		}
	}
	return first.With == x.With && first.Withheld == x.Withheld && (first.On == x.On || SameDoor(first, x) || s.climbedFrom(first, x))
}

// climbedFrom reports whether the message that made a task was answered on
// another rung than it was sent to first, and an exchange goes to that one.
func (s *State) climbedFrom(first, x *Exchange) bool {
	for _, y := range s.Exchanges[first.N:] {
		if y.Obligation == first.Obligation && y.Obligation != 0 && (y.Rung > 0 || y.Hop > 0) && SameDoor(y, x) {
			return true
		}
	}
	return false
}
