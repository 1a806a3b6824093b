package session_test

import (
	"strings"
	"testing"
	"time"

	"a2ascope/session"
	"a2ascope/session/a2a"
)

func rec(kind session.Kind, body any, raw string) *session.Record {
	r := &session.Record{Seq: 1, Kind: kind, Body: session.Encode(body)}
	if raw != "" {
		r.Raw = []byte(raw)
	}
	return r
}

const answerHead = "HTTP/1.1 200 OK\r\n\r\n"

func answered(status int, body string) *session.Record {
	return rec(session.KindResponse, session.Responded{Status: status, ContentType: "application/json; charset=utf-8", Head: len(answerHead)}, answerHead+body)
}

func event(kind, raw string) *session.Record {
	return rec(session.KindFrame, session.Framed{N: 1, Kind: kind}, raw)
}

func TestDescribe(t *testing.T) {
	t.Parallel()
	send := `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"slow\n20"}]}}}`
	for name, c := range map[string]struct {
		in   *session.Record
		want session.Description
	}{
		"request": {
			rec(session.KindRequest, session.Requested{Op: a2a.OpSend, HTTPMethod: "POST", URL: "http://h.example/rpc?x=1", RPCMethod: "SendMessage", Head: 4}, "head"+send),
			session.Description{Arrow: "→", Title: "SendMessage", Detail: "POST /rpc?x=1 · “slow 20”", Level: "plain"},
		},
		"request for the card": {
			rec(session.KindRequest, session.Requested{Op: a2a.OpCard, HTTPMethod: "GET", URL: "http://h.example/.well-known/agent-card.json"}, ""),
			session.Description{Arrow: "→", Title: "read card", Detail: "GET /.well-known/agent-card.json", Level: "plain"},
		},
		"request on a rung, elsewhere": {
			rec(session.KindRequest, session.Requested{Op: a2a.OpGet, HTTPMethod: "GET", URL: "http://h.example/v1/tasks/t", TaskID: "t", Rung: 1, Binding: a2a.REST, Gen: a2a.Gen03, Withheld: "another origin"}, ""),
			session.Description{Arrow: "→", Title: "get", Detail: "GET /v1/tasks/t · task t · rung 2: HTTP+JSON 0.3 · without credentials: another origin", Level: "warn"},
		},
		"task": {
			answered(200, `{"jsonrpc":"2.0","id":1,"result":{"task":{"id":"t","contextId":"c","status":{"state":"TASK_STATE_COMPLETED"},"artifacts":[{"artifactId":"a","parts":[{"text":"x"}]}]}}}`),
			session.Description{Arrow: "←", Title: "200 application/json", Detail: "task completed · 1 artifact", Level: "good"},
		},
		"message": {
			answered(200, `{"kind":"message","messageId":"m","role":"agent","parts":[{"kind":"text","text":"good day"}]}`),
			session.Description{Arrow: "←", Title: "200 application/json", Detail: "message · “good day”", Level: "good"},
		},
		"error": {
			answered(200, `{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"no such task"}}`),
			session.Description{Arrow: "←", Title: "200 application/json", Detail: "TASK_NOT_FOUND · -32001 · no such task", Level: "warn"},
		},
		"a page": {
			answered(502, `<html>Bad gateway</html>`),
			session.Description{Arrow: "←", Title: "502 application/json", Detail: "not an answer of the agent", Level: "warn"},
		},
		"stream": {
			rec(session.KindResponse, session.Responded{Status: 200, ContentType: "text/event-stream", Head: len(answerHead), Stream: true}, answerHead),
			session.Description{Arrow: "←", Title: "200 text/event-stream", Detail: "the stream is open", Level: "good"},
		},
		"cut body": {
			rec(session.KindResponse, session.Responded{Status: 200, Head: len(answerHead), Cut: "unexpected EOF"}, answerHead+"{"),
			session.Description{Arrow: "←", Title: "200", Detail: "no JSON · the body broke off: unexpected EOF", Level: "bad"},
		},
		"head beyond the bytes": {
			rec(session.KindResponse, session.Responded{Status: 200, Head: -1}, "x"),
			session.Description{Arrow: "←", Title: "200", Detail: "its body cannot be read", Level: "warn"},
		},
		"status": {
			event("event", `data: {"result":{"statusUpdate":{"taskId":"t","status":{"state":"TASK_STATE_WORKING"}}}}`+"\n\n"),
			session.Description{Arrow: "⇣", Title: "status  working", Level: "plain"},
		},
		"status of 0.3": {
			event("event", `data: {"result":{"kind":"status-update","taskId":"t","final":true,"status":{"state":"failed","message":{"messageId":"m","role":"agent","parts":[{"kind":"text","text":"no"}]}}}}`+"\n\n"),
			session.Description{Arrow: "⇣", Title: "status  failed", Detail: "“no” · final", Level: "warn"},
		},
		"artifact": {
			event("event", `data: {"result":{"artifactUpdate":{"taskId":"t","append":true,"artifact":{"artifactId":"r-1","parts":[{"text":"twelve bytes"}]}}}}`+"\n\n"),
			session.Description{Arrow: "⇣", Title: "artifact r-1", Detail: "+12 B (append) · “twelve bytes”", Level: "plain"},
		},
		"unreadable event": {
			event("event", "data: oops\n\n"),
			session.Description{Arrow: "⇣", Title: "unreadable event", Detail: "oops", Level: "warn"},
		},
		"comment": {
			event("comment", ": keep-alive\n\n"),
			session.Description{Arrow: "⇣", Title: "comment", Detail: "keep-alive", Level: "plain"},
		},
		"tail": {
			event("tail", `data: {"result":{"statusUpdate":{"taskId":"t","status":{"state":"TASK_STATE_COMPLETED"}}}}`),
			session.Description{Arrow: "⇣", Title: "tail (unterminated)", Detail: "status completed", Level: "warn"},
		},
		"closed": {
			rec(session.KindClosed, session.Closed{How: session.ClosedClean, Frames: 3, Bytes: 20480}, ""),
			session.Description{Arrow: "⇥", Title: "stream closed", Detail: "by the peer · 3 frames, 20 KiB", Level: "plain"},
		},
		"cut stream": {
			rec(session.KindClosed, session.Closed{How: session.ClosedCut, Error: "connection reset by peer", Frames: 1, Bytes: 9}, ""),
			session.Description{Arrow: "⇥", Title: "stream broke off", Detail: "connection reset by peer · 1 frame, 9 B", Level: "bad"},
		},
		"fault": {
			rec(session.KindFault, session.Faulted{Phase: "connect", Error: "connection refused", Unsent: true}, ""),
			session.Description{Arrow: "✗", Title: "fault: connect", Detail: "connection refused · nothing was sent", Level: "bad"},
		},
		"push": {
			rec(session.KindPush, session.Pushed{Head: 1, TokenOK: true}, `H{"statusUpdate":{"taskId":"t","status":{"state":"TASK_STATE_COMPLETED"}}}`),
			session.Description{Arrow: "←", Title: "push  status completed", Level: "good"},
		},
		"push without token": {
			rec(session.KindPush, session.Pushed{Head: 1, Untokened: true, Answered: 401, Skipped: 3}, `H{"statusUpdate":{"taskId":"t","status":{"state":"TASK_STATE_COMPLETED"}}}`),
			session.Description{Arrow: "←", Title: "push  status completed", Detail: "without our token · 3 requests before it came too fast and were not kept", Level: "warn"},
		},
		"push to nowhere": {
			rec(session.KindPush, session.Pushed{Head: 1, Answered: 404}, `H{"statusUpdate":{"taskId":"t","status":{"state":"TASK_STATE_COMPLETED"}}}`),
			session.Description{Arrow: "←", Title: "push  status completed", Detail: "not for us, answered 404", Level: "warn"},
		},
		"push validation": {
			rec(session.KindPush, session.Pushed{Head: 1, Validation: true, Answered: 200}, "H"),
			session.Description{Arrow: "←", Title: "push", Detail: "the peer made sure of our address", Level: "good"},
		},
		"push on": {
			rec(session.KindCommand, session.Commanded{Line: "push on", Receiver: "http://127.0.0.1:7/‹secret:2›"}, ""),
			session.Description{Arrow: "›", Title: "push on", Detail: "receiving at http://127.0.0.1:7/‹secret:2›", Level: "plain"},
		},
		"timer": {
			rec(session.KindTimer, session.Ticked{ID: "close:x3"}, ""),
			session.Description{Arrow: "·", Title: "timer close", Detail: "the time for the stream to close is over · exchange 3", Level: "plain"},
		},
		"stall": {
			rec(session.KindTimer, session.Ticked{ID: session.TimerStall, Late: session.Duration(2 * time.Second)}, ""),
			session.Description{Arrow: "·", Title: "stall", Detail: "the console itself was not running: times before are not compared with times after · 2s late", Level: "warn"},
		},
		"finding": {
			rec(session.KindFinding, session.Finding{Rule: "cancel.frames-after", Claim: session.CancelFinal, Severity: session.Critical, Title: "went on", Evidence: []uint64{1, 2, 3, 4, 5, 6, 7}}, ""),
			session.Description{Arrow: "✗", Title: "critical cancel.frames-after", Detail: "went on · #1 #2 #3 #4 #5 … 2 more", Level: "bad"},
		},
		"observed": {
			rec(session.KindObserved, session.Observed{Claim: session.Streaming, Verdict: session.Honoured, Evidence: []uint64{4}}, ""),
			session.Description{Arrow: "✓", Title: "streaming honoured", Detail: "#4", Level: "good"},
		},
		"decision": {
			rec(session.KindDecision, session.Decision{ID: 2, Action: session.ActDemote, Claim: session.Streaming, By: "operator", Reason: "buffers", Until: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}, ""),
			session.Description{Arrow: "⚑", Title: "decision 2: demote streaming", Detail: "buffers · by the operator · until 2026-03-01 12:00 UTC", Level: "warn"},
		},
		"card": {
			rec(session.KindCard, session.CardRead{URL: "http://h.example/card"}, `{"name":"Acme","version":"2","description":"d","supportedInterfaces":[{"url":"http://h.example/","protocolBinding":"JSONRPC","protocolVersion":"1.0"}],"capabilities":{},"skills":[],"defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"]}`),
			session.Description{Arrow: "·", Title: "card", Detail: "Acme 2 · 1.0 JSONRPC · from http://h.example/card", Level: "good"},
		},
		"trust": {
			rec(session.KindTrust, session.Carried{Known: true, Demoted: []session.CarriedDecision{{Claim: session.Streaming}}}, ""),
			session.Description{Arrow: "·", Title: "trust", Detail: "demoted by earlier sessions: streaming", Level: "warn"},
		},
		"opened": {
			rec(session.KindOpened, session.Opened{Typed: "demo:honest", URL: "http://127.0.0.1:9", Tool: "v1", Origin: "demo"}, ""),
			session.Description{Arrow: "·", Title: "opened", Detail: "demo:honest · at http://127.0.0.1:9 · a2ascope v1 · demo", Level: "plain"},
		},
		"command": {
			rec(session.KindCommand, session.Commanded{Line: "auth bearer $T", Error: "T is not set"}, ""),
			session.Description{Arrow: "›", Title: "auth bearer $T", Detail: "T is not set", Level: "bad"},
		},
		"note":         {rec(session.KindNote, session.Noted{Text: "two\nlines"}, ""), session.Description{Arrow: "✎", Title: "note", Detail: "two lines", Level: "plain"}},
		"ended":        {rec(session.KindEnded, session.Ended{Reason: "done"}, ""), session.Description{Arrow: "·", Title: "ended", Detail: "done", Level: "plain"}},
		"redacted":     {&session.Record{Kind: session.KindResponse, Redacted: true}, session.Description{Arrow: "←", Title: "response (redacted)", Level: "warn"}},
		"broken body":  {&session.Record{Kind: session.KindFinding, Body: []byte("{")}, session.Description{Arrow: "✗", Title: "finding (cannot be read)", Level: "warn"}},
		"unknown kind": {&session.Record{Kind: "later"}, session.Description{Arrow: "·", Title: "later", Level: "plain"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := session.Describe(c.in); got != c.want {
				t.Errorf("got  %+v\nwant %+v", got, c.want)
			}
		})
	}
}

// Whatever a log holds, a record has its line, and it is one line.
func FuzzDescribe(f *testing.F) {
	for _, k := range []string{"request", "response", "frame", "push", "card", "timer", "finding"} {
		f.Add(k, []byte(`{"head":0,"status":200,"kind":"event","id":"close:x"}`), []byte("data: {\"result\":{\"task\":{\"id\":\"t\"}}}\n\n"), false)
	}
	f.Add("response", []byte(`{"head":-7,"status":-1}`), []byte("x"), true)
	f.Fuzz(func(t *testing.T, kind string, body, raw []byte, redacted bool) {
		d := session.Describe(&session.Record{Kind: session.Kind(kind), Body: body, Raw: raw, Redacted: redacted})
		if strings.ContainsAny(d.Title+d.Detail, "\r\n") || d.Arrow == "" || d.Level == "" {
			t.Errorf("%+v", d)
		}
		if len(d.Title) > 500 || len(d.Detail) > 500 {
			t.Errorf("title of %d bytes, detail of %d", len(d.Title), len(d.Detail))
		}
	})
}
