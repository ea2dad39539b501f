package functionconfig

import (
	"bytes"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/knowledge/jsonschema"
)

// TestCRD checks that the definition is complete, for machines without an API server.
func TestCRD(t *testing.T) {
	doc, err := gaby.ParseYAML([]byte(CRD()))
	if err != nil || doc.Check() != nil || strings.Contains(CRD(), " @") {
		t.Fatal(err, doc.Check())
	}
	spec := doc.Search("spec", "versions", "0", "schema", "openAPIV3Schema", "properties", "spec",
		"properties")
	for _, names := range [][2]string{
		{"goExecutorConfig", "goExecutor"},
		{"binaryExecutorConfig", "binaryExecutor"},
		{"podExecutorConfig", "podExecutor"},
	} {
		for _, name := range names {
			if !spec.Exists(name, "properties", "tags", "items", "pattern") {
				t.Errorf("%s has no tags", name)
			}
		}
	}
}

// TestCRDRefusesWhatPodsRefuse checks that the definition finds each problem of check that is about a
// type of Kubernetes, without the rules in CEL.
func TestCRDRefusesWhatPodsRefuse(t *testing.T) {
	doc, err := gaby.ParseYAML([]byte(CRD()))
	if err != nil {
		t.Fatal(err)
	}
	definition := doc.Search("spec", "versions", "0", "schema", "openAPIV3Schema").Value()
	if err := jsonschema.CheckStructural(definition); err != nil {
		t.Fatal(err)
	}
	schema, err := jsonschema.Compile("", definition, jsonschema.CompilerOptions{
		Dialect: jsonschema.Structural,
	})
	if err != nil {
		t.Fatal(err)
	}
	of := []string{
		"environment", "sources of variables", "security", "quantities as numbers",
		"security profiles", "optional sources", "claims",
	}
	for _, c := range problemCases(t) {
		if !slices.Contains(of, c.name) {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			object, err := gaby.ParseYAML([]byte(c.spec))
			if err != nil {
				t.Fatal(err)
			}
			found, err := schema.Check(t.Context(), object.Value())
			if err != nil {
				t.Fatal(err)
			}
			var refused []string
			for _, p := range found {
				refused = append(refused, strings.Join(p.FullPath(), "."))
			}
			_, problems := Parse([]byte(c.spec), "f")
			for _, p := range Errors(problems) {
				if !slices.ContainsFunc(refused, func(path string) bool {
					return strings.HasPrefix(p.Path, path)
				}) {
					t.Errorf("the definition accepts %s: %s", p.Path, p.Message)
				}
			}
		})
	}
}

// beyondSchema are the cases of problems.txt whose problems no schema can express, or that only a
// stricter reader finds.
func beyondSchema() map[string]bool {
	return map[string]bool{
		"relPath leaves": true, "path of the directory": true, // only after the path is cleaned
		"keys twice":               true, // kubectl sends the last
		"a quantity without value": true, // the server removes a null
		"names of resources":       true, // only when the pod is made
	}
}

// TestAPIServer installs the definition in an API server and compares its verdicts with those of
// Parse: set FCTL_TEST_KUBECTL to a command such as "kubectl --kubeconfig FILE".
func TestAPIServer(t *testing.T) {
	kubectl := strings.Fields(os.Getenv("FCTL_TEST_KUBECTL"))
	if len(kubectl) == 0 {
		t.Skip("FCTL_TEST_KUBECTL is not set: no API server to compare with")
	}
	run := func(text string, words ...string) (string, bool) {
		cmd := exec.Command(kubectl[0], append(kubectl[1:], words...)...)
		cmd.Stdin = strings.NewReader(text)
		out, err := cmd.CombinedOutput()
		return string(out), err == nil
	}
	if out, ok := run(CRD(), "apply", "-f", "-"); !ok {
		t.Fatal(out)
	}
	if out, ok := run("", "wait", "--for=condition=Established", "--timeout=30s",
		"crd/functionconfigs."+Group); !ok {
		t.Fatal(out)
	}
	create := []string{
		"create", "--namespace=default", "--dry-run=server", "--validate=strict", "-o", "yaml",
		"-f",
		"-",
	}
	inDefault := strings.NewReplacer("namespace: porch-fn-system", "namespace: default",
		`"namespace": "porch-fn-system"`, `"namespace": "default"`)
	accepted := func(text string) (string, bool) {
		for range 20 { // the first requests after the definition came
			out, ok := run(inDefault.Replace(text), create...)
			if ok || !strings.Contains(out, "no matches for kind") {
				return out, ok
			}
			time.Sleep(200 * time.Millisecond)
		}
		return "the definition does not arrive", false
	}
	for _, c := range []struct{ name, text string }{
		{"proposed", proposed},
		{"today", today},
		{"a catalogue", catalogue()},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, ok := accepted(c.text)
			if !ok || !strings.Contains(out, "timeToLive: 30m") {
				t.Error(out)
			}
			configs, problems := Parse([]byte(out), c.name)
			want := max(strings.Count(c.text, "kind: FunctionConfig\n"), 1)
			if len(configs) != want || len(problems) > 0 {
				t.Errorf("as the server returns it: %s", lines(problems))
			}
		})
	}
	out, ok := accepted(head + "  image: f\n  podExecutor: {}\n")
	if !ok || !strings.Contains(out, "timeToLive: 30m") {
		t.Errorf("no default: %s", out)
	}
	beyond := beyondSchema()
	for _, c := range problemCases(t) {
		if !strings.Contains(c.spec, APIVersion+"\nkind: "+Kind+"\n") {
			continue // another kind, or not an object at all
		}
		_, problems := Parse([]byte(c.spec), "f")
		if len(Errors(problems)) == 0 {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			out, ok := accepted(c.spec)
			if ok != beyond[c.name] {
				t.Errorf("accepted: %v\n%s", ok, bytes.TrimSpace([]byte(out)))
			}
		})
	}
}
