package console

import (
	"errors"
	"slices"
	"testing"

	"a2ascope/session"
)

// TestASecretIsAskedForAndNeverShown: a credential names a variable that is not
// set. Its value is typed in a masked field, and the line goes out by its name.
func TestASecretIsAskedForAndNeverShown(t *testing.T) {
	t.Parallel()
	f := discovered()
	src := &fakeSessions{unset: []string{"TOKEN", "OTHER"}}
	b := newBench(t, Options{Sessions: src}, 80, 24)
	b.show(f, false)
	b.keys(":").text("auth bearer $TOKEN").keys("enter").wants("$TOKEN ▸", "not shown")
	b.keys("enter").wants("a value is missing").text("s3cret value ").lacks("s3cret").wants("•••••••••••••")
	if len(f.commands) > 0 {
		t.Fatalf("commands %q", f.commands)
	}
	b.keys("enter").lacks("•", "s3cret")
	if src.secrets["TOKEN"] != "s3cret value " || !slices.Equal(f.commands, []string{"auth bearer $TOKEN"}) {
		t.Errorf("given %q, commands %q", src.secrets, f.commands)
	}
	b.keys(":", "up").wants(":auth bearer $TOKEN").keys("enter").wants("enter alone keeps").keys("up").lacks("s3cret").keys("enter")
	if src.secrets["TOKEN"] != "s3cret value " || len(f.commands) != 2 {
		t.Errorf("given %q, commands %q", src.secrets, f.commands)
	}
	b.keys(":").text(`header "X-A: $TOKEN"`).keys("enter").text("x").keys("esc").wants("has no value").keys("e").lacks("s3cret").keys("esc")
	if len(f.commands) != 2 {
		t.Errorf("what was given up was carried out: %q", f.commands)
	}
	f.refuse = errors.New("too short")
	b.keys(":").text("auth bearer $OTHER").keys("enter").text("x").keys("enter").wants("too short")
	if src.secrets["OTHER"] != "" {
		t.Errorf("what was refused is kept: %q", src.secrets)
	}
	b = newBench(t, Options{Sessions: src, ASCII: true}, 60, 15)
	b.show(discovered(), false)
	b.keys(":").text("auth bearer $OTHER").keys("enter").text("abc").wants("***").lacks("abc")
}

// TestWhatASessionLacksIsAskedForFirst: the command line's credentials before
// any session begins, those of a session's log when it goes on.
func TestWhatASessionLacksIsAskedForFirst(t *testing.T) {
	t.Parallel()
	f := newFake()
	src := &fakeSessions{live: map[string]*fakeLive{"https://a.example": f}, unset: []string{"ONE", "TWO"}, always: true}
	b := newBench(t, Options{Sessions: src, Start: "https://a.example"}, 80, 24)
	b.wants("$ONE ▸").text("1").keys("enter").wants("$TWO ▸")
	if len(src.opened) > 0 {
		t.Fatalf("opened %q before it had them", src.opened)
	}
	b.text("2").keys("enter")
	if !slices.Equal(src.opened, []string{"open https://a.example"}) || src.secrets["TWO"] != "2" {
		t.Errorf("opened %q with %q", src.opened, src.secrets)
	}

	f = with(discovered(), func(v *session.View) { v.Peer.Credentials = []string{"auth bearer $KEY", "header 'X-A: $SET'"} })
	src = recorded()
	src.live["s-1"], src.unset = f, []string{"KEY"}
	b = onHistory(t, src)
	b.keys("c").wants("$KEY ▸").text("k").keys("enter")
	if !slices.Equal(f.commands, []string{"auth bearer $KEY"}) {
		t.Errorf("commands %q", f.commands)
	}
}
