package session

import (
	"time"

	"a2ascope/session/a2a"
)

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
	Files        []FileSeen // in the order in which they came
	FilesMore    int
	Talk         []int // exchanges that carried its messages or became its streams, in order
	Said         Said
	Awake        bool   // it is in State.Awake
	Touched      uint64 // the last record that was about it
}

// Said is what rules have said of one logical task, or of none: places in
// State.Findings and State.Observed, so that nobody has to look through all of
// them.
type Said struct {
	Findings []int
	Observed []int
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
	// ToldElse is the digest that a whole task told last through another view
	// than get, and ToldElseSeq its record; 0 for none.
	ToldElse    string
	ToldElseSeq uint64

	Terminal *Seen // the first terminal state that any view showed
	Cancel   *CancelFacts
	Refused  *CancelRefusal // nil when no cancel was
	Late     *LateCancel    // nil when none was sent after the end
	Odd      *Elsewhere     // the read through another interface that told the settled task otherwise, once
	Misled   *Elsewhere     // the list that showed the settled task otherwise, once
	Missing  *Elsewhere     // the last call through another interface that did not find the settled task
	Listed   *Seen          // as the last list told it
	Orphaned bool           // said to be canceled, and went on

	Reads    []Read // the last ones
	ReadN    int
	Stable   int           // equal reads in a row that said a terminal state
	Gone     int           // reads in a row that said TaskNotFound
	GoneAt   time.Duration // the first of them in this epoch was answered
	GoneSeq  uint64
	GoneIn   int // its epoch
	Failed   int // reads in a row without an answer that tells
	AfterEnd int // reads since the first terminal state
	Settled  bool
	GaveUp   bool // reads could not confirm the end
	Untold   bool // a get named no state, and another binding was asked once

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
	Streams  int       // of the task that were open when it was answered
}

// CancelRefusal is the first cancel of a task at work that was refused because
// the task could not be canceled: it may have ended just then.
type CancelRefusal struct {
	Exchange int
	Answer   uint64 // the refusal's record
	At       time.Duration
	Epoch    int
	Outlived bool // the task was seen at work after it
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
	Redirect string
	Hop      int
	Cause    uint64
}
