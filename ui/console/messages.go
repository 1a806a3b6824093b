package console

import (
	"time"

	"a2ascope/session"

	tea "charm.land/bubbletea/v2"
)

// gather is how long changes are collected before a frame is drawn for them:
// a fast stream costs one frame for many events.
const gather = 25 * time.Millisecond

// Messages say what has happened. Those of a session carry its generation.
type (
	// tickMsg: time has passed, for clocks and the spinner.
	tickMsg struct{ chain int }
	// openedMsg: a session was opened, or could not be.
	openedMsg struct {
		gen   int
		how   openKind
		what  string
		first string
		live  Live
		at    string    // of a redispatch: the address that requests start from
		given *handover // likewise
		err   error
	}
	// viewMsg: there is a newer view. While the log is followed its new rows
	// and its last record come along: one message and one frame for all.
	viewMsg struct {
		gen  int
		view *session.View
		next <-chan struct{}
		rows []row
		last *session.Record
	}
	// rowsMsg: records were read for the wire log.
	rowsMsg struct {
		gen  int
		part uint64
		rows []row
		err  error
	}
	// recordMsg: the selected record was read.
	recordMsg struct {
		gen int
		seq uint64
		rec *session.Record
		err error
	}
	// matchedMsg: a stretch of the log was searched for a filter.
	matchedMsg struct {
		gen, filter int
		upTo        uint64
		hits        []uint64
		err         error
	}
	// commandedMsg: the runner took a command, or refused it.
	commandedMsg struct {
		gen  int
		line string
		err  error
		from *field // that it was typed into; nil for a key
	}
	// editedMsg: the operator's editor was left.
	editedMsg struct {
		gen  int
		text string
		err  error
	}
	peersMsg struct {
		rows []PeerRow
		err  error
	}
	historyMsg struct {
		sessions  []session.Summary
		decisions []DecisionRow
		size      int64
		err       error
	}
)

// tick beats slowly, and fast while something is awaited. There is one chain
// of ticks: another one that began ends those before.
func (m *model) tick() tea.Cmd {
	every := time.Second
	m.fast = m.opening != nil || m.history.hunt != nil && m.history.hunt.running || m.session != nil && m.session.awaits()
	if m.fast {
		every = 120 * time.Millisecond
	}
	chain := m.chain
	return tea.Tick(every, func(time.Time) tea.Msg { return tickMsg{chain} })
}

// hurry makes a slow chain of ticks a fast one when something came to be
// awaited.
func (m *model) hurry() tea.Cmd {
	if m.fast {
		return nil
	}
	m.chain++
	return m.tick()
}

// watch waits for a newer view and collects what changes right after it.
func (m *model) watch(changed <-chan struct{}) tea.Cmd {
	s, gen, ctx := m.session, m.gen, m.ctx
	head := s.wire.head
	follows := s.wire.follow && s.wire.filter.empty() && !s.paused && !s.past.on
	return func() tea.Msg {
		select {
		case <-changed:
		case <-s.gone:
			return nil
		case <-ctx.Done():
			return nil
		}
		t := time.NewTimer(gather)
		defer t.Stop()
		select {
		case <-t.C:
		case <-s.gone:
			return nil
		case <-ctx.Done():
			return nil
		}
		next := s.live.Changed()
		msg := viewMsg{gen: gen, view: s.live.View(), next: next}
		if follows && msg.view.Seq > head {
			msg.rows, msg.last = tail(s.live, head, msg.view.Seq)
		}
		return msg
	}
}

// tail reads the records after head up to last, or the last parts of them. An
// error is left to the reading of what is still missing then.
func tail(live Live, head, last uint64) (rows []row, rec *session.Record) {
	from := head + 1
	if last-from >= partRows {
		from = (last-1)/partRows*partRows + 1
		if from > partRows {
			from -= partRows
		}
	}
	recs, err := live.Page(from, int(last-from+1))
	if err != nil || len(recs) == 0 {
		return nil, nil
	}
	rows = make([]row, len(recs))
	for i := range recs {
		rows[i] = makeRow(&recs[i])
	}
	return rows, &recs[len(recs)-1]
}

// run gives a command line to the runner.
func (m *model) run(line string, from *field) tea.Cmd {
	s, gen := m.session, m.gen
	s.commanded(m.now())
	return tea.Batch(m.toNow(), func() tea.Msg {
		_, err := s.live.Command(line, "operator")
		return commandedMsg{gen: gen, line: line, err: err, from: from}
	})
}

// readRows reads a part of the log for the wire log.
func (m *model) readRows(part uint64) tea.Cmd {
	live, gen := m.session.live, m.gen
	return func() tea.Msg {
		recs, err := live.Page(part*partRows+1, partRows)
		msg := rowsMsg{gen: gen, part: part, err: err, rows: make([]row, 0, len(recs))}
		for i := range recs {
			msg.rows = append(msg.rows, makeRow(&recs[i]))
		}
		return msg
	}
}

// readRecord reads the record that is selected.
func (m *model) readRecord(seq uint64) tea.Cmd {
	live, gen := m.session.live, m.gen
	return func() tea.Msg {
		recs, err := live.Page(seq, 1)
		msg := recordMsg{gen: gen, seq: seq, err: err}
		if err == nil && len(recs) == 1 && recs[0].Seq == seq {
			msg.rec = &recs[0]
		}
		return msg
	}
}

// searchRows looks for a filter in the next stretch of the log.
func (m *model) searchRows(id int, f match, from uint64) tea.Cmd {
	live, gen := m.session.live, m.gen
	return func() tea.Msg {
		recs, err := live.Page(from, 512)
		msg := matchedMsg{gen: gen, filter: id, err: err, upTo: from - 1}
		for i := range recs {
			r := makeRow(&recs[i])
			if f.row(&r) {
				msg.hits = append(msg.hits, r.seq)
			}
			msg.upTo = r.seq
		}
		return msg
	}
}

// arrived takes the messages of Cmds.
func (m *model) arrived(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case openedMsg:
		return m.opened(msg)
	case peersMsg:
		if msg.err != nil {
			m.fail("reading the known peers: " + msg.err.Error())
		}
		m.peers.fill(m, msg.rows)
		return nil
	case historyMsg:
		if msg.err != nil {
			m.fail("reading the history: " + msg.err.Error())
		}
		m.history.fill(m, msg)
		return nil
	case rulesMsg:
		m.gotRules(msg)
	case huntedMsg:
		return m.hunted(msg)
	case huntOverMsg:
		m.huntOver(msg)
	case deletedMsg:
		return m.deleted(msg)
	case comparedMsg:
		return m.compared(msg)
	case cardsMsg:
		m.gotCards(msg)
	case draftedMsg:
		return m.drafted(msg)
	case exportedMsg:
		m.exported(msg)
	case viewMsg:
		if msg.gen == m.gen {
			m.session.wire.store.add(msg.rows)
			m.session.ahead = msg.last
			m.askWithheld(msg.rows)
			cmd := m.viewed(msg.view)
			return tea.Batch(cmd, m.watch(msg.next))
		}
	case rowsMsg:
		if msg.gen == m.gen {
			return m.gotRows(msg)
		}
	case recordMsg:
		if msg.gen == m.gen {
			return m.gotRecord(msg)
		}
	case matchedMsg:
		if msg.gen == m.gen {
			return m.gotMatches(msg)
		}
	case asOfMsg:
		if msg.gen == m.gen {
			return m.gotAsOf(msg)
		}
	case foundTimeMsg:
		if msg.gen == m.gen && msg.err != nil {
			m.fail(msg.err.Error())
		} else if msg.gen == m.gen {
			return m.goPast(msg.seq)
		}
	case editedMsg:
		if msg.gen == m.gen {
			return m.gotEdited(msg)
		}
	case commandedMsg:
		if msg.gen == m.gen {
			return m.commandTaken(msg)
		}
	case handoverMsg:
		if msg.gen == m.gen {
			return m.askHandover(msg)
		}
	case againMsg:
		if msg.gen == m.gen {
			return m.gotAgain(msg)
		}
	case notedMsg:
		m.fail(msg.text)
	}
	return nil
}
