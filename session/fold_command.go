package session

import (
	"fmt"
	"strconv"
	"time"

	"a2ascope/session/a2a"
)

// commanded folds a command: it becomes obligations, or is over at once.
func (s *State) commanded(c *Change, b *Commanded) {
	cmd, err := ParseCommand(b.Line)
	cs := &CommandState{N: len(s.Commands) + 1, Seq: c.Record.Seq, At: s.Elapsed, By: b.By, Cmd: cmd}
	s.Commands = append(s.Commands, cs)
	s.Pending = append(s.Pending, cs.N)
	switch {
	case err != nil:
		s.commandOver(cs, ResultCannot, err.Error())
		return
	case b.Error != "":
		s.commandOver(cs, ResultCannot, b.Error)
		return
	}
	if cs.Task, err = s.taskNamed(cmd.Task); err != nil {
		s.commandOver(cs, ResultCannot, err.Error())
		return
	}
	if b.By == ByProbe && cmd.Task == "" {
		cs.Task = 0 // the current task is the operator's
	}
	if s.LogFull && (cmd.Name == "stream" || cmd.Name == "resubscribe" || cmd.Stream) {
		s.commandOver(cs, ResultCannot, fullText)
		return
	}
	s.carryOut(c, cs, b)
	if t := s.TaskN(cs.Task); t != nil {
		c.Task, c.Attempt = t, t.Last()
	}
}

// ByProbe is who gives the commands of a probe's script. They leave the
// operator's current task alone.
const ByProbe = "probe"

// carryOut is the table of what each command does to the state. It is one
// switch because it is read as one.
func (s *State) carryOut(c *Change, cs *CommandState, b *Commanded) {
	cmd := &cs.Cmd
	switch cmd.Name {
	case "discover":
		s.discover(cs)
	case "interface":
		s.Peer.Wanted, s.Peer.WantedGen, s.Peer.Pinned = cmd.Interface, a2a.Generation(cmd.Gen), false
		s.leaveRPC()
		s.chooseInterface()
		s.commandOver(cs, ResultOK, "")
	case "endpoint":
		s.Peer.Override, s.Peer.Pinned = cmd.URL, false
		if s.Peer.Key == "" {
			s.Peer.Key = PeerKey(cmd.URL)
		}
		s.chooseInterface()
		s.commandOver(cs, ResultOK, "")
	case "header", "auth":
		s.Peer.Credentials = append(s.Peer.Credentials, CredentialRef{Seq: cs.Seq, Line: cmd.Line})
		if cmd.Scheme == "oauth" {
			s.oauthGiven(cs)
			return
		}
		s.commandOver(cs, ResultOK, "")
	case "send", "stream", "resume":
		s.say(cs, b)
	case "cancel", "get", "resubscribe":
		s.askAboutTask(cs)
	case "poll":
		s.poll(cs)
	case "detach":
		s.detach(cs)
	case "list", "extended-card", "raw":
		o := Obligation{Op: commandOps[cmd.Name]}
		if why := s.lacks(o.Op); why != "" && cmd.On == 0 {
			s.commandOver(cs, ResultCannot, why)
		} else if s.otherInterface(cs, &o) {
			s.oblige(cs, o)
		}
	case "push":
		s.pushCommand(cs, b)
	case "wait":
		s.wait(cs)
	case "use":
		s.Current = cs.Task
		s.commandOver(cs, ResultOK, "")
	case "prompt":
		s.Prompts[cmd.State] = cmd.Text
		s.commandOver(cs, ResultOK, "")
	case "redispatch":
		s.redispatchCommand(cs, cmd)
	case "demote", "restore":
		s.commandOver(cs, ResultOK, "")
	case "confirm", "overrule":
		if s.DecisionN(cmd.Number) == nil {
			s.commandOver(cs, ResultCannot, fmt.Sprintf("there is no decision %d; \"decisions\" lists them", cmd.Number))
			return
		}
		s.commandOver(cs, ResultOK, "")
	case "probe":
		s.probeCommand(cs)
	case "save":
		s.saveCommand(cs)
	case "export": // a note says what came of it
	case "tasks", "decisions", "note", "mark":
		s.commandOver(cs, ResultOK, "")
	default:
		s.commandOver(cs, ResultCannot, "unknown command "+strconv.Quote(cmd.Name))
	}
}

var commandOps = map[string]a2a.Operation{
	"send": a2a.OpSend, "stream": a2a.OpStream, "resume": a2a.OpSend, "cancel": a2a.OpCancel, "get": a2a.OpGet,
	"resubscribe": a2a.OpSubscribe, "list": a2a.OpList, "extended-card": a2a.OpExtendedCard, "raw": a2a.OpRaw,
}

// taskNamed resolves --task, or the current task where it is empty. 0 means
// that there is no task.
func (s *State) taskNamed(name string) (int, error) {
	if name == "" {
		return s.Current, nil
	}
	if n, err := strconv.Atoi(name); err == nil {
		if s.TaskN(n) == nil {
			return 0, fmt.Errorf("there is no task %d; \"tasks\" lists them", n)
		}
		return n, nil
	}
	for _, t := range s.Tasks {
		if t.Correlation == name {
			return t.N, nil
		}
		for _, a := range t.Attempts {
			if a.ServerID == name {
				return t.N, nil
			}
		}
	}
	return 0, fmt.Errorf("no task of this session has the id %q; \"tasks\" lists them", name)
}

func (s *State) discover(cs *CommandState) {
	places, err := CardPlaces(cs.Cmd.URL)
	if err != nil {
		s.commandOver(cs, ResultCannot, err.Error())
		return
	}
	s.Peer.Undiscovered, s.Peer.RPC = false, ""
	s.oblige(cs, Obligation{Op: a2a.OpCard, Places: places})
}

// say takes on a message: send, stream or resume.
func (s *State) say(cs *CommandState, b *Commanded) {
	cmd := &cs.Cmd
	t := s.TaskN(cs.Task)
	op := commandOps[cmd.Name]
	if cmd.Stream {
		op = a2a.OpStream
	}
	o := Obligation{Op: op}
	if cmd.Name == "resume" {
		if t == nil {
			s.commandOver(cs, ResultCannot, "there is no task to resume; \"send\" or \"stream\" begins one")
			return
		}
		o.Resume = true
	} else if t != nil && t.State().Interrupted() && !cmd.New && !cmd.Again && cmd.Context == "" {
		o.Resume = true
	}
	if cmd.Again {
		if t == nil || t.LastSend == 0 {
			s.commandOver(cs, ResultCannot, "no message of this task was sent yet, so there is none to send again")
			return
		}
		o.Resend = t.LastSend
	}
	if (o.Resume || cmd.Again) && t.Refused && !cmd.Force {
		s.commandOver(cs, ResultWithheld, "the task was refused at this peer; --force sends it all the same")
		return
	}
	if why := s.refusedMode(cmd); why != "" && !cmd.Force {
		s.commandOver(cs, ResultWithheld, why)
		return
	}
	if o.Resume {
		if s.withheldResume(cs, t) {
			return
		}
	} else if !cmd.Again {
		t = s.newTask(cs, b)
	}
	cs.Task = t.N
	if b.By != ByProbe {
		s.Current = t.N
	}
	if o.Resume && s.Profile.Resume == "" && !cmd.Force {
		if first := s.oblige(cs, Obligation{Op: a2a.OpGet, Purpose: PurposeBeforeResume}); first != nil {
			o.After = first.N
		}
	}
	s.oblige(cs, o)
}

// PurposeBeforeResume marks the one get before the first resume at a peer of
// unknown profile (field note 002).
const PurposeBeforeResume = "before-resume"

// withheldResume says whether a resume is not sent, and ends its command.
func (s *State) withheldResume(cs *CommandState, t *Task) bool {
	if cs.Cmd.Force {
		return false
	}
	a := t.Last()
	if a == nil || a.ServerID == "" {
		s.commandOver(cs, ResultWithheld, "the peer has not named a task to resume; --force sends it all the same")
		return true
	}
	if !a.State.Interrupted() {
		s.commandOver(cs, ResultWithheld, fmt.Sprintf("the task is %s and does not wait for input; --force sends it all the same", orNone(a.State)))
		return true
	}
	return false
}

func orNone(st a2a.State) string {
	if st == "" {
		return "without a state"
	}
	return string(st)
}

// refusedMode says why a message's part is withheld: the peer refused its
// type before.
func (s *State) refusedMode(cmd *Command) string {
	modes := make([]string, 0, 4)
	if len(cmd.Data) > 0 {
		modes = append(modes, "application/json")
	}
	if cmd.Text != "" {
		modes = append(modes, "text/plain")
	}
	for _, f := range cmd.Files {
		modes = append(modes, f.Type)
	}
	for _, m := range modes {
		for _, refused := range s.Profile.RefusedInputModes {
			if m == refused {
				return "the peer refused " + m + " before; --force sends it all the same"
			}
		}
	}
	return ""
}

func (s *State) newTask(cs *CommandState, b *Commanded) *Task {
	t := &Task{N: len(s.Tasks) + 1, Correlation: b.Correlation, Command: cs.Seq, Outcome: OutcomeOpen}
	if s.Opened.Correlation != "" && t.N == 1 {
		t.Correlation = s.Opened.Correlation // the work began in another session
	}
	s.Tasks = append(s.Tasks, t)
	return t
}

// askAboutTask takes on cancel, get or resubscribe.
func (s *State) askAboutTask(cs *CommandState) {
	t := s.TaskN(cs.Task)
	if why := cannotAsk(t); why != "" {
		s.commandOver(cs, ResultCannot, why)
		return
	}
	if cs.Cmd.Name == "cancel" && cs.Cmd.On > 0 && !t.Last().Settled {
		s.commandOver(cs, ResultWithheld, "the task is not over: through another interface a cancel is for comparing refusals; \"cancel\" ends the task")
		return
	}
	o := Obligation{Op: commandOps[cs.Cmd.Name]}
	if cs.Cmd.Fresh {
		o.Purpose = PurposeStaleView
	}
	if s.otherInterface(cs, &o) {
		s.oblige(cs, o)
	}
}

// probeCommand begins a probe, which a note ends. Two at once would take one
// another's doings for the peer's.
func (s *State) probeCommand(cs *CommandState) {
	for _, n := range s.Pending {
		if n != cs.N && s.Commands[n-1].Cmd.Name == "probe" {
			s.commandOver(cs, ResultCannot, fmt.Sprintf("command %d probes the peer already; wait until it is over", n))
			return
		}
	}
	if s.Peer.Use.URL == "" && s.find(func(o *Obligation) bool { return o.Op == a2a.OpCard }) == nil {
		s.commandOver(cs, ResultCannot, s.noEndpoint())
	}
}

func cannotAsk(t *Task) string {
	switch {
	case t == nil:
		return "there is no task yet; \"send\" or \"stream\" begins one"
	case t.Last() == nil || t.Last().ServerID == "":
		if a := t.Last(); a != nil && a.Message {
			return "the peer answered with a message, so there is no task to ask about"
		}
		return "the peer has not named a task yet"
	}
	return ""
}

func (s *State) poll(cs *CommandState) {
	if why := cannotAsk(s.TaskN(cs.Task)); why != "" {
		s.commandOver(cs, ResultCannot, why)
		return
	}
	full := cs.Cmd.For
	if full == 0 {
		full = DefaultFor
	}
	s.arm(DueCommand, full, cs.Task, 0, cs.N)
}

// Defaults of poll and wait (DESIGN.md §7).
const (
	DefaultFor   = 2 * time.Minute
	DefaultEvery = time.Second
	DefaultMax   = 30
)

func (s *State) wait(cs *CommandState) {
	full := cs.Cmd.For
	if cs.Cmd.Sub != "for" && full == 0 {
		full = DefaultFor
	}
	if cs.Cmd.Sub != "for" && s.TaskN(cs.Task) == nil {
		s.commandOver(cs, ResultCannot, "there is no task to wait for")
		return
	}
	s.arm(DueCommand, full, cs.Task, 0, cs.N)
}

func (s *State) detach(cs *CommandState) {
	open := s.Listening(cs.Task)
	if len(open) == 0 {
		s.commandOver(cs, ResultOK, "no stream of the task is open")
		return
	}
	for _, x := range open {
		x.Detach = true
	}
	s.commandOver(cs, ResultOK, "")
}
