package plan_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/do/plan"
)

// checker checks a chain with the schema and with fctl.
type checker struct {
	schema   *jsonschema.Schema
	resolver *plan.Resolver
}

func newChecker(t *testing.T) *checker {
	t.Helper()
	executor := functions.NewStandardExecutor()
	chain, err := plan.Schema(executor.Signatures(api.ToolchainKubernetesYAML))
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(chain)
	if err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("chain.json", document); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("chain.json") // validates it against the schema of draft 7, too
	if err != nil {
		t.Fatal(err)
	}
	return &checker{schema: schema, resolver: &plan.Resolver{
		Toolchain: api.ToolchainKubernetesYAML, Functions: executor,
		ReadFile: func(path string) ([]byte, error) {
			return os.ReadFile(filepath.Join("..", "..", "..", "testdata", path))
		},
	}}
}

func (c *checker) check(t *testing.T, text string) (bySchema, byReader error) {
	t.Helper()
	var data any
	if err := yaml.Unmarshal([]byte(text), &data); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	encoded, err := json.Marshal(data)
	if err != nil {
		t.Fatal(err)
	}
	if data, err = jsonschema.UnmarshalJSON(bytes.NewReader(encoded)); err != nil {
		t.Fatal(err)
	}
	_, byReader = c.resolver.Invocations(plan.ChainText{Bytes: []byte(text), Name: "c.yaml"})
	return c.schema.Validate(data), byReader
}

// TestSchemaTakesWhatIsRight checks that the schema accepts the examples of every function, by name
// and in order, and the chains that come with fctl.
func TestSchemaTakesWhatIsRight(t *testing.T) {
	c := newChecker(t)
	var chains []string
	for _, pattern := range []string{"../../../examples/release.yaml", "../../../testdata/chain*.yaml"} {
		t.Run(pattern, func(t *testing.T) {
			files, err := filepath.Glob(pattern)
			if err != nil || len(files) == 0 {
				t.Fatalf("%s: %v, %v", pattern, files, err)
			}
			for _, file := range files {
				text, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				chains = append(chains, string(text))
			}
		})
	}
	for _, s := range c.resolver.Functions.Signatures(api.ToolchainKubernetesYAML) {
		for _, example := range s.Examples {
			chain, err := handler.ParseChain(example)
			if err != nil {
				t.Fatal(err)
			}
			chains = append(chains, written(s, chain[0], true), written(s, chain[0], false))
		}
	}
	if len(chains) < 60 {
		t.Errorf("only %d chains", len(chains))
	}
	for _, chain := range chains {
		if bySchema, byReader := c.check(t, chain); bySchema != nil || byReader != nil {
			t.Errorf("%s\nschema: %v\nreader: %v", chain, bySchema, byReader)
		}
	}
}

// written formats an invocation as a person would write it.
func written(s api.FunctionSignature, in api.FunctionInvocation, byName bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "- function: %s\n  arguments:\n", in.FunctionName)
	repeated := map[string][]string{}
	var order []string
	for i, arg := range in.Arguments {
		value := arg.Value.(string)
		if arg.Evaluator != "" {
			value = arg.Evaluator + ":" + value
		}
		quoted, _ := json.Marshal(value)
		name := s.Parameters[min(i, len(s.Parameters)-1)].ParameterName
		if arg.ParameterName != "" {
			name = arg.ParameterName
		}
		if repeated[name] == nil {
			order = append(order, name)
		}
		repeated[name] = append(repeated[name], string(quoted))
		if !byName && arg.ParameterName != "" {
			fmt.Fprintf(&b, "    - {ParameterName: %s, Value: %s}\n", name, quoted)
		} else if !byName {
			fmt.Fprintf(&b, "    - %s\n", quoted)
		}
	}
	for _, name := range order {
		if values := repeated[name]; byName && len(values) > 1 {
			fmt.Fprintf(&b, "    %s: [%s]\n", name, strings.Join(values, ", "))
		} else if byName {
			fmt.Fprintf(&b, "    %s: %s\n", name, values[0])
		}
	}
	return b.String()
}

// TestSchemaRejectsInvalidChains checks that the schema and fctl reject the same chains and accept
// the same, so that an editor does not accept what fctl rejects.
func TestSchemaRejectsInvalidChains(t *testing.T) {
	c := newChecker(t)
	for _, chain := range []string{
		"[]", "{}", "a: b", "- get-replicas", "- {}", "- name: x",
		"- function: get-replica", "- FunctionName: get-replica", "- functions: get-replicas",
		"- {function: get-replicas, FunctionName: get-replicas}",
		"- {function: get-replicas, where: 5}", "- {function: get-replicas, name: []}",
		"- function: set-replicas", "- {function: set-replicas, arguments: {}}",
		"- {function: set-replicas, arguments: []}",
		"- {function: set-replicas, arguments: {replica: 5}}",
		"- {function: set-replicas, arguments: {replicas: five}}",
		"- {function: set-replicas, arguments: {replicas: -1}}",
		"- {function: set-replicas, arguments: {replicas: 1.5}}",
		"- {function: set-replicas, arguments: {replicas: [5]}}",
		"- {function: set-replicas, arguments: [5, 6]}",
		"- {function: set-replicas, arguments: {replicas: null}}",
		"- {function: set-replicas, arguments: 5}",
		"- {function: set-replicas, arguments: [{replicas: 5}]}",
		"- {function: set-replicas, Arguments: [{Valu: 5}]}",
		"- {function: get-resources, arguments: {body: xml}}",
		"- {function: get-replicas, arguments: {replicas: 5}}",
		"- {function: get-replicas, arguments: [5]}",
		"- {function: set-bool-path, arguments: [apps/v1/Deployment, spec.paused, maybe]}",
		"- {function: set-container-image, arguments: {container-name: web}}",
		"- {function: set-container-image, arguments: [web, 'not an image']}",
	} {
		t.Run(chain, func(t *testing.T) {
			if bySchema, byReader := c.check(t, chain); bySchema == nil || byReader == nil {
				t.Errorf("%s\nschema: %v\nreader: %v", chain, bySchema, byReader)
			}
		})
	}
	for _, chain := range []string{
		"- {function: set-replicas, arguments: {replicas: '5'}}",
		"- {function: set-replicas, arguments: {replicas: 'template:5'}}",
		"- {function: set-container-image-reference, arguments: [web, ':1.27']}",
		"- {function: set-label, arguments: [version, 1.10]}",
		"- {function: set-label, arguments: {label-key: on, label-value: true}}",
		"- {function: set-path, arguments: [spec.strategy, 'file:config.schema.json']}",
		"- {function: set-path, arguments: {path: spec.strategy, value: {type: Recreate}}}",
		"- {name: 1, function: get-replicas}",
		`[{"FunctionName": "set-replicas", "Arguments": [{"ParameterName": "replicas", "Value": ` +
			`5, "DataType": "int"}]}]`,
	} {
		t.Run(chain, func(t *testing.T) {
			if bySchema, byReader := c.check(t, chain); bySchema != nil || byReader != nil {
				t.Errorf("%s\nschema: %v\nreader: %v", chain, bySchema, byReader)
			}
		})
	}
}
