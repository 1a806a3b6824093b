package probe

import (
	"strings"

	"a2ascope/session"
	"a2ascope/session/a2a"
)

// A declared input mode must be taken as a first message, and as the answer to
// a question (field note 000). What was refused before is tried again, with
// --force: a claim is not given up by an old refusal. Text comes first; it is
// the control.
var modeProbes = []Probe{
	{
		Claim: session.InputModes, Name: "first-message-json", Needs: []a2a.State{a2a.Completed},
		Title:  "a first message with a data part",
		What:   "a declared type that is refused",
		Cannot: needsJSON,
		Lines: func(f Facts) []Line {
			return script(lines(Line("send --new --immediate --force --data "+single(data)+" "+word(f.Prompt(a2a.Completed)))), settled(f))
		},
	},
	{
		Claim: session.InputModes, Name: "answer-text", Needs: []a2a.State{a2a.InputRequired},
		Title: "an answer in text",
		What:  "a declared type that is refused",
		Cannot: func(f Facts) string {
			if !a2a.ModeMatches(f.InputModes, "text/plain") {
				return "text/plain is not declared"
			}
			return ""
		},
		Lines: func(f Facts) []Line {
			return script(follow(f, a2a.InputRequired), until(f, a2a.InputRequired), lines("resume --force "+answer), settled(f))
		},
	},
	{
		Claim: session.InputModes, Name: "answer-json", Needs: []a2a.State{a2a.InputRequired},
		Title:  "an answer that is a data part",
		What:   "a declared type that is refused, or makes the task fail",
		Cannot: needsJSON,
		Lines: func(f Facts) []Line {
			return script(follow(f, a2a.InputRequired), until(f, a2a.InputRequired), lines(Line("resume --force --data "+single(data))), settled(f))
		},
	},
	{
		Claim: session.InputModes, Name: "answer-other-modes", Needs: []a2a.State{a2a.InputRequired},
		Title: "an answer in each declared mode that is neither text nor JSON",
		What:  "a declared type that is refused",
		Cannot: func(f Facts) string {
			var others []string
			for _, m := range f.InputModes {
				if !a2a.ModeMatches([]string{m}, "text/plain") && !a2a.ModeMatches([]string{m}, "application/json") {
					others = append(others, m)
				}
			}
			if len(others) == 0 {
				return "no other mode is declared"
			}
			return "there is no sample of " + strings.Join(others, ", ") + "; resume --file PATH tries one"
		},
		Lines: func(Facts) []Line { return nil },
	},
}

// data is a document that an agent can make as much of as of any other.
const data = `{"answer":"yes, go on"}`

func needsJSON(f Facts) string {
	if !a2a.ModeMatches(f.InputModes, "application/json") {
		return "application/json is not declared"
	}
	return ""
}
