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
