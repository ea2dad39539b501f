package handler_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/k8skit"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/functions/handler"
)

const workload = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web-0
spec:
  replicas: 3
  template:
    spec:
      containers:
        - name: web
          image: web:1
`

// compared parses two states of a unit and compares them.
func compared(t *testing.T, before, after []byte) *handler.Changes {
	t.Helper()
	var docs [2]gaby.Container
	for i, text := range [][]byte{before, after} {
		var err error
		if docs[i], err = gaby.ParseAll(text); err != nil {
			t.Fatal(err)
		}
	}
	c, err := handler.Compare(docs[0], docs[1], k8skit.K8sResourceProvider)
	if err != nil {
		t.Fatal(err)
	}
	return c
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
			got := compared(t, []byte(text), []byte(strings.Replace(text, c.old, c.now, 1)))
			if got.Resources != c.resources || got.Values != c.values {
				t.Errorf("%+v, want %d resources, %d values", got, c.resources, c.values)
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
			var all []string
			for i := range n {
				all = append(all, strings.ReplaceAll(workload, "web-0", fmt.Sprint("web-", i)))
			}
			data := []byte(strings.Join(all, "---\n"))
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
					handler.Options{ListChanged: true},
				)
				if err != nil || !r.Success {
					t.Fatal(err, r.ErrorMessages)
				}
				want := compared(t, data, r.ConfigData)
				if !r.Changed {
					r.Changes = &handler.Changes{}
				}
				counted, err := executor.Run(
					t.Context(),
					&api.FunctionInvocationRequest{ConfigData: data, FunctionInvocations: chain},
					handler.Options{Compare: true},
				)
				if err != nil {
					t.Fatal(err)
				}
				if c := counted.Changes; counted.Changed &&
					(c.Resources != want.Resources || c.Values != want.Values) {
					t.Errorf("%s of %d: counted %+v, compared %+v", name, n, c, want)
				}
				if diff := cmp.Diff(want, r.Changes); diff != "" || r.Resources != n {
					t.Errorf("%s of %d: %d resources, (-compared +listed)\n%s", name, n,
						r.Resources, diff)
				}
			}
		})
	}
}

func TestLocate(t *testing.T) {
	at := func() api.AttributeValueList {
		return api.AttributeValueList{{Position: &api.Position{Line: 3, Column: 5}}, {}}
	}
	values, failed := at(), at()
	handler.Locate(api.OutputList{
		{Value: values},
		{Value: api.ValidationResultList{{FailedAttributes: failed}}},
		{Value: api.ResourceInfoList{}},
	}, "./a.yaml")
	for _, rows := range []api.AttributeValueList{values, failed} {
		t.Run(fmt.Sprintf("%T", rows[0].Value), func(t *testing.T) {
			if got := rows[0].Position.String(); got != "./a.yaml:3:5" || rows[1].Position != nil {
				t.Errorf("got %s, %v", got, rows[1].Position)
			}
		})
	}
}
