package demopeer

import (
	"encoding/base64"
	"fmt"
	"slices"
)

// settleLies: what a finished task is worth, and what an unfinished one.
var settleLies = []script{
	{Scenario{
		Name: "undead-task", Title: "completes a task, then goes back to work on it",
		Try:    "stream task report: completed, working, another artifact, completed again",
		Claims: []string{"terminal-final"},
	}, behaviour{work: workBeyondTheEnd, bring: bringBeyondTheEnd}},
	{Scenario{
		Name: "drifting-artifacts", Title: "changes the artifacts of a completed task with each read",
		Try:    "send task report, then get twice: two results",
		Claims: []string{"completed-stable"},
	}, behaviour{read: drift}},
	{Scenario{
		Name: "two-faced", Title: "says completed on the stream and failed when it is read",
		Try:    "stream task report, then get twice: completed here, failed there",
		Claims: []string{"views-agree"},
	}, behaviour{read: sayFailed}},
	{Scenario{
		Name: "loses-task", Title: "does not find a task while it works on it",
		Try:    "stream slow 50, get, wait 2s, get: not found, while the stream goes on",
		Claims: []string{"task-durable"},
	}, behaviour{read: loseWhileWorking}},
	{Scenario{
		Name: "no-blocking", Title: "answers a blocking send while the task still works",
		Try:    "send slow 20: working, although the send asked to wait",
		Claims: []string{"blocking"},
	}, behaviour{hasty: true}},
	{Scenario{
		Name: "double-submit", Title: "submits a task a second time after it has begun to work on it",
		Try:    "stream task report: submitted, working, submitted, working, completed",
		Claims: []string{"states-forward"},
	}, behaviour{work: workTwice}},
	{Scenario{
		Name: "wrong-mode", Title: "delivers application/xml, which its card does not list",
		Try:    "send task report: an artifact of application/xml, outside the declared output modes",
		Claims: []string{"output-modes"},
	}, behaviour{result: xmlFile}},
	{Scenario{
		Name: "rewrites-end", Title: "cancels tasks that have long been completed",
		Try:    "send task report, then cancel: the answer says canceled, and the result is a canceled task's",
		Claims: []string{"terminal-final"},
	}, behaviour{rewrites: true}},
	{Scenario{
		Name: "stuck-submitted", Title: "takes a task and never begins it: odd, and not forbidden",
		Try: "with --submitted-deadline 5s, send task report --immediate, wait 6s: submitted",
	}, behaviour{work: workNever}},
	{Scenario{
		Name: "stuck-working", Title: "works on a task and never comes to its end: odd, and not forbidden",
		Try: "with --working-deadline 5s, send task report --immediate, wait 6s: working",
	}, behaviour{work: workForever}},
	{Scenario{
		Name: "wrong-codes", Title: "refuses what it should refuse, and calls each refusal an internal error",
		Try: "send task report, cancel: -32603 where -32002 is due",
	}, behaviour{recode: internalError}},
}

// workBeyondTheEnd does honest work, and rises again when it is done: three
// paces after its end, or a little later if nobody has read it by then.
func workBeyondTheEnd(w *work) bool {
	w.perform()
	over, read := w.seen()
	if !over {
		return true
	}
	for i := 0; i < 3 || i < 20 && !read; i++ {
		if !w.pause(1) {
			return true
		}
		_, read = w.seen()
	}
	w.anyway(func() { w.t.move(working, "Wait, there is more", w.s.now()) })
	if !w.pause(12) {
		return true
	}
	more := artifact{id: "more", name: "more", parts: []part{w.result("One more thing")}}
	w.chunk(chunk{artifact: more, last: true})
	w.status(completed, "Done, this time")
	return true
}

// seen says whether the task is completed, and whether anybody has read it.
func (w *work) seen() (over, read bool) {
	w.s.mu.Lock()
	defer w.s.mu.Unlock()
	return w.t.status.state == completed, w.t.reads > 0
}

// bringBeyondTheEnd keeps the stream open until the second end.
func bringBeyondTheEnd(st *stream, t *task, first view, from int) {
	ends := 0
	earlier, _ := st.s.since(t, 0)
	for _, e := range earlier[:from] {
		if e.status != nil && e.status.state == completed {
			ends++
		}
	}
	st.snapshot(first)
	st.follow(t, from, func(e event) verdict {
		if e.status != nil && e.status.state == completed {
			ends++
			return verdict{end: ends == 2}
		}
		return honestly(e)
	})
}

// drift adds to what the reader sees; the task itself is left alone.
func drift(_ *server, t *task, v *view) *fault {
	if t.status.state == completed && len(v.artifacts) > 0 {
		a := &v.artifacts[0]
		a.parts = append(slices.Clip(a.parts), textPart(fmt.Sprintf("Revision %d", t.reads)))
	}
	return nil
}

func sayFailed(_ *server, t *task, v *view) *fault {
	if t.status.state == completed {
		v.status.state, v.status.says = failed, nil
	}
	return nil
}

func loseWhileWorking(_ *server, t *task, _ *view) *fault {
	if t.status.state == working {
		return notFound(t.id)
	}
	return nil
}

func workTwice(w *work) bool {
	if !w.answers {
		w.status(working, "Working on it")
		w.pause(1)
		w.status(submitted, "Queued again")
		w.pause(1)
	}
	return false // and now the honest script, from its start
}

// xmlFile is a result that no card here declares, in a form that names its
// type in both generations.
func xmlFile(text string) part {
	doc := "<result>" + text + "</result>"
	return part{kind: "raw", text: base64.StdEncoding.EncodeToString([]byte(doc)), mediaType: "application/xml", filename: "result.xml"}
}

// workNever leaves the task where it is until somebody cancels it.
func workNever(w *work) bool {
	<-w.ctx.Done()
	return true
}

func workForever(w *work) bool {
	w.status(working, "Working on it")
	return workNever(w)
}

// internalError forgets which error it was.
func internalError(f *fault) *fault { return faultf(-32603, "", "Internal error: %s", f.text) }
