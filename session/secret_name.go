package session

import "strings"

// secretWords mark the name of a header, parameter, cookie or member whose
// value is a secret, wherever they occur in it.
var secretWords = []string{
	"authorization", "cookie", "token", "secret", "key", "passw", "pwd", "credential", "session", "signature", "jwt", "bearer",
}

// openNames hold one of secretWords and are no secrets.
var openNames = map[string]bool{
	"idempotency-key": true, "x-idempotency-key": true, "sec-websocket-key": true, "keywords": true,
}

// SecretName reports whether the value of a header, parameter, cookie or
// member of this name must be taken for a secret. It rather errs on the side
// of caution: a value that is taken for one only has to come from the
// environment.
func SecretName(name string) bool {
	name = strings.ToLower(strings.TrimSpace(name))
	if openNames[name] {
		return false
	}
	for _, w := range secretWords {
		if strings.Contains(name, w) {
			return true
		}
	}
	for part := range strings.FieldsFuncSeq(name, func(r rune) bool { return r == '-' || r == '_' || r == '.' }) {
		if part == "auth" || part == "sid" {
			return true
		}
	}
	return false
}

// LooksSecret is SecretName under the name that redaction uses.
func LooksSecret(name string) bool { return SecretName(name) }
