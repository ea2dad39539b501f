package chain

import (
	"slices"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/krm"
)

// TestFunctionConfigErrors checks that a wrong functionConfig says what is wrong, and changes
// nothing.
func TestFunctionConfigErrors(t *testing.T) {
	executor := functions.NewStandardExecutor()
	const invocations = "apiVersion: fctl.dev/v1\nkind: FunctionInvocations\n"
	const configMap = "apiVersion: v1\nkind: ConfigMap\n"
	for config, want := range map[string]string{
		"apiVersion: v1\nkind: Other\n": "which fctl does not know",
		configMap:                       "data.function or data.chain is missing",
		configMap + "data: {function: set-replicas, chain: '[]'}":       "exclude each other",
		configMap + "data: {chain: '[{function: get-replicas}]', x: y}": "excludes other keys",
		configMap + "data: {function: set-replicas, replicas: [1]}":     "data.replicas must be a text, not a list",
		configMap + "data: {function: set-replicas, replica: '1'}":      "replica",
		configMap + "data: {chain: 'function: x'}": "a list of invocations " +
			"is expected",
		invocations:                                   "functions is missing",
		invocations + "function: []":                  "a FunctionInvocations has no field \"function\"",
		invocations + "functions: []":                 "the list of invocations is empty",
		invocations + "functions: [{function: nope}]": "nope",
		invocations + "functions: [{function: get-replicas}]\ncontext: {a: b}":            "unknown name \"a\"",
		invocations + "functions: [{function: get-replicas}]\nwhereResource: '='":         "whereResource",
		invocations + "functions: [{function: get-replicas}]\ncontext: {revision-num: x}": "a whole number",
	} {
		t.Run(config, func(t *testing.T) {
			doc, err := gaby.ParseYAML([]byte(config))
			if err != nil {
				t.Fatal(err)
			}
			const text = "{apiVersion: apps/v1, kind: Deployment, metadata: {name: a}, spec: " +
				"{replicas: 1}}\n"
			item, err := krm.NewItem([]byte(text), "", 0)
			if err != nil {
				t.Fatal(err)
			}
			list := &krm.ResourceList{FunctionConfig: doc, Items: []*krm.Item{item}}
			err = Function(executor, nil)(t.Context(), list)
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s\nerror is %v, want %s", config, err, want)
			}
			if got := item.Doc.String(); got != text {
				t.Errorf("%s\nchanges the item to %s", config, got)
			}
		})
	}
}

// TestFunctionConfigPositions checks that every problem of a functionConfig has its line and
// column.
func TestFunctionConfigPositions(t *testing.T) {
	executor := functions.NewStandardExecutor()
	const invocations = "apiVersion: fctl.dev/v1\nkind: FunctionInvocations\n"
	const configMap = "apiVersion: v1\nkind: ConfigMap\n"
	for name, c := range map[string]struct {
		config string
		want   []string
	}{
		"unknown kind":     {"apiVersion: v1\nkind: Other\n", []string{"1:1"}},
		"unknown function": {configMap + "data:\n  function: nope\n", []string{"4:13"}},
		"data is a list":   {configMap + "data: [a]\n", []string{"3:7"}},
		"value is a list": {
			configMap + "data:\n  function: get-replicas\n  x: []\n",
			[]string{"5:6"},
		},
		"function is empty": {configMap + "data: {}\n", []string{"1:1"}},
		"all of invocations": {
			invocations + "where: x\nwhereResource: '='\ncontext: {a: b}\nfunctions:\n" +
				"- function: nope\n",
			[]string{"3:1", "4:16", "5:11", "7:13"},
		},
		"without functions": {invocations + "function: []\n", []string{"3:1"}},
	} {
		t.Run(name, func(t *testing.T) {
			doc, err := gaby.ParseYAML([]byte(c.config))
			if err != nil {
				t.Fatal(err)
			}
			err = Function(executor, nil)(t.Context(), &krm.ResourceList{FunctionConfig: doc})
			var have []string
			for _, f := range diag.Failures(err, 0) {
				have = append(have, f.Pos.String())
			}
			if !slices.Equal(have, c.want) {
				t.Errorf("problems at %q, want %q: %v", have, c.want, err)
			}
		})
	}
}
