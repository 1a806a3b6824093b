package interop

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"a2ascope/session"
	"a2ascope/session/a2a"
	"a2ascope/session/runner"
)

// step is one walk through an agent, and what it must come to.
type step struct {
	name  string
	lines []string
	state string // of the last task, in the verdict document
	text  string // that its artifacts hold

	honoured []session.Claim                   // besides, none may be contradicted
	answered []a2a.Operation                   // calls that must have been answered without an error
	refused  map[a2a.Operation][]a2a.ErrorName // calls that may be refused, and with which error
}

// walks is the table that every agent is led through, over every binding. Hook
// is where webhooks may go.
func walks(hook string, binding a2a.Binding, gen a2a.Generation) []step {
	list := step{name: "list", lines: []string{"send task x", "wait settled", "list", "list --state completed --page 5", "list --context current"}, state: "completed", answered: []a2a.Operation{a2a.OpList}}
	if gen == a2a.Gen03 && binding == a2a.JSONRPC { // 0.3 lists over gRPC and HTTP+JSON alone (0.3 §3.5.6)
		list.answered, list.refused = nil, map[a2a.Operation][]a2a.ErrorName{a2a.OpList: {a2a.ErrMethodNotFound}}
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
		{name: "cancel after the end", lines: []string{"send task x", "wait settled", "cancel", "get", "wait settled"}, state: "completed", honoured: []session.Claim{session.TerminalFinal}, refused: map[a2a.Operation][]a2a.ErrorName{a2a.OpCancel: {a2a.ErrTaskNotCancelable}}},
		{name: "poll", lines: []string{"send slow 10 --immediate", "poll --every 20ms"}, state: "completed", text: "chunk 10/10", honoured: []session.Claim{session.TerminalFinal, session.CompletedStable}},
		{name: "resubscribe midway", lines: []string{"stream slow 120", "wait state working", "detach", "resubscribe", "wait settled"}, state: "completed", text: "chunk 120/120", answered: []a2a.Operation{a2a.OpSubscribe}},
		{name: "resubscribe beside the stream", lines: []string{"stream slow 100", "wait state working", "resubscribe", "wait settled"}, state: "completed", text: "chunk 100/100", answered: []a2a.Operation{a2a.OpSubscribe}, honoured: []session.Claim{session.Streaming, session.ArtifactsStreamed}},
		{name: "resubscribe at input-required", lines: []string{"send ask", "resubscribe &", "wait 200ms", "resume Ada", "wait settled"}, state: "completed", text: "answer was: Ada", refused: map[a2a.Operation][]a2a.ErrorName{a2a.OpSubscribe: {a2a.ErrTaskNotFound, a2a.ErrUnsupportedOperation}}},
		{name: "resubscribe after the end", lines: []string{"send task x", "wait settled", "resubscribe", "get", "wait settled"}, state: "completed", refused: map[a2a.Operation][]a2a.ErrorName{a2a.OpSubscribe: {a2a.ErrTaskNotFound, a2a.ErrUnsupportedOperation}}},
		{name: "history", lines: []string{"send task x", "wait settled", "get --history 10"}, state: "completed", answered: []a2a.Operation{a2a.OpGet}},
		{name: "push", lines: []string{"send ask", "push set " + hook, "push get", "push list", "push delete", "resume Ada", "wait settled"}, state: "completed",
			answered: []a2a.Operation{a2a.OpPushSet, a2a.OpPushGet, a2a.OpPushList, a2a.OpPushDelete}},
		{name: "extended card", lines: []string{"extended-card"}, answered: []a2a.Operation{a2a.OpExtendedCard}},
	}
}

// spoken is a binding in a generation.
type spoken struct {
	binding a2a.Binding
	gen     a2a.Generation
}

// lead leads an agent through the step. A subscription that was to meet a task
// under way, and found it ended, tells of a slow machine and not of the peer:
// the step is walked again.
func (st step) lead(t testing.TB, url string, on spoken) walked {
	t.Helper()
	for try := 0; ; try++ {
		w := walk(t, url, append([]string{"interface " + on.word()}, st.lines...)...)
		if try == 3 || !st.late(w) {
			return w
		}
	}
}

// late reports whether a subscription that had to be answered was refused, and
// the task had ended before.
func (st step) late(w walked) bool {
	if !slices.Contains(st.answered, a2a.OpSubscribe) {
		return false
	}
	s := fold(w)
	return slices.ContainsFunc(s.Exchanges, func(x *session.Exchange) bool {
		if x.Op != a2a.OpSubscribe || x.Error == nil || x.Task == 0 {
			return false
		}
		a := s.Tasks[x.Task-1].Last()
		return a != nil && a.Terminal != nil && a.Terminal.Seq < x.Answer
	})
}

func fold(w walked) *session.State {
	s := session.NewState()
	for i := range w.records {
		session.Fold(s, &w.records[i])
	}
	return s
}

// word is what the command "interface" calls it.
func (s spoken) word() string {
	return map[a2a.Binding]string{a2a.JSONRPC: "jsonrpc", a2a.REST: "rest", a2a.GRPC: "grpc"}[s.binding] + " " + string(s.gen)
}

// column is what the page calls it.
func (s spoken) column() string { return string(s.binding) + " " + string(s.gen) }

// TestGoSDK walks the official Go SDK's server over each of its bindings that
// the console speaks.
func TestGoSDK(t *testing.T) {
	t.Parallel()
	p := goSDK(t, 10*time.Millisecond)
	hook := receiver(t)
	for _, on := range []spoken{{a2a.JSONRPC, a2a.Gen10}, {a2a.JSONRPC, a2a.Gen03}, {a2a.REST, a2a.Gen10}, {a2a.GRPC, a2a.Gen10}, {a2a.GRPC, a2a.Gen03}} {
		if slices.Contains(session.Spoken, on.binding) {
			for _, st := range walks(hook, on.binding, on.gen) {
				t.Run(on.word()+"/"+st.name, func(t *testing.T) {
					t.Parallel()
					w := st.lead(t, p.url, on)
					if list := st.departures(w, on.binding, on.gen); len(list) > 0 {
						t.Errorf("%s%s", strings.Join(list, "\n"), w.transcript())
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

// TestGoSDKOldRESTCard: the extended card of the SDK's 0.3 compatibility is at
// 1.0's path, and is found there.
func TestGoSDKOldRESTCard(t *testing.T) {
	t.Parallel()
	w := walk(t, goSDK(t, time.Millisecond).url, "interface rest 0.3", "extended-card")
	answered := slices.ContainsFunc(fold(w).Exchanges, func(x *session.Exchange) bool {
		return x.Op == a2a.OpExtendedCard && x.Over && x.Error == nil && x.Fault == ""
	})
	if !answered || w.err != nil {
		t.Errorf("the card was not had (%v)%s", w.err, w.transcript())
	}
	for _, f := range w.doc.Findings {
		if f.Severity.Contradicts() {
			t.Errorf("%s accuses an honest peer of %s: %s", f.Rule, f.Claim, f.Title)
		}
	}
}

// receiver takes webhooks and asks nothing.
func receiver(t testing.TB) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(http.StatusNoContent) }))
	t.Cleanup(s.Close)
	return s.URL + "/hook"
}

// departures says in a few words each where a walk did not come to what it
// should; none is good. An accusation begins with the rule that makes it.
func (st step) departures(w walked, binding a2a.Binding, gen a2a.Generation) []string {
	d := &w.doc
	var out []string
	say := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	for _, f := range d.Findings {
		if f.Severity.Contradicts() {
			say("%s contradicts %s", f.Rule, f.Claim)
		}
	}
	if d.Peer.Generation != string(gen) || d.Peer.Binding != string(binding) {
		say("%s %s answered", d.Peer.Binding, d.Peer.Generation)
	}
	if w.err != nil {
		var at *runner.ScriptError
		if !errors.As(w.err, &at) {
			say("the walk ended: %v", w.err)
		} else {
			say("%q could not be carried out", strings.TrimSpace(strings.Split(at.Text, " http")[0]))
		}
	}
	out = append(out, st.refusals(w)...)
	out = append(out, st.taskDepartures(d)...)
	verdicts := map[session.Claim]session.Verdict{}
	for _, c := range d.Claims {
		verdicts[c.ID] = c.Verdict
	}
	for _, c := range st.honoured {
		if verdicts[c] != session.Honoured && verdicts[c] != session.Contradicted {
			say("%s is %s", c, verdicts[c])
		}
	}
	if d.Faults != 0 {
		say("faults in transport: %d", d.Faults)
	}
	return out
}

func (st step) taskDepartures(d *session.Document) []string {
	if st.state == "" {
		return nil
	}
	if len(d.Tasks) != 1 {
		return []string{fmt.Sprintf("%d tasks", len(d.Tasks))}
	}
	var out []string
	task := d.Tasks[0]
	var text strings.Builder
	for _, a := range task.Artifacts {
		text.WriteString(a.Text)
	}
	switch {
	case task.State != st.state:
		out = append(out, fmt.Sprintf("the task is %q", task.State))
	case !task.Settled:
		out = append(out, "the end was not confirmed")
	case !strings.Contains(text.String(), st.text):
		out = append(out, fmt.Sprintf("%q is missing in the artifacts", st.text))
	}
	if task.Attempts != 1 {
		out = append(out, fmt.Sprintf("%d tasks of the server", task.Attempts))
	}
	return out
}

// refusals holds the answers to the step's calls against what was expected:
// nothing but what may be refused is.
func (st step) refusals(w walked) []string {
	s := fold(w)
	var out []string
	done := map[a2a.Operation]bool{}
	for _, x := range s.Exchanges {
		words := ""
		switch {
		case x.Error == nil:
			done[x.Op] = done[x.Op] || x.Fault == ""
		case !slices.Contains(st.refused[x.Op], x.Error.Name):
			words = fmt.Sprintf("%s refused: %s (%d)", x.Op, x.Error.Name, x.Error.Code)
		}
		if words != "" && !slices.Contains(out, words) {
			out = append(out, words)
		}
	}
	for _, op := range st.answered {
		if !done[op] {
			out = append(out, fmt.Sprintf("%s was not answered", op))
		}
	}
	return out
}
