package session

import (
	"sort"
	"strconv"
	"strings"
	"time"

	"a2ascope/session/a2a"
)

// requested folds a request: an exchange is open.
func (s *State) requested(c *Change, b *Requested) {
	if s.CommandN(b.Command) == nil {
		b.Command = 0 // a log from elsewhere can name any
	}
	x := &Exchange{
		N: len(s.Exchanges) + 1, Op: b.Op, Gen: b.Gen, Binding: b.Binding, URL: b.URL, Task: c.Record.Task,
		Obligation: b.Obligation, Request: c.Record.Seq, Sent: s.Elapsed, Epoch: s.Epoch, MessageID: b.MessageID,
		ServerTask: b.TaskID, RPCID: b.RPCID, Rung: b.Rung, Hop: b.Hop, On: s.Peer.Use, Get: b.HTTPMethod == "GET", Parts: b.Parts, HistoryLen: b.HistoryLen,
		Blocking: b.Blocking, Receiver: b.Receiver, With: b.Authenticated, Withheld: b.Withheld != "", Command: b.Command, Meant: b.Command, Purpose: b.Purpose, Reader: b.Reader,
	}
	s.Exchanges = append(s.Exchanges, x)
	s.Peer.Certified = s.Peer.Certified || strings.Contains(b.Authenticated, "client certificate")
	s.Open = append(s.Open, x.N)
	c.Exchange = x
	c.Task = s.TaskN(x.Task)
	if o := s.obligationN(b.Obligation); o != nil {
		x.On = o.rung(&s.Peer)
		if o.Meant != 0 {
			x.Meant = o.Meant
		}
		o.Exchange, o.MessageID, o.Redirect, o.Hop = x.N, b.MessageID, "", 0
	} else if b.Reader && c.Task != nil && c.Task.Reader != nil {
		c.Task.Reader.Exchange, c.Task.Reader.Redirect, c.Task.Reader.Hop = x.N, "", 0
	}
	if cs := s.CommandN(b.Command); cs != nil {
		cs.Exchanges = append(cs.Exchanges, x.N)
	}
	if c.Task != nil {
		s.addressed(c, x, b)
	}
	if x.Op == a2a.OpSubscribe {
		s.arm(DueHead, s.window(), 0, x.N, 0)
	}
}

// addressed folds what a request means for the task that it is about.
func (s *State) addressed(c *Change, x *Exchange, b *Requested) {
	t := c.Task
	message := b.Op == a2a.OpSend || b.Op == a2a.OpStream
	if message && t.minted(b.TaskID) {
		x.ServerTask = ""
	}
	first := b.Rung == 0 && b.Hop == 0 // else it is the same message once more
	if message && x.ServerTask == "" && first && len(t.Attempts) < maxAttempts {
		t.Attempts = append(t.Attempts, &Attempt{N: len(t.Attempts) + 1, First: c.Record.Seq, ContextID: b.ContextID, MovedAt: s.Elapsed})
		s.disarmLife(t.N) // its time counts anew
	}
	x.Attempt = len(t.Attempts)
	if x.ServerTask != "" {
		for _, a := range t.Attempts {
			if a.ServerID == x.ServerTask {
				x.Attempt = a.N
			}
		}
	}
	_, a := s.attemptOf(x)
	c.Attempt = a
	if a != nil {
		x.Asked, c.StateBefore = a.State, a.State
	}
	if !message {
		return
	}
	t.Turns++
	t.Talk = insertSorted(t.Talk, x.N)
	x.Turn = &Turn{N: t.Turns, Known: map[string]string{}, Whole: x.ServerTask == "" || a != nil && a.ToldSeq > 0 && a.ToldSeq >= a.StateSeq}
	if a != nil {
		for _, list := range [][]a2a.AssembledArtifact{a.Streamed.Artifacts(), a.Told.Artifacts()} {
			for _, art := range list {
				x.Turn.Known[art.ID] = art.Digest
			}
		}
	}
	if t.FirstSend == 0 {
		t.FirstSend = c.Record.Seq
	}
	t.LastSend = c.Record.Seq
	if x.ServerTask != "" && len(t.Answers) < maxEvidence {
		t.Answers = append(t.Answers, c.Record.Seq)
	}
	if first {
		if m, err := a2a.DecodeRequestWords(b.Content(c.Record.Raw)); err == nil {
			t.heard(m, c.Record.Seq)
		}
	}
}

// responded folds an answer, or the head of a stream.
func (s *State) responded(c *Change, b *Responded) {
	x := c.Exchange
	if x == nil || x.Over {
		return
	}
	x.Answer, x.Answered, x.Status, x.Challenge = c.Record.Seq, s.Elapsed, b.Status, b.Challenge
	s.LastFault = false
	s.fromReplay(c, b)
	if refusesUs(b.Status) && x.Op != a2a.OpToken {
		s.Denied++
	}
	if b.Stream && b.Status/100 == 2 {
		s.tokenTaken(x)
		s.answeredAt(x, b.Status, true)
		s.streamOpened(c, x)
		return
	}
	body, err := responseBody(c.Record.Raw, b)
	if err != nil {
		c.Err = err
	}
	s.endExchange(x, c.Record.Seq)
	if s.redirected(c, x, b) {
		return
	}
	if x.Op == a2a.OpCard {
		s.cardAnswered(c, x, b, body)
		return
	}
	if x.Op == a2a.OpToken {
		s.tokenAnswered(c, x, b.Status, body)
		return
	}
	p := a2a.Decode(a2a.Input{Raw: body, Op: x.Op, HTTPStatus: b.Status, Odd: b.Odd})
	c.Payload = &p
	x.Kind, x.Error = p.Kind, p.Error
	if b.Cut != "" && p.Kind == a2a.KindUnreadable {
		s.brokeOff(c, x, b.Cut)
		return
	}
	if seconds, err := strconv.Atoi(b.RetryAfter); err == nil && seconds > 0 && c.Attempt != nil {
		c.Attempt.PollHint = time.Duration(min(seconds, maxRetryAfter)) * time.Second
	}
	s.answeredAt(x, b.Status, false)
	s.countAccess(x, b.Status, &p)
	if s.tokenRefused(c, x, b.Status, &p) || s.climb(c, x, b.Status) || s.otherName(c, x) || s.otherCardName(c, x) {
		return
	}
	s.fulfilExchange(x)
	if x.Purpose == PurposeCompare {
		s.compared(c, x, &p)
		return
	}
	s.answered(c, x, &p)
}

// maxRetryAfter bounds the cadence that a Retry-After can ask for, in seconds.
const maxRetryAfter = 24 * 60 * 60

// brokeOff folds an answer that was cut in the middle: a fault, and no word of
// the peer's software.
func (s *State) brokeOff(c *Change, x *Exchange, why string) {
	c.Payload = nil
	x.Kind, x.Error, x.Fault = "", nil, "the answer broke off: "+why
	s.FaultCount++
	s.LastFault = true
	if len(s.Faults) < maxFaults {
		s.Faults = append(s.Faults, FaultSeen{Seq: c.Record.Seq, What: x.Fault})
	}
	if c.Attempt != nil && x.Op == a2a.OpGet {
		c.Attempt.Failed++
	}
	s.fulfilExchange(x)
	s.beforeResume(x)
}

// countAccess keeps what the exit status needs: whether the agent let us in.
// An answer of its own says so, an error too that is not about who we are; a
// page of something before it does not.
func (s *State) countAccess(x *Exchange, status int, p *a2a.Payload) {
	e := p.Error
	switch {
	case refusesUs(status): // counted by its head
	case deniesUs(e):
		s.Denied++
	case e != nil && e.A2A, e == nil && status/100 == 2 && p.Kind != a2a.KindUnreadable:
		s.Served++
	}
}

// refusesUs reports whether a status says that our credentials are refused.
func refusesUs(status int) bool {
	return status == a2a.StatusUnauthorized || status == a2a.StatusForbidden
}

// deniesUs reports whether an error, where there is one, says so.
func deniesUs(e *a2a.Error) bool {
	return e != nil && (e.Name == a2a.ErrUnauthenticated || e.Name == a2a.ErrPermissionDenied)
}

// endExchange closes an exchange that brings nothing more.
func (s *State) endExchange(x *Exchange, seq uint64) {
	x.Over, x.OverSeq = true, seq
	for i, n := range s.Open {
		if n == x.N {
			s.Open = append(s.Open[:i:i], s.Open[i+1:]...)
			break
		}
	}
	s.disarmExchange(x.N)
	if t := s.TaskN(x.Task); t != nil && t.Reader != nil && t.Reader.Exchange == x.N {
		t.Reader.Exchange = 0
		t.Reader.Next = s.Elapsed + t.Reader.Every
	}
}

// fulfilExchange removes the obligation that the exchange carried out.
func (s *State) fulfilExchange(x *Exchange) {
	if o := s.obligationN(x.Obligation); o != nil && o.Exchange == x.N {
		s.fulfil(o.N)
	}
}

// answered folds a decoded answer that is not a stream.
func (s *State) answered(c *Change, x *Exchange, p *a2a.Payload) {
	a := c.Attempt
	if x.Op == a2a.OpGet && a != nil {
		s.wasRead(c, x, a, p)
	}
	if x.Op == a2a.OpCancel && a != nil {
		s.cancelAnswered(c, x, a, p)
	}
	switch {
	case p.Task != nil && a != nil:
		s.learnTask(c, x, p.Task, viaOf(x.Op))
	case p.Message != nil && a != nil && (x.Op == a2a.OpSend || x.Op == a2a.OpStream):
		s.learnMessage(c, a, p.Message)
	case p.List != nil:
		s.learnList(c, x, p.List)
	case p.Error != nil && x.Op == a2a.OpSubscribe:
		s.subscribeRefused(x, p.Error)
	}
	if x.Op == a2a.OpSend || x.Op == a2a.OpStream {
		s.messageAnswered(c, x, p)
	}
	s.beforeResume(x)
}

func viaOf(op a2a.Operation) Via {
	switch op {
	case a2a.OpGet:
		return ViaGet
	case a2a.OpCancel:
		return ViaCancel
	case a2a.OpList:
		return ViaList
	}
	return ViaSend
}

// faulted folds a transport error: it says nothing of the peer's claims.
func (s *State) faulted(c *Change, b *Faulted) {
	x := c.Exchange
	if b.Phase == PhasePrepare {
		s.unprepared(c, b)
		return
	}
	s.FaultCount++
	s.LastFault = true
	if len(s.Faults) < maxFaults {
		s.Faults = append(s.Faults, FaultSeen{Seq: c.Record.Seq, What: b.Error})
	}
	if x == nil || x.Over {
		return
	}
	x.Answer, x.Answered, x.Fault = c.Record.Seq, s.Elapsed, b.Error
	s.endExchange(x, c.Record.Seq)
	switch {
	case x.Op == a2a.OpCard:
		s.nextPlace(c, x, true)
		return
	case x.Op == a2a.OpToken && s.tokenUnanswered(x, b.Error):
		return
	}
	if c.Attempt != nil && x.Op == a2a.OpGet && x.Purpose != PurposeCompare {
		c.Attempt.Failed++
	}
	s.fulfilExchange(x)
	s.beforeResume(x)
}

// PhasePrepare is the phase of a fault that says that a request could not be
// made at all: nothing left the console, and its command cannot be carried
// out.
const PhasePrepare = "prepare"

func (s *State) unprepared(c *Change, b *Faulted) {
	x := c.Exchange
	if x == nil || x.Over {
		return
	}
	x.Answer, x.Answered, x.Fault = c.Record.Seq, s.Elapsed, b.Error
	s.endExchange(x, c.Record.Seq)
	if c.Attempt != nil && x.Op == a2a.OpGet {
		c.Attempt.Failed++
	}
	s.fulfilExchange(x)
	if x.Command > 0 {
		s.commandOver(s.Commands[x.Command-1], ResultCannot, b.Error)
	}
}

// closed folds the end of a stream.
func (s *State) closed(c *Change, b *Closed) {
	x := c.Exchange
	if x == nil || x.Over {
		return
	}
	st := x.Stream
	if st == nil {
		st = &Stream{}
		s.becameStream(x, st)
	}
	st.Closed, st.How, st.Held = c.Record.Seq, b.How, b.Held
	c.ClosedNow = true
	if b.How == ClosedClean {
		s.LastFault = false
	}
	if b.How == ClosedCut {
		s.FaultCount++
		s.LastFault = true
		if len(s.Faults) < maxFaults {
			s.Faults = append(s.Faults, FaultSeen{Seq: c.Record.Seq, What: "the stream broke off: " + b.Error})
		}
	}
	s.endExchange(x, c.Record.Seq)
	s.fulfilExchange(x)
	if c.Attempt != nil && c.Attempt.Cancel != nil && len(s.OpenStreams(x.Task)) == 0 {
		c.Attempt.Cancel.Watched = true
		s.disarmKind(DueCancel, x.Task, 0)
	}
}

// beforeResume looks at the one get that precedes a resume at a peer of
// unknown profile: the resume is withheld when the task does not wait.
func (s *State) beforeResume(x *Exchange) {
	if x.Op != a2a.OpGet || x.Command == 0 || x.Purpose == PurposeInUse {
		return
	}
	cs := s.Commands[x.Command-1]
	if cs.Cmd.Name == "get" || cs.Over {
		return
	}
	if t := s.TaskN(x.Task); t != nil && x.Fault == "" && (x.Error == nil || x.Error.Name != a2a.ErrTaskNotFound) {
		s.withheldResume(cs, t)
	}
}

func mergeSorted(list []string, add string) []string {
	if add == "" {
		return list
	}
	i := sort.SearchStrings(list, add)
	if i < len(list) && list[i] == add {
		return list
	}
	list = append(list, "")
	copy(list[i+1:], list[i:])
	list[i] = add
	return list
}

// ResponseBody returns the body of a response after content decoding, as the
// fold reads it. One that cannot be decoded is returned as it came, with an
// error.
func ResponseBody(raw []byte, b *Responded) ([]byte, error) { return responseBody(raw, b) }
