package webhook

import (
	"bufio"
	"bytes"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/textproto"
	"strings"
	"time"

	"a2ascope/session"
)

const (
	maxHead     = 64 << 10
	maxBody     = 8 << 20
	maxTrailer  = 16 << 10
	headTimeout = 30 * time.Second // from the first byte, and between requests
	bodyTimeout = 60 * time.Second
	sayTimeout  = 10 * time.Second // for our answer to be written
)

// delivery is one request, as it came.
type delivery struct {
	head      []byte
	body      []byte // after transfer coding, before content coding
	req       *http.Request
	at        time.Time // when its last byte was read
	truncated bool
	cut       error // the body broke off
}

// serve answers the requests of one connection, one after another.
func (r *Receiver) serve(c net.Conn) {
	br := bufio.NewReaderSize(c, 4<<10)
	for {
		d, err := r.read(c, br)
		if d == nil {
			if errors.Is(err, errBadHead) {
				_ = say(c, http.StatusBadRequest, "", true)
			}
			return
		}
		if !r.take(c, d) {
			return
		}
	}
}

var errBadHead = errors.New("the head of a request cannot be read")

// read takes one request from the connection. A delivery whose body broke off
// is returned too.
func (r *Receiver) read(c net.Conn, br *bufio.Reader) (*delivery, error) {
	if err := c.SetReadDeadline(time.Now().Add(headTimeout)); err != nil {
		return nil, err
	}
	head, err := readHead(br)
	if err != nil {
		return nil, err
	}
	req, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(head)))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errBadHead, err)
	}
	d := &delivery{head: head, req: req}
	if err := c.SetReadDeadline(time.Now().Add(bodyTimeout)); err != nil {
		return nil, err
	}
	if textproto.TrimString(req.Header.Get("Expect")) != "" && req.ContentLength != 0 {
		if _, err := io.WriteString(c, "HTTP/1.1 100 Continue\r\n\r\n"); err != nil {
			return nil, err
		}
	}
	d.readBody(br)
	d.at = r.o.Now()
	return d, nil
}

// readHead reads the lines up to and including the first empty one, exactly as
// they come. Empty lines before a request are passed over.
func readHead(br *bufio.Reader) ([]byte, error) {
	var head []byte
	line := 0 // where the current line begins
	for {
		part, err := br.ReadSlice('\n')
		head = append(head, part...)
		if len(head) > maxHead {
			return nil, errBadHead
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if empty := len(bytes.TrimRight(head[line:], "\r\n")) == 0; empty && line > 0 {
			return head, nil
		} else if empty {
			head = head[:0]
			continue
		}
		line = len(head)
	}
}

// readBody reads the body up to the cap.
func (d *delivery) readBody(br *bufio.Reader) {
	chunked := len(d.req.TransferEncoding) > 0
	var src io.Reader
	switch {
	case chunked:
		src = httputil.NewChunkedReader(br)
	case d.req.ContentLength > 0:
		src = io.LimitReader(br, d.req.ContentLength)
	default:
		return
	}
	d.body, d.cut = io.ReadAll(io.LimitReader(src, maxBody+1))
	switch {
	case len(d.body) > maxBody:
		d.body, d.truncated = d.body[:maxBody], true
	case d.cut != nil:
	case chunked:
		d.cut = skipTrailer(br)
	case int64(len(d.body)) < d.req.ContentLength:
		d.cut = io.ErrUnexpectedEOF
	}
}

func skipTrailer(br *bufio.Reader) error {
	for n := 0; n < maxTrailer; {
		line, err := br.ReadSlice('\n')
		if err != nil {
			return err
		}
		if len(bytes.TrimRight(line, "\r\n")) == 0 {
			return nil
		}
		n += len(line)
	}
	return errBadHead
}

// take answers a delivery, hands it on, and says whether the connection goes
// on.
func (r *Receiver) take(c net.Conn, d *delivery) bool {
	skipped, ok := r.limit.take(d.at)
	if !ok {
		_ = say(c, http.StatusTooManyRequests, "", true)
		return false
	}
	body := session.Pushed{
		Path: d.req.URL.Path, ContentType: d.req.Header.Get("Content-Type"), Encoding: d.req.Header.Get("Content-Encoding"),
		Head: len(d.head), Remote: c.RemoteAddr().String(), Truncated: d.truncated || d.cut != nil, Skipped: skipped,
	}
	echo := r.judge(d, &body)
	over := d.req.Close || body.Truncated
	if err := say(c, body.Answered, echo, over); err != nil {
		over = true
	}
	r.emit(session.Arrival{Push: &body, Raw: append(d.head[:len(d.head):len(d.head)], d.body...), At: d.at})
	return !over
}

// judge settles what a request is answered with, and whether it carries our
// token. Echo is the text of the answer: some peers prove an address by a GET
// that wants a word back.
func (r *Receiver) judge(d *delivery, b *session.Pushed) (echo string) {
	word := d.req.URL.Query().Get("validationToken")
	switch {
	case !r.ours(d.req.URL.Path):
		b.Answered = http.StatusNotFound
	case d.req.Method == http.MethodGet && plainWord(word):
		b.Answered, b.Validation = http.StatusOK, true
		return word
	case d.req.Method != http.MethodPost:
		b.Answered = http.StatusMethodNotAllowed
	case !r.carriesToken(d.req.Header):
		b.Answered, b.Untokened = http.StatusUnauthorized, true
	case d.truncated:
		b.Answered, b.TokenOK = http.StatusRequestEntityTooLarge, true
	case d.cut != nil:
		b.Answered, b.TokenOK = http.StatusBadRequest, true
	default:
		b.Answered, b.TokenOK = http.StatusOK, true
	}
	return ""
}

// tokenHeaders are the places where the token may stand, by SDK. We give it
// both as the token and as credentials, and peers send one or both.
var tokenHeaders = []string{"A2A-Notification-Token", "X-A2A-Notification-Token", "Authorization"}

func (r *Receiver) carriesToken(h http.Header) bool {
	for _, name := range tokenHeaders {
		for _, v := range h.Values(name) {
			v = textproto.TrimString(v)
			if name == "Authorization" {
				v = credentials(v)
			}
			if subtle.ConstantTimeCompare([]byte(v), []byte(r.token)) == 1 {
				return true
			}
		}
	}
	return false
}

// credentials is what an Authorization header holds: what follows the scheme,
// and of a basic one the password or the whole.
func credentials(v string) string {
	scheme, rest, ok := strings.Cut(v, " ")
	if !ok {
		return v
	}
	rest = textproto.TrimString(rest)
	if strings.EqualFold(scheme, "basic") {
		if b, err := base64.StdEncoding.DecodeString(rest); err == nil {
			_, password, _ := strings.Cut(string(b), ":")
			return password
		}
	}
	return rest
}

// plainWord reports whether a word may be echoed.
func plainWord(w string) bool {
	if w == "" || len(w) > 1<<10 {
		return false
	}
	for _, c := range w {
		if c <= ' ' || c > '~' || strings.ContainsRune("<>&\"'", c) {
			return false
		}
	}
	return true
}

// say writes an answer.
func say(c net.Conn, status int, text string, last bool) error {
	if err := c.SetWriteDeadline(time.Now().Add(sayTimeout)); err != nil {
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "HTTP/1.1 %d %s\r\nContent-Length: %d\r\n", status, http.StatusText(status), len(text))
	if text != "" {
		b.WriteString("Content-Type: text/plain; charset=utf-8\r\nX-Content-Type-Options: nosniff\r\n")
	}
	if status == http.StatusMethodNotAllowed {
		b.WriteString("Allow: POST\r\n")
	}
	if last {
		b.WriteString("Connection: close\r\n")
	}
	b.WriteString("\r\n" + text)
	_, err := io.WriteString(c, b.String())
	return err
}
