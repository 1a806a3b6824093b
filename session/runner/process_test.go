package runner_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"a2ascope/history"
	"a2ascope/peerclient"
	"a2ascope/session"
	"a2ascope/session/runner"
)

// consoleEnv makes the test binary a console: a process of its own, that can
// be stopped and killed while its peer runs on.
const consoleEnv = "A2ASCOPE_TEST_CONSOLE"

// order is what such a console is to do.
type order struct {
	DB, ID, URL string
	Lines       []string
}

// printed is one line of its output: a record that is committed, or, at the
// end, what came of it all.
type printed struct {
	Seq  uint64
	Hash string
	Kind session.Kind
	Body json.RawMessage
	Tail string // the end of the raw bytes

	Against []session.Claim
	Epochs  int
	Error   string
}

func TestMain(m *testing.M) {
	if job := os.Getenv(consoleEnv); job != "" {
		runConsole(job)
		return
	}
	os.Exit(m.Run())
}

func runConsole(job string) {
	out := json.NewEncoder(os.Stdout)
	var last printed
	if err := console(job, out, &last); err != nil {
		last.Error = err.Error()
	}
	_ = out.Encode(last)
}

func console(job string, out *json.Encoder, last *printed) error {
	var o order
	if err := json.Unmarshal([]byte(job), &o); err != nil {
		return err
	}
	st, err := history.Open(o.DB, history.Options{})
	if err != nil {
		return err
	}
	log, err := st.Create(o.ID)
	if err != nil {
		return err
	}
	r := runner.New(runner.Config{
		Peer: peerclient.New(peerclient.Options{}), Log: log, Archive: st, NewID: newID,
		Opened: session.Opened{Session: o.ID, URL: o.URL, Typed: o.URL, Policy: quick()},
		Committed: func(batch []session.Record) {
			for i := range batch {
				b := &batch[i]
				_ = out.Encode(printed{Seq: b.Seq, Hash: b.Hash.String(), Kind: b.Kind, Body: b.Body, Tail: string(b.Raw[max(0, len(b.Raw)-400):])})
			}
		},
	})
	ended := make(chan error, 1)
	go func() { ended <- r.Run(context.Background()) }()
	err = runner.Script(context.Background(), r, append([]string{"discover " + o.URL}, o.Lines...))
	r.Stop("done")
	if ranErr := <-ended; ranErr != nil {
		return ranErr
	}
	for _, c := range r.Document(session.ToolDoc{}).Claims {
		if c.Verdict == session.Contradicted {
			last.Against = append(last.Against, c.ID)
		}
	}
	return err
}

// process is a console that runs as a process of its own.
type process struct {
	*exec.Cmd
	order
	out *bufio.Scanner
}

func launch(t *testing.T, url string, lines ...string) *process {
	t.Helper()
	p := &process{order: order{DB: filepath.Join(t.TempDir(), "log.db"), ID: newID(), URL: url, Lines: lines}}
	job, err := json.Marshal(p.order)
	if err != nil {
		t.Fatal(err)
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p.Cmd = exec.Command(exe)
	p.Env = append(os.Environ(), consoleEnv+"="+string(job))
	p.Stderr = os.Stderr
	pipe, err := p.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.out = bufio.NewScanner(pipe)
	p.out.Buffer(nil, 1<<20)
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = p.Process.Kill()
		_ = p.Wait()
	})
	return p
}

// next returns the next line that the console prints.
func (p *process) next() (printed, bool) {
	var line printed
	if !p.out.Scan() || json.Unmarshal(p.out.Bytes(), &line) != nil {
		return line, false
	}
	return line, true
}

// stage is an honest peer whose streams a test directs: one send is one event.
type stage struct {
	play func(send func(result string))
	// canceled is closed when a cancel was answered.
	canceled chan struct{}
	state    string
}

func (s *stage) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	if q.Method == http.MethodGet {
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"name":"Stage","description":"d","version":"1","capabilities":{"streaming":true},"defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"],"skills":[{"id":"s","name":"s","description":"d","tags":["t"]}],"supportedInterfaces":[{"url":"http://%s/rpc","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]}`, q.Host)
		return
	}
	body, _ := io.ReadAll(q.Body)
	id := "0"
	if m := rpcID.FindSubmatch(body); m != nil {
		id = string(m[1])
	}
	answer := func(result string) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, id, result)
	}
	switch {
	case strings.Contains(string(body), "SendStreamingMessage"):
		w.Header().Set("Content-Type", "text/event-stream")
		w.(http.Flusher).Flush()
		s.play(func(result string) {
			_, _ = fmt.Fprintf(w, "data: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}\n\n", id, result)
			w.(http.Flusher).Flush()
		})
	case strings.Contains(string(body), "CancelTask"):
		answer(`{"id":"t-1","contextId":"c-1","status":{"state":"TASK_STATE_CANCELED"}}`)
		close(s.canceled)
	default:
		answer(fmt.Sprintf(`{"id":"t-1","contextId":"c-1","status":{"state":%q},"artifacts":[{"artifactId":"a","parts":[{"text":"x"}]}]}`, s.state))
	}
}

func statusNow(state string) string {
	return fmt.Sprintf(`{"statusUpdate":{"taskId":"t-1","contextId":"c-1","status":{"state":%q,"timestamp":%q}}}`, state, time.Now().UTC().Format(time.RFC3339Nano))
}

const artifactX = `{"artifactUpdate":{"taskId":"t-1","contextId":"c-1","artifact":{"artifactId":"a","parts":[{"text":"x"}]}}}`
