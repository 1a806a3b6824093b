// Package grpcwire translates between the messages of A2A's gRPC services and
// JSON: the session knows JSON alone, and the log keeps the messages' own
// bytes. It knows both services, of 0.3 (a2a.v1) and of 1.0 (lf.a2a.v1), from
// the protocol buffers that the official Go SDK was generated from, and does
// no I/O.
package grpcwire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	_ "github.com/a2aproject/a2a-go/a2apb"       // registers the messages of 0.3
	_ "github.com/a2aproject/a2a-go/v2/a2apb/v1" // and those of 1.0
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
)

// nested is the deepest that the messages of a peer are followed; a value in a
// Struct takes two or three of them a level.
const nested = 600

// Method is one method of a service, by its messages.
type Method struct {
	// Full is the method as it stands in a call's path: "/service/Method".
	Full string
	in   protoreflect.MessageType
	out  protoreflect.MessageType
}

// Find looks a method up by its path. The error says what there is instead.
func Find(full string) (Method, error) {
	service, name, _ := strings.Cut(strings.TrimPrefix(full, "/"), "/")
	found, err := protoregistry.GlobalFiles.FindDescriptorByName(protoreflect.FullName(service))
	if err != nil {
		return Method{}, fmt.Errorf("the gRPC service %.100q is not known; lf.a2a.v1.A2AService and a2a.v1.A2AService are", service)
	}
	desc, ok := found.(protoreflect.ServiceDescriptor)
	if !ok {
		return Method{}, fmt.Errorf("%.100q is no gRPC service", service)
	}
	m := desc.Methods().ByName(protoreflect.Name(name))
	if m == nil {
		return Method{}, fmt.Errorf("the gRPC service %s has no method %.100q; look at its protocol buffers", service, name)
	}
	in, err := protoregistry.GlobalTypes.FindMessageByName(m.Input().FullName())
	if err != nil {
		return Method{}, fmt.Errorf("look up the request of %s: %w", full, err)
	}
	out, err := protoregistry.GlobalTypes.FindMessageByName(m.Output().FullName())
	if err != nil {
		return Method{}, fmt.Errorf("look up the answer of %s: %w", full, err)
	}
	return Method{Full: full, in: in, out: out}, nil
}

// Request turns a request message from ProtoJSON into its bytes. The same JSON
// gives the same bytes.
func (m Method) Request(doc []byte) ([]byte, error) {
	msg := m.in.New().Interface()
	if err := protojson.Unmarshal(doc, msg); err != nil {
		return nil, fmt.Errorf("make a %s of the request: %s; correct the JSON", m.in.Descriptor().FullName(), plain(err))
	}
	raw, err := proto.MarshalOptions{Deterministic: true}.Marshal(msg)
	if err != nil {
		return nil, fmt.Errorf("make a %s of the request: %w", m.in.Descriptor().FullName(), err)
	}
	return raw, nil
}

// Answer turns the bytes of an answer, or of one message of a stream, into
// ProtoJSON without blanks. Members that have their default value are left
// out, as the format has it. What JSON has no form for is replaced, and odd says
// where it was and by what.
func (m Method) Answer(raw []byte) (doc []byte, odd []string, err error) {
	if fields(m.out.Descriptor(), raw, nested, mostFields) > mostFields {
		return nil, nil, fmt.Errorf("read %d bytes as a %s: it holds more than %d fields", len(raw), m.out.Descriptor().FullName(), mostFields)
	}
	msg := m.out.New().Interface()
	if err := (proto.UnmarshalOptions{RecursionLimit: nested}).Unmarshal(raw, msg); err != nil {
		return nil, nil, fmt.Errorf("read %d bytes as a %s: %s", len(raw), m.out.Descriptor().FullName(), plain(err))
	}
	if doc, err = compact(protojson.Marshal(msg)); err != nil {
		var mend mender
		mend.message(msg.ProtoReflect())
		odd = mend.odd
		doc, err = compact(protojson.Marshal(msg))
	}
	return doc, odd, err
}

// compact takes out the blanks that protojson strews in, differently in each
// build.
func compact(doc []byte, err error) ([]byte, error) {
	if err != nil {
		return nil, fmt.Errorf("write a message as JSON: %s", plain(err))
	}
	var b bytes.Buffer
	if err := json.Compact(&b, doc); err != nil {
		return nil, fmt.Errorf("write a message as JSON: %w", err)
	}
	return b.Bytes(), nil
}

// plain is an error of protobuf's without its prefix, whose blanks differ in
// each build.
func plain(err error) string {
	text := strings.ReplaceAll(err.Error(), "\u00a0", " ")
	return strings.TrimSpace(strings.TrimPrefix(text, "proto:"))
}
