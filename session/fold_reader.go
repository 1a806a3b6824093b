package session

import (
	"slices"
	"sort"
	"time"

	"a2ascope/session/a2a"
)

// Reasons for which a task is read again and again.
const (
	ReadConfirm   = "confirm"   // a terminal state was seen: is it true, and does it stay?
	ReadPoll      = "poll"      // a poll command
	ReadWait      = "wait"      // a wait, and no stream brings news
	ReadIdle      = "idle"      // an open stream is silent
	ReadFallBack  = "fall-back" // the stream brought nothing
	ReadTruncated = "truncated" // a stream ended in mid-work
	ReadReconcile = "reconcile" // the peer says that it does not know the task
)

// confirm brings up to date whether the record's attempt is settled: its end
// was read often enough, and after a cancel the streams were watched.
func (s *State) confirm(c *Change) {
	t, a := c.Task, c.Attempt
	if a == nil {
		return
	}
	if t.Lost && a.State != "" && c.Read != nil && c.Read.Found {
		t.Lost, t.Reconcile = false, false
	}
	if a.Settled || a.Terminal == nil && !a.Message {
		s.outcome(t)
		return
	}
	p := s.Opened.Policy
	confirmed := a.Message || a.Stable >= p.SettleReads || a.Gone >= p.SettleReads
	watched := a.Cancel == nil || a.Cancel.Said != a2a.Canceled || a.Cancel.Watched
	switch {
	case confirmed && watched:
		a.Settled = true
		c.Settled = true
		s.disarmLife(t.N)
	case a.AfterEnd >= p.SettleMax, a.Failed >= 3:
		a.GaveUp = true
	}
	s.outcome(t)
}

// readers brings the readers of the tasks that are awake up to date with the
// reasons for them. One that is not read and has nothing under way falls
// asleep: nothing but a record about it can give it a reader again.
func (s *State) readers() {
	awake := s.Awake[:0]
	for _, n := range s.Awake {
		t := s.Tasks[n-1]
		s.reader(t)
		if s.rests(t) {
			t.Awake = false
			continue
		}
		awake = append(awake, n)
	}
	s.Awake = awake
}

// rests reports whether nothing is under way on a task.
func (s *State) rests(t *Task) bool {
	if t.Reader != nil || s.find(func(o *Obligation) bool { return o.Task == t.N }) != nil {
		return false
	}
	for _, n := range s.Open {
		if s.Exchanges[n-1].Task == t.N {
			return false
		}
	}
	for _, n := range s.Pending {
		if s.Commands[n-1].Task == t.N {
			return false
		}
	}
	return true
}

// wakeTask has a task's reader looked at, and its view made anew.
func (s *State) wakeTask(t *Task) {
	t.Touched = s.Seq
	if t.Awake {
		return
	}
	t.Awake = true
	s.Awake = insertSorted(s.Awake, t.N)
}

// insertSorted adds a number to a sorted list, once.
func insertSorted(list []int, n int) []int {
	i, there := slices.BinarySearch(list, n)
	if there {
		return list
	}
	return slices.Insert(list, i, n)
}

func (s *State) reader(t *Task) {
	a := t.Last()
	if a == nil || a.ServerID == "" || t.Lost && !s.polled(t) {
		t.Reader = nil
		return
	}
	reasons, every, soon := s.reasons(t, a)
	if t.Refused && !s.polled(t) && a.Terminal == nil { // only its end is still confirmed
		reasons = nil
	}
	if len(reasons) == 0 {
		t.Reader = nil
		return
	}
	sort.Strings(reasons)
	if t.Reader == nil {
		first := s.Elapsed + soon
		if n := len(a.Reads); n > 0 && soon == 0 {
			first = max(first, min(a.Reads[n-1].At+every, s.Elapsed+every))
		}
		t.Reader = &Reader{Reasons: reasons, Every: every, Next: first, Cause: s.Seq}
		return
	}
	r := t.Reader
	if r.Exchange == 0 && every < r.Every {
		r.Next = min(r.Next, s.Elapsed+every)
	}
	if len(r.Reasons) < len(reasons) && r.Exchange == 0 && soon == 0 && a.Terminal != nil && a.AfterEnd == 0 {
		r.Next = s.Elapsed // the end was just seen: the first look at it does not wait
	}
	r.Reasons, r.Every = reasons, every
}

// reasons says why the task is read, how often, and how long before the first
// read.
func (s *State) reasons(t *Task, a *Attempt) (reasons []string, every, soon time.Duration) {
	p := s.Opened.Policy
	every = p.SettleEvery.D()
	if a.PollHint > every && a.Terminal == nil {
		every = a.PollHint
	}
	polls, waits := s.watchers(t)
	if a.Terminal != nil && !a.Settled && !a.GaveUp && a.Stable < p.SettleReads && a.Gone < p.SettleReads {
		reasons = append(reasons, ReadConfirm)
		every = p.SettleEvery.D()
	}
	if len(polls) > 0 && !a.Settled {
		reasons = append(reasons, ReadPoll)
		for _, cs := range polls {
			d := cs.Cmd.Every
			if d == 0 {
				d = DefaultEvery
			}
			if len(reasons) == 1 || d < every {
				every = d
			}
		}
	}
	if t.Reconcile && a.Terminal == nil {
		reasons = append(reasons, ReadReconcile)
		every, soon = p.DurableWait.D(), p.DurableWait.D()
	}
	if a.Terminal != nil || a.State.Interrupted() && !s.messagePending(t) && !s.answerAwaited(t) {
		return reasons, every, soon
	}
	open := s.OpenStreams(t.N)
	idle, silent := false, t.FallBack
	for _, x := range open {
		idle = idle || x.Stream.Idle
		silent = silent || x.Stream.Silent
	}
	for _, x := range s.Listening(t.N) {
		idle = idle || x.Quiet
	}
	switch {
	case len(open) > 0 && !idle && !silent: // a lively stream brings the news
	case t.FallBack || silent:
		reasons = append(reasons, ReadFallBack)
	case idle:
		reasons = append(reasons, ReadIdle)
	case s.truncated(t):
		reasons = append(reasons, ReadTruncated)
	}
	if waits > 0 && (len(open) == 0 || idle || silent) && !s.messagePending(t) {
		reasons = append(reasons, ReadWait)
	}
	return reasons, every, soon
}

// watchers returns the poll commands on the task, and how many waits there
// are that need news of it.
func (s *State) watchers(t *Task) (polls []*CommandState, waits int) {
	for _, n := range s.Pending {
		cs := s.Commands[n-1]
		if cs.Task != t.N {
			continue
		}
		switch {
		case cs.Cmd.Name == "poll":
			polls = append(polls, cs)
		case cs.Cmd.Name == "wait" && (cs.Cmd.Sub == "settled" || cs.Cmd.Sub == "state"):
			waits++
		}
	}
	return polls, waits
}

func (s *State) polled(t *Task) bool {
	polls, _ := s.watchers(t)
	return len(polls) > 0
}

// truncated reports whether the task's last stream ended cleanly in mid-work,
// and no read after it has said how the task is.
func (s *State) truncated(t *Task) bool {
	for _, n := range slices.Backward(t.Talk) {
		x := s.Exchanges[n-1]
		if x.Stream == nil {
			continue
		}
		st := x.Stream
		if !x.Over || st.How != ClosedClean || st.Events == 0 || st.Terminal != nil || st.Last.Interrupted() || st.Message {
			return false
		}
		a := t.Last()
		n := len(a.Reads)
		return n == 0 || a.Reads[n-1].Request < st.Closed
	}
	return false
}

// armLife keeps the deadlines on how long a task may be submitted or working
// (field notes 001 and 002).
func (s *State) armLife(c *Change) {
	t, a := c.Task, c.Attempt
	if a == nil || a.State == c.StateBefore && c.Record.Kind != KindFrame {
		return
	}
	p := s.Opened.Policy
	switch a.State {
	case a2a.Submitted:
		if !s.armed(DueSubmitted, t.N, 0) {
			s.arm(DueSubmitted, p.SubmittedDeadline.D(), t.N, 0, 0)
		}
	case a2a.Working:
		if a.State != c.StateBefore {
			s.disarmKind(DueSubmitted, t.N, 0)
			s.arm(DueWorking, p.WorkingDeadline.D(), t.N, 0, 0)
			s.arm(DueSilent, p.WorkingSilent.D(), t.N, 0, 0)
		}
	default:
		if a.State != c.StateBefore {
			s.disarmLife(t.N)
		}
	}
}

func (s *State) disarmLife(task int) {
	for _, k := range []DeadlineKind{DueSubmitted, DueWorking, DueSilent} {
		s.disarmKind(k, task, 0)
	}
}

// Work is one request that is due: an obligation, or a read of a task's
// reader.
type Work struct {
	Obligation *Obligation
	Reader     *Task
}

// Due returns what is to be sent by session time now, in order. A message is
// due only when writable: while the disk refuses, reads alone go on.
func (s *State) Due(now time.Duration, writable bool) []Work {
	if s.Ended != nil {
		return nil
	}
	var out []Work
	held := s.letInFirst()
	for _, o := range s.Obligations {
		if held && !goesFirst(o.Op) {
			continue
		}
		if o.Exchange != 0 || o.At > now || o.After != 0 && s.obligationN(o.After) != nil {
			continue
		}
		if !writable && !OnlyReads(o.Op) {
			continue
		}
		out = append(out, Work{Obligation: o})
	}
	if s.Peer.Use.URL == "" || held {
		return out
	}
	for _, n := range s.Awake {
		t := s.Tasks[n-1]
		if r := t.Reader; r != nil && r.Exchange == 0 && r.Next <= now {
			out = append(out, Work{Reader: t})
		}
	}
	return out
}

// OnlyReads reports whether an operation changes nothing at the peer: such a
// request goes out also while the disk refuses.
func OnlyReads(op a2a.Operation) bool {
	switch op {
	case a2a.OpCard, a2a.OpGet, a2a.OpList, a2a.OpSubscribe, a2a.OpExtendedCard, a2a.OpPushGet, a2a.OpPushList:
		return true
	}
	return false
}

// NextDue returns the session time at which the next deadline passes or the
// next request is due, and whether there is one. What Due withholds while the
// disk is not writable does not count.
func (s *State) NextDue(writable bool) (time.Duration, bool) {
	next, some := time.Duration(0), false
	take := func(at time.Duration) {
		if !some || at < next {
			next, some = at, true
		}
	}
	if len(s.Deadlines) > 0 {
		take(s.Deadlines[0].Due)
	}
	if s.Ended != nil {
		return next, some
	}
	held := s.letInFirst()
	for _, o := range s.Obligations {
		if o.Exchange == 0 && (!held || goesFirst(o.Op)) && (o.After == 0 || s.obligationN(o.After) == nil) && (writable || OnlyReads(o.Op)) {
			take(o.At)
		}
	}
	if s.Peer.Use.URL == "" || held {
		return next, some
	}
	for _, n := range s.Awake {
		if t := s.Tasks[n-1]; t.Reader != nil && t.Reader.Exchange == 0 {
			take(t.Reader.Next)
		}
	}
	return next, some
}
