package session

import (
	"strconv"

	"a2ascope/session/a2a"
)

// httpMeanings say of a status what it means for the task, and what to do.
var httpMeanings = map[int]string{
	400: "the peer could not read or accept the request: compare its body with the card's generation, and read what the answer says is wrong",
	401: "the peer does not know who asks: give it the credential that its card declares, with auth or header",
	403: "the peer knows who asks and does not allow it: another credential or scope is needed; asking again changes nothing",
	404: "nothing is at this address, or the task is not known there: check the interface's URL, and whether the task was lost",
	405: "the address is there and takes another HTTP method: the binding or the path is probably another one than the card says",
	406: "the peer cannot answer in a form that we take: ask without a stream, or with another --accept",
	408: "the peer waited too long for the request: it may or may not have begun the work; read the task before sending again",
	409: "the request meets a state that does not allow it: read the task before anything else",
	413: "the message is larger than the peer takes: send less, or a URL in place of the file",
	415: "the peer does not take this form of body or part: use one of the card's input modes",
	429: "the peer is asked too often: wait as long as Retry-After says; nothing was done",
	500: "the peer failed while it worked: whether the work was begun is not known; read the task before sending again",
	501: "the peer does not have this operation: use another binding, or do without",
	502: "a proxy got no valid answer from the agent behind it: the agent may have begun the work; read the task before sending again",
	503: "the peer is there and not ready: wait, as long as Retry-After says, and try again",
	504: "a proxy gave up waiting for the agent, which may go on working: read the task before sending again",
}

// rpcMeanings do so for the codes of JSON-RPC and A2A.
var rpcMeanings = map[int]string{
	-32700: "the peer could not read the request as JSON: look at the bytes that were sent, and at proxies between",
	-32600: "the peer read JSON that is no request to it: the generation or the binding is probably another one",
	-32601: "the peer has no such method: its generation names it otherwise, or it does not have it",
	-32602: "the peer does not accept the parameters: read what the error says, and compare with the card's generation",
	-32603: "the peer failed inside: whether the work was begun is not known; read the task before sending again",
	-32001: "the peer does not know the task, or no longer does: it may have been lost in a restart; do not start the work again before that is known",
	-32002: "the task cannot be canceled any more, or never could: read its state, and count on the work being done",
	-32003: "the peer sends no push notifications: follow the task by its stream, or poll",
	-32004: "the peer does not do this: it may declare another way on its card",
	-32005: "the peer does not take or give this kind of content: use one of the card's modes",
	-32006: "the peer's agent gave an answer that its own server holds for wrong: report it to the peer's people; read the task",
	-32007: "the peer has no extended card, though the card may promise one: the public card is what there is",
	-32008: "the peer demands an extension that we did not name: the card's extensions say which",
	-32009: "the peer does not speak this version of the protocol: choose another of its interfaces",
}

// MeaningOfStatus says in one line what an HTTP status means for a task and
// what to do; empty for those that need no word.
func MeaningOfStatus(status int) string {
	switch s, ok := httpMeanings[status]; {
	case ok:
		return s
	case status >= 500:
		return httpMeanings[500]
	case status >= 400:
		return httpMeanings[400]
	case status >= 300:
		return "the peer sends us elsewhere: credentials go along only to an origin that may see them"
	}
	return ""
}

// MeaningOfCode does so for an error code of JSON-RPC; empty for one that
// neither it nor A2A gives a meaning.
func MeaningOfCode(code int) string {
	s, ok := rpcMeanings[code]
	if !ok && code <= -32000 && code >= -32099 {
		return "an error of the peer's own making: only its message tells what it means"
	}
	return s
}

// Meaning says what the status or the error of a record means; empty where it
// has neither.
func Meaning(r *Record) string {
	switch r.Kind {
	case KindResponse:
		var b Responded
		if r.Decode(&b) != nil {
			return ""
		}
		if b.Head >= 0 && b.Head <= len(r.Raw) {
			if body, err := responseBody(r.Raw, &b); err == nil && !b.Stream {
				if s := meaningOf(a2a.Decode(a2a.Input{Raw: body, HTTPStatus: b.Status})); s != "" {
					return s
				}
			}
		}
		if s := MeaningOfStatus(b.Status); s != "" {
			return "HTTP " + strconv.Itoa(b.Status) + ": " + s
		}
	case KindFrame:
		var b Framed
		if r.Decode(&b) != nil {
			return ""
		}
		if data, ok := frameData(r.Raw, &b); ok {
			return meaningOf(a2a.Decode(a2a.Input{Raw: data}))
		}
	}
	return ""
}

func meaningOf(p a2a.Payload) string {
	if p.Error == nil || !p.Error.A2A {
		return ""
	}
	s := MeaningOfCode(p.Error.Code)
	if s == "" {
		return ""
	}
	return strconv.Itoa(p.Error.Code) + " " + string(p.Error.Name) + ": " + s
}
