package generic_test

import (
	"context"
	"fmt"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/k8skit"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
	"github.com/fctl-dev/fctl/functions/generic"
	"github.com/fctl-dev/fctl/functions/handler"
)

// Registering a path for an attribute gives it a getter and a setter.
func ExampleRegisterPathSetterAndGetter() {
	provider := k8skit.New()
	err := yamlkit.RegisterPathsByAttributeName(provider, "cache-size", "example.com/v1/Cache",
		api.PathToVisitorInfoType{
			"spec.size": {AttributeName: "cache-size", DataType: api.DataTypeInt},
		}, nil, nil, false)
	if err != nil {
		panic(err)
	}
	h := handler.New(api.ToolchainKubernetesYAML, provider, provider)
	size := handler.Required("size", api.DataTypeInt, "64", "size in MiB")
	err = generic.RegisterPathSetterAndGetter(
		h, "cache-size", []api.FunctionParameter{size}, "the size of caches", "cache-size",
		provider, true, true,
		generic.WithPathFunctionExamples("get-cache-size", "set-cache-size 64"))
	if err != nil {
		panic(err)
	}
	response, err := h.Invoke(context.Background(), &api.FunctionInvocationRequest{
		ConfigData: []byte(
			"apiVersion: example.com/v1\nkind: Cache\nmetadata: {name: a}\nspec: {size: 32}\n",
		),
		FunctionInvocations: api.FunctionInvocationList{{
			FunctionName: "set-cache-size", Arguments: []api.FunctionArgument{{Value: 64}},
		}},
	})
	if err != nil {
		panic(err)
	}
	fmt.Printf("%s", response.ConfigData)
	// Output:
	// apiVersion: example.com/v1
	// kind: Cache
	// metadata: {name: a}
	// spec: {size: 64}
}
