package cli

import (
	"bytes"
	"reflect"
	"testing"

	"a2ascope/session"
)

func TestCompare(t *testing.T) {
	t.Parallel()
	claims := func(v session.Verdict) []session.ClaimDoc {
		return []session.ClaimDoc{{ID: session.Streaming, Verdict: session.Honoured}, {ID: session.CancelFinal, Verdict: v}}
	}
	kept := session.FindingDoc{Rule: "a.kept", Severity: session.Major, Task: "t"}
	gone := session.FindingDoc{Rule: "a.gone", Severity: session.Critical, Task: "t", Title: "went on", Evidence: []uint64{3, 4}}
	milder := gone
	milder.Severity = session.Minor
	was := session.Document{Session: "s", Log: session.LogDoc{Records: 9}, Claims: claims(session.Contradicted), Findings: []session.FindingDoc{kept, gone}}
	now := session.Document{Session: "s", Log: was.Log, Claims: claims(session.Unproven), Findings: []session.FindingDoc{kept, milder}}

	if d := compare(was, was); !d.none() {
		t.Errorf("with itself: %+v", d)
	}
	d := compare(was, now)
	want := difference{
		Session: "s", Records: 9, Claims: []claimDiff{{ID: session.CancelFinal, Was: session.Contradicted, Now: session.Unproven}},
		Gone: []findingRow{{Rule: "a.gone", Severity: session.Critical, Task: "t", Title: "went on", Evidence: []uint64{3, 4}}},
		New:  []findingRow{{Rule: "a.gone", Severity: session.Minor, Task: "t", Title: "went on", Evidence: []uint64{3, 4}}},
	}
	if !reflect.DeepEqual(d, want) {
		t.Errorf("got %+v\nwant %+v", d, want)
	}
	var out bytes.Buffer
	a := &app{out: &out}
	if err := a.printDifference(&d); err != nil {
		t.Fatal(err)
	}
	text := "·  cancel-final     contradicted → unproven\n-  critical a.gone  went on · #3 #4\n+  minor a.gone     went on · #3 #4\n"
	if out.String() != text {
		t.Errorf("got\n%swant\n%s", out.String(), text)
	}
}
