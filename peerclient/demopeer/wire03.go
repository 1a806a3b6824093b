package demopeer

import "fmt"

// wire03 is A2A 0.3 over JSON-RPC: slash names, a "kind" in every object,
// "final" on the last event of a turn.
type wire03 struct{}

func (wire03) operation(method string) operation {
	return map[string]operation{
		"message/send":                        opSend,
		"message/stream":                      opStream,
		"tasks/get":                           opGet,
		"tasks/cancel":                        opCancel,
		"tasks/resubscribe":                   opSubscribe,
		"tasks/pushNotificationConfig/set":    opPushSet,
		"tasks/pushNotificationConfig/get":    opPushGet,
		"tasks/pushNotificationConfig/list":   opPushList,
		"tasks/pushNotificationConfig/delete": opPushDelete,
		"agent/getAuthenticatedExtendedCard":  opExtendedCard,
	}[method]
}

func (wire03) role(agent bool) string {
	if agent {
		return "agent"
	}
	return "user"
}

func (wire03) part(p wirePart) (part, *fault) {
	switch {
	case p.Kind == "text" && p.Text != nil:
		return part{kind: "text", text: *p.Text}, nil
	case p.Kind == "data" && len(p.Data) > 0 && p.Data[0] == '{':
		return part{kind: "data", data: p.Data}, nil
	case p.Kind == "file" && p.File != nil && p.File.Bytes != nil && p.File.URI == nil:
		return part{kind: "raw", text: *p.File.Bytes, mediaType: p.File.MimeType, filename: p.File.Name}, nil
	case p.Kind == "file" && p.File != nil && p.File.URI != nil && p.File.Bytes == nil:
		return part{kind: "url", text: *p.File.URI, mediaType: p.File.MimeType, filename: p.File.Name}, nil
	}
	return part{}, invalidParams("a part has the kind text with text, data with an object, or file with either bytes or a uri")
}

// writePart03 leaves media types out where 0.3 has no place for them: only
// files name theirs.
func writePart03(p part) string {
	switch p.kind {
	case "text":
		return `{"kind":"text","text":` + quote(p.text) + p.extra + `}`
	case "data":
		return `{"kind":"data","data":` + string(p.data) + `}`
	}
	where := `"bytes":`
	if p.kind == "url" {
		where = `"uri":`
	}
	return `{"kind":"file","file":{` + where + quote(p.text) + optional("name", p.filename) + optional("mimeType", p.mediaType) + `}}`
}

func (d wire03) message(m message) string {
	return fmt.Sprintf(`{"kind":"message","messageId":%s%s%s,"role":"%s","parts":%s}`,
		quote(m.id), optional("contextId", m.contextID), optional("taskId", m.taskID), d.role(m.agent), list(m.parts, writePart03))
}

func (d wire03) status(s status) string {
	says := ""
	if s.says != nil {
		says = `,"message":` + d.message(*s.says)
	}
	return fmt.Sprintf(`{"state":"%s"%s,"timestamp":%s}`, s.state, says, stamp(s.at))
}

func writeArtifact03(a artifact) string {
	return fmt.Sprintf(`{"artifactId":%s%s,"parts":%s}`, quote(a.id), optional("name", a.name), list(a.parts, writePart03))
}

func (d wire03) task(v view) string {
	rest := ""
	if len(v.artifacts) > 0 {
		rest += `,"artifacts":` + list(v.artifacts, writeArtifact03)
	}
	if len(v.history) > 0 || v.emptyHistory {
		rest += `,"history":` + list(v.history, d.message)
	}
	return fmt.Sprintf(`{"kind":"task","id":%s,"contextId":%s,"status":%s%s}`, quote(v.id), quote(v.contextID), d.status(v.status), rest)
}

func (d wire03) sent(v view) string    { return d.task(v) }
func (d wire03) said(m message) string { return d.message(m) }

func (d wire03) event(e event) string {
	ids := fmt.Sprintf(`"taskId":%s,"contextId":%s`, quote(e.taskID), quote(e.contextID))
	switch {
	case e.whole != nil:
		return d.task(*e.whole)
	case e.status != nil:
		return fmt.Sprintf(`{"kind":"status-update",%s,"status":%s,"final":%t}`, ids, d.status(*e.status), e.settles())
	default:
		return fmt.Sprintf(`{"kind":"artifact-update",%s,"artifact":%s,"append":%t,"lastChunk":%t}`,
			ids, writeArtifact03(e.chunk.artifact), e.chunk.appends, e.chunk.last)
	}
}

func (wire03) fault(f *fault) string {
	return fmt.Sprintf(`{"code":%s,"message":%s}`, faultCode(f), quote(f.text))
}

func (wire03) pushConfig(taskID string, c pushConfig) string {
	auth := ""
	if c.scheme != "" {
		auth = `,"authentication":{"schemes":[` + quote(c.scheme) + `]` + optional("credentials", c.credentials) + `}`
	}
	return fmt.Sprintf(`{"taskId":%s,"pushNotificationConfig":{"id":%s,"url":%s%s%s}}`,
		quote(taskID), quote(c.id), quote(c.url), optional("token", c.token), auth)
}

func (d wire03) pushList(taskID string, configs []pushConfig) string {
	return list(configs, func(c pushConfig) string { return d.pushConfig(taskID, c) })
}

// delivery is the whole task in 0.3, whatever has happened to it.
func (d wire03) delivery(_ event, now view) (body, tokenHeader string) {
	return d.task(now), "X-A2A-Notification-Token"
}

func (wire03) card(c card) string {
	history := ""
	if c.stateHistory {
		history = `,"stateTransitionHistory":true`
	}
	return fmt.Sprintf(`{"name":%s,"description":%s,"version":%s,"protocolVersion":"0.3.0"%s,"preferredTransport":"JSONRPC",`+
		`"capabilities":{"streaming":%t,"pushNotifications":%t%s},`+
		`"defaultInputModes":%s,"defaultOutputModes":%s,"skills":%s}`,
		quote(c.name), quote(c.description), quote(c.version), optional("url", c.url), c.streaming, c.push, history,
		list(c.inputModes, quote), list(c.outputModes, quote), skills)
}
