package session

import (
	"bytes"
	"slices"
	"time"

	"a2ascope/session/a2a"
)

// streamOpened folds the head of an event stream.
func (s *State) streamOpened(c *Change, x *Exchange) {
	st := &Stream{Epoch: x.Epoch}
	s.becameStream(x, st)
	s.disarmKind(DueHead, 0, x.N)
	x.Quiet = false
	st.Joined = x.Op == a2a.OpSubscribe || x.ServerTask != ""
	st.Matching = st.Joined && c.Attempt != nil && len(c.Attempt.Keys) > 0
	s.arm(DueWindow, s.window(), 0, x.N, 0)
	s.arm(DueIdle, s.Opened.Policy.IdlePoll.D(), 0, x.N, 0)
	if s.LogFull {
		s.dropFull(x)
	}
	// The stream is open: whatever it brings, the request was taken.
	if o := s.obligationN(x.Obligation); o != nil && o.Exchange == x.N && s.rungsLeft(o) == nil {
		s.fulfil(o.N)
	}
}

// becameStream keeps that an exchange is a stream.
func (s *State) becameStream(x *Exchange, st *Stream) {
	if x.Stream == nil {
		s.Streams++
	}
	x.Stream = st
	if t := s.TaskN(x.Task); t != nil {
		t.Talk = insertSorted(t.Talk, x.N)
	}
}

// framed folds what arrived on an open stream.
func (s *State) framed(c *Change) {
	x := c.Exchange
	if x == nil || x.Stream == nil || x.Over {
		return
	}
	b, err := DecodeFramed(c.Record.Body)
	if err != nil {
		c.Err = err
		return
	}
	st := x.Stream
	st.Frames++
	st.Bytes += int64(len(c.Record.Raw))
	st.Idle = false
	s.push(DueIdle, x.N)
	data, ok := frameData(c.Record.Raw, &b)
	if !ok {
		return
	}
	p := a2a.Decode(a2a.Input{Raw: data, Op: x.Op, Odd: b.Odd})
	c.Payload = &p
	if p.Kind == a2a.KindUnreadable {
		st.Unread++
		return
	}
	if b.Kind == "tail" {
		st.Tail = c.Record.Seq
	}
	if st.Events == 0 {
		c.FirstEvent = true
		if s.firstEvent(c, x, &p) {
			return
		}
	}
	s.event(c, x, &b, &p)
}

// frameData returns the JSON that a frame carries.
func frameData(raw []byte, b *Framed) ([]byte, bool) {
	if len(b.ProtoJSON) > 0 {
		return b.ProtoJSON, true
	}
	switch b.Kind {
	case "event", "tail":
		ev := a2a.EventData(raw)
		return ev, len(ev) > 0
	case "document":
		return bytes.Trim(raw, " \t\r\n,\x1e"), true // what stands between two
	case "message": // of gRPC, without its JSON: it could not be read
		return raw, true
	}
	return nil, false
}

// firstEvent settles whether the request was taken: an error as the first
// event may send the message up the ladder.
func (s *State) firstEvent(c *Change, x *Exchange, p *a2a.Payload) bool {
	if p.Error != nil {
		x.Error = p.Error
		if s.climb(c, x, 0) {
			x.Stream.Errors++
			x.Stream.Events++
			s.StreamEvents++
			return true
		}
	}
	s.disarmKind(DueWindow, 0, x.N)
	s.fulfilExchange(x)
	if p.Error == nil {
		s.proven(c, x)
	}
	return false
}

// event folds one decoded event.
func (s *State) event(c *Change, x *Exchange, b *Framed, p *a2a.Payload) {
	st, a := x.Stream, c.Attempt
	at := s.Elapsed - b.Lead.D()
	st.Events++
	s.StreamEvents++
	s.catchUp(st, at)
	if st.FirstAt == 0 {
		st.FirstAt = at
	}
	st.LastAt, st.LastHeld = at, b.Held
	x.Kind = p.Kind
	s.countAccess(x, 200, p)
	if p.Error != nil {
		st.Errors++
		x.Error = p.Error
		if x.Op == a2a.OpSubscribe {
			s.subscribeRefused(x, p.Error)
		} else {
			s.messageAnswered(c, x, p)
		}
		return
	}
	if a == nil {
		return
	}
	s.matchReplay(c, st, a, p)
	s.burst(st, a, at, b.Held, p, c.Record.Seq)
	s.learnEvent(c, x, p, at, b.Held)
	if c.FirstEvent && x.Turn != nil {
		s.messageAnswered(c, x, p)
	}
	if st.Joined && c.Replayed {
		s.profileSubscribe(x, "replays")
	} else if st.Joined && st.News && st.Replayed == 0 {
		s.profileSubscribe(x, "resumes")
	}
}

// learnEvent folds what an event says of its task.
func (s *State) learnEvent(c *Change, x *Exchange, p *a2a.Payload, at time.Duration, held bool) {
	st := x.Stream
	switch {
	case p.Message != nil:
		if st.Statuses+st.Artifacts == 0 {
			st.Message = true
			s.learnMessage(c, c.Attempt, p.Message)
		} else {
			c.Task.heard(p.Message, c.Record.Seq)
		}
	case p.Task != nil:
		s.snapshot(c, x, p.Task, at, held)
	case p.Status != nil:
		s.statusEvent(c, x, p.Status, at, held)
	case p.Artifact != nil:
		s.artifactEvent(c, x, p.Artifact, at, held)
	default:
		st.Unread++
	}
}

func (s *State) snapshot(c *Change, x *Exchange, t *a2a.Task, at time.Duration, held bool) {
	st := x.Stream
	if len(t.Artifacts) > 0 {
		st.Artifacts++
	}
	st.Statuses++
	if !c.Replayed {
		s.judgePlace(c, x, t.Status.State, false, at, held)
	}
	s.learnTask(c, x, t, streamVia(x))
	if c.Attempt != nil && len(t.Artifacts) > 0 && !c.Replayed {
		c.Attempt.Streamed.Replace(t.Artifacts)
	}
	s.streamState(c, x, &t.Status, at)
}

func (s *State) statusEvent(c *Change, x *Exchange, u *a2a.StatusUpdate, at time.Duration, held bool) {
	st := x.Stream
	st.Statuses++
	if s.foreign(c, u.TaskID) {
		return
	}
	if !c.Replayed {
		s.judgePlace(c, x, u.Status.State, false, at, held)
	}
	s.identify(c, x, u.TaskID, u.ContextID)
	s.learnStatus(c, &u.Status, streamVia(x))
	if u.PollHint > 0 && c.Attempt != nil {
		c.Attempt.PollHint = u.PollHint
	}
	s.streamState(c, x, &u.Status, at)
	if u.Final != nil && *u.Final && st.Final == 0 {
		st.Final = c.Record.Seq
		s.closeDue(x, u.Status.State)
	}
}

func (s *State) artifactEvent(c *Change, x *Exchange, u *a2a.ArtifactUpdate, at time.Duration, held bool) {
	st := x.Stream
	st.Artifacts++
	if s.foreign(c, u.TaskID) {
		return
	}
	s.identify(c, x, u.TaskID, u.ContextID)
	if c.Replayed {
		return
	}
	s.judgePlace(c, x, "", true, at, held)
	a := c.Attempt
	if !s.toldBeside(x) {
		odd := a.Streamed.Apply(*u)
		if !x.Stream.Joined && !toldOf(a, u.Artifact.ID) { // else its beginning was told before, or to others
			c.Payload.Anomalies = append(c.Payload.Anomalies, odd...)
		}
	}
	a.MovedAt = s.Elapsed
	for i := range u.Artifact.Parts {
		s.Profile.VerifiedOutputModes = mergeSorted(s.Profile.VerifiedOutputModes, u.Artifact.Parts[i].Mode())
	}
}

// toldOf reports whether a whole task has told the attempt's artifact.
func toldOf(a *Attempt, id string) bool {
	return slices.ContainsFunc(a.Told.Items, func(item a2a.Assembled) bool { return item.ID == id })
}

// toldBeside reports whether an earlier stream of the attempt is still open:
// it brings the same chunks, and they are put together once.
func (s *State) toldBeside(x *Exchange) bool {
	for _, y := range s.OpenStreams(x.Task) {
		if y.N < x.N && y.Attempt == x.Attempt && y.Stream.Events > 0 {
			return true
		}
	}
	return false
}

func streamVia(x *Exchange) Via {
	if x.Op == a2a.OpSubscribe {
		return ViaSubscribe
	}
	return ViaStream
}

// judgePlace notes where an event stands: behind a cancel's refusal, the
// stream's own terminal state, or a cancel's answer (DESIGN.md §5, cancel-final
// and terminal-final). An artifact, or a state other than the terminal one, has no
// place there.
func (s *State) judgePlace(c *Change, x *Exchange, state a2a.State, artifact bool, at time.Duration, held bool) {
	st, a := x.Stream, c.Attempt
	if a != nil && a.Refused != nil && !a.Refused.Outlived && !state.Terminal() && st.Terminal == nil && !held &&
		a.Refused.Epoch == s.Epoch && at-a.Refused.At > s.Opened.Policy.RaceMargin.D() {
		s.outlived(c, a)
	}
	if st.Terminal != nil && !artifact && state == st.Terminal.State {
		return
	}
	canceled := a != nil && a.Cancel != nil && a.Cancel.Said == a2a.Canceled
	if st.Terminal != nil && (!canceled || st.Terminal.State == a2a.Canceled) {
		c.AfterTerminal = true
		st.AfterTerminal++
		st.AfterEvidence = evidence(st.AfterEvidence, c.Record.Seq)
		return
	}
	if !canceled || state == a2a.Canceled || x.Op == a2a.OpSubscribe && x.Request > a.Cancel.Answer {
		return // a subscription to what is over may tell how it came to be
	}
	if a.Cancel.Epoch == s.Epoch && !held && at-a.Cancel.At > s.Opened.Policy.RaceMargin.D() {
		c.AfterCancel = true
		st.AfterCancel++
		st.CancelEvidence = evidence(st.CancelEvidence, c.Record.Seq)
	}
}

func evidence(list []uint64, seq uint64) []uint64 {
	if len(list) >= maxEvidence {
		return list
	}
	return append(list, seq)
}

// streamState keeps the last state that the stream brought, and its own end.
func (s *State) streamState(c *Change, x *Exchange, status *a2a.Status, at time.Duration) {
	st := x.Stream
	if status.State == "" || status.State == a2a.Unspecified {
		return
	}
	st.Said = status.State
	if c.Replayed {
		return
	}
	st.Last = status.State
	if !status.State.Terminal() || st.Terminal != nil {
		return
	}
	st.Terminal = &Seen{State: status.State, Seq: c.Record.Seq, At: at, Via: streamVia(x), Exchange: x.N, Epoch: s.Epoch, Stamp: status.Timestamp}
	if gen := c.Payload.Gen; gen == a2a.Gen10 || gen == "" && x.Gen == a2a.Gen10 {
		s.closeDue(x, status.State) // before 1.0 it is final that ends a stream
	}
}

// closeDue starts the window in which a stream must close. Open or closed at
// an interrupted state are both legal.
func (s *State) closeDue(x *Exchange, state a2a.State) {
	if !state.Interrupted() && !s.armed(DueClose, 0, x.N) {
		s.arm(DueClose, s.Opened.Policy.CloseWindow.D(), 0, x.N, 0)
	}
}

// matchReplay matches an event as part of a prefix against what was seen on
// the attempt's streams (DESIGN.md §5, states-forward). After the first event
// that does not match, everything is news.
func (s *State) matchReplay(c *Change, st *Stream, a *Attempt, p *a2a.Payload) {
	if len(a.Keys) >= maxEventKeys && !st.Matching {
		return
	}
	key := eventKey(p)
	if st.Matching {
		for i := st.Pos; i < len(a.Keys); i++ {
			if a.Keys[i] == key {
				st.Pos = i + 1
				st.Replayed++
				c.Replayed = true
				return
			}
			if !st.skippable(i) {
				break
			}
		}
		if p.Task != nil && st.Replayed == 0 && st.Events == 1 {
			return // the snapshot that opens a subscription
		}
		st.Matching = false
	}
	if st.Joined && !st.News && c.Exchange.knows(a, p) {
		st.Replayed++
		c.Replayed = true
		return
	}
	st.News = true
	if len(a.Keys) < maxEventKeys {
		a.Keys = append(a.Keys, key)
	}
}

// knows reports whether an event at the beginning of a stream that was joined
// tells a state that another view had shown before: of the same date, or the
// submitted with which a replay begins.
func (x *Exchange) knows(a *Attempt, p *a2a.Payload) bool {
	if p.Status == nil || p.Status.Status.State == a.State || a.State == "" {
		return false
	}
	told, seen := &p.Status.Status, false
	for i := range a.States {
		was := &a.States[i]
		if was.State != told.State {
			continue
		}
		seen = true
		if was.Stamp.IsZero() || told.Timestamp.IsZero() {
			seen = false // nothing to tell two of them apart by
		} else if was.Stamp.Equal(told.Timestamp) {
			return true
		}
	}
	return told.State == a2a.Submitted && !seen && x.Op == a2a.OpSubscribe
}

// skippable: a replay may leave out the snapshot that opened the first stream.
func (st *Stream) skippable(i int) bool { return st.Replayed == 0 && i == 0 }

func eventKey(p *a2a.Payload) uint64 {
	const offset, prime = 14695981039346656037, 1099511628211
	h := uint64(offset) // FNV-1a
	for _, b := range []byte(p.ReplayKey()) {
		h = (h ^ uint64(b)) * prime
	}
	return h
}
