// Package export writes sessions for others to read. It reads records and
// knows nothing of where they are kept.
package export

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"time"
	"unicode/utf8"

	"a2ascope/session"
)

// Version is the version of the JSONL format, described in docs/jsonl.md.
const Version = 1

// Pages gives records by their numbers, as session.Log's Page does. An empty
// page is the end.
type Pages = func(from uint64, n int) ([]session.Record, error)

// pageSize is how many records are held at a time.
const pageSize = 256

// header is the first line of a file.
type header struct {
	Mark    string `json:"a2ascope"` // "log"
	Version int    `json:"version"`
	Session string `json:"session"`
}

// trailer is the last line of a whole export.
type trailer struct {
	Mark    string `json:"a2ascope"` // "end"
	Records uint64 `json:"records"`
	Head    string `json:"head"`
}

// line is a record. Body and raw are strings, not JSON values: they must come
// back byte for byte.
type line struct {
	Seq        uint64  `json:"seq"`
	Wall       string  `json:"wall"`
	Elapsed    int64   `json:"elapsed"`
	Kind       string  `json:"kind"`
	Task       int     `json:"task"`
	Exchange   int     `json:"exchange"`
	Body       *string `json:"body,omitempty"`
	BodyBase64 *string `json:"bodyBase64,omitempty"`
	Raw        *string `json:"raw,omitempty"`
	RawBase64  *string `json:"rawBase64,omitempty"`
	BodySHA    string  `json:"bodySha"`
	RawSHA     string  `json:"rawSha"`
	Hash       string  `json:"hash"`
	Redacted   bool    `json:"redacted,omitempty"`
}

// JSONL writes a whole session: a header, a line a record, and a trailer by
// which a reader sees that nothing was cut off.
func JSONL(w io.Writer, pages Pages) error {
	var (
		n    uint64
		head session.Digest
	)
	for {
		records, err := pages(n+1, pageSize)
		if err != nil {
			return fmt.Errorf("exporting as jsonl: reading record %d: %w", n+1, err)
		}
		if n == 0 {
			if len(records) == 0 {
				return fmt.Errorf("exporting as jsonl: the session has no records: %w", session.ErrNotFound)
			}
			if err := write(w, Header(sessionOf(&records[0]))); err != nil {
				return err
			}
		}
		for i := range records {
			n, head = records[i].Seq, records[i].Hash
			if err := write(w, Line(records[i])); err != nil {
				return err
			}
		}
		if len(records) == 0 {
			return write(w, Trailer(n, head))
		}
	}
}

func write(w io.Writer, b []byte) error {
	if _, err := w.Write(b); err != nil {
		return fmt.Errorf("exporting as jsonl: %w", err)
	}
	return nil
}

// sessionOf returns the id that the first record of a session gives, and
// nothing when it gives none.
func sessionOf(r *session.Record) string {
	var o session.Opened
	if r.Kind != session.KindOpened || r.Decode(&o) != nil {
		return ""
	}
	return o.Session
}

// Header returns the first line of a file, with its newline.
func Header(id string) []byte {
	return encode(header{"log", Version, id})
}

// Line returns the line of a record, with its newline.
func Line(r session.Record) []byte {
	l := line{
		Seq: r.Seq, Wall: r.Wall.UTC().Format(time.RFC3339Nano), Elapsed: int64(r.Elapsed), Kind: string(r.Kind),
		Task: r.Task, Exchange: r.Exchange, BodySHA: r.BodySHA.String(), RawSHA: r.RawSHA.String(), Hash: r.Hash.String(), Redacted: r.Redacted,
	}
	if len(r.Body) > 0 {
		l.Body, l.BodyBase64 = text(r.Body)
	}
	if r.Raw != nil {
		l.Raw, l.RawBase64 = text(r.Raw)
	}
	return encode(l)
}

// Trailer returns the last line of a file, with its newline: how many records
// it has, and the last one's hash.
func Trailer(records uint64, head session.Digest) []byte {
	return encode(trailer{"end", records, head.String()})
}

// text gives bytes as a string where that loses nothing, else in base64.
func text(b []byte) (plain, base *string) {
	if utf8.Valid(b) {
		s := string(b)
		return &s, nil
	}
	s := base64.StdEncoding.EncodeToString(b)
	return nil, &s
}

func encode(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil { // strings and numbers alone
		panic(fmt.Sprintf("export: encoding %T: %v", v, err))
	}
	return escaped(b.Bytes())
}

// escaped writes the hidden characters of JSON as escapes, which read as the same
// text: a file may end up on a terminal. They stand in strings alone.
func escaped(b []byte) []byte {
	end := len(b) - 1 // the newline that ends it is none of them
	plain := 0
	for plain < end && b[plain] < 0x7f {
		plain++
	}
	if plain == end {
		return b
	}
	out := append(make([]byte, 0, len(b)+len(b)/8), b[:plain]...)
	for i := plain; i < end; {
		r, n := utf8.DecodeRune(b[i:])
		if session.Hidden(r) {
			out = session.AppendEscaped(out, r)
		} else {
			out = append(out, b[i:i+n]...)
		}
		i += n
	}
	return append(out, '\n')
}

// record makes a line's record.
func (l *line) record() (session.Record, error) {
	r := session.Record{Seq: l.Seq, Elapsed: time.Duration(l.Elapsed), Kind: session.Kind(l.Kind), Task: l.Task, Exchange: l.Exchange, Redacted: l.Redacted}
	var err error
	if r.Wall, err = time.Parse(time.RFC3339Nano, l.Wall); err != nil {
		return r, fmt.Errorf("its wall time cannot be read: %w", err)
	}
	r.Wall = r.Wall.UTC()
	if r.Body, err = fromText("body", l.Body, l.BodyBase64); err != nil {
		return r, err
	}
	if r.Raw, err = fromText("raw", l.Raw, l.RawBase64); err != nil {
		return r, err
	}
	for _, d := range []struct {
		name string
		from string
		to   *session.Digest
	}{{"bodySha", l.BodySHA, &r.BodySHA}, {"rawSha", l.RawSHA, &r.RawSHA}, {"hash", l.Hash, &r.Hash}} {
		b, err := hex.DecodeString(d.from)
		if err != nil || len(b) != len(d.to) {
			return r, fmt.Errorf("its %s is not a SHA-256 in hex", d.name)
		}
		copy(d.to[:], b)
	}
	return r, nil
}

func fromText(name string, plain, base *string) ([]byte, error) {
	switch {
	case plain != nil && base != nil:
		return nil, fmt.Errorf("it has both %s and %sBase64", name, name)
	case plain != nil:
		return append([]byte{}, *plain...), nil
	case base != nil:
		b, err := base64.StdEncoding.DecodeString(*base)
		if err != nil {
			return nil, fmt.Errorf("its %sBase64 cannot be read: %w", name, err)
		}
		return b, nil
	}
	return nil, nil
}
