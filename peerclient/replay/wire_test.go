package replay_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"a2ascope/peerclient/replay"
	"a2ascope/session"
	"a2ascope/session/a2a"
)

// note is an exchange with an official SDK's server, as the recorder noted it.
type note struct {
	Step    string `json:"step"`
	Ended   string `json:"ended"`
	Request string `json:"request"`
	Head    int    `json:"head"`
	Method  string `json:"method"`
}

// TestOfficialServers serves what official SDK servers were recorded to
// answer, asks the same again, byte for byte, and gets the same.
func TestOfficialServers(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join("..", "..", "session", "rule", "testdata", "recordings", "*.jsonl"))
	if err != nil || len(files) < 11 {
		t.Fatalf("%d recordings: %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".jsonl"), func(t *testing.T) {
			t.Parallel()
			official(t, file)
		})
	}
}

func official(t *testing.T, file string) {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	folder := strings.TrimSuffix(filepath.Base(file), ".jsonl")
	log := newTape()
	var notes []note
	var answers []*http.Response
	for line := range bytes.Lines(text) {
		var n note
		if err := json.Unmarshal(line, &n); err != nil {
			t.Fatal(err)
		}
		raw, err := os.ReadFile(filepath.Join("..", "..", "session", "a2a", "testdata", "wire", folder, n.Step+".raw"))
		if err != nil {
			t.Fatal(err)
		}
		answer := taped(t, log, n, raw, strings.HasSuffix(folder, "rest"))
		notes, answers = append(notes, n), append(answers, answer)
	}
	s := serve(t, replay.Options{Pages: log.Page, Fast: true})
	at := strings.TrimPrefix(strings.TrimSuffix(s.URL(), "/agent"), "http://")
	for i, n := range notes {
		got, body := again(t, at, n)
		if got.StatusCode != answers[i].StatusCode || got.Header.Get("Content-Type") != answers[i].Header.Get("Content-Type") {
			t.Errorf("%s: %s %s, want %s", n.Step, got.Status, got.Header.Get("Content-Type"), answers[i].Status)
		}
		want, err := io.ReadAll(answers[i].Body)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(n.Step, "card") && string(body) != string(want) {
			t.Errorf("%s:\n%s\nwant\n%s", n.Step, body, want)
		}
	}
}

// taped writes an exchange, and returns its answer with the body decoded.
func taped(t *testing.T, log *tape, n note, raw []byte, rest bool) *http.Response {
	method, target, _ := strings.Cut(n.Request, " ")
	target, _, _ = strings.Cut(target, " ")
	log.n++
	log.now += time.Second
	b := session.Requested{Op: a2a.OpRaw, Binding: a2a.JSONRPC, HTTPMethod: method, URL: there + target, RPCMethod: n.Method, Head: n.Head}
	if rest {
		b.Binding = a2a.REST
	}
	if strings.Contains(n.Step, "-card_") {
		b.Op = a2a.OpCard
	}
	log.put(session.KindRequest, log.n, b, n.Request)
	resp, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(raw)), nil)
	if err != nil {
		t.Fatalf("%s: %v", n.Step, err)
	}
	body, _ := io.ReadAll(resp.Body) // some were cut, by us or by them
	resp.Body = io.NopCloser(bytes.NewReader(body))
	head := raw[:bytes.Index(raw, []byte("\r\n\r\n"))+4]
	r := session.Responded{Status: resp.StatusCode, ContentType: resp.Header.Get("Content-Type"), Head: len(head)}
	log.now += time.Millisecond
	if r.Stream = strings.HasPrefix(r.ContentType, "text/event-stream"); !r.Stream {
		log.put(session.KindResponse, log.n, r, string(head)+string(body))
		return resp
	}
	log.put(session.KindResponse, log.n, r, string(head))
	for _, event := range strings.SplitAfter(string(body), "\n\n") {
		if event != "" {
			log.put(session.KindFrame, log.n, session.Framed{Kind: "event"}, event)
		}
	}
	log.closes(log.now, log.n, session.ClosedClean, "")
	return resp
}

// again sends a recorded request once more, byte for byte.
func again(t *testing.T, at string, n note) (*http.Response, []byte) {
	t.Helper()
	conn, err := net.Dial("tcp", at)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(60 * time.Second))
	if _, err := io.WriteString(conn, n.Request); err != nil {
		t.Fatal(err)
	}
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatalf("%s: %v", n.Step, err)
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Errorf("%s: %v", n.Step, err)
	}
	return resp, body
}
