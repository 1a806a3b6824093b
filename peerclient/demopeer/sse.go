package demopeer

import (
	"context"
	"net/http"
	"time"
)

// writeTimeout ends a stream whose reader has stopped reading.
const writeTimeout = 30 * time.Second

// stream is one answer of type text/event-stream.
type stream struct {
	s    *server
	ctx  context.Context // ends when the client leaves or the peer closes
	w    http.ResponseWriter
	flow *http.ResponseController
	id   string // the JSON-RPC id, as JSON
	dead bool   // a write failed
}

// openStream sends the head at once: a client may measure the time to it.
func (s *server) openStream(ctx context.Context, w http.ResponseWriter, id string) *stream {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-cache")
	h.Set("X-Accel-Buffering", "no")
	w.WriteHeader(http.StatusOK)
	st := &stream{s: s, ctx: ctx, w: w, flow: http.NewResponseController(w), id: id}
	st.flush()
	return st
}

// say sends one result as one event.
func (st *stream) say(result string) { st.send(rpcResult(st.id, st.s.spelled(result))) }

// send sends one event, whatever its data is worth, and flushes.
func (st *stream) send(data string) {
	if st.dead {
		return
	}
	// Not every ResponseWriter knows deadlines; without one the server's
	// Close still ends the write.
	_ = st.flow.SetWriteDeadline(time.Now().Add(writeTimeout))
	_, err := st.w.Write([]byte("data: " + data + "\n\n"))
	if err != nil {
		st.dead = true
		return
	}
	st.flush()
}

func (st *stream) flush() {
	if st.flow.Flush() != nil {
		st.dead = true
	}
}

// hold keeps the stream open and silent until the client leaves.
func (st *stream) hold() { <-st.ctx.Done() }

// verdict is what becomes of one event on one stream.
type verdict struct{ hide, end bool }

// honestly shows everything and ends where the task settles.
func honestly(e event) verdict { return verdict{end: e.settles()} }

// bring is a whole stream: the task as it was at position from, then what
// happens to it. A liar's bring is its own.
func (st *stream) bring(t *task, first view, from int) {
	st.s.shown(&first)
	if st.s.b.bring != nil {
		st.s.b.bring(st, t, first, from)
		return
	}
	st.snapshot(first)
	st.follow(t, from, honestly)
}

func (st *stream) snapshot(v view) { st.say(st.s.wire.sent(v)) }

// follow sends what happens to a task from position on, as judge says, until
// judge ends it or the client leaves.
func (st *stream) follow(t *task, from int, judge func(event) verdict) {
	for {
		events, changed := st.s.since(t, from)
		from += len(events)
		for _, e := range events {
			v := judge(e)
			if !v.hide {
				st.say(st.s.wire.event(e))
			}
			if v.end || st.dead {
				return
			}
		}
		select {
		case <-changed:
		case <-st.ctx.Done():
			return
		}
	}
}
