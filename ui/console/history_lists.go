package console

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"a2ascope/session"
	"a2ascope/themes"
	"a2ascope/ui/clean"

	tea "charm.land/bubbletea/v2"
)

func (h *historyScreen) sessionRows(m *model) []tableRow {
	rows := make([]tableRow, len(h.sessions))
	for i := range h.sessions {
		s := &h.sessions[i]
		result, st := m.g.ok+" nothing contradicted", goodStyle
		words := "honest "
		if s.Tasks == 0 && s.Findings == 0 && len(s.Contradicted) == 0 {
			result, st, words = m.g.none+" nothing was tried", mutedStyle, "untested "
		}
		if n := len(s.Contradicted); n > 0 {
			result, st, words = m.g.bad+" "+claimNames(s.Contradicted), badStyle, "contradicted "
		}
		name := peerName(s.PeerName, s.Typed)
		if s.Origin != "" && !m.opt.Demo {
			name += " (" + clean.Line(s.Origin, 12) + ")"
		}
		mark := " "
		if slices.Contains(h.picked, s.Session) {
			mark = "●"
		}
		rows[i] = tableRow{
			cells:  []string{mark, s.Started.Local().Format("2006-01-02 15:04"), name, result, clean.Line(taskStates(s), 80), fmt.Sprint(s.Records)},
			sort:   []string{"", s.Started.UTC().Format(time.RFC3339Nano), "", "", "", fmt.Sprintf("%012d", s.Records)},
			styles: []func(*themes.Styles) themes.Style{warnStyle, plainStyle, strongStyle, st},
			words:  words + strings.Join([]string{s.Session, s.Peer, s.Typed, s.Generation, s.Binding, s.CardVersion, strings.Join(h.rules[s.Session], " ")}, " "),
			ref:    i,
		}
	}
	return rows
}

func claimNames(claims []session.Claim) string {
	ids := make([]string, len(claims))
	for i, c := range claims {
		ids[i] = string(c)
	}
	return strings.Join(ids, ", ")
}

// peerName is a peer for a list: its name, or else its address.
func peerName(name, address string) string {
	if n := clean.Line(name, 60); n != "" {
		return n
	}
	return clean.Line(address, 80)
}

// taskStates says what came of a session's tasks.
func taskStates(s *session.Summary) string {
	switch {
	case s.Tasks == 0:
		return "none"
	case s.Tasks == 1 && len(s.States) == 1:
		return "1 " + orDash(s.States[0])
	}
	return fmt.Sprintf("%d: %s", s.Tasks, strings.Join(s.States, ", "))
}

// decisionRows lists what is in force first.
func (h *historyScreen) decisionRows(m *model) []tableRow {
	var rows []tableRow
	for _, active := range []bool{true, false} {
		for i := range h.decisions {
			d := &h.decisions[i]
			if d.Active != active {
				continue
			}
			at, _ := time.Parse(time.RFC3339Nano, d.Decision.At)
			now, st := h.standing(d)
			rows = append(rows, tableRow{
				cells: []string{
					at.Local().Format("2006-01-02 15:04"), peerName(d.Name, d.Peer), strings.TrimSpace(string(d.Decision.Action) + " " + string(d.Decision.Claim)),
					now, clean.Line(d.Decision.By, 8), clean.Line(d.Decision.Reason, 200),
				},
				sort:   []string{at.UTC().Format(time.RFC3339Nano)},
				styles: []func(*themes.Styles) themes.Style{plainStyle, strongStyle, nil, st},
				words:  d.Session + " " + d.Peer,
				ref:    i, dim: !active,
			})
		}
	}
	return rows
}

// standing is what a decision means now.
func (h *historyScreen) standing(d *DecisionRow) (string, func(*themes.Styles) themes.Style) {
	switch {
	case d.Active:
		return "in force", warnStyle
	case len(h.later(d)) > 0:
		return "superseded", mutedStyle
	case d.Origin != "" && d.Decision.Action == session.ActDemote:
		return clean.Line(d.Origin, 10), mutedStyle // it never binds other sessions
	}
	return "past", mutedStyle
}

// later are the decisions that changed one afterwards, and those that changed
// these, in order.
func (h *historyScreen) later(d *DecisionRow) []*DecisionRow {
	var out []*DecisionRow
	on := map[int]bool{d.Decision.ID: true}
	for i := range slices.Backward(h.decisions) { // the last one is first in the list
		x := &h.decisions[i]
		if x.Session == d.Session && x.Decision.ID > d.Decision.ID && on[x.Decision.Supersedes] {
			on[x.Decision.ID] = true
			out = append(out, x)
		}
	}
	return out
}

// foundRows are the hits of the last search.
func (h *historyScreen) foundRows() []tableRow {
	if h.hunt == nil {
		return nil
	}
	rows := make([]tableRow, len(h.hunt.hits))
	for i, hit := range h.hunt.hits {
		name := hit.Session
		if s := h.byID(hit.Session); s != nil {
			name = peerName(s.PeerName, s.Typed)
		}
		rows[i] = tableRow{
			cells:  []string{hit.Wall.Local().Format("2006-01-02 15:04"), name, fmt.Sprintf("#%d %s", hit.Seq, hit.Kind), clean.Line(hit.Excerpt, 200)},
			sort:   []string{hit.Wall.UTC().Format(time.RFC3339Nano)},
			styles: []func(*themes.Styles) themes.Style{plainStyle, strongStyle, nil, plainStyle},
			words:  hit.Session, near: h.hunt.text, ref: i,
		}
	}
	return rows
}

// draw draws the list, and below it what is selected.
func (h *historyScreen) draw(m *model) []string {
	c := m.surface()
	c.put(rect{0, 0, m.w, 1}, []string{listHeader(m, "history"+h.sizeText())})
	r := rect{0, 1, m.w, m.h - 3}
	if note := h.note(); len(note) > 0 && m.h >= 20 {
		r.h -= noteRows - 1
		putNote(m, c, rect{0, r.y + r.h - 1, m.w, noteRows}, h.noteTitle(), note)
	}
	c.frame(r, heavy, m.st.BorderFocus)
	x := 2
	names := []string{"Sessions", "Decisions"}
	if h.hunt != nil {
		names = append(names, fmt.Sprintf("Found “%s” %d", clean.Line(h.hunt.text, 20), len(h.hunt.hits)))
	}
	for i, name := range names {
		from := x
		if i == h.tab {
			x = c.label(x, r.y, m.st.TitleFocus, "["+name+"]")
		} else {
			x = c.label(x, r.y, m.st.Title, " "+name+" ")
		}
		m.zoned(rect{from, r.y, x - from, 1}, func(*model) tea.Cmd { h.tab = i; return nil })
	}
	putTable(m, c, r, h.current(), h.emptyText())
	return c.lines()
}

func (h *historyScreen) emptyText() string {
	switch {
	case !h.loaded:
		return "reading…"
	case h.tab == tabDecisions:
		return "no decision was made yet: they fall when a peer contradicts a claim"
	case h.tab == tabFound && h.hunt != nil && h.hunt.running:
		return "looking…"
	case h.tab == tabFound:
		return "nothing holds this text"
	}
	return "nothing was recorded yet: open a peer, and its session will be here"
}

// sizeText is how much there is.
func (h *historyScreen) sizeText() string {
	if !h.loaded {
		return ""
	}
	return fmt.Sprintf(" · %s · %s on disk", counted(len(h.sessions), "session"), bytesText(h.size))
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func bytesText(n int64) string {
	switch {
	case n < 1<<10:
		return fmt.Sprintf("%d B", n)
	case n < 1<<20:
		return fmt.Sprintf("%.0f KiB", float64(n)/(1<<10))
	case n < 1<<30:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
}

func (h *historyScreen) noteTitle() string {
	if h.tab == tabDecisions {
		return "This decision"
	}
	return "This session"
}

// note says more of what is selected.
func (h *historyScreen) note() [][2]string {
	if d, ok := h.decision(); ok {
		return h.decisionNote(&d)
	}
	s := h.byID(h.sessionID())
	if s == nil {
		return nil
	}
	spoken := strings.TrimSpace(s.Generation + " " + s.Binding)
	out := [][2]string{
		{"session", s.Session + orPrefix(" · ", spoken) + orPrefix(" · card ", clean.Line(s.CardVersion, 20))},
		{"peer", clean.Line(s.Peer, 0)},
	}
	if len(s.Contradicted) > 0 {
		out = append(out, [2]string{"contradicted", claimNames(s.Contradicted)})
	}
	if rules := h.rules[s.Session]; len(rules) > 0 {
		out = append(out, [2]string{"rules", strings.Join(slices.Compact(slices.Sorted(slices.Values(rules))), ", ")})
	}
	return append(out, [2]string{"length", max(0, s.Last.Sub(s.Started)).Round(100*time.Millisecond).String() + ", " + counted(s.Findings, "finding") + ", " + counted(s.Decisions, "decision")})
}

func (h *historyScreen) decisionNote(d *DecisionRow) [][2]string {
	out := [][2]string{{"why", clean.Line(d.Decision.Reason, 0)}}
	if d.Decision.Until != "" {
		out = append(out, [2]string{"until", localTime(d.Decision.Until)})
	}
	if len(d.Decision.Evidence) > 0 {
		out = append(out, [2]string{"evidence", records(d.Decision.Evidence) + "; enter opens the session at the decision"})
	}
	for _, l := range h.later(d) {
		out = append(out, [2]string{"later", fmt.Sprintf("decision %d: %s by %s: %s", l.Decision.ID, l.Decision.Action, byWhom(l.Decision.By), clean.Line(l.Decision.Reason, 0))})
	}
	return out
}
