package demopeer

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"
)

// dialect is how one generation of A2A looks on the wire: the names of its
// methods, and the literal JSON of everything that it says.
type dialect interface {
	// operation finds what a method name asks for; "" when it is unknown.
	operation(method string) operation
	card(c card) string
	task(v view) string
	message(m message) string
	event(e event) string
	// sent is the result of a send that answers with a task.
	sent(v view) string
	// said is the result of a send that answers with a message.
	said(m message) string
	fault(f *fault) string
	role(agent bool) string
	part(p wirePart) (part, *fault)
	// pushConfig is one configuration, as set and get answer it.
	pushConfig(taskID string, c pushConfig) string
	pushList(taskID string, list []pushConfig) string
	// delivery is the body and the token header of one webhook call.
	delivery(e event, now view) (body, tokenHeader string)
}

// operation is a method of A2A, whatever a generation calls it.
type operation string

const (
	opSend         operation = "send"
	opStream       operation = "stream"
	opGet          operation = "get"
	opCancel       operation = "cancel"
	opSubscribe    operation = "subscribe"
	opList         operation = "list"
	opPushSet      operation = "push-set"
	opPushGet      operation = "push-get"
	opPushList     operation = "push-list"
	opPushDelete   operation = "push-delete"
	opExtendedCard operation = "extended-card"
)

// wirePart is the union of what a part of a request can hold in both
// generations; the dialect says what counts.
type wirePart struct {
	Kind      string          `json:"kind"`
	Text      *string         `json:"text"`
	Data      json.RawMessage `json:"data"`
	Raw       *string         `json:"raw"`
	URL       *string         `json:"url"`
	MediaType string          `json:"mediaType"`
	Filename  string          `json:"filename"`
	File      *struct {
		Name     string  `json:"name"`
		MimeType string  `json:"mimeType"`
		Bytes    *string `json:"bytes"`
		URI      *string `json:"uri"`
	} `json:"file"`
}

// quote writes one JSON string.
func quote(s string) string {
	b, err := json.Marshal(s)
	if err != nil { // a Go string always has a JSON form
		return `""`
	}
	return string(b)
}

func stamp(t time.Time) string { return quote(t.UTC().Format("2006-01-02T15:04:05.000Z")) }

// list writes a JSON array from items already written.
func list[T any](items []T, write func(T) string) string {
	out := make([]string, len(items))
	for i, it := range items {
		out[i] = write(it)
	}
	return "[" + strings.Join(out, ",") + "]"
}

func rpcResult(id, result string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"result":` + result + `}`
}

func rpcError(id, fault string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"error":` + fault + `}`
}

// optional writes a member with a leading comma, or nothing for "".
func optional(key, value string) string {
	if value == "" {
		return ""
	}
	return `,"` + key + `":` + quote(value)
}

func faultCode(f *fault) string { return strconv.Itoa(f.code) }
