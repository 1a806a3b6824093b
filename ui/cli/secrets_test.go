package cli_test

import (
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// echoing is an agent that says whatever it was given again, in every place
// and every spelling, also of the secret that it knows.
func echoing(t *testing.T, spellings []string) string {
	t.Helper()
	mux := http.NewServeMux()
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		said, _ := json.Marshal(strings.Join(spellings, " | ") + " | " + r.URL.String() + " | " + string(body))
		w.Header().Set("Content-Type", "application/json")
		for i, v := range spellings {
			w.Header().Add("Set-Cookie", "k="+v)
			w.Header().Add("X-Said", v)
			w.Header().Set("X-Said-"+string(rune('a'+i)), "k="+v)
		}
		if r.Method == http.MethodGet {
			_, _ = w.Write([]byte(`{"name":"Echo","description":` + string(said) + `,"version":"1","supportedInterfaces":[{"url":"` + s.URL + `/rpc?k=` + url.QueryEscape(spellings[0]) + `","protocolBinding":"JSONRPC","protocolVersion":"1.0"}],
				"capabilities":{"pushNotifications":true},"defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"],"skills":[]}`))
			return
		}
		var call struct{ ID json.RawMessage }
		_ = json.Unmarshal(body, &call)
		_, _ = w.Write([]byte(`{"jsonrpc":"2.0","id":` + string(call.ID) + `,"result":{"message":{"messageId":"m","role":"ROLE_AGENT","parts":[{"text":` + string(said) + `}]}}}`))
	})
	return s.URL
}

// A secret that the operator gave, in every place and every spelling, is in no
// byte of the log, of the files beside it, of what is printed, and of what is
// exported, also unredacted.
func TestSecretsAreNowhere(t *testing.T) {
	t.Parallel()
	const secret = `open/sesame+42 "ü"&more`
	inJSON, _ := json.Marshal(secret)
	spellings := []string{
		secret, url.QueryEscape(secret), url.PathEscape(secret), strings.Trim(string(inJSON), `"`),
		base64.StdEncoding.EncodeToString([]byte(secret)), base64.RawURLEncoding.EncodeToString([]byte(secret)),
		base64.StdEncoding.EncodeToString([]byte("joe:" + secret)),
	}
	peer := echoing(t, spellings)
	b := newBench(t)
	b.env["KEY"] = secret
	typed := strings.Replace(peer, "http://", "http://joe:"+url.PathEscape(secret)+"@", 1)
	var said strings.Builder
	run := func(args ...string) {
		r := b.run(args...)
		said.WriteString(r.out + r.err)
	}
	script := []string{"-c", "send say " + secret, "-c", "note the key is " + secret, "-c", "auth apikey query k $KEY", "-c", "send again", "-c", "auth apikey cookie k $KEY", "-c", "send once more", "-c", "push set http://hooks.example/?t=" + url.QueryEscape(secret), "-c", `raw GetTask '{"id":` + string(inJSON) + `}'`}
	for _, form := range []string{"text", "json", "jsonl"} {
		run(append([]string{"run", typed, "-H", "X-Key: $KEY", "--output", form}, script...)...)
	}
	if n := strings.Count(said.String(), "‹secret:"); n < 20 {
		t.Errorf("%d placeholders were printed: the secret was not in use\n%s", n, said.String())
	}
	for _, format := range []string{"md", "html", "jsonl", "har", "curl", "script"} {
		run("export", "last", "--format", format)
		run("export", "last", "--format", format, "--raw")
		run("export", "last", "--format", format, "--preview")
	}
	run("history", "show", "last")
	run("history", "list", "--output", "json")
	run("history", "search", secret[:8])
	holds := func(where, text string) {
		for _, v := range spellings {
			if strings.Contains(text, v) {
				at := strings.Index(text, v)
				t.Errorf("%s holds %q: …%q", where, v, text[max(0, at-80):min(len(text), at+len(v)+20)])
			}
		}
	}
	holds("what was printed", said.String())
	files := 0
	if err := filepath.WalkDir(b.dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files++
		text, err := os.ReadFile(path)
		holds(filepath.Base(path), string(text))
		return err
	}); err != nil || files < 2 {
		t.Errorf("%d files were looked at: %v", files, err)
	}
}
