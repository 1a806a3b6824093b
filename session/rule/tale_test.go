package rule_test

import (
	"slices"
	"strings"
	"testing"

	"a2ascope/session"
	"a2ascope/session/a2a"
	"a2ascope/session/rule"
)

// tale is a short session in which a rule speaks, or has no cause to.
type tale struct {
	rule string
	name string
	gen  a2a.Generation // empty: told in 1.0 and in 0.3
	// says is what the rule is to say: a severity, a verdict, or nothing.
	says string
	// also are the claims that the peer contradicts by other causes. Where the
	// rule does not contradict, its claim must stand.
	also   []session.Claim
	policy func(*session.Policy)
	card   func(*card)
	plain  bool // tell begins without a card
	local  bool // the peer is on our own machine
	// tell writes the session and returns the evidence that the rule is to
	// name; nil is not compared.
	tell func(s *scribe) []uint64
}

// tales are all of them, family by family.
var tales = slices.Concat(cardTales, endpointTales, streamTales, closeTales, cancelTales, terminalTales, resumeTales, stateTales, viewTales,
	modeTales, durableTales, pushTales, wireTales, fieldTales, accessTales, bindingTales, settledViewTales, justTales)

// TestTales tells every tale and hears what the rules say.
func TestTales(t *testing.T) {
	t.Parallel()
	for _, tc := range tales {
		for _, gen := range []a2a.Generation{a2a.Gen10, a2a.Gen03} {
			if tc.gen != "" && tc.gen != gen {
				continue
			}
			t.Run(tc.rule+"/"+string(gen)+"/"+tc.name, func(t *testing.T) {
				t.Parallel()
				tc.hear(t, gen)
			})
		}
	}
}

// claims is what the tale's peer contradicts.
func (tc *tale) claims(claim session.Claim) []session.Claim {
	var out []session.Claim
	for _, c := range session.Claims {
		if slices.Contains(tc.also, c) || c == claim && session.Severity(tc.says).Contradicts() {
			out = append(out, c)
		}
	}
	return out
}

func (tc *tale) hear(t *testing.T, gen a2a.Generation) {
	r, ok := rule.ByID(tc.rule)
	if !ok {
		t.Fatalf("there is no rule %s", tc.rule)
	}
	s := newScribe(t, gen, tc.policy)
	if tc.local {
		s.server = "http://127.0.0.1:4000"
	}
	if !tc.plain {
		s.discover(tc.card)
	}
	evidence := tc.tell(s)
	heard := []string{}
	for _, f := range s.state.Findings {
		if f.Rule == tc.rule {
			heard = append(heard, string(f.Severity))
			compareEvidence(t, tc.says == string(f.Severity), f.Evidence, evidence)
		}
	}
	for _, o := range s.state.Observed {
		if o.Rule == tc.rule {
			heard = append(heard, string(o.Verdict))
			compareEvidence(t, tc.says == string(o.Verdict), o.Evidence, evidence)
		}
	}
	if tc.says == "" && len(heard) > 0 || tc.says != "" && !slices.Contains(heard, tc.says) {
		t.Errorf("%s says %q, want %q", tc.rule, heard, tc.says)
	}
	if got, want := s.contradicted(), tc.claims(r.Claim); !slices.Equal(got, want) {
		t.Errorf("contradicted are %v, want %v", got, want)
	}
	s.folds()
	if t.Failed() {
		t.Logf("%s\n%s", strings.Join(s.heard(), "\n"), s.transcript())
	}
}

func compareEvidence(t *testing.T, asked bool, got, want []uint64) {
	t.Helper()
	if asked && want != nil && !slices.Equal(got, want) {
		t.Errorf("the evidence is %v, want %v", got, want)
	}
}

// is puts record numbers in a list.
func is(seqs ...uint64) []uint64 { return seqs }
