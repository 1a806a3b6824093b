package grpcwire

import (
	"fmt"

	"google.golang.org/grpc/mem"
)

// Codec passes the bytes of messages through as they are: it takes a []byte
// and fills a *[]byte. Its name is that of protobuf's own, which is what goes
// on the wire.
type Codec struct{}

// Marshal implements encoding.CodecV2.
func (Codec) Marshal(v any) (mem.BufferSlice, error) {
	raw, ok := v.([]byte)
	if !ok {
		return nil, fmt.Errorf("send a gRPC message: %T is not its bytes", v)
	}
	return mem.BufferSlice{mem.SliceBuffer(raw)}, nil
}

// Unmarshal implements encoding.CodecV2.
func (Codec) Unmarshal(data mem.BufferSlice, v any) error {
	to, ok := v.(*[]byte)
	if !ok {
		return fmt.Errorf("read a gRPC message: %T cannot take its bytes", v)
	}
	*to = data.Materialize()
	return nil
}

// Name implements encoding.CodecV2.
func (Codec) Name() string { return "proto" }
