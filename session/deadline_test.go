package session_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"a2ascope/session"
)

// TestDeadlinesInOrder: the earliest comes first whatever was armed or armed
// anew in between, each id stands once, and what is over is gone.
func TestDeadlinesInOrder(t *testing.T) {
	t.Parallel()
	l := newFactLog(t, nil)
	for i, d := range []string{"9s", "1s", "5s", "5s", "3s"} {
		l.now = time.Duration(i) * time.Millisecond
		l.command("wait " + d)
	}
	l.write(session.KindTimer, 0, session.Ticked{ID: "command:c3"}, "") // "wait 1s": the endpoint is command 1
	var ids []string
	for _, d := range l.state.Deadlines {
		ids = append(ids, d.ID+" "+d.Due.String())
	}
	want := "command:c6 3.004s, command:c4 5.002s, command:c5 5.003s, command:c2 9s"
	if got := strings.Join(ids, ", "); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if !slices.IsSortedFunc(l.state.Deadlines, func(a, b session.Deadline) int { return int(a.Due - b.Due) }) {
		t.Error(fmt.Sprint(l.state.Deadlines))
	}
}
