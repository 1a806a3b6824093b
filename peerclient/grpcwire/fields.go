package grpcwire

import (
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// mostFields is how many fields a message of a peer may hold, with those of the
// messages in it. An empty message takes two bytes on the wire and about two
// hundred of our memory, so that their number has to be bounded, not their bytes.
const mostFields = 500_000

// fields counts the fields of a message, up to one more than most. What is no
// message is counted as far as it can be read: reading it says what is wrong.
func fields(desc protoreflect.MessageDescriptor, raw []byte, depth, most int) int {
	n := 0
	for len(raw) > 0 && n <= most {
		num, typ, size := protowire.ConsumeTag(raw)
		if size < 0 {
			return n
		}
		raw = raw[size:]
		if size = protowire.ConsumeFieldValue(num, typ, raw); size < 0 {
			return n
		}
		n++
		if f := desc.Fields().ByNumber(num); f != nil && f.Message() != nil && typ == protowire.BytesType && depth > 0 {
			inner, _ := protowire.ConsumeBytes(raw)
			n += fields(f.Message(), inner, depth-1, most-n)
		}
		raw = raw[size:]
	}
	return n
}
