package cardkey

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-json-experiment/json/jsontext"

	"a2ascope/session"
)

const bare = `{"name":"Ada","version":"1","iconUrl":"","capabilities":{"streaming":false,"extensions":[]},"skills":[{"id":"s"}]}`

// signed signs a payload and puts the signature onto the card.
func signed(t testing.TB, alg jose.SignatureAlgorithm, key any, payload string, extra map[jose.HeaderKey]any) []byte {
	t.Helper()
	v := jsontext.Value(payload)
	if err := v.Canonicalize(); err != nil {
		t.Fatal(err)
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: alg, Key: key}, &jose.SignerOptions{ExtraHeaders: extra})
	if err != nil {
		t.Fatal(err)
	}
	jws, err := signer.Sign(v)
	if err != nil {
		t.Fatal(err)
	}
	compact, err := jws.DetachedCompactSerialize()
	if err != nil {
		t.Fatal(err)
	}
	head, sig, _ := strings.Cut(compact, "..")
	return []byte(strings.TrimSuffix(bare, "}") + `,"signatures":[{"protected":"` + head + `","signature":"` + sig + `"}]}`)
}

func ecKey(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func jwk(t *testing.T, key any, id string) []byte {
	t.Helper()
	text, err := json.Marshal(jose.JSONWebKey{Key: key, KeyID: id})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestVerify(t *testing.T) {
	t.Parallel()
	mine, other := ecKey(t), ecKey(t)
	kid := map[jose.HeaderKey]any{"kid": "k1", "jku": "https://keys.example/jwks"}
	holding := func(text ...[]byte) *Keys {
		k := &Keys{}
		for _, one := range text {
			if err := k.Add(one); err != nil {
				t.Fatal(err)
			}
		}
		return k
	}
	hold := holding(jwk(t, mine.Public(), "k1"))
	asServed := signed(t, jose.ES256, mine, bare, kid)
	for _, tc := range []struct {
		name         string
		keys         *Keys
		card         []byte
		result, form string
	}{
		{"as served", hold, asServed, session.SigVerified, "as it was served"},
		{"without empty values", hold, signed(t, jose.ES256, mine, `{"name":"Ada","version":"1","capabilities":{"streaming":false},"skills":[{"id":"s"}]}`, kid), session.SigVerified, "without empty values"},
		{"without default values", hold, signed(t, jose.ES256, mine, `{"name":"Ada","version":"1","skills":[{"id":"s"}]}`, kid), session.SigVerified, "without default values"},
		{"members in another order", hold, bytes.Replace(asServed, []byte(`"name":"Ada","version":"1"`), []byte(`"version":"1", "name":"\u0041da"`), 1), session.SigVerified, "as it was served"},
		{"a changed card", hold, bytes.Replace(asServed, []byte("Ada"), []byte("Eve"), 1), session.SigInvalid, ""},
		{"a key of the same id that did not sign", holding(jwk(t, other.Public(), "k1")), asServed, session.SigInvalid, ""},
		{"a key of another id", holding(jwk(t, mine.Public(), "k2")), asServed, session.SigNoKey, ""},
		{"no key", nil, asServed, session.SigNoKey, ""},
		{"an HMAC", hold, signed(t, jose.HS256, bytes.Repeat([]byte("k"), 32), bare, kid), session.SigUnknown, ""},
		{"alg none", hold, []byte(strings.TrimSuffix(bare, "}") + `,"signatures":[{"protected":"eyJhbGciOiJub25lIn0","signature":"AA"}]}`), session.SigUnknown, ""},
		{"no JWS", hold, []byte(`{"signatures":[{"protected":"!","signature":"AA"}]}`), session.SigUnreadable, ""},
		{"a name twice", hold, bytes.Replace(asServed, []byte(`"name":"Ada"`), []byte(`"name":"Eve","name":"Ada"`), 1), session.SigUnreadable, ""},
		{"a number beyond all numbers", hold, bytes.Replace(asServed, []byte(`"version":"1"`), []byte(`"version":1e400`), 1), session.SigUnreadable, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got := tc.keys.Verify(tc.card)
			if len(got) != 1 || got[0].Result != tc.result || got[0].Form != tc.form {
				t.Fatalf("got %+v, want %s %q", got, tc.result, tc.form)
			}
			if tc.result == session.SigNoKey && got[0].KeyURL != "https://keys.example/jwks" {
				t.Errorf("the key's address is %q", got[0].KeyURL)
			}
		})
	}
	if got := hold.Verify([]byte(bare)); got != nil {
		t.Errorf("a card without signatures has %+v", got)
	}
}

func TestLoad(t *testing.T) {
	t.Parallel()
	key := ecKey(t)
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		t.Fatal(err)
	}
	block := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
	for _, tc := range []struct {
		name, text string
		keys       int
		wrong      string
	}{
		{"a JWK", string(jwk(t, public, "e")), 1, ""},
		{"a private JWK serves by its public half", string(jwk(t, private, "e")), 1, ""},
		{"a set", `{"keys":[` + string(jwk(t, public, "a")) + `,` + string(jwk(t, key.Public(), "b")) + `]}`, 2, ""},
		{"PEM", string(block) + string(block), 2, ""},
		{"a shared secret", `{"kty":"oct","k":"c2VjcmV0c2VjcmV0"}`, 0, "shared secret"},
		{"nothing", "hello", 0, "no public key"},
		{"an empty set", `{"keys":[]}`, 0, "no public key"},
		{"broken JSON", `{"kty":`, 0, "no JSON"},
		{"a broken key", `{"kty":"EC","crv":"P-256","x":"AA","y":"AA"}`, 0, "no JWK"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "key")
			if err := os.WriteFile(path, []byte(tc.text), 0o600); err != nil {
				t.Fatal(err)
			}
			k, err := Load(path)
			if tc.wrong != "" {
				if err == nil || !strings.Contains(err.Error(), tc.wrong) {
					t.Fatalf("error %v, want %q", err, tc.wrong)
				}
				return
			}
			if err != nil || len(k.list) != tc.keys {
				t.Fatalf("%d keys, %v", len(k.list), err)
			}
		})
	}
	if _, err := Load(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("a file that is not there was read")
	}
}
