package cli_test

import (
	"bufio"
	"bytes"
	"context"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"

	"a2ascope/history/export"
	"a2ascope/session"
	"a2ascope/ui/cli"
)

// A signal ends a session in order, with everything printed that was asked
// for: seen here in a process of its own.
func TestSignals(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		signal syscall.Signal
		status int
	}{{syscall.SIGINT, 130}, {syscall.SIGTERM, 143}, {syscall.SIGHUP, 129}} {
		t.Run(c.signal.String(), func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			cmd := exec.CommandContext(t.Context(), os.Args[0], append(b.fixed(), "run", "demo:honest", "--output", "jsonl", "-c", "stream slow 4000", "-c", "wait settled")...)
			cmd.Env = append(os.Environ(), asBinary+"=1")
			var errOut bytes.Buffer
			cmd.Stderr = &errOut
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			var all strings.Builder
			for lines, sent := bufio.NewScanner(out), false; lines.Scan(); {
				all.WriteString(lines.Text() + "\n")
				if strings.Contains(lines.Text(), `"kind":"frame"`) && !sent {
					sent = true
					if err := cmd.Process.Signal(c.signal); err != nil {
						t.Fatal(err)
					}
				}
			}
			_ = cmd.Wait() // its status is looked at below
			got, err := export.ReadJSONL(strings.NewReader(all.String()), func(session.Record) error { return nil })
			if cmd.ProcessState.ExitCode() != c.status || err != nil || !got.Whole || !got.Ended {
				t.Errorf("status %d, want %d; %+v, %v\n%s", cmd.ProcessState.ExitCode(), c.status, got, err, errOut.String())
			}
		})
	}
}

func TestDocumentAfterASignal(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	b.env["NOW"] = "x"
	lines := &trigger{on: `"kind":"frame"`, do: func() { cancel(&cli.Signal{Number: syscall.SIGTERM}) }}
	var errOut bytes.Buffer
	env := func(string) (string, bool) { return "", false }
	status := cli.Run(ctx, append(b.fixed(), "run", "demo:honest", "--output", "jsonl", "-c", "stream slow 4000", "-c", "wait settled"), env, strings.NewReader(""), lines, &errOut)
	if status != 143 {
		t.Fatalf("status %d\n%s", status, errOut.String())
	}
	d := document(t, b.run("history", "show", "last", "--output", "json").out)
	if d.Log.Records == 0 || d.Tasks[0].State != "working" {
		t.Errorf("%+v", d)
	}
	r := b.runIn(ctx, "run", "demo:honest", "--output", "json", "-c", "send echo hi")
	if d := document(t, r.out); r.status != 143 || d.Exit.Status != 143 || !slices.Contains(d.Exit.Reasons, session.ReasonSignal) {
		t.Errorf("begun after the signal: status %d, %+v", r.status, d.Exit)
	}
}

// trigger does something once when a text is written to it.
type trigger struct {
	on   string
	do   func()
	done bool
}

func (w *trigger) Write(b []byte) (int, error) {
	if !w.done && strings.Contains(string(b), w.on) {
		w.done = true
		w.do()
	}
	return len(b), nil
}

// An output that breaks ends the session in order; what was recorded stays.
func TestAnOutputThatBreaks(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	var errOut bytes.Buffer
	env := func(string) (string, bool) { return "", false }
	status := cli.Run(t.Context(), append(b.fixed(), "run", "demo:honest", "-c", "stream slow 4000", "-c", "wait settled"), env, strings.NewReader(""), brokenPipe{}, &errOut)
	if status != 1 || !strings.Contains(errOut.String(), "printing") {
		t.Errorf("status %d\n%s", status, errOut.String())
	}
	if r := b.run("history", "verify", "last"); r.status != 0 {
		t.Errorf("verify: status %d\n%s%s", r.status, r.out, r.err)
	}
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, syscall.EPIPE }
