package session

import (
	"time"

	"a2ascope/session/a2a"
)

// Change is what one record did to a State. Rules judge it; it holds nothing
// that is not in the log or the state.
type Change struct {
	Record         *Record
	Exchange       *Exchange // that the record belongs to; nil for none
	Task           *Task
	Attempt        *Attempt
	Payload        *a2a.Payload // the answer or event, decoded; nil when there was none
	StateBefore    a2a.State    // the attempt's last word before
	Read           *Read        // the record is the answer to a get
	PrevRead       *Read        // the get before it, if that was answered before this one was sent
	Timer          *Deadline    // the record is this deadline's
	Settled        bool         // the attempt became settled
	NewAttempt     *Attempt     // the peer answered as another task than it was asked about
	ClosedNow      bool         // a stream ended
	CancelAnswered bool
	CancelOutlived bool       // the task goes on although it could not be canceled
	Missed         *Elsewhere // another interface did not find the task, and this read through the one in use does

	// Of an event on a stream:
	Replayed      bool   // it was seen before, within a replayed prefix
	Backward      bool   // submitted after a later state, outside a replay
	AfterTerminal bool   // it follows the stream's own terminal state
	AfterCancel   bool   // it follows a cancel's answer by more than the race margin
	Foreign       string // it names this other task
	FirstEvent    bool
	Climbed       bool   // the request goes on, to the next rung of the ladder or where it was redirected to
	NewForm       string // the agent answered in another form than the usual one, for the first time: how it is
	ProvenNow     bool   // the agent itself answered for the first time at the address in use
	ResumeLost    bool   // TaskNotFound came to the answer to input-required
	Delivered     bool   // a push delivery with our token is known to be the attempt's

	Listed []ListedOdd // settled tasks that a list shows otherwise, for the second time

	CodeCame bool // an authorization server gave a code for the operator to enter
	NoToken  bool // it gave no token

	CardBefore      *a2a.Card // the card record replaced this one
	CardBeforeSeq   uint64
	CardSame        bool  // byte for byte
	CardAskedElse   bool  // it was asked for with another generation or other credentials
	CardUnchanged   bool  // a conditional read of it says so
	DiscoveryFailed bool  // every place was tried
	Err             error // the record could not be read
}

// NewState returns the state of an empty log.
func NewState() *State {
	return &State{

		Counts:  map[Claim]*Counts{},
		Trust:   map[Claim]*TrustState{},
		Prompts: map[string]string{},
	}
}

// Fold changes s by one record and says what changed. It is the only way in
// which a State changes. Records must come in order; Fold never fails: a
// record that cannot be read changes nothing but the head, and Change.Err says
// why.
func Fold(s *State, r *Record) Change {
	c := Change{Record: r}
	s.Seq, s.Head, s.Wall = r.Seq, r.Hash, r.Wall
	s.Size += int64(len(r.Body) + len(r.Raw))
	if r.Elapsed > s.Elapsed {
		s.Elapsed = r.Elapsed
	}
	if r.Exchange > 0 && r.Exchange <= len(s.Exchanges) {
		c.Exchange = s.Exchanges[r.Exchange-1]
		c.Task, c.Attempt = s.attemptOf(c.Exchange)
	} else if t := s.TaskN(r.Task); t != nil {
		c.Task, c.Attempt = t, t.Last()
	}
	if c.Attempt != nil {
		c.StateBefore = c.Attempt.State
	}
	s.apply(&c)
	s.after(&c)
	return c
}

func (s *State) apply(c *Change) {
	switch c.Record.Kind {
	case KindOpened:
		decoded(c, s.opened)
	case KindCommand:
		decoded(c, s.commanded)
	case KindCard:
		decoded(c, s.cardRead)
	case KindTrust:
		decoded(c, s.carried)
	case KindRequest:
		decoded(c, s.requested)
	case KindResponse:
		decoded(c, s.responded)
	case KindFrame:
		s.framed(c)
	case KindClosed:
		decoded(c, s.closed)
	case KindFault:
		decoded(c, s.faulted)
	case KindPush:
		decoded(c, s.pushed)
	case KindTimer:
		decoded(c, s.ticked)
	case KindFinding:
		decoded(c, s.found)
	case KindObserved:
		decoded(c, s.observed)
	case KindDecision:
		decoded(c, s.decided)
	case KindNote:
		decoded(c, s.noted)
	case KindEnded:
		decoded(c, s.ended)
	}
}

// decoded reads the record's body and hands it to one of the fold's arms.
func decoded[B any](c *Change, arm func(*Change, *B)) {
	var body B
	if c.Err = c.Record.Decode(&body); c.Err == nil {
		arm(c, &body)
	}
}

// after brings what follows from the facts up to date: whether the record's
// task is settled, whether it is read again, and which commands are over.
func (s *State) after(c *Change) {
	s.afterPush(c)
	s.filesCame(c)
	if c.Task != nil {
		s.wakeTask(c.Task)
		s.confirm(c)
		s.armLife(c)
	}
	if c.Record.Kind != KindFrame || c.FirstEvent || c.Attempt == nil || c.Attempt.State != c.StateBefore || c.Attempt.Message {
		s.readers()
		s.commandsOver()
	}
}

func (s *State) opened(c *Change, b *Opened) {
	if s.Started.IsZero() {
		s.Started = c.Record.Wall
	}
	s.Opened = *b
	s.Ended, s.LogFull = nil, false
	s.newEpoch(c.Record.Seq)
	if !b.Continued {
		s.Peer.Key = PeerKey(b.URL)
		return
	}
	for _, n := range s.Open {
		x := s.Exchanges[n-1]
		x.Over, x.OverSeq = true, c.Record.Seq
		if x.Answer == 0 {
			x.InDoubt = true
		}
		if x.Stream != nil {
			x.Stream.Closed, x.Stream.How = c.Record.Seq, ClosedContinued
		}
		s.disarmExchange(n)
	}
	s.Open = nil
	for _, n := range s.Pending {
		s.commandOver(s.Commands[n-1], ResultStopped, "the console ended before it was over")
	}
	s.Obligations = nil
	s.tokensGone()
	s.receiverGone()
	for _, t := range s.Tasks {
		if t.Reader != nil {
			t.Reader.Exchange, t.Reader.Next = 0, s.Elapsed
		}
		if s.armed(DueCancel, t.N, 0) { // its streams are gone: there is nothing left to watch
			s.arm(DueCancel, 0, t.N, 0, 0)
		}
	}
}

func (s *State) cardRead(c *Change, b *CardRead) {
	card, anomalies, err := a2a.DecodeCard(c.Record.Raw)
	if err != nil {
		c.Err = err
		return
	}
	if b.Extended {
		s.Peer.ExtendedCard, s.Peer.ExtendedSeq = &card, c.Record.Seq
		return
	}
	p := &s.Peer
	p.Signatures = b.Signatures
	if p.Card != nil && p.CardURL == b.URL {
		c.CardBefore, c.CardBeforeSeq = p.Card, p.CardSeq
		c.CardSame, c.CardAskedElse = p.CardSHA == b.SHA256, p.CardAsked != b.Asked
	}
	p.CardETag, p.CardAsked = b.ETag, b.Asked
	p.Card, p.CardSeq, p.CardSHA, p.Anomalies = &card, c.Record.Seq, b.SHA256, anomalies
	p.CardURL, p.Key, p.Undiscovered = b.URL, PeerKey(b.URL), false
	p.CardReads++
	s.chooseInterface()
	s.listInterfaces()
	s.tokensFromCard(c.Record.Seq)
	s.dropObligations(func(o *Obligation) bool { return o.Op == a2a.OpCard })
	s.armReread(b.MaxAge.D())
}

// armReread has the card read again: after its Cache-Control, else 300 s, and
// never sooner than 60 s (field note 004).
func (s *State) armReread(maxAge time.Duration) {
	if maxAge == 0 {
		maxAge = 300 * time.Second
	}
	s.arm(DueReread, max(maxAge, 60*time.Second), 0, 0, 0)
}

func (s *State) carried(c *Change, b *Carried) {
	s.Peer.Carried, s.Peer.CarriedSeq = *b, c.Record.Seq
	s.Profile = mergeProfile(b.Profile, s.Profile)
	for state, text := range b.Prompts {
		if _, ok := s.Prompts[state]; !ok {
			s.Prompts[state] = text
		}
	}
	for _, d := range b.Demoted {
		s.LastDecision++
		id := s.LastDecision
		s.Decisions = append(s.Decisions, &DecisionState{
			Decision: Decision{ID: id, Action: ActDemote, Claim: d.Claim, By: d.By, Reason: d.Reason, Until: d.Until, Cause: c.Record.Seq, Evidence: []uint64{}},
			Seq:      c.Record.Seq, At: d.At, Carried: true, From: d.Session,
		})
		s.Trust[d.Claim] = &TrustState{Trust: Demoted, Until: d.Until, Decision: id}
	}
	if b.Endpoint != "" && s.Peer.Override == "" {
		s.Peer.Override = b.Endpoint
		s.chooseInterface()
	}
}

func (s *State) noted(c *Change, b *Noted) {
	if b.Mark {
		s.Marks = append(s.Marks, c.Record.Seq)
	}
	result := ResultOK
	if b.Failed {
		result = ResultCannot
	}
	if cs := s.CommandN(b.Ends); cs != nil {
		s.commandOver(cs, result, b.Text)
	}
}

func (s *State) ended(c *Change, b *Ended) {
	s.Ended = b
	for _, n := range s.Pending {
		s.commandOver(s.Commands[n-1], ResultStopped, "the session was ended")
	}
}

// TaskN returns logical task n, or nil.
func (s *State) TaskN(n int) *Task {
	if n < 1 || n > len(s.Tasks) {
		return nil
	}
	return s.Tasks[n-1]
}

// ExchangeN returns exchange n, or nil.
func (s *State) ExchangeN(n int) *Exchange {
	if n < 1 || n > len(s.Exchanges) {
		return nil
	}
	return s.Exchanges[n-1]
}

// CommandN returns command n, or nil.
func (s *State) CommandN(n int) *CommandState {
	if n < 1 || n > len(s.Commands) {
		return nil
	}
	return s.Commands[n-1]
}

// Last returns the task's latest attempt, or nil when nothing was sent yet.
func (t *Task) Last() *Attempt {
	if len(t.Attempts) == 0 {
		return nil
	}
	return t.Attempts[len(t.Attempts)-1]
}

// State returns the peer's last word on the task: empty when it never said
// one.
func (t *Task) State() a2a.State {
	if a := t.Last(); a != nil {
		return a.State
	}
	return ""
}

func (s *State) attemptOf(x *Exchange) (*Task, *Attempt) {
	t := s.TaskN(x.Task)
	if t == nil {
		return nil, nil
	}
	if x.Attempt >= 1 && x.Attempt <= len(t.Attempts) {
		return t, t.Attempts[x.Attempt-1]
	}
	return t, nil
}

// OpenStreams returns the open streams of a logical task, in order.
func (s *State) OpenStreams(task int) []*Exchange {
	var out []*Exchange
	for _, n := range s.Open {
		if x := s.Exchanges[n-1]; x.Stream != nil && x.Task == task {
			out = append(out, x)
		}
	}
	return out
}

// Listening returns the open streams of a logical task, and the subscriptions
// to it that have no head yet, in order. The latter have no Stream.
func (s *State) Listening(task int) []*Exchange {
	var out []*Exchange
	for _, n := range s.Open {
		if x := s.Exchanges[n-1]; x.Task == task && (x.Stream != nil || x.Op == a2a.OpSubscribe) {
			out = append(out, x)
		}
	}
	return out
}

// since returns the session time that has passed since at, or -1 when the two
// lie in different epochs and must not be compared.
func (s *State) since(at time.Duration, epoch int) time.Duration {
	if epoch != s.Epoch {
		return -1
	}
	return s.Elapsed - at
}
