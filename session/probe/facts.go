package probe

import (
	"slices"
	"strings"
	"time"

	"a2ascope/session"
	"a2ascope/session/a2a"
)

// Facts are what a probe may look at.
type Facts struct {
	Use        session.Interface // what requests go to
	CardURL    string
	Declared   map[session.Claim]a2a.Declared
	InputModes []string          // that every reading of the card declares
	Prompts    map[string]string // state → text that reaches it, from the operator
	Example    string            // what to say where the operator gave nothing
	Policy     session.Policy
	Extensions bool  // the card requires some
	Others     []int // numbers of declared interfaces that the console speaks, but for the one in use
}

// FactsOf gathers the facts of a state.
func FactsOf(s *session.State) Facts {
	f := Facts{
		Use: s.Peer.Use, CardURL: s.Peer.CardURL, Policy: s.Opened.Policy,
		Declared: map[session.Claim]a2a.Declared{}, Prompts: map[string]string{},
	}
	for _, c := range []session.Claim{session.Streaming, session.PushNotifications, session.StateTransitionHistory, session.ExtendedCard} {
		f.Declared[c] = s.Declares(c)
	}
	for state, text := range s.Prompts {
		f.Prompts[state] = text
	}
	f.Example = example(s)
	for _, sp := range s.Peer.Spoken {
		if sp.At != s.Peer.Use && len(f.Others) < mostInterfaces {
			f.Others = append(f.Others, sp.N)
		}
	}
	if card := s.Peer.Card; card != nil {
		f.InputModes = inputModes(card)
		f.Extensions = slices.ContainsFunc(card.Extensions, func(e a2a.Extension) bool { return e.Required })
	}
	return f
}

// mostInterfaces bounds how many doors are tried.
const mostInterfaces = 8

// hello is what an agent is told of which nothing is known.
const hello = "hello"

// example is the first example of the card that makes a task: one that the
// peer answered with a message in this session leads nowhere.
func example(s *session.State) string {
	if s.Peer.Card == nil {
		return hello
	}
	first := ""
	for _, k := range s.Peer.Card.Skills {
		for _, text := range k.Examples {
			if strings.TrimSpace(text) == "" || len(text) > longestPrompt || strings.ContainsFunc(text, unwritable) {
				continue
			}
			if first == "" {
				first = text
			}
			if !answeredWithMessage(s, text) {
				return text
			}
		}
	}
	if first == "" {
		return hello
	}
	return first
}

// longestPrompt bounds what of a card is sent back to its peer, in bytes.
const longestPrompt = 4 << 10

// unwritable are runes that the command language has no form for.
func unwritable(r rune) bool { return r < ' ' && r != '\n' && r != '\t' || r == 0x7f || r == '\uFFFD' }

func answeredWithMessage(s *session.State, text string) bool {
	return slices.ContainsFunc(s.Tasks, func(t *session.Task) bool {
		a := t.Last()
		return a != nil && a.Message && len(t.Messages) > 0 && t.Messages[0].Role == string(a2a.User) && t.Messages[0].Text == text
	})
}

// inputModes are the modes that hold for each skill: which one answers cannot
// be seen.
func inputModes(card *a2a.Card) []string {
	lists := [][]string{}
	for _, k := range card.Skills {
		if len(k.InputModes) > 0 {
			lists = append(lists, k.InputModes)
		} else {
			lists = append(lists, card.InputModes)
		}
	}
	if len(lists) == 0 {
		return slices.Clone(card.InputModes)
	}
	var out []string
	for _, m := range lists[0] {
		everywhere := !slices.ContainsFunc(lists[1:], func(l []string) bool { return !a2a.ModeMatches(l, m) })
		if everywhere && !slices.Contains(out, m) {
			out = append(out, m)
		}
	}
	return out
}

// Prompt returns the text that brings a task to a state: the operator's, or
// for working and completed an example of the card. It is empty where there is
// none.
func (f Facts) Prompt(s a2a.State) string {
	if t := f.Prompts[string(s)]; t != "" {
		return t
	}
	if s == a2a.Working || s == a2a.Completed {
		return f.Example
	}
	return ""
}

// streams reports whether the card declares streaming.
func (f Facts) streams() bool { return f.Declared[session.Streaming] == a2a.DeclaredTrue }

// patience is how long a probe waits for a task, at most.
func (f Facts) patience() time.Duration {
	return min(session.DefaultFor, max(f.Policy.WorkingDeadline.D(), time.Second))
}
