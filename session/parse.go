package session

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// ParseCommand reads one line of the command language. A blank line and a
// comment give ErrBlank; every other error is a *CommandError. A line is
// checked whole: what ParseCommand accepts can only fail because of the
// session that it is run in.
func ParseCommand(line string) (Command, error) {
	if len(line) > MaxLine {
		return Command{}, &CommandError{Column: 1, Reason: fmt.Sprintf("the line has %d bytes and at most %d are read; put long data into a file (--data @FILE, --file PATH)", len(line), MaxLine)}
	}
	line = strings.Trim(line, " \t\r\n")
	if line == "" || line[0] == '#' {
		return Command{}, ErrBlank
	}
	if !utf8.ValidString(line) {
		return Command{}, &CommandError{Column: invalidAt(line), Reason: "the line is not UTF-8 here"}
	}
	words, err := splitWords(line)
	if err != nil {
		return Command{}, err
	}
	c := Command{Line: line, History: -1}
	if last := words[len(words)-1]; last.bare && last.text == "&" {
		c.Background = true
		words = words[:len(words)-1]
		c.Line = strings.TrimRight(strings.TrimSuffix(line, "&"), " \t")
	}
	if len(words) == 0 {
		return Command{}, &CommandError{Column: 1, Reason: "a command is missing before &"}
	}
	u := usageOf(words[0].text)
	if u == nil {
		return Command{}, &CommandError{Column: words[0].col, Reason: unknownCommand(words[0].text)}
	}
	c.Name = u.Name
	if err := readLine(u, &c, words[1:], utf8.RuneCountInString(c.Line)+1); err != nil {
		return Command{}, err
	}
	return c, nil
}

// invalidAt returns the column of the first byte of s that is not UTF-8.
func invalidAt(s string) int {
	col := 1
	for i, r := range s {
		if r == utf8.RuneError {
			if _, n := utf8.DecodeRuneInString(s[i:]); n == 1 {
				break
			}
		}
		col++
	}
	return col
}

func unknownCommand(name string) string {
	names := commandNames()
	return fmt.Sprintf("unknown command %s%s; the commands are %s", quoteShort(name), didYouMean(name, names), strings.Join(names, ", "))
}

// arguments are the words of a command that are not flags.
type arguments struct {
	usage *Usage
	cmd   *Command
	words []word
	given map[string]int // flags, with their columns
	end   int            // the column behind the line
}

func readLine(u *Usage, c *Command, words []word, end int) error {
	a := &arguments{usage: u, cmd: c, given: map[string]int{}, end: end}
	for i := 0; i < len(words); i++ {
		w := words[i]
		if w.bare && w.text == "--" {
			a.words = append(a.words, words[i+1:]...)
			break
		}
		if !w.isFlag() {
			a.words = append(a.words, w)
			continue
		}
		used, err := a.flag(w, words[i+1:])
		if err != nil {
			return err
		}
		i += used
	}
	if err := u.read(a); err != nil {
		return err
	}
	if len(a.words) > 0 {
		return a.fail(a.words[0].col, "%s is one word too many; %s takes %s", a.show(a.words[0].text), u.Name, u.takes())
	}
	return nil
}

// flag reads one flag and returns how many of the following words it used.
func (a *arguments) flag(w word, rest []word) (int, error) {
	name, value, joined := strings.Cut(w.text, "=")
	f := a.usage.flag(name)
	if f == nil {
		return 0, a.fail(w.col, "%s is not a flag of %s%s; %s takes %s; -- before a text that starts with dashes", quoteShort(name), a.usage.Name, didYouMean(name, a.usage.flagNames()), a.usage.Name, a.usage.takes())
	}
	if _, twice := a.given[name]; twice && !f.Repeat {
		return 0, a.fail(w.col, "%s is given twice", name)
	}
	a.given[name] = w.col
	used, col := 0, w.col
	switch {
	case f.Value == "" && joined:
		return 0, a.fail(w.col, "%s is a switch and takes no value", name)
	case f.Value != "" && joined:
		col += len(name) + 1
	case f.Value != "":
		if len(rest) == 0 || rest[0].isFlag() {
			return 0, a.fail(w.col, "%s needs a value: %s %s", name, name, f.Value)
		}
		value, col, used = rest[0].text, rest[0].col, 1
	}
	if f.Value != "" && value == "" {
		return 0, a.fail(col, "the value of %s is empty; it takes %s", name, f.Value)
	}
	if err := flagSetters[name](a.cmd, value); err != nil {
		return 0, a.fail(col, "%s: %v", name, err)
	}
	return used, nil
}

// fail makes an error at a column.
func (a *arguments) fail(col int, format string, args ...any) error {
	return &CommandError{Command: a.usage.Name, Column: col, Reason: fmt.Sprintf(format, args...)}
}

// show quotes a word for an error. What was typed behind auth and header may
// be a secret and is not repeated.
func (a *arguments) show(text string) string {
	if a.usage.Name == "auth" || a.usage.Name == "header" {
		return "this"
	}
	return quoteShort(text)
}

// next takes the next word, which must be there. What names it for the error.
func (a *arguments) next(what string) (word, error) {
	if len(a.words) == 0 {
		return word{}, a.fail(a.end, "%s is missing; %s takes %s", what, a.usage.Name, a.usage.takes())
	}
	w := a.words[0]
	a.words = a.words[1:]
	if w.text == "" {
		return word{}, a.fail(w.col, "%s is empty", what)
	}
	return w, nil
}

// rest joins the remaining words by one blank.
func (a *arguments) rest() string {
	texts := make([]string, len(a.words))
	for i, w := range a.words {
		texts[i] = w.text
	}
	a.words = nil
	return strings.Join(texts, " ")
}

// text is rest, which must not be blank.
func (a *arguments) text(what string) (string, error) {
	col := a.end
	if len(a.words) > 0 {
		col = a.words[0].col
	}
	s := a.rest()
	if strings.TrimSpace(s) == "" {
		return "", a.fail(col, "%s is missing; %s takes %s", what, a.usage.Name, a.usage.takes())
	}
	return s, nil
}

// takes says in words what a command takes.
func (u *Usage) takes() string {
	_, args, _ := strings.Cut(u.Synopsis, " ")
	parts := []string{}
	if args != "" && !strings.HasPrefix(args, "[--") {
		parts = append(parts, args)
	}
	for _, f := range u.Flags {
		parts = append(parts, strings.TrimSpace(f.Name+" "+f.Value))
	}
	if len(parts) == 0 {
		return "nothing"
	}
	return strings.Join(parts, ", ")
}

func (u *Usage) flagNames() []string {
	names := make([]string, len(u.Flags))
	for i, f := range u.Flags {
		names[i] = f.Name
	}
	return names
}

// flagSetters reads the value of each flag. A flag means the same in every
// command that has it; which commands those are, the table of usages says.
var flagSetters = map[string]func(*Command, string) error{
	"--accept": func(c *Command, v string) error {
		c.Accept = append(c.Accept, v)
		return checkMediaType(v)
	},
	"--again":   func(c *Command, _ string) error { c.Again = true; return nil },
	"--broken":  func(c *Command, _ string) error { c.Broken = true; return nil },
	"--raw":     func(c *Command, _ string) error { c.Raw = true; return nil },
	"--context": func(c *Command, v string) error { c.Context = v; return nil },
	"--data": func(c *Command, v string) error {
		c.Data = append(c.Data, v)
		if file, ok := strings.CutPrefix(v, "@"); ok {
			if file == "" {
				return fmt.Errorf("the file's name is missing behind @")
			}
			return nil
		}
		return checkJSON(v)
	},
	"--every": func(c *Command, v string) (err error) { c.Every, err = positiveDuration(v); return },
	"--file": func(c *Command, v string) error {
		f, err := parseFilePart(v)
		c.Files = append(c.Files, f)
		return err
	},
	"--for":        func(c *Command, v string) (err error) { c.For, err = positiveDuration(v); return },
	"--force":      func(c *Command, _ string) error { c.Force = true; return nil },
	"--fresh":      func(c *Command, _ string) error { c.Fresh = true; return nil },
	"--history":    func(c *Command, v string) (err error) { c.History, err = number(v, 0); return },
	"--immediate":  func(c *Command, _ string) error { c.Immediate = true; return nil },
	"--max":        func(c *Command, v string) (err error) { c.Max, err = number(v, 1); return },
	"--new":        func(c *Command, _ string) error { c.New = true; return nil },
	"--page":       func(c *Command, v string) (err error) { c.Page, err = number(v, 1); return },
	"--plain":      func(c *Command, _ string) error { c.Plain = true; return nil },
	"--secret":     func(c *Command, _ string) error { c.Secret = true; return nil },
	"--state":      func(c *Command, v string) (err error) { c.State, err = parseState(v); return },
	"--stream":     func(c *Command, _ string) error { c.Stream = true; return nil },
	"--task":       func(c *Command, v string) (err error) { c.Task, err = parseTask(v); return },
	"--to":         func(c *Command, v string) error { c.URL = v; return checkPeer(v, true) },
	"--undeclared": func(c *Command, _ string) error { c.Undeclared = true; return nil },
	"--version":    func(c *Command, v string) error { c.Version = v; return checkVersion(v) },
	"--on":         func(c *Command, v string) (err error) { c.On, err = number(v, 1); return },
	"--without":    func(c *Command, v string) error { c.Without = append(c.Without, v); return checkWithout(v) },
	"--until": func(c *Command, v string) (err error) {
		if strings.EqualFold(v, "settled") {
			c.Until = "settled"
			return nil
		}
		if c.Until, err = parseState(v); err != nil {
			err = fmt.Errorf("%w, or settled", err)
		}
		return
	},
}

// quoteShort quotes a word for an error, cut when it is long.
func quoteShort(s string) string {
	const most = 40
	if runes := []rune(s[:min(len(s), 4*most)]); len(runes) > most || len(s) > 4*most {
		s = string(runes[:min(most, len(runes))]) + "…"
	}
	return strconv.Quote(s)
}

// didYouMean suggests the nearest of the candidates, when one is near.
func didYouMean(word string, candidates []string) string {
	if len(word) > 64 {
		return ""
	}
	best, least := "", max(2, len(word)/3)+1
	for _, c := range candidates {
		if d := distance(strings.ToLower(word), c); d < least {
			best, least = c, d
		}
	}
	if best == "" {
		return ""
	}
	return "; did you mean " + best + "?"
}

// distance is the least number of bytes to insert, delete or replace that
// make a into b.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before := slices.Clone(row)
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(before[j]+cost, before[j+1]+1, row[j]+1)
		}
	}
	return row[len(b)]
}
