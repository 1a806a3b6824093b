package cli_test

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"a2ascope/session"
	"a2ascope/ui/cli"
)

// replaying serves a recording until the test is over, and returns where.
func (b *bench) replaying(args ...string) (url, listing string) {
	b.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	out, in := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		env := func(string) (string, bool) { return "", false }
		ended <- cli.Run(ctx, append(append(b.fixed(), "replay"), args...), env, strings.NewReader(""), in, io.Discard)
		in.Close()
	}()
	b.t.Cleanup(func() {
		cancel()
		if status := <-ended; status != 0 {
			b.t.Errorf("replay: status %d", status)
		}
	})
	first := make([]byte, 1<<16)
	n, err := out.Read(first)
	if err != nil {
		b.t.Fatalf("replay %q: %v", args, err)
	}
	listing = string(first[:n])
	url, _, _ = strings.Cut(listing, " ")
	return url, listing
}

// rerunDoc is what rerun prints as JSON.
type rerunDoc struct {
	session.Comparison
	Outcome string   `json:"outcome"`
	Exit    int      `json:"exit"`
	Notes   []string `json:"notes"`
}

func (b *bench) rerun(want int, args ...string) rerunDoc {
	b.t.Helper()
	r := b.run(append([]string{"rerun", "--output", "json"}, args...)...)
	var doc rerunDoc
	if err := json.Unmarshal([]byte(r.out), &doc); err != nil || r.status != want || doc.Exit != want {
		b.t.Fatalf("rerun %q: status %d, want %d: %v\n%s%s", args, r.status, want, err, r.out, r.err)
	}
	return doc
}

func (b *bench) exported(name string) string {
	b.t.Helper()
	path := filepath.Join(b.dir, name)
	if r := b.run("export", "last", "--format", "jsonl", "-o", path); r.status != 0 {
		b.t.Fatalf("export: %+v", r)
	}
	return path
}

// The loop is closed: recording, replay, rerun, and the same verdicts.
func TestReplayAndRerun(t *testing.T) {
	t.Parallel()
	b, vendor := newBench(t), newBench(t)
	was := document(t, b.session(1, "demo:leaky-cancel", "json", leaky...).out)
	file := b.exported("bug.jsonl")

	url, listing := vendor.replaying(file)
	for _, part := range []string{was.Session, "1 ×  POST /rpc CancelTask", was.Tasks[0].TaskIDs[0]} {
		if !strings.Contains(listing, part) {
			t.Errorf("no %q in %s", part, listing)
		}
	}
	doc := vendor.rerun(1, file, url)
	if doc.Outcome != "same" || len(doc.Claims)+len(doc.Gone)+len(doc.New) != 0 || doc.A.Session != was.Session || doc.A.Session == doc.B.Session {
		t.Errorf("replayed: %+v", doc)
	}
	if len(doc.Card) != 1 || doc.Card[0].Path != "supportedInterfaces[0].url" {
		t.Errorf("cards: %+v", doc.Card)
	}
	var rows []session.Summary
	if r := vendor.run("history", "list", "--output", "json"); json.Unmarshal([]byte(r.out), &rows) != nil || len(rows) != 1 || rows[0].Origin != "replayed" {
		t.Errorf("the recording itself is in the log, or its replay passes for a peer: %+v", rows)
	}
	if r := vendor.run("decisions", "--active", "--output", "json"); strings.TrimSpace(r.out) != "[]" {
		t.Errorf("a replay fed trust: %s", r.out)
	}
	again := document(t, vendor.run("history", "show", doc.B.Session, "--output", "json").out)
	if again.Policy != was.Policy {
		t.Errorf("another policy: %+v, was %+v", again.Policy, was.Policy)
	}
}

func TestRerunSaysWhatChanged(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.session(1, "demo:leaky-cancel", "json", leaky...)
	bad := b.exported("bad.jsonl")
	b.session(0, "demo:honest", "json", leaky...)
	good := b.exported("good.jsonl")

	doc := b.rerun(0, bad, "demo:honest")
	if doc.Outcome != "none" || len(doc.Gone) != 2 || len(doc.Claims) == 0 {
		t.Errorf("mended: %+v", doc)
	}
	doc = b.rerun(7, good, "demo:leaky-cancel@0.3")
	if doc.Outcome != "new" || doc.B.Generation != "0.3" {
		t.Errorf("broken: %+v", doc)
	}
	r := b.run("rerun", bad, "demo:leaky-cancel")
	if r.status != 1 || !strings.Contains(r.out, "status 1: the same claims are contradicted as before") {
		t.Errorf("as text: %+v", r)
	}
	doc = b.rerun(3, good, "http://127.0.0.1:1")
	if doc.Outcome != "unjudged" {
		t.Errorf("nobody there: %+v", doc)
	}
}

// The commands of a stranger's recording do not read our files, nor our
// environment, nor call whom they like.
func TestRerunOfAStrangersCommands(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	secret := filepath.Join(b.dir, "key.json")
	if err := os.WriteFile(secret, []byte(`{"do-not":"send"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	b.env["KEY"] = "do-not-send"
	b.session(0, "demo:honest", "json", "header 'X-Api-Key: $KEY'", "send --data @"+secret, "send echo hi", "export jsonl "+filepath.Join(b.dir, "out.jsonl"))
	file := b.exported("theirs.jsonl")
	if err := os.Remove(filepath.Join(b.dir, "out.jsonl")); err != nil {
		t.Fatal(err)
	}
	doc := b.rerun(0, file, "demo:honest")
	if len(doc.Notes) != 3 || !strings.Contains(strings.Join(doc.Notes, "\n"), "it reads a file") || !strings.Contains(strings.Join(doc.Notes, "\n"), "it reads the environment") {
		t.Errorf("notes %q", doc.Notes)
	}
	r := b.run("history", "show", "last", "--output", "jsonl")
	if strings.Contains(r.out, "do-not") || !strings.Contains(r.out, "echo hi") {
		t.Errorf("what was sent: %s", r.out)
	}
	if doc := b.rerun(0, "--trust-commands", file, "demo:honest"); len(doc.Notes) != 1 {
		t.Errorf("trusted: %q", doc.Notes)
	}
	if _, err := os.Stat(filepath.Join(b.dir, "out.jsonl")); err == nil {
		t.Error("a rerun wrote a file")
	}
}

func TestCompare(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	one := document(t, b.session(1, "demo:leaky-cancel", "json", leaky...).out)
	file := b.exported("before.jsonl")
	two := document(t, b.session(0, "demo:honest", "json", leaky...).out)

	var c session.Comparison
	r := b.run("compare", file, two.Session, "--output", "json")
	if err := json.Unmarshal([]byte(r.out), &c); err != nil || r.status != 1 {
		t.Fatalf("%v %+v", err, r)
	}
	if c.A.Session != one.Session || c.B.Session != two.Session || !slices.ContainsFunc(c.Claims, func(x session.ClaimChange) bool { return x.ID == session.CancelFinal && x.Now == session.Honoured }) || len(c.Gone) != 2 || len(c.Timings) != 1 {
		t.Errorf("%+v", c)
	}
	r = b.run("compare", file, "last")
	for _, part := range []string{"contradicted → honoured", "-  critical cancel.not-final", `name                        "Demo peer: leaky-cancel" → "Demo peer: honest"`} {
		if !strings.Contains(r.out, part) {
			t.Errorf("no %q in %s", part, r.out)
		}
	}
	if r := b.run("compare", "last", "last"); r.status != 0 || !strings.Contains(r.out, "No verdict, finding or part of the card differs.") {
		t.Errorf("with itself: %+v", r)
	}
}

func TestRecordingsThatAreNone(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	if r := b.run("replay", "last"); r.status != 2 || !strings.Contains(r.err, "nothing was recorded yet") {
		t.Errorf("no log: %+v", r)
	}
	b.session(0, "demo:honest", "json", "send echo hi")
	whole := b.exported("whole.jsonl")
	text, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	broken := filepath.Join(b.dir, "broken.jsonl")
	if err := os.WriteFile(broken, []byte(strings.Replace(string(text), "echo hi", "echo ho", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		args   []string
		status int
		err    string
	}{
		"no such file":    {[]string{"replay", "gone.jsonl"}, 2, "no such file"},
		"no such session": {[]string{"replay", "19990101"}, 2, "history list"},
		"a broken chain":  {[]string{"replay", broken}, 1, "record"},
		"the same, rerun": {[]string{"rerun", broken, "demo:honest"}, 1, "record"},
		"no URL":          {[]string{"rerun", "last"}, 2, "URL"},
		"no address":      {[]string{"rerun", "last", "there"}, 2, "address"},
		"an old session":  {[]string{"rerun", "last", "demo:honest", "--continue"}, 2, "session of its own"},
		"no listener":     {[]string{"replay", "last", "--listen", "nowhere:1:2"}, 1, "--listen"},
	} {
		if r := b.run(tc.args...); r.status != tc.status || !strings.Contains(r.err, tc.err) || r.out != "" {
			t.Errorf("%s: %+v", name, r)
		}
	}
	// From standard input, too.
	b.in = string(text)
	if r := b.run("compare", "-", whole); r.status != 0 {
		t.Errorf("standard input: %+v", r)
	}
}
