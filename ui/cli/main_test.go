package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"a2ascope/session"
	"a2ascope/ui/cli"
)

// asBinary makes the test binary behave as a2ascope: for tests that need a
// process of their own.
const asBinary = "A2ASCOPE_TEST_BINARY"

func TestMain(m *testing.M) {
	if os.Getenv(asBinary) != "" {
		ctx, stop := cli.WithSignals(context.Background())
		status := cli.Run(ctx, os.Args[1:], os.LookupEnv, os.Stdin, os.Stdout, os.Stderr)
		stop()
		os.Exit(status)
	}
	os.Exit(m.Run())
}

// bench is a log of its own, and what the command line is run with.
type bench struct {
	t   *testing.T
	dir string
	env map[string]string
	in  string
}

func newBench(t *testing.T) *bench {
	t.Helper()
	return &bench{t: t, dir: t.TempDir(), env: map[string]string{}}
}

func (b *bench) db() string { return filepath.Join(b.dir, "a2ascope.db") }

// result is what a run of the command line left.
type result struct {
	status   int
	out, err string
}

func (b *bench) run(args ...string) result { return b.runIn(b.t.Context(), args...) }

func (b *bench) runIn(ctx context.Context, args ...string) result {
	b.t.Helper()
	var out, errOut bytes.Buffer
	env := func(name string) (string, bool) { v, ok := b.env[name]; return v, ok }
	status := cli.Run(ctx, append(b.fixed(), args...), env, strings.NewReader(b.in), &out, &errOut)
	return result{status: status, out: out.String(), err: errOut.String()}
}

// fixed are the flags that keep a run to the bench, and embedded peers quick.
func (b *bench) fixed() []string {
	return []string{"--db", b.db(), "--log-file", filepath.Join(b.dir, "log", "a2ascope.log"), "--demo-pace", "20ms"}
}

// quick are policy flags under which nothing takes long.
var quick = []string{"--settle-every", "20ms", "--cancel-watch", "2s", "--race-margin", "30ms", "--close-window", "500ms"}

// session runs commands against a peer and expects a status.
func (b *bench) session(want int, peer, form string, commands ...string) result {
	b.t.Helper()
	args := append([]string{"run", peer, "--output", form}, quick...)
	for _, c := range commands {
		args = append(args, "-c", c)
	}
	r := b.run(args...)
	if r.status != want {
		b.t.Fatalf("run %s %q: status %d, want %d\n%s%s", peer, commands, r.status, want, r.out, r.err)
	}
	return r
}

// document reads exactly one verdict document.
func document(t *testing.T, out string) session.Document {
	t.Helper()
	var d session.Document
	dec := json.NewDecoder(strings.NewReader(out))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&d); err != nil {
		t.Fatalf("reading the document: %v\n%s", err, out)
	}
	if _, err := dec.Token(); err != io.EOF {
		t.Fatalf("more than one document: %v\n%s", err, out)
	}
	return d
}

var leaky = []string{"stream slow 40", "wait state working", "cancel", "wait settled"}
