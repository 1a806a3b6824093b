package rule

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"a2ascope/session"
	"a2ascope/session/a2a"
)

var modeRules = []Rule{
	{
		ID: "modes.input-refused", Claim: session.InputModes, Severity: session.Major, Peer: "refuses-json",
		Title:    "a declared input mode is refused",
		Source:   "field note 000; A2A 1.0 §3.3.2 ContentTypeNotSupported",
		Advice:   "Send what the peer was seen to accept, not what its card declares.",
		Disproof: "The same part accepted at the same point.",
		On:       []session.Kind{session.KindResponse, session.KindFrame},
		Judge:    inputRefused,
	},
	{
		ID: "modes.false-failure", Claim: session.InputModes, Severity: session.Major, Peer: "refused-mode",
		Title:    "a valid answer in a declared mode was called invalid",
		Source:   "A2A 1.0 §4.4.1 (defaultInputModes) and §3.3.2; field note 000: the card's input modes were a superset of the modes accepted in the turn",
		Advice:   "Do not count the task as failed: answer again in text. Keep the accepted modes per peer.",
		Disproof: "A refusal that is about an id, an ended task or an unknown member, or the same part accepted.",
		On:       []session.Kind{session.KindResponse, session.KindFrame},
		Judge:    falseFailure,
	},
	{
		ID: "modes.input-accepted", Claim: session.InputModes, Peer: "honest",
		Title:  "declared input modes are accepted",
		Source: "A2A 1.0 §4.4.1",
		On:     []session.Kind{session.KindResponse, session.KindFrame},
		Judge: func(s *session.State, c *session.Change) []Saw {
			x, p := c.Exchange, c.Payload
			if !firstAnswer(c) || p.Error != nil || p.Kind == a2a.KindUnknown || p.Kind == a2a.KindUnreadable || !allDeclared(s, x.Parts) {
				return nil
			}
			if st := answerState(p); st == a2a.Failed || st == a2a.Rejected {
				return nil
			}
			return saw(session.Honoured, strings.Join(x.Parts, ", ")+" accepted", x.Request, c.Record.Seq)
		},
	},
	{
		ID: "modes.output-undeclared", Claim: session.OutputModes, Severity: session.Major, Peer: "wrong-mode",
		Title:    "an artifact is of a type that the card does not declare",
		Source:   "field note 004: checked at emission; A2A 1.0 §4.4.1; field case 136",
		Advice:   "Check the media type of each part on arrival against the card as it is now.",
		Disproof: "The type among the output modes of the card or of the skill that was used.",
		On:       []session.Kind{session.KindResponse, session.KindFrame},
		Judge:    outputUndeclared,
	},
	{
		ID: "modes.output-declared", Claim: session.OutputModes, Peer: "honest",
		Title:  "artifacts are of declared types",
		Source: "A2A 1.0 §4.4.1 (output modes); field note 004",
		On:     []session.Kind{session.KindResponse, session.KindFrame},
		Judge: func(s *session.State, c *session.Change) []Saw {
			modes := outputModes(s)
			if len(modes) == 0 {
				return nil
			}
			for _, a := range artifacts(c) {
				for i := range a.Parts {
					if m := a.Parts[i].Mode(); m == "" || !a2a.ModeMatches(modes, m) {
						return nil
					}
				}
				if len(a.Parts) > 0 {
					return saw(session.Honoured, fmt.Sprintf("artifact %q is %s", a.ID, a.Parts[0].Mode()), c.Record.Seq)
				}
			}
			return nil
		},
	},
}

// firstAnswer reports whether the change is the first thing that came back to
// a message.
func firstAnswer(c *session.Change) bool {
	x := c.Exchange
	return x != nil && x.Turn != nil && c.Payload != nil && !c.Climbed && (x.Stream == nil || c.FirstEvent)
}

func answerState(p *a2a.Payload) a2a.State {
	switch {
	case p.Task != nil:
		return p.Task.Status.State
	case p.Status != nil:
		return p.Status.Status.State
	}
	return ""
}

// inputModes is what the card declares for the skill in use: which one that
// is cannot be seen, so a mode counts as declared only when every reading of
// the card has it.
func allDeclared(s *session.State, parts []string) bool {
	card := s.Peer.Card
	if card == nil || len(parts) == 0 {
		return false
	}
	lists := [][]string{}
	if len(card.Skills) == 0 {
		lists = append(lists, card.InputModes)
	}
	for _, k := range card.Skills {
		if len(k.InputModes) > 0 {
			lists = append(lists, k.InputModes)
		} else {
			lists = append(lists, card.InputModes)
		}
	}
	for _, p := range parts {
		for _, declared := range lists {
			if p == "" || !a2a.ModeMatches(declared, p) {
				return false
			}
		}
	}
	return true
}

func inputRefused(s *session.State, c *session.Change) []Saw {
	x, p := c.Exchange, c.Payload
	if !firstAnswer(c) || p.Error == nil {
		return nil
	}
	if p.Error.Name != a2a.ErrContentTypeNotSupported && x.Status != a2a.StatusTypeUnsupported {
		return nil
	}
	detail := fmt.Sprintf("%s: refused with %s (%d)", strings.Join(x.Parts, ", "), p.Error.Name, p.Error.Code)
	if !allDeclared(s, x.Parts) {
		return nil
	}
	if asksForOther(s, x) { // the code is also that of an output that cannot be had
		return saw(session.Inconclusive, detail+"; it may be the output that was asked for", x.Request, c.Record.Seq)
	}
	return saw(session.Contradicted, detail, x.Request, c.Record.Seq)
}

// asksForOther reports whether a message asked for an output (--accept) that
// the card does not declare.
func asksForOther(s *session.State, x *session.Exchange) bool {
	if x.Command == 0 {
		return false
	}
	return slices.ContainsFunc(s.Commands[x.Command-1].Cmd.Accept, func(m string) bool { return !a2a.ModeMatches(outputModes(s), m) })
}

// falseFailure judges a -32602, or failed as the first state, after an answer
// to input-required (DESIGN.md §5, input-modes).
func falseFailure(s *session.State, c *session.Change) []Saw {
	x, p := c.Exchange, c.Payload
	if !firstAnswer(c) || x.Asked != a2a.InputRequired || x.ServerTask == "" {
		return nil
	}
	if onlyText(x.Parts) {
		return control(s, c)
	}
	if !allDeclared(s, x.Parts) {
		return nil
	}
	var text string
	switch st := answerState(p); {
	case p.Error != nil && p.Error.Name == a2a.ErrInvalidParams:
		text = p.Error.Message + " " + string(p.Error.Data)
	case st == a2a.Failed:
		text = statusText(p)
	default:
		return nil
	}
	modes := strings.Join(x.Parts, ", ")
	switch {
	case aboutSomethingElse(text):
		return nil
	case namesMode(text):
		return saw(session.Contradicted, fmt.Sprintf("%s, which the card declares, was refused: %s", modes, cut(text)), x.Request, c.Record.Seq)
	case textAcceptedHere(s, c):
		return saw(session.Contradicted, fmt.Sprintf("%s, which the card declares, was refused where text was accepted", modes), x.Request, c.Record.Seq)
	}
	return saw(session.Inconclusive, fmt.Sprintf("%s was refused, and the reason is not told; the same answer in text would tell (resume TEXT)", modes), x.Request, c.Record.Seq)
}

// control looks back from a text that was accepted to an answer of the same
// task that was called invalid at the same point without a reason.
func control(s *session.State, c *session.Change) []Saw {
	x := c.Exchange
	if st := answerState(c.Payload); c.Payload.Error != nil || st == a2a.Failed || st == a2a.Rejected {
		return nil
	}
	for _, n := range c.Task.Talk {
		y := s.Exchanges[n-1]
		if y.N >= x.N || y.Attempt != x.Attempt || y.Turn == nil || y.Asked != a2a.InputRequired || y.Error == nil ||
			y.Error.Name != a2a.ErrInvalidParams || onlyText(y.Parts) || !allDeclared(s, y.Parts) ||
			aboutSomethingElse(y.Error.Message+" "+string(y.Error.Data)) {
			continue
		}
		return saw(session.Contradicted, fmt.Sprintf("%s, which the card declares, was refused where text was then accepted", strings.Join(y.Parts, ", ")), y.Request, y.Answer, c.Record.Seq)
	}
	return nil
}

func onlyText(parts []string) bool {
	return !slices.ContainsFunc(parts, func(m string) bool { return m != "text/plain" })
}

func statusText(p *a2a.Payload) string {
	var m *a2a.Message
	if p.Task != nil {
		m = p.Task.Status.Message
	} else if p.Status != nil {
		m = p.Status.Status.Message
	}
	if m == nil {
		return ""
	}
	return session.MessageText(m)
}

func namesMode(text string) bool {
	text = strings.ToLower(text)
	if slices.ContainsFunc([]string{"content type", "content-type", "contenttype", "media type", "mediatype", "mime", "datapart", "filepart", "input mode", "inputmode", "text/", "application/"}, func(w string) bool {
		return strings.Contains(text, w)
	}) {
		return true
	}
	// "part" as a word: a partial result is no part.
	words := strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) })
	return slices.Contains(words, "part") || slices.Contains(words, "parts")
}

func aboutSomethingElse(text string) bool {
	text = strings.ToLower(text)
	return slices.ContainsFunc([]string{"task id", "taskid", "task_id", "contextid", "context id", "messageid", "message id", "terminal", "unknown field", "unknown key", "unknown name", "unknown member", "unknown propert", "no field named", "extra_forbidden", "extra inputs", "additional propert", "additionalpropert", "unrecognized key", "unrecognized field"}, func(w string) bool {
		return strings.Contains(text, w)
	})
}

func cut(text string) string {
	if r := []rune(text); len(r) > 200 {
		return string(r[:200]) + "…"
	}
	return strings.TrimSpace(text)
}

// textAcceptedHere reports whether this peer took a text where the task waited
// for input.
func textAcceptedHere(s *session.State, c *session.Change) bool {
	for _, x := range s.Exchanges {
		if x != c.Exchange && x.Turn != nil && x.Asked == a2a.InputRequired && x.ServerTask != "" && x.Error == nil && x.Fault == "" && onlyText(x.Parts) && x.Answer != 0 &&
			(x.Stream == nil || x.Stream.Events > 0) && !failedAtOnce(s, x) {
			return true
		}
	}
	return false
}

// failedAtOnce reports whether the first state that a message brought was one
// of failure.
func failedAtOnce(s *session.State, x *session.Exchange) bool {
	t := s.TaskN(x.Task)
	if t == nil || x.Attempt < 1 || x.Attempt > len(t.Attempts) {
		return false
	}
	for _, seen := range t.Attempts[x.Attempt-1].States {
		if seen.Exchange == x.N {
			return seen.State == a2a.Failed || seen.State == a2a.Rejected
		}
	}
	return false
}

// outputModes is every output mode that the card or one of its skills names:
// which skill made an artifact cannot be seen.
func outputModes(s *session.State) []string {
	card := s.Peer.Card
	if card == nil {
		return nil
	}
	modes := slices.Clone(card.OutputModes)
	for _, k := range card.Skills {
		for _, m := range k.OutputModes {
			if !slices.Contains(modes, m) { // a detail names it once
				modes = append(modes, m)
			}
		}
	}
	return modes
}

// artifacts returns the artifacts that a change brought.
func artifacts(c *session.Change) []a2a.Artifact {
	p := c.Payload
	if p == nil || c.Attempt == nil || c.Foreign != "" {
		return nil
	}
	switch {
	case p.Task != nil:
		return p.Task.Artifacts
	case p.Artifact != nil:
		return []a2a.Artifact{p.Artifact.Artifact}
	}
	return nil
}

// wholeArtifact reports whether an artifact without a part that fits is all
// there is: a chunk on a stream may be followed, or preceded, by one that fits.
func wholeArtifact(c *session.Change, a *a2a.Artifact, modes []string) bool {
	u := c.Payload.Artifact
	if u == nil {
		return true
	}
	if !u.LastChunk {
		return false
	}
	for _, have := range c.Attempt.Streamed.Artifacts() {
		if have.ID == a.ID {
			return !slices.ContainsFunc(have.MediaTypes, func(m string) bool { return a2a.ModeMatches(modes, m) })
		}
	}
	return true
}

func outputUndeclared(s *session.State, c *session.Change) []Saw {
	modes := outputModes(s)
	if len(modes) == 0 {
		return nil
	}
	for _, a := range artifacts(c) {
		fits, told := false, 0
		for i := range a.Parts {
			p := &a.Parts[i]
			m := p.Mode()
			if m == "" {
				fits = true // nothing to go by
				continue
			}
			told++
			if p.Fits(modes) {
				fits = true
			} else if p.MediaType != "" {
				return saw(session.Contradicted, fmt.Sprintf("artifact %q has a part of type %s; declared are %s", a.ID, p.MediaType, strings.Join(modes, ", ")), c.Record.Seq)
			}
		}
		if told > 0 && !fits && wholeArtifact(c, &a, modes) {
			return saw(session.Contradicted, fmt.Sprintf("no part of artifact %q is of a declared type (%s)", a.ID, strings.Join(modes, ", ")), c.Record.Seq)
		}
	}
	return nil
}
