package session

import (
	"time"

	"a2ascope/session/a2a"
)

// Exchange is one request and its answer.
type Exchange struct {
	N          int
	Op         a2a.Operation
	Gen        a2a.Generation
	Binding    a2a.Binding
	URL        string
	Task       int // logical
	Attempt    int // of that task, from 1
	Obligation int
	Reader     bool // it is a read of the task's reader
	Command    int  // that asked for it; 0 for none
	Meant      int  // command whose message it carries, however often that went out; 0 for none
	Request    uint64
	Sent       time.Duration
	Epoch      int
	MessageID  string
	ServerTask string // that the request named
	RPCID      int64
	Rung       int
	Hop        int       // of a chain of redirects
	On         Interface // that it went to
	Get        bool      // by GET
	Parts      []string  // modes of the message's parts
	Asked      a2a.State // last word of the attempt when it was sent
	HistoryLen int       // historyLength asked for; 0 for none
	Receiver   bool      // it gave the peer our receiver's address
	Blocking   bool
	With       string // credentials that went with it, for people; empty for none
	Withheld   bool   // credentials were left out: the origin is foreign
	Challenge  string // WWW-Authenticate of the answer

	Answer   uint64 // the response or fault record; 0 while none
	Answered time.Duration
	Status   int
	Over     bool
	OverSeq  uint64
	Fault    string // what went wrong in transport; empty when nothing did
	InDoubt  bool   // a crash lies between the request and its answer
	Error    *a2a.Error
	Kind     a2a.PayloadKind // of the answer
	Detach   bool            // the operator asked to drop it
	Full     bool            // it is dropped because of the log's limit
	Quiet    bool            // a subscription that had no answer within the window; it stays open
	Stream   *Stream         // set once the answer turned out to be a stream
	Against  []Claim         // claims that it contradicted
	Turn     *Turn           // set for sends and streams
	Purpose  string          // of its obligation
	Compared *Compared       // set for a call through another interface than the one in use
}

// Turn is what was known of the task when a message was sent.
type Turn struct {
	N     int
	Known map[string]string // artifact id → digest
	Whole bool              // Known is all that there was
}

// Stream is what happened on one event stream.
type Stream struct {
	Frames    int
	Bytes     int64
	Events    int // frames that decoded into something
	FirstAt   time.Duration
	LastAt    time.Duration
	LastHeld  bool
	Last      a2a.State // last state seen on it that was news
	Said      a2a.State // last state on it, whether seen before or not
	Artifacts int       // artifact events, and snapshots with artifacts
	Statuses  int
	Message   bool
	Errors    int
	Unread    int    // events that could not be decoded, or not understood
	Tail      uint64 // an event that no blank line followed when the body ended; 0 for none

	Terminal       *Seen  // its own first terminal state
	Final          uint64 // record with final:true
	AfterTerminal  int
	AfterEvidence  []uint64
	AfterCancel    int // later than the race margin after a cancel's answer
	CancelEvidence []uint64

	Joined   bool // a subscription, or a message to a task that was under way
	Matching bool // events are still matched against what was seen
	Pos      int
	Replayed int
	News     bool // something that had not been seen before

	Silent         bool // the window passed without an event
	Idle           bool // silent for --idle-poll
	CloseDue       bool // the close window passed and it was still open
	Beside         int  // reads beside it, after the window, that showed what it did not bring
	BesideEvidence []uint64

	Epoch    int  // of its last event
	Catching bool // what comes may have waited for us since before this epoch

	Burst         int // dated events within 50 ms of the first of the burst
	BurstAll      int // undated ones too
	BurstAt       time.Duration
	BurstMin      time.Time
	BurstMax      time.Time
	BurstEvidence []uint64
	Shown         bool // a get had shown the end a second or more before the burst did
	Buffered      bool

	Closed uint64
	How    string
	Held   bool
}

// dead reports whether the window passed with no sign of life at all. A stream
// that brings comments may still bring its event.
func (st *Stream) dead() bool { return st.Silent && st.Frames == 0 }
