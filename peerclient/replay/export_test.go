package replay

import "encoding/json"

// WithID is withID.
func WithID(b []byte, recorded, client string) string {
	return string(withID(b, json.RawMessage(recorded), json.RawMessage(client)))
}

// FrameWithID is frameWithID.
func FrameWithID(b []byte, recorded, client string) string {
	return string(frameWithID(b, json.RawMessage(recorded), json.RawMessage(client)))
}

// Readdress is readdress.
func Readdress(b string, to func(string) string) string { return string(readdress([]byte(b), to)) }
