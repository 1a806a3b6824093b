package runner_test

import (
	"encoding/json"
	"strings"
	"testing"

	"a2ascope/session"
)

// TestHonest leads the honest embedded peers through every way of working, over
// real HTTP: nothing that they do contradicts a claim.
func TestHonest(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		peer  string
		lines []string
	}{
		{"honest", []string{"stream slow 5", "wait settled"}},
		{"honest", []string{"stream slow 20", "wait state working", "cancel", "wait settled"}},
		{"honest", []string{"send ask", "resume --data {\"a\":1}", "wait settled"}},
		{"honest", []string{"stream ask", "wait settled", "resume yes --stream", "wait settled"}},
		{"honest", []string{"send echo hello", "wait settled"}},
		{"honest", []string{"send fail", "wait settled"}},
		{"honest", []string{"stream slow 20", "detach", "resubscribe", "wait settled"}},
		{"honest", []string{"send slow 10 --immediate", "poll", "list"}},
		{"resumes", []string{"stream ask", "wait state input-required", "resume yes --stream", "wait settled"}},
	} {
		for _, gen := range []string{"", "@0.3"} {
			t.Run(tc.peer+gen+" "+tc.lines[0], func(t *testing.T) {
				t.Parallel()
				peer := demo(t, tc.peer+gen)
				l := open(t, store(t), peer.URL())
				d := l.script(t, peer.URL(), tc.lines...)
				var got []session.Claim
				for _, c := range d.Claims {
					if c.Verdict == session.Contradicted {
						got = append(got, c.ID)
					}
				}
				if len(got) > 0 {
					t.Errorf("an honest peer is accused of %v", got)
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
