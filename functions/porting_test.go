package functions_test

import (
	"encoding/base64"
	"encoding/json"
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

// These are the names that functions written for ConfigHub's SDK use, see docs/porting.md. The test
// is that they compile.
var _ = []any{
	gaby.ParseYAML, gaby.ParseAll, gaby.DotPathToSlice,
	gaby.Container{},
	(*gaby.YamlDoc).ExistsP, (*gaby.YamlDoc).Path, (*gaby.YamlDoc).SetP, (*gaby.YamlDoc).SetDocP,
	(*gaby.YamlDoc).DeleteP,
	(*gaby.YamlDoc).Children, (*gaby.YamlDoc).ChildrenMap, (*gaby.YamlDoc).Data,
	(*gaby.YamlDoc).Bytes, (*gaby.YamlDoc).String,
	(*gaby.YamlDoc).IsArray, (*gaby.YamlDoc).ArrayAppendP, (*gaby.YamlDoc).GetComments,
	(*gaby.YamlDoc).SetComment,

	yamlkit.ResourceProvider(nil),
	yamlkit.ResourceInfoToDocMap{},
	yamlkit.VisitorContext{},
	yamlkit.EscapeDotsInPathSegment, yamlkit.JoinPathSegments, yamlkit.ResolveAssociativePaths,
	yamlkit.VisitResources, yamlkit.ResourceToDocMap,
	yamlkit.VisitPathsDoc, yamlkit.VisitPaths[string], yamlkit.UpdatePathsFunction[int],
	yamlkit.UpdatePathsValue[bool],
	yamlkit.UpdateStringPaths, yamlkit.UpdateStringPathsFunction, yamlkit.GetPaths[int],
	yamlkit.GetPathsAnyType, yamlkit.GetStringPaths,
	yamlkit.RegisterPathsByAttributeName, yamlkit.RegisterNeededPaths,
	yamlkit.RegisterProvidedPaths, yamlkit.ComputeMutations,
	yamlkit.PatchMutations, yamlkit.Reset, yamlkit.DiffPatch,

	generic.GetVisitorMapForPath, generic.RegisterPathSetterAndGetter,
	functions.RegisterStandardFunctions, generic.GenericFnGetStringPath,
	generic.GenericFnSetStringPath, generic.GenericFnGetIntPath, generic.GenericFnSetIntPath,
	generic.GenericFnGetBoolPath,
	generic.GenericFnSetBoolPath,

	handler.FunctionRegistration{},
	handler.FunctionImplementation(nil), api.OutputTypeCustomJSON, api.ResourceCategoryDyanmicData,
}

// TestStandardFunctionsWithOneProvider uses one value as both the converter and the provider of
// Kubernetes/YAML, as ported code does.
func TestStandardFunctionsWithOneProvider(t *testing.T) {
	provider := k8skit.New()
	fh := handler.New(api.ToolchainKubernetesYAML, provider, provider)
	if err := functions.RegisterStandardFunctions(fh, provider, provider); err != nil {
		t.Fatal(err)
	}
	r, err := fh.Invoke(t.Context(),
		&api.FunctionInvocationRequest{
			ConfigData: []byte(deployment),
			FunctionInvocations: api.FunctionInvocationList{
				{
					FunctionName: "set-int-path",
					Arguments: []api.FunctionArgument{
						{Value: "*"}, {Value: "spec.replicas"}, {Value: 9},
					},
				},
			},
		})
	if err != nil || !r.Changed || !strings.Contains(string(r.ConfigData), "replicas: 9") {
		t.Errorf("%v %q", err, r.ErrorMessages)
	}
}

func TestGetterWithoutSetter(t *testing.T) {
	executor := functions.NewEmptyExecutor()
	parameters := []api.FunctionParameter{{
		ParameterName: "replicas", Description: "replicas", Required: true,
		DataType: api.DataTypeInt,
	}}
	err := generic.RegisterPathSetterAndGetter(
		registry{executor}, "replicas", parameters, "the replicas", "replicas", k8skit.New(), false,
		false,
	)
	var names []string
	for _, s := range executor.Signatures(api.ToolchainKubernetesYAML) {
		names = append(names, s.FunctionName)
	}
	if err != nil || !slices.Equal(names, []string{"get-replicas"}) {
		t.Errorf("%q %v", names, err)
	}
}

// TestRequestOfAnOlderClient checks a request and a response in the encoding of older clients.
func TestRequestOfAnOlderClient(t *testing.T) {
	encode := func(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }
	text := fmt.Sprintf(
		`{"UnitSlug": "web", "ConfigData": %q, "LiveState": %q, "CombineValidationResults": true,
		"FunctionInvocations": [{"FunctionName": "vet-immutable"}, {"FunctionName": "vet-format"}]}`, encode(deployment), encode(deployment))
	var request api.FunctionInvocationRequest
	if err := json.Unmarshal([]byte(text), &request); err != nil {
		t.Fatal(err)
	}
	if string(request.ConfigData) != deployment || string(request.LiveState) != deployment {
		t.Fatalf("%q %q", request.ConfigData, request.LiveState)
	}
	response, err := functions.NewStandardExecutor().Invoke(t.Context(), &request)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"Passed":true,"Index":0}`
	if response.OutputType != api.OutputTypeValidationResult || string(response.Output) != want {
		t.Errorf("%s %s", response.OutputType, response.Output)
	}
	wire, err := json.Marshal(response)
	if err != nil {
		t.Fatal(err)
	}
	var read api.FunctionInvocationResponse
	if err := json.Unmarshal(wire, &read); err != nil || string(read.Output) != want ||
		read.OutputType != response.OutputType {
		t.Errorf("%v, %s in %s", err, read.Output, wire)
	}
	if result, ok := read.Outputs[0].Value.(api.ValidationResult); !ok || !result.Passed {
		t.Errorf("%+v", read.Outputs)
	}
}

// TestLiveState checks that functions that compare with other data use LiveState.
func TestLiveState(t *testing.T) {
	live := strings.Replace(
		deployment, "spec:\n", "spec:\n  selector: {matchLabels: {app: was}}\n", 1,
	)
	for data, failed := range map[string]bool{
		live: false, strings.Replace(live, "was", "is", 1): true,
	} {
		t.Run(data, func(t *testing.T) {
			r, err := functions.NewStandardExecutor().Run(t.Context(),
				&api.FunctionInvocationRequest{
					ConfigData: []byte(data), LiveState: []byte(live),
					FunctionInvocations: api.FunctionInvocationList{{FunctionName: "vet-immutable"}},
				}, handler.Options{})
			if err != nil || r.ValidationFailed != failed {
				t.Errorf("%v %s", err, r.Output)
			}
		})
	}
}

// TestSetPathWithUpsert checks the calls with and without the argument upsert, which only some
// versions of the SDK have.
func TestSetPathWithUpsert(t *testing.T) {
	args := []api.FunctionArgument{
		{ParameterName: "resource-type", Value: "*"},
		{ParameterName: "path", Value: "spec.tier"},
		{ParameterName: "attribute-value", Value: "gold"},
	}
	for _, upsert := range [][]bool{nil, {true}, {false}} {
		t.Run(fmt.Sprint(upsert), func(t *testing.T) {
			docs, err := gaby.ParseAll([]byte(deployment))
			if err != nil {
				t.Fatal(err)
			}
			_, _, err = generic.GenericFnSetStringPath(
				k8skit.New(), &api.FunctionContext{}, docs, args, nil, upsert...,
			)
			if created := docs[0].ExistsP("spec.tier"); err != nil ||
				created == slices.Contains(upsert, false) {
				t.Errorf("%v: created %v, %v", upsert, created, err)
			}
		})
	}
}

func TestConfigDataMustBeBase64(t *testing.T) {
	var request api.FunctionInvocationRequest
	err := json.Unmarshal([]byte(`{"ConfigData": "kind: Deployment\n"}`), &request)
	if err == nil || !strings.Contains(err.Error(), "must be base64, this is plain text") {
		t.Errorf("%v", err)
	}
	text, err := json.Marshal(api.FunctionInvocationRequest{ConfigData: []byte("a: 1\n")})
	if err != nil || !strings.Contains(string(text), `"ConfigData":"YTogMQo="`) {
		t.Errorf("%s %v", text, err)
	}
}
