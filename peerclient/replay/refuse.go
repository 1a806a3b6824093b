package replay

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"a2ascope/session/a2a"
)

// refuse says that the recording does not hold what was asked for, and what it
// holds.
func (s *Server) refuse(w http.ResponseWriter, a *ask) {
	text := s.missing(a)
	w.Header().Set(HeaderName, "not in the recording of session "+header(s.rec.session))
	info := []any{map[string]any{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "NOT_IN_RECORDING", "domain": "a2ascope"}}
	var answer any
	status := http.StatusOK
	switch {
	case a.rpc:
		id := a.rpcID
		if id == nil {
			id = json.RawMessage("null")
		}
		answer = map[string]any{"jsonrpc": "2.0", "id": id, "error": map[string]any{"code": notInRecording, "message": text, "data": info}}
	case a.op == a2a.OpCard || a.op == a2a.OpRaw:
		http.Error(w, text, http.StatusNotFound)
		return
	default:
		status = http.StatusConflict
		answer = map[string]any{"error": map[string]any{"code": status, "status": "FAILED_PRECONDITION", "message": text, "details": info}}
	}
	b, err := json.Marshal(answer)
	if err != nil { // the id was JSON when it came
		http.Error(w, text, http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(b) // a client that left
}

// notInRecording is the JSON-RPC code of what the recording does not hold: the
// first of those that are a server's own, which A2A gives no meaning.
const notInRecording = -32000

// mostHeld is how many calls an error lists.
const mostHeld = 20

// missing says what the recording holds in place of what was asked for.
func (s *Server) missing(a *ask) string {
	var b strings.Builder
	fmt.Fprintf(&b, "a2ascope replay: the recording of session %s holds no answer to this: %s", clip(s.rec.session), clip(a.people()))
	held := s.rec.held("")
	for i, h := range held {
		if i == 0 {
			b.WriteString(". It holds: ")
		} else {
			b.WriteString("; ")
		}
		if i == mostHeld {
			fmt.Fprintf(&b, "and %d more calls", len(held)-i)
			break
		}
		fmt.Fprintf(&b, "%d × %s", h.Answers, clip(h.Call))
		if n := len(h.Tasks); n > 0 {
			fmt.Fprintf(&b, " (%s)", clip(strings.Join(h.Tasks[:min(n, 3)], ", ")))
		}
	}
	return b.String()
}
