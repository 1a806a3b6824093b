package a2a

import (
	"fmt"
	"strings"
)

// The services of the two protocol buffers: they are not wire compatible, and
// the package's name tells them apart.
const (
	grpcService10 = "lf.a2a.v1.A2AService"
	grpcService03 = "a2a.v1.A2AService"
)

// grpcMethods03 are the methods of 0.3's service. Those of 1.0 are called like
// the methods of its JSON-RPC binding.
var grpcMethods03 = map[Operation]string{
	OpSend: "SendMessage", OpStream: "SendStreamingMessage", OpGet: "GetTask", OpList: "ListTasks", OpCancel: "CancelTask",
	OpSubscribe: "TaskSubscription", OpPushSet: "CreateTaskPushNotificationConfig", OpPushGet: "GetTaskPushNotificationConfig",
	OpPushList: "ListTaskPushNotificationConfig", OpPushDelete: "DeleteTaskPushNotificationConfig",
	OpExtendedCard: "GetAgentCard",
}

// encodeGRPC writes the request message of a call as ProtoJSON; the gRPC
// client turns it into the message's bytes. Path is the full method, and the
// headers are the call's metadata.
func encodeGRPC(op Operation, gen Generation, p Params) (Request, error) {
	if gen == Gen01 || gen == Gen02 {
		return Request{}, fmt.Errorf("encode %s: %s has no gRPC binding; use JSON-RPC: %w", op, gen, ErrNoEncoding)
	}
	if op == OpCard {
		op = OpExtendedCard // there is one card, by one call
	}
	modern := nearest(gen) == Gen10
	service, method := grpcService10, rpcMethods[Gen10][op]
	if !modern {
		service, method = grpcService03, grpcMethods03[op]
	}
	if p.Method != "" {
		method = p.Method
	}
	if method == "" {
		return Request{}, fmt.Errorf("encode %s: gRPC has no such operation: %w", op, ErrNoEncoding)
	}
	if strings.Contains(method, "/") {
		service, method, _ = strings.Cut(strings.TrimPrefix(method, "/"), "/")
	}
	if service == "" || method == "" || strings.ContainsFunc(service+method, func(r rune) bool { return r <= ' ' || r > '~' || r == '/' }) {
		return Request{}, fmt.Errorf(`encode %s: %q is no gRPC method; write "GetTask" or "package.Service/Method"`, op, p.Method)
	}
	var o out
	switch {
	case op == OpRaw && len(p.Body) > 0:
		o.b = p.Body
	case op == OpRaw:
		o.b = []byte("{}")
	case modern:
		o.params(op, Gen10, p)
	default:
		o.params03(op, p)
	}
	return Request{
		HTTPMethod: "POST", Path: "/" + service + "/" + method, RPCMethod: service + "/" + method,
		Header: [][2]string{{"a2a-version", string(gen)}}, Body: o.b,
	}, nil
}

// params03 writes the request messages of 0.3, which name tasks and
// configurations by resource.
func (o *out) params03(op Operation, p Params) {
	task := "tasks/" + p.pushTask()
	o.open('{')
	switch op {
	case OpSend, OpStream:
		o.key("message")
		o.message(dialectProto03, *p.Message)
		o.configuration(Gen03, GRPC, p)
	case OpGet:
		o.text("name", task)
		o.number("historyLength", p.HistoryLength)
	case OpCancel, OpSubscribe:
		o.text("name", task)
	case OpList:
		o.some("contextId", p.ContextID)
		state := stateOnWire(p.State, Gen10)
		if p.State == Canceled {
			state = "TASK_STATE_CANCELLED" // the enum of 0.3 has two Ls
		}
		o.some("status", state)
		if p.PageSize > 0 {
			o.number("pageSize", &p.PageSize)
		}
		o.some("pageToken", p.PageToken)
		o.number("historyLength", p.HistoryLength)
	case OpPushSet:
		o.pushSetProto03(p)
	case OpPushGet, OpPushDelete:
		o.text("name", task+"/pushNotificationConfigs/"+p.pushID())
	case OpPushList:
		o.text("parent", task)
	}
	o.close('}')
}

// pushSetProto03 writes the members of the proto's request to create a push
// configuration.
func (o *out) pushSetProto03(p Params) {
	c := *p.Push
	c.ID = p.pushID()
	task := "tasks/" + p.pushTask()
	o.text("parent", task)
	o.text("configId", c.ID)
	o.key("config")
	o.open('{')
	o.text("name", task+"/pushNotificationConfigs/"+c.ID)
	o.key("pushNotificationConfig")
	o.pushBody(Gen03, c)
	o.close('}')
}
