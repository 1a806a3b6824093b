package export

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"strings"
	"unicode/utf8"
)

const (
	maxDepth  = 256 // of containers whose member names are looked at
	maxNested = 3   // of JSON within a string within JSON
)

// openMembers hold a word of secret names and are none: what A2A and OAuth
// name so is meant to be seen.
var openMembers = map[string]bool{
	"pagetoken": true, "nextpagetoken": true, "page_token": true, "next_page_token": true, "tokentype": true, "token_type": true,
	"bearerformat": true, "bearer_format": true, "tokenurl": true, "token_url": true, "token_endpoint": true, "keyid": true, "kid": true,
	"openidconnecturl": true, "idempotencykey": true, "keywords": true, "keyword": true, "signatures": true,
}

// openTrees are members of a card whose names describe how to be let in, and
// never let anybody in.
var openTrees = map[string]bool{
	"securitySchemes": true, "security_schemes": true, "security": true, "securityRequirements": true, "security_requirements": true,
	"signatures": true,
}

// container is an object or list that is open at a place of a JSON text.
type container struct {
	key  string // of the member that is being read
	open bool   // below one of openTrees
	list bool
}

// jsonScan walks over text that may be JSON, and looks at the strings in it.
// It takes what is no JSON too: an event's frame, or a piece of a value.
type jsonScan struct {
	r      *redactor
	b      []byte
	own    bool // the console's own words: member names say nothing
	task   bool // sessionId is what A2A 0.1 calls a context
	nested int
	stack  []container
	deep   int // containers below maxDepth
	spots  []spot
}

// jsonSpots finds the secrets in JSON: by the names of members, and by the
// looks of values once their escapes are read.
func (r *redactor) jsonSpots(b []byte, own bool, nested int, spots []spot) []spot {
	s := jsonScan{r: r, b: b, own: own, nested: nested, stack: []container{{}}, spots: spots}
	s.task = bytes.Contains(b, []byte(`"message"`)) || bytes.Contains(b, []byte(`"status"`)) || bytes.Contains(b, []byte(`"artifact`))
	for at := 0; at < len(b); {
		switch b[at] {
		case '{', '[':
			s.open(b[at] == '[')
		case '}', ']':
			s.close()
		case '"':
			at = s.str(at)
			continue
		case ',':
			if top := &s.stack[len(s.stack)-1]; !top.list {
				top.key = ""
			}
		}
		at++
	}
	return s.spots
}

func (s *jsonScan) open(list bool) {
	if len(s.stack) >= maxDepth {
		s.deep++
		return
	}
	top := s.stack[len(s.stack)-1]
	c := container{open: top.open || openTrees[top.key], list: list}
	if list {
		c.key = top.key // the values of a list go by its name
	}
	s.stack = append(s.stack, c)
}

func (s *jsonScan) close() {
	switch {
	case s.deep > 0:
		s.deep--
	case len(s.stack) > 1:
		s.stack = s.stack[:len(s.stack)-1]
	}
}

// str takes the string that begins at at, and returns where what follows it
// begins.
func (s *jsonScan) str(at int) int {
	end, escaped := stringEnd(s.b, at+1)
	if end < 0 {
		return len(s.b)
	}
	next := end + 1
	for next < len(s.b) && (s.b[next] == ' ' || s.b[next] == '\t' || s.b[next] == '\n' || s.b[next] == '\r') {
		next++
	}
	top := &s.stack[len(s.stack)-1]
	if next < len(s.b) && s.b[next] == ':' && !top.list {
		top.key = string(s.b[at+1 : end])
		return next + 1
	}
	if end > at+1 {
		s.value(*top, at+1, end, escaped)
	}
	return end + 1
}

// value looks at the string between from and to.
func (s *jsonScan) value(c container, from, to int, escaped bool) {
	name := strings.ToLower(c.key)
	if !s.own && !c.open && s.deep == 0 && c.key != "" && !openMembers[name] && !strings.HasSuffix(name, "url") &&
		(name != "sessionid" || !s.task) && s.r.secretName(c.key) {
		s.spots = s.r.spot(s.spots, s.b, from, to, "member "+c.key)
		return
	}
	if s.nested >= maxNested {
		return
	}
	value := s.b[from:to]
	switch {
	case s.own && name == "protojson" || !s.own && (name == "bytes" || name == "raw"):
		s.base64(from, to)
	case escaped:
		var text string
		if json.Unmarshal(s.b[from-1:to+1], &text) != nil {
			return
		}
		inner := []byte(text)
		if out := s.r.rewrite(inner, s.r.inString(inner, s.own, s.nested+1)); !bytes.Equal(out, inner) {
			s.spots = append(s.spots, spot{from, to, quoted(out)})
		}
	case bytes.IndexByte(value, '=') > 0 && form.Match(value):
		for _, x := range s.r.formFields(value, nil) {
			s.spots = append(s.spots, spot{x.from + from, x.to + from, x.with})
		}
	}
}

// inString finds the secrets of a string whose escapes were read.
func (r *redactor) inString(b []byte, own bool, nested int) []spot {
	spots := r.text(b, nil)
	if bytes.IndexByte(b, '"') >= 0 {
		spots = r.jsonSpots(b, own, nested, spots)
	}
	return spots
}

// base64 looks into a value that holds bytes.
func (s *jsonScan) base64(from, to int) {
	inner, err := base64.StdEncoding.DecodeString(string(s.b[from:to]))
	if err != nil || !utf8.Valid(inner) {
		return
	}
	if out := s.r.rewrite(inner, s.r.inString(inner, false, s.nested+1)); !bytes.Equal(out, inner) {
		s.spots = append(s.spots, spot{from, to, []byte(base64.StdEncoding.EncodeToString(out))})
	}
}

// stringEnd returns where the closing quote of a string is, or -1, and
// whether it holds escapes.
func stringEnd(b []byte, at int) (end int, escaped bool) {
	for ; at < len(b); at++ {
		switch b[at] {
		case '\\':
			escaped = true
			at++
		case '"':
			return at, escaped
		}
	}
	return -1, escaped
}

// quoted is text as it stands between the quotes of a JSON string.
func quoted(text []byte) []byte {
	out := bytes.TrimSuffix(encode(string(text)), []byte("\n"))
	return out[1 : len(out)-1]
}
