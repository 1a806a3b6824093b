package console

import (
	"fmt"
	"strconv"
	"strings"

	"a2ascope/keymap"
	"a2ascope/session"
	"a2ascope/session/a2a"
	"a2ascope/ui/clean"

	tea "charm.land/bubbletea/v2"
)

// TaskRef names a logical task of a session in the log.
type TaskRef struct {
	Session string
	Task    int // from 1
}

// handover is a task that is given to another peer: a session with that peer
// goes on with it.
type handover struct {
	of   TaskRef
	to   string // address of the other peer, as it was given
	line string // command of the session it comes from that notes the decision; empty for "redispatch"

	sent  bool // its first message went out, or was refused for good
	busy  bool // the command that sends it is being put together
	late  bool // the card was not found at first: the operator is asked once it is
	asked bool
}

// Messages of a handover.
type (
	// handoverMsg: what giving a task to another peer comes to was looked up.
	handoverMsg struct {
		gen    int
		h      *handover
		before []session.Summary // sessions that went on with it already
		err    error
	}
	// againMsg: the command that sends the task's first message was put
	// together.
	againMsg struct {
		gen  int
		line string
		err  error
	}
	// notedMsg: the session that a task left could not note where it went.
	notedMsg struct{ text string }
)

// redispatch takes a command that sends a task's first message once more, and
// says whether it is one. The operator is asked first, always: a peer that has
// the task after all does it twice.
func (m *model) redispatch(line string, c *session.Command) (tea.Cmd, bool) {
	s := m.session
	var t *session.TaskView
	to := c.URL
	switch c.Name {
	case "redispatch":
		t = s.taskNamed(c.Task)
	case "confirm":
		for i := range s.latest.Decisions {
			if d := &s.latest.Decisions[i]; d.ID == c.Number && d.Offer && d.Action == session.ActRedispatch {
				t, to = s.taskNamed(strconv.Itoa(d.Task)), d.To
			}
		}
	}
	if t == nil || len(t.Messages) == 0 { // it is no such command, or the runner says what it lacks
		return nil, false
	}
	if s.isHere(to) {
		m.push(&dialog{
			title: "Send it to the same peer again?",
			text: []string{
				fmt.Sprintf("Task %d begins anew at %s: its first message, “%s”, is delivered there a second time, as a new attempt under the same correlation id.", t.N, s.name(), clean.Line(t.Messages[0].Text, 60)),
				standing(t),
			},
			yes: "send it again", no: "leave it",
			onYes: func(m *model) tea.Cmd { return m.run(line, nil) },
		})
		return nil, true
	}
	h := &handover{of: TaskRef{s.latest.Session, t.N}, to: to}
	if c.Name == "confirm" {
		h.line = line
	}
	src, gen := m.opt.Sessions, m.gen
	m.say(toastInfo, "looking up what goes to "+clean.Line(to, 60)+"…")
	return func() tea.Msg {
		msg := handoverMsg{gen: gen, h: h}
		if _, msg.err = src.Again(h.of, "send"); msg.err == nil { // what cannot be sent is known before anything is left
			msg.before, msg.err = src.Followers(h.of)
		}
		return msg
	}, true
}

// isHere reports whether an address is that of the session's own peer.
func (s *sessionScreen) isHere(to string) bool {
	p := &s.latest.Peer
	return to == "" || to == p.Key || to == p.Typed || session.PeerKey(to) == p.Key
}

// taskNamed is the task that a command names: the current one where it names
// none.
func (s *sessionScreen) taskNamed(name string) *session.TaskView {
	if name == "" {
		t, _ := s.currentTask()
		return t
	}
	for i := range s.latest.Tasks {
		t := &s.latest.Tasks[i]
		if strconv.Itoa(t.N) == name || t.Correlation == name {
			return t
		}
		for _, id := range t.TaskIDs {
			if id == name {
				return t
			}
		}
	}
	return nil
}

// standing says how a task stands at its peer, before it goes out again.
func standing(t *session.TaskView) string {
	switch {
	case t.Lost:
		return "Its peer has lost it, as far as reads can tell."
	case a2a.State(t.State).Terminal() || t.State == "message":
		return "It is over there already (" + clean.Line(t.State, 24) + "): the work is done once more."
	case len(t.TaskIDs) == 0:
		return "Whether the first delivery arrived is not known: the work may be done twice."
	}
	return "It is " + clean.Line(orDash(t.State), 24) + " there, as far as is known: cancel it first, or the work is done twice."
}

// askHandover asks whether a task is to go to another peer.
func (m *model) askHandover(msg handoverMsg) tea.Cmd {
	s, h := m.session, msg.h
	m.toast = toast{}
	if msg.err != nil {
		m.fail("redispatch to " + h.to + ": " + msg.err.Error())
		return nil
	}
	t := s.taskNamed(strconv.Itoa(h.of.Task))
	if t == nil {
		return nil
	}
	text := []string{fmt.Sprintf("A session with %s begins and reads its card. Then the first message of task %d goes there, under the same correlation id: “%s”", clean.Line(h.to, 120), t.N, clean.Line(t.Messages[0].Text, 60))}
	if had := s.hadBefore(h, msg.before); had != "" {
		text = append(text, had)
	}
	text = append(text, standing(t), "This session ends in order; "+m.keys.Key(keymap.Back)+" leads back to it.")
	m.push(&dialog{
		title: "Give the task to another peer?", text: text, yes: "give it away", no: "keep it here",
		onYes: func(m *model) tea.Cmd { return m.openHandover(h) },
	})
	return nil
}

// hadBefore says that a peer was given the task already: a second delivery is
// never made without that word.
func (s *sessionScreen) hadBefore(h *handover, before []session.Summary) string {
	same := func(url, typed string) bool {
		return url == h.to || typed == h.to || session.PeerKey(url) == session.PeerKey(h.to)
	}
	for i := range before {
		if x := &before[i]; x.Tasks > 0 && same(x.Peer, x.Typed) {
			return "It was given to this peer before, in session " + x.Session + ": that makes a second delivery there."
		}
	}
	for i := range s.latest.Decisions {
		d := &s.latest.Decisions[i]
		if d.Action == session.ActRedispatch && !d.Offer && d.By == "operator" && d.Task == h.of.Task && d.To != "" && same(d.To, d.To) {
			return fmt.Sprintf("It was given to this peer before, by decision %d: this may be a second delivery there.", d.ID)
		}
	}
	return ""
}

// openHandover opens the session that goes on with the task.
func (m *model) openHandover(h *handover) tea.Cmd {
	return m.openAs(openRedispatch, h.to, "", h)
}

// note is the command that notes, in the session which the task comes from,
// that it went to at.
func (h *handover) note(at string) string {
	if h.line != "" {
		return h.line
	}
	return fmt.Sprintf("redispatch --to %s --task %d", session.QuoteWord(at), h.of.Task)
}

// sendHandover sends the task's first message once the other peer's card was
// read.
func (m *model) sendHandover(v *session.View) tea.Cmd {
	s := m.session
	h := s.given
	if h == nil || h.sent || h.busy || h.asked {
		return nil
	}
	for i := range v.Pending {
		if strings.HasPrefix(v.Pending[i].Line, "discover") {
			return nil
		}
	}
	switch {
	case v.Peer.CardSeq == 0 && v.Peer.Use.URL == "": // a gRPC server may answer without one
		if v.Peer.Undiscovered && !h.late {
			h.late = true
			m.say(toastWarn, "no card was found: the task's message was not sent; once there is one, it is asked for again")
		}
		return nil
	case h.late:
		h.asked = true
		m.push(&dialog{
			title: "Send the task's message now?", text: []string{fmt.Sprintf("The peer can be reached now. The first message of task %d of session %s was not sent yet.", h.of.Task, h.of.Session)},
			yes: "send it", no: "leave it",
			onYes: func(m *model) tea.Cmd { return m.putAgain(v.Form) },
		})
		return nil
	}
	return m.putAgain(v.Form)
}

// putAgain puts the command together: files are read anew for it.
func (m *model) putAgain(form string) tea.Cmd {
	h, gen, src := m.session.given, m.gen, m.opt.Sessions
	h.busy = true
	return func() tea.Msg {
		line, err := src.Again(h.of, form)
		return againMsg{gen, line, err}
	}
}

func (m *model) gotAgain(msg againMsg) tea.Cmd {
	h := m.session.given
	h.busy, h.sent = false, true
	if msg.err != nil {
		m.fail("the task's message was not sent: " + msg.err.Error())
		return nil
	}
	return m.run(msg.line, nil)
}
