package a2a

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// ErrNoEncoding is wrapped by Encode when an operation has no form on the wire
// that was asked for: the binding is unknown, or the generation does not have
// the operation.
var ErrNoEncoding = errors.New("no encoding")

// ErrNeedsTaskID is wrapped by Encode when the operation cannot be written
// without a task id. In 0.1 that includes every send: there the client makes
// the id of a new task.
var ErrNeedsTaskID = errors.New("a task id is needed")

// Encode writes an operation in a generation and binding. The result is exact
// and deterministic: the same arguments give the same bytes. id is the
// JSON-RPC id. Fields of p that the operation does not use are ignored. Of a
// gRPC call it writes the request message as ProtoJSON.
func Encode(op Operation, gen Generation, bind Binding, id int64, p Params) (Request, error) {
	if err := p.check(op, gen); err != nil {
		return Request{}, fmt.Errorf("encode %s for %s: %w", op, gen, err)
	}
	if op == OpCard && bind != GRPC {
		return Request{HTTPMethod: "GET", Header: headers(gen, op, false), RPCMethod: "GET card"}, nil
	}
	switch bind {
	case JSONRPC:
		return encodeRPC(op, gen, id, p)
	case REST:
		return encodeREST(op, gen, p)
	case GRPC:
		return encodeGRPC(op, gen, p)
	}
	return Request{}, fmt.Errorf("encode %s: the binding %q is unknown; choose a JSON-RPC, HTTP+JSON or gRPC interface of the card: %w", op, bind, ErrNoEncoding)
}

// check refuses what could only be written as nonsense.
func (p Params) check(op Operation, gen Generation) error {
	switch op {
	case OpSend, OpStream:
		if p.Message == nil {
			return errors.New("there is no message; give one")
		}
		if gen == Gen01 && p.TaskID == "" && p.Message.TaskID == "" {
			return fmt.Errorf("make one for the new task: %w", ErrNeedsTaskID)
		}
	case OpGet, OpCancel, OpSubscribe, OpPushGet, OpPushList, OpPushDelete:
		if p.TaskID == "" {
			return fmt.Errorf("name the task: %w", ErrNeedsTaskID)
		}
	case OpPushSet:
		if p.Push == nil || p.Push.URL == "" {
			return errors.New("there is no push configuration with a URL; give one")
		}
		if p.pushTask() == "" {
			return fmt.Errorf("name the task: %w", ErrNeedsTaskID)
		}
	case OpRaw:
		if p.Method == "" {
			return errors.New("there is no method; give one")
		}
		if len(p.Body) > 0 && !p.Body.IsValid(laxly...) {
			return errors.New("the body is no JSON; correct it")
		}
	}
	return nil
}

// pushTask is the task that a push configuration is for.
func (p Params) pushTask() string {
	if p.TaskID == "" && p.Push != nil {
		return p.Push.TaskID
	}
	return p.TaskID
}

// pushID is the id of the push configuration that is meant.
func (p Params) pushID() string {
	if p.PushID == "" && p.Push != nil {
		return p.Push.ID
	}
	return p.PushID
}

// headers are those that the protocol wants. 0.1 and 0.2 know no version
// header.
func headers(gen Generation, op Operation, body bool) [][2]string {
	var h [][2]string
	if body {
		h = append(h, [2]string{"Content-Type", "application/json"})
	}
	accept := "application/json"
	if op.Streams() {
		accept = "text/event-stream"
	}
	h = append(h, [2]string{"Accept", accept})
	if gen != "" && gen != Gen01 && gen != Gen02 {
		h = append(h, [2]string{"A2A-Version", string(gen)})
	}
	return h
}

// rpcMethods are the names of the operations in each generation. What a
// generation lacks is not there.
var rpcMethods = map[Generation]map[Operation]string{
	Gen01: {
		OpSend: "tasks/send", OpStream: "tasks/sendSubscribe", OpGet: "tasks/get", OpCancel: "tasks/cancel",
		OpSubscribe: "tasks/resubscribe", OpPushSet: "tasks/pushNotification/set", OpPushGet: "tasks/pushNotification/get",
	},
	Gen02: {
		OpSend: "message/send", OpStream: "message/stream", OpGet: "tasks/get", OpCancel: "tasks/cancel",
		OpSubscribe: "tasks/resubscribe", OpPushSet: "tasks/pushNotificationConfig/set", OpPushGet: "tasks/pushNotificationConfig/get",
		OpPushList: "tasks/pushNotificationConfig/list", OpPushDelete: "tasks/pushNotificationConfig/delete",
	},
	Gen03: {
		OpSend: "message/send", OpStream: "message/stream", OpGet: "tasks/get", OpCancel: "tasks/cancel",
		OpSubscribe: "tasks/resubscribe", OpPushSet: "tasks/pushNotificationConfig/set", OpPushGet: "tasks/pushNotificationConfig/get",
		OpPushList: "tasks/pushNotificationConfig/list", OpPushDelete: "tasks/pushNotificationConfig/delete",
		OpExtendedCard: "agent/getAuthenticatedExtendedCard", OpList: "tasks/list",
	},
	Gen10: {
		OpSend: "SendMessage", OpStream: "SendStreamingMessage", OpGet: "GetTask", OpList: "ListTasks", OpCancel: "CancelTask",
		OpSubscribe: "SubscribeToTask", OpPushSet: "CreateTaskPushNotificationConfig", OpPushGet: "GetTaskPushNotificationConfig",
		OpPushList: "ListTaskPushNotificationConfigs", OpPushDelete: "DeleteTaskPushNotificationConfig",
		OpExtendedCard: "GetExtendedAgentCard",
	},
}

// RPCMethod is what an operation is called over JSON-RPC in a generation;
// empty when the generation does not have it. A generation that the console
// does not know is written like the nearest that it does.
func RPCMethod(op Operation, gen Generation) string { return rpcMethods[nearest(gen)][op] }

// nearest is the generation whose forms are used for gen.
func nearest(gen Generation) Generation {
	if _, ok := rpcMethods[gen]; ok {
		return gen
	}
	if gen > Gen10 {
		return Gen10
	}
	return Gen03
}

func encodeRPC(op Operation, gen Generation, id int64, p Params) (Request, error) {
	method := RPCMethod(op, gen)
	if op == OpRaw || p.Method != "" {
		method = p.Method
	}
	if method == "" {
		return Request{}, fmt.Errorf("encode %s: JSON-RPC in %s has no such operation; use another interface or generation: %w", op, gen, ErrNoEncoding)
	}
	var o out
	o.open('{')
	o.text("jsonrpc", "2.0")
	o.raw("id", strconv.FormatInt(id, 10))
	o.text("method", method)
	if op == OpRaw {
		if len(p.Body) > 0 {
			o.raw("params", string(p.Body))
		}
	} else {
		o.key("params")
		o.params(op, nearest(gen), p)
	}
	o.close('}')
	return Request{HTTPMethod: "POST", Header: headers(gen, op, true), Body: p.cutOff(op, o.b), RPCMethod: method}, nil
}

// cutOff takes the last byte off a document that is to be broken. An object or
// array without its end is no JSON.
func (p Params) cutOff(op Operation, doc []byte) []byte {
	if op != OpRaw || !p.Broken || len(doc) == 0 {
		return doc
	}
	return doc[: len(doc)-1 : len(doc)-1]
}

// params writes the params of a JSON-RPC call. Members stand in the order of
// the specification's tables.
func (o *out) params(op Operation, gen Generation, p Params) {
	o.open('{')
	if gen == Gen10 {
		o.some("tenant", p.Tenant)
	}
	switch op {
	case OpSend, OpStream:
		o.send(gen, p)
	case OpGet:
		o.text("id", p.TaskID)
		o.number("historyLength", p.HistoryLength)
	case OpCancel, OpSubscribe:
		o.text("id", p.TaskID)
	case OpList:
		o.some("contextId", p.ContextID)
		o.some("status", stateOnWire(p.State, gen))
		if p.PageSize > 0 {
			o.number("pageSize", &p.PageSize)
		}
		o.some("pageToken", p.PageToken)
		o.number("historyLength", p.HistoryLength)
	case OpPushSet:
		o.pushSet(gen, p)
	case OpPushGet, OpPushDelete, OpPushList:
		o.pushRef(op, gen, p)
	}
	o.close('}')
}

// send writes the members of a send's params.
func (o *out) send(gen Generation, p Params) {
	if gen == Gen01 {
		id, session := p.TaskID, p.ContextID
		if id == "" {
			id = p.Message.TaskID
		}
		if session == "" {
			session = p.Message.ContextID
		}
		o.text("id", id)
		o.some("sessionId", session)
		o.key("message")
		o.message(dialect01, *p.Message)
		if p.AcceptedModes != nil { // a member of its own: 0.1 has no configuration
			o.texts("acceptedOutputModes", p.AcceptedModes)
		}
		if p.Push != nil {
			o.key("pushNotification")
			o.pushBody(gen, *p.Push)
		}
		o.number("historyLength", p.HistoryLength)
		return
	}
	o.key("message")
	o.message(dialectOf(gen, JSONRPC), *p.Message)
	o.configuration(gen, JSONRPC, p)
}

// configuration writes how the answer is wanted, if anything is. 0.2 requires
// the modes wherever there is a configuration.
func (o *out) configuration(gen Generation, bind Binding, p Params) {
	modes := p.AcceptedModes != nil
	if p.Blocking == nil && !modes && p.HistoryLength == nil && p.Push == nil {
		return
	}
	o.key("configuration")
	o.open('{')
	if modes || gen == Gen02 {
		o.texts("acceptedOutputModes", p.AcceptedModes)
	}
	if p.Push != nil {
		switch {
		case gen == Gen10:
			o.key("taskPushNotificationConfig")
		case bind == REST, bind == GRPC:
			o.key("pushNotification")
		default:
			o.key("pushNotificationConfig")
		}
		o.pushBody(gen, *p.Push)
	}
	o.number("historyLength", p.HistoryLength)
	if p.Blocking != nil {
		if gen == Gen10 {
			o.boolean("returnImmediately", !*p.Blocking)
		} else {
			o.boolean("blocking", *p.Blocking)
		}
	}
	o.close('}')
}

// pushBody writes a push configuration without its task.
func (o *out) pushBody(gen Generation, c PushConfig) {
	o.open('{')
	o.pushMembers(gen, c)
	o.close('}')
}

func (o *out) pushMembers(gen Generation, c PushConfig) {
	if gen != Gen01 {
		o.some("id", c.ID)
	}
	o.text("url", c.URL)
	o.some("token", c.Token)
	if len(c.AuthSchemes) == 0 && c.Credentials == "" {
		return
	}
	o.key("authentication")
	o.open('{')
	if gen == Gen10 {
		scheme := "Bearer"
		if len(c.AuthSchemes) > 0 {
			scheme = c.AuthSchemes[0]
		}
		o.text("scheme", scheme)
	} else {
		o.texts("schemes", c.AuthSchemes)
	}
	o.some("credentials", c.Credentials)
	o.close('}')
}

func (o *out) pushSet(gen Generation, p Params) {
	switch gen {
	case Gen10:
		o.text("taskId", p.pushTask())
		c := *p.Push
		c.ID = p.pushID()
		o.pushMembers(gen, c)
		return
	case Gen01:
		o.text("id", p.pushTask())
	default:
		o.text("taskId", p.pushTask())
	}
	o.key("pushNotificationConfig")
	o.pushBody(gen, *p.Push)
}

func (o *out) pushRef(op Operation, gen Generation, p Params) {
	if gen == Gen10 {
		o.text("taskId", p.TaskID)
		if op != OpPushList {
			o.some("id", p.pushID())
		}
		return
	}
	o.text("id", p.TaskID)
	if gen != Gen01 && op != OpPushList {
		o.some("pushNotificationConfigId", p.pushID())
	}
}

// stateOnWire spells a state as a generation does.
func stateOnWire(s State, gen Generation) string {
	if s == "" || gen != Gen10 {
		return string(s)
	}
	return "TASK_STATE_" + strings.ToUpper(strings.ReplaceAll(string(s), "-", "_"))
}
