package cardkey

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-json-experiment/json/jsontext"

	"a2ascope/session"
)

// taken are the algorithms that say who signed. "none" says nothing, and the
// HMACs are made with what the verifier knows too.
var taken = []jose.SignatureAlgorithm{
	jose.ES256, jose.ES384, jose.ES512, jose.EdDSA, jose.RS256, jose.RS384, jose.RS512, jose.PS256, jose.PS384, jose.PS512,
}

const (
	maxSignatures = 16   // of a card; more are not looked at
	maxWord       = 200  // bytes of a key id or address that are kept
	maxField      = 8192 // bytes of a protected header or signature
)

// signature is one of a card's, as it stands there.
type signature struct {
	Protected string `json:"protected"`
	Signature string `json:"signature"`
}

// header is the part of a protected header that counts.
type header struct {
	Alg string `json:"alg"`
	Kid string `json:"kid"`
	Jku string `json:"jku"`
	// Crit names what a verifier must understand (RFC 7515 §4.1.11); there is
	// nothing of the kind for cards.
	Crit json.RawMessage `json:"crit"`
}

// Verify says of each signature of a card what becomes of it with these keys.
// The payload is the card without its signatures in canonical form (RFC 8785),
// in each of the forms that signers are known to use.
func (k *Keys) Verify(card []byte) []session.SignatureFact {
	list, payloads, err := split(card)
	if err != nil {
		return []session.SignatureFact{{Result: session.SigUnreadable, Detail: err.Error()}}
	}
	var out []session.SignatureFact
	var guessed []int // that a key without an id did not verify
	verified := false
	for i, raw := range list {
		if i == maxSignatures {
			out = append(out, session.SignatureFact{Result: session.SigUnreadable, Detail: fmt.Sprintf("%d more signatures were not looked at", len(list)-i)})
			break
		}
		fact, sure := k.verify(raw, payloads)
		if fact.Result == session.SigInvalid && !sure {
			guessed = append(guessed, i)
		}
		verified = verified || fact.Result == session.SigVerified
		out = append(out, fact)
	}
	if verified { // the key without an id is that signer's: it says nothing of the others
		for _, i := range guessed {
			out[i].Result, out[i].Detail = session.SigNoKey, "we hold no key for it"
		}
	}
	return out
}

// verify says what becomes of one signature, and whether by the key that it
// names.
func (k *Keys) verify(raw json.RawMessage, payloads []payload) (fact session.SignatureFact, sure bool) {
	unreadable := func(why string) (session.SignatureFact, bool) {
		return session.SignatureFact{Result: session.SigUnreadable, Detail: why}, false
	}
	var sig signature
	if json.Unmarshal(raw, &sig) != nil || sig.Protected == "" || sig.Signature == "" {
		return unreadable("it lacks protected or signature")
	}
	if len(sig.Protected) > maxField || len(sig.Signature) > maxField {
		return unreadable("it is longer than any signature")
	}
	text, err := base64.RawURLEncoding.DecodeString(sig.Protected)
	var h header
	if err != nil || json.Unmarshal(text, &h) != nil {
		return unreadable("its protected header is no base64url of a JSON object")
	}
	fact = session.SignatureFact{Alg: short(h.Alg), KeyID: short(h.Kid), KeyURL: short(h.Jku)}
	if !known(h.Alg) {
		fact.Result, fact.Detail = session.SigUnknown, "this algorithm does not say who signed"
		return fact, false
	}
	if h.Crit != nil {
		fact.Result, fact.Detail = session.SigUnknown, "it demands that we understand "+short(string(h.Crit))
		return fact, false
	}
	keys, sure := k.of(h.Kid, h.Alg)
	if len(keys) == 0 {
		fact.Result, fact.Detail = session.SigNoKey, "we hold no key for it"
		return fact, false
	}
	for _, p := range payloads {
		jws, err := jose.ParseDetached(sig.Protected+".."+sig.Signature, p.text, taken)
		if err != nil {
			fact.Result, fact.Detail = session.SigUnreadable, "it is no JWS: "+short(err.Error())
			return fact, sure
		}
		for _, key := range keys {
			if jws.DetachedVerify(p.text, key) == nil {
				fact.Result, fact.Form = session.SigVerified, p.form
				return fact, sure
			}
		}
	}
	fact.Result, fact.Detail = session.SigInvalid, "it does not verify in any canonical form"
	return fact, sure
}

func known(alg string) bool {
	for _, a := range taken {
		if string(a) == alg {
			return true
		}
	}
	return false
}

func short(s string) string { return s[:min(len(s), maxWord)] }

// payload is a card in one canonical form.
type payload struct {
	form string
	text []byte
}

// split takes the signatures off a card, and brings the rest into its
// canonical forms. A card without signatures has none.
func split(card []byte) ([]json.RawMessage, []payload, error) {
	var members map[string]json.RawMessage
	if json.Unmarshal(card, &members) != nil {
		return nil, nil, nil // the card is judged elsewhere
	}
	var list []json.RawMessage
	if raw, ok := members["signatures"]; !ok || json.Unmarshal(raw, &list) != nil || len(list) == 0 {
		return nil, nil, nil
	}
	if !jsontext.Value(card).IsValid() {
		return nil, nil, errors.New("the card names a member twice or holds invalid text, so it has no canonical form")
	}
	d := json.NewDecoder(bytes.NewReader(card))
	d.UseNumber()
	var doc map[string]any
	if err := d.Decode(&doc); err != nil {
		return nil, nil, fmt.Errorf("the card cannot be read: %w", err)
	}
	delete(doc, "signatures")
	if err := numbers(doc); err != nil {
		return nil, nil, err
	}
	var out []payload
	for _, f := range []struct {
		form string
		drop func(any) bool
	}{
		{"as it was served", nil},
		{"without empty values", empty},
		{"without default values", defaulted},
	} {
		form := any(doc)
		if f.drop != nil {
			form = without(doc, f.drop)
		}
		text, err := canonical(form)
		if err != nil {
			return nil, nil, err
		}
		if len(out) == 0 || !bytes.Equal(text, out[len(out)-1].text) {
			out = append(out, payload{f.form, text})
		}
	}
	return list, out, nil
}

func canonical(doc any) ([]byte, error) {
	text, err := json.Marshal(doc)
	if err != nil {
		return nil, fmt.Errorf("the card has no canonical form: %w", err)
	}
	v := jsontext.Value(text)
	if err := v.Canonicalize(); err != nil {
		return nil, fmt.Errorf("the card has no canonical form: %w", err)
	}
	return v, nil
}

// numbers refuses those that the canonical form cannot hold.
func numbers(doc any) error {
	switch v := doc.(type) {
	case json.Number:
		if f, err := strconv.ParseFloat(string(v), 64); err != nil || math.IsInf(f, 0) {
			return errors.New("the card holds a number that has no canonical form")
		}
	case map[string]any:
		for _, m := range v {
			if err := numbers(m); err != nil {
				return err
			}
		}
	case []any:
		for _, m := range v {
			if err := numbers(m); err != nil {
				return err
			}
		}
	}
	return nil
}

// without leaves out the members that drop names, from the inside out.
func without(doc any, drop func(any) bool) any {
	switch v := doc.(type) {
	case map[string]any:
		out := map[string]any{}
		for name, m := range v {
			if kept := without(m, drop); !drop(kept) {
				out[name] = kept
			}
		}
		return out
	case []any:
		out := make([]any, 0, len(v))
		for _, m := range v {
			out = append(out, without(m, drop))
		}
		return out
	}
	return doc
}

func empty(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case string:
		return v == ""
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	}
	return false
}

func defaulted(v any) bool {
	switch v := v.(type) {
	case bool:
		return !v
	case json.Number:
		f, err := v.Float64()
		return err == nil && f == 0
	}
	return empty(v)
}
