package cardkey

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"strings"
	"testing"

	"github.com/go-jose/go-jose/v4"

	"a2ascope/session"
)

// pemOf is a public key in PEM, which gives it no id.
func pemOf(t *testing.T, key any) []byte {
	t.Helper()
	der, err := x509.MarshalPKIXPublicKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
}

// joined is one card with the signatures of several.
func joined(t *testing.T, cards ...[]byte) []byte {
	t.Helper()
	var all []json.RawMessage
	for _, c := range cards {
		var one struct{ Signatures []json.RawMessage }
		if err := json.Unmarshal(c, &one); err != nil {
			t.Fatal(err)
		}
		all = append(all, one.Signatures...)
	}
	list, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	return []byte(strings.TrimSuffix(bare, "}") + `,"signatures":` + string(list) + `}`)
}

// TestSeveral: kinds of keys, and cards that several have signed. A key that
// has no id is not taken for that of another signer.
func TestSeveral(t *testing.T) {
	t.Parallel()
	mine, theirs := ecKey(t), ecKey(t)
	rsaKey, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	edPublic, edPrivate, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	kid := func(id string) map[jose.HeaderKey]any { return map[jose.HeaderKey]any{"kid": id} }
	byMine := signed(t, jose.ES256, mine, bare, kid("mine"))
	byTheirs := signed(t, jose.ES256, theirs, bare, kid("theirs"))
	nameless := signed(t, jose.ES256, mine, bare, nil)
	set := []byte(`{"keys":[` + string(jwk(t, mine.Public(), "mine")) + `,` + string(jwk(t, theirs.Public(), "theirs")) + `]}`)
	changed := func(card []byte) []byte { return bytes.Replace(card, []byte("Ada"), []byte("Eve"), 1) }
	critical := func(crit any) []byte {
		return signed(t, jose.ES256, mine, bare, map[jose.HeaderKey]any{"kid": "mine", "crit": crit, "urn:x": true})
	}
	const verified, invalid, noKey, unknown = session.SigVerified, session.SigInvalid, session.SigNoKey, session.SigUnknown
	for _, tc := range []struct {
		name string
		key  []byte
		card []byte
		want []string
	}{
		{"RS256, PEM", pemOf(t, rsaKey.Public()), signed(t, jose.RS256, rsaKey, bare, nil), []string{verified}},
		{"PS256, JWK", jwk(t, rsaKey.Public(), "r"), signed(t, jose.PS256, rsaKey, bare, kid("r")), []string{verified}},
		{"EdDSA, PEM", pemOf(t, edPublic), signed(t, jose.EdDSA, edPrivate, bare, kid("e")), []string{verified}},
		{"ES256, a set", set, byTheirs, []string{verified}},
		{"ES256, PEM, and the signature names its key", pemOf(t, mine.Public()), byMine, []string{verified}},
		{"a signature that names no key", set, nameless, []string{verified}},
		{"PEM, and a changed card", pemOf(t, mine.Public()), changed(byMine), []string{invalid}},
		{"two signers, PEM of one", pemOf(t, mine.Public()), joined(t, byMine, byTheirs), []string{verified, noKey}},
		{"two signers, PEM of the other", pemOf(t, theirs.Public()), joined(t, byMine, byTheirs), []string{noKey, verified}},
		{"two signers, PEM of one, and a changed card", pemOf(t, mine.Public()), changed(joined(t, byMine, byTheirs)), []string{invalid, invalid}},
		{"two signers, both keys", set, joined(t, byMine, byTheirs), []string{verified, verified}},
		{"two signers, the id of one of them", jwk(t, mine.Public(), "mine"), joined(t, byMine, byTheirs), []string{verified, noKey}},
		{"two signatures of one signer, one over another card", set, joined(t, byMine, signed(t, jose.ES256, mine, strings.Replace(bare, "Ada", "Eve", 1), kid("mine"))), []string{verified, invalid}},
		{"a demand that is not known", set, critical([]string{"urn:x"}), []string{unknown}},
		{"a demand beside a good signature", set, joined(t, critical([]string{"urn:x"}), byTheirs), []string{unknown, verified}},
		{"an RSA key for an EC signature", pemOf(t, rsaKey.Public()), byMine, []string{noKey}},
		{"a signature that is an array", set, []byte(strings.TrimSuffix(bare, "}") + `,"signatures":[[],null,7,{"protected":7}]}`), []string{session.SigUnreadable, session.SigUnreadable, session.SigUnreadable, session.SigUnreadable}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			k := &Keys{}
			if err := k.Add(tc.key); err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range k.Verify(tc.card) {
				got = append(got, f.Result)
			}
			if strings.Join(got, " ") != strings.Join(tc.want, " ") {
				t.Errorf("got %v, want %v", got, tc.want)
			}
		})
	}
}
