package demopeer

import (
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
)

func TestErrors(t *testing.T) {
	t.Parallel()
	both(t, "honest", func(t *testing.T, c *raw) {
		id := c.send("task report", "").taskID()
		params := func(part03, part10, rest string) string { return c.message(part03, part10, rest, "") }
		for _, tc := range []struct {
			what, method, params string
			code                 int
		}{
			{"an unknown method", "tasks/frobnicate", "{}", -32601},
			{"an unknown task", "GetTask", idParams("nobody"), -32001},
			{"no task", "GetTask", "{}", -32001},
			{"cancel of nobody", "CancelTask", idParams("nobody"), -32001},
			{"cancel of a completed task", "CancelTask", idParams(id), -32002},
			{"no message", "SendMessage", "{}", -32602},
			{"params of the wrong shape", "SendMessage", `{"message":"hello"}`, -32602},
			{"no parts", "SendMessage", params("", "", ""), -32602},
			{"an empty part", "SendMessage", params("{}", "{}", ""), -32602},
			{"the other generation's part", "SendMessage", params(`{"text":"x"}`, `{"kind":"file","file":{}}`, ""), -32602},
			{"a message to nobody", "SendMessage", c.text("x", forTask("nobody")), -32001},
			{"a message to a completed task", "SendMessage", c.text("x", forTask(id)), -32004},
			{"another context", "SendMessage", c.text("x", forTask(id)+`,"contextId":"other"`), -32602},
			{"a type that is not declared", "SendMessage", params(`{"kind":"file","file":{"bytes":"AA==","mimeType":"image/png"}}`, `{"raw":"AA==","mediaType":"image/png"}`, ""), -32005},
			{"the extended card", "GetExtendedAgentCard", "{}", map[string]int{"1.0": -32004, "0.3": -32007}[c.gen]},
		} {
			want(t, tc.what, c.call(tc.method, tc.params).code(), tc.code)
		}
		if c.gen == "1.0" {
			want(t, "the reason", strings.Contains(c.get("nobody").raw, `"reason":"TASK_NOT_FOUND"`), true)
		}
	})
}

func TestVersionHeader(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		gen, version string
		code         int
	}{
		{"1.0", "1.0", 0}, {"1.0", "0.3", -32009}, {"1.0", "", -32009}, {"1.0", "2.0", -32009}, {"1.0", "abc", -32009},
		{"0.3", "0.3", 0}, {"0.3", "", 0},
	} {
		t.Run(tc.gen+" asked with "+tc.version, func(t *testing.T) {
			t.Parallel()
			c := dial(t, "honest@"+tc.gen)
			resp := c.do(t.Context(), c.peer.URL()+"/rpc", c.request("SendMessage", c.text("echo x", "")), "A2A-Version", tc.version)
			defer resp.Body.Close()
			b, err := io.ReadAll(resp.Body)
			if err != nil {
				t.Fatal(err)
			}
			if tc.code != 0 {
				want(t, string(b), strings.Contains(string(b), fmt.Sprintf(`"code":%d`, tc.code)), true)
			} else {
				want(t, string(b), strings.Contains(string(b), `"result"`), true)
			}
		})
	}
}

func TestEnvelopes(t *testing.T) {
	t.Parallel()
	c := dial(t, "honest@1.0")
	deep := strings.Repeat("[", 100_000)
	for _, tc := range []struct{ body, id, code string }{
		{``, "null", "-32700"},
		{`{`, "null", "-32700"},
		{"\x00\xff\xfe", "null", "-32700"},
		{deep, "null", "-32700"},
		{`[]`, "null", "-32600"},
		{`"x"`, "null", "-32600"},
		{`{"jsonrpc":"2.0","method":"GetTask"}`, "null", "-32600"},
		{`{"jsonrpc":"2.0","id":{},"method":"GetTask"}`, "null", "-32600"},
		{`{"jsonrpc":"1.0","id":1,"method":"GetTask"}`, "1", "-32600"},
		{`{"jsonrpc":"2.0","id":"a\"b","method":"Nope"}`, `"a\"b"`, "-32601"},
		{`{"jsonrpc":"2.0","id":7,"method":"GetTask","params":[1]}`, "7", "-32602"},
		{`{"jsonrpc":"2.0","id":7,"method":"GetTask","params":{"id":5}}`, "7", "-32602"},
	} {
		resp := c.do(t.Context(), c.peer.URL()+"/rpc", tc.body)
		b, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(string(b), `{"jsonrpc":"2.0","id":`+tc.id+`,"error":{"code":`+tc.code) {
			t.Errorf("%.60q is answered with %s", tc.body, b)
		}
	}
	want(t, "and it lives", c.send("echo x", "").kind(), "message")
}

func TestHugeBodyIsRefused(t *testing.T) {
	t.Parallel()
	c := dial(t, "honest@0.3")
	req, err := http.NewRequest(http.MethodPost, c.peer.URL()+"/rpc", io.LimitReader(zeros{}, maxBody+1))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	// The server may break the connection off before it has read everything.
	if err == nil {
		resp.Body.Close()
		want(t, "status", resp.StatusCode, http.StatusRequestEntityTooLarge)
	}
	big := strings.Repeat("x", maxBody-1000)
	a := c.send(big, "")
	want(t, "a body just below the cap", a.state(), "completed")
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '0'
	}
	return len(p), nil
}

func TestOtherVerbsAndPaths(t *testing.T) {
	t.Parallel()
	c := dial(t, "honest")
	want(t, "GET of the endpoint", c.page("/rpc").status, http.StatusMethodNotAllowed)
	want(t, "an unknown path", c.page("/nothing").status, http.StatusNotFound)
	resp := c.do(t.Context(), c.peer.URL()+"/.well-known/agent-card.json", "{}")
	resp.Body.Close()
	want(t, "POST of the card", resp.StatusCode, http.StatusMethodNotAllowed)
}

func TestForeignPagesAreRefused(t *testing.T) {
	t.Parallel()
	c := dial(t, "honest@1.0")
	for origin, status := range map[string]int{"http://evil.example": http.StatusForbidden, "null": http.StatusForbidden, c.peer.URL(): http.StatusOK} {
		resp := c.do(t.Context(), c.peer.URL()+"/rpc", c.request("SendMessage", c.text("echo x", "")), "Origin", origin)
		resp.Body.Close()
		want(t, origin, resp.StatusCode, status)
	}
}

func TestTheTableIsBounded(t *testing.T) {
	t.Parallel()
	s, err := newServer(Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	s.mu.Lock()
	defer s.mu.Unlock()
	first := s.open(message{id: "m"})
	for range maxTasks {
		s.open(message{id: "m", size: 1000})
	}
	want(t, "tasks", len(s.tasks), maxTasks)
	want(t, "the oldest", s.tasks[first.id], nil)
	big := s.open(message{id: "m", size: maxHeld})
	want(t, "tasks beside one that fills the table", len(s.tasks), 1)
	want(t, "the newest", s.tasks[big.id], big)
}

func TestHistoryLength(t *testing.T) {
	t.Parallel()
	both(t, "honest", func(t *testing.T, c *raw) {
		id := c.send("task report", "").taskID()
		count := func(params string) int {
			h, _ := c.call("GetTask", params).body().at("history").([]any)
			return len(h)
		}
		want(t, "all", count(idParams(id)), 2) // the request, and "Working on it"
		want(t, "one", count(fmt.Sprintf(`{"id":%q,"historyLength":1}`, id)), 1)
		want(t, "none", count(fmt.Sprintf(`{"id":%q,"historyLength":0}`, id)), 0)
	})
}

func TestAcceptedOutputModes(t *testing.T) {
	t.Parallel()
	both(t, "honest", func(t *testing.T, c *raw) {
		accept := func(modes string) answer {
			return c.call("SendMessage", c.message(`{"kind":"text","text":"task x"}`, `{"text":"task x"}`, "", `,"configuration":{"acceptedOutputModes":`+modes+`}`))
		}
		want(t, "json", strings.Contains(accept(`["application/json"]`).artifacts(), `"data":`), true)
		want(t, "either", strings.Contains(accept(`["application/json","text/*"]`).artifacts(), `"text":`), true)
		want(t, "neither", accept(`["image/png"]`).code(), -32005)
	})
}

func TestListTasks(t *testing.T) {
	t.Parallel()
	c := dial(t, "honest@1.0")
	var ids []string
	for range 5 {
		ids = append(ids, c.send("ask", "").taskID())
	}
	c.cancel(ids[0]) // which makes it the last changed
	page := c.call("ListTasks", `{"pageSize":2}`)
	want(t, "total", page.at("result", "totalSize"), any(5.0))
	got := page.at("result", "tasks").([]any)
	want(t, "tasks on the page", len(got), 2)
	want(t, "the last changed", got[0].(map[string]any)["id"], any(ids[0]))
	token := page.str("result", "nextPageToken")
	rest := c.call("ListTasks", fmt.Sprintf(`{"pageSize":100,"pageToken":%q}`, token))
	want(t, "the rest", len(rest.at("result", "tasks").([]any)), 3)
	want(t, "the last token", rest.at("result", "nextPageToken"), any(""))
	one := c.call("ListTasks", `{"status":"TASK_STATE_CANCELED"}`)
	want(t, "canceled tasks", len(one.at("result", "tasks").([]any)), 1)
	want(t, "a bad token", c.call("ListTasks", `{"pageToken":"x"}`).code(), -32602)
	old := dial(t, "honest@0.3")
	want(t, "0.3 knows no list", old.call("ListTasks", `{}`).code(), -32601)
}

var uuid = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)

func TestIdsAreUUIDs(t *testing.T) {
	t.Parallel()
	c := dial(t, "honest")
	a := c.send("task report", "")
	for what, id := range map[string]string{"task": a.taskID(), "context": a.body().str("contextId")} {
		if !uuid.MatchString(id) {
			t.Errorf("%s id %q is no UUID", what, id)
		}
	}
	b := c.send("task report", `,"contextId":"mine"`)
	want(t, "the client's own context", b.body().str("contextId"), "mine")
}
