package sse

import (
	"bytes"
	"io"
	"mime"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

type guess uint8

const (
	undecided guess = iota
	events
	documents
)

// separators may stand between documents: blanks, line ends, commas, and the
// record separator of RFC 7464.
const separators = " \t\r\n,\x1e"

// sniff looks at the first bytes that are no separators. No event stream that
// says anything begins with a bracket, whatever its content type; the other
// JSON values need a content type to be believed.
func (s *stream) sniff(b []byte) guess {
	b = bytes.TrimLeft(b, " \t\r\n\x1e")
	switch {
	case len(b) == 0:
		return undecided
	case b[0] == '{', b[0] == '[':
		return documents
	case isJSON(s.opt.ContentType) && strings.IndexByte(`"-0123456789tfn`, b[0]) >= 0:
		return documents
	}
	return events
}

func isJSON(contentType string) bool {
	media, _, _ := mime.ParseMediaType(contentType)
	_, sub, _ := strings.Cut(media, "/")
	switch sub {
	case "json", "json-seq", "jsonl", "ndjson", "x-ndjson", "x-jsonlines", "jsonlines":
		return true
	}
	return strings.HasSuffix(sub, "+json")
}

// documents reads JSON values until the body ends, or until it turns out not to
// be JSON: then the rest is read as an event stream.
func (s *stream) documents() (bool, error) {
	s.sniffed, s.end.Documents = true, true
	dec := jsontext.NewDecoder(&tape{}, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	for {
		b := s.src.window(s.opt.MaxEvent)
		lead := s.head + countSeparators(b[s.head:])
		if lead == len(b) {
			if lead > 0 {
				if err := s.deliver(lead, Frame{Kind: Blank}, nil); err != nil {
					return false, err
				}
				continue
			}
			if err := s.src.fill(true); err != nil {
				return false, err
			}
			continue
		}
		over, err := s.document(dec, lead)
		if err != nil {
			return false, err
		}
		if over {
			s.next |= BadJSON
			s.scanned = s.head
			return true, nil
		}
	}
}

// document reads one value that begins lead bytes into the pending ones. over:
// there is none.
func (s *stream) document(dec *jsontext.Decoder, lead int) (over bool, err error) {
	t := &tape{s: s, at: lead, chunk: 512}
	dec.Reset(t, dec.Options())
	value, err := dec.ReadValue()
	switch {
	case err == nil:
		n := lead + int(dec.InputOffset())
		n += countSeparators(s.src.window(s.opt.MaxEvent)[n:])
		mem := append(make([]byte, n, n+len(value)), value...)
		return false, s.deliver(n, Frame{Kind: Document, Data: mem[n:]}, mem)
	case t.full:
		return false, s.oversize()
	case t.err != nil:
		raw := s.src.pending()
		rest := bytes.Clone(raw[lead:])
		if err := s.deliver(len(raw), Frame{Kind: Tail, Data: rest}, nil); err != nil {
			return false, err
		}
		return false, t.err
	}
	return true, nil
}

// tape plays the pending bytes to the decoder and reads more of them when they
// run out. They stay pending, so that what the decoder reads ahead is not lost;
// small chunks keep it from reading far ahead of a small value.
type tape struct {
	s     *stream
	at    int // of the next byte, in the pending ones
	chunk int
	full  bool  // MaxEvent bytes did not hold the value
	err   error // the body ended
}

func (t *tape) Read(p []byte) (int, error) {
	if t.at >= t.s.opt.MaxEvent {
		t.full = true
		return 0, io.EOF
	}
	if t.at == len(t.s.src.pending()) {
		if err := t.s.src.fill(false); err != nil {
			t.err = err
			return 0, io.EOF
		}
	}
	b := t.s.src.window(t.s.opt.MaxEvent)[t.at:]
	n := copy(p, b[:min(len(b), t.chunk)])
	t.at += n
	t.chunk = min(2*t.chunk, readSize)
	return n, nil
}

func countSeparators(b []byte) int {
	return len(b) - len(bytes.TrimLeft(b, separators))
}
