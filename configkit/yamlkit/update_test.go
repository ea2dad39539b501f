package yamlkit_test

import (
	"cmp"
	"testing"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/k8skit"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
)

// TestUpdatesOfSharedValues updates values that aliases, inheritance, repeated keys and earlier
// updates of the same call have to do with.
func TestUpdatesOfSharedValues(t *testing.T) {
	const head = "apiVersion: v1\nkind: Thing\nmetadata: {name: a}\n"
	for _, c := range []struct {
		name, spec, want, err string
		paths                 []api.UnresolvedPath
	}{
		{
			name: "an alias is replaced", paths: []api.UnresolvedPath{"spec.b"},
			spec: "spec: {a: &x 1, b: *x}\n", want: "spec: {a: &x 1, b: 7}\n",
		},
		{
			name: "an inherited value is overridden", paths: []api.UnresolvedPath{"spec.b.k"},
			spec: "spec:\n  a: &x {k: 1}\n  b: {<<: *x}\n",
			want: "spec:\n  a: &x {k: 1}\n  b: {<<: *x, k: 7}\n",
		},
		{
			name: "below an alias", paths: []api.UnresolvedPath{"spec.b.k"},
			spec: "spec:\n  a: &x {k: 1}\n  b: *x\n",
			err: "5:13: v1/Thing /a: path spec.b.k: " +
				"this value comes from an alias; it cannot be edited here",
		},
		{
			name: "below a repeated key", paths: []api.UnresolvedPath{"spec.k"},
			spec: "spec: {k: 1}\nspec: {k: 2}\n",
			err:  "5:7: v1/Thing /a: path spec: the key occurs 2 times in its map",
		},
		{
			name: "two paths of one value", paths: []api.UnresolvedPath{"spec.k", "spec.*"},
			spec: "spec: {k: 1}\n", want: "spec: {k: 7}\n",
		},
		{
			name: "two paths of one missing value", paths: []api.UnresolvedPath{
				"spec.k",
				"spec.|k",
			},
			spec: "spec: {}\n", want: "spec: {k: 7}\n",
		},
		{
			name:  "a missing value in an inherited one",
			paths: []api.UnresolvedPath{"spec.b.k", "spec.b.m"},
			spec:  "spec:\n  a: &x {k: 1}\n  b: {<<: *x}\n",
			want:  "spec:\n  a: &x {k: 1}\n  b: {<<: *x, k: 7, m: 7}\n",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			docs := container(t, head+c.spec)
			err := setSeven(docs, c.paths)
			if want := head + cmp.Or(c.want, c.spec); docs.String() != want {
				t.Errorf("%s\nwant:\n%s", docs, want)
			}
			if err != nil && err.Error() != c.err || err == nil && c.err != "" {
				t.Errorf("error %v, want %s", err, c.err)
			}
		})
	}
}

// TestUpdateInListItem checks that errors name paths from the root of the resource.
func TestUpdateInListItem(t *testing.T) {
	docs := container(t, "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Thing\n"+
		"  metadata: {name: a}\n  spec: {k: 1, k: 2}\n")
	const want = "7:19: v1/Thing /a: path spec.k: the key occurs 2 times in its map"
	if err := setSeven(docs, []api.UnresolvedPath{"spec.k"}); err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

// setSeven sets the values at paths of things to 7.
func setSeven(docs gaby.Container, paths []api.UnresolvedPath) error {
	infos := api.PathToVisitorInfoType{}
	for _, path := range paths {
		infos[path] = &api.PathVisitorInfo{DataType: api.DataTypeInt}
	}
	return yamlkit.UpdatePathsValue(docs,
		api.ResourceTypeToPathToVisitorInfoType{"v1/Thing": infos}, nil, k8skit.New(), 7, true)
}
