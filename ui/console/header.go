package console

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"a2ascope/session"
	"a2ascope/ui/clean"
)

// name is the peer's, or the address while there is none.
func (s *sessionScreen) name() string {
	p := &s.view.Peer
	if p.Name != "" {
		return clean.Line(p.Name, 40)
	}
	return clean.Line(orDash(p.Typed), 40)
}

// header is the first line: who, where, how it is spoken to; recording, clock.
func (s *sessionScreen) header(m *model) string {
	l := newLine(m.w)
	v := s.view
	state, st := "● recording", m.st.Live
	switch {
	case v.Trouble != "" || !v.Recorded:
		state, st = " not recorded ", m.st.Alarm
	case s.past.on:
		state, st = fmt.Sprintf(" as of #%d ", s.wire.selected()), m.st.Notice
	case s.review:
		state, st = " review ", m.st.Notice
	case v.Ended != "":
		state, st = "○ ended", m.st.Muted
	}
	clock := clockText(s.elapsed(m.now()))
	right := width(state) + 3 + width(clock) + 1
	room := max(0, m.w-right-2)
	l.skip(1)
	for i, part := range fitting(s.who(m), room) {
		if i == 0 {
			l.put(m.st.Strong, cut(part, room))
		} else {
			l.put(m.st.Muted, " · "+part)
		}
	}
	l.skip(l.left - right)
	return l.put(st, state).skip(3).put(m.st.Text, clock).end()
}

// part is a piece of the header, and how much it matters: 0 the most.
type part struct {
	text string
	rank int
}

// fitting drops what matters least until the rest fits.
func fitting(parts []part, room int) []string {
	for {
		total, worst := 0, 0
		for i, p := range parts {
			total += width(p.text) + 3
			if p.rank > parts[worst].rank {
				worst = i
			}
		}
		if total-3 <= room || len(parts) <= 1 {
			break
		}
		parts = slices.Delete(parts, worst, worst+1)
	}
	out := make([]string, len(parts))
	for i, p := range parts {
		out[i] = p.text
	}
	return out
}

// who is the peer in words.
func (s *sessionScreen) who(m *model) []part {
	p := &s.view.Peer
	out := []part{{s.name(), 0}}
	if o := session.OriginOf(p.Key); p.Name != "" && o != "" {
		out = append(out, part{clean.Line(o, 50), 3})
	}
	if p.Use.Gen != "" || p.Use.Binding != "" {
		spoken := strings.TrimSpace(string(p.Use.Gen) + " " + bindingName(string(p.Use.Binding)))
		if p.Pinned && (p.Declared.Gen != p.Use.Gen || p.Declared.Binding != p.Use.Binding) {
			spoken += " (card: " + strings.TrimSpace(string(p.Declared.Gen)+" "+bindingName(string(p.Declared.Binding))) + ")"
		}
		out = append(out, part{spoken, 1})
	}
	if p.CardVersion != "" {
		out = append(out, part{"card " + clean.Line(p.CardVersion, 16), 2})
	}
	if m.opt.Demo || s.view.Origin == "demo" {
		out = append(out, part{"demo", 4})
	}
	return out
}

func bindingName(b string) string {
	if b == "JSONRPC" {
		return "JSON-RPC"
	}
	return clean.Line(b, 16)
}

// elapsed is the session's time now: the view's, and what has passed since.
func (s *sessionScreen) elapsed(now time.Time) time.Duration {
	v := s.view
	if s.review || s.paused || s.past.on || v.Ended != "" || v.Wall.IsZero() {
		return v.Elapsed
	}
	return v.Elapsed + max(0, now.Sub(v.Wall))
}

func clockText(d time.Duration) string {
	tenths := int(d / (100 * time.Millisecond))
	if d >= time.Hour {
		return fmt.Sprintf("%d:%02d:%02d", tenths/36000, tenths/600%60, tenths/10%60)
	}
	return fmt.Sprintf("%02d:%02d", tenths/600, tenths/10%60)
}
