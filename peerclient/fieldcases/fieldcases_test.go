package fieldcases

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"a2ascope/history"
	"a2ascope/peerclient"
	"a2ascope/peerclient/webhook"
	"a2ascope/session"
	"a2ascope/session/runner"
)

// fieldCase is one misbehaviour from the field, or one variant of it: the peer
// that shows it, what is done there, and what must come out.
type fieldCase struct {
	n    int    // its number in the collection; variants share it
	name string // as the collection has it, shortened
	peer peer
	at   string // below the peer's address, where discovery begins
	// typed is what the operator types instead, with $host for host and port.
	typed string
	// lines are given after a discover. $url stands for the peer's address.
	lines []string
	// finds are all the findings, whatever their severity: "severity rule", and
	// then words that the detail of such a finding holds.
	finds []string
	// state, text and last are of the first task: its state, the text of its
	// artifacts, its last message; empty ones are not looked at.
	state, text, last string
	// shows are words that the lines of the log hold, as an operator reads them.
	shows  []string
	check  func(t *testing.T, w *walked)
	policy func(*session.Policy)
	client peerclient.Options
	// pending says why the product does not come to this yet, and whose the
	// mend is. The test then fails once it does.
	pending string
	// not says why there is no test; how is what the console does, for the
	// document.
	not, how string
}

// table is every case, class by class.
var table = slices.Concat(discovery, cards, secured, versions, shapes, framing, lifecycle, cancels, resumes, views, pushes, gaps, failures, bindings)

// quick is the policy with its times turned down: what takes a second in the
// field takes 20 ms here.
func quick() session.Policy {
	p := session.DefaultPolicy()
	for d, v := range map[*session.Duration]time.Duration{
		&p.SettleEvery: 20 * time.Millisecond, &p.ProbeWindow: 1000 * time.Millisecond, &p.IdlePoll: 100 * time.Millisecond,
		&p.CloseWindow: 1000 * time.Millisecond, &p.CancelWatch: 900 * time.Millisecond, &p.RaceMargin: 400 * time.Millisecond,
		&p.DurableWait: 50 * time.Millisecond, &p.PushWindow: 400 * time.Millisecond,
	} {
		*d = session.Duration(v)
	}
	p.ProbeWindowGiven = true
	return p
}

// env is the environment of every session.
func env(name string) (string, bool) { return "s3cret-t0ken", name == "FIELD_TOKEN" }

func newID() string {
	var b [16]byte
	_, _ = rand.Read(b[:])
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// walked is what a session came to.
type walked struct {
	doc     session.Document
	records []session.Record
	peer    *served
	err     error // of the script
}

// walk runs a session of its own against the case's peer.
func (fc fieldCase) walk(t *testing.T) *walked {
	t.Helper()
	p := fc.peer.start(t)
	store, err := history.Open(filepath.Join(t.TempDir(), "log.db"), history.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = store.Close() }()
	id := newID()
	log, err := store.Create(id)
	if err != nil {
		t.Fatal(err)
	}
	policy := quick()
	if fc.policy != nil {
		fc.policy(&policy)
	}
	client := peerclient.New(fc.client)
	defer client.Close()
	r := runner.New(runner.Config{
		Peer: client, Log: log, Archive: store, NewID: newID, Env: env, ReadFile: os.ReadFile,
		Receiver: webhook.New(webhook.Options{NewID: newID}),
		Opened:   session.Opened{Session: id, Tool: "test", Typed: fc.address(p.url), URL: fc.address(p.url), Policy: policy},
	})
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- r.Run(ctx) }()
	w := &walked{peer: p}
	w.err = runner.Script(ctx, r, fc.script(p.url))
	r.Stop("done")
	if err := <-ended; err != nil {
		t.Fatalf("run: %v", err)
	}
	w.doc = r.Document(session.ToolDoc{Name: "a2ascope", Version: "test"})
	if w.records, err = store.Page(id, 1, 10_000); err != nil {
		t.Fatal(err)
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	return w
}

func (fc fieldCase) script(url string) []string {
	lines := append([]string{"discover " + fc.address(url) + fc.at}, fc.lines...)
	lines = append(lines, "send --new "+stillThere)
	for i := range lines {
		lines[i] = hosted(lines[i], url)
	}
	return lines
}

func (fc fieldCase) address(url string) string { return hosted(cmp.Or(fc.typed, "$url"), url) }

func hosted(text, url string) string {
	_, host, _ := strings.Cut(url, "://")
	return strings.NewReplacer("$url", url, "$host", host).Replace(text)
}

// atOnce is how many cases run side by side: they mostly wait.
const atOnce = 12

// TestFieldCases runs every case that has a peer.
func TestFieldCases(t *testing.T) {
	t.Parallel()
	slots := make(chan struct{}, atOnce)
	var wg sync.WaitGroup
	defer wg.Wait()
	for _, fc := range table {
		if fc.not != "" {
			continue
		}
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			t.Run(fmt.Sprintf("%d %s", fc.n, fc.name), fc.run)
		})
	}
}

// attempts is how often a case is walked before what it lacks counts: on a
// machine that has other things to do, what would show it may come too late.
// What is found beyond the case counts at once.
const attempts = 3

// run walks one case. A pending one that comes out right is to be promoted.
func (fc fieldCase) run(t *testing.T) {
	w := fc.walk(t)
	for n := 1; n < attempts && fc.lacks(w); n++ {
		t.Logf("once more: not all of it was seen")
		w = fc.walk(t)
	}
	amiss := fc.amiss(w)
	switch {
	case fc.pending != "" && len(amiss) == 0:
		t.Errorf("it does what it should: take it off the pending ones (%s)", fc.pending)
	case fc.pending != "":
		t.Logf("pending: %s\n%s", fc.pending, strings.Join(amiss, "\n"))
	case len(amiss) > 0:
		t.Errorf("%s%s", strings.Join(amiss, "\n"), w.transcript())
	}
	if fc.check != nil && fc.pending == "" {
		fc.check(t, w)
	}
}

// amiss says what the session did not come to.
func (fc fieldCase) amiss(w *walked) []string {
	var out []string
	say := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	if w.err != nil {
		say("the script stopped: %v", w.err)
	}
	out = append(out, fc.findings(w)...)
	if len(w.doc.Tasks) > 0 {
		task := w.doc.Tasks[0]
		if fc.state != "" && task.State != fc.state {
			say("the task is %q, want %q", task.State, fc.state)
		}
		text := ""
		for _, a := range task.Artifacts {
			text += a.Text
		}
		if fc.text != "" && text != fc.text {
			say("its artifacts say %q, want %q", text, fc.text)
		}
		if fc.last != "" && task.LastMessage != fc.last {
			say("its last message is %q, want %q", task.LastMessage, fc.last)
		}
	} else if fc.state != "" {
		say("there is no task")
	}
	told := w.told()
	for _, words := range fc.shows {
		if !strings.Contains(told, words) {
			say("no line of the log says %q", words)
		}
	}
	if n := len(w.doc.Tasks); n == 0 || w.doc.Tasks[n-1].LastMessage != "still here" {
		say("the session is of no use afterwards: the next message was not answered")
	}
	return out
}

// rules are the rules that found something, and those that should, each with
// its severity.
func (fc fieldCase) rules(w *walked) (got, want []string) {
	for _, f := range w.doc.Findings {
		got = append(got, string(f.Severity)+" "+f.Rule)
	}
	for _, line := range fc.finds {
		f := strings.Fields(line)
		want = append(want, f[0]+" "+f[1])
	}
	slices.Sort(got)
	slices.Sort(want)
	return slices.Compact(got), slices.Compact(want)
}

// lacks reports whether all that was found is wanted, and more is.
func (fc fieldCase) lacks(w *walked) bool {
	got, want := fc.rules(w)
	return len(got) < len(want) && !slices.ContainsFunc(got, func(f string) bool { return !slices.Contains(want, f) })
}

// findings compares what was found with what should be.
func (fc fieldCase) findings(w *walked) []string {
	var out []string
	for _, line := range fc.finds {
		_, rest, _ := strings.Cut(line, " ")
		rule, words, _ := strings.Cut(rest, " ")
		if words != "" && !slices.ContainsFunc(w.doc.Findings, func(f session.FindingDoc) bool {
			return f.Rule == rule && strings.Contains(f.Detail, words)
		}) {
			out = append(out, fmt.Sprintf("no %s says %q", rule, words))
		}
	}
	if got, want := fc.rules(w); !slices.Equal(got, want) {
		out = append(out, fmt.Sprintf("found %q, want %q", got, want))
		for _, f := range w.doc.Findings {
			out = append(out, "  "+f.Rule+": "+f.Detail)
		}
	}
	return out
}

// told is the log as an operator reads it, a line a record.
func (w *walked) told() string {
	var b strings.Builder
	for i := range w.records {
		d := session.Describe(&w.records[i])
		fmt.Fprintf(&b, "%s %s  %s\n", d.Arrow, d.Title, d.Detail)
	}
	for _, c := range w.doc.Findings {
		fmt.Fprintln(&b, c.Title, c.Detail, c.Advice)
	}
	for _, f := range w.doc.FaultList {
		fmt.Fprintln(&b, f.What)
	}
	s := session.NewState()
	for i := range w.records {
		session.Fold(s, &w.records[i])
	}
	for _, cs := range s.Commands {
		fmt.Fprintln(&b, cs.Cmd.Name, cs.Result, cs.Detail)
	}
	return b.String()
}

// transcript is the log, for a case that failed.
func (w *walked) transcript() string {
	var b strings.Builder
	for i := range w.records {
		r := &w.records[i]
		d := session.Describe(r)
		fmt.Fprintf(&b, "\n%4d %7.3f %-9s %s %s  %s", r.Seq, r.Elapsed.Seconds(), r.Kind, d.Arrow, d.Title, d.Detail)
	}
	if w.err != nil {
		fmt.Fprintf(&b, "\n%v", w.err)
	}
	return b.String()
}

// asked counts the requests of a kind that the peer got, and asks returns the
// last one's body.
func (w *walked) asked(key string) int { return w.peer.calls[w.full(key)] }

func (w *walked) asks(key string) string {
	body := ""
	for _, h := range w.peer.heard {
		if h.key == w.full(key) && !strings.Contains(h.body, stillThere) {
			body = h.body
		}
	}
	return body
}

func (w *walked) full(key string) string { return cmp.Or(methods[w.peer.gen][key], key) }
