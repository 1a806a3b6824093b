package session

import "slices"

// Viewer makes the views of one State as it goes on. It keeps what it made of
// tasks on which nothing is under way and of findings, so that a session of
// thousands of tasks is shown as fast as one of a few. Its zero value is
// ready; it is not safe for concurrent use.
type Viewer struct {
	tasks    []TaskView
	shown    []TaskView // as they were handed out last; nothing changes them
	touched  []uint64   // Task.Touched of those in tasks; 0 for one that was awake
	findings []FindingView
	stated   []uint64 // FindingState.Last of those in findings
}

func (w *Viewer) taskViews(s *State) []TaskView {
	same := len(w.shown) == len(s.Tasks)
	for i, t := range s.Tasks {
		if i == len(w.tasks) {
			w.tasks, w.touched = append(w.tasks, TaskView{}), append(w.touched, 0)
		}
		if w.touched[i] != 0 && w.touched[i] == t.Touched {
			continue
		}
		same = false
		w.tasks[i], w.touched[i] = t.view(), t.Touched
		if t.Awake {
			w.touched[i] = 0
		}
	}
	if !same || len(w.shown) == 0 {
		w.shown = slices.Clone(w.tasks)
	}
	return w.shown[:len(w.shown):len(w.shown)]
}

// findingViews shares its list with the views before: what is added lies
// beyond their end, and what changes is changed in a copy.
func (w *Viewer) findingViews(s *State) []FindingView {
	own := false
	for i, f := range s.Findings {
		if i < len(w.findings) && w.stated[i] == f.Last {
			continue
		}
		v := FindingView{FindingDoc: s.findingDoc(f), Seq: f.Seq, Task: f.Task}
		if i == len(w.findings) {
			w.findings, w.stated = append(w.findings, v), append(w.stated, f.Last)
			continue
		}
		if !own {
			w.findings, own = slices.Clone(w.findings), true
		}
		w.findings[i], w.stated[i] = v, f.Last
	}
	return w.findings[:len(w.findings):len(w.findings)]
}
