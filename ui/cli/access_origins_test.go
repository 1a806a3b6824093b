package cli_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

const theKey = "open-sesame-42"

// visited is a server that keeps what it was sent.
type visited struct {
	*httptest.Server
	mu   sync.Mutex
	seen []string // whole requests
}

func visit(t *testing.T, h func(v *visited, w http.ResponseWriter, r *http.Request, body []byte)) *visited {
	t.Helper()
	v := &visited{}
	v.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		dump, _ := httputil.DumpRequest(r, true)
		v.mu.Lock()
		v.seen = append(v.seen, string(dump))
		v.mu.Unlock()
		body, _ := io.ReadAll(r.Body)
		h(v, w, r, body)
	}))
	t.Cleanup(v.Close)
	return v
}

// carrying counts the requests that came, and those with any of the texts.
func (v *visited) carrying(texts ...string) (all, with int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, s := range v.seen {
		for _, text := range texts {
			if strings.Contains(s, text) {
				with++
				break
			}
		}
	}
	return len(v.seen), with
}

// replies answers a call with a message that points elsewhere, or with a task
// where that is asked for.
func replies(w io.Writer, body []byte, elsewhere string) {
	var call struct{ ID json.RawMessage }
	_ = json.Unmarshal(body, &call)
	result := `{"message":{"messageId":"m","role":"ROLE_AGENT","parts":[{"text":"hi"},{"url":"` + elsewhere + `/file","mediaType":"image/png"}]}}`
	const task = `{"id":"T","contextId":"C","status":{"state":"TASK_STATE_WORKING"}}`
	switch {
	case bytes.Contains(body, []byte("a task")):
		result = `{"task":` + task + `}`
	case bytes.Contains(body, []byte("/hook")):
		result = `{"taskId":"T","id":"p","url":"` + elsewhere + `/hook"}`
	case bytes.Contains(body, []byte("GetTask")):
		result = task
	}
	_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, call.ID, result)
}

// TestCredentialsStayAtTheirOrigin: whatever a card or an answer names beside
// the origin that was typed, it gets no credentials, and what is only named is
// not called at all.
func TestCredentialsStayAtTheirOrigin(t *testing.T) {
	t.Parallel()
	const secrets = `Bearer ` + theKey
	for _, tc := range []struct {
		name     string
		endpoint string // on the card: $typed or $foreign
		more     string // members of the card
		card     string // where the card's place sends on to
		rpc      string // where the endpoint sends on to
		commands []string
		calls    bool   // the other origin is called at all
		gets     bool   // and given the credentials
		says     string // in the output
	}{
		{"nothing is foreign", "$typed", "", "", "", nil, false, false, ""},
		{"the card is sent on", "$typed", "", "$foreign/card", "", nil, true, false, "without credentials"},
		{"the endpoint is foreign", "$foreign", "", "", "", nil, true, false, "without credentials: header X-Api-Key, bearer $KEY, apikey q $KEY, apikey c $KEY"},
		{"the endpoint is foreign, and allowed", "$foreign", "", "", "", nil, true, true, ""},
		{"the endpoint sends on", "$typed", "", "", "$foreign/rpc", nil, true, false, "without credentials"},
		{"the extended card is foreign", "$foreign", "", "", "", []string{"extended-card"}, true, false, "without credentials"},
		{"an address to push to", "$typed", "", "", "", []string{"send a task --immediate", "push set $foreign/hook"}, false, false, ""},
		{"the key of a signature", "$typed", `,"signatures":[{"protected":"$jku","signature":"AA"}]`, "", "", nil, false, false, "nothing was fetched"},
		{"an authorization server", "$typed", `,"securitySchemes":{"o":{"oauth2SecurityScheme":{"flows":{"clientCredentials":{"tokenUrl":"$foreign/token","scopes":{}}}}},"i":{"openIdConnectSecurityScheme":{"openIdConnectUrl":"$foreign/.well-known/openid-configuration"}}}`, "", "", nil, false, false, ""},
		{"pages and pictures", "$typed", `,"documentationUrl":"$foreign/doc","iconUrl":"$foreign/icon.png","provider":{"organization":"o","url":"$foreign"}`, "", "", nil, false, false, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var typed, foreign *visited
			fill := func(s string) string {
				jku := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"ES256","kid":"k","jku":"` + foreign.URL + `/jwks"}`))
				return strings.NewReplacer("$typed", typed.URL, "$foreign", foreign.URL, "$jku", jku).Replace(s)
			}
			card := func(w io.Writer) {
				_, _ = io.WriteString(w, fill(`{"name":"N","description":"d","version":"1","supportedInterfaces":[{"url":"`+tc.endpoint+`/rpc","protocolBinding":"JSONRPC","protocolVersion":"1.0"}],
					"capabilities":{"extendedAgentCard":true,"pushNotifications":true},"defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"],"skills":[]`+tc.more+`}`))
			}
			foreign = visit(t, func(_ *visited, w http.ResponseWriter, r *http.Request, body []byte) {
				if r.URL.Path == "/card" {
					card(w)
					return
				}
				replies(w, body, foreign.URL)
			})
			typed = visit(t, func(_ *visited, w http.ResponseWriter, r *http.Request, body []byte) {
				isCard := r.Method == http.MethodGet
				switch {
				case isCard && tc.card != "":
					http.Redirect(w, r, fill(tc.card), http.StatusFound)
				case isCard:
					card(w)
				case tc.rpc != "":
					http.Redirect(w, r, fill(tc.rpc), http.StatusTemporaryRedirect)
				default:
					replies(w, body, foreign.URL)
				}
			})
			b := newBench(t)
			b.env["KEY"] = theKey
			args := append([]string{"run", typed.URL, "-H", "X-Api-Key: $KEY"}, quick...)
			if tc.gets {
				args = append(args, "--allow-origin", foreign.URL)
			}
			for _, c := range append([]string{"auth bearer $KEY", "auth apikey query q $KEY", "auth apikey cookie c $KEY", "send hello"}, tc.commands...) {
				args = append(args, "-c", fill(c))
			}
			r := b.run(args...)
			if r.status != 0 && tc.rpc == "" {
				t.Errorf("status %d", r.status)
			}
			for _, place := range []string{"X-Api-Key: " + theKey, secrets, "q=" + theKey, "c=" + theKey} {
				if all, with := typed.carrying(place); with != all {
					t.Errorf("%d of %d requests to the origin that was typed went with %q", with, all, place)
				}
			}
			all, with := foreign.carrying(theKey, "Authorization", "Cookie")
			if all > 0 != tc.calls || with > 0 != tc.gets || tc.gets && with != all {
				t.Errorf("the other origin was called %d times, %d of them with credentials", all, with)
			}
			if !strings.Contains(r.out, tc.says) {
				t.Errorf("nothing says %q", tc.says)
			}
			if strings.Contains(r.out+r.err, theKey) {
				t.Error("the key was printed")
			}
			if t.Failed() {
				t.Logf("%s%s", r.out, r.err)
			}
		})
	}
}

// TestWaysToBeLetIn: each kind of credential, from where it can come, is what
// the peer gets.
func TestWaysToBeLetIn(t *testing.T) {
	t.Parallel()
	const basic = "Authorization: Basic am9lOm9wZW4tc2VzYW1lLTQy" // joe:open-sesame-42
	file := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(file, []byte(theKey+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const declared = `,"securitySchemes":{"k":{"apiKeySecurityScheme":{"location":"cookie","name":"sid"}}},"securityRequirements":[{"schemes":{"k":{"list":[]}}}]`
	for _, tc := range []struct {
		name    string
		flags   []string
		command string
		card    string
		want    string // in every call
	}{
		{"bearer, from the environment", nil, "auth bearer $KEY", "", "Authorization: Bearer " + theKey},
		{"bearer, by a flag", []string{"--bearer-env", "KEY"}, "", "", "Authorization: Bearer " + theKey},
		{"bearer, from a file", []string{"--secret-file", "FILED=" + file}, "auth bearer $FILED", "", "Authorization: Bearer " + theKey},
		{"a header", []string{"-H", "X-Api-Key: $KEY"}, "", "", "X-Api-Key: " + theKey},
		{"a header, by a command", nil, `header "X-Api-Key: $KEY"`, "", "X-Api-Key: " + theKey},
		{"basic", nil, "auth basic $LOGIN", "", basic},
		{"basic, in the address", []string{"user"}, "", "", basic},
		{"a key in a header", nil, "auth apikey header X-K $KEY", "", "X-K: " + theKey},
		{"a key in the query", nil, "auth apikey query k $KEY", "", "/rpc?k=" + theKey},
		{"a key in a cookie", nil, "auth apikey cookie sid $KEY", "", "Cookie: sid=" + theKey},
		{"a key where the card wants it", nil, "auth apikey $KEY", declared, "Cookie: sid=" + theKey},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var s *visited
			s = visit(t, func(_ *visited, w http.ResponseWriter, r *http.Request, body []byte) {
				if r.Method == http.MethodGet {
					_, _ = io.WriteString(w, `{"name":"N","description":"d","version":"1","supportedInterfaces":[{"url":"`+s.URL+`/rpc","protocolBinding":"JSONRPC","protocolVersion":"1.0"}],
						"capabilities":{},"defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"],"skills":[]`+tc.card+`}`)
					return
				}
				dump, _ := httputil.DumpRequest(r, false)
				if !strings.Contains(string(dump), tc.want) {
					w.WriteHeader(http.StatusUnauthorized)
					return
				}
				replies(w, body, s.URL)
			})
			b := newBench(t)
			b.env["KEY"], b.env["LOGIN"] = theKey, "joe:"+theKey
			address, flags := s.URL, tc.flags
			if len(flags) == 1 {
				address, flags = strings.Replace(address, "://", "://joe:"+theKey+"@", 1), nil
			}
			args := append([]string{"run", address}, append(flags, quick...)...)
			if tc.command != "" {
				args = append(args, "-c", tc.command)
			}
			r := b.run(append(args, "-c", "send hello")...)
			records := b.run("history", "show", "last", "--output", "jsonl")
			if r.status != 0 || !strings.Contains(r.out, "hi") {
				t.Errorf("status %d", r.status)
			}
			for _, secret := range []string{theKey, "am9lOm9wZW4tc2VzYW1lLTQy"} {
				if strings.Contains(r.out+r.err+records.out, secret) {
					t.Errorf("%q was printed or recorded", secret)
				}
			}
			if t.Failed() {
				t.Logf("%s%s", r.out, r.err)
			}
		})
	}
}
