package a2a

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// recording is one recorded response of an official SDK's server.
type recording struct {
	folder, step string // "py03", "030-stream-slow-5"
	status       int
	events       bool
	payloads     [][]byte // the body, or the data of each event
}

// recordings reads testdata/wire: responses as they were received, head and
// chunk sizes included.
func recordings(t testing.TB) []recording {
	t.Helper()
	files, err := filepath.Glob("testdata/wire/*/*.raw")
	if err != nil || len(files) < 400 {
		t.Fatalf("testdata/wire holds %d recordings, want over 400 (%v)", len(files), err)
	}
	out := make([]recording, 0, len(files))
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		r := recording{folder: filepath.Base(filepath.Dir(file)), step: strings.TrimSuffix(filepath.Base(file), ".raw")}
		head, body, _ := bytes.Cut(raw, []byte("\r\n\r\n"))
		lower := strings.ToLower(string(head))
		if fields := strings.Fields(lower); len(fields) > 1 {
			r.status, _ = strconv.Atoi(fields[1])
		}
		if strings.Contains(lower, "transfer-encoding: chunked") {
			body = dechunk(body)
		}
		if r.events = strings.Contains(lower, "text/event-stream"); r.events {
			r.payloads = eventData(body)
		} else {
			r.payloads = [][]byte{body}
		}
		out = append(out, r)
	}
	return out
}

func dechunk(b []byte) []byte {
	var out []byte
	for {
		line, rest, ok := bytes.Cut(b, []byte("\r\n"))
		size, err := strconv.ParseInt(strings.TrimSpace(string(line)), 16, 32)
		if !ok || err != nil || size == 0 {
			return out
		}
		size = min(size, int64(len(rest)))
		out = append(out, rest[:size]...)
		b = bytes.TrimPrefix(rest[size:], []byte("\r\n"))
	}
}

func eventData(body []byte) [][]byte {
	var out [][]byte
	text := strings.ReplaceAll(string(body), "\r\n", "\n")
	for block := range strings.SplitSeq(text, "\n\n") {
		var data []string
		for line := range strings.SplitSeq(block, "\n") {
			if rest, ok := strings.CutPrefix(line, "data:"); ok {
				data = append(data, strings.TrimPrefix(rest, " "))
			}
		}
		if data != nil {
			out = append(out, []byte(strings.Join(data, "\n")))
		}
	}
	return out
}

// opOf is what was asked in a recording's step.
func opOf(step string) Operation {
	name := step[strings.IndexByte(step, '-')+1:]
	for _, x := range []struct {
		word string
		op   Operation
	}{
		{"card_", OpCard}, {"ext-card", OpExtendedCard}, {"stream-", OpStream}, {"resub-", OpSubscribe},
		{"resume-text-stream", OpStream}, {"ask-get", OpGet}, {"get-", OpGet}, {"cancel-", OpCancel}, {"list-", OpList},
		{"push-set", OpPushSet}, {"push-get", OpPushGet}, {"push-list", OpPushList},
	} {
		if strings.HasPrefix(name, x.word) {
			return x.op
		}
	}
	return OpSend
}

// kindsOf gives the kinds of payload that the answers of a step may have.
func kindsOf(op Operation) []PayloadKind {
	switch op {
	case OpCard, OpExtendedCard:
		return []PayloadKind{KindCard, KindError}
	case OpGet, OpCancel:
		return []PayloadKind{KindTask, KindError}
	case OpList:
		return []PayloadKind{KindList, KindError}
	case OpPushSet, OpPushGet, OpPushList:
		return []PayloadKind{KindPush, KindError}
	case OpStream, OpSubscribe:
		return []PayloadKind{KindTask, KindMessage, KindStatus, KindArtifact, KindError}
	}
	return []PayloadKind{KindTask, KindMessage, KindError}
}

// TestRecordings holds the decoder against what official SDK servers send.
// They are honest: nothing of theirs may be lossy, and regular wire raises no
// anomaly at all.
func TestRecordings(t *testing.T) {
	t.Parallel()
	kinds := map[PayloadKind]int{}
	for _, r := range recordings(t) {
		op := opOf(r.step)
		for n, data := range r.payloads {
			status := r.status
			if r.events {
				status = 0
			}
			p := Decode(Input{Raw: data, Op: op, HTTPStatus: status})
			kinds[p.Kind]++
			where := r.folder + "/" + r.step + "#" + strconv.Itoa(n)
			if !slices.Contains(kindsOf(op), p.Kind) {
				t.Errorf("%s: %s answered with %s: %s", where, op, p.Kind, data)
			}
			if p.Kind == KindError && r.status < 300 && !p.Error.A2A {
				t.Errorf("%s: the error of an agent is not taken for one: %+v", where, *p.Error)
			}
			checkGeneration(t, where, r.folder, p)
			for _, a := range p.Anomalies {
				// One SDK writes protocolVersion 1.0 on its 0.3 extended card.
				if a.Code == "card-mixed-layout" && r.folder == "go-v2-compat03-jsonrpc" {
					continue
				}
				t.Errorf("%s: anomaly on regular wire: %+v in %s", where, a, data)
			}
			checkContent(t, where, r.step, p)
		}
	}
	for kind, least := range map[PayloadKind]int{
		KindTask: 150, KindMessage: 30, KindStatus: 130, KindArtifact: 100, KindList: 12, KindPush: 25, KindError: 90, KindCard: 20,
	} {
		if kinds[kind] < least {
			t.Errorf("%d payloads of kind %s, want at least %d", kinds[kind], kind, least)
		}
	}
}

// checkGeneration: a shape is never taken for that of another generation; it
// may be left open.
func checkGeneration(t *testing.T, where, folder string, p Payload) {
	t.Helper()
	want := Gen10
	if folder == "go-v0" || folder == "py03" || strings.Contains(folder, "03") {
		want = Gen03
	}
	if p.Kind != KindCard && p.Gen != "" && p.Gen != want {
		t.Errorf("%s: the shape is taken for %s", where, p.Gen)
	}
}

// checkContent: what the recorded agents are known to say arrives.
func checkContent(t *testing.T, where, step string, p Payload) {
	t.Helper()
	switch {
	case p.Task != nil && (p.Task.ID == "" || p.Task.ContextID == "" || p.Task.Status.State == Unspecified):
		t.Errorf("%s: task without id, context or state: %+v", where, *p.Task)
	case p.Status != nil && (p.Status.TaskID == "" || p.Status.Status.State == Unspecified):
		t.Errorf("%s: status update without id or state: %+v", where, *p.Status)
	case p.Artifact != nil && (p.Artifact.Artifact.ID == "" || p.Artifact.TaskID == ""):
		t.Errorf("%s: artifact update without id: %+v", where, *p.Artifact)
	case p.Message != nil && (p.Message.ID == "" || p.Message.Role != Agent || len(p.Message.Parts) == 0):
		t.Errorf("%s: message without id, role or parts: %+v", where, *p.Message)
	}
	if strings.HasSuffix(step, "send-allparts") && p.Task != nil {
		var got []PartKind
		for _, m := range p.Task.History {
			for _, part := range m.Parts {
				if m.Role == User {
					got = append(got, part.Kind)
				}
			}
		}
		if want := []PartKind{PartText, PartData, PartBytes, PartURL}; len(got) > 0 && !slices.Equal(got, want) {
			t.Errorf("%s: the message came back with parts %v, want %v", where, got, want)
		}
	}
}
