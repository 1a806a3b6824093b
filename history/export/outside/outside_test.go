package outside

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// sessions are what is exported: an honest peer, three that lie in different
// ways, and one whose every string is an attack on whoever shows it.
var sessions = []struct {
	name     string
	lines    []string
	statuses []int // of run
}{
	{"honest", []string{"stream slow 3", "wait settled", "stream ask", "wait state input-required", "resume Ada", "wait settled"}, []int{0}},
	{"leaky-cancel", []string{"stream slow 20", "wait state working", "cancel", "wait settled"}, []int{1}},
	{"hidden-artifact", []string{"stream task report", "wait settled"}, []int{1}},
	{"refused-mode", []string{"stream ask", "wait state input-required", `resume --data '{"name":"Ada"}'`, "resume Ada", "wait settled"}, []int{1}},
	{"hostile", []string{"stream task report", "wait settled", "send task report", "wait settled"}, []int{0, 1}},
}

// TestOthersJudgeTheExports writes archives and pages with the built program
// and gives them to the programs of others.
func TestOthersJudgeTheExports(t *testing.T) {
	if os.Getenv("A2ASCOPE_INTEROP") != "1" {
		return
	}
	dir := t.TempDir()
	program := filepath.Join(dir, "a2ascope")
	do(t, "", []int{0}, "go", "build", "-o", program, "a2ascope")
	exports := filepath.Join(dir, "exports")
	if err := os.Mkdir(exports, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, s := range sessions {
		peer := "demo:" + s.name
		if s.name == "hostile" {
			peer = hostile(t)
		}
		log := filepath.Join(dir, s.name+".db")
		args := []string{"--db", log, "run", peer}
		for _, line := range s.lines {
			args = append(args, "-c", line)
		}
		do(t, "", s.statuses, program, args...)
		for _, format := range []string{"har", "html"} {
			do(t, "", []int{0}, program, "--db", log, "export", "last", "--format", format, "-o", filepath.Join(exports, s.name+"."+format))
		}
	}
	tools := filepath.Join(dir, "tools")
	if err := os.CopyFS(tools, os.DirFS(".")); err != nil {
		t.Fatal(err)
	}
	do(t, tools, []int{0}, "npm", "ci", "--silent", "--no-audit", "--no-fund", "--ignore-scripts")
	check := []string{"check.mjs", exports}
	if browser := chromium(); browser != "" {
		check = append(check, browser)
	} else {
		fmt.Println("skipped: there is no Chromium; nobody looked at the pages, and no browser loaded the archives")
	}
	fmt.Print(do(t, tools, []int{0}, "node", check...))
}

// chromium is where a browser is, or nothing.
func chromium() string {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// do runs a program, which must end with one of the statuses.
func do(t *testing.T, dir string, statuses []int, name string, args ...string) string {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), 5*time.Minute)
	defer stop()
	c := exec.CommandContext(ctx, name, args...)
	c.Dir = dir
	c.WaitDelay = 5 * time.Second
	out, err := c.CombinedOutput()
	for _, s := range statuses {
		if c.ProcessState != nil && c.ProcessState.ExitCode() == s {
			return string(out)
		}
	}
	t.Fatalf("%s: %v, not one of the statuses %v\n%s", c, err, statuses, out)
	return ""
}

// nasty is text that takes a page, a terminal or a script over where it is not
// shown as text. It is the inside of a string in JSON.
const nasty = `\u001b[2J\u001b]0;owned\u0007 </pre></style><script>alert(1)</script><img src=x onerror=alert(2)> \u202egnp.exe &amp; ` + "`id`" + ` $(id) ' \" ]]> --> \u0000`

// hostile serves an agent that says it wherever it can, and one very long word.
func hostile(t *testing.T) string {
	t.Helper()
	text := nasty + strings.Repeat("W", 3000)
	id := `t-<b id=main>\u001b[31m`
	task := `{"id":"` + id + `","contextId":"c\"><script>alert(3)</script>","status":{"state":"TASK_STATE_COMPLETED","message":{"messageId":"m` + nasty + `","role":"ROLE_AGENT","parts":[{"text":"` + text + `"}]}},` +
		`"artifacts":[{"artifactId":"a` + nasty + `","name":"` + nasty + `","parts":[{"text":"` + text + `","mediaType":"text/html"}]}]}`
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	mux.HandleFunc("GET /.well-known/agent-card.json", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"name":"`+text+`","description":"`+nasty+`","version":"1`+nasty+`","supportedInterfaces":[{"url":"`+server.URL+`/rpc","protocolBinding":"JSONRPC","protocolVersion":"1.0"}],`+
			`"capabilities":{"streaming":true},"defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain","`+nasty+`"],"skills":[{"id":"s","name":"`+nasty+`","description":"`+nasty+`","tags":["`+nasty+`"]}]}`)
	})
	mux.HandleFunc("POST /rpc", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(io.LimitReader(r.Body, 1<<20))
		if err != nil {
			return
		}
		w.Header().Set("X-Said", `</pre><script>alert(4)</script>`)
		id := "1"
		if _, after, ok := strings.Cut(string(body), `"id":`); ok {
			id, _, _ = strings.Cut(after, ",")
		}
		switch {
		case strings.Contains(string(body), `"SendStreamingMessage"`):
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, "event: <script>alert(5)</script>\ndata: {\"jsonrpc\":\"2.0\",\"id\":"+id+",\"result\":{\"task\":"+task+"}}\n\n")
		case strings.Contains(string(body), `"SendMessage"`):
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":`+id+`,"error":{"code":-32603,"message":"`+nasty+`","data":["`+text+`"]}}`)
		default:
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":`+id+`,"result":`+task+`}`)
		}
	})
	return server.URL
}
