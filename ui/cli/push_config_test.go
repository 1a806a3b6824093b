package cli_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"a2ascope/session"
)

// webhook is a configuration as an agent was told it.
type webhook struct{ id, url, token, scheme, credentials string }

// hooks keeps the configurations of one task, whatever the wire: the task is
// over at the first read that finds somebody to call.
type hooks struct {
	t      *testing.T
	mu     sync.Mutex
	kept   []webhook
	given  []webhook // every one that was set
	calls  []string
	done   bool
	body   func(state string) string // of a callback
	answer []int                     // statuses that callbacks got
}

// note keeps a call of the peer; ids that are not ours are worth a failure.
func (h *hooks) note(call, task, id string) {
	if task != "T" || id != "a2ascope" && call != "list" {
		h.t.Errorf("%s names the task %q and the configuration %q", call, task, id)
	}
	h.calls = append(h.calls, call)
}

func (h *hooks) set(task string, w webhook) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.note("set", task, w.id)
	h.kept = append(slices.DeleteFunc(h.kept, func(o webhook) bool { return o.id == w.id }), w)
	h.given = append(h.given, w)
}

func (h *hooks) get(task, id string) (webhook, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.note("get", task, id)
	for _, w := range h.kept {
		if w.id == id {
			return w, true
		}
	}
	return webhook{}, false
}

func (h *hooks) list(task string) []webhook {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.note("list", task, "")
	return slices.Clone(h.kept)
}

func (h *hooks) remove(task, id string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.note("delete", task, id)
	h.kept = slices.DeleteFunc(h.kept, func(o webhook) bool { return o.id == id })
}

// state is what the task is in. A read that finds a configuration ends it, and
// tells so to whoever is to be called.
func (h *hooks) state() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.done && len(h.kept) > 0 {
		h.done = true
		for _, w := range h.kept {
			h.call(w)
		}
	}
	if h.done {
		return "completed"
	}
	return "working"
}

func (h *hooks) call(w webhook) {
	req, err := http.NewRequestWithContext(h.t.Context(), http.MethodPost, w.url, strings.NewReader(h.body("completed")))
	if err != nil {
		h.t.Error(err)
		return
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("X-A2A-Notification-Token", w.token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		h.t.Error(err)
		return
	}
	_ = resp.Body.Close()
	h.answer = append(h.answer, resp.StatusCode)
}

// managing is every command of the push family: the operator's own receiver
// first, which is taken away again, and then the console's.
var managing = []string{
	"send hi --immediate", "push set http://127.0.0.1:9/own", "push get", "push list", "push delete", "push list", "push get",
	"push on", "push get", "push list", "get", "wait settled", "push delete", "push list",
}

// TestPushConfigurations: what is set is what can be got and listed, and what
// is deleted is gone, by every binding of every generation that has them.
func TestPushConfigurations(t *testing.T) {
	t.Parallel()
	for _, w := range []struct {
		binding, gen string
		serve        func(*testing.T, *hooks, string) string // returns where the card is
	}{
		{"JSONRPC", "0.2", hooksRPC}, {"JSONRPC", "0.3", hooksRPC}, {"JSONRPC", "1.0", hooksRPC},
		{"HTTP+JSON", "0.3", hooksREST}, {"HTTP+JSON", "1.0", hooksREST},
		{"GRPC", "0.3", hooksGRPC}, {"GRPC", "1.0", hooksGRPC},
	} {
		t.Run(w.binding+" "+w.gen, func(t *testing.T) {
			t.Parallel()
			h := &hooks{t: t}
			h.body = func(state string) string {
				if w.gen == "1.0" {
					return `{"task":` + taskIn(w.gen, true, state) + `}`
				}
				return taskIn(w.gen, false, state)
			}
			b := newBench(t)
			d := document(t, b.session(0, w.serve(t, h, w.gen), "json", managing...).out)
			if d.Peer.Binding != w.binding || d.Peer.Generation != w.gen || d.Faults != 0 {
				t.Errorf("spoken to in %s %s, %d faults", d.Peer.Binding, d.Peer.Generation, d.Faults)
			}
			managed(t, h, &d)
			shown := b.run("history", "show", d.Session).out
			// Twice set, got and listed; a list without any is not worth the words.
			for text, times := range map[string]int{"1 push configuration": 6, "push  task completed": 1} {
				if got := strings.Count(shown, text); got != times {
					t.Errorf("%q is shown %d times, want %d", text, got, times)
				}
			}
			if t.Failed() {
				t.Log(shown)
			}
		})
	}
}

// managed checks what came of the commands at both ends.
func managed(t *testing.T, h *hooks, d *session.Document) {
	t.Helper()
	h.mu.Lock()
	defer h.mu.Unlock()
	if got, want := strings.Join(h.calls, " "), "set get list delete list get set get list delete list"; got != want {
		t.Errorf("it was asked to %s, want %s", got, want)
	}
	if len(h.given) != 2 || h.given[0].url != "http://127.0.0.1:9/own" || len(h.kept) != 0 {
		t.Errorf("it was given %+v and kept %+v", h.given, h.kept)
	}
	for _, g := range h.given {
		if g.token == "" || g.credentials != g.token || g.scheme != "Bearer" {
			t.Errorf("it was given %+v", g)
		}
	}
	if fmt.Sprint(h.answer) != "[200]" {
		t.Errorf("callbacks were answered %v", h.answer)
	}
	if len(d.Tasks) != 1 || d.Tasks[0].State != "completed" || !d.Tasks[0].Settled || d.Tasks[0].Attempts != 1 {
		t.Errorf("tasks %+v", d.Tasks)
	}
	for _, c := range d.Claims {
		push := c.ID == session.PushNotifications || c.ID == session.PushDelivered
		if c.Verdict == session.Contradicted || push && c.Verdict != session.Honoured {
			t.Errorf("%s is %s: %s", c.ID, c.Verdict, c.Observed)
		}
	}
	for _, f := range d.Findings {
		t.Errorf("%s %s: %s", f.Severity, f.Rule, f.Detail)
	}
}
