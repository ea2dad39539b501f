package fctl

import (
	"errors"
	"os"
	"strings"
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
	e := functions.NewStandardExecutor()
	for toolchain, name := range map[api.ToolchainType]string{
		api.ToolchainKubernetesYAML: "examples.yaml", api.ToolchainAppConfigProperties: "examples.properties", api.ToolchainAppConfigEnv: "examples.env",
		api.ToolchainAppConfigINI: "examples.ini", api.ToolchainAppConfigTOML: "examples.toml", api.ToolchainAppConfigJSON: "examples.jsonc",
		api.ToolchainAppConfigYAML: "examples-settings.yaml", api.ToolchainAppConfigText: "examples.txt", api.ToolchainOpenTofuHCL: "examples.tf",
	} {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		readFile := func(path string) ([]byte, error) {
			if strings.HasPrefix(path, "before") && toolchain != api.ToolchainKubernetesYAML {
				return data, nil
			}
			return os.ReadFile(path)
		}
		walk := plan.Walk{Toolchain: toolchain, Functions: e, Flags: noFlags{}, ReadFile: readFile}
		for _, s := range e.Signatures(toolchain) {
			for _, example := range s.Examples {
				for _, problem := range runExample(t, e, walk, example, data) {
					t.Errorf("%s: %s: %s", toolchain, example, problem)
				}
			}
		}
	}
}

// runExample runs an example on a unit and returns what goes wrong.
func runExample(t *testing.T, e *functions.Executor, walk plan.Walk, example string, data []byte) (problems []string) {
	words, err := handler.SplitWords(example)
	if err != nil {
		return []string{err.Error()}
	}
	chain, err := walk.Resolve(words)
	if err != nil {
		return []string{err.Error()}
	}
	r, err := e.Invoke(t.Context(), &api.FunctionInvocationRequest{
		FunctionContext: api.FunctionContext{UnitSlug: "shop", SpaceSlug: "default", ToolchainType: walk.Toolchain}, ConfigData: data,
		FunctionInvocations: chain.Invocations, AllowExternal: true,
	})
	if err != nil {
		return []string{err.Error()}
	}
	problems = r.ErrorMessages
	for _, n := range r.Notes {
		if n.Kind == api.NoteNothingMatched {
			problems = append(problems, n.String())
		}
	}
	return problems
}
