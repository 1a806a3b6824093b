package demopeer

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// doSend answers with a message, or with the task once it has settled, or with
// the task as it is now if the client does not want to wait.
func (s *server) doSend(w http.ResponseWriter, r *http.Request, c call) *fault {
	turn, f := s.accept(c.params)
	if f != nil {
		return f
	}
	if turn.reply != nil {
		return s.answer(w, c, s.wire.said(*turn.reply))
	}
	t := turn.t
	enough := event.settles
	if s.b.hasty {
		enough = func(e event) bool { return e.status != nil }
	}
	if c.params.Configuration.waits() && !s.await(r.Context(), t, turn.from, enough) {
		return faultf(-32603, "", "The agent is shutting down")
	}
	s.mu.Lock()
	v := t.view()
	s.mu.Unlock()
	if cfg := c.params.Configuration; cfg != nil {
		v.trim(cfg.HistoryLength)
	}
	s.shown(&v)
	return s.answer(w, c, s.wire.sent(v))
}

// doStream begins with the whole task and goes on with what happens to it.
func (s *server) doStream(w http.ResponseWriter, r *http.Request, c call) *fault {
	if !s.streams() {
		return unsupported("This agent does not stream")
	}
	if s.b.plain {
		return s.doSend(w, r, c)
	}
	turn, f := s.accept(c.params)
	if f != nil {
		return f
	}
	st := s.openStream(r.Context(), w, c.id)
	if turn.reply != nil {
		st.say(s.wire.said(*turn.reply))
		return nil
	}
	st.bring(turn.t, turn.first, turn.from)
	return nil
}

// streams says whether streaming calls are served: as the card has it, but for
// the peer that does more than it says.
func (s *server) streams() bool { return s.declared("").streaming || s.b.modest }

func (s *server) doGet(w http.ResponseWriter, c call) *fault {
	s.mu.Lock()
	t := s.tasks[c.params.ID]
	if t == nil {
		s.mu.Unlock()
		return notFound(c.params.ID)
	}
	t.reads++
	v := t.view()
	if t.facade != nil {
		v = *t.facade
	}
	var f *fault
	if s.b.read != nil {
		f = s.b.read(s, t, &v)
	}
	s.mu.Unlock()
	if f != nil {
		return f
	}
	v.trim(c.params.HistoryLength)
	s.shown(&v)
	return s.answer(w, c, s.wire.task(v))
}

// shown is the last word on a task that goes out as an answer.
func (s *server) shown(v *view) {
	if s.b.show != nil {
		s.b.show(v)
	}
}

// trim keeps the last n messages: 0 is none, absent is all.
func (v *view) trim(n *int) {
	if n != nil && *n >= 0 && *n < len(v.history) {
		v.history = v.history[len(v.history)-*n:]
	}
}

// doCancel is final: the work is stopped before the answer is given.
func (s *server) doCancel(w http.ResponseWriter, c call) *fault {
	s.mu.Lock()
	t := s.tasks[c.params.ID]
	if t == nil {
		s.mu.Unlock()
		return notFound(c.params.ID)
	}
	state := t.status.state
	if state.terminal() && state != canceled && !s.b.rewrites || state == working && s.b.uncancelable {
		s.mu.Unlock()
		return notCancelable(t)
	}
	var v view
	switch {
	case state == canceled: // canceling twice has the same effect as once
		v = t.view()
	case s.b.cancel != nil && state == working:
		v = s.b.cancel(s, t)
	default:
		t.halt()
		t.move(canceled, "Canceled, as you asked", s.now())
		v = t.view()
	}
	s.mu.Unlock()
	s.shown(&v)
	return s.answer(w, c, s.wire.task(v))
}

// doSubscribe begins with the task as it is now, and goes on with what is new.
func (s *server) doSubscribe(w http.ResponseWriter, r *http.Request, c call) *fault {
	if !s.streams() {
		return unsupported("This agent does not stream")
	}
	s.mu.Lock()
	t := s.tasks[c.params.ID]
	if t == nil || s.b.unsubscribable {
		s.mu.Unlock()
		return notFound(c.params.ID)
	}
	now, from := t.view(), len(t.events)
	s.mu.Unlock()
	if now.status.state.terminal() {
		return unsupported("Task %s is %s: there is nothing to subscribe to", t.id, now.status.state)
	}
	if s.b.plain {
		return s.answer(w, c, s.wire.sent(now))
	}
	st := s.openStream(r.Context(), w, c.id)
	if s.b.subscribe != nil {
		s.b.subscribe(st, t, from)
		return nil
	}
	st.bring(t, now, from)
	return nil
}

type listParams struct {
	ContextID        string `json:"contextId"`
	Status           string `json:"status"`
	PageSize         *int   `json:"pageSize"`
	PageToken        string `json:"pageToken"`
	StatusAfter      string `json:"statusTimestampAfter"`
	IncludeArtifacts bool   `json:"includeArtifacts"`
}

// doList pages through the tasks, the last changed first. The token is the
// number of tasks already given.
func (s *server) doList(w http.ResponseWriter, c call) *fault {
	p := c.params
	size, skip := 50, 0
	if p.PageSize != nil {
		size = *p.PageSize
	}
	if size < 1 || size > 100 {
		return invalidParams("pageSize is 1 to 100")
	}
	var after time.Time
	var err, errToken error
	if p.StatusAfter != "" {
		after, err = time.Parse(time.RFC3339, p.StatusAfter)
	}
	if p.PageToken != "" {
		skip, errToken = strconv.Atoi(p.PageToken)
	}
	if err != nil || errToken != nil || skip < 0 {
		return invalidParams("pageToken or statusTimestampAfter cannot be read")
	}
	var found []view
	s.mu.Lock()
	for _, t := range s.newestFirst() {
		if (p.ContextID == "" || p.ContextID == t.contextID) && (p.Status == "" || p.Status == "TASK_STATE_UNSPECIFIED" || p.Status == state10(t.status.state)) &&
			!t.status.at.Before(after) {
			found = append(found, t.view())
		}
	}
	s.mu.Unlock()
	total, next := len(found), ""
	found = found[min(skip, total):]
	if len(found) > size {
		found, next = found[:size], strconv.Itoa(skip+size)
	}
	for i := range found {
		found[i].trim(p.HistoryLength)
		s.shown(&found[i])
		if s.b.listed != nil {
			s.b.listed(&found[i])
		}
		if !p.IncludeArtifacts {
			found[i].artifacts = nil
		}
	}
	return s.answer(w, c, `{"tasks":`+list(found, s.wire.task)+`,"nextPageToken":`+quote(next)+
		`,"pageSize":`+strconv.Itoa(size)+`,"totalSize":`+strconv.Itoa(total)+`}`)
}

// acceptable says whether one of the declared modes fits what was asked for.
func acceptable(declared []string, asked string) bool {
	asked, _, _ = strings.Cut(strings.ToLower(strings.TrimSpace(asked)), ";")
	if asked == "text" {
		asked = "text/plain"
	}
	return slices.ContainsFunc(declared, func(d string) bool {
		major, _, _ := strings.Cut(d, "/")
		return asked == d || asked == "*/*" || asked == major+"/*"
	})
}
