package cli

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"a2ascope/session"
	"a2ascope/ui/clean"
)

// summaryPart writes one part of what a session comes to.
type summaryPart = func(io.Writer, style, *session.Document) error

// writeSummary writes what a session comes to, for people: its tasks, the
// claims that have something to say, the findings and the decisions.
func writeSummary(w io.Writer, s style, d *session.Document) error {
	for _, part := range []summaryPart{summaryPeer, summaryTasks, summaryClaims, summaryFindings, summaryDecisions, summaryEnd} {
		if err := part(w, s, d); err != nil {
			return err
		}
	}
	return nil
}

// section writes a heading and a table below it; nothing when it is empty.
func section(w io.Writer, s style, title string, t *table) error {
	if t.empty() {
		return nil
	}
	if _, err := fmt.Fprintf(w, "\n%s\n", s.bold(title)); err != nil {
		return err
	}
	return t.write(w)
}

func summaryPeer(w io.Writer, s style, d *session.Document) error {
	p := d.Peer
	name := clean.Line(p.Name, 60)
	switch {
	case name != "":
	case p.CardURL != "":
		name = "a card without a name"
	default:
		name = "no card was read"
	}
	wire := strings.TrimSpace(p.Generation + " " + p.Binding)
	if declared := strings.TrimSpace(p.Declared.Generation + " " + p.Declared.Binding); wire != "" && p.CardURL != "" && declared != wire {
		wire += " (declared " + declared + ")"
	}
	version := ""
	if p.CardVersion != "" {
		version = "card " + p.CardVersion
	}
	line := s.bold(name)
	for _, part := range []string{p.URL, wire, version} {
		if part != "" {
			line += " · " + clean.Line(part, 120)
		}
	}
	_, err := fmt.Fprintf(w, "\n%s\n", line)
	return err
}

func summaryTasks(w io.Writer, s style, d *session.Document) error {
	t := newTable(s).heading("", "TASK", "STATE", "OUTCOME", "WENT THROUGH")
	for i, x := range d.Tasks {
		state := clean.Line(x.State, 24)
		if state == "" {
			state = "none"
		}
		settled := string(x.Outcome)
		if !x.Settled {
			settled += ", not settled"
		}
		t.row(" ", strconv.Itoa(i+1), state, settled, clean.Line(strings.Join(x.States, " → "), 160))
	}
	return section(w, s, "Tasks", t)
}

// glyph is how a verdict looks: never a colour alone.
func glyph(v session.Verdict) (string, session.Level) {
	switch v {
	case session.Honoured:
		return "✓", session.LevelGood
	case session.Contradicted:
		return "✗", session.LevelBad
	case session.UnderDeclared:
		return "+", session.LevelGood
	case session.Inconclusive:
		return "?", session.LevelWarn
	}
	return "·", session.LevelPlain
}

func summaryClaims(w io.Writer, s style, d *session.Document) error {
	t := newTable(s).heading("", "CLAIM", "DECLARED", "VERDICT", "OBSERVED", "TRUST", "RECORDS")
	for _, c := range d.Claims {
		if c.Verdict == session.Unproven && c.Trust == session.AsDeclared {
			continue
		}
		mark, level := glyph(c.Verdict)
		var records []string
		for i, n := range c.Evidence {
			if i == 5 {
				records = append(records, "…")
				break
			}
			records = append(records, "#"+strconv.FormatUint(n, 10))
		}
		t.row(s.level(level, mark), string(c.ID), clean.Line(c.Declared, 28), s.level(level, string(c.Verdict)), clean.Line(c.Observed, 44),
			string(c.Trust), strings.Join(records, " "))
	}
	return section(w, s, "Declared and observed", t)
}

func summaryFindings(w io.Writer, s style, d *session.Document) error {
	if len(d.Findings) == 0 {
		return nil
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\n%s\n", s.bold("Findings"))
	for _, f := range d.Findings {
		level, mark := session.LevelWarn, "!"
		if f.Severity.Contradicts() {
			level, mark = session.LevelBad, "✗"
		}
		times := ""
		if f.Count > 1 {
			times = fmt.Sprintf(" (%d times)", f.Count)
		}
		fmt.Fprintf(&b, "%s  %s  %s%s\n", s.level(level, mark), s.level(level, string(f.Severity)+" "+f.Rule), clean.Line(f.Title, lineMost), times)
		for _, more := range []string{f.Detail, f.Advice} {
			if more != "" {
				fmt.Fprintf(&b, "   %s\n", s.dim(clean.Line(more, lineMost)))
			}
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func summaryDecisions(w io.Writer, s style, d *session.Document) error {
	t := newTable(s).heading("", "N", "DECISION", "BY", "UNTIL", "REASON")
	for _, x := range d.Decisions {
		by := x.By
		if x.Carried {
			by += ", earlier"
		}
		until, _, _ := strings.Cut(x.Until, ".")
		t.row("⚑", strconv.Itoa(x.ID), strings.TrimSpace(string(x.Action)+" "+string(x.Claim)), by, strings.TrimSuffix(until, "Z"), clean.Line(x.Reason, lineMost))
	}
	return section(w, s, "Decisions", t)
}

func summaryEnd(w io.Writer, s style, d *session.Document) error {
	faults := ""
	if d.Faults > 0 {
		faults = fmt.Sprintf(" · %s in transport", counted(d.Faults, "fault"))
	}
	status := fmt.Sprintf("status %d", d.Exit.Status)
	level := session.LevelBad
	switch {
	case d.Exit.Status == statusOK:
		level = session.LevelGood
		status += ": nothing contradicted"
	case d.Exit.Status == statusUsage:
		status += ": a command could not be carried out"
	default:
		status += ": " + strings.Join(d.Exit.Reasons, ", ")
	}
	_, err := fmt.Fprintf(w, "\n%s%s · %s\n", counted(int(d.Log.Records), "record"), faults, s.level(level, status))
	return err
}

func counted(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return strconv.Itoa(n) + " " + word + "s"
}
