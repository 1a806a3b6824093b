package runner_test

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"a2ascope/session"
	"a2ascope/session/runner"
)

// ran is how one command of a script ended.
type ran struct {
	result session.CommandResult
	detail string // part of it
}

const (
	good     = session.ResultOK
	cannot   = session.ResultCannot
	ranOut   = session.ResultRanOut
	withheld = session.ResultWithheld
)

// TestCommands: each line ends as the language says, one after another, on an
// embedded peer.
func TestCommands(t *testing.T) {
	t.Parallel()
	type step struct {
		line string
		want ran
	}
	is := func(line string, r session.CommandResult, detail ...string) step {
		return step{line, ran{r, strings.Join(detail, "")}}
	}
	for _, tc := range []struct {
		name, peer string
		status     int
		sends      int
		steps      []step
	}{
		{"no task yet", "honest", 0, 0, []step{
			is("get", cannot, "no task yet"), is("cancel", cannot, "no task yet"), is("poll", cannot, "no task yet"), is("resubscribe", cannot),
			is("resume x", cannot, "no task to resume"), is("wait settled", cannot, "no task to wait for"), is("wait closed", cannot),
			is("send --again", cannot, "none to send again"), is("use 3", cannot, "there is no task 3"), is("get --task nobody", cannot, "nobody"),
			is("detach", good, "no stream"), is("tasks", good), is("decisions", good), is("wait 10ms", good),
		}},
		{"a message answers", "honest", 5, 1, []step{
			is("send echo hi", good), is("wait settled", good), is("wait closed", good), is("wait state completed", ranOut, "cannot become completed"),
			is("get", cannot, "answered with a message"), is("poll", cannot), is("cancel", cannot),
		}},
		{"a stream that ends", "honest", 0, 1, []step{
			is("stream slow 3", good), is("wait state working", good), is("wait closed", good), is("wait settled", good), is("wait state completed", good),
			is("wait state submitted", good), is("detach", good, "no stream"), is("get --history 5", good), is("poll", good),
		}},
		{"a state that cannot come", "honest", 5, 1, []step{
			is("send task x", good), is("wait state input-required", ranOut, "cannot become input-required"), is("wait state failed", ranOut),
		}},
		{"a wait that runs out", "honest", 5, 1, []step{
			is("stream slow 80", good), is("wait settled --for 60ms", ranOut, "ran out"), is("wait closed --for 60ms", ranOut, "still open"),
			is("wait state completed --for 60ms", ranOut, "ran out"), is("detach", good),
		}},
		{"interrupted", "honest", 0, 2, []step{
			is("send ask", good), is("wait settled", good, "waits: input-required"), is("wait state input-required", good), is("poll", good, "waits"),
			is("resume Ada", good), is("wait settled", good), is("resume again", withheld, "does not wait for input"),
		}},
		{"send answers a question", "honest", 0, 3, []step{
			is("send ask", good), is("send Ada", good), is("wait settled", good), is("send ask --new", good), is("use 1", good), is("get", good),
		}},
		{"again", "honest", 0, 2, []step{
			is("send echo once", good), is("send --again", good),
		}},
		{"in the same context", "honest", 0, 2, []step{
			is("send task one", good), is("send task two --context current", good), is("wait settled", good), is("list", good), is("list --context current", good),
		}},
		{"poll until a state", "honest", 5, 1, []step{
			is("send slow 4 --immediate", good), is("poll --until completed --every 10ms", good), is("poll --until input-required --every 10ms", ranOut),
		}},
		{"cancel", "honest", 0, 1, []step{
			is("stream slow 80", good), is("wait state working", good), is("cancel", good), is("wait settled", good), is("wait closed", good),
			is("cancel", good), // refused: done all the same
		}},
		{"detach and subscribe", "honest", 0, 1, []step{
			is("stream slow 20", good), is("detach", good), is("wait closed", good), is("resubscribe", good), is("wait settled", good), is("resubscribe", good),
		}},
		{"raw", "honest", 0, 0, []step{
			is(`raw GetTask {"id":"no-such-task"}`, good), is(`raw "POST /nowhere" {}`, good), is(`raw NoSuchMethod {}`, good),
		}},
		{"trust", "honest", 0, 0, []step{
			is("demote streaming I do not trust it", good), is("confirm 1 still so", good), is("overrule 1 I was wrong", good), is("restore streaming it works", good),
			is("overrule 99 what", cannot, "no decision 99"), is("confirm 99", cannot, "no decision 99"), is("note this is a note", good), is("mark", good),
		}},
		{"a refused mode", "refused-mode", 1, 2, []step{
			is("send ask", good), is(`resume --data {"a":1}`, good), is(`resume --data {"a":2}`, withheld, "refused application/json"), is("wait settled", good),
		}},
		{"files that are not there", "honest", 0, 0, []step{
			is("send --file /no/such/file", cannot, "no such file"), is("send --data @/no/such/file", cannot), is("auth bearer $A2ASCOPE_NOT_SET", cannot, "not set"),
		}},
	} {
		for _, gen := range []string{"", "@0.3"} {
			t.Run(tc.name+gen, func(t *testing.T) {
				t.Parallel()
				peer := countedDemo(t, tc.peer+gen)
				l := open(t, store(t), peer.URL)
				ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
				defer cancel()
				for _, s := range append([]step{is("discover "+peer.URL, good)}, tc.steps...) {
					n, err := l.Command(s.line, "test")
					if err != nil {
						t.Fatalf("%s: %v", s.line, err)
					}
					cv, err := l.Await(ctx, n)
					if err != nil {
						t.Fatalf("%s: %v%s", s.line, err, l.transcript(t))
					}
					if cv.Result != s.want.result || !strings.Contains(cv.Detail, s.want.detail) {
						t.Errorf("%s: %s (%s), want %s (%s)", s.line, cv.Result, cv.Detail, s.want.result, s.want.detail)
					}
				}
				if err := runner.Script(ctx, l.Runner, nil); err != nil {
					t.Error(err)
				}
				l.Stop("done")
				if err := <-l.ended; err != nil {
					t.Fatal(err)
				}
				if d := l.Document(session.ToolDoc{}); d.Exit.Status != tc.status {
					t.Errorf("exit %+v, want %d", d.Exit, tc.status)
					t.Log(l.transcript(t))
				}
				if err := peer.twice(nil); err != nil || len(peer.messages()) != tc.sends {
					t.Errorf("messages %v, want %d: %v", peer.messages(), tc.sends, err)
				}
			})
		}
	}
}

// TestOverlapping: commands that run at the same time, on one stream, each
// come to their end.
func TestOverlapping(t *testing.T) {
	t.Parallel()
	for _, gen := range []string{"", "@0.3"} {
		t.Run("gen"+gen, func(t *testing.T) {
			t.Parallel()
			peer := countedDemo(t, "honest"+gen)
			l := open(t, store(t), peer.URL)
			ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
			defer cancel()
			commandLines(ctx, t, l.Runner, []string{"discover " + peer.URL, "stream slow 60", "wait state working"})
			lines := []string{"poll --every 20ms", "wait settled", "wait closed", "wait state canceled", "cancel", "get", "cancel", "note beside", "list", "send echo hi --new", "wait settled --task 1"}
			numbers := make([]int, len(lines))
			for i, line := range lines {
				n, err := l.Command(line, "test")
				if err != nil {
					t.Fatal(err)
				}
				numbers[i] = n
			}
			for i, n := range numbers {
				cv, err := l.Await(ctx, n)
				if err != nil || cv.Result != good {
					t.Errorf("%s: %s (%s), %v", lines[i], cv.Result, cv.Detail, err)
				}
			}
			if err := runner.Script(ctx, l.Runner, nil); err != nil {
				t.Error(err)
			}
			l.Stop("done")
			<-l.ended
			d := l.Document(session.ToolDoc{})
			if d.Exit.Status != 0 || d.Tasks[0].State != "canceled" || !d.Tasks[0].Settled {
				t.Errorf("exit %+v, task %s settled %v%s", d.Exit, d.Tasks[0].State, d.Tasks[0].Settled, l.transcript(t))
			}
			if err := peer.twice(nil); err != nil || len(peer.messages()) != 2 {
				t.Errorf("messages %v: %v", peer.messages(), err)
			}
		})
	}
}

// TestNothingSaturates: beside a stream that never pauses, a command is
// recorded, its request goes out, queries are answered and the session can be
// stopped.
func TestNothingSaturates(t *testing.T) {
	t.Parallel()
	stop := make(chan struct{})
	s := &stage{state: "TASK_STATE_CANCELED", canceled: make(chan struct{})}
	s.play = func(send func(string)) {
		send(statusNow("TASK_STATE_WORKING"))
		for {
			select {
			case <-stop:
				return
			case <-s.canceled:
				send(statusNow("TASK_STATE_CANCELED"))
				return
			default:
				send(artifactX)
			}
		}
	}
	peer := count(t, s)
	t.Cleanup(func() { close(stop) })
	l := open(t, store(t), peer.URL)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	commandLines(ctx, t, l.Runner, []string{"discover " + peer.URL, "stream go"})
	if d := l.Document(session.ToolDoc{}); len(d.Tasks) != 1 {
		t.Errorf("%d tasks", len(d.Tasks))
	}
	commandLines(ctx, t, l.Runner, []string{"note beside", "cancel", "wait closed"})
	if d := l.script(t, peer.URL); d.Tasks[0].State != "canceled" {
		t.Errorf("%+v", d.Tasks[0].State)
	}
}

// TestCommandsKeepTheirOrder: commands that are given from one place are
// recorded in the order in which they were given.
func TestCommandsKeepTheirOrder(t *testing.T) {
	t.Parallel()
	l := open(t, store(t), "http://peer.example")
	var numbers []int
	for i := range 200 {
		n, err := l.Command(fmt.Sprintf("note %d", i), "test")
		if err != nil {
			t.Fatal(err)
		}
		numbers = append(numbers, n)
	}
	if !slices.IsSortedFunc(numbers, cmp.Compare[int]) {
		t.Errorf("numbers %v", numbers)
	}
	l.Stop("done")
	<-l.ended
	if _, err := l.Command("note late", "test"); err == nil {
		t.Error("a command was taken after the end")
	}
}
