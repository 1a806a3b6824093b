package keymap

import (
	"fmt"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
)

// Problem is something wrong in an operator's key file. The rest of the file
// holds all the same.
type Problem struct {
	File string
	Line int // from 1; 0 when it is not one line's
	Text string
}

func (p Problem) Error() string {
	if p.Line == 0 {
		return fmt.Sprintf("%s: %s", p.File, p.Text)
	}
	return fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.Text)
}

// maxFile bounds what is read of a key file, in bytes.
const maxFile = 1 << 20

// Load applies an operator's file to the built-in table. The file is TOML:
// an action and its key or keys, in a section named after a context where the
// action has several.
//
//	"task.cancel" = "X"
//	"move.down"   = ["j", "down", "ctrl+n"]
//	[wire]
//	"list.open"   = ["enter", "i"]
//
// A file that is no TOML leaves the table as it is; everything else that is
// wrong is left out, and reported.
func Load(file string, data []byte) (*Map, []Problem) {
	if len(data) > maxFile {
		return Default(), []Problem{{File: file, Text: fmt.Sprintf("larger than %d bytes: not read", maxFile)}}
	}
	var doc map[string]any
	if _, err := toml.Decode(string(data), &doc); err != nil {
		p := Problem{File: file, Text: err.Error()}
		if pe, ok := err.(toml.ParseError); ok {
			p.Line, p.Text = pe.Position.Line, pe.Message
		}
		return Default(), []Problem{p}
	}
	o := overrides{file: file, lines: strings.Split(string(data), "\n"), bindings: table(), changed: map[int]int{}}
	for _, name := range sortedKeys(doc) {
		if section, ok := doc[name].(map[string]any); ok && slices.Contains(Contexts, Context(name)) {
			o.section(name, section)
			continue
		}
		o.walk("", map[string]any{name: doc[name]}, "")
	}
	o.conflicts()
	slices.SortStableFunc(o.problems, func(a, b Problem) int { return a.Line - b.Line })
	return build(o.bindings), o.problems
}

type overrides struct {
	file     string
	lines    []string
	bindings []Binding
	changed  map[int]int // binding → line of the file
	problems []Problem
}

// section reads a table whose name is a context's. Its name may also be the
// first half of a dotted action: message.send = "x" is the action message.send.
func (o *overrides) section(name string, doc map[string]any) {
	for _, key := range sortedKeys(doc) {
		if _, nested := doc[key].(map[string]any); nested || strings.Contains(key, ".") {
			o.walk("", map[string]any{key: doc[key]}, Context(name))
			continue
		}
		o.set(Action(name+"."+key), doc[key], "")
	}
}

// walk reads actions written as one word ("task.cancel") and as dotted keys
// (task.cancel), which TOML nests.
func (o *overrides) walk(prefix string, doc map[string]any, where Context) {
	for _, name := range sortedKeys(doc) {
		full := prefix + name
		if nested, ok := doc[name].(map[string]any); ok {
			o.walk(full+".", nested, where)
			continue
		}
		o.set(Action(full), doc[name], where)
	}
}

func (o *overrides) set(a Action, value any, where Context) {
	line := o.lineOf(a, where)
	keys, err := keyList(value)
	if err != nil {
		o.report(line, "%s: %v", a, err)
		return
	}
	if a == Quit {
		o.report(line, "%s: ctrl+c always gets out and cannot be given away", a)
		return
	}
	found := false
	for i := range o.bindings {
		b := &o.bindings[i]
		if b.Action == a && (where == "" || b.Context == where) {
			b.Keys, found = keys, true
			o.changed[i] = line
		}
	}
	switch {
	case !found && where != "":
		o.report(line, "no action %q in %s", a, where)
	case !found:
		o.report(line, "no action %q: docs/keys.md lists them", a)
	}
}

func (o *overrides) report(line int, format string, args ...any) {
	o.problems = append(o.problems, Problem{File: o.file, Line: line, Text: fmt.Sprintf(format, args...)})
}

// conflicts reports keys that now mean two things where both hold, for
// bindings that the file changed.
func (o *overrides) conflicts() {
	for i, b := range o.bindings {
		line, changed := o.changed[i]
		for j, other := range o.bindings {
			_, both := o.changed[j]
			if !changed || j == i || other.Context != b.Context || both && j < i {
				continue
			}
			for _, k := range b.Keys {
				if slices.Contains(other.Keys, k) {
					o.report(line, "%s in %s is both %s and %s: the first in docs/keys.md holds", k, b.Context, b.Action, other.Action)
				}
			}
		}
	}
}

func keyList(value any) ([]string, error) {
	switch v := value.(type) {
	case string:
		value = []any{v}
	case []any:
	default:
		return nil, fmt.Errorf("a key or a list of keys is needed, not %v", value)
	}
	keys := []string{}
	for _, item := range value.([]any) {
		k, ok := item.(string)
		if !ok || strings.TrimSpace(k) == "" || strings.ContainsAny(k, " \t\n") {
			return nil, fmt.Errorf("%v is not a key such as \"x\", \"ctrl+x\" or \"space\"", item)
		}
		if k == "ctrl+c" {
			return nil, fmt.Errorf("ctrl+c always gets out and cannot be given away")
		}
		keys = append(keys, k)
	}
	return keys, nil
}

// lineOf finds where the file speaks of an action: the decoder does not say.
func (o *overrides) lineOf(a Action, where Context) int {
	section := Context("")
	last := string(a)
	if i := strings.LastIndexByte(last, '.'); i >= 0 {
		last = last[i+1:]
	}
	fallback := 0
	for i, l := range o.lines {
		t := strings.TrimSpace(l)
		if strings.HasPrefix(t, "[") {
			section = Context(strings.Trim(t, "[] \t"))
			continue
		}
		key, _, ok := strings.Cut(t, "=")
		if !ok {
			continue
		}
		key = strings.Trim(strings.TrimSpace(key), `"'`)
		if section == where && key == string(a) {
			return i + 1
		}
		if fallback == 0 && (key == string(a) || key == last) {
			fallback = i + 1
		}
	}
	return fallback
}

func sortedKeys(m map[string]any) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}
