package peerclient

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"a2ascope/peerclient/sse"
	"a2ascope/session"
)

// plain reads a body that is no stream and emits the response. It reports
// whether the body was read to its end.
func (x *exchange) plain(ctx context.Context, r *session.Responded, head []byte, resp *http.Response) bool {
	raw := bytes.Clone(head)
	limit := int64(len(head)) + x.c.o.MaxBody
	most := limit
	if n := resp.ContentLength; n >= 0 {
		most = min(limit, int64(len(head))+n)
	}
	began := time.Now()
	var err error
	for err == nil && int64(len(raw)) <= limit {
		raw = roomier(raw, most, limit)
		x.bodyLimit(began, len(raw))
		var n int
		n, err = resp.Body.Read(raw[len(raw):cap(raw)])
		raw = raw[:len(raw)+n]
		if x.plan.op.Streams() && resp.StatusCode/100 == 2 && severalDocuments(raw[len(head):]) {
			x.stream(ctx, r, raw[:len(head)], io.MultiReader(bytes.NewReader(raw[len(head):]), resp.Body))
			return false
		}
	}
	switch {
	case int64(len(raw)) > limit:
		raw, r.Truncated = raw[:limit], true
		err = nil
	case errors.Is(err, io.EOF):
		err = nil
	case ctx.Err() != nil:
		r.Cut = context.Cause(ctx).Error()
	case errors.Is(err, os.ErrDeadlineExceeded) && !time.Now().Before(x.slowest(began, len(raw))):
		r.Cut = fmt.Sprintf("it came at less than %d bytes a second for %v", leastRate, time.Since(began).Round(time.Millisecond))
	case errors.Is(err, os.ErrDeadlineExceeded):
		r.Cut = silence("no further byte", x.plan.firstByte)
	default:
		r.Cut = reason(err)
	}
	x.steps.mark(stepDone)
	r.Timing = x.steps.get()
	x.emit(session.Arrival{Response: r, Raw: raw, At: x.conn.meter.last})
	return err == nil && !r.Truncated
}

// roomier gives the buffer of a body room for a read: twice what it has, but no
// more than can still be kept of it. Where the peer says how long the answer is,
// and a tenth of that is there, it is the whole of it: to double to the end would
// take half as much memory again.
func roomier(raw []byte, most, limit int64) []byte {
	if cap(raw)-len(raw) >= bytes.MinRead {
		return raw
	}
	size := min(2*int64(cap(raw)), limit)
	if n := int64(len(raw)); most < limit && n < most && n >= most/10 {
		size = most
	}
	return append(make([]byte, 0, size+bytes.MinRead), raw...)
}

// severalDocuments reports whether one JSON object and the beginning of another
// are there: a stream, whatever its type says. Past a first document of 256 KiB
// it does not look.
func severalDocuments(body []byte) bool {
	const most = 256 << 10
	body = bytes.TrimLeft(body, separators)
	if len(body) == 0 || body[0] != '{' || len(body) > most {
		return false
	}
	dec := jsontext.NewDecoder(bytes.NewReader(body), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if _, err := dec.ReadValue(); err != nil {
		return false
	}
	return bytes.HasPrefix(bytes.TrimLeft(body[dec.InputOffset():], separators), []byte("{"))
}

// separators may stand between the documents of a stream.
const separators = " \t\r\n,\x1e"

// A plain body may come as slowly as it likes for patience times the first-byte
// limit. From then on it has to have come at leastRate bytes a second, or one
// byte at a time would hold us for days.
const (
	patience  = 10
	leastRate = 4 << 10
)

// bodyLimit gives each read of a plain body the first-byte limit, and the whole
// of it the slowest rate. A call without a first-byte limit waits for the body
// too as long as its context lives.
func (x *exchange) bodyLimit(began time.Time, n int) {
	var at time.Time
	if x.plan.firstByte > 0 {
		at = time.Now().Add(x.plan.firstByte)
		if last := x.slowest(began, n); last.Before(at) {
			at = last
		}
	}
	_ = x.conn.SetReadDeadline(at)
}

// slowest is when more than n bytes have to be there.
func (x *exchange) slowest(began time.Time, n int) time.Time {
	return began.Add(patience*x.plan.firstByte + time.Duration(n)*time.Second/leastRate)
}

// stream emits the response at once, then the frames of its body, then how it
// ended. It has no limit of time.
func (x *exchange) stream(ctx context.Context, r *session.Responded, head []byte, body io.Reader) {
	_ = x.conn.SetReadDeadline(time.Time{})
	r.Stream, r.Timing = true, x.steps.get()
	x.emit(session.Arrival{Response: r, Raw: head, At: x.conn.meter.last})

	coding := strings.ToLower(strings.TrimSpace(r.Encoding))
	o := sse.Options{Now: x.c.o.Now, MaxEvent: x.c.o.MaxEvent, ContentType: r.ContentType}
	n := 0
	end, err := sse.Read(decoded(body, coding), o, func(f sse.Frame) error {
		n++
		x.emit(framed(n, f, coding))
		return nil
	})
	x.emit(session.Arrival{Closed: closed(ctx, end, err), At: x.c.o.Now()})
}

func framed(n int, f sse.Frame, coding string) session.Arrival {
	b := &session.Framed{
		N: n, Off: f.Off, Kind: f.Kind.String(), Type: f.Type, ID: f.ID, Held: f.Held,
		Lead: session.Duration(f.Last.Sub(f.First)),
	}
	if f.Flags != 0 {
		b.Flags = strings.ReplaceAll(f.Flags.String(), ",", ", ")
	}
	if coding != "" && coding != "identity" {
		if b.Flags != "" {
			b.Flags += ", "
		}
		b.Flags += coding
	}
	return session.Arrival{Frame: b, Raw: f.Raw, At: f.Last}
}

func closed(ctx context.Context, end sse.End, err error) *session.Closed {
	c := &session.Closed{Frames: end.Frames, Bytes: end.Bytes, Skipped: end.Bytes - end.Kept}
	switch {
	case err == nil:
		c.How = session.ClosedClean
	case errors.Is(err, sse.ErrOversize):
		c.How, c.Error = session.ClosedOversize, err.Error()
	case errors.Is(context.Cause(ctx), ErrDetach):
		c.How = session.ClosedDetached
	case errors.Is(context.Cause(ctx), session.ErrLogFull):
		c.How = session.ClosedFull
	case ctx.Err() != nil:
		c.How, c.Error = session.ClosedStopped, context.Cause(ctx).Error()
	default:
		c.How, c.Error = session.ClosedCut, reason(err)
	}
	return c
}

// decoded undoes a content coding that is known; frames of any other hold the
// encoded bytes.
func decoded(r io.Reader, coding string) io.Reader {
	switch coding {
	case "gzip", "x-gzip":
		return &lazy{src: r, open: func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) }}
	case "deflate":
		return &lazy{src: r, open: func(r io.Reader) (io.Reader, error) { return zlib.NewReader(r) }}
	}
	return r
}

// lazy opens a decoder at the first read: its header may come long after the
// answer's head. A body without a byte is an empty one.
type lazy struct {
	src  io.Reader
	open func(io.Reader) (io.Reader, error)
	r    io.Reader
	in   int64 // bytes before decoding
	out  int64
}

func (l *lazy) Read(p []byte) (int, error) {
	if l.r == nil {
		r, err := l.open(counted{l.src, &l.in})
		if err != nil {
			return 0, err
		}
		l.r = r
	}
	if session.Bomb(l.in, l.out) { // it is cut off
		return 0, fmt.Errorf("%d bytes unpacked to more than %d: given up", l.in, l.out)
	}
	n, err := l.r.Read(p)
	l.out += int64(n)
	return n, err
}

// counted counts what is read.
type counted struct {
	r io.Reader
	n *int64
}

func (c counted) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	*c.n += int64(n)
	return n, err
}

// mediaType is a Content-Type without its parameters, in lower case.
func mediaType(header string) string {
	if kind, _, err := mime.ParseMediaType(header); err == nil {
		return kind
	}
	kind, _, _ := strings.Cut(header, ";")
	return strings.ToLower(strings.TrimSpace(kind))
}

func hasSuffixJSON(kind string) bool { return strings.HasSuffix(kind, "+json") }
