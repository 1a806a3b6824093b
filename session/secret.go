package session

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

// MinSecret is the least length of a known secret, in bytes. Shorter values
// occur in ordinary text by chance: replacing them would tear the evidence
// apart and would tell the value by what is missing.
const MinSecret = 4

// Secrets holds the known secrets of a session and takes them out of what is
// recorded. It is safe for concurrent use: Scrub takes no lock. The zero value
// knows no secrets. It never prints what it holds.
type Secrets struct {
	mu    sync.Mutex // held by Add
	table atomic.Pointer[secretTable]
}

// secretTable is what Scrub works with. It is never changed once published.
type secretTable struct {
	count   int // of numbers given
	needles []needle
	plain   searcher
	escaped []int     // needles that can occur percent- or JSON-escaped
	starts  [256]bool // bytes that an escaped needle can begin with
	blanks  bool      // a needle holds a blank, which a query writes as +
}

// needle is one text that gives a secret away.
type needle struct {
	text   []byte
	number int
	weight int    // length of the secret
	units  []unit // text by characters, for the escaped forms; nil when there are none
	// plainStart: the first character has no escape of its own in JSON.
	plainStart bool
	base64     bool // the whole characters of a base64 form
	before     bool // base64: a character before it holds bits of the secret too
	after      bool // base64: as does one behind it
}

// Add makes a value known, with the parts of it that are secret on their own
// (the token of "Bearer …", the password of "user:password": SecretParts finds
// them). It returns the secret's number, from 1; the same value has the same
// number. A value shorter than MinSecret is an error and is not kept; such
// parts are left out.
func (s *Secrets) Add(value string, parts ...string) (int, error) {
	if len(value) < MinSecret {
		return 0, fmt.Errorf("a secret of %d bytes cannot be kept out of the log: it would also be replaced wherever it occurs by chance; give one of at least %d bytes", len(value), MinSecret)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	old := s.table.Load()
	if old == nil {
		old = &secretTable{}
	}
	t := &secretTable{count: old.count, needles: slices.Clip(old.needles)}
	number := old.numberOf(value)
	if number == 0 {
		t.count++
		number = t.count
	}
	for _, text := range append([]string{value}, parts...) {
		if len(text) >= MinSecret {
			t.add(text, number)
		}
	}
	if len(t.needles) == len(old.needles) {
		return number, nil
	}
	t.build()
	s.table.Store(t)
	return number, nil
}

// Len returns how many secrets are known.
func (s *Secrets) Len() int {
	if t := s.table.Load(); t != nil {
		return t.count
	}
	return 0
}

// numberOf returns the number of a value that is known, as a whole or as a
// part, or 0.
func (t *secretTable) numberOf(value string) int {
	for _, n := range t.needles {
		if !n.base64 && string(n.text) == value {
			return n.number
		}
	}
	return 0
}

// add appends the needles of one text that are not there yet. What stands
// first keeps its number.
func (t *secretTable) add(text string, number int) {
	for _, n := range needlesOf(text) {
		known := slices.ContainsFunc(t.needles, func(o needle) bool {
			return o.base64 == n.base64 && bytes.Equal(o.text, n.text)
		})
		if !known {
			n.number, n.weight = number, len(text)
			t.needles = append(t.needles, n)
		}
	}
}

// build makes what is looked up while scrubbing.
func (t *secretTable) build() {
	texts := make([][]byte, len(t.needles))
	for i, n := range t.needles {
		texts[i] = n.text
		if n.units == nil {
			continue
		}
		t.escaped = append(t.escaped, i)
		_, short := shortEscapes[n.units[0].char]
		t.needles[i].plainStart = !short && n.units[0].char != '\\'
		t.starts[n.text[0]] = true
		t.starts['%'], t.starts['\\'] = true, true
		if n.text[0] == ' ' {
			t.starts['+'] = true
		}
		t.blanks = t.blanks || bytes.IndexByte(n.text, ' ') >= 0
	}
	t.plain = newSearcher(texts)
}

// String tells how many secrets are known, and nothing of them.
func (s *Secrets) String() string { return fmt.Sprintf("%d secrets", s.Len()) }

// GoString is String.
func (s *Secrets) GoString() string { return s.String() }

// MarshalText is String, so that JSON and slog show no more.
func (s *Secrets) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

const (
	placeholderOpen  = "‹secret:"
	placeholderClose = "›"
)

// placeholder stands for a secret in the log.
func placeholder(number int) string {
	return placeholderOpen + strconv.Itoa(number) + placeholderClose
}

// span is a stretch of bytes to be replaced.
type span struct {
	from, to int
	number   int
	weight   int // length of the secret that was found; the longest names the stretch
}

// Scrub replaces every known secret in b by ‹secret:N›: as it is, percent- or
// JSON-escaped (in part or whole, also twice), and in base64, alone or inside
// a longer piece. It returns b itself when there was nothing to replace, and
// never changes b. Where secrets overlap, the whole stretch becomes the
// longest one's placeholder, so that nothing of the others is left over.
// Scrubbing again changes nothing.
func (s *Secrets) Scrub(b []byte) []byte {
	t := s.table.Load()
	if t == nil {
		return b
	}
	spans := t.plain.find(b, func(spans []span, i, at int) []span {
		return append(spans, t.needles[i].widen(b, at, at+len(t.needles[i].text)))
	})
	if bytes.IndexByte(b, '%') >= 0 || bytes.IndexByte(b, '\\') >= 0 || t.blanks && bytes.IndexByte(b, '+') >= 0 {
		spans = t.findEscaped(b, spans)
	}
	if len(spans) == 0 {
		return b
	}
	return replaceSpans(b, merge(spans, placeholders(b, t.count)))
}

// ScrubString is Scrub for a string.
func (s *Secrets) ScrubString(text string) string {
	if s.table.Load() == nil {
		return text
	}
	b := []byte(text)
	if out := s.Scrub(b); len(out) != len(b) || len(b) > 0 && &out[0] != &b[0] {
		return string(out)
	}
	return text
}

// findEscaped appends the stretches where a needle stands percent- or
// JSON-escaped.
func (t *secretTable) findEscaped(b []byte, spans []span) []span {
	for at, c := range b {
		if !t.starts[c] {
			continue
		}
		for _, i := range t.escaped {
			n := &t.needles[i]
			from := at
			switch {
			case c == n.text[0] || c == '%' || c == '+':
			case c != '\\':
				continue
			case n.plainStart:
				// Only \u can begin it. The backslashes before it are its
				// own, escaped; looking back for them once is cheaper than
				// trying to begin at each.
				if at+1 == len(b) || b[at+1] != 'u' {
					continue
				}
				for from > 0 && b[from-1] == '\\' {
					from--
				}
			}
			if end := matchEscaped(b, at, n.units); end > 0 {
				spans = append(spans, n.widen(b, from, end))
			}
		}
	}
	return spans
}

// widen makes the span of a found needle. A base64 form takes the characters
// at its ends that it shares with its neighbours along, and the padding.
func (n *needle) widen(b []byte, from, to int) span {
	if n.base64 {
		if n.before && from > 0 && isBase64(b[from-1]) {
			from--
		}
		if n.after && to < len(b) && isBase64(b[to]) {
			to++
		}
		for pad := 0; pad < 2 && to < len(b) && b[to] == '='; pad++ {
			to++
		}
	}
	return span{from: from, to: to, number: n.number, weight: n.weight}
}

func isBase64(c byte) bool {
	return c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '+' || c == '/' || c == '-' || c == '_'
}

// placeholders finds what earlier scrubbing left in b: nothing inside it is
// replaced again, even when a secret is "secret".
func placeholders(b []byte, most int) []span {
	var spans []span
	for at := 0; ; {
		i := bytes.Index(b[at:], []byte(placeholderOpen))
		if i < 0 {
			return spans
		}
		from := at + i
		at = from + len(placeholderOpen)
		digits := 0
		for digits < 9 && at+digits < len(b) && b[at+digits] >= '0' && b[at+digits] <= '9' {
			digits++
		}
		n, err := strconv.Atoi(string(b[at : at+digits]))
		if err != nil || n < 1 || n > most || b[at] == '0' || !bytes.HasPrefix(b[at+digits:], []byte(placeholderClose)) {
			continue
		}
		at += digits + len(placeholderClose)
		spans = append(spans, span{from: from, to: at})
	}
}

// replaceSpans writes b with the spans, which are in order and apart,
// replaced.
func replaceSpans(b []byte, spans []span) []byte {
	if len(spans) == 0 {
		return b
	}
	out := make([]byte, 0, len(b)+len(spans)*len(placeholderOpen))
	at := 0
	for _, s := range spans {
		out = append(out, b[at:s.from]...)
		out = append(out, placeholder(s.number)...)
		at = s.to
	}
	return append(out, b[at:]...)
}

// SecretParts returns what is secret on its own in the value of a header: what
// follows the scheme in "Bearer …", and for "Basic …" also the pair that its
// base64 holds, and the password. The pair may stand there in clear too:
// "Basic user:password" gives the parts of a basic credential.
func SecretParts(value string) []string {
	scheme, rest, _ := strings.Cut(value, " ")
	rest = strings.TrimSpace(rest)
	switch strings.ToLower(scheme) {
	case "bearer", "token", "apikey", "dpop":
		return []string{rest}
	case "basic":
		parts := []string{rest}
		if pair, ok := decodeBase64(rest); ok && strings.Contains(pair, ":") {
			parts = append(parts, pair)
			rest = pair
		}
		if _, password, ok := strings.Cut(rest, ":"); ok {
			parts = append(parts, password)
		}
		return parts
	}
	return nil
}
