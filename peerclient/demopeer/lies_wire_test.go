package demopeer

import (
	"encoding/json"
	"strings"
	"testing"
)

// data reads the data lines of a stream to its end, as they come.
func (l *live) data() []string {
	var out []string
	for {
		line, err := l.lines.ReadString('\n')
		if data, ok := strings.CutPrefix(strings.TrimSpace(line), "data: "); ok {
			out = append(out, data)
		}
		if err != nil {
			return out
		}
	}
}

func TestTwoContents(t *testing.T) {
	t.Parallel()
	both(t, "two-contents", func(t *testing.T, c *raw) {
		part := c.send("task report", "").artifacts()
		want(t, "a text and data in "+part, strings.Contains(part, `"text":"Result: report"`) && strings.Contains(part, `"data":{"result":"another"}`), true)
	})
}

func TestTwiceNamed(t *testing.T) {
	t.Parallel()
	both(t, "twice-named", func(t *testing.T, c *raw) {
		a := c.send("task report", "")
		want(t, "both texts in "+a.raw, strings.Contains(a.raw, `"text":"Result: report","text":"Another result"`), true)
	})
}

func TestBrokenEvent(t *testing.T) {
	t.Parallel()
	both(t, "broken-event", func(t *testing.T, c *raw) {
		broken := 0
		lines := c.stream("task report", "").data()
		for _, l := range lines {
			if !json.Valid([]byte(l)) {
				broken++
			}
		}
		want(t, "events", len(lines), 5)
		want(t, "that are broken", broken, 1)
	})
}

func TestOtherID(t *testing.T) {
	t.Parallel()
	both(t, "other-id", func(t *testing.T, c *raw) {
		for what, a := range map[string]answer{"a result": c.send("task report", ""), "an error": c.get("nobody")} {
			want(t, what, strings.Contains(a.raw, `"id":987654321`), true)
		}
		want(t, "an event", strings.Contains(c.stream("task report", "").data()[0], `"id":987654321`), true)
	})
}

func TestLooseDialect(t *testing.T) {
	t.Parallel()
	both(t, "loose-dialect", func(t *testing.T, c *raw) {
		s := c.stream("slow 2000", "")
		first, _ := s.next()
		id := first.taskID()
		answered := c.cancel(id)
		s.rest()
		last := s.events[len(s.events)-1].raw
		oneL, twoLs := `"canceled"`, `"cancelled"`
		if c.gen == "1.0" {
			oneL, twoLs = `"TASK_STATE_CANCELED"`, `"TASK_STATE_CANCELLED"`
		}
		want(t, "the answer's spelling", strings.Contains(answered.raw, oneL), true)
		want(t, "the stream's, in "+last, strings.Contains(last, twoLs), true)
		want(t, "snake case", strings.Contains(last, `"context_id":`) && !strings.Contains(last, `"contextId":`), true)
		want(t, "a kind", strings.Contains(last, `"kind":"status-update"`), false)
	})
}

// TestSpellingLeavesTextsAlone: what a client says stays as it is.
func TestSpellingLeavesTextsAlone(t *testing.T) {
	t.Parallel()
	c := dial(t, "loose-dialect@1.0")
	said := `say "contextId": and "TASK_STATE_CANCELED"`
	m := c.call("SendMessage", c.text("echo "+said, ""))
	b, err := json.Marshal(said)
	if err != nil {
		t.Fatal(err)
	}
	want(t, "the echo in "+m.raw, strings.Contains(m.raw, string(b)), true)
}
