package cli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"a2ascope/session"
)

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

// TestRedispatchAsItWas: what goes to another peer is what the first message
// meant: parts, files, options, and the form where that peer declares it.
func TestRedispatchAsItWas(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	file := filepath.Join(b.dir, "a list.json")
	if err := os.WriteFile(file, []byte("[1]"), 0o600); err != nil {
		t.Fatal(err)
	}
	first := document(t, b.session(0, "demo:honest", "json",
		`stream "task report" --file '`+file+`' --accept application/json --context box-7`, "wait settled --for 5s").out)
	again := func(peer string) (line string, r result) {
		r = b.run(append([]string{"run", peer, "--redispatch", first.Session, "--output", "jsonl", "-c", "wait settled --for 5s"}, quick...)...)
		for _, l := range strings.Split(r.out, "\n") {
			var rec struct {
				Kind session.Kind
				Body string
			}
			var c session.Commanded
			if json.Unmarshal([]byte(l), &rec) == nil && rec.Kind == session.KindCommand && json.Unmarshal([]byte(rec.Body), &c) == nil && strings.Contains(c.Line, "--new") {
				line = c.Line
			}
		}
		return line, r
	}
	options := "stream --accept application/json --context box-7 'task report' --file '" + file + ";type=application/json' --new"
	if line, r := again("demo:honest@0.3"); line != options || r.status != 0 || strings.Contains(r.out, "detach --task 1") {
		t.Errorf("sent %q: %s%s", line, r.err, r.out)
	}
	if err := os.WriteFile(file, []byte("[2]"), 0o600); err != nil {
		t.Fatal(err)
	}
	if line, r := again("demo:honest"); r.status != 2 || line != "" || !strings.Contains(r.err, "a list.json") || !strings.Contains(r.err, "by hand") {
		t.Errorf("with another file: status %d, sent %q: %s", r.status, line, r.err)
	}
}

// TestPolicyInTheDocument: every flag of the policy is in it, by its name.
func TestPolicyInTheDocument(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	doc := func(flags ...string) map[string]any {
		var d struct{ Policy map[string]any }
		r := b.run(append([]string{"run", "demo:honest", "--output", "json", "-c", "send 'echo x'"}, flags...)...)
		if err := json.Unmarshal([]byte(r.out), &d); err != nil {
			t.Fatalf("%v: %s%s", err, r.out, r.err)
		}
		if strings.Contains(r.out, "s3cret") {
			t.Errorf("a secret is shown: %s", r.out)
		}
		return d.Policy
	}
	given := doc("--push-listen", "127.0.0.2:0", "--push-url", "https://me:s3cret@tunnel.example/a2a", "--no-redispatch")
	if given["pushListen"] != "127.0.0.2:0" || !strings.Contains(given["pushUrl"].(string), "@tunnel.example/a2a") || given["noRedispatch"] != true {
		t.Errorf("the policy is %v", given)
	}
	plain := doc()
	for _, name := range strings.Fields("probeWindow idlePoll closeWindow settleReads settleEvery settleMax cancelWatch raceMargin workingSilent submittedDeadline workingDeadline pushWindow pushListen pushUrl trustTtl noRedispatch timeoutConnect timeoutFirstByte") {
		if _, there := plain[name]; !there {
			t.Errorf("%s is not in the policy: %v", name, plain)
		}
	}
}
