package session

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestParseCommand(t *testing.T) {
	t.Parallel()
	cases := []struct {
		line string
		want Command
	}{
		{"discover https://a.example/x", Command{Name: "discover", URL: "https://a.example/x"}},
		{"discover demo:honest@0.3", Command{Name: "discover", URL: "demo:honest@0.3"}},
		{"interface 2", Command{Name: "interface", Interface: "2"}},
		{"interface JSONRPC 0.3", Command{Name: "interface", Interface: "jsonrpc", Gen: "0.3"}},
		{"endpoint agents.example:443", Command{Name: "endpoint", URL: "agents.example:443"}},
		{`header "X-Tenant:  acme one"`, Command{Name: "header", Header: "X-Tenant: acme one"}},
		{`header 'X-Api-Key: $KEY'`, Command{Name: "header", Header: "X-Api-Key: $KEY"}},
		{`header "X-Room: blue" --secret`, Command{Name: "header", Header: "X-Room: blue", Secret: true}},
		{"auth bearer $TOKEN", Command{Name: "auth", Scheme: "bearer", Args: []string{"$TOKEN"}}},
		{"auth basic '$LOGIN'", Command{Name: "auth", Scheme: "basic", Args: []string{"$LOGIN"}}},
		{"auth apikey $K", Command{Name: "auth", Scheme: "apikey", Args: []string{"$K"}}},
		{"auth apikey query api_key $K", Command{Name: "auth", Scheme: "apikey", Args: []string{"query", "api_key", "$K"}}},
		{"auth oauth client-credentials my-app $K read:all", Command{Name: "auth", Scheme: "oauth", Args: []string{"client-credentials", "my-app", "$K", "read:all"}}},
		{"send  hello\t  world ", Command{Name: "send", Text: "hello world"}},
		{"send don't, I said \"stop  it\" now", Command{Name: "send", Text: "don't, I said stop  it now"}},
		{`send "tab\there\nline \"q\" \\ \u00e9 \ud83d\ude00"`, Command{Name: "send", Text: "tab\there\nline \"q\" \\ é 😀"}},
		{`send 'a\n"b'`, Command{Name: "send", Text: `a\n"b`}},
		{`send 'a'"b"c`, Command{Name: "send", Text: "abc"}},
		{"send a & b", Command{Name: "send", Text: "a & b"}},
		{"send a &", Command{Name: "send", Text: "a", Background: true}},
		{"send a&", Command{Name: "send", Text: "a&"}},
		{`send a "&"`, Command{Name: "send", Text: "a &"}},
		{"send --new -- --plain # no comment", Command{Name: "send", New: true, Text: "--plain # no comment"}},
		{`send "--plain" a`, Command{Name: "send", Text: "--plain a"}},
		{`send a --data {"x":1} b --data=@f.json --data '{"y": 2}'`, Command{Name: "send", Text: "a b", Data: []string{`{"x":1}`, "@f.json", `{"y": 2}`}}},
		{`send --file='my plan.pdf;type=application/pdf' --file x`, Command{Name: "send", Files: []FilePart{{Path: "my plan.pdf", Type: "application/pdf"}, {Path: "x"}}}},
		{"send x --accept text/plain --accept=*/* --immediate --context current --force --task 2", Command{Name: "send", Text: "x", Accept: []string{"text/plain", "*/*"}, Immediate: true, Context: "current", Force: true, Task: "2"}},
		{"send --again", Command{Name: "send", Again: true}},
		{"stream slow 20 --plain", Command{Name: "stream", Text: "slow 20", Plain: true}},
		{"resume yes --stream --force --task t-9", Command{Name: "resume", Text: "yes", Stream: true, Force: true, Task: "t-9"}},
		{"resubscribe", Command{Name: "resubscribe"}},
		{"detach --task 1", Command{Name: "detach", Task: "1"}},
		{"get --history 0", Command{Name: "get", History: 0}},
		{"get --fresh", Command{Name: "get", History: -1, Fresh: true}},
		{"raw x {} --version 9.9 --broken", Command{Name: "raw", Method: "x", JSON: "{}", Version: "9.9", Broken: true}},
		{"get", Command{Name: "get", History: -1}},
		{"poll --every 1m30s --max 3 --until TASK_STATE_INPUT_REQUIRED", Command{Name: "poll", Every: 90 * time.Second, Max: 3, Until: "input-required"}},
		{"poll --until settled", Command{Name: "poll", Until: "settled"}},
		{"cancel &", Command{Name: "cancel", Background: true}},
		{"list --context c --state cancelled --page 5", Command{Name: "list", Context: "c", State: "canceled", Page: 5}},
		{"redispatch --to https://b.example", Command{Name: "redispatch", URL: "https://b.example"}},
		{"push on", Command{Name: "push", Sub: "on"}},
		{"push set https://h.example/cb", Command{Name: "push", Sub: "set", URL: "https://h.example/cb", Args: []string{"https://h.example/cb"}}},
		{"use 2", Command{Name: "use", Task: "2"}},
		{"wait 1.5s", Command{Name: "wait", Sub: "for", For: 1500 * time.Millisecond}},
		{"wait state working --for 3s", Command{Name: "wait", Sub: "state", State: "working", For: 3 * time.Second}},
		{"wait closed --task 4", Command{Name: "wait", Sub: "closed", Task: "4"}},
		{"probe", Command{Name: "probe"}},
		{"probe streaming blocking streaming --undeclared", Command{Name: "probe", Claims: []string{"streaming", "blocking"}, Undeclared: true}},
		{"probe all", Command{Name: "probe", Claims: claimNames()}},
		{"prompt input-required ask me", Command{Name: "prompt", State: "input-required", Text: "ask me"}},
		{`raw tasks/get '{"id": 1}'`, Command{Name: "raw", Method: "tasks/get", JSON: `{"id": 1}`}},
		{`raw "POST /v1/x" []`, Command{Name: "raw", Method: "POST /v1/x", JSON: "[]"}},
		{`raw "GET /v1/tasks"`, Command{Name: "raw", Method: "GET /v1/tasks"}},
		{"demote streaming it  buffers", Command{Name: "demote", Claim: "streaming", Text: "it buffers"}},
		{"restore streaming fixed", Command{Name: "restore", Claim: "streaming", Text: "fixed"}},
		{"confirm 3", Command{Name: "confirm", Number: 3}},
		{"overrule 3 why not", Command{Name: "overrule", Number: 3, Text: "why not"}},
		{"note a", Command{Name: "note", Text: "a"}},
		{"export jsonl 'a b.jsonl'", Command{Name: "export", Format: "jsonl", Path: "a b.jsonl"}},
		{"\tmark\r\n", Command{Name: "mark"}},
	}
	for _, c := range cases {
		t.Run(c.line, func(t *testing.T) {
			t.Parallel()
			got, err := ParseCommand(c.line)
			if err != nil {
				t.Fatal(err)
			}
			c.want.Line = strings.TrimSpace(c.line)
			if c.want.Background {
				c.want.Line = strings.TrimSpace(strings.TrimSuffix(c.want.Line, "&"))
			}
			if c.want.Name != "get" {
				c.want.History = -1
			}
			if !reflect.DeepEqual(got, c.want) {
				t.Errorf("got  %+v\nwant %+v", got, c.want)
			}
		})
	}
}

func TestParseCommandRefuses(t *testing.T) {
	t.Parallel()
	cases := []struct {
		line    string
		command string
		col     int
		words   string // parts of the reason, separated by |
	}{
		{"snd hello", "", 1, `unknown command "snd"|did you mean send?|overrule`},
		{"SEND hello", "", 1, "did you mean send?"},
		{"&", "", 1, "missing"},
		{"send é 'open", "", 8, "quote ' that opens here is not closed"},
		{`send "a\x"`, "", 8, `unknown escape`},
		{`send "\u12"`, "", 7, "four hexadecimal"},
		{`send "\ud83d"`, "", 7, "surrogate"},
		{`send "\ude00\ude00"`, "", 7, "surrogate"},
		{"send a\nsend b", "", 7, "one command"},
		{"send \xff", "", 6, "UTF-8"},
		{"get --histry 3", "get", 5, `"--histry" is not a flag of get|did you mean --history?|get takes --history N, --fresh, --on N, --task N|ID`},
		{"get --histry=3", "get", 5, `"--histry"`},
		{"cancel --history 3", "cancel", 8, "cancel takes --on N, --task"},
		{"mark --task 1", "mark", 6, "mark takes nothing"},
		{"get --history", "get", 5, "needs a value"},
		{"get --history --task 1", "get", 5, "needs a value"},
		{"get --history=", "get", 15, "empty"},
		{"get --history -1", "get", 15, "not a number from 0"},
		{"get --history 1e3", "get", 15, "not a number"},
		{"get --history 1 --history 2", "get", 17, "twice"},
		{"send --new=true x", "send", 6, "takes no value"},
		{"get 3", "get", 5, `"3" is one word too many`},
		{"get --task 0", "get", 12, "counted from 1"},
		{"send", "send", 5, "nothing to send"},
		{"send ''", "send", 6, "nothing to send"},
		{"send --again hello", "send", 6, "takes no text"},
		{"send a --plain --immediate", "send", 16, "one of them"},
		{"send --data {x}", "send", 13, "not JSON|byte 2 of 3"},
		{"send --data @", "send", 13, "name is missing"},
		{"send --file ;type=text/plain", "send", 13, "path is missing"},
		{"send --file x;type=a/b/c", "send", 13, "media type"},
		{"send x --accept ,", "send", 17, "media type"},
		{"poll --every 0s", "poll", 14, "not longer than 0"},
		{"poll --every 3", "poll", 14, "not a duration"},
		{"poll --until done", "poll", 14, "unknown state|or settled"},
		{"poll --max 0", "poll", 12, "from 1"},
		{"list --state workin", "list", 14, "unknown state|did you mean working?|rejected"},
		{"wait", "wait", 5, "missing"},
		{"wait -3s", "wait", 6, "not longer than 0"},
		{"wait 3s --for 2s", "wait", 9, "no --for"},
		{"wait working", "wait", 6, "write wait state working"},
		{"wait setled", "wait", 6, "did you mean settled?"},
		{"wait state", "wait", 11, "state is missing"},
		{"probe steaming", "probe", 7, "unknown claim|did you mean streaming?|wire-format"},
		{"probe all streaming", "probe", 7, "stands alone"},
		{"demote streaming", "demote", 17, "reason is missing"},
		{"overrule 1", "overrule", 11, "reason is missing"},
		{"confirm x", "confirm", 9, "not a number"},
		{"interface soap", "interface", 11, "jsonrpc, rest or grpc"},
		{"interface 0", "interface", 11, "from 1"},
		{"interface rest 2.0", "interface", 16, "0.1, 0.2, 0.3, 1.0"},
		{"discover", "discover", 9, "URL is missing"},
		{"discover a.example", "discover", 10, "http://"},
		{"discover ftp://a.example", "discover", 10, "http://"},
		{"discover https://", "discover", 10, "no host"},
		{"endpoint /a2a", "endpoint", 10, "http://"},
		{"push frobnicate", "push", 6, "cannot"},
		{"push set", "push", 9, "URL is missing"},
		{"push on now", "push", 9, "one word too many"},
		{"raw tasks/get", "raw", 14, "JSON is missing"},
		{"raw tasks/get {", "raw", 15, "not JSON"},
		{"raw tasks/get {} {}", "raw", 15, "as one word"},
		{`raw "post x" {}`, "raw", 5, "no request"},
		{"export pdf", "export", 8, "did you mean md?|md, html, jsonl, har, curl, script"},
		{"header X-A: b", "header", 8, "in quotes"},
		{`header "X A: b"`, "header", 8, "header's name"},
		{`header "X-A: b\nX-B: c"`, "header", 8, "control character"},
		{"auth", "auth", 5, "scheme is missing"},
		{"auth digest $X", "auth", 6, "unknown scheme"},
		{"auth apikey body k $X", "auth", 13, "header, query or cookie"},
		{"auth bearer $A $B", "auth", 16, "too many"},
	}
	for _, c := range cases {
		t.Run(c.line, func(t *testing.T) {
			t.Parallel()
			_, err := ParseCommand(c.line)
			var got *CommandError
			if !errors.As(err, &got) {
				t.Fatalf("error = %v", err)
			}
			if got.Command != c.command || got.Column != c.col {
				t.Errorf("command %q column %d, want %q column %d", got.Command, got.Column, c.command, c.col)
			}
			for part := range strings.SplitSeq(c.words, "|") {
				if !strings.Contains(got.Error(), part) {
					t.Errorf("%q does not say %q", got, part)
				}
			}
		})
	}
}

func TestParseCommandBlank(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"", " \t", "# send x", "  # x", "\r\n", "#"} {
		if _, err := ParseCommand(line); !errors.Is(err, ErrBlank) {
			t.Errorf("%q: %v", line, err)
		}
	}
}

func TestParseCommandCapsTheLine(t *testing.T) {
	t.Parallel()
	if c, err := ParseCommand("note " + strings.Repeat("a", MaxLine-5)); err != nil || len(c.Text) != MaxLine-5 {
		t.Errorf("a line of %d bytes: %v", MaxLine, err)
	}
	if _, err := ParseCommand("note " + strings.Repeat("a", MaxLine-4)); err == nil || len(err.Error()) > 500 {
		t.Errorf("a longer line: %v", err)
	}
}

// A literal secret is refused, and the refusal does not repeat it.
func TestParseCommandKeepsSecretsOutOfErrors(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		"auth bearer hunter2hunter2", "auth basic bob:hunter2hunter2", "auth apikey hunter2hunter2",
		"auth apikey header X-Key hunter2hunter2", "auth oauth client-credentials app hunter2hunter2", "auth oauth device app client_secret=hunter2hunter2",
		"auth hunter2hunter2", "auth bearer $T hunter2hunter2",
		`header "Authorization: Bearer hunter2hunter2"`, `header "X-Api-Key: hunter2hunter2"`, `header "Cookie: a=hunter2hunter2" --secret`,
		`header "X-Access-Token: $T hunter2hunter2"`, `header X-A: hunter2hunter2`, `header "X-A: 1" hunter2hunter2`, `header hunter2hunter2`,
		"discover https://bob:hunter2hunter2@a.example:x", "discover ftp://bob:hunter2hunter2@a.example",
		"auth bearer $1hunter2hunter2", "auth bearer '$T hunter2hunter2'",
	} {
		_, err := ParseCommand(line)
		if err == nil {
			t.Errorf("%q is accepted", line)
			continue
		}
		if strings.Contains(err.Error(), "hunter2hunter2") {
			t.Errorf("%q: the error repeats the secret: %v", line, err)
		}
	}
}

func TestQuoteWord(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"a": "a", "": "''", "a b": "'a b'", "&": "'&'", "--x": "'--x'", "don't": "don't", "'x": `"'x"`, "#1": "'#1'",
		"a\nb": `"a\nb"`, `it's "so"`: `"it's \"so\""`, `{"a":1}`: `{"a":1}`, "\x00é": `"\u0000é"`,
	} {
		if got := QuoteWord(in); got != want {
			t.Errorf("QuoteWord(%q) = %s, want %s", in, got, want)
		}
	}
}

func FuzzParseCommand(f *testing.F) {
	for _, u := range Usages() {
		for _, e := range u.Examples {
			f.Add(e)
		}
	}
	for _, s := range []string{"send 'a", `send "\u`, "send --data", "--", "&", "a &", "send \"\\ud800\\u\"", "é --é=é", "auth apikey", "raw \" \" 1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, line string) {
		c, err := ParseCommand(line)
		if err != nil {
			var ce *CommandError
			if !errors.Is(err, ErrBlank) && (!errors.As(err, &ce) || ce.Column < 1 || ce.Column > len(line)+1 || ce.Reason == "") {
				t.Fatalf("%q: %v", line, err)
			}
			return
		}
		// What is logged means the same when it is read again.
		again, err := ParseCommand(c.Line)
		c.Background = false
		if err != nil || !reflect.DeepEqual(again, c) {
			t.Fatalf("%q is logged as %q, which gives %+v (%v), not %+v", line, c.Line, again, err, c)
		}
	})
}

func FuzzQuoteWord(f *testing.F) {
	for _, s := range []string{"", "a", "--", "&", "'", `"`, `\`, "a b", "#", "\n", "\u0085", "é", "--x='", "\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if len(s) > MaxLine/8 {
			return
		}
		want := "a " + strings.ToValidUTF8(s, "\uFFFD") + " z"
		c, err := ParseCommand("note a " + QuoteWord(s) + " z")
		if err != nil || c.Text != want {
			t.Fatalf("%q quoted as %s: %q, %v", s, QuoteWord(s), c.Text, err)
		}
		if c, err = ParseCommand("note " + QuoteWord("x"+s)); err != nil || c.Text != want[0:0]+"x"+strings.ToValidUTF8(s, "\uFFFD") {
			t.Fatalf("last word %q: %q, %v", s, c.Text, err)
		}
	})
}
