package cli_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"a2ascope/history/export"
	"a2ascope/session"
)

func TestExitStatuses(t *testing.T) {
	t.Parallel()
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	locked := lockedPeer(t)
	for name, c := range map[string]struct {
		peer     string
		commands []string
		status   int
		reason   string
	}{
		"nothing contradicted":    {"demo:honest", []string{"stream slow 3", "wait settled"}, 0, ""},
		"in 0.3":                  {"demo:honest@0.3", []string{"stream slow 3", "wait settled"}, 0, ""},
		"nothing but discovery":   {"demo:honest", nil, 0, ""},
		"a failed task":           {"demo:honest", []string{"send fail", "wait settled"}, 0, ""},
		"a claim contradicted":    {"demo:leaky-cancel", leaky, 1, session.ReasonContradicted},
		"nobody answers":          {closed.URL, []string{"send echo hi"}, 3, session.ReasonUnreachable},
		"credentials refused":     {locked, []string{"send hi"}, 4, session.ReasonCredentials},
		"a wait that ran out":     {"demo:honest", []string{"stream slow 400", "wait state completed --for 50ms"}, 5, session.ReasonWait},
		"a command in background": {"demo:honest", []string{"send task x &", "wait settled"}, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			r := b.session(c.status, c.peer, "json", c.commands...)
			d := document(t, r.out)
			if d.Exit.Status != c.status || c.reason != "" && !slices.Contains(d.Exit.Reasons, c.reason) {
				t.Errorf("exit %+v, want %d %s", d.Exit, c.status, c.reason)
			}
			if !strings.Contains(r.err, "session "+d.Session) {
				t.Errorf("standard error does not name the session: %s", r.err)
			}
		})
	}
}

// lockedPeer has a public card, and answers every call with 401.
func lockedPeer(t *testing.T) string {
	t.Helper()
	mux := http.NewServeMux()
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	mux.HandleFunc("GET /.well-known/agent-card.json", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"name":"Locked","description":"d","version":"1","supportedInterfaces":[{"url":"` + s.URL + `/rpc","protocolBinding":"JSONRPC","protocolVersion":"1.0"}],
			"capabilities":{},"securitySchemes":{"k":{"apiKeySecurityScheme":{"location":"header","name":"X-Api-Key"}}},"securityRequirements":[{"schemes":{"k":{"list":[]}}}],
			"defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"],"skills":[]}`))
	})
	mux.HandleFunc("/rpc", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Api-Key") == "open-sesame-42" {
			_, _ = w.Write([]byte(`{"jsonrpc":"2.0","id":` + "2" + `,"result":{"message":{"messageId":"m","role":"ROLE_AGENT","parts":[{"text":"your key is open-sesame-42"}]}}}`))
			return
		}
		w.WriteHeader(http.StatusUnauthorized)
	})
	return s.URL
}

func TestDocument(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	r := b.session(1, "demo:leaky-cancel", "json", leaky...)
	d := document(t, r.out)
	if strings.Contains(r.out, "null") {
		t.Errorf("a list is null:\n%s", r.out)
	}
	if len(d.Claims) != len(session.Claims) || d.Tool.Name != "a2ascope" || d.Tool.Version == "" {
		t.Errorf("%d claims of %d, tool %+v", len(d.Claims), len(session.Claims), d.Tool)
	}
	for i, c := range d.Claims {
		if c.ID != session.Claims[i] {
			t.Errorf("claim %d is %s, want %s", i, c.ID, session.Claims[i])
		}
		if c.ID == session.CancelFinal && c.Verdict != session.Contradicted {
			t.Errorf("%s is %s", c.ID, c.Verdict)
		}
	}
	var policy struct{ Policy map[string]any }
	if err := json.Unmarshal([]byte(r.out), &policy); err != nil || policy.Policy["settleEvery"] != "20ms" {
		t.Errorf("policy %v, %v", policy.Policy, err)
	}

	// The stored session says the same.
	again := b.run("history", "show", d.Session, "--output", "json")
	if got := document(t, again.out); again.status != 0 || !reflect.DeepEqual(got, d) {
		t.Errorf("status %d; stored: %+v\nprinted: %+v", again.status, got, d)
	}
}

func TestJSONLines(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	r := b.session(0, "demo:honest", "jsonl", "stream slow 3", "wait settled")
	c, err := export.ReadJSONL(strings.NewReader(r.out), func(session.Record) error { return nil })
	if err != nil || !c.Whole || !c.Ended || c.Records < 10 {
		t.Fatalf("%+v, %v", c, err)
	}
	for _, args := range [][]string{{"history", "show", c.Session, "--output", "jsonl"}, {"export", c.Session, "--format", "jsonl"}} {
		if again := b.run(args...); again.out != r.out {
			t.Errorf("%v differs from what the run printed:\n%s\n%s", args, again.out, r.out)
		}
	}

	// A continued session is printed from its beginning, or it could not be
	// verified.
	more := b.run("run", "--session", c.Session, "--output", "jsonl", "-c", "note once more")
	c2, err := export.ReadJSONL(strings.NewReader(more.out), func(session.Record) error { return nil })
	if more.status != 0 || err != nil || !c2.Whole || c2.Session != c.Session || c2.Records <= c.Records {
		t.Errorf("continued: status %d, %+v, %v\n%s", more.status, c2, err, more.err)
	}
}

func TestText(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	r := b.session(1, "demo:leaky-cancel", "text", leaky...)
	for _, want := range []string{"→ SendStreamingMessage", "⇣ status  working", "✗ critical", "cancel-final", "contradicted", "Declared and observed", "⚑", "status 1: contradicted"} {
		if !strings.Contains(r.out, want) {
			t.Errorf("no %q in\n%s", want, r.out)
		}
	}
	if strings.Contains(r.out, "\x1b") {
		t.Error("colours, though the output is no terminal")
	}
}

// A hostile peer's words reach the terminal as visible text.
func TestTextIsClean(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"name":"evil\u001b]0;owned\u0007\u202e","version":"\u009b2J","supportedInterfaces":[{"url":"http://127.0.0.1:1/\u001b[2J","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]}`))
	}))
	t.Cleanup(s.Close)
	b := newBench(t)
	for _, args := range [][]string{{"run", s.URL}, {"history", "list"}, {"history", "show", "last"}, {"history", "search", "evil"}} {
		r := b.run(args...)
		if strings.ContainsAny(r.out+r.err, "\x1b\x07\u202e\u009b") {
			t.Errorf("%v: %q", args, r.out+r.err)
		}
		if args[0] == "run" && !strings.Contains(r.out, "evil^[]0;owned^G‹U+202E›") {
			t.Errorf("the name is not shown: %s", r.out)
		}
	}
}

func TestMistakes(t *testing.T) {
	t.Parallel()
	scriptFile := filepath.Join(t.TempDir(), "script")
	if err := os.WriteFile(scriptFile, []byte("# triage\n\nsend hi\nsend --nope hi\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"unknown command of the language": {[]string{"run", "demo:honest", "-c", "note a", "-c", "nope"}, "command 2 (nope)"},
		"unknown flag of a command":       {[]string{"run", "demo:honest", "--script", scriptFile}, "line 4 (send --nope hi)"},
		"both":                            {[]string{"run", "demo:honest", "--script", scriptFile, "-c", "get"}, "use one of them"},
		"no script":                       {[]string{"run", "demo:honest", "--script", scriptFile + ".no"}, "no such file"},
		"no URL":                          {[]string{"run"}, "Give its URL"},
		"no such scenario":                {[]string{"run", "demo:nobody"}, "no such scenario"},
		"no address":                      {[]string{"run", "http://"}, "no host"},
		"mistyped command":                {[]string{"histroy"}, "did you mean history?"},
		"mistyped subcommand":             {[]string{"history", "lst"}, "\"lst\" is no command of a2ascope history; did you mean list?"},
		"unknown flag":                    {[]string{"run", "demo:honest", "--nope"}, "unknown flag"},
		"a duration":                      {[]string{"run", "demo:honest", "--idle-poll", "10"}, "no duration"},
		"below 0":                         {[]string{"run", "demo:honest", "--idle-poll=-1s"}, "below 0"},
		"settle":                          {[]string{"run", "demo:honest", "--settle-reads", "0"}, "settle-reads"},
		"a form":                          {[]string{"run", "demo:honest", "--output", "xml"}, "text, json, jsonl"},
		"a literal secret":                {[]string{"run", "demo:honest", "-H", "X-Api-Key: 12345678"}, "looks like a secret"},
		"an origin":                       {[]string{"run", "demo:honest", "--allow-origin", "nowhere"}, "an origin is written"},
		"a receiver":                      {[]string{"run", "demo:honest", "--push-listen", "8090"}, "an address is written"},
		"a tunnel":                        {[]string{"run", "demo:honest", "--push-url", "tunnel"}, "it is written like"},
		"a proxy":                         {[]string{"run", "demo:honest", "--proxy", "::"}, "a proxy is written"},
		"a certificate":                   {[]string{"run", "demo:honest", "--ca", scriptFile}, scriptFile},
		"two sessions":                    {[]string{"run", "--continue", "--session", "x"}, "give one of them"},
		"nothing to continue":             {[]string{"run", "--continue"}, "going on with a session"},
		"no task":                         {[]string{"run", "demo:honest", "--output", "json", "-c", "note a", "-c", "cancel"}, "command 2 (cancel)"},
		"an unset variable":               {[]string{"run", "demo:honest", "--output", "json", "--bearer-env", "NOT_SET"}, "NOT_SET is not set"},
		"an unset variable of a header":   {[]string{"run", "demo:honest", "--output", "json", "-H", "X-Api-Key: $NOT_SET"}, "credential 1 (header …): the variable $NOT_SET is not set; export it before a2ascope is started, or name a file that holds its value: --secret-file NOT_SET=PATH"},
		"a console without a terminal":    {[]string{"demo:honest"}, "needs a terminal"},
		"a demo without a terminal":       {[]string{"demo", "honest"}, "needs a terminal"},
		"export of another form":          {[]string{"export", "last", "--format", "pdf"}, "jsonl"},
		"import of nothing":               {[]string{"import", scriptFile + ".no"}, "no such file"},
		"prune unasked":                   {[]string{"history", "prune", "last"}, ""},
		"unknown claim":                   {[]string{"decisions", "--claim", "x"}, "no such claim"},
		"a pace":                          {[]string{"run", "demo:honest", "--demo-pace", "soon"}, "50ms"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newBench(t).run(c.args...)
			if r.status != 2 || !strings.Contains(r.err, c.want) || r.out != "" {
				t.Errorf("status %d, out %q, err %q; want 2 and %q", r.status, r.out, r.err, c.want)
			}
		})
	}
}

func TestALogThatCannotBeOpened(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	if err := os.Mkdir(b.db(), 0o700); err != nil {
		t.Fatal(err)
	}
	r := b.run("run", "demo:honest", "--output", "json", "-c", "send echo hi")
	d := document(t, r.out)
	if r.status != 6 || d.Exit.Status != 6 || !slices.Equal(d.Exit.Reasons, []string{session.ReasonLog}) || d.Error == "" || len(d.Claims) != len(session.Claims) {
		t.Errorf("status %d, %+v\n%s", r.status, d, r.err)
	}
	for _, args := range [][]string{{"history", "list"}, {"history", "show", "last"}, {"decisions"}, {"import", "-"}} {
		if r := b.run(args...); r.status != 6 || r.out != "" || r.err == "" {
			t.Errorf("%v: status %d, %q", args, r.status, r.err)
		}
	}
}

// A known secret reaches the peer and nothing else.
func TestSecrets(t *testing.T) {
	t.Parallel()
	peer := lockedPeer(t)
	b := newBench(t)
	b.env["KEY"] = "open-sesame-42"
	r := b.run("run", peer, "-H", "X-Api-Key: $KEY", "--output", "jsonl", "-c", "send hi")
	if r.status != 0 {
		t.Errorf("status %d\n%s%s", r.status, r.out, r.err)
	}
	if !strings.Contains(r.out, "your key is ‹secret:1›") || !strings.Contains(r.out, "$KEY") {
		t.Errorf("no placeholder in\n%s", r.out)
	}
	files, err := filepath.Glob(filepath.Join(b.dir, "*"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	logs, err := filepath.Glob(filepath.Join(b.dir, "log", "*"))
	if err != nil || len(logs) != 1 {
		t.Fatal(logs, err)
	}
	for _, f := range append(files, logs...) {
		text, err := os.ReadFile(f)
		if err == nil && strings.Contains(string(text), "open-sesame-42") {
			t.Errorf("%s holds the secret", f)
		}
	}
	if strings.Contains(r.out+r.err, "open-sesame-42") {
		t.Error("the output holds the secret")
	}
	if st, err := os.Stat(logs[0]); err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", st.Mode(), err)
	}
}

func TestGoingOn(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	first := document(t, b.session(0, "demo:honest", "json", "send task one", "wait settled").out)
	for _, args := range [][]string{{"demo:honest", "--continue"}, {"--continue"}, {"--session", first.Session[:18]}, {"--session", "last"}} {
		r := b.run(append(append([]string{"run", "--output", "json"}, args...), quick...)...)
		d := document(t, r.out)
		if r.status != 0 || d.Session != first.Session || d.Peer.URL != first.Peer.URL || len(d.Tasks) != 1 {
			t.Errorf("%v: status %d, session %s of %s at %s\n%s", args, r.status, d.Session, first.Session, d.Peer.URL, r.err)
		}
	}
	if r := b.run("run", "demo:replays", "--session", first.Session); r.status != 2 || !strings.Contains(r.err, "leave the URL out") {
		t.Errorf("another peer: status %d, %s", r.status, r.err)
	}
}

// A session with an embedded peer never feeds trust.
func TestDemoFeedsNoTrust(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	d := document(t, b.session(1, "demo:leaky-cancel", "json", leaky...).out)
	r := b.run("decisions", "--active", "--output", "json")
	if r.status != 0 || strings.TrimSpace(r.out) != "[]" {
		t.Errorf("active: status %d\n%s", r.status, r.out)
	}
	r = b.run("decisions", "--session", d.Session, "--claim", "cancel-final")
	if r.status != 0 || !strings.Contains(r.out, "demote cancel-final") {
		t.Errorf("all: status %d\n%s", r.status, r.out)
	}
}

func TestScriptFromStandardInputNamesAnotherPeer(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.in = "# two peers in one session\nsend echo hi\ndiscover demo:honest@0.3\nsend echo hi\n"
	r := b.run("run", "demo:honest", "--script", "-", "--output", "json")
	if d := document(t, r.out); r.status != 0 || len(d.Tasks) != 2 || d.Peer.Generation != "0.3" {
		t.Errorf("status %d, %d tasks, generation %s\n%s", r.status, len(d.Tasks), d.Peer.Generation, r.err)
	}
}

func TestPushNotifications(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	r := b.session(0, "demo:honest", "json", "push on", "stream slow 3", "wait settled", "wait 200ms")
	d := document(t, r.out)
	for _, c := range d.Claims {
		if c.ID == session.PushDelivered && c.Verdict != session.Honoured {
			t.Errorf("%s is %s", c.ID, c.Verdict)
		}
	}
	if show := b.run("history", "show", d.Session); !strings.Contains(show.out, "← push  status") {
		t.Errorf("no delivery in\n%s", show.out)
	}
}

func TestExportCommand(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	path := filepath.Join(b.dir, "out.jsonl")
	b.session(0, "demo:honest", "json", "send echo hi", "export jsonl "+session.QuoteWord(path))
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if c, err := export.ReadJSONL(strings.NewReader(string(text)), func(session.Record) error { return nil }); err != nil || !c.Whole || c.Ended {
		t.Errorf("%+v, %v", c, err)
	}
}
