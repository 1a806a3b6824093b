package demopeer

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// maxChunks bounds "slow N".
const maxChunks = 2000

// work is one turn of an agent on one task: from a message to the next settled
// state.
type work struct {
	s   *server
	t   *task
	ctx context.Context
	m   message
	// answers says that m answers a question of ours.
	answers bool
	asJSON  bool // the client accepts application/json, not text
}

// begin starts the turn. The caller holds the lock.
func (s *server) begin(t *task, m message, answers bool) {
	ctx, stop := context.WithCancel(s.boot)
	t.stop = stop
	w := &work{s: s, t: t, ctx: ctx, m: m, answers: answers, asJSON: t.asJSON}
	s.spawn(func() {
		defer stop()
		if s.b.work == nil || !s.b.work(w) {
			w.perform()
		}
	})
}

// perform is what every text makes the agent do.
func (w *work) perform() {
	verb, rest, _ := strings.Cut(strings.TrimSpace(w.m.text()), " ")
	if w.answers {
		if w.s.b.resubmits {
			w.status(working, "Working on it again")
		}
		w.finish("You answered: " + w.m.text())
		return
	}
	switch verb {
	case "slow":
		w.slow(chunkCount(rest))
	case "ask":
		w.status(working, "Thinking about a question")
		w.pause(1)
		w.status(inputRequired, "What is your name?")
	case "fail":
		w.status(working, "Working on it")
		w.pause(1)
		w.status(failed, "Failed, as you asked")
	case "task":
		w.status(working, "Working on it")
		w.finish("Result: " + rest)
	default:
		w.status(working, "Working on it")
		w.finish("Result: " + w.m.text())
	}
}

// finish makes the one artifact and completes the task.
func (w *work) finish(text string) {
	w.pause(1)
	w.chunk(chunk{artifact: artifact{id: "result", name: "result", parts: []part{w.result(text)}}, last: true})
	w.status(completed, "Done")
}

// result puts text into the form that the client accepts.
func (w *work) result(text string) part {
	if w.s.b.result != nil {
		return w.s.b.result(text)
	}
	if w.asJSON {
		return part{kind: "data", data: json.RawMessage(`{"result":` + quote(text) + `}`), mediaType: "application/json"}
	}
	return part{kind: "text", text: text, mediaType: "text/plain"}
}

// slow brings n chunks, one Pace apart, into one artifact.
func (w *work) slow(n int) {
	w.status(working, "Working on it, chunk by chunk")
	for i := 1; i <= n; i++ {
		if !w.pause(1) {
			return
		}
		w.chunk(w.slowChunk(i, n))
	}
	w.status(completed, "Done")
}

func (w *work) slowChunk(i, n int) chunk {
	p := w.result(fmt.Sprintf("chunk %d of %d\n", i, n))
	return chunk{artifact: artifact{id: "slow", name: "slow", parts: []part{p}}, appends: i > 1, last: i == n}
}

func chunkCount(arg string) int {
	n, err := strconv.Atoi(strings.TrimSpace(arg))
	if err != nil || n < 1 {
		return 5
	}
	return min(n, maxChunks)
}

// status and chunk are how honest work speaks: never once the task is over,
// and never once the work was stopped.
func (w *work) status(to state, says string) { w.honestly(func() { w.t.move(to, says, w.s.now()) }) }
func (w *work) chunk(c chunk)                { w.honestly(func() { w.t.add(c) }) }

func (w *work) honestly(do func()) {
	w.s.mu.Lock()
	defer w.s.mu.Unlock()
	if w.ctx.Err() == nil && !w.t.status.state.terminal() {
		do()
	}
}

// anyway is how liars speak: no question asked, as long as the peer lives.
func (w *work) anyway(do func()) {
	w.s.mu.Lock()
	defer w.s.mu.Unlock()
	if w.s.ctx.Err() == nil {
		do()
	}
}

// pause waits n times the pace. It returns false when the work was stopped.
func (w *work) pause(n int) bool { return sleep(w.ctx, time.Duration(n)*w.s.pace) }

func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
