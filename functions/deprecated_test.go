package functions_test

import (
	"testing"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/functions/handler"
)

// TestDeprecatedNames checks that the old names of functions still work, with a note about the new
// name.
func TestDeprecatedNames(t *testing.T) {
	old := map[string]string{
		"cel-validate": "vet-celexpr", "get-image": "get-container-image",
		"get-image-reference": "get-container-image-reference",
		"get-image-uri":       "get-container-repository-uri", "is-approved": "vet-approvedby",
		"no-placeholders":     "vet-placeholders",
		"set-image":           "set-container-image",
		"set-image-reference": "set-container-image-reference",
		"set-image-uri":       "set-container-repository-uri", "validate": "vet-schemas",
		"yq":             "get-yq",
		"yq-i":           "set-yq",
		"ensure-context": "", // a different function
	}
	for _, s := range functions.NewStandardExecutor().Signatures(api.ToolchainKubernetesYAML) {
		if of, ok := old[s.FunctionName]; ok != s.Deprecated || of != s.AliasOf && s.Deprecated {
			t.Errorf(
				"%s is another name of %q, deprecated %t; want %q, %t", s.FunctionName, s.AliasOf,
				s.Deprecated, of, ok,
			)
		}
		delete(old, s.FunctionName)
	}
	if len(old) > 0 {
		t.Errorf("missing: %v", old)
	}
}

func TestDeprecatedParameters(t *testing.T) {
	executor := functions.NewStandardExecutor()
	invocation := api.FunctionInvocation{FunctionName: "set-env", Arguments: []api.FunctionArgument{
		{ParameterName: "env-key-value", Value: "A=b"},
		{ParameterName: "container-name", Value: "*"},
	}}
	checked, err := executor.ValidateInvocation(api.ToolchainKubernetesYAML, api.FunctionInvocation{
		FunctionName: "set-env",
		Arguments: []api.FunctionArgument{
			{Value: "*"}, {ParameterName: "env-key-value", Value: "A=b"},
		},
	})
	if err != nil || checked.Arguments[1].ParameterName != "key-value" {
		t.Errorf("%+v, %v", checked, err)
	}
	r, err := executor.Run(t.Context(), &api.FunctionInvocationRequest{
		ConfigData: []byte(deployment), FunctionInvocations: api.FunctionInvocationList{invocation},
	}, handler.Options{})
	if err != nil {
		t.Fatal(err)
	}
	const note = "set-env: the parameter name env-key-value is deprecated, it is called " +
		"key-value now"
	if !r.Success || !r.Changed || len(r.Notes) != 1 || r.Notes[0].String() != note {
		t.Errorf("%s %+v", failures(r), r.Notes)
	}
	if invocation.Arguments[0].ParameterName != "env-key-value" {
		t.Error("the request was changed")
	}
}
