package console

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"a2ascope/keymap"
	"a2ascope/session"
	"a2ascope/session/a2a"
	"a2ascope/themes"
	"a2ascope/ui/clean"
)

// taskPane is the ladder of one task: what was asked, the states that the peer
// showed, and what came after the end.
type taskPane struct {
	items []step
	sel   int
	top   int   // line
	steps []int // of the lines as they were drawn
	h     int
	shown int // index of the task that is shown; -1: none
	of    int
	// pinned is a task chosen under review, where nothing can be made current.
	pinned  int
	probing bool // the task is one of a probe that is under way
}

// step is one line of the ladder.
type step struct {
	seq   uint64 // record that shows it; 0 for none
	sign  string
	text  string
	right string
	style func(*themes.Styles) themes.Style
	sub   bool // belongs to the line above
}

func newTask() taskPane { return taskPane{pinned: -1, h: 10} }

func plainStyle(s *themes.Styles) themes.Style  { return s.Text }
func mutedStyle(s *themes.Styles) themes.Style  { return s.Muted }
func faintStyle(s *themes.Styles) themes.Style  { return s.Faint }
func goodStyle(s *themes.Styles) themes.Style   { return s.Good }
func badStyle(s *themes.Styles) themes.Style    { return s.Bad }
func warnStyle(s *themes.Styles) themes.Style   { return s.Warn }
func strongStyle(s *themes.Styles) themes.Style { return s.Strong }

// show makes the lines of a view.
func (p *taskPane) show(v *session.View, g glyphs) {
	p.of = len(v.Tasks)
	p.shown = v.Current - 1
	if p.pinned >= 0 && p.pinned < p.of {
		p.shown = p.pinned
	}
	// A probe's tasks leave the operator's current one alone; while it runs
	// they are what there is to see.
	if p.probing = probing(v); p.probing && p.of > 0 {
		p.shown = p.of - 1
	}
	p.items = p.items[:0]
	if v.Peer.CardSeq > 0 {
		p.add(step{seq: v.Peer.CardSeq, sign: g.ok, text: "discovered", right: "card " + orDash(clean.Line(v.Peer.CardVersion, 12)), style: mutedStyle})
	} else if v.Peer.Undiscovered {
		p.add(step{sign: g.unclear, text: "no card found", style: warnStyle})
	}
	if p.shown >= 0 && p.shown < p.of {
		p.task(v, &v.Tasks[p.shown], g)
	}
	p.sel = clamp(p.sel, 0, len(p.items)-1)
}

func (p *taskPane) add(s step) { p.items = append(p.items, s) }

// task writes one task: rungs and findings in the order of the log.
func (p *taskPane) task(v *session.View, t *session.TaskView, g glyphs) {
	if len(t.Messages) > 0 {
		p.add(step{sign: "›", text: clean.Line(t.Messages[0].Text, 60), style: strongStyle})
	}
	type entry struct {
		seq   uint64
		steps []step
	}
	var all []entry
	attempt := 0
	var first time.Duration
	for i, r := range t.Ladder {
		if i == 0 {
			first = r.At
		}
		e := entry{seq: r.Seq}
		if r.Attempt != attempt && (attempt > 0 || r.Attempt > 1) {
			e.steps = append(e.steps, step{sign: " ", text: fmt.Sprintf("attempt %d", r.Attempt), style: faintStyle})
		}
		attempt = r.Attempt
		e.steps = append(e.steps, rung(r, first, i == len(t.Ladder)-1, g)...)
		all = append(all, e)
	}
	for _, f := range v.Findings {
		if f.Task == t.N && f.Severity.Contradicts() {
			all = append(all, entry{f.Seq, []step{{seq: f.Seq, sign: g.bad, text: clean.Line(f.Title, 120), style: badStyle}}})
		}
	}
	slices.SortStableFunc(all, func(a, b entry) int { return int(int64(a.seq) - int64(b.seq)) })
	for _, e := range all {
		p.items = append(p.items, e.steps...)
	}
	p.ending(t, g)
}

// rung writes one state.
func rung(r session.Rung, first time.Duration, last bool, g glyphs) []step {
	s := step{seq: r.Seq, sign: g.ok, text: stateName(r.State), right: seconds(r.At - first), style: plainStyle}
	switch {
	case r.After:
		s.sign, s.style = g.bad, badStyle
		return []step{s, {seq: r.Seq, text: "after the end, via " + r.Via, style: badStyle, sub: true}}
	case r.State == a2a.Failed || r.State == a2a.Rejected:
		s.sign, s.style = "■", warnStyle
	case r.State == a2a.Completed:
		s.style = goodStyle
	case last && r.State.Interrupted():
		s.sign, s.style = "▸", warnStyle
	case last:
		s.sign, s.style = "▸", strongStyle
	}
	return []step{s}
}

// ending writes what came of the task.
func (p *taskPane) ending(t *session.TaskView, g glyphs) {
	for i, a := range t.Artifacts {
		if i == 8 {
			p.add(step{sign: " ", text: fmt.Sprintf("%d more artifacts", len(t.Artifacts)-i), style: faintStyle})
			break
		}
		p.add(step{sign: "◇", text: "artifact " + clean.Line(a.ArtifactID, 24), right: clean.Line(strings.Join(a.MediaTypes, ", "), 16), style: mutedStyle})
	}
	for i, f := range t.Files {
		if i == 4 {
			p.add(step{sign: " ", text: fmt.Sprintf("%d more files", len(t.Files)-i), style: faintStyle})
			break
		}
		right := bytesText(int64(f.Size))
		if f.URL != "" {
			right = "URL"
		}
		p.add(step{seq: f.Seq, sign: "◇", text: "file " + orDash(clean.Line(f.Name, 40)), right: right, style: mutedStyle})
	}
	switch {
	case t.Question != "":
		p.add(step{sign: "▸", text: clean.Line(t.Question, 200), style: warnStyle})
	case t.State == "message":
		p.add(step{sign: g.ok, text: "answered by a message", style: goodStyle})
	case t.Settled && (t.Outcome == session.OutcomeOrphaned || t.Outcome == session.OutcomeFalseFailure):
		p.add(step{sign: g.bad, text: string(t.Outcome) + ", settled", style: badStyle})
	case t.Settled:
		p.add(step{sign: g.ok, text: string(t.Outcome) + ", settled", style: mutedStyle})
	case t.Lost:
		p.add(step{sign: g.unclear, text: "lost by the peer", style: warnStyle})
	case t.Refused:
		p.add(step{sign: g.bad, text: "left before its end", style: warnStyle})
	case len(t.Reading) > 0:
		p.add(step{sign: "·", text: "reading: " + strings.Join(t.Reading, ", "), style: faintStyle})
	}
}

func (p *taskPane) title() string {
	if p.of > 1 && p.shown >= 0 {
		title := fmt.Sprintf("Task %d of %d", p.shown+1, p.of)
		if p.probing {
			title += ", probe"
		}
		return title
	}
	return "Task"
}

// probing reports whether a probe is under way.
func probing(v *session.View) bool {
	for _, c := range v.Pending {
		if name, _, _ := strings.Cut(c.Line, " "); name == "probe" {
			return true
		}
	}
	return false
}

func (p *taskPane) move(a keymap.Action) { p.sel = moved(a, p.sel, len(p.items), max(1, p.h-1)) }

// pointAt selects the step that a row of the pane shows, or the last one.
func (p *taskPane) pointAt(row int) {
	if i := p.top + row; i >= 0 && i < len(p.steps) {
		p.sel = clamp(p.steps[i], 0, len(p.items)-1)
		return
	}
	p.sel = max(0, len(p.items)-1)
}

func (p *taskPane) selected() (step, bool) {
	if p.sel < 0 || p.sel >= len(p.items) {
		return step{}, false
	}
	return p.items[p.sel], true
}

func (p *taskPane) view(m *model, w, h int, focused bool) []string {
	p.h = max(1, h)
	if len(p.items) == 0 {
		return []string{newLine(w).skip(1).put(m.st.Faint, "no task yet").end()}
	}
	var lines []string
	p.steps = p.steps[:0]
	first, last := 0, 0 // lines of the selected step
	for i := range p.items {
		if i == p.sel {
			first = len(lines)
		}
		lines = append(lines, p.step(m, &p.items[i], w, focused && i == p.sel)...)
		for len(p.steps) < len(lines) {
			p.steps = append(p.steps, i)
		}
		if i == p.sel {
			last = len(lines) - 1
		}
	}
	p.top = window(window(p.top, last, len(lines), p.h), first, len(lines), p.h)
	return lines[p.top:min(len(lines), p.top+h)]
}

// step draws one step; its text goes on below where it does not fit.
func (p *taskPane) step(m *model, s *step, w int, selected bool) []string {
	st := s.style(&m.st)
	sign := orBlank(s.sign)
	right := s.right
	if right != "" && width(s.text)+width(right)+5 > w {
		right = ""
		if len(s.right) <= 8 { // a time is kept, the text gives way
			right = s.right
		}
	}
	room := w - 2 - width(sign)
	if right != "" {
		room -= width(right) + 2
	}
	var lines []string
	for i, text := range wrap(s.text, max(8, room), 4) {
		l := newLine(w)
		point(l, &m.st, selected, true)
		if i == 0 {
			l.put(st, sign).skip(1).cell(st, text, room)
			if right != "" {
				l.skip(1).put(m.st.Faint, right)
			}
		} else {
			l.skip(width(sign)+1).put(st, text)
		}
		lines = append(lines, l.end())
	}
	return lines
}

func orBlank(s string) string {
	if s == "" {
		return " "
	}
	return s
}

// stateName is a state for people.
func stateName(s a2a.State) string {
	if s == "" {
		return "(no state)"
	}
	return clean.Line(string(s), 30)
}

// seconds writes a time within a task.
func seconds(d time.Duration) string {
	switch {
	case d < 0:
		return "0.00"
	case d < 100*time.Second:
		return fmt.Sprintf("%.2f", d.Seconds())
	}
	return d.Round(time.Second).String()
}

func orDash(s string) string {
	if s == "" {
		return "–"
	}
	return s
}
