package session

import (
	"time"

	"a2ascope/session/a2a"
)

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
	Meant     int         // command whose options go with it, where Command is none that has them; 0 for none
	URL       string      // overrides the endpoint
	Redirect  string      // where its request goes next; empty for where it belongs
	Hop       int         // of the chain of redirects that leads there
	Tried     []Interface // rungs that were refused
	On        *Interface  // the rung that it stands on; nil for the interface in use
	Renewed   bool        // it goes out again with a new token
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
	DueHead      DeadlineKind = "head"      // a subscription's answer
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
