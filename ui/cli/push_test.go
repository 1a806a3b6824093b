package cli_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"a2ascope/history/export"
	"a2ascope/session"
)

// caller is an agent that calls the receiver it was given while it is asked
// for its task: all is over before it answers.
type caller struct {
	t          *testing.T
	mu         sync.Mutex
	url, token string
	reads      int
	calls      int // that the receiver answered
	state      string
}

func (c *caller) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if r.Method == http.MethodGet {
		_, _ = fmt.Fprintf(w, `{"name":"Caller","description":"d","version":"1","supportedInterfaces":[{"url":"http://%s/rpc","protocolBinding":"JSONRPC","protocolVersion":"1.0"}],
			"capabilities":{"pushNotifications":true},"defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"],"skills":[]}`, r.Host)
		return
	}
	var call struct {
		ID     json.RawMessage
		Method string
		Params struct {
			Configuration struct {
				TaskPushNotificationConfig struct{ URL, Token string }
			}
		}
	}
	_ = json.NewDecoder(r.Body).Decode(&call)
	result := ""
	switch call.Method {
	case "SendMessage":
		p := call.Params.Configuration.TaskPushNotificationConfig
		c.url, c.token, c.state = p.URL, p.Token, "WORKING"
		result = `{"task":` + c.task("T") + `}`
	case "GetTask":
		switch c.reads++; c.reads {
		case 1:
			c.storm()
			c.state = "COMPLETED"
			c.call(http.MethodPost, c.url, c.token, c.task("T"), 200)
		case 2: // after the end
			c.call(http.MethodPost, c.url, c.token, c.task("T"), 200)
		}
		result = c.task("T")
	}
	_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, call.ID, result)
}

func (c *caller) task(id string) string {
	return `{"id":"` + id + `","contextId":"C","status":{"state":"TASK_STATE_` + c.state + `"}}`
}

// storm makes every kind of call, good and bad.
func (c *caller) storm() {
	good := `{"task":` + c.task("T") + `}`
	for _, k := range []struct {
		method, url, token, body string
		status                   int
	}{
		{http.MethodPost, c.url, c.token, good, 200},
		{http.MethodPost, c.url, c.token + "x", good, 401},
		{http.MethodPost, c.url, "", good, 401},
		{http.MethodGet, c.url, c.token, "", 405},
		{http.MethodPut, c.url, c.token, good, 405},
		{http.MethodPost, c.url + "/more", c.token, good, 404},
		{http.MethodPost, c.url, c.token, `{"task":`, 200},
		{http.MethodPost, c.url, c.token, "\x00\xff", 200},
		{http.MethodPost, c.url, c.token, `[]`, 200},
		{http.MethodPost, c.url, c.token, `{"task":` + c.task("of somebody else") + `}`, 200},
		{http.MethodPost, c.url, c.token, `{"id":"T","kind":"task","contextId":"C","status":{"state":"working"}}`, 200}, // of 0.3
	} {
		c.call(k.method, k.url, k.token, k.body, k.status)
	}
	var all sync.WaitGroup
	for range 100 {
		all.Go(func() { _, _ = c.send(http.MethodPost, c.url, c.token, strings.NewReader(good)) })
	}
	all.Wait()
	c.calls += 100
	// 100 MB: no more than the cap is read, and the rest may break off.
	if status, err := c.send(http.MethodPost, c.url, c.token, io.LimitReader(zeros{}, 100<<20)); err == nil && status != http.StatusRequestEntityTooLarge {
		c.t.Errorf("100 MB were answered %d", status)
	}
	c.calls++
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func (c *caller) call(method, url, token, body string, want int) {
	if status, err := c.send(method, url, token, strings.NewReader(body)); err != nil || status != want {
		c.t.Errorf("%s with %.40q was answered %d, %v; want %d", method, body, status, err, want)
	}
	c.calls++
}

func (c *caller) send(method, url, token string, body io.Reader) (int, error) {
	req, err := http.NewRequestWithContext(c.t.Context(), method, url, body)
	if err != nil {
		return 0, err
	}
	if token != "" {
		req.Header.Set("A2A-Notification-Token", token)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	return resp.StatusCode, resp.Body.Close()
}

// TestPushStorm: everything that comes to the receiver is a record, answered
// as what it is, and none of it makes the session say what is not so.
func TestPushStorm(t *testing.T) {
	t.Parallel()
	c := &caller{t: t}
	s := httptest.NewServer(c)
	t.Cleanup(s.Close)
	b := newBench(t)
	r := b.session(0, s.URL, "json", "push on", "send hello --immediate", "wait settled")
	d := document(t, r.out)
	if len(d.Tasks) != 1 || d.Tasks[0].State != "completed" || !d.Tasks[0].Settled || d.Tasks[0].Attempts != 1 {
		t.Errorf("tasks %+v", d.Tasks)
	}
	for _, claim := range d.Claims {
		if claim.Verdict == session.Contradicted || claim.ID == session.PushDelivered && claim.Verdict != session.Honoured {
			t.Errorf("%s is %s: %s", claim.ID, claim.Verdict, claim.Observed)
		}
	}
	answered := map[int]int{}
	pushes, longest := 0, 0
	records := b.run("history", "show", d.Session, "--output", "jsonl").out
	if _, err := export.ReadJSONL(strings.NewReader(records), func(r session.Record) error {
		if r.Kind != session.KindPush {
			return nil
		}
		var p session.Pushed
		if err := r.Decode(&p); err != nil {
			return err
		}
		pushes++
		answered[p.Answered]++
		longest = max(longest, len(r.Raw))
		if bytes.Contains(r.Raw, []byte(c.token)) || c.token == "" {
			t.Errorf("record %d holds the token", r.Seq)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if pushes != c.calls || answered[401] != 2 || answered[405] != 2 || answered[404] != 1 || answered[413] != 1 {
		t.Errorf("%d deliveries are in the log of %d, answered %v", pushes, c.calls, answered)
	}
	if longest > 9<<20 {
		t.Errorf("%d bytes of one delivery were kept", longest)
	}
}
