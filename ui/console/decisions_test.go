package console

import (
	"slices"
	"testing"

	"a2ascope/session"
)

func TestADecisionIsAnnouncedAndAnswered(t *testing.T) {
	t.Parallel()
	f := working()
	b, s := onSession(t, f, 120, 40)
	claim(f, uint64(len(f.records)))
	b.tell(f)
	b.wants("DEMOTED", "cancel-final", "an artifact came 1.2 s after canceled", "enter evidence", "C confirm", "O overrule")
	last := f.view.Decisions[0].Evidence
	b.keys("enter").lacks("DEMOTED")
	if got := s.wire.selected(); got != last[len(last)-1] {
		t.Errorf("enter went to record %d, want %d", got, last[len(last)-1])
	}

	f = working()
	b, _ = onSession(t, f, 80, 24)
	claim(f, uint64(len(f.records)))
	b.tell(f)
	b.keys("C").lacks("DEMOTED")
	if !slices.Equal(f.commands, []string{"confirm 1"}) {
		t.Errorf("commands %q", f.commands)
	}

	f = working()
	b, s = onSession(t, f, 80, 24)
	claim(f, uint64(len(f.records)))
	b.tell(f)
	b.keys("O").text("our proxy").keys("enter")
	if !slices.Equal(f.commands, []string{"overrule 1 our proxy"}) {
		t.Errorf("commands %q", f.commands)
	}
	f.add(ms(4000), session.KindDecision, 0, 0, session.Decision{ID: 2, Action: session.ActOverrule, Claim: session.CancelFinal, By: "operator", Reason: "our proxy", Supersedes: 1}, "")
	b.tell(f)
	b.lacks("DEMOTED")
	if s.banner != nil {
		t.Error("the announcement stays after it was answered")
	}
}

func TestAnOfferIsCarriedOutOnAKey(t *testing.T) {
	t.Parallel()
	f := working()
	src := &fakeSessions{live: map[string]*fakeLive{"https://other.example/a b": discovered()}}
	b := newBench(t, Options{Sessions: src}, 120, 40)
	b.show(f, false)
	f.add(ms(3000), session.KindDecision, 1, 0, session.Decision{ID: 1, Action: session.ActRedispatch, By: "rule", Reason: "the task is gone", Offer: true, To: "https://other.example/a b"}, "")
	b.tell(f)
	b.wants("REDISPATCH OFFERED", "C carry it out").keys("C").wants("Give the task to another peer?").keys("enter")
	if len(f.commands) > 0 || b.m.session.live != f {
		t.Errorf("enter alone gave it away: %q", f.commands)
	}
	b.m.session.banner = &announcement{d: f.view.Decisions[0]}
	b.keys("C", "y")
	if want := []string{"redispatch --to 'https://other.example/a b' --task 1"}; !slices.Equal(f.commands, want) {
		t.Errorf("commands %q, want %q", f.commands, want)
	}
}

func TestEnterInTheMessageSendsWhileADecisionIsAnnounced(t *testing.T) {
	t.Parallel()
	f := working()
	b, _ := onSession(t, f, 120, 40)
	b.keys("s").text("hi")
	claim(f, uint64(len(f.records)))
	b.tell(f)
	b.keys("enter").wants("DEMOTED")
	if !slices.Equal(f.commands, []string{"send hi"}) {
		t.Errorf("commands %q", f.commands)
	}
}

func TestUndoReversesTheOperatorsLastDecision(t *testing.T) {
	t.Parallel()
	f := leaky()
	f.add(ms(4000), session.KindDecision, 0, 0, session.Decision{ID: 2, Action: session.ActDemote, Claim: session.Streaming, By: "operator", Reason: "buffers"}, "")
	b, _ := onSession(t, f, 120, 40)
	b.keys("u").wants("undone: decision 2")
	if !slices.Equal(f.commands, []string{"overrule 2 undone by the operator"}) {
		t.Errorf("commands %q", f.commands)
	}
	f.add(ms(4100), session.KindDecision, 0, 0, session.Decision{ID: 3, Action: session.ActOverrule, Claim: session.Streaming, By: "operator", Reason: "undone", Supersedes: 2}, "")
	b.tell(f)
	b.keys("u").wants(":demote streaming ").text("it buffers after all").keys("enter")
	if want := "demote streaming it buffers after all"; f.commands[len(f.commands)-1] != want {
		t.Errorf("commands %q, want %q at last", f.commands, want)
	}
	f.add(ms(4200), session.KindDecision, 0, 0, session.Decision{ID: 4, Action: session.ActDemote, Claim: session.Streaming, By: "operator", Reason: "it buffers after all", Supersedes: 3}, "")
	b.tell(f)
	b.keys("u").wants("undone: decision 4")
}

func TestOverruleAfterConfirmSetsTheDemotionAside(t *testing.T) {
	t.Parallel()
	f := leaky()
	b, s := onSession(t, f, 120, 40)
	seq := f.add(ms(4000), session.KindDecision, 1, 0, session.Decision{ID: 2, Action: session.ActConfirm, Claim: session.CancelFinal, By: "operator", Supersedes: 1}, "")
	b.tell(f)
	b.keys("3", "O").wants(":overrule 1 ").keys("esc")
	b.m.jump(seq)
	b.do(b.m.refill())
	b.keys("O").wants(":overrule 1 ").keys("esc")
	f.add(ms(4100), session.KindDecision, 1, 0, session.Decision{ID: 3, Action: session.ActOverrule, Claim: session.CancelFinal, By: "operator", Reason: "proxy", Supersedes: 1}, "")
	b.tell(f)
	b.wants("cancel-final is relied on again")
	if c, _ := s.claims.selected(); c.Trust == session.Demoted {
		t.Errorf("%s is still demoted", c.ID)
	}
	b.keys("3", "O").wants("no decision waits for an answer")
}

// TestUndoOfAnOverruleWithoutAClaim: what a refusal, a fall-back, a
// reconciliation or an offer came to is brought back by overruling the overrule.
func TestUndoOfAnOverruleWithoutAClaim(t *testing.T) {
	t.Parallel()
	for action, want := range map[session.Action][2]string{
		session.ActRefuse:     {"task 1 is not left any more", "task 1 is left again"},
		session.ActFallBack:   {"task 1 is not polled beside its stream any more", "task 1 is polled beside its stream again"},
		session.ActReconcile:  {"task 1 is not looked for any more", "task 1 is looked for again"},
		session.ActRedispatch: {"task 1 stays here", "task 1 is offered to be given away again"},
	} {
		f := leaky()
		f.add(ms(4000), session.KindDecision, 1, 0, session.Decision{ID: 2, Action: action, Claim: session.CancelFinal, By: "rule", Reason: "it must", Offer: action == session.ActRedispatch}, "")
		b, _ := onSession(t, f, 120, 40)
		over := func(id, of int) {
			f.add(ms(4100+id), session.KindDecision, 1, 0, session.Decision{ID: id, Action: session.ActOverrule, Claim: session.CancelFinal, By: "operator", Reason: "no", Supersedes: of}, "")
			b.tell(f)
		}
		over(3, 2)
		b.wants(want[0]).keys("u").wants(":overrule 3 ").text("it was right").keys("enter")
		if got := f.commands[len(f.commands)-1]; got != "overrule 3 it was right" {
			t.Errorf("%s: %q", action, got)
		}
		over(4, 3)
		b.wants(want[1]).keys("u").wants(":overrule 4 ").keys("esc")
	}
	f := leaky()
	f.add(ms(4000), session.KindDecision, 1, 0, session.Decision{ID: 2, Action: session.ActRedispatch, By: "operator"}, "")
	b, _ := onSession(t, f, 120, 40)
	b.keys("u").wants("your last decision, 2, gave task 1 out again: what was sent cannot be taken back")
}

// TestAnOverruledOverrule leaves the demotion in force, for the claims, the
// words and the fold alike.
func TestAnOverruledOverrule(t *testing.T) {
	t.Parallel()
	f := leaky()
	b, _ := onSession(t, f, 120, 40)
	f.add(ms(4000), session.KindDecision, 1, 0, session.Decision{ID: 2, Action: session.ActOverrule, Claim: session.CancelFinal, By: "operator", Supersedes: 1}, "")
	b.tell(f)
	b.wants("cancel-final is relied on again")
	f.add(ms(4100), session.KindDecision, 1, 0, session.Decision{ID: 3, Action: session.ActOverrule, Claim: session.CancelFinal, By: "operator", Supersedes: 2}, "")
	b.tell(f)
	b.wants("cancel-final is demoted again")
	if got := standsOn(f.view, session.CancelFinal).ID; got != 1 || f.state.TrustOf(session.CancelFinal).Trust != session.Demoted {
		t.Errorf("the claim stands on %d and is %s", got, f.state.TrustOf(session.CancelFinal).Trust)
	}
	b.keys("3", "O").wants(":overrule 1 ")
}

// TestTheDecisionsTabBringsBack what was overruled, from the decision and from
// its overruling, by the command that does so.
func TestTheDecisionsTabBringsBack(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		root session.DecisionDoc
		more []session.DecisionDoc
		want string
		word string
	}{
		{session.DecisionDoc{ID: 1, Action: session.ActDemote, Claim: session.Streaming, By: "rule"}, nil, ":demote streaming ", "bring it back"},
		{session.DecisionDoc{ID: 1, Action: session.ActRefuse, Claim: session.Streaming, By: "rule"}, nil, ":overrule 2 ", "bring it back"},
		{session.DecisionDoc{ID: 1, Action: session.ActReconcile, By: "rule"}, nil, ":overrule 2 ", "bring it back"},
		{session.DecisionDoc{ID: 1, Action: session.ActDemote, Claim: session.Streaming, By: "rule"},
			[]session.DecisionDoc{{ID: 3, Action: session.ActOverrule, Claim: session.Streaming, By: "operator", Supersedes: 2}}, ":overrule 1 ", "to overrule"},
	} {
		src := recorded()
		src.decisions = nil
		over := session.DecisionDoc{ID: 2, Action: session.ActOverrule, Claim: tc.root.Claim, By: "operator", Supersedes: 1}
		for _, d := range append([]session.DecisionDoc{tc.root, over}, tc.more...) {
			src.decisions = append([]DecisionRow{{Session: "s-3", Name: "Gamma", Decision: d}}, src.decisions...)
		}
		b := onHistory(t, src)
		b.keys("tab", "G", "O").wants("Go on with the session to", tc.word).keys("y").wants(tc.want)
	}
}
