package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func (a *app) manCommand() *cobra.Command {
	return &cobra.Command{
		Use: "man", Short: "Print the manual page", Args: cobra.NoArgs,
		Long: "man prints the manual page: a2ascope man | man -l -",
		RunE: a.does(func(cmd *cobra.Command, _ []string) error { return writeManual(a.out, cmd.Root()) }),
	}
}

// writeManual writes the commands and flags as a manual page.
func writeManual(w io.Writer, root *cobra.Command) error {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH A2ASCOPE 1 \"\" \"a2ascope %s\"\n.SH NAME\na2ascope \\- %s\n", roff(Version()), roff(root.Short))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n.B %s\n.br\n.B a2ascope\n.I COMMAND\n.SH DESCRIPTION\n%s\n", roff(root.Use), roff(root.Long))
	manualFlags(&b, root.NonInheritedFlags())
	b.WriteString(".SH COMMANDS\n")
	walk(root, func(c *cobra.Command) {
		if c == root {
			return
		}
		text := c.Long
		if text == "" {
			text = c.Short + "."
		}
		fmt.Fprintf(&b, ".SS %s\n%s\n", roff(strings.TrimSpace(strings.TrimPrefix(c.Parent().CommandPath(), root.Name())+" "+c.Use)), roff(text))
		manualFlags(&b, c.NonInheritedFlags())
	})
	b.WriteString(".SH FILES\n\"a2ascope config path\" prints them.\n")
	_, err := io.WriteString(w, b.String())
	return err
}

func manualFlags(b *strings.Builder, set *pflag.FlagSet) {
	set.VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			name, help := flagText(f)
			fmt.Fprintf(b, ".TP\n.B %s\n%s\n", roff(name), roff(help))
		}
	})
}

// flagText is a flag's name with its value, and its help with its default.
func flagText(f *pflag.Flag) (name, help string) {
	value, help := pflag.UnquoteUsage(f)
	if value == f.Value.Type() { // it has no word of its own in the help
		value = map[string]string{"duration": "D", "int": "N", "form": "FORM"}[value]
	}
	name = "--" + f.Name
	if f.Shorthand != "" {
		name = "-" + f.Shorthand + ", " + name
	}
	if value != "" {
		name += " " + value
	}
	if d := f.DefValue; d != "" && d != "false" && d != "[]" && !strings.Contains(help, "(default") {
		help += " (default " + d + ")"
	}
	return name, help
}

// walk visits the commands in order, parents first, without help and
// completion, which cobra brings.
func walk(c *cobra.Command, visit func(*cobra.Command)) {
	if c.Hidden || c.Name() == "help" {
		return
	}
	visit(c)
	for _, child := range c.Commands() {
		walk(child, visit)
	}
}

// roff escapes text for a manual page.
func roff(text string) string {
	text = strings.ReplaceAll(text, `\`, `\e`)
	text = strings.ReplaceAll(text, "-", `\-`)
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, ".") || strings.HasPrefix(l, "'") {
			lines[i] = `\&` + l
		}
		if l == "" {
			lines[i] = ".PP"
		}
	}
	return strings.Join(lines, "\n")
}
