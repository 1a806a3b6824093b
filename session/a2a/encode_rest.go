package a2a

import (
	"fmt"
	"net/url"
	"strings"
)

// restRoute is an operation's method and path below the interface's URL.
type restRoute struct{ method, path string }

// restRoutes give the path with TASK and CONFIG for the ids. 0.3 has a prefix
// besides, and /card in place of /extendedAgentCard. The proto says GET for
// subscribe and the text says POST: of the servers that were recorded all take
// POST and some GET.
var restRoutes = map[Operation]restRoute{
	OpSend:         {"POST", "/message:send"},
	OpStream:       {"POST", "/message:stream"},
	OpGet:          {"GET", "/tasks/TASK"},
	OpList:         {"GET", "/tasks"},
	OpCancel:       {"POST", "/tasks/TASK:cancel"},
	OpSubscribe:    {"POST", "/tasks/TASK:subscribe"},
	OpPushSet:      {"POST", "/tasks/TASK/pushNotificationConfigs"},
	OpPushGet:      {"GET", "/tasks/TASK/pushNotificationConfigs/CONFIG"},
	OpPushList:     {"GET", "/tasks/TASK/pushNotificationConfigs"},
	OpPushDelete:   {"DELETE", "/tasks/TASK/pushNotificationConfigs/CONFIG"},
	OpExtendedCard: {"GET", "/extendedAgentCard"},
}

func encodeREST(op Operation, gen Generation, p Params) (Request, error) {
	if op == OpRaw || op == OpExtendedCard && p.Method != "" { // by a name of its own
		return rawREST(gen, p)
	}
	if gen == Gen01 || gen == Gen02 {
		return Request{}, fmt.Errorf("encode %s: %s has no HTTP+JSON binding; use JSON-RPC: %w", op, gen, ErrNoEncoding)
	}
	route, ok := restRoutes[op]
	if !ok {
		return Request{}, fmt.Errorf("encode %s: HTTP+JSON has no such operation: %w", op, ErrNoEncoding)
	}
	if strings.Contains(route.path, "CONFIG") && p.pushID() == "" {
		return Request{}, fmt.Errorf("encode %s: HTTP+JSON needs the id of the push configuration; list them first", op)
	}
	path := restPath(op, route.path, nearest(gen) == Gen10, p)
	r := Request{HTTPMethod: route.method, Path: path, Query: restQuery(op, nearest(gen), p)}
	if op == OpSubscribe && p.Form.Get {
		r.HTTPMethod = "GET"
	}
	r.RPCMethod = r.HTTPMethod + " " + path
	if r.HTTPMethod == "POST" && !(p.Form.NoBody && (op == OpCancel || op == OpSubscribe)) {
		r.Body = restBody(op, nearest(gen), p)
	}
	r.Header = headers(gen, op, r.Body != nil)
	if r.Body != nil && p.Form.Media != "" {
		r.Header[0][1] = p.Form.Media
	}
	return r, nil
}

// restPath is the path below the interface's address.
func restPath(op Operation, path string, modern bool, p Params) string {
	if !modern && op == OpExtendedCard {
		path = "/card"
	}
	if modern && p.Tenant != "" && !p.Form.TenantInside {
		path = "/" + url.PathEscape(p.Tenant) + path
	}
	if modern == p.Form.OtherPrefix {
		path = "/v1" + path
	}
	path = strings.Replace(path, "TASK", url.PathEscape(p.pushTask()), 1)
	return strings.Replace(path, "CONFIG", url.PathEscape(p.pushID()), 1)
}

func restQuery(op Operation, gen Generation, p Params) string {
	var q query
	if gen == Gen10 && p.Form.TenantInside && (restRoutes[op].method != "POST" || op == OpSubscribe && p.Form.Get) {
		q.some("tenant", p.Tenant)
	}
	switch op {
	case OpGet:
		q.number("historyLength", p.HistoryLength)
	case OpList:
		q.some("contextId", p.ContextID)
		q.some("status", stateOnWire(p.State, Gen10)) // proto JSON in both generations
		if p.PageSize > 0 {
			q.number("pageSize", &p.PageSize)
		}
		q.some("pageToken", p.PageToken)
		q.number("historyLength", p.HistoryLength)
	}
	return q.b.String()
}

// restBody writes the body of a POST. Cancel and subscribe have no members of
// their own there; some servers refuse a POST without a body.
func restBody(op Operation, gen Generation, p Params) []byte {
	var o out
	o.open('{')
	if gen == Gen10 {
		o.some("tenant", p.Tenant) // every request says it (1.0.1 §5.8), the path too
	}
	switch op {
	case OpSend, OpStream:
		like := REST
		if p.Form.RPCStyle {
			like = JSONRPC
		}
		o.key("message")
		o.message(dialectOf(gen, like), *p.Message)
		o.configuration(gen, like, p)
	case OpPushSet:
		if gen == Gen10 {
			c := *p.Push
			c.ID = p.pushID()
			o.pushMembers(gen, c)
			break
		}
		// The whole request of the proto, as the text of 0.3 has it (§7.5) and
		// the SDKs of 0.3 expect it; the proto's own HTTP rule would send
		// "config" alone, and they refuse that.
		o.pushSetProto03(p)
	}
	o.close('}')
	return o.b
}

// rawREST writes the operator's own "POST /path".
func rawREST(gen Generation, p Params) (Request, error) {
	method, target, ok := strings.Cut(strings.TrimSpace(p.Method), " ")
	target = strings.TrimSpace(target)
	if !ok || !strings.HasPrefix(target, "/") || strings.ContainsAny(target, " \t\r\n#") {
		return Request{}, fmt.Errorf(`encode raw: %q is no HTTP method and path; write "POST /path"`, p.Method)
	}
	for _, c := range method {
		if (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') {
			return Request{}, fmt.Errorf(`encode raw: %q is no HTTP method; write "POST /path"`, method)
		}
	}
	path, search, _ := strings.Cut(target, "?")
	r := Request{HTTPMethod: strings.ToUpper(method), Path: path, Query: search, Body: p.cutOff(OpRaw, p.Body), RPCMethod: strings.ToUpper(method) + " " + target}
	op := OpRaw
	if strings.HasSuffix(path, ":stream") || strings.HasSuffix(path, ":subscribe") {
		op = OpStream
	}
	r.Header = headers(gen, op, len(p.Body) > 0)
	return r, nil
}
