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
	Epoch    int // times of two epochs are never compared
	EpochSeq uint64
	Opened   Opened // the last one; its Policy is the one in force
	Ended    *Ended
	Peer     PeerState

	Tasks   []*Task // Tasks[n-1] is logical task n
	Current int     // the current task's number; 0 when there is none

	Exchanges []*Exchange // Exchanges[n-1] is exchange n
	Open      []int       // numbers of those that are not over, in order

	Commands []*CommandState // Commands[n-1] is command n
	Pending  []int           // numbers of those that are not over, in order

	Obligations    []*Obligation // in the order in which they were taken on
	LastObligation int
	Deadlines      []Deadline // by due time, then id

	Findings  []*FindingState
	Observed  []*ObservedState
	Decisions []*DecisionState
	Counts    map[Claim]*Counts
	Trust     map[Claim]*TrustState
	Profile   Profile
	Prompts   map[string]string
	Push      PushState

	Faults     []FaultSeen
	FaultCount int
	Served     int  // calls but the card's that were answered with something other than 401 or 403
	Denied     int  // 401 and 403
	LastFault  bool // the last exchange to end failed in transport
	Marks      []uint64
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
	Wanted    string    // interface typed by the operator: number or binding
	WantedGen a2a.Generation

	Carried      Carried
	CarriedSeq   uint64
	Credentials  []CredentialRef
	ExtendedCard *a2a.Card
}

// Interface is an endpoint with the dialect that is spoken there.
type Interface struct {
	URL     string
	Binding a2a.Binding
	Gen     a2a.Generation
	Tenant  string
}

// CredentialRef is how the operator said that the console is let in: the
// command, never the value.
type CredentialRef struct {
	Seq  uint64 // of the command
	Line string
}

// Task is one unit of work as the operator means it.
type Task struct {
	N            int
	Correlation  string
	Command      uint64 // the command that began it
	Attempts     []*Attempt
	FirstSend    uint64 // request record that carried its first message
	LastSend     uint64
	Answers      []uint64 // request records that answered input-required, at most 20
	Outcome      Outcome
	Reader       *Reader
	FallBack     bool // polled because its stream brought nothing
	Refused      bool // no further step of ours
	Reconcile    bool // a decision asked for reads that find out whether it is lost
	Lost         bool // indeterminate after reconciliation
	FalseFail    bool
	Redispatched bool
	Owed         uint64 // request record of an answer that a new attempt may ask for; 0 for none
	Messages     []MessageSeen
	MessagesMore int
	Turns        int
}

// MessageSeen is one message of a task, for people.
type MessageSeen struct {
	Role string
	Text string
	Seq  uint64
}

// Attempt is one task of the server within a logical task.
type Attempt struct {
	N         int // from 1
	ServerID  string
	ContextID string
	First     uint64 // the request that began it
	Message   bool   // it was answered by a Message: there is no task

	State      a2a.State // the peer's last word; empty when it never said one
	StateSeq   uint64
	StateAt    time.Duration
	StateVia   Via
	Latest     a2a.State // furthest non-terminal state seen, for states-forward
	States     []Seen
	StatesMore int

	Streamed a2a.Assembly // artifacts as streams brought them
	Told     a2a.Assembly // artifacts as the last whole task told them
	ToldSeq  uint64

	Terminal *Seen // the first terminal state that any view showed
	Cancel   *CancelFacts
	Listed   *Seen // as the last list told it
	Orphaned bool  // said to be canceled, and went on

	Reads    []Read // the last ones
	ReadN    int
	Stable   int // equal reads in a row that said a terminal state
	Gone     int // reads in a row that said TaskNotFound
	Failed   int // reads in a row without an answer that tells
	AfterEnd int // reads since the first terminal state
	Settled  bool
	GaveUp   bool // reads could not confirm the end

	Keys     []uint64 // of the events on its streams, for matching a replay
	MovedAt  time.Duration
	PollHint time.Duration
	AskedSeq uint64 // record that said the present input-required
	Push     *PushFacts
}

// Via says through which window a state was seen.
type Via string

// The views of a task.
const (
	ViaStream    Via = "stream"
	ViaSubscribe Via = "subscribe"
	ViaSend      Via = "send"
	ViaGet       Via = "get"
	ViaCancel    Via = "cancel"
	ViaList      Via = "list"
	ViaPush      Via = "push"
)

// Seen is a state, and where and when it was seen.
type Seen struct {
	State    a2a.State
	Seq      uint64
	At       time.Duration
	Via      Via
	Exchange int
	Epoch    int
	Stamp    time.Time // the peer's own timestamp; zero when it gave none
	After    bool      // it came after a terminal state
}

// CancelFacts is what came of the first cancel that was answered.
type CancelFacts struct {
	Exchange int
	Answer   uint64 // the answer's record
	At       time.Duration
	Epoch    int
	Said     a2a.State // the state in the answer
	Before   a2a.State // the last word before it
	Watched  bool      // streams closed, or --cancel-watch is over
}

// Read is the answer to one get.
type Read struct {
	Exchange  int
	Request   uint64
	Answer    uint64
	Sent      time.Duration
	At        time.Duration
	Epoch     int
	Found     bool
	State     a2a.State
	Digest    string
	Artifacts int
	History   int // messages in it
	Asked     int // historyLength that was asked for; -1 for none
	Fresh     bool
}

// Reader is the one thing that reads a task again and again, with the reasons
// for it. It is an obligation.
type Reader struct {
	Reasons  []string // "confirm", "poll", …, sorted
	Next     time.Duration
	Every    time.Duration
	Exchange int // in flight; 0 for none
	Cause    uint64
}

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
	Request    uint64
	Sent       time.Duration
	Epoch      int
	MessageID  string
	ServerTask string // that the request named
	RPCID      int64
	Rung       int
	Parts      []string  // modes of the message's parts
	Asked      a2a.State // last word of the attempt when it was sent
	HistoryLen int       // historyLength asked for; 0 for none
	Receiver   bool      // it gave the peer our receiver's address
	Blocking   bool
	With       string // credentials that went with it, for people; empty for none

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
	Stream   *Stream         // set once the answer turned out to be a stream
	Against  []Claim         // claims that it contradicted
	Turn     *Turn           // set for sends and streams
	Purpose  string          // of its obligation
}

// Turn is what was known of the task when a message was sent.
type Turn struct {
	N     int
	Known map[string]string // artifact id → digest
}

// Stream is what happened on one event stream.
type Stream struct {
	Frames    int
	Bytes     int64
	Events    int // frames that decoded into something
	FirstAt   time.Duration
	LastAt    time.Duration
	LastHeld  bool
	Last      a2a.State // last state seen on it
	Artifacts int       // artifact events, and snapshots with artifacts
	Statuses  int
	Message   bool
	Errors    int
	Unread    int // events that could not be decoded

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

	Burst         int // events within 50 ms of the first of the burst
	BurstAt       time.Duration
	BurstMin      time.Time
	BurstMax      time.Time
	BurstEvidence []uint64
	Buffered      bool

	Closed uint64
	How    string
	Held   bool
}

// Obligation is something that the console still means to do on the wire, put
// there by a command or a decision and removed by the records that fulfil it.
type Obligation struct {
	N        int
	Op       a2a.Operation
	Task     int // logical; 0 for none
	Command  int // that it serves; 0 for none
	Cause    uint64
	At       time.Duration // not before
	After    int           // another obligation that must be gone first
	Exchange int           // in flight; 0 for none
	Purpose  string        // "", "before-resume", "reconcile", "redispatch", "reread", …

	Places    []string    // discovery: where a card may be
	Rung      int         // place in Places, or rung of the ladder
	MessageID string      // of the message, once it was sent
	Method    string      // what the call is named on the wire, where it was not known by its own name
	Resume    bool        // a message to the attempt's own task
	Resend    uint64      // request record whose message goes out again
	URL       string      // overrides the endpoint
	Tried     []Interface // rungs that were refused
	On        *Interface  // the rung that it stands on; nil for the interface in use
	Seen      []string    // discovery: what each place answered, for people
}

// Deadline is a time at which something is judged or done.
type Deadline struct {
	ID       string
	Kind     DeadlineKind
	Due      time.Duration // session time
	Full     time.Duration // its whole length: a new epoch arms it anew
	Task     int
	Exchange int
	Command  int
}

// DeadlineKind says what a deadline is for.
type DeadlineKind string

// The kinds of deadline.
const (
	DueWindow    DeadlineKind = "window"    // a stream's first event
	DueIdle      DeadlineKind = "idle"      // a stream's next event
	DueClose     DeadlineKind = "close"     // a stream's end, after the task's
	DueCancel    DeadlineKind = "cancel"    // the watch after a cancel
	DueCommand   DeadlineKind = "command"   // a wait, or a poll
	DueSilent    DeadlineKind = "silent"    // working without a sign
	DueSubmitted DeadlineKind = "submitted" // submitted for too long
	DueWorking   DeadlineKind = "working"   // working for too long
	DuePush      DeadlineKind = "push"      // a callback
	DueReread    DeadlineKind = "reread"    // the card
)

// CommandState is a command and how far it is.
type CommandState struct {
	N         int
	Seq       uint64
	At        time.Duration
	By        string
	Cmd       Command
	Task      int // logical task that it is about; 0 for none
	Over      bool
	Result    CommandResult
	Detail    string // one line for people; never empty unless Result is ok
	Exchanges []int
	Reads     int // poll: reads since the first terminal one
}

// CommandResult says how a command ended.
type CommandResult string

// The results of commands.
const (
	ResultOK       CommandResult = "ok"       // done, also when the peer refused
	ResultWithheld CommandResult = "withheld" // a step that the console does not take; counts as done
	ResultCannot   CommandResult = "cannot"   // it could not be carried out: stops a script
	ResultRanOut   CommandResult = "ran-out"  // a wait or poll that did not come true
	ResultStopped  CommandResult = "interrupted"
)

// FindingState is a finding and what became of it.
type FindingState struct {
	Finding
	Seq  uint64 // first statement
	Task int
	At   time.Time
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
