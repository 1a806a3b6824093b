package runner_test

import (
	"slices"
	"testing"
)

// TestWorkThatIsNoLongerDue: a read and a message of one task fall due
// together, again and again. The message begins another attempt, of which
// there is nothing to read yet: the read is dropped, and the loop goes on.
func TestWorkThatIsNoLongerDue(t *testing.T) {
	t.Parallel()
	peer := demo(t, "honest")
	l := open(t, store(t), peer.URL())
	lines := append([]string{"send slow 100 --immediate", "poll --every 1ms &"}, slices.Repeat([]string{"send --again --immediate"}, 40)...)
	d := l.script(t, peer.URL(), append(lines, "cancel")...)
	if len(d.Tasks) != 1 || d.Tasks[0].Attempts != 41 {
		t.Errorf("tasks: %+v", d.Tasks)
	}
}
