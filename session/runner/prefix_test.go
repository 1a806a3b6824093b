package runner_test

import (
	"encoding/json"
	"testing"

	"a2ascope/session"
	"a2ascope/session/runner"
)

// pictures is what a state came to at a commit.
type pictures struct{ state, document, view string }

func picture(t testing.TB, s *session.State) pictures {
	t.Helper()
	enc := func(v any) string {
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	return pictures{enc(s), enc(session.MakeDocument(s, session.ToolDoc{})), enc(session.MakeView(s))}
}

// TestLiveIsReopened: at every commit, the state that the loop had is the one
// that the stored records fold into, byte for byte; so are document and view.
func TestLiveIsReopened(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		peer  string
		lines []string
	}{
		{"honest", []string{"stream slow 5", "wait settled", "list", "note all is well", "mark"}},
		{"honest", []string{"stream ask", "wait settled", "resume yes --stream", "wait settled", "send echo hello", "use 1", "get"}},
		{"honest", []string{"stream slow 20", "wait state working", "cancel", "wait settled", "demote streaming I do not like it", "restore streaming I do again", "overrule 1 why not"}},
		{"leaky-cancel", []string{"stream slow 40", "wait state working", "cancel", "wait settled", "confirm 1 true"}},
		{"replays", []string{"stream ask", "wait state input-required", "resume yes --stream", "wait settled"}},
		{"refused-mode", []string{"send ask", "resume --data {\"a\":1}", "wait settled", "send --data {\"a\":1}"}},
		{"restarts", []string{"send slow 40 --immediate", "poll"}},
		{"restarts", []string{"send slow 20 --immediate", "wait 400ms", "poll --every 50ms", "redispatch", "wait settled"}},
		{"silent-stream", []string{"stream slow 5", "wait settled"}},
		{"hidden-artifact", []string{"stream task x", "wait settled"}},
	} {
		for _, gen := range []string{"", "@0.3"} {
			t.Run(tc.peer+gen+" "+tc.lines[0], func(t *testing.T) {
				t.Parallel()
				peer, st := demo(t, tc.peer+gen), store(t)
				seen := map[uint64]pictures{}
				var r *runner.Runner
				ready := make(chan struct{})
				l := open(t, st, peer.URL(), func(c *runner.Config) {
					c.Committed = func(batch []session.Record) {
						<-ready
						seen[batch[len(batch)-1].Seq] = picture(t, r.StateNow())
					}
				})
				r = l.Runner
				close(ready)
				l.script(t, peer.URL(), tc.lines...)
				checkPrefixes(t, l, seen)
			})
		}
	}
}

func checkPrefixes(t *testing.T, l *live, seen map[uint64]pictures) {
	t.Helper()
	records, err := l.store.Page(l.id, 1, 5000)
	if err != nil {
		t.Fatal(err)
	}
	s, compared := session.NewState(), 0
	for i := range records {
		if err := records[i].Verify(s.Seq, s.Head); err != nil {
			t.Fatal(err)
		}
		session.Fold(s, &records[i])
		want, ok := seen[s.Seq]
		if !ok {
			continue
		}
		compared++
		if got := picture(t, s); got != want {
			t.Fatalf("after record %d (%s) the log folds into another state than the live one\n%s", s.Seq, records[i].Kind, apart(got, want))
		}
	}
	if compared != len(seen) || compared < 8 {
		t.Errorf("%d of %d commits were compared", compared, len(seen))
	}
}

// apart shows where two pictures differ.
func apart(a, b pictures) string {
	for _, p := range [][2]string{{a.state, b.state}, {a.document, b.document}, {a.view, b.view}} {
		x, y := p[0], p[1]
		for i := 0; i < min(len(x), len(y)); i++ {
			if x[i] != y[i] {
				from := max(0, i-200)
				return "folded: …" + x[from:min(len(x), i+100)] + "\nlive:   …" + y[from:min(len(y), i+100)]
			}
		}
		if len(x) != len(y) {
			return "one is longer"
		}
	}
	return ""
}
