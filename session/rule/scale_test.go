package rule_test

import (
	"fmt"
	"testing"
	"time"

	"a2ascope/session"
	"a2ascope/session/a2a"
)

// BenchmarkManyTasks says what the last tenth of a session of 3,000 streamed
// tasks costs a task, beside the first tenth.
func BenchmarkManyTasks(b *testing.B) {
	for _, saying := range []string{"honest", "accused"} {
		b.Run(saying, func(b *testing.B) {
			const tasks, part = 3000, 300
			for range b.N {
				s := newScribe(b, a2a.Gen10, quick)
				s.step = time.Millisecond
				s.discover(nil)
				var viewer session.Viewer
				var first, last time.Duration
				at := time.Now()
				for i := range tasks {
					switch i {
					case part:
						first = time.Since(at)
					case tasks - part:
						at = time.Now()
					}
					id := fmt.Sprintf("#T%d", i)
					x := s.stream("stream --new x", "task submitted "+id, "working "+id, "artifact r=1 "+id, "completed "+id)
					if saying == "accused" {
						s.brings(x, "working "+id)
					}
					s.ends(x, session.ClosedClean)
					s.settles("task completed r=1 " + id)
					_ = viewer.View(s.state)
				}
				last = time.Since(at)
				b.ReportMetric(float64(first.Microseconds())/part, "first-µs/task")
				b.ReportMetric(float64(last.Microseconds())/part, "last-µs/task")
			}
		})
	}
}

// BenchmarkManyReads says the same of 100,000 reads of one working task.
func BenchmarkManyReads(b *testing.B) {
	for _, how := range []string{"send", "stream"} {
		b.Run(how, func(b *testing.B) {
			const reads, part = 20_000, 2000
			for range b.N {
				s := newScribe(b, a2a.Gen10, quick)
				s.step = time.Millisecond
				s.discover(nil)
				if how == "send" {
					s.answers(s.ask("send --immediate x"), "task working")
				} else {
					x := s.stream("stream x", "task submitted", "working")
					s.ends(x, session.ClosedCut)
				}
				s.do("wait settled --for 900h")
				var first, last time.Duration
				at := time.Now()
				for i := range reads {
					switch i {
					case part:
						first = time.Since(at)
					case reads - part:
						at = time.Now()
					}
					if s.state.Exchanges[s.next()-1].Op != a2a.OpGet {
						b.Fatal("no read was due")
					}
					s.answers(len(s.state.Exchanges), "task working")
				}
				last = time.Since(at)
				b.ReportMetric(float64(first.Nanoseconds())/part, "first-ns/read")
				b.ReportMetric(float64(last.Nanoseconds())/part, "last-ns/read")
				at = time.Now()
				for range 100 {
					_ = session.MakeView(s.state)
				}
				b.ReportMetric(float64(time.Since(at).Nanoseconds())/100, "view-ns")
			}
		})
	}
}

// quick keeps the session short in its own time, so that the card is not read
// again in between.
func quick(p *session.Policy) {
	p.SettleEvery, p.WorkingDeadline = session.Duration(time.Millisecond), session.Duration(time.Hour)
}

// TestNothingIsScannedForEver: what a session looks through with each record
// does not grow with the tasks that are over.
func TestNothingIsScannedForEver(t *testing.T) {
	t.Parallel()
	s := newScribe(t, a2a.Gen10, quick)
	s.discover(nil)
	for i := range 20 {
		id := fmt.Sprintf("#T%d", i)
		x := s.stream("stream --new x", "task submitted "+id, "artifact r=1 "+id, "completed "+id)
		s.ends(x, session.ClosedClean)
		if got := s.state.Awake; len(got) != 1 || got[0] != i+1 {
			t.Fatalf("with task %d under way, awake are %v", i+1, got)
		}
		s.settles("task completed r=1 " + id)
		for range 5 {
			s.get("task completed r=1 " + id)
		}
		s.do("mark") // the last command is over by then
		if got := s.state.Awake; len(got) != 0 {
			t.Fatalf("after the end of task %d, awake are %v", i+1, got)
		}
		if got := s.state.Tasks[i].Talk; len(got) != 1 || got[0] != x {
			t.Fatalf("the talk of task %d is in %v, want exchange %d alone", i+1, got, x)
		}
	}
}
