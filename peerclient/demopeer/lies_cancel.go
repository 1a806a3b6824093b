package demopeer

import (
	"fmt"
	"slices"
)

// leakedChunks is how much a leaky peer still sends after it said canceled: at
// the default pace more than two and a half seconds of it.
const leakedChunks = 14

// cancelLies: what "canceled" is worth.
var cancelLies = []script{
	{Scenario{
		Name: "leaky-cancel", Title: "answers canceled, then goes on streaming artifacts and completes",
		Try:    "stream slow 60, then cancel: frames go on after canceled, and get says completed",
		Claims: []string{"cancel-final"},
	}, behaviour{cancel: leak}},
	{Scenario{
		Name: "half-cancel", Title: "answers working to a cancel, says canceled when it is read once, and completed from then on",
		Try:    "send slow 40 --immediate, cancel, then get twice: canceled, then completed",
		Claims: []string{"cancel-final"},
	}, behaviour{cancel: cancelForOneRead, read: riseFromCanceled}},
	{Scenario{
		Name: "growing-cancel", Title: "stays canceled when it is told to, and goes on adding to the artifact",
		Try:    "send slow 40 --immediate, cancel, then get twice: canceled both times, with two artifacts",
		Claims: []string{"cancel-final"},
	}, behaviour{read: growCanceled}},
	{Scenario{
		Name: "no-cancel", Title: "refuses to cancel what it works on: odd, and no promise was made",
		Try: "stream slow 60, then cancel: -32002, and the task completes",
	}, behaviour{uncancelable: true}},
}

// leak answers as if the task were canceled. In truth the work goes on under
// another name, the open streams get all of it, and readers see a task that
// had completed, with what there was of the artifact.
func leak(s *server, t *task) view {
	told := t.view()
	told.status = status{state: canceled, at: s.now(), says: &message{
		id: newID(), agent: true, taskID: t.id, contextID: t.contextID, parts: []part{textPart("Canceled, as you asked")},
	}}
	if t.facade != nil { // canceled before: the leak is running
		return told
	}
	partial := t.view()
	partial.status = status{state: completed, at: s.now()}
	t.facade = &partial

	t.halt()
	w := &work{s: s, t: t, ctx: s.ctx, asJSON: t.asJSON}
	done := 0
	for _, a := range t.artifacts {
		done += len(a.parts)
	}
	s.spawn(func() {
		for i := done + 1; i <= done+leakedChunks; i++ {
			if !w.pause(1) {
				return
			}
			w.chunk(w.slowChunk(i, done+leakedChunks))
		}
		w.status(completed, "Done")
	})
	return told
}

// cancelForOneRead lets the work go on. The next reader sees it canceled.
func cancelForOneRead(s *server, t *task) view {
	told := t.view()
	facade := t.view()
	facade.status = status{state: canceled, at: s.now()}
	t.facade, t.reads = &facade, 0
	return told
}

// riseFromCanceled shows canceled once. The second reader finds the task done.
func riseFromCanceled(s *server, t *task, v *view) *fault {
	if t.facade == nil || t.reads < 2 {
		return nil
	}
	t.facade = nil
	if !t.status.state.terminal() {
		t.halt()
		t.move(completed, "Done", s.now())
	}
	*v = t.view()
	return nil
}

// grownReads is how many reads of a canceled task find it grown; then it
// rests, so that whoever waits for two equal reads comes to an end.
const grownReads = 4

func growCanceled(s *server, t *task, v *view) *fault {
	if t.status.state != canceled {
		t.reads = 0
		return nil
	}
	if len(v.artifacts) == 0 {
		v.artifacts = []artifact{{id: "slow", name: "slow"}}
	}
	a := &v.artifacts[0]
	a.parts = slices.Clip(a.parts)
	for i := range min(t.reads, grownReads) {
		a.parts = append(a.parts, textPart(fmt.Sprintf("chunk %d after the cancel\n", i+1)))
	}
	return nil
}
