package cli_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"a2ascope/session"
	"a2ascope/ui/cli"
)

var update = flag.Bool("update", false, "write docs/commands.md and docs/flags.md")

func TestGeneratedDocs(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{"commands.md": commandsDoc(), "flags.md": flagsDoc(cli.Commands())} {
		path := filepath.Join("..", "..", "docs", name)
		if *update {
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != text {
			t.Errorf("docs/%s is stale: go test ./ui/cli -update", name)
		}
	}
}

// The commands that README.md shows are commands.
func TestREADMECommands(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, block := range strings.Split(string(text), "```sh\n")[1:] {
		block, _, _ = strings.Cut(block, "```")
		for _, part := range strings.Split(block, "-c ")[1:] {
			line, _, _ := strings.Cut(strings.TrimSuffix(strings.TrimSpace(part), "\\"), "\n")
			if quoted, ok := strings.CutPrefix(line, "'"); ok {
				line, _, _ = strings.Cut(quoted, "'")
			} else {
				line, _, _ = strings.Cut(line, " ")
			}
			found++
			if _, err := session.ParseCommand(line); err != nil {
				t.Errorf("README.md: %q: %v", line, err)
			}
		}
	}
	if found < 4 {
		t.Errorf("README.md shows %d commands", found)
	}
}

const commandsHead = `# Commands

<!-- Generated from the table of commands: go test ./ui/cli -update -->

One language for the console's command line (` + "`:`" + `), for scripts and for ` + "`run -c`" + `. Every key of the console stands for one of these lines, and the log of a session holds them.

- A line is one command. Words are separated by blanks. ` + "`'…'`" + ` is literal; ` + "`\"…\"`" + ` knows ` + "`\\\" \\\\ \\n \\t \\uXXXX`" + `. A line that starts with ` + "`#`" + ` is a comment.
- There are no variables or globs. ` + "`$NAME`" + ` as the value of ` + "`auth`" + ` or ` + "`header`" + ` is read from the environment when the command runs; the log keeps the name, never the value.
- For TEXT and REASON the remaining words are joined by one blank. Flags may stand anywhere; ` + "`--`" + ` ends them.
- ` + "`--task N|ID`" + ` names a task: its number from 1, its correlation id or a server's id. Without it the command acts on the current task: the one created last, or named by ` + "`use`" + `.
- ` + "` &`" + ` at the end of a line: go on without waiting for the command's end.
- Durations are written as in Go: ` + "`500ms`, `2m`" + `.

A command that the agent refuses has been done, and a script goes on. One that cannot be carried out stops the script with status 2.

## When a command is over

| command | is over |
|---|---|
| ` + "`discover`" + ` | when a card was found, or every place was tried |
| ` + "`send` `resume` `get` `list` `push` `raw` `extended-card`" + ` | when the answer is there |
| ` + "`stream` `resubscribe` `resume --stream`" + ` | at the first event, a refusal, or the end of the window; the stream goes on |
| ` + "`poll`" + ` | when what it waits for is so, at ` + "`--max`" + `, or when the task waits for input |
| ` + "`cancel`" + ` | when reads agree that the task is canceled and its streams are closed or were watched for ` + "`--cancel-watch`" + `; at once when the answer is anything else |
| ` + "`wait`" + ` | when what it waits for is so, cannot become so, or ` + "`--for`" + ` ran out (status 5) |
| all others | at once |

` + "`wait settled`" + ` is over when the task is at an end that reads confirmed, when it was answered by a message, refused or lost, and also when it waits for input.

`

func commandsDoc() string {
	var b strings.Builder
	b.WriteString(commandsHead)
	b.WriteString("## All commands\n\n| command | does |\n|---|---|\n")
	for _, u := range session.Usages() {
		fmt.Fprintf(&b, "| [%s](#%s) | %s |\n", u.Name, u.Name, cell(u.Help))
	}
	for _, u := range session.Usages() {
		fmt.Fprintf(&b, "\n### %s\n\n%s.\n\n```\n%s\n```\n", u.Name, sentence(u.Help), u.Synopsis)
		if len(u.Flags) > 0 {
			b.WriteString("\n| flag | |\n|---|---|\n")
			for _, f := range u.Flags {
				more := ""
				if f.Repeat {
					more = " (may be repeated)"
				}
				fmt.Fprintf(&b, "| `%s` | %s%s |\n", cell(strings.TrimSpace(f.Name+" "+f.Value)), cell(f.Help), more)
			}
		}
		if len(u.Examples) > 0 {
			fmt.Fprintf(&b, "\nFor example:\n\n```\n%s\n```\n", strings.Join(u.Examples, "\n"))
		}
	}
	return b.String()
}

func flagsDoc(root *cobra.Command) string {
	var b strings.Builder
	b.WriteString("# The command line\n\n<!-- Generated from the commands of the binary: go test ./ui/cli -update -->\n\n")
	b.WriteString("`a2ascope COMMAND --help` prints the same. docs/commands.md lists the commands of a session.\n\n")
	b.WriteString("Anywhere a URL is asked for, `demo:SCENARIO` or `demo:SCENARIO@0.3` starts an embedded agent.\n\n")
	b.WriteString("## Exit statuses of `run`\n\nThe first that applies:\n\n| status | reason | |\n|---|---|---|\n")
	for _, row := range [][3]string{
		{"2", "", "the line or a command is wrong; no document is printed"},
		{"6", session.ReasonLog, "the log could not be written"},
		{"1", session.ReasonContradicted, "a claim was contradicted"},
		{"4", session.ReasonCredentials, "our credentials were refused (401, 403), and nothing but the card was served"},
		{"3", session.ReasonUnreachable, "no answer to discovery, or the last exchange failed in transport"},
		{"5", session.ReasonWait, "a wait or poll ran out"},
		{"0", "", "none of these; a failed or rejected task is no status of its own"},
		{"129, 130, 143", session.ReasonSignal, "a signal ended the session; the document is printed all the same"},
	} {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", row[0], row[1], row[2])
	}
	b.WriteString("\nOf the other commands: 0 done, 1 not done (a broken chain, nothing found), 2 the line is wrong, 6 the log cannot be opened.\n\n## Flags of every command\n")
	flagTable(&b, root.PersistentFlags())
	cli.Walk(root, func(c *cobra.Command) {
		path := c.CommandPath()
		if c == root {
			path = root.Use
		} else if c.HasParent() {
			path = c.Parent().CommandPath() + " " + c.Use
		}
		fmt.Fprintf(&b, "\n## %s\n\n%s.\n", cell(strings.TrimSpace(path)), sentence(c.Short))
		set := pflag.NewFlagSet("", pflag.ContinueOnError)
		c.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
			if f.Name != "help" && f.Name != "version" {
				set.AddFlag(f)
			}
		})
		if c.CommandPath() == "a2ascope demo" {
			b.WriteString("\nIt takes the flags of a2ascope itself.\n")
			return
		}
		flagTable(&b, set)
	})
	return b.String()
}

func flagTable(b *strings.Builder, set *pflag.FlagSet) {
	if !set.HasAvailableFlags() {
		return
	}
	b.WriteString("\n| flag | |\n|---|---|\n")
	set.VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			name, help := cli.FlagText(f)
			fmt.Fprintf(b, "| `%s` | %s |\n", cell(name), cell(help))
		}
	})
}

// cell keeps a text within its cell of a table.
func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }

// sentence begins with a capital.
func sentence(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
