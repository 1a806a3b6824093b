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

	// adopt takes an answer for a new request. It runs under the lock.
	adopt func(s *server, m message) bool
	// refuse turns an answer away.
	refuse func(m message) *fault
	// resubmits: an answered task starts again at submitted.
	resubmits bool

	// read changes what one get shows, or refuses it. It runs under the lock.
	read func(s *server, t *task, v *view) *fault
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
}

// first is the order of the scenarios that a newcomer should meet first; the
// others follow by family.
var first = []string{
	"honest", "leaky-cancel", "refused-mode", "hidden-artifact",
	"forgets-task", "replays", "resumes", "restarts",
}

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
}
