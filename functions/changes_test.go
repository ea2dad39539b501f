package functions_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/functions/handler"
)

// countChanges opens both states of a unit and counts the changes.
func countChanges(
	executor *functions.Executor, before, after []byte,
) (resources, values int, err error) {
	old, err := executor.Open(api.ToolchainKubernetesYAML, before)
	if err != nil {
		return 0, 0, err
	}
	now, err := executor.Open(api.ToolchainKubernetesYAML, after)
	if err != nil {
		return 0, 0, err
	}
	return now.CountChanges(old)
}

func TestCountChanges(t *testing.T) {
	const text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {k: x, l: y}\n---\n" +
		"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}\nlist: [1, {m: 2}, 3]\n"
	for _, c := range []struct {
		name              string
		old, now          string
		resources, values int
	}{
		{"nothing", "", "", 0, 0},
		{"a comment", "name: a}", "name: a} # new", 1, 0},
		{"a value", "k: x", "k: z", 1, 1},
		{"the type of a value", "l: y", "l: true", 1, 1},
		{"a key", "l: y", "l: y, z: {a: 1, b: 2}", 1, 2},
		{"a key less", "k: x, ", "", 1, 1},
		{"a map for a value", "l: y", "l: {a: 1, b: 2}", 1, 2},
		{"an item in front", "[1,", "[0, 1,", 1, 1},
		{"an item in between", "{m: 2}", "{m: 2}, {m: 4, n: 5}", 1, 2},
		{"items less", "1, {m: 2}, 3", "3", 1, 2},
		{"a value in an item", "m: 2", "m: 3", 1, 1},
		{
			"a resource more", "---\n",
			"---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n---\n", 1, 3,
		},
		{"a resource of the same name", "name: b", "name: a", 2, 6 + 6},
		{
			"a resource less",
			"---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}\nlist: [1, {m: 2}, 3]\n", "",
			1, 6,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			resources, values, err := countChanges(
				functions.NewStandardExecutor(), []byte(text),
				[]byte(strings.Replace(text, c.old, c.now, 1)),
			)
			if err != nil || resources != c.resources || values != c.values {
				t.Errorf(
					"%d resources, %d values, %v, want %d, %d", resources, values, err, c.resources,
					c.values,
				)
			}
		})
	}
}

// TestChangesOfAResponse checks that the changes recorded in the documents' journals are those that
// a comparison finds, for small units and for units that are split into parts.
func TestChangesOfAResponse(t *testing.T) {
	call := func(name string, args ...any) api.FunctionInvocation {
		in := api.FunctionInvocation{FunctionName: name}
		for _, a := range args {
			in.Arguments = append(in.Arguments, api.FunctionArgument{Value: a})
		}
		return in
	}
	for _, n := range []int{1, 3, 3000} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			data := workload(n)
			for name, chain := range map[string]api.FunctionInvocationList{
				"set": {
					call("set-replicas", 7), call("set-label", "team", "shop"),
					call("set-replicas", 8),
				},
				"none": {call("set-string-path", "v1/Nothing", "a", "b")},
				"back": {
					call("set-annotation", "a", "b"), call("set-replicas", 8),
					call("set-replicas", 3),
				},
				"delete": {
					call("set-replicas", 7), call("delete-resource", "apps/v1/Deployment", "web-0"),
				},
			} {
				executor := functions.NewStandardExecutor()
				r, err := executor.Run(
					t.Context(),
					&api.FunctionInvocationRequest{ConfigData: data, FunctionInvocations: chain},
					handler.Options{CountChanges: true},
				)
				if err != nil || !r.Success {
					t.Fatal(err, r.ErrorMessages)
				}
				resources, values, err := countChanges(executor, data, r.ConfigData)
				switch {
				case err != nil:
					t.Fatal(err)
				case name == "delete":
					if r.Changes != nil || resources == 0 {
						t.Errorf(
							"%s of %d: journals tell %v of documents that are gone", name, n,
							r.Changes,
						)
					}
				case !r.Changed:
					if r.Changes != nil && *r.Changes != (handler.ChangeCount{}) || resources != 0 {
						t.Errorf("%s of %d: %v", name, n, r.Changes)
					}
				case r.Changes == nil ||
					*r.Changes != handler.ChangeCount{Resources: resources, Values: values}:
					t.Errorf(
						"%s of %d: journals tell %v, a comparison %d resources and %d values", name,
						n,
						r.Changes, resources, values,
					)
				}
			}
		})
	}
}

// TestUnmatchedFunctions checks that Unmatched says, for each function, why it found nothing to do.
func TestUnmatchedFunctions(t *testing.T) {
	request := &api.FunctionInvocationRequest{
		ConfigData: workload(3),
		FunctionInvocations: api.FunctionInvocationList{
			{FunctionName: "set-replicas", Arguments: []api.FunctionArgument{{Value: 5}}},
			{
				FunctionName: "set-container-image",
				Arguments:    []api.FunctionArgument{{Value: "nobody"}, {Value: "x:1"}},
			},
			{
				FunctionName: "set-replicas", Arguments: []api.FunctionArgument{{Value: 6}},
				WhereResource: "spec.replicas > 100",
			},
		},
	}
	for where, want := range map[string]string{
		"": ". set-container-image: nothing matched container-name " +
			"nobody. set-replicas: no resource satisfies spec.replicas > 100",
		"metadata.name = 'nobody'": "no resource satisfies metadata.name = 'nobody'. no resource " +
			"satisfies metadata.name = 'nobody'. set-replicas: no resource satisfies " +
			"metadata.name = 'nobody' AND spec.replicas > 100",
	} {
		t.Run(where, func(t *testing.T) {
			request.WhereResource = where
			r, err := functions.NewStandardExecutor().Run(t.Context(), request, handler.Options{})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range r.Functions {
				text := ""
				if f.Unmatched != nil {
					text = f.Unmatched.String()
				}
				got = append(got, text)
			}
			if text := strings.Join(got, ". "); text != want {
				t.Errorf("got %s\nwant %s", text, want)
			}
		})
	}
}
