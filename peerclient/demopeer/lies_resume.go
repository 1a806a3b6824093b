package demopeer

import "slices"

// resumeLies: what becomes of a task that waits for an answer.
var resumeLies = []script{
	{Scenario{
		Name: "refused-mode", Title: "declares application/json as input, and refuses a data part as the answer to its question",
		Try:    `stream ask, then resume --data '{"name":"Ada"}': -32602; resume Ada works`,
		Claims: []string{"input-modes"},
	}, behaviour{refuse: refuseData}},
	{Scenario{
		Name: "forgets-task", Title: "drops a task when it asks for input; the answer becomes a new task",
		Try:    "stream ask, then get and resubscribe: not found; resume Ada: another task id",
		Claims: []string{"task-durable", "resume-same-task"},
	}, behaviour{work: askAndForget, adopt: forgotten}},
	{Scenario{
		Name: "replays", Title: "a resubscription begins at the beginning, and an answered task is submitted again",
		Try:    "stream slow 60, detach, resubscribe: old events again; stream ask, resume Ada --stream: a second submitted",
		Claims: []string{"states-forward"},
	}, behaviour{subscribe: replay, resubmits: true}},
	{Scenario{
		Name: "restarts", Title: "keeps its tasks in memory only and restarts: tasks are gone, and results come as text though the card says JSON",
		Try:    "stream ask, wait 2s, get twice: not found; the same message again: a new task id, and text/plain",
		Claims: []string{"task-durable", "output-modes"},
	}, behaviour{card: onlyJSON, work: workAndRestart, read: restartAfterSecondRead}},
	{Scenario{
		Name: "new-task-on-resume", Title: "keeps a waiting task forever, and takes its answer for a new request",
		Try:    "stream ask, resume Ada: another task id, while get still shows the first one waiting",
		Claims: []string{"resume-same-task"},
	}, behaviour{adopt: isWaiting}},
	{Scenario{
		Name: "unknown-answer", Title: "does not know its waiting task when the answer comes, and shows it to get all the same",
		Try:    "stream ask, resume Ada: -32001; get: input-required",
		Claims: []string{"resume-same-task"},
	}, behaviour{refuse: func(m message) *fault { return notFound(m.taskID) }}},
	{Scenario{
		Name: "refuses-json", Title: "declares application/json as input, and refuses a data part with -32005",
		Try:    `stream ask, then resume --data '{"name":"Ada"}': -32005; resume Ada works`,
		Claims: []string{"input-modes"},
	}, behaviour{refuse: refuseJSON}},
	{Scenario{
		Name: "reloads", Title: "answers its first task in JSON; then its configuration is read anew, and all others are answered in text",
		Try:    "send task report, then send --again: one logical task, application/json and text/plain",
		Claims: []string{"output-modes"},
	}, behaviour{card: jsonFirst, work: workByTheNewDefaults}},
}

// refuseData knows text only, whatever the card says. The task keeps waiting.
func refuseData(m message) *fault {
	if slices.ContainsFunc(m.parts, func(p part) bool { return p.kind == "data" }) {
		return faultf(-32602, "", "unsupported part type: data (application/json)")
	}
	return nil
}

// askAndForget is "ask" of an agent whose task lives as long as its stream.
func askAndForget(w *work) bool {
	if w.m.text() != "ask" {
		return false
	}
	w.status(working, "Thinking about a question")
	w.pause(1)
	w.honestly(func() {
		w.t.move(inputRequired, "What is your name?", w.s.now())
		delete(w.s.tasks, w.t.id)
		w.s.held -= w.t.size
	})
	return true
}

// forgotten says that the id is one of ours, and that the task is gone.
func forgotten(s *server, m message) bool {
	return s.tasks[m.taskID] == nil && slices.Contains(s.order, m.taskID)
}

func isWaiting(s *server, m message) bool {
	t := s.tasks[m.taskID]
	return t != nil && t.status.state == inputRequired
}

// replay sends everything since the task was made, then what is new. Only the
// new can end it.
func replay(st *stream, t *task, present int) {
	seen := 0
	st.follow(t, 0, func(e event) verdict {
		seen++
		return verdict{end: seen > present && e.settles()}
	})
}

// uptime is how many paces the restarting peer lives once it has work.
const uptime = 5

func onlyJSON(_ *server, c *card) { c.outputModes = []string{"application/json"} }

// workAndRestart works honestly, while the end of the process draws near. The
// process that follows reads its configuration anew: results are text then. It
// stays up for one whole task, so that a task sent again can be seen to end;
// then all begins anew.
func workAndRestart(w *work) bool {
	w.s.mu.Lock()
	second := w.s.restarted
	w.s.mu.Unlock()
	if second {
		w.asJSON = false
	} else {
		w.s.spawn(func() {
			if sleep(w.s.ctx, uptime*w.s.pace) {
				w.s.restart(w.t)
			}
		})
	}
	w.perform()
	w.anyway(func() {
		if second && w.t.status.state == completed {
			w.s.restarted = false
		}
	})
	return true
}

// restartAfterSecondRead lets the second read of an unfinished task be the
// last that this process answers.
func restartAfterSecondRead(s *server, t *task, _ *view) *fault {
	if t.reads == 2 && !t.status.state.terminal() && !s.restarted {
		s.spawn(func() {
			if sleep(s.ctx, s.pace) {
				s.restart(t)
			}
		})
	}
	return nil
}

// restart is what a crash and a new start look like from outside: connections
// break, and no task is known. It comes only while t is unfinished.
func (s *server) restart(t *task) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.restarted || s.tasks[t.id] != t || t.status.state.terminal() {
		return
	}
	s.restarted = true
	clear(s.tasks)
	s.order, s.held = nil, 0
	s.powerOff()
	s.powerOn()
}

// refuseJSON is refuseData with the code that is meant for it.
func refuseJSON(m message) *fault {
	if refuseData(m) == nil {
		return nil
	}
	return faultf(-32005, "CONTENT_TYPE_NOT_SUPPORTED", "application/json is not taken as an answer here")
}

func jsonFirst(_ *server, c *card) { c.outputModes = []string{"application/json", "text/plain"} }

// workByTheNewDefaults does honest work, whose form the first task alone can
// still choose.
func workByTheNewDefaults(w *work) bool {
	w.s.mu.Lock()
	first := len(w.s.order) > 0 && w.s.order[0] == w.t.id
	w.s.mu.Unlock()
	w.asJSON = w.asJSON && first
	return false
}
