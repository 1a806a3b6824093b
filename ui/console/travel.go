package console

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"a2ascope/session"

	tea "charm.land/bubbletea/v2"
)

// pastView is a session as of an earlier record: the one that is selected in
// the wire log. Ladder, claims and trust are what they were then.
type pastView struct {
	on     bool
	seq    uint64 // of the state that is shown; 0 while there is none yet
	busy   bool   // a state is being folded
	follow bool   // the log was followed before
	points *session.Checkpoints
}

// asOfMsg: the state as of a record was folded.
type asOfMsg struct {
	gen  int
	seq  uint64
	view *session.View
	err  error
}

// foundTimeMsg: the record of a time was looked for.
type foundTimeMsg struct {
	gen int
	seq uint64
	err error
}

// asOf folds the log up to the selected record, unless that is what is shown
// or another one is being folded: what is asked for meanwhile comes after.
func (m *model) asOf() tea.Cmd {
	s := m.session
	seq := s.wire.selected()
	if !s.past.on || s.past.busy || seq == 0 || seq == s.past.seq {
		return nil
	}
	s.past.busy = true
	if s.past.points == nil {
		s.past.points = session.NewCheckpoints(s.live.Page)
	}
	points, gen := s.past.points, m.gen
	return func() tea.Msg {
		state, err := points.At(seq)
		msg := asOfMsg{gen: gen, seq: seq, err: err}
		if err == nil {
			msg.view = session.MakeView(state)
		}
		return msg
	}
}

func (m *model) gotAsOf(msg asOfMsg) tea.Cmd {
	s := m.session
	s.past.busy = false
	if !s.past.on {
		return nil
	}
	if msg.err != nil {
		m.fail(msg.err.Error())
		return m.toNow()
	}
	s.past.seq = msg.seq
	s.view = msg.view
	s.task.show(s.view, m.g)
	s.claims.show(s.view)
	return m.refill()
}

// step goes so many records back or on, in the list as it is filtered.
func (m *model) step(by int) tea.Cmd {
	s := m.session
	if s.wire.n() == 0 {
		return nil
	}
	m.toPast()
	s.wire.to(s.wire.sel + by)
	return m.refill()
}

// goPast shows everything as of a record.
func (m *model) goPast(seq uint64) tea.Cmd {
	s := m.session
	m.toPast()
	if !s.wire.toSeq(seq) {
		s.wire.setFilter("")
		s.wire.toSeq(seq)
	}
	return m.refill()
}

func (m *model) toPast() {
	s := m.session
	if !s.past.on {
		s.past.on, s.past.seq, s.past.follow = true, 0, s.wire.follow
		s.paused = false
	}
	if s.focus == paneMessage {
		s.setFocus(paneWire)
	}
	s.wire.setFollow(false)
}

// toNow shows the session as it is.
func (m *model) toNow() tea.Cmd {
	s := m.session
	if !s.past.on {
		return nil
	}
	s.past.on = false
	if s.past.follow {
		s.wire.setFollow(true)
	}
	return m.viewed(s.latest)
}

// stepFinding goes to the finding before or after what is shown.
func (m *model) stepFinding(by int) tea.Cmd {
	s := m.session
	var seqs []uint64
	for i := range s.latest.Findings {
		seqs = append(seqs, s.latest.Findings[i].Seq)
	}
	slices.Sort(seqs)
	at := s.wire.selected()
	if !s.past.on && by < 0 {
		at = s.latest.Seq + 1
	}
	i, here := slices.BinarySearch(seqs, at)
	switch {
	case by < 0:
		i--
	case here:
		i++
	}
	if i < 0 || i >= len(seqs) {
		m.say(toastWarn, map[bool]string{true: "there is no finding before this record", false: "there is no finding after this record"}[by < 0])
		return nil
	}
	return m.goPast(seqs[i])
}

// goTo goes to a place that was typed: #12 is a record, +1:23.5 or 83.5s a
// time of the session, 14:03:10 a time of day.
func (m *model) goTo(text string) (tea.Cmd, error) {
	s := m.session
	if n, err := strconv.ParseUint(strings.TrimPrefix(text, "#"), 10, 64); err == nil {
		if n < 1 || n > s.latest.Seq {
			return nil, fmt.Errorf("the session has records 1 to %d", s.latest.Seq)
		}
		return m.goPast(n), nil
	}
	after, err := placeInTime(text, s.latest.Started)
	if err != nil {
		return nil, err
	}
	live, gen, last := s.live, m.gen, s.latest.Seq
	return func() tea.Msg {
		seq, err := session.SeqAt(live.Page, last, after)
		return foundTimeMsg{gen, max(1, seq), err}
	}, nil
}

// placeInTime reads a time of a session that began at started.
func placeInTime(text string, started time.Time) (time.Duration, error) {
	bad := fmt.Errorf("%q is no place in the session: write #12, +1:23.5, 83.5s or 14:03:10", text)
	if d, err := time.ParseDuration(strings.TrimPrefix(text, "+")); err == nil && d >= 0 {
		return d, nil
	}
	if rest, ok := strings.CutPrefix(text, "+"); ok {
		var total float64
		for _, part := range strings.Split(rest, ":") {
			v, err := strconv.ParseFloat(part, 64)
			if err != nil || v < 0 {
				return 0, bad
			}
			total = total*60 + v
		}
		return time.Duration(total * float64(time.Second)), nil
	}
	for _, form := range []string{"15:04:05.999", "15:04:05", "15:04"} {
		t, err := time.ParseInLocation(form, text, time.Local)
		if err != nil {
			continue
		}
		begun := started.Local()
		at := time.Date(begun.Year(), begun.Month(), begun.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), time.Local)
		if at.Before(begun.Truncate(time.Minute)) { // the session went past midnight
			at = at.AddDate(0, 0, 1)
		}
		return max(0, at.Sub(started)), nil
	}
	return 0, bad
}
