package console

import (
	"fmt"
	"strings"

	"a2ascope/keymap"
	"a2ascope/session"
	"a2ascope/themes"
	"a2ascope/ui/clean"
)

// claimsPane sets what was declared against what was observed: claims with
// something to say first, the rest dimmed.
type claimsPane struct {
	claims []session.ClaimDoc // in the order shown
	said   int                // how many have something to say
	sel    int
	top    int
	h      int
	next   int // evidence that enter shows next
}

// show orders the claims of a view, keeping the selected one.
func (p *claimsPane) show(v *session.View) {
	var at session.Claim
	if c, ok := p.selected(); ok {
		at = c.ID
	}
	p.claims = p.claims[:0]
	for _, rank := range []func(*session.ClaimDoc) bool{
		func(c *session.ClaimDoc) bool { return c.Verdict == session.Contradicted },
		func(c *session.ClaimDoc) bool {
			return c.Verdict != session.Contradicted && c.Trust == session.Demoted
		},
		func(c *session.ClaimDoc) bool {
			return c.Trust != session.Demoted && (c.Verdict == session.UnderDeclared || c.Verdict == session.Inconclusive)
		},
		func(c *session.ClaimDoc) bool {
			return c.Trust != session.Demoted && (c.Verdict == session.Honoured || c.Verdict == session.Unproven && c.Trust == session.Verified)
		},
		func(c *session.ClaimDoc) bool {
			return c.Verdict == session.Unproven && c.Trust == session.AsDeclared
		},
	} {
		p.said = len(p.claims)
		for i := range v.Claims {
			if rank(&v.Claims[i]) {
				p.claims = append(p.claims, v.Claims[i])
			}
		}
	}
	// The selection stays with its claim; at the top it stays at the top, where
	// the gravest stands.
	if p.sel > 0 {
		for i := range p.claims {
			if p.claims[i].ID == at {
				p.sel = i
			}
		}
	}
	p.sel = clamp(p.sel, 0, len(p.claims)-1)
}

func (p *claimsPane) selected() (session.ClaimDoc, bool) {
	if p.sel < 0 || p.sel >= len(p.claims) {
		return session.ClaimDoc{}, false
	}
	return p.claims[p.sel], true
}

func (p *claimsPane) move(a keymap.Action) {
	p.sel = moved(a, p.sel, len(p.claims), max(1, p.h-1))
	p.next = 0
}

// evidence is the record to go to: the first, then the one after.
func (p *claimsPane) evidence() (uint64, int, int) {
	c, ok := p.selected()
	if !ok || len(c.Evidence) == 0 {
		return 0, 0, 0
	}
	p.next %= len(c.Evidence)
	p.next++
	return c.Evidence[p.next-1], p.next, len(c.Evidence)
}

// broken is how many claims are contradicted, or demoted.
func (p *claimsPane) broken() int {
	n := 0
	for i := range p.claims {
		if p.claims[i].Verdict == session.Contradicted || p.claims[i].Trust == session.Demoted {
			n++
		}
	}
	return n
}

func (p *claimsPane) title() string { return "Declared vs observed" }

func (p *claimsPane) view(m *model, w, h int, focused bool) []string {
	p.h = max(1, h)
	p.top = window(p.top, p.sel, len(p.claims), p.h)
	var lines []string
	for i := p.top; i < min(len(p.claims), p.top+h); i++ {
		lines = append(lines, p.line(m, &p.claims[i], w, focused && i == p.sel, i >= p.said))
	}
	return lines
}

func (p *claimsPane) line(m *model, c *session.ClaimDoc, w int, selected, dim bool) string {
	l := newLine(w)
	point(l, &m.st, selected, true)
	name, declared := m.st.Text, m.st.Muted
	if dim {
		name, declared = m.st.Faint, m.st.Faint
	}
	sign, word, style := m.g.verdictText(&m.st, c)
	verdict := width(sign) + 11
	room := max(0, l.left-verdict-9)
	said := clamp(room-25, 4, 20)
	l.cell(name, string(c.ID), room-said-1).skip(1)
	l.cell(declared, narrow(declaredText(c.Declared), said-1), said-1).skip(1)
	l.cell(style, strings.TrimSpace(sign+" "+word+" "+countText(c)), verdict-1).skip(1)
	text, ts := trustText(&m.st, c)
	return l.put(ts, text).end()
}

// countText is how often, beside the verdict.
func countText(c *session.ClaimDoc) string {
	n := 0
	switch c.Verdict {
	case session.Contradicted:
		n = c.Counts.Contradicted
	case session.Honoured, session.UnderDeclared:
		n = c.Counts.Honoured
	case session.Inconclusive:
		n = c.Counts.Inconclusive
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprint(n)
}

func trustText(st *themes.Styles, c *session.ClaimDoc) (string, themes.Style) {
	switch c.Trust {
	case session.Demoted:
		return "demoted", st.Bad
	case session.Verified:
		return "verified", st.Good
	}
	return "", st.Faint
}

// narrow says of a text that would be cut to a few letters only that there is
// one.
func narrow(s string, w int) string {
	if w < 6 && width(s) > w {
		return cut("set", w)
	}
	return s
}

// declaredText is what was declared, short.
func declaredText(s string) string {
	switch s {
	case "true":
		return "yes"
	case "false":
		return "no"
	case "undeclared", "":
		return "–"
	case "implied":
		return ""
	}
	return clean.Line(s, 60)
}
