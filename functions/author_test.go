package functions_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/k8skit"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/functions/generic"
	"github.com/fctl-dev/fctl/functions/handler"
)

func TestFunctionOfAnAuthor(t *testing.T) {
	executor := functions.NewEmptyExecutor()
	err := executor.RegisterFunction(api.ToolchainKubernetesYAML, handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "hello-world", Description: "Greet", Mutating: true, Hermetic: true,
		},
		Function: func(
			fc *api.FunctionContext, parsedData gaby.Container, args []api.FunctionArgument,
			otherData []byte,
		) (gaby.Container, any, error) {
			_, err := yamlkit.VisitResources(parsedData, nil, k8skit.K8sResourceProvider,
				func(
					doc *gaby.YamlDoc, output any, index int, resourceInfo *api.ResourceInfo,
				) (any, []error) {
					if _, err := doc.SetP(
						"hello", "metadata.annotations.example~1com/greeting",
					); err != nil {
						return output, []error{err}
					}
					return output, nil
				})
			return parsedData, nil, err
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	r, err := executor.Run(t.Context(), &api.FunctionInvocationRequest{
		ConfigData:          []byte(deployment),
		FunctionInvocations: api.FunctionInvocationList{{FunctionName: "hello-world"}},
	}, handler.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Replace(
		deployment, "  namespace: shop\n",
		"  namespace: shop\n  annotations:\n    example.com/greeting: hello\n", 1,
	)
	if string(r.ConfigData) != want {
		t.Errorf("%s\n%s", failures(r), r.ConfigData)
	}
}

// registry collects registrations and passes them to an executor.
type registry struct {
	executor *functions.Executor
}

func (r registry) RegisterFunction(registration handler.FunctionRegistration) error {
	return r.executor.RegisterFunction(api.ToolchainKubernetesYAML, registration)
}

func TestGetterAndSetterOfAnAuthor(t *testing.T) {
	provider := k8skit.New()
	err := yamlkit.RegisterPathsByAttributeName(provider, "cache-node-weight",
		"example.com/v1/Cache", api.PathToVisitorInfoType{
			"spec.nodes.?name:node-name=%s.weight": {DataType: api.DataTypeInt},
		}, nil, nil, false)
	if err != nil {
		t.Fatal(err)
	}
	executor := functions.NewEmptyExecutor()
	parameters := []api.FunctionParameter{
		{
			ParameterName: "node-name", Description: "name of the node, or *", Required: true,
			DataType: api.DataTypeString,
		},
		{
			ParameterName: "weight", Description: "weight of the node", Required: true,
			DataType: api.DataTypeInt,
		},
	}
	err = generic.RegisterPathSetterAndGetter(
		registry{executor}, "cache-node-weight", parameters, "the weight of cache nodes",
		"cache-node-weight", provider, true, true,
		generic.WithPathFunctionAlias("weight"),
		generic.WithPathFunctionExamples("get-weight a", "set-weight a 3"),
		generic.WithValueCheck(func(value any) error {
			if value.(int)%2 == 0 {
				return fmt.Errorf("weight %v is even", value)
			}
			return nil
		}))
	if err != nil {
		t.Fatal(err)
	}
	const cache = `apiVersion: example.com/v1
kind: Cache
metadata:
  name: c
spec:
  nodes:
    - name: a.b
      weight: 1
    - name: c
`
	run := func(name string, args ...any) *handler.Result {
		invocation := api.FunctionInvocation{FunctionName: name}
		for _, a := range args {
			invocation.Arguments = append(invocation.Arguments, api.FunctionArgument{Value: a})
		}
		r, err := executor.Run(t.Context(), &api.FunctionInvocationRequest{
			ConfigData: []byte(cache), FunctionInvocations: api.FunctionInvocationList{invocation},
		}, handler.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	rows := run("get-weight", "*").Outputs[0].Value.(api.AttributeValueList)
	if len(rows) != 1 || rows[0].Value != 1 || rows[0].AttributeName != "cache-node-weight" ||
		rows[0].FunctionName != "get-weight" {
		t.Errorf("%+v", rows)
	}
	if r := run("set-cache-node-weight", "a.b", "5"); string(r.ConfigData) != strings.Replace(
		cache, "weight: 1", "weight: 5", 1,
	) {
		t.Errorf("one node: %s\n%s", failures(r), r.ConfigData)
	}
	want := strings.Replace(
		strings.Replace(cache, "weight: 1", "weight: 7", 1), "- name: c\n",
		"- name: c\n      weight: 7\n", 1,
	)
	if r := run("set-weight", "*", 7); string(r.ConfigData) != want || r.Functions[0].Matches != 2 {
		t.Errorf("all nodes: %d matches, %s\n%s", r.Functions[0].Matches, failures(r), r.ConfigData)
	}
	r := run("set-weight", "*", 2)
	if len(r.Failures) != 1 || r.Failures[0].Class != api.FailureUsage ||
		r.Failures[0].Argument != "weight" {
		t.Errorf("%+v", r.Failures)
	}
	if r := run("set-weight", "gone", 7); r.Changed || !r.Success || len(r.Notes) != 1 ||
		r.Notes[0].Kind != api.NoteNothingMatched ||
		r.Notes[0].String() != "set-weight: nothing matched node-name gone" {
		t.Errorf("%+v", r.Notes)
	}
}

func TestSetterWithoutValue(t *testing.T) {
	err := generic.RegisterPathSetterAndGetter(
		registry{functions.NewEmptyExecutor()}, "x", nil, "x", "x", k8skit.New(), true, true,
	)
	if _, ok := errors.AsType[*handler.RegistrationError](err); !ok {
		t.Errorf("%v", err)
	}
}

// TestInvocationsInDetailsAreBound checks that the getter and setter invocations in the details of
// needed, provided and referring values have the path's arguments filled in, whichever function
// reports the details and whether or not the path was given in terms of its parameters.
func TestInvocationsInDetailsAreBound(t *testing.T) {
	executor := functions.NewStandardExecutor()
	provider := executor.ResourceProvider(api.ToolchainKubernetesYAML)
	details := &api.AttributeDetails{
		IsNeeded: true, IsProvided: true,
		NeededRequired: map[string]string{yamlkit.PropertyResourceType: "v1/Secret"},
	}
	err := yamlkit.RegisterPathsByAttributeName(provider, "cache-secret", "example.com/v1/Cache",
		api.PathToVisitorInfoType{
			"spec.nodes.?name:node-name=%s.keys.?id:key-id=%s.secret": {
				DataType: api.DataTypeString, Details: details,
			},
		},
		&api.FunctionInvocation{FunctionName: "get-cache-secret"},
		&api.FunctionInvocation{FunctionName: "set-cache-secret"}, false)
	if err != nil {
		t.Fatal(err)
	}
	const cache = `apiVersion: example.com/v1
kind: Cache
metadata:
  name: c
spec:
  nodes:
    - name: x
    - name: a.b
      keys: [{id: front, secret: confighubplaceholder}]
`
	for _, invocation := range []api.FunctionInvocation{
		{FunctionName: "get-needed"},
		{FunctionName: "get-provided"},
		{FunctionName: "get-references"},
		{
			FunctionName: "get-paths",
			Arguments: []api.FunctionArgument{{
				Value: `[{"ResourceType": "example.com/v1/Cache", "Path": ` +
					`"spec.nodes.1.keys.?id=front.secret"}]`,
			}},
		},
		{
			FunctionName: "get-paths",
			Arguments: []api.FunctionArgument{
				{Value: `[{"ResourceType": "*", "Path": "spec.nodes.*.keys.*.secret"}]`},
			},
		},
	} {
		t.Run(invocation.FunctionName, func(t *testing.T) {
			r, err := executor.Run(t.Context(), &api.FunctionInvocationRequest{
				ConfigData:          []byte(cache),
				FunctionInvocations: api.FunctionInvocationList{invocation},
			}, handler.Options{})
			if err != nil || !r.Success {
				t.Fatalf("%s: %v %s", invocation.FunctionName, err, failures(r))
			}
			rows := slices.DeleteFunc(
				r.Outputs[0].Value.(api.AttributeValueList),
				func(row api.AttributeValue) bool { return row.AttributeName != "cache-secret" },
			)
			if len(rows) != 1 || rows[0].Details == nil || rows[0].Details.GetterInvocation == nil {
				t.Errorf("%s: %+v", invocation.FunctionName, rows)
				return
			}
			for _, bound := range append(
				rows[0].Details.SetterInvocations, *rows[0].Details.GetterInvocation,
			) {
				if got := fmt.Sprint(bound.Arguments); got != "[{node-name a.b } {key-id front }]" {
					t.Errorf("%s: %s has %s", invocation.FunctionName, bound.FunctionName, got)
				}
			}
		})
	}
	renamed, err := executor.Run(t.Context(), &api.FunctionInvocationRequest{
		ConfigData: []byte(cache),
		FunctionInvocations: api.FunctionInvocationList{
			{
				FunctionName: "set-references-of-type",
				Arguments:    []api.FunctionArgument{{Value: "v1/Secret"}, {Value: "tls"}},
			},
			{
				FunctionName: "get-references-of-type",
				Arguments:    []api.FunctionArgument{{Value: "v1/Secret"}},
			},
		},
	}, handler.Options{})
	if want := strings.Replace(cache, "confighubplaceholder", "tls", 1); err != nil ||
		string(renamed.ConfigData) != want {
		t.Errorf("%v %s\n%s", err, failures(renamed), renamed.ConfigData)
	}
}
