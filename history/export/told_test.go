package export

import (
	"strings"
	"testing"

	"a2ascope/session"
)

// Answers of curl end with a line end, or the next would begin behind them.
func TestCurlAnswersApart(t *testing.T) {
	t.Parallel()
	for _, name := range recorded {
		for _, format := range []string{"curl", "md"} {
			got := exported(t, load(t, name), format, Options{})
			if n := strings.Count(got, "curl -sS"); n == 0 || n != strings.Count(got, `curl -sS -i -w '\n'`) {
				t.Errorf("%s as %s: not each of %d commands ends its answer's line", name, format, n)
			}
		}
	}
}

// What was seen is a sentence, which counts what it does not tell.
func TestObserved(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		title, detail string
		count         int
		want          string
	}{
		{"a title", "", 1, "A title."},
		{"a title", "a detail.", 0, "A detail."},
		{"a title", "a detail", 2, "A detail, and one more such event."},
		{"a title", "a detail.", 11, "A detail, and 10 more such events."},
		{"a title", "a detail that was cut…", 1, "A detail that was cut…"},
		{"a title", "a detail\non two lines", 3, "A detail on two lines, and 2 more such events."},
		{"a title", "text/plain was refused", 1, "text/plain was refused."},
	} {
		f := &told{FindingState: &session.FindingState{Finding: session.Finding{Title: c.title, Detail: c.detail, Count: c.count}}}
		if got := observed(f); got != c.want {
			t.Errorf("%q seen %d times: %q, want %q", c.detail, c.count, got, c.want)
		}
	}
}

// Whoever gets a report learns what a2ascope is, from which version its
// commands work, where they are documented and how to come by it.
func TestReportSaysWhatItWasMadeWith(t *testing.T) {
	t.Parallel()
	records := load(t, "leaky-cancel")
	for tool, version := range map[string]string{"a2ascope 1.0.0": "from version `1.0.0` on", "": "with a development build (`dev`)"} {
		for _, format := range []string{"md", "html"} {
			got := strings.NewReplacer("<code>", "`", "</code>", "`").Replace(exported(t, records, format, Options{Tool: tool}))
			for _, want := range []string{
				"a2ascope is a terminal program", version, "`a2ascope run --help`", "docs/commands.md",
				"asks whoever sent this report for the a2ascope binary, or builds it from its source",
			} {
				if !strings.Contains(got, want) {
					t.Errorf("%s by %q does not say %q", format, tool, want)
				}
			}
		}
	}
}
