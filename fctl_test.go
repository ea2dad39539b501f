package fctl

import (
	"errors"
	"os"
	"testing"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/functions/api"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/plan"
)

func hello(name string) handler.FunctionRegistration {
	return handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{FunctionName: name, Description: "Say hello", Mutating: true, FunctionType: api.FunctionTypeCustom},
		Function: func(_ *api.FunctionContext, documents gaby.Container, _ []api.FunctionArgument, _ []byte) (gaby.Container, any, error) {
			return documents, nil, nil
		},
	}
}

func build(options ...Option) (*functions.Executor, error) {
	c := config{executor: functions.NewStandardExecutor}
	for _, option := range options {
		option(&c)
	}
	return c.build()
}

func TestFunctionsAreAddedToTheStandardOnes(t *testing.T) {
	e, err := build(WithFunctions(api.ToolchainKubernetesYAML, hello("say-hello"), hello("say-goodbye")))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"set-replicas", "say-hello", "say-goodbye"} {
		if _, ok := e.Signature(api.ToolchainKubernetesYAML, name); !ok {
			t.Errorf("%s is missing", name)
		}
	}
}

func TestAnExecutorOfOnesOwn(t *testing.T) {
	e, err := build(WithExecutor(functions.NewEmptyExecutor), WithFunctions(api.ToolchainKubernetesYAML, hello("say-hello")))
	if err != nil {
		t.Fatal(err)
	}
	if got := e.Signatures(api.ToolchainKubernetesYAML); len(got) != 1 || got[0].FunctionName != "say-hello" {
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
	if bad, ok := errors.AsType[*handler.RegistrationError](err); !ok || bad.Function != "Say Hello" {
		t.Errorf("got %v", err)
	}
}

// noFlags is a command line without flags of its own.
type noFlags struct{}

func (noFlags) Take([]string) (int, error) { return 0, nil }
func (noFlags) Names() []string            { return nil }

// TestExamplesWork resolves the examples of all functions as the command line does and runs them: each must do something.
func TestExamplesWork(t *testing.T) {
	t.Chdir("testdata")
	data, err := os.ReadFile("examples.yaml")
	if err != nil {
		t.Fatal(err)
	}
	e := functions.NewStandardExecutor()
	walk := plan.Walk{Toolchain: api.ToolchainKubernetesYAML, Functions: e, Flags: noFlags{}, ReadFile: os.ReadFile}
	for _, s := range e.Signatures(walk.Toolchain) {
		for _, example := range s.Examples {
			words, err := handler.SplitWords(example)
			if err != nil {
				t.Errorf("%s: %v", example, err)
				continue
			}
			chain, err := walk.Resolve(words)
			if err != nil {
				t.Errorf("%s: %v", example, err)
				continue
			}
			r, err := e.Invoke(t.Context(), &api.FunctionInvocationRequest{
				FunctionContext: api.FunctionContext{UnitSlug: "shop", SpaceSlug: "default"}, ConfigData: data,
				FunctionInvocations: chain.Invocations, AllowExternal: true,
			})
			if err != nil {
				t.Errorf("%s: %v", example, err)
				continue
			}
			for _, problem := range r.ErrorMessages {
				t.Errorf("%s: %s", example, problem)
			}
			for _, n := range r.Notes {
				if n.Kind == api.NoteNothingMatched {
					t.Errorf("%s: %s", example, n)
				}
			}
		}
	}
}
