package runner_test

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"a2ascope/session"
)

// TestStoppedConsole: a console that is stopped (Ctrl-Z) for longer than every
// window does not accuse an honest peer of what happened meanwhile. The peer
// is in another process than the console.
func TestStoppedConsole(t *testing.T) {
	t.Parallel()
	const ms = time.Millisecond
	full := func(send func(string)) {
		send(statusNow("TASK_STATE_WORKING"))
		send(artifactX)
		send(statusNow("TASK_STATE_COMPLETED"))
	}
	for _, tc := range []struct {
		name  string
		lines []string
		state string
		play  func(s *stage, send func(string))
		when  func(p printed) bool // the console is stopped after this record
	}{
		{
			name: "before the first event", lines: []string{"stream go", "wait settled"}, state: "TASK_STATE_COMPLETED",
			play: func(_ *stage, send func(string)) {
				time.Sleep(250 * ms)
				full(send)
			},
			when: func(p printed) bool {
				return p.Kind == session.KindResponse && strings.Contains(string(p.Body), `"stream":true`)
			},
		},
		{
			name: "in the close window", lines: []string{"stream go", "wait settled"}, state: "TASK_STATE_COMPLETED",
			play: func(_ *stage, send func(string)) {
				full(send)
				time.Sleep(150 * ms)
			},
			when: func(p printed) bool { return strings.Contains(p.Tail, "TASK_STATE_COMPLETED") },
		},
		{
			name: "after a cancel was answered", lines: []string{"stream go", "wait state working", "cancel", "wait settled"}, state: "TASK_STATE_CANCELED",
			play: func(s *stage, send func(string)) {
				send(statusNow("TASK_STATE_WORKING"))
				<-s.canceled
				time.Sleep(20 * ms)
				send(artifactX) // it crossed the cancel on its way
				send(statusNow("TASK_STATE_CANCELED"))
			},
			when: func(p printed) bool {
				return p.Kind == session.KindResponse && strings.Contains(p.Tail, "TASK_STATE_CANCELED")
			},
		},
		{
			name: "in mid-stream", lines: []string{"stream go", "wait settled"}, state: "TASK_STATE_COMPLETED",
			play: func(_ *stage, send func(string)) {
				for range 14 {
					send(statusNow("TASK_STATE_WORKING"))
					time.Sleep(120 * ms)
				}
				full(send)
			},
			when: func(p printed) bool { return p.Kind == session.KindFrame },
		},
		{
			name: "while the request is on its way", lines: []string{"stream go", "wait settled"}, state: "TASK_STATE_COMPLETED",
			play: func(_ *stage, send func(string)) {
				for range 10 {
					send(statusNow("TASK_STATE_WORKING"))
					time.Sleep(120 * ms)
				}
				full(send)
			},
			when: func(p printed) bool {
				return p.Kind == session.KindRequest && strings.Contains(string(p.Body), `"op":"stream"`)
			},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := &stage{state: tc.state, canceled: make(chan struct{})}
			s.play = func(send func(string)) { tc.play(s, send) }
			peer := count(t, s)
			p := launch(t, peer.URL, tc.lines...)
			stopped, stalls := false, 0
			for {
				line, ok := p.next()
				if !ok {
					t.Fatal("the console ended without a word")
				}
				if line.Seq == 0 {
					if line.Error != "" {
						t.Error(line.Error)
					}
					if len(line.Against) > 0 {
						t.Errorf("the honest peer is accused of %v", line.Against)
					}
					break
				}
				if line.Kind == session.KindTimer && strings.Contains(string(line.Body), `"stall"`) {
					stalls++
				}
				if !stopped && tc.when(line) {
					stopped = true
					signal(t, p, syscall.SIGSTOP)
					time.Sleep(1500 * ms) // longer than every window of the policy
					signal(t, p, syscall.SIGCONT)
				}
			}
			if !stopped || stalls == 0 {
				t.Errorf("stopped: %v, ends of epochs in the log: %d", stopped, stalls)
			}
			if err := peer.twice(nil); err != nil {
				t.Error(err)
			}
		})
	}
}

func signal(t *testing.T, p *process, s syscall.Signal) {
	t.Helper()
	if err := p.Process.Signal(s); err != nil {
		t.Fatal(err)
	}
}
