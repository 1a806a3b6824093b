package demopeer

import (
	"strings"
	"testing"
	"time"
)

func (c *raw) dataAnswer(id string) string {
	return c.message(`{"kind":"data","data":{"name":"Ada"}}`, `{"data":{"name":"Ada"}}`, forTask(id), "")
}

func TestRefusedMode(t *testing.T) {
	t.Parallel()
	both(t, "refused-mode", func(t *testing.T, c *raw) {
		if modes := c.card().raw; !strings.Contains(modes, `"defaultInputModes":["text/plain","application/json"]`) {
			t.Fatalf("the card does not declare JSON: %s", modes)
		}
		id := c.send("ask", "").taskID()
		a := c.call("SendMessage", c.dataAnswer(id))
		want(t, "the answer to data", a.code(), -32602)
		want(t, "its message", a.str("error", "message"), "unsupported part type: data (application/json)")
		want(t, "on a streaming call", c.call("SendStreamingMessage", c.dataAnswer(id)).code(), -32602)
		want(t, "the task", c.get(id).state(), "input-required")
		want(t, "the answer to text", c.send("Ada", forTask(id)).state(), "completed")
	})
}

func TestForgetsTask(t *testing.T) {
	t.Parallel()
	both(t, "forgets-task", func(t *testing.T, c *raw) {
		s := c.stream("ask", "")
		want(t, "the stream", s.rest(), "submitted working input-required")
		id := s.events[0].taskID()
		want(t, "get", c.get(id).code(), -32001)
		want(t, "resubscribe", c.call("SubscribeToTask", idParams(id)).code(), -32001)
		a := c.send("Ada", forTask(id)+`,"contextId":"`+s.events[0].body().str("contextId")+`"`)
		want(t, "the answer", a.state(), "completed")
		if a.taskID() == id || a.taskID() == "" {
			t.Fatalf("the answer went on with task %q", a.taskID())
		}
		want(t, "its context", a.body().str("contextId"), s.events[0].body().str("contextId"))
		want(t, "an id of nobody", c.send("Ada", forTask("nobody")).code(), -32001)
		want(t, "other tasks", c.get(c.send("task report", "").taskID()).state(), "completed")
	})
}

func TestReplays(t *testing.T) {
	t.Parallel()
	both(t, "replays", func(t *testing.T, c *raw) {
		s := c.stream("slow 60", "")
		s.until("artifact")
		s.until("artifact")
		again := c.subscribe(s.events[0].taskID())
		want(t, "the resubscription", again.rest(), "submitted working artifact completed")
		want(t, "its events", len(again.events), 2+60+1)
		s.rest()
		for i := range s.events { // replayed bytes, timestamps and all
			want(t, "event", again.events[i].body().str("status", "timestamp"), s.events[i].body().str("status", "timestamp"))
		}

		id := c.send("ask", "").taskID()
		resumed := c.stream("Ada", forTask(id))
		want(t, "the resume", resumed.rest(), "submitted working artifact completed")
		want(t, "the task", resumed.events[0].taskID(), id)
	})
}

func TestRestarts(t *testing.T) {
	t.Parallel()
	bothAt(t, "restarts", 6*testPace, func(t *testing.T, c *raw) {
		want(t, "declared", strings.Contains(c.card().raw, `"defaultOutputModes":["application/json"]`), true)
		before := c.send("task report", "")
		want(t, "before: json", strings.Contains(before.artifacts(), `"data":{"result":"Result: report"}`), true)

		id := c.send("ask", "").taskID()
		eventually(t, "the task is gone", func() bool { return c.get(id).code() == -32001 })
		want(t, "once more", c.get(id).code(), -32001)
		want(t, "the answer", c.send("Ada", forTask(id)).code(), -32001)

		again := c.send("ask", "")
		if again.taskID() == id {
			t.Fatal("a re-sent message got the old id")
		}
		done := c.send("Ada", forTask(again.taskID()))
		want(t, "the second life", done.state(), "completed")
		want(t, "after: text", strings.Contains(done.artifacts(), `"text":"You answered: Ada"`), true)
		want(t, "still declared", strings.Contains(c.card().raw, `"defaultOutputModes":["application/json"]`), true)
	})
}

func TestRestartBreaksStreams(t *testing.T) {
	t.Parallel()
	bothAt(t, "restarts", 6*testPace, func(t *testing.T, c *raw) {
		s := c.stream("slow 2000", "")
		s.until("artifact")
		broken := make(chan error, 1)
		go func() {
			for {
				if _, err := s.lines.ReadString('\n'); err != nil {
					broken <- err
					return
				}
			}
		}()
		select {
		case err := <-broken:
			want(t, "how the stream ended", err.Error(), "unexpected EOF")
		case <-time.After(patience):
			t.Fatal("the stream outlived its process")
		}
		want(t, "get", c.get(s.events[0].taskID()).code(), -32001)
	})
}

func TestNewTaskOnResume(t *testing.T) {
	t.Parallel()
	both(t, "new-task-on-resume", func(t *testing.T, c *raw) {
		id := c.send("ask", "").taskID()
		s := c.stream("Ada", forTask(id))
		want(t, "the answer's stream", s.rest(), "submitted working artifact completed")
		if s.events[0].taskID() == id {
			t.Fatal("the answer went on with its task")
		}
		want(t, "the first task", c.get(id).state(), "input-required")
	})
}
