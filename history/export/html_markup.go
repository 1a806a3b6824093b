package export

import (
	"crypto/sha256"
	_ "embed" // the style sheet
	"encoding/base64"
	"fmt"
	"strings"

	"a2ascope/session"
)

// markup is text that is HTML already. Only constants of this package, and
// what esc made, become markup: whatever a peer said is a string, and escaped.
type markup string

var escapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&#39;", "`", "&#96;")

// esc makes text stand in HTML as text, within an element or an attribute in
// quotes. Characters that no page may hold become visible.
func esc(s string) markup { return markup(escapes.Replace(visible(s))) }

// html fills in a piece of markup: strings are escaped, markup and numbers are
// not.
func fill(format markup, args ...any) markup {
	for i, a := range args {
		switch v := a.(type) {
		case markup, int, uint64, float64:
		case string:
			args[i] = esc(v)
		default: // a named type of string, or something that says what it is
			args[i] = esc(fmt.Sprint(v))
		}
	}
	return markup(fmt.Sprintf(string(format), args...))
}

// put writes a filled piece of markup.
func (p *page) put(format markup, args ...any) { p.print(string(fill(format, args...))) }

//go:embed style.css
var styleSheet string

// policy lets the page load nothing at all, and use its own style sheet alone.
func contentPolicy() string {
	sum := sha256.Sum256([]byte(styleSheet))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'"
}

// link names a record, and leads to it where the page has it.
func (p *page) link(seq uint64) markup {
	if p.has(seq) {
		return fill(`<a href="#r%d">#%d</a>`, seq, seq)
	}
	return fill("#%d", seq)
}

func (p *page) has(seq uint64) bool { return seq <= maxRows || p.want[seq] }

// links names records, at most max of them.
func (p *page) links(seqs []uint64, max int) markup {
	var b strings.Builder
	for i, n := range seqs {
		if i == max {
			b.WriteString(string(fill(" and %d more", len(seqs)-max)))
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(string(p.link(n)))
	}
	return markup(b.String())
}

// verdictMark is a verdict with its mark, in its colour.
func verdictMark(v session.Verdict) markup {
	return fill(`<span class="v %s"><span aria-hidden="true">%s</span> %s</span>`, verdictClass(v), marks[v], v)
}

func verdictClass(v session.Verdict) markup {
	switch v {
	case session.Honoured, session.UnderDeclared:
		return "good"
	case session.Contradicted:
		return "bad"
	case session.Inconclusive:
		return "warn"
	}
	return "quiet"
}

func severityClass(s session.Severity) markup {
	switch {
	case s.Contradicts():
		return "bad"
	case s == session.Minor:
		return "warn"
	}
	return "quiet"
}

// rowClass is the colour of a row's title.
func rowClass(l session.Level) markup {
	switch l {
	case session.LevelBad:
		return "bad"
	case session.LevelWarn:
		return "warn"
	case session.LevelGood:
		return "good"
	}
	return "w"
}
