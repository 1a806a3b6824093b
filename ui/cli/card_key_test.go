package cli_test

import (
	"crypto/ed25519"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-jose/go-jose/v4"

	"a2ascope/session"
)

// signer signs cards, and gives its key away in files.
type signer struct {
	t   *testing.T
	key ed25519.PrivateKey
	kid string
}

func newSigner(t *testing.T, kid string) *signer {
	t.Helper()
	_, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &signer{t: t, key: key, kid: kid}
}

// sign is a card with a signature over its canonical form. Maps are written in
// the order of their names, and the card has no numbers: that is RFC 8785.
func (s *signer) sign(card map[string]any) map[string]any {
	s.t.Helper()
	text, err := json.Marshal(card)
	if err != nil {
		s.t.Fatal(err)
	}
	with, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.EdDSA, Key: s.key}, &jose.SignerOptions{ExtraHeaders: map[jose.HeaderKey]any{"kid": s.kid}})
	if err != nil {
		s.t.Fatal(err)
	}
	jws, err := with.Sign(text)
	if err != nil {
		s.t.Fatal(err)
	}
	compact, err := jws.DetachedCompactSerialize()
	if err != nil {
		s.t.Fatal(err)
	}
	protected, signature, _ := strings.Cut(compact, "..")
	card["signatures"] = []any{map[string]any{"protected": protected, "signature": signature}}
	return card
}

// jwk and pem write the public key to a file of each form.
func (s *signer) jwk() string {
	s.t.Helper()
	text, err := json.Marshal(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: s.key.Public(), KeyID: s.kid, Algorithm: string(jose.EdDSA)}}})
	if err != nil {
		s.t.Fatal(err)
	}
	return s.file("keys.json", text)
}

func (s *signer) pem() string {
	s.t.Helper()
	der, err := x509.MarshalPKIXPublicKey(s.key.Public())
	if err != nil {
		s.t.Fatal(err)
	}
	return s.file("key.pem", pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}))
}

func (s *signer) file(name string, text []byte) string {
	s.t.Helper()
	path := filepath.Join(s.t.TempDir(), name)
	if err := os.WriteFile(path, text, 0o600); err != nil {
		s.t.Fatal(err)
	}
	return path
}

// plainCard is a card without a signature.
func plainCard(base string) map[string]any {
	return map[string]any{
		"name": "Signed", "description": "d", "version": "1", "capabilities": map[string]any{},
		"defaultInputModes": []any{"text/plain"}, "defaultOutputModes": []any{"text/plain"}, "skills": []any{},
		"supportedInterfaces": []any{map[string]any{"url": base + "/rpc", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}},
	}
}

// TestCardKey: what a session says of a card's signature, by the keys that it
// was given.
func TestCardKey(t *testing.T) {
	t.Parallel()
	mine, other := newSigner(t, "mine"), newSigner(t, "other")
	namesake := newSigner(t, "mine")
	signed := func(card map[string]any) map[string]any { return mine.sign(card) }
	changed := func(card map[string]any) map[string]any {
		card = mine.sign(card)
		card["description"] = "changed since"
		return card
	}
	broken := func(card map[string]any) map[string]any {
		card["signatures"] = []any{map[string]any{"protected": "%", "signature": "AA"}}
		return card
	}
	unsigned := func(card map[string]any) map[string]any { return card }
	wrapped := func(card map[string]any) map[string]any { return map[string]any{"agentCard": mine.sign(card)} }
	for _, tc := range []struct {
		name    string
		card    func(map[string]any) map[string]any
		keys    []string
		status  int
		verdict session.Verdict
		says    []string // in the summary
		finds   string
	}{
		{"good", signed, []string{mine.jwk()}, 0, session.Honoured, []string{`signature EdDSA, by key "mine"`}, ""},
		{"good, by a key without a name", signed, []string{mine.pem()}, 0, session.Honoured, []string{"signature EdDSA"}, ""},
		{"good, one key of two", signed, []string{other.jwk(), mine.jwk()}, 0, session.Honoured, []string{"signature EdDSA"}, ""},
		{"good, in a wrapper", wrapped, []string{mine.jwk()}, 0, session.Honoured, []string{"signature EdDSA"}, "card.fields"},
		{"changed since", changed, []string{mine.jwk()}, 1, session.Contradicted, []string{"critical signature.invalid", "does not verify", "Get card and key by another way"}, "signature.invalid"},
		{"by a namesake", signed, []string{namesake.jwk()}, 1, session.Contradicted, []string{"critical signature.invalid"}, "signature.invalid"},
		{"another key", signed, []string{other.jwk()}, 0, session.Inconclusive, []string{"--card-key FILE", `by key "mine"`}, ""},
		{"no key", signed, nil, 0, session.Inconclusive, []string{"--card-key FILE", `by key "mine"`}, ""},
		{"cannot be read", broken, []string{mine.jwk()}, 0, session.Inconclusive, []string{"protected header"}, ""},
		{"unsigned", unsigned, []string{mine.jwk()}, 0, session.Unproven, nil, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			peer := visit(t, func(v *visited, w http.ResponseWriter, r *http.Request, body []byte) {
				if r.Method == http.MethodGet {
					_ = json.NewEncoder(w).Encode(tc.card(plainCard(v.URL)))
					return
				}
				replies(w, body, v.URL)
			})
			args := append([]string{"run", peer.URL, "-c", "send hello"}, quick...)
			for _, k := range tc.keys {
				args = append(args, "--card-key", k)
			}
			b := newBench(t)
			r := b.run(append(args, "--output", "json")...)
			if r.status != tc.status {
				t.Errorf("status %d, want %d\n%s", r.status, tc.status, r.err)
			}
			d := document(t, r.out)
			i := slices.IndexFunc(d.Claims, func(c session.ClaimDoc) bool { return c.ID == session.Signature })
			if d.Claims[i].Verdict != tc.verdict {
				t.Errorf("the claim is %s, want %s", d.Claims[i].Verdict, tc.verdict)
			}
			var finds []string
			for _, f := range d.Findings {
				finds = append(finds, f.Rule)
			}
			if got := strings.Join(finds, " "); got != tc.finds {
				t.Errorf("findings %s, want %s", got, tc.finds)
			}
			text := b.run(args...)
			for _, want := range tc.says {
				if !strings.Contains(text.out, want) {
					t.Errorf("nothing says %q", want)
				}
			}
			if t.Failed() {
				t.Log(text.out)
			}
		})
	}
}

// TestCardKeyFiles: a file that holds no public key stops the run before
// anything is asked.
func TestCardKeyFiles(t *testing.T) {
	t.Parallel()
	s := newSigner(t, "mine")
	for text, says := range map[string]string{
		"": "holds no public key", "{": "it is no JSON", `{"kty":"oct","k":"AAAA"}`: "shared secret",
	} {
		r := newBench(t).run("run", "http://127.0.0.1:9", "-c", "send hello", "--card-key", s.file("bad", []byte(text)))
		if r.status != 2 || !strings.Contains(r.err, says) || r.out != "" {
			t.Errorf("%q: status %d, %q", text, r.status, r.err)
		}
	}
}
