package session

import (
	"time"

	"a2ascope/session/a2a"
)

// Opened is the body of an opened record: a session begins, or is continued.
type Opened struct {
	Session   string `json:"session"`
	Tool      string `json:"tool"`  // version of a2ascope
	Typed     string `json:"typed"` // the peer's address as the operator typed it
	URL       string `json:"url"`   // the address that requests start from (typed, or an embedded peer's)
	Policy    Policy `json:"policy"`
	Continued bool   `json:"continued,omitempty"`
	// Origin tells sessions whose verdicts never feed trust: "demo",
	// "imported", "replayed"; empty for a session with a peer in the field.
	Origin string `json:"origin,omitempty"`
	// Follows names the session and the logical task that a redispatch to
	// this peer continues; Correlation is then that task's.
	Follows     string `json:"follows,omitempty"`
	FollowsTask int    `json:"followsTask,omitempty"`
	Correlation string `json:"correlation,omitempty"`
	// AllowOrigins are origins beside the typed one that may see credentials.
	AllowOrigins []string `json:"allowOrigins,omitempty"`
}

// Commanded is the body of a command record.
type Commanded struct {
	Line string `json:"line"` // as given; a $NAME stays a $NAME
	By   string `json:"by"`   // "operator", "script", "console" or ByProbe
	// Correlation is the id minted for the logical task that the command may
	// begin.
	Correlation string `json:"correlation,omitempty"`
	// Receiver is where our receiver for push notifications listens, as the
	// peer is told; set on "push on". Its last path segment is a known secret.
	Receiver string `json:"receiver,omitempty"`
	// Error is set when the command could not be carried out at all (a file
	// that cannot be read, an unset variable): it then changed nothing.
	Error string `json:"error,omitempty"`
}

// CardRead is the body of a card record; its raw bytes are the card's, after
// content decoding.
type CardRead struct {
	URL      string   `json:"url"`      // where it was read
	Response uint64   `json:"response"` // the record that brought it
	SHA256   string   `json:"sha256"`   // of the raw bytes
	Extended bool     `json:"extended,omitempty"`
	ETag     string   `json:"etag,omitempty"`
	Asked    string   `json:"asked,omitempty"`  // generation and credentials that the request spoke
	MaxAge   Duration `json:"maxAge,omitempty"` // from Cache-Control; 0 when it gave none
	// Signatures is what became of each of the card's signatures.
	Signatures []SignatureFact `json:"signatures,omitempty"`
	Cause      uint64          `json:"cause"`
}

// SignatureFact is what became of one signature of a card.
type SignatureFact struct {
	Alg    string `json:"alg,omitempty"`
	KeyID  string `json:"keyId,omitempty"`
	KeyURL string `json:"keyUrl,omitempty"` // jku: where the card says the key is; nothing is fetched from there
	Result string `json:"result"`           // one of the Sig constants
	Form   string `json:"form,omitempty"`   // of the card that it verified over
	Detail string `json:"detail,omitempty"` // why, in a few words
}

// Results of a SignatureFact.
const (
	SigVerified   = "verified"
	SigInvalid    = "invalid"     // we hold its key, and it does not verify
	SigNoKey      = "no-key"      // we hold no key that it could be checked with
	SigUnknown    = "unknown-alg" // we do not check this algorithm, or must not
	SigUnreadable = "unreadable"
)

// Carried is the body of a trust record: what the archive says of this peer
// and card version. The fold takes trust from earlier sessions from nowhere
// else.
type Carried struct {
	Peer          string            `json:"peer"`
	CardVersion   string            `json:"cardVersion"`
	Demoted       []CarriedDecision `json:"demoted,omitempty"` // active ones, oldest first
	Profile       Profile           `json:"profile"`
	Prompts       map[string]string `json:"prompts,omitempty"`     // state → text that reaches it
	Endpoint      string            `json:"endpoint,omitempty"`    // the operator's override
	Credentials   []string          `json:"credentials,omitempty"` // commands that gave them, by reference only
	PushReachable bool              `json:"pushReachable,omitempty"`
	Known         bool              `json:"known,omitempty"` // this peer was met before
	Candidates    []Candidate       `json:"candidates,omitempty"`
	Cause         uint64            `json:"cause"`
}

// CarriedDecision is a decision of an earlier session that still holds.
type CarriedDecision struct {
	Session string    `json:"session"`
	ID      int       `json:"id"`
	Claim   Claim     `json:"claim"`
	By      string    `json:"by"`
	At      time.Time `json:"at"`
	Reason  string    `json:"reason"`
	Until   time.Time `json:"until,omitzero"`
}

// Candidate is a known peer that a task could be redispatched to, with the
// states that it was seen to reach.
type Candidate struct {
	URL            string   `json:"url"`
	Name           string   `json:"name"`
	VerifiedStates []string `json:"verifiedStates"`
}

// Requested is the body of a request record; raw is the request as it will be
// sent, head and body.
type Requested struct {
	Op         a2a.Operation  `json:"op"`
	Gen        a2a.Generation `json:"gen,omitempty"`
	Binding    a2a.Binding    `json:"binding,omitempty"`
	HTTPMethod string         `json:"httpMethod,omitempty"`
	URL        string         `json:"url"`
	RPCMethod  string         `json:"rpcMethod,omitempty"`
	RPCID      int64          `json:"rpcId,omitempty"`
	MessageID  string         `json:"messageId,omitempty"`
	TaskID     string         `json:"taskId,omitempty"`     // the server's task that it is about
	ContextID  string         `json:"contextId,omitempty"`  // sent with it
	Obligation int            `json:"obligation"`           // what it carries out; 0 for a read of the task's reader
	Command    int            `json:"command,omitempty"`    // that it serves
	Purpose    string         `json:"purpose,omitempty"`    // of the obligation
	Reader     bool           `json:"reader,omitempty"`     // it is a read of the task's reader
	Rung       int            `json:"rung,omitempty"`       // of the ladder; 0 is the first try
	Hop        int            `json:"hop,omitempty"`        // of a chain of redirects
	Head       int            `json:"head"`                 // length of the head in raw
	HistoryLen int            `json:"historyLen,omitempty"` // of a get: historyLength asked for, 0 for none
	Blocking   bool           `json:"blocking,omitempty"`   // of a message: the answer was asked to wait for the end
	Receiver   bool           `json:"receiver,omitempty"`   // it gives the peer our receiver's address
	// ProtoJSON is a gRPC call's message as JSON; raw holds its own bytes.
	ProtoJSON []byte `json:"protoJson,omitempty"`
	// Parts are the modes of the message's parts, in order.
	Parts []string `json:"parts,omitempty"`
	// Withheld says which credentials were left out because the origin is not
	// the one that the operator typed; empty when nothing was.
	Withheld string `json:"withheld,omitempty"`
	// Authenticated names the credentials that go with it ("bearer $TOKEN").
	Authenticated string `json:"authenticated,omitempty"`
	Cause         uint64 `json:"cause"`
}

// Content is the JSON of a request's body, of which raw is head and body; nil
// when there is none.
func (b *Requested) Content(raw []byte) []byte {
	switch {
	case len(b.ProtoJSON) > 0:
		return b.ProtoJSON
	case b.Head < 0 || b.Head > len(raw):
		return nil
	}
	return raw[b.Head:]
}

// Timing is when the steps of an exchange were over, from its start. A step
// that did not take place is 0.
type Timing struct {
	DNS       Duration `json:"dns,omitempty"`
	Connect   Duration `json:"connect,omitempty"`
	TLS       Duration `json:"tls,omitempty"`
	Wrote     Duration `json:"wrote,omitempty"`
	FirstByte Duration `json:"firstByte,omitempty"`
	Done      Duration `json:"done,omitempty"`
	Reused    bool     `json:"reused,omitempty"`
	Remote    string   `json:"remote,omitempty"`
}

// Responded is the body of a response record; raw is head and body as they
// came. A stream's response is its head alone.
type Responded struct {
	Status      int    `json:"status"` // of a gRPC answer: the HTTP status that stands for its own
	ContentType string `json:"contentType,omitempty"`
	Encoding    string `json:"encoding,omitempty"` // Content-Encoding; the fold decodes it
	Head        int    `json:"head"`
	Stream      bool   `json:"stream,omitempty"`    // frames follow
	Truncated   bool   `json:"truncated,omitempty"` // the body was longer than the cap
	Cut         string `json:"cut,omitempty"`       // the body broke off: why
	RetryAfter  string `json:"retryAfter,omitempty"`
	Location    string `json:"location,omitempty"`
	Challenge   string `json:"challenge,omitempty"` // WWW-Authenticate
	Held        bool   `json:"held,omitempty"`
	// ProtoJSON is the answer of a gRPC exchange as JSON; raw holds the
	// message's own bytes.
	ProtoJSON []byte `json:"protoJson,omitempty"`
	// Odd says which values of the message JSON has no form for, and what
	// stands there instead.
	Odd    []string `json:"odd,omitempty"`
	Timing Timing   `json:"timing"`
}

// Framed is the body of a frame record; raw is the frame as it came.
type Framed struct {
	N     int    `json:"n"`    // ordinal on its stream, from 1
	Off   int64  `json:"off"`  // offset in the stream's body
	Kind  string `json:"kind"` // event, comment, no-data, blank, tail, part, document; gRPC: message, trailer
	Type  string `json:"type,omitempty"`
	ID    string `json:"id,omitempty"`
	Flags string `json:"flags,omitempty"` // what the fix-up met, joined by ", "
	Held  bool   `json:"held,omitempty"`
	// Lead is how long before the record's time the frame's first byte was
	// read.
	Lead      Duration `json:"lead,omitempty"`
	ProtoJSON []byte   `json:"protoJson,omitempty"`
	Odd       []string `json:"odd,omitempty"` // as in Responded
}

// Ways in which a stream ends.
const (
	ClosedClean     = "clean"     // the peer ended it in order
	ClosedCut       = "cut"       // the body broke off
	ClosedDetached  = "detached"  // we dropped the connection, on a command
	ClosedOversize  = "oversize"  // we gave up on it
	ClosedStopped   = "stopped"   // the console was stopped
	ClosedFull      = "full"      // we dropped it: the session's log has reached its limit
	ClosedContinued = "continued" // it was open when an earlier run of the session died
)

// Closed is the body of a closed record.
type Closed struct {
	How    string `json:"how"`
	Error  string `json:"error,omitempty"`
	Frames int    `json:"frames"`
	Bytes  int64  `json:"bytes"`
	Held   bool   `json:"held,omitempty"`
	// Skipped counts the bytes of oversize events that were not kept.
	Skipped int64 `json:"skipped,omitempty"`
}

// Pushed is the body of a push record; raw is the delivery's request.
type Pushed struct {
	Path        string `json:"path"`
	ContentType string `json:"contentType,omitempty"`
	Encoding    string `json:"encoding,omitempty"` // Content-Encoding; the fold decodes it
	Head        int    `json:"head"`
	Remote      string `json:"remote,omitempty"`
	TokenOK     bool   `json:"tokenOk"`
	Untokened   bool   `json:"untokened,omitempty"`  // a delivery to our path, without our token
	Validation  bool   `json:"validation,omitempty"` // no delivery: a GET that proves our address
	Answered    int    `json:"answered"`             // the status that we gave
	Truncated   bool   `json:"truncated,omitempty"`  // the body was longer than the cap, or broke off
	// Skipped counts requests before this one that came too fast, or beyond
	// the bound on all: they were answered with 429 and not recorded.
	Skipped int `json:"skipped,omitempty"`
}

// Faulted is the body of a fault record: no answer of the peer's software.
type Faulted struct {
	Phase   string `json:"phase"` // prepare, dns, connect, tls, write, first-byte, head, body
	Error   string `json:"error"`
	Timeout bool   `json:"timeout,omitempty"`
	// Unsent is set when not one byte of the request left: it cannot have been
	// taken.
	Unsent bool   `json:"unsent,omitempty"`
	Timing Timing `json:"timing"`
}

// Ticked is the body of a timer record.
type Ticked struct {
	ID string `json:"id"` // of the deadline, or TimerStall or TimerJump
	// Late is how much later than due the loop came to it.
	Late Duration `json:"late,omitempty"`
}

// Timer ids that name no deadline: both end an epoch.
const (
	TimerStall = "stall" // our own loop was not running
	TimerJump  = "jump"  // wall and monotonic clock went apart
	TimerFull  = "full"  // the log has reached its limit; no epoch ends
)

// Finding is the body of a finding record.
type Finding struct {
	Rule     string   `json:"rule"`
	Claim    Claim    `json:"claim"`
	Severity Severity `json:"severity"`
	Title    string   `json:"title"`
	Detail   string   `json:"detail,omitempty"` // what was seen, in one sentence
	Advice   string   `json:"advice"`
	Source   string   `json:"source"`
	Evidence []uint64 `json:"evidence"` // at most 20, in order
	Count    int      `json:"count"`    // more than 1 in a restatement
	Restates uint64   `json:"restates,omitempty"`
	Cause    uint64   `json:"cause"`
}

// Observed is the body of an observed record.
type Observed struct {
	Rule     string   `json:"rule"`
	Claim    Claim    `json:"claim"`
	Verdict  Verdict  `json:"verdict"` // honoured, under-declared or inconclusive
	Detail   string   `json:"detail,omitempty"`
	Evidence []uint64 `json:"evidence"`
	Cause    uint64   `json:"cause"`
}

// Decision is the body of a decision record.
type Decision struct {
	ID         int       `json:"id"` // from 1, in the session
	Action     Action    `json:"action"`
	Claim      Claim     `json:"claim,omitempty"`
	By         string    `json:"by"` // "rule" or "operator"
	Reason     string    `json:"reason"`
	Until      time.Time `json:"until,omitzero"` // of a demotion
	Supersedes int       `json:"supersedes,omitempty"`
	Mode       string    `json:"mode,omitempty"`  // refused input mode that it keeps
	Offer      bool      `json:"offer,omitempty"` // it waits for the operator's word
	To         string    `json:"to,omitempty"`    // redispatch: the other peer's URL
	Evidence   []uint64  `json:"evidence"`
	Cause      uint64    `json:"cause"`
}

// Noted is the body of a note record.
type Noted struct {
	Text string `json:"text"`
	Mark bool   `json:"mark,omitempty"`
	// Ends is the command that this is the outcome of: one that the console
	// carries out beside the wire (probe, export). 0 for none.
	Ends int `json:"ends,omitempty"`
	// Failed says that the command which it ends could not be carried out.
	Failed bool `json:"failed,omitempty"`
}

// Ended is the body of an ended record.
type Ended struct {
	Reason string `json:"reason"` // "done", "quit", "signal", "error"
	Error  string `json:"error,omitempty"`
}

// Profile is what was learnt of a peer's life cycle that no card declares
// (field note 002), per peer and card version. Empty means unknown.
type Profile struct {
	Resubscribe           string   `json:"resubscribe,omitempty"`           // resumes, replays, not-found
	ResubscribeAfterInput string   `json:"resubscribeAfterInput,omitempty"` // the same, at input-required
	Resume                string   `json:"resume,omitempty"`                // same-task, new-task, not-found
	CancelWorking         string   `json:"cancelWorking,omitempty"`         // honoured, ignored, refused
	CancelInputRequired   string   `json:"cancelInputRequired,omitempty"`
	Durable               string   `json:"durable,omitempty"` // yes, no
	VerifiedStates        []string `json:"verifiedStates,omitempty"`
	VerifiedOutputModes   []string `json:"verifiedOutputModes,omitempty"`
	AcceptedInputModes    []string `json:"acceptedInputModes,omitempty"`
	RefusedInputModes     []string `json:"refusedInputModes,omitempty"`
}
