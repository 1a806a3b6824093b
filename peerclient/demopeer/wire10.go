package demopeer

import (
	"fmt"
	"strings"
)

// wire10 is A2A 1.0 over JSON-RPC: ProtoJSON names, the member's name tells
// the kind.
type wire10 struct{}

func (wire10) operation(method string) operation {
	return map[string]operation{
		"SendMessage":                      opSend,
		"SendStreamingMessage":             opStream,
		"GetTask":                          opGet,
		"CancelTask":                       opCancel,
		"SubscribeToTask":                  opSubscribe,
		"ListTasks":                        opList,
		"CreateTaskPushNotificationConfig": opPushSet,
		"GetTaskPushNotificationConfig":    opPushGet,
		"ListTaskPushNotificationConfigs":  opPushList,
		"DeleteTaskPushNotificationConfig": opPushDelete,
		"GetExtendedAgentCard":             opExtendedCard,
	}[method]
}

func (wire10) role(agent bool) string {
	if agent {
		return "ROLE_AGENT"
	}
	return "ROLE_USER"
}

func state10(s state) string {
	return "TASK_STATE_" + strings.ToUpper(strings.ReplaceAll(string(s), "-", "_"))
}

func (wire10) part(p wirePart) (part, *fault) {
	out := part{mediaType: p.MediaType, filename: p.Filename}
	n := 0
	if p.Text != nil {
		out.kind, out.text, n = "text", *p.Text, n+1
	}
	if len(p.Data) > 0 {
		out.kind, out.data, n = "data", p.Data, n+1
	}
	if p.Raw != nil {
		out.kind, out.text, n = "raw", *p.Raw, n+1
	}
	if p.URL != nil {
		out.kind, out.text, n = "url", *p.URL, n+1
	}
	if n != 1 {
		return out, invalidParams("a part has exactly one of text, data, raw and url")
	}
	return out, nil
}

func writePart10(p part) string {
	content := ""
	switch p.kind {
	case "data":
		content = `"data":` + string(p.data)
	default: // "text", "raw" and "url" are strings under their own name
		content = `"` + p.kind + `":` + quote(p.text)
	}
	return "{" + content + optional("mediaType", p.mediaType) + optional("filename", p.filename) + p.extra + "}"
}

func (d wire10) message(m message) string {
	return fmt.Sprintf(`{"messageId":%s%s%s,"role":"%s","parts":%s}`,
		quote(m.id), optional("contextId", m.contextID), optional("taskId", m.taskID), d.role(m.agent), list(m.parts, writePart10))
}

func (d wire10) status(s status) string {
	says := ""
	if s.says != nil {
		says = `,"message":` + d.message(*s.says)
	}
	return fmt.Sprintf(`{"state":"%s"%s,"timestamp":%s}`, state10(s.state), says, stamp(s.at))
}

func writeArtifact10(a artifact) string {
	return fmt.Sprintf(`{"artifactId":%s%s,"parts":%s}`, quote(a.id), optional("name", a.name), list(a.parts, writePart10))
}

func (d wire10) task(v view) string {
	rest := ""
	if len(v.artifacts) > 0 {
		rest += `,"artifacts":` + list(v.artifacts, writeArtifact10)
	}
	if len(v.history) > 0 || v.emptyHistory {
		rest += `,"history":` + list(v.history, d.message)
	}
	return fmt.Sprintf(`{"id":%s,"contextId":%s,"status":%s%s}`, quote(v.id), quote(v.contextID), d.status(v.status), rest)
}

func (d wire10) sent(v view) string    { return `{"task":` + d.task(v) + `}` }
func (d wire10) said(m message) string { return `{"message":` + d.message(m) + `}` }

func (d wire10) event(e event) string {
	ids := fmt.Sprintf(`"taskId":%s,"contextId":%s`, quote(e.taskID), quote(e.contextID))
	switch {
	case e.whole != nil:
		return d.sent(*e.whole)
	case e.status != nil:
		return fmt.Sprintf(`{"statusUpdate":{%s,"status":%s}}`, ids, d.status(*e.status))
	default:
		return fmt.Sprintf(`{"artifactUpdate":{%s,"artifact":%s,"append":%t,"lastChunk":%t}}`,
			ids, writeArtifact10(e.chunk.artifact), e.chunk.appends, e.chunk.last)
	}
}

// fault carries the reason in ErrorInfo, since several A2A errors share a
// status in other bindings.
func (wire10) fault(f *fault) string {
	data := ""
	if f.reason != "" {
		data = `,"data":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"` + f.reason + `","domain":"a2a-protocol.org"}]`
	}
	return fmt.Sprintf(`{"code":%s,"message":%s%s}`, faultCode(f), quote(f.text), data)
}

func (wire10) pushConfig(taskID string, c pushConfig) string {
	auth := ""
	if c.scheme != "" {
		auth = `,"authentication":{"scheme":` + quote(c.scheme) + optional("credentials", c.credentials) + `}`
	}
	return fmt.Sprintf(`{"taskId":%s,"id":%s,"url":%s%s%s}`, quote(taskID), quote(c.id), quote(c.url), optional("token", c.token), auth)
}

func (d wire10) pushList(taskID string, configs []pushConfig) string {
	return `{"configs":` + list(configs, func(c pushConfig) string { return d.pushConfig(taskID, c) }) + `}`
}

func (d wire10) delivery(e event, _ view) (body, tokenHeader string) {
	return d.event(e), "A2A-Notification-Token"
}

func (wire10) card(c card) string {
	interfaces := ""
	if c.url != "" {
		interfaces = `{"url":` + quote(c.url) + `,"protocolBinding":"JSONRPC","protocolVersion":"1.0"}`
	}
	return fmt.Sprintf(`{"name":%s,"description":%s,"version":%s,"supportedInterfaces":[%s],`+
		`"capabilities":{"streaming":%t,"pushNotifications":%t},`+
		`"defaultInputModes":%s,"defaultOutputModes":%s,"skills":%s}`,
		quote(c.name), quote(c.description), quote(c.version), interfaces, c.streaming, c.push,
		list(c.inputModes, quote), list(c.outputModes, quote), skills)
}
