package runner_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"a2ascope/history"
	"a2ascope/session"
	"a2ascope/session/runner"
)

// TestKilledConsole: a console that is killed at any moment of a stream has
// lost nothing that it showed, goes on from there, and never sends a message
// twice.
func TestKilledConsole(t *testing.T) {
	t.Parallel()
	for i := range 20 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			after := time.Duration(rand.IntN(900)) * time.Millisecond
			t.Logf("killed %s after its first record", after)
			peer := countedDemo(t, "honest")
			p := launch(t, peer.URL, "stream slow 30", "wait settled")
			shown := map[uint64]string{}
			for {
				line, ok := p.next()
				if !ok || line.Seq == 0 {
					break
				}
				if len(shown) == 0 {
					time.AfterFunc(after, func() { _ = p.Process.Kill() })
				}
				shown[line.Seq] = line.Hash
			}
			_ = p.Process.Kill()
			_ = p.Wait()
			before := peer.messages()
			resumeKilled(t, p, shown)
			if err := peer.twice(before); err != nil {
				t.Error(err)
			}
		})
	}
}

func resumeKilled(t *testing.T, p *process, shown map[uint64]string) {
	t.Helper()
	st, err := history.Open(p.DB, history.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = st.Close() }()
	records, err := st.Page(p.ID, 1, 5000)
	if err != nil {
		t.Fatal(err)
	}
	stored := map[uint64]string{}
	for i := range records {
		stored[records[i].Seq] = records[i].Hash.String()
	}
	for seq, hash := range shown {
		if stored[seq] != hash {
			t.Errorf("record %d was shown with hash %s, the log has %q", seq, hash, stored[seq])
		}
	}
	if _, err := st.Verify(t.Context(), p.ID); err != nil {
		t.Error(err)
	}
	log, err := st.Continue(p.ID)
	if err != nil {
		t.Fatal(err)
	}
	r, err := runner.Resume(config(t, st, log, p.ID, p.URL))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- r.Run(ctx) }()
	lines := []string{}
	if len(r.View().Tasks) > 0 {
		lines = append(lines, "wait settled --for 10s")
	}
	if err := runner.Script(ctx, r, lines); err != nil {
		t.Error(err)
	}
	r.Stop("done")
	if err := <-ended; err != nil {
		t.Error(err)
	}
	_ = log.Close()
	d := r.Document(session.ToolDoc{})
	for _, c := range d.Claims {
		if c.Verdict == session.Contradicted {
			t.Errorf("the honest peer is accused of %s", c.ID)
		}
	}
	if len(d.Tasks) == 1 && len(d.Tasks[0].TaskIDs) == 1 && (!d.Tasks[0].Settled || d.Tasks[0].State != "completed") {
		t.Errorf("the task was not picked up: %s, settled %v", d.Tasks[0].State, d.Tasks[0].Settled)
	}
}
