package replay

import (
	"fmt"
	"strings"
)

// fields is a recorded head that is to be sent again.
type fields struct {
	status  string
	lines   []string
	chunked bool
	length  string // Content-Length; empty when it had none
	old     bool   // HTTP/1.0: it knows no chunks
}

// fields reads a recorded head, without what only held on its connection.
func (t *teller) fields(head []byte) *fields {
	f := &fields{}
	for i, line := range strings.Split(strings.TrimRight(string(head), "\r\n"), "\n") {
		line = strings.TrimSuffix(line, "\r")
		if i == 0 {
			f.status, f.old = line, strings.HasPrefix(line, "HTTP/1.0")
			continue
		}
		name, value, _ := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		switch strings.ToLower(strings.TrimSpace(name)) {
		case "content-length":
			f.length = value
		case "transfer-encoding":
			f.chunked = true
		case "connection", "keep-alive", "upgrade", "trailer", strings.ToLower(HeaderName):
		case "location":
			if now, ok := addressed(value, func(origin string) string { return t.s.own[origin] }); ok {
				line = name + ": " + now
			}
			f.lines = append(f.lines, line)
		default:
			f.lines = append(f.lines, line)
		}
	}
	return f
}

func (f *fields) add(line string) { f.lines = append(f.lines, line) }

// head writes the head. plain says that the body's coding was undone.
func (f *fields) head(t *teller, coding string, plain bool, note string) []byte {
	var b strings.Builder
	b.WriteString(f.status + "\r\n")
	for _, line := range f.lines {
		if name, _, _ := strings.Cut(line, ":"); plain && coding != "" && strings.EqualFold(strings.TrimSpace(name), "content-encoding") {
			continue
		}
		b.WriteString(line + "\r\n")
	}
	fmt.Fprintf(&b, "Connection: close\r\n%s: exchange %d of session %s%s\r\n\r\n", HeaderName, t.n, header(t.s.rec.session), note)
	return []byte(b.String())
}

// header makes a text fit for a header's value.
func header(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return -1
		}
		return r
	}, s)
}
