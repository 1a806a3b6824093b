package session

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"
)

// arm sets a deadline to pass once full has gone by from now; one of the same
// id is replaced.
func (s *State) arm(kind DeadlineKind, full time.Duration, task, exchange, command int) {
	s.armAt(kind, s.Elapsed, full, task, exchange, command)
}

// armAt is arm counted from another time.
func (s *State) armAt(kind DeadlineKind, from, full time.Duration, task, exchange, command int) {
	d := Deadline{Kind: kind, Due: from + full, Full: full, Task: task, Exchange: exchange, Command: command}
	switch {
	case command > 0:
		d.ID = fmt.Sprintf("%s:c%d", kind, command)
	case exchange > 0:
		d.ID = fmt.Sprintf("%s:x%d", kind, exchange)
	default:
		d.ID = fmt.Sprintf("%s:t%d", kind, task)
	}
	s.disarm(d.ID)
	i := sort.Search(len(s.Deadlines), func(i int) bool { return d.before(s.Deadlines[i]) })
	s.Deadlines = slices.Insert(s.Deadlines, i, d)
}

// armed reports whether a deadline of this kind stands for the exchange or,
// where exchange is 0, the task.
func (s *State) armed(kind DeadlineKind, task, exchange int) bool {
	for i := range s.Deadlines {
		d := &s.Deadlines[i]
		if d.Kind == kind && d.Exchange == exchange && (exchange > 0 || d.Task == task) {
			return true
		}
	}
	return false
}

// push moves an exchange's deadline so that it counts from now on. It is on
// the path of every event, and must stay cheap.
func (s *State) push(kind DeadlineKind, exchange int) bool {
	for i := range s.Deadlines {
		d := &s.Deadlines[i]
		if d.Kind != kind || d.Exchange != exchange {
			continue
		}
		d.Due = s.Elapsed + d.Full
		for ; i+1 < len(s.Deadlines) && s.Deadlines[i+1].before(s.Deadlines[i]); i++ {
			s.Deadlines[i], s.Deadlines[i+1] = s.Deadlines[i+1], s.Deadlines[i]
		}
		return true
	}
	return false
}

func (s *State) disarm(id string) (Deadline, bool) {
	for i, d := range s.Deadlines {
		if d.ID == id {
			s.Deadlines = append(s.Deadlines[:i], s.Deadlines[i+1:]...)
			return d, true
		}
	}
	return Deadline{}, false
}

func (s *State) disarmKind(kind DeadlineKind, task, exchange int) {
	for i := 0; i < len(s.Deadlines); i++ {
		d := s.Deadlines[i]
		if d.Kind == kind && d.Exchange == exchange && (exchange > 0 || d.Task == task) {
			s.Deadlines = append(s.Deadlines[:i], s.Deadlines[i+1:]...)
			i--
		}
	}
}

func (s *State) disarmExchange(n int) {
	for i := 0; i < len(s.Deadlines); i++ {
		if s.Deadlines[i].Exchange == n {
			s.Deadlines = append(s.Deadlines[:i], s.Deadlines[i+1:]...)
			i--
		}
	}
}

func (d Deadline) before(e Deadline) bool {
	if d.Due != e.Due {
		return d.Due < e.Due
	}
	return strings.Compare(d.ID, e.ID) < 0
}

func (s *State) sortDeadlines() {
	sort.SliceStable(s.Deadlines, func(i, j int) bool { return s.Deadlines[i].before(s.Deadlines[j]) })
}
