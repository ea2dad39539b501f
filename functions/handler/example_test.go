package handler_test

import (
	"context"
	"fmt"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/k8skit"
	"github.com/fctl-dev/fctl/functions/handler"
)

func ExampleFunctionHandler_RegisterFunction() {
	provider := k8skit.New()
	h := handler.New(api.ToolchainKubernetesYAML, provider, provider)
	err := h.RegisterFunction(handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "pause", Description: "Pause every resource", Mutating: true,
			Hermetic: true, Idempotent: true,
			FunctionType: api.FunctionTypeCustom,
		},
		Function: func(
			_ *api.FunctionContext, docs gaby.Container, _ []api.FunctionArgument, _ []byte,
		) (gaby.Container, any, error) {
			for _, doc := range docs {
				if _, err := doc.SetP(true, "spec.paused"); err != nil {
					return docs, nil, err
				}
			}
			return docs, nil, nil
		},
	})
	if err != nil {
		panic(err)
	}
	response, err := h.Invoke(context.Background(), &api.FunctionInvocationRequest{
		ConfigData: []byte(
			"apiVersion: v1\nkind: Thing\nmetadata: {name: a}\nspec: {size: 1}\n"),
		FunctionInvocations: api.FunctionInvocationList{{FunctionName: "pause"}},
	})
	if err != nil {
		panic(err)
	}
	fmt.Printf("%s", response.ConfigData)
	// Output:
	// apiVersion: v1
	// kind: Thing
	// metadata: {name: a}
	// spec: {size: 1, paused: true}
}
