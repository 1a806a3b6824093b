package demopeer

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func TestHiddenArtifact(t *testing.T) {
	t.Parallel()
	both(t, "hidden-artifact", func(t *testing.T, c *raw) {
		want(t, "history declared", strings.Contains(c.card().raw, `"stateTransitionHistory":true`), c.gen == "0.3")
		s := c.stream("ask", "")
		want(t, "the question", s.rest(), "submitted working input-required")
		id := s.events[0].taskID()
		answer := c.stream("Ada", forTask(id))
		want(t, "the answer", answer.rest(), "working completed")
		read := c.get(id)
		want(t, "get has the artifact", strings.Contains(read.artifacts(), "Ada"), true)
		want(t, "history", strings.Contains(read.raw, `"history":[]`), true)
		for _, e := range append(s.events, answer.events...) {
			if strings.Contains(e.raw, "artifact") {
				t.Fatalf("an artifact was streamed: %s", e.raw)
			}
		}
	})
}

func TestSilentStream(t *testing.T) {
	t.Parallel()
	both(t, "silent-stream", func(t *testing.T, c *raw) {
		s := c.stream("slow 5", "")
		want(t, "content type", s.resp.Header.Get("Content-Type"), "text/event-stream")
		id := c.newest()
		eventually(t, "get advances", func() bool { return c.get(id).state() == "completed" })
		s.expectSilence(20 * testPace)
	})
}

func TestNoStream(t *testing.T) {
	t.Parallel()
	both(t, "no-stream", func(t *testing.T, c *raw) {
		want(t, "declared", strings.Contains(c.card().raw, `"streaming":true`), true)
		a := c.call("SendStreamingMessage", c.text("task report", ""))
		want(t, "content type", a.contentType, "application/json")
		want(t, "state", a.state(), "completed")
	})
}

func TestBufferedStream(t *testing.T) {
	t.Parallel()
	both(t, "buffered-stream", func(t *testing.T, c *raw) {
		s := c.stream("slow 40", "")
		arrivals := []time.Time{}
		for {
			if _, ok := s.next(); !ok {
				break
			}
			arrivals = append(arrivals, time.Now())
		}
		want(t, "the story", s.story(), "submitted working artifact completed")
		first := s.events[0].body().str("status", "timestamp")
		last := s.events[len(s.events)-1].body().str("status", "timestamp")
		told, lasted := between(t, first, last), arrivals[len(arrivals)-1].Sub(arrivals[0])
		if told < 40*testPace || lasted > told/2 {
			t.Fatalf("events of %v came within %v", told, lasted)
		}
	})
}

func between(t *testing.T, a, b string) time.Duration {
	t.Helper()
	from, err := time.Parse(time.RFC3339, a)
	if err != nil {
		t.Fatal(err)
	}
	to, err := time.Parse(time.RFC3339, b)
	if err != nil {
		t.Fatal(err)
	}
	return to.Sub(from)
}

func TestLingeringStream(t *testing.T) {
	t.Parallel()
	both(t, "lingering-stream", func(t *testing.T, c *raw) {
		s := c.stream("task report", "")
		s.until("completed")
		s.expectSilence(20 * testPace)
		want(t, "a question still ends it", c.stream("ask", "").rest(), "submitted working input-required")
	})
}

func TestCutStream(t *testing.T) {
	t.Parallel()
	both(t, "cut-stream", func(t *testing.T, c *raw) {
		s := c.stream("slow 100", "")
		want(t, "a clean end", s.rest(), "submitted working artifact")
		id := s.events[0].taskID()
		want(t, "get", c.get(id).state(), "working")
		eventually(t, "it completes", func() bool { return c.get(id).state() == "completed" })
		want(t, "a short task", c.stream("task report", "").rest(), "submitted working artifact completed")
	})
}

func TestStaleSubscribe(t *testing.T) {
	t.Parallel()
	both(t, "stale-subscribe", func(t *testing.T, c *raw) {
		s := c.stream("slow 100", "")
		s.until("artifact")
		id := s.events[0].taskID()
		want(t, "subscribe", c.call("SubscribeToTask", idParams(id)).code(), -32001)
		want(t, "get", c.get(id).state(), "working")
	})
}

func TestUnderDeclared(t *testing.T) {
	t.Parallel()
	both(t, "under-declared", func(t *testing.T, c *raw) {
		want(t, "declared", strings.Contains(c.card().raw, `"streaming":false`), true)
		want(t, "streams", c.stream("slow 3", "").rest(), "submitted working artifact completed")
	})
}

func TestSlowSilent(t *testing.T) {
	t.Parallel()
	both(t, "slow-silent", func(t *testing.T, c *raw) {
		want(t, "streaming is refused", c.call("SendStreamingMessage", c.text("task report", "")).code(), -32004)
		began := time.Now()
		s := c.send("task report", "")
		if d := time.Since(began); d < silentPaces*testPace {
			t.Fatalf("it worked for %v only", d)
		}
		want(t, "in the end", s.state(), "completed")
	})
}

// newest is the id of the only task, learnt without the stream.
func (c *raw) newest() string {
	c.t.Helper()
	s := c.peer.s
	var id string
	eventually(c.t, "a task", func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		if len(s.order) > 0 {
			id = s.order[0]
		}
		return id != ""
	})
	return id
}

// expectSilence fails if anything, or the end, comes within d.
func (l *live) expectSilence(d time.Duration) {
	l.t.Helper()
	came := make(chan error, 1)
	go func() {
		_, err := l.lines.ReadByte()
		for err == nil && l.lines.Buffered() > 0 { // the blank line of the last event
			b, _ := l.lines.Peek(1)
			if !slices.Contains([]byte("\r\n"), b[0]) {
				break
			}
			_, err = l.lines.ReadByte()
		}
		came <- err
	}()
	select {
	case err := <-came:
		if err != nil {
			l.t.Fatalf("the stream ended: %v", err)
		}
		// That was the blank line; now nothing more may come.
		l.expectSilence(d)
	case <-time.After(d):
		l.cancel()
		<-came
	}
}
