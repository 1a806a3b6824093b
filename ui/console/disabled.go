package console

import (
	"fmt"

	"a2ascope/keymap"
	"a2ascope/session/a2a"
)

// disabled says why an action cannot be done now; empty when it can.
func (m *model) disabled(b keymap.Binding) string {
	if b.Dangerous && m.opt.ReadOnly {
		return "the console is read-only"
	}
	switch b.Context {
	case keymap.Session, keymap.Claims:
		if m.session != nil && m.screen == screenSession {
			return m.disabledHere(b)
		}
	case keymap.History:
		return m.history.disabled(b)
	}
	return ""
}

// disabledHere is disabled on the session screen.
func (m *model) disabledHere(b keymap.Binding) string {
	s := m.session
	if b.Action == keymap.Continue {
		if !s.review {
			return "this session goes on already"
		}
		return ""
	}
	if b.Writes {
		if why := s.writable(m); why != "" {
			return why
		}
		if m.opt.ReadOnly && b.Action != keymap.Note && b.Action != keymap.Mark {
			return "the console is read-only"
		}
	}
	switch b.Action {
	case keymap.Send, keymap.Stream, keymap.Probe:
		if s.latest.Peer.CardSeq == 0 && s.latest.Peer.Use.URL == "" {
			return "no card was read yet: “: discover URL” reads one"
		}
	case keymap.Resume, keymap.Cancel, keymap.Poll, keymap.Resubscribe, keymap.Detach, keymap.Get:
		why := s.disabledTask(b.Action)
		if t, ok := s.currentTask(); why == "" && ok && b.Action == keymap.Poll && t.Settled {
			why = fmt.Sprintf("task %d is settled; %s reads it once more", t.N, m.keys.Key(keymap.Get))
		}
		return why
	case keymap.Fallback:
		if len(s.offered()) == 0 {
			return "nothing stands in the way that another command would help with"
		}
	case keymap.Confirm, keymap.Overrule:
		if _, ok := s.decisionAt(); !ok {
			return "no decision waits for an answer, and none is selected"
		}
	case keymap.Undo:
		return s.undoWhyNot()
	case keymap.TaskNext, keymap.TaskPrev:
		if len(s.view.Tasks) < 2 {
			return "there is no other task"
		}
	}
	return ""
}

// disabledTask says what the current task cannot do.
func (s *sessionScreen) disabledTask(a keymap.Action) string {
	t, ok := s.currentTask()
	if !ok {
		return "there is no task yet"
	}
	state := a2a.State(t.State)
	switch a {
	case keymap.Resume:
		if !state.Interrupted() {
			return fmt.Sprintf("task %d is %s and waits for nothing", t.N, orNothing(t.State))
		}
	case keymap.Cancel:
		if state.Terminal() || t.State == "message" {
			return fmt.Sprintf("task %d is already %s", t.N, orNothing(t.State))
		}
	case keymap.Detach:
		for _, st := range s.latest.Streams {
			if st.Task == t.N {
				return ""
			}
		}
		return fmt.Sprintf("no stream of task %d is open", t.N)
	}
	if len(t.TaskIDs) == 0 && a != keymap.Detach {
		return fmt.Sprintf("task %d has no id at the peer", t.N)
	}
	return ""
}

func orNothing(state string) string {
	switch state {
	case "":
		return "without a state"
	case "message":
		return "answered by a message"
	}
	return state
}
