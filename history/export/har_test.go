package export

import (
	"encoding/base64"
	"encoding/json"
	"math"
	"net/url"
	"strings"
	"testing"
	"time"

	"a2ascope/session"
	"a2ascope/session/a2a"
)

// required are the members that HAR 1.2 asks for, by the path of their object.
var required = map[string][]string{
	"log":                          {"version", "creator", "entries"},
	"log.creator":                  {"name", "version"},
	"log.entries":                  {"startedDateTime", "time", "request", "response", "cache", "timings"},
	"log.entries.request":          {"method", "url", "httpVersion", "cookies", "headers", "queryString", "headersSize", "bodySize"},
	"log.entries.request.postData": {"mimeType", "params", "text"},
	"log.entries.response":         {"status", "statusText", "httpVersion", "cookies", "headers", "content", "redirectURL", "headersSize", "bodySize"},
	"log.entries.response.content": {"size", "mimeType"},
	"log.entries.timings":          {"send", "wait", "receive"},
	"log.entries.request.headers":  {"name", "value"}, "log.entries.response.headers": {"name", "value"},
	"log.entries.request.cookies": {"name", "value"}, "log.entries.response.cookies": {"name", "value"},
	"log.entries.request.queryString": {"name", "value"},
}

// checkHAR checks a file against the specification, and returns its entries.
func checkHAR(t *testing.T, text string) []map[string]any {
	t.Helper()
	var doc struct {
		Log map[string]any `json:"log"`
	}
	dec := json.NewDecoder(strings.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&doc); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	checkMembers(t, "log", doc.Log)
	if doc.Log["version"] != "1.2" {
		t.Errorf("version %v", doc.Log["version"])
	}
	var entries []map[string]any
	for _, x := range doc.Log["entries"].([]any) {
		e := x.(map[string]any)
		entries = append(entries, e)
		checkTimes(t, e)
		u, err := url.Parse(e["request"].(map[string]any)["url"].(string))
		if err != nil || !u.IsAbs() {
			t.Errorf("url %v: %v", u, err)
		}
	}
	return entries
}

func checkMembers(t *testing.T, path string, v any) {
	t.Helper()
	switch v := v.(type) {
	case map[string]any:
		for _, name := range required[path] {
			if got, ok := v[name]; !ok || got == nil {
				t.Errorf("%s has no %s", path, name)
			}
		}
		for name, x := range v {
			checkMembers(t, path+"."+name, x)
		}
	case []any:
		for _, x := range v {
			checkMembers(t, path, x)
		}
	}
}

// checkTimes: an entry's time is the sum of its timings, TLS being part of
// connecting, and none is below 0 but for -1.
func checkTimes(t *testing.T, e map[string]any) {
	t.Helper()
	sum := 0.0
	timings := e["timings"].(map[string]any)
	for name, v := range timings {
		ms := v.(float64)
		switch {
		case ms < 0 && ms != -1, ms == -1 && (name == "send" || name == "wait" || name == "receive"):
			t.Errorf("%s is %v", name, ms)
		case ms > 0 && name != "ssl":
			sum += ms
		}
	}
	if ssl, connect := timings["ssl"].(float64), timings["connect"].(float64); ssl > connect {
		t.Errorf("ssl %v within connect %v", ssl, connect)
	}
	if math.Abs(sum-e["time"].(float64)) > 1e-4 {
		t.Errorf("time is %v, and its parts come to %v", e["time"], sum)
	}
	if _, err := time.Parse(time.RFC3339Nano, e["startedDateTime"].(string)); err != nil {
		t.Error(err)
	}
}

func TestHARRecorded(t *testing.T) {
	t.Parallel()
	for _, name := range recorded {
		records := load(t, name)
		entries := checkHAR(t, exported(t, records, "har", Options{Tool: "a2ascope 1.0.0"}))
		requests, frames := 0, 0
		for _, r := range records {
			switch r.Kind {
			case session.KindRequest:
				requests++
			case session.KindFrame:
				frames++
			}
		}
		got := 0
		for _, e := range entries {
			fs, _ := e["_frames"].([]any)
			got += len(fs)
			for _, f := range fs {
				if f := f.(map[string]any); !json.Valid([]byte(f["data"].(string))) || f["offset"].(float64) <= 0 {
					t.Errorf("%s: frame %v", name, f)
				}
			}
		}
		if len(entries) != requests || got != frames {
			t.Errorf("%s: %d entries with %d frames of %d requests with %d", name, len(entries), got, requests, frames)
		}
	}
}

func TestHARParts(t *testing.T) {
	t.Parallel()
	l := &logger{}
	l.add(session.KindOpened, session.Opened{Session: "s", URL: "https://h/"}, nil, 0)
	add := func(n int, head, body string, answer any, raw string) {
		l.add(session.KindRequest, session.Requested{Op: a2a.OpRaw, HTTPMethod: "POST", URL: "https://h/ä?q=a%20b&k=‹secret:1›", Head: len(head)}, []byte(head+body), n)
		l.add(map[bool]session.Kind{true: session.KindFault, false: session.KindResponse}[raw == ""], answer, []byte(raw), n)
	}
	us := func(n int) session.Duration { return session.Duration(time.Duration(n) * time.Microsecond) }
	reqHead := "POST /x HTTP/1.1\r\nContent-Type: application/octet-stream\r\nCookie: a=1; b=2\r\n\r\n"
	respHead := "HTTP/1.1 418 I'm a teapot\r\nSet-Cookie: c=3; Path=/\r\nLocation: /y\r\n\r\n"
	add(1, reqHead, "\xff\x00", session.Responded{Status: 418, Head: len(respHead), Location: "/y", Timing: session.Timing{DNS: us(100), Connect: us(300), TLS: us(700), Wrote: us(800), FirstByte: us(2800), Done: us(3000), Remote: "[::1]:443"}}, respHead+"\xfe\x01")
	add(2, reqHead, "", session.Faulted{Phase: "connect", Error: "refused", Timing: session.Timing{DNS: us(50)}}, "")
	add(3, reqHead, "x", session.Responded{Status: 200, Head: len(ok), Timing: session.Timing{Wrote: us(500), FirstByte: us(400), Done: us(600), Reused: true}}, ok)
	entries := checkHAR(t, exported(t, l.records, "har", Options{}))
	if len(entries) != 3 {
		t.Fatalf("%d entries", len(entries))
	}
	req, resp, tm := entries[0]["request"].(map[string]any), entries[0]["response"].(map[string]any), entries[0]["timings"].(map[string]any)
	if tm["dns"] != 0.1 || tm["connect"] != 0.6 || tm["ssl"] != 0.4 || tm["send"] != 0.1 || tm["wait"] != 2.0 || tm["receive"] != 0.2 || entries[0]["time"] != 3.0 {
		t.Errorf("timings %v, time %v", tm, entries[0]["time"])
	}
	if len(req["cookies"].([]any)) != 2 || len(req["queryString"].([]any)) != 2 || len(resp["cookies"].([]any)) != 1 || resp["statusText"] != "I'm a teapot" || resp["redirectURL"] != "/y" {
		t.Errorf("%v\n%v", req, resp)
	}
	content := resp["content"].(map[string]any)
	if content["encoding"] != "base64" || content["text"] != base64.StdEncoding.EncodeToString([]byte("\xfe\x01")) || entries[0]["serverIPAddress"] != "::1" {
		t.Errorf("%v %v", content, entries[0]["serverIPAddress"])
	}
	if failed := entries[1]["response"].(map[string]any); failed["status"] != 0.0 || failed["_error"] != "connect: refused" {
		t.Errorf("%v", failed)
	}
}
