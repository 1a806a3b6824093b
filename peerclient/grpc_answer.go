package peerclient

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sort"
	"strconv"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"a2ascope/peerclient/grpcwire"
	"a2ascope/session"
)

// responded is an answer that is whole: its head with the trailers, and its
// message.
func (x *rpcExchange) responded(st *status.Status, head, trailer metadata.MD, message []byte) (*session.Responded, []byte) {
	r := &session.Responded{Status: http.StatusOK}
	if code := httpOf(st); code != 0 {
		// No gRPC server: the library kept of the answer what its words say.
		raw := fmt.Appendf(nil, "HTTP/2 %d\r\n\r\n", code)
		r.Status, r.Head, r.ContentType = code, len(raw), "text/plain"
		return r, append(raw, st.Message()...)
	}
	raw := rpcHead(head, trailer, st)
	r.ContentType = first(head, "content-type")
	if st.Code() != codes.OK && x.peers(st) {
		r.ProtoJSON, r.Status = grpcwire.Error(st)
		r.Challenge = first(head, "www-authenticate") + first(trailer, "www-authenticate")
		r.RetryAfter = first(trailer, "retry-after")
	}
	r.Head = len(raw)
	return r, append(raw, message...)
}

func first(md metadata.MD, name string) string {
	if v := md.Get(name); len(v) > 0 {
		return v[0]
	}
	return ""
}

// rpcHead renders metadata as text, sorted by name: headers, then trailers.
// The status is nil where it is not known yet.
func rpcHead(head, trailer metadata.MD, st *status.Status) []byte {
	var b bytes.Buffer
	b.WriteString("HTTP/2 200\r\n")
	writeMetadata(&b, head)
	if st != nil {
		writeStatus(&b, trailer, st)
	}
	b.WriteString("\r\n")
	return b.Bytes()
}

func writeStatus(b *bytes.Buffer, trailer metadata.MD, st *status.Status) {
	writeMetadata(b, trailer)
	fmt.Fprintf(b, "grpc-status: %d\r\n", st.Code())
	if st.Message() != "" {
		b.WriteString("grpc-message: " + oneLine(st.Message()) + "\r\n")
	}
	if raw := grpcwire.StatusBytes(st); raw != nil {
		b.WriteString("grpc-status-details-bin: " + base64.StdEncoding.EncodeToString(raw) + "\r\n")
	}
}

func writeMetadata(b *bytes.Buffer, md metadata.MD) {
	names := make([]string, 0, len(md))
	for name := range md {
		if !strings.HasPrefix(name, "grpc-status") && name != "grpc-message" && !strings.HasPrefix(name, ":") {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	for _, name := range names {
		for _, v := range md[name] {
			if strings.HasSuffix(name, "-bin") {
				v = base64.StdEncoding.EncodeToString([]byte(v))
			}
			b.WriteString(name + ": " + oneLine(v) + "\r\n")
		}
	}
}

// oneLine percent-encodes what would end a line, as gRPC does in messages.
func oneLine(s string) string {
	return strings.NewReplacer("\r", "%0D", "\n", "%0A").Replace(s)
}

// httpOf is the status of an answer that came over HTTP/2 and was none of
// gRPC, 0 for any other. The library tells it in words alone.
func httpOf(st *status.Status) int {
	rest, ok := strings.CutPrefix(st.Message(), "unexpected HTTP status code received from server: ")
	if !ok {
		return 0
	}
	digits, _, _ := strings.Cut(rest, " ")
	code, err := strconv.Atoi(digits)
	if err != nil || code < 100 || code > 999 {
		return 0
	}
	return code
}

// stream emits the head at once, then the messages, then how it ended. A
// status that is not OK is a frame of its own: the trailer. It reports whether
// the connection can be used again.
func (x *rpcExchange) stream(ctx context.Context, s grpc.ClientStream, head metadata.MD) bool {
	x.steps.mark(stepFirstByte)
	raw := rpcHead(head, nil, nil)
	r := &session.Responded{Status: http.StatusOK, ContentType: first(head, "content-type"), Head: len(raw), Stream: true, Timing: x.steps.get()}
	left := x.c.o.Now()
	x.emit(session.Arrival{Response: r, Raw: raw, At: left})
	n, size, behind := 0, int64(0), false
	for {
		var message []byte
		from := x.c.o.Now()
		behind = behind || from.Sub(left) >= rpcBlocked
		err := s.RecvMsg(&message)
		left = x.c.o.Now()
		behind = behind && left.Sub(from) < rpcWaited
		if err != nil {
			return x.streamEnd(ctx, s, err, n, size, behind)
		}
		n++
		b := &session.Framed{N: n, Off: size, Kind: "message", Held: behind}
		b.ProtoJSON, b.Odd, _ = x.plan.method.Answer(message) // what cannot be read stays as it came
		size += int64(len(message))
		x.emit(session.Arrival{Frame: b, Raw: message, At: left})
	}
}

// streamEnd emits the end of a stream.
func (x *rpcExchange) streamEnd(ctx context.Context, s grpc.ClientStream, err error, n int, size int64, held bool) bool {
	st := status.Convert(err)
	c := &session.Closed{How: session.ClosedClean, Frames: n, Bytes: size, Held: held}
	whole := errors.Is(err, io.EOF)
	switch {
	case whole:
	case errors.Is(context.Cause(ctx), ErrDetach):
		c.How = session.ClosedDetached
	case errors.Is(context.Cause(ctx), session.ErrLogFull):
		c.How = session.ClosedFull
	case x.outer.Err() != nil:
		c.How, c.Error = session.ClosedStopped, context.Cause(x.outer).Error()
	case tooLong(st):
		c.How, c.Error = session.ClosedOversize, fmt.Sprintf("a message is longer than %d bytes", x.c.o.MaxEvent)
	case x.peers(st):
		whole = true
		var b bytes.Buffer
		writeStatus(&b, s.Trailer(), st)
		f := &session.Framed{N: n + 1, Off: size, Kind: "trailer", Held: held}
		f.ProtoJSON, _ = grpcwire.Error(st)
		x.emit(session.Arrival{Frame: f, Raw: b.Bytes(), At: x.c.o.Now()})
		c.Frames++
	default:
		c.How, c.Error = session.ClosedCut, rpcReason(st)
	}
	x.emit(session.Arrival{Closed: c, At: x.c.o.Now()})
	return whole
}

// onRPC notes the connection in use.
func (s *steps) onRPC(c *rpcConn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.t.Reused, s.t.Remote = c.reused, c.remote
}
