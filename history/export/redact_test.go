package export

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"a2ascope/session"
	"a2ascope/session/a2a"
)

// The values are made up. They are put together here so that nobody's scanner
// takes this file for a leak.
var (
	tJWT    = "eyJhbGciOiJIUzI1NiJ9" + ".eyJzdWIiOiIxMjM0NTY3ODkwIn0" + ".dBjftJeZ4CVP-mB92K27uhbUJU1p1r"
	tAWS    = "AKIA" + "IOSFODNN7EXAMPLE"
	tGitHub = "ghp_" + strings.Repeat("a1B2", 9)
	tOpenAI = "sk-" + "proj-" + strings.Repeat("Zz9", 12)
	tOpaque = "q7Rk2xPv9LmT4bNw8sYd"
)

// wireLog makes a log of one exchange.
func wireLog(t testing.TB, card string, reqHead, reqBody, respHead, respBody string) []session.Record {
	t.Helper()
	l := &logger{}
	l.add(session.KindOpened, session.Opened{Session: "s1", Typed: "http://h/", URL: "http://h/", Policy: session.DefaultPolicy()}, nil, 0)
	if card != "" {
		l.add(session.KindCard, session.CardRead{URL: "http://h/card"}, []byte(card), 0)
	}
	l.add(session.KindRequest, session.Requested{Op: a2a.OpSend, HTTPMethod: "POST", URL: requestURL(reqHead), Head: len(reqHead)}, []byte(reqHead+reqBody), 1)
	l.add(session.KindResponse, session.Responded{Status: 200, Head: len(respHead)}, []byte(respHead+respBody), 1)
	l.add(session.KindEnded, session.Ended{Reason: "done"}, nil, 0)
	return l.records
}

func requestURL(head string) string {
	f := strings.Fields(head)
	if len(f) < 2 {
		return "http://h/"
	}
	return "http://h" + f[1]
}

// logger makes sealed records.
type logger struct {
	records []session.Record
	prev    session.Digest
}

func (l *logger) add(kind session.Kind, body any, raw []byte, exchange int) {
	r := session.Record{
		Seq: uint64(len(l.records) + 1), Wall: time.Date(2026, 3, 1, 12, 0, len(l.records), 0, time.UTC), Elapsed: time.Duration(len(l.records)) * time.Second,
		Kind: kind, Body: session.Encode(body), Raw: raw, Exchange: exchange,
	}
	if exchange > 0 {
		r.Task = 1
	}
	r.Seal(l.prev)
	l.prev = r.Hash
	l.records = append(l.records, r)
}

const (
	post = "POST /rpc HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n"
	ok   = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n"
)

// Each place where a secret can stand, and what it is called in the preview.
func TestPlaces(t *testing.T) {
	t.Parallel()
	inBytes := base64.StdEncoding.EncodeToString([]byte(`{"password":"` + tOpaque + `"}`))
	for name, c := range map[string]struct {
		card, req, body, resp, secret, where string
	}{
		"bearer":             {req: post + "Authorization: Bearer " + tOpaque + "\r\n\r\n", secret: tOpaque, where: "header Authorization"},
		"proxy":              {req: post + "Proxy-Authorization: Basic dXNlcjpwYXNzd29yZA==\r\n\r\n", secret: "dXNlcjpwYXNzd29yZA", where: "header Proxy-Authorization"},
		"a secret name":      {req: post + "X-Company-Secret: " + tOpaque + "\r\n\r\n", secret: tOpaque, where: "header X-Company-Secret"},
		"cookie":             {req: post + "Cookie: theme=dark9; sid=" + tOpaque + "\r\n\r\n", secret: tOpaque, where: "cookie sid"},
		"set-cookie":         {resp: "HTTP/1.1 200 OK\r\nSet-Cookie: s=" + tOpaque + "; Path=/; HttpOnly\r\n\r\n", secret: tOpaque, where: "cookie s"},
		"query":              {req: "POST /rpc?a=1&api_key=" + tOpaque + " HTTP/1.1\r\n\r\n", secret: tOpaque, where: "query api_key"},
		"declared key":       {card: `{"name":"x","securitySchemes":{"k":{"type":"apiKey","in":"header","name":"X-Pass-Phrase"}}}`, req: post + "X-Pass-Phrase: " + tOpaque + "\r\n\r\n", secret: tOpaque, where: "header X-Pass-Phrase"},
		"push token":         {body: `{"params":{"pushNotificationConfig":{"url":"http://r/","token":"` + tOpaque + `"}}}`, secret: tOpaque, where: "member token"},
		"push credentials":   {body: `{"params":{"authentication":{"schemes":["Bearer"],"credentials":"` + tOpaque + `"}}}`, secret: tOpaque, where: "member credentials"},
		"list":               {body: `{"apiKeys":["` + tOpaque + `"]}`, secret: tOpaque, where: "member apiKeys"},
		"JWT in a text":      {body: `{"text":"here: ` + tJWT + `!"}`, secret: tJWT, where: "JSON web token"},
		"bearer in a text":   {body: `{"text":"send Bearer ` + tOpaque + ` please"}`, secret: tOpaque, where: "bearer token"},
		"basic in a text":    {body: `{"text":"Basic dXNlcjpwYXNzd29yZA=="}`, secret: "dXNlcjpwYXNzd29yZA", where: "basic credentials"},
		"AWS":                {body: `{"text":"` + tAWS + `"}`, secret: tAWS, where: "AWS access key"},
		"GitHub":             {body: `{"text":"` + tGitHub + `"}`, secret: tGitHub, where: "GitHub token"},
		"model":              {body: `{"text":"key ` + tOpenAI + `"}`, secret: tOpenAI, where: "model provider's key"},
		"user info":          {body: `{"url":"https://joe:hunter22@h/x"}`, secret: "hunter22", where: "user info of a URL"},
		"user info, escaped": {body: `{"url":"https:\/\/joe:hunter22@h\/x"}`, secret: "hunter22", where: "user info of a URL"},
		"unicode escapes":    {body: `{"token":"\u0071` + tOpaque[1:] + `"}`, secret: tOpaque[1:], where: "member token"},
		"nested JSON":        {body: `{"text":"{\"password\":\"` + tOpaque + `\"}"}`, secret: tOpaque, where: "member password"},
		"bytes":              {body: `{"file":{"bytes":"` + inBytes + `"}}`, secret: inBytes, where: "member password"},
		"a form":             {body: `grant_type=x&client_secret=` + tOpaque, secret: tOpaque, where: "form field client_secret"},
		"named in a text":    {body: `{"text":"api_key: ` + tOpaque + `"}`, secret: tOpaque, where: "named in a text"},
		"an answer":          {resp: ok + `{"result":{"access_token":"` + tOpaque + `"}}`, secret: tOpaque, where: "member access_token"},
		"a location":         {resp: "HTTP/1.1 302 Found\r\nLocation: http://h/x?token=" + tOpaque + "\r\n\r\n", secret: tOpaque, where: "query token"},
		"private key":        {body: `{"text":"-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBg\n-----END PRIVATE KEY-----"}`, secret: "MIIEvQIBADANBg", where: "private key"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if c.req == "" {
				c.req = post + "\r\n"
			}
			head, body := ok, ""
			if h, b, found := strings.Cut(c.resp, "\r\n\r\n"); found {
				head, body = h+"\r\n\r\n", b
			}
			records := wireLog(t, c.card, c.req, c.body, head, body)
			p, err := MakePreview(pages(records))
			if err != nil || p.Values == 0 || p.Redacted == 0 {
				t.Fatalf("nothing was found: %+v %v", p, err)
			}
			if !strings.Contains(fmt.Sprintf("%+v", p.Places), "Where:"+c.where+" ") {
				t.Errorf("it is not called %q: %+v", c.where, p.Places)
			}
			if strings.Contains(fmt.Sprintf("%+v", p), c.secret) {
				t.Error("the preview tells it")
			}
			for _, f := range Formats {
				if out := exported(t, records, f.Name, Options{}); strings.Contains(out, c.secret) {
					t.Errorf("%s holds it:\n%s", f.Name, out)
				}
			}
			if out := exported(t, records, "jsonl", Options{Raw: true}); out != string(written(t, records)) {
				t.Error("raw is not the log as it is")
			}
		})
	}
}

// What looks like none stays: it may be what the report is about.
func TestLeftAlone(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		`{"nextPageToken":"abcdef0123456789","pageToken":"abcdef0123456789"}`,
		`{"securitySchemes":{"bearerAuth":{"type":"http","scheme":"bearer","bearerFormat":"JWT"},"apiKey":{"type":"apiKey","in":"header","name":"X-Key"}},"security":[{"apiKey":["read-all"]}]}`,
		`{"signatures":[{"protected":"eyJhbGciOiJFUzI1NiJ9","signature":"QFdkNLNszlGj3z3u0YQGt_T9LixY3qtdQpZmsTdDHDe3fXV9y9-B3m2-XgCpzuhiLt8E0tV6HXoZKHv4GtHgKQ"}]}`,
		`{"usage":{"total_tokens":512,"tokens":9}}`,
		`{"text":"Basic authentication and a Bearer token are described in the specification"}`,
		`{"jsonrpc":"2.0","id":1,"params":{"sessionId":"5b6c-context-of-0.1","message":{"role":"user"}}}`,
		`{"tokenUrl":"https://id.example/oauth/token","text":"task-0123456789abcdef0123456789"}`,
		`{"token":"‹secret:1›"}`,
	} {
		records := wireLog(t, "", post+"Authorization: Bearer ‹secret:1›\r\nIdempotency-Key: 0123456789abcdef\r\nA2A-Version: 1.0\r\n\r\n", body, ok, body)
		p, err := MakePreview(pages(records))
		if err != nil || p.Values != 0 {
			t.Errorf("%s: %+v %v", body, p, err)
		}
		if out := exported(t, records, "jsonl", Options{}); out != string(written(t, records)) {
			t.Errorf("%s was changed", body)
		}
	}
}

// The same value has the same number in every place and in every format, also
// where no name gives it away.
func TestStablePlaceholders(t *testing.T) {
	t.Parallel()
	records := wireLog(t, "", post+"Authorization: Bearer "+tOpaque+"\r\nX-Other-Token: "+tGitHub+"\r\n\r\n",
		`{"text":"my word is `+tOpaque+`"}`, ok, `{"result":{"echo":"`+tOpaque+`","in":"`+base64.StdEncoding.EncodeToString([]byte(tOpaque))+`"}}`)
	p, err := MakePreview(pages(records))
	if err != nil || p.Values != 2 || p.Redacted != 2 || p.Count() != 5 {
		t.Errorf("%+v %v", p, err)
	}
	out := exported(t, records, "jsonl", Options{})
	if n := strings.Count(out, "‹redacted:1›"); n != 4 {
		t.Errorf("‹redacted:1› stands %d times:\n%s", n, out)
	}
	if strings.Contains(out, tOpaque) {
		t.Error("it is still there")
	}
	if c := exported(t, records, "curl", Options{}); !strings.Contains(c, `"$REDACTED_1"`) || !strings.Contains(c, `"$REDACTED_2"`) {
		t.Errorf("curl has no variables:\n%s", c)
	}
}

// A redacted copy keeps digests and hashes, says which records were changed,
// and means the same.
func TestRedactedCopy(t *testing.T) {
	t.Parallel()
	records := load(t, "leaky-cancel")
	prev := session.Digest{}
	for i := range records {
		r := &records[i]
		if r.Kind == session.KindRequest || r.Kind == session.KindResponse {
			head := headOf(r)
			with := string(r.Raw[:head-2]) + "X-Api-Token: " + tOpaque + "\r\n\r\n"
			r.Raw = append([]byte(with), r.Raw[head:]...)
			r.Body = headMember.ReplaceAll(r.Body, fmt.Appendf(nil, `"head":%d`, len(with)))
		}
		if r.Kind == session.KindFrame {
			r.Raw = bytes.ReplaceAll(r.Raw, []byte("chunk"), []byte(tJWT))
		}
		r.Seal(prev)
		prev = r.Hash
	}
	out := exported(t, records, "jsonl", Options{})
	var got []session.Record
	c, err := ReadJSONL(strings.NewReader(out), func(r session.Record) error { got = append(got, r); return nil })
	if err != nil || !c.Whole || c.Head != prev || c.Redacted == 0 {
		t.Fatalf("%+v %v", c, err)
	}
	if strings.Contains(out, tOpaque) || strings.Contains(out, tJWT) {
		t.Error("the copy holds them")
	}
	for i := range got {
		if got[i].Hash != records[i].Hash || got[i].RawSHA != records[i].RawSHA || got[i].BodySHA != records[i].BodySHA {
			t.Fatalf("record %d has other digests", i+1)
		}
		if changed := !bytes.Equal(got[i].Raw, records[i].Raw) || !bytes.Equal(got[i].Body, records[i].Body); changed != got[i].Redacted {
			t.Errorf("record %d: changed %v, redacted %v", i+1, changed, got[i].Redacted)
		}
	}
	if a, b := verdicts(records), verdicts(got); !reflect.DeepEqual(a, b) {
		t.Errorf("it means something else:\n%v\n%v", a, b)
	}
	again := exported(t, got, "jsonl", Options{})
	if again != out {
		t.Error("redacting the copy changes it")
	}
}

func verdicts(records []session.Record) []session.ClaimDoc {
	s := session.NewState()
	for i := range records {
		session.Fold(s, &records[i])
	}
	return session.MakeDocument(s, session.ToolDoc{}).Claims
}

// An answer in a content coding is looked into.
func TestPacked(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write([]byte(`{"result":{"password":"` + tOpaque + `"}}`)) // to memory
	_ = w.Close()
	head := "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n"
	l := &logger{}
	l.add(session.KindOpened, session.Opened{Session: "s"}, nil, 0)
	l.add(session.KindResponse, session.Responded{Status: 200, Encoding: "gzip", Head: len(head)}, append([]byte(head), b.Bytes()...), 0)
	out := exported(t, l.records, "jsonl", Options{})
	if !strings.Contains(out, "‹redacted:1›") || strings.Contains(out, `\"encoding\"`) {
		t.Errorf("it was not looked into:\n%s", out)
	}
}

// A bomb is not looked into, and so it is not handed on.
func TestPackedBomb(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write(append([]byte(`{"password":"`+tOpaque+`","text":"`), bytes.Repeat([]byte("a"), 16<<20)...)) // to memory
	_ = w.Close()
	head := "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n"
	l := &logger{}
	l.add(session.KindOpened, session.Opened{Session: "s"}, nil, 0)
	l.add(session.KindResponse, session.Responded{Status: 200, Encoding: "gzip", Head: len(head)}, append([]byte(head), b.Bytes()...), 0)
	for _, f := range Formats {
		if out := exported(t, l.records, f.Name, Options{}); len(out) > b.Len() && f.Name != "html" || strings.Contains(out, tOpaque) {
			t.Errorf("%s has %d bytes", f.Name, len(out))
		}
	}
}

// A gRPC message is redacted in its JSON; its own bytes go, its metadata stay.
func TestGRPC(t *testing.T) {
	t.Parallel()
	head := "HTTP/2 200\r\nx-api-token: " + tOpaque + "\r\ncontent-type: application/grpc\r\n\r\n"
	for name, c := range map[string]struct {
		proto, message string
		kept           bool
	}{
		"clean":         {`{"text":"hello"}`, "\x0a\x05hello", true},
		"in the JSON":   {`{"token":"` + tGitHub + `"}`, "\x0a\x05hello", false},
		"in its bytes":  {`{"text":"hello"}`, "\x0a\x20" + tGitHub, false},
		"as named else": {`{"text":"` + tOpaque + `"}`, "\x0a\x14" + tOpaque, false},
	} {
		l := &logger{}
		l.add(session.KindOpened, session.Opened{Session: "s"}, nil, 0)
		l.add(session.KindResponse, session.Responded{Status: 200, Head: len(head), ProtoJSON: []byte(c.proto)}, []byte(head+c.message), 0)
		e, err := Open(pages(l.records), Options{})
		if err != nil {
			t.Fatal(err)
		}
		r, _, err := e.record(2)
		var b session.Responded
		if err != nil || r.Decode(&b) != nil || !r.Redacted {
			t.Fatalf("%s: %v %+v", name, err, r)
		}
		all := string(r.Raw) + string(b.ProtoJSON)
		if strings.Contains(all, tOpaque) || strings.Contains(all, tGitHub) || !strings.HasPrefix(string(r.Raw), "HTTP/2 200\r\nx-api-token: ‹redacted:") {
			t.Errorf("%s: %q %s", name, r.Raw, b.ProtoJSON)
		}
		if kept := string(r.Raw[b.Head:]) == c.message; kept != c.kept || !kept && len(r.Raw) > b.Head {
			t.Errorf("%s: the message is %q", name, r.Raw[b.Head:])
		}
	}
}

// What redaction remembers is bounded, whatever a peer sends.
func TestBoundedMemory(t *testing.T) {
	t.Parallel()
	r := newRedactor()
	for i := range maxValues + 100 {
		r.record(session.Record{Seq: 1, Kind: session.KindFrame, Body: []byte(`{}`), Raw: fmt.Appendf(nil, `data: {"token-%d":"value-%d-0123456789"}`, i, i)})
	}
	if len(r.numbers) > maxValues || len(r.echoes) > maxEchoes || len(r.places) > maxPlaces+1 {
		t.Errorf("%d values, %d echoes, %d places", len(r.numbers), len(r.echoes), len(r.places))
	}
	got := r.record(session.Record{Kind: session.KindFrame, Body: []byte(`{}`), Raw: []byte(`data: {"token":"one-more-0123456789"}`)})
	if string(got.Raw) != `data: {"token":"‹redacted›"}` {
		t.Errorf("beyond the bound: %s", got.Raw)
	}
}

func FuzzRedact(f *testing.F) {
	for _, s := range append(nasty, `{"token":"abc`, `{"a":{"token":"x\"y\\"}}`, `[["token","abcdef"]]`, `{"token":["a","bcdef"],"b":"bcdefg"}`) {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		r := newRedactor()
		in := session.Record{Kind: session.KindFrame, Body: []byte(`{"n":1}`), Raw: b}
		out := r.record(in)
		if json.Valid(b) && !json.Valid(out.Raw) {
			t.Errorf("%q is JSON, %q is none", b, out.Raw)
		}
		if out.Redacted == bytes.Equal(out.Raw, b) {
			t.Errorf("redacted %v: %q, %q", out.Redacted, b, out.Raw)
		}
	})
}

// The page of docs names every format.
func TestDocumented(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "reports.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range Formats {
		if !strings.Contains(string(text), "`"+f.Name+"`") {
			t.Errorf("docs/reports.md does not name %s", f.Name)
		}
	}
}
