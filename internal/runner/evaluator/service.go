package evaluator

import (
	"context"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
)

// ServiceName is the full name of the service.
const ServiceName = "evaluator.FunctionEvaluator"

const method = "EvaluateFunction"

// Evaluator runs functions. Its errors have the codes of package status: see Failed.
type Evaluator interface {
	Evaluate(ctx context.Context, request *Request) (*Response, error)
}

// Register adds the service to a server, which must have been made with
// grpc.ForceServerCodecV2(Codec{}).
func Register(server grpc.ServiceRegistrar, e Evaluator) {
	server.RegisterService(&grpc.ServiceDesc{
		ServiceName: ServiceName,
		HandlerType: (*Evaluator)(nil),
		Methods:     []grpc.MethodDesc{{MethodName: method, Handler: handle}},
		Metadata:    "evaluator.proto",
	}, e)
}

// handle reads a request and calls the evaluator, as generated code does.
func handle(srv any, ctx context.Context, decode func(any) error,
	interceptor grpc.UnaryServerInterceptor,
) (any, error) {
	request := &Request{}
	if err := decode(request); err != nil {
		return nil, err
	}
	call := func(ctx context.Context, request any) (any, error) {
		return srv.(Evaluator).Evaluate(ctx, request.(*Request))
	}
	if interceptor == nil {
		return call(ctx, request)
	}
	info := &grpc.UnaryServerInfo{Server: srv, FullMethod: "/" + ServiceName + "/" + method}
	return interceptor(ctx, request, info, call)
}

// Call calls the service of a connection.
func Call(ctx context.Context, conn grpc.ClientConnInterface, request *Request,
	options ...grpc.CallOption,
) (*Response, error) {
	response := &Response{}
	options = append(options, grpc.ForceCodecV2(Codec{}))
	err := conn.Invoke(ctx, "/"+ServiceName+"/"+method, request, response, options...)
	if err != nil {
		return nil, err
	}
	return response, nil
}

// Descriptor returns evaluator.proto for clients that ask a server what it can do.
func Descriptor() (protoreflect.FileDescriptor, error) {
	// protoc writes the names in JSON into descriptors; some clients do not derive them.
	field := func(name, json string, number int32, kind descriptorpb.FieldDescriptorProto_Type,
	) *descriptorpb.FieldDescriptorProto {
		return &descriptorpb.FieldDescriptorProto{
			Name: proto.String(name), JsonName: proto.String(json), Number: proto.Int32(number),
			Type:  kind.Enum(),
			Label: descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL.Enum(),
		}
	}
	const text, data = descriptorpb.FieldDescriptorProto_TYPE_STRING,
		descriptorpb.FieldDescriptorProto_TYPE_BYTES
	const request, response = "EvaluateFunctionRequest", "EvaluateFunctionResponse"
	return protodesc.NewFile(&descriptorpb.FileDescriptorProto{
		Name: proto.String("evaluator.proto"), Package: proto.String("evaluator"),
		Syntax: proto.String("proto3"),
		MessageType: []*descriptorpb.DescriptorProto{
			{Name: proto.String(request), Field: []*descriptorpb.FieldDescriptorProto{
				field("resource_list", "resourceList", 1, data), field("image", "image", 2, text),
				field("Tag", "Tag", 3, text),
			}},
			{Name: proto.String(response), Field: []*descriptorpb.FieldDescriptorProto{
				field("resource_list", "resourceList", 1, data), field("log", "log", 2, data),
			}},
		},
		Service: []*descriptorpb.ServiceDescriptorProto{{
			Name: proto.String("FunctionEvaluator"),
			Method: []*descriptorpb.MethodDescriptorProto{{
				Name:       proto.String(method),
				InputType:  proto.String(".evaluator." + request),
				OutputType: proto.String(".evaluator." + response),
			}},
		}},
	}, nil)
}
