package session

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"unicode/utf16"
	"unicode/utf8"
)

func known(t testing.TB, values ...string) *Secrets {
	t.Helper()
	s := new(Secrets)
	for _, v := range values {
		if _, err := s.Add(v); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func TestSecretsAdd(t *testing.T) {
	t.Parallel()
	s := new(Secrets)
	for i, c := range []struct {
		value string
		want  int
	}{{"alpha-1", 1}, {"beta-22", 2}, {"alpha-1", 1}} {
		if n, err := s.Add(c.value); n != c.want || err != nil {
			t.Errorf("%d: %s is %d, %v", i, c.value, n, err)
		}
	}
	if n, err := s.Add("abc"); err == nil || n != 0 || strings.Contains(err.Error(), "abc") {
		t.Errorf("a short secret: %d, %v", n, err)
	}
	if got := s.ScrubString("abc"); got != "abc" {
		t.Errorf("a refused secret is replaced: %s", got)
	}
	if n, err := s.Add("bob:hunter2", "hunter2", "pw"); n != 3 || err != nil {
		t.Errorf("with parts: %d, %v", n, err)
	}
	if got := s.ScrubString("hunter2 bob:hunter2 pw"); got != "‹secret:3› ‹secret:3› pw" {
		t.Errorf("parts: %s", got)
	}
	if n, err := s.Add("hunter2"); n != 3 || err != nil {
		t.Errorf("a known part has number %d, %v", n, err)
	}
}

func TestScrub(t *testing.T) {
	t.Parallel()
	const secret = `p@ss/w"rd\+ é😀%`
	b64 := base64.StdEncoding.EncodeToString
	cases := []struct{ name, secret, in, want string }{
		{"plain", "tok-123", "Bearer tok-123\r\n", "Bearer ‹secret:1›\r\n"},
		{"twice", "tok-123", "tok-123tok-123", "‹secret:1›‹secret:1›"},
		{"nothing", "tok-123", "tok-12 3", "tok-12 3"},
		{"query", secret, "?a=" + url.QueryEscape(secret) + "&b", "?a=‹secret:1›&b"},
		{"path", secret, "/" + url.PathEscape(secret) + "/", "/‹secret:1›/"},
		{"lower hex", secret, strings.ToLower(url.QueryEscape(secret)), "‹secret:1›"},
		{"escaped twice", secret, url.QueryEscape(url.PathEscape(secret)), "‹secret:1›"},
		{"a percent in the secret", "%41b%", "%2541b%25 %41b% %252541b%2525", "‹secret:1› ‹secret:1› ‹secret:1›"},
		{"JSON", secret, string(must(json.Marshal(secret))), `"‹secret:1›"`},
		{"JSON in JSON", secret, string(must(json.Marshal(string(must(json.Marshal(secret)))))), `"\"‹secret:1›\""`},
		{"JSON, slash escaped", "a/b/c", `"a\/b\/c"`, `"‹secret:1›"`},
		{"JSON, all escaped", "tok<é😀", `"\u0074\u006F\u006b\u003c\u00E9\ud83D\ude00"`, `"‹secret:1›"`},
		{"JSON, a letter escaped", "tok-123", `"tok-\u00312\u0033"`, `"‹secret:1›"`},
		{"JSON in a query", `a"b\c/d`, url.QueryEscape(string(must(json.Marshal(`a"b\c/d`)))), "%22‹secret:1›%22"},
		{"base64", "tok-1234", b64([]byte("tok-1234")), "‹secret:1›"},
		{"base64, URL alphabet", "???>>>~~~", base64.RawURLEncoding.EncodeToString([]byte("???>>>~~~")), "‹secret:1›"},
		{"base64 in a query", "???>>>~~~", "x=" + url.QueryEscape(b64([]byte("???>>>~~~"))), "x=‹secret:1›"},
		{"basic, place 1", "hunter22", "Basic " + b64([]byte("bob:hunter22")), "Basic Ym9iO‹secret:1›"},
		{"basic, place 0", "hunter22", "Basic " + b64([]byte("ab:hunter22")), "Basic YWI6‹secret:1›"},
		{"basic, place 2", "hunter22", "Basic " + b64([]byte("rose:hunter22")), "Basic cm9zZT‹secret:1›"},
		{"basic of a form", "p@ss wörd", "Basic " + b64([]byte("app:"+url.QueryEscape("p@ss wörd"))), "Basic YXBwO‹secret:1›"},
		{"its own placeholder", "secret", "the secret", "the ‹secret:1›"},
		{"a forged placeholder", "1234", "‹secret:1234› ‹secret:01234›", "‹secret:‹secret:1›› ‹secret:0‹secret:1››"},
		{"not UTF-8", "\xff\xfe\xfd\xfc", "a\xff\xfe\xfd\xfcb%ff%FE\xfd%fc", "a‹secret:1›b‹secret:1›"},
		{"backslashes", `\\\\`, `a\\\\\\\\b`, `a‹secret:1›b`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := known(t, c.secret)
			in := []byte(c.in)
			got := s.Scrub(in)
			if string(got) != c.want {
				t.Errorf("%q\n gives %q\n want  %q", c.in, got, c.want)
			}
			if string(in) != c.in {
				t.Error("the argument was changed")
			}
			if again := s.Scrub(got); !bytes.Equal(again, got) {
				t.Errorf("again: %q", again)
			}
		})
	}
}

func must(b []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return b
}

func TestScrubOverlaps(t *testing.T) {
	t.Parallel()
	s := known(t, "abcd", "cdefghij", "abcdefgh-long")
	for in, want := range map[string]string{
		"abcdefghij":    "‹secret:2›", // both, under the longer one's number, and nothing left
		"abcdefgh-long": "‹secret:3›",
		"abcdabcd":      "‹secret:1›‹secret:1›",
		"xabcdx":        "x‹secret:1›x",
	} {
		if got := s.ScrubString(in); got != want {
			t.Errorf("%s gives %s, want %s", in, got, want)
		}
	}
}

// Not parallel, because it counts allocations.
func TestScrubReturnsTheSameSlice(t *testing.T) {
	for _, s := range []*Secrets{new(Secrets), known(t, "tok-123")} {
		in := []byte(`{"a":"100%","b":"\"x\"","c":"‹secret:1›"}`)
		if out := s.Scrub(in); &out[0] != &in[0] || len(out) != len(in) {
			t.Error("a copy was made")
		}
		if n := testing.AllocsPerRun(10, func() { s.Scrub(in) }); n != 0 {
			t.Errorf("%v allocations", n)
		}
		if s.Scrub(nil) != nil || s.ScrubString("") != "" {
			t.Error("nothing became something")
		}
	}
}

func TestSecretsDoNotPrint(t *testing.T) {
	t.Parallel()
	s := known(t, "hunter2hunter2")
	type holder struct {
		S    *Secrets
		Name string
	}
	h := holder{S: s, Name: "x"}
	out := fmt.Sprintf("%v %+v %#v %s %q %x %v %+v %#v", s, s, s, s, s, s, h, h, h) + string(must(json.Marshal(h)))
	for _, form := range []string{"hunter2", fmt.Sprintf("%x", "hunter2"), "104 117 110"} {
		if strings.Contains(out, form) {
			t.Errorf("the secret is printed: %s", out)
		}
	}
	if !strings.Contains(out, `"S":"1 secrets"`) {
		t.Errorf("JSON: %s", out)
	}
}

func TestSecretParts(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"Bearer tok-1":         "tok-1",
		"Basic Ym9iOmh1bnRlcg": "Ym9iOmh1bnRlcg|bob:hunter|hunter",
		"Basic bob:hun:ter":    "bob:hun:ter|hun:ter",
		"blue door":            "",
		"plain":                "",
	} {
		if got := strings.Join(SecretParts(in), "|"); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}

func TestSecretName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"Authorization": true, "Proxy-Authorization": true, "Cookie": true, "Set-Cookie": true, "X-Api-Key": true, "apikey": true,
		"X-A2A-Notification-Token": true, "client_secret": true, "X-Auth": true, "Password": true, "X-Session-Id": true,
		"Accept": false, "X-Tenant": false, "A2A-Version": false, "Content-Type": false, "Idempotency-Key": false, "X-Author": false, "": false,
	} {
		if SecretName(name) != want || LooksSecret(name) != want {
			t.Errorf("SecretName(%q) = %v", name, !want)
		}
	}
}

func TestSecretsConcurrently(t *testing.T) {
	t.Parallel()
	s := known(t, "tok-000")
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			for k := range 20 {
				v := fmt.Sprintf("tok-%d-%d", i, k)
				if _, err := s.Add(v); err != nil {
					t.Error(err)
				}
				if got := s.ScrubString(v + "%" + v); strings.Contains(got, "tok") {
					t.Error(got)
				}
			}
		})
	}
	wg.Wait()
	if s.Len() != 81 {
		t.Errorf("%d secrets", s.Len())
	}
}

// encodings writes a secret in every way that must be found; r chooses among
// the spellings of each character.
func encodings(secret string, r *rand.Rand) []string {
	var pct, js strings.Builder
	for i := range len(secret) {
		if c := secret[i]; r.IntN(3) == 0 || c == '%' || c == '+' {
			fmt.Fprintf(&pct, []string{"%%%02x", "%%%02X"}[r.IntN(2)], c)
		} else {
			pct.WriteByte(c)
		}
	}
	for _, c := range secret {
		switch {
		case c == '"' || c == '\\' || c == '/' && r.IntN(2) == 0:
			js.WriteByte('\\')
			js.WriteRune(c)
		case c < ' ' || r.IntN(3) == 0:
			for _, u := range utf16.Encode([]rune{c}) {
				fmt.Fprintf(&js, []string{`\u%04x`, `\u%04X`}[r.IntN(2)], u)
			}
		default:
			js.WriteRune(c)
		}
	}
	pad := strings.Repeat("x", r.IntN(6))
	wrapped := []byte(pad + ":" + secret + strings.Repeat("y", r.IntN(4)))
	return []string{
		secret, pct.String(), js.String(), url.QueryEscape(secret), url.PathEscape(secret), url.QueryEscape(js.String()),
		string(must(json.Marshal(secret))), string(must(json.Marshal(string(must(json.Marshal(secret)))))),
		base64.StdEncoding.EncodeToString([]byte(secret)), base64.RawURLEncoding.EncodeToString([]byte(secret)),
		base64.StdEncoding.EncodeToString(wrapped), base64.URLEncoding.EncodeToString(wrapped), base64.RawStdEncoding.EncodeToString(wrapped),
	}
}

var placeholderPattern = regexp.MustCompile(`‹secret:[0-9]+›`)

func FuzzScrub(f *testing.F) {
	f.Add("tok-1234", "other", "data: {\"a\":\"", uint64(1))
	f.Add("p@ss w/rd\"\\%", "%25%25", "\\\\", uint64(2))
	f.Add("secret", "ecret:1", "‹secret:1›", uint64(3))
	f.Add("😀é‹›", "aaaa", "aaaaaa", uint64(4))
	f.Add("a\\\\\"b", "\\\\\\\\", "%5C%5c\\u005c", uint64(5))
	f.Fuzz(func(t *testing.T, a, b, around string, seed uint64) {
		if !utf8.ValidString(a) || len(a) > 200 || len(b) > 200 || len(around) > 500 {
			return
		}
		s := new(Secrets)
		if _, err := s.Add(a); err != nil {
			return
		}
		s.Add(b) // may be too short, and is then unknown
		r := rand.New(rand.NewPCG(seed, 1))
		for _, e := range encodings(a, r) {
			text := around + " " + e + "\n" + around
			got := s.Scrub([]byte(text))
			if again := s.Scrub(got); !bytes.Equal(again, got) {
				t.Fatalf("%q, %q: %q became %q and then %q", a, b, text, got, again)
			}
			rest := placeholderPattern.ReplaceAllString(string(got), "\xff")
			if strings.Contains(a+around, placeholderOpen) {
				continue // what looks like a placeholder may hide a part of the secret
			}
			if strings.Contains(rest, e) || strings.Contains(rest, a) {
				t.Fatalf("%q: %q is left in %q", a, e, got)
			}
			if !strings.Contains(string(got), "‹secret:") {
				t.Fatalf("%q: %q was not found in %q", a, e, text)
			}
		}
	})
}

func BenchmarkScrub(b *testing.B) {
	s := known(b, "sk-live-0123456789abcdefghij", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.sig", "hunter22")
	frame := []byte(`data: {"jsonrpc":"2.0","id":7,"result":{"statusUpdate":{"taskId":"4be2c1","contextId":"c-77","status":{"state":"TASK_STATE_WORKING","timestamp":"2026-11-30T01:38:14.1234Z"}}}}` + "\n\n     ")
	for name, in := range map[string][]byte{
		"frame":  frame,
		"escape": []byte(strings.ReplaceAll(string(frame), `"`, `\"`)),
		"match":  append(frame[:len(frame):len(frame)], "hunter22"...),
		"1MB":    bytes.Repeat(frame, 1<<20/len(frame)),
		"1MB \\": bytes.Repeat([]byte{'\\'}, 1<<20),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(in)))
			b.ReportAllocs()
			for b.Loop() {
				s.Scrub(in)
			}
		})
	}
}
