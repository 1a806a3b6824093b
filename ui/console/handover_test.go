package console

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"a2ascope/session"
	"a2ascope/session/a2a"
)

// TestATaskIsGivenToAnotherPeer: a session with that peer begins, and its
// message goes out once the card was read; the way back leads to the first.
func TestATaskIsGivenToAnotherPeer(t *testing.T) {
	t.Parallel()
	first, second := leaky(), newFake()
	second.add(0, session.KindOpened, 0, 0, session.Opened{Session: "second", Typed: "https://other.example", URL: "https://other.example", Follows: "018e-demo", FollowsTask: 1, Policy: session.DefaultPolicy()}, "")
	src := &fakeSessions{live: map[string]*fakeLive{"https://other.example": second, "018e-demo": leaky()}, again: "slow 20 --new"}
	b := newBench(t, Options{Sessions: src}, 80, 24)
	s := b.show(first, false)
	b.keys("esc", ":").text("redispatch --to https://other.example").keys("enter")
	b.wants("Give the task to another peer?", "“slow 20”", "over there already (canceled)").keys("enter").lacks("Give the task")
	if b.m.session != s || len(src.opened)+len(first.commands) > 0 {
		t.Fatalf("enter alone gave it away: %q %q", src.opened, first.commands)
	}
	b.keys(":").text("redispatch --to https://other.example").keys("enter", "y")
	if want := []string{"redispatch --to https://other.example --task 1"}; !slices.Equal(first.commands, want) || !slices.Equal(first.stopped, []string{"quit"}) {
		t.Errorf("the first session was told %q and stopped %q", first.commands, first.stopped)
	}
	b.wants("goes on with task 1 of session 018e-demo")
	if want := []string{"discover https://other.example"}; !slices.Equal(second.commands, want) {
		t.Fatalf("before the card is read: %q, want %q", second.commands, want)
	}
	card := discovered()
	second.becomes(card)
	b.tell(second)
	b.tell(second)
	if want := []string{"discover https://other.example", card.view.Form + " slow 20 --new"}; !slices.Equal(second.commands, want) {
		t.Errorf("after that: %q, want %q", second.commands, want)
	}
	b.keys("q")
	if want := []string{"redispatch 018e-demo/1 https://other.example", "review 018e-demo"}; !slices.Equal(src.opened, want) || !b.m.session.review {
		t.Errorf("opened %q, want %q", src.opened, want)
	}
}

// TestASecondDeliveryIsSaid: to the same peer, and to one that had the task.
func TestASecondDeliveryIsSaid(t *testing.T) {
	t.Parallel()
	f := leaky()
	src := &fakeSessions{again: "x"}
	b := newBench(t, Options{Sessions: src}, 80, 24)
	b.show(f, false)
	b.keys("esc", ":").text("redispatch").keys("enter").wants("Send it to the same peer again?", "a second time").keys("n")
	b.keys(":").text("redispatch --to https://agents.acme.example/ --task 1").keys("enter").wants("Send it to the same peer again?").keys("y")
	if want := []string{"redispatch --to https://agents.acme.example/ --task 1"}; !slices.Equal(f.commands, want) {
		t.Errorf("commands %q, want %q", f.commands, want)
	}
	src.followers = []session.Summary{{Session: "s-2", Peer: "https://other.example", Tasks: 1}}
	b.keys(":").text("redispatch --to https://other.example").keys("enter").wants("before, in session s-2: that").keys("n")
	src.followers = nil
	f.add(ms(5000), session.KindDecision, 1, 0, session.Decision{ID: 2, Action: session.ActRedispatch, By: "operator", To: "https://other.example"}, "")
	b.tell(f)
	b.keys(":").text("redispatch --to https://other.example").keys("enter").wants("before, by decision 2").keys("n")
}

func TestWhatCannotBeSentAgainOpensNothing(t *testing.T) {
	t.Parallel()
	f := leaky()
	src := &fakeSessions{noAgain: errors.New("the file plan.pdf is not there any more")}
	b := newBench(t, Options{Sessions: src}, 120, 40)
	b.show(f, false)
	b.keys("esc", ":").text("redispatch --to https://other.example").keys("enter").wants("plan.pdf").lacks("Give the task")
	if len(src.opened)+len(f.commands) > 0 {
		t.Errorf("opened %q, commands %q", src.opened, f.commands)
	}
}

// TestAHandoverWaitsForACard: without one nothing goes out, and later not
// without a word.
func TestAHandoverWaitsForACard(t *testing.T) {
	t.Parallel()
	f := newFake()
	src := &fakeSessions{live: map[string]*fakeLive{"https://other.example": f}, again: "hi"}
	b := newBench(t, Options{Sessions: src}, 80, 24)
	b.do(b.m.openHandover(&handover{of: TaskRef{"first", 2}, to: "https://other.example"}))
	with(f, func(v *session.View) { v.Peer.Undiscovered = true })
	b.tell(f)
	b.wants("no card was found")
	f.becomes(discovered())
	b.tell(f)
	b.wants("Send the task's message now?", "The first message of task 2").keys("n")
	b.tell(f)
	if b.lacks("Send the task's"); len(f.commands) != 1 || strings.Contains(f.commands[0], "hi") {
		t.Errorf("commands %q", f.commands)
	}
}

// TestAHandoverGoesToAServerWithoutACard where calls go to it all the same.
func TestAHandoverGoesToAServerWithoutACard(t *testing.T) {
	t.Parallel()
	f := newFake()
	src := &fakeSessions{live: map[string]*fakeLive{"grpc://other.example:50051": f}, again: "hi"}
	b := newBench(t, Options{Sessions: src}, 80, 24)
	b.do(b.m.openHandover(&handover{of: TaskRef{"first", 2}, to: "grpc://other.example:50051"}))
	with(f, func(v *session.View) {
		v.Peer.Undiscovered, v.Peer.Use = true, session.Interface{URL: "http://other.example:50051", Binding: a2a.GRPC, Gen: a2a.Gen10}
	})
	b.tell(f)
	if len(f.commands) != 2 || !strings.HasSuffix(f.commands[1], "hi") {
		t.Errorf("commands %q", f.commands)
	}
}

// TestAnswersOfAQuestionAreSeenOnASmallScreen however long the question.
func TestAnswersOfAQuestionAreSeenOnASmallScreen(t *testing.T) {
	t.Parallel()
	b := newBench(t, Options{Sessions: &fakeSessions{}}, 60, 15)
	b.m.push(&dialog{title: "Really?", text: []string{strings.Repeat("many words ", 60), strings.Repeat("and more ", 60), "again"}, yes: "do it", no: "leave it"})
	b.wants("No, leave it", "Yes, do it", "…")
}

// TestPeersToGiveATaskToAreCompleted: those that sessions met, or the embedded
// ones, but for the one that has it.
func TestPeersToGiveATaskToAreCompleted(t *testing.T) {
	t.Parallel()
	known := []PeerRow{{URL: "https://agents.acme.example"}, {URL: "https://other.example/a"}, {URL: "https://other.example/b"}}
	b := newBench(t, Options{Sessions: &fakeSessions{peers: known}}, 80, 24)
	b.show(leaky(), false)
	b.keys("esc", ":").text("redispatch --to ").wants("https://other.example/a", "https://other.example/b").lacks("  https://agents.acme.example ")
	b.keys("tab", "tab")
	if got := b.m.field.edit.value(); got != "redispatch --to https://other.example/b" {
		t.Errorf("tab gave %q", got)
	}
	b = newBench(t, Options{Sessions: &fakeSessions{scenarios: demo}, Demo: true}, 80, 24)
	b.show(leaky(), false)
	b.keys("esc", ":").text("redispatch --to demo:l").keys("tab")
	if got := b.m.field.edit.value(); got != "redispatch --to demo:leaky-cancel " {
		t.Errorf("tab gave %q", got)
	}
}
