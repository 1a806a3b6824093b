package session

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"strconv"
	"time"
)

// A frame's body is written and read for every event of every stream, live and
// on each re-opening, so it has a writer and a reader of its own. The bytes are
// those of encoding/json; whatever is out of the ordinary is left to it.

// appendJSON appends b as JSON and reports whether it could.
func (b *Framed) appendJSON(to []byte) ([]byte, bool) {
	if !plain(b.Kind) || !plain(b.Type) || !plain(b.ID) || !plain(b.Flags) || len(b.Odd) > 0 {
		return nil, false
	}
	to = strconv.AppendInt(append(to, `{"n":`...), int64(b.N), 10)
	to = strconv.AppendInt(append(to, `,"off":`...), b.Off, 10)
	to = append(append(append(to, `,"kind":"`...), b.Kind...), '"')
	for _, m := range [...]struct{ name, value string }{{`,"type":"`, b.Type}, {`,"id":"`, b.ID}, {`,"flags":"`, b.Flags}} {
		if m.value != "" {
			to = append(append(append(to, m.name...), m.value...), '"')
		}
	}
	if b.Held {
		to = append(to, `,"held":true`...)
	}
	if b.Lead != 0 {
		to = append(append(append(to, `,"lead":"`...), b.Lead.D().String()...), '"')
	}
	if len(b.ProtoJSON) > 0 {
		to = append(base64.StdEncoding.AppendEncode(append(to, `,"protoJson":"`...), b.ProtoJSON), '"')
	}
	return append(to, '}'), true
}

// plain reports whether a string stands in JSON as it is.
func plain(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' {
			return false
		}
	}
	return true
}

// DecodeFramed reads a frame's body.
func DecodeFramed(body []byte) (Framed, error) {
	if b, ok := readFramed(body); ok {
		return b, nil
	}
	var b Framed
	err := json.Unmarshal(body, &b)
	return b, err
}

// readFramed reads a body that is just as appendJSON writes it.
func readFramed(body []byte) (b Framed, ok bool) {
	rest := body
	next := func(name string) bool {
		if len(rest) < len(name) || string(rest[:len(name)]) != name {
			return false
		}
		rest = rest[len(name):]
		return true
	}
	number := func() (n int64) {
		i := 0
		for ; i < len(rest) && i < 18 && rest[i] >= '0' && rest[i] <= '9'; i++ {
			n = n*10 + int64(rest[i]-'0')
		}
		ok = ok && i > 0 && (i == 1 || rest[0] != '0')
		rest = rest[i:]
		return n
	}
	text := func() []byte {
		i := bytes.IndexByte(rest, '"')
		if i < 0 {
			ok = false
			return nil
		}
		out := rest[:i]
		for _, c := range out {
			ok = ok && c >= ' ' && c <= '~' && c != '\\'
		}
		rest = rest[i+1:]
		return out
	}
	if ok = next(`{"n":`); !ok {
		return b, false
	}
	b.N = int(number())
	ok = next(`,"off":`) && ok
	b.Off = number()
	ok = next(`,"kind":"`) && ok
	b.Kind = kindName(text())
	if next(`,"type":"`) {
		b.Type = string(text())
	}
	if next(`,"id":"`) {
		b.ID = string(text())
	}
	if next(`,"flags":"`) {
		b.Flags = string(text())
	}
	b.Held = next(`,"held":true`)
	if next(`,"lead":"`) {
		d, err := time.ParseDuration(string(text()))
		b.Lead, ok = Duration(d), ok && err == nil
	}
	return b, ok && string(rest) == "}" // with a protoJson it is left to encoding/json
}

// kindName is string(name), without a copy for the usual ones.
func kindName(name []byte) string {
	switch string(name) {
	case "event":
		return "event"
	case "comment":
		return "comment"
	}
	return string(name)
}
