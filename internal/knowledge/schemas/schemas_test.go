package schemas

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/knowledge/jsonschema"
	"github.com/fctl-dev/fctl/internal/knowledge/migration"
)

func parse(t testing.TB, text string) gaby.Value {
	t.Helper()
	doc, err := gaby.ParseYAML([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return doc.Value()
}

// TestAllDefinitions checks that every definition of every release compiles and refers to nothing
// missing.
func TestAllDefinitions(t *testing.T) {
	var library Library
	newest, err := library.Release("")
	if err != nil {
		t.Fatal(err)
	}
	if len(newest.releases) < 3 || newest.Name != newest.releases[len(newest.releases)-1] {
		t.Errorf("the releases are %v, the newest %s", newest.releases, newest.Name)
	}
	for _, name := range newest.releases {
		r, err := library.Release(name)
		if err != nil {
			t.Fatal(err)
		}
		if len(r.kinds) < 150 {
			t.Errorf("%s has only %d kinds", name, len(r.kinds))
		}
		seen := map[string]bool{}
		var visit func(name string)
		visit = func(definition string) {
			if seen[definition] {
				return
			}
			seen[definition] = true
			v, err := r.definition(definition)
			if err != nil || !v.Exists() {
				t.Errorf("%s: %s: %v", name, definition, err)
				return
			}
			if _, err := r.compiler.Named(definition); err != nil {
				t.Errorf("%s: %s: %v", name, definition, err)
			}
			var below func(gaby.Value)
			below = func(v gaby.Value) {
				for e := v.First(); e.Exists(); e = e.Next() {
					if e.Key() == "$ref" && e.Kind() == gaby.Scalar {
						visit(e.Text())
					}
					below(e)
				}
			}
			below(v)
		}
		for _, definition := range r.kinds {
			visit(definition)
		}
		if t.Logf("%s: %d kinds, %d definitions", name, len(r.kinds), len(seen)); len(seen) < 500 {
			t.Errorf("%s: only %d definitions", name, len(seen))
		}
	}
}

// TestReleasesDiffer checks that changes between releases are distinguished.
func TestReleasesDiffer(t *testing.T) {
	var library Library
	for version, want := range map[string]bool{"1.33": false, "v1.36.1": true} {
		t.Run(version, func(t *testing.T) {
			set, err := library.Set(version, nil)
			if err != nil {
				t.Fatal(err)
			}
			schema, _ := set.Schema("admissionregistration.k8s.io/v1/MutatingAdmissionPolicy")
			if (schema != nil) != want {
				t.Errorf("%s: MutatingAdmissionPolicy is there: %t", version, !want)
			}
		})
	}
	_, err := library.Release("1.2")
	if e, ok := errors.AsType[*UnknownReleaseError](err); !ok ||
		!strings.Contains(err.Error(), "no schemas of Kubernetes 1.2, only of 1.") ||
		len(e.Known) < 3 {
		t.Error(err)
	}
}

func TestMissing(t *testing.T) {
	set, err := new(Library).Set("1.36", nil)
	if err != nil {
		t.Fatal(err)
	}
	for of, want := range map[api.ResourceType]string{
		"apps/v1/Deployment": "schema",
		"v1/Pod":             "schema",
		"apps/v1beta1/Deployment": "Kubernetes 1.36 has no apps/v1beta1/Deployment " +
			"[apps/v1/Deployment]",
		"extensions/v1beta1/Ingress": "Kubernetes 1.36 has no " +
			"extensions/v1beta1/Ingress [networking.k8s.io/v1/Ingress]",
		"v1/Nothing":                                "Kubernetes 1.36 has no v1/Nothing []",
		"example.com/v1/Deployment":                 "none",
		"snapshot.storage.k8s.io/v1/VolumeSnapshot": "none",
		"nothing/v1/Thing":                          "none",
	} {
		t.Run(string(of), func(t *testing.T) {
			schema, err := set.Schema(of)
			have := "none"
			if e, ok := errors.AsType[*MissingError](err); ok {
				have = fmt.Sprint(err, " ", e.Others)
			} else if err != nil {
				t.Fatal(err)
			} else if schema != nil {
				have = "schema"
			}
			if have != want {
				t.Errorf("%s: %s, want %s", of, have, want)
			}
		})
	}
}

// TestRemovedTypesAreKnown checks that package migration knows each type that a release with schemas
// has removed.
func TestRemovedTypesAreKnown(t *testing.T) {
	library := &Library{}
	newest, err := library.Release("")
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range newest.releases[1:] {
		before, err := library.Release(newest.releases[i])
		after, err2 := library.Release(name)
		if err != nil || err2 != nil {
			t.Fatal(err, err2)
		}
		for of := range before.kinds {
			if after.has(of) || strings.HasSuffix(string(of), "List") {
				continue
			}
			removed := migration.Of(of)
			if removed == nil || removed.Removed.String() != after.Name {
				t.Errorf("%s: removed in %s, apis.yaml has %v", of, after.Name, removed)
			} else if _, _, kind := configkit.SplitType(of); removed.To != "" &&
				!newest.has(api.ResourceType(removed.To+"/"+kind)) {
				t.Errorf("%s: Kubernetes %s has no %s in %s", of, newest.Name, kind, removed.To)
			}
		}
	}
	for _, of := range migration.Types() {
		if newest.has(of) {
			t.Errorf("%s is not removed", of)
		}
	}
}

const definitionText = `
kind: CustomResourceDefinition
metadata: {name: foos.example.com}
spec:
  group: example.com
  names: {kind: Foo}
  versions:
    - {name: v1, served: true, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {a: {type: integer}}}}}}}
`

func TestFiles(t *testing.T) {
	var library Library
	read := 0
	library.AddFiles(func() ([]SchemaFile, error) {
		read++
		return []SchemaFile{
			{
				Name: "dir/crds.yaml",
				Text: []byte(
					"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n---" + definitionText,
				),
			},
			{
				Name: "dir/example.com/bar_v1.json",
				Text: []byte(`{"properties": {"spec": {"$ref": "../shared.json#/$defs/spec"}}}`),
			},
			{
				Name: "dir/shared.json",
				Text: []byte(`{"$defs": {"spec": {"properties": {"a": {"type": "integer"}}}}}`),
			},
			{
				Name: "dir/service-v1.json",
				Text: []byte(`{"properties": {"spec": {"required": ["mine"]}}}`),
			},
			{Name: "cluster.json", Text: []byte(`{"swagger": "2.0", "definitions": {
				"com.example.v1.Baz": {"type": "object", "properties": {"spec": {"$ref": "#/definitions/spec"}}, "x-kubernetes-group-version-kind": [{"group": "example.com", "version": "v1", "kind": "Baz"}]},
				"spec": {"properties": {"q": {"$ref": "#/definitions/io.k8s.apimachinery.pkg.api.resource.Quantity"}}}}}`)},
			{Name: "group.json", Text: []byte(`{"openapi": "3.0.0", "components": {"schemas": {
				"com.example.v3.Baz": {"type": "object", "properties": {"spec": {"allOf": [{"$ref": "#/components/schemas/spec"}]}}, "x-kubernetes-group-version-kind": [{"group": "example.com", "version": "v3", "kind": "Baz"}]},
				"spec": {"properties": {"q": {"$ref": "#/components/schemas/io.k8s.apimachinery.pkg.api.resource.Quantity"},
					"free": {"x-kubernetes-preserve-unknown-fields": true, "properties": {"n": {"type": "integer"}}}}}}}}`)},
			{Name: "dir/qux-example-v1.json", Text: []byte(
				`{"$id": "https://example.com/qux.json", "properties": {"spec": {"$ref": ` +
					`"parts.json#/$defs/spec"}}}`,
			)},
			// the first file wins
			{
				Name: "dir/parts-of-qux2.json",
				Text: []byte(`{"$id": "https://example.com/parts.json", "$defs": {"spec": ` +
					`{"properties": {"a": {"type": "null"}}}}}`),
			},
			{Name: "dir/parts-of-qux.json", Text: []byte(
				`{"$id": "https://example.com/parts.json", "$defs": {"spec": {"properties": ` +
					`{"a": {"type": "integer"}}}}}`,
			)},
		}, nil
	})
	set, err := library.Set("", nil)
	if err != nil {
		t.Fatal(err)
	}
	if read != 0 {
		t.Error("files are read before they are needed")
	}
	for of, c := range map[api.ResourceType][2]string{
		"example.com/v1/Foo": {
			`{metadata: {name: x, nam: y}, spec: {a: b}}`,
			`[unknown field nam expected integer, got "b"]`,
		},
		"example.com/v1/Bar": {`{spec: {a: b}}`, `[expected integer, got "b"]`},
		"example.com/v1/Baz": {
			`{spec: {q: b, r: 1}}`,
			`["b" is not a valid quantity, such as 500m or 1.5Gi unknown field r]`,
		},
		"example.com/v3/Baz": {
			`{spec: {q: b, r: 1, free: {m: 1, n: x}}}`,
			`["b" is not a valid quantity, such as 500m or 1.5Gi unknown field r expected ` +
				`integer, got "x"]`,
		},
		"example.com/v1/Qux": {`{spec: {a: b}}`, `[expected integer, got "b"]`},
		"v1/Service":         {`{spec: {}}`, `[mine is required]`},
	} {
		t.Run(string(of), func(t *testing.T) {
			schema, err := set.Schema(of)
			if err != nil || schema == nil {
				t.Errorf("%s: %v %v", of, schema, err)
				return
			}
			problems, err := schema.Check(t.Context(), parse(t, c[0]))
			var messages []string
			for _, p := range problems {
				messages = append(messages, p.Message)
			}
			if have := fmt.Sprint(messages); err != nil || have != c[1] {
				t.Errorf("%s: %s, %v, want %s", of, have, err, c[1])
			}
		})
	}
	if _, err := set.Schema("example.com/v2/Foo"); err == nil {
		t.Error("a version that the definition does not have")
	}
	if _, err := library.Set("1.33", nil); err != nil || read != 1 {
		t.Errorf("%v, the files are read %d times", err, read)
	}
}

func TestWrongFiles(t *testing.T) {
	for text, want := range map[string]string{
		`{"properties": 1}`: "v1.json:1:16: properties is a map of schemas, not 1",
		`{"a": `:            "v1.json:1:1: ",
	} {
		t.Run(text, func(t *testing.T) {
			var library Library
			library.AddFiles(func() ([]SchemaFile, error) {
				return []SchemaFile{{Name: "thing-example-v1.json", Text: []byte(text)}}, nil
			})
			set, err := library.Set("", nil)
			if err != nil {
				t.Fatal(err)
			}
			_, err = set.Schema("example.com/v1/Thing")
			if _, ok := errors.AsType[*FileError](err); !ok || !strings.Contains(err.Error(),
				want) {
				t.Errorf("%s: %v", text, err)
			}
		})
	}
}

// TestAddDefinition checks that a definition next to the resources precedes the release's schemas,
// and that a type whose schema is wrong is not checked.
func TestAddDefinition(t *testing.T) {
	set, err := new(Library).Set("", nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := set.AddDefinition(parse(t, definitionText)); err != nil {
		t.Fatal(err)
	}
	if s, err := set.Schema("example.com/v1/Foo"); s == nil || err != nil {
		t.Error(s, err)
	}
	err = set.AddDefinition(parse(
		t, strings.NewReplacer("integer", "int", "Foo", "Fox").Replace(definitionText),
	))
	if _, ok := errors.AsType[*jsonschema.SchemaError](err); !ok {
		t.Error(err)
	}
	if s, err := set.Schema("example.com/v1/Fox"); s != nil || !errors.Is(err, ErrWrongDefinition) {
		t.Error(s, err)
	}
}

// TestInputs checks that definitions in other inputs count if there is nothing else, unless they
// contradict each other.
func TestInputs(t *testing.T) {
	other := strings.ReplaceAll(definitionText, "integer", "string")
	for _, c := range []struct {
		files []string
		found bool
		err   error
	}{
		{nil, false, nil},
		{[]string{"a: [\n", definitionText + "---\nkind: ConfigMap\n"}, true, nil},
		{[]string{definitionText, definitionText}, true, nil},
		{[]string{definitionText, other}, false, ErrSeveralDefinitions},
		{[]string{strings.ReplaceAll(definitionText, "integer", "int")}, false, ErrWrongDefinition},
	} {
		t.Run(strings.Join(c.files, " "), func(t *testing.T) {
			var library Library
			library.AddInputs(func() (files []SchemaFile) {
				for _, text := range c.files {
					files = append(files, SchemaFile{Name: "a.yaml", Text: []byte(text)})
				}
				return files
			})
			for range 2 { // read once, known after
				set, err := library.Snapshot().Set("", nil)
				if err != nil {
					t.Fatal(err)
				}
				if s, err := set.Schema("example.com/v1/Foo"); (s != nil) != c.found ||
					!errors.Is(err, c.err) {
					t.Errorf("%q: %v %v", c.files, s, err)
				}
				if s, err := set.Schema("v1/Pod"); s == nil || err != nil {
					t.Error(s, err)
				}
			}
		})
	}
}

// TestSeveralDefinitions checks that a resource is judged by the definition that fits it best, that
// one which accepts any spec does not count beside others, and that many are too many.
func TestSeveralDefinitions(t *testing.T) {
	with := func(a string) string { return strings.ReplaceAll(definitionText, "type: integer", a) }
	open := strings.ReplaceAll(definitionText, "properties: {a: {type: integer}}",
		"x-kubernetes-preserve-unknown-fields: true")
	var many []string
	for i := range mostDefinitions + 1 {
		many = append(many, with(fmt.Sprintf("type: integer, minimum: %d", i)))
	}
	for _, c := range []struct {
		files    []string
		value    string
		problems int
		err      error
	}{
		{[]string{definitionText, with("type: string")}, "1", 0, nil},
		{[]string{definitionText, with("type: string")}, "b", 0, nil},
		{[]string{definitionText, with("type: string")}, "true", 1, nil},
		{[]string{open, definitionText, open}, "b", 1, nil},
		{many, "1", 0, ErrSeveralDefinitions},
	} {
		var library Library
		library.AddInputs(func() []SchemaFile {
			return []SchemaFile{{Name: "a.yaml", Text: []byte(strings.Join(c.files, "---"))}}
		})
		set, err := library.Set("", nil)
		if err != nil {
			t.Fatal(err)
		}
		problems, _, err := set.Check(t.Context(), "example.com/v1/Foo", parse(t,
			"apiVersion: example.com/v1\nkind: Foo\nspec: {a: "+c.value+"}"))
		if len(problems) != c.problems || !errors.Is(err, c.err) {
			t.Errorf("%d definitions, %s: %v, %v", len(c.files), c.value, problems, err)
		}
	}
}

// TestOtherFilesComplete checks what is known of a resource from kustomizations and APIServices.
func TestOtherFilesComplete(t *testing.T) {
	var library Library
	library.AddInputs(func() (files []SchemaFile) {
		for name, text := range map[string]string{
			"all/kustomization.yaml":     "namespace: shop\nresources: [../base, own.yaml]\n",
			"base/kustomization.yaml":    "resources: [role.yaml, ../all]\n",
			"other/kustomization.yaml":   "resources: [role.yaml]\n",
			"base/notkustomization.yaml": "namespace: shop\nresources: [none.yaml]\n",
			"api.yaml":                   "apiVersion: apiregistration.k8s.io/v1\nkind: APIService\nmetadata: {name: v2.example.com}\n",
			"definition.yaml":            definitionText,
		} {
			files = append(files, SchemaFile{Name: name, Text: []byte(text)})
		}
		return files
	})
	for file, want := range map[string]bool{
		"base/role.yaml": true, "./all/own.yaml": true, "other/role.yaml": false,
		"base/none.yaml": false,
	} {
		if library.GetsNamespace(file) != want {
			t.Errorf("%s: %v", file, !want)
		}
	}
	set, err := library.Set("", nil)
	if err != nil {
		t.Fatal(err)
	}
	if schema, err := set.Schema("example.com/v2/Foo"); schema != nil || err != nil {
		t.Errorf("a server of its own serves v2: %v, %v", schema, err)
	}
	if _, ok := errors.AsType[*MissingError](second(set.Schema("example.com/v3/Foo"))); !ok {
		t.Error("nobody serves v3")
	}
}

func second(_ *jsonschema.Schema, err error) error { return err }
