package export

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"a2ascope/session"
)

// shell writes text as words of a POSIX shell. What stands for a secret, and
// ids that a peer makes anew each time, become variables.
type shell struct {
	ids   *strings.Replacer
	names []idName
}

// idName is an id of the peer, and the variable that stands for it.
type idName struct {
	name, id, from string
	first          uint64 // the request whose answer names it
}

const (
	minID      = 6  // shorter ids occur by chance
	maxIDNames = 40 // ids that become variables
)

// newShell names the server's tasks and contexts of a state.
func newShell(s *session.State) *shell {
	sh := &shell{}
	seen := map[string]bool{}
	add := func(kind, id, from string, first uint64) {
		if len(id) < minID || seen[id] || len(sh.names) >= maxIDNames || strings.ContainsRune(id, 0) {
			return
		}
		seen[id] = true
		n := 1
		for _, x := range sh.names {
			if strings.HasPrefix(x.name, kind) {
				n++
			}
		}
		sh.names = append(sh.names, idName{fmt.Sprintf("%s_%d", kind, n), id, from, first})
	}
	for _, t := range s.Tasks {
		for _, a := range t.Attempts {
			from := ""
			if a.First > 0 {
				from = "the answer to " + number(a.First)
			}
			add("TASK", a.ServerID, from, a.First)
			add("CONTEXT", a.ContextID, from, a.First)
		}
	}
	// The longest first: an id may hold another.
	order := slices.Clone(sh.names)
	slices.SortFunc(order, func(a, b idName) int { return len(b.id) - len(a.id) })
	var pairs []string
	for _, n := range order {
		pairs = append(pairs, n.id, "\x00"+n.name+"\x00")
	}
	sh.ids = strings.NewReplacer(pairs...)
	return sh
}

var standsFor = regexp.MustCompile(`‹(secret|redacted):([0-9]+)›`)

// word quotes text as one word.
func (sh *shell) word(text string, ids bool) string {
	text = strings.ReplaceAll(text, "\x00", "")
	if ids && sh != nil {
		text = sh.ids.Replace(text)
	}
	text = standsFor.ReplaceAllStringFunc(text, func(m string) string {
		p := standsFor.FindStringSubmatch(m)
		return "\x00" + strings.ToUpper(p[1]) + "_" + p[2] + "\x00"
	})
	var b strings.Builder
	for i, part := range strings.Split(text, "\x00") {
		switch {
		case i%2 == 1:
			b.WriteString(`"$` + part + `"`)
		case part != "":
			quote(&b, part)
		}
	}
	if b.Len() == 0 {
		return "''"
	}
	return b.String()
}

// quote writes text in single quotes. What is hidden is put in by printf, which
// every shell has: \' and $'…' do not mean the same in all of them.
func quote(b *strings.Builder, text string) {
	for text != "" {
		plain := strings.IndexFunc(text, unquotable)
		if plain < 0 {
			plain = len(text)
		}
		if plain > 0 {
			b.WriteString("'" + strings.ReplaceAll(text[:plain], "'", `'\''`) + "'")
		}
		text = text[plain:]
		odd := strings.IndexFunc(text, func(r rune) bool { return !unquotable(r) })
		if odd < 0 {
			odd = len(text)
		}
		if odd > 0 {
			b.WriteString(`"$(printf '`)
			for _, c := range []byte(text[:odd]) {
				fmt.Fprintf(b, `\%03o`, c)
			}
			b.WriteString(`')"`)
		}
		text = text[odd:]
	}
}

// unquotable reports whether a character is hidden, or no UTF-8. Line ends and
// tabs stay as they are; a shell would cut the former off what printf gives.
func unquotable(r rune) bool {
	return r != '\n' && r != '\t' && (r == utf8.RuneError || session.Hidden(r))
}

var (
	variable = regexp.MustCompile(`"\$((?:SECRET|REDACTED)_[0-9]+|(?:TASK|CONTEXT)_[0-9]+)"`)
	plainArg = regexp.MustCompile(`^[A-Za-z0-9_./:@%+=,-]+$`)
)

// arg is word, without quotes where none are needed.
func arg(text string) string {
	if plainArg.MatchString(text) {
		return text
	}
	return (*shell)(nil).word(text, false)
}

// preamble sets the variables that a text uses: ids to what they were, secrets
// to nothing but a question.
func (sh *shell) preamble(text string, caught map[string]bool) string {
	used := map[string]bool{}
	var secrets []string
	for _, m := range variable.FindAllStringSubmatch(text, -1) {
		if !used[m[1]] && (strings.HasPrefix(m[1], "SECRET") || strings.HasPrefix(m[1], "REDACTED")) {
			secrets = append(secrets, m[1])
		}
		used[m[1]] = true
	}
	var b strings.Builder
	for _, s := range secrets {
		fmt.Fprintf(&b, ": \"${%s:?set it first: it was taken out of this report}\"\n", s)
	}
	if sh == nil {
		return b.String()
	}
	for _, n := range sh.names {
		if used[n.name] && !caught[n.name] {
			fmt.Fprintf(&b, "%s=%s  # as recorded: put in what %s names for you\n", n.name, sh.word(n.id, false), orElse(n.from, "the answer"))
		}
	}
	return b.String()
}

// catch reads the ids that a request's answer names out of the file that the
// answer went to, where a later request needs them.
func (sh *shell) catch(request uint64, file string, later []session.Record, caught map[string]bool) string {
	var b strings.Builder
	for _, n := range sh.names {
		used := func(r session.Record) bool { return bytes.Contains(r.Raw, []byte(n.id)) }
		if n.first != request || !slices.ContainsFunc(later, used) {
			continue
		}
		member := "taskId|id"
		if strings.HasPrefix(n.name, "CONTEXT") {
			member = "contextId"
		}
		caught[n.name] = true
		fmt.Fprintf(&b, "\n%s=$(grep -oE '\"(%s)\": *\"[^\"]*\"' %s | head -n 1 | cut -d '\"' -f 4)", n.name, member, file)
	}
	return b.String()
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}
