package rule

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"

	"a2ascope/session"
)

var update = flag.Bool("update", false, "write docs/rules.md anew")

// TestRulesDocument keeps docs/rules.md the catalogue of what is here.
func TestRulesDocument(t *testing.T) {
	t.Parallel()
	path := filepath.Join("..", "..", "docs", "rules.md")
	want := catalogue()
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Error("docs/rules.md is stale: go test ./session/rule -run RulesDocument -update")
	}
}

func catalogue() string {
	var b strings.Builder
	b.WriteString("# The rules\n\nGenerated from `session/rule`; do not edit. A finding of severity critical or major contradicts its claim; minor and info change nothing.\nThe peer is the embedded one that shows the rule (`a2ascope run demo:NAME`).\n\nSources: sections are those of the A2A specification of the version named. Field notes 000 to 004 are the incident reports that this program was built from; field cases are numbered in [field-cases.md](field-cases.md).\n")
	for _, claim := range session.Claims {
		var rows []Rule
		for _, r := range Rules {
			if r.Claim == claim {
				rows = append(rows, r)
			}
		}
		if len(rows) == 0 {
			continue
		}
		fmt.Fprintf(&b, "\n## %s\n", claim)
		for _, r := range rows {
			severity := string(r.Severity)
			if severity == "" {
				severity = "observation"
			}
			fmt.Fprintf(&b, "\n### `%s` (%s)\n\n%s.\n\n- Source: %s\n", r.ID, severity, capital(r.Title), r.Source)
			if r.Advice != "" {
				fmt.Fprintf(&b, "- Advice: %s\n", r.Advice)
			}
			if r.Disproof != "" {
				fmt.Fprintf(&b, "- What would prove it wrong: %s\n", r.Disproof)
			}
			if r.Peer != "" {
				fmt.Fprintf(&b, "- Peer: `%s`\n", r.Peer)
			}
		}
	}
	b.WriteString("\n## Names from the field\n\nWhat public reports call a misbehaviour, the claim it belongs to, and the rule that judges it. Without a rule it is tolerated, or shown without a finding.\n\n| name | claim | rule |\n|---|---|---|\n")
	for _, f := range FieldNames {
		r := "–"
		if f.Rule != "" {
			r = "`" + f.Rule + "`"
		}
		fmt.Fprintf(&b, "| %s | `%s` | %s |\n", f.Name, f.Claim, r)
	}
	return b.String()
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// TestRulesAreComplete: ids are unique and of their family, and a rule that
// accuses says what for, what to do and what would prove it wrong.
func TestRulesAreComplete(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, r := range Rules {
		if seen[r.ID] {
			t.Errorf("two rules are called %s", r.ID)
		}
		seen[r.ID] = true
		if !r.Claim.Known() || r.Title == "" || r.Source == "" || len(r.On) == 0 || r.Judge == nil {
			t.Errorf("%s is not whole", r.ID)
		}
		if r.Severity != "" && (r.Advice == "" || r.Disproof == "") {
			t.Errorf("%s accuses without advice, or without what would prove it wrong", r.ID)
		}
	}
	if !sort.SliceIsSorted(FieldNames, func(i, j int) bool { return FieldNames[i].Name < FieldNames[j].Name }) {
		t.Error("FieldNames is not in order")
	}
	for _, f := range FieldNames {
		if f.Rule != "" && !slices.ContainsFunc(Rules, func(r Rule) bool { return r.ID == f.Rule && r.Claim == f.Claim }) {
			t.Errorf("%s names %s of %s, and there is no such rule", f.Name, f.Rule, f.Claim)
		}
	}
}
