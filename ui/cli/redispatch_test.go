package cli_test

import "testing"

// TestRedispatchElsewhere: a task of one peer is given to another by a second
// session, which names the first and keeps the correlation id.
func TestRedispatchElsewhere(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	first := document(t, b.session(0, "demo:honest@0.3", "json", `send "task report" --data '{"n":1}'`, "wait settled").out)
	args := append([]string{"run", "demo:honest", "--redispatch", first.Session + "/1", "--output", "json", "-c", "wait settled"}, quick...)
	r := b.run(args...)
	if r.status != 0 {
		t.Fatalf("status %d: %s", r.status, r.err)
	}
	second := document(t, r.out)
	if len(second.Tasks) != 1 || second.Tasks[0].Correlation != first.Tasks[0].Correlation {
		t.Fatalf("tasks %+v, want one with the correlation id %s", second.Tasks, first.Tasks[0].Correlation)
	}
	if got, want := second.Tasks[0].Messages[0].Text, first.Tasks[0].Messages[0].Text; got != want {
		t.Errorf("the message that went out again is %q, want %q", got, want)
	}
	if !second.Tasks[0].Settled || second.Tasks[0].TaskIDs[0] == first.Tasks[0].TaskIDs[0] {
		t.Errorf("it came to %+v", second.Tasks[0])
	}
	for _, tc := range []struct {
		name string
		args []string
	}{
		{"no such task", []string{"run", "demo:honest", "--redispatch", first.Session + "/7"}},
		{"no number", []string{"run", "demo:honest", "--redispatch", first.Session + "/x"}},
		{"a session to go on with", []string{"run", "--session", first.Session, "--redispatch", first.Session}},
	} {
		if r := b.run(tc.args...); r.status != 2 {
			t.Errorf("%s: status %d, want 2: %s", tc.name, r.status, r.err)
		}
	}
}
