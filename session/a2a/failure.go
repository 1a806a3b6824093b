package a2a

import (
	"bytes"
	"strconv"
	"strings"
)

// codeNames are the errors by JSON-RPC code. -31401 and -31403 are what one
// SDK uses for refused credentials.
var codeNames = map[int]ErrorName{
	-32001: ErrTaskNotFound, -32002: ErrTaskNotCancelable, -32003: ErrPushNotSupported,
	-32004: ErrUnsupportedOperation, -32005: ErrContentTypeNotSupported, -32006: ErrInvalidAgentResponse,
	-32007: ErrExtendedCardMissing, -32008: ErrExtensionRequired, -32009: ErrVersionNotSupported,
	-32700: ErrParse, -32600: ErrInvalidRequest, -32601: ErrMethodNotFound, -32602: ErrInvalidParams,
	-32603: ErrInternal, -31401: ErrUnauthenticated, -31403: ErrPermissionDenied,
}

// Stated reports whether an error is one of A2A's own, and its code or reason
// says which: a status or a wording alone leaves doubt.
func (e *Error) Stated() bool {
	return e.A2A && ownErrors[e.Name] && (codeNames[e.Code] == e.Name || reasonNames[foldReason(e.Reason)] == e.Name)
}

// ownErrors are the errors of A2A itself (1.0 §5.4, 0.3 §8.2); the others are
// those of JSON-RPC, or of what stands before an agent.
var ownErrors = map[ErrorName]bool{
	ErrTaskNotFound: true, ErrTaskNotCancelable: true, ErrPushNotSupported: true, ErrUnsupportedOperation: true,
	ErrContentTypeNotSupported: true, ErrInvalidAgentResponse: true, ErrExtendedCardMissing: true, ErrExtensionRequired: true,
	ErrVersionNotSupported: true,
}

// reasonNames are the errors by ErrorInfo reason, folded to letters.
var reasonNames = buildReasons()

func buildReasons() map[string]ErrorName {
	m := map[string]ErrorName{
		"INTERNALERROR": ErrInternal, "JSONPARSE": ErrParse, "UNAUTHORIZED": ErrPermissionDenied,
		"AUTHENTICATEDEXTENDEDCARDNOTCONFIGURED": ErrExtendedCardMissing,
		"EXTENDEDCARDNOTCONFIGURED":              ErrExtendedCardMissing,
		"UNSUPPORTEDVERSION":                     ErrVersionNotSupported,
		"STREAMINGNOTSUPPORTED":                  ErrUnsupportedOperation,
	}
	for _, n := range codeNames {
		m[foldReason(string(n))] = n
	}
	return m
}

// foldReason leaves the letters of a reason, so that TASK_NOT_FOUND,
// task-not-found and TaskNotFoundError are one.
func foldReason(reason string) string {
	if len(reason) > longestKey {
		return ""
	}
	up := strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r == ' ' || r == '.' {
			return -1
		}
		return r
	}, strings.ToUpper(reason))
	return strings.TrimSuffix(up, "ERROR")
}

// rpcStatusNames are the errors by google.rpc status, where that alone tells.
var rpcStatusNames = map[string]ErrorName{
	"UNIMPLEMENTED": ErrMethodNotFound, "INVALID_ARGUMENT": ErrInvalidParams, "INTERNAL": ErrInternal,
	"UNAUTHENTICATED": ErrUnauthenticated, "PERMISSION_DENIED": ErrPermissionDenied,
}

// nameOfStatus is what an HTTP status alone says. 404 says little: a route or
// a task is missing.
func nameOfStatus(status int) ErrorName {
	switch status {
	case 400:
		return ErrInvalidRequest
	case 401:
		return ErrUnauthenticated
	case 403:
		return ErrPermissionDenied
	case 405, 501:
		return ErrMethodNotFound
	case 415:
		return ErrContentTypeNotSupported
	case 422:
		return ErrInvalidParams
	case 500:
		return ErrInternal
	}
	return ErrOther
}

// wordings are the last resort: what an error's text says when neither code
// nor reason does. Only A2A's own errors are looked for.
var wordings = []struct {
	words []string // all of them
	name  ErrorName
}{
	{[]string{"method not found"}, ErrMethodNotFound}, // before the task's: the method may be ListTasks
	{[]string{"task", "not found"}, ErrTaskNotFound},
	{[]string{"no such task"}, ErrTaskNotFound},
	{[]string{"unknown task"}, ErrTaskNotFound},
	{[]string{"task", "does not exist"}, ErrTaskNotFound},
	{[]string{"task", "cannot be cancel"}, ErrTaskNotCancelable},
	{[]string{"task", "not cancel"}, ErrTaskNotCancelable},
	{[]string{"push notification", "not supported"}, ErrPushNotSupported},
	{[]string{"content type", "not supported"}, ErrContentTypeNotSupported},
	{[]string{"incompatible content type"}, ErrContentTypeNotSupported},
	{[]string{"extended", "card", "not configured"}, ErrExtendedCardMissing},
	{[]string{"version", "not supported"}, ErrVersionNotSupported},
	{[]string{"unsupported", "version"}, ErrVersionNotSupported},
	{[]string{"extension", "required"}, ErrExtensionRequired},
	{[]string{"streaming", "not supported"}, ErrUnsupportedOperation},
	{[]string{"operation", "not supported"}, ErrUnsupportedOperation},
}

func nameOfWording(message string) ErrorName {
	if len(message) > 2000 {
		message = message[:2000]
	}
	lower := strings.ToLower(message)
next:
	for _, w := range wordings {
		for _, word := range w.words {
			if !strings.Contains(lower, word) {
				continue next
			}
		}
		return w.name
	}
	return ""
}

// looksFailed reports whether an object is an error without a wrapper: a code
// and a message that is a text, a problem document, or a title with a status.
func (d *decoder) looksFailed(i int) bool {
	if d.member(i, kTask) >= 0 || d.kind(d.member(i, kStatus)) == '{' {
		return false
	}
	if code := d.member(i, kCode); code >= 0 && d.kind(d.member(i, kMessage)) == '"' {
		return true
	}
	return d.kind(d.member(i, kTitle)) == '"' &&
		(d.kind(d.member(i, kStatus)) == '0' || d.kind(d.member(i, kDetail)) == '"') &&
		d.member(i, kID) < 0
}

// failure decodes the value of an error member.
func (d *decoder) failure(i int) {
	switch d.kind(i) {
	case '{':
		d.problem(i)
	case '"':
		d.plainError(i)
	default:
		d.emit(Error{Message: d.str(i)}, d.out.Envelope)
	}
}

// plainError is an error that is only a text, {"error":"…"}.
func (d *decoder) plainError(i int) {
	message := d.str(i)
	if class, name := nameOfClass(message); name != "" {
		d.emit(Error{Name: name, Reason: class, Message: d.text(0, kMessage)}, true)
		return
	}
	if more := d.text(0, kErrorDescription); more != "" {
		message += ": " + more
	} else if more := d.text(0, kMessage); more != "" && more != message {
		message += ": " + more
	}
	d.emit(Error{Message: message}, d.out.Envelope || d.in.HTTPStatus < 300)
}

// nameOfClass is the error that a class is named after. The REST servers of the
// Java SDK say io.a2a.spec.TaskNotFoundError, and those for 0.3 in its later
// versions TaskNotFoundError_v0_3 of another package. A name without a package
// of A2A's has to be one of A2A's own errors.
func nameOfClass(text string) (class string, name ErrorName) {
	if len(text) > longestClass || strings.ContainsAny(text, " \t\r\n/:") {
		return "", ""
	}
	class = text[strings.LastIndexAny(text, ".$")+1:]
	class, _, _ = strings.Cut(class, "_v")
	name = reasonNames[foldReason(class)]
	if !strings.HasSuffix(class, "Error") || name == "" {
		return "", ""
	}
	if class != text && strings.Contains(text, "a2a") || ownErrors[name] {
		return class, name
	}
	return "", ""
}

const longestClass = 200

// problem decodes an error object: of JSON-RPC, of google.rpc, of RFC 7807, or
// of a framework.
func (d *decoder) problem(i int) {
	e := Error{Message: d.str(d.either(i, kMessage))}
	for _, k := range []key{kDetail, kTitle} {
		if said := d.either(i, k); e.Message == "" && d.kind(said) == '"' {
			e.Message = d.str(said)
		}
	}
	code, _ := strconv.Atoi(d.str(d.either(i, kCode)))
	if code == 0 {
		code = d.integer(d.either(i, kCode, kStatus))
	}
	e.Code = code
	extra := d.either(i, kData, kDetails)
	if extra < 0 && d.member(i, kTitle) >= 0 {
		extra = i // a problem document says more in members of its own
	}
	if extra < 0 && d.kind(d.member(i, kDetail)) != '"' {
		extra = d.member(i, kDetail) // a list of what did not validate
	}
	if extra >= 0 {
		e.Data = bytes.Clone(d.bytes(extra))
	}
	if e.Message == "" {
		e.Message = d.complaints(d.member(i, kDetail))
	}
	domain := ""
	e.Reason, domain = d.reason(i, extra)
	rpcStatus := ""
	if s := d.member(i, kStatus); d.kind(s) == '"' {
		rpcStatus = d.str(s)
	}
	if typ := d.text(i, kType); e.Reason == "" && d.member(i, kTitle) >= 0 {
		last := typ[strings.LastIndexByte(typ, '/')+1:]
		if _, ok := reasonNames[foldReason(last)]; ok && last != "" {
			e.Reason = last
		}
	}
	e.Name = reasonNames[foldReason(e.Reason)]
	a2a := d.out.Envelope || e.Name != "" || strings.Contains(domain, "a2a") || code <= -31000 && code >= -33000
	if e.Name == "" {
		e.Name = codeNames[code]
	}
	if e.Name == ErrInvalidAgentResponse && e.Reason == "" && nameOfWording(e.Message) == ErrUnsupportedOperation {
		e.Name = ErrUnsupportedOperation // -32006 was StreamingNotSupported in 0.1
	}
	if e.Name == "" {
		e.Name = d.wording(e)
		a2a = a2a || e.Name != "" && e.Name != ErrMethodNotFound
	}
	if e.Name == "" {
		e.Name = rpcStatusNames[rpcStatus]
	}
	a2a = a2a || agentStatuses[rpcStatus] && code == d.in.HTTPStatus
	d.emit(e, a2a || d.in.HTTPStatus < 300)
}

// complaints are the words of a list of what did not validate, as FastAPI has
// it: each names a place and says what is wrong there.
func (d *decoder) complaints(list int) string {
	const most = 4
	var out []string
	for c, n := d.first(list), 0; d.kind(list) == '[' && c >= 0; c = d.next(list, c) {
		said := ""
		switch d.kind(c) {
		case '"':
			said = clip(d.str(c))
		case '{':
			said = clip(d.str(d.either(c, kMsg, kMessage)))
			if at := d.place(c); said != "" && at != "" {
				said = at + ": " + said
			}
		}
		if said == "" {
			continue
		}
		if n++; n > most {
			out = append(out, "…")
			break
		}
		out = append(out, said)
	}
	return strings.Join(out, "; ")
}

// place is where a complaint says that something is wrong: ["body", "params",
// 0] is body.params.0.
func (d *decoder) place(i int) string {
	var words []string
	for c := d.first(i); c >= 0; c = d.next(i, c) {
		if d.kind(c) != '[' || d.name(c) != "loc" {
			continue
		}
		for w := d.first(c); w >= 0 && len(words) < 8; w = d.next(c, w) {
			words = append(words, d.str(w))
		}
	}
	return clip(strings.Join(words, "."))
}

// agentStatuses are the google.rpc statuses of a REST error without a reason
// that speak for the agent. The others come from gateways as well: a missing
// route, refused credentials, an upstream that is not there.
var agentStatuses = map[string]bool{
	"INTERNAL": true, "INVALID_ARGUMENT": true, "FAILED_PRECONDITION": true, "ABORTED": true, "ALREADY_EXISTS": true,
	"OUT_OF_RANGE": true, "DATA_LOSS": true, "CANCELLED": true,
}

// wording looks into an error's message and, where that says nothing, into its
// data.
func (d *decoder) wording(e Error) ErrorName {
	if n := nameOfWording(e.Message); n != "" {
		return n
	}
	return nameOfWording(string(e.Data))
}

// reason finds the ErrorInfo of an error: in the array of details, in one
// object, or beside the message.
func (d *decoder) reason(i, extra int) (reason, domain string) {
	if extra >= 0 && extra != i {
		x := d.expand(extra)
		if d.kind(x) == '{' {
			if r := d.member(x, kReason); d.kind(r) == '"' {
				return d.str(r), d.str(d.member(x, kDomain))
			}
		}
		for c := d.first(x); d.kind(x) == '[' && c >= 0; c = d.next(x, c) {
			if r := d.member(c, kReason); d.kind(r) == '"' {
				return d.str(r), d.str(d.member(c, kDomain))
			}
		}
	}
	if r := d.member(i, kReason); d.kind(r) == '"' {
		return d.str(r), d.str(d.member(i, kDomain))
	}
	return "", ""
}

// statusError is an HTTP error whose body is no A2A error; i is the body, -1
// when it is no JSON.
func (d *decoder) statusError(message string, i int) {
	e := Error{Message: message}
	if i >= 0 {
		e.Data = bytes.Clone(d.bytes(i))
	}
	d.emit(e, false)
}

// emit completes an error from the HTTP status.
func (d *decoder) emit(e Error, a2a bool) {
	status := d.in.HTTPStatus
	e.A2A = a2a
	if e.Name == "" && a2a {
		e.Name = d.wording(e)
	}
	if e.Name == "" {
		e.Name = nameOfStatus(status)
	}
	if e.Name == ErrTaskNotFound && d.in.Op == OpSubscribe && strings.Contains(e.Message, ":subscribe") {
		e.Name = ErrMethodNotFound // the route of get took it: no task is missing (field case 122)
	}
	if e.Code == 0 && status >= 300 {
		e.Code = status
	}
	if e.Message == "" && status >= 300 {
		e.Message = "HTTP " + strconv.Itoa(status)
	}
	d.out.Error, d.out.Kind = &e, KindError
}

// pageText is what a page or plain text says, for people: a title, else its
// first words.
func pageText(raw []byte) string {
	const most = 200
	page := string(raw[:min(len(raw), 1<<16)])
	lower := strings.ToLower(page)
	if from := strings.Index(lower, "<title>"); from >= 0 && len(lower) == len(page) {
		if to := strings.Index(lower[from:], "</title>"); to >= 0 {
			return clip(strings.ToValidUTF8(strings.TrimSpace(page[from+len("<title>"):from+to]), "\ufffd"))
		}
	}
	if strings.HasPrefix(strings.TrimSpace(page), "<") {
		return ""
	}
	text := strings.ToValidUTF8(strings.TrimSpace(page), "\ufffd")
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}
