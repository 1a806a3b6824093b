// Package runner runs a session: it is the loop that numbers what arrives,
// folds it, lets the rules judge it and commits it, and that performs what the
// folded state obliges the console to do. It holds no plan of its own: what is
// to be done stands in the state, and all that the loop adds is time, ids and
// the wire.
package runner

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"a2ascope/session"
)

// Config is what a Runner works with. Peer, Log, NewID and Opened are needed.
type Config struct {
	Peer     session.Peer
	Log      session.Log
	Archive  session.Archive  // nil: nothing is known of the peer
	Exporter session.Exporter // nil: export is refused
	Receiver session.Receiver // of push notifications; nil: "push on" is refused
	Clock    session.Clock    // nil: the machine's
	Secrets  *session.Secrets // nil: none are known yet
	Env      func(string) (string, bool)
	// Verify says what becomes of each signature of a card; nil says nothing.
	Verify   func(card []byte) []session.SignatureFact
	ReadFile func(string) ([]byte, error)
	// WriteFile writes a file that must not be there yet, for nobody but its
	// owner to read; nil refuses.
	WriteFile func(path string, data []byte) error
	NewID     func() string
	Opened    session.Opened
	// Committed is called from the loop after each commit with its records, in
	// order. The records are the callee's to read and not to change.
	Committed func([]session.Record)
	// DiskPatience is how long a script goes on while the disk refuses the
	// log; 0 is 30 s.
	DiskPatience time.Duration
}

// Runner runs one session. Its methods are safe for concurrent use.
type Runner struct {
	cfg   Config
	clock session.Clock

	commands chan *commandIn
	queries  chan query
	life     context.Context // ends when the session is to end
	die      context.CancelFunc
	stops    chan string
	poke     chan struct{}
	done     chan struct{} // closed when Run has returned

	view    atomic.Pointer[session.View]
	mu      sync.Mutex
	changed chan struct{}
	probes  map[int]*probing // by command

	// What follows is the loop's alone.
	state     *session.State
	viewer    session.Viewer
	begin     time.Time     // session time base, on the clock
	base      time.Duration // session time at begin
	order     []*exchange   // that are on the wire, by number
	unsent    []ready       // messages whose request record the disk has refused so far
	waiting   []*commandIn
	batch     []session.Record
	batchSize int       // bytes
	batchLast int       // records of the batch before
	urgent    bool      // the batch holds more than frames
	batchAt   time.Time // when its first record was numbered
	published time.Time
	stale     bool // a commit was not published yet
	disk      disk
	flight    *flight
	alive     time.Time // when the loop last came round
	stall     *stall
	choked    bool // arrivals are left waiting because the disk refuses
	chokedAt  time.Time
	past      chan time.Time          // closed: a timer that has run off
	files     map[int]map[string]file // by command that is not over, and path
	secrets   map[string]credential
	users     map[string]session.Credential // from typed addresses, by origin
	receiver  session.ReceiverAddress       // that listens; zero while none does
	later     []session.Draft               // drafts of the console's own work, for the next round
	outcomes  chan session.Draft            // of commands that are carried out beside the loop
	aside     int                           // how many of them are under way
	stopping  string
	ending    bool
	wg        sync.WaitGroup
	stuck     int // exchanges that would not end when they were told to
}

// New returns a runner for a new session. Nothing is written before Run.
func New(cfg Config) *Runner {
	r := &Runner{
		cfg: cfg, clock: cfg.Clock, commands: make(chan *commandIn, 64), queries: make(chan query), stops: make(chan string, 1),
		poke: make(chan struct{}, 1), done: make(chan struct{}), changed: make(chan struct{}), state: session.NewState(),
		past: make(chan time.Time), files: map[int]map[string]file{}, secrets: map[string]credential{}, users: map[string]session.Credential{}, probes: map[int]*probing{}, outcomes: make(chan session.Draft, 8),
	}
	close(r.past)
	r.life, r.die = context.WithCancel(context.Background())
	if r.clock == nil {
		r.clock = session.SystemClock{}
	}
	if r.cfg.Secrets == nil {
		r.cfg.Secrets = &session.Secrets{}
	}
	r.cfg.Opened.URL = r.takeUser(cfg.Opened.URL)
	r.cfg.Opened.Typed = r.takeUser(cfg.Opened.Typed)
	r.view.Store(session.MakeView(r.state))
	return r
}

// Resume returns a runner that continues the session in cfg.Log: its records
// are folded, and their chain is checked on the way.
func Resume(cfg Config) (*Runner, error) {
	r := New(cfg)
	if err := Replay(r.state, cfg.Log.Page); err != nil {
		return nil, fmt.Errorf("continuing session %s: %w", cfg.Opened.Session, err)
	}
	if r.state.Seq == 0 {
		return nil, fmt.Errorf("continuing session %s: %w: it has no records", cfg.Opened.Session, session.ErrNotFound)
	}
	r.cfg.Opened.Continued = true
	for _, c := range r.state.Peer.Credentials {
		if cmd, err := session.ParseCommand(c.Line); err == nil {
			_ = r.credential(cmd) // an unset variable shows when the peer refuses; the log keeps which it was
		}
	}
	r.view.Store(session.MakeView(r.state))
	return r, nil
}

// Replay folds a log's records into s, in pages, and checks their chain.
func Replay(s *session.State, page func(from uint64, limit int) ([]session.Record, error)) error {
	for {
		records, err := page(s.Seq+1, 512)
		if err != nil {
			return fmt.Errorf("reading records from %d on: %w", s.Seq+1, err)
		}
		if len(records) == 0 {
			return nil
		}
		for i := range records {
			if err := records[i].Verify(s.Seq, s.Head); err != nil {
				return fmt.Errorf("%w: %w", session.ErrBroken, err)
			}
			session.Fold(s, &records[i])
		}
	}
}

// View returns the picture of the last state that was committed.
func (r *Runner) View() *session.View { return r.view.Load() }

// Changed returns a channel that is closed when a newer view is there. Take it
// before View.
func (r *Runner) Changed() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.changed
}

// ErrStopped is returned for a session whose loop has ended.
var ErrStopped = errors.New("the session was ended")

// Command hands a line to the loop and returns its number once it was taken.
// A line that is no command is an error, and is not logged.
func (r *Runner) Command(line, by string) (int, error) {
	return r.command(context.Background(), line, by)
}

func (r *Runner) command(ctx context.Context, line, by string) (int, error) {
	cmd, err := session.ParseCommand(line)
	if err != nil {
		return 0, err
	}
	in := &commandIn{line: line, by: by, cmd: cmd, at: r.clock.Now(), taken: make(chan int, 1)}
	r.load(in)
	select {
	case r.commands <- in:
		r.wake()
	case <-r.done:
		return 0, ErrStopped
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	select {
	case n := <-in.taken:
		return n, nil
	case <-r.done:
		return 0, ErrStopped
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

// Await waits until command n is over, and committed.
func (r *Runner) Await(ctx context.Context, n int) (session.CommandView, error) {
	for {
		changed := r.Changed()
		var cv session.CommandView
		if err := r.ask(func(s *session.State) { cv, _ = s.CommandDone(n) }); err != nil {
			return cv, err
		}
		if cv.Over {
			return cv, nil
		}
		select {
		case <-changed:
		case <-r.done:
			if err := r.ask(func(s *session.State) { cv, _ = s.CommandDone(n) }); err == nil && cv.Over {
				return cv, nil
			}
			return cv, ErrStopped
		case <-ctx.Done():
			return cv, ctx.Err()
		}
	}
}

// Document returns the verdict document of what is committed.
func (r *Runner) Document(tool session.ToolDoc) session.Document {
	var d session.Document
	_ = r.ask(func(s *session.State) {
		d = session.MakeDocument(s, tool)
		d.Exit = s.Exit(r.disk.failed)
	})
	return d
}

// Exit returns the exit status that the session has earned so far.
func (r *Runner) Exit() session.ExitDoc {
	var d session.ExitDoc
	_ = r.ask(func(s *session.State) { d = s.Exit(r.disk.failed) })
	return d
}

// Page returns up to limit records from from on: those in the log, then those
// that the disk has refused so far.
func (r *Runner) Page(from uint64, limit int) ([]session.Record, error) {
	records, err := r.cfg.Log.Page(from, limit)
	if err != nil || len(records) == limit {
		return records, err
	}
	return append(records, r.disk.tail(from+uint64(len(records)), limit-len(records))...), nil
}

// Stop ends the session in order: exchanges are ended, "ended" is written, and
// Run returns.
func (r *Runner) Stop(reason string) {
	select {
	case r.stops <- reason:
	default: // it is being stopped already
	}
	r.wake()
}

// query is something to be read off the committed state, by the loop.
type query struct {
	read func(*session.State)
	done chan struct{}
}

// ask reads the committed state: through the loop while it runs.
func (r *Runner) ask(read func(*session.State)) error {
	return r.askWithin(context.Background(), read)
}

// askWithin is ask for those who must not outlive ctx, because the loop waits
// for them in its turn.
func (r *Runner) askWithin(ctx context.Context, read func(*session.State)) error {
	q := query{read: read, done: make(chan struct{})}
	select {
	case r.queries <- q:
		<-q.done
	case <-r.done:
		read(r.state)
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

func (r *Runner) wake() {
	select {
	case r.poke <- struct{}{}:
	default:
	}
}
