package console

import (
	"fmt"
	"strings"

	"a2ascope/keymap"
	"a2ascope/session"
	"a2ascope/session/a2a"
	"a2ascope/themes"
	"a2ascope/ui/clean"

	tea "charm.land/bubbletea/v2"
)

// actEverywhere carries out what means the same on every screen.
func (m *model) actEverywhere(b keymap.Binding) (tea.Cmd, bool) {
	switch b.Action {
	case keymap.Suspend:
		return tea.Suspend, true
	case keymap.Redraw:
		return tea.ClearScreen, true
	case keymap.Palette:
		m.openPalette()
	case keymap.Help:
		m.openHelp()
	case keymap.Errors:
		m.openErrors()
	case keymap.Theme:
		m.theme = themes.Next(m.theme)
		m.restyle()
		m.say(toastInfo, "theme "+m.theme)
	case keymap.Times:
		m.byWall = !m.byWall
		m.say(toastInfo, map[bool]string{true: "times of day", false: "session time"}[m.byWall])
	case keymap.Mouse:
		m.mouse = !m.mouse
		m.say(toastInfo, map[bool]string{true: "the mouse works here again", false: "the mouse is the terminal's: select text with it; M takes it back"}[m.mouse])
	default:
		return nil, false
	}
	return nil, true
}

// actSession carries an action out on the session screen.
func (m *model) actSession(b keymap.Binding) tea.Cmd {
	s := m.session
	if b.Context == keymap.Move {
		return m.moveIn(b.Action)
	}
	switch b.Action {
	case keymap.Send, keymap.Stream, keymap.Resume:
		s.message.how = sendings[map[keymap.Action]int{keymap.Send: 0, keymap.Stream: 1, keymap.Resume: 2}[b.Action]]
		s.zoom = false
		s.setFocus(paneMessage)
	case keymap.Cancel:
		return m.askCancel("cancel")
	case keymap.Poll:
		return m.run("poll", nil)
	case keymap.Resubscribe:
		return m.run("resubscribe", nil)
	case keymap.Detach:
		return m.run("detach", nil)
	case keymap.Get:
		return m.run("get", nil)
	case keymap.Mark:
		return m.run("mark", nil)
	case keymap.Fallback:
		return m.takeOffer()
	case keymap.Probe:
		return m.openField(fieldCommand, "probe ")
	case keymap.Command:
		return m.openField(fieldCommand, "")
	case keymap.Note:
		return m.openField(fieldCommand, "note ")
	case keymap.Export:
		return m.askExport(s.view.Session)
	case keymap.TaskNext:
		return m.otherTask(1)
	case keymap.TaskPrev:
		return m.otherTask(-1)
	case keymap.Confirm:
		return m.confirmDecision()
	case keymap.Overrule:
		return m.overruleDecision()
	case keymap.Undo:
		return m.undo()
	case keymap.Continue:
		return m.open(openContinue, s.view.Session, "")
	case keymap.ToHistory, keymap.Back:
		return m.leave(b.Action == keymap.ToHistory)
	default:
		return m.actPanes(b)
	}
	return m.refill()
}

// actPanes carries out what concerns the panes alone.
func (m *model) actPanes(b keymap.Binding) tea.Cmd {
	s := m.session
	switch b.Action {
	case keymap.FocusNext, keymap.FocusPrev:
		by := 1
		if b.Action == keymap.FocusPrev {
			by = panes - 1
		}
		s.setFocus((s.focus + pane(by)) % pane(panes))
	case keymap.Focus1, keymap.Focus2, keymap.Focus3, keymap.Focus4, keymap.Focus5:
		s.setFocus(map[keymap.Action]pane{keymap.Focus1: paneTask, keymap.Focus2: paneWire, keymap.Focus3: paneClaims, keymap.Focus4: paneDetail, keymap.Focus5: paneMessage}[b.Action])
	case keymap.Zoom:
		s.zoom = !s.zoom
	case keymap.Unzoom:
		s.zoom = false
	case keymap.Pause:
		s.paused = !s.paused
		if !s.paused {
			return m.viewed(s.latest)
		}
	case keymap.Follow:
		s.wire.setFollow(!s.wire.follow)
	case keymap.Filter:
		s.setFocus(paneWire)
		return m.openField(fieldFilter, s.wire.filter.text)
	case keymap.Copy:
		return m.copy(false)
	case keymap.CopyLong:
		return m.copy(true)
	case keymap.Open:
		m.drill()
	case keymap.Evidence:
		m.evidence()
	case keymap.ProbeClaim, keymap.DemoteClaim, keymap.RestoreClaim:
		c, _ := s.claims.selected()
		word := map[keymap.Action]string{keymap.ProbeClaim: "probe ", keymap.DemoteClaim: "demote ", keymap.RestoreClaim: "restore "}[b.Action]
		if b.Action == keymap.ProbeClaim {
			return m.run(word+string(c.ID), nil)
		}
		return m.openField(fieldCommand, word+string(c.ID)+" ")
	case keymap.TabNext:
		s.detail.turn(1)
	case keymap.TabPrev:
		s.detail.turn(-1)
	case keymap.StepBack:
		return m.step(-1)
	case keymap.StepOn:
		return m.step(1)
	case keymap.FindingBack:
		return m.stepFinding(-1)
	case keymap.FindingOn:
		return m.stepFinding(1)
	case keymap.GoTo:
		return m.openField(fieldGoTo, "")
	case keymap.Now:
		if s.banner != nil || m.opening != nil {
			return m.dismiss()
		}
		return m.toNow()
	case keymap.NextMatch:
		s.wire.match(1)
	case keymap.PrevMatch:
		s.wire.match(-1)
	case keymap.Dismiss:
		return m.dismiss()
	}
	return m.refill()
}

// moveIn moves in the pane that has the focus.
func (m *model) moveIn(a keymap.Action) tea.Cmd {
	s := m.session
	switch s.focus {
	case paneTask:
		s.task.move(a)
	case paneWire:
		s.wire.move(a)
	case paneClaims:
		s.claims.move(a)
	case paneDetail:
		s.detail.move(a)
	}
	return m.refill()
}

// drill opens what is selected: a record's detail, a state's record. While a
// decision is announced it shows the evidence.
func (m *model) drill() {
	s := m.session
	switch {
	case s.banner != nil:
		m.bannerEvidence()
	case s.focus == paneWire && s.wire.selected() > 0:
		if r := s.detail.rec; r != nil && r.Seq == s.wire.selected() && evidenceOf(r) > 0 {
			seq := evidenceOf(r)
			m.jump(seq)
			m.say(toastInfo, fmt.Sprintf("record %d is evidence for record %d", seq, r.Seq))
			return
		}
		s.setFocus(paneDetail)
		s.detail.pick(aboutRecord)
	case s.focus == paneTask:
		if st, ok := s.task.selected(); ok && st.seq > 0 {
			m.jump(st.seq)
		}
	}
}

// evidenceOf is the first record that a finding or a verdict rests on; 0 for
// other records.
func evidenceOf(r *session.Record) uint64 {
	var evidence []uint64
	switch r.Kind {
	case session.KindFinding:
		var b session.Finding
		if r.Decode(&b) == nil {
			evidence = b.Evidence
		}
	case session.KindObserved:
		var b session.Observed
		if r.Decode(&b) == nil {
			evidence = b.Evidence
		}
	}
	if len(evidence) == 0 || evidence[0] >= r.Seq {
		return 0
	}
	return evidence[0]
}

// bannerEvidence goes to the last record that proves the announced decision.
func (m *model) bannerEvidence() {
	d := m.session.banner.d
	seq := d.Seq
	if n := len(d.Evidence); n > 0 {
		seq = d.Evidence[n-1]
	}
	m.session.banner = nil
	m.jump(seq)
}

// evidence goes to the next record that proves the selected claim's verdict.
func (m *model) evidence() {
	if m.session.banner != nil {
		m.bannerEvidence()
		return
	}
	c, _ := m.session.claims.selected()
	seq, n, of := m.session.claims.evidence()
	if seq == 0 {
		m.say(toastInfo, string(c.ID)+": nothing was seen of it")
		return
	}
	m.jump(seq)
	m.say(toastInfo, fmt.Sprintf("evidence %d of %d for %s: record %d; %s goes back to the claims", n, of, c.ID, seq, m.keys.Key(keymap.Focus3)))
}

// jump goes to a record in the wire log.
func (m *model) jump(seq uint64) {
	s := m.session
	s.setFocus(paneWire)
	s.wire.setFollow(false)
	if !s.wire.toSeq(seq) {
		s.wire.setFilter("")
		s.wire.toSeq(seq)
	}
}

// dismiss closes the topmost thing, and only that.
func (m *model) dismiss() tea.Cmd {
	s := m.session
	switch {
	case m.opening != nil:
		return m.giveUp()
	case s.banner != nil:
		s.banner = nil
	case s.focus == paneWire && !s.wire.filter.empty():
		s.wire.setFilter("")
	case s.zoom:
		s.zoom = false
	case s.focus == paneDetail:
		s.setFocus(map[subject]pane{aboutRecord: paneWire, aboutTask: paneTask, aboutClaim: paneClaims}[s.detail.about])
	default:
		m.toast = toast{}
	}
	return m.refill()
}

// otherTask makes another task the current one; under review it only shows it.
func (m *model) otherTask(by int) tea.Cmd {
	s := m.session
	n := s.task.shown + by
	if n < 0 || n >= len(s.view.Tasks) {
		m.say(toastWarn, "there is no other task that way")
		return nil
	}
	if s.review {
		s.task.pinned = n
		s.task.show(s.view, m.g)
		return nil
	}
	return m.run(fmt.Sprintf("use %d", n+1), nil)
}

// askCancel asks before a task is canceled, and names it.
func (m *model) askCancel(line string) tea.Cmd {
	s := m.session
	if why := s.writable(m); why != "" {
		m.say(toastWarn, why)
		return nil
	}
	target, state := "the task that the line names", ""
	var moot func(*model) string
	if t, ok := s.currentTask(); ok && strings.TrimSpace(line) == "cancel" {
		moot = s.ended(t)
		target = fmt.Sprintf("task %d", t.N)
		if n := len(t.TaskIDs); n > 0 {
			target += " (" + clean.Line(t.TaskIDs[n-1], 40) + ")"
		}
		state = ", " + clean.Line(orDash(t.State), 30)
	}
	m.push(&dialog{
		title: "Cancel the task?",
		text:  []string{"Cancel " + target + state + " at " + s.name() + ".", "What the peer says, and what still arrives, is watched and judged."},
		yes:   "cancel it", no: "let it go on",
		onYes: func(m *model) tea.Cmd { return m.run(line, nil) },
		moot:  moot,
	})
	return nil
}

// ended says that a task, which goes on now, has ended when it has.
func (s *sessionScreen) ended(t *session.TaskView) func(*model) string {
	n := t.N
	if a2a.State(t.State).Terminal() { // canceled in spite of that
		return nil
	}
	return func(*model) string {
		for i := range s.latest.Tasks {
			if t := &s.latest.Tasks[i]; t.N == n && a2a.State(t.State).Terminal() {
				return fmt.Sprintf("Task %d has meanwhile ended: %s. Nothing is left to cancel, and nothing was sent.", n, t.State)
			}
		}
		return ""
	}
}

func (s *sessionScreen) currentTask() (*session.TaskView, bool) {
	v := s.latest
	if v.Current < 1 || v.Current > len(v.Tasks) {
		return nil, false
	}
	return &v.Tasks[v.Current-1], true
}
