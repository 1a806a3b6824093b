package session_test

import (
	"slices"
	"testing"

	"a2ascope/session"
	"a2ascope/session/a2a"
)

// TestCredentialsRefused: status 4 is for a session in which the agent let us
// in nowhere; what a proxy says before it does not count as served.
func TestCredentialsRefused(t *testing.T) {
	t.Parallel()
	type answer struct {
		status int
		body   string
	}
	denied := answer{401, `{"error":"unauthorized"}`}
	for _, tc := range []struct {
		name  string
		then  answer
		wants int
	}{
		{"nothing else", answer{403, "<html>no</html>"}, 4},
		{"a page of a gateway that fails", answer{502, "<html>Bad Gateway</html>"}, 4},
		{"a page that says it is not there", answer{404, "404 page not found"}, 4},
		{"a page to log in", answer{200, "<html>Log in</html>"}, 4},
		{"a refusal of our credentials in an answer", answer{200, `{"jsonrpc":"2.0","id":2,"error":{"code":-31403,"message":"no"}}`}, 4},
		{"a task", answer{200, taskSays("TASK_STATE_WORKING", "")}, 0},
		{"an error of the agent's own", answer{200, `{"jsonrpc":"2.0","id":2,"error":{"code":-32001,"message":"Task not found"}}`}, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			l := newFactLog(t, nil)
			for _, a := range []answer{denied, tc.then} {
				l.command("send x --new")
				l.write(session.KindResponse, l.ask(), session.Responded{Status: a.status}, a.body)
			}
			if got := l.state.Exit(false); got.Status != tc.wants {
				t.Errorf("status %d %v, want %d", got.Status, got.Reasons, tc.wants)
			}
		})
	}
	t.Run("an event of a stream", func(t *testing.T) {
		t.Parallel()
		l := newFactLog(t, nil)
		l.command("send x")
		l.write(session.KindResponse, l.ask(), session.Responded{Status: 401}, "")
		l.command("stream x")
		x := l.ask()
		l.write(session.KindResponse, x, session.Responded{Status: 200, Stream: true}, "")
		if got := l.state.Exit(false); got.Status != 4 {
			t.Errorf("before it, status %d", got.Status)
		}
		l.event(x, taskSays("TASK_STATE_WORKING", ""))
		if got := l.state.Exit(false); got.Status != 0 {
			t.Errorf("after it, status %d", got.Status)
		}
	})
}

// TestStatesOfAttempts: where one attempt ends and the next begins in the same
// state, the list has it once; a state that comes back stays.
func TestStatesOfAttempts(t *testing.T) {
	t.Parallel()
	l := newFactLog(t, nil)
	say := func(id string, states ...string) {
		for _, st := range states {
			l.write(session.KindResponse, l.ask(), session.Responded{Status: 200}, `{"task":{"id":"`+id+`","status":{"state":"TASK_STATE_`+st+`"}}}`)
			if st != states[len(states)-1] {
				l.command("get")
			}
		}
	}
	l.command("send x")
	say("T1", "SUBMITTED", "WORKING")
	l.command("send --again")
	say("T2", "WORKING", "SUBMITTED", "COMPLETED")
	d := session.MakeDocument(l.state, session.ToolDoc{})
	want := []string{string(a2a.Submitted), string(a2a.Working), string(a2a.Submitted), string(a2a.Completed)}
	if got := d.Tasks[0].States; !slices.Equal(got, want) || d.Tasks[0].Attempts != 2 {
		t.Errorf("states %q of %d attempts, want %q", got, d.Tasks[0].Attempts, want)
	}
}
