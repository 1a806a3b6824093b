package interop

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"a2ascope/session"
	"a2ascope/session/a2a"
)

// step is one walk through an agent, and what it must come to.
type step struct {
	name  string
	lines []string
	state string // of the last task, in the verdict document
	text  string // that its artifacts hold

	honoured []session.Claim                 // besides, none may be contradicted
	answered []a2a.Operation                 // calls that must have been answered without an error
	refused  map[a2a.Operation]a2a.ErrorName // calls that may be refused, and with which error
}

// walks is the table that every agent is led through, over every binding. Hook
// is where webhooks may go.
func walks(hook string, binding a2a.Binding, gen a2a.Generation) []step {
	list := step{name: "list", lines: []string{"send task x", "wait settled", "list", "list --state completed --page 5", "list --context current"}, state: "completed", answered: []a2a.Operation{a2a.OpList}}
	if gen == a2a.Gen03 && binding == a2a.JSONRPC { // 0.3 lists over gRPC and HTTP+JSON alone (0.3 §7.3)
		list.answered, list.refused = nil, map[a2a.Operation]a2a.ErrorName{a2a.OpList: a2a.ErrMethodNotFound}
	}
	return []step{
		list,
		{name: "message", lines: []string{"send echo hello", "wait settled"}, state: "message"},
		{name: "message streamed", lines: []string{"stream echo hello", "wait settled"}, state: "message", honoured: []session.Claim{session.Streaming}},
		{name: "send", lines: []string{"send task x", "wait settled"}, state: "completed", text: "result: x", honoured: []session.Claim{session.TerminalFinal, session.CompletedStable, session.OutputModes, session.InputModes}},
		{name: "stream", lines: []string{"stream slow 8", "wait settled", "wait closed"}, state: "completed", text: "chunk 8/8",
			honoured: []session.Claim{session.Streaming, session.ArtifactsStreamed, session.StreamCloses, session.TerminalFinal, session.CompletedStable, session.StatesForward}},
		{name: "fail", lines: []string{"send fail", "wait settled"}, state: "failed"},
		{name: "fail streamed", lines: []string{"stream fail", "wait settled", "wait closed"}, state: "failed", honoured: []session.Claim{session.Streaming, session.StreamCloses}},
		{name: "reject", lines: []string{"send reject", "wait settled"}, state: "rejected"},
		{name: "resume with text", lines: []string{"send ask", "resume Ada", "wait settled"}, state: "completed", text: "answer was: Ada", honoured: []session.Claim{session.ResumeSameTask, session.InputModes}},
		{name: "resume with data", lines: []string{"send ask", `resume --data {"name":"Ada"}`, "wait settled"}, state: "completed", text: "answer was:", honoured: []session.Claim{session.ResumeSameTask, session.InputModes}},
		{name: "resume streamed", lines: []string{"stream ask", "wait state input-required", "resume Ada --stream", "wait settled"}, state: "completed", text: "answer was: Ada", honoured: []session.Claim{session.Streaming, session.ResumeSameTask}},
		{name: "resume beside the stream", lines: []string{"stream ask", "wait state input-required", "resume Ada", "wait settled"}, state: "completed", text: "answer was: Ada", honoured: []session.Claim{session.ResumeSameTask}},
		{name: "cancel in working", lines: []string{"stream hang", "wait state working", "cancel", "wait settled"}, state: "canceled", honoured: []session.Claim{session.CancelFinal}, answered: []a2a.Operation{a2a.OpCancel}},
		{name: "cancel while chunks come", lines: []string{"stream slow 400", "wait state working", "cancel", "wait settled"}, state: "canceled", honoured: []session.Claim{session.CancelFinal}, answered: []a2a.Operation{a2a.OpCancel}},
		{name: "cancel without a stream", lines: []string{"send hang --immediate", "wait state working", "cancel", "wait settled"}, state: "canceled", honoured: []session.Claim{session.CancelFinal}, answered: []a2a.Operation{a2a.OpCancel}},
		{name: "cancel at input-required", lines: []string{"send ask", "cancel", "wait settled"}, state: "canceled", honoured: []session.Claim{session.CancelFinal}, answered: []a2a.Operation{a2a.OpCancel}},
		{name: "cancel after the end", lines: []string{"send task x", "wait settled", "cancel", "get", "wait settled"}, state: "completed", honoured: []session.Claim{session.TerminalFinal}, refused: map[a2a.Operation]a2a.ErrorName{a2a.OpCancel: a2a.ErrTaskNotCancelable}},
		{name: "poll", lines: []string{"send slow 10 --immediate", "poll --every 20ms"}, state: "completed", text: "chunk 10/10", honoured: []session.Claim{session.TerminalFinal, session.CompletedStable}},
		{name: "resubscribe midway", lines: []string{"stream slow 60", "wait state working", "detach", "resubscribe", "wait settled"}, state: "completed", text: "chunk 60/60", answered: []a2a.Operation{a2a.OpSubscribe}},
		{name: "resubscribe beside the stream", lines: []string{"stream slow 40", "wait state working", "resubscribe", "wait settled"}, state: "completed", text: "chunk 40/40", answered: []a2a.Operation{a2a.OpSubscribe}, honoured: []session.Claim{session.Streaming, session.ArtifactsStreamed}},
		{name: "resubscribe at input-required", lines: []string{"send ask", "resubscribe", "resume Ada", "wait settled"}, state: "completed", text: "answer was: Ada", refused: map[a2a.Operation]a2a.ErrorName{a2a.OpSubscribe: a2a.ErrTaskNotFound}},
		{name: "resubscribe after the end", lines: []string{"send task x", "wait settled", "resubscribe", "get", "wait settled"}, state: "completed", refused: map[a2a.Operation]a2a.ErrorName{a2a.OpSubscribe: a2a.ErrTaskNotFound}},
		{name: "history", lines: []string{"send task x", "wait settled", "get --history 10"}, state: "completed", answered: []a2a.Operation{a2a.OpGet}},
		{name: "push", lines: []string{"send ask", "push set " + hook, "push get", "push list", "push delete", "resume Ada", "wait settled"}, state: "completed",
			answered: []a2a.Operation{a2a.OpPushSet, a2a.OpPushGet, a2a.OpPushList, a2a.OpPushDelete}},
		{name: "extended card", lines: []string{"extended-card"}, answered: []a2a.Operation{a2a.OpExtendedCard}},
	}
}

// TestGoSDK walks the official Go SDK's server over each of its bindings that
// the console speaks.
func TestGoSDK(t *testing.T) {
	t.Parallel()
	p := goSDK(t, 10*time.Millisecond)
	for _, on := range []struct {
		binding a2a.Binding
		word    string
		gens    []a2a.Generation
	}{
		{a2a.JSONRPC, "jsonrpc", []a2a.Generation{a2a.Gen10, a2a.Gen03}},
		{a2a.REST, "rest", []a2a.Generation{a2a.Gen10}},
		{a2a.GRPC, "grpc", []a2a.Generation{a2a.Gen10, a2a.Gen03}},
	} {
		if !slices.Contains(session.Spoken, on.binding) {
			continue
		}
		for _, gen := range on.gens {
			spoken := fmt.Sprintf("%s %s", on.word, gen)
			for _, st := range walks(receiver(t), on.binding, gen) {
				t.Run(spoken+"/"+st.name, func(t *testing.T) {
					t.Parallel()
					w := walk(t, p.url, append([]string{"interface " + spoken}, st.lines...)...)
					if st.check(t, w, on.binding, gen); t.Failed() {
						t.Log(w.transcript())
					}
				})
			}
		}
	}
}

// TestGoSDKOldREST: below HTTP+JSON the SDK's 0.3 compatibility expects the
// members of the JSON-RPC binding, in snake case, where the 0.3 proto and the
// other SDKs have "content". The message is refused; it goes out once, and
// nobody is accused.
func TestGoSDKOldREST(t *testing.T) {
	t.Parallel()
	w := walk(t, goSDK(t, time.Millisecond).url, "interface rest 0.3", "send task x", "wait settled --for 1s")
	sent := 0
	for _, r := range w.records {
		if r.Kind == session.KindRequest && strings.Contains(string(r.Raw), "message:send") {
			sent++
		}
	}
	if sent != 1 {
		t.Errorf("the message went out %d times, want once", sent)
	}
	for _, f := range w.doc.Findings {
		if f.Severity.Contradicts() {
			t.Errorf("%s accuses an honest peer of %s: %s", f.Rule, f.Claim, f.Title)
		}
	}
	if len(w.doc.Tasks) != 1 || w.doc.Tasks[0].State != "" || t.Failed() {
		t.Errorf("tasks %+v%s", w.doc.Tasks, w.transcript())
	}
}

// receiver takes webhooks and asks nothing.
func receiver(t testing.TB) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(http.StatusNoContent) }))
	t.Cleanup(s.Close)
	return s.URL + "/hook"
}

// check holds a walk against what it must come to.
func (st step) check(t *testing.T, w walked, binding a2a.Binding, gen a2a.Generation) {
	t.Helper()
	d := &w.doc
	if d.Peer.Generation != string(gen) || d.Peer.Binding != string(binding) {
		t.Errorf("spoke %s %s", d.Peer.Binding, d.Peer.Generation)
	}
	for _, f := range d.Findings {
		if f.Severity.Contradicts() {
			t.Errorf("%s accuses an honest peer of %s: %s", f.Rule, f.Claim, f.Title)
		}
	}
	verdicts := map[session.Claim]session.Verdict{}
	for _, c := range d.Claims {
		verdicts[c.ID] = c.Verdict
	}
	for _, c := range st.honoured {
		if verdicts[c] != session.Honoured {
			t.Errorf("%s is %s, want honoured", c, verdicts[c])
		}
	}
	if d.Faults != 0 {
		t.Errorf("%d faults in transport: %+v", d.Faults, d.FaultList)
	}
	st.checkTask(t, d)
	st.checkCalls(t, w)
}

func (st step) checkTask(t *testing.T, d *session.Document) {
	t.Helper()
	if st.state == "" {
		return
	}
	if len(d.Tasks) != 1 {
		t.Errorf("%d tasks, want 1", len(d.Tasks))
		return
	}
	task := d.Tasks[0]
	var text strings.Builder
	for _, a := range task.Artifacts {
		text.WriteString(a.Text)
	}
	if task.State != st.state || !task.Settled || task.Attempts != 1 || !strings.Contains(text.String(), st.text) {
		t.Errorf("state %q, settled %v, %d attempts, text %q; want %q with %q", task.State, task.Settled, task.Attempts, text.String(), st.state, st.text)
	}
}

// checkCalls holds the answers to the step's calls against what was expected:
// nothing but what may be refused is.
func (st step) checkCalls(t *testing.T, w walked) {
	t.Helper()
	s := session.NewState()
	for i := range w.records {
		session.Fold(s, &w.records[i])
	}
	done := map[a2a.Operation]bool{}
	for _, x := range s.Exchanges {
		switch {
		case x.Error == nil:
			done[x.Op] = true
		case st.refused[x.Op] != x.Error.Name:
			t.Errorf("%s was refused: %s (%d) %s", x.Op, x.Error.Name, x.Error.Code, x.Error.Message)
		}
	}
	for _, op := range st.answered {
		if !done[op] {
			t.Errorf("%s was not answered", op)
		}
	}
}
