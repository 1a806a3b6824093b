package cli_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"unicode"
)

// TestTextOfTasksIsClean: an agent whose every string is an attack on the
// terminal, in its card and in its tasks, reaches it as visible text.
func TestTextOfTasksIsClean(t *testing.T) {
	t.Parallel()
	evil := func(what string) string {
		b, _ := json.Marshal(what + "\x1b]0;owned\x07\x1b[2J\u202e\u009b31m\r\x00")
		return string(b)
	}
	mux := http.NewServeMux()
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	mux.HandleFunc("GET /.well-known/agent-card.json", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"name":%s,"description":%s,"version":%s,"capabilities":{"streaming":false},"defaultInputModes":["text/plain",%s],"defaultOutputModes":["text/plain",%s],
			"skills":[{"id":%s,"name":%s,"description":%s,"tags":[%s]}],"supportedInterfaces":[{"url":"%s/rpc","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]}`,
			evil("name"), evil("description"), evil("version"), evil("in"), evil("out"), evil("id"), evil("skill"), evil("what"), evil("tag"), s.URL)
	})
	mux.HandleFunc("POST /rpc", func(w http.ResponseWriter, r *http.Request) {
		var req struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
		}
		_ = json.NewDecoder(r.Body).Decode(&req)
		task := fmt.Sprintf(`{"id":%s,"contextId":%s,"status":{"state":"TASK_STATE_COMPLETED","message":{"messageId":%s,"role":"ROLE_AGENT","parts":[{"text":%s}]}},
			"artifacts":[{"artifactId":%s,"name":%s,"description":%s,"parts":[{"text":%s},{"data":{%s:%s}},{"raw":"AAEC","filename":%s,"mediaType":%s}]}]}`,
			evil("task"), evil("context"), evil("message"), evil("text"), evil("artifact"), evil("name"), evil("description"), evil("body"), evil("key"), evil("value"), evil("file"), evil("media"))
		w.Header().Set("Content-Type", "application/json")
		switch req.Method {
		case "SendMessage":
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"task":%s}}`, req.ID, task)
		case "GetTask":
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, req.ID, task)
		default:
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32004,"message":%s,"data":[{"reason":%s}]}}`, req.ID, evil("error"), evil("reason"))
		}
	})
	b := newBench(t)
	for _, args := range [][]string{
		{"run", s.URL, "-c", "send hello", "-c", "tasks", "-c", "cancel", "-c", "list", "-c", "decisions"},
		{"history", "show", "last"}, {"history", "search", "owned"}, {"decisions"},
	} {
		r := b.run(args...)
		for _, c := range r.out + r.err {
			if unicode.IsControl(c) && c != '\n' || c == '\u202e' {
				t.Fatalf("%v: %U reaches the terminal: %q", args, c, r.out+r.err)
			}
		}
		if args[0] == "run" && !strings.Contains(r.out, "^[]0;owned^G") {
			t.Errorf("the words of the agent are not shown: %s", r.out+r.err)
		}
	}
}
