package rule_test

import (
	"slices"
	"strings"
	"testing"

	"a2ascope/session"
	"a2ascope/session/a2a"
)

// TestMissingKeySaysHow: what could not be checked for want of a key names the
// flag that gives one, and what no key would help does not.
func TestMissingKeySaysHow(t *testing.T) {
	t.Parallel()
	for result, says := range map[string]bool{session.SigNoKey: true, session.SigUnknown: false, session.SigUnreadable: false} {
		s := newScribe(t, a2a.Gen10, nil)
		signatures(result)(s)
		i := slices.IndexFunc(s.state.Observed, func(o *session.ObservedState) bool { return o.Rule == "signature.unchecked" })
		if i < 0 {
			t.Fatalf("%s: nothing was said", result)
		}
		if d := s.state.Observed[i].Detail; strings.Contains(d, "--card-key FILE") != says {
			t.Errorf("%s: it says %q; names the flag: want %t", result, d, says)
		}
	}
}
