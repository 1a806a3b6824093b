package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// argNames are the arguments that commands name in their usage, as a sentence
// calls them: one, and two of them.
var argNames = map[string][2]string{
	"URL":          {"a URL", "two URLs"},
	"SESSION":      {"a session", "two sessions"},
	"FILE|SESSION": {"a recording (FILE or SESSION)", "two recordings (FILE or SESSION)"},
	"FILE":         {"a file", "two files"},
	"TEXT":         {"a text", "two texts"},
	"SCENARIO":     {"a scenario", "two scenarios"},
}

// sayArguments has a command and those below it say in words what they need
// where the arguments are too few or too many.
func sayArguments(c *cobra.Command) {
	c.SuggestionsMinimumDistance = 2
	if count := c.Args; count != nil {
		c.Args = func(c *cobra.Command, args []string) error {
			if count(c, args) == nil {
				return nil
			}
			return wrongLine(wrongArguments(c, args, count))
		}
	}
	for _, below := range c.Commands() {
		sayArguments(below)
	}
}

// wrongLine is a mistake that is answered with a pointer at --help.
func wrongLine(err error) error {
	return &exitError{status: statusUsage, err: err, hint: true}
}

func wrongArguments(c *cobra.Command, args []string, count cobra.PositionalArgs) error {
	if len(args) > 0 && (!c.HasParent() || c.HasSubCommands()) {
		if err := mistyped(c, args[0]); err != nil {
			return err
		}
	}
	name := strings.TrimPrefix(c.CommandPath(), c.Root().Name()+" ")
	named := argumentsOf(c)
	switch {
	case named == "":
		return fmt.Errorf("%s takes no arguments", name)
	case count(c, nil) == nil: // none is enough
		return fmt.Errorf("%s takes %s, not %d arguments", name, named, len(args))
	case len(args) > 0 && count(c, args[:len(args)-1]) == nil || len(args) > 2:
		return fmt.Errorf("%s needs %s, not %d arguments", name, named, len(args))
	}
	return fmt.Errorf("%s needs %s", name, named)
}

// argumentsOf says in words what a command's usage names; "" for nothing.
func argumentsOf(c *cobra.Command) string {
	_, use, _ := strings.Cut(c.Use, " ")
	words := strings.Fields(use)
	if len(words) == 2 && words[0] == words[1] {
		return argNames[words[0]][1]
	}
	var named []string
	for _, w := range words {
		one := argNames[strings.Trim(w, "[]…")][0]
		if one == "" {
			one = w
		}
		if strings.HasSuffix(w, "…") {
			one = "at least one" + strings.TrimPrefix(one, "a")
		}
		named = append(named, one)
	}
	return strings.Join(named, " and ")
}

// mistyped says that a word is no command, and which one it is close to. It is
// nil for a word that the command may take: an address, or a scenario.
func mistyped(c *cobra.Command, word string) error {
	near := ""
	if list := c.SuggestionsFor(word); len(list) > 0 {
		near = "; did you mean " + strings.Join(list, " or ") + "?"
	}
	switch {
	case c.HasParent() && argumentsOf(c) == "":
		return fmt.Errorf("%q is no command of %s%s", word, c.CommandPath(), near)
	case !c.HasParent() && !addressLike(word):
		return fmt.Errorf("%q is neither a command nor an address such as https://agents.example/research or demo:honest%s", word, near)
	}
	return nil
}

// flagMistake answers a flag that the program itself does not have behind a
// word that is no command: the word is the mistake.
func flagMistake(c *cobra.Command, err error) error {
	if words := c.Flags().Args(); !c.HasParent() && len(words) > 0 {
		if word := mistyped(c, words[0]); word != nil {
			return wrongLine(word)
		}
	}
	return err
}

// addressLike tells what may be an address from a word.
func addressLike(s string) bool { return strings.ContainsAny(s, ".:/[") || s == "localhost" }
