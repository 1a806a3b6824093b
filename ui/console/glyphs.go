package console

import (
	"strings"

	"a2ascope/session"
	"a2ascope/themes"
)

// glyphs are the signs that stand beside a word, never for it.
type glyphs struct {
	ok, bad, extra, none, unclear string
	ascii                         bool
}

func glyphSet(ascii bool) glyphs {
	if ascii {
		return glyphs{"[ok]", "[XX]", "[++]", "[..]", "[??]", true}
	}
	return glyphs{"✓", "✗", "+", "·", "?", false}
}

// asciiSigns replaces our own characters by others of the same width.
var asciiSigns = strings.NewReplacer(
	"…", "~", "·", "-", "→", ">", "←", "<", "⇣", "v", "⇥", "|", "✓", "+", "✗", "x", "⚑", "!", "›", ">", "‹", "<", "✎", "#",
	"●", "*", "•", "*", "▸", ">", "▌", ">", "▼", "v", "▲", "^", "■", "#", "↵", "/", "↑", "^", "↓", "v", "─", "-", "×", "x", "—", "-",
	"⠋", "|", "⠙", "/", "⠹", "-", "⠸", "\\", "⠼", "|", "⠴", "/", "⠦", "-", "⠧", "\\", "│", "|", "○", "o", "◇", "o", "–", "-", "“", "\"", "”", "\"", "§", "S",
)

// asciiOnly leaves nothing beyond ASCII on the screen: what has no other sign
// of its own becomes question marks.
func asciiOnly(s string) string {
	var b strings.Builder
	for _, r := range asciiSigns.Replace(s) {
		if r < 0x7f {
			b.WriteRune(r)
			continue
		}
		b.WriteString("??"[:min(2, width(string(r)))])
	}
	return b.String()
}

// absent are the capabilities that a card promises and a peer may lack.
var absent = map[session.Claim]bool{
	session.Streaming: true, session.PushNotifications: true, session.StateTransitionHistory: true, session.ExtendedCard: true,
}

// verdictText is a verdict as sign, word and style. A capability that the card
// declares and that never worked is missing; any other contradicted claim is
// broken.
func (g glyphs) verdictText(st *themes.Styles, c *session.ClaimDoc) (sign, word string, style themes.Style) {
	switch c.Verdict {
	case session.Honoured:
		return g.ok, "ok", st.Good
	case session.Contradicted:
		if absent[c.ID] && c.Declared == "true" && c.Counts.Honoured == 0 {
			return g.bad, "missing", st.Bad
		}
		return g.bad, "broken", st.Bad
	case session.UnderDeclared:
		return g.extra, "extra", st.Extra
	case session.Inconclusive:
		return g.unclear, "unclear", st.Warn
	}
	return g.none, "untested", st.Faint
}

// levelStyle is how a record is written.
func levelStyle(st *themes.Styles, r *row) (arrow, title themes.Style) {
	switch r.level {
	case session.LevelBad:
		return st.Bad, st.Bad
	case session.LevelWarn:
		return st.Warn, st.Warn
	}
	switch r.kind {
	case session.KindRequest:
		return st.Request, st.Text
	case session.KindCommand, session.KindNote:
		return st.Accent, st.Strong
	case session.KindDecision:
		return st.Decision, st.Decision
	case session.KindTimer, session.KindOpened, session.KindTrust, session.KindEnded:
		return st.Faint, st.Faint
	case session.KindObserved:
		return st.Good, st.Muted
	}
	if r.level == session.LevelGood {
		return st.Good, st.Text
	}
	return st.Muted, st.Text
}
