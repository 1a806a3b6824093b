package rule_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"a2ascope/session"
	"a2ascope/session/a2a"
)

// runs is how many random sessions are told in each generation, and steps how
// long each one is.
const (
	runs  = 100
	steps = 60
)

// sayings is what a peer may say on a stream, in answers and in deliveries.
var sayings = []string{
	"task submitted @1s", "task working @2s", "task working r=1", "task input-required says=Who?", "task completed r=1", "task completed r=2 q=3",
	"task canceled", "task canceled r=1", "task failed says=bad_mime_type", "task rejected", "task auth-required", "task paused", "task working #T9",
	"submitted @1s", "submitted @9s", "working @2s", "working @3s says=more", "working final", "input-required @4s", "completed @5s", "completed open", "canceled @6s",
	"artifact r=1", "artifact +r=2", "artifact r!:image/png=x", "artifact +new:data={}", "artifact late=x held", "working lead=2s held", "working #T9", "completed #T2",
	"message hello", "error -32001 Task not found", "error -32002 Task cannot be canceled", "error -32003 no push", "error -32004 not supported",
	"error -32005 Incompatible content types", "error -32602 no such part", "error -32603 oops", "error -32601 Method not found", "error -32000 who? http=401",
	"list T1:working", "list T1:completed", "", "{}", "[]", "body:{what", "http=404 body:nothing", "http=500 body:<html>", "task completed id=99", "task working hint retry=3",
	`{"kind":"task","id":"T1","id":"T9","status":{"state":"working"}}`, `{"task":null}`, `{"artifactUpdate":{"taskId":"T1"}}`, `{"statusUpdate":{}}`,
}

// orders is what an operator may ask for.
var orders = []string{
	"send task x", "send slow 9 --immediate", "send --new ask", `send --data {"a":1}`, "send --again", "stream task x", "stream slow 9 --new", "resume Ada", "resume Ada --stream",
	"resume Ada --force", `resume --data {"a":1} --force`, "cancel", "get", "get --fresh", "get --history 20", "poll --max 3", "wait settled --for 20s", "wait closed --for 5s",
	"wait state completed", "resubscribe", "detach", "list", "redispatch", "push on", "push off", "push set http://hook.example/x", "push list", "extended-card", "discover http://peer.example",
	"interface jsonrpc 0.3", "endpoint http://peer.example/other", "use 1", "demote streaming because", "restore streaming because", "confirm 1", "overrule 1 no", "overrule 2 no", "note x",
	"raw GetTask {}", "tasks", "decisions",
}

// teller tells a session at random.
type teller struct {
	*scribe
	r      *rand.Rand
	viewer session.Viewer
}

func (w *teller) pick(list []string) string { return list[w.r.IntN(len(list))] }

// tell does one thing.
func (w *teller) tell() {
	switch n := w.r.IntN(100); {
	case n < 14:
		w.do(w.pick(orders))
	case n < 30:
		if due := w.state.Due(w.now, true); len(due) > 0 {
			w.send(due[w.r.IntN(len(due))])
		}
	case n < 90 && len(w.state.Open) > 0:
		w.arrive(w.state.Open[w.r.IntN(len(w.state.Open))])
	case n < 92:
		w.calls(w.pick([]string{"working", "completed", "task completed r=1", "task failed #T2", "artifact r=1"}), w.r.IntN(2) == 0)
	case n < 93:
		w.stall()
	default:
		w.wait(time.Duration(w.r.IntN(20_000)) * time.Millisecond)
	}
}

// arrive lets an open exchange bring something.
func (w *teller) arrive(n int) {
	x := w.state.Exchanges[n-1]
	switch {
	case x.Stream != nil && w.r.IntN(9) == 0:
		w.ends(n, w.pick([]string{session.ClosedClean, session.ClosedCut, session.ClosedDetached, session.ClosedOversize}))
	case x.Stream != nil && w.r.IntN(9) == 0:
		w.comment(n)
	case x.Stream != nil:
		w.brings(n, w.pick(sayings))
	case x.Op == a2a.OpCard:
		body := w.served
		if w.r.IntN(3) == 0 {
			k := newCard(w.server)
			k.version, k.streaming, k.url = w.pick([]string{"2.3.0", "9"}), w.pick([]string{"true", "false", "null"}), w.server+w.pick([]string{"/rpc", "/b"})
			body = k.json(w.gen)
		}
		w.card(n, body, []int{200, 200, 304, 404}[w.r.IntN(4)])
	case w.r.IntN(8) == 0:
		w.fails(n)
	case (x.Op == a2a.OpStream || x.Op == a2a.OpSubscribe) && w.r.IntN(4) > 0:
		w.opens(n)
	default:
		w.answers(n, w.pick(sayings))
	}
}

// sound says what must hold of every state, whatever came.
func (w *teller) sound() error {
	if !slices.IsSortedFunc(w.state.Deadlines, func(a, b session.Deadline) int { return int(a.Due - b.Due) }) {
		return fmt.Errorf("the deadlines are out of order: %+v", w.state.Deadlines)
	}
	type key struct {
		rule string
		task int
	}
	said := map[key]bool{}
	for _, f := range w.state.Findings {
		k := key{f.Rule, f.Task}
		if said[k] {
			return fmt.Errorf("%s is found twice of task %d", f.Rule, f.Task)
		}
		said[k] = true
		if len(f.Evidence) == 0 || len(f.Evidence) > 20 {
			return fmt.Errorf("%s has %d records of evidence", f.Rule, len(f.Evidence))
		}
		for _, seq := range f.Evidence {
			if seq == 0 || seq >= w.state.Seq || f.Count == 1 && seq > f.Cause {
				return fmt.Errorf("%s names record %d, and record %d brought it about", f.Rule, seq, f.Cause)
			}
		}
	}
	for i := range w.log[1:] {
		if err := w.log[i+1].Verify(w.log[i].Seq, w.log[i].Hash); err != nil {
			return err
		}
	}
	return nil
}

// TestRandomSessions: whatever comes in whatever order breaks nothing, means
// the same when it is folded again, and is judged the same.
func TestRandomSessions(t *testing.T) {
	t.Parallel()
	for _, gen := range []a2a.Generation{a2a.Gen10, a2a.Gen03} {
		for seed := range uint64(runs) {
			t.Run(fmt.Sprintf("%s/%d", gen, seed), func(t *testing.T) {
				t.Parallel()
				w := &teller{scribe: newScribe(t, gen, func(p *session.Policy) { p.AutoRedispatch = seed%2 == 0 }), r: rand.New(rand.NewPCG(seed, uint64(len(gen))))}
				w.step = time.Duration(w.r.IntN(200)) * time.Millisecond
				w.discover(func(k *card) {
					k.history = w.pick([]string{"", "true"})
					k.streaming = w.pick([]string{"true", "true", "false"})
				})
				defer func() {
					if t.Failed() {
						t.Log(w.transcript())
					}
				}()
				for range steps {
					w.tell()
					if kept, anew := w.viewer.View(w.state), session.MakeView(w.state); !reflect.DeepEqual(kept, anew) {
						t.Fatalf("the view that was kept is another than a new one:\n%s\n%s", asJSON(t, kept), asJSON(t, anew))
					}
				}
				if err := w.sound(); err != nil {
					t.Error(err)
				}
				w.folds()
			})
		}
	}
}
