package session

import (
	"time"

	"a2ascope/session/a2a"
)

// readBeside notes a read beside an open, silent stream that shows what the
// stream did not bring (DESIGN.md §5, streaming).
func (s *State) readBeside(c *Change, a *Attempt, r *Read) {
	if !r.Found {
		return
	}
	for _, x := range s.OpenStreams(c.Task.N) {
		st := x.Stream
		if x.Op != a2a.OpStream || x.Attempt != a.N || st.Terminal != nil || s.since(st.lastOr(x.Answered), x.Epoch) < s.window() {
			continue
		}
		if x.Epoch != r.Epoch || r.Sent < st.lastOr(x.Answered)+s.window() {
			continue
		}
		if r.State != st.Last && !r.State.Interrupted() && !x.told(a, r.State) || x.unbrought(a, c.Payload.Task.Artifacts) {
			st.Beside++
			st.BesideEvidence = evidence(st.BesideEvidence, c.Record.Seq)
		}
	}
}

// told reports whether the stream brought a state.
func (x *Exchange) told(a *Attempt, st a2a.State) bool {
	for i := range a.States {
		if a.States[i].State == st && a.States[i].Exchange == x.N {
			return true
		}
	}
	return false
}

// unbrought reports whether there is an artifact among those that a read told
// which was made in the stream's turn, and which no stream has brought.
func (x *Exchange) unbrought(a *Attempt, list []a2a.Artifact) bool {
	if x.Turn == nil || !x.Turn.Whole {
		return false
	}
	var read a2a.Assembly
	read.Replace(list)
	brought := map[string]bool{}
	for _, art := range a.Streamed.Artifacts() {
		brought[art.ID] = true
	}
	for _, art := range read.Artifacts() {
		if !brought[art.ID] && x.Turn.Known[art.ID] != art.Digest {
			return true
		}
	}
	return false
}

func (st *Stream) lastOr(at time.Duration) time.Duration {
	if st.LastAt > 0 {
		return st.LastAt
	}
	return at
}

// catchUp notes whether an event may have lain in our own buffers while we
// stood still: from an epoch's beginning on, until one is that had to be waited
// for.
func (s *State) catchUp(st *Stream, at time.Duration) {
	switch {
	case st.Epoch != s.Epoch:
		st.Epoch, st.Catching = s.Epoch, true
	case at-st.LastAt > burstSpan:
		st.Catching = false
	}
}

// burst notes events that came at once although the peer dates them far
// apart: something on the way held them back.
func (s *State) burst(st *Stream, a *Attempt, at time.Duration, held bool, p *a2a.Payload, seq uint64) {
	if st.Buffered || held || st.Catching || st.Joined { // a replay comes at once, with old dates
		return
	}
	var stamp time.Time
	switch {
	case p.Status != nil:
		stamp = p.Status.Status.Timestamp
	case p.Task != nil:
		stamp = p.Task.Status.Timestamp
	}
	if st.BurstAll == 0 || at-st.BurstAt > burstSpan {
		st.Burst, st.BurstAll, st.BurstAt, st.BurstMin, st.BurstMax, st.BurstEvidence = 0, 0, at, time.Time{}, time.Time{}, nil
	}
	st.BurstAll++
	st.BurstEvidence = evidence(st.BurstEvidence, seq)
	if st.BurstAll >= 3 && s.shownBefore(a, p, at) {
		st.Buffered, st.Shown = true, true
	}
	if stamp.IsZero() {
		return
	}
	st.Burst++
	if st.BurstMin.IsZero() || stamp.Before(st.BurstMin) {
		st.BurstMin = stamp
	}
	if stamp.After(st.BurstMax) {
		st.BurstMax = stamp
	}
	apart := st.BurstMax.Sub(st.BurstMin)
	if st.BurstMin.Nanosecond() == 0 && st.BurstMax.Nanosecond() == 0 {
		apart -= time.Second // dates in whole seconds: two of them may be next to each other
	}
	if st.Burst >= 3 && apart >= time.Second {
		st.Buffered = true
	}
}

// shownBefore reports whether an event tells the end of the task a second or
// more after a get did.
func (s *State) shownBefore(a *Attempt, p *a2a.Payload, at time.Duration) bool {
	end := a.Terminal
	return end != nil && end.Via == ViaGet && end.Epoch == s.Epoch && end.State == stateOf(p) && at-end.At >= time.Second
}

const burstSpan = 50 * time.Millisecond
