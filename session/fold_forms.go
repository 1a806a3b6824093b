package session

import (
	"slices"
	"strings"

	"a2ascope/session/a2a"
)

// The servers of one generation differ in how they want HTTP+JSON. What one of
// them refuses without having looked at it is asked once more in the other
// form, visibly, and the form that works is kept for the session (field cases
// 17, 18, 55, 122 and 141).

// nextForm returns the interface of a refused request in another form, or nil
// when no form is left that the answer speaks for. Where the agent has been
// heard already, a message has its form, and a missing path may be a missing
// task.
func (s *State) nextForm(o *Obligation, x *Exchange, status int) *Interface {
	on := o.rung(&s.Peer)
	if on.Binding != a2a.REST || x.Op == a2a.OpRaw || x.Op == a2a.OpExtendedCard {
		return nil
	}
	known := s.Peer.Proven || s.Peer.Pinned
	message := x.Op == a2a.OpSend || x.Op == a2a.OpStream
	var list []Interface
	form := func(change func(*Interface)) {
		i := on
		change(&i)
		list = append(list, i)
	}
	route := status == a2a.StatusNotFound || status == a2a.StatusMethodRefused || status == a2a.StatusNotImplemented
	if status == a2a.StatusTypeUnsupported && !(known && message) {
		switch {
		case on.Form.Media == "":
			form(func(i *Interface) { i.Form.Media = a2a.MediaA2A })
		case bare(x.Op) && !on.Form.NoBody:
			form(func(i *Interface) { i.Form.NoBody = true })
		}
	}
	if route && x.Op == a2a.OpSubscribe && !on.Form.Get {
		form(func(i *Interface) { i.Form.Get = true })
	}
	if status == a2a.StatusNotFound && !known {
		on = o.origin(on) // one change of the path at a time
		form(otherPrefix)
		if on.Tenant != "" {
			form(func(i *Interface) { i.Form.TenantInside = true })
		}
	}
	if message && !known && refusesForm(x, status) {
		form(func(i *Interface) { i.Form.RPCStyle = true })
	}
	for i := range list {
		if !slices.Contains(o.Tried, list[i]) {
			return &list[i]
		}
	}
	return nil
}

// origin is the interface whose forms an obligation has been trying, as it was
// tried first.
func (o *Obligation) origin(on Interface) Interface {
	bare := func(i Interface) string { return strings.TrimSuffix(strings.TrimSuffix(i.URL, "/"), "/v1") }
	for _, t := range o.Tried {
		if t.Binding == on.Binding && t.Gen == on.Gen && bare(t) == bare(on) {
			return t
		}
	}
	return on
}

// bare reports whether a POST has nothing to say in its body.
func bare(op a2a.Operation) bool { return op == a2a.OpCancel || op == a2a.OpSubscribe }

// otherPrefix takes the /v1 off an address, or has the paths begin the other
// way: 0.3 has /v1 in front of them and 1.0 has not.
func otherPrefix(i *Interface) {
	if rest, ok := strings.CutSuffix(strings.TrimSuffix(i.URL, "/"), "/v1"); ok {
		i.URL = rest
		return
	}
	i.Form.OtherPrefix = true
}

// refusesForm reports whether a 0.3 server says that it could not read a
// message's body: nothing was taken then.
func refusesForm(x *Exchange, status int) bool {
	if x.Binding != a2a.REST || !SameDialect(x.Gen, a2a.Gen03) || x.Error == nil || status != a2a.StatusBadRequest && status != a2a.StatusUnprocessable {
		return false
	}
	text := strings.ToLower(x.Error.Message + " " + string(x.Error.Data))
	for _, w := range unreadableBody {
		if strings.Contains(text, w) {
			return true
		}
	}
	return false
}

// unreadableBody are the words of parsers and validators about a body.
var unreadableBody = []string{
	"unknown field", "unknown name", "cannot find field", "no field named", "extra inputs", "unrecognized field", "unrecognized property",
	"additional propert", "field required", "missing field", "failed to parse", "parse error", "unmarshal", "deserializ",
}

// learnForm keeps the form in which the agent answered.
func (s *State) learnForm(c *Change, x *Exchange) {
	use := &s.Peer.Use
	if x.Binding != a2a.REST || x.Rung == 0 || x.Op == a2a.OpExtendedCard || x.On.Binding != use.Binding || x.On.Gen != use.Gen {
		return
	}
	c.NewForm = formText(x.On, *use)
	if x.On.URL == use.URL {
		use.Form = x.On.Form
	}
}

// formText says how a form departs from the one in use; empty when it does not.
func formText(on, use Interface) string {
	var out []string
	say := func(is bool, text string) {
		if is {
			out = append(out, text)
		}
	}
	f, was := on.Form, use.Form
	say(strings.TrimSuffix(use.URL, "/") == on.URL+"/v1", "the routes are not below the interface's /v1")
	say(f.OtherPrefix && !was.OtherPrefix && on.Gen == a2a.Gen10, "the routes are below /v1, and the interface's address is not")
	say(f.OtherPrefix && !was.OtherPrefix && on.Gen != a2a.Gen10, "the routes have no /v1 in front")
	say(f.RPCStyle && !was.RPCStyle, "messages are wanted as they are over JSON-RPC")
	say(f.TenantInside && !was.TenantInside, "the tenant is wanted in body and query, and not in the path")
	say(f.Get && !was.Get, "subscriptions are served to GET, and not to POST")
	say(f.Media != was.Media && f.Media != "", "bodies are wanted as "+f.Media)
	say(f.NoBody && !was.NoBody, "what has nothing to say must have no body")
	return strings.Join(out, "; ")
}
