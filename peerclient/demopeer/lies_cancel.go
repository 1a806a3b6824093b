package demopeer

// leakedChunks is how much a leaky peer still sends after it said canceled: at
// the default pace more than two and a half seconds of it.
const leakedChunks = 14

// cancelLies: what "canceled" is worth.
var cancelLies = []script{
	{Scenario{
		Name: "leaky-cancel", Title: "answers canceled, then goes on streaming artifacts and completes",
		Try:    "stream slow 20, then cancel: frames go on after canceled, and get says completed",
		Claims: []string{"cancel-final"},
	}, behaviour{cancel: leak}},
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
