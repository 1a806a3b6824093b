package session

import (
	"context"
	"errors"
	"time"

	"a2ascope/session/a2a"
)

// Call is one request as the runner wants it sent: the bytes are not fixed
// yet.
type Call struct {
	Op       a2a.Operation
	Gen      a2a.Generation
	Binding  a2a.Binding
	URL      string // of the endpoint; for OpCard the card's own address
	Whole    bool   // URL is the request's own, after a redirect: no path or query is added
	Params   a2a.Params
	RPCID    int64
	Header   [][2]string  // the operator's own headers, secrets in clear
	Auth     []Credential // in the order given
	Withhold bool         // leave Header's and Auth's secrets out: a foreign origin
	// FirstByte is how long to wait for the answer's first byte; 0 waits as
	// long as ctx lives.
	FirstByte time.Duration
	// Quiet, where it is set, is how long to wait for the first byte instead:
	// an agent may keep the head of a subscription until its first event.
	Quiet   time.Duration
	Connect time.Duration
	// Fresh asks for a connection of its own (a stale view).
	Fresh bool
	// Extensions are URIs that the request says are understood.
	Extensions []string
	// Form is the body of OpToken, encoded.
	Form string
	// Bare leaves the operator's credentials out, on the operator's or a
	// probe's word.
	Bare bool
	// IfNoneMatch makes a card's re-read conditional.
	IfNoneMatch string
}

// Credential is one way to be let in, with its value in clear. It never
// reaches a record.
type Credential struct {
	Kind  string // bearer, basic, apikey
	In    string // apikey: header, query, cookie
	Name  string // apikey: of the header, parameter or cookie
	Value string
	From  string // what the operator wrote, for people: "$TOKEN"
}

// Prepared is a request whose bytes are fixed and which has not been sent.
type Prepared struct {
	Body Requested // what the record says of it; the runner adds Obligation, Rung, Hop and Cause
	Raw  []byte    // head and body exactly as they will be written
	Send any       // what the Peer needs to send it
	// Wrote, where it is set, is told how many bytes of Raw were handed on so
	// far, from any goroutine, as a request is written. It must not block.
	Wrote func(bytes int)
}

// Arrival is something that an exchange brought. Exactly one of the pointers
// is set. Raw belongs to the receiver.
type Arrival struct {
	Response *Responded
	Frame    *Framed
	Closed   *Closed
	Fault    *Faulted
	Push     *Pushed
	Raw      []byte
	At       time.Time // when its last byte was read, with its monotonic reading
}

// Peer puts requests on the wire and reports what comes back. It records and
// never judges: it follows no redirect, repeats nothing and drops nothing.
type Peer interface {
	// Prepare fixes the bytes of a request. It does no I/O.
	Prepare(Call) (Prepared, error)
	// Do sends a prepared request and emits, in order and from one goroutine,
	// what arrives: a Response, or a Fault; after the Response of a stream its
	// Frames and one Closed. It returns when the exchange is over. Emit may
	// block: reading is then slowed down, and nothing is dropped.
	Do(ctx context.Context, p Prepared, emit func(Arrival)) error
}

// Receiver takes push notifications: it listens where the peer is told to
// call. It records and never judges.
type Receiver interface {
	// Start listens and hands on what comes, as Arrivals with Push set, from
	// several goroutines; emit may block. It returns the address to give to
	// the peer, whose last path segment nobody can guess, and the token that
	// deliveries are to carry.
	Start(emit func(Arrival)) (url, token string, err error)
	// Stop ends it, and returns when nothing of it runs any more.
	Stop()
}

// Log is the append-only log of one session, with one writer.
type Log interface {
	// Append makes the records durable in one transaction, or none of them.
	// The summary is what the session comes to with them; it feeds the
	// projections (lists, trust) and is never read back into a fold.
	Append([]Record, Summary) error
	// Page returns up to limit records with numbers from from on, in order.
	Page(from uint64, limit int) ([]Record, error)
	// Close gives up the writer. It is called once.
	Close() error
}

// Exporter carries out the export command.
type Exporter interface {
	// Export writes the session, as committed so far, and returns where to.
	// What looks like a secret is taken out of it unless raw is set.
	Export(session, format, path string, raw bool) (string, error)
}

// Archive keeps sessions, and what they say of peers.
type Archive interface {
	// Trust returns what earlier sessions say of a peer and card version, as
	// of now. A peer that was never met gives a zero Carried.
	Trust(peer, cardVersion string, now time.Time) (Carried, error)
}

// Summary is what a session comes to in one row: Summarise(state) makes it,
// live and in a rebuild alike.
type Summary struct {
	Session      string            `json:"session"`
	Typed        string            `json:"typed"`
	Peer         string            `json:"peer"` // the peer's key: the URL its card was read from, without the well-known suffix
	PeerName     string            `json:"peerName"`
	CardVersion  string            `json:"cardVersion"`
	Generation   string            `json:"generation"`
	Binding      string            `json:"binding"`
	Origin       string            `json:"origin"` // as in Opened: only "" feeds trust
	Started      time.Time         `json:"started"`
	Last         time.Time         `json:"last"`
	Ended        bool              `json:"ended"`
	Records      uint64            `json:"records"`
	Head         Digest            `json:"-"`
	Tasks        int               `json:"tasks"`
	States       []string          `json:"states"`       // of the tasks, in order
	Findings     int               `json:"findings"`     // of any severity
	Contradicted []Claim           `json:"contradicted"` // in the claims' order
	Decisions    int               `json:"decisions"`
	Profile      Profile           `json:"profile"`
	Prompts      map[string]string `json:"prompts,omitempty"`
	Endpoint     string            `json:"endpoint,omitempty"`    // the operator's override
	Credentials  []string          `json:"credentials,omitempty"` // commands that gave them, by reference only
}

// Clock tells the time. Now carries a monotonic reading.
type Clock interface {
	Now() time.Time
	// After returns a channel that receives once d has passed, and a function
	// that gives the timer up.
	After(d time.Duration) (<-chan time.Time, func())
}

// SystemClock is the clock of the machine.
type SystemClock struct{}

// Now implements Clock.
func (SystemClock) Now() time.Time { return time.Now() }

// After implements Clock.
func (SystemClock) After(d time.Duration) (<-chan time.Time, func()) {
	t := time.NewTimer(d)
	return t.C, func() { t.Stop() }
}

// Errors that callers tell apart.
var (
	// ErrBusy: another console writes this session.
	ErrBusy = errors.New("another console is writing this session")
	// ErrNotFound: no such session or record.
	ErrNotFound = errors.New("not found")
	// ErrDetach is the cause with which an exchange's context ends when the
	// operator drops its stream; any other cause means that the console stops.
	ErrDetach = errors.New("the stream was detached")
	// ErrLogFull is the cause with which a stream's context ends when the
	// session's log has reached its limit.
	ErrLogFull = errors.New("the session's log has reached its limit")
	// ErrBroken: the hash chain does not hold.
	ErrBroken = errors.New("the hash chain is broken")
)
