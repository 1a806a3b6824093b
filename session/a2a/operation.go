package a2a

import "github.com/go-json-experiment/json/jsontext"

// Operation is what is asked of a peer, whatever the generation calls it.
type Operation string

// The operations. OpCard is the GET of a public card, OpRaw is the operator's
// own method and body, OpToken goes to no peer.
const (
	OpCard         Operation = "card"
	OpSend         Operation = "send"
	OpStream       Operation = "stream"
	OpGet          Operation = "get"
	OpList         Operation = "list"
	OpCancel       Operation = "cancel"
	OpSubscribe    Operation = "subscribe"
	OpPushSet      Operation = "push-set"
	OpPushGet      Operation = "push-get"
	OpPushList     Operation = "push-list"
	OpPushDelete   Operation = "push-delete"
	OpExtendedCard Operation = "extended-card"
	OpRaw          Operation = "raw"
	OpToken        Operation = "token" // a call to an authorization server
)

// Streams reports whether the answer is meant to be an event stream.
func (o Operation) Streams() bool { return o == OpStream || o == OpSubscribe }

// Params are the arguments of an operation; each uses those that it needs.
type Params struct {
	Message       *Message
	Blocking      *bool    // send and stream; nil leaves it out
	AcceptedModes []string // output media types that the caller accepts
	HistoryLength *int
	TaskID        string
	ContextID     string // list
	State         State  // list
	PageSize      int    // list
	PageToken     string // list
	Push          *PushConfig
	PushID        string
	Tenant        string
	Form          Form
	Method        string         // OpRaw: an RPC method, or "POST /path"; else another name for the RPC method, empty for its own
	Body          jsontext.Value // OpRaw: params (JSON-RPC) or body (REST)
	Broken        bool           // OpRaw: the document on the wire lacks its last byte, and is no JSON
}

// Request is one encoded request, before the endpoint's URL, credentials and
// the transport's own headers are added.
type Request struct {
	HTTPMethod string
	Path       string      // appended to the endpoint's URL; empty for JSON-RPC
	Query      string      // encoded, without "?"
	Header     [][2]string // in order: Content-Type, Accept, A2A-Version, as the generation wants them
	Body       []byte      // nil for none
	RPCMethod  string      // what the method is called on this wire, for people
}

// MediaA2A is the media type that 1.0 registered for HTTP+JSON.
const MediaA2A = "application/a2a+json"

// Form is how a call over HTTP+JSON departs from the usual form of its
// generation, for servers that want it otherwise. The zero value is the usual
// one.
type Form struct {
	OtherPrefix  bool   // 0.3 without /v1 in front of its paths, 1.0 with it
	RPCStyle     bool   // 0.3: messages as they are over JSON-RPC
	Get          bool   // subscribe by GET
	TenantInside bool   // the tenant in body or query alone, and not in the path
	Media        string // of the body; empty for application/json
	NoBody       bool   // no body where it would be empty
}
