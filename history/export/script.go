package export

import (
	"io"
	"slices"
	"strings"
	"time"

	"a2ascope/session"
)

// step is a line of a script.
type step struct {
	line    string
	comment string // before it
	cs      *session.CommandState
}

// script writes the session's commands, one a line.
func (e *Export) script(w io.Writer) error {
	if err := e.fold(); err != nil {
		return err
	}
	p := printer{w: w}
	o := &e.state.Opened
	p.printf("# The commands of session %s with %s.\n# a2ascope run %s --script FILE\n", comment(o.Session), comment(o.Typed), comment(arg(o.Typed)))
	if flags := policyFlags(o.Policy); len(flags) > 0 {
		p.printf("# It ran with %s\n", strings.Join(flags, " "))
	}
	for _, c := range e.commands(e.options.Finding != "") {
		if c.comment != "" {
			p.printf("# %s\n", comment(c.comment))
		}
		p.printf("%s\n", c.line)
	}
	return p.err
}

// lineEnds are blanks to the language; in a file they would begin a new command.
var lineEnds = strings.NewReplacer("\n", " ", "\r", " ")

// letsIn are the commands that say how to reach the peer and be let in.
var letsIn = []string{"header", "auth", "interface", "endpoint"}

// commands are the operator's commands, as lines that run by themselves. With
// shortest, those that the told findings do not need are left out.
func (e *Export) commands(shortest bool) []step {
	var out []step
	var last *session.CommandState
	need := e.need(shortest)
	for _, cs := range e.state.Commands {
		if !e.own(cs) || !need(cs) {
			continue
		}
		if cs.By == "operator" && last != nil && waitsBefore(cs.Cmd.Name) {
			if gap := min(cs.At-last.At, 10*time.Second).Round(100 * time.Millisecond); gap >= 300*time.Millisecond {
				out = append(out, step{line: "wait " + gap.String()})
			}
		}
		line := session.VisibleLine(lineEnds.Replace(cs.Cmd.Line))
		s := step{line: line, cs: cs}
		if cs.Cmd.Background {
			s.line += " &"
		}
		if _, err := session.ParseCommand(s.line); err != nil || cs.Result == session.ResultCannot {
			s.line, s.comment = "# "+comment(s.line), "could not be carried out: "+cs.Detail
		}
		out, last = append(out, s), cs
	}
	if len(out) == 0 && slices.ContainsFunc(e.state.Commands, func(c *session.CommandState) bool { return c.By == session.ByProbe }) {
		out = append(out, step{line: "probe " + e.probed(shortest)})
	}
	return out
}

// probed are the claims that a probe must be asked for.
func (e *Export) probed(shortest bool) string {
	if !shortest || len(e.told) == 0 {
		return "all"
	}
	var claims []string
	for _, f := range e.told {
		if !slices.Contains(claims, string(f.Claim)) {
			claims = append(claims, string(f.Claim))
		}
	}
	return strings.Join(claims, " ")
}

// own reports whether a command is the operator's: not one that the console
// gave by itself, and none that is about this session's file alone.
func (e *Export) own(cs *session.CommandState) bool {
	switch {
	case cs.By == session.ByProbe, cs.By == "console" && !slices.Contains(letsIn, cs.Cmd.Name):
		return false
	case cs.Cmd.Name == "discover":
		return cs.Cmd.URL != e.state.Opened.URL && cs.Cmd.URL != e.state.Opened.Typed
	}
	return cs.Cmd.Name != "export"
}

// need tells the commands that lead to the told findings from the others.
func (e *Export) need(shortest bool) func(*session.CommandState) bool {
	tasks, last, named := map[int]bool{}, uint64(0), false
	for _, f := range e.told {
		tasks[f.Task] = true
		last = max(last, f.Seq)
	}
	for _, cs := range e.state.Commands {
		named = named || cs.Cmd.Task != "" && cs.By != "console"
	}
	return func(cs *session.CommandState) bool {
		if !shortest || slices.Contains(letsIn, cs.Cmd.Name) {
			return true
		}
		switch cs.Cmd.Name {
		case "note", "mark", "decisions", "tasks", "demote", "restore", "confirm", "overrule":
			return false
		}
		return cs.Seq <= last && (named || len(tasks) == 0 || tasks[cs.Task] || cs.Task == 0)
	}
}

// waitsBefore reports whether it matters how long a task had run when a
// command was given.
func waitsBefore(name string) bool {
	return slices.Contains([]string{"cancel", "resume", "resubscribe", "detach", "get", "list", "push"}, name)
}

// runLine is the command line that repeats what led to the told findings.
func (e *Export) runLine() string {
	var b strings.Builder
	b.WriteString("a2ascope run " + (*shell)(nil).word(e.state.Opened.Typed, false))
	if plainArg.MatchString(e.state.Opened.Typed) {
		b.Reset()
		b.WriteString("a2ascope run " + e.state.Opened.Typed)
	}
	for _, f := range policyFlags(e.state.Opened.Policy) {
		b.WriteString(" " + f)
	}
	waits := false
	for _, c := range e.commands(true) {
		if strings.HasPrefix(c.line, "#") {
			continue
		}
		b.WriteString(" \\\n  -c " + (*shell)(nil).word(c.line, false))
		waits = strings.HasPrefix(c.line, "wait settled") || strings.HasPrefix(c.line, "probe")
	}
	if !waits && len(e.state.Tasks) > 0 {
		b.WriteString(" \\\n  -c 'wait settled'")
	}
	return b.String()
}
