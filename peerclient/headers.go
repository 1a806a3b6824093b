package peerclient

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"strings"

	"golang.org/x/net/http/httpguts"

	"a2ascope/session"
	"a2ascope/session/a2a"
)

// headers are those of one request, in the order in which they are written.
type headers struct {
	list     [][2]string
	sent     []string // credentials that go with it, for people
	withheld []string // and those that do not
}

// ownHeaders are fixed by the transport: an operator who sets them would make
// the recorded request a lie about its own length or framing.
var ownHeaders = map[string]bool{
	"content-length": true, "transfer-encoding": true, "connection": true,
	"keep-alive": true, "upgrade": true, "trailer": true, "te": true, "expect": true,
}

// plainHeaders are the operator's headers that may go to a foreign origin.
// Every other one is withheld there: a header can be marked secret whatever
// its name, and a leak is worse than a header too few.
var plainHeaders = map[string]bool{
	"accept": true, "accept-language": true, "content-type": true, "user-agent": true,
	"a2a-version": true, "a2a-extensions": true, "x-a2a-extensions": true,
	"traceparent": true, "tracestate": true, "x-request-id": true, "cache-control": true,
}

// headersOf puts the headers of a request together: the operation's, the
// operator's, which replace them by name, and the credentials, which replace
// both. A credential in the query is added to t.
func headersOf(call session.Call, enc a2a.Request, t *target) (headers, error) {
	h := headers{list: [][2]string{{"Host", t.host}, {"User-Agent", userAgent}}}
	h.list = append(h.list, enc.Header...)
	h.addExtensions(call)
	if err := h.addOperators(call); err != nil {
		return headers{}, err
	}
	if t.user != nil {
		pw, _ := t.user.Password()
		user := session.Credential{Kind: "basic", Value: t.user.Username() + ":" + pw, From: "of the address"}
		if err := h.add(user, call.Withhold, t); err != nil {
			return headers{}, err
		}
	}
	for _, c := range call.Auth {
		if err := h.add(c, call.Withhold, t); err != nil {
			return headers{}, err
		}
	}
	return h, nil
}

// addExtensions names the extensions that the call says are understood. 0.3
// has an X- before the name.
func (h *headers) addExtensions(call session.Call) {
	name := "A2A-Extensions"
	if call.Gen != "" && call.Gen != a2a.Gen10 {
		name = "X-A2A-Extensions"
	}
	uris := make([]string, 0, len(call.Extensions))
	for _, uri := range call.Extensions {
		if httpguts.ValidHeaderFieldValue(uri) && !strings.ContainsAny(uri, ", ") { // a peer's own words
			uris = append(uris, uri)
		}
	}
	if len(uris) > 0 {
		h.list = append(h.list, [2]string{name, strings.Join(uris, ", ")})
	}
}

func (h *headers) addOperators(call session.Call) error {
	var own [][2]string
	for _, kv := range call.Header {
		name := strings.ToLower(kv[0])
		if !httpguts.ValidHeaderFieldName(kv[0]) {
			return fmt.Errorf("the header name %.60q is not allowed: use letters, digits and hyphens", kv[0])
		}
		if ownHeaders[name] {
			return fmt.Errorf("the header %s is set by the console itself: leave it out", kv[0])
		}
		if !httpguts.ValidHeaderFieldValue(kv[1]) {
			return fmt.Errorf("the value of the header %s has control characters in it", kv[0])
		}
		if call.Withhold && !plainHeaders[name] {
			h.withheld = append(h.withheld, "header "+kv[0])
			continue
		}
		if session.SecretName(name) {
			h.sent = append(h.sent, "header "+kv[0])
		}
		own = append(own, kv)
	}
	kept := h.list[:0:0]
	for _, kv := range h.list {
		if !has(own, kv[0]) {
			kept = append(kept, kv)
		}
	}
	if has(own, "Host") { // stays first, as the standard asks
		for i, kv := range own {
			if strings.EqualFold(kv[0], "Host") {
				kept = append([][2]string{kv}, kept...)
				own = append(own[:i:i], own[i+1:]...)
				break
			}
		}
		if has(own, "Host") {
			return fmt.Errorf("the header Host is given twice")
		}
	}
	h.list = append(kept, own...)
	return nil
}

func has(list [][2]string, name string) bool {
	for _, kv := range list {
		if strings.EqualFold(kv[0], name) {
			return true
		}
	}
	return false
}

// add adds one credential, or notes that it was withheld.
func (h *headers) add(c session.Credential, withhold bool, t *target) error {
	label := c.Kind
	if c.Kind == "apikey" {
		label += " " + c.Name
	}
	label = strings.TrimSpace(label + " " + c.From)
	if c.Kind != "apikey" && c.Kind != "bearer" && c.Kind != "basic" {
		return fmt.Errorf("the credential %s: only bearer, basic and apikey can be sent", label)
	}
	if withhold {
		h.withheld = append(h.withheld, label)
		return nil
	}
	if c.Kind != "basic" && !httpguts.ValidHeaderFieldValue(c.Value) {
		return fmt.Errorf("the credential %s: its value has control characters in it (a line end, perhaps)", label)
	}
	switch {
	case c.Kind == "bearer":
		h.set("Authorization", "Bearer "+c.Value, label)
	case c.Kind == "basic":
		h.set("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(c.Value)), label)
	case c.In == "query":
		t.addQuery(url.QueryEscape(c.Name) + "=" + url.QueryEscape(c.Value))
		h.sent = append(h.sent, label)
	case !httpguts.ValidHeaderFieldName(c.Name):
		return fmt.Errorf("the credential %s: its name cannot be the name of a header or cookie", label)
	case ownHeaders[strings.ToLower(c.Name)] || strings.EqualFold(c.Name, "Host"):
		return fmt.Errorf("the credential %s: the header %s is set by the console itself", label, c.Name)
	case c.In == "cookie":
		h.addCookie(c.Name+"="+c.Value, label)
	case c.In == "header" || c.In == "":
		h.set(c.Name, c.Value, label)
	default:
		return fmt.Errorf("the credential %s: it can go into header, query or cookie, not into %.20q", label, c.In)
	}
	return nil
}

// set makes value the only value of a header: the last credential given for it
// is the one that counts.
func (h *headers) set(name, value, label string) {
	kept := h.list[:0:0]
	for _, kv := range h.list {
		if !strings.EqualFold(kv[0], name) {
			kept = append(kept, kv)
		}
	}
	h.list = append(kept, [2]string{name, value})
	if strings.EqualFold(name, "Authorization") {
		h.forget(func(s string) bool {
			return strings.HasPrefix(s, "bearer") || strings.HasPrefix(s, "basic") || strings.EqualFold(s, "header Authorization")
		})
	} else {
		h.forget(func(s string) bool { return strings.EqualFold(s, "header "+name) || s == label })
	}
	h.sent = append(h.sent, label)
}

func (h *headers) forget(match func(string) bool) {
	kept := h.sent[:0:0]
	for _, s := range h.sent {
		if !match(s) {
			kept = append(kept, s)
		}
	}
	h.sent = kept
}

func (h *headers) addCookie(pair, label string) {
	h.sent = append(h.sent, label)
	for i, kv := range h.list {
		if strings.EqualFold(kv[0], "Cookie") {
			h.list[i] = [2]string{kv[0], kv[1] + "; " + pair}
			return
		}
	}
	h.list = append(h.list, [2]string{"Cookie", pair})
}
