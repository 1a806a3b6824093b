package interop

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"a2ascope/history"
	"a2ascope/peerclient"
	"a2ascope/session"
	"a2ascope/session/runner"
)

// quick is the default policy with the waits of confirmation turned down; what
// bounds a peer stays generous, for a busy machine is no evidence.
func quick() session.Policy {
	p := session.DefaultPolicy()
	p.SettleEvery = session.Duration(20 * time.Millisecond)
	p.IdlePoll = session.Duration(500 * time.Millisecond)
	p.CloseWindow = session.Duration(2 * time.Second)
	p.CancelWatch = session.Duration(2 * time.Second)
	p.RaceMargin = session.Duration(200 * time.Millisecond)
	p.DurableWait = session.Duration(100 * time.Millisecond)
	return p
}

func newID() string {
	var b [16]byte
	_, _ = rand.Read(b[:])
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// walked is what a walk came to.
type walked struct {
	doc     session.Document
	records []session.Record
	err     error // of the script
}

// walk runs command lines in a session of its own, after a discover.
func walk(t testing.TB, url string, lines ...string) walked {
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
		Peer: client, Log: log, Archive: store, NewID: newID, Env: os.LookupEnv, ReadFile: os.ReadFile,
		Opened: session.Opened{Session: id, Tool: "test", Typed: url, URL: url, Policy: quick()},
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

// transcript is the log in lines, for a failed test.
func (w walked) transcript() string {
	var b strings.Builder
	for i := range w.records {
		r := &w.records[i]
		raw := string(r.Raw)
		if _, body, ok := strings.Cut(raw, "\r\n\r\n"); ok {
			raw = body
		}
		fmt.Fprintf(&b, "\n%4d %8.3f %-8s %.400s  %.600s", r.Seq, r.Elapsed.Seconds(), r.Kind, r.Body, raw)
	}
	return b.String()
}
