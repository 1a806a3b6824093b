package console

import (
	"fmt"
	"strings"
	"time"

	"a2ascope/keymap"
	"a2ascope/session"
	"a2ascope/session/a2a"
	"a2ascope/themes"
	"a2ascope/ui/clean"

	"charm.land/bubbles/v2/spinner"
	"github.com/charmbracelet/x/ansi"
)

// toast is a short word in the status line. An error stays until a key is
// pressed; all errors can be read again.
type toast struct {
	kind  toastKind
	text  string
	until time.Time
	keys  int  // pressed since
	kept  bool // among the errors, to be read in full
}

type toastKind int

const (
	toastNone toastKind = iota
	toastInfo
	toastWarn
	toastError
)

// mishap is an error that was shown, kept for reading in full.
type mishap struct {
	at   time.Time
	text string
}

// say shows a word for a while.
func (m *model) say(kind toastKind, text string) {
	m.toast = toast{kind: kind, text: text, until: m.now().Add(6 * time.Second)}
	if kind == toastError {
		m.keep(text)
		m.toast.kept = true
	}
}

// keep keeps what went wrong, or was refused, for reading in full.
func (m *model) keep(text string) {
	m.errors = append(m.errors, mishap{m.now(), text})
	if len(m.errors) > 200 {
		m.errors = m.errors[1:]
	}
}

// refuse says why something was not done.
func (m *model) refuse(text string) {
	m.say(toastWarn, text)
	m.keep(text)
	m.toast.kept = true
}

// fail shows an error.
func (m *model) fail(text string) { m.say(toastError, clean.Line(text, 2000)) }

// seen notes that a key was pressed: what was said has been read.
func (t *toast) seen() { t.keys++ }

func (t *toast) shown(now time.Time) bool {
	switch t.kind {
	case toastNone:
		return false
	case toastError:
		return t.keys < 2
	}
	return t.keys < 1 && now.Before(t.until)
}

// piece is a part of the status line.
type piece struct {
	st   themes.Style
	text string
}

// drawStatus draws the two last rows: what is going on, and the keys that work
// now.
func (m *model) drawStatus(rows []string) []string {
	for len(rows) < m.h {
		rows = append(rows, spaces(m.w))
	}
	l := newLine(m.w).skip(1)
	for i, p := range m.status() {
		if i > 0 {
			l.put(m.st.Faint, " · ")
		}
		l.put(p.st, p.text)
	}
	rows[m.h-2] = l.end()
	rows[m.h-1] = m.footer()
	return rows
}

// status is what is going on, the most important first.
func (m *model) status() []piece {
	var out []piece
	add := func(st themes.Style, format string, args ...any) {
		out = append(out, piece{st, fmt.Sprintf(format, args...)})
	}
	s := m.session
	inSession := m.screen == screenSession && s != nil
	if inSession {
		if s.view.Trouble != "" {
			add(m.st.Bad, "not recorded: %s", clean.Line(s.view.Trouble, 120))
		}
		if s.past.on {
			add(m.st.Notice, " as of #%d ", s.wire.selected())
			add(m.st.Text, "of %d", s.latest.Seq)
			add(m.st.Muted, "%s %s step · %s %s by finding · %s returns to now", m.keys.Key(keymap.StepBack), m.keys.Key(keymap.StepOn), m.keys.Key(keymap.FindingBack), m.keys.Key(keymap.FindingOn), m.keys.Key(keymap.Now))
		}
		if s.paused {
			add(m.st.Notice, " paused ")
			if n := s.latest.Seq - s.view.Seq; n > 0 {
				add(m.st.Text, "%d new", n)
			}
		}
	}
	if m.toast.shown(m.now()) {
		st := [...]themes.Style{m.st.Text, m.st.Text, m.st.Warn, m.st.Bad}[m.toast.kind]
		text, hint := safe(m.toast.text), m.keys.Key(keymap.Errors)+" reads it in full"
		room := m.w - 2
		for _, p := range out {
			room -= width(p.text) + 3
		}
		cut := width(text) > room
		if m.toast.kind == toastError || cut && m.toast.kept { // what is cut is said to be read elsewhere
			text = ansi.Truncate(text, max(20, room-width(hint)-3), "…")
			out = append(out, piece{st, text})
			add(m.st.Faint, "%s", hint)
			return out
		}
		add(st, "%s", text)
		return out
	}
	if o := m.opening; o != nil {
		add(m.st.Accent, "%s opening %s, %s", m.spin(), clean.Line(o.what, 60), seconds(m.now().Sub(o.since)))
		add(m.st.Faint, "esc gives up")
		return out
	}
	if !inSession {
		return append(out, m.listStatus()...)
	}
	out = append(out, s.doing(m)...)
	if s.hint != "" && !s.review && !s.proven() {
		add(m.st.Faint, "try: %s", s.hint)
	}
	if len(out) == 0 {
		add(m.st.Faint, "nothing under way")
	}
	return out
}

// proven reports whether the session has shown what an embedded peer is for.
func (s *sessionScreen) proven() bool {
	for i := range s.view.Findings {
		if s.view.Findings[i].Severity.Contradicts() {
			return true
		}
	}
	return len(s.view.Tasks) > 2
}

// spin is the spinner's frame; the tick that moves the clocks turns it.
func (m *model) spin() string {
	frames := spinner.MiniDot.Frames
	if m.opt.ASCII {
		frames = spinner.Line.Frames
	}
	return frames[m.beat%len(frames)]
}

// doing is what goes on in the session.
func (s *sessionScreen) doing(m *model) []piece {
	v := s.view
	now := s.elapsed(m.now())
	out := s.taskPieces(m)
	if s.review {
		return out
	}
	for i, st := range v.Streams {
		if i == 2 {
			out = append(out, piece{m.st.Muted, fmt.Sprintf("%d more streams", len(v.Streams)-i)})
			break
		}
		out = append(out, streamPiece(m, v, st, now))
	}
	for i, w := range v.Waiting {
		if i == 2 {
			out = append(out, piece{m.st.Muted, fmt.Sprintf("%d more", len(v.Waiting)-i)})
			break
		}
		text := fmt.Sprintf("awaiting %s, %s s", opName(w.Op), seconds(now-w.Since))
		if part := w.Sending(); part != "" {
			text = fmt.Sprintf("sending %s, %s, %s s", opName(w.Op), part, seconds(now-w.Since))
		}
		if w.Task > 0 && w.Op != a2a.OpCancel && now-w.Since > time.Second && s.disabledTask(keymap.Cancel) == "" {
			text += ", " + m.keys.Key(keymap.Cancel) + " cancels the task"
		}
		if now-w.Since > 150*time.Millisecond {
			text = m.spin() + " " + text
		}
		out = append(out, piece{m.st.Accent, text})
	}
	for _, c := range v.Pending {
		name, _, _ := strings.Cut(c.Line, " ")
		if name == "wait" || name == "poll" || name == "probe" || len(v.Waiting)+len(v.Streams) == 0 {
			out = append(out, piece{m.st.Accent, fmt.Sprintf("%s %s, %s s", m.spin(), clean.Line(c.Line, 30), seconds(now-c.At))})
		}
	}
	if len(v.Doing) > 0 && len(v.Waiting) == 0 {
		out = append(out, piece{m.st.Faint, "next: " + clean.Line(strings.Join(v.Doing, ", "), 60)})
	}
	if t, ok := s.currentTask(); ok && len(v.Streams)+len(v.Waiting)+len(v.Pending)+len(v.Doing) == 0 && len(t.TaskIDs) > 0 && !t.Settled && !t.Refused &&
		!a2a.State(t.State).Terminal() && !a2a.State(t.State).Interrupted() {
		out = append(out, piece{m.st.Muted, "nothing is under way: " + m.keys.Key(keymap.Poll) + " polls, " + m.keys.Key(keymap.Resubscribe) + " opens its stream again"})
	}
	if d := v.Peer.Device; d != nil {
		out = append([]piece{{m.st.Notice, " enter " + clean.Line(d.Code, 30) + " at " + clean.Line(d.URI, 80) + " "}}, out...)
	}
	if text := s.offerText(m); text != "" {
		out = append(out, piece{m.st.Warn, text})
	}
	if v.Peer.CardSeq == 0 && len(out) == 0 && v.Peer.Undiscovered {
		out = append(out, piece{m.st.Warn, "no card was found: see the log; : endpoint URL speaks without one"})
	}
	return out
}

// taskPieces say how the current task stands.
func (s *sessionScreen) taskPieces(m *model) []piece {
	v := s.view
	if v.Current < 1 || v.Current > len(v.Tasks) {
		if v.Peer.CardSeq > 0 && len(v.Waiting) == 0 && !s.review && s.hint == "" {
			return []piece{{m.st.Muted, "no task yet: " + m.keys.Key(keymap.Send) + " sends a message, " + m.keys.Key(keymap.Stream) + " streams"}}
		}
		return nil
	}
	t := &v.Tasks[v.Current-1]
	st := m.st.Text
	text := fmt.Sprintf("task %d %s", t.N, clean.Line(t.State, 24))
	switch {
	case t.State == "message":
		text = fmt.Sprintf("task %d answered by a message", t.N)
	case t.State == "" && s.awaits():
		text = fmt.Sprintf("task %d", t.N) // what is awaited follows
	case t.State == "":
		text = fmt.Sprintf("task %d has no state: see its answer in the log", t.N)
	}
	if word := falseEnd(t); word != "" {
		st, text = m.st.Bad, fmt.Sprintf("task %d %s", t.N, word)
	}
	if t.Settled && t.State != "message" {
		text += ", settled"
	}
	out := []piece{{st, text}}
	if t.Question != "" || a2a.State(t.State).Interrupted() {
		text := m.keys.Key(keymap.Resume) + " answers"
		if s.review {
			text = ""
		}
		if t.Question != "" {
			if text != "" { // the key first: a long question is cut
				text += ": "
			}
			text += "“" + clean.Line(t.Question, 80) + "”"
		}
		out[0].st = m.st.Warn
		out = append(out, piece{m.st.Warn, text})
	}
	return out
}

// falseEnd says how a task that was not over when its peer said so came to its
// end; empty for any other.
func falseEnd(t *session.TaskView) string {
	if t.Outcome != session.OutcomeOrphaned && t.Outcome != session.OutcomeFalseFailure {
		return ""
	}
	for _, state := range t.States {
		if !a2a.State(state).Terminal() {
			continue
		}
		then := clean.Line(t.State, 24)
		if t.State == state {
			then = "went on"
		}
		return fmt.Sprintf("%s (%s after %s)", t.Outcome, then, state)
	}
	return string(t.Outcome)
}

// streamPiece says how a stream stands, and since when it brings nothing.
func streamPiece(m *model, v *session.View, st session.StreamView, now time.Duration) piece {
	last := max(st.Last, st.Opened)
	quiet := now - last
	events := fmt.Sprintf("%d events", st.Events)
	if st.Events == 1 {
		events = "1 event"
	}
	if st.Idle || st.Silent || quiet > 5*time.Second {
		text := fmt.Sprintf("stream silent for %.0f s (%s)", quiet.Seconds(), events)
		for i := range v.Tasks {
			if v.Tasks[i].N == st.Task && len(v.Tasks[i].Reading) > 0 {
				text += ", polling beside"
			}
		}
		return piece{m.st.Warn, text}
	}
	return piece{m.st.Good, "stream open, " + events}
}

// opName is an operation for people.
func opName(op a2a.Operation) string {
	if op == a2a.OpCard {
		return "the card"
	}
	return string(op)
}
