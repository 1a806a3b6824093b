package runner_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"a2ascope/session"
	"a2ascope/session/a2a"
	"a2ascope/session/runner"
)

// puppet is a session.Peer that does what a test tells it to. Its requests
// have no bytes.
type puppet struct {
	prepare func(session.Call) error
	do      func(ctx context.Context, op a2a.Operation, emit func(session.Arrival)) error
}

func (p *puppet) Prepare(c session.Call) (session.Prepared, error) {
	if p.prepare != nil {
		if err := p.prepare(c); err != nil {
			return session.Prepared{}, err
		}
	}
	b := session.Requested{Op: c.Op, Gen: c.Gen, Binding: c.Binding, URL: c.URL, RPCID: c.RPCID, TaskID: c.Params.TaskID}
	if m := c.Params.Message; m != nil {
		b.MessageID, b.TaskID = m.ID, m.TaskID
	}
	return session.Prepared{Body: b, Send: c.Op}, nil
}

// Do lets the test answer messages. A read finds no task.
func (p *puppet) Do(ctx context.Context, q session.Prepared, emit func(session.Arrival)) error {
	own := func(a session.Arrival) {
		a.Raw = bytes.Replace(a.Raw, []byte(`"id":1,`), fmt.Appendf(nil, `"id":%d,`, q.Body.RPCID), 1)
		emit(a)
	}
	if op := q.Send.(a2a.Operation); session.OnlyReads(op) {
		own(answered(`{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"not now"}}`))
		return nil
	}
	return p.do(ctx, q.Send.(a2a.Operation), own)
}

// answered is a whole JSON answer.
func answered(body string) session.Arrival {
	return session.Arrival{Response: &session.Responded{Status: 200, ContentType: "application/json"}, Raw: []byte(body), At: time.Now()}
}

func streamHead() session.Arrival {
	return session.Arrival{Response: &session.Responded{Status: 200, ContentType: "text/event-stream", Stream: true}, At: time.Now()}
}

func event(n int, result string) session.Arrival {
	return session.Arrival{
		Frame: &session.Framed{N: n, Kind: "event"}, At: time.Now(),
		Raw: []byte(`data: {"jsonrpc":"2.0","id":1,"result":` + result + "}\n\n"),
	}
}

const workingEvent = `{"statusUpdate":{"taskId":"t-1","contextId":"c-1","status":{"state":"TASK_STATE_WORKING"}}}`

// hasty is the machine's clock with timers that run off 50 times as fast.
type hasty struct{ session.SystemClock }

func (hasty) Now() time.Time {
	now := time.Now()
	return now.Add(49 * now.Sub(hastyBegin))
}

func (hasty) After(d time.Duration) (<-chan time.Time, func()) {
	return session.SystemClock{}.After(d / 50)
}

var hastyBegin = time.Now()

// TestPeerMisbehaves: whatever the Peer does, the loop goes on, the session
// ends in order, and the log says what happened.
func TestPeerMisbehaves(t *testing.T) {
	never := make(chan struct{})
	t.Cleanup(func() { close(never) })
	for _, tc := range []struct {
		name  string
		lines []string
		peer  puppet
		want  []string // each is in the body of some record
	}{
		{
			name: "Do panics", lines: []string{"send hello"}, want: []string{"sending broke: kaput"},
			peer: puppet{do: func(context.Context, a2a.Operation, func(session.Arrival)) error { panic("kaput") }},
		},
		{
			name: "Do panics in mid-stream", lines: []string{"stream hello", "wait closed"}, want: []string{"sending broke: kaput", `"how":"cut"`},
			peer: puppet{do: func(_ context.Context, _ a2a.Operation, emit func(session.Arrival)) error {
				emit(streamHead())
				emit(event(1, workingEvent))
				panic("kaput")
			}},
		},
		{
			name: "Do panics after its answer", lines: []string{"send hello"}, want: []string{"after its end: sending broke: kaput"},
			peer: puppet{do: func(_ context.Context, _ a2a.Operation, emit func(session.Arrival)) error {
				emit(answered(`{"jsonrpc":"2.0","id":1,"result":{"message":{"messageId":"m","role":"ROLE_AGENT","parts":[{"text":"hi"}]}}}`))
				panic("kaput")
			}},
		},
		{
			name: "Prepare panics", lines: []string{"! send hello"}, want: []string{"making the request broke: kaput", `"phase":"prepare"`, `"unsent":true`},
			peer: puppet{prepare: func(session.Call) error { panic("kaput") }},
		},
		{
			name: "Prepare refuses", lines: []string{"! send hello"}, want: []string{"no such luck"},
			peer: puppet{prepare: func(session.Call) error { return errors.New("no such luck") }},
		},
		{
			name: "Do returns without a word", lines: []string{"send hello"}, want: []string{"the exchange ended without an answer"},
			peer: puppet{do: func(context.Context, a2a.Operation, func(session.Arrival)) error { return nil }},
		},
		{
			name: "Do returns an error and nothing else", lines: []string{"send hello"}, want: []string{"out of order"},
			peer: puppet{do: func(context.Context, a2a.Operation, func(session.Arrival)) error { return errors.New("out of order") }},
		},
		{
			name: "Do leaves a stream without a word", lines: []string{"stream hello", "wait closed"}, want: []string{`"how":"cut"`, "the exchange ended without an answer"},
			peer: puppet{do: func(_ context.Context, _ a2a.Operation, emit func(session.Arrival)) error {
				emit(streamHead())
				emit(event(1, workingEvent))
				return nil
			}},
		},
		{
			name: "Do speaks after Closed", lines: []string{"stream hello", "wait closed"}, want: []string{`brought a frame all the same`},
			peer: puppet{do: func(_ context.Context, _ a2a.Operation, emit func(session.Arrival)) error {
				emit(streamHead())
				emit(event(1, workingEvent))
				emit(session.Arrival{Closed: &session.Closed{How: session.ClosedClean}, At: time.Now()})
				for i := range 3 {
					emit(event(2+i, workingEvent))
				}
				return nil
			}},
		},
		{
			name: "Do speaks after it returned", lines: []string{"send hello", "send hello"}, want: []string{"the exchange ended without an answer"},
			peer: puppet{do: func(_ context.Context, _ a2a.Operation, emit func(session.Arrival)) error {
				go func() {
					for range 2 * 256 {
						emit(event(1, workingEvent))
					}
				}()
				return nil
			}},
		},
		{
			name: "Do does not end when the session does", lines: []string{"stream hello"}, want: []string{"it did not end within 5s of being dropped", `"how":"stopped"`},
			peer: puppet{do: func(_ context.Context, _ a2a.Operation, emit func(session.Arrival)) error {
				emit(streamHead())
				emit(event(1, workingEvent))
				<-never
				return nil
			}},
		},
		{
			name: "Do does not end when it is detached", lines: []string{"stream hello", "detach", "wait closed"}, want: []string{"it did not end within 5s of being dropped", `"how":"detached"`},
			peer: puppet{do: func(_ context.Context, _ a2a.Operation, emit func(session.Arrival)) error {
				emit(streamHead())
				emit(event(1, workingEvent))
				<-never
				return nil
			}},
		},
		{
			name: "an arrival of nothing", lines: []string{"send hello"}, want: []string{"the exchange ended without an answer"},
			peer: puppet{do: func(_ context.Context, _ a2a.Operation, emit func(session.Arrival)) error {
				emit(session.Arrival{At: time.Now()})
				return nil
			}},
		},
		{
			name: "times from nowhere", lines: []string{"stream hello", "wait closed"}, want: []string{`"how":"clean"`},
			peer: puppet{do: func(_ context.Context, _ a2a.Operation, emit func(session.Arrival)) error {
				for i, at := range []time.Time{{}, time.Now().AddDate(500, 0, 0), time.Unix(0, 0)} {
					a := event(i, workingEvent)
					if i == 0 {
						a = streamHead()
					}
					a.At = at
					emit(a)
				}
				emit(session.Arrival{Closed: &session.Closed{How: session.ClosedClean}, At: time.Now().Add(time.Hour)})
				return nil
			}},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			log := &calm{}
			r := runner.New(runner.Config{
				Peer: &tc.peer, Log: log, NewID: newID, Clock: hasty{},
				Opened: session.Opened{Session: "s", URL: "http://peer.example", Policy: quick()},
			})
			ended := make(chan error, 1)
			go func() { ended <- r.Run(t.Context()) }()
			ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
			defer cancel()
			commandLines(ctx, t, r, append([]string{"endpoint http://peer.example"}, tc.lines...))
			r.Stop("done")
			select {
			case err := <-ended:
				if err != nil {
					t.Fatal(err)
				}
			case <-ctx.Done():
				t.Fatal("Run did not return")
			}
			checkLog(t, log.records, tc.want)
		})
	}
}

// commandLines gives lines one by one and waits for each. One that begins with
// "!" is expected not to be carried out.
func commandLines(ctx context.Context, t *testing.T, r *runner.Runner, lines []string) {
	t.Helper()
	for _, line := range lines {
		line, bad := strings.CutPrefix(line, "! ")
		n, err := r.Command(line, "test")
		if err != nil {
			t.Fatal(err)
		}
		cv, err := r.Await(ctx, n)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if (cv.Result == session.ResultCannot) != bad {
			t.Errorf("%s: %s (%s)", line, cv.Result, cv.Detail)
		}
	}
}

func checkLog(t *testing.T, records []session.Record, want []string) {
	t.Helper()
	s := session.NewState()
	var bodies strings.Builder
	for i := range records {
		if err := records[i].Verify(s.Seq, s.Head); err != nil {
			t.Fatal(err)
		}
		session.Fold(s, &records[i])
		fmt.Fprintf(&bodies, "%s %s\n", records[i].Kind, records[i].Body)
	}
	for _, w := range want {
		if !strings.Contains(bodies.String(), w) {
			t.Errorf("no record says %s:\n%s", w, bodies.String())
		}
	}
	if s.Ended == nil || len(s.Open) > 0 {
		t.Errorf("ended: %v, open exchanges: %v", s.Ended, s.Open)
	}
	if c := s.ContradictedClaims(); len(c) > 0 {
		t.Errorf("the peer is accused of %v for what is ours", c)
	}
}

// TestNothingIsLeftRunning: after Run no goroutine of a session is left, with
// a stream open, reads under way and a command waiting when it is stopped.
func TestNothingIsLeftRunning(t *testing.T) {
	peer := demo(t, "honest")
	before := goroutines(t, func(n int) bool { return true })
	for i := range 5 {
		t.Run(fmt.Sprint(i), func(t *testing.T) { // the client is closed at the end of each
			log := &calm{}
			id := newID()
			l := start(t, nil, id, config(t, nil, log, id, peer.URL(), func(c *runner.Config) { c.Archive = nil }), runner.New)
			commandLines(t.Context(), t, l.Runner, []string{"discover " + peer.URL(), "stream slow 50"})
			for _, line := range []string{"poll", "wait settled", "send slow 50 --new"} {
				if _, err := l.Command(line, "test"); err != nil {
					t.Fatal(err)
				}
			}
			l.Stop("done")
			if err := <-l.ended; err != nil {
				t.Fatal(err)
			}
		})
	}
	goroutines(t, func(n int) bool { return n <= before })
}

// goroutines counts those of the runner and the client until the count
// satisfies is.
func goroutines(t *testing.T, is func(int) bool) int {
	t.Helper()
	buf := make([]byte, 1<<20)
	for deadline := time.Now().Add(60 * time.Second); ; runtime.Gosched() {
		n := 0
		stacks := string(buf[:runtime.Stack(buf, true)])
		for _, g := range strings.Split(stacks, "\n\n") {
			if strings.Contains(g, "session/runner.(*Runner)") || strings.Contains(g, "a2ascope/peerclient.") {
				n++
			}
		}
		if is(n) {
			return n
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines are left:\n%s", n, stacks)
		}
	}
}
