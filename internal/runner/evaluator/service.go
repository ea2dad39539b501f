// Package evaluator is the gRPC service FunctionEvaluator as Porch defines it, and its errors. A Porch
// server can use this server, and this client a Porch runner. The messages, the server and the client
// are generated from evaluator.proto with protoc-gen-go and protoc-gen-go-grpc. The service Explainer,
// which Porch does not have, is in explainer.proto.
//
// Layer: commands.
package evaluator

// Request asks for one run of a function.
type Request = EvaluateFunctionRequest

// Response has the ResourceList and the log of a function that succeeded.
type Response = EvaluateFunctionResponse

// Evaluator runs functions. Its errors have the codes of package status: see Failed.
type Evaluator = FunctionEvaluatorServer
