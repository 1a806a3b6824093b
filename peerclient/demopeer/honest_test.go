package demopeer

import (
	"strings"
	"testing"
)

func TestHonestStreams(t *testing.T) {
	t.Parallel()
	for words, story := range map[string]string{
		"task report": "submitted working artifact completed",
		"slow 4":      "submitted working artifact completed",
		"fail":        "submitted working failed",
		"ask":         "submitted working input-required",
		"echo hello":  "message",
		"whatever":    "submitted working artifact completed",
	} {
		both(t, "honest", func(t *testing.T, c *raw) {
			s := c.stream(words, "")
			want(t, "content type", s.resp.Header.Get("Content-Type"), "text/event-stream")
			want(t, "the story of "+words, s.rest(), story)
			if words == "slow 4" {
				want(t, "events", len(s.states), 2+4+1)
				last := s.events[5].body()
				want(t, "append of the last chunk", last.at("append"), any(true))
				want(t, "lastChunk of the last chunk", last.at("lastChunk"), any(true))
			}
			if c.gen == "0.3" && words != "echo hello" {
				want(t, "final", s.events[len(s.events)-1].body().at("final"), any(true))
			}
		})
	}
}

func TestHonestBlocking(t *testing.T) {
	t.Parallel()
	both(t, "honest", func(t *testing.T, c *raw) {
		want(t, "slow", c.send("slow 3", "").state(), "completed")
		want(t, "ask", c.send("ask", "").state(), "input-required")
		want(t, "fail", c.send("fail", "").state(), "failed")
		want(t, "echo", c.send("echo hi", "").kind(), "message")
		now := c.call("SendMessage", c.message(`{"kind":"text","text":"slow 6"}`, `{"text":"slow 6"}`, "",
			`,"configuration":{`+map[string]string{"1.0": `"returnImmediately":true`, "0.3": `"blocking":false`}[c.gen]+`}`))
		if s := now.state(); s != "submitted" && s != "working" {
			t.Fatalf("an immediate send answers %s", s)
		}
		eventually(t, "completed", func() bool { return c.get(now.taskID()).state() == "completed" })
	})
}

func TestHonestResume(t *testing.T) {
	t.Parallel()
	parts := map[string][2]string{ // 0.3, 1.0
		"text": {`{"kind":"text","text":"Ada"}`, `{"text":"Ada"}`},
		"data": {`{"kind":"data","data":{"name":"Ada"}}`, `{"data":{"name":"Ada"},"mediaType":"application/json"}`},
		"file": {`{"kind":"file","file":{"name":"Ada.txt","mimeType":"text/plain","bytes":"QWRh"}}`, `{"raw":"QWRh","filename":"Ada.txt","mediaType":"text/plain"}`},
	}
	for _, scenario := range []string{"honest", "resumes"} {
		for name, p := range parts {
			both(t, scenario, func(t *testing.T, c *raw) {
				asked := c.send("ask", "")
				id := asked.taskID()
				context := asked.body().str("contextId")
				s := c.open("SendStreamingMessage", c.message(p[0], p[1], forTask(id)+`,"contextId":"`+context+`"`, ""))
				want(t, name, s.rest(), "working artifact completed")
				want(t, "the task", s.events[0].taskID(), id)
				done := c.get(id)
				want(t, "get", done.state(), "completed")
				if !strings.Contains(done.artifacts(), "Ada") {
					t.Fatalf("the artifact does not quote the answer: %s", done.artifacts())
				}
				history, _ := done.body().at("history").([]any)
				want(t, "messages in history", len(history), 4) // ask, thinking, question, answer
			})
		}
	}
}

func TestHonestCancelIsFinal(t *testing.T) {
	t.Parallel()
	both(t, "honest", func(t *testing.T, c *raw) {
		s := c.stream("slow 200", "")
		s.until("artifact")
		id := s.events[0].taskID()
		want(t, "cancel", c.cancel(id).state(), "canceled")
		story := s.rest()
		if !strings.HasSuffix(story, " canceled") {
			t.Fatalf("the stream tells %q", story)
		}
		frozen := c.get(id)
		want(t, "get", frozen.state(), "canceled")
		want(t, "the artifacts of a second get", c.get(id).artifacts(), frozen.artifacts())
		want(t, "cancel again", c.cancel(id).state(), "canceled")
		want(t, "a message to a canceled task", c.send("more", forTask(id)).code(), -32004)
	})
}

func TestHonestResubscribe(t *testing.T) {
	t.Parallel()
	both(t, "honest", func(t *testing.T, c *raw) {
		s := c.stream("slow 100", "")
		s.until("artifact")
		id := s.events[0].taskID()
		again := c.subscribe(id)
		first, _ := again.next()
		want(t, "the first event", first.kind(), "task")
		want(t, "its state", first.state(), "working")
		want(t, "the rest", again.rest(), "working artifact completed")
		s.rest()
		// What the snapshot held and what came after it is the whole, once.
		chunks := strings.Count(first.raw, " of 100") + len(again.events) - 2
		want(t, "chunks", chunks, 100)
		want(t, "after the end", c.call("SubscribeToTask", idParams(id)).code(), -32004)
		want(t, "an unknown task", c.call("SubscribeToTask", idParams("nobody")).code(), -32001)
	})
}
