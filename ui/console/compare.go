package console

import (
	"fmt"
	"strings"
	"time"

	"a2ascope/session"
	"a2ascope/themes"
	"a2ascope/ui/clean"

	"charm.land/bubbles/v2/viewport"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// compare sets two sessions side by side.
func (m *model) compare() tea.Cmd {
	was, now, _ := m.history.pair()
	m.history.working = "two sessions are being compared"
	src := m.opt.Sessions
	return func() tea.Msg {
		c, err := src.Compare(was, now)
		return comparedMsg{c, err}
	}
}

func (m *model) compared(msg comparedMsg) tea.Cmd {
	m.history.working = ""
	if msg.err != nil {
		m.fail("comparing: " + msg.err.Error())
		return nil
	}
	c := msg.comparison
	g := m.g
	write := func(st *themes.Styles, w int) []string {
		t := &prose{st: st, w: w}
		t.comparison(&c, g)
		return t.lines
	}
	m.push(&textBox{
		title: "Compared", search: newLineInput(), box: viewport.New(), wide: true, make: write, copies: "the comparison",
		plain: ansi.Strip(strings.Join(write(&themes.Styles{}, 100), "\n")),
	})
	return nil
}

// comparison writes what two sessions say differently.
func (t *prose) comparison(c *session.Comparison, g glyphs) {
	t.side("before", &c.A)
	t.side("after", &c.B)
	if c.A.Peer != c.B.Peer && c.A.Name != c.B.Name {
		t.add(t.st.Warn, "These are two different agents, not one before and after.")
	}
	t.gap()
	if c.Same() {
		t.add(t.st.Good, g.ok+" Both say the same: the same verdicts, the same findings, the same card.")
	}
	if len(c.Claims) > 0 {
		t.add(t.st.TitleFocus, "Verdicts that changed")
		for _, x := range c.Claims {
			sign, st := g.change(t.st, x.Was, x.Now)
			l := newLine(t.w).skip(1).put(st, sign).skip(1).cell(t.st.Strong, string(x.ID), 26)
			l.cell(t.st.Muted, string(x.Was), 14).put(t.st.Muted, "→ ").cell(st, string(x.Now), 14).put(t.st.Muted, "declared "+orDash(declaredText(x.Declared)))
			t.lines = append(t.lines, l.end())
		}
		t.gap()
	}
	t.findingsOf("Findings that are new", c.New, t.st.Bad, g.bad)
	t.findingsOf("Findings that are gone", c.Gone, t.st.Good, g.ok)
	if len(c.Card) > 0 || c.CardNote != "" {
		t.add(t.st.TitleFocus, "The card")
		if c.CardNote != "" {
			t.add(t.st.Muted, clean.Line(c.CardNote, 0))
		}
		for _, x := range c.Card {
			t.add(t.st.Strong, " "+clean.Line(x.Path, 200))
			t.field("   before", orDash(clean.Line(x.Was, 0)))
			t.field("   after", orDash(clean.Line(x.Now, 0)))
		}
		t.gap()
	}
	t.timings(c)
}

func (t *prose) side(name string, d *session.ComparedDoc) {
	who := clean.Line(d.Name, 60)
	if who == "" {
		who = clean.Line(d.Peer, 80)
	}
	t.field(name, fmt.Sprintf("%s · %s · card %s · %s %s · %d records · %s", localTime(d.Started), who, orDash(clean.Line(d.CardVersion, 20)),
		d.Generation, bindingName(d.Binding), d.Records, d.Session))
}

func (t *prose) findingsOf(title string, all []session.FindingDoc, st themes.Style, sign string) {
	if len(all) == 0 {
		return
	}
	t.add(t.st.TitleFocus, title)
	for _, f := range all {
		t.lines = append(t.lines, newLine(t.w).skip(1).put(st, sign).skip(1).cell(t.st.Strong, f.Rule, 30).cell(t.st.Muted, string(f.Severity), 10).put(t.st.Text, clean.Line(f.Title, 200)).end())
	}
	t.gap()
}

func (t *prose) timings(c *session.Comparison) {
	if len(c.Timings) == 0 {
		return
	}
	t.add(t.st.TitleFocus, "Timing, the middle of all that were seen")
	t.lines = append(t.lines, newLine(t.w).skip(1).cell(t.st.Muted, "form", 20).cell(t.st.Muted, "first event", 24).put(t.st.Muted, "to the end").end())
	for i := range c.Timings {
		x := &c.Timings[i]
		st := t.st.Text
		if x.Notable() {
			st = t.st.Warn
		}
		t.lines = append(t.lines, newLine(t.w).skip(1).cell(t.st.Strong, x.Form, 20).cell(st, spans(x.Was.FirstEvent, x.Now.FirstEvent), 24).put(st, spans(x.Was.Settle, x.Now.Settle)).end())
	}
}

// spans writes two durations, before and after.
func spans(was, now session.Duration) string {
	one := func(d session.Duration) string {
		if d == 0 {
			return "–"
		}
		return d.D().Round(time.Millisecond).String()
	}
	return one(was) + " → " + one(now)
}

// change is the sign of a verdict that became another one.
func (g glyphs) change(st *themes.Styles, was, now session.Verdict) (string, themes.Style) {
	switch {
	case now == session.Contradicted:
		return g.bad, st.Bad
	case was == session.Contradicted && now == session.Honoured:
		return g.ok, st.Good
	case now == session.Honoured, now == session.UnderDeclared:
		return g.ok, st.Good
	}
	return g.unclear, st.Warn
}
