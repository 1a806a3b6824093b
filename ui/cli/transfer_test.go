package cli_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"a2ascope/session"
)

var exportForms = []string{"md", "html", "jsonl", "har", "curl", "script"}

// everyForm are the ways in which a value can be written.
func everyForm(secret string) []string {
	var percent, escaped strings.Builder
	for i := range len(secret) {
		fmt.Fprintf(&percent, "%%%02X", secret[i])
	}
	for _, c := range secret {
		fmt.Fprintf(&escaped, `\u%04x`, c)
	}
	return []string{
		secret, url.QueryEscape(secret), percent.String(), escaped.String(), base64.StdEncoding.EncodeToString([]byte(secret)),
		base64.RawURLEncoding.EncodeToString([]byte(secret)), base64.StdEncoding.EncodeToString([]byte("user:" + secret)),
	}
}

// echoPeer answers every call with all that it was sent, and shows a secret on
// its card, in every form.
func echoPeer(t *testing.T, secret string) string {
	t.Helper()
	var base string
	all := strings.Join(everyForm(secret), " ")
	shown := strings.ReplaceAll(string(session.Encode(all)), `\\u`, `\u`) // what is escaped is so in JSON itself
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Set-Cookie", "echo="+url.QueryEscape(secret))
		w.Header().Set("X-Echo", secret)
		w.Header().Set("Content-Type", "application/json")
		if r.Method == http.MethodGet {
			_, _ = io.WriteString(w, `{"name":"Echo","description":`+shown+`,"version":"1","supportedInterfaces":[{"url":"`+base+`/rpc","protocolBinding":"JSONRPC","protocolVersion":"1.0"}],`+
				`"capabilities":{"pushNotifications":true},"defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"],"skills":[],`+
				`"securitySchemes":{"k":{"apiKeySecurityScheme":{"location":"query","name":"odd"}}}}`) // a caller that went away
			return
		}
		body, _ := io.ReadAll(r.Body) // what came of it
		var call struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
		}
		_ = json.Unmarshal(body, &call) // whatever it was
		told := session.Encode(fmt.Sprintf("%s %v %s", r.URL, r.Header, body))
		task := fmt.Sprintf(`{"id":"task-1","contextId":"context-1","status":{"state":"TASK_STATE_COMPLETED","message":{"messageId":"m","role":"ROLE_AGENT","parts":[{"text":%s}]}},`+
			`"artifacts":[{"artifactId":"a","parts":[{"text":%s}]}]}`, told, shown)
		if call.Method == "SendMessage" {
			task = `{"task":` + task + `}`
		}
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, orNull(call.ID), task)
	}))
	t.Cleanup(server.Close)
	base = server.URL
	return base
}

func orNull(b json.RawMessage) string {
	if len(b) == 0 {
		return "null"
	}
	return string(b)
}

// A secret that the operator gave is in no byte that is left behind, wherever
// and however it was written.
func TestKnownSecretIsNowhere(t *testing.T) {
	t.Parallel()
	const secret = `pa"ss/w\ö+rd=<7>`
	b := newBench(t)
	b.env["TOKEN"] = secret
	b.env["LOGIN"] = "user:" + secret
	peer := echoPeer(t, secret)
	quote := session.QuoteWord
	said := fmt.Sprintf("plain %s %s", secret, strings.Join(everyForm(secret), " "))
	commands := []string{
		`header "X-Own: $TOKEN" --secret`, "auth apikey query odd $TOKEN", "auth apikey cookie sid $TOKEN", "auth basic $LOGIN",
		"send " + quote(said) + " --data " + quote(`{"deep":[{"secret":`+string(session.Encode(secret))+`}]}`),
		"push set " + quote("http://127.0.0.1:1/"+url.PathEscape(secret)+"?t="+url.QueryEscape(secret)),
		"raw tasks/odd " + quote(`{"token":`+string(session.Encode(secret))+`}`),
		"note " + quote("remember "+said),
		"send " + quote("echo"),
	}
	typed := strings.Replace(peer, "://", "://user:"+url.PathEscape(secret)+"@", 1)
	commands = append(commands, "discover "+quote(typed))
	args := append([]string{"run", typed, "--output", "jsonl", "--bearer-env", "TOKEN", "-H", "X-Own-Token: $TOKEN"}, quick...)
	for _, c := range commands {
		args = append(args, "-c", c)
	}
	ran := b.run(args...)
	if n := strings.Count(ran.out, `"kind":"request"`); n < 4 || !strings.Contains(ran.out, "‹secret:") {
		t.Fatalf("the secret was hardly sent: %d requests, status %d\n%s\n%s", n, ran.status, ran.err, ran.out)
	}
	texts := map[string]string{"standard output": ran.out, "standard error": ran.err}
	for _, form := range exportForms {
		for _, raw := range []bool{false, true} {
			args := []string{"export", "last", "--format", form}
			if raw {
				args = append(args, "--raw")
			}
			r := b.run(args...)
			if r.status != 0 || r.out == "" {
				t.Fatalf("%v: status %d\n%s", args, r.status, r.err)
			}
			texts[fmt.Sprint(args)] = r.out + r.err
		}
	}
	texts["history show"] = b.run("history", "show", "last", "--output", "json").out
	err := filepath.WalkDir(b.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		texts[path] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(texts) < len(exportForms)*2+4 {
		t.Errorf("looked at %d texts only", len(texts))
	}
	core := `ss/w\ö+rd`
	for where, text := range texts {
		for _, form := range append(everyForm(secret), core, strings.ReplaceAll(core, `\`, `\\`), url.QueryEscape(core), url.PathEscape(core)) {
			if i := strings.Index(text, form); i >= 0 {
				t.Errorf("%s holds %q: …%.120q", where, form, text[max(0, i-60):min(len(text), i+60)])
			}
		}
	}
}

// A look-alike is counted and named before it is taken out, and the redacted
// copy is the same session to whoever imports it.
func TestExportRedacts(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	key := "sk-" + strings.Repeat("Ab3", 12)
	b.session(0, "demo:honest", "text", "send 'echo "+key+"'", "wait settled")
	preview := b.run("export", "last", "--format", "md", "--preview")
	if preview.status != 0 || preview.out != "" || !strings.Contains(preview.err, "1 value in ") || !strings.Contains(preview.err, "model provider's key sk… (39 bytes)") {
		t.Errorf("%+v", preview)
	}
	for _, form := range exportForms {
		path := filepath.Join(b.dir, "out."+form)
		r := b.run("export", "last", "--format", form, "-o", path)
		text, err := os.ReadFile(path)
		if err != nil || r.status != 0 || strings.Contains(string(text), key) || !strings.Contains(r.err, "taken out") {
			t.Errorf("%s: %v %+v", form, err, r)
		}
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v %v", form, info.Mode(), err)
		}
		if raw := b.run("export", "last", "--format", form, "--raw"); !strings.Contains(raw.out, key) {
			t.Errorf("%s --raw lacks it", form)
		}
	}
	was := document(t, b.run("history", "show", "last", "--output", "json").out)
	other := newBench(t)
	r := other.run("import", filepath.Join(b.dir, "out.jsonl"))
	if r.status != 0 || !strings.Contains(r.err, "redacted") {
		t.Fatalf("%+v", r)
	}
	id := strings.TrimSpace(r.out)
	if v := other.run("history", "verify", id); v.status != 0 {
		t.Errorf("the copy does not verify: %+v", v)
	}
	now := document(t, other.run("history", "show", id, "--output", "json").out)
	if now.Log != was.Log || fmt.Sprint(now.Claims) != fmt.Sprint(was.Claims) {
		t.Errorf("the copy means something else:\n%+v\n%+v", now.Claims, was.Claims)
	}
}

func TestExportRefuses(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.session(0, "demo:honest", "text", "send 'echo hello'")
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"a format":  {[]string{"--format", "pdf"}, "md, html, jsonl, har, curl, script"},
		"a finding": {[]string{"--format", "md", "--finding", "no.such"}, "no findings to select from"},
		"of all":    {[]string{"--format", "har", "--finding", "x"}, "no meaning"},
		"both":      {[]string{"--raw", "--preview"}, "nothing to preview"},
	} {
		r := b.run(append([]string{"export", "last"}, c.args...)...)
		if r.status == 0 || r.out != "" || !strings.Contains(r.err, c.want) {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

// The session's own export command writes the same as the command line.
func TestExportFromSession(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for _, form := range exportForms {
		path := filepath.Join(b.dir, "report."+form)
		b.session(0, "demo:honest", "text", "send 'echo hello'", "export "+form+" "+path)
		text, err := os.ReadFile(path)
		if err != nil || len(text) == 0 {
			t.Errorf("%s: %v", form, err)
		}
	}
}

func TestProbeExports(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	args := append([]string{"probe", "demo:hidden-artifact", "demo:honest", "--claim", "artifacts-streamed", "--export", filepath.Join(b.dir, "out.html")}, quick...)
	r := b.run(args...)
	if r.status != 1 || !strings.Contains(r.err, "out-2.html") {
		t.Fatalf("%+v", r)
	}
	for i, want := range []string{"contradicted: artifacts-streamed", "Nothing was contradicted"} {
		text, err := os.ReadFile(filepath.Join(b.dir, fmt.Sprintf("out-%d.html", i+1)))
		if err != nil || !strings.Contains(string(text), want) || !strings.Contains(string(text), "probe artifacts-streamed") && i == 0 {
			t.Errorf("out-%d.html: %v", i+1, err)
		}
	}
	if bad := b.run("probe", "demo:honest", "--export", "report.pdf"); bad.status != 2 || !strings.Contains(bad.err, ".md, .html") {
		t.Errorf("%+v", bad)
	}
}

// TestABrokenFileIsNamed: of two files the one that cannot be read is named,
// whichever command reads it.
func TestABrokenFileIsNamed(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	path := filepath.Join(t.TempDir(), "empty.jsonl")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"compare", path, path}, {"replay", path}, {"rerun", path, "demo:honest"}, {"import", path}} {
		r := b.run(args...)
		if want := "a2ascope " + args[0] + ": " + path + ": "; r.status != 1 || !strings.HasPrefix(r.err, want) || !strings.Contains(r.err, "the file is empty") {
			t.Errorf("%v: status %d, %q; want 1 and %q", args, r.status, r.err, want)
		}
	}
}

// TestARerunThatFindsNoCardSaysSo: status 3 alone does not say that the address
// is wrong.
func TestARerunThatFindsNoCardSaysSo(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	path := filepath.Join(t.TempDir(), "session.jsonl")
	if r := b.run("run", "demo:honest"); r.status != 0 {
		t.Fatalf("%+v", r)
	}
	if r := b.run("export", "last", "-o", path); r.status != 0 {
		t.Fatalf("%+v", r)
	}
	s := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(s.Close)
	if r := b.run("rerun", path, s.URL); r.status != 3 || !strings.Contains(r.err, "no agent card was found at "+s.URL) {
		t.Errorf("status %d\n%s\n%s", r.status, r.out, r.err)
	}
}
