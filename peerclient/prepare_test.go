package peerclient

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"a2ascope/session"
	"a2ascope/session/a2a"
)

func mustPrepare(t *testing.T, cl session.Call) session.Prepared {
	t.Helper()
	p, err := newClient(t, Options{}).Prepare(cl)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func lines(p session.Prepared) []string {
	return strings.Split(strings.TrimSuffix(string(p.Raw[:p.Body.Head]), "\r\n\r\n"), "\r\n")
}

func hasLine(p session.Prepared, want string) bool {
	for _, l := range lines(p) {
		if l == want {
			return true
		}
	}
	return false
}

func TestPreparedHead(t *testing.T) {
	t.Parallel()
	p := mustPrepare(t, call(a2a.OpSend, "http://h.example:81/rpc"))
	body := string(p.Raw[p.Body.Head:])
	for _, want := range []string{
		"POST /rpc HTTP/1.1", "Host: h.example:81", "User-Agent: a2ascope", "A2A-Version: 1.0",
		fmt.Sprintf("Content-Length: %d", len(body)),
	} {
		if !hasLine(p, want) {
			t.Errorf("no line %q in\n%s", want, p.Raw)
		}
	}
	if ls := lines(p); !strings.HasPrefix(ls[1], "Host: ") {
		t.Errorf("Host is not the first header: %q", ls)
	}
	if !strings.Contains(body, `"hallo"`) || strings.Contains(string(p.Raw), "Accept-Encoding") {
		t.Errorf("request\n%s", p.Raw)
	}
	b := p.Body
	if b.Op != a2a.OpSend || b.Gen != a2a.Gen10 || b.Binding != a2a.JSONRPC || b.HTTPMethod != "POST" ||
		b.URL != "http://h.example:81/rpc" || b.RPCMethod != "SendMessage" || b.RPCID != 7 || b.MessageID != "m-1" ||
		b.TaskID != "t-1" || strings.Join(b.Parts, " ") != "text/plain" || b.Authenticated != "" || b.Withheld != "" {
		t.Errorf("requested %+v", b)
	}
}

func TestPreparedCard(t *testing.T) {
	t.Parallel()
	cl := call(a2a.OpCard, "https://h.example/.well-known/agent-card.json?a=%2F")
	cl.IfNoneMatch = `"v1"`
	p := mustPrepare(t, cl)
	if ls := lines(p); ls[0] != "GET /.well-known/agent-card.json?a=%2F HTTP/1.1" || !hasLine(p, `If-None-Match: "v1"`) || len(p.Raw) != p.Body.Head {
		t.Errorf("request\n%s", p.Raw)
	}
	if b := p.Body; b.HTTPMethod != "GET" || b.RPCID != 0 || b.URL != cl.URL {
		t.Errorf("requested %+v", b)
	}
	cl.IfNoneMatch = "\"v1\"\r\nX-Evil: 1"
	if p := mustPrepare(t, cl); bytes.Contains(p.Raw, []byte("Evil")) {
		t.Errorf("a peer's ETag became a header:\n%s", p.Raw)
	}
}

func TestAddressesStayAsTyped(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ typed, path, query, line, url string }{
		{"http://h", "", "", "/", "http://h"},
		{"http://h/", "", "", "/", "http://h/"},
		{"http://h/a/", "", "", "/a/", "http://h/a/"},
		{"http://h//a", "", "", "//a", "http://h//a"},
		{"http://h/a", "/m:send", "", "/a/m:send", "http://h/a/m:send"},
		{"http://h/a/", "/m:send", "", "/a/m:send", "http://h/a/m:send"},
		{"http://h/a?k=1", "/m:send", "x=2", "/a/m:send?k=1&x=2", "http://h/a/m:send?k=1&x=2"},
		{"http://h?", "", "", "/?", "http://h?"},
		{"http://h?k=1", "", "", "/?k=1", "http://h?k=1"},
		{"http://h/a%2Fb/%zz?%", "", "", "/a%2Fb/%zz?%", "http://h/a%2Fb/%zz?%"},
		{"http://h/a b\r\nX: y/ü#frag", "", "", "/a%20b%0D%0AX:%20y/%C3%BC", "http://h/a b\r\nX: y/ü"},
		{"HTTP://H.example:/a", "", "", "/a", "http://h.example/a"},
		{"http://u:p@h/a@b", "", "", "/a@b", "http://h/a@b"},
		{"http://[::1]:80/", "", "", "/", "http://[::1]:80/"},
	} {
		a, err := parseTarget(tc.typed)
		if err != nil {
			t.Errorf("%q: %v", tc.typed, err)
			continue
		}
		a.join(tc.path, tc.query)
		if a.requestURI() != tc.line || a.String() != tc.url {
			t.Errorf("%q + %q + %q = %q, %q", tc.typed, tc.path, tc.query, a.requestURI(), a.String())
		}
	}
}

func TestHostNames(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string][3]string{
		"http://h.example":        {"h.example", "h.example:80", "h.example"},
		"https://h.example":       {"h.example", "h.example:443", "h.example"},
		"http://bücher.example/":  {"xn--bcher-kva.example", "xn--bcher-kva.example:80", "xn--bcher-kva.example"},
		"http://[fe80::1%25lo]:9": {"[fe80::1]:9", "[fe80::1%lo]:9", "fe80::1"},
		"http://under_score:1":    {"under_score:1", "under_score:1", "under_score"},
	} {
		a, err := parseTarget(typed)
		if got := [3]string{a.host, a.dial, a.name}; err != nil || got != want {
			t.Errorf("%q: %q, %v; want %q", typed, got, err, want)
		}
	}
}

func TestBadAddresses(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	for typed, says := range map[string]string{
		"":                        "no scheme",
		"h.example/a":             "no scheme",
		"ftp://u:hunter2@h":       "ftp",
		"http://u:hunter2@":       "no host",
		"http://u:hunter2@a b/":   "cannot be read",
		"http://u:hun ter2@h":     "user part",
		"http://u:hunter2@h:x/":   "cannot be read",
		"http://u:hunter2@a\x7fb": "cannot be read",
	} {
		_, err := c.Prepare(call(a2a.OpSend, typed))
		if err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), "ter2") {
			t.Errorf("%q: %v, want an error with %q", typed, err, says)
		}
	}
}

func TestCredentials(t *testing.T) {
	t.Parallel()
	bearer := session.Credential{Kind: "bearer", Value: "s3cret", From: "$TOKEN"}
	other := session.Credential{Kind: "bearer", Value: "s3cret2", From: "$OTHER"}
	basic := session.Credential{Kind: "basic", Value: "u:s3cret", From: "$BASIC"}
	key := session.Credential{Kind: "apikey", In: "header", Name: "X-API-Key", Value: "s3cret", From: "$KEY"}
	query := session.Credential{Kind: "apikey", In: "query", Name: "k y", Value: "s3cret&x", From: "$KEY"}
	cookie := session.Credential{Kind: "apikey", In: "cookie", Name: "sid", Value: "s3cret", From: "$SID"}
	cases := []struct {
		name   string
		url    string
		auth   []session.Credential
		header [][2]string
		lines  []string
		not    string
		says   string
	}{
		{"bearer", "", []session.Credential{bearer}, nil, []string{"Authorization: Bearer s3cret"}, "", "bearer $TOKEN"},
		{"the last bearer", "", []session.Credential{bearer, other}, nil, []string{"Authorization: Bearer s3cret2"}, "Bearer s3cret\r", "bearer $OTHER"},
		{"basic", "", []session.Credential{basic}, nil, []string{"Authorization: Basic dTpzM2NyZXQ="}, "", "basic $BASIC"},
		{"of the address", "http://u:s3cret@h.example/a", nil, nil, []string{"Authorization: Basic dTpzM2NyZXQ=", "Host: h.example"}, "", "basic of the address"},
		{"bearer before the address", "http://u:p@h.example/a", []session.Credential{bearer}, nil, []string{"Authorization: Bearer s3cret"}, "Basic", "bearer $TOKEN"},
		{"key in a header", "", []session.Credential{key}, [][2]string{{"x-api-key", "old"}}, []string{"X-API-Key: s3cret"}, "old", "apikey X-API-Key $KEY"},
		{"key in the query", "http://h.example/a?b", []session.Credential{query}, nil, []string{"POST /a?b&k+y=s3cret%26x HTTP/1.1"}, "", "apikey k y $KEY"},
		{"two cookies", "", []session.Credential{cookie}, [][2]string{{"Cookie", "a=b"}}, []string{"Cookie: a=b; sid=s3cret"}, "", "header Cookie, apikey sid $SID"},
		{"own header", "", nil, [][2]string{{"authorization", "Bearer s3cret"}, {"X-Trace", "1"}}, []string{"authorization: Bearer s3cret", "X-Trace: 1"}, "", "header authorization"},
		{"header and key", "", []session.Credential{bearer, key}, nil, []string{"Authorization: Bearer s3cret", "X-API-Key: s3cret"}, "", "bearer $TOKEN, apikey X-API-Key $KEY"},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if tc.url == "" {
				tc.url = "http://h.example/a"
			}
			cl := call(a2a.OpSend, tc.url)
			cl.Auth, cl.Header = tc.auth, tc.header
			p := mustPrepare(t, cl)
			for _, l := range tc.lines {
				if !hasLine(p, l) {
					t.Errorf("no line %q in\n%s", l, p.Raw)
				}
			}
			if tc.not != "" && bytes.Contains(p.Raw, []byte(tc.not)) {
				t.Errorf("%q is in\n%s", tc.not, p.Raw)
			}
			if p.Body.Authenticated != tc.says || p.Body.Withheld != "" || strings.Contains(fmt.Sprintf("%+v", p.Body), "s3cret") {
				t.Errorf("requested %+v", p.Body)
			}
			cl.Withhold = true
			p = mustPrepare(t, cl)
			if bytes.Contains(p.Raw, []byte("s3cret")) || bytes.Contains(p.Raw, []byte("dTpz")) || p.Body.Authenticated != "" || p.Body.Withheld == "" {
				t.Errorf("withheld %q, sent\n%s", p.Body.Withheld, p.Raw)
			}
		})
	}
}

func TestOperatorsHeaders(t *testing.T) {
	t.Parallel()
	cl := call(a2a.OpSend, "http://h.example/a")
	cl.Header = [][2]string{{"a2a-VERSION", "9.9"}, {"user-agent", "me"}, {"host", "virtual.example"}, {"X-A", "1"}, {"X-A", "2"}}
	p := mustPrepare(t, cl)
	for _, want := range []string{"a2a-VERSION: 9.9", "user-agent: me", "X-A: 1", "X-A: 2"} {
		if !hasLine(p, want) {
			t.Errorf("no line %q in\n%s", want, p.Raw)
		}
	}
	if bytes.Contains(p.Raw, []byte("a2ascope")) || bytes.Contains(p.Raw, []byte("Version: 1.0")) || lines(p)[1] != "host: virtual.example" {
		t.Errorf("request\n%s", p.Raw)
	}
	cl.Header = append(cl.Header, [2]string{"X-Marked-Secret", "x"})
	cl.Withhold = true
	p = mustPrepare(t, cl)
	if !hasLine(p, "a2a-VERSION: 9.9") || !strings.Contains(p.Body.Withheld, "header X-A") || bytes.Contains(p.Raw, []byte("virtual")) {
		t.Errorf("withheld %q, sent\n%s", p.Body.Withheld, p.Raw)
	}
}

func TestRefusedHeaders(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	for _, h := range [][2]string{
		{"Content-Length", "3"}, {"transfer-encoding", "chunked"}, {"Connection", "close"},
		{"Bad Name", "x"}, {"", "x"}, {"X", "s3cret\r\nY: z"}, {"X", "s3cret\x00"},
	} {
		cl := call(a2a.OpSend, "http://h.example/a")
		cl.Header = [][2]string{h}
		if _, err := c.Prepare(cl); err == nil || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%q: %v", h, err)
		}
	}
	for _, cr := range []session.Credential{
		{Kind: "bearer", Value: "s3cret\n"}, {Kind: "oauth", Value: "s3cret"}, {Kind: "apikey", In: "body", Name: "a", Value: "s3cret"},
		{Kind: "apikey", In: "header", Name: "a b", Value: "s3cret"}, {Kind: "apikey", In: "header", Name: "Content-Length", Value: "s3cret"},
	} {
		cl := call(a2a.OpSend, "http://h.example/a")
		cl.Auth = []session.Credential{cr}
		if _, err := c.Prepare(cl); err == nil || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%+v: %v", cr, err)
		}
	}
}

func TestPartsCountAsTheirModes(t *testing.T) {
	t.Parallel()
	cl := call(a2a.OpSend, "http://h.example/a")
	cl.Params.Message.Parts = []a2a.Part{
		{Kind: a2a.PartText, Text: "x"}, {Kind: a2a.PartData, Data: []byte("{}")},
		{Kind: a2a.PartBytes, Bytes: []byte("x"), MediaType: "image/png"}, {Kind: a2a.PartURL, URL: "http://x"},
	}
	if p := mustPrepare(t, cl); strings.Join(p.Body.Parts, " ") != "text/plain application/json image/png application/octet-stream" {
		t.Errorf("parts %q", p.Body.Parts)
	}
}

func TestRecordSaysWhatWasAskedFor(t *testing.T) {
	t.Parallel()
	yes, no, ten := true, false, 10
	for _, tc := range []struct {
		op       a2a.Operation
		blocking *bool
		history  *int
		want     session.Requested
	}{
		{a2a.OpSend, &yes, &ten, session.Requested{Blocking: true}},
		{a2a.OpSend, &no, nil, session.Requested{}},
		{a2a.OpSend, nil, nil, session.Requested{}},
		{a2a.OpGet, nil, &ten, session.Requested{HistoryLen: 10}},
		{a2a.OpGet, nil, nil, session.Requested{}},
	} {
		cl := call(tc.op, "http://h.example/a")
		cl.Params.Blocking, cl.Params.HistoryLength = tc.blocking, tc.history
		if b := mustPrepare(t, cl).Body; b.Blocking != tc.want.Blocking || b.HistoryLen != tc.want.HistoryLen {
			t.Errorf("%s: requested %+v", tc.op, b)
		}
	}
}

func TestRequestOfAnotherClient(t *testing.T) {
	t.Parallel()
	err := newClient(t, Options{}).Do(t.Context(), session.Prepared{Send: 1}, func(session.Arrival) { t.Error("something arrived") })
	if err == nil {
		t.Error("no error")
	}
}
