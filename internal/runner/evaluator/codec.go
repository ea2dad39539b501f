package evaluator

import (
	"fmt"

	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/proto"
)

// Codec is the codec of connections and servers with this service. Messages of other services, such
// as grpc.health.v1, have generated code and go through package proto.
type Codec struct{}

var _ encoding.CodecV2 = Codec{}

// Name returns proto: the bytes are those of any other implementation.
func (Codec) Name() string { return "proto" }

// Marshal returns the bytes of a message.
func (Codec) Marshal(v any) (mem.BufferSlice, error) {
	var b []byte
	switch m := v.(type) {
	case message:
		b = m.appendTo(make([]byte, 0, m.size()))
	case proto.Message:
		var err error
		if b, err = proto.Marshal(m); err != nil {
			return nil, err
		}
	default:
		return nil, fmt.Errorf("%T is not a message", v)
	}
	return mem.BufferSlice{mem.SliceBuffer(b)}, nil
}

// Unmarshal sets a message from its bytes.
func (Codec) Unmarshal(data mem.BufferSlice, v any) error {
	b := data.Materialize()
	switch m := v.(type) {
	case message:
		return decode(b, m)
	case proto.Message:
		return proto.Unmarshal(b, m)
	}
	return fmt.Errorf("%T is not a message", v)
}
