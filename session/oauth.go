package session

import (
	"fmt"
	"slices"
	"strings"
)

// The flows of "auth oauth".
const (
	FlowClientCredentials = "client-credentials"
	FlowDevice            = "device"
)

// OAuthFlow is how tokens are asked for. It holds names of variables, and no
// secret.
type OAuthFlow struct {
	Flow      string
	TokenURL  string // empty: the card names it
	DeviceURL string // device: where the code comes from
	ID        string // of the client: as it is, or $NAME
	Secret    string // $NAME; empty for a public client of the device flow
	Scopes    []string
}

// ReadOAuth reads what follows "auth oauth": the flow, its addresses unless
// the card is to name them, the client, its secret, and scopes.
func ReadOAuth(words []string) (OAuthFlow, error) {
	if len(words) == 0 {
		return OAuthFlow{}, fmt.Errorf("the flow is missing; write auth oauth %s or %s", FlowClientCredentials, FlowDevice)
	}
	f := OAuthFlow{Flow: strings.ToLower(words[0])}
	words = words[1:]
	addresses := map[string][]*string{FlowClientCredentials: {&f.TokenURL}, FlowDevice: {&f.TokenURL, &f.DeviceURL}}[f.Flow]
	if addresses == nil {
		return f, fmt.Errorf("unknown flow%s; write auth oauth %s or %s", didYouMean(f.Flow, flows), FlowClientCredentials, FlowDevice)
	}
	if len(words) > 0 && strings.Contains(words[0], "://") {
		if len(words) < len(addresses) {
			return f, fmt.Errorf("an address is missing; the device flow has one for tokens and one for codes")
		}
		for i, to := range addresses {
			if err := checkURL(words[i], false); err != nil {
				return f, err
			}
			*to = words[i]
		}
		words = words[len(addresses):]
	}
	if len(words) == 0 {
		return f, fmt.Errorf("the client's id is missing; write it, or $NAME")
	}
	f.ID, words = words[0], words[1:]
	if len(words) > 0 && IsVariable(words[0]) {
		f.Secret, words = words[0], words[1:]
	}
	if f.Secret == "" && f.Flow == FlowClientCredentials {
		return f, fmt.Errorf("the client's secret is missing: a literal one would be logged, so write $NAME, and put the value into the environment")
	}
	for _, w := range words {
		if !isScope(w) {
			return f, fmt.Errorf("what stands behind the client is no scope; a secret is written as $NAME, right behind the client's id")
		}
	}
	f.Scopes = words
	return f, nil
}

var flows = []string{FlowClientCredentials, FlowDevice}

// isScope accepts a scope-token of RFC 6749. One that looks like a variable or
// an assignment of a secret is a slip.
func isScope(w string) bool {
	name, _, assigned := strings.Cut(w, "=")
	return w != "" && !IsVariable(w) && !(assigned && SecretName(name)) && !strings.ContainsFunc(w, func(r rune) bool {
		return r <= ' ' || r > '~' || r == '"' || r == '\\'
	})
}

// readOAuthWords checks what follows "auth oauth" and keeps the words.
func readOAuthWords(a *arguments) error {
	col := a.end
	if len(a.words) > 0 {
		col = a.words[0].col
	}
	for _, w := range a.words {
		a.cmd.Args = append(a.cmd.Args, w.text)
	}
	a.words = nil
	_, err := ReadOAuth(a.cmd.Args)
	if err != nil {
		return a.fail(col, "%v", err)
	}
	return nil
}

// withCard completes the addresses from the card's scheme of the same flow.
func (f OAuthFlow) withCard(s *State) (OAuthFlow, error) {
	if f.TokenURL != "" {
		return f, nil
	}
	for _, scheme := range s.Peer.Card.Schemes {
		if scheme.Kind != "oauth2" || scheme.Flow != map[string]string{FlowClientCredentials: "clientCredentials", FlowDevice: "deviceCode"}[f.Flow] {
			continue
		}
		f.TokenURL, f.DeviceURL = scheme.TokenURL, scheme.AuthURL
		if len(f.Scopes) == 0 {
			f.Scopes = scheme.Scopes
		}
		break
	}
	if f.TokenURL == "" || f.Flow == FlowDevice && f.DeviceURL == "" {
		return f, fmt.Errorf("the card names no address for the flow %s; write it before the client's id", f.Flow)
	}
	for _, to := range []string{f.TokenURL, f.DeviceURL} {
		if to != "" && !s.MayHaveSecrets(to) {
			return f, fmt.Errorf("the card sends the client's secret to %s, another origin than the one that you typed; if that is right, write the address before the client's id", OriginOf(to))
		}
	}
	return f, nil
}

// MayHaveSecrets reports whether credentials may go to an address: to the
// origins that the operator typed, and to those that were allowed.
func (s *State) MayHaveSecrets(to string) bool {
	if SameOrigin(to, s.Opened.URL) || slices.ContainsFunc(s.Opened.AllowOrigins, func(o string) bool { return SameOrigin(to, o) }) {
		return true
	}
	return slices.ContainsFunc(s.Commands, func(cs *CommandState) bool {
		return (cs.Cmd.Name == "discover" || cs.Cmd.Name == "endpoint") && SameOrigin(to, cs.Cmd.URL)
	})
}
