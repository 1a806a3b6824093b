package session

import (
	"slices"
	"strconv"
	"strings"
)

// Completion is what Complete must know of the session.
type Completion struct {
	Tasks      []TaskChoice
	Interfaces int // how many the card declares
	Contexts   []string
	Peers      []string // addresses of other peers that a task may be given to
}

// TaskChoice is a task that a line may name.
type TaskChoice struct {
	Number      int // from 1
	Correlation string
	ServerIDs   []string
}

// Complete returns the words that may stand where the cursor is: each
// replaces what stands between the start of that word and the cursor. Col
// counts the characters before the cursor. The words are quoted where the
// language needs it, and in the order in which the documentation has them.
func Complete(line string, col int, ctx Completion) []string {
	before := []rune(line)
	before = before[:max(0, min(col, len(before)))]
	head, prefix := cutLastWord(string(before))
	words, err := splitWords(head)
	if err != nil || strings.HasPrefix(strings.TrimLeft(head, " \t"), "#") {
		return nil
	}
	if len(words) == 0 {
		return matching(commandNames(), prefix)
	}
	u := usageOf(words[0].text)
	if u == nil {
		return nil
	}
	given, args, open, ended := u.readSoFar(words[1:])
	switch name, value, joined := strings.Cut(prefix, "="); {
	case open != nil:
		return matching(ctx.words(open.kind), prefix)
	case !ended && joined && u.flag(name) != nil:
		found := matching(ctx.words(u.flag(name).kind), value)
		for i := range found {
			found[i] = name + "=" + found[i]
		}
		return found
	}
	choices := ctx.words(u.wordAt(args))
	if u.Name == "probe" && len(args) > 0 {
		choices = slices.DeleteFunc(claimNames(), func(c string) bool { return slices.Contains(args, c) })
	}
	found := matching(choices, prefix)
	if ended || prefix != "" && !strings.HasPrefix(prefix, "-") && len(found) > 0 {
		return found
	}
	for _, f := range u.Flags {
		if (f.Repeat || !given[f.Name]) && strings.HasPrefix(f.Name, prefix) {
			found = append(found, f.Name)
		}
	}
	return found
}

// cutLastWord cuts a line before the word that is being typed. Quoted words
// are not completed: a quote that is open stays in the head, which then has no
// words.
func cutLastWord(s string) (head, word string) {
	i := strings.LastIndexAny(s, " \t") + 1
	return s[:i], s[i:]
}

// readSoFar tells what a line holds already: its flags, its other words, the
// flag whose value comes next, and whether -- ended the flags.
func (u *Usage) readSoFar(words []word) (given map[string]bool, args []string, open *FlagUsage, ended bool) {
	given = map[string]bool{}
	for _, w := range words {
		switch {
		case open != nil:
			open = nil
		case ended || !w.isFlag():
			args = append(args, w.text)
		case w.text == "--":
			ended = true
		default:
			name, _, joined := strings.Cut(w.text, "=")
			given[name] = true
			if f := u.flag(name); f != nil && f.Value != "" && !joined {
				open = f
			}
		}
	}
	return given, args, open, ended
}

// wordAt says which kind of word follows args.
func (u *Usage) wordAt(args []string) wordKind {
	if len(u.words) == 0 {
		return anyWord
	}
	if u.Name == "wait" && len(args) > 0 && args[0] != "state" {
		return noWord
	}
	return u.words[min(len(args), len(u.words)-1)]
}

// words lists what may stand at a place, or nothing where anything may.
func (ctx Completion) words(kind wordKind) []string {
	switch kind {
	case claimWord:
		return claimNames()
	case claimOrAllWord:
		return append([]string{"all"}, claimNames()...)
	case stateWord:
		return states
	case untilWord:
		return append([]string{"settled"}, states...)
	case formatWord:
		return formats
	case generationWord:
		return generations
	case withoutWord:
		return withouts
	case schemeWord:
		return schemes
	case pushWord:
		return pushVerbs
	case waitWord:
		return waits
	case contextWord:
		return append([]string{"current"}, ctx.Contexts...)
	case contextIDWord:
		return ctx.Contexts
	case interfaceWord:
		var numbers []string
		for n := range ctx.Interfaces {
			numbers = append(numbers, strconv.Itoa(n+1))
		}
		return append(numbers, interfaceNames...)
	case taskWord:
		return ctx.taskWords()
	case peerWord:
		return ctx.Peers
	}
	return nil
}

// taskWords lists the numbers of the tasks, then their ids.
func (ctx Completion) taskWords() []string {
	var numbers, ids []string
	for _, t := range ctx.Tasks {
		numbers = append(numbers, strconv.Itoa(t.Number))
		ids = append(append(ids, t.Correlation), t.ServerIDs...)
	}
	return append(numbers, slices.DeleteFunc(ids, func(id string) bool { return id == "" })...)
}

func commandNames() []string {
	names := make([]string, len(usages))
	for i, u := range usages {
		names[i] = u.Name
	}
	return names
}

// matching returns the choices that start with the prefix, quoted, in a slice
// of its own.
func matching(choices []string, prefix string) []string {
	var found []string
	for _, c := range choices {
		if strings.HasPrefix(c, prefix) {
			found = append(found, QuoteWord(c))
		}
	}
	return found
}
