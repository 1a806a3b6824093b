package console

import (
	"fmt"
	"strings"

	"a2ascope/keymap"
	"a2ascope/session"

	tea "charm.land/bubbletea/v2"
)

// The lists of the history screen.
const (
	tabSessions = iota
	tabDecisions
	tabFound
	historyTabs
)

// historyScreen lists what was recorded: sessions, decisions, and the records
// that a search found.
type historyScreen struct {
	tab       int
	tables    [historyTabs]table
	sessions  []session.Summary
	decisions []DecisionRow
	rules     map[string][]string // that found something, by session; read for the first filter
	asked     bool                // for the rules
	size      int64
	picked    []string // sessions, in the order in which they were picked
	hunt      *hunt    // the last search; nil when there was none
	loaded    bool
	working   string // what is under way: deleting, comparing
}

// loadHistory reads the lists.
func (m *model) loadHistory() tea.Cmd {
	src := m.opt.Sessions
	if src == nil {
		return nil
	}
	return func() tea.Msg {
		var msg historyMsg
		msg.sessions, msg.err = src.List(Filter{Limit: 5000})
		if msg.err == nil {
			msg.decisions, msg.err = src.Decisions()
		}
		if msg.err == nil {
			msg.size, msg.err = src.Size()
		}
		return msg
	}
}

func (h *historyScreen) fill(m *model, msg historyMsg) {
	h.sessions, h.decisions, h.size = msg.sessions, msg.decisions, msg.size
	if !h.loaded {
		h.tables[tabSessions] = newTable(column{title: " ", w: 1}, column{title: "When", w: 16}, column{title: "Peer", share: 3}, column{title: "Result", share: 4},
			column{title: "Tasks", share: 3, wide: true}, column{title: "Records", w: 7, right: true})
		h.tables[tabDecisions] = newTable(column{title: "When", w: 16}, column{title: "Peer", share: 3}, column{title: "Decision", share: 4},
			column{title: "Now", w: 10}, column{title: "By", w: 8, wide: true}, column{title: "Reason", share: 5, wide: true})
		h.tables[tabFound] = newTable(column{title: "When", w: 16}, column{title: "Peer", share: 2}, column{title: "Record", w: 15}, column{title: "Text", share: 6})
		h.loaded = true
	}
	var still []string
	for _, id := range h.picked {
		if h.byID(id) != nil {
			still = append(still, id)
		}
	}
	h.picked = still
	h.fillTables(m)
}

func (h *historyScreen) fillTables(m *model) {
	h.tables[tabSessions].fill(h.sessionRows(m))
	h.tables[tabDecisions].fill(h.decisionRows(m))
	h.tables[tabFound].fill(h.foundRows())
}

func (h *historyScreen) byID(id string) *session.Summary {
	for i := range h.sessions {
		if h.sessions[i].Session == id {
			return &h.sessions[i]
		}
	}
	return nil
}

// current is the list that is shown.
func (h *historyScreen) current() *table { return &h.tables[h.tab] }

// sessionID is the session that is selected, directly or through a decision or
// a hit.
func (h *historyScreen) sessionID() string {
	i := h.current().selected()
	switch {
	case i < 0:
		return ""
	case h.tab == tabSessions:
		return h.sessions[i].Session
	case h.tab == tabDecisions:
		return h.decisions[i].Session
	}
	return h.hunt.hits[i].Session
}

// peerID is the peer of the selected session: as it was typed where it is an
// embedded one, whose address changes.
func (h *historyScreen) peerID() string {
	s := h.byID(h.sessionID())
	switch {
	case s == nil:
		return ""
	case s.Peer == "" || strings.HasPrefix(s.Typed, "demo:"):
		return s.Typed
	}
	return s.Peer
}

// decision is the decision that is selected.
func (h *historyScreen) decision() (DecisionRow, bool) {
	i := h.current().selected()
	if h.tab != tabDecisions || i < 0 {
		return DecisionRow{}, false
	}
	return h.decisions[i], true
}

func (h *historyScreen) disabled(b keymap.Binding) string {
	switch b.Action {
	case keymap.Open, keymap.Continue, keymap.Copy, keymap.Export, keymap.Pick, keymap.Delete:
		if h.sessionID() == "" {
			return "no session is selected"
		}
		if h.tab != tabSessions && (b.Action == keymap.Pick || b.Action == keymap.Delete) {
			return "sessions are picked and deleted in the first list"
		}
	case keymap.Confirm, keymap.Overrule:
		if _, ok := h.decision(); !ok {
			return "no decision is selected: they are the second list"
		}
	case keymap.Compare:
		if _, _, why := h.pair(); why != "" {
			return why
		}
	}
	if h.working != "" && (b.Action == keymap.Delete || b.Action == keymap.Prune || b.Action == keymap.Compare) {
		return h.working
	}
	return ""
}

// pair is the two sessions to compare, the older one first.
func (h *historyScreen) pair() (was, now string, why string) {
	ids := h.picked
	if at := h.sessionID(); len(ids) == 1 && at != "" && at != ids[0] {
		ids = []string{ids[0], at}
	}
	if len(ids) != 2 {
		return "", "", fmt.Sprintf("pick two sessions first, with space; %d are picked", len(h.picked))
	}
	a, b := h.byID(ids[0]), h.byID(ids[1])
	if a == nil || b == nil {
		return "", "", "one of the sessions is not in the list"
	}
	if b.Started.Before(a.Started) {
		a, b = b, a
	}
	return a.Session, b.Session, ""
}

// pick picks the selected session, or lets go of it.
func (m *model) pick() tea.Cmd {
	h := m.history
	id := h.sessionID()
	kept := h.picked[:0:0]
	for _, p := range h.picked {
		if p != id {
			kept = append(kept, p)
		}
	}
	if len(kept) == len(h.picked) {
		kept = append(kept, id)
	}
	h.picked = kept
	h.fillTables(m)
	return nil
}

// actHistory carries an action out on this screen.
func (m *model) actHistory(b keymap.Binding) tea.Cmd {
	h := m.history
	if b.Context == keymap.Move {
		h.current().move(b.Action)
		return nil
	}
	switch b.Action {
	case keymap.Open:
		return m.openFromHistory()
	case keymap.Continue:
		return m.open(openContinue, h.sessionID(), "")
	case keymap.Confirm, keymap.Overrule:
		return m.decideAfresh(b.Action)
	case keymap.TabNext:
		h.turn(1)
	case keymap.TabPrev:
		h.turn(-1)
	case keymap.NextMatch:
		h.current().match(1)
	case keymap.PrevMatch:
		h.current().match(-1)
	case keymap.Filter:
		return m.openHistoryFilter()
	case keymap.Pick:
		return m.pick()
	case keymap.Compare:
		return m.compare()
	case keymap.Cards:
		return m.askCards(h.peerID())
	case keymap.Export:
		return m.askExport(h.sessionID())
	case keymap.Delete:
		return m.askDelete()
	case keymap.Prune:
		return m.askPrune()
	case keymap.Sort:
		h.current().sortNext()
	case keymap.SortOrder:
		h.current().turn()
	case keymap.Refresh:
		return m.loadHistory()
	case keymap.Copy:
		return m.copyText(h.sessionID(), "the session's id")
	case keymap.Back:
		return m.leaveHistory()
	case keymap.Dismiss:
		return m.dismissHistory()
	}
	return nil
}

// turn goes to another list; that of a search is there once something was
// looked for.
func (h *historyScreen) turn(by int) {
	n := historyTabs
	if h.hunt == nil {
		n = tabFound
	}
	h.tab = (h.tab + by + n) % n
}

// openFromHistory opens a session to read it: at the decision or the record
// that was selected.
func (m *model) openFromHistory() tea.Cmd {
	h := m.history
	i := h.current().selected()
	cmd := m.open(openReview, h.sessionID(), "")
	switch h.tab {
	case tabDecisions:
		m.opening.show = h.decisions[i].Seq
		if m.opening.show == 0 {
			m.opening.decision = h.decisions[i].Decision.ID
		}
	case tabFound:
		m.opening.show = h.hunt.hits[i].Seq
	}
	return cmd
}

// decideAfresh confirms or overrules a decision: decisions are records of their
// session, so the session goes on first.
func (m *model) decideAfresh(a keymap.Action) tea.Cmd {
	d, _ := m.history.decision()
	word, first := "confirm", fmt.Sprintf("confirm %d", d.Decision.ID)
	if a == keymap.Overrule {
		word, first = "overrule", fmt.Sprintf("overrule %d ", d.Decision.ID)
	}
	if line := m.history.reinstates(&d); line != "" {
		word, first = "bring it back", line
	}
	if d.Origin == "imported" || d.Origin == "replayed" {
		m.say(toastWarn, "this session was "+d.Origin+": it is somebody's record, and its decisions bind nobody here")
		return nil
	}
	m.push(&dialog{
		title: "Go on with the session to " + word + "?",
		text: []string{
			fmt.Sprintf("Decision %d (%s %s) stands in the session of %s with %s.", d.Decision.ID, d.Decision.Action, d.Decision.Claim, localTime(d.Decision.At), peerName(d.Name, d.Peer)),
			"To " + word + " it, that session goes on, and the answer becomes a record of it. The line is ready to be sent then; nothing goes to the peer.",
		},
		yes: "go on with it", no: "leave it",
		onYes: func(m *model) tea.Cmd { return m.open(openContinue, d.Session, first) },
	})
	return nil
}

// reinstates is the command that brings back what was overruled: for an
// overrule that nothing followed, and for the decision that it set aside.
func (h *historyScreen) reinstates(d *DecisionRow) string {
	for i := range h.decisions {
		old := &h.decisions[i]
		if old.Session != d.Session || old.Decision.Action == session.ActOverrule {
			continue
		}
		last := h.overruledBy(old)
		switch {
		case last == nil || old.Decision.ID != d.Decision.ID && last.Decision.ID != d.Decision.ID:
		case ofClaim(old.Decision.Action):
			return reinstating(old.Decision.Action, old.Decision.Claim)
		default:
			return fmt.Sprintf("overrule %d ", last.Decision.ID)
		}
	}
	return ""
}

// overruledBy is the overruling that a decision is set aside by now, or nil:
// one that was overruled itself sets nothing aside.
func (h *historyScreen) overruledBy(d *DecisionRow) *DecisionRow {
	var last *DecisionRow
	lifted := false
	for _, x := range h.later(d) {
		if last = x; x.Decision.Action == session.ActOverrule {
			lifted = !lifted
		}
	}
	if !lifted || last.Decision.Action != session.ActOverrule {
		return nil
	}
	return last
}

func (m *model) leaveHistory() tea.Cmd {
	m.history.giveUpHunt()
	m.screen = screenPeers
	return m.loadPeers()
}

// dismissHistory closes the topmost thing.
func (m *model) dismissHistory() tea.Cmd {
	h := m.history
	switch {
	case m.opening != nil:
		return m.giveUp()
	case h.hunt != nil && h.hunt.running:
		h.giveUpHunt()
	case h.tab == tabFound:
		h.tab = tabSessions
	case !h.current().filter.empty():
		h.current().setFilter("")
	case len(h.picked) > 0:
		h.picked = nil
		h.fillTables(m)
	default:
		return m.leaveHistory()
	}
	return nil
}
