package demopeer

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

const testPace = 5 * time.Millisecond

// patience bounds every wait of a test; nothing waits that long when it works.
const patience = 60 * time.Second

// raw is a client that knows as little of A2A as it can: it sends literal
// requests and keeps literal answers.
type raw struct {
	t    *testing.T
	peer *Peer
	gen  string
	id   int
}

func dial(t *testing.T, name string) *raw { t.Helper(); return dialAt(t, name, testPace) }

func dialAt(t *testing.T, name string, pace time.Duration) *raw {
	t.Helper()
	scenario, gen, err := ParseName(name)
	if err != nil {
		t.Fatal(err)
	}
	p, err := Start(t.Context(), Options{Scenario: scenario, Generation: gen, Pace: pace})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return &raw{t: t, peer: p, gen: gen}
}

// both runs a test against both generations of a scenario.
func both(t *testing.T, scenario string, test func(t *testing.T, c *raw)) {
	t.Helper()
	bothAt(t, scenario, testPace, test)
}

func bothAt(t *testing.T, scenario string, pace time.Duration, test func(t *testing.T, c *raw)) {
	t.Helper()
	for _, gen := range []string{"1.0", "0.3"} {
		t.Run(scenario+"@"+gen, func(t *testing.T) {
			t.Parallel()
			test(t, dialAt(t, scenario+"@"+gen, pace))
		})
	}
}

var methods03 = map[string]string{
	"SendMessage": "message/send", "SendStreamingMessage": "message/stream", "GetTask": "tasks/get",
	"CancelTask": "tasks/cancel", "SubscribeToTask": "tasks/resubscribe", "ListTasks": "tasks/list",
	"CreateTaskPushNotificationConfig": "tasks/pushNotificationConfig/set",
	"GetTaskPushNotificationConfig":    "tasks/pushNotificationConfig/get",
	"ListTaskPushNotificationConfigs":  "tasks/pushNotificationConfig/list",
	"DeleteTaskPushNotificationConfig": "tasks/pushNotificationConfig/delete",
	"GetExtendedAgentCard":             "agent/getAuthenticatedExtendedCard",
}

func (c *raw) do(ctx context.Context, url, body string, header ...string) *http.Response {
	c.t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+DemoToken) // most peers ask for none
	if c.gen == "1.0" {
		req.Header.Set("A2A-Version", "1.0")
	}
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		c.t.Fatal(err)
	}
	return resp
}

func (c *raw) request(method, params string) string {
	c.id++
	if c.gen == "0.3" && methods03[method] != "" {
		method = methods03[method]
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, c.id, method, params)
}

// call posts one request and returns its whole body.
func (c *raw) call(method, params string) answer {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), patience)
	defer cancel()
	resp := c.do(ctx, c.peer.URL()+"/rpc", c.request(method, params))
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		c.t.Fatalf("%s: %v", method, err)
	}
	a := answer{t: c.t, raw: string(b), contentType: resp.Header.Get("Content-Type"), status: resp.StatusCode}
	if err := json.Unmarshal(b, &a.v); err != nil {
		c.t.Fatalf("%s: %v in %s", method, err, b)
	}
	return a
}

// answer is one JSON document, read by paths.
type answer struct {
	t           *testing.T
	raw         string
	contentType string
	status      int
	v           any
}

// at walks keys; what is missing is nil. A 1.0 wrapper (task, message,
// statusUpdate, artifactUpdate) is stepped over.
func (a answer) at(path ...string) any {
	v := a.v
	for _, key := range path {
		m, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		v = m[key]
	}
	return v
}

func (a answer) str(path ...string) string { s, _ := a.at(path...).(string); return s }

func (a answer) code() int { f, _ := a.at("error", "code").(float64); return int(f) }

// body is the result without its wrapper.
func (a answer) body() answer {
	a.v = a.at("result")
	for _, key := range []string{"task", "message", "statusUpdate", "artifactUpdate"} {
		if inner, ok := a.at(key).(map[string]any); ok && len(a.v.(map[string]any)) == 1 {
			a.v = inner
			break
		}
	}
	return a
}

// kind is task, message, status or artifact.
func (a answer) kind() string {
	b := a.body()
	switch {
	case b.at("parts") != nil:
		return "message"
	case b.at("artifact") != nil:
		return "artifact"
	case b.at("taskId") != nil && b.at("status") != nil:
		return "status"
	case b.at("status") != nil:
		return "task"
	}
	return "?"
}

func (a answer) state() string {
	s := strings.TrimPrefix(a.body().str("status", "state"), "TASK_STATE_")
	return strings.ToLower(strings.ReplaceAll(s, "_", "-"))
}

func (a answer) taskID() string {
	if id := a.body().str("id"); id != "" {
		return id
	}
	return a.body().str("taskId")
}

// artifacts is the text of all artifacts of a task, as compact JSON.
func (a answer) artifacts() string {
	v := a.body().at("artifacts")
	if v == nil {
		return ""
	}
	b, _ := json.Marshal(v)
	return string(b)
}

// text writes message params for both generations.
func (c *raw) text(words, ids string) string {
	return c.message(fmt.Sprintf(`{"kind":"text","text":%q}`, words), fmt.Sprintf(`{"text":%q}`, words), ids, "")
}

func (c *raw) message(part03, part10, ids, rest string) string {
	c.id++
	if c.gen == "0.3" {
		return fmt.Sprintf(`{"message":{"kind":"message","messageId":"m-%d","role":"user","parts":[%s]%s}%s}`, c.id, part03, ids, rest)
	}
	return fmt.Sprintf(`{"message":{"messageId":"m-%d","role":"ROLE_USER","parts":[%s]%s}%s}`, c.id, part10, ids, rest)
}

func idParams(id string) string { return fmt.Sprintf(`{"id":%q}`, id) }
func forTask(id string) string  { return fmt.Sprintf(`,"taskId":%q`, id) }

func (c *raw) send(words, ids string) answer {
	c.t.Helper()
	return c.call("SendMessage", c.text(words, ids))
}
func (c *raw) get(id string) answer    { c.t.Helper(); return c.call("GetTask", idParams(id)) }
func (c *raw) cancel(id string) answer { c.t.Helper(); return c.call("CancelTask", idParams(id)) }

// live is an open event stream.
type live struct {
	t      *testing.T
	resp   *http.Response
	lines  *bufio.Reader
	cancel context.CancelFunc
	states []string // states and "artifact", as they came
	events []answer
}

func (c *raw) stream(words, ids string) *live {
	c.t.Helper()
	return c.open("SendStreamingMessage", c.text(words, ids))
}

func (c *raw) subscribe(id string) *live {
	c.t.Helper()
	return c.open("SubscribeToTask", idParams(id))
}

func (c *raw) open(method, params string) *live {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), patience)
	c.t.Cleanup(cancel)
	resp := c.do(ctx, c.peer.URL()+"/rpc", c.request(method, params), "Accept", "text/event-stream")
	c.t.Cleanup(func() { resp.Body.Close() })
	return &live{t: c.t, resp: resp, lines: bufio.NewReader(resp.Body), cancel: cancel}
}

// next reads one event; ok is false at the end of the stream.
func (l *live) next() (a answer, ok bool) {
	l.t.Helper()
	for {
		line, err := l.lines.ReadString('\n')
		if err == io.EOF {
			return answer{}, false
		}
		if err != nil {
			l.t.Fatalf("stream: %v after %v", err, l.states)
		}
		data, found := strings.CutPrefix(line, "data: ")
		if !found {
			continue
		}
		a = answer{t: l.t, raw: data}
		if err := json.Unmarshal([]byte(data), &a.v); err != nil {
			l.t.Fatalf("event %q: %v", data, err)
		}
		l.events = append(l.events, a)
		if k := a.kind(); k == "artifact" || k == "message" {
			l.states = append(l.states, k)
		} else {
			l.states = append(l.states, a.state())
		}
		return a, true
	}
}

// until reads on until the newest entry of states is word.
func (l *live) until(word string) answer {
	l.t.Helper()
	for {
		a, ok := l.next()
		if !ok {
			l.t.Fatalf("stream ended before %q: %v", word, l.states)
		}
		if l.states[len(l.states)-1] == word {
			return a
		}
	}
}

// rest reads to the end and returns everything that came, without repeats.
func (l *live) rest() string {
	l.t.Helper()
	for {
		if _, ok := l.next(); !ok {
			return l.story()
		}
	}
}

func (l *live) story() string {
	var out []string
	for _, s := range l.states {
		if len(out) == 0 || out[len(out)-1] != s {
			out = append(out, s)
		}
	}
	return strings.Join(out, " ")
}

// eventually asks again until ok.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for !ok() {
		if time.Now().After(deadline) {
			t.Fatalf("never: %s", what)
		}
		time.Sleep(testPace)
	}
}

func want[T comparable](t *testing.T, what string, got, wanted T) {
	t.Helper()
	if got != wanted {
		t.Fatalf("%s: got %v, want %v", what, got, wanted)
	}
}
