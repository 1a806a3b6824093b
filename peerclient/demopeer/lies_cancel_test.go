package demopeer

import (
	"slices"
	"testing"
)

func TestLeakyCancelGoesOnAfterCanceled(t *testing.T) {
	t.Parallel()
	both(t, "leaky-cancel", func(t *testing.T, c *raw) {
		s := c.stream("slow 2000", "")
		s.until("artifact")
		id := s.events[0].taskID()
		a := c.cancel(id)
		want(t, "the answer to cancel", a.state(), "canceled")
		read := c.get(id)
		want(t, "the state that get shows", read.state(), "completed")
		if read.artifacts() == "" {
			t.Fatal("get shows no partial artifact")
		}
		before := len(s.states)
		s.rest()
		after := s.states[before:]
		if n := len(after); n < 9 || after[n-1] != "completed" || slices.Contains(s.states, "canceled") {
			t.Fatalf("after the answer came %v; want at least 8 artifacts, then completed", after)
		}
		want(t, "the partial artifact", c.get(id).artifacts(), read.artifacts())
		want(t, "a second cancel", c.cancel(id).code(), -32002)
	})
}

func TestLeakyCancelIsHonestOtherwise(t *testing.T) {
	t.Parallel()
	both(t, "leaky-cancel", func(t *testing.T, c *raw) {
		want(t, "a task", c.stream("task report", "").rest(), "submitted working artifact completed")
		id := c.send("ask", "").taskID()
		want(t, "cancel at input-required", c.cancel(id).state(), "canceled")
		want(t, "get", c.get(id).state(), "canceled")
	})
}
