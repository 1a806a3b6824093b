package runner_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"a2ascope/session"
)

// TestLiars drives each embedded peer over real HTTP and expects exactly the
// claims that it contradicts.
func TestLiars(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		peer  string
		lines []string
		want  []session.Claim
	}{
		{"honest", []string{"stream slow 5", "wait settled"}, nil},
		{"honest", []string{"stream slow 20", "wait state working", "cancel", "wait settled"}, nil},
		{"honest", []string{"send ask", "resume --data {\"a\":1}", "wait settled"}, nil},
		{"honest", []string{"stream ask", "wait settled", "resume yes --stream", "wait settled"}, nil},
		{"honest", []string{"send echo hello", "wait settled"}, nil},
		{"honest", []string{"send fail", "wait settled"}, nil},
		{"honest", []string{"stream slow 20", "detach", "resubscribe", "wait settled"}, nil},
		{"honest", []string{"send slow 10 --immediate", "poll", "list"}, nil},
		{"leaky-cancel", []string{"stream slow 40", "wait state working", "cancel", "wait settled"}, []session.Claim{session.CancelFinal}},
		{"refused-mode", []string{"send ask", "resume --data {\"a\":1}", "wait settled"}, []session.Claim{session.InputModes}},
		{"hidden-artifact", []string{"stream task x", "wait settled"}, []session.Claim{session.ArtifactsStreamed}},
		{"forgets-task", []string{"stream ask", "wait state input-required", "resume yes", "wait settled"}, []session.Claim{session.ResumeSameTask}},
		{"replays", []string{"stream ask", "wait state input-required", "resume yes --stream", "wait settled"}, []session.Claim{session.StatesForward}},
		{"resumes", []string{"stream ask", "wait state input-required", "resume yes --stream", "wait settled"}, nil},
		{"restarts", []string{"send slow 40 --immediate", "poll"}, []session.Claim{session.TaskDurable}},
	} {
		for _, gen := range []string{"", "@0.3"} {
			t.Run(tc.peer+gen+" "+tc.lines[0], func(t *testing.T) {
				t.Parallel()
				want := slices.Clone(tc.want)
				if tc.peer == "hidden-artifact" && gen == "@0.3" {
					want = append([]session.Claim{session.StateTransitionHistory}, want...)
				}
				peer := demo(t, tc.peer+gen)
				l := open(t, store(t), peer.URL())
				d := l.script(t, peer.URL(), tc.lines...)
				var got []session.Claim
				for _, c := range d.Claims {
					if c.Verdict == session.Contradicted {
						got = append(got, c.ID)
					}
				}
				if !slices.Equal(got, want) {
					t.Errorf("contradicted %v, want %v", got, want)
					t.Log(l.transcript(t))
				}
				if b, _ := json.Marshal(d); strings.Contains(string(b), ":null") {
					t.Errorf("the document has a null: %s", b)
				}
			})
		}
	}
}

// transcript is the log in lines, for a failed test.
func (l *live) transcript(t testing.TB) string {
	t.Helper()
	records, err := l.store.Page(l.id, 1, 2000)
	if err != nil {
		return err.Error()
	}
	var b strings.Builder
	for i := range records {
		r := &records[i]
		b.WriteString(strings.Join([]string{"\n", r.Elapsed.String(), string(r.Kind), string(r.Body), snippet(r.Raw)}, "  "))
	}
	return b.String()
}

func snippet(raw []byte) string {
	s := string(raw)
	if i := strings.Index(s, "\r\n\r\n"); i >= 0 {
		s = s[i+4:]
	}
	if len(s) > 400 {
		s = s[:400]
	}
	return s
}
