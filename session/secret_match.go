package session

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"unicode/utf8"
)

// needlesOf returns the texts that give a secret away: the secret itself, and
// for its base64 form (that of the secret, and of the secret as a form or JSON
// would write it) the characters that depend on nothing else, at each of the
// three places that it can have inside a longer piece, in both alphabets.
func needlesOf(secret string) []needle {
	needles := []needle{{text: []byte(secret), units: unitsOf(secret)}}
	quoted, err := json.Marshal(secret)
	if err != nil {
		quoted = []byte(`""`) // a string always can be marshalled
	}
	for _, form := range []string{secret, url.QueryEscape(secret), url.PathEscape(secret), string(quoted[1 : len(quoted)-1])} {
		for _, alphabet := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			for shift := range 3 {
				needles = append(needles, base64Needle(form, shift, alphabet))
			}
		}
	}
	return needles
}

// base64Needle returns the base64 characters of text, when shift bytes modulo
// 3 stand before it, that hold bits of text only.
func base64Needle(text string, shift int, alphabet *base64.Encoding) needle {
	whole := alphabet.EncodeToString(append(make([]byte, shift), text...))
	bits := 8 * (shift + len(text))
	from, to := (8*shift+5)/6, bits/6
	n := needle{text: []byte(whole[from:to]), base64: true, before: 8*shift%6 != 0, after: bits%6 != 0}
	for _, c := range n.text {
		if c == '+' || c == '/' { // which a query and some JSON writers escape
			n.units = unitsOf(string(n.text))
			break
		}
	}
	return n
}

func decodeBase64(s string) (string, bool) {
	for _, e := range []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding, base64.URLEncoding, base64.RawURLEncoding} {
		if b, err := e.DecodeString(s); err == nil && utf8.Valid(b) {
			return string(b), true
		}
	}
	return "", false
}

// unit is one character of a needle.
type unit struct {
	raw  string
	char rune // -1 when raw is no UTF-8
}

func unitsOf(s string) []unit {
	units := make([]unit, 0, len(s))
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		if r == utf8.RuneError && n == 1 {
			r = -1
		}
		units = append(units, unit{raw: s[:n], char: r})
		s = s[n:]
	}
	return units
}

// How deep escapes may be nested: \\\\\\\" is a quote in JSON in JSON in JSON.
const (
	maxBackslashes = 15
	maxPercents    = 3
)

// matchEscaped matches the units at b[at:], each in any spelling, and returns
// the furthest end, or 0. A spelling can be ambiguous (a backslash may be one
// character or half of an escaped one), so all places that can be reached are
// followed; there are few.
func matchEscaped(b []byte, at int, units []unit) int {
	var first [8]int
	places := spellings(first[:0], b, at, units[0])
	if len(places) == 0 {
		return 0
	}
	var space [2][32]int
	places, next := append(space[0][:0], places...), space[1][:0]
	for _, u := range units[1:] {
		for _, i := range places {
			next = spellings(next, b, i, u)
		}
		if len(next) == 0 {
			return 0
		}
		places, next = next, places[:0]
	}
	return slices.Max(places)
}

// spellings appends where u ends when it is read at b[i:].
func spellings(ends []int, b []byte, i int, u unit) []int {
	if i >= len(b) {
		return ends
	}
	if end := percentSpelling(b, i, u.raw); end > 0 {
		ends = appendPlace(ends, end)
	}
	switch {
	case u.char == '%': // %25, and that with its % escaped again
		for k := i + 1; k <= i+1+2*(maxPercents-1) && k+1 < len(b) && b[i] == '%' && b[k] == '2' && b[k+1] == '5'; k += 2 {
			ends = appendPlace(ends, k+2)
		}
	case u.char == ' ' && b[i] == '+':
		ends = appendPlace(ends, i+1)
	}
	if b[i] == '\\' || b[i] == '%' {
		ends = jsonSpellings(ends, b, i, u)
	}
	return ends
}

func appendPlace(places []int, at int) []int {
	if slices.Contains(places, at) {
		return places
	}
	return append(places, at)
}

// percentSpelling reads raw with each byte as it is or as %XX and returns the
// end, or 0. Only a % is ambiguous; spellings adds its other readings.
func percentSpelling(b []byte, i int, raw string) int {
	for k := range len(raw) {
		if i < len(b) && b[i] == raw[k] {
			i++
		} else if n := percent(b, i, raw[k]); n > 0 {
			i += n
		} else {
			return 0
		}
	}
	return i
}

// percent returns the length of c as %XX at b[i:], or as what became of that
// when its % was escaped again (%25XX), and 0 when it is not there.
func percent(b []byte, i int, c byte) int {
	if i >= len(b) || b[i] != '%' {
		return 0
	}
	for level, k := 0, i+1; level < maxPercents && k+1 < len(b) && isHex(b[k]) && isHex(b[k+1]); level, k = level+1, k+2 {
		if unhex(b[k])<<4|unhex(b[k+1]) == c {
			return k + 2 - i
		}
		if b[k] != '2' || b[k+1] != '5' {
			return 0
		}
	}
	return 0
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

func unhex(c byte) byte {
	switch {
	case c <= '9':
		return c - '0'
	case c <= 'F':
		return c - 'A' + 10
	}
	return c - 'a' + 10
}

// jsonSpellings appends where u ends when it is read as a JSON escape, whose
// backslashes may themselves be escaped, in JSON or by percent.
func jsonSpellings(ends []int, b []byte, i int, u unit) []int {
	slashes := 0
	for slashes < maxBackslashes {
		n := backslash(b, i)
		if n == 0 {
			break
		}
		i += n
		slashes++
		if u.char == '\\' && (slashes == 2 || slashes == 4 || slashes == 8) {
			ends = appendPlace(ends, i)
		}
	}
	if slashes == 0 || i >= len(b) {
		return ends
	}
	if b[i] == 'u' {
		if r, n := unicodeEscape(b, i); n > 0 && r == u.char {
			ends = appendPlace(ends, i+n)
		}
	}
	if c, ok := shortEscapes[u.char]; ok {
		if end := percentSpelling(b, i, c); end > 0 {
			ends = appendPlace(ends, end)
		}
	}
	return ends
}

// backslash returns the length of a backslash at b[i:], as it is or as %5C, or
// 0.
func backslash(b []byte, i int) int {
	if i < len(b) && b[i] == '\\' {
		return 1
	}
	return percent(b, i, '\\')
}

// shortEscapes are JSON's escapes of two characters. A backslash is not among
// them: jsonSpellings counts those.
var shortEscapes = map[rune]string{'"': `"`, '/': "/", '\b': "b", '\f': "f", '\n': "n", '\r': "r", '\t': "t"}

// unicodeEscape reads uXXXX, and the second half of a surrogate pair with its
// backslashes.
func unicodeEscape(b []byte, i int) (rune, int) {
	r, ok := hexRune(b, i)
	if !ok {
		return 0, 0
	}
	if r < 0xD800 || r > 0xDBFF {
		return r, 5
	}
	k := i + 5
	for range maxBackslashes {
		k += backslash(b, k)
	}
	low, ok := hexRune(b, k)
	if !ok || low < 0xDC00 || low > 0xDFFF {
		return 0, 0
	}
	return 0x10000 + (r-0xD800)<<10 + (low - 0xDC00), k + 5 - i
}

// hexRune reads uXXXX.
func hexRune(b []byte, i int) (rune, bool) {
	if i+5 > len(b) || b[i] != 'u' {
		return 0, false
	}
	v, err := strconv.ParseUint(string(b[i+1:i+5]), 16, 16)
	return rune(v), err == nil
}

// merge sorts the spans, drops those that touch what must be kept, and joins
// those that overlap under the number of the longest secret.
func merge(spans, keep []span) []span {
	slices.SortFunc(spans, func(a, b span) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(b.to, a.to)) })
	merged := spans[:0]
	for _, s := range spans {
		for len(keep) > 0 && keep[0].to <= s.from {
			keep = keep[1:]
		}
		if len(keep) > 0 && keep[0].from < s.to {
			continue
		}
		if len(merged) == 0 || merged[len(merged)-1].to <= s.from {
			merged = append(merged, s)
			continue
		}
		last := &merged[len(merged)-1]
		last.to = max(last.to, s.to)
		if s.weight > last.weight {
			last.number, last.weight = s.number, s.weight
		}
	}
	return merged
}

// searcher finds many texts at once: it looks at the last two bytes of a
// window as long as the shortest text, and moves on as far as these allow (Wu
// and Manber). With no match it reads a fraction of the bytes.
type searcher struct {
	texts  [][]byte
	window int
	shifts [1 << 12]uint8
	ends   map[uint16][]int // texts whose window ends with this hash
}

func pairHash(a, b byte) uint16 { return uint16(a)<<4&0xfff ^ uint16(b) }

func newSearcher(texts [][]byte) searcher {
	s := searcher{texts: texts, window: len(texts[0]), ends: map[uint16][]int{}}
	for _, t := range texts {
		s.window = min(s.window, len(t))
	}
	s.window = min(s.window, 255)
	for i := range s.shifts {
		s.shifts[i] = uint8(s.window - 1)
	}
	for i, t := range texts {
		for k := 1; k < s.window; k++ {
			h := pairHash(t[k-1], t[k])
			s.shifts[h] = min(s.shifts[h], uint8(s.window-1-k))
		}
		h := pairHash(t[s.window-2], t[s.window-1])
		s.ends[h] = append(s.ends[h], i)
	}
	return s
}

// find calls found for each place where a text begins, also where texts
// overlap, and returns what it collected.
func (s *searcher) find(b []byte, found func(spans []span, text, at int) []span) []span {
	var spans []span
	for end := s.window - 1; end < len(b); {
		h := pairHash(b[end-1], b[end])
		if shift := s.shifts[h]; shift > 0 {
			end += int(shift)
			continue
		}
		at := end - s.window + 1
		for _, i := range s.ends[h] {
			if t := s.texts[i]; len(t) <= len(b)-at && string(b[at:at+len(t)]) == string(t) {
				spans = found(spans, i, at)
			}
		}
		end++
	}
	return spans
}
