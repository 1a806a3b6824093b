package keymap

import (
	"slices"

	"charm.land/bubbles/v2/key"
)

// Action is what a key does, by a stable id ("task.cancel"). A user's file
// and the palette name actions by it.
type Action string

// Context is where a key holds.
type Context string

// The contexts. More than one is in force at a time: a pane, its screen, the
// movements and everywhere, in this order.
const (
	Everywhere Context = "everywhere"
	Move       Context = "movement" // lists, logs and long texts
	Peers      Context = "peers"
	History    Context = "history"
	Session    Context = "session" // outside of the text fields
	Task       Context = "task"    // the panes of the session screen
	Wire       Context = "wire"
	Claims     Context = "claims"
	Detail     Context = "detail"
	Message    Context = "message" // the text field for messages
	Line       Context = "line"    // one-line fields: command, filter, search
	Found      Context = "found"   // a list that a filter narrows
	Past       Context = "past"    // a session as of an earlier record
	Dialog     Context = "dialog"  // a question
)

// Contexts lists every context in the order of the documentation.
var Contexts = []Context{Everywhere, Move, Peers, History, Session, Task, Wire, Claims, Detail, Past, Found, Message, Line, Dialog}

var titles = map[Context]string{
	Everywhere: "Everywhere", Move: "Moving in lists, logs and texts", Peers: "Peers", History: "History",
	Session: "Session", Task: "Session: the task", Wire: "Session: the wire log", Claims: "Session: declared against observed",
	Detail: "Session: the detail", Past: "Session: as of an earlier record", Found: "Where a filter is on", Message: "Session: writing a message", Line: "Command line, filter and search", Dialog: "Questions",
}

// Title is the context's name for people.
func (c Context) Title() string { return titles[c] }

// Binding is one action in one context, with its keys.
type Binding struct {
	Action  Action
	Context Context
	Keys    []string // as Bubble Tea names them: "s", "ctrl+p", "shift+tab"
	Name    string   // one or two words, for the footer and the palette
	Help    string   // one line that says what it does
	// Footer is set for keys that the footer shows, in the table's order.
	Footer bool
	// Dangerous actions change something at the peer that cannot be undone:
	// they ask first, and a read-only console refuses them.
	Dangerous bool
	// Writes is set for actions that add to the session's log.
	Writes bool
}

// Bubble is the binding as Bubbles knows one, for its help.
func (b Binding) Bubble() key.Binding {
	first := ""
	if len(b.Keys) > 0 {
		first = Show(b.Keys[0])
	}
	return key.NewBinding(key.WithKeys(b.Keys...), key.WithHelp(first, b.Name))
}

// Map is a table of bindings. The zero Map knows no key.
type Map struct {
	bindings []Binding
	byKey    map[Context]map[string]int
}

// Default returns the built-in table.
func Default() *Map { return build(table()) }

func build(bindings []Binding) *Map {
	m := &Map{bindings: bindings, byKey: map[Context]map[string]int{}}
	for i, b := range bindings {
		keys := m.byKey[b.Context]
		if keys == nil {
			keys = map[string]int{}
			m.byKey[b.Context] = keys
		}
		for _, k := range b.Keys {
			if _, taken := keys[k]; !taken { // the first one in the table wins
				keys[k] = i
			}
		}
	}
	return m
}

// Lookup returns what a key does where the given contexts are in force: the
// first context that knows the key decides.
func (m *Map) Lookup(key string, contexts ...Context) (Binding, bool) {
	for _, c := range contexts {
		if i, ok := m.byKey[c][key]; ok {
			return m.bindings[i], true
		}
	}
	return Binding{}, false
}

// In returns the bindings of one context, in the table's order.
func (m *Map) In(c Context) []Binding {
	var out []Binding
	for _, b := range m.bindings {
		if b.Context == c {
			out = append(out, b)
		}
	}
	return out
}

// All returns every binding in the table's order.
func (m *Map) All() []Binding { return slices.Clone(m.bindings) }

// Of returns the first binding of an action, preferring the given contexts.
func (m *Map) Of(a Action, contexts ...Context) (Binding, bool) {
	found, ok := Binding{}, false
	for _, b := range m.bindings {
		if b.Action != a {
			continue
		}
		if slices.Contains(contexts, b.Context) {
			return b, true
		}
		if !ok {
			found, ok = b, true
		}
	}
	return found, ok
}

// Key returns the key to show for an action: its first, as Show writes it;
// empty when it has none.
func (m *Map) Key(a Action, contexts ...Context) string {
	b, ok := m.Of(a, contexts...)
	if !ok || len(b.Keys) == 0 {
		return ""
	}
	return Show(b.Keys[0])
}

// Show writes a key for people.
func Show(key string) string {
	switch key {
	case "space":
		return "space"
	case "up":
		return "↑"
	case "down":
		return "↓"
	case "left":
		return "←"
	case "right":
		return "→"
	case "pgup":
		return "PgUp"
	case "pgdown":
		return "PgDn"
	case "home":
		return "Home"
	case "end":
		return "End"
	}
	return key
}
