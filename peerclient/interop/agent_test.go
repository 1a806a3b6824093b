package interop

import (
	"context"
	"fmt"
	"iter"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2asrv"
)

// agent knows the texts that the recorded agents and the embedded peers know.
type agent struct {
	pace time.Duration // between the chunks of slow

	mu       sync.Mutex
	canceled map[a2a.TaskID]chan struct{} // of the tasks that hang or are slow
}

func newAgent(pace time.Duration) *agent {
	return &agent{pace: pace, canceled: map[a2a.TaskID]chan struct{}{}}
}

// stop returns the channel that is closed when the task is canceled.
func (g *agent) stop(id a2a.TaskID) chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	c, ok := g.canceled[id]
	if !ok {
		c = make(chan struct{})
		g.canceled[id] = c
	}
	return c
}

// Execute implements a2asrv.AgentExecutor.
func (g *agent) Execute(ctx context.Context, ec *a2asrv.ExecutorContext) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		say := func(e a2a.Event) bool { return yield(e, nil) }
		status := func(state a2a.TaskState, text string) bool {
			return say(a2a.NewStatusUpdateEvent(ec, state, words(ec, text)))
		}
		if ec.StoredTask != nil {
			g.answered(ec, say, status)
			return
		}
		verb, rest, _ := strings.Cut(textOf(ec.Message), " ")
		if verb == "echo" {
			say(a2a.NewMessage(a2a.MessageRoleAgent, a2a.NewTextPart(rest)))
			return
		}
		if !say(a2a.NewSubmittedTask(ec, ec.Message)) {
			return
		}
		if verb == "reject" {
			status(a2a.TaskStateRejected, "not doing that")
			return
		}
		if !status(a2a.TaskStateWorking, verb) {
			return
		}
		g.work(ctx, ec, verb, rest, say, status)
	}
}

// answered ends a task that had asked.
func (g *agent) answered(ec *a2asrv.ExecutorContext, say func(a2a.Event) bool, status func(a2a.TaskState, string) bool) {
	_ = status(a2a.TaskStateWorking, "resumed") &&
		say(a2a.NewArtifactEvent(ec, a2a.NewTextPart("the answer was: "+textOf(ec.Message)))) &&
		status(a2a.TaskStateCompleted, "done after the answer")
}

func (g *agent) work(ctx context.Context, ec *a2asrv.ExecutorContext, verb, rest string, say func(a2a.Event) bool, status func(a2a.TaskState, string) bool) {
	switch verb {
	case "ask":
		status(a2a.TaskStateInputRequired, "What is your name?")
	case "fail":
		status(a2a.TaskStateFailed, "it broke")
	case "hang":
		g.wait(ctx, ec, time.Hour)
	case "slow":
		g.slow(ctx, ec, rest, say, status)
	default:
		_ = say(a2a.NewArtifactEvent(ec, a2a.NewTextPart("result: "+rest), a2a.NewDataPart(map[string]any{"input": rest, "n": 1}))) &&
			status(a2a.TaskStateCompleted, "done")
	}
}

// wait sleeps, unless the task is canceled first.
func (g *agent) wait(ctx context.Context, ec *a2asrv.ExecutorContext, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
	case <-g.stop(ec.TaskID):
	}
	return false
}

func (g *agent) slow(ctx context.Context, ec *a2asrv.ExecutorContext, rest string, say func(a2a.Event) bool, status func(a2a.TaskState, string) bool) {
	n, _ := strconv.Atoi(strings.TrimSpace(rest))
	var id a2a.ArtifactID
	for i := 1; i <= n; i++ {
		if !g.wait(ctx, ec, g.pace) {
			return
		}
		part := a2a.NewTextPart(fmt.Sprintf("chunk %d/%d ", i, n))
		e := a2a.NewArtifactUpdateEvent(ec, id, part)
		if id == "" {
			e = a2a.NewArtifactEvent(ec, part)
			id = e.Artifact.ID
		}
		e.LastChunk = i == n
		if !say(e) {
			return
		}
	}
	status(a2a.TaskStateCompleted, "slow done")
}

// Cancel implements a2asrv.AgentExecutor.
func (g *agent) Cancel(_ context.Context, ec *a2asrv.ExecutorContext) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		g.mu.Lock()
		c, ok := g.canceled[ec.TaskID]
		if !ok {
			c = make(chan struct{})
			g.canceled[ec.TaskID] = c
		}
		select {
		case <-c:
		default:
			close(c)
		}
		g.mu.Unlock()
		yield(a2a.NewStatusUpdateEvent(ec, a2a.TaskStateCanceled, words(ec, "canceled on request")), nil)
	}
}

func words(ec *a2asrv.ExecutorContext, text string) *a2a.Message {
	return a2a.NewMessageForTask(a2a.MessageRoleAgent, ec, a2a.NewTextPart(text))
}

// textOf is a message as one text.
func textOf(m *a2a.Message) string {
	var b strings.Builder
	for _, p := range m.Parts {
		if t := p.Text(); t != "" {
			b.WriteString(t)
		} else {
			fmt.Fprintf(&b, "[%T]", p.Content)
		}
	}
	return b.String()
}
