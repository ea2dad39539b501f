package evaluator

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"
)

// dynamic returns an empty message of the descriptor, read and written by package proto.
func dynamic(t *testing.T, name string) *dynamicpb.Message {
	t.Helper()
	file, err := Descriptor()
	if err != nil {
		t.Fatal(err)
	}
	return dynamicpb.NewMessage(file.Messages().ByName(protoreflect.Name(name)))
}

func set(m *dynamicpb.Message, field string, value any) {
	m.Set(m.Descriptor().Fields().ByName(protoreflect.Name(field)), protoreflect.ValueOf(value))
}

func TestMessagesAreThoseOfPackageProto(t *testing.T) {
	for name, c := range map[string]struct {
		own   message
		empty message
		want  func(*dynamicpb.Message)
		of    string
	}{
		"request": {
			&Request{[]byte("kind: ResourceList\n"), "a/b:v1", "~1.2"}, &Request{},
			func(m *dynamicpb.Message) {
				set(m, "resource_list", []byte("kind: ResourceList\n"))
				set(m, "image", "a/b:v1")
				set(m, "Tag", "~1.2")
			}, "EvaluateFunctionRequest",
		},
		"empty request": {
			&Request{}, &Request{}, func(*dynamicpb.Message) {},
			"EvaluateFunctionRequest",
		},
		"large response": {
			&Response{bytes.Repeat([]byte("x"), 1<<20), []byte("log")}, &Response{},
			func(m *dynamicpb.Message) {
				set(m, "resource_list", bytes.Repeat([]byte("x"), 1<<20))
				set(m, "log", []byte("log"))
			}, "EvaluateFunctionResponse",
		},
	} {
		t.Run(name, func(t *testing.T) {
			m := dynamic(t, c.of)
			c.want(m)
			want, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
			if err != nil {
				t.Fatal(err)
			}
			got, err := Codec{}.Marshal(c.own)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got.Materialize(), want) {
				t.Fatal("the bytes differ from those of package proto")
			}
			if err := (Codec{}).Unmarshal(mem.BufferSlice{mem.SliceBuffer(want)},
				c.empty); err != nil {
				t.Fatal(err)
			}
			if again, _ := (Codec{}).Marshal(c.empty); !bytes.Equal(again.Materialize(), want) {
				t.Fatal("what was read is not what was written")
			}
		})
	}
}

func TestMalformedMessages(t *testing.T) {
	unknown := protowire.AppendTag(nil, 9, protowire.VarintType)
	unknown = protowire.AppendVarint(unknown, 7)
	unknown = appendField(unknown, 10, []byte("exec"))
	var r Request
	if err := decode(append(unknown, appendField(nil, 2, []byte("img"))...), &r); err != nil {
		t.Fatalf("unknown fields: %v", err)
	}
	if r.Image != "img" {
		t.Fatalf("image %q", r.Image)
	}
	for name, b := range map[string][]byte{
		"cut tag":      {0x80},
		"cut length":   {0x0a, 0xff},
		"cut bytes":    {0x0a, 5, 'x'},
		"not UTF-8":    appendField(nil, imageField, []byte{0xff}),
		"end of group": {0x0c},
	} {
		t.Run(name, func(t *testing.T) {
			if err := decode(b, &Request{}); err == nil {
				t.Error("no error")
			}
		})
	}
}

func TestFailureTravels(t *testing.T) {
	sent := &FailedError{
		Message: "it failed", ResourceList: []byte("items: []"),
		Log: []byte("why"),
	}
	got, ok := Failed(status.FromProto(sent.GRPCStatus().Proto()).Err())
	if !ok || got.Message != sent.Message || string(got.Log) != "why" ||
		string(got.ResourceList) != "items: []" {
		t.Fatalf("%+v", got)
	}
	if _, ok := Failed((&NotStartedError{Image: "x"}).GRPCStatus().Err()); ok {
		t.Fatal("a function that was not started did not fail")
	}
	long := &FailedError{
		Message: strings.Repeat("m", 1<<20), ResourceList: make([]byte, 1<<20),
		Log: append(make([]byte, 1<<20), "end"...),
	}
	if n := proto.Size(long.GRPCStatus().Proto()); n > 300<<10 {
		t.Fatalf("the status has %d bytes", n)
	}
	got, _ = Failed(long.GRPCStatus().Err())
	if !bytes.HasSuffix(got.Log, []byte("end")) {
		t.Fatal("the end of the log is missing")
	}
}

func TestCodes(t *testing.T) {
	for want, err := range map[codes.Code]error{
		codes.Internal:        &FailedError{},
		codes.NotFound:        &NotStartedError{},
		codes.InvalidArgument: &RequestError{errors.New("bad")},
	} {
		t.Run(want.String(), func(t *testing.T) {
			if got := status.Code(err); got != want {
				t.Errorf("%T: %v", err, got)
			}
		})
	}
}
