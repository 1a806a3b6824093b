package replay

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"a2ascope/session/a2a"
)

// ask is what a request asks for, read from its bytes alone: of a recorded
// request and of a client's in the same way.
type ask struct {
	call    string // origin, path and method, ids left out: what must be the same
	name    string // call without its origin, for people
	traits  string // what should be the same where there is a choice
	op      a2a.Operation
	task    string          // the server's task that it is about
	message string          // id of the message that it carries
	context string          // that the message names
	rpcID   json.RawMessage // as written; nil for none, or where there is no JSON-RPC
	rpc     bool
	hook    *hook // where it asks to be called back
}

// hook is a receiver of push notifications.
type hook struct{ url, token string }

// methods are the names of the operations over JSON-RPC, of every generation.
var methods = func() map[string]a2a.Operation {
	m := map[string]a2a.Operation{}
	for _, op := range []a2a.Operation{
		a2a.OpSend, a2a.OpStream, a2a.OpGet, a2a.OpList, a2a.OpCancel, a2a.OpSubscribe, a2a.OpPushSet, a2a.OpPushGet, a2a.OpPushList, a2a.OpPushDelete, a2a.OpExtendedCard,
	} {
		for _, gen := range []a2a.Generation{a2a.Gen01, a2a.Gen02, a2a.Gen03, a2a.Gen10} {
			if name := a2a.RPCMethod(op, gen); name != "" {
				m[name] = op
			}
		}
	}
	return m
}()

// asked reads a request. rpcAt says that its path is one at which JSON-RPC was
// spoken: what cannot be read there is a broken call, and no route.
func asked(origin int, method, path, query string, header http.Header, body []byte, rpcAt bool) ask {
	var envelope struct {
		Method *string         `json:"method"`
		ID     json.RawMessage `json:"id"`
		Params json.RawMessage `json:"params"`
	}
	a := ask{traits: traits(header)}
	isRPC := method == http.MethodPost && json.Unmarshal(body, &envelope) == nil && envelope.Method != nil
	switch {
	case isRPC:
		a.rpc, a.rpcID = true, envelope.ID
		a.name = "POST " + path + " " + *envelope.Method
		a.op = methods[*envelope.Method]
		if a.op == "" {
			a.op = a2a.OpRaw
		}
		a.about(envelope.Params, body)
	case method == http.MethodPost && rpcAt:
		a.rpc, a.op, a.name = true, a2a.OpRaw, "POST "+path+" (unreadable)"
	default:
		a.route(method, path, query, body)
	}
	a.call = strconv.Itoa(origin) + " " + a.name
	return a
}

// about reads whom a call is about from its params, or from the body of a
// route.
func (a *ask) about(params, body []byte) {
	var p struct {
		ID     any    `json:"id"`
		TaskID string `json:"taskId"`
		Name   string `json:"name"`
		Config struct {
			A *receiver `json:"pushNotificationConfig"`
			B *receiver `json:"taskPushNotificationConfig"`
			C *receiver `json:"pushNotification"`
		} `json:"configuration"`
		A       *receiver `json:"pushNotificationConfig"`
		B       *receiver `json:"pushNotification"`
		C       *receiver `json:"config"`
		URL     string    `json:"url"`
		Token   string    `json:"token"`
		History *int      `json:"historyLength"`
	}
	_ = json.Unmarshal(params, &p) // what is read of it by then is what there is
	for _, r := range []*receiver{p.Config.A, p.Config.B, p.Config.C, p.A, p.B, p.C} {
		if r != nil && r.URL != "" {
			a.hook = &hook{r.URL, r.Token}
		}
	}
	if a.op == a2a.OpPushSet && p.URL != "" {
		a.hook = &hook{p.URL, p.Token}
	}
	id, _ := p.ID.(string)
	switch a.op {
	case a2a.OpSend, a2a.OpStream:
		if m, err := a2a.DecodeRequestMessage(body); err == nil {
			a.message, a.task, a.context = m.ID, m.TaskID, m.ContextID
		}
	case a2a.OpPushSet, a2a.OpPushGet, a2a.OpPushList, a2a.OpPushDelete:
		if a.task = p.TaskID; a.task == "" && a.rpc { // in 1.0 "id" is the configuration's
			a.task = id
		}
	case a2a.OpGet, a2a.OpCancel, a2a.OpSubscribe:
		if a.task = id; a.task == "" {
			a.task = p.TaskID
		}
		if a.task == "" {
			a.task = strings.TrimPrefix(p.Name, "tasks/")
		}
	}
	if p.History != nil && *p.History > 0 {
		a.traits += " history"
	}
}

type receiver struct {
	URL   string `json:"url"`
	Token string `json:"token"`
}

// route reads a request that is no JSON-RPC: a route of HTTP+JSON, the GET of
// a card, or the operator's own.
func (a *ask) route(method, path, query string, body []byte) {
	a.op = a2a.OpRaw
	named := path
	base, rest, found := strings.Cut(path, "/tasks/")
	verb := path[strings.LastIndexByte(path, '/')+1:]
	switch {
	case found && rest != "":
		id, tail := rest, ""
		if i := strings.IndexAny(rest, "/:"); i >= 0 {
			id, tail = rest[:i], rest[i:]
		}
		a.task = id
		if plain, err := url.PathUnescape(id); err == nil {
			a.task = plain
		}
		if config, ok := strings.CutPrefix(tail, "/pushNotificationConfigs/"); ok && config != "" {
			tail = "/pushNotificationConfigs/{id}"
		}
		a.op = taskRoutes[method+" "+tail]
		if tail == ":subscribe" { // some say GET, some POST
			a.op, method = a2a.OpSubscribe, http.MethodPost
		}
		named = base + "/tasks/{task}" + tail
	case method == http.MethodPost && verb == "message:send":
		a.op = a2a.OpSend
	case method == http.MethodPost && verb == "message:stream":
		a.op = a2a.OpStream
	case method == http.MethodGet && verb == "tasks":
		a.op = a2a.OpList
	case method == http.MethodGet && (verb == "extendedAgentCard" || strings.HasSuffix(path, "/v1/card")):
		a.op = a2a.OpExtendedCard
	case method == http.MethodGet:
		a.op = a2a.OpCard
	}
	if a.op == "" {
		a.op = a2a.OpRaw
	}
	a.name = method + " " + named
	task := a.task
	if a.about(body, body); a.op != a2a.OpSend && a.op != a2a.OpStream {
		a.task = task
	}
	if values, err := url.ParseQuery(query); err == nil && values.Get("historyLength") != "" && values.Get("historyLength") != "0" {
		a.traits += " history"
	}
}

var taskRoutes = map[string]a2a.Operation{
	"GET ": a2a.OpGet, "POST :cancel": a2a.OpCancel, "POST /pushNotificationConfigs": a2a.OpPushSet, "GET /pushNotificationConfigs": a2a.OpPushList,
	"GET /pushNotificationConfigs/{id}": a2a.OpPushGet, "DELETE /pushNotificationConfigs/{id}": a2a.OpPushDelete,
}

// traits tell requests of one call apart that a peer may answer in different
// ways.
func traits(h http.Header) string {
	t := "version " + h.Get("A2A-Version")
	for _, name := range []string{"Authorization", "A2A-Extensions", "X-A2A-Extensions", "If-None-Match"} {
		if h.Get(name) != "" {
			t += " " + name
		}
	}
	return t
}

// conditional reports whether the request may be answered with 304.
func (a *ask) conditional() bool { return strings.Contains(a.traits, "If-None-Match") }

// messages reports whether the request carries a message.
func (a *ask) messages() bool { return a.op == a2a.OpSend || a.op == a2a.OpStream }

// laxly is how JSON is read that a stranger wrote: it goes on as it came.
var laxly = []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}

// envelopeIDs returns where the ids of a JSON-RPC envelope lie: the values of
// the outermost members "id". JSON that breaks off gives what there is of it.
func envelopeIDs(b []byte) [][2]int {
	d := jsontext.NewDecoder(bytes.NewReader(b), laxly...)
	if t, err := d.ReadToken(); err != nil || t.Kind() != '{' {
		return nil
	}
	var out [][2]int
	for {
		name, err := d.ReadToken()
		if err != nil || name.Kind() != '"' {
			return out
		}
		id := name.String() == "id"
		v, err := d.ReadValue()
		if err != nil {
			return out
		}
		if end := int(d.InputOffset()); id {
			out = append(out, [2]int{end - len(v), end})
		}
	}
}
