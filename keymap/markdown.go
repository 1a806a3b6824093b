package keymap

import (
	"fmt"
	"strings"
)

// Markdown writes the table as docs/keys.md.
func (m *Map) Markdown() string {
	var b strings.Builder
	b.WriteString(`# Keys

<!-- Generated from keymap/table.go: go test ./keymap -update -->

Every key of the console. The footer shows those that matter where you are, ` + "`?`" + ` all that hold there, and
` + "`ctrl+p`" + ` every action by name.

Your own keys stand in ` + "`$XDG_CONFIG_HOME/a2ascope/keys.toml`" + ` (` + "`~/.config/a2ascope/keys.toml`" + `): an action and
its key or keys, in a section named after the context where an action has several. What is wrong in the file is
reported with its line when the console starts, and the rest of it holds.

` + "```toml" + `
"task.cancel" = "X"
"move.down"   = ["j", "down", "ctrl+n"]

[wire]
"list.open"   = ["enter", "i"]
` + "```" + `
`)
	for _, c := range Contexts {
		fmt.Fprintf(&b, "\n## %s (`%s`)\n\n| Key | Action | What it does |\n|---|---|---|\n", c.Title(), c)
		for _, x := range m.In(c) {
			help := x.Help
			if x.Dangerous {
				help += " (asks first)"
			}
			fmt.Fprintf(&b, "| %s | `%s` | %s |\n", codes(x.Keys), x.Action, help)
		}
	}
	return b.String()
}

func codes(keys []string) string {
	out := make([]string, len(keys))
	for i, k := range keys {
		out[i] = "`" + strings.ReplaceAll(k, "|", `\|`) + "`"
	}
	return strings.Join(out, " ")
}
