package schemas

import (
	"archive/zip"
	"os"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/internal/knowledge/jsonschema"
)

// everyOperatorType calls f for each type of the operators.
func everyOperatorType(t *testing.T, o *operators, f func(api.ResourceType, *definition)) {
	t.Helper()
	z, err := zip.NewReader(strings.NewReader(packedOperators), int64(len(packedOperators)))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range z.File {
		kind := strings.TrimSuffix(file.Name, ".json")
		if kind == "operators" {
			continue
		}
		group, name, _ := strings.Cut(kind, "/")
		all, err := o.of(api.ResourceType(group + "/v1/" + name))
		if err != nil || len(all) == 0 {
			t.Errorf("%s: %d versions, %v", kind, len(all), err)
		}
		for of, d := range all {
			f(of, d)
		}
	}
}

// TestOperators checks that the schema of each type of an operator compiles and is one that servers
// accept.
func TestOperators(t *testing.T) {
	var library Library
	set, err := library.Set("", nil)
	if err != nil {
		t.Fatal(err)
	}
	types := 0
	everyOperatorType(t, &operators{}, func(of api.ResourceType, d *definition) {
		types++
		if set.Release.has(of) {
			t.Errorf("%s is built into Kubernetes", of)
		}
		schema, err := set.Schema(of)
		if schema == nil || err != nil || set.Operator(of) != d.operator {
			t.Errorf("%s of %s: %v", of, set.Operator(of), err)
		}
		if err := jsonschema.CheckStructural(d.value); err != nil {
			t.Errorf("%s: %v", of, err)
		}
		if d.scope != configkit.ScopeCluster && d.scope != configkit.ScopeNamespaced &&
			!strings.HasPrefix(string(of), "kustomize.config.k8s.io/") {
			t.Errorf("%s: scope %q", of, d.scope)
		}
	})
	if types < 120 {
		t.Errorf("only %d types", types)
	}
	all, err := Operators()
	if err != nil || len(all) < 12 {
		t.Error(all, err)
	}
}

// TestOperatorsInTexts checks that the help and the guide name each operator and its version.
func TestOperatorsInTexts(t *testing.T) {
	all, err := Operators()
	if err != nil {
		t.Fatal(err)
	}
	for file, row := range map[string]func(Operator) string{
		"../../cli/help/schemas.txt": func(o Operator) string { return o.Name + " " + o.Version },
		"../../../docs/guide/schemas.md": func(o Operator) string {
			return "| " + o.Name + " | " + o.Version + " | `" + o.Module + "` | "
		},
	} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		words := strings.Join(strings.Fields(string(text)), " ")
		for _, o := range all {
			if !strings.Contains(words, row(o)) {
				t.Errorf("%s does not have %q", file, row(o))
			}
		}
	}
}

// TestOperatorsComeLast checks that every other source of a schema goes before an operator's, and
// that the versions which an operator lacks have no schema.
func TestOperatorsComeLast(t *testing.T) {
	const (
		certificate = api.ResourceType("cert-manager.io/v1/Certificate")
		own         = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: certificates.cert-manager.io}
spec:
  group: cert-manager.io
  names: {kind: Certificate}
  scope: Cluster
  versions:
  - name: v1
    served: true
    schema: {openAPIV3Schema: {type: object, properties: {mine: {type: string}}}}
`
	)
	file := SchemaFile{Name: "own.yaml", Text: []byte(own)}
	for name, add := range map[string]func(*Library, *Set) error{
		"unit": func(_ *Library, s *Set) error { return s.AddDefinition(parse(t, own)) },
		"file": func(l *Library, _ *Set) error {
			l.AddFiles(func() ([]SchemaFile, error) { return []SchemaFile{file}, nil })
			return nil
		},
		"input": func(l *Library, _ *Set) error {
			l.AddInputs(func() []SchemaFile { return []SchemaFile{file} })
			return nil
		},
		"operator": func(*Library, *Set) error { return nil },
	} {
		t.Run(name, func(t *testing.T) {
			var library Library
			set, err := library.Set("", nil)
			if err == nil {
				err = add(&library, set)
			}
			if err != nil {
				t.Fatal(err)
			}
			schema, err := set.Schema(certificate)
			if err != nil {
				t.Fatal(err)
			}
			problems, err := schema.Check(t.Context(), parse(t, "{mine: text}"))
			if err != nil {
				t.Fatal(err)
			}
			valid, operator := len(problems) == 0, set.Operator(certificate)
			if valid != (name != "operator") || valid == strings.HasPrefix(operator, "cert-manager v") {
				t.Errorf("valid: %t; operator: %q", valid, operator)
			}
		})
	}
	set, err := new(Library).Set("", nil)
	if err != nil {
		t.Fatal(err)
	}
	schema, err := set.Schema("cert-manager.io/v1alpha2/Certificate")
	if schema != nil || err != nil {
		t.Errorf("an unknown version: %v, %v", schema, err)
	}
}

// TestOperatorsAreLazy checks that the schema of a kind of an operator is unpacked when a resource
// of that kind is checked, and no other.
func TestOperatorsAreLazy(t *testing.T) {
	var library Library
	set, err := library.Set("", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, of := range []api.ResourceType{"apps/v1/Deployment", "v1/ConfigMap", "v1/Nothing"} {
		_, _ = set.Schema(of)
	}
	if library.operators.archive.zip != nil {
		t.Error("types of Kubernetes open the archive of operators")
	}
	for range 2 {
		if _, err := set.Schema("cert-manager.io/v1/Certificate"); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(library.operators.archive.files); n != 2 { // and operators.json
		t.Errorf("%d files are unpacked", n)
	}
}

// TestMergeKeysOfOperators checks that merge keys come from CustomResourceDefinitions, and that
// known ones go before these.
func TestMergeKeysOfOperators(t *testing.T) {
	known := &configkit.MergeKeyTree{Children: map[string]*configkit.MergeKeyTree{
		"spec": {Children: map[string]*configkit.MergeKeyTree{
			"acme": {Keys: []string{"known"}}, "listeners": {Keys: []string{"mine"}},
		}},
	}}
	const gateway = api.ResourceType("gateway.networking.k8s.io/v1/Gateway")
	keysAt := func(tree *configkit.MergeKeyTree, path ...string) string {
		for _, segment := range path {
			tree = tree.Child(segment)
		}
		if tree == nil {
			return ""
		}
		return strings.Join(tree.Keys, ",")
	}
	fields := new(Library).Fields()
	for range 2 {
		tree := fields.MergeKeys(gateway, nil)
		if have := keysAt(tree, "spec", "listeners"); have != "name" {
			t.Errorf("listeners have the key %q", have)
		}
		tree = fields.MergeKeys(gateway, known)
		if have := keysAt(tree, "spec", "listeners"); have != "mine" {
			t.Errorf("listeners have the key %q", have)
		}
		if have := keysAt(tree, "spec", "acme"); have != "known" {
			t.Errorf("a known list has the key %q", have)
		}
	}
	if have := fields.MergeKeys("apps/v1/Deployment", known); have != known {
		t.Error("a type of Kubernetes has other merge keys")
	}
	var library Library
	library.AddFiles(func() ([]SchemaFile, error) {
		return []SchemaFile{{Name: "own.yaml", Text: []byte(`
kind: CustomResourceDefinition
spec:
  group: gateway.networking.k8s.io
  names: {kind: Gateway}
  versions:
  - name: v1
    schema:
      openAPIV3Schema:
        properties:
          ports:
            type: array
            x-kubernetes-list-type: map
            x-kubernetes-list-map-keys: [number, protocol]
            items: {properties: {number: {type: integer}, protocol: {default: TCP}}}
`)}}, nil
	})
	tree := library.Fields().MergeKeys(gateway, nil)
	if have := keysAt(tree, "ports") + keysAt(tree, "spec", "listeners"); have != "number,protocol" ||
		tree.Child("ports").Defaults["protocol"] != "TCP" {
		t.Errorf("with a definition of the user: %q", have)
	}
}
