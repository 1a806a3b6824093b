package session

import (
	"fmt"
	"testing"

	"a2ascope/session/a2a"
)

// BenchmarkViewOfManyTasks makes the view of a session of 1,000 tasks, on the
// last of which something is under way: what each frame of a stream costs.
func BenchmarkViewOfManyTasks(b *testing.B) {
	s := NewState()
	for n := 1; n <= 1000; n++ {
		t := &Task{N: n, Correlation: fmt.Sprintf("c-%d", n), Touched: uint64(n), Awake: n == 1000}
		a := &Attempt{N: 1, ServerID: fmt.Sprintf("t-%d", n), State: a2a.Completed}
		for _, state := range []a2a.State{a2a.Submitted, a2a.Working, a2a.Completed} {
			a.States = append(a.States, Seen{State: state, Seq: uint64(n)})
		}
		t.Attempts = []*Attempt{a}
		s.Tasks = append(s.Tasks, t)
	}
	s.Current, s.Seq = 1000, 1000
	var w Viewer
	w.View(s)
	b.ReportAllocs()
	for b.Loop() {
		if v := w.View(s); len(v.Tasks) != 1000 {
			b.Fatal("a task is missing")
		}
	}
}
