package main

import (
	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/k8skit"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/functions/handler"
)

// register adds the function to an executor, which already has the built-in ones.
func register(executor *functions.Executor) error {
	return executor.RegisterFunction(api.ToolchainKubernetesYAML, handler.FunctionRegistration{
		FunctionSignature: GetHelloWorldFunctionSignature(),
		Function:          HelloWorldFunction,
	})
}

// GetHelloWorldFunctionSignature describes the function. Help, completion and the checks of
// arguments are derived from it.
func GetHelloWorldFunctionSignature() api.FunctionSignature {
	return api.FunctionSignature{
		FunctionName: "hello-world",
		Parameters: []api.FunctionParameter{{
			ParameterName: "greeting", DataType: api.DataTypeString, Example: "hi",
			Description: "the greeting (default: Hello, World!)",
		}},
		Mutating:     true,
		Hermetic:     true,
		Idempotent:   true,
		Description:  "Greet every resource with an annotation",
		FunctionType: api.FunctionTypeCustom,
		Examples:     []string{"hello-world", "hello-world hi"},
	}
}

// HelloWorldFunction sets an annotation on every resource.
func HelloWorldFunction(
	_ *api.FunctionContext, docs gaby.Container, args []api.FunctionArgument, _ []byte,
) (gaby.Container, any, error) {
	greeting := handler.Arguments(args).String("greeting")
	if greeting == "" {
		greeting = "Hello, World!"
	}
	path := "metadata.annotations." + yamlkit.EscapeDotsInPathSegment("example.com/greeting")
	_, err := yamlkit.VisitResources(docs, nil, k8skit.K8sResourceProvider,
		func(doc *gaby.YamlDoc, output any, _ int, _ *api.ResourceInfo) (any, []error) {
			if _, err := doc.SetP(greeting, path); err != nil {
				return output, []error{err}
			}
			return output, nil
		})
	return docs, nil, err
}
