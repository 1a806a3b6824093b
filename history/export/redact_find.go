package export

import (
	"bytes"
	"encoding/base64"
	"regexp"
	"strings"

	"a2ascope/session"
)

// shape is a text that gives itself away as a secret, whatever it is called.
// Group 1 of the pattern is the secret; the whole match where there is none.
type shape struct {
	where   string
	cues    []string // one of them stands in every match: looking for it is cheap
	pattern *regexp.Regexp
	sure    func(match []byte) bool // nil: always
}

// shapes are looked for in every text. Their order decides what a place is
// called where two of them meet.
var shapes = []shape{
	{where: "JSON web token", cues: []string{"eyJ"}, pattern: regexp.MustCompile(`\beyJ[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]*`)},
	{where: "bearer token", cues: []string{"earer ", "EARER "}, pattern: regexp.MustCompile(`(?i)\bbearer +([A-Za-z0-9._~+/-]{16,}=*)`), sure: hasDigit},
	{where: "basic credentials", cues: []string{"asic ", "ASIC "}, pattern: regexp.MustCompile(`(?i)\bbasic +([A-Za-z0-9+/_-]{6,}=*)`), sure: isPair},
	{where: "AWS access key", cues: []string{"AKIA", "ASIA"}, pattern: regexp.MustCompile(`\b(?:AKIA|ASIA)[0-9A-Z]{16}\b`)},
	{where: "GitHub token", cues: []string{"gh", "github_pat_"}, pattern: regexp.MustCompile(`\b(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{22,})\b`)},
	{where: "GitLab token", cues: []string{"glpat-"}, pattern: regexp.MustCompile(`\bglpat-[A-Za-z0-9_-]{20,}`)},
	{where: "model provider's key", cues: []string{"sk-"}, pattern: regexp.MustCompile(`\bsk-[A-Za-z0-9_-]{20,}`), sure: hasDigit},
	{where: "Google API key", cues: []string{"AIza"}, pattern: regexp.MustCompile(`\bAIza[0-9A-Za-z_-]{35}`)},
	{where: "Slack token", cues: []string{"xox"}, pattern: regexp.MustCompile(`\bxox[abeoprs]-[A-Za-z0-9-]{10,}`)},
	{where: "payment key", cues: []string{"_live_", "_test_"}, pattern: regexp.MustCompile(`\b[sr]k_(?:live|test)_[0-9A-Za-z]{16,}`)},
	{where: "Hugging Face token", cues: []string{"hf_"}, pattern: regexp.MustCompile(`\bhf_[A-Za-z0-9]{30,}`)},
	{where: "private key", cues: []string{"PRIVATE KEY-----"}, pattern: regexp.MustCompile(`-----BEGIN [A-Z ]*PRIVATE KEY-----([^-]+)(?:-----END [A-Z ]*PRIVATE KEY-----)?`)},
	{where: "user info of a URL", cues: []string{"://"}, pattern: regexp.MustCompile(`\b[A-Za-z][A-Za-z0-9+.-]*://([^\s/?#@"'<>\\]+)@`)},
	{where: "named in a text", cues: []string{"api", "Api", "API", "oken", "OKEN", "ecret", "ECRET", "assw", "ASSW"}, pattern: regexp.MustCompile(`(?i)\b(?:api[_-]?key|(?:access|refresh|auth|id)[_-]?token|client[_-]?secret|secret[_-]?access[_-]?key|password|passwd)\s*[=:]\s*([^\s"'&,;<>\\{}\[\]]{6,})`), sure: hasDigit},
}

// param is a name and a value as a query or a form has them.
var (
	param = regexp.MustCompile(`[?&;]([A-Za-z0-9_.%~-]{1,64})=([^&\s"'<>#\\;]+)`)
	form  = regexp.MustCompile(`^[A-Za-z0-9_.%~+\[\]-]{1,64}=[^&\s"'<>{}]*(?:&[A-Za-z0-9_.%~+\[\]-]{1,64}=[^&\s"'<>{}]*)*$`)
)

func hasDigit(b []byte) bool { return bytes.ContainsAny(b, "0123456789") }

// isPair reports whether b is base64 of "user:password".
func isPair(b []byte) bool {
	for _, e := range []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding, base64.URLEncoding, base64.RawURLEncoding} {
		if pair, err := e.DecodeString(string(b)); err == nil {
			return bytes.IndexByte(pair, ':') > 0
		}
	}
	return false
}

// spot is a stretch of bytes and what stands in its place.
type spot struct {
	from, to int
	with     []byte
}

// text finds what looks like a secret in any text.
func (r *redactor) text(b []byte, spots []spot) []spot {
	for i := range shapes {
		s := &shapes[i]
		if !hasAny(b, s.cues) {
			continue
		}
		for _, m := range s.pattern.FindAllSubmatchIndex(b, -1) {
			from, to := m[0], m[1]
			if len(m) > 2 && m[2] >= 0 {
				from, to = m[2], m[3]
			}
			if s.sure == nil || s.sure(b[from:to]) {
				spots = r.spot(spots, b, from, to, s.where)
			}
		}
	}
	if bytes.IndexByte(b, '=') < 0 {
		return spots
	}
	for _, m := range param.FindAllSubmatchIndex(b, -1) {
		if name := string(b[m[2]:m[3]]); r.secretName(name) {
			spots = r.spot(spots, b, m[4], m[5], "query "+name)
		}
	}
	return spots
}

func hasAny(b []byte, cues []string) bool {
	for _, c := range cues {
		if bytes.Contains(b, []byte(c)) {
			return true
		}
	}
	return false
}

// spot adds a stretch of b, unless it holds nothing that is worth hiding.
func (r *redactor) spot(spots []spot, b []byte, from, to int, where string) []spot {
	value := b[from:to]
	if !worth(value) {
		return spots
	}
	return append(spots, spot{from, to, r.placeholder(value, where)})
}

// worth reports whether a value is still there, and long enough for a secret.
func worth(value []byte) bool {
	left := placeholders.ReplaceAll(value, nil)
	return len(bytes.TrimSpace(left)) >= session.MinSecret
}

// placeholders are what stands for a secret already.
var placeholders = regexp.MustCompile(`‹(?:secret|redacted):[0-9]+›|‹redacted›|%E2%80%B9(?:secret|redacted)(?::|%3A)[0-9]+%E2%80%BA`)

// head finds secrets in the head of a request or an answer.
func (r *redactor) head(b []byte, spots []spot) []spot {
	for at := 0; at < len(b); {
		end := len(b)
		if i := bytes.IndexByte(b[at:], '\n'); i >= 0 {
			end = at + i + 1
		}
		spots = r.headLine(b, at, end, spots)
		at = end
	}
	return spots
}

func (r *redactor) headLine(b []byte, from, end int, spots []spot) []spot {
	line := bytes.TrimRight(b[from:end], "\r\n")
	i := bytes.IndexByte(line, ':')
	if i <= 0 || bytes.IndexByte(line[:i], ' ') >= 0 { // the first line
		return r.shift(line, from, spots)
	}
	name := string(line[:i])
	at := from + i + 1
	for at < from+len(line) && (b[at] == ' ' || b[at] == '\t') {
		at++
	}
	to := from + len(line)
	switch {
	case strings.EqualFold(name, "cookie"):
		return r.cookies(b, at, to, spots, false)
	case strings.EqualFold(name, "set-cookie"):
		return r.cookies(b, at, to, spots, true)
	case r.secretName(name):
		if scheme, _, ok := bytes.Cut(b[at:to], []byte(" ")); ok && authScheme.Match(scheme) {
			at += len(scheme) + 1 // which scheme it is, is no secret
		}
		return r.spot(spots, b, at, to, "header "+name)
	}
	return r.shift(b[at:to], at, spots)
}

var authScheme = regexp.MustCompile(`^(?i:basic|bearer|digest|dpop|negotiate|ntlm|token|apikey|aws4-hmac-sha256|hmac|signature)$`)

// shift is text for a part of a longer piece.
func (r *redactor) shift(part []byte, by int, spots []spot) []spot {
	for _, s := range r.text(part, nil) {
		spots = append(spots, spot{s.from + by, s.to + by, s.with})
	}
	return spots
}

// cookies finds the values of a Cookie field, or the one of a Set-Cookie.
func (r *redactor) cookies(b []byte, at, to int, spots []spot, first bool) []spot {
	for at < to {
		end := to
		if i := bytes.IndexByte(b[at:to], ';'); i >= 0 {
			end = at + i
		}
		if i := bytes.IndexByte(b[at:end], '='); i >= 0 {
			spots = r.spot(spots, b, at+i+1, end, "cookie "+strings.TrimSpace(string(b[at:at+i])))
		}
		if first {
			return spots
		}
		at = end + 1
	}
	return spots
}

// formFields finds the secrets of a form.
func (r *redactor) formFields(b []byte, spots []spot) []spot {
	at := 0
	for pair := range bytes.SplitSeq(b, []byte("&")) {
		if i := bytes.IndexByte(pair, '='); i >= 0 && r.secretName(string(pair[:i])) {
			spots = r.spot(spots, b, at+i+1, at+len(pair), "form field "+string(pair[:i]))
		}
		at += len(pair) + 1
	}
	return spots
}
