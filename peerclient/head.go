package peerclient

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"

	"a2ascope/session/a2a"
)

const (
	maxHead    = 1 << 20  // bytes of an answer's heads, interim ones included
	maxBadHead = 64 << 10 // bytes kept of a head that cannot be read
	maxInterim = 16       // 1xx answers to one request
)

// Errors of heads that are none.
var (
	errHeadTooLong = errors.New("the head is longer than 1 MiB")
	errNotHTTP     = errors.New("the answer is not HTTP/1.x")
)

// readHead reads the lines up to and including the first empty one, exactly
// as they come. What was read is returned with an error too.
func readHead(br *bufio.Reader, limit int) ([]byte, error) {
	var head []byte
	line := 0 // where the current line begins
	for {
		part, err := br.ReadSlice('\n')
		head = append(head, part...)
		if line == 0 && !couldBeHTTP(head) {
			return head, errNotHTTP
		}
		if len(head) > limit {
			return head, errHeadTooLong
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil {
			return head, err
		}
		if s := bytes.TrimSuffix(head[line:len(head)-1], []byte("\r")); len(s) == 0 && line > 0 {
			return head, nil
		}
		line = len(head)
	}
}

// couldBeHTTP reports whether a status line may begin so.
func couldBeHTTP(b []byte) bool {
	const proto = "HTTP/"
	n := min(len(b), len(proto))
	return string(b[:n]) == proto[:n]
}

// parseHead gives a head its meaning, and the body that follows it on br.
func parseHead(head []byte, br *bufio.Reader, method string) (*http.Response, *bufio.Reader, error) {
	both := bufio.NewReaderSize(io.MultiReader(bytes.NewReader(head), br), readBuffer)
	resp, err := http.ReadResponse(both, &http.Request{Method: method})
	if err != nil {
		return nil, nil, fmt.Errorf("the head cannot be read: %w", unwrapEOF(err))
	}
	return resp, both, nil
}

// unwrapEOF: inside a complete head an end of input only means that the head
// is malformed.
func unwrapEOF(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return errors.New("malformed head")
	}
	return err
}

// guessWhat names what was received instead of HTTP/1.x, from its first bytes.
func guessWhat(b []byte) string {
	switch {
	case len(b) > 3 && b[3] == 4 && b[0] == 0:
		return "; it looks like HTTP/2, as gRPC servers speak it"
	case len(b) > 1 && (b[0] == 0x15 || b[0] == 0x16) && b[1] == 3:
		return "; it looks like TLS: try https:// instead of http://"
	}
	return fmt.Sprintf("; it begins with %.40q", b)
}

// streams reports whether an answer is read as an event stream: when it says
// that it is one, whatever was asked, and when a stream was asked for and what
// comes has neither a length nor a type that means one document.
func streams(op a2a.Operation, resp *http.Response) bool {
	switch kind := mediaType(resp.Header.Get("Content-Type")); kind {
	case "text/event-stream":
		return true
	case "text/html", "application/xhtml+xml", "application/json":
		return false
	default:
		return op.Streams() && resp.StatusCode/100 == 2 && resp.ContentLength < 0 && !hasSuffixJSON(kind)
	}
}
