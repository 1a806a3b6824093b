package session

import (
	"strings"
	"testing"
)

func TestUsagesAreComplete(t *testing.T) {
	t.Parallel()
	used := map[string]bool{}
	names := map[string]bool{}
	for _, u := range Usages() {
		if names[u.Name] {
			t.Errorf("%s stands twice in the table", u.Name)
		}
		names[u.Name] = true
		if !strings.HasPrefix(u.Synopsis, u.Name) || u.Help == "" || strings.Contains(u.Help, "\n") || len(u.Examples) == 0 || u.read == nil {
			t.Errorf("%s: incomplete", u.Name)
		}
		for _, f := range u.Flags {
			used[f.Name] = true
			if flagSetters[f.Name] == nil {
				t.Errorf("%s: nothing reads %s", u.Name, f.Name)
			}
			if f.Help == "" || !strings.HasPrefix(f.Name, "--") {
				t.Errorf("%s: %s is incomplete", u.Name, f.Name)
			}
		}
	}
	for name := range flagSetters {
		if !used[name] {
			t.Errorf("no command has %s", name)
		}
	}
	// The commands of the documentation, and no others.
	want := strings.Fields("discover interface endpoint header auth send stream resume resubscribe detach get poll cancel list redispatch push extended-card use tasks decisions wait probe prompt raw demote restore confirm overrule note mark save export")
	for _, name := range want {
		if !names[name] {
			t.Errorf("%s is missing", name)
		}
	}
	if len(names) != len(want) {
		t.Errorf("%d commands, want %d", len(names), len(want))
	}
}

func TestUsageExamplesParse(t *testing.T) {
	t.Parallel()
	for _, u := range Usages() {
		for _, e := range u.Examples {
			c, err := ParseCommand(e)
			if err != nil {
				t.Errorf("%s: %v", e, err)
			} else if c.Name != u.Name {
				t.Errorf("%s is read as %s", e, c.Name)
			}
		}
	}
}

func TestEverySwitchAndFlagIsAccepted(t *testing.T) {
	t.Parallel()
	values := map[string]string{
		"JSON|@FILE": "{}", "PATH[;type=MIME]": "p;type=text/plain", "MIME": "text/plain", "current|ID": "current", "N|ID": "1",
		"N": "3", "D": "2s", "settled|STATE": "settled", "ID": "c", "S": "working", "URL": "https://a.example", "V": "9.9",
		"credentials|extensions": "credentials",
	}
	for _, u := range Usages() {
		for _, f := range u.Flags {
			line := u.Examples[0]
			if u.Name == "wait" {
				line = "wait settled"
			}
			if f.Name == "--again" {
				line = u.Name
			}
			line += " " + f.Name
			if f.Value != "" {
				v, ok := values[f.Value]
				if !ok {
					t.Fatalf("%s %s: no example of %s", u.Name, f.Name, f.Value)
				}
				line += "=" + v
			}
			if _, err := ParseCommand(line); err != nil {
				t.Errorf("%s: %v", line, err)
			}
		}
	}
}
