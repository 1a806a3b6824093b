package keymap

import (
	"flag"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write docs/keys.md")

func TestEveryKeyMeansOneThingWhereItHolds(t *testing.T) {
	t.Parallel()
	type place struct {
		c Context
		k string
	}
	seen := map[place]Action{}
	for _, b := range Default().All() {
		if b.Name == "" || b.Help == "" || b.Context.Title() == "" {
			t.Errorf("%s in %s has no name, help or context title", b.Action, b.Context)
		}
		if len(b.Keys) == 0 {
			t.Errorf("%s in %s has no key", b.Action, b.Context)
		}
		for _, k := range b.Keys {
			if other, taken := seen[place{b.Context, k}]; taken {
				t.Errorf("%s in %s is both %s and %s", k, b.Context, other, b.Action)
			}
			seen[place{b.Context, k}] = b.Action
		}
	}
}

func TestAScreenShadowsOnlyWhatItMeansTo(t *testing.T) {
	t.Parallel()
	meant := map[string]bool{"[": true, "]": true, "enter": true}
	m := Default()
	for _, pane := range []Context{Task, Wire, Claims, Detail} {
		for _, b := range m.In(pane) {
			for _, k := range b.Keys {
				if outer, ok := m.Lookup(k, Session, Move, Everywhere); ok && !meant[k] {
					t.Errorf("%s in %s hides %s", k, pane, outer.Action)
				}
			}
		}
	}
	for _, screen := range []Context{Session, Peers, History} {
		for _, b := range m.In(screen) {
			for _, k := range b.Keys {
				if outer, ok := m.Lookup(k, Move, Everywhere); ok {
					t.Errorf("%s in %s hides %s", k, screen, outer.Action)
				}
			}
		}
	}
}

func TestLookupPrefersTheInnermostContext(t *testing.T) {
	t.Parallel()
	m := Default()
	for _, c := range []struct {
		key      string
		contexts []Context
		want     Action
	}{
		{"]", []Context{Detail, Session}, TabNext},
		{"]", []Context{Wire, Session}, TaskNext},
		{"c", []Context{Wire, Session, Move, Everywhere}, Cancel},
		{"c", []Context{Peers, Move, Everywhere}, ""},
		{"ctrl+c", []Context{Peers, Everywhere}, Quit},
	} {
		if b, _ := m.Lookup(c.key, c.contexts...); b.Action != c.want {
			t.Errorf("%s in %v: %q, want %q", c.key, c.contexts, b.Action, c.want)
		}
	}
}

func TestLoad(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, file string
		key        string
		contexts   []Context
		want       Action
		problems   []string
	}{
		{name: "nothing", file: "", key: "c", contexts: []Context{Session}, want: Cancel},
		{name: "one key", file: `"task.cancel" = "X"`, key: "X", contexts: []Context{Session}, want: Cancel},
		{name: "the old key is gone", file: `"task.cancel" = "X"`, key: "c", contexts: []Context{Session}, want: ""},
		{name: "dotted", file: `task.cancel = ["X", "ctrl+x"]`, key: "ctrl+x", contexts: []Context{Session}, want: Cancel},
		{name: "in a section", file: "[wire]\n\"list.open\" = \"i\"", key: "i", contexts: []Context{Wire}, want: Open},
		{name: "not elsewhere", file: "[wire]\n\"list.open\" = \"i\"", key: "i", contexts: []Context{Peers}, want: ""},
		{name: "unknown action", file: "# mine\n\"task.explode\" = \"X\"\n\"task.cancel\" = \"Z\"", key: "Z", contexts: []Context{Session}, want: Cancel,
			problems: []string{`keys.toml:2: no action "task.explode": docs/keys.md lists them`}},
		{name: "wrong section", file: "[peers]\n\"task.cancel\" = \"X\"", key: "c", contexts: []Context{Session}, want: Cancel,
			problems: []string{`keys.toml:2: no action "task.cancel" in peers`}},
		{name: "conflict", file: `"task.cancel" = "s"`, key: "s", contexts: []Context{Session}, want: Send,
			problems: []string{`keys.toml:1: s in session is both task.cancel and task.send: the first in docs/keys.md holds`}},
		{name: "two of the file", file: "\"task.cancel\" = \"X\"\n\"task.poll\" = \"X\"", key: "X", contexts: []Context{Session}, want: Cancel,
			problems: []string{`keys.toml:1: X in session is both task.cancel and task.poll: the first in docs/keys.md holds`}},
		{name: "no TOML", file: "a = \n", key: "c", contexts: []Context{Session}, want: Cancel,
			problems: []string{`keys.toml:1: `}},
		{name: "no key", file: `"task.cancel" = 7`, key: "c", contexts: []Context{Session}, want: Cancel,
			problems: []string{`keys.toml:1: task.cancel: a key or a list of keys is needed, not 7`}},
		{name: "the way out stays", file: `"task.cancel" = "ctrl+c"`, key: "ctrl+c", contexts: []Context{Session, Everywhere}, want: Quit,
			problems: []string{`keys.toml:1: task.cancel: ctrl+c always gets out and cannot be given away`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			m, problems := Load("keys.toml", []byte(c.file))
			if b, _ := m.Lookup(c.key, c.contexts...); b.Action != c.want {
				t.Errorf("%s: %q, want %q", c.key, b.Action, c.want)
			}
			if len(problems) != len(c.problems) {
				t.Fatalf("problems %v, want %v", problems, c.problems)
			}
			for i, p := range problems {
				if !strings.HasPrefix(p.Error(), c.problems[i]) {
					t.Errorf("problem %q, want %q", p.Error(), c.problems[i])
				}
			}
		})
	}
}

func TestTheWayOutCannotBeTakenAway(t *testing.T) {
	t.Parallel()
	m, problems := Load("keys.toml", []byte(`"app.quit" = []`))
	if b, _ := m.Lookup("ctrl+c", Everywhere); b.Action != Quit {
		t.Errorf("ctrl+c is %q", b.Action)
	}
	if len(problems) != 1 {
		t.Errorf("problems %v, want one", problems)
	}
}

func TestDocumentationOfKeysIsFresh(t *testing.T) {
	t.Parallel()
	const path = "../docs/keys.md"
	want := Default().Markdown()
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Error("docs/keys.md is stale: go test ./keymap -update")
	}
}

func FuzzLoad(f *testing.F) {
	f.Add([]byte(`"task.cancel" = ["X"]`))
	f.Add([]byte("[wire]\nlist.open = 'i'"))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, _ := Load("keys.toml", data)
		if b, _ := m.Lookup("ctrl+c", Everywhere); b.Action != Quit {
			t.Errorf("ctrl+c is %q", b.Action)
		}
	})
}
