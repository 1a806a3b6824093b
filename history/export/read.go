package export

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"a2ascope/session"
)

// MaxLine is the longest line that ReadJSONL takes, in bytes.
const MaxLine = 256 << 20

// Contents is what a file says of itself, and what it turned out to hold.
type Contents struct {
	Session  string // as the header has it; may be empty
	Version  int
	Records  uint64 // read and verified
	Head     session.Digest
	Redacted uint64 // records whose body or wire bytes were withheld
	Ended    bool   // the last record is an ended record
	Whole    bool   // the trailer is there and fits
	// Cut says where the file breaks off in the middle of a line; empty when
	// it does not.
	Cut string
}

// ReadJSONL reads a file as JSONL or a run wrote it and gives each record, in
// order and verified, to each. A chain that does not hold is
// session.ErrBroken; an error names the line. A file that breaks off is no
// error: Contents says so.
func ReadJSONL(r io.Reader, each func(session.Record) error) (Contents, error) {
	return readJSONL(r, MaxLine, each)
}

func readJSONL(r io.Reader, maxLine int, each func(session.Record) error) (Contents, error) {
	var (
		c  Contents
		in = bufio.NewReaderSize(r, 1<<16)
	)
	for n := 1; ; n++ {
		text, whole, err := readLine(in, maxLine)
		if errors.Is(err, io.EOF) {
			if n == 1 {
				return c, fmt.Errorf("reading jsonl: the file is empty")
			}
			return c, nil
		}
		if err != nil {
			return c, fmt.Errorf("reading jsonl, line %d: %w", n, err)
		}
		if n == 1 {
			err = c.header(text)
		} else {
			err = c.line(text, each)
		}
		if err != nil && !whole && !json.Valid(text) && n > 1 {
			c.Cut = fmt.Sprintf("the file breaks off in line %d, after record %d", n, c.Records)
			return c, nil
		}
		if err != nil {
			return c, fmt.Errorf("reading jsonl, line %d: %w", n, err)
		}
	}
}

// readLine returns the next line without its newline, and whether it had one.
func readLine(in *bufio.Reader, maxLine int) (text []byte, whole bool, err error) {
	for {
		part, err := in.ReadSlice('\n')
		if len(text)+len(part) > maxLine {
			return nil, false, fmt.Errorf("it is longer than %d bytes, the most that is read", maxLine)
		}
		text = append(text, part...)
		switch {
		case err == nil:
			return bytes.TrimSuffix(text, []byte("\n")), true, nil
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF) && len(text) > 0:
			return text, false, nil
		default:
			return nil, false, err
		}
	}
}

func (c *Contents) header(text []byte) error {
	var h header
	if err := json.Unmarshal(text, &h); err != nil || h.Mark != "log" {
		return fmt.Errorf("this is no a2ascope log: it begins with {\"a2ascope\":\"log\",…}")
	}
	if h.Version < 1 || h.Version > Version {
		return fmt.Errorf("the format is version %d, and this a2ascope reads up to %d: update it", h.Version, Version)
	}
	c.Session, c.Version = h.Session, h.Version
	return nil
}

// line takes any line but the first.
func (c *Contents) line(text []byte, each func(session.Record) error) error {
	if len(bytes.TrimSpace(text)) == 0 {
		return nil
	}
	if c.Whole {
		return errors.New("more follows after the trailer: two files in one?")
	}
	var l struct {
		line
		Mark    string `json:"a2ascope"`
		Records uint64 `json:"records"`
		Head    string `json:"head"`
	}
	if err := json.Unmarshal(text, &l); err != nil {
		return fmt.Errorf("it is not the JSON of a record: %w", err)
	}
	if l.Mark != "" {
		return c.trailer(trailer{l.Mark, l.Records, l.Head})
	}
	r, err := l.record()
	if err != nil {
		return fmt.Errorf("record %d: %w", l.Seq, err)
	}
	if err := r.Verify(c.Records, c.Head); err != nil {
		return fmt.Errorf("%w: %w", session.ErrBroken, err)
	}
	c.Records, c.Head, c.Ended = r.Seq, r.Hash, r.Kind == session.KindEnded
	if r.Redacted {
		c.Redacted++
	}
	return each(r)
}

func (c *Contents) trailer(t trailer) error {
	if t.Mark != "end" {
		return fmt.Errorf("there is no line of kind %q in version %d", t.Mark, c.Version)
	}
	if t.Records != c.Records || t.Head != c.Head.String() {
		return fmt.Errorf("%w: the trailer speaks of %d records up to %s, and the file holds %d up to %s", session.ErrBroken, t.Records, t.Head, c.Records, c.Head)
	}
	c.Whole = true
	return nil
}
