package console

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"

	"a2ascope/session"
	"a2ascope/session/a2a"
	"a2ascope/ui/clean"
)

// maxShown bounds what is shown of one record's bytes; Y copies more, and an
// export holds all.
const maxShown = 256 << 10

// pretty writes the JSON that a record carries, indented.
func (t *prose) pretty(r *session.Record) {
	data, note := content(r)
	if note != "" {
		t.add(t.st.Muted, note)
	}
	if len(data) == 0 {
		if note == "" {
			t.add(t.st.Faint, "no content")
		}
		return
	}
	cut := len(data) > maxShown
	var out bytes.Buffer
	if cut || json.Indent(&out, data, "", "  ") != nil {
		out.Reset()
		out.Write(data[:min(len(data), maxShown)])
	}
	t.json(unescaped(out.String()))
	if cut {
		t.add(t.st.Muted, fmt.Sprintf("… %d bytes more", len(data)-maxShown))
	}
}

// unescaped writes the characters that JSON holds as \uXXXX as themselves
// where they can be seen: many servers write no others. Raw shows the bytes.
func unescaped(s string) string {
	if !strings.Contains(s, `\u`) {
		return s
	}
	var b strings.Builder
	for s != "" {
		i := strings.IndexByte(s, '\\')
		if i < 0 || i+2 > len(s) {
			break
		}
		b.WriteString(s[:i])
		s = s[i:]
		r, n := escape(s)
		if r > unicode.MaxASCII && unicode.IsPrint(r) && !session.Hidden(r) {
			b.WriteRune(r)
		} else {
			b.WriteString(s[:n])
		}
		s = s[n:]
	}
	return b.String() + s
}

// escape reads the escape that s begins with: its character, where it is given
// by number, and how many bytes it takes.
func escape(s string) (r rune, n int) {
	if r, n = unit(s), 6; r < 0 {
		return -1, min(2, len(s))
	}
	if utf16.IsSurrogate(r) {
		if pair := utf16.DecodeRune(r, unit(s[6:])); pair != unicode.ReplacementChar {
			return pair, 12
		}
		return -1, n
	}
	return r, n
}

// unit is the number in \uXXXX at the beginning of s; -1 where there is none.
func unit(s string) rune {
	if len(s) < 6 || s[:2] != `\u` {
		return -1
	}
	n, err := strconv.ParseUint(s[2:6], 16, 16)
	if err != nil {
		return -1
	}
	return rune(n)
}

// json writes JSON line by line; lines that are too long go on below.
func (t *prose) json(s string) {
	for _, l := range strings.Split(clean.Block(s), "\n") {
		if len(t.lines) >= maxProse {
			return
		}
		if width(l) <= t.w {
			t.lines = append(t.lines, jsonLine(t.st, l))
			continue
		}
		for i, part := range wrap(l, t.w, 400) {
			if i == 0 {
				part = jsonLine(t.st, part)
			} else {
				part = t.st.Text.Render(part)
			}
			t.lines = append(t.lines, part)
		}
	}
}

// content is what a record says: the body of a message, the data of an event,
// or the record's own body. The note says what was done to get at it.
func content(r *session.Record) (data []byte, note string) {
	if r.Redacted && len(r.Raw) == 0 && len(r.Body) == 0 {
		return nil, "This record was redacted; its digests still stand for it."
	}
	switch r.Kind {
	case session.KindCard:
		return r.Raw, ""
	case session.KindFrame:
		var b session.Framed
		if r.Decode(&b) != nil {
			return r.Raw, ""
		}
		if len(b.ProtoJSON) > 0 {
			return b.ProtoJSON, "gRPC message, as JSON"
		}
		if data := a2a.EventData(r.Raw); b.Kind != "document" && len(data) > 0 {
			return data, ""
		}
		return r.Raw, ""
	case session.KindRequest, session.KindResponse, session.KindPush:
		return messageBody(r)
	}
	return r.Body, ""
}

// messageBody is the body of a request, response or delivery.
func messageBody(r *session.Record) ([]byte, string) {
	var b struct {
		Head      int    `json:"head"`
		Encoding  string `json:"encoding"`
		ProtoJSON []byte `json:"protoJson"`
	}
	if r.Decode(&b) != nil {
		return r.Raw, ""
	}
	if len(b.ProtoJSON) > 0 {
		return b.ProtoJSON, "gRPC message, as JSON"
	}
	body := r.Raw[clamp(b.Head, 0, len(r.Raw)):]
	if strings.EqualFold(b.Encoding, "gzip") {
		z, err := gzip.NewReader(bytes.NewReader(body))
		if err != nil {
			return nil, "The body says that it is gzip and is not: see raw."
		}
		plain, err := io.ReadAll(io.LimitReader(z, 4*maxShown))
		if err != nil {
			return plain, "The body's gzip coding breaks off."
		}
		return plain, "decoded from gzip"
	}
	return body, ""
}

// headOf is the head of a record's bytes.
func headOf(r *session.Record) []byte {
	var b struct {
		Head int `json:"head"`
	}
	if r.Decode(&b) != nil {
		return nil
	}
	return r.Raw[:clamp(b.Head, 0, len(r.Raw))]
}

// raw writes the bytes as they were on the wire.
func (t *prose) raw(r *session.Record) {
	t.add(t.st.Muted, fmt.Sprintf("%d bytes, sha256 %s", len(r.Raw), r.RawSHA))
	t.gap()
	if len(r.Raw) == 0 {
		t.add(t.st.Faint, "no wire bytes")
		return
	}
	t.add(t.st.Text, strings.TrimRight(clean.Block(strings.ReplaceAll(string(r.Raw[:min(len(r.Raw), maxShown)]), "\r\n", "\n")), "\n"))
	if len(r.Raw) > maxShown {
		t.add(t.st.Muted, fmt.Sprintf("… %d bytes more", len(r.Raw)-maxShown))
	}
}

// headers writes the head, name and value apart.
func (t *prose) headers(r *session.Record) {
	head := strings.TrimRight(string(headOf(r)), "\r\n")
	if head == "" {
		t.add(t.st.Faint, "no head")
		return
	}
	for i, l := range strings.Split(strings.ReplaceAll(head, "\r\n", "\n"), "\n") {
		name, value, ok := strings.Cut(l, ":")
		if i == 0 || !ok {
			t.add(t.st.Strong, clean.Line(l, 0))
			continue
		}
		name = clean.Line(name, 0)
		for j, part := range wrap(name+":"+clean.Line(value, 0), t.w, 50) {
			if j == 0 && strings.HasPrefix(part, name) {
				part = t.st.Accent.Render(name) + t.st.Text.Render(part[len(name):])
			} else {
				part = t.st.Text.Render(part)
			}
			t.lines = append(t.lines, part)
		}
	}
}
