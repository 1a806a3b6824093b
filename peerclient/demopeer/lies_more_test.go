package demopeer

import (
	"fmt"
	"strings"
	"testing"
)

func (c *raw) immediately(words string) answer {
	c.t.Helper()
	rest := `,"configuration":{"returnImmediately":true}`
	if c.gen == "0.3" {
		rest = `,"configuration":{"blocking":false}`
	}
	return c.call("SendMessage", c.message(fmt.Sprintf(`{"kind":"text","text":%q}`, words), fmt.Sprintf(`{"text":%q}`, words), "", rest))
}

func TestHalfCancel(t *testing.T) {
	t.Parallel()
	both(t, "half-cancel", func(t *testing.T, c *raw) {
		s := c.stream("slow 2000", "")
		id := s.until("working").taskID()
		want(t, "the answer to cancel", c.cancel(id).state(), "working")
		want(t, "the first read", c.get(id).state(), "canceled")
		want(t, "the second", c.get(id).state(), "completed")
		want(t, "the third", c.get(id).state(), "completed")
		want(t, "the stream's end", strings.HasSuffix(s.rest(), "completed"), true)
	})
}

func TestGrowingCancel(t *testing.T) {
	t.Parallel()
	both(t, "growing-cancel", func(t *testing.T, c *raw) {
		s := c.stream("slow 2000", "")
		id := s.until("artifact").taskID()
		want(t, "the answer to cancel", c.cancel(id).state(), "canceled")
		one, two := c.get(id), c.get(id)
		want(t, "first", one.state(), "canceled")
		want(t, "then", two.state(), "canceled")
		want(t, "the artifacts are the same", one.artifacts() == two.artifacts(), false)
		for range grownReads {
			c.get(id)
		}
		want(t, "in the end", c.get(id).artifacts(), c.get(id).artifacts())
		want(t, "the stream's end", strings.HasSuffix(s.rest(), "canceled"), true)
	})
}

func TestNoCancel(t *testing.T) {
	t.Parallel()
	both(t, "no-cancel", func(t *testing.T, c *raw) {
		s := c.stream("slow 5", "")
		id := s.until("working").taskID()
		want(t, "cancel", c.cancel(id).code(), -32002)
		want(t, "the stream", strings.HasSuffix(s.rest(), "completed"), true)
	})
}

func TestRewritesEnd(t *testing.T) {
	t.Parallel()
	both(t, "rewrites-end", func(t *testing.T, c *raw) {
		a := c.send("task report", "")
		want(t, "the task", a.state(), "completed")
		want(t, "cancel", c.cancel(a.taskID()).state(), "canceled")
		want(t, "get", c.get(a.taskID()).state(), "canceled")
	})
}

func TestAnswersRefused(t *testing.T) {
	t.Parallel()
	both(t, "unknown-answer", func(t *testing.T, c *raw) {
		id := c.send("ask", "").taskID()
		want(t, "the answer", c.send("Ada", forTask(id)).code(), -32001)
		want(t, "get", c.get(id).state(), "input-required")
	})
	both(t, "refuses-json", func(t *testing.T, c *raw) {
		id := c.send("ask", "").taskID()
		want(t, "the answer to data", c.call("SendMessage", c.dataAnswer(id)).code(), -32005)
		want(t, "the answer to text", c.send("Ada", forTask(id)).state(), "completed")
	})
}

func TestReloads(t *testing.T) {
	t.Parallel()
	both(t, "reloads", func(t *testing.T, c *raw) {
		want(t, "the first result is JSON", strings.Contains(c.send("task report", "").artifacts(), `"data":{"result"`), true)
		for range 2 {
			want(t, "a later one is text", strings.Contains(c.send("task report", "").artifacts(), `"text":"Result: report"`), true)
		}
	})
}

func TestTextOnly(t *testing.T) {
	t.Parallel()
	both(t, "text-only", func(t *testing.T, c *raw) {
		want(t, "what others ask about", c.stream("ask", "").rest(), "submitted working artifact completed")
		card := c.card().raw
		want(t, "modes", strings.Contains(card, `"defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"]`), true)
	})
}

func TestStalledStream(t *testing.T) {
	t.Parallel()
	both(t, "stalled-stream", func(t *testing.T, c *raw) {
		s := c.stream("slow 3", "")
		id := s.until("working").taskID()
		eventually(t, "get shows the end", func() bool { return c.get(id).state() == "completed" })
		if err := c.peer.Close(); err != nil { // nothing more comes now
			t.Fatal(err)
		}
		want(t, "events after working", len(s.data()), 0)
	})
}

func TestCrossedStream(t *testing.T) {
	t.Parallel()
	both(t, "crossed-stream", func(t *testing.T, c *raw) {
		s := c.stream("task report", "")
		s.rest()
		ids := map[string]int{}
		for _, e := range s.events {
			ids[e.taskID()]++
		}
		want(t, "events of the task", ids[s.events[0].taskID()], 4)
		want(t, "tasks", len(ids), 2)
	})
}

func TestEmptyHistory(t *testing.T) {
	t.Parallel()
	both(t, "empty-history", func(t *testing.T, c *raw) {
		want(t, "declared", strings.Contains(c.card().raw, `"stateTransitionHistory":true`), c.gen == "0.3")
		s := c.stream("task report", "")
		want(t, "the stream", s.rest(), "submitted working artifact completed")
		a := c.call("GetTask", fmt.Sprintf(`{"id":%q,"historyLength":50}`, s.events[0].taskID()))
		want(t, "the history", strings.Contains(a.raw, `"history":[]`), true)
	})
}

func TestStuck(t *testing.T) {
	t.Parallel()
	for name, state := range map[string]string{"stuck-submitted": "submitted", "stuck-working": "working"} {
		both(t, name, func(t *testing.T, c *raw) {
			id := c.immediately("task report").taskID()
			eventually(t, state, func() bool { return c.get(id).state() == state })
			want(t, "cancel", c.cancel(id).state(), "canceled")
			want(t, "get", c.get(id).state(), "canceled")
		})
	}
}

func TestWrongCodes(t *testing.T) {
	t.Parallel()
	both(t, "wrong-codes", func(t *testing.T, c *raw) {
		id := c.send("task report", "").taskID()
		want(t, "a late cancel", c.cancel(id).code(), -32603)
		want(t, "an unknown task", c.get("nobody").code(), -32603)
		want(t, "an unknown method", c.call("Nothing", "{}").code(), -32603)
	})
}

func TestOddCards(t *testing.T) {
	t.Parallel()
	both(t, "edited-card", func(t *testing.T, c *raw) {
		one, two := c.card(), c.card()
		want(t, "version", two.str("version"), one.str("version"))
		want(t, "the same words", two.str("description") == one.str("description"), false)
	})
	both(t, "new-version", func(t *testing.T, c *raw) {
		one, two := c.card(), c.card()
		want(t, "versions", one.str("version")+" "+two.str("version"), "1.4.0 1.5.0")
	})
	both(t, "ragged-card", func(t *testing.T, c *raw) {
		a := c.card()
		want(t, "version", a.at("version"), nil)
		want(t, "nulls", strings.Count(a.raw, ":null"), 3)
	})
	both(t, "no-address", func(t *testing.T, c *raw) {
		want(t, "an address in "+c.card().raw, strings.Contains(c.card().raw, "http://"), false)
		want(t, "the endpoint", c.send("task report", "").state(), "completed")
	})
}

func TestPatchyPush(t *testing.T) {
	t.Parallel()
	both(t, "patchy-push", func(t *testing.T, c *raw) {
		url, calls := receiver(t)
		id := c.send("ask", "").taskID()
		c.call("CreateTaskPushNotificationConfig", c.setPush(id, url))
		want(t, "the answer", c.send("Ada", forTask(id)).state(), "completed")
		want(t, "the call tells of work", strings.Contains(strings.ToLower((<-calls).body), "working"), true)
		if err := c.peer.Close(); err != nil { // no call is made any more
			t.Fatal(err)
		}
		for len(calls) > 0 {
			if d := <-calls; strings.Contains(strings.ToLower(d.body), "completed") {
				t.Fatalf("called for the end: %s", d.body)
			}
		}
	})
}

func TestTokenlessPush(t *testing.T) {
	t.Parallel()
	both(t, "tokenless-push", func(t *testing.T, c *raw) {
		url, calls := receiver(t)
		id := c.send("ask", "").taskID()
		c.call("CreateTaskPushNotificationConfig", c.setPush(id, url))
		c.send("Ada", forTask(id))
		d := <-calls
		for _, h := range []string{"A2A-Notification-Token", "X-A2A-Notification-Token", "Authorization"} {
			want(t, h, d.header.Get(h), "")
		}
	})
}

func TestGroups(t *testing.T) {
	t.Parallel()
	sizes := map[string]int{"three-vendors": 2, "eleven-peers": 11}
	for _, g := range Groups() {
		want(t, g.Name, len(g.Members), sizes[g.Name])
		delete(sizes, g.Name)
		lying := 0
		for _, m := range g.Members {
			name, gen, err := ParseName(m)
			if err != nil {
				t.Fatal(err)
			}
			if sc, _ := find(name); len(sc.Claims) > 0 {
				lying++
				want(t, m+" declares a history on a card that can", name != "empty-history" || gen == "0.3", true)
			}
		}
		want(t, "liars of "+g.Name, lying, map[string]int{"three-vendors": 1, "eleven-peers": 3}[g.Name])
		g.Members[0] = "changed"
	}
	want(t, "missing groups", len(sizes), 0)
	want(t, "a copy is given", Groups()[0].Members[0], "restarts")
}
