package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"a2ascope/history"
	"a2ascope/peerclient/demopeer"
	"a2ascope/session"
	"a2ascope/ui/console"
)

// shelf is where the console gets its sessions from.
type shelf struct {
	app   *app
	ctx   context.Context // of the program: sessions live as long
	store *history.Store
	flags *sessionFlags
	demo  bool
	fatal chan error
	given map[string]string // answers that were typed, by the variable's name; guarded by mu

	loops sync.WaitGroup
	mu    sync.Mutex
	begun []*live
}

var _ console.Sessions = (*shelf)(nil)

// Open begins a session with a peer. The console reads the card itself.
func (s *shelf) Open(ctx context.Context, typed string) (console.Live, error) {
	f := *s.flags
	f.session, f.resume, f.redispatch = "", false, ""
	return s.begin(ctx, opening{typed: typed, flags: &f})
}

// Redispatch begins a session that goes on with a task of another one.
func (s *shelf) Redispatch(ctx context.Context, typed string, of console.TaskRef) (console.Live, string, error) {
	f := *s.flags
	f.session, f.resume, f.redispatch = "", false, refText(of)
	l, err := s.begin(ctx, opening{typed: typed, flags: &f})
	if err != nil {
		return nil, "", err
	}
	return l, l.(driven).Address, nil
}

// Again is the command that sends a task's first message once more.
func (s *shelf) Again(of console.TaskRef, form string) (string, error) {
	return again(s.store, refText(of), form)
}

// refText is a task as --redispatch takes it.
func refText(of console.TaskRef) string { return fmt.Sprintf("%s/%d", of.Session, of.Task) }

// Followers are the sessions that went on with a task.
func (s *shelf) Followers(of console.TaskRef) ([]session.Summary, error) {
	all, err := s.List(console.Filter{})
	if err != nil {
		return nil, err
	}
	var out []session.Summary
	for _, x := range all {
		if x.Session == of.Session {
			break // the older ones cannot follow it
		}
		first, err := s.store.Page(x.Session, 1, 1)
		if err != nil {
			return nil, err
		}
		var o session.Opened
		if len(first) == 1 && first[0].Decode(&o) == nil && o.Follows == of.Session && o.FollowsTask == of.Task {
			out = append(out, x)
		}
	}
	return out, nil
}

// Continue goes on with a session. One that another console is writing is
// opened for reading.
func (s *shelf) Continue(ctx context.Context, id string) (console.Live, error) {
	f := *s.flags
	f.session, f.resume, f.redispatch = id, false, ""
	l, err := s.begin(ctx, opening{flags: &f})
	if errors.Is(err, session.ErrBusy) {
		return s.Review(id)
	}
	return l, err
}

func (s *shelf) begin(ctx context.Context, o opening) (console.Live, error) {
	o.ask, o.env = s.answer, s.lookup
	l, err := s.app.begin(ctx, s.store, o)
	if err != nil {
		return nil, err
	}
	s.app.log.Info("Session opened", "session", l.ID)
	s.mu.Lock()
	s.begun = append(s.begun, l)
	s.mu.Unlock()
	s.loops.Add(1)
	ended := background(func() error { return l.Run(s.ctx) })
	go func() {
		defer s.loops.Done()
		err := <-ended
		l.close()
		s.app.log.Info("Session ended", "session", l.ID)
		if err != nil && l.View().Recorded { // not the disk: the loop itself broke
			s.app.log.Error("Loop broke", "session", l.ID, "error", err.Error())
			select {
			case s.fatal <- err:
			default:
			}
		}
	}()
	for _, line := range o.flags.credentials() {
		if _, err := l.Runner.Command(line, "console"); err != nil {
			l.Stop("error")
			return nil, err
		}
	}
	return driven{l, s.ctx}, nil
}

// answer answers for a variable that is not set. The terminal is the console's:
// it has asked before, and a question here would take the keys away from it.
func (s *shelf) answer(name string) (string, error) {
	if v, ok := s.typed(name); ok {
		return v, nil
	}
	return "", fmt.Errorf("it is not set; start the console with %s set or with --secret-file %s=PATH", name, name)
}

// typed is a value that was typed into the console.
func (s *shelf) typed(name string) (string, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.given[name]
	return v, v != ""
}

// lookup is the environment of the console's sessions: what was typed stands in
// for what is not set.
func (s *shelf) lookup(name string) (string, bool) {
	if v, ok := s.app.env(name); ok && v != "" {
		return v, true
	}
	return s.typed(name)
}

// Wanted lists the variables of a credential that are not set.
func (s *shelf) Wanted(line string) []console.Secret {
	lines := []string{line}
	if line == "" {
		lines = s.flags.credentials()
	}
	var out []console.Secret
	for _, line := range lines {
		for _, name := range variablesOf(line) {
			known := slices.ContainsFunc(out, func(x console.Secret) bool { return x.Name == name }) ||
				slices.ContainsFunc(s.flags.secretFiles, func(pair string) bool { return strings.HasPrefix(pair, name+"=") })
			if v, ok := s.app.env(name); known || ok && v != "" {
				continue
			}
			_, given := s.typed(name)
			out = append(out, console.Secret{Name: name, Given: given})
		}
	}
	return out
}

// Give keeps what was typed for a variable.
func (s *shelf) Give(name, value string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.given == nil {
		s.given = map[string]string{}
	}
	s.given[name] = value
}

// end ends the sessions that are still open, and returns when all of them are
// whole in the log.
func (s *shelf) end() {
	s.mu.Lock()
	begun := s.begun
	s.mu.Unlock()
	for _, l := range begun {
		l.Stop("quit")
	}
	s.loops.Wait()
}

// sessions are the ids of those that were written.
func (s *shelf) sessions() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var ids []string
	for _, l := range s.begun {
		if !slices.Contains(ids, l.ID) {
			ids = append(ids, l.ID)
		}
	}
	return ids
}

// driven is a session that the console gives commands to.
type driven struct {
	*live
	ctx context.Context
}

// Command starts the embedded peer that a line may name, and hands the line to
// the session.
func (d driven) Command(line, by string) (int, error) {
	line, err := d.localise(d.ctx, line)
	if err != nil {
		return 0, err
	}
	return d.Runner.Command(line, by)
}

// Review folds a recorded session.
func (s *shelf) Review(id string) (console.Live, error) {
	id, err := findSession(s.store, id)
	if err != nil {
		return nil, err
	}
	state, err := stateOf(s.store, id)
	if err != nil {
		return nil, err
	}
	return &reviewed{view: session.MakeView(state), changed: make(chan struct{}), store: s.store, id: id}, nil
}

// reviewed is a session that is only read.
type reviewed struct {
	view    *session.View
	changed chan struct{} // never closed
	store   *history.Store
	id      string
}

func (r *reviewed) View() *session.View      { return r.view }
func (r *reviewed) Changed() <-chan struct{} { return r.changed }
func (r *reviewed) Stop(string)              {}
func (r *reviewed) Reviewed()                {}

func (r *reviewed) Command(string, string) (int, error) {
	return 0, errors.New("this session is being looked at, not run: it takes no commands")
}

func (r *reviewed) Page(from uint64, limit int) ([]session.Record, error) {
	return r.store.Page(r.id, from, limit)
}

// Peers lists the peers that earlier sessions met. An embedded peer is one,
// whatever port it listened on.
func (s *shelf) Peers() ([]console.PeerRow, error) {
	rows, err := s.store.Peers()
	if err != nil {
		return nil, err
	}
	var out []console.PeerRow
	at := map[string]int{} // place of an embedded peer
	for _, p := range rows {
		row := console.PeerRow{URL: p.Peer, Name: p.Name, CardVersion: p.CardVersion, LastSeen: p.Last, Sessions: p.Sessions, Origin: p.Origin}
		row.Verified = len(p.Profile.VerifiedStates) + len(p.Profile.VerifiedOutputModes) + len(p.Profile.AcceptedInputModes)
		if s.demo || p.Origin == originDemo { // its address is gone, its name is not
			row.URL, row.Origin = p.Typed, originDemo
			if i, ok := at[p.Typed]; ok { // met on another port before
				out[i].Sessions += row.Sessions
				out[i].Verified = max(out[i].Verified, row.Verified)
				continue
			}
			at[p.Typed] = len(out)
		}
		for _, d := range p.Demoted {
			row.Demoted = append(row.Demoted, d.Claim)
		}
		if last, ok := s.last(p); ok {
			row.Speaks, row.Contradicted = last.Generation+" "+last.Binding, last.Contradicted
		}
		out = append(out, row)
	}
	return out, nil
}

// last is a peer's last session; what was imported or replayed beside it is
// not.
func (s *shelf) last(p history.PeerRow) (session.Summary, bool) {
	rows, err := s.store.Sessions(history.Filter{Peer: p.Peer, Limit: 20})
	if err != nil || len(rows) == 0 {
		return session.Summary{}, false
	}
	for _, r := range rows {
		if r.Session == p.Session {
			return r, true
		}
	}
	return rows[0], true
}

// List lists sessions, the last one first.
func (s *shelf) List(f console.Filter) ([]session.Summary, error) {
	const page = 1000
	var out []session.Summary
	next := history.Filter{Peer: f.Peer, Limit: page}
	for {
		if f.Limit > 0 {
			next.Limit = min(page, f.Limit-len(out))
		}
		rows, err := s.store.Sessions(next)
		if err != nil {
			return nil, err
		}
		out = append(out, rows...)
		if len(rows) < page || len(out) == f.Limit {
			return out, nil
		}
		last := rows[len(rows)-1]
		next.Before, next.BeforeID = last.Started, last.Session
	}
}

// Decisions lists the decisions of all sessions, the last one first.
func (s *shelf) Decisions() ([]console.DecisionRow, error) {
	rows, err := s.store.Decisions(history.DecisionFilter{Limit: 1000})
	if err != nil {
		return nil, err
	}
	var out []console.DecisionRow
	for _, r := range rows {
		d := r.Decision
		out = append(out, console.DecisionRow{Session: r.Session, Peer: r.Peer, Name: r.PeerName, Active: r.Active, Origin: r.Origin, Seq: r.Seq, Decision: session.DecisionDoc{
			ID: d.ID, Action: d.Action, Claim: d.Claim, By: d.By, At: rfc3339(r.Wall), Reason: d.Reason, Until: rfc3339(d.Until),
			Supersedes: d.Supersedes, Evidence: d.Evidence,
		}})
	}
	return out, nil
}

// Scenarios are the embedded peers, in the demo.
func (s *shelf) Scenarios() []console.Scenario {
	if !s.demo {
		return nil
	}
	var out []console.Scenario
	for _, p := range demopeer.Scenarios() {
		out = append(out, console.Scenario{Name: p.Name, URL: demoPrefix + p.Name, Title: p.Title, Try: p.Try, Lies: p.Lies})
	}
	return out
}

// rfc3339 writes a time as documents do: empty where there is none.
func rfc3339(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}
