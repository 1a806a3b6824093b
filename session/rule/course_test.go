package rule_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"a2ascope/session"
	"a2ascope/session/a2a"
	"a2ascope/session/rule"
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

func begun(t *testing.T, policy func(*session.Policy), change func(*card)) *scribe {
	s := newScribe(t, a2a.Gen10, policy)
	s.discover(change)
	return s
}

// TestRedispatch: the first message goes out again, once, with a new id and
// the same correlation id; the lost answer follows, once, when it is asked for.
func TestRedispatch(t *testing.T) {
	t.Parallel()
	for _, offered := range []bool{false, true} {
		t.Run(fmt.Sprintf("offered %t", offered), func(t *testing.T) {
			t.Parallel()
			s := begun(t, func(p *session.Policy) { p.AutoRedispatch = !offered }, nil)
			s.loses()
			if offered {
				if due := s.state.Due(s.now, true); len(due) > 0 {
					t.Fatalf("%s goes out before the operator's word", due[0].Obligation.Op)
				}
				s.do(fmt.Sprintf("confirm %d", s.state.Decisions[len(s.state.Decisions)-1].ID))
			}
			task := s.state.Tasks[0]
			first := s.state.Exchanges[1]
			x := s.next()
			sent := s.state.Exchanges[x-1]
			if sent.Task != 1 || sent.Attempt != 2 || sent.ServerTask != "" || sent.MessageID == first.MessageID || len(s.state.Tasks) != 1 || task.Correlation != "c-2" {
				t.Errorf("sent %+v for task %s", sent, task.Correlation)
			}
			if m, err := s.sent(sent.Request); err != nil || session.MessageText(m) != "ask" || m.TaskID != "" {
				t.Errorf("the message is %+v (%v)", m, err)
			}
			s.answers(x, "task input-required #T2")
			y := s.next()
			if m, err := s.sent(s.request(y)); err != nil || session.MessageText(m) != "Ada" || m.TaskID != "T2" {
				t.Errorf("the lost answer is %+v (%v)", m, err)
			}
			s.id = "T2"
			s.answers(y, "task input-required says=again?")
			if due := s.state.Due(s.now+time.Hour, true); len(due) > 0 {
				t.Errorf("%+v is due: the answer goes out once", due[0].Obligation)
			}
			s.folds()
		})
	}
}

// TestRedispatchTo: an offer names the known peer that was seen to reach the
// last state, else this one; another peer's is for another session.
func TestRedispatchTo(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		states []string
		here   bool
	}{
		{"it was seen to work", []string{"submitted", "working"}, false},
		{"it was not", []string{"submitted"}, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := newScribe(t, a2a.Gen10, nil)
			s.carry = &session.Carried{Candidates: []session.Candidate{{URL: "http://other.example", Name: "Other", VerifiedStates: tc.states}}}
			s.discover(nil)
			s.working()
			s.get(gone)
			s.looks(`{"tasks":[]}`, gone)
			d := s.state.Decisions[len(s.state.Decisions)-1]
			if here := d.To == s.state.Peer.Key; !d.Offer || here != tc.here {
				t.Fatalf("the decision is %+v", d)
			}
			s.do(fmt.Sprintf("confirm %d", d.ID))
			if due := len(s.state.Due(s.now, true)) > 0; due != tc.here {
				t.Errorf("a request is due: %t", due)
			}
			s.folds()
		})
	}
}

// TestRefused: no further step of ours, but by force or when it is overruled.
func TestRefused(t *testing.T) {
	t.Parallel()
	s := begun(t, nil, withHistory)
	s.answers(s.ask("send ask --immediate"), "task working")
	s.get("task input-required")
	x := s.ask("resume Ada")
	queued := s.state.Commands[len(s.state.Commands)-1]
	s.answers(x, "task input-required")
	task := s.state.Tasks[0]
	if !task.Refused || task.Outcome != session.OutcomeRefused {
		t.Fatalf("refused is %t, the outcome %s", task.Refused, task.Outcome)
	}
	if due := s.state.Due(s.now, true); len(due) > 0 || !queued.Over || queued.Result != session.ResultWithheld || queued.Detail == "" {
		t.Errorf("%d requests are due, the queued command came to %q %q", len(due), queued.Result, queued.Detail)
	}
	if cs := s.do("resume Ada"); cs.Result != session.ResultWithheld || cs.Detail == "" {
		t.Errorf("a resume came to %q %q", cs.Result, cs.Detail)
	}
	if cs := s.do("send --again"); cs.Result != session.ResultWithheld {
		t.Errorf("the same once more came to %q", cs.Result)
	}
	s.answers(s.ask("resume Ada --force"), "task input-required")
	for _, d := range s.state.Decisions {
		if d.Action == session.ActRefuse {
			s.do(fmt.Sprintf("overrule %d it is fine", d.ID))
		}
	}
	if task.Refused || task.Outcome != session.OutcomeOpen {
		t.Errorf("overruled, refused is %t, the outcome %s", task.Refused, task.Outcome)
	}
	s.resumes("resume Ada")
	s.folds()
}

// TestRefusedMode: it is kept, and a later part of its type is withheld.
func TestRefusedMode(t *testing.T) {
	t.Parallel()
	s := begun(t, nil, nil)
	s.asks()
	s.answers(s.resumes(`resume --data {"a":1}`), refusedType)
	if got := s.state.Profile.RefusedInputModes; !slices.Equal(got, []string{"application/json"}) {
		t.Fatalf("kept are %v", got)
	}
	if cs := s.do(`resume --data {"a":1}`); cs.Result != session.ResultWithheld || !strings.Contains(cs.Detail, "application/json") {
		t.Errorf("the same type came to %q %q", cs.Result, cs.Detail)
	}
	s.answers(s.resumes("resume Ada"), "task input-required")
	if trust := s.state.TrustOf(session.InputModes).Trust; trust != session.Demoted {
		t.Errorf("text that is taken makes the claim %s", trust)
	}
	s.answers(s.ask(`resume --data {"a":1} --force`), "task completed")
	s.id = "T2"
	s.answers(s.ask(`send --data {"a":1} --force`), "task completed")
	if trust := s.state.TrustOf(session.InputModes).Trust; trust != session.Verified {
		t.Errorf("taken for another task, the claim is %s", trust)
	}
	s.folds()
}

// TestTrust follows one claim through demotions and restores.
func TestTrust(t *testing.T) {
	t.Parallel()
	early := func(s *scribe) { // the blocking send comes back too early
		s.t.Helper()
		s.answers(s.ask("send slow 9 --new"), "task working")
	}
	waits := func(s *scribe) {
		s.t.Helper()
		s.answers(s.ask("send task x --new"), "task completed")
	}
	last := func(s *scribe) int { return s.state.Decisions[len(s.state.Decisions)-1].ID }
	carried := &session.Carried{Demoted: []session.CarriedDecision{{
		Session: "s-0", ID: 4, Claim: session.Blocking, By: "rule", Reason: "it came back early", At: time.Date(2026, 11, 30, 8, 0, 0, 0, time.UTC),
		Until: time.Date(2026, 12, 1, 8, 0, 0, 0, time.UTC),
	}}}
	tests := []struct {
		name  string
		carry *session.Carried
		tell  func(s *scribe)
		want  session.Trust
		made  int // decisions
	}{
		{"nothing was seen", nil, func(s *scribe) {}, session.AsDeclared, 0},
		{"honoured", nil, waits, session.Verified, 0},
		{"contradicted", nil, early, session.Demoted, 1},
		{"contradicted twice is one demotion", nil, func(s *scribe) { early(s); s.id = "T2"; early(s) }, session.Demoted, 1},
		{"its time passes", nil, func(s *scribe) { early(s); s.wait(25 * time.Hour); s.do("note x") }, session.AsDeclared, 1},
		{"its time has not passed yet", nil, func(s *scribe) { early(s); s.wait(23 * time.Hour); s.do("note x") }, session.Demoted, 1},
		{"contradicted again after its time", nil, func(s *scribe) { early(s); s.wait(25 * time.Hour); s.id = "T2"; early(s) }, session.Demoted, 2},
		{"another task restores it", nil, func(s *scribe) { early(s); s.id = "T2"; waits(s) }, session.Verified, 2},
		{"the same task does not", nil, func(s *scribe) {
			early(s)
			s.get("task input-required")
			s.answers(s.resumes("resume Ada"), "task completed")
		}, session.Demoted, 1},
		{"carried in", carried, func(s *scribe) {}, session.Demoted, 1},
		{"carried in, and its time passes", carried, func(s *scribe) { s.wait(24 * time.Hour); s.do("note x") }, session.AsDeclared, 1},
		{"carried in, and honoured", carried, waits, session.Verified, 2},
		{"carried in, and contradicted: it is demoted already", carried, early, session.Demoted, 1},
		{"the operator demotes", nil, func(s *scribe) { s.do("demote blocking I saw it") }, session.Demoted, 1},
		{"the operator restores", nil, func(s *scribe) { early(s); s.do("restore blocking it was our network") }, session.Verified, 2},
		{"the operator overrules a demotion", nil, func(s *scribe) { early(s); s.do(fmt.Sprintf("overrule %d no", last(s))) }, session.AsDeclared, 2},
		{"the operator overrules a restore", nil, func(s *scribe) {
			early(s)
			s.id = "T2"
			waits(s)
			s.do(fmt.Sprintf("overrule %d no", last(s)))
		}, session.Demoted, 3},
		{"the operator overrules what is no longer in force", nil, func(s *scribe) {
			early(s)
			first := last(s)
			s.id = "T2"
			waits(s)
			s.do(fmt.Sprintf("overrule %d no", first))
		}, session.Verified, 3},
		{"the operator confirms", nil, func(s *scribe) { early(s); s.do(fmt.Sprintf("confirm %d yes", last(s))) }, session.Demoted, 2},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := newScribe(t, a2a.Gen10, nil)
			s.carry = tc.carry
			s.discover(nil)
			tc.tell(s)
			if got := s.state.TrustOf(session.Blocking).Trust; got != tc.want {
				t.Errorf("blocking is %s, want %s\n%s", got, tc.want, s.transcript())
			}
			made := 0
			for i, d := range s.state.Decisions {
				if d.ID != i+1 {
					t.Errorf("decision %d has the id %d", i+1, d.ID)
				}
				if d.Claim == session.Blocking {
					made++
				}
			}
			if made != tc.made {
				t.Errorf("%d decisions, want %d", made, tc.made)
			}
			s.folds()
		})
	}
}

// TestOverruled: whatever a decision did is taken back.
func TestOverruled(t *testing.T) {
	t.Parallel()
	overrule := func(s *scribe, action session.Action) {
		s.t.Helper()
		for _, d := range s.state.Decisions {
			if d.Action == action {
				s.do(fmt.Sprintf("overrule %d no", d.ID))
				return
			}
		}
		s.t.Fatalf("nothing decided to %s: %q", action, s.decisions())
	}
	t.Run("fall-back", func(t *testing.T) {
		t.Parallel()
		s := begun(t, nil, nil)
		s.answers(s.ask("stream slow 9"), "task working")
		if r := s.state.Tasks[0].Reader; r == nil || !slices.Equal(r.Reasons, []string{session.ReadFallBack}) {
			t.Fatalf("the task is read for %+v", r)
		}
		overrule(s, session.ActFallBack)
		if r := s.state.Tasks[0].Reader; r != nil {
			t.Errorf("the task is still read for %v", r.Reasons)
		}
		s.folds()
	})
	t.Run("reconcile", func(t *testing.T) {
		t.Parallel()
		s := begun(t, nil, nil)
		s.working()
		s.get(gone)
		overrule(s, session.ActReconcile)
		if due := s.state.Due(s.now+time.Hour, true); len(due) > 0 {
			t.Errorf("%d requests look for it all the same", len(due))
		}
		s.folds()
	})
	t.Run("an offer", func(t *testing.T) {
		t.Parallel()
		s := begun(t, nil, nil)
		s.loses()
		overrule(s, session.ActRedispatch)
		if got := s.decisions(); slices.Contains(got, "redispatch offered") {
			t.Errorf("it is offered all the same: %q", got)
		}
		s.folds()
	})
	t.Run("a redispatch that was not sent yet", func(t *testing.T) {
		t.Parallel()
		s := begun(t, automatic, nil)
		s.loses()
		overrule(s, session.ActRedispatch)
		if due := s.state.Due(s.now+time.Hour, true); len(due) > 0 {
			t.Errorf("%s goes out all the same", due[0].Obligation.Purpose)
		}
		s.folds()
	})
	t.Run("a refused mode", func(t *testing.T) {
		t.Parallel()
		s := begun(t, nil, nil)
		s.answers(s.ask(`send --data {"a":1}`), refusedType)
		overrule(s, session.ActDemote)
		if got := s.state.Profile.RefusedInputModes; len(got) > 0 {
			t.Errorf("still kept are %v", got)
		}
		s.folds()
	})
}

// TestNobodyJudgesDecisions: a decision brings no further record.
func TestNobodyJudgesDecisions(t *testing.T) {
	t.Parallel()
	s := begun(t, nil, nil)
	s.loses()
	for i := range s.log {
		r := &s.log[i]
		if r.Kind != session.KindDecision {
			continue
		}
		if out := rule.Judge(s.state, &session.Change{Record: r}); len(out) > 0 {
			t.Errorf("decision %d is judged: %+v", r.Seq, out)
		}
	}
}
