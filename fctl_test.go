package fctl

import (
	"errors"
	"testing"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/functions/handler"
)

func hello(name string) handler.FunctionRegistration {
	return handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: name, Description: "Say hello",
			Mutating: true, FunctionType: api.FunctionTypeCustom,
		},
		Function: func(_ *api.FunctionContext, documents gaby.Container, _ []api.FunctionArgument,
			_ []byte,
		) (gaby.Container, any, error) {
			return documents, nil, nil
		},
	}
}

func build(options ...Option) (*functions.Executor, error) {
	return newConfig(options).build()
}

func TestFunctionsAreAddedToTheStandardOnes(t *testing.T) {
	e, err := build(WithFunctions(api.ToolchainKubernetesYAML, hello("say-hello"),
		hello("say-goodbye")))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"set-replicas", "say-hello", "say-goodbye"} {
		t.Run(name, func(t *testing.T) {
			if _, ok := e.Signature(api.ToolchainKubernetesYAML, name); !ok {
				t.Errorf("%s is missing", name)
			}
		})
	}
}

func TestAnExecutorOfOnesOwn(t *testing.T) {
	e, err := build(WithExecutor(functions.NewEmptyExecutor),
		WithFunctions(api.ToolchainKubernetesYAML, hello("say-hello")))
	if err != nil {
		t.Fatal(err)
	}
	if got := e.Signatures(api.ToolchainKubernetesYAML); len(got) != 1 ||
		got[0].FunctionName != "say-hello" {
		t.Errorf("got %v", got)
	}
}

func TestRegistrationByAFunction(t *testing.T) {
	e, err := build(WithRegistration(func(e *functions.Executor) error {
		return e.RegisterFunction(api.ToolchainKubernetesYAML, hello("say-hello"))
	}))
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := e.Signature(api.ToolchainKubernetesYAML, "say-hello"); !ok {
		t.Error("say-hello is missing")
	}
}

func TestABadRegistrationIsAnError(t *testing.T) {
	_, err := build(WithFunctions(api.ToolchainKubernetesYAML, hello("Say Hello")))
	if bad, ok := errors.AsType[*handler.RegistrationError](err); !ok ||
		bad.Function != "Say Hello" {
		t.Errorf("got %v", err)
	}
}
