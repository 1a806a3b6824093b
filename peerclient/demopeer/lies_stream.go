package demopeer

// streamLies: what a declared stream brings, and when it ends.
var streamLies = []script{
	{Scenario{
		Name: "hidden-artifact", Title: "streams every state but no artifact, and keeps no history (which its 0.3 card declares)",
		Try:    "stream task report: completed without an artifact, while get has one; history is []",
		Claims: []string{"artifacts-streamed", "state-transition-history"},
	}, behaviour{
		card:  func(_ *server, c *card) { c.stateHistory = true },
		show:  func(v *view) { v.history, v.emptyHistory = nil, true },
		bring: bringWithoutArtifacts,
	}},
	{Scenario{
		Name: "silent-stream", Title: "opens the stream that it declares and never sends an event",
		Try:    "stream slow 20: headers, then nothing, while get shows the work going on",
		Claims: []string{"streaming"},
	}, behaviour{bring: func(st *stream, _ *task, _ view, _ int) { st.hold() }}},
	{Scenario{
		Name: "stalled-stream", Title: "begins its stream, and never sends more than the first two events",
		Try:    "stream slow 100: submitted, working, then nothing, while get shows the work going on",
		Claims: []string{"streaming"},
	}, behaviour{bring: bringTheBeginning}},
	{Scenario{
		Name: "no-stream", Title: "declares streaming and answers a streaming call with one JSON body",
		Try:    "stream task report: application/json, and the task in one piece",
		Claims: []string{"streaming"},
	}, behaviour{plain: true}},
	{Scenario{
		Name: "buffered-stream", Title: "holds all events back and sends them in one burst at the end",
		Try:    "stream slow 10: nothing for two seconds, then everything at once",
		Claims: []string{"streaming"},
	}, behaviour{bring: bringAtOnce}},
	{Scenario{
		Name: "lingering-stream", Title: "leaves the stream open after the task has ended",
		Try:    "stream task report: completed, and the stream does not close",
		Claims: []string{"stream-closes"},
	}, behaviour{bring: bringAndLinger}},
	{Scenario{
		Name: "cut-stream", Title: "ends the stream cleanly in the middle of the work",
		Try:    "stream slow 20: the stream ends after two chunks, get shows the task going on to completed",
		Claims: []string{"stream-closes"},
	}, behaviour{bring: bringTwoChunks}},
	{Scenario{
		Name: "crossed-stream", Title: "sends an artifact of another task down the stream",
		Try:    "stream task report: one event names a task that nobody asked for",
		Claims: []string{"views-agree"},
	}, behaviour{bring: bringAnothers}},
	{Scenario{
		Name: "empty-history", Title: "declares a history on its 0.3 card and keeps none; the rest is honest",
		Try:    "stream task report, then get --history 20: the history is []",
		Claims: []string{"state-transition-history"},
	}, behaviour{
		card: func(_ *server, c *card) { c.stateHistory = true },
		show: func(v *view) { v.history, v.emptyHistory = nil, true },
	}},
	{Scenario{
		Name: "stale-subscribe", Title: "does not find its own working task when one subscribes to it",
		Try:    "stream slow 50, detach, wait closed, resubscribe: not found, while get says working",
		Claims: []string{"resubscribe"},
	}, behaviour{unsubscribable: true}},
	{Scenario{
		Name: "under-declared", Title: "streams although its card says that it does not: odd, but no lie that could hurt",
		Try: "stream task report: it works, and is shown as under-declared",
	}, behaviour{card: declaresNoStream, modest: true}},
	{Scenario{
		Name: "slow-silent", Title: "works for 200 paces (40 seconds) without a stream, a change or a hint: odd, and not forbidden",
		Try: "send task report --immediate, then poll: working, and nothing moves",
	}, behaviour{card: declaresNoStream, work: workSilently}},
}

func bringWithoutArtifacts(st *stream, t *task, first view, from int) {
	st.snapshot(first)
	st.follow(t, from, func(e event) verdict {
		return verdict{hide: e.chunk != nil, end: e.settles()}
	})
}

// bringAtOnce waits for the end, and only then tells the story from its start.
func bringAtOnce(st *stream, t *task, first view, from int) {
	if !st.s.await(st.ctx, t, from, event.settles) {
		return
	}
	st.snapshot(first)
	st.follow(t, from, honestly)
}

// bringAndLinger closes at input-required, where both is legal, but not at
// the end.
func bringAndLinger(st *stream, t *task, first view, from int) {
	over := false
	st.snapshot(first)
	st.follow(t, from, func(e event) verdict {
		over = e.status != nil && e.status.state.terminal()
		return honestly(e)
	})
	if over {
		st.hold()
	}
}

func bringTwoChunks(st *stream, t *task, first view, from int) {
	chunks := 0
	st.snapshot(first)
	st.follow(t, from, func(e event) verdict {
		if e.chunk != nil {
			chunks++
		}
		return verdict{end: e.settles() || e.chunk != nil && chunks == 2 && !e.chunk.last}
	})
}

// bringTheBeginning stops after the first state, and leaves the stream open.
func bringTheBeginning(st *stream, t *task, first view, from int) {
	st.snapshot(first)
	st.follow(t, from, func(event) verdict { return verdict{end: true} })
	st.hold()
}

// bringAnothers sends each artifact a second time, under another task's id.
func bringAnothers(st *stream, t *task, first view, from int) {
	other := newID()
	st.snapshot(first)
	st.follow(t, from, func(e event) verdict {
		if e.chunk != nil {
			foreign := e
			foreign.taskID = other
			st.say(st.s.wire.event(foreign))
		}
		return honestly(e)
	})
}

func declaresNoStream(_ *server, c *card) { c.streaming = false }

// silentPaces is how long the silent peer works.
const silentPaces = 200

func workSilently(w *work) bool {
	w.status(working, "Working on it")
	w.pause(silentPaces)
	w.finish("Result: " + w.m.text())
	return true
}
