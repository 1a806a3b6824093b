package interop

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"a2ascope/session/a2a"
)

var update = flag.Bool("update", false, "write docs/interop.md anew")

// official is an agent on an official SDK, started as a program of its own.
type official struct {
	name, version string
	folder        string // of its agent
	install       func(dir string) []*exec.Cmd
	start         func(dir string) *exec.Cmd
	speaks        []spoken
}

var both = []spoken{{a2a.JSONRPC, a2a.Gen10}, {a2a.REST, a2a.Gen10}, {a2a.JSONRPC, a2a.Gen03}, {a2a.REST, a2a.Gen03}}

// officials are the SDKs beside the Go one. Their versions are pinned in the
// agents' package.json and requirements.txt.
var officials = []official{
	{"JavaScript SDK", "1.3.0", "js/v1", npm, node, both},
	{"JavaScript SDK", "0.3.14", "js/v03", npm, node, both[2:]},
	{"Python SDK", "1.1.0", "python/v1", pip, python, both},
	{"Python SDK", "0.3.26", "python/v03", pip, python, both[2:]},
}

func npm(dir string) []*exec.Cmd {
	c := exec.Command("npm", "install", "--silent", "--no-audit", "--no-fund", "--no-package-lock")
	c.Dir = dir
	return []*exec.Cmd{c}
}

func node(dir string) *exec.Cmd { return exec.Command("node", filepath.Join(dir, "agent.mjs")) }

func pip(dir string) []*exec.Cmd {
	return []*exec.Cmd{
		exec.Command("python3", "-m", "venv", filepath.Join(dir, "venv")),
		exec.Command(filepath.Join(dir, "venv", "bin", "pip"), "install", "--quiet", "--disable-pip-version-check", "-r", filepath.Join(dir, "requirements.txt")),
	}
}

func python(dir string) *exec.Cmd {
	return exec.Command(filepath.Join(dir, "venv", "bin", "python"), filepath.Join(dir, "agent.py"))
}

// TestOfficialSDKs walks agents on the other official SDKs over every binding.
// No claim may come out contradicted; what else differs from docs/interop.md is
// told, and is no failure: those agents are not ours. It needs Node, Python and
// their package indexes, and does nothing unless A2ASCOPE_INTEROP is 1.
func TestOfficialSDKs(t *testing.T) {
	if os.Getenv("A2ASCOPE_INTEROP") != "1" {
		return
	}
	hook := receiver(t)
	var doc bytes.Buffer
	doc.WriteString(preface)
	table(t, &doc, "Go SDK", "2.3.1", goSDK(t, 10*time.Millisecond).url, hook, []spoken{both[0], both[1], {a2a.GRPC, a2a.Gen10}, both[2], {a2a.GRPC, a2a.Gen03}})
	for _, o := range officials {
		table(t, &doc, o.name, o.version, o.serve(t), hook, o.speaks)
	}
	doc.WriteString(notes())
	file := filepath.Join("..", "..", "docs", "interop.md")
	if *update {
		if err := os.WriteFile(file, doc.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(doc.String()) {
		if !bytes.Contains(want, []byte(line)) {
			t.Logf("not in docs/interop.md: %s", line)
		}
	}
}

// serve installs the agent's packages, once, and starts it. It returns the
// agent's URL.
func (o *official) serve(t *testing.T) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(cache, "a2ascope-interop", strings.ReplaceAll(o.folder, "/", "-")+"-"+o.version)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir(o.folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		b, err := os.ReadFile(filepath.Join(o.folder, f.Name()))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, f.Name()), b, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	done := filepath.Join(dir, "installed")
	if _, err := os.Stat(done); err != nil {
		for _, c := range o.install(dir) {
			if out, err := c.CombinedOutput(); err != nil {
				t.Fatalf("installing %s %s: %s: %v\n%s", o.name, o.version, c, err, out)
			}
		}
		if err := os.WriteFile(done, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return run(t, o.start(dir))
}

// run starts an agent and reads the URL that it prints. The agent ends when
// its standard input does.
func run(t *testing.T, c *exec.Cmd) string {
	t.Helper()
	c.Env = append(os.Environ(), "PACE_MS=10")
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	c.Stderr = &log
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	var end sync.Once
	stop := func() {
		end.Do(func() {
			_ = in.Close()
			_ = c.Process.Kill()
			_ = c.Wait()
		})
	}
	t.Cleanup(stop)
	giveUp := time.AfterFunc(30*time.Second, func() { _ = c.Process.Kill() })
	defer giveUp.Stop()
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		stop()
		t.Fatalf("%s printed no URL: %v\n%s", c, err, log.String())
	}
	return strings.TrimSpace(line)
}

// table walks an agent and writes what came out: a row a walk, a column a
// binding.
func table(t *testing.T, doc *bytes.Buffer, name, version, url, hook string, speaks []spoken) {
	t.Helper()
	cells := map[string]map[spoken]string{}
	fmt.Fprintf(doc, "\n## %s %s\n\n| walk |", name, version)
	for _, on := range speaks {
		fmt.Fprintf(doc, " %s %s |", on.binding, on.gen)
		for _, st := range walks(hook, on.binding, on.gen) {
			w := walk(t, url, append([]string{"interface " + on.word()}, st.lines...)...)
			list := st.departures(w, on.binding, on.gen)
			if cells[st.name] == nil {
				cells[st.name] = map[spoken]string{}
			}
			cells[st.name][on] = cell(list)
			for _, what := range list {
				if rule, _, ok := strings.Cut(what, " contradicts "); ok && explained[name+" "+version+" "+rule] == "" {
					t.Errorf("%s %s, %s, %s: %s, and nothing explains it%s", name, version, on.word(), st.name, what, w.transcript())
				}
			}
		}
	}
	doc.WriteString("\n|---|" + strings.Repeat("---|", len(speaks)) + "\n")
	for _, st := range walks(hook, a2a.JSONRPC, a2a.Gen10) {
		fmt.Fprintf(doc, "| %s |", st.name)
		for _, on := range speaks {
			fmt.Fprintf(doc, " %s |", cells[st.name][on])
		}
		doc.WriteString("\n")
	}
}

func cell(departures []string) string {
	if len(departures) == 0 {
		return "✓"
	}
	return strings.ReplaceAll(strings.Join(departures, "; "), "|", `\|`)
}

const preface = `# The official SDKs as peers

What a2ascope sees of agents on the official A2A SDKs, walked by the runner over
loopback. ✓: every answer came as the specification has it, the task ended as
it should, and no claim was contradicted. Anything else is said in the cell, and
explained below where it is held against the peer.

The Go agent is walked by ` + "`go test ./...`" + `; the whole page is made by
` + "`A2ASCOPE_INTEROP=1 go test ./peerclient/interop -run TestOfficialSDKs -update`" + `.
`

// explained says why a contradiction of an official SDK stands: SDK, version
// and rule, then the clause that proves it. None does today.
var explained = map[string]string{}

// remarks say what is behind a refusal: SDK and version, binding, walk.
var remarks = []struct{ where, why string }{
	{"Go SDK 2.3.1, HTTP+JSON 0.3", "There is no column: the SDK's compatibility expects the members of JSON-RPC below this binding, in snake case, and refuses every message in the form of the 0.3 proto. TestGoSDKOldREST holds that a refused message accuses nobody."},
	{"JavaScript SDK 0.3.14, HTTP+JSON 0.3, list", "0.3 §3.5.6 gives HTTP+JSON the operation, and the SDK has no such route. No claim of a card depends on it."},
	{"Python SDK 1.1.0, HTTP+JSON 0.3, list", "As above."},
	{"Python SDK 0.3.26, HTTP+JSON 0.3, list", "The route is there and not implemented."},
	{"JavaScript SDK 1.3.0, HTTP+JSON 0.3, push", "0.3 has two forms of this request: its text (§7.5) wraps the configuration, the HTTP rule of its proto does not. The console writes the first, which three of the four servers take; this one takes the other."},
	{"Python SDK 0.3.26, HTTP+JSON 0.3, resubscribe", "0.3 says POST in its text (§3.5.6, §7.9) and GET in its proto. The console writes POST; this server takes GET alone. A web server's 405 is held against nobody."},
	{"Python SDK 0.3.26, HTTP+JSON 0.3, push", "The SDK does not list, and has no route to delete a configuration."},
	{"Python SDK 1.1.0, JSONRPC 0.3, resubscribe after the end", "The compatibility answers with an internal error where a code of A2A is due: minor (`errors.code`)."},
	{"Python SDK 1.1.0, HTTP+JSON 0.3, resubscribe after the end", "The stream breaks off: a fault in transport, which is held against nobody."},
}

func notes() string {
	var b strings.Builder
	b.WriteString("\n## What is behind it\n\n")
	for _, r := range remarks {
		fmt.Fprintf(&b, "- %s: %s\n", r.where, r.why)
	}
	keys := make([]string, 0, len(explained))
	for k := range explained {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
		fmt.Fprintf(&b, "- **%s**, held against the peer: %s\n", k, explained[k])
	}
	return b.String()
}
