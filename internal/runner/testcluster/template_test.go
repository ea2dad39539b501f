//go:build cluster

package testcluster

import (
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// podTemplate is a template of all pods, with a label that tells its versions apart.
const podTemplate = `apiVersion: v1
kind: PodTemplate
metadata: {name: base-pod-template, namespace: default}
template:
  metadata: {labels: {edition: EDITION}}
  spec:
    terminationGracePeriodSeconds: 3
    containers:
    - name: function
      image: to-be-replaced
      env: [{name: EDITION, value: EDITION}]
      resources: {limits: {memory: 200Mi}}
`

// testTemplate changes the template of pods while a runner works: pods of the old one end.
func testTemplate(t *testing.T, e *env) {
	defer e.clean(t)
	e.apply(t, object("test", "  image: test\n  podExecutor: {}\n"))
	apply := func(text string) {
		t.Helper()
		e.kubectl(t, text, "apply", "-f", "-")
	}
	edition := func(n string) string { return strings.ReplaceAll(podTemplate, "EDITION", n) }
	apply(edition("first"))
	r := e.serve(t)
	evaluate := func(want, notWanted string) {
		t.Helper()
		if _, err := r.evaluate(t.Context(), "test:v9", ""); err != nil {
			t.Fatal(err)
		}
		found := e.pods(t, "test:v9")
		if len(found) != 1 || found[0].Metadata.Labels["edition"] != want ||
			!strings.Contains(string(found[0].Spec), `"fctl-tools"`) {
			t.Fatalf("not one pod of the template %q: %+v\n%s", want, found, r.log)
		}
		if notWanted != "" && strings.Contains(string(found[0].Spec), notWanted) {
			t.Errorf("%s is in %s", notWanted, found[0].Spec)
		}
	}
	evaluate("first", "to-be-replaced")
	until := func(text string) {
		t.Helper()
		for range 100 {
			if strings.Contains(r.log.String(), text) {
				return
			}
			time.Sleep(100 * time.Millisecond)
		}
		t.Fatalf("%q is missing in\n%s", text, r.log)
	}
	apply(edition("second"))
	until("a new template for pods is used")
	until("its configuration has changed")
	evaluate("second", `"first"`)
	// One that gives pods more rights changes nothing.
	apply(strings.Replace(edition("third"), "  spec:\n", "  spec:\n    hostNetwork: true\n", 1))
	until("it has the network of the host (--allow-privileged-pods); the template before stays " +
		"in use")
	evaluate("second", "")
	// A ConfigMap has the template as text, as older versions of Porch read it.
	_, body, _ := strings.Cut(edition("fourth"), "template:\n")
	e.kubectl(t, "", "delete", "podtemplate", "base-pod-template", "-n", "default")
	apply("apiVersion: v1\nkind: ConfigMap\n" +
		"metadata: {name: base-pod-template, namespace: default}\ndata:\n  template: |\n" +
		"    kind: Pod\n" + indented(body))
	for range 100 {
		if strings.Count(r.log.String(), "a new template for pods is used") > 1 {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	time.Sleep(2 * time.Second)
	evaluate("fourth", `"second"`)
	e.kubectl(t, "", "delete", "configmap", "base-pod-template", "-n", "default")
	time.Sleep(3 * time.Second)
	evaluate("", "EDITION")
}

// testEntrypoint runs an image whose registry knows no command, and starts pods in advance.
func testEntrypoint(t *testing.T, e *env) {
	defer e.clean(t)
	r := e.serve(t, "--warm-up")
	_, err := r.evaluate(t.Context(), "bare:v1", "")
	if status.Code(err) != codes.NotFound ||
		!strings.Contains(err.Error(), "has neither an entrypoint nor a command") {
		t.Errorf("without an entrypoint: %v", err)
	}
	e.apply(t, object("bare", "  image: bare\n  podExecutor: {entrypoint: [/function, test]}\n"))
	if _, err := r.evaluate(t.Context(), "bare:v1", ""); err != nil {
		t.Errorf("with that of the FunctionConfig: %v", err)
	}
	// The registry has v0.1.1, v0.2.0, v0.2.3 and v9.
	e.apply(t, object("set-labels", "  image: set-labels\n  podExecutor: {tags: [\"~0.2\", v9]}\n"))
	for range 100 {
		if len(ready(e.pods(t, "set-labels:"))) > 0 {
			break
		}
		time.Sleep(200 * time.Millisecond)
	}
	warm := e.pods(t, "set-labels:")
	if len(warm) != 1 || len(e.pods(t, "set-labels:v0.2.3")) != 1 {
		t.Fatalf("%d pods, not one of v0.2.3: %+v\n%s", len(warm), warm, r.log)
	}
	if _, err := r.evaluate(t.Context(), "set-labels:v0.2.3", "app: shop"); err != nil {
		t.Error(err)
	}
	if after := e.pods(t, "set-labels:"); len(after) != 1 ||
		after[0].Metadata.Name != warm[0].Metadata.Name {
		t.Errorf("another pod evaluates: %+v", after)
	}
}

// indented moves the fields of a template below the key of a ConfigMap.
func indented(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString("  " + line)
	}
	return b.String()
}
