package demopeer

import (
	"context"
	"slices"
	"sort"
	"time"
)

// The table is bounded; the oldest tasks make room for a new one.
const (
	maxTasks = 4096
	maxHeld  = 256 << 20 // bytes of requests that tasks were made from
)

// task is the truth about one unit of work. The server's mutex guards it.
//
// Streams do not have queues of their own: everything that happens is kept in
// events, a stream is a position in that list, and changed is closed (and made
// anew) each time the list grows.
type task struct {
	id, contextID string
	status        status
	history       []message
	artifacts     []artifact
	events        []event
	changed       chan struct{}
	stop          context.CancelFunc // ends the work under way
	asJSON        bool               // the client accepts application/json, not text
	reads         int                // how often a client has read it
	hooks         []pushConfig
	facade        *view // what a liar shows to readers instead of the truth
	size          int   // bytes of the requests it was made from
}

// open makes a task from a first message. The caller holds the lock.
func (s *server) open(m message) *task {
	t := &task{id: newID(), contextID: m.contextID, changed: make(chan struct{})}
	if t.contextID == "" {
		t.contextID = newID()
	}
	m.taskID, m.contextID = t.id, t.contextID
	t.history = []message{m}
	t.status = status{state: submitted, at: s.now()}
	v := t.view()
	t.record(event{whole: &v})
	s.tasks[t.id] = t
	s.order = append(s.order, t.id)
	s.grow(t, m.size)
	return t
}

// grow counts a request's bytes, and drops the oldest tasks when the table is
// full. The caller holds the lock.
func (s *server) grow(t *task, size int) {
	t.size += size
	s.held += size
	for len(s.order) > 1 && (len(s.order) > maxTasks || s.held > maxHeld) {
		if old := s.tasks[s.order[0]]; old != nil {
			old.halt()
			s.held -= old.size
			delete(s.tasks, old.id)
		}
		s.order = s.order[1:]
	}
}

// view copies the task. The slices are shared, but never written in place.
func (t *task) view() view {
	return view{
		id: t.id, contextID: t.contextID, status: t.status,
		history: slices.Clip(t.history), artifacts: slices.Clone(t.artifacts),
	}
}

func (t *task) record(e event) {
	e.taskID, e.contextID = t.id, t.contextID
	t.events = append(t.events, e)
	close(t.changed)
	t.changed = make(chan struct{})
}

// halt ends the work under way, if any.
func (t *task) halt() {
	if t.stop != nil {
		t.stop()
		t.stop = nil
	}
}

// move changes the state, and keeps what the agent had said in the history.
// It does not ask whether the move is legal: that is the caller's conscience.
func (t *task) move(to state, says string, at time.Time) {
	if t.status.says != nil {
		t.history = append(slices.Clip(t.history), *t.status.says)
	}
	t.status = status{state: to, at: at}
	if says != "" {
		t.status.says = &message{id: newID(), agent: true, taskID: t.id, contextID: t.contextID, parts: []part{textPart(says)}}
	}
	st := t.status
	t.record(event{status: &st})
}

// add puts a chunk into its artifact and tells the streams.
func (t *task) add(c chunk) {
	i := slices.IndexFunc(t.artifacts, func(a artifact) bool { return a.id == c.id })
	switch {
	case i < 0:
		t.artifacts = append(t.artifacts, artifact{id: c.id, name: c.name, parts: slices.Clip(c.parts)})
	case c.appends:
		t.artifacts[i].parts = append(t.artifacts[i].parts, c.parts...)
	default:
		t.artifacts[i].parts = slices.Clip(c.parts)
	}
	t.record(event{chunk: &c})
}

// since returns what happened from position on, and what to wait on for more.
func (s *server) since(t *task, from int) ([]event, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return t.events[from:len(t.events):len(t.events)], t.changed
}

// await blocks until something after position from is enough. It returns
// false when ctx ended first.
func (s *server) await(ctx context.Context, t *task, from int, enough func(event) bool) bool {
	for {
		events, changed := s.since(t, from)
		if slices.ContainsFunc(events, enough) {
			return true
		}
		from += len(events)
		select {
		case <-changed:
		case <-ctx.Done():
			return false
		}
	}
}

// newestFirst lists what the table holds, the last changed task first, as
// ListTasks demands. The caller holds the lock.
func (s *server) newestFirst() []*task {
	out := make([]*task, 0, len(s.tasks))
	for _, id := range s.order {
		if t := s.tasks[id]; t != nil {
			out = append(out, t)
		}
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].status.at.After(out[j].status.at) })
	return out
}
