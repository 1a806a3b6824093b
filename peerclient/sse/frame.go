// Package sse splits the body of an open channel into frames and keeps every
// byte of it: events of an event stream, and JSON documents of a body that was
// meant to be one. It judges nothing and reconnects never.
//
// The events are split by github.com/r3labs/sse/v2's reader. In front of it
// stands a fix-up, which takes the byte order mark off, folds CR and CRLF to
// LF and hands over whole blocks only; bare, that reader merges events, loses
// the first one or invents a last one on streams that the standard
// (https://html.spec.whatwg.org/multipage/server-sent-events.html) allows.
package sse

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// Kind says what a frame is.
type Kind uint8

const (
	// Event is a block with at least one data line; Data can be empty.
	Event Kind = iota + 1
	// Comment is a block of comment lines only: a keep-alive.
	Comment
	// NoData is a block with fields but without data: never dispatched.
	NoData
	// Blank is a run of blank lines (or of separators between documents).
	Blank
	// Tail is what stood behind the last blank line when the body ended. The
	// standard discards it; Data is parsed all the same, so that a complete
	// document in it can be used.
	Tail
	// Part is the kept beginning of an event beyond Options.MaxEvent, or, with
	// an empty Raw, the notice of how much of it was skipped.
	Part
	// Document is one JSON value of a body that is not an event stream.
	Document
)

var kindNames = [...]string{"unknown", "event", "comment", "no-data", "blank", "tail", "part", "document"}

func (k Kind) String() string {
	if int(k) >= len(kindNames) {
		k = 0
	}
	return kindNames[k]
}

// Flags are oddities of a frame's bytes, none of them an error.
type Flags uint16

const (
	// BOM: the body began with a byte order mark.
	BOM Flags = 1 << iota
	// CR: a line ended in CR alone.
	CR
	// CRLF: a line ended in CR LF.
	CRLF
	// NULID: an id with a NUL in it, which the standard ignores.
	NULID
	// BadRetry: a retry that is not a row of ASCII digits, ignored.
	BadRetry
	// UnknownField: a line whose field the standard does not know.
	UnknownField
	// MultiData: more than one data line.
	MultiData
	// BadJSON: the body began as JSON documents and stopped being that here;
	// from here on it was read as an event stream.
	BadJSON
)

var flagNames = [...]string{"bom", "cr", "crlf", "nul-id", "bad-retry", "unknown-field", "multi-data", "bad-json"}

// String lists the flags that are set, joined by commas.
func (f Flags) String() string {
	var set []string
	for i, name := range flagNames {
		if f&(1<<i) != 0 {
			set = append(set, name)
		}
	}
	return strings.Join(set, ",")
}

// Frame is one thing that arrived on an open channel, with its exact bytes.
// It owns its memory.
type Frame struct {
	// Raw is the frame as it was on the wire, terminator included. The Raw of
	// all frames in a row are the body, but for the bytes in Skipped. A CR that
	// ended a block ends its frame too; if its LF comes in a later read, it
	// stands in front of the next frame.
	Raw []byte
	// Off is where Raw begins in the body, in bytes.
	Off int64
	// Skipped counts the bytes of an oversize event at Off that were not kept.
	Skipped int64
	Kind    Kind
	// Data is the data lines joined by LF, or the JSON value of a Document; nil
	// when there is none, empty when the only data line is.
	Data []byte
	// Type is the block's own event name. ID is the last event id in force
	// after this frame: it outlives blocks that have none. Retry is the
	// block's own, digits only.
	Type, ID, Retry string
	// First and Last say when the first and the last byte were read (a line
	// feed left over from the frame before does not count as the first).
	First, Last time.Time
	// Held: the last byte was read while we were catching up after a time in
	// which we did not read, so it may have arrived earlier than Last says.
	Held  bool
	Flags Flags
}

// Options bound and clock a Read; zero values mean the defaults.
type Options struct {
	// Now is the clock, with a monotonic reading. Default: time.Now.
	Now func() time.Time
	// Since is when the caller last read from the connection, that is, the
	// response's head; zero if it does not matter. See Frame.Held.
	Since time.Time
	// MaxEvent is the longest event kept whole, in bytes, at least 64.
	// Default: 64 MiB. What a stream holds is a small multiple of the event
	// that it is reading.
	MaxEvent int
	// MaxOversize is how many events beyond MaxEvent end the stream; each
	// further MaxEvent bytes of one count as another. Default: 3.
	MaxOversize int
	// ContentType is the response's header, as it came. The first byte of the
	// body has the last word.
	ContentType string
}

// How says how a stream ended.
type How uint8

const (
	// EOF: the body ended as its framing says.
	EOF How = iota + 1
	// Cut: reading failed.
	Cut
	// Oversize: too many events beyond the limit.
	Oversize
	// Refused: emit returned an error.
	Refused
)

var howNames = [...]string{"unknown", "eof", "cut", "oversize", "refused"}

func (h How) String() string {
	if int(h) >= len(howNames) {
		h = 0
	}
	return howNames[h]
}

// End says how a stream ended and what it brought.
type End struct {
	How How
	// Bytes were read from the body, Kept of them are in frames.
	Bytes, Kept int64
	// Frames were emitted, Events of them Event or Document.
	Frames, Events int
	// Oversize counts as Options.MaxOversize does.
	Oversize int
	// Documents: the body was read as JSON documents, at least at its start.
	Documents bool
}

// ErrOversize is wrapped by Read's error when End.How is Oversize.
var ErrOversize = errors.New("too many oversize events")

const (
	defaultMaxEvent    = 64 << 20
	leastMaxEvent      = 64
	defaultMaxOversize = 3
)

// Read reads r to its end and hands each frame to emit as soon as its last
// byte is read. It reads nothing while emit runs: a slow emit slows the peer.
// The error is nil on a clean end of the body, else it wraps the reader's,
// emit's, or ErrOversize. End is filled in any case.
func Read(r io.Reader, o Options, emit func(Frame) error) (End, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.MaxEvent <= 0 {
		o.MaxEvent = defaultMaxEvent
	}
	o.MaxEvent = max(o.MaxEvent, leastMaxEvent)
	if o.MaxOversize <= 0 {
		o.MaxOversize = defaultMaxOversize
	}
	s := &stream{src: body{r: r, now: o.Now, left: o.Since}, opt: o, emit: emit}
	err := s.run()
	s.end.Bytes = s.src.total
	switch {
	case s.refused != nil:
		s.end.How = Refused
		return s.end, fmt.Errorf("handing on frame %d of the stream: %w", s.end.Frames+1, s.refused)
	case errors.Is(err, io.EOF):
		s.end.How = EOF
		return s.end, nil
	case errors.Is(err, ErrOversize):
		s.end.How = Oversize
		return s.end, fmt.Errorf("reading the stream, ended after %d bytes: %w (limit %d of %d bytes)",
			s.src.total, err, o.MaxOversize, o.MaxEvent)
	default:
		s.end.How = Cut
		return s.end, fmt.Errorf("reading the stream, cut after %d bytes: %w", s.src.total, err)
	}
}
