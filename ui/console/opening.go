package console

import (
	"context"
	"fmt"
	"time"

	"a2ascope/keymap"
	"a2ascope/session"
	"a2ascope/ui/clean"

	tea "charm.land/bubbletea/v2"
)

// openKind says how a session is opened.
type openKind int

const (
	openPeer openKind = iota
	openContinue
	openReview
	openRedispatch
)

// opening is a session that is being opened.
type opening struct {
	what  string
	since time.Time
	show  uint64 // record to go to; 0 for none
	// decision is the number of the one to go to, where its record is unknown.
	decision int
	stop     context.CancelFunc
}

// open opens a session; what was being opened is given up.
func (m *model) open(how openKind, what, first string) tea.Cmd {
	return m.openAs(how, what, first, nil)
}

// openAs opens a session, for a redispatch with the task that it goes on with.
func (m *model) openAs(how openKind, what, first string, given *handover) tea.Cmd {
	if lacks := m.lackingFor(how); len(lacks) > 0 {
		return m.askSecrets(lacks, "opening "+clean.Line(what, 60), func(m *model) tea.Cmd { return m.openAs(how, what, first, given) })
	}
	if m.opening != nil {
		m.opening.stop()
	}
	m.gen++
	// The session outlives its opening: the runner lives as long as the
	// program, so only a session that came too late is stopped.
	ctx, stop := context.WithCancel(m.ctx)
	m.opening = &opening{what: what, since: m.now(), stop: stop}
	gen, src := m.gen, m.opt.Sessions
	return tea.Batch(m.hurry(), func() tea.Msg {
		msg := openedMsg{gen: gen, how: how, what: what, first: first, given: given}
		switch how {
		case openPeer:
			msg.live, msg.err = src.Open(ctx, what)
		case openContinue:
			msg.live, msg.err = src.Continue(ctx, what)
		case openReview:
			msg.live, msg.err = src.Review(what)
		case openRedispatch:
			msg.live, msg.at, msg.err = src.Redispatch(ctx, what, given.of)
		}
		return msg
	})
}

// askAgain asks anew for what a session was reading when another one was to be
// opened: the answers were dropped.
func (m *model) askAgain() tea.Cmd {
	if s := m.session; s != nil {
		clear(s.wire.store.asked)
		s.wire.busy, s.detail.asked, s.past.busy = false, 0, false
		s.past.points = nil // the one that is under way uses the old ones
	}
	return m.refill()
}

// opened shows a session that was opened.
func (m *model) opened(msg openedMsg) tea.Cmd {
	if msg.gen != m.gen || m.quitting {
		if msg.live == nil {
			return nil
		}
		return func() tea.Msg { msg.live.Stop("quit"); return nil }
	}
	show, decision := m.opening.show, m.opening.decision
	m.opening = nil
	if msg.err != nil {
		m.fail("opening " + msg.what + ": " + msg.err.Error())
		return m.askAgain()
	}
	_, read := msg.live.(Reviewed)
	busy := read && msg.how == openContinue
	if busy { // no loop stands behind it: it is read as it was when it was opened
		msg.how = openReview
	}
	var cmds []tea.Cmd
	if old := m.session; old != nil { // a review that goes on as a session, or one whose task goes elsewhere
		close(old.gone)
		cmds = append(cmds, func() tea.Msg { return old.end(msg.given, msg.at) })
	}
	next := msg.live.Changed()
	m.session = newSession(msg.live, msg.how == openReview)
	if m.session.given = msg.given; msg.given != nil {
		m.say(toastInfo, fmt.Sprintf("this session goes on with task %d of session %s; %s leads back to it", msg.given.of.Task, msg.given.of.Session, m.keys.Key(keymap.Back)))
	}
	if busy {
		m.say(toastWarn, fmt.Sprintf("another console is writing this session: it is read here as of record %d", msg.live.View().Seq))
	}
	m.screen, m.field, m.layers = screenSession, nil, nil
	cmds = append(cmds, m.viewed(msg.live.View()))
	for _, d := range m.session.view.Decisions {
		if decision > 0 && d.ID == decision && !d.Carried {
			show = d.Seq
		}
	}
	if show > 0 {
		m.jump(show)
		cmds = append(cmds, m.refill())
	}
	if msg.how != openReview {
		cmds = append(cmds, m.watch(next))
	}
	if sc, ok := m.scenario(msg.what); ok && msg.how == openPeer {
		m.session.hint = clean.Line(sc.Try, 300)
		if msg.first == "" {
			msg.first = firstCommand(sc)
		}
	}
	if msg.how == openPeer || msg.how == openRedispatch {
		cmds = append(cmds, m.run("discover "+session.QuoteWord(msg.what), nil))
	}
	if msg.first != "" {
		cmds = append(cmds, m.suggest(msg.first))
	}
	if msg.how == openContinue && m.field == nil {
		cmds = append(cmds, m.askCarried())
	}
	return tea.Batch(cmds...)
}
