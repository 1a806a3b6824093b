package sse

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"

	r3 "github.com/r3labs/sse/v2"
)

// bareLimit is the event size at which r3labs/sse gives up unless told otherwise.
const bareLimit = 1 << 16

// Disagrees reads a recorded body once more with the bare r3labs/sse reader and
// its own limit. If the data of the events differ from ours, common clients
// misread this stream, and the sentence says how.
func Disagrees(body []byte) (string, bool) {
	var ours [][]byte
	tail := false
	end, _ := Read(bytes.NewReader(body), Options{}, func(f Frame) error {
		switch f.Kind {
		case Event:
			ours = append(ours, f.Data)
		case Tail:
			tail = f.Data != nil
		}
		return nil
	})
	if end.Documents {
		return "common clients read no events here: the body is JSON, not an event stream", true
	}
	theirs, err := bare(body)
	n := 0
	for n < len(ours) && n < len(theirs) && bytes.Equal(ours[n], theirs[n]) {
		n++
	}
	switch {
	case errors.Is(err, bufio.ErrTooLong):
		return fmt.Sprintf("common clients lose the stream after event %d of %d: the next one is longer than 64 KiB", len(theirs), len(ours)), true
	case n == len(ours) && n == len(theirs):
		return "", false
	case n == len(ours) && tail && len(theirs) == n+1:
		return fmt.Sprintf("common clients take the unterminated end of the stream for event %d: %s", n+1, preview(theirs[n])), true
	case n == len(ours):
		return fmt.Sprintf("common clients read %d events instead of %d; the first too many is %s", len(theirs), n, preview(theirs[n])), true
	case n == len(theirs):
		return fmt.Sprintf("common clients read %d events instead of %d; the first missing is %s", n, len(ours), preview(ours[n])), true
	}
	return fmt.Sprintf("common clients misread event %d: %s instead of %s", n+1, preview(theirs[n]), preview(ours[n])), true
}

// bare lists the data of the events as the reader splits them by itself.
func bare(body []byte) ([][]byte, error) {
	var list [][]byte
	var fs fields
	r := r3.NewEventStreamReader(&packets{body}, bareLimit)
	for {
		block, err := r.ReadEvent()
		if errors.Is(err, io.EOF) {
			return list, nil
		}
		if err != nil {
			return list, err
		}
		var f Frame
		if fs.parse(&f, fold(nil, block), nil); f.Kind == Event {
			list = append(list, f.Data)
		}
	}
}

// packets is a reader that gives little at a time, as a network does: the bare
// reader looks through all it has for each event.
type packets struct{ rest []byte }

func (p *packets) Read(b []byte) (int, error) {
	if len(p.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(b, p.rest[:min(len(p.rest), minRoom)])
	p.rest = p.rest[n:]
	return n, nil
}

func preview(data []byte) string {
	const limit = 60
	if len(data) > limit {
		return strconv.QuoteToASCII(string(data[:limit])) + "…"
	}
	return strconv.QuoteToASCII(string(data))
}
