package demopeer

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"time"
)

// state is a task's state in the spelling of A2A 0.3; wire10.go has the other.
type state string

const (
	submitted     state = "submitted"
	working       state = "working"
	inputRequired state = "input-required"
	completed     state = "completed"
	failed        state = "failed"
	canceled      state = "canceled"
)

// terminal says that nothing may happen to the task any more.
func (s state) terminal() bool { return s == completed || s == failed || s == canceled }

// settled says that the agent has done what it can: a blocking call returns
// and a stream ends here.
func (s state) settled() bool { return s.terminal() || s == inputRequired }

// part is one piece of content. Exactly one of text, data, raw and url counts,
// as kind says.
type part struct {
	kind      string // "text", "data", "raw" or "url"
	text      string // the text, the base64 of raw bytes, or the URL
	data      json.RawMessage
	mediaType string
	filename  string
	extra     string // more members of a text, as JSON with a leading comma: only liars have any
}

func textPart(s string) part { return part{kind: "text", text: s} }

type message struct {
	id        string
	agent     bool // spoken by us, not by the user
	taskID    string
	contextID string
	parts     []part
	size      int // bytes of the request that brought it
}

// text is what a person would read in the message.
func (m message) text() string {
	out := ""
	for _, p := range m.parts {
		switch p.kind {
		case "text":
			out += p.text
		case "data":
			out += string(p.data)
		default:
			out += "file " + p.filename + " (" + p.mediaType + ")"
		}
	}
	return out
}

type status struct {
	state state
	says  *message
	at    time.Time
}

type artifact struct {
	id, name string
	parts    []part
}

// chunk is a piece of an artifact as it goes out: the first one makes the
// artifact, later ones append to it.
type chunk struct {
	artifact
	appends, last bool
}

// view is a copy of a task as somebody sees it. Liars change copies, so that
// the truth stays in the table.
type view struct {
	id, contextID string
	status        status
	history       []message
	artifacts     []artifact
	emptyHistory  bool // writes "history":[] where an honest peer leaves it out
}

// event is one thing that happened to a task. Exactly one pointer is set.
type event struct {
	taskID, contextID string
	whole             *view
	status            *status
	chunk             *chunk
}

// settles says whether an honest stream ends after this event.
func (e event) settles() bool { return e.status != nil && e.status.state.settled() }

// newID returns a random (version 4) UUID.
func newID() string {
	var b [16]byte
	rand.Read(b[:]) // never fails since Go 1.24
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// fault is an error answer.
type fault struct {
	code   int
	reason string // A2A 1.0 names it in the error's details
	text   string
}

func faultf(code int, reason, format string, args ...any) *fault {
	return &fault{code: code, reason: reason, text: fmt.Sprintf(format, args...)}
}

func notFound(id string) *fault {
	return faultf(-32001, "TASK_NOT_FOUND", "Task not found: %.100s", id)
}

func notCancelable(t *task) *fault {
	return faultf(-32002, "TASK_NOT_CANCELABLE", "Task %s is %s and cannot be canceled", t.id, t.status.state)
}

func invalidParams(format string, args ...any) *fault {
	return faultf(-32602, "", "Invalid parameters: "+format, args...)
}

func unsupported(format string, args ...any) *fault {
	return faultf(-32004, "UNSUPPORTED_OPERATION", format, args...)
}
