package session

import "a2ascope/session/a2a"

// pushed folds a webhook delivery.
func (s *State) pushed(c *Change, b *Pushed) {
	if b.Head > len(c.Record.Raw) {
		return
	}
	p := a2a.Decode(a2a.Input{Raw: c.Record.Raw[b.Head:]})
	c.Payload = &p
}

// pushCommand takes on the push family.
func (s *State) pushCommand(cs *CommandState) {
	op, ok := map[string]a2a.Operation{
		"set": a2a.OpPushSet, "get": a2a.OpPushGet, "list": a2a.OpPushList, "delete": a2a.OpPushDelete,
	}[cs.Cmd.Sub]
	if !ok {
		s.commandOver(cs, ResultCannot, "the console has no receiver for push notifications; \"push set URL\" names one of your own")
		return
	}
	if why := cannotAsk(s.TaskN(cs.Task)); why != "" {
		s.commandOver(cs, ResultCannot, why)
		return
	}
	s.oblige(cs, Obligation{Op: op})
}
