package peerclient

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"a2ascope/session"
)

const (
	// writeChunk is how many bytes of a request have one first-byte limit to
	// be taken by the peer.
	writeChunk = 64 << 10
	// headLimit is how long a head may take from its first byte when the call
	// has no first-byte limit; afterWrite is how long an early answer is
	// waited for when the peer stopped reading.
	headLimit  = 30 * time.Second
	afterWrite = time.Second
)

// exchange is one request and its whole response.
type exchange struct {
	c     *Client
	plan  *plan
	emit  func(session.Arrival)
	told  func(int) // how much of the request is written; nil for nobody
	start time.Time
	steps steps
	conn  *conn

	mu       sync.Mutex
	answered bool  // the first byte is there: the read deadline is the reader's
	written  bool  // all of the request is
	writeErr error // why not
	writer   chan struct{}
}

// run does the exchange from connecting to its end.
func (x *exchange) run(ctx context.Context) {
	x.steps.now, x.steps.start = x.c.o.Now, x.start
	if ctx.Err() != nil {
		x.fault(stopped(ctx, phaseConnect, "connect to "+x.plan.dial))
		return
	}
	f := x.over(ctx, !x.plan.fresh)
	if f != nil && x.conn != nil && x.conn.reused && ctx.Err() == nil && !x.sent() {
		// The idle connection was dead before a byte was written: the request
		// has yet to be sent for the first time.
		x.reset()
		f = x.over(ctx, false)
	}
	if f == nil {
		return
	}
	if c := f.left(ctx, x.plan.op); c != nil {
		x.emit(session.Arrival{Closed: c, At: x.c.o.Now()})
		return
	}
	x.fault(f)
}

// over does the exchange over one connection, an idle one if it may.
func (x *exchange) over(ctx context.Context, idle bool) *failure {
	c, f := x.connection(ctx, idle)
	if f != nil {
		return f
	}
	return x.on(ctx, c)
}

// on does the exchange on a connection.
func (x *exchange) on(ctx context.Context, c *conn) *failure {
	x.conn = c
	release := context.AfterFunc(ctx, c.abort)
	x.writer = make(chan struct{})
	go x.write()
	keep, f := x.answer(ctx)
	if keep {
		x.awaitWriter()
	}
	// A context that ends from here on must not close a parked connection.
	if keep = release() && keep && x.wrote(); !keep {
		c.abort()
	}
	<-x.writer // only a writer that is done has counted all its bytes
	if keep {
		x.c.pool.put(c)
	}
	return f
}

// writerTime is how long the end of a request may lag behind its answer for the
// connection to be kept: a peer that answers early may never read the rest.
const writerTime = 50 * time.Millisecond

// awaitWriter gives the writer the time to note its end: on a busy machine the
// answer can be read before it comes to that.
func (x *exchange) awaitWriter() {
	select {
	case <-x.writer:
	case <-time.After(writerTime):
	}
}

// sent reports whether any byte of the request may have left.
func (x *exchange) sent() bool { return x.conn != nil && x.conn.sent() }

// reset forgets a connection over which nothing was sent.
func (x *exchange) reset() {
	x.conn, x.answered, x.written, x.writeErr = nil, false, false, nil
}

// write writes the request beside the reading of the answer: a peer may
// answer, and close, without having read all of it.
func (x *exchange) write() {
	defer close(x.writer)
	raw := x.plan.raw
	var err error
	for len(raw) > 0 && err == nil {
		n := min(len(raw), writeChunk)
		if x.plan.firstByte > 0 {
			_ = x.conn.SetWriteDeadline(time.Now().Add(x.plan.firstByte))
		}
		_, err = x.conn.Write(raw[:n])
		if raw = raw[n:]; x.told != nil && err == nil {
			x.told(len(x.plan.raw) - len(raw))
		}
	}
	if err == nil {
		_ = x.conn.SetWriteDeadline(time.Time{})
		x.steps.mark(stepWrote)
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.written, x.writeErr = err == nil, err
	switch {
	case x.answered:
	case err != nil && !x.conn.sent(): // there is nothing that could be answered
		_ = x.conn.SetReadDeadline(time.Unix(1, 0))
	case err != nil:
		_ = x.conn.SetReadDeadline(time.Now().Add(afterWrite))
	case x.plan.begin() > 0:
		_ = x.conn.SetReadDeadline(time.Now().Add(x.plan.begin()))
	}
}

func (x *exchange) wrote() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.written
}

// answer reads the answer and emits it, unless it fails before it has a head.
// It reports whether the connection can be used again.
func (x *exchange) answer(ctx context.Context) (bool, *failure) {
	head, resp, body, f := x.head(ctx)
	if f != nil {
		return false, f
	}
	r := responded(resp, len(head))
	x.awaitWriter() // the response names when the request was written
	if streams(x.plan.op, resp) {
		x.stream(ctx, r, head, resp.Body)
		return false, nil
	}
	whole := x.plain(ctx, r, head, resp)
	return whole && !resp.Close && !x.plan.fresh && resp.StatusCode != http.StatusSwitchingProtocols &&
		body.Buffered() == 0 && x.conn.br.Buffered() == 0, nil
}

// head reads up to the final head, past interim ones.
func (x *exchange) head(ctx context.Context) ([]byte, *http.Response, *bufio.Reader, *failure) {
	room := maxHead
	for range maxInterim {
		if _, err := x.conn.br.Peek(1); err != nil {
			return nil, nil, nil, x.noAnswer(ctx, err)
		}
		x.firstByte()
		head, err := readHead(x.conn.br, room)
		if err != nil {
			return nil, nil, nil, x.badHead(ctx, head, err)
		}
		resp, body, err := parseHead(head, x.conn.br, x.plan.method)
		if err != nil {
			return nil, nil, nil, x.badHead(ctx, head, err)
		}
		if resp.StatusCode/100 != 1 || resp.StatusCode == http.StatusSwitchingProtocols {
			return head, resp, body, nil
		}
		if room -= len(head); room <= 0 {
			return nil, nil, nil, x.badHead(ctx, head, errHeadTooLong)
		}
		x.await()
	}
	return nil, nil, nil, x.badHead(ctx, nil, errors.New("nothing but interim answers (1xx)"))
}

// firstByte takes the read deadline over from the writer.
func (x *exchange) firstByte() {
	x.steps.mark(stepFirstByte)
	limit := x.plan.firstByte
	if limit <= 0 {
		limit = headLimit
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.answered = true
	_ = x.conn.SetReadDeadline(time.Now().Add(limit))
}

// await waits for a first byte anew, after an interim answer.
func (x *exchange) await() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.answered = x.written // else the writer arms it when it is done
	var at time.Time
	if x.written && x.plan.begin() > 0 {
		at = time.Now().Add(x.plan.begin())
	}
	_ = x.conn.SetReadDeadline(at)
}

func (x *exchange) noAnswer(ctx context.Context, err error) *failure {
	attempt := "wait for the answer of " + x.plan.dial
	if ctx.Err() != nil {
		return stopped(ctx, phaseFirstByte, attempt)
	}
	x.mu.Lock()
	werr := x.writeErr
	x.mu.Unlock()
	switch {
	case werr != nil:
		return x.conn.asked.fail(phaseWrite, "write the request to "+x.plan.dial, werr)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return &failure{phase: phaseFirstByte, timeout: true, text: attempt + ": " + silence("no byte", x.plan.begin())}
	}
	f := x.conn.asked.fail(phaseFirstByte, attempt, err)
	if errors.Is(err, io.EOF) {
		f.text += " without an answer"
	}
	if x.conn.reused {
		f.text += "; the connection had served an earlier request, and the request was not repeated"
	}
	return f
}

func (x *exchange) badHead(ctx context.Context, head []byte, err error) *failure {
	attempt := "read the head of the answer of " + x.plan.dial
	var f *failure
	switch {
	case ctx.Err() != nil:
		f = stopped(ctx, phaseHead, attempt)
	case errors.Is(err, errNotHTTP):
		rest, _ := x.conn.br.Peek(x.conn.br.Buffered())
		head = append(head, rest...)
		f = &failure{phase: phaseHead, text: attempt + ": " + err.Error() + guessWhat(head)}
	default:
		f = fail(phaseHead, attempt, err)
	}
	f.raw = head[:min(len(head), maxBadHead)]
	return f
}

func (x *exchange) fault(f *failure) {
	at := x.c.o.Now()
	if len(f.raw) > 0 {
		at = x.conn.meter.last
	}
	x.emit(session.Arrival{Fault: f.body(x.sent(), x.steps.get()), Raw: f.raw, At: at})
}

// responded is what the head says.
func responded(resp *http.Response, head int) *session.Responded {
	h := resp.Header
	return &session.Responded{
		Status: resp.StatusCode, Head: head,
		ContentType: h.Get("Content-Type"),
		Encoding:    strings.Join(h.Values("Content-Encoding"), ", "),
		RetryAfter:  h.Get("Retry-After"),
		Location:    h.Get("Location"),
		Challenge:   strings.Join(h.Values("Www-Authenticate"), ", "),
	}
}
