package migration

import (
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
)

// TestTable checks that apis.yaml can be read and that each API is there once, in the order of the
// releases.
func TestTable(t *testing.T) {
	all, err := read(apisText)
	if err != nil {
		t.Fatal(err)
	}
	seen, last := map[string]bool{}, Release(0)
	for _, a := range all {
		if a.Removed > Newest() || a.Removed < 16 {
			t.Errorf("%s was removed in %s", a.from, a.Removed)
		}
		last = max(last, a.Removed)
		for _, kind := range a.kinds {
			if name := a.from + "/" + kind; seen[name] {
				t.Errorf("%s is there twice", name)
			} else {
				seen[name] = true
			}
		}
	}
	if last != Newest() {
		t.Errorf("last release is %s", last)
	}
	for text, want := range map[string]string{
		"- {from: a/v1, kinds: [K], removed: '1.16', stepz: []}":            `an API has no field "stepz"`,
		"- {kinds: [K], removed: '1.16'}":                                   "from is missing",
		"- {from: a/v1, kinds: [K], removed: 'soon'}":                       "is not a release",
		"- {from: a/v1, kinds: [K], removed: '1.16', steps: [{mov: {}}]}":   `a step has no field "mov"`,
		"- {from: a/v1, kinds: [K], removed: '1.16', steps: [{delete: 3}]}": "must be a list",
	} {
		if _, err := read([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// TestIncomplete checks that a resource that cannot be migrated stays as it is, and which value is
// missing.
func TestIncomplete(t *testing.T) {
	for text, want := range map[string]string{
		"apiVersion: apps/v1beta2\nkind: Deployment\nspec: {replicas: 1}\n": "spec.selector is needed",
		"apiVersion: extensions/v1beta1\nkind: Ingress\n" +
			"spec: {rules: [{http: {paths: [{backend: {serviceName: a, service: {name: b}}}]}}]}\n": "spec.rules." +
			"0.http.paths.0.backend.serviceName is there beside spec.rules.0.http.paths.0.backend.service.name",
		"apiVersion: admissionregistration.k8s.io/v1beta1\nkind: MutatingWebhookConfiguration\n" +
			"webhooks: [{clientConfig: {}, sideEffects: Some}]\n": "webhooks.0.sideEffects must be None or " +
			"NoneOnDryRun",
		"apiVersion: apiextensions.k8s.io/v1beta1\nkind: CustomResourceDefinition\nspec: {}\n": "spec.versions " +
			"is needed",
		"apiVersion: apiextensions.k8s.io/v1beta1\nkind: CustomResourceDefinition\n" +
			"spec: {version: v1, validation: {openAPIV3Schema: {type: string}}}\n": "spec.versions.0.schema." +
			"openAPIV3Schema.type must be object",
		// Wrong types are findings of vet-schemas, not reasons to fail.
		"apiVersion: extensions/v1beta1\nkind: Ingress\nspec: [a]\n":                                              "",
		"apiVersion: extensions/v1beta1\nkind: Deployment\nspec: {selector: {}, template: 3}\n":                   "",
		"apiVersion: autoscaling/v2beta1\nkind: HorizontalPodAutoscaler\nspec: {metrics: {a: b}}\n":               "",
		"apiVersion: autoscaling/v2beta1\nkind: HorizontalPodAutoscaler\nspec: {metrics: [null, 3, {pods: x}]}\n": "",
	} {
		docs, err := gaby.ParseAll([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		root := docs[0].Value()
		of := Of(api.ResourceType(root.Get("apiVersion").Text() + "/" + root.Get("kind").Text()))
		err = of.Apply(docs[0])
		if want == "" && err == nil {
			continue
		}
		if err == nil || err.Error() != want || docs[0].String() != strings.TrimSuffix(text, "\n") &&
			docs[0].String() != text {
			t.Errorf("%v, want %s; the text is %s", err, want, docs[0].String())
		}
	}
}
