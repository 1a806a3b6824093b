package replay_test

import (
	"strings"
	"testing"

	"a2ascope/peerclient/replay"
)

func TestEnvelopeIDs(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ was, recorded, client, want string }{
		"number":         {`{"jsonrpc":"2.0","id":7,"result":{"id":7}}`, `7`, `42`, `{"jsonrpc":"2.0","id":42,"result":{"id":7}}`},
		"behind":         {`{ "result" : {"id":"x"} , "id" : 7 }`, `7`, `"abc"`, `{ "result" : {"id":"x"} , "id" : "abc" }`},
		"as text":        {`{"id":"7"}`, `7`, `42`, `{"id":"42"}`},
		"as number":      {`{"id":7}`, `"7"`, `"42"`, `{"id":"42"}`},
		"another":        {`{"id":1007}`, `7`, `42`, `{"id":1042}`},
		"another's text": {`{"id":"other"}`, `7`, `42`, `{"id":"other"}`},
		"null":           {`{"id":null,"error":{}}`, `7`, `42`, `{"id":null,"error":{}}`},
		"twice":          {`{"id":7,"id":7}`, `7`, `8`, `{"id":8,"id":8}`},
		"escaped name":   {`{"\u0069d":7}`, `7`, `8`, `{"\u0069d":8}`},
		"breaks off":     {`{"id":7,"result":{"a":`, `7`, `8`, `{"id":8,"result":{"a":`},
		"no JSON":        {`<html>7</html>`, `7`, `8`, `<html>7</html>`},
		"a list":         {`[{"id":7}]`, `7`, `8`, `[{"id":7}]`},
		"nothing":        {``, `7`, `8`, ``},
		"bad UTF-8":      {"{\"id\":7,\"a\":\"\xff\"}", `7`, `8`, "{\"id\":8,\"a\":\"\xff\"}"},
	} {
		if got := replay.WithID([]byte(tc.was), tc.recorded, tc.client); got != tc.want {
			t.Errorf("%s: %s", name, got)
		}
	}
	for name, tc := range map[string]struct{ was, want string }{
		"one line":   {"data: {\"id\":7,\"result\":{}}\n\n", "data: {\"id\":\"a\",\"result\":{}}\n\n"},
		"many lines": {"event: m\r\ndata: {\r\ndata:\"result\":{},\r\ndata: \"id\":\r\ndata:  7\r\ndata: }\r\nid: 7\r\n\r\n", "event: m\r\ndata: {\r\ndata:\"result\":{},\r\ndata: \"id\":\r\ndata:  \"a\"\r\ndata: }\r\nid: 7\r\n\r\n"},
		"CR":         {"data: {\rdata: \"id\":7}\r\r", "data: {\rdata: \"id\":\"a\"}\r\r"},
		"a comment":  {": 7\n\n", ": 7\n\n"},
		"cut":        {"data: {\"id\":7,\"resu", "data: {\"id\":\"a\",\"resu"},
		"no data":    {"event: x\n\n", "event: x\n\n"},
	} {
		if got := replay.FrameWithID([]byte(tc.was), `7`, `"a"`); got != tc.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestReaddress(t *testing.T) {
	t.Parallel()
	to := func(origin string) string {
		return map[string]string{"https://acme.example": "http://127.0.0.1:1", "http://acme.example:8080": "http://127.0.0.1:2"}[origin]
	}
	for was, want := range map[string]string{
		`{"url":"https://acme.example/a2a?x=1"}`:                            `{"url":"http://127.0.0.1:1/a2a?x=1"}`,
		`{"url":"https://acme.example"}`:                                    `{"url":"http://127.0.0.1:1"}`,
		`{"url":"HTTPS://Acme.example:443/"}`:                               `{"url":"http://127.0.0.1:1/"}`,
		`{"url":"https:\/\/acme.example\/a"}`:                               `{"url":"http://127.0.0.1:1/a"}`,
		`["http://acme.example:8080/b","https://acme.example.evil/","x\""]`: `["http://127.0.0.1:2/b","https://acme.example.evil/","x\""]`,
		`{"d":"see https://acme.example/doc","e":"https://other.example"}`:  `{"d":"see https://acme.example/doc","e":"https://other.example"}`,
		`{"url":"https://acme.example/`:                                     `{"url":"https://acme.example/`,
		``:                                                                  ``,
	} {
		if got := replay.Readdress(was, to); got != want {
			t.Errorf("%s: %s", was, got)
		}
	}
}

// FuzzRewrite: whatever a peer sent, putting in an id never breaks, and where
// the ids are the same nothing changes.
func FuzzRewrite(f *testing.F) {
	for _, s := range []string{`{"id":7}`, "data: {\ndata: \"id\":7}\n\n", `{"url":"http://a/"}`, `"\`, "data:", `{"id":`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		b := []byte(s)
		if replay.WithID(b, "7", "7") != s || replay.FrameWithID(b, "7", "7") != s || replay.Readdress(s, func(string) string { return "" }) != s {
			t.Error("changed without a cause")
		}
		for _, got := range []string{replay.WithID(b, "7", "8"), replay.FrameWithID(b, "7", "8")} {
			if strings.Count(got, "7")+strings.Count(got, "8") < strings.Count(s, "7") {
				t.Errorf("lost something: %q became %q", s, got)
			}
		}
		replay.Readdress(s, func(string) string { return "http://b" })
	})
}
