package peerclient

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"a2ascope/peerclient/grpcwire"
	"a2ascope/session"
)

// errSilent is the cause with which a call ends that was not answered in time.
var errSilent = errors.New("no answer in time")

const (
	// The same times as in package sse, and for the same purpose: how long
	// away from the stream counts as blocked, and how long a wait for the
	// peer takes at least.
	rpcBlocked = 5 * time.Millisecond
	rpcWaited  = time.Millisecond
)

// rpcExchange is one gRPC call and its whole answer.
type rpcExchange struct {
	c     *Client
	plan  *rpcPlan
	emit  func(session.Arrival)
	told  func(int) // how much of the message is written; nil for nobody
	start time.Time
	steps steps
	conn  *rpcConn
	call  *rpcSeen
	outer context.Context
	halt  context.CancelCauseFunc
	watch *silenceWatch
}

// run does the exchange from connecting to its end.
func (x *rpcExchange) run(ctx context.Context) {
	x.steps.now, x.steps.start = x.c.o.Now, x.start
	x.outer = ctx
	if ctx.Err() != nil {
		x.fault(stopped(ctx, phaseConnect, "connect to "+x.plan.dial))
		return
	}
	f := x.over(ctx, !x.plan.fresh)
	if f != nil && x.conn != nil && x.conn.reused && ctx.Err() == nil && !x.conn.sent() {
		// The idle connection was dead before a byte was written.
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
func (x *rpcExchange) over(ctx context.Context, idle bool) *failure {
	x.conn = nil
	c := (*rpcConn)(nil)
	if idle {
		c = x.c.rpcs.take(x.plan.key())
	}
	if c == nil {
		var f *failure
		if c, f = (dialer{x.c, &x.plan.plan, &x.steps}).dialRPC(ctx, x.plan.authority); f != nil {
			if ctx.Err() != nil {
				f = stopped(ctx, f.phase, "connect to "+x.plan.dial)
			} else if f.timeout && x.plan.connect > 0 {
				f.text += " after " + x.plan.connect.Round(time.Millisecond).String()
			}
			return f
		}
	}
	x.conn, c.mark = c, c.meter.wrote.Load()
	x.steps.onRPC(c)
	whole, f := x.on(c)
	if whole && f == nil && !x.plan.fresh {
		x.c.rpcs.put(c)
	} else {
		c.close()
	}
	return f
}

// on does the exchange on a connection, and reports whether it can be used
// again.
func (x *rpcExchange) on(c *rpcConn) (bool, *failure) {
	// A deadline of ours would go on the wire as grpc-timeout, and have the
	// peer stop the task.
	ctx, halt := context.WithCancelCause(context.WithoutCancel(x.outer))
	defer halt(nil)
	defer context.AfterFunc(x.outer, func() { halt(context.Cause(x.outer)) })()
	x.halt, x.call = halt, &rpcSeen{}
	written := x.written(c)
	x.watch = &silenceWatch{limit: x.plan.begin(), progress: written, silent: func() { halt(errSilent) }}
	defer x.watch.stop()
	ctx = metadata.NewOutgoingContext(context.WithValue(ctx, callKey{}, x.call), x.plan.metadata)
	limit := int(x.c.o.MaxBody)
	if x.plan.op.Streams() {
		limit = x.c.o.MaxEvent
	}
	if x.told != nil {
		// The library writes when it may and says nothing of it: what left on the
		// connection is what there is to tell, framing included.
		told := func() { x.told(int(written())) }
		c.meter.told.Store(&told)
		defer c.meter.told.Store(nil)
	}
	x.watch.start()
	s, err := c.cc.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true}, x.plan.method.Full,
		grpc.ForceCodecV2(grpcwire.Codec{}), grpc.MaxCallRecvMsgSize(limit), grpc.MaxCallSendMsgSize(len(x.plan.message)+1),
		grpc.MaxRetryRPCBufferSize(0)) // no message is kept to be sent again, not even when the stream was refused
	if err != nil {
		return false, x.noAnswer(ctx, err)
	}
	if err := s.SendMsg(x.plan.message); err != nil && !errors.Is(err, io.EOF) { // EOF: the answer says why
		return false, x.noAnswer(ctx, err)
	}
	x.steps.mark(stepWrote)
	head, _ := s.Header() // its error comes with the first message too
	if head != nil && x.plan.op.Streams() {
		x.watch.stop()
		return x.stream(ctx, s, head), nil
	}
	return x.unary(ctx, s, head)
}

// written tells how much of the message is on its way on a connection, in bytes.
// What HTTP/2 itself writes, the answers to a peer's pings above all, must not
// count once the message is out: such a peer would never be silent. A write that
// is under way may ask when the connection has gone on to another call: what it
// asks for is kept here.
func (x *rpcExchange) written(c *rpcConn) func() int64 {
	mark, most := c.mark, int64(len(x.plan.message))
	return func() int64 { return min(c.meter.wrote.Load()-mark, most) }
}

// unary reads an answer that is one message, or an error in place of a stream.
func (x *rpcExchange) unary(ctx context.Context, s grpc.ClientStream, head metadata.MD) (bool, *failure) {
	if head != nil {
		x.steps.mark(stepFirstByte)
		x.watch.stop()
		x.watch.limit = x.plan.firstByte
	}
	x.watch.start()
	var message, more []byte
	got, extra := false, false
	err := s.RecvMsg(&message)
	if err == nil {
		got = true
		if err = s.RecvMsg(&more); err == nil {
			extra = true
			x.halt(nil)
		}
	}
	x.watch.stop()
	at := x.c.o.Now()
	st := status.Convert(err)
	switch {
	case extra:
		st = status.New(codes.OK, "")
	case errors.Is(err, io.EOF):
		st = status.New(codes.OK, "")
	case x.peers(st):
	case tooLong(st), head != nil:
		// The answer had begun: what broke it off is said with it.
	default:
		return false, x.noAnswer(ctx, err)
	}
	r, raw := x.responded(st, head, s.Trailer(), message)
	switch {
	case extra:
		r.Cut = "a second message came where one is due; it and what follows were not read"
	case tooLong(st):
		r.Truncated = true
	case st.Code() != codes.OK && !x.peers(st):
		r.Cut = x.why(ctx, st)
	}
	if got && st.Code() == codes.OK {
		r.ProtoJSON, r.Odd, _ = x.plan.method.Answer(message) // what cannot be read stays as it came
	}
	x.steps.mark(stepDone)
	r.Timing = x.steps.get()
	x.emit(session.Arrival{Response: r, Raw: raw, At: at})
	return st.Code() == codes.OK && !extra || x.peers(st), nil
}

// peers reports whether a status that is not OK came from the peer and was not
// made up on our side.
func (x *rpcExchange) peers(st *status.Status) bool {
	_, trailed := x.call.saw()
	return st.Code() != codes.OK && (trailed && !tooLong(st) || httpOf(st) != 0)
}

// tooLong reports whether the library refused a message for its length, packed
// or unpacked.
func tooLong(st *status.Status) bool {
	return st.Code() == codes.ResourceExhausted &&
		(strings.HasPrefix(st.Message(), "grpc: received message larger than max") || strings.HasPrefix(st.Message(), "grpc: received message after decompression larger than max"))
}

// noAnswer is the failure of a call that brought nothing.
func (x *rpcExchange) noAnswer(ctx context.Context, err error) *failure {
	attempt := "wait for the answer of " + x.plan.dial
	st := status.Convert(err)
	switch cause := context.Cause(ctx); {
	case x.outer.Err() != nil:
		return stopped(x.outer, phaseFirstByte, attempt)
	case errors.Is(cause, errSilent):
		return &failure{phase: phaseFirstByte, timeout: true, text: attempt + ": " + silence("no byte", x.plan.begin())}
	}
	return &failure{phase: phaseFirstByte, text: attempt + ": " + rpcReason(st) + ", without an answer; the call was not repeated"}
}

// why says what broke an answer off.
func (x *rpcExchange) why(ctx context.Context, st *status.Status) string {
	switch {
	case x.outer.Err() != nil:
		return context.Cause(x.outer).Error()
	case errors.Is(context.Cause(ctx), errSilent):
		return silence("no further byte", x.plan.firstByte)
	}
	return rpcReason(st)
}

// rpcReason words a status that the library made up.
func rpcReason(st *status.Status) string {
	text := strings.TrimPrefix(st.Message(), "error reading from server: ")
	switch {
	case text == "":
		return "the call ended with " + st.Code().String()
	case strings.Contains(text, "EOF"):
		return "the peer closed the connection"
	case strings.Contains(text, "connection reset"):
		return "connection reset by peer"
	}
	return text
}

func (x *rpcExchange) fault(f *failure) {
	sent := x.conn != nil && x.conn.sent()
	x.emit(session.Arrival{Fault: f.body(sent, x.steps.get()), At: x.c.o.Now()})
}

// silenceWatch ends a call when nothing came, and nothing went, for a while.
type silenceWatch struct {
	limit    time.Duration
	progress func() int64
	silent   func()

	mu    sync.Mutex
	timer *time.Timer
	round int // of start; a timer of an earlier one does nothing
}

// start begins to wait anew.
func (w *silenceWatch) start() {
	if w.limit <= 0 {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.round++
	w.arm(w.round, w.progress())
}

func (w *silenceWatch) arm(round int, before int64) {
	if w.timer != nil {
		w.timer.Stop()
	}
	w.timer = time.AfterFunc(w.limit, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.round != round {
			return
		}
		if now := w.progress(); now > before {
			w.arm(round, now) // the request is still on its way
			return
		}
		w.silent()
	})
}

func (w *silenceWatch) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.round++
	if w.timer != nil {
		w.timer.Stop()
	}
}
