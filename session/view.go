package session

import (
	"fmt"
	"strings"
	"time"

	"a2ascope/session/a2a"
)

// View is a small immutable picture of a State, published by the runner after
// a commit. Whoever draws or waits sees this, and records read from the log,
// and nothing else.
type View struct {
	Session  string
	Origin   string // as in Opened
	Seq      uint64
	Wall     time.Time
	Elapsed  time.Duration
	Started  time.Time
	Policy   Policy
	Live     bool   // a loop stands behind it; false under review
	Recorded bool   // everything up to Seq is on disk
	Trouble  string // why it is not
	Ended    string // reason; empty while the session goes on

	Peer    PeerView
	Tasks   []TaskView
	Current int
	Streams []StreamView
	Waiting []WaitView // requests without an answer yet
	Doing   []string   // what the console means to do, in words
	// Confirming is set while something is under way whose end is in sight:
	// reads that confirm, a watch after a cancel, a stream that is to close.
	Confirming bool
	Pending    []CommandView
	Last       CommandView // the latest command; N is 0 when there was none
	Claims     []ClaimDoc
	Findings   []FindingView
	Decisions  []DecisionView
	Profile    ProfileDoc
	// Form is how the console begins a task of its own accord: "stream", or
	// "send --plain" where streaming is not declared or not relied on.
	Form    string
	Prompts map[string]string
	Faults  int
}

// PeerView is the peer in a View.
type PeerView struct {
	Typed        string
	Key          string
	Name         string
	Description  string
	CardURL      string
	CardVersion  string
	CardSeq      uint64
	Skills       []a2a.Skill
	Interfaces   []a2a.Interface // as declared
	Declared     Interface
	Use          Interface
	Pinned       bool
	Override     string
	Undiscovered bool
	InputModes   []string
	OutputModes  []string
	Credentials  []string // the commands that gave them
	Schemes      []SchemeView
	Device       *DeviceView // a code is to be entered elsewhere; nil for none
	Suggestions  []Suggestion
}

// TaskView is a logical task in a View.
type TaskView struct {
	TaskDoc
	N        int
	Refused  bool
	FallBack bool
	Lost     bool
	Reading  []string // the reader's reasons
	NextRead time.Duration
	Ladder   []Rung
	Files    []FileSeen
	Question string // the peer's last message, while the task waits for input
}

// Rung is one step of a task's ladder: a state, where it was seen, and whether
// it came after the end.
type Rung struct {
	Attempt int
	State   a2a.State
	Seq     uint64
	At      time.Duration
	Via     string
	After   bool
}

// StreamView is an open stream in a View.
type StreamView struct {
	Exchange int
	Task     int
	Opened   time.Duration
	Last     time.Duration // session time of its last event; 0 when none came
	Events   int
	Frames   int
	Idle     bool
	Silent   bool
}

// WaitView is a request that has no answer yet.
type WaitView struct {
	Exchange int
	Op       a2a.Operation
	Task     int
	Since    time.Duration
	// Size is how long the request is, and Wrote how much of it was written so
	// far, in bytes; Size is 0 for one that is too short to be worth a word.
	// Both are the moment's own: no record holds them.
	Size, Wrote int64
}

// Sending says how far a long request is; it is empty for one that is short,
// that is written, or of which nobody tells.
func (w WaitView) Sending() string {
	if w.Wrote == 0 || w.Wrote >= w.Size {
		return ""
	}
	return fmt.Sprintf("%.1f of %.1f MiB written", float64(w.Wrote)/(1<<20), float64(w.Size)/(1<<20))
}

// CommandView is a command in a View.
type CommandView struct {
	N      int
	Seq    uint64
	Line   string
	By     string
	Task   int
	At     time.Duration
	Over   bool
	Result CommandResult
	Detail string
}

// FindingView is a finding in a View.
type FindingView struct {
	FindingDoc
	Seq  uint64
	Task int
}

// DecisionView is a decision in a View.
type DecisionView struct {
	DecisionDoc
	Seq   uint64
	Task  int
	Offer bool
	Mode  string
	To    string
}

// MakeView makes the view of a state. Live, Recorded and Trouble are the
// runner's to fill in.
func MakeView(s *State) *View { return new(Viewer).View(s) }

// View makes the view of a state, as MakeView does.
func (w *Viewer) View(s *State) *View {
	v := &View{
		Session: s.Opened.Session, Origin: s.origin(), Seq: s.Seq, Wall: s.Wall, Elapsed: s.Elapsed, Started: s.Started,
		Policy: s.Opened.Policy, Recorded: true, Peer: s.peerView(), Current: s.Current, Claims: s.claimDocs(),
		Profile: s.profileDoc(), Prompts: map[string]string{}, Faults: s.FaultCount,
	}
	v.Form = s.form()
	if s.Ended != nil {
		v.Ended = s.Ended.Reason
	}
	for k, t := range s.Prompts {
		v.Prompts[k] = t
	}
	v.Tasks = w.taskViews(s)
	s.viewWork(v)
	v.Findings = w.findingViews(s)
	for _, d := range s.Decisions {
		v.Decisions = append(v.Decisions, DecisionView{DecisionDoc: s.decisionDoc(d), Seq: d.Seq, Task: d.Task, Offer: d.Offer, Mode: d.Mode, To: d.To})
	}
	return v
}

// form is how a task is begun when nobody says how: a demoted claim is not
// relied on, and after a refusal the next task is a plain send (DESIGN.md §5,
// trust).
func (s *State) form() string {
	if s.Declares(Streaming) != a2a.DeclaredTrue || s.streamsDemoted() {
		return "send --plain"
	}
	return "stream"
}

// streamsDemoted reports whether something that a streamed task needs is not
// relied on.
func (s *State) streamsDemoted() bool {
	for _, c := range []Claim{Streaming, ArtifactsStreamed, StreamCloses, StateTransitionHistory, PushDelivered} {
		if s.TrustOf(c).Trust == Demoted {
			return true
		}
	}
	return false
}

// viewWork fills in what is under way.
func (s *State) viewWork(v *View) {
	for _, n := range s.Open {
		x := s.Exchanges[n-1]
		if st := x.Stream; st != nil {
			v.Streams = append(v.Streams, StreamView{
				Exchange: n, Task: x.Task, Opened: x.Answered, Last: st.LastAt, Events: st.Events, Frames: st.Frames, Idle: st.Idle, Silent: st.Silent,
			})
			continue
		}
		if x.Quiet { // a stream that has no head yet
			v.Streams = append(v.Streams, StreamView{Exchange: n, Task: x.Task, Opened: x.Sent, Idle: true, Silent: true})
			continue
		}
		v.Waiting = append(v.Waiting, WaitView{Exchange: n, Op: x.Op, Task: x.Task, Since: x.Sent})
	}
	for _, o := range s.Obligations {
		if o.Exchange == 0 {
			v.Doing = append(v.Doing, strings.TrimSpace(string(o.Op)+" "+o.Purpose))
		}
	}
	v.Confirming = s.confirming() || len(v.Waiting) > 0 || len(v.Doing) > 0
	for _, n := range s.Pending {
		v.Pending = append(v.Pending, s.Commands[n-1].view())
	}
	if n := len(s.Commands); n > 0 {
		v.Last = s.Commands[n-1].view()
	}
}

func (s *State) confirming() bool {
	for _, d := range s.Deadlines {
		if d.Kind == DueClose || d.Kind == DueCancel || d.Kind == DuePush {
			return true
		}
	}
	for _, n := range s.Awake {
		t := s.Tasks[n-1]
		if t.Reader == nil {
			continue
		}
		for _, r := range t.Reader.Reasons {
			if r == ReadConfirm || r == ReadReconcile || r == ReadTruncated {
				return true
			}
		}
	}
	return false
}

// CommandDone returns command n as a view, and whether there is one yet.
func (s *State) CommandDone(n int) (CommandView, bool) {
	if n < 1 || n > len(s.Commands) {
		return CommandView{}, false
	}
	return s.Commands[n-1].view(), true
}

func (cs *CommandState) view() CommandView {
	return CommandView{N: cs.N, Seq: cs.Seq, Line: cs.Cmd.Line, By: cs.By, Task: cs.Task, At: cs.At, Over: cs.Over, Result: cs.Result, Detail: cs.Detail}
}

func (s *State) peerView() PeerView {
	p := &s.Peer
	v := PeerView{
		Typed: s.Opened.Typed, Key: p.Key, CardURL: p.CardURL, CardSeq: p.CardSeq, Declared: p.Declared, Use: p.Use, Pinned: p.Pinned,
		Override: p.Override, Undiscovered: p.Undiscovered,
	}
	v.Schemes, v.Device, v.Suggestions = s.schemeViews(), s.deviceView(), s.suggestions()
	for _, c := range p.Credentials {
		v.Credentials = append(v.Credentials, c.Line)
	}
	if c := p.Card; c != nil {
		v.Name, v.Description, v.CardVersion, v.Skills, v.Interfaces = c.Name, c.Description, c.Version, c.Skills, c.Interfaces
		v.InputModes, v.OutputModes = c.InputModes, c.OutputModes
	}
	return v
}

func (t *Task) view() TaskView {
	v := TaskView{TaskDoc: t.doc(), N: t.N, Files: append([]FileSeen(nil), t.Files...), Refused: t.Refused, FallBack: t.FallBack, Lost: t.Lost}
	if r := t.Reader; r != nil {
		v.Reading, v.NextRead = append([]string(nil), r.Reasons...), r.Next
	}
	for _, a := range t.Attempts {
		for _, seen := range a.States {
			v.Ladder = append(v.Ladder, Rung{Attempt: a.N, State: seen.State, Seq: seen.Seq, At: seen.At, Via: string(seen.Via), After: seen.After})
		}
	}
	if t.State().Interrupted() {
		v.Question = v.LastMessage
	}
	return v
}
