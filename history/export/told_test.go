package export

import (
	"strings"
	"testing"
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
