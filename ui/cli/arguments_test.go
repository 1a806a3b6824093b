package cli_test

import (
	"strings"
	"testing"
)

// A line with too few or too many arguments, or a mistyped command, is
// answered with what is needed, in words.
func TestArguments(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for line, want := range map[string]string{
		"relpay":                     "did you mean replay?",
		"relpay x":                   "did you mean replay?",
		"relpay x --fast":            "did you mean replay?",
		"histroy list x y":           "did you mean history?",
		"history shwo x":             `"shwo" is no command of a2ascope history; did you mean show?`,
		"https://a.example/ b":       "a2ascope takes a URL, not 2 arguments",
		"run https://a.example/ b":   "run takes a URL, not 2 arguments",
		"demo honest b":              "demo takes a scenario, not 2 arguments",
		"rerun":                      "rerun needs a recording (FILE or SESSION) and a URL\n",
		"rerun last":                 "rerun needs a recording (FILE or SESSION) and a URL\n",
		"rerun last demo:honest x":   "rerun needs a recording (FILE or SESSION) and a URL, not 3 arguments",
		"replay":                     "replay needs a recording (FILE or SESSION)\n",
		"replay a b":                 "replay needs a recording (FILE or SESSION), not 2 arguments",
		"compare last":               "compare needs two recordings (FILE or SESSION)\n",
		"rejudge":                    "rejudge needs a session\n",
		"export":                     "export needs a session\n",
		"history show":               "history show needs a session\n",
		"history verify":             "history verify needs at least one session\n",
		"history search":             "history search needs a text\n",
		"history list x":             "history list takes no arguments\n",
		"import":                     "import needs at least one file\n",
		"probe":                      "probe needs at least one URL\n",
		"replay last --no-such-flag": "unknown flag: --no-such-flag",
	} {
		r := b.run(strings.Fields(line)...)
		if r.status != 2 || !strings.Contains(r.err, want) || strings.Contains(r.err, "arg(s)") || strings.Count(r.err, "\n") > 2 {
			t.Errorf("%s: status %d, %q does not say %q", line, r.status, r.err, want)
		}
	}
}
