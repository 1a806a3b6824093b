// Package cardkey checks the signatures of Agent Cards (A2A 1.0 §8.4) with
// keys that the operator holds. It fetches nothing: where a card says that its
// key can be had is reported, and left alone.
package cardkey

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/go-jose/go-jose/v4"
)

const (
	maxKeyFile = 1 << 20 // bytes
	maxKeys    = 100
)

// Keys are public keys by which cards may be signed. The nil Keys holds none.
type Keys struct{ list []jose.JSONWebKey }

// Load reads public keys from files: a JWK, a JWK set, or PEM with public keys
// or certificates.
func Load(paths ...string) (*Keys, error) {
	k := &Keys{}
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, fmt.Errorf("read the card key: %w", err)
		}
		if info.Size() > maxKeyFile {
			return nil, fmt.Errorf("read the card key %s: it has %d bytes, and a key file has at most %d", path, info.Size(), maxKeyFile)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("read the card key: %w", err)
		}
		if err := k.Add(text); err != nil {
			return nil, fmt.Errorf("read the card key %s: %w", path, err)
		}
	}
	return k, nil
}

// Add takes the public keys of a JWK, a JWK set or PEM.
func (k *Keys) Add(text []byte) error {
	found, err := read(text)
	if err != nil {
		return err
	}
	if len(found) == 0 {
		return errors.New("it holds no public key; give a JWK, a JWK set, or PEM with a public key or certificate")
	}
	for _, key := range found {
		if public := key.Public(); public.Valid() {
			key = public
		}
		switch key.Key.(type) {
		case *ecdsa.PublicKey, *rsa.PublicKey, ed25519.PublicKey:
		default:
			return errors.New("it holds a key that is no public key: a shared secret proves nothing of a card")
		}
		if k.list = append(k.list, key); len(k.list) > maxKeys {
			return fmt.Errorf("there are more than %d keys", maxKeys)
		}
	}
	return nil
}

func read(text []byte) ([]jose.JSONWebKey, error) {
	if trimmed := strings.TrimSpace(string(text)); !strings.HasPrefix(trimmed, "{") {
		return readPEM(text)
	}
	var shape struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if err := json.Unmarshal(text, &shape); err != nil {
		return nil, fmt.Errorf("it is no JSON: %w", err)
	}
	if shape.Keys == nil {
		shape.Keys = []json.RawMessage{text}
	}
	var out []jose.JSONWebKey
	for i, raw := range shape.Keys {
		var key jose.JSONWebKey
		if err := key.UnmarshalJSON(raw); err != nil {
			return nil, fmt.Errorf("key %d is no JWK that can be read: %w", i+1, err)
		}
		out = append(out, key)
	}
	return out, nil
}

func readPEM(text []byte) ([]jose.JSONWebKey, error) {
	var out []jose.JSONWebKey
	for len(out) <= maxKeys {
		var block *pem.Block
		if block, text = pem.Decode(text); block == nil {
			return out, nil
		}
		var key any
		var err error
		switch block.Type {
		case "CERTIFICATE":
			var cert *x509.Certificate
			if cert, err = x509.ParseCertificate(block.Bytes); err == nil {
				key = cert.PublicKey
			}
		case "PUBLIC KEY":
			key, err = x509.ParsePKIXPublicKey(block.Bytes)
		case "RSA PUBLIC KEY":
			key, err = x509.ParsePKCS1PublicKey(block.Bytes)
		default:
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("its %s cannot be read: %w", strings.ToLower(block.Type), err)
		}
		out = append(out, jose.JSONWebKey{Key: key})
	}
	return out, nil
}

// of returns the keys that a signature may have been made by: those of its
// key id; else those without an id that fit its algorithm, which need not be
// the signer's.
func (k *Keys) of(id, alg string) (keys []any, sure bool) {
	if k == nil {
		return nil, false
	}
	var named, nameless []any
	for _, key := range k.list {
		switch {
		case !fits(key.Key, alg):
		case key.KeyID == id && id != "":
			named = append(named, key.Key)
		case key.KeyID == "" || id == "":
			nameless = append(nameless, key.Key)
		}
	}
	if len(named) > 0 {
		return named, true
	}
	return nameless, false
}

// fits reports whether a key can have made signatures of an algorithm.
func fits(key any, alg string) bool {
	switch key := key.(type) {
	case *ecdsa.PublicKey:
		return map[string]int{"ES256": 256, "ES384": 384, "ES512": 521}[alg] == key.Curve.Params().BitSize
	case *rsa.PublicKey:
		return strings.HasPrefix(alg, "RS") || strings.HasPrefix(alg, "PS")
	case ed25519.PublicKey:
		return alg == "EdDSA"
	}
	return false
}
