package cardkey

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"reflect"
	"testing"

	"github.com/go-jose/go-jose/v4"

	"a2ascope/session"
)

// FuzzVerify: whatever the card, a signature is taken for good only where the
// card says nothing but what was signed. The key is a fixed one, so that the
// seeds verify in each run.
func FuzzVerify(f *testing.F) {
	private := ed25519.NewKeyFromSeed(bytes.Repeat([]byte("k"), ed25519.SeedSize))
	keys := &Keys{list: []jose.JSONWebKey{{Key: private.Public(), KeyID: "k1"}}}
	kid := map[jose.HeaderKey]any{"kid": "k1", "jku": "https://keys.example/jwks"}
	for _, payload := range []string{bare, `{"name":"Ada","version":"1","skills":[{"id":"s"}]}`} {
		card := signed(f, jose.EdDSA, private, payload, kid)
		f.Add(card)
		f.Add(bytes.Replace(card, []byte(`"name":"Ada"`), []byte(`"name":"Eve","name":"Ada"`), 1))
		f.Add(bytes.Replace(card, []byte(`"version":"1"`), []byte(`"version":1e400`), 1))
		f.Add(bytes.Replace(card, []byte(`"version":"1"`), []byte(`"x":null,"version":"1"`), 1))
	}
	f.Add([]byte(`{"signatures":[{"protected":"eyJhbGciOiJub25lIn0","signature":"AA"},{"protected":"!"},1,null]}`))
	signedFor := said(f, []byte(bare))
	f.Fuzz(func(t *testing.T, card []byte) {
		facts := keys.Verify(card)
		if len(facts) > maxSignatures+1 {
			t.Fatalf("%d facts", len(facts))
		}
		for _, fact := range facts {
			if len(fact.KeyID) > maxWord || len(fact.KeyURL) > maxWord || len(fact.Alg) > maxWord || len(fact.Detail) > 2*maxWord {
				t.Fatalf("a fact of %d bytes: %+v", len(fact.Detail), fact)
			}
			if fact.Result == session.SigVerified && !reflect.DeepEqual(said(t, card), signedFor) {
				t.Fatalf("taken for signed: %s", card)
			}
		}
		if again := keys.Verify(card); !reflect.DeepEqual(facts, again) {
			t.Fatalf("first %+v, then %+v", facts, again)
		}
	})
}

// said is what a card says beyond its signatures, with nothing that means
// nothing: read by other means than Verify's.
func said(t testing.TB, card []byte) any {
	t.Helper()
	var doc map[string]any
	if err := json.Unmarshal(card, &doc); err != nil {
		t.Fatal(err)
	}
	delete(doc, "signatures")
	return meaning(doc)
}

func meaning(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for name, member := range v {
			if m := meaning(member); m != nil {
				out[name] = m
			}
		}
		if len(out) > 0 {
			return out
		}
	case []any:
		out := []any{}
		for _, member := range v {
			out = append(out, meaning(member))
		}
		if len(out) > 0 {
			return out
		}
	default:
		if v != nil && v != "" && v != false && v != 0.0 {
			return v
		}
	}
	return nil
}

// FuzzAdd: what is taken for a key is a public one, and there are never more
// than can be held.
func FuzzAdd(f *testing.F) {
	private := ed25519.NewKeyFromSeed(bytes.Repeat([]byte("k"), ed25519.SeedSize))
	one, err := json.Marshal(jose.JSONWebKey{Key: private.Public(), KeyID: "k1"})
	if err != nil {
		f.Fatal(err)
	}
	secret, err := json.Marshal(jose.JSONWebKey{Key: private, KeyID: "k1"})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(one)
	f.Add(secret)
	f.Add([]byte(`{"keys":[` + string(one) + `,` + string(secret) + `]}`))
	f.Add([]byte(`{"kty":"oct","k":"` + base64.RawURLEncoding.EncodeToString([]byte("shared")) + `"}`))
	f.Add(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: []byte{0x30, 0}}))
	f.Fuzz(func(t *testing.T, text []byte) {
		k := &Keys{}
		err := k.Add(text)
		if err == nil && len(k.list) == 0 || len(k.list) > maxKeys+1 {
			t.Fatalf("%d keys, %v", len(k.list), err)
		}
		for _, key := range k.list {
			switch key.Key.(type) {
			case *ecdsa.PublicKey, *rsa.PublicKey, ed25519.PublicKey:
			default:
				t.Fatalf("a %T was taken for a public key", key.Key)
			}
		}
	})
}
