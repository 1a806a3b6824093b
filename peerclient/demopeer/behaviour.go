package demopeer

import "net/http"

// script is one scenario: what lists say of it, and what it changes.
type script struct {
	Scenario
	behaviour
}

// behaviour is everything in which a peer may differ from the honest one. The
// zero value is honest.
type behaviour struct {
	// card changes what is declared.
	card func(s *server, c *card)
	// cardText edits the bytes of the card.
	cardText func(text string) string
	// page answers for the card.
	page func(w http.ResponseWriter)
	// foreignWire: the endpoint speaks the generation that the card does not name.
	foreignWire bool

	// work replaces a turn; false leaves it to the honest script.
	work func(w *work) bool
	// result makes the content of an artifact.
	result func(text string) part
	// hasty: a blocking send does not wait.
	hasty bool
	// cancel replaces the cancellation of a working task, and returns what the
	// answer shows. It runs under the lock.
	cancel func(s *server, t *task) view
	// uncancelable: nothing that works can be canceled.
	uncancelable bool
	// rewrites: a finished task can be canceled.
	rewrites bool

	// adopt takes an answer for a new request. It runs under the lock.
	adopt func(s *server, m message) bool
	// refuse turns an answer away.
	refuse func(m message) *fault
	// resubmits: an answered task starts again at submitted.
	resubmits bool

	// read changes what one get shows, or refuses it. It runs under the lock.
	read func(s *server, t *task, v *view) *fault
	// listed changes what a list shows of a task.
	listed func(v *view)
	// show changes every whole task that goes out.
	show func(v *view)

	// plain: a streaming call is answered with one JSON body.
	plain bool
	// modest: streams although the card does not say so.
	modest bool
	// bring replaces a whole stream.
	bring func(st *stream, t *task, first view, from int)
	// subscribe replaces a resubscription.
	subscribe func(st *stream, t *task, present int)
	// unsubscribable: no task is found by a subscription.
	unsubscribable bool

	// refusesPush: configurations are refused, whatever the card says.
	refusesPush bool
	// deaf: configurations are accepted, and nobody is ever called.
	deaf bool
	// skips says in which state of the task nobody is called.
	skips func(now state) bool
	// tells changes what a call says.
	tells func(e *event, now *view)
	// tokenless: calls come without the credentials that they were given.
	tokenless bool

	// admits says whether a call gets in; nil lets everybody in.
	admits func(r *http.Request, op operation) bool
	// extended is the extended card; nil has none.
	extended func(s *server, r *http.Request) string
	// route answers for paths that other peers do not have; false leaves it.
	route func(s *server, w http.ResponseWriter, r *http.Request) bool

	// answerID is what answers carry instead of the request's id, as JSON.
	answerID string
	// recode changes an error before it goes out.
	recode func(f *fault) *fault
	// respell edits the bytes of a result before it goes out.
	respell func(result string) string
}

// first is the order of the scenarios that a newcomer should meet first; the
// others follow by family.
var first = []string{
	"honest", "leaky-cancel", "refused-mode", "hidden-artifact",
	"forgets-task", "replays", "resumes", "restarts",
}

// families are all scenarios, in the order of lists.
var families = [][]script{honest, cancelLies, resumeLies, streamLies, settleLies, cardLies, wireLies, pushLies, accessLies}

// honest are the peers that keep every promise.
var honest = []script{
	{Scenario: Scenario{
		Name: "honest", Title: "keeps every promise",
		Try: "stream slow 5; ask, and answer; cancel: everything is as the card and the protocol say",
	}},
	{Scenario: Scenario{
		Name: "resumes", Title: "goes on where a resubscription finds it, and keeps a task through an answer",
		Try: "stream ask, resubscribe, resume Ada: one task, a snapshot, then only what is new",
	}},
	{Scenario{
		Name: "text-only", Title: "takes and gives text/plain, and never asks: every task goes from working to its end",
		Try: "stream task report: completed, as its card has it; ask is done like any other task",
	}, behaviour{card: onlyText, work: neverAsk}},
}

func onlyText(_ *server, c *card) {
	c.inputModes, c.outputModes = []string{"text/plain"}, []string{"text/plain"}
}

// neverAsk completes what other peers would ask about.
func neverAsk(w *work) bool {
	if w.m.text() != "ask" {
		return false
	}
	w.status(working, "Working on it")
	w.finish("Result: " + w.m.text())
	return true
}
