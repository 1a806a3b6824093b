package session_test

import (
	"slices"
	"testing"

	"a2ascope/session"
)

// TestStrongestEvidence: the evidence of a claim is that of its strongest
// verdict alone.
func TestStrongestEvidence(t *testing.T) {
	t.Parallel()
	l := newFactLog(t, nil)
	say := func(v session.Verdict, seqs ...uint64) {
		l.write(session.KindObserved, 0, session.Observed{Rule: "r." + string(v), Claim: session.Streaming, Verdict: v, Evidence: seqs}, "")
	}
	evidence := func(want ...uint64) {
		t.Helper()
		if got := l.state.Counts[session.Streaming].Evidence; !slices.Equal(got, want) {
			t.Errorf("the evidence is %v, want %v", got, want)
		}
	}
	say(session.Inconclusive, 1)
	evidence(1)
	say(session.Honoured, 2)
	evidence(2)
	say(session.Inconclusive, 3)
	say(session.Honoured, 4)
	evidence(2, 4)
	l.write(session.KindFinding, 0, session.Finding{Rule: "r", Claim: session.Streaming, Severity: session.Major, Evidence: []uint64{5}, Count: 1}, "")
	evidence(5)
}

// TestLastFault: what counts is how the exchange ended that ended last.
func TestLastFault(t *testing.T) {
	t.Parallel()
	for how, want := range map[string]bool{session.ClosedClean: false, session.ClosedCut: true, session.ClosedDetached: true} {
		l := newFactLog(t, nil)
		x := l.stream()
		l.event(x, taskSays("working", ""))
		l.command("get")
		l.write(session.KindFault, l.ask(), session.Faulted{Phase: "connect", Error: "refused"}, "")
		l.write(session.KindClosed, x, session.Closed{How: how}, "")
		if l.state.LastFault != want {
			t.Errorf("after a fault and a stream's %s: %v, want %v", how, l.state.LastFault, want)
		}
	}
}
