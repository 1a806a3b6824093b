package demopeer

import (
	"strings"
	"testing"
)

func TestUndeadTask(t *testing.T) {
	t.Parallel()
	both(t, "undead-task", func(t *testing.T, c *raw) {
		s := c.stream("task report", "")
		want(t, "the stream", s.rest(), "submitted working artifact completed working artifact completed")
		id := s.events[0].taskID()
		want(t, "get", c.get(id).state(), "completed")
		want(t, "a question", c.stream("ask", "").rest(), "submitted working input-required")
		want(t, "a blocking send", c.send("task report", "").state(), "completed")
	})
}

func TestDriftingArtifacts(t *testing.T) {
	t.Parallel()
	both(t, "drifting-artifacts", func(t *testing.T, c *raw) {
		id := c.send("task report", "").taskID()
		one, two := c.get(id), c.get(id)
		want(t, "one", one.state(), "completed")
		want(t, "two", two.state(), "completed")
		if one.artifacts() == two.artifacts() {
			t.Fatalf("both reads show %s", one.artifacts())
		}
	})
}

func TestTwoFaced(t *testing.T) {
	t.Parallel()
	both(t, "two-faced", func(t *testing.T, c *raw) {
		s := c.stream("task report", "")
		want(t, "the stream", s.rest(), "submitted working artifact completed")
		id := s.events[0].taskID()
		want(t, "get", c.get(id).state(), "failed")
		want(t, "get again", c.get(id).state(), "failed")
	})
}

func TestLosesTask(t *testing.T) {
	t.Parallel()
	both(t, "loses-task", func(t *testing.T, c *raw) {
		s := c.stream("slow 100", "")
		s.until("artifact")
		id := s.events[0].taskID()
		want(t, "get", c.get(id).code(), -32001)
		want(t, "get again", c.get(id).code(), -32001)
		s.rest()
		want(t, "afterwards", c.get(id).state(), "completed")
	})
}

func TestNoBlocking(t *testing.T) {
	t.Parallel()
	both(t, "no-blocking", func(t *testing.T, c *raw) {
		a := c.send("slow 10", "")
		want(t, "the answer", a.state(), "working")
		eventually(t, "it completes", func() bool { return c.get(a.taskID()).state() == "completed" })
	})
}

func TestDoubleSubmit(t *testing.T) {
	t.Parallel()
	both(t, "double-submit", func(t *testing.T, c *raw) {
		want(t, "the stream", c.stream("task report", "").rest(), "submitted working submitted working artifact completed")
		id := c.send("ask", "").taskID()
		want(t, "a resume", c.stream("Ada", forTask(id)).rest(), "working artifact completed")
	})
}

func TestWrongMode(t *testing.T) {
	t.Parallel()
	both(t, "wrong-mode", func(t *testing.T, c *raw) {
		if strings.Contains(c.card().raw, "xml") {
			t.Fatal("the card declares XML")
		}
		want(t, "the artifact", strings.Contains(c.send("task report", "").artifacts(), `"application/xml"`), true)
	})
}
