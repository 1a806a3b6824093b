package cli

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"a2ascope/history"
	"a2ascope/peerclient"
	"a2ascope/peerclient/cardkey"
	"a2ascope/peerclient/demopeer"
	"a2ascope/peerclient/webhook"
	"a2ascope/session"
	"a2ascope/session/runner"
)

// originDemo marks sessions with embedded peers: they never feed trust.
const originDemo = "demo"

// toolName is how the verdict document names this program.
const toolName = "a2ascope"

func tool() session.ToolDoc { return session.ToolDoc{Name: toolName, Version: Version()} }

// open opens the log for writing.
func (a *app) open(path string) (*history.Store, error) {
	store, err := history.Open(path, history.Options{})
	if err != nil {
		a.log.Error("Opening the log failed", "error", err.Error())
		return nil, &exitError{status: statusLog, err: err}
	}
	return store, nil
}

// view opens the log for reading.
func (a *app) view(path string) (*history.Store, error) {
	store, err := history.Open(path, history.Options{ReadOnly: true})
	if err != nil {
		return nil, &exitError{status: statusLog, err: err}
	}
	return store, nil
}

// opening says which session is to be opened, and how.
type opening struct {
	typed     string // URL or demo:SCENARIO; empty to go on with a session
	flags     *sessionFlags
	headless  bool   // lost tasks are given to the peer again without a question
	origin    string // as in session.Opened, where it is known before the peer is
	committed func([]session.Record)
	// ask answers for a variable that is not set; nil asks on the terminal,
	// which must not belong to the console then.
	ask func(name string) (string, error)
	// env looks a variable up; nil is the process's environment.
	env func(name string) (string, bool)
}

// live is a session that is open for writing, with all that it stands on.
type live struct {
	*runner.Runner
	ID      string
	Address string // that requests start from
	typed   string // as the operator gave it
	From    uint64 // number of the first record that this run writes
	store   *history.Store
	log     *history.SessionLog
	client  *peerclient.Client
	demos   *demos
}

// begin opens a session in store and puts the parts together. The loop is not
// running yet.
func (a *app) begin(ctx context.Context, store *history.Store, o opening) (_ *live, err error) {
	l := &live{store: store, demos: &demos{pace: a.demoPace}}
	defer func() {
		if err != nil {
			l.close()
		}
	}()
	tls, err := peerclient.LoadTLS(o.flags.insecure, o.flags.ca, o.flags.cert, o.flags.key)
	if err != nil {
		return nil, &exitError{status: statusUsage, err: err}
	}
	ask := o.ask
	if ask == nil {
		ask = a.asker()
	}
	env := o.env
	if env == nil {
		env = a.env
	}
	given, err := o.flags.secrets(env, ask)
	if err != nil {
		return nil, &exitError{status: statusUsage, err: err}
	}
	keys, err := cardkey.Load(o.flags.cardKeys...)
	if err != nil {
		return nil, &exitError{status: statusUsage, err: err}
	}
	opened := session.Opened{Tool: Version(), Typed: o.typed, Policy: o.flags.policy, AllowOrigins: o.flags.allowed(), Origin: o.origin}
	opened.Policy.AutoRedispatch = o.headless && !opened.Policy.NoRedispatch
	old, err := a.which(store, o)
	if err != nil {
		return nil, err
	}
	listen := ""
	if old != nil {
		if opened.Typed == "" || opened.Typed == old.Typed {
			opened.Typed, opened.URL, opened.Origin, listen = old.Typed, old.URL, old.Origin, demoListen(old)
		}
		l.ID = old.Session
	} else {
		l.ID = newSessionID(time.Now())
	}
	opened.Session = l.ID
	if o.flags.redispatch != "" {
		if old != nil {
			return nil, usage("--redispatch begins a session of its own; leave out --session and --continue")
		}
		if err := follow(store, o.flags.redispatch, &opened); err != nil {
			return nil, err
		}
	}
	if old != nil {
		l.log, err = store.Continue(l.ID)
	} else {
		l.log, err = store.Create(l.ID)
	}
	if err != nil { // before an embedded peer is started: the address may be that of the other console's
		return nil, &exitError{status: statusLog, err: err}
	}
	if opened.URL, opened.Origin, err = l.address(ctx, opened, listen); err != nil {
		return nil, err
	}
	l.Address, l.typed = opened.URL, opened.Typed
	secrets := &session.Secrets{}
	if err := keepUserInfo(secrets, opened.URL); err != nil {
		return nil, usage("the address of the peer: %w", err)
	}
	if err := keepUserInfo(secrets, opened.Policy.PushURL); err != nil {
		return nil, usage("--push-url: %w", err)
	}
	l.client = peerclient.New(peerclient.Options{TLS: tls, Proxy: proxyOf(o.flags.proxy)})
	seq, _ := l.log.Head()
	l.From = seq + 1
	cfg := runner.Config{
		Peer: l.client, Log: l.log, Archive: store, Exporter: exporter{store},
		Receiver: webhook.New(webhook.Options{Listen: opened.Policy.PushListen, PublicURL: opened.Policy.PushURL, NewID: newUUID}), Secrets: secrets, Env: given.lookup, Verify: keys.Verify, ReadFile: readPart, WriteFile: writeNew,
		NewID: newUUID, Opened: opened, Committed: o.committed,
	}
	if old == nil {
		l.Runner = runner.New(cfg)
		return l, nil
	}
	if l.Runner, err = runner.Resume(cfg); err != nil {
		return nil, &exitError{status: statusFailed, err: err}
	}
	return l, nil
}

// which finds the session to go on with; nil for a new one.
func (a *app) which(store *history.Store, o opening) (*session.Opened, error) {
	id := o.flags.session
	var err error
	switch {
	case id != "":
		id, err = findSession(store, id)
	case o.flags.resume:
		id, err = store.Latest(o.typed)
	default:
		return nil, nil
	}
	if errors.Is(err, session.ErrNotFound) {
		return nil, usage("going on with a session: %w", err)
	} else if err != nil {
		return nil, &exitError{status: statusLog, err: err}
	}
	first, err := store.Page(id, 1, 1)
	if err != nil || len(first) == 0 {
		return nil, &exitError{status: statusLog, err: fmt.Errorf("reading the beginning of session %s: %w", id, err)}
	}
	var old session.Opened
	if err := first[0].Decode(&old); err != nil {
		return nil, &exitError{status: statusFailed, err: err}
	}
	old.Session = id
	if o.typed != "" && o.typed != old.Typed && !session.SameOrigin(o.typed, old.URL) {
		return nil, usage("session %s is with %s, not with %s: leave the URL out to go on with it", id, old.Typed, o.typed)
	}
	return &old, nil
}

// close lets go of everything but the store. The loop must have ended.
func (l *live) close() {
	if l.client != nil {
		l.client.Close()
	}
	if l.log != nil {
		_ = l.log.Close() // all records were committed one by one
	}
	l.demos.close()
}

// address returns what requests start from, and the session's origin. An
// embedded peer is started for a demo address.
func (l *live) address(ctx context.Context, o session.Opened, listen string) (at, origin string, err error) {
	if !isDemo(o.Typed) {
		if o.URL == "" {
			o.URL = o.Typed
		}
		return o.URL, o.Origin, nil
	}
	at, err = l.demos.start(ctx, o.Typed, listen)
	return at, originDemo, err
}

// keepUserInfo makes the user part of an address a known secret.
func keepUserInfo(secrets *session.Secrets, raw string) error {
	u, err := url.Parse(raw)
	if err != nil || u.User == nil {
		return nil
	}
	password, ok := u.User.Password()
	if !ok {
		_, err = secrets.Add(u.User.Username())
		return err
	}
	pair := u.User.Username() + ":" + password
	_, err = secrets.Add(pair, session.SecretParts("Basic "+pair)...)
	return err
}

func proxyOf(raw string) func(*http.Request) (*url.URL, error) {
	if raw == "" {
		return nil
	}
	u, err := url.Parse(raw)
	return func(*http.Request) (*url.URL, error) { return u, err }
}

// demos are the embedded peers of one session.
type demos struct {
	pace  string
	peers []*demopeer.Peer
}

const demoPrefix = "demo:"

func isDemo(typed string) bool { return strings.HasPrefix(typed, demoPrefix) }

// start starts the peer that a demo address names.
func (d *demos) start(ctx context.Context, typed, listen string) (string, error) {
	name, generation, err := demopeer.ParseName(strings.TrimPrefix(typed, demoPrefix))
	if err != nil {
		return "", usage("%s: %w", typed, err)
	}
	pace, err := d.chunkPace()
	if err != nil {
		return "", err
	}
	p, err := demopeer.Start(context.WithoutCancel(ctx), demopeer.Options{Scenario: name, Generation: generation, Listen: listen, Pace: pace})
	if err != nil {
		return "", &exitError{status: statusFailed, err: err}
	}
	d.peers = append(d.peers, p)
	return p.URL(), nil
}

// chunkPace reads --demo-pace; 0 leaves it to the peers.
func (d *demos) chunkPace() (time.Duration, error) {
	if d.pace == "" {
		return 0, nil
	}
	pace, err := time.ParseDuration(d.pace)
	if err != nil || pace <= 0 {
		return 0, usage("--demo-pace %s: a time between two chunks is written like 50ms", d.pace)
	}
	return pace, nil
}

func (d *demos) close() {
	for _, p := range d.peers {
		_ = p.Close() // the session is over; nobody talks to it any more
	}
	d.peers = nil
}

// demoListen is where the embedded peer of an earlier run listened: its card
// and its endpoints are known by that address. It is empty for other peers.
func demoListen(old *session.Opened) string {
	if !isDemo(old.Typed) {
		return ""
	}
	u, err := url.Parse(old.URL)
	if err != nil {
		return ""
	}
	return u.Host
}
