package runner

import (
	"encoding/json"
	"net/url"
	"strings"

	"a2ascope/session"
	"a2ascope/session/a2a"
)

// client is who the console is to an authorization server, with its secret and
// the tokens that it was given. None of them reaches a record.
type client struct {
	flow    session.OAuthFlow
	id      string
	secret  string
	access  string
	refresh string
	device  string // code that is polled with
}

// client resolves the names in "auth oauth".
func (r *Runner) client(cmd session.Command) (*client, error) {
	flow, err := session.ReadOAuth(cmd.Args)
	if err != nil {
		return nil, err
	}
	c := &client{flow: flow}
	if c.id, err = r.resolve(flow.ID); err != nil {
		return nil, err
	}
	if flow.Secret == "" {
		return c, nil
	}
	if c.secret, err = r.resolve(flow.Secret); err != nil {
		return nil, err
	}
	if _, err := r.cfg.Secrets.Add(c.secret, session.SecretParts("Basic "+url.QueryEscape(c.id)+":"+url.QueryEscape(c.secret))...); err != nil {
		return nil, err
	}
	return c, nil
}

// tokenClient finds whom a call for a token is made by.
func (r *Runner) tokenClient(command int) *client {
	if command < 1 || command > len(r.state.Commands) {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.secrets[r.state.Commands[command-1].Cmd.Line].oauth
}

// askToken puts what only the runner knows into a call for a token. The
// client's secret goes into the head first, as RFC 6749 §2.3.1 asks, and into
// the body on the second try.
func (r *Runner) askToken(call *session.Call, o *session.Obligation) {
	if call.Op != a2a.OpToken {
		return
	}
	c := r.tokenClient(o.Command)
	if c == nil {
		c = &client{}
	}
	form := url.Values{}
	switch o.Purpose {
	case session.PurposeToken:
		form.Set("grant_type", "client_credentials")
	case session.PurposeRefresh:
		form.Set("grant_type", "refresh_token")
		form.Set("refresh_token", c.refresh)
	case session.PurposePoll:
		form.Set("grant_type", "urn:ietf:params:oauth:grant-type:device_code")
		form.Set("device_code", c.device)
	}
	ts := r.state.Peer.Tokens
	for _, t := range ts {
		if t.Command == o.Command && len(t.Flow.Scopes) > 0 && o.Purpose != session.PurposePoll && o.Purpose != session.PurposeRefresh {
			form.Set("scope", strings.Join(t.Flow.Scopes, " "))
		}
	}
	if o.Purpose == session.PurposeToken && o.Rung == 0 {
		call.Auth = []session.Credential{{Kind: "basic", Value: url.QueryEscape(c.id) + ":" + url.QueryEscape(c.secret), From: c.flow.Secret}}
	} else {
		form.Set("client_id", c.id)
		if c.secret != "" {
			form.Set("client_secret", c.secret)
		}
	}
	call.Form = form.Encode()
}

// mint takes the tokens out of an authorization server's answer: they are
// known secrets before the answer is recorded. It returns the answer's bytes.
// Those of a packed body are unpacked: a secret inside could not be found.
func (r *Runner) mint(n int, b *session.Responded, raw []byte) []byte {
	x := r.state.ExchangeN(n)
	if x == nil || x.Op != a2a.OpToken {
		return raw
	}
	body, err := session.ResponseBody(raw, b)
	if err == nil && b.Encoding != "" && b.Head <= len(raw) {
		raw, b.Encoding = append(append([]byte(nil), raw[:b.Head]...), body...), ""
	}
	var minted map[string]json.RawMessage
	if json.Unmarshal(body, &minted) != nil {
		return raw
	}
	text := func(name string) string {
		var s string
		if json.Unmarshal(minted[name], &s) != nil || s == "" {
			return ""
		}
		_, _ = r.cfg.Secrets.Add(s) // a token of three letters keeps no secret
		return s
	}
	access, refresh, device := text("access_token"), text("refresh_token"), text("device_code")
	text("id_token")
	c := r.tokenClient(x.Command)
	if c == nil || b.Status/100 != 2 {
		return raw
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if access != "" {
		c.access, c.device = access, ""
	}
	if refresh != "" {
		c.refresh = refresh
	}
	if device != "" {
		c.device = device
	}
	return raw
}
