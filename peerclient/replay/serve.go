package replay

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"a2ascope/session"
	"a2ascope/session/a2a"
)

// HeaderName is the header that every answer of a replay carries: the exchange
// that it was, and of which session.
const HeaderName = session.ReplayHeader

// patience is how long a stream waits in silence for a turn of the client
// before a comment on it says so.
const patience = 2 * time.Second

// serve answers one request. The answer is written past net/http: what was
// recorded goes out as it came in.
func (s *Server) serve(w http.ResponseWriter, r *http.Request, origin int) {
	if !s.enter() {
		return
	}
	defer s.wg.Done()
	select {
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
	case <-s.ctx.Done():
		return
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody+1))
	if err != nil || len(body) > maxBody {
		http.Error(w, fmt.Sprintf("a2ascope replay: the request's body could not be read, or has more than %d bytes", maxBody), http.StatusRequestEntityTooLarge)
		return
	}
	path := r.URL.EscapedPath()
	if path == "" {
		path = "/"
	}
	a := asked(origin, r.Method, path, r.URL.RawQuery, r.Header, body, s.rec.rpcPaths[path])
	x := s.find(&a, time.Now())
	if x == nil {
		s.o.Log(fmt.Sprintf("%s  not in the recording", clip(a.people())))
		s.refuse(w, &a)
		return
	}
	s.o.Log(fmt.Sprintf("%s  exchange %d, %s", clip(a.people()), x.n, x.note))
	if x.hook != nil {
		s.deliver(x, r.RemoteAddr)
	}
	conn, rw, err := http.NewResponseController(w).Hijack()
	if err != nil { // HTTP/2 is not spoken here, so there is no other reason than a client that left
		return
	}
	defer conn.Close()
	ctx, cancel := context.WithCancel(s.ctx)
	defer cancel()
	_ = conn.SetDeadline(time.Time{})
	s.wg.Go(func() { // ends with the connection
		_, _ = io.Copy(io.Discard, io.LimitReader(rw, maxBody))
		cancel()
	})
	context.AfterFunc(ctx, func() { _ = conn.Close() })
	t := &teller{s: s, served: x, ask: &a, ctx: ctx, conn: conn}
	defer s.leave(t)
	t.tell()
}

func (a *ask) people() string {
	if a.task != "" {
		return a.name + " (task " + a.task + ")"
	}
	return a.name
}

// teller shows one recorded exchange on one connection.
type teller struct {
	s       *Server
	*served // what is shown
	ask     *ask
	ctx     context.Context // ends when the client leaves
	conn    net.Conn
	chunked bool
	events  bool
	dead    bool      // a write failed
	spoken  bool      // the stream has brought something
	ready   time.Time // since when the next record waits for others alone
}

func (t *teller) tell() {
	x := t.exchange
	switch {
	case x.fault != nil:
		if t.wait(x.answer, x.at) {
			t.broken(x)
		}
		return
	case x.answer == 0: // our side ended before there was one
		t.s.leave(t)
		t.hold()
		return
	}
	rec, err := t.s.rec.record(x.answer)
	if err != nil {
		t.s.o.Log(fmt.Sprintf("exchange %d cannot be read: %v", x.n, err))
		return
	}
	head, body := split(rec.Raw, x.head.Head)
	if !t.wait(x.answer, x.at) {
		return
	}
	if x.head.Stream {
		t.stream(head)
		return
	}
	t.plain(head, body)
}

// broken breaks the connection as it broke then.
func (t *teller) broken(x *exchange) {
	if rec, err := t.s.rec.record(x.answer); err == nil && len(rec.Raw) > 0 {
		t.write(rec.Raw) // what stood where a head belongs
	}
	t.cut(x.fault.Error)
}

// cut ends the connection without an end of what was said on it.
func (t *teller) cut(why string) {
	if tcp, ok := t.conn.(*net.TCPConn); ok && strings.Contains(why, "reset") {
		_ = tcp.SetLinger(0)
	}
	_ = t.conn.Close()
}

// hold keeps the connection until the client leaves.
func (t *teller) hold() { <-t.ctx.Done() }

// plain shows an answer in one piece.
func (t *teller) plain(head, body []byte) {
	x := t.exchange
	note := ""
	body, plain := decoded(body, x.head.Encoding)
	if x.op == a2a.OpCard || x.op == a2a.OpExtendedCard {
		now := readdress(body, func(origin string) string { return t.s.own[origin] })
		if !bytes.Equal(now, body) {
			note = "; the card names this server in place of the recorded one"
		}
		body = now
	}
	before := len(body)
	body = swapped(body, t.swaps)
	if x.rpc {
		body = withID(body, x.rpcID, t.ask.rpcID)
	}
	f := t.fields(head)
	length := strconv.Itoa(len(body))
	if x.head.Cut != "" {
		n, err := strconv.Atoi(f.length)
		if err != nil || n+len(body)-before <= len(body) {
			n = before + 1
		}
		length = strconv.Itoa(n + len(body) - before) // as far beyond the end as it was
	}
	switch {
	case f.chunked && !f.old:
		f.add("Transfer-Encoding: chunked")
		t.chunked = true
	case x.head.Status != http.StatusNoContent && x.head.Status != http.StatusNotModified && x.head.Status/100 != 1:
		f.add("Content-Length: " + length)
	}
	t.write(f.head(t, x.head.Encoding, plain, note))
	t.piece(body)
	switch {
	case x.head.Cut != "":
		t.cut(x.head.Cut)
	case t.chunked:
		t.write([]byte("0\r\n\r\n"))
	}
}

// stream shows a stream: its frames when they are due, and its end.
func (t *teller) stream(head []byte) {
	x := t.exchange
	f := t.fields(head)
	if !f.old && (f.chunked || f.length != "") {
		f.add("Transfer-Encoding: chunked")
		t.chunked = true
	}
	t.events = strings.HasPrefix(x.head.ContentType, "text/event-stream")
	t.write(f.head(t, x.head.Encoding, false, ""))
	if !t.frames() || x.last > 0 && !t.wait(x.last, x.endAt) {
		return
	}
	switch {
	case x.last > 0 && x.closed.How == session.ClosedClean:
		if t.chunked {
			t.write([]byte("0\r\n\r\n"))
		}
	case x.last > 0 && x.closed.How == session.ClosedCut:
		t.cut(x.closed.Error)
	default: // it was we who left: what came then is not known
		t.say("the recorded client left here; the recording knows no more of this stream")
		t.s.leave(t)
		t.hold()
	}
}

// frames shows the frames of a stream. It reports whether it came to the end.
func (t *teller) frames() bool {
	last := t.last
	if last == 0 {
		last = ^uint64(0)
	}
	for next := t.answer + 1; next < last; {
		records, err := t.s.rec.pages(next, 64)
		if err != nil || len(records) == 0 {
			return err == nil
		}
		for i := range records {
			r := &records[i]
			next = r.Seq + 1
			if r.Exchange != t.n || r.Kind != session.KindFrame || r.Seq > last {
				continue
			}
			if !t.wait(r.Seq, r.Elapsed) {
				return false
			}
			raw := swapped(r.Raw, t.s.swapsOf(t.served))
			if t.rpc && t.events {
				raw = frameWithID(raw, t.rpcID, t.ask.rpcID)
			} else if t.rpc {
				raw = withID(raw, t.rpcID, t.ask.rpcID)
			}
			data := raw
			if t.events {
				data = a2a.EventData(raw)
			}
			t.s.tells(t.served, data, r.Elapsed)
			t.spoken = true
			t.piece(raw)
		}
	}
	return !t.dead
}

// wait waits until a record is to be shown: for its time, for the client's
// turns before it, and for what was recorded before it. It reports whether
// anybody is still there.
func (t *teller) wait(seq uint64, recorded time.Duration) bool {
	var impatient <-chan time.Time
	for {
		ok, until, missing, changed := t.s.next(t, seq, recorded)
		if t.ctx.Err() != nil || t.dead {
			return false
		}
		if ok {
			return true
		}
		var timer <-chan time.Time
		if missing == nil {
			timer = time.After(time.Until(until))
		} else if impatient == nil && t.events {
			impatient = time.After(patience)
		}
		select {
		case <-timer:
		case <-changed:
		case <-impatient:
			if missing == nil {
				continue
			}
			t.say("the recording goes on when the client makes the next call: " + missing.name)
			t.s.o.Log(fmt.Sprintf("%s  waits for the client: %s", clip(t.ask.people()), missing.name))
			impatient = make(chan time.Time) // once is enough
		case <-t.ctx.Done():
			return false
		}
	}
}

// say puts a comment on an event stream: no client takes it for an event. A
// stream that was silent in the recording stays so: a comment is a sign of life.
func (t *teller) say(text string) {
	if t.events && t.spoken {
		t.piece([]byte(": a2ascope replay: " + text + "\n\n"))
	}
}

// piece writes a piece of the body.
func (t *teller) piece(b []byte) {
	if len(b) == 0 {
		return
	}
	if t.chunked {
		b = append(append([]byte(strconv.FormatInt(int64(len(b)), 16)+"\r\n"), b...), "\r\n"...)
	}
	t.write(b)
}

func (t *teller) write(b []byte) {
	if t.dead {
		return
	}
	_ = t.conn.SetWriteDeadline(time.Now().Add(sayTimeout))
	if _, err := t.conn.Write(b); err != nil {
		t.dead = true
	}
}
