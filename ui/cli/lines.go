package cli

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"a2ascope/session"
	"a2ascope/ui/clean"
)

const (
	titleWidth = 28  // cells of a line's title; a longer one pushes its detail
	lineMost   = 300 // cells of a detail where the output is no terminal
)

// recordLine is a record for people: its number, as evidence names it, when,
// which way, what.
func recordLine(s style, r *session.Record) string {
	d := session.Describe(r)
	mark := "  "
	if r.Kind == session.KindFinding || r.Kind == session.KindDecision {
		mark = "▌ "
	}
	title := clean.Line(d.Title, 120)
	detail := clean.Line(d.Detail, lineMost)
	stamp := fmt.Sprintf("%5s  %9s", "#"+strconv.FormatUint(r.Seq, 10), elapsed(r.Elapsed))
	head := mark + stamp + "  " + d.Arrow + " "
	if detail != "" {
		title = pad(title, titleWidth)
	}
	if s.width > 0 {
		left := s.width - ansi.StringWidth(head) - ansi.StringWidth(title) - 2
		if left < 10 {
			title, detail = clean.Line(title, max(10, s.width-ansi.StringWidth(head))), ""
		} else {
			detail = clean.Line(detail, left)
		}
	}
	if r.Kind == session.KindCommand && d.Level == session.LevelPlain {
		title = s.bold(title)
	}
	line := s.level(d.Level, mark) + s.dim(stamp) + "  " + s.level(d.Level, d.Arrow+" "+title)
	if detail != "" {
		line += "  " + s.dim(detail)
		if r.Kind == session.KindFinding {
			line = strings.TrimSuffix(line, s.dim(detail)) + detail
		}
	}
	return strings.TrimRight(line, " ")
}

// elapsed writes a session time as the console does: +0.031, +1:12.4.
func elapsed(d time.Duration) string {
	if d < time.Minute {
		return fmt.Sprintf("+%.3f", d.Seconds())
	}
	d = d.Round(100 * time.Millisecond)
	if d < time.Hour {
		return fmt.Sprintf("+%d:%04.1f", int(d.Minutes()), (d % time.Minute).Seconds())
	}
	return fmt.Sprintf("+%d:%02d:%02d", int(d.Hours()), int(d.Minutes())%60, int(d.Seconds())%60)
}
