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
	s.do(fmt.Sprintf("overrule %d it was right", s.state.LastDecision))
	if !task.Refused || task.Outcome != session.OutcomeRefused {
		t.Errorf("the overruling was overruled: refused is %t, the outcome %s", task.Refused, task.Outcome)
	}
	s.do(fmt.Sprintf("overrule %d no, it is fine", s.state.LastDecision))
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
		{"honoured after its time", nil, func(s *scribe) { early(s); s.wait(25 * time.Hour); s.id = "T2"; waits(s) }, session.Verified, 2},
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
		{"the operator overrules a restore, and the demotion's time passes", nil, func(s *scribe) {
			early(s)
			s.id = "T2"
			waits(s)
			s.do(fmt.Sprintf("overrule %d no", last(s)))
			s.wait(25 * time.Hour)
			s.do("note x")
		}, session.AsDeclared, 3},
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
		overrule(s, session.ActOverrule)
		if r := s.state.Tasks[0].Reader; r == nil || !slices.Equal(r.Reasons, []string{session.ReadFallBack}) {
			t.Errorf("the overruling was overruled, and the task is read for %+v", r)
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
		overrule(s, session.ActOverrule)
		if due := s.state.Due(s.now+time.Hour, true); len(due) == 0 {
			t.Error("the overruling was overruled, and nothing looks for it")
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
		overrule(s, session.ActOverrule)
		if got := s.decisions(); !slices.Contains(got, "redispatch offered") {
			t.Errorf("the overruling was overruled, and it is not offered: %q", got)
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
		overrule(s, session.ActOverrule)
		if due := s.state.Due(s.now+time.Hour, true); len(due) > 0 || !slices.Contains(s.decisions(), "redispatch offered") {
			t.Errorf("brought back it is offered, and not sent: %d due, %q", len(due), s.decisions())
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
		overrule(s, session.ActOverrule)
		if got := s.state.Profile.RefusedInputModes; len(got) != 1 || s.state.TrustOf(session.InputModes).Trust != session.Demoted {
			t.Errorf("the overruling was overruled: kept are %v, the claim is %s", got, s.state.TrustOf(session.InputModes).Trust)
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

// TestRedispatchAddresses: this peer is known by whatever address of it is named, and
// what goes to another one is not said to be sent.
func TestRedispatchAddresses(t *testing.T) {
	t.Parallel()
	for to, here := range map[string]bool{"http://peer.example/.well-known/agent-card.json": true, "http://peer.example": true, "http://other.example": false} {
		s := newScribe(t, a2a.Gen10, nil)
		s.discover(nil)
		s.answers(s.ask("send task x --immediate"), "task working")
		cs := s.do("redispatch --to " + to)
		sends := slices.ContainsFunc(s.state.Obligations, func(o *session.Obligation) bool { return o.Purpose == session.PurposeRedispatch })
		if sends != here || !cs.Over || cs.Result != session.ResultOK || (cs.Detail == "") != here {
			t.Errorf("to %s: it is sent: %v; the command is over: %v, %s, %q", to, sends, cs.Over, cs.Result, cs.Detail)
		}
	}
}
