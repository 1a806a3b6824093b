package console

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"a2ascope/keymap"
	"a2ascope/session"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
)

// Live is a session that can be drawn, and told commands unless it is under
// review. *runner.Runner is one.
type Live interface {
	View() *session.View      // the latest, never nil
	Changed() <-chan struct{} // closed when there is a newer view; take it before View
	Command(line, by string) (int, error)
	Page(from uint64, limit int) ([]session.Record, error)
	Stop(reason string) // may be called again
}

// Reviewed is a Live with no loop behind it.
type Reviewed interface{ Reviewed() }

// Sessions is where sessions come from. Its methods may take long and are
// called outside of the screen's loop; they are safe for use from several
// goroutines.
type Sessions interface {
	// Open starts a new session with the peer at an address.
	Open(ctx context.Context, url string) (Live, error)
	// Continue goes on with a session of the log. One that another console is
	// writing is returned to be read, as a Reviewed.
	Continue(ctx context.Context, id string) (Live, error)
	// Redispatch starts a session with the peer at an address that goes on with
	// a task of another session, and returns the address that requests start
	// from.
	Redispatch(ctx context.Context, url string, of TaskRef) (Live, string, error)
	// Again is the command that sends the first message of a task once more, to
	// a peer that is given tasks in this form (session.View.Form). An error says
	// what cannot be sent as it was.
	Again(of TaskRef, form string) (string, error)
	// Followers are the sessions that went on with a task, the newest first.
	Followers(of TaskRef) ([]session.Summary, error)
	// Review folds a session of the log, to read it.
	Review(id string) (Live, error)
	Peers() ([]PeerRow, error)
	List(Filter) ([]session.Summary, error)
	Decisions() ([]DecisionRow, error)
	// Scenarios are the embedded peers; none outside of the demo.
	Scenarios() []Scenario
	Secrets
	Archive
}

// Filter narrows a list of sessions.
type Filter struct {
	Peer  string // key of a peer; empty for all
	Limit int    // at most so many, the newest; 0 for all
}

// PeerRow is a peer that earlier sessions met.
type PeerRow struct {
	URL         string
	Name        string
	CardVersion string
	Speaks      string // generation and binding
	LastSeen    time.Time
	Sessions    int
	Origin      string          // of its sessions, as in session.Opened
	Verified    int             // states and modes that sessions have proven
	Demoted     []session.Claim // that are demoted now
	// Contradicted are the claims that the last session contradicted.
	Contradicted []session.Claim
}

// DecisionRow is a decision of an earlier session.
type DecisionRow struct {
	Session  string
	Peer     string
	Name     string
	Origin   string // of the session, as in session.Opened
	Seq      uint64
	Decision session.DecisionDoc
	Active   bool // still in force
}

// Scenario is an embedded peer.
type Scenario struct {
	Name  string
	URL   string // what opens it
	Title string // one line: what it does
	Try   string // one line: how to see it
	First string // the command to begin with; empty: taken from Try
	Lies  bool
}

// Options say what the console starts with.
type Options struct {
	Sessions Sessions
	Start    string  // address of the peer to open at once; empty for the peers screen
	Review   string  // id of a session to open for reading at once
	Continue string  // id of a session to go on with at once
	Follow   TaskRef // task of another session that the peer of Start is given; no session for none
	Demo     bool
	Version  string

	Theme    string // a name of package themes; empty for the first
	NoMouse  bool   // leave the mouse to the terminal
	ASCII    bool   // no characters beyond ASCII of our own
	ReadOnly bool   // refuse what is dangerous
	Keys     *keymap.Map
	Problems []keymap.Problem // of the key file, shown on start

	In     io.Reader // nil: the terminal
	Out    io.Writer
	Env    []string         // nil: the process's
	Width  int              // with Height: instead of the terminal's own, for tests
	Height int              //
	Now    func() time.Time // nil: the system's clock
	// Fatal ends the program with an error: a panic caught in another part,
	// say. The terminal is restored first.
	Fatal <-chan error
}

// ErrInterrupted is returned by Run when a signal ended the program.
var ErrInterrupted = errors.New("interrupted by a signal")

// Run shows the console until the operator leaves it, and stops the session
// that is open then. The terminal is restored however it ends.
func Run(ctx context.Context, o Options) error {
	m := newModel(ctx, o)
	p := tea.NewProgram(m, programOptions(ctx, o, m.now)...)
	hup := make(chan os.Signal, 1)
	signal.Notify(hup, syscall.SIGHUP)
	defer signal.Stop(hup)
	done := make(chan struct{})
	var fatal error
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		select {
		case <-hup:
			fatal = ErrInterrupted
		case err := <-o.Fatal:
			fatal = err
		case <-done:
			return
		}
		p.Quit()
	}()
	_, err := p.Run()
	close(done)
	<-watched
	if s := m.session; s != nil {
		s.stop("quit")
	}
	switch {
	case fatal != nil:
		return fatal
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, tea.ErrInterrupted):
		return ErrInterrupted
	case err != nil:
		return fmt.Errorf("console: %w", err)
	case !m.quitting: // Bubble Tea ends on SIGTERM without a word
		return ErrInterrupted
	}
	return nil
}

func programOptions(ctx context.Context, o Options, now func() time.Time) []tea.ProgramOption {
	// At twice the usual frames a key waits at most 8 ms for its frame; frames
	// are only drawn for something that happened.
	opts := []tea.ProgramOption{tea.WithContext(ctx), tea.WithFilter(calm(now)), tea.WithFPS(120)}
	if o.In != nil {
		opts = append(opts, tea.WithInput(o.In))
	}
	if o.Out != nil {
		opts = append(opts, tea.WithOutput(o.Out))
	}
	if o.Env != nil {
		opts = append(opts, tea.WithEnvironment(o.Env), tea.WithColorProfile(colorprofile.Env(o.Env)))
	}
	if o.Width > 0 && o.Height > 0 {
		opts = append(opts, tea.WithWindowSize(o.Width, o.Height))
	}
	return opts
}

// calm lets one wheel event through each 8 ms: a terminal may send hundreds.
func calm(now func() time.Time) func(tea.Model, tea.Msg) tea.Msg {
	var last time.Time
	return func(_ tea.Model, msg tea.Msg) tea.Msg {
		if _, wheel := msg.(tea.MouseWheelMsg); wheel {
			if t := now(); t.Sub(last) < 8*time.Millisecond {
				return nil
			} else {
				last = t
			}
		}
		return msg
	}
}
