// Package a2a is the neutral model of the Agent2Agent protocol, and the
// tolerant decoding and exact encoding of every generation of its wire. It is
// pure: bytes in, values out.
//
// Values are decoded by shape and never by label: a peer that is asked in one
// generation and answers in another is understood, and what had to be
// tolerated is returned beside the value as Anomalies. Null is absent, unknown
// members are kept in the record's raw bytes, and an unknown state is never
// terminal.
package a2a

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// Generation is the wire dialect, as Major.Minor. The zero value means that
// none was declared or seen.
type Generation string

// The generations that the console speaks.
const (
	Gen01 Generation = "0.1" // tasks/send
	Gen02 Generation = "0.2" // message/send, kind
	Gen03 Generation = "0.3" // message/send, kind, agent-card.json
	Gen10 Generation = "1.0" // SendMessage, TASK_STATE_*
)

// Binding is the protocol binding of an interface, spelled as the
// specification spells it.
type Binding string

// The bindings of the specification.
const (
	JSONRPC Binding = "JSONRPC"
	REST    Binding = "HTTP+JSON"
	GRPC    Binding = "GRPC"
)

// State is a task state in lower case with hyphens, whatever the generation
// ("input-required"). A state that is not one of the constants is kept as the
// peer spelled it, lower-cased; it is never terminal.
type State string

// The task states of the specification.
const (
	Unspecified   State = "unspecified"
	Submitted     State = "submitted"
	Working       State = "working"
	InputRequired State = "input-required"
	AuthRequired  State = "auth-required"
	Completed     State = "completed"
	Failed        State = "failed"
	Canceled      State = "canceled"
	Rejected      State = "rejected"
)

// Terminal reports whether a task in this state is over.
func (s State) Terminal() bool {
	return s == Completed || s == Failed || s == Canceled || s == Rejected
}

// Interrupted reports whether a task in this state waits for the client.
func (s State) Interrupted() bool { return s == InputRequired || s == AuthRequired }

// Role is who wrote a message: "user", "agent", or what the peer said.
type Role string

// The roles of the specification.
const (
	User  Role = "user"
	Agent Role = "agent"
)

// PartKind says which content a part carries.
type PartKind string

// The kinds of part. A file by value is PartBytes, by reference PartURL.
const (
	PartText  PartKind = "text"
	PartData  PartKind = "data"
	PartBytes PartKind = "bytes"
	PartURL   PartKind = "url"
)

// Part is one piece of content of a message or an artifact.
type Part struct {
	Kind      PartKind       `json:"kind"`
	Text      string         `json:"text,omitempty"`
	Data      jsontext.Value `json:"data,omitempty"`
	Bytes     []byte         `json:"bytes,omitempty"`
	URL       string         `json:"url,omitempty"`
	MediaType string         `json:"mediaType,omitempty"` // as the part names it; empty when it names none
	Filename  string         `json:"filename,omitempty"`
}

// Message is one turn of the conversation.
type Message struct {
	ID        string `json:"id"` // empty when the peer gave none
	TaskID    string `json:"taskId,omitempty"`
	ContextID string `json:"contextId,omitempty"`
	Role      Role   `json:"role"`
	Parts     []Part `json:"parts"`
}

// Artifact is an output of a task.
type Artifact struct {
	ID    string `json:"id"` // artifactId; in 0.1 the index as text
	Name  string `json:"name,omitempty"`
	Parts []Part `json:"parts"`
}

// Status is what a task says of itself at one moment.
type Status struct {
	State     State     `json:"state"`
	RawState  string    `json:"rawState,omitempty"` // the peer's own spelling
	Message   *Message  `json:"message,omitempty"`
	Timestamp time.Time `json:"timestamp,omitzero"` // zero when absent or unreadable
}

// Task is a whole task, as an answer or a snapshot on a stream.
type Task struct {
	ID        string     `json:"id"`
	ContextID string     `json:"contextId,omitempty"`
	Status    Status     `json:"status"`
	Artifacts []Artifact `json:"artifacts,omitempty"`
	History   []Message  `json:"history,omitempty"`
	// PollHint is the cadence that the peer asks pollers to keep
	// (poll_hint_seconds, pollIntervalMs in the metadata); 0 when it gives none.
	PollHint time.Duration `json:"pollHint,omitempty"`
}

// StatusUpdate is a change of status on a stream.
type StatusUpdate struct {
	TaskID    string        `json:"taskId"`
	ContextID string        `json:"contextId,omitempty"`
	Status    Status        `json:"status"`
	Final     *bool         `json:"final,omitempty"` // nil when the event carries none (1.0)
	PollHint  time.Duration `json:"pollHint,omitempty"`
}

// ArtifactUpdate is a chunk of an artifact on a stream.
type ArtifactUpdate struct {
	TaskID    string   `json:"taskId"`
	ContextID string   `json:"contextId,omitempty"`
	Artifact  Artifact `json:"artifact"`
	Append    bool     `json:"append,omitempty"`
	LastChunk bool     `json:"lastChunk,omitempty"`
}

// TaskList is one page of a list answer.
type TaskList struct {
	Tasks         []Task `json:"tasks"`
	NextPageToken string `json:"nextPageToken,omitempty"`
	TotalSize     int    `json:"totalSize,omitempty"`
}

// PushConfig is a webhook registration.
type PushConfig struct {
	ID          string   `json:"id,omitempty"`
	TaskID      string   `json:"taskId,omitempty"`
	URL         string   `json:"url"`
	Token       string   `json:"token,omitempty"`
	AuthSchemes []string `json:"authSchemes,omitempty"`
	Credentials string   `json:"credentials,omitempty"`
}

// ErrorName is the generation-independent name of an error. It is the
// ErrorInfo reason of 1.0, in its spelling; errors that have none there are
// named here.
type ErrorName string

// The errors that the console tells apart.
const (
	ErrTaskNotFound            ErrorName = "TASK_NOT_FOUND"                     // -32001
	ErrTaskNotCancelable       ErrorName = "TASK_NOT_CANCELABLE"                // -32002
	ErrPushNotSupported        ErrorName = "PUSH_NOTIFICATION_NOT_SUPPORTED"    // -32003
	ErrUnsupportedOperation    ErrorName = "UNSUPPORTED_OPERATION"              // -32004
	ErrContentTypeNotSupported ErrorName = "CONTENT_TYPE_NOT_SUPPORTED"         // -32005
	ErrInvalidAgentResponse    ErrorName = "INVALID_AGENT_RESPONSE"             // -32006
	ErrExtendedCardMissing     ErrorName = "EXTENDED_AGENT_CARD_NOT_CONFIGURED" // -32007
	ErrExtensionRequired       ErrorName = "EXTENSION_SUPPORT_REQUIRED"         // -32008
	ErrVersionNotSupported     ErrorName = "VERSION_NOT_SUPPORTED"              // -32009
	ErrParse                   ErrorName = "PARSE_ERROR"                        // -32700
	ErrInvalidRequest          ErrorName = "INVALID_REQUEST"                    // -32600
	ErrMethodNotFound          ErrorName = "METHOD_NOT_FOUND"                   // -32601, gRPC UNIMPLEMENTED
	ErrInvalidParams           ErrorName = "INVALID_PARAMS"                     // -32602
	ErrInternal                ErrorName = "INTERNAL"                           // -32603
	ErrUnauthenticated         ErrorName = "UNAUTHENTICATED"                    // 401
	ErrPermissionDenied        ErrorName = "PERMISSION_DENIED"                  // 403
	ErrOther                   ErrorName = "OTHER"                              // anything else
)

// Error is an error that the peer's software answered with. A transport fault
// is no Error.
type Error struct {
	Name    ErrorName      `json:"name"`
	Code    int            `json:"code"`             // JSON-RPC code, or the HTTP status where only that was given
	Reason  string         `json:"reason,omitempty"` // ErrorInfo's reason, as sent
	Message string         `json:"message,omitempty"`
	Data    jsontext.Value `json:"data,omitempty"`
	// A2A reports that the body was an A2A or JSON-RPC error, and not just an
	// HTTP status with a page: only the former proves that the peer's agent
	// spoke.
	A2A bool `json:"a2a"`
}

// Anomaly is something that was tolerated in decoding.
type Anomaly struct {
	Code   string `json:"code"` // kebab-case, as in docs/rules.md: "json-duplicate-key"
	Detail string `json:"detail"`
	// Lossy is set when content was lost or is ambiguous; only that can
	// contradict wire-format.
	Lossy bool `json:"lossy,omitempty"`
}

// Ours reports whether the anomaly says where our own limits ended. Neither
// JSON (RFC 8259 §9 leaves them to the reader) nor A2A has one of nesting or of
// number, so it is nothing to hold against a peer.
func (a Anomaly) Ours() bool {
	return a.Code == "json-too-large" || a.Code == "json-too-deep" || a.Code == "list-cut"
}

// Payload is what one body or one stream event holds. At most one of the
// pointers from Task to Card is set; none is set for a null or empty result.
type Payload struct {
	Task     *Task
	Message  *Message
	Status   *StatusUpdate
	Artifact *ArtifactUpdate
	List     *TaskList
	Push     []PushConfig // with Kind == KindPush
	Error    *Error
	Card     *Card

	Kind      PayloadKind
	Gen       Generation // of the shape: Gen10 or Gen03; empty when the shape does not tell
	RPCID     string     // the envelope's id as raw JSON; empty without an envelope
	Envelope  bool       // a JSON-RPC envelope was there
	Anomalies []Anomaly
}

// PayloadKind says which member of a Payload is set.
type PayloadKind string

// The kinds of payload. KindUnknown is JSON that is none of the others,
// KindNone is an empty or null result, KindUnreadable is no JSON.
const (
	KindTask       PayloadKind = "task"
	KindMessage    PayloadKind = "message"
	KindStatus     PayloadKind = "status"
	KindArtifact   PayloadKind = "artifact"
	KindList       PayloadKind = "list"
	KindPush       PayloadKind = "push"
	KindError      PayloadKind = "error"
	KindCard       PayloadKind = "card"
	KindNone       PayloadKind = "none"
	KindUnknown    PayloadKind = "unknown"
	KindUnreadable PayloadKind = "unreadable"
)
