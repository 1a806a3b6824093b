package runner_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"a2ascope/session"
	"a2ascope/session/runner"
)

// endless streams a task without end, in fat events.
func endless(t *testing.T) string {
	t.Helper()
	var s *httptest.Server
	s = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/agent-card.json") {
			card := strings.ReplaceAll(card10, `"capabilities":{}`, `"capabilities":{"streaming":true}`)
			_, _ = io.WriteString(w, strings.ReplaceAll(card, "$url", s.URL))
			return
		}
		body, _ := io.ReadAll(r.Body)
		task := `{"id":"T","contextId":"C","status":{"state":"TASK_STATE_WORKING"}}`
		if strings.Contains(string(body), "GetTask") {
			_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":`+idOf(body)+`,"result":`+task+`}`)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, err := fmt.Fprintf(w, "data: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"task\":%s}}\n\n", idOf(body), task)
		for i := 0; err == nil; i++ {
			_, err = fmt.Fprintf(w, "data: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"artifactUpdate\":{\"taskId\":\"T\",\"contextId\":\"C\",\"append\":%t,\"artifact\":{\"artifactId\":\"a\",\"parts\":[{\"text\":%q}]}}}}\n\n",
				idOf(body), i > 0, strings.Repeat("x", 8<<10))
		}
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// idOf is the id of a JSON-RPC request.
func idOf(body []byte) string {
	_, rest, _ := strings.Cut(string(body), `"id":`)
	return rest[:strings.IndexAny(rest, ",}")]
}

// A stream without end stops at the log's limit: we say that it was us, and hold
// nothing against the peer. A larger limit opens the session again.
func TestLogLimit(t *testing.T) {
	t.Parallel()
	url := endless(t)
	st := store(t)
	l := open(t, st, url, func(c *runner.Config) { c.Opened.Policy.LogLimit = 2 })
	d := l.script(t, url, "stream hello", "wait closed --for 20s")
	s := l.StateNow()
	x := s.Exchanges[s.Commands[1].Exchanges[0]-1]
	if x.Stream == nil || x.Stream.How != session.ClosedFull || !s.LogFull {
		t.Fatalf("the stream ended as %+v, log full %t\n%s", x.Stream, s.LogFull, l.transcript(t))
	}
	if s.Size > 16<<20 {
		t.Errorf("the log took %d bytes; its limit was 2 MiB", s.Size)
	}
	if len(d.Findings) > 0 || d.Faults > 0 || d.Exit.Status != 0 {
		t.Errorf("exit %+v, %d faults, findings %+v", d.Exit, d.Faults, d.Findings)
	}
	if text := l.transcript(t); !strings.Contains(text, "--log-limit") {
		t.Errorf("nothing says what to do:\n%.2000s", text)
	}
	<-l.ended // its log is closed by then
	log, err := st.Continue(l.id)
	if err != nil {
		t.Fatal(err)
	}
	more := start(t, st, l.id, config(t, st, log, l.id, url, func(c *runner.Config) { c.Opened.Policy.LogLimit = 64 }), func(cfg runner.Config) *runner.Runner {
		r, err := runner.Resume(cfg)
		if err != nil {
			t.Fatal(err)
		}
		return r
	})
	more.script(t, url, "resubscribe", "detach", "wait closed --for 20s")
	s = more.StateNow()
	if cs := s.Commands[len(s.Commands)-3]; s.LogFull || cs.Cmd.Name != "resubscribe" || cs.Result != good {
		t.Errorf("log full %t, %+v", s.LogFull, cs)
	}
}

// What is begun after the limit is dropped, or refused with words.
func TestLogLimitRefuses(t *testing.T) {
	t.Parallel()
	url := endless(t)
	l := open(t, store(t), url, func(c *runner.Config) { c.Opened.Policy.LogLimit = 1 })
	commandLines(t.Context(), t, l.Runner, []string{"discover " + url, "stream hello", "wait closed --for 20s"})
	n, err := l.Command("stream --new again", "test")
	if err != nil {
		t.Fatal(err)
	}
	cv, err := l.Await(t.Context(), n)
	if err != nil || cv.Result != cannot || !strings.Contains(cv.Detail, "--log-limit") {
		t.Errorf("%+v, %v", cv, err)
	}
	commandLines(t.Context(), t, l.Runner, []string{"get"})
}
