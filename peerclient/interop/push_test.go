package interop

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"a2ascope/history"
	"a2ascope/peerclient"
	"a2ascope/peerclient/webhook"
	"a2ascope/session"
	"a2ascope/session/runner"
)

// TestPushFromGoSDK lets the official Go SDK call the console's receiver, for
// every way to give it the address. Its HTTP+JSON of 0.3 takes messages of
// another form than that text has, and is left out.
func TestPushFromGoSDK(t *testing.T) {
	t.Parallel()
	for _, dialect := range []string{"jsonrpc 1.0", "rest 1.0", "grpc 1.0", "jsonrpc 0.3", "grpc 0.3"} {
		for name, lines := range map[string][]string{
			"sent along":    {"push on", "send slow 4 --immediate", "wait settled"},
			"waited for":    {"push on", "send slow 2", "wait settled"},
			"streamed":      {"push on", "stream slow 4", "wait settled"},
			"set on a task": {"send ask", "push on", "push get", "push list", "resume Ada", "wait settled", "push delete"},
		} {
			t.Run(dialect+", "+name, func(t *testing.T) {
				t.Parallel()
				w := walkReceiving(t, goSDK(t, 30*time.Millisecond).url, append([]string{"interface " + dialect}, lines...)...)
				for _, c := range w.doc.Claims {
					push := c.ID == session.PushNotifications || c.ID == session.PushDelivered
					if c.Verdict == session.Contradicted || push && c.Verdict != session.Honoured {
						t.Errorf("%s: %s", c.ID, c.Verdict)
					}
				}
				for _, f := range w.doc.Findings {
					if f.Rule == "push.partial" || f.Rule == "push.untokened" {
						t.Errorf("%s: %s", f.Rule, f.Detail)
					}
				}
				if w.err != nil {
					t.Error(w.err)
				}
				if t.Failed() {
					t.Log(w.transcript())
				}
			})
		}
	}
}

// walkReceiving is walk with a receiver for push notifications.
func walkReceiving(t *testing.T, url string, lines ...string) walked {
	t.Helper()
	store, err := history.Open(filepath.Join(t.TempDir(), "log.db"), history.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = store.Close() }()
	id := newID()
	log, err := store.Create(id)
	if err != nil {
		t.Fatal(err)
	}
	client := peerclient.New(peerclient.Options{})
	defer client.Close()
	r := runner.New(runner.Config{
		Peer: client, Log: log, Archive: store, NewID: newID, Env: os.LookupEnv,
		Receiver: webhook.New(webhook.Options{NewID: newID}),
		Opened:   session.Opened{Session: id, Tool: "test", Typed: url, URL: url, Policy: quick()},
	})
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- r.Run(ctx) }()
	scripted := runner.Script(ctx, r, append([]string{"discover " + url}, lines...))
	r.Stop("done")
	if err := <-ended; err != nil {
		t.Fatalf("run: %v", err)
	}
	w := walked{doc: r.Document(session.ToolDoc{Name: "a2ascope", Version: "test"}), err: scripted}
	if w.records, err = store.Page(id, 1, 10_000); err != nil {
		t.Fatal(err)
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	return w
}
