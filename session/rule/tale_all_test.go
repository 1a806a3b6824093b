package rule_test

import (
	"testing"

	"a2ascope/session"
	"a2ascope/session/rule"
)

// toldElsewhere names the rules whose cases another test tells, and that test.
var toldElsewhere = map[string]string{}

// TestEveryRuleHasItsTales: in one it speaks as it should, in another it has
// no cause to.
func TestEveryRuleHasItsTales(t *testing.T) {
	t.Parallel()
	speaks, silent := map[string]bool{}, map[string]bool{}
	for _, tc := range tales {
		r, _ := rule.ByID(tc.rule)
		switch {
		case tc.says == string(r.Severity) && r.Severity != "" || r.Severity == "" && tc.says != "":
			speaks[tc.rule] = true
		case tc.says == "" || r.Severity.Contradicts() && !session.Severity(tc.says).Contradicts():
			silent[tc.rule] = true
		}
	}
	for _, r := range rule.Rules {
		if toldElsewhere[r.ID] != "" {
			continue
		}
		if !speaks[r.ID] {
			t.Errorf("no tale in which %s speaks", r.ID)
		}
		if !silent[r.ID] {
			t.Errorf("no tale in which %s has no cause to speak", r.ID)
		}
	}
}
