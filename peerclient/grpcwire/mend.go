package grpcwire

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"
)

// maxOdd bounds what is told of one message.
const maxOdd = 8

// mender replaces the values of a message that ProtoJSON has no form for, and
// keeps where they were: one of them must not take the whole message away.
type mender struct {
	path []byte
	odd  []string
}

func (m *mender) note(format string, args ...any) {
	if len(m.odd) < maxOdd {
		m.odd = append(m.odd, string(m.path)+" "+fmt.Sprintf(format, args...))
	}
}

// at does something at a further step of the path.
func (m *mender) at(step string, do func()) {
	before := len(m.path)
	if before > 0 && step != "" && step[0] != '[' {
		m.path = append(m.path, '.')
	}
	m.path = append(m.path, step...)
	do()
	m.path = m.path[:before]
}

func (m *mender) message(msg protoreflect.Message) {
	if v, ok := msg.Interface().(*structpb.Value); ok {
		m.value(v)
	}
	fields := msg.Descriptor().Fields()
	for i := range fields.Len() {
		if f := fields.Get(i); msg.Has(f) {
			m.field(msg, f)
		}
	}
}

// value mends a value of any JSON type. One of no kind is what is left of a
// null that could not be written.
func (m *mender) value(v *structpb.Value) {
	switch k := v.GetKind().(type) {
	case nil:
		m.note("is a value of no kind; written as null")
		v.Kind = &structpb.Value_NullValue{}
	case *structpb.Value_NumberValue:
		if n := k.NumberValue; math.IsNaN(n) || math.IsInf(n, 0) {
			m.note("is a number that JSON has not: %v; written as a text", n)
			v.Kind = &structpb.Value_StringValue{StringValue: strconv.FormatFloat(n, 'g', -1, 64)}
		}
	}
}

func (m *mender) field(msg protoreflect.Message, f protoreflect.FieldDescriptor) {
	v, name := msg.Get(f), f.JSONName()
	switch f.ContainingMessage().FullName() {
	case "google.protobuf.Struct", "google.protobuf.Value", "google.protobuf.ListValue":
		name = "" // these are not seen in JSON
	}
	switch {
	case f.IsMap() && f.MapValue().Message() != nil:
		var keys []protoreflect.MapKey
		v.Map().Range(func(k protoreflect.MapKey, _ protoreflect.Value) bool {
			keys = append(keys, k)
			return true
		})
		slices.SortFunc(keys, func(a, b protoreflect.MapKey) int { return cmp.Compare(a.String(), b.String()) })
		for _, k := range keys {
			m.at(cmp.Or(name, fmt.Sprintf("%.60s", k.String())), func() { m.message(v.Map().Get(k).Message()) })
		}
	case f.IsList() && f.Message() != nil:
		for i := range v.List().Len() {
			m.at(fmt.Sprintf("%s[%d]", name, i), func() { m.message(v.List().Get(i).Message()) })
		}
	case !f.IsMap() && !f.IsList() && f.Message() != nil:
		if t, ok := v.Message().Interface().(*timestamppb.Timestamp); ok && t.CheckValid() != nil {
			m.at(name, func() { m.note("is no time: %d s and %d ns; left out", t.GetSeconds(), t.GetNanos()) })
			msg.Clear(f)
			return
		}
		m.at(name, func() { m.message(v.Message()) })
	}
}
