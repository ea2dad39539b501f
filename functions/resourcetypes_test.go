package functions_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/knowledge/resourcetypes"
)

const cacheTypes = `resourceTypes:
  cache.example.com/v1/Cache:
    mergeKeys:
    - {path: spec.shards, key: name}
    attributes:
      cache-size:
      - {path: spec.sizeInMB, dataType: int}
      shard-weight:
      - {path: 'spec.shards.?name:shard-name=%s.weight', dataType: int}
      container-image:
      - {path: spec.image}
attributes:
  cache-size:
    description: the size of caches in MB
    dataType: int
    min: 16
    example: 64
  shard-weight:
    description: the weight of shards
    dataType: int
    upsert: false
    parameters:
    - {name: shard-name, description: 'name of the shard, or * for all', example: it's}
    example: 2
`

const cache = `apiVersion: cache.example.com/v1
kind: Cache
metadata:
  name: sessions
spec:
  sizeInMB: 32 # small
  image: example.com/cache:1
  shards:
  - name: a
    weight: 1
  - name: b
`

// executorWith returns a standard executor with resource type files.
func executorWith(t *testing.T, files ...resourcetypes.TypesFile) *functions.Executor {
	t.Helper()
	e := functions.NewStandardExecutor()
	if err := e.AddResourceTypes(files...); err != nil {
		t.Fatal(err)
	}
	return e
}

func TestAttributesOfFilesHaveFunctions(t *testing.T) {
	e := executorWith(t, resourcetypes.TypesFile{Name: "cache.yaml", Text: []byte(cacheTypes)})
	if err := e.AddResourceTypes(); err != nil {
		t.Errorf("adding nothing more: %v", err)
	}
	run := func(line string) *handler.Result {
		t.Helper()
		chain, err := handler.ParseChain(line)
		if err != nil {
			t.Fatal(err)
		}
		r, err := e.Run(
			t.Context(),
			&api.FunctionInvocationRequest{ConfigData: []byte(cache), FunctionInvocations: chain},
			handler.Options{},
		)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	for _, c := range []struct{ line, from, to string }{
		{"set-cache-size 128", "sizeInMB: 32 # small", "sizeInMB: 128 # small"},
		{"set-shard-weight a 5", "weight: 1", "weight: 5"},
		{"set-shard-weight b 5", "", ""},
	} {
		t.Run(c.line, func(t *testing.T) {
			if r := run(c.line); !r.Success ||
				string(r.ConfigData) != strings.Replace(cache, c.from, c.to, 1) {
				t.Errorf("%s: %s\n%s", c.line, failures(r), r.ConfigData)
			}
		})
	}
	rows := run("get-shard-weight *").Outputs[0].Value.(api.AttributeValueList)
	if len(rows) != 1 || rows[0].Value != 1 || rows[0].AttributeName != "shard-weight" ||
		rows[0].Path != "spec.shards.?name=a.weight" {
		t.Errorf("%+v", rows)
	}
	if r := run("set-cache-size 8"); len(r.Failures) != 1 ||
		r.Failures[0].Class != api.FailureUsage {
		t.Errorf("too small: %+v", r.Failures)
	}
	d, ok := e.Describe(api.ToolchainKubernetesYAML, "set-shard-weight")
	if !ok || d.Description != "Set the weight of shards" ||
		!slices.Equal(d.AffectedResourceTypes, []api.ResourceType{"cache.example.com/v1/Cache"}) ||
		len(d.Paths["cache.example.com/v1/Cache"]) != 1 ||
		!slices.Equal(d.Examples, []string{`set-shard-weight 'it'\''s' 2`}) {
		t.Errorf("%+v", d)
	}
	if types := e.ResourceTypes(api.ToolchainKubernetesYAML); !slices.Contains(
		types, "cache.example.com/v1/Cache",
	) ||
		!slices.Contains(types, "apps/v1/Deployment") {
		t.Errorf("%v", types)
	}
	// Other executors do not have the functions.
	if _, ok := functions.NewStandardExecutor().Signature(
		api.ToolchainKubernetesYAML, "set-cache-size",
	); ok {
		t.Error("another executor knows set-cache-size")
	}
}

func TestErrorsInFilesAreLocated(t *testing.T) {
	for name, c := range map[string]struct{ text, says string }{
		"a name that a function has": {
			strings.ReplaceAll(cacheTypes, "cache-size", "string-path"),
			"cache.yaml:13:3: string-path: function get-string-path exists already",
		},
		"the name of a built-in attribute": {
			strings.ReplaceAll(cacheTypes, "cache-size", "replicas"), "cache.yaml:13:3: replicas: ",
		},
		"a wrong key": {
			strings.ReplaceAll(cacheTypes, "min: 16", "mni: 16"), "cache.yaml:16:",
		},
	} {
		t.Run(name, func(t *testing.T) {
			e := functions.NewStandardExecutor()
			err := e.AddResourceTypes(
				resourcetypes.TypesFile{Name: "cache.yaml", Text: []byte(c.text)},
			)
			if _, ok := errors.AsType[*api.Failure](err); !ok ||
				!strings.HasPrefix(err.Error(), c.says) {
				t.Errorf("%s: %v, want %s", name, err, c.says)
			}
		})
	}
}

// TestDescribeListsPaths describes functions that work at registered paths without
// having an attribute.
func TestDescribeListsPaths(t *testing.T) {
	e := functions.NewStandardExecutor()
	for name, want := range map[string]struct {
		t    api.ResourceType
		path api.UnresolvedPath
	}{
		"ensure-namespaces":               {api.ResourceTypeAny, "metadata.namespace"},
		"get-needed":                      {"v1/Pod", "spec.serviceAccountName"},
		"get-provided":                    {"v1/ConfigMap", "metadata.name"},
		"get-references":                  {"v1/Pod", "spec.serviceAccountName"},
		"set-container-port":              {"v1/Pod", "spec.containers.*.ports"},
		"set-container-probe-defaults":    {"v1/Pod", "spec.containers.*"},
		"set-container-resources":         {"v1/Pod", "spec.containers.*.resources"},
		"set-container-volume-mount-path": {"v1/Pod", "spec.containers.*.volumeMounts"},
		"set-env":                         {"v1/Pod", "spec.containers.*.env"},
		"set-pod-defaults":                {"v1/Pod", "spec.automountServiceAccountToken"},
		"vet-disruption":                  {"apps/v1/Deployment", "spec.template"},
		"vet-immutable":                   {"apps/v1/Deployment", "spec.selector"},
	} {
		t.Run(name, func(t *testing.T) {
			d, _ := e.Describe(api.ToolchainKubernetesYAML, name)
			if d.Paths[want.t][want.path] == nil || !slices.Contains(d.AffectedResourceTypes,
				want.t) {
				t.Errorf("%s: %s %s is not among %v", name, want.t, want.path, d.Paths[want.t])
			}
		})
	}
	d, _ := e.Describe(api.ToolchainKubernetesYAML, "set-container-probe-defaults")
	if d.Paths["v1/Pod"]["spec.ephemeralContainers.*"] != nil {
		t.Error("ephemeral containers have no probes")
	}
}

func TestDescribe(t *testing.T) {
	e := functions.NewStandardExecutor()
	d, ok := e.Describe(api.ToolchainKubernetesYAML, "get-image")
	if !ok || d.AliasOf != "get-container-image" ||
		!slices.Contains(append(d.Aliases, d.DeprecatedAliases...), "get-image") ||
		!slices.Contains(d.AffectedResourceTypes, "apps/v1/Deployment") ||
		len(d.Paths["apps/v1/Deployment"]) == 0 {
		t.Errorf("%+v", d)
	}
	if _, ok := e.Describe(api.ToolchainKubernetesYAML, "get-nothing"); ok {
		t.Error("get-nothing exists")
	}
	if _, ok := e.Describe("No/Such", "get-image"); ok {
		t.Error("a toolchain that is not known has functions")
	}
	paths, err := e.RegisteredPaths(api.ToolchainKubernetesYAML)
	if err != nil || len(paths["container-image"]["apps/v1/Deployment"]) == 0 {
		t.Errorf("%v, %d attributes", err, len(paths))
	}
}

func TestExamplesOfAttributes(t *testing.T) {
	for name, c := range map[string]struct{ entry, want string }{
		"an example":           {"example: small", "set-x '*' small"},
		"a number":             {"dataType: int", "set-x '*' 1"},
		"a number with bounds": {"dataType: int, min: 3, max: 4", "set-x '*' 3"},
		"a switch":             {"dataType: bool", "set-x '*' true"},
		"a choice":             {"enum: [b, a]", "set-x '*' b"},
		"any text":             {"", ""},
	} {
		t.Run(name, func(t *testing.T) {
			text := "resourceTypes: {example.com/v1/T: {attributes: {x: [{path: " +
				"'s.?name:n=%s.x'}]}}}\nattributes: {x: {description: the x, " +
				c.entry + "}}\n"
			s, _ := executorWith(t, resourcetypes.TypesFile{Name: "t.yaml", Text: []byte(text)}).
				Signature(
					api.ToolchainKubernetesYAML, "set-x",
				)
			if got := strings.Join(s.Examples, "; "); got != c.want {
				t.Errorf("%s: %s, want %s", name, got, c.want)
			}
		})
	}
}
