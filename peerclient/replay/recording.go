package replay

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"net/textproto"
	"slices"
	"strings"
	"time"

	"a2ascope/session"
	"a2ascope/session/a2a"
)

// recording is the index of a session: what was asked, and in which records
// the answers lie. Its size is that of the exchanges, not of the frames.
type recording struct {
	pages     func(from uint64, n int) ([]session.Record, error)
	session   string
	path      string   // of the address that the operator typed
	origins   []string // that answered; the first is the peer's own
	onCard    map[string]bool
	exchanges []*exchange
	convs     []*conversation
	loose     []*exchange // that belong to no conversation
	rpcPaths  map[string]bool

	grpc     int // exchanges over gRPC
	withheld int // records whose wire bytes are not there
	unfit    int // exchanges that are not served because of that
}

// exchange is one recorded request and where its answer is.
type exchange struct {
	ask
	n     int // in the session
	sent  time.Duration
	begin uint64 // record of the request
	conv  *conversation
	turn  int // ordinal among the requests of the conversation that change its task

	// answer is the record of the response or fault; 0 while there is none.
	answer  uint64
	at      time.Duration
	head    *session.Responded // nil for a fault
	fault   *session.Faulted
	last    uint64 // record in which a stream ended; 0 while it did not
	endAt   time.Duration
	closed  session.Closed
	missing bool // the bytes of its answer were withheld
	refused bool // it was answered with an error
}

// conversation is a message that named no task, and what was asked about the
// task that it began.
type conversation struct {
	n         int
	exchanges []*exchange
	turns     []*exchange // those that change the task: messages and cancels
	ids       []string    // of its tasks
	ownID     string      // the task's id, where the client made it (0.1)
	context   string      // of the task, as the peer or the client named it
	token     string      // with which the receiver knows its deliveries, as the log has it
	hookPath  string      // of the receiver, as the log has it
	pushes    []push
}

// push is a recorded call to the receiver.
type push struct {
	seq  uint64
	at   time.Duration
	body session.Pushed
}

// changes reports whether a request changes the task that it is about.
func (x *exchange) changes() bool { return x.messages() || x.op == a2a.OpCancel }

// read makes the index of a session.
func read(pages func(from uint64, n int) ([]session.Record, error)) (*recording, error) {
	r := &recording{pages: pages, onCard: map[string]bool{}, rpcPaths: map[string]bool{}}
	in := reader{rec: r, state: session.NewState(), byN: map[int]*exchange{}}
	for {
		records, err := pages(in.state.Seq+1, 256)
		if err != nil {
			return nil, fmt.Errorf("reading the recording from record %d on: %w", in.state.Seq+1, err)
		}
		if len(records) == 0 {
			break
		}
		for i := range records {
			session.Fold(in.state, &records[i])
			in.take(&records[i])
		}
	}
	if in.state.Seq == 0 {
		return nil, errors.New("the recording holds no record")
	}
	r.session = in.state.Opened.Session
	r.path, _ = pathOf(in.state.Opened.URL)
	r.path = strings.TrimSuffix(r.path, "/")
	in.place()
	in.converse()
	for _, x := range r.exchanges {
		if x.missing {
			r.unfit++
		}
	}
	return r, r.servable()
}

// servable says why nothing can be served.
func (r *recording) servable() error {
	calls, fit := 0, false
	for _, x := range r.exchanges {
		if x.op != a2a.OpCard {
			calls++
		}
		fit = fit || !x.missing && x.answer > 0
	}
	switch {
	case r.grpc > 0 && calls == 0:
		return fmt.Errorf("session %s spoke gRPC: %w; a recording over JSON-RPC or HTTP+JSON is", r.session, ErrGRPC)
	case len(r.exchanges) == 0:
		return fmt.Errorf("session %s holds no request: nothing was asked", r.session)
	case !fit && r.withheld > 0:
		return fmt.Errorf("the wire bytes of session %s were withheld: export it with them (as jsonl, redacted or --raw)", r.session)
	case !fit:
		return fmt.Errorf("session %s holds no answer to any of its %d requests", r.session, len(r.exchanges))
	}
	return nil
}

// maxCards is how many cards are looked at for the addresses on them.
const maxCards = 16

// reader goes through the records.
type reader struct {
	rec    *recording
	state  *session.State
	byN    map[int]*exchange
	urls   []string // of rec.exchanges
	raws   []request
	pushes []push
	bodies [][]byte // of the pushes, for the ids in them
	cards  [][]byte
}

// request is what is needed of a request until all are read.
type request struct {
	b    session.Requested
	head http.Header
	body []byte
}

func (in *reader) take(rec *session.Record) {
	r := in.rec
	wire := rec.Kind == session.KindRequest || rec.Kind == session.KindResponse || rec.Kind == session.KindFrame || rec.Kind == session.KindPush
	if wire && len(rec.Raw) == 0 && rec.Redacted {
		r.withheld++
	}
	x := in.byN[rec.Exchange]
	if rec.Kind == session.KindRequest {
		in.request(rec)
		return
	}
	if rec.Kind == session.KindPush {
		var b session.Pushed
		if rec.Decode(&b) == nil && len(rec.Raw) > 0 && (b.TokenOK || b.Untokened || b.Validation) {
			in.pushes = append(in.pushes, push{rec.Seq, rec.Elapsed, b})
			in.bodies = append(in.bodies, rec.Raw)
		}
		return
	}
	if rec.Kind == session.KindCard && len(in.cards) < maxCards {
		in.cards = append(in.cards, rec.Raw)
	}
	if x == nil {
		return
	}
	switch rec.Kind {
	case session.KindResponse:
		var b session.Responded
		if rec.Decode(&b) == nil {
			b.ProtoJSON = nil
			x.answer, x.at, x.head, x.missing = rec.Seq, rec.Elapsed, &b, len(rec.Raw) == 0
		}
	case session.KindFault:
		var b session.Faulted
		if rec.Decode(&b) == nil {
			x.answer, x.at, x.fault = rec.Seq, rec.Elapsed, &b
		}
	case session.KindClosed:
		if rec.Decode(&x.closed) == nil {
			x.last, x.endAt = rec.Seq, rec.Elapsed
		}
	}
}

func (in *reader) request(rec *session.Record) {
	var b session.Requested
	if rec.Decode(&b) != nil {
		return
	}
	if b.Binding == a2a.GRPC {
		in.rec.grpc++
		return
	}
	x := &exchange{n: rec.Exchange, sent: rec.Elapsed, begin: rec.Seq}
	if x.n == 0 { // the fold numbers them so
		x.n = len(in.state.Exchanges)
	}
	in.byN[x.n] = x
	head, body := split(rec.Raw, b.Head)
	in.rec.exchanges = append(in.rec.exchanges, x)
	in.urls = append(in.urls, b.URL)
	in.raws = append(in.raws, request{b, headerOf(head), body})
	if b.Binding == a2a.JSONRPC && b.Op != a2a.OpCard {
		path, _ := pathOf(b.URL)
		in.rec.rpcPaths[path] = true
	}
}

// split cuts wire bytes at the end of their head. A redaction may have moved
// it.
func split(raw []byte, at int) (head, body []byte) {
	if at >= 0 && at <= len(raw) && bytes.HasSuffix(raw[:at], []byte("\n")) && len(bytes.TrimRight(raw[:at], "\r\n"))+2 <= at {
		return raw[:at], raw[at:]
	}
	if i := bytes.Index(raw, []byte("\r\n\r\n")); i >= 0 {
		return raw[:i+4], raw[i+4:]
	}
	return raw, nil
}

func headerOf(head []byte) http.Header {
	_, fields, _ := bytes.Cut(head, []byte("\n"))
	h, _ := textproto.NewReader(bufio.NewReader(bytes.NewReader(fields))).ReadMIMEHeader() // what it reads before an error is what there is
	return http.Header(h)
}

// held lists the calls that there are answers to, of one task where one is
// given.
func (r *recording) held(task string) []Held {
	var out []Held
	at := map[string]int{}
	for _, x := range r.exchanges {
		if x.missing || x.answer == 0 || task != "" && x.task != task {
			continue
		}
		i, ok := at[x.call]
		if !ok {
			i = len(out)
			at[x.call] = i
			out = append(out, Held{Call: x.name})
		}
		out[i].Answers++
		if x.task != "" && !slices.Contains(out[i].Tasks, x.task) && len(out[i].Tasks) < 100 {
			out[i].Tasks = append(out[i].Tasks, x.task)
		}
	}
	return out
}

func (r *recording) notes() []string {
	var out []string
	if r.withheld > 0 {
		out = append(out, fmt.Sprintf("the wire bytes of %d records were withheld from this copy: they are skipped, and %d requests get no answer", r.withheld, r.unfit))
	}
	if r.grpc > 0 {
		out = append(out, fmt.Sprintf("%d requests over gRPC are not served", r.grpc))
	}
	return out
}

// record reads one record.
func (r *recording) record(seq uint64) (*session.Record, error) {
	records, err := r.pages(seq, 1)
	if err != nil {
		return nil, err
	}
	if len(records) == 0 || records[0].Seq != seq {
		return nil, fmt.Errorf("record %d is not in the recording any more", seq)
	}
	return &records[0], nil
}
