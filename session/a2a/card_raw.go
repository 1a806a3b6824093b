package a2a

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// CardOf returns the card's own bytes in the answer to an extended card's
// call: the envelope's result where there is an envelope, else the body.
func CardOf(body []byte) []byte {
	d := jsontext.NewDecoder(bytes.NewReader(body), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if t, err := d.ReadToken(); err != nil || t.Kind() != '{' {
		return body
	}
	for d.PeekKind() == '"' {
		name, err := d.ReadToken()
		if err != nil {
			return body
		}
		key := name.String()
		value, err := d.ReadValue()
		if err != nil {
			return body
		}
		if key == "result" && value.Kind() == '{' {
			return value.Clone()
		}
	}
	return body
}
