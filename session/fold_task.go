package session

import (
	"strings"

	"a2ascope/session/a2a"
)

// learnTask folds a whole task as some view told it.
func (s *State) learnTask(c *Change, x *Exchange, t *a2a.Task, v Via) {
	stream := v == ViaStream || v == ViaSubscribe
	if stream && s.foreign(c, t.ID) {
		return
	}
	s.identify(c, x, t.ID, t.ContextID)
	a := c.Attempt
	if t.PollHint > 0 {
		a.PollHint = t.PollHint
	}
	if !stream || !c.Replayed {
		s.learnStatus(c, &t.Status, v)
	}
	if stream {
		return
	}
	before := a.Told.Digest()
	a.Told.Replace(t.Artifacts)
	a.ToldSeq = c.Record.Seq
	now := a.Told.Digest()
	if now != before {
		a.MovedAt = s.Elapsed
	}
	if v != ViaGet {
		a.ToldElse, a.ToldElseSeq = now, c.Record.Seq
	}
	for i := range t.Artifacts {
		for j := range t.Artifacts[i].Parts {
			s.Profile.VerifiedOutputModes = mergeSorted(s.Profile.VerifiedOutputModes, t.Artifacts[i].Parts[j].Mode())
		}
	}
}

// foreign notes an event that names another task than the stream's; it means
// nothing for this one.
func (s *State) foreign(c *Change, id string) bool {
	a := c.Attempt
	if id == "" || a == nil || a.ServerID == "" || a.ServerID == id {
		return false
	}
	x := c.Exchange
	// The first event of an answer to a message may say that the peer made
	// another task of it.
	if x.Turn != nil && x.Stream.Events == 1 {
		return false
	}
	c.Foreign = id
	return true
}

// identify gives the attempt its server id, or begins another attempt where
// the peer answers a message with a task that it was not asked about.
func (s *State) identify(c *Change, x *Exchange, id, contextID string) {
	a, t := c.Attempt, c.Task
	if id != "" && a.ServerID != "" && a.ServerID != id && x.Turn != nil && len(t.Attempts) < maxAttempts {
		next := &Attempt{N: len(t.Attempts) + 1, First: x.Request, MovedAt: s.Elapsed}
		t.Attempts = append(t.Attempts, next)
		s.disarmLife(t.N)
		x.Attempt = next.N
		c.Attempt, c.NewAttempt, c.StateBefore = next, next, ""
		a = next
	}
	if a.ServerID == "" {
		a.ServerID = id
	}
	if contextID != "" {
		a.ContextID = contextID
	}
}

// learnStatus folds a status as some view told it.
func (s *State) learnStatus(c *Change, status *a2a.Status, v Via) {
	a, t := c.Attempt, c.Task
	if status.Message != nil && !c.Replayed && t.heard(status.Message, c.Record.Seq) {
		a.MovedAt = s.Elapsed
	}
	st := status.State
	if st == "" || st == a2a.Unspecified || c.Replayed {
		return
	}
	if v == ViaStream || v == ViaSubscribe || v == ViaSend && c.Exchange.ServerTask != "" {
		c.Backward = st == a2a.Submitted && a.Latest != "" && a.Latest != a2a.Submitted
	}
	if !st.Terminal() && st != a2a.Submitted {
		a.Latest = st
	}
	if st != a.State {
		a.MovedAt = s.Elapsed
		a.AskedSeq = 0
	}
	if st == a2a.InputRequired && (a.AskedSeq == 0 || v != ViaGet) {
		a.AskedSeq = c.Record.Seq
	}
	seen := Seen{State: st, Seq: c.Record.Seq, At: s.Elapsed, Via: v, Epoch: s.Epoch, Stamp: status.Timestamp, After: a.Terminal != nil && st != a.Terminal.State}
	if c.Exchange != nil {
		seen.Exchange = c.Exchange.N
	}
	a.State, a.StateSeq, a.StateAt, a.StateVia = st, seen.Seq, seen.At, v
	a.Message = false
	if n := len(a.States); n == 0 || a.States[n-1].State != st {
		if n < maxStates {
			a.States = append(a.States, seen)
		} else {
			a.StatesMore++
		}
	}
	s.Profile.VerifiedStates = mergeSorted(s.Profile.VerifiedStates, string(st))
	if st.Terminal() && a.Terminal == nil {
		a.Terminal = &seen
		a.AfterEnd, a.Stable = 0, 0
	}
	if st == a2a.InputRequired && t.Owed != 0 && a == t.Last() {
		s.sendAgain(c, t, t.Owed, Obligation{Purpose: PurposeLostAnswer, Resume: true})
		t.Owed = 0
	}
	s.outcome(t)
}

func (s *State) learnMessage(c *Change, a *Attempt, m *a2a.Message) {
	c.Task.heard(m, c.Record.Seq)
	if a.ServerID != "" {
		return // a message about a task that is under way
	}
	a.Message = true
	a.MovedAt = s.Elapsed
	if m.ContextID != "" {
		a.ContextID = m.ContextID
	}
	s.outcome(c.Task)
}

// wasRead folds the answer to a get.
func (s *State) wasRead(c *Change, x *Exchange, a *Attempt, p *a2a.Payload) {
	r := Read{
		Exchange: x.N, Request: x.Request, Answer: c.Record.Seq, Sent: x.Sent, At: s.Elapsed, Epoch: x.Epoch,
		Asked: x.HistoryLen, Fresh: x.Purpose == PurposeStaleView,
	}
	switch {
	case p.Task != nil:
		r.Found, r.State = true, p.Task.Status.State
		r.Digest, r.Artifacts, r.History = a2a.DigestOf(p.Task.Artifacts), len(p.Task.Artifacts), len(p.Task.History)
	case p.Error != nil && p.Error.Name == a2a.ErrTaskNotFound:
	default:
		a.Failed++
		return
	}
	a.Failed = 0
	a.ReadN++
	c.Read = &r
	if f := a.Refused; f != nil && !f.Outlived && r.Request > f.Answer && r.Found && r.State != a2a.Unspecified && !r.State.Terminal() {
		s.outlived(c, a)
	}
	if m := a.Missing; m != nil && r.Request > m.Answer {
		if r.Found {
			c.Missed = m
		}
		a.Missing = nil
	}
	if n := len(a.Reads); n > 0 && a.Reads[n-1].Answer < r.Request && SameDoor(s.Exchanges[a.Reads[n-1].Exchange-1], x) {
		prev := a.Reads[n-1]
		c.PrevRead = &prev
	}
	s.countRead(c, a, &r)
	if r.Found && r.State == a2a.Unspecified && a.Terminal == nil && !a.Untold {
		a.Untold = true
		s.readElsewhere(c, c.Task, s.Elapsed, PurposeUntold)
	}
	s.foundAgain(c, a, &r)
	if len(a.Reads) >= maxReads {
		a.Reads = append(a.Reads[:0], a.Reads[1:]...)
	}
	a.Reads = append(a.Reads, r)
	s.readBeside(c, a, &r)
}

// PurposeStaleView marks a get over a connection of its own, with nothing but
// the task's id.
const PurposeStaleView = "stale-view"

// countRead keeps how many reads in a row agree on the end.
func (s *State) countRead(c *Change, a *Attempt, r *Read) {
	if !r.Found {
		a.Gone++
		if a.Gone == 1 || a.GoneIn != r.Epoch {
			a.GoneAt, a.GoneSeq, a.GoneIn = r.At, r.Answer, r.Epoch
		}
		a.Stable = 0
	} else {
		a.Gone = 0
		switch prev := c.PrevRead; {
		case !r.State.Terminal():
			a.Stable = 0
		case a.Stable > 0 && prev != nil && prev.Found && prev.State == r.State && prev.Digest == r.Digest:
			a.Stable++
		default:
			a.Stable = 1
		}
	}
	if a.Terminal == nil {
		return
	}
	a.AfterEnd++
	for _, n := range s.Pending {
		if cs := s.Commands[n-1]; cs.Cmd.Name == "poll" && cs.Task == c.Task.N {
			cs.Reads++
		}
	}
}

// foundAgain settles a reconciliation: the task is there again, or a second
// read, long enough after the first, does not know it either.
func (s *State) foundAgain(c *Change, a *Attempt, r *Read) {
	t := c.Task
	if a != t.Last() {
		return // another attempt has taken its place
	}
	if r.Found {
		t.Reconcile, t.Lost = false, false
		if r.Fresh && !r.State.Terminal() {
			s.Profile.Durable = "yes"
		}
		return
	}
	if c.Exchange.Purpose == PurposeResumeLost && a.Terminal == nil && a.State != "" {
		t.Reconcile, t.Lost = false, true
		s.Profile.Durable = "no"
		return
	}
	if a.Terminal != nil || a.State == "" || a.GoneSeq == r.Answer || r.Sent-a.GoneAt < s.Opened.Policy.DurableWait.D() {
		return
	}
	t.Reconcile, t.Lost = false, true
	if s.AsBefore(a, c.Exchange) {
		s.Profile.Durable = "no"
	}
}

// cancelAnswered keeps the first answer to a cancel.
func (s *State) cancelAnswered(c *Change, x *Exchange, a *Attempt, p *a2a.Payload) {
	said := a2a.State("")
	if p.Task != nil {
		said = p.Task.Status.State
	}
	if a.Late == nil && x.Asked.Terminal() {
		a.Late = &LateCancel{Exchange: x.N, Answer: c.Record.Seq, Said: said}
	}
	if e := p.Error; e != nil && e.Name == a2a.ErrTaskNotCancelable && (x.Asked == a2a.Submitted || x.Asked == a2a.Working) {
		if a.Refused == nil {
			a.Refused = &CancelRefusal{Exchange: x.N, Answer: c.Record.Seq, At: s.Elapsed, Epoch: s.Epoch}
		}
		return // right, if the task ended just then: what is seen of it next tells
	}
	s.profileCancel(x, said, p.Error)
	if a.Cancel != nil && a.Cancel.Said == a2a.Canceled || p.Error != nil || said == "" {
		return
	}
	c.CancelAnswered = true
	a.Cancel = &CancelFacts{Exchange: x.N, Answer: c.Record.Seq, At: s.Elapsed, Epoch: s.Epoch, Said: said, Before: a.State, Streams: len(s.OpenStreams(x.Task))}
	if said != a2a.Canceled {
		return
	}
	if len(s.OpenStreams(x.Task)) == 0 {
		a.Cancel.Watched = true
		return
	}
	s.arm(DueCancel, s.Opened.Policy.CancelWatch.D(), x.Task, 0, 0)
}

// outlived notes that a task whose cancel was refused is still at work.
func (s *State) outlived(c *Change, a *Attempt) {
	a.Refused.Outlived, c.CancelOutlived = true, true
	s.profileCancel(s.Exchanges[a.Refused.Exchange-1], "", &a2a.Error{Name: a2a.ErrTaskNotCancelable})
}

// outcome brings our word on the task up to date with the peer's.
func (s *State) outcome(t *Task) {
	a := t.Last()
	switch {
	case t.Lost:
		t.Outcome = OutcomeIndeterminate
	case a == nil:
		t.Outcome = OutcomeOpen
	case a.Orphaned:
		t.Outcome = OutcomeOrphaned
	case a.Message:
		t.Outcome = OutcomeAnswered
	case a.State == a2a.Failed && t.FalseFail:
		t.Outcome = OutcomeFalseFailure
	case a.State == a2a.Completed:
		t.Outcome = OutcomeDone
	case a.State == a2a.Failed:
		t.Outcome = OutcomeFailed
	case a.State == a2a.Canceled:
		t.Outcome = OutcomeCanceled
	case a.State == a2a.Rejected:
		t.Outcome = OutcomeRejected
	case t.Refused:
		t.Outcome = OutcomeRefused
	default:
		t.Outcome = OutcomeOpen
	}
}

// heard keeps a message of the task for people, once.
func (t *Task) heard(m *a2a.Message, seq uint64) bool {
	text := MessageText(m)
	if text == "" {
		return false
	}
	role := string(m.Role)
	for i := len(t.Messages) - 1; i >= 0 && i >= len(t.Messages)-8; i-- {
		if t.Messages[i].Role == role && t.Messages[i].Text == text {
			return false
		}
	}
	if len(t.Messages) >= maxMessages {
		t.MessagesMore++
		t.Messages[maxMessages-1] = MessageSeen{Role: role, Text: text, Seq: seq}
		return true
	}
	t.Messages = append(t.Messages, MessageSeen{Role: role, Text: text, Seq: seq})
	return true
}

// MessageText is a message as one text: text parts joined, data as JSON and
// URLs on lines of their own, files by name. It is cut at 4 KiB.
func MessageText(m *a2a.Message) string {
	var b strings.Builder
	for i := range m.Parts {
		if b.Len() > maxMessageText {
			break
		}
		p := &m.Parts[i]
		var line string
		switch p.Kind {
		case a2a.PartText:
			b.WriteString(beginning(p.Text))
			continue
		case a2a.PartData:
			line = string(p.Data[:min(len(p.Data), maxMessageText+1)])
		case a2a.PartURL:
			line = beginning(p.URL)
		case a2a.PartBytes:
			line = "[file " + beginning(p.Filename) + "]"
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(line)
	}
	text := b.String()
	if len(text) > maxMessageText {
		text = strings.ToValidUTF8(text[:maxMessageText], "") + "…"
	}
	return text
}

// beginning is as much of a text as shows that it has to be cut: it may be many
// megabytes long.
func beginning(text string) string { return text[:min(len(text), maxMessageText+1)] }
