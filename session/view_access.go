package session

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"a2ascope/session/a2a"
)

// SchemeView is one security scheme of the card.
type SchemeView struct {
	Name     string
	Kind     string // apiKey, http, oauth2, openIdConnect, mutualTLS; "incomplete" where it cannot be told
	Detail   string // where it goes, for people
	Required bool   // the card requires it in at least one of its alternatives
	InUse    bool   // credentials of its kind were given
	Way      string // how to give what it wants: a command, a flag, or why there is none
}

// DeviceView is what the operator is to do so that the console is let in.
type DeviceView struct {
	URI   string
	Code  string
	Until time.Duration // session time at which the code ends
}

// Suggestion is a command that may help, and why.
type Suggestion struct {
	Why  string
	Line string // complete but for what stands in capitals
}

// schemeViews are the card's schemes, in its order.
func (s *State) schemeViews() []SchemeView {
	c := s.Peer.Card
	if c == nil {
		return nil
	}
	var out []SchemeView
	for _, scheme := range c.Schemes {
		v := SchemeView{Name: scheme.Name, Kind: scheme.Kind, Detail: schemeDetail(scheme), InUse: s.schemeInUse(scheme)}
		if v.Kind == "" {
			v.Kind = "incomplete"
		}
		v.Way = schemeWay(scheme)
		v.Required = slices.ContainsFunc(c.Security, func(alt []string) bool { return slices.Contains(alt, scheme.Name) })
		out = append(out, v)
	}
	return out
}

func schemeDetail(k a2a.Scheme) string {
	switch k.Kind {
	case "apiKey":
		return strings.TrimSpace(k.In + " " + k.Param)
	case "http":
		return k.HTTP
	case "oauth2":
		return joined(k.Flow, k.TokenURL, strings.Join(k.Scopes, " "))
	case "openIdConnect":
		return k.AuthURL
	}
	return ""
}

// schemeInUse compares the scheme with what the operator gave.
func (s *State) schemeInUse(k a2a.Scheme) bool {
	if k.Kind == "mutualTLS" {
		return s.Peer.Certified
	}
	for _, ref := range s.Peer.Credentials {
		cmd, err := ParseCommand(ref.Line)
		if err != nil {
			continue
		}
		name, _, _ := strings.Cut(cmd.Header, ":")
		switch k.Kind {
		case "apiKey":
			if cmd.Scheme == "apikey" && (len(cmd.Args) < 3 || strings.EqualFold(cmd.Args[1], k.Param)) || k.In == "header" && strings.EqualFold(name, k.Param) && k.Param != "" {
				return true
			}
		case "http":
			if cmd.Scheme == k.HTTP || strings.EqualFold(name, "Authorization") {
				return true
			}
		case "oauth2", "openIdConnect":
			if cmd.Scheme == "oauth" || cmd.Scheme == "bearer" {
				return true
			}
		}
	}
	return false
}

func (s *State) deviceView() *DeviceView {
	for _, ts := range s.Peer.Tokens {
		if ts.Code != "" {
			return &DeviceView{URI: ts.URI, Code: ts.Code, Until: ts.CodeUntil}
		}
	}
	return nil
}

const maxSuggestions = 6

// suggestions are commands that may help where the peer cannot be reached or
// does not let us in.
func (s *State) suggestions() []Suggestion {
	var out []Suggestion
	add := func(line, format string, args ...any) {
		if line != "" && len(out) < maxSuggestions && !slices.ContainsFunc(out, func(o Suggestion) bool { return o.Line == line }) {
			out = append(out, Suggestion{Why: fmt.Sprintf(format, args...), Line: line})
		}
	}
	if x := s.lastCall(); x != nil {
		if refusesUs(x.Status) || deniesUs(x.Error) {
			s.suggestAuth(x, add)
		} else if !s.Peer.Proven && (x.Fault != "" || x.Status == a2a.StatusNotFound || x.Status == a2a.StatusMethodRefused) {
			why := x.URL + " answers " + a2a.StatusText(x.Status)
			if x.Fault != "" { // words of its own about what was tried
				why = x.URL + ": " + x.Fault
			}
			for _, sp := range s.Peer.Spoken {
				if sp.At != s.Peer.Use && sp.Dead == 0 {
					add(fmt.Sprintf("interface %d", sp.N), "%s; the card declares another interface", why)
				}
			}
			if card, err := readAddress(s.Peer.CardURL); err == nil { // not for a card that came by gRPC
				if at := agentAt(card); at != s.Peer.Use.URL {
					add("endpoint "+at, "%s; the card came from here", why)
				}
			}
		}
	}
	if s.Peer.Card != nil && !s.Peer.Proven && s.Peer.Override == "" {
		for _, i := range s.Peer.Card.Interfaces {
			if !speaks(i) || i.Binding == a2a.GRPC {
				continue
			}
			_, problems := ResolveEndpoint(s.Peer.CardURL, i.URL)
			for _, p := range problems {
				if p.Fallback != "" && p.Fallback != s.Peer.Use.URL && p.Code != AddrForeign {
					add("endpoint "+p.Fallback, "%s", p.Detail)
				}
			}
		}
	}
	for _, line := range s.Peer.Carried.Credentials {
		if !strings.Contains(line, placeholderOpen) && !slices.ContainsFunc(s.Peer.Credentials, func(r CredentialRef) bool { return r.Line == line }) {
			add(line, "an earlier session was let in with this")
		}
	}
	return out
}

// lastCall is the last call to the peer that was answered, or failed.
func (s *State) lastCall() *Exchange {
	for i := len(s.Exchanges) - 1; i >= 0 && i >= len(s.Exchanges)-maxReads; i-- {
		if x := s.Exchanges[i]; x.Answer != 0 && x.Op != a2a.OpToken {
			return x
		}
	}
	return nil
}

// suggestAuth reads what a refusal and the card ask for.
func (s *State) suggestAuth(x *Exchange, add func(line, format string, args ...any)) {
	asked := strings.ToLower(x.Challenge)
	why := a2a.StatusText(x.Status)
	if !refusesUs(x.Status) { // JSON-RPC says it in the body
		why = string(x.Error.Name)
	}
	if x.Challenge != "" {
		why += ", asks for " + cutAt(x.Challenge, maxDetail)
	}
	switch {
	case x.Withheld:
		add("endpoint "+x.URL, "%s; credentials do not go to an origin that you did not type", why)
		return
	case s.renewedSince(x):
		line := map[a2a.Operation]string{a2a.OpSend: "send --again", a2a.OpStream: "stream --again"}[x.Op]
		add(line, "%s; there is a new token now, and a message goes out once more on your word alone", why)
	case strings.HasPrefix(asked, "bearer"):
		add("auth bearer $TOKEN", "%s", why)
	case strings.HasPrefix(asked, "basic"):
		add("auth basic $LOGIN", "%s", why)
	}
	if s.Peer.Card != nil {
		for _, used := range []bool{false, true} { // what is missing first: several may be wanted together
			for _, k := range s.Peer.Card.Schemes {
				if s.schemeInUse(k) == used {
					add(schemeCommand(k), "%s; the card's scheme %q", why, k.Name)
				}
			}
		}
	}
	add("auth bearer $TOKEN", "%s", why)
}

// renewedSince reports whether a token came after an exchange went out.
func (s *State) renewedSince(x *Exchange) bool {
	return slices.ContainsFunc(s.Peer.Tokens, func(ts *TokenState) bool { return ts.Have && ts.Got > x.Sent })
}

// schemeCommand is the command that gives what a scheme wants; empty for what
// no command gives.
func schemeCommand(k a2a.Scheme) string {
	switch {
	case k.Kind == "apiKey":
		if !isToken(k.Param) || !slices.Contains(places, k.In) {
			return "auth apikey $KEY"
		}
		return "auth apikey " + k.In + " " + k.Param + " $KEY"
	case k.Kind == "http" && k.HTTP == "basic":
		return "auth basic $LOGIN"
	case k.Kind == "http" && k.HTTP != "bearer" && k.HTTP != "":
		return `header "Authorization: $VALUE"`
	case k.Kind == "http", k.Kind == "openIdConnect":
		return "auth bearer $TOKEN"
	case k.Kind == "oauth2" && k.Flow == "clientCredentials":
		return "auth oauth client-credentials $CLIENT_ID $CLIENT_SECRET"
	case k.Kind == "oauth2" && k.Flow == "deviceCode":
		return "auth oauth device $CLIENT_ID"
	case k.Kind == "oauth2":
		return "auth bearer $TOKEN"
	}
	return ""
}

// schemeWay says how to give what a scheme wants.
func schemeWay(k a2a.Scheme) string {
	line := schemeCommand(k)
	switch {
	case k.Kind == "mutualTLS":
		return "--cert FILE --key FILE, as the console is started"
	case line == "":
		return "the card does not say what it wants"
	case strings.HasPrefix(line, "header "):
		return line + ", made elsewhere: " + cutAt(k.HTTP, maxDetail) + " is not spoken here"
	case k.Kind == "openIdConnect":
		return line + ", with a token from elsewhere: nothing is fetched from the card's address"
	case k.Kind == "oauth2" && line == "auth bearer $TOKEN":
		return strings.TrimSuffix(line+", with a token from elsewhere: there is no such flow here: "+k.Flow, ": ")
	}
	return line
}
