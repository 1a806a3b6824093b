package runner

import (
	"errors"
	"net/url"
	"strings"

	"a2ascope/session"
)

// takeUser takes user and password out of an address that the operator typed:
// they become basic credentials for its origin, and known secrets. The address
// that is left can be logged.
func (r *Runner) takeUser(address string) string {
	scheme, rest, ok := strings.Cut(address, "://")
	if !ok {
		return address
	}
	end := len(rest)
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		end = i
	}
	at := strings.LastIndexByte(rest[:end], '@')
	if at < 0 {
		return address
	}
	bare := scheme + "://" + rest[at+1:]
	user, pass, _ := strings.Cut(rest[:at], ":")
	user, pass = unescaped(user), unescaped(pass)
	value := user + ":" + pass
	for _, secret := range []string{pass, value} {
		// A value too short to be told from other text cannot be replaced; it
		// is not logged all the same, for the address goes without it.
		_, _ = r.cfg.Secrets.Add(secret, session.SecretParts("Basic "+value)...)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.users[session.OriginOf(bare)] = session.Credential{Kind: "basic", Value: value, From: "the address"}
	return bare
}

func unescaped(s string) string {
	if u, err := url.PathUnescape(s); err == nil {
		return u
	}
	return s
}

// withoutUser takes user and password out of a command's address, before the
// command is logged. An address that is for the peer to call cannot have them:
// the log could not hold what was sent.
func (r *Runner) withoutUser(in *commandIn) error {
	bare := r.takeUser(in.cmd.URL)
	if bare == in.cmd.URL {
		return nil
	}
	in.line = strings.Replace(in.line, in.cmd.URL, bare, 1)
	in.cmd.URL = bare
	if in.cmd.Name == "push" {
		return errors.New("an address for the peer to call must not hold a password: the log could not tell what was sent")
	}
	return nil
}
