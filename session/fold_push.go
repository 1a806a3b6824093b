package session

import (
	"fmt"

	"a2ascope/session/a2a"
)

// maxStrays bounds the server tasks of which deliveries came before they were
// known to be ours.
const maxStrays = 64

// PushState is what is known of our receiver.
type PushState struct {
	On         bool   // its address goes into every message
	URL        string // as the peer is told, its secret replaced; empty when there was none
	Loopback   bool   // nobody but this machine can call it
	Reached    uint64 // first delivery record to this address; 0 while none
	Deliveries int
	// Strays are deliveries that named a task which no attempt has: the
	// answer that names it may still be under way.
	Strays   []*PushFacts
	StrayIDs []string
	StraySeq uint64 // last delivery that no attempt has claimed
}

// PushFacts is what is known of the push notifications of one attempt.
type PushFacts struct {
	Asked    uint64 // request record that first gave the peer our address
	Accepted uint64 // record that answered it without an error; 0 while none
	ConfigID string // as the peer calls the configuration; empty when it did not say

	Count     int // deliveries with our token
	Untokened int // deliveries without it
	Seqs      []uint64
	Last      a2a.State // last state that a delivery told
	LastSeq   uint64
	End       a2a.State // first terminal state that one with our token told
	EndSeq    uint64
	Digest    string // of the artifacts of the last whole task that one told
	Artifacts int

	Want    a2a.State // a state that another view saw and a delivery is to tell
	WantSeq uint64    // the record that showed it
	Weak    bool      // its not coming would prove nothing
	WhyWeak string
}

// pushed folds a webhook delivery. Only what carries our token says anything
// of a task; what came to our path without it still shows that the peer calls.
func (s *State) pushed(c *Change, b *Pushed) {
	if b.Head < 0 || b.Head > len(c.Record.Raw) || !b.TokenOK && !b.Untokened && !b.Validation {
		return
	}
	if s.Push.Reached == 0 {
		s.Push.Reached = c.Record.Seq
	}
	if b.Validation {
		return
	}
	s.Push.Deliveries++
	body, err := responseBody(c.Record.Raw, &Responded{Head: b.Head, Encoding: b.Encoding})
	if err != nil {
		c.Err = err
	}
	p := a2a.Decode(a2a.Input{Raw: body})
	c.Payload = &p
	id := taskIDOf(&p)
	t, a := s.attemptNamed(id)
	if a == nil {
		s.stray(c, b, id, &p)
		return
	}
	c.Task, c.Attempt, c.StateBefore = t, a, a.State
	f := a.pushFacts()
	f.take(c.Record.Seq, b, &p)
	c.Delivered = b.TokenOK
	if f.Want != "" && (f.Last == f.Want || f.Last.Terminal()) {
		f.Want = ""
		s.disarmKind(DuePush, t.N, 0)
	}
	if status := statusOf(&p); status != nil && b.TokenOK && a.pushNews(status) {
		s.learnStatus(c, status, ViaPush)
	}
}

// take counts one delivery.
func (f *PushFacts) take(seq uint64, b *Pushed, p *a2a.Payload) {
	if b.TokenOK {
		f.Count++
	} else {
		f.Untokened++
	}
	f.Seqs = evidence(f.Seqs, seq)
	f.LastSeq = seq
	if st := statusOf(p); st != nil && st.State != "" && st.State != a2a.Unspecified {
		f.Last = st.State
		if b.TokenOK && f.End == "" && st.State.Terminal() {
			f.End, f.EndSeq = st.State, seq
		}
	}
	if p.Task != nil {
		f.Digest, f.Artifacts = a2a.DigestOf(p.Task.Artifacts), len(p.Task.Artifacts)
	}
}

// stray keeps a delivery that no attempt can claim yet.
func (s *State) stray(c *Change, b *Pushed, id string, p *a2a.Payload) {
	s.Push.StraySeq = c.Record.Seq
	if id == "" {
		return
	}
	for i, known := range s.Push.StrayIDs {
		if known == id {
			s.Push.Strays[i].take(c.Record.Seq, b, p)
			return
		}
	}
	if len(s.Push.StrayIDs) >= maxStrays {
		s.Push.StrayIDs, s.Push.Strays = s.Push.StrayIDs[1:], s.Push.Strays[1:]
	}
	f := &PushFacts{}
	f.take(c.Record.Seq, b, p)
	s.Push.StrayIDs, s.Push.Strays = append(s.Push.StrayIDs, id), append(s.Push.Strays, f)
}

// afterPush brings the facts about push notifications up to date with a
// record: deliveries that came before the answer that names their task, a
// configuration that was accepted, a state that is to be delivered.
func (s *State) afterPush(c *Change) {
	a := c.Attempt
	if s.Push.URL == "" || a == nil || c.Task == nil {
		return
	}
	s.claimStrays(c, a)
	if configAccepted(c) {
		s.configTaken(c, a)
	}
	f := a.Push
	if f == nil || f.Accepted == 0 || a.State == c.StateBefore || a.StateSeq != c.Record.Seq || a.StateVia == ViaPush || a != c.Task.Last() {
		return
	}
	// The server decides what it notifies of: the states that end or interrupt
	// a task are what the specification has it tell at least.
	if !a.State.Terminal() && !a.State.Interrupted() || f.Last == a.State || f.Last.Terminal() {
		return
	}
	f.Want, f.WantSeq, f.Weak, f.WhyWeak = a.State, c.Record.Seq, false, ""
	switch {
	case f.Accepted == c.Record.Seq:
		f.Weak, f.WhyWeak = true, "the answer that took the configuration told it already"
	case a.StateVia == ViaCancel:
		f.Weak, f.WhyWeak = true, "it was our own cancel that brought it about"
	}
	s.arm(DuePush, s.Opened.Policy.PushWindow.D(), c.Task.N, 0, 0)
}

func (s *State) claimStrays(c *Change, a *Attempt) {
	for i, id := range s.Push.StrayIDs {
		if a.ServerID == "" || id != a.ServerID {
			continue
		}
		f, got := a.pushFacts(), s.Push.Strays[i]
		f.Count, f.Untokened = f.Count+got.Count, f.Untokened+got.Untokened
		f.Seqs, f.Last, f.LastSeq, f.Digest, f.Artifacts = got.Seqs, got.Last, got.LastSeq, got.Digest, got.Artifacts
		f.End, f.EndSeq = got.End, got.EndSeq
		c.Delivered = f.Count > 0
		s.Push.StrayIDs = append(s.Push.StrayIDs[:i:i], s.Push.StrayIDs[i+1:]...)
		s.Push.Strays = append(s.Push.Strays[:i:i], s.Push.Strays[i+1:]...)
		if s.Push.StraySeq == got.LastSeq {
			s.Push.StraySeq = 0
		}
		return
	}
}

// configAccepted reports whether the record answers a request that gave the
// peer our address, without an error and with a task.
func configAccepted(c *Change) bool {
	x, p := c.Exchange, c.Payload
	if x == nil || p == nil || !x.Receiver || p.Error != nil || p.Kind == a2a.KindUnreadable || c.Climbed {
		return false
	}
	switch {
	case x.Op == a2a.OpPushSet:
		return c.Record.Kind == KindResponse && x.Status/100 == 2
	case c.Record.Kind == KindFrame && !c.FirstEvent:
		return false
	}
	return taskIDOf(p) != "" && p.Message == nil
}

func (s *State) configTaken(c *Change, a *Attempt) {
	f := a.pushFacts()
	if f.Accepted == 0 {
		f.Asked, f.Accepted = c.Exchange.Request, c.Record.Seq
	}
	if push := c.Payload.Push; len(push) > 0 && push[0].ID != "" {
		f.ConfigID = push[0].ID
	}
}

// pushNews reports whether a delivered status says something new. Deliveries
// can lag behind what other views showed, and must not take the state back.
func (a *Attempt) pushNews(status *a2a.Status) bool {
	st := status.State
	if a.Terminal != nil || st == "" || st == a2a.Unspecified || st == a.State {
		return false
	}
	if a.State == "" {
		return true
	}
	seen := false
	for i := range a.States {
		was := &a.States[i]
		seen = seen || was.State == st
		if !status.Timestamp.IsZero() && status.Timestamp.Before(was.Stamp) {
			return false
		}
	}
	if st.Terminal() {
		return true
	}
	// Without a date that says so, only a state that was not seen yet is news,
	// and nothing is while the task waits.
	if last := a.States[len(a.States)-1].Stamp; !last.IsZero() && status.Timestamp.After(last) {
		return true
	}
	return st != a2a.Submitted && !seen && !a.State.Interrupted()
}

func (a *Attempt) pushFacts() *PushFacts {
	if a.Push == nil {
		a.Push = &PushFacts{}
	}
	return a.Push
}

func (s *State) attemptNamed(id string) (*Task, *Attempt) {
	if id == "" {
		return nil, nil
	}
	for _, t := range s.Tasks {
		for _, a := range t.Attempts {
			if a.ServerID == id {
				return t, a
			}
		}
	}
	return nil, nil
}

// taskIDOf is the server's task that a payload is about.
func taskIDOf(p *a2a.Payload) string {
	switch {
	case p.Task != nil:
		return p.Task.ID
	case p.Status != nil:
		return p.Status.TaskID
	case p.Artifact != nil:
		return p.Artifact.TaskID
	case p.Message != nil:
		return p.Message.TaskID
	}
	return ""
}

func statusOf(p *a2a.Payload) *a2a.Status {
	switch {
	case p.Task != nil:
		return &p.Task.Status
	case p.Status != nil:
		return &p.Status.Status
	}
	return nil
}

// PushReachable reports whether the peer can call our receiver for sure, and
// how that is known, or why not.
func (s *State) PushReachable() (sure bool, how string) {
	switch {
	case s.Push.Reached != 0:
		return true, "a call reached this address before"
	case s.Push.Loopback:
		return false, "the receiver listens on loopback, and peers are right to refuse such addresses (A2A 1.0 §13.2)"
	case s.Peer.Carried.PushReachable:
		return true, "calls of this peer arrived in an earlier session"
	}
	return false, "no call has reached this address yet"
}

func onLoopback(address string) bool {
	a, err := readAddress(address)
	return err == nil && loopback(a.host)
}

// receiverGone: the receiver does not outlive the run that started it.
func (s *State) receiverGone() {
	s.Push = PushState{}
	for _, t := range s.Tasks {
		s.disarmKind(DuePush, t.N, 0)
	}
}

// pushCommand takes on the push family.
func (s *State) pushCommand(cs *CommandState, b *Commanded) {
	t := s.TaskN(cs.Task)
	switch cs.Cmd.Sub {
	case "on":
		s.pushOn(cs, b, t)
		return
	case "off":
		s.Push.On = false
		s.commandOver(cs, ResultOK, "")
		return
	}
	if why := cannotAsk(t); why != "" {
		s.commandOver(cs, ResultCannot, why)
		return
	}
	op := map[string]a2a.Operation{"set": a2a.OpPushSet, "get": a2a.OpPushGet, "list": a2a.OpPushList, "delete": a2a.OpPushDelete}[cs.Cmd.Sub]
	if why := s.lacks(op); why != "" {
		s.commandOver(cs, ResultCannot, why)
		return
	}
	s.oblige(cs, Obligation{Op: op})
}

// pushOn puts the receiver's address into messages from now on, and sets it on
// the current task, if that can still bring something.
func (s *State) pushOn(cs *CommandState, b *Commanded, t *Task) {
	if b.Receiver == "" {
		s.commandOver(cs, ResultCannot, "the console has no receiver for push notifications; \"push set URL\" names one of your own")
		return
	}
	if s.Push.URL != b.Receiver {
		s.Push.URL, s.Push.Loopback, s.Push.Reached = b.Receiver, onLoopback(b.Receiver), 0
	}
	if b.By != ByProbe { // a probe's are for its own task, and not for what the operator sends
		s.Push.On = true
	}
	if cannotAsk(t) != "" || t.State().Terminal() {
		s.commandOver(cs, ResultOK, "receiving at "+b.Receiver)
		return
	}
	s.oblige(cs, Obligation{Op: a2a.OpPushSet})
}

// configID is what we call our configuration at the peer.
const configID = "a2ascope"

// pushID is what the peer calls our configuration of a task.
func (s *State) pushID(task int) string {
	if t := s.TaskN(task); t != nil && t.Last() != nil && t.Last().Push != nil && t.Last().Push.ConfigID != "" {
		return t.Last().Push.ConfigID
	}
	return configID
}

// ReceiverAddress is where push notifications are received, in clear.
type ReceiverAddress struct{ URL, Token string }

// config is the configuration that gives the address to the peer. The token
// stands in it twice, as token and as credentials: some official SDKs send
// only one of them.
func (r ReceiverAddress) config() *a2a.PushConfig {
	return &a2a.PushConfig{ID: configID, URL: r.URL, Token: r.Token, AuthSchemes: []string{"Bearer"}, Credentials: r.Token}
}

// composePush fixes the configuration of a push set: our receiver's, or the
// one that the operator typed.
func (s *State) composePush(c *Call, cmd *Command, res Resources) error {
	r := res.Receiver
	if cmd.Sub != "on" {
		r = ReceiverAddress{URL: cmd.URL, Token: res.MessageID}
	} else if r.URL == "" {
		return fmt.Errorf("nothing listens for push notifications; \"push on\" starts the receiver")
	}
	c.Params.Push = r.config()
	c.Params.Push.TaskID = c.Params.TaskID
	return nil
}
