package rule_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"a2ascope/session"
	"a2ascope/session/a2a"
)

// decisions lists what was decided but by demotions, which trust is tested
// for: "refuse state-transition-history", "redispatch offered".
func (s *scribe) decisions() []string {
	var out []string
	for _, d := range s.state.Decisions {
		if d.Action == session.ActDemote {
			continue
		}
		line := string(d.Action)
		if d.Claim != "" {
			line += " " + string(d.Claim)
		}
		if d.Offer {
			line += " offered"
		}
		if d.By != "rule" {
			line += " by " + d.By
		}
		out = append(out, line)
	}
	return out
}

func automatic(p *session.Policy) { p.AutoRedispatch = true }

// loses has the peer lose the task that asked: the answer and the read after
// it meet TaskNotFound.
func (s *scribe) loses() {
	s.t.Helper()
	s.asks()
	s.answers(s.resumes("resume Ada"), gone)
	s.answers(s.next(), gone)
}

// hides has a stream end without the artifact that get then has.
func (s *scribe) hides() {
	s.t.Helper()
	x := s.stream("stream task x", "task submitted", "working", "completed")
	s.ends(x, session.ClosedClean)
	s.answers(s.next(), "task completed r=hello")
}

// forgets has two reads of a task at input-required show no history.
func (s *scribe) forgets() {
	s.t.Helper()
	s.answers(s.ask("send ask --immediate"), "task working")
	s.get("task input-required")
	s.get("task input-required")
}

// TestCourse tells the decision table cell by cell: each row, and for what
// stands beside it the first row that holds.
func TestCourse(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		policy func(*session.Policy)
		card   func(*card)
		tell   func(s *scribe)
		want   []string
	}{
		{name: "1 a fault decides nothing", tell: func(s *scribe) {
			s.fails(s.ask("send task x"))
			s.ends(s.stream("stream task x", "task submitted", "working"), session.ClosedCut)
			s.fails(s.ask("get"))
			s.fails(s.ask("get"))
		}},
		{name: "1 nor does a fault on the way to a lost answer", tell: func(s *scribe) {
			s.asks()
			s.fails(s.resumes("resume Ada"))
		}},
		{name: "1 nor a task that is merely slow", tell: func(s *scribe) {
			s.working()
			s.wait(11 * time.Minute)
		}},
		{name: "2 not known: read again", tell: func(s *scribe) {
			s.working()
			s.get(gone)
		}, want: []string{"reconcile"}},
		{name: "2 once for a task, however often it is asked", tell: func(s *scribe) {
			s.working()
			s.get(gone)
			s.get(gone)
		}, want: []string{"reconcile"}},
		{name: "2 lost: a redispatch is offered", tell: func(s *scribe) {
			s.working()
			s.get(gone)
			s.looks(`{"tasks":[]}`, gone)
		}, want: []string{"reconcile", "redispatch offered"}},
		{name: "2 offered also where redispatches go by themselves: no answer was lost", policy: automatic, tell: func(s *scribe) {
			s.working()
			s.get(gone)
			s.looks(`{"tasks":[]}`, gone)
		}, want: []string{"reconcile", "redispatch offered"}},
		{name: "2 after its end there is nothing to find out", tell: func(s *scribe) {
			s.answers(s.ask("send task x"), "task completed")
			s.get(gone)
			s.get(gone)
		}},
		{name: "3 the answer met TaskNotFound: one read", tell: func(s *scribe) {
			s.asks()
			s.answers(s.resumes("resume Ada"), gone)
		}, want: []string{"reconcile"}},
		{name: "3 the task is there: no redispatch", policy: automatic, tell: func(s *scribe) {
			s.asks()
			s.answers(s.resumes("resume Ada"), gone)
			s.answers(s.next(), "task input-required")
		}, want: []string{"reconcile"}},
		{name: "3 absent: dispatched anew by itself", policy: automatic, tell: (*scribe).loses, want: []string{"reconcile", "redispatch"}},
		{name: "3 absent: offered on the console", tell: (*scribe).loses, want: []string{"reconcile", "redispatch offered"}},
		{name: "3 once for a task", policy: automatic, tell: func(s *scribe) {
			s.loses()
			s.answers(s.next(), "task working #T2")
			s.id = "T2"
			s.get(gone)
			s.wait(3 * time.Second)
			s.get(gone)
		}, want: []string{"reconcile", "redispatch", "reconcile"}},
		{name: "a refused subscription: one read", tell: func(s *scribe) {
			s.working()
			s.answers(s.ask("resubscribe"), gone)
		}, want: []string{"reconcile"}},
		{name: "a subscription refused at input-required is known already", tell: func(s *scribe) {
			s.asks()
			s.answers(s.ask("resubscribe"), gone)
		}},
		{name: "4 an empty history", card: withHistory, tell: (*scribe).forgets, want: []string{"refuse state-transition-history"}},
		{name: "4 a hidden artifact", tell: (*scribe).hides, want: []string{"refuse artifacts-streamed"}},
		{name: "4 an absent callback", tell: func(s *scribe) {
			s.do("push on")
			s.calls("working #T0", true)
			s.answers(s.ask("send ask --immediate"), "task working")
			s.get("task input-required")
			s.wait(16 * time.Second)
		}, want: []string{"refuse push-delivered"}},
		{name: "4 once for a task", card: withHistory, tell: func(s *scribe) {
			s.forgets()
			x := s.ask("resume Ada --stream --force")
			s.opens(x)
			s.brings(x, "working", "completed")
			s.ends(x, session.ClosedClean)
			s.answers(s.next(), "task completed r=hello")
		}, want: []string{"refuse state-transition-history"}},
		{name: "4 not where the claim was honoured before", tell: func(s *scribe) {
			x := s.stream("stream task x", "task submitted", "artifact r=1", "completed")
			s.ends(x, session.ClosedClean)
			s.settles("task completed r=1")
			s.id = "T2"
			s.hides()
		}},
		{name: "4 not where the declared modes did not make it reachable", card: textOnly, tell: func(s *scribe) {
			x := s.ask(`stream --data {"a":1}`)
			s.opens(x)
			s.brings(x, "task submitted", "completed")
			s.ends(x, session.ClosedClean)
			s.answers(s.next(), "task completed r=hello")
		}},
		{name: "4 not for what is contradicted otherwise", tell: func(s *scribe) {
			s.answers(s.ask("send slow 9"), "task working")
		}},
		{name: "5 a plain answer about a task under way: poll", tell: func(s *scribe) {
			s.answers(s.ask("stream slow 9"), "task working")
		}, want: []string{"fall-back streaming"}},
		{name: "5 a silent stream about a task that is known: poll", tell: func(s *scribe) {
			s.asks()
			s.opens(s.resumes("resume Ada --stream"))
			s.wait(16 * time.Second)
		}, want: []string{"fall-back streaming"}},
		{name: "5 a stream that is behind: poll", tell: func(s *scribe) {
			s.stream("stream slow 9", "task submitted", "working")
			s.wait(16 * time.Second)
			s.get("task working r=1")
			s.get("task working r=1")
		}, want: []string{"fall-back streaming"}},
		{name: "5 not where there is no task to poll", tell: func(s *scribe) {
			s.stream("stream slow 9")
			s.wait(16 * time.Second)
		}},
		{name: "5 not where the task is over", tell: func(s *scribe) {
			s.answers(s.ask("stream task x"), "task completed")
		}},
		{name: "6 a refused mode leaves the task where it is", tell: func(s *scribe) {
			s.asks()
			s.answers(s.resumes(`resume --data {"a":1}`), refusedType)
		}},
		{name: "minor and info change nothing", card: undeclared, tell: func(s *scribe) {
			s.working()
			s.wait(31 * time.Second)
			s.answers(s.ask("cancel"), "error -32002 Task cannot be canceled")
		}},
	}
	for _, tc := range tests {
		for _, gen := range []a2a.Generation{a2a.Gen10, a2a.Gen03} {
			t.Run(string(gen)+"/"+tc.name, func(t *testing.T) {
				t.Parallel()
				s := newScribe(t, gen, tc.policy)
				s.discover(tc.card)
				tc.tell(s)
				if got := s.decisions(); !slices.Equal(got, tc.want) {
					t.Errorf("decided %q, want %q\n%s\n%s", got, tc.want, strings.Join(s.heard(), "\n"), s.transcript())
				}
				for _, d := range s.state.Decisions {
					if d.Reason == "" || d.Cause == 0 || d.ID == 0 {
						t.Errorf("decision %d has no reason, cause or id: %+v", d.ID, d)
					}
				}
				s.folds()
			})
		}
	}
}
