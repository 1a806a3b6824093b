package runner_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"a2ascope/history"
	"a2ascope/session"
	"a2ascope/session/a2a"
	"a2ascope/session/runner"
)

// TestCutAfterEveryRecord: a session that died after any of its records goes on
// without sending a message again, without accusing an honest peer, and
// without losing what it knew.
func TestCutAfterEveryRecord(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		peer   string
		honest bool
		lines  []string
	}{
		{"honest", true, []string{"stream slow 4", "wait settled"}},
		{"honest@0.3", true, []string{"stream ask", "wait settled", "resume yes", "wait settled"}},
		{"honest", true, []string{"stream slow 20", "wait state working", "cancel", "wait settled"}},
		{"honest", true, []string{"send slow 6 --immediate", "poll"}},
		{"leaky-cancel", false, []string{"stream slow 6", "wait state working", "cancel", "wait settled"}},
		{"refused-mode", false, []string{"send ask", "resume --data {\"a\":1}", "wait settled"}},
	} {
		t.Run(tc.peer+" "+tc.lines[0], func(t *testing.T) {
			t.Parallel()
			peer, st := countedDemo(t, tc.peer), store(t)
			l := open(t, st, peer.URL)
			l.script(t, peer.URL, tc.lines...)
			if err := peer.twice(nil); err != nil {
				t.Fatal(err)
			}
			records, err := st.Page(l.id, 1, 5000)
			if err != nil {
				t.Fatal(err)
			}
			before := peer.messages()
			work := make(chan int)
			go func() {
				defer close(work)
				for k := range len(records) {
					work <- k + 1
				}
			}()
			cutsDone := make(chan error, 6)
			for range cap(cutsDone) {
				go func() {
					for k := range work {
						if err := goOn(t, st, peer.URL, records[:k], tc.honest); err != nil {
							cutsDone <- fmt.Errorf("cut after record %d (%s): %w", k, records[k-1].Kind, err)
							for range work { // let the others end
							}
							return
						}
					}
					cutsDone <- nil
				}()
			}
			for range cap(cutsDone) {
				if err := <-cutsDone; err != nil {
					t.Error(err)
				}
			}
			if err := peer.twice(before); err != nil {
				t.Error(err)
			}
		})
	}
}

// goOn continues a session of which only some records are there.
func goOn(t *testing.T, st *history.Store, url string, records []session.Record, honest bool) error {
	was := session.NewState()
	for i := range records {
		session.Fold(was, &records[i])
	}
	inDoubt := slices.Clone(was.Open)
	id := newID()
	log, err := st.Create(id)
	if err != nil {
		return err
	}
	if err := log.Append(records, session.Summarise(was)); err != nil {
		return err
	}
	if err := log.Close(); err != nil {
		return err
	}
	if log, err = st.Continue(id); err != nil {
		return err
	}
	r, err := runner.Resume(config(t, st, log, id, url))
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		ended <- r.Run(ctx)
		_ = log.Close()
	}()
	var lines []string
	if len(was.Tasks) > 0 {
		lines = []string{"wait settled --for 3s"}
	}
	scriptErr := runner.Script(ctx, r, lines)
	r.Stop("done")
	if err := <-ended; err != nil {
		return err
	}
	if scriptErr != nil {
		return scriptErr
	}
	return carriedOn(st, id, was, inDoubt, honest)
}

// carriedOn judges what became of a session that was continued.
func carriedOn(st *history.Store, id string, was *session.State, inDoubt []int, honest bool) error {
	now := session.NewState()
	if err := runner.Replay(now, func(from uint64, limit int) ([]session.Record, error) { return st.Page(id, from, limit) }); err != nil {
		return err
	}
	against := now.ContradictedClaims()
	if honest && len(against) > 0 {
		return fmt.Errorf("an honest peer is accused of %v", against)
	}
	for _, c := range was.ContradictedClaims() {
		if !slices.Contains(against, c) {
			return fmt.Errorf("the contradiction of %s is lost", c)
		}
	}
	for _, n := range inDoubt {
		if x := now.Exchanges[n-1]; !x.Over || !x.InDoubt && x.Answer == 0 {
			return fmt.Errorf("exchange %d (%s) had no answer, and is not in doubt: %+v", n, x.Op, x)
		}
	}
	for _, x := range now.Exchanges[len(was.Exchanges):] {
		if x.Op != a2a.OpGet && x.Op != a2a.OpList {
			return fmt.Errorf("a %s was sent that nobody asked for", x.Op)
		}
	}
	if len(now.Open) > 0 || now.Ended == nil {
		return fmt.Errorf("ended %v, open %v", now.Ended, now.Open)
	}
	for _, cs := range now.Commands {
		if !cs.Over {
			return fmt.Errorf("the command %q has no end", cs.Cmd.Line)
		}
	}
	return nil
}
