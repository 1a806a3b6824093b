package session

import (
	"time"

	"a2ascope/session/a2a"
)

// Bounds on what a State holds, whatever a peer sends (DESIGN.md §2). What
// lies beyond them is in the log, and counted.
const (
	maxStates      = 256 // states kept of an attempt
	maxEventKeys   = 256 // event keys kept for matching a replay
	maxEvidence    = 20  // records named by a finding
	maxReads       = 8   // reads kept of an attempt
	maxMessages    = 100 // messages kept of a task
	maxMessageText = 4 << 10
	maxFaults      = 100
	maxAttempts    = 64
)

// State is what a log means up to its last record. It is plain data, changed
// in place by Fold alone, and bounded by the number of tasks, exchanges and
// findings, never of frames.
type State struct {
	Seq      uint64
	Head     Digest // hash of the last record
	Wall     time.Time
	Elapsed  time.Duration
	Started  time.Time
	Size     int64 // of all bodies and wire bytes so far
	LogFull  bool  // the log has reached its limit: we keep no stream open
	Epoch    int   // times of two epochs are never compared
	EpochSeq uint64
	Opened   Opened // the last one; its Policy is the one in force
	Ended    *Ended
	Peer     PeerState

	Tasks   []*Task // Tasks[n-1] is logical task n
	Awake   []int   // numbers of those that may still be read, in order
	Current int     // the current task's number; 0 when there is none

	Exchanges []*Exchange // Exchanges[n-1] is exchange n
	Open      []int       // numbers of those that are not over, in order

	Commands []*CommandState // Commands[n-1] is command n
	Pending  []int           // numbers of those that are not over, in order

	Obligations    []*Obligation // in the order in which they were taken on
	LastObligation int
	Deadlines      []Deadline // by due time, then id

	Findings     []*FindingState
	Observed     []*ObservedState
	Said         Said // of what belongs to no task
	Decisions    []*DecisionState
	LastDecision int // the highest id of one
	Counts       map[Claim]*Counts
	Trust        map[Claim]*TrustState
	Profile      Profile
	Prompts      map[string]string
	Push         PushState

	Streams      int // exchanges that became streams
	StreamEvents int // events on them

	Faults     []FaultSeen
	FaultCount int
	Served     int  // answers and events of the agent that let us in; the card is none
	Denied     int  // 401 and 403, and errors that say the same
	LastFault  bool // the last exchange to end failed in transport
	Marks      []uint64
	Replayed   bool // the peer is a recording that is served
}

// PeerState is what is known of the peer's addresses and card.
type PeerState struct {
	Key          string // of trust and history; empty until a card or endpoint is known
	CardURL      string
	Card         *a2a.Card
	CardSeq      uint64 // the card record
	CardSHA      string
	CardETag     string
	CardAsked    string        // generation and credentials that its request spoke
	Anomalies    []a2a.Anomaly // met in the card
	Undiscovered bool          // every place was tried and none had a card
	CardReads    int
	NotCards     []uint64 // 2xx answers where a card belongs that were none
	Proven       bool     // an answer of the agent itself came from Use

	Declared  Interface // what the card asks for
	Use       Interface // what requests go to
	Pinned    bool      // Use was learnt by the ladder, not declared
	Override  string    // endpoint typed by the operator
	RPC       string    // where a gRPC server answered discovery, as an http address; empty for none
	Wanted    string    // interface typed by the operator: number or binding
	WantedGen a2a.Generation

	Carried      Carried
	CarriedSeq   uint64
	Credentials  []CredentialRef
	ExtendedCard *a2a.Card
	ExtendedSeq  uint64          // its card record
	Signatures   []SignatureFact // of the card
	Certified    bool            // a certificate of ours was shown
	Tokens       []*TokenState
	Spoken       []SpokenAt // what became of calls, by declared interface; in the card's order
}

// Interface is an endpoint with the dialect that is spoken there.
type Interface struct {
	URL     string
	Binding a2a.Binding
	Gen     a2a.Generation
	Tenant  string
	Form    a2a.Form // how HTTP+JSON is spoken there, where it is not the usual way
}

// CredentialRef is how the operator said that the console is let in: the
// command, never the value.
type CredentialRef struct {
	Seq  uint64 // of the command
	Line string
}

// FindingState is a finding and what became of it.
type FindingState struct {
	Finding
	Seq  uint64 // first statement
	Task int
	At   time.Time
	Last uint64 // its last statement
}

// ObservedState is an observation.
type ObservedState struct {
	Observed
	Seq  uint64
	Task int
}

// DecisionState is a decision; Carried ones come from the trust record.
type DecisionState struct {
	Decision
	Seq     uint64
	Task    int
	At      time.Time
	Carried bool
	From    string // session of a carried one
}

// Counts is how often each verdict was reached for a claim.
type Counts struct {
	Honoured, Contradicted, Inconclusive, UnderDeclared int
	Evidence                                            []uint64 // of the strongest verdict, at most 20
	Rules                                               []string // that spoke of it, in order
}

// TrustState is what is acted on for a claim.
type TrustState struct {
	Trust    Trust
	Until    time.Time // of a demotion
	Decision int       // that made it so
	Tasks    []int     // logical tasks of this session that contradicted it
}

// FaultSeen is a transport fault.
type FaultSeen struct {
	Seq  uint64
	What string
}
