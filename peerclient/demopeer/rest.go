package demopeer

import (
	"fmt"
	"net/http"
	"strings"
)

// restThat serves tasks over HTTP+JSON below /rest: they can be read and
// canceled. show changes what a read shows, and refuse is the error of every
// cancel; nil leaves them honest.
func restThat(show func(v *view), refuse func(t *task) *fault) func(*server, http.ResponseWriter, *http.Request) bool {
	return func(s *server, w http.ResponseWriter, r *http.Request) bool {
		path, ok := strings.CutPrefix(strings.TrimPrefix(strings.TrimPrefix(r.URL.Path, "/rest"), "/v1"), "/tasks/")
		id, cancel := strings.CutSuffix(path, ":cancel")
		if !ok || r.Method != map[bool]string{false: http.MethodGet, true: http.MethodPost}[cancel] {
			return false
		}
		v, f := s.restTask(id, cancel, refuse)
		if f != nil {
			status, body := s.restFault(f)
			respond(w, status, body)
			return true
		}
		if show != nil {
			show(&v)
		}
		respond(w, http.StatusOK, s.wire.task(v))
		return true
	}
}

// restTask is the task that a call reads, or cancels.
func (s *server) restTask(id string, cancel bool, refuse func(t *task) *fault) (view, *fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.tasks[id]
	switch {
	case t == nil:
		return view{}, notFound(id)
	case !cancel:
	case refuse != nil:
		return view{}, refuse(t)
	case t.status.state.terminal() && t.status.state != canceled:
		return view{}, notCancelable(t)
	case t.status.state != canceled:
		t.halt()
		t.move(canceled, "Canceled, as you asked", s.now())
	}
	return t.view(), nil
}

// restFault is an error in HTTP+JSON: in 1.0 with the status of its tables and
// the reason in ErrorInfo, in 0.3, which maps none, as the JSON-RPC error
// itself.
func (s *server) restFault(f *fault) (status int, body string) {
	status = http.StatusBadRequest
	name := "FAILED_PRECONDITION"
	if f.code == -32001 {
		status, name = http.StatusNotFound, "NOT_FOUND"
	}
	if s.wire == (wire03{}) {
		return status, s.wire.fault(f)
	}
	return status, fmt.Sprintf(`{"error":{"code":%d,"status":%q,"message":%s,"details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":%q,"domain":"a2a-protocol.org"}]}}`,
		status, name, quote(f.text), f.reason)
}

// neverDone shows tasks as a replica would that never hears of their end.
func neverDone(v *view) { v.status.state, v.status.says = working, nil }

// neverCanceled is an adapter that took cancel for something that the agent has
// not got.
func neverCanceled(*task) *fault { return unsupported("This agent does not cancel tasks") }
