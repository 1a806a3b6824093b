package demopeer

import (
	"slices"
	"strings"
)

// turn is what a message has begun: an answer at once, or work on a task.
type turn struct {
	reply *message
	t     *task
	first view // the task when the turn began
	from  int  // the position in its events where the turn's begin
}

// accept takes a message in: it begins a task, goes on with one that waits for
// input, or answers at once with a message.
func (s *server) accept(p params) (turn, *fault) {
	m, f := s.readMessage(p.Message)
	if f != nil {
		return turn{}, f
	}
	m.size = p.size
	asJSON, f := s.outputMode(p.Configuration)
	if f != nil {
		return turn{}, f
	}
	hook, f := s.inlineHook(p.Configuration)
	if f != nil {
		return turn{}, f
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if m.taskID != "" && s.b.adopt != nil && s.b.adopt(s, m) {
		m.taskID = "" // the liar takes an answer for a new request
	}
	answers := m.taskID != ""
	var t *task
	if answers {
		if t, f = s.waiting(m); f != nil {
			return turn{}, f
		}
		s.reopen(t, m)
	} else {
		if words, ok := strings.CutPrefix(strings.TrimSpace(m.text()), "echo "); ok {
			return turn{reply: echo(m, words)}, nil
		}
		t = s.open(m)
	}
	if hook != nil {
		s.addHook(t, *hook)
	}
	t.asJSON = asJSON
	out := turn{t: t, first: t.view(), from: len(t.events)}
	s.begin(t, m, answers)
	return out, nil
}

func echo(m message, words string) *message {
	if m.contextID == "" {
		m.contextID = newID()
	}
	return &message{id: newID(), agent: true, contextID: m.contextID, parts: []part{textPart(words)}}
}

// waiting finds the task that m answers. The caller holds the lock.
func (s *server) waiting(m message) (*task, *fault) {
	t := s.tasks[m.taskID]
	switch {
	case t == nil:
		return nil, notFound(m.taskID)
	case m.contextID != "" && m.contextID != t.contextID:
		return nil, invalidParams("task %s belongs to another context", t.id)
	case t.status.state.terminal():
		return nil, unsupported("Task %s is %s and takes no further message", t.id, t.status.state)
	case t.status.state != inputRequired:
		return nil, unsupported("Task %s is %s and has not asked for anything", t.id, t.status.state)
	case s.b.refuse != nil:
		if f := s.b.refuse(m); f != nil {
			return nil, f
		}
	}
	return t, nil
}

// reopen puts the answer into the task and lets it work again.
func (s *server) reopen(t *task, m message) {
	m.contextID = t.contextID
	if t.status.says != nil { // the question comes before its answer
		t.history = append(slices.Clip(t.history), *t.status.says)
		t.status.says = nil
	}
	t.history = append(slices.Clip(t.history), m)
	to := working
	if s.b.resubmits {
		to = submitted
	}
	t.move(to, "", s.now())
	s.grow(t, m.size)
}

// readMessage checks a message as the specification wants it.
func (s *server) readMessage(wm *wireMessage) (message, *fault) {
	if wm == nil {
		return message{}, invalidParams("message is missing")
	}
	if wm.MessageID == "" || wm.Role != s.wire.role(false) || len(wm.Parts) == 0 {
		return message{}, invalidParams("a message has a messageId, the role %s and at least one part", s.wire.role(false))
	}
	m := message{id: wm.MessageID, taskID: wm.TaskID, contextID: wm.ContextID}
	modes := s.declared("").inputModes
	for _, wp := range wm.Parts {
		p, f := s.wire.part(wp)
		if f != nil {
			return m, f
		}
		if p.mediaType != "" && !acceptable(modes, p.mediaType) {
			return m, faultf(-32005, "CONTENT_TYPE_NOT_SUPPORTED", "This agent does not accept %.100s; it accepts %s", p.mediaType, strings.Join(modes, ", "))
		}
		m.parts = append(m.parts, p)
	}
	return m, nil
}

// outputMode chooses between text and JSON: what the client accepts, in the
// order of the card.
func (s *server) outputMode(c *configuration) (asJSON bool, f *fault) {
	modes := s.declared("").outputModes
	if c == nil || len(c.AcceptedOutputModes) == 0 {
		return modes[0] == "application/json", nil
	}
	for _, mode := range modes {
		if slices.ContainsFunc(c.AcceptedOutputModes, func(a string) bool { return acceptable([]string{mode}, a) }) {
			return mode == "application/json", nil
		}
	}
	return false, faultf(-32005, "CONTENT_TYPE_NOT_SUPPORTED", "This agent produces %s only", strings.Join(modes, " and "))
}
