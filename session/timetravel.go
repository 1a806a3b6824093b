package session

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"sort"
	"time"

	"a2ascope/session/a2a"
)

// Bounds of Checkpoints: how far the first ones lie apart, in records, how many
// are kept, and how many exchanges there are in all of them, which is most of
// what a long session's state holds. When there are more, every other one goes
// and the next lie twice as far apart.
const (
	checkpointEvery = 5000
	maxCheckpoints  = 32
	checkpointRoom  = 250_000
)

// At folds a log up to record seq, or to its end if that comes first. page is
// as Log's. The error of a page is returned with the number that it began at.
func At(page func(from uint64, limit int) ([]Record, error), seq uint64) (*State, error) {
	s := NewState()
	return s, foldTo(s, page, seq, func() {})
}

// foldTo folds from where s is up to record seq, and calls after with each
// record.
func foldTo(s *State, page func(from uint64, limit int) ([]Record, error), seq uint64, after func()) error {
	for s.Seq < seq {
		records, err := page(s.Seq+1, int(min(512, seq-s.Seq)))
		if err != nil {
			return fmt.Errorf("going to record %d: reading records from %d on: %w", seq, s.Seq+1, err)
		}
		if len(records) == 0 {
			return nil
		}
		for i := range records {
			if records[i].Seq > seq {
				return nil
			}
			Fold(s, &records[i])
			after()
		}
	}
	return nil
}

// Checkpoints finds the state as of any record of a log without folding all
// of it each time: it keeps copies of states on the way. It is not safe for
// concurrent use.
type Checkpoints struct {
	page  func(from uint64, limit int) ([]Record, error)
	every uint64
	most  int
	room  int      // exchanges in all of them
	kept  []*State // by Seq
}

// NewCheckpoints returns the checkpoints of the log that page gives.
func NewCheckpoints(page func(from uint64, limit int) ([]Record, error)) *Checkpoints {
	return &Checkpoints{page: page, every: checkpointEvery, most: maxCheckpoints, room: checkpointRoom}
}

// At returns the state as of record seq, or of the log's last record if that
// comes first. The state is the caller's: folding further changes nobody
// else's.
func (c *Checkpoints) At(seq uint64) (*State, error) {
	s := NewState()
	if i := sort.Search(len(c.kept), func(i int) bool { return c.kept[i].Seq > seq }); i > 0 {
		s = cloneState(c.kept[i-1])
	}
	err := foldTo(s, c.page, seq, func() { c.keep(s) })
	return s, err
}

// keep keeps a copy of s where one is due.
func (c *Checkpoints) keep(s *State) {
	if s.Seq%c.every != 0 {
		return
	}
	i, there := slices.BinarySearchFunc(c.kept, s.Seq, func(k *State, seq uint64) int { return cmp.Compare(k.Seq, seq) })
	if there {
		return
	}
	c.kept = slices.Insert(c.kept, i, cloneState(s))
	room := c.room
	for _, k := range c.kept {
		room -= len(k.Exchanges)
	}
	if len(c.kept) > c.most || room < 0 && len(c.kept) > 1 {
		c.every *= 2
		c.kept = slices.DeleteFunc(c.kept, func(k *State) bool { return k.Seq%c.every != 0 })
	}
}

// SeqAt returns the number of the last of a log's records up to last that was
// there when the session was elapsed old; 0 when there was none yet.
func SeqAt(page func(from uint64, limit int) ([]Record, error), last uint64, elapsed time.Duration) (uint64, error) {
	var failed error
	n := sort.Search(int(last), func(i int) bool { // the first record that came later
		if failed != nil {
			return true
		}
		records, err := page(uint64(i)+1, 1)
		if err != nil || len(records) == 0 {
			failed = err
			return true
		}
		return records[0].Elapsed > elapsed
	})
	if failed != nil {
		return 0, fmt.Errorf("looking for what was there after %s: %w", elapsed, failed)
	}
	return uint64(n), nil
}

// NextFinding returns the record of the first finding of s after seq. Take s
// as of the end of the log, to see all there are.
func (s *State) NextFinding(seq uint64) (uint64, bool) { return next(s.findingSeqs(), seq) }

// PrevFinding returns the record of the last finding of s before seq.
func (s *State) PrevFinding(seq uint64) (uint64, bool) { return prev(s.findingSeqs(), seq) }

// NextDecision returns the record of the first decision of s after seq. Those
// that were carried in from earlier sessions are left out.
func (s *State) NextDecision(seq uint64) (uint64, bool) { return next(s.decisionSeqs(), seq) }

// PrevDecision returns the record of the last decision of s before seq, in the
// same way.
func (s *State) PrevDecision(seq uint64) (uint64, bool) { return prev(s.decisionSeqs(), seq) }

func (s *State) findingSeqs() []uint64 {
	var out []uint64
	for _, f := range s.Findings {
		out = append(out, f.Seq)
	}
	slices.Sort(out)
	return out
}

func (s *State) decisionSeqs() []uint64 {
	var out []uint64
	for _, d := range s.Decisions {
		if !d.Carried {
			out = append(out, d.Seq)
		}
	}
	slices.Sort(out)
	return out
}

func next(seqs []uint64, seq uint64) (uint64, bool) {
	i := sort.Search(len(seqs), func(i int) bool { return seqs[i] > seq })
	if i == len(seqs) {
		return 0, false
	}
	return seqs[i], true
}

func prev(seqs []uint64, seq uint64) (uint64, bool) {
	i := sort.Search(len(seqs), func(i int) bool { return seqs[i] >= seq })
	if i == 0 {
		return 0, false
	}
	return seqs[i-1], true
}

// cloneState returns a copy that shares with s only what no fold changes.
func cloneState(s *State) *State {
	c := cloner{}
	return c.copy(reflect.ValueOf(s)).Interface().(*State)
}

// cloner copies plain data. What two pointers share is shared in the copy too.
type cloner map[place]reflect.Value

// place is what a pointer points at.
type place struct {
	at   uintptr
	kind reflect.Type
}

// Types whose values are never changed in place, and are shared.
var immutable = map[reflect.Type]bool{
	reflect.TypeFor[time.Time](): true,
	reflect.TypeFor[*a2a.Card](): true,
}

func (c cloner) copy(v reflect.Value) reflect.Value {
	if immutable[v.Type()] {
		return v
	}
	switch v.Kind() {
	case reflect.Pointer:
		return c.pointer(v)
	case reflect.Struct:
		if a, ok := v.Interface().(a2a.Assembly); ok { // its index is its own business
			return reflect.ValueOf(a.Clone())
		}
		out := reflect.New(v.Type()).Elem()
		out.Set(v)
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				out.Field(i).Set(c.copy(v.Field(i)))
			}
		}
		return out
	case reflect.Slice:
		if v.IsNil() {
			return v
		}
		out := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		if scalar(v.Type().Elem().Kind()) {
			reflect.Copy(out, v)
			return out
		}
		for i := range v.Len() {
			out.Index(i).Set(c.copy(v.Index(i)))
		}
		return out
	case reflect.Map:
		if v.IsNil() {
			return v
		}
		out := reflect.MakeMapWithSize(v.Type(), v.Len())
		for _, k := range v.MapKeys() {
			out.SetMapIndex(k, c.copy(v.MapIndex(k)))
		}
		return out
	}
	return v
}

func (c cloner) pointer(v reflect.Value) reflect.Value {
	if v.IsNil() {
		return v
	}
	at := place{v.Pointer(), v.Type()}
	if out, ok := c[at]; ok {
		return out
	}
	out := reflect.New(v.Type().Elem())
	c[at] = out
	out.Elem().Set(c.copy(v.Elem()))
	return out
}

// scalar reports whether values of a kind hold no reference.
func scalar(k reflect.Kind) bool {
	return k >= reflect.Bool && k <= reflect.Complex128 || k == reflect.String
}
