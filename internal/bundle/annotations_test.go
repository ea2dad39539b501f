package bundle_test

import (
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/internal/bundle"
)

const usedObjects = `apiVersion: v1
kind: Secret
metadata: {name: s, namespace: default}
data: {k: dg==, l: dw==}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: c, namespace: default}
data: {a: b}
binaryData: {z: AA==}
`

// The sums of the key k of the Secret, of both objects, and of nothing.
const (
	sumOfKey  = "ceb95195e67f3cc7081bc7a57bc8cb8c774113515abd080a805fee25b5b15813"
	sumOfAll  = "5b91b5f434d521c6615b13c7f0589a7c86318c78771ee9ef68aa9ac2f22e8f79"
	sumOfNone = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
)

// TestAnnotations has the annotations that Smith adds, with --smith-annotations only.
func TestAnnotations(t *testing.T) {
	deployment := func(container string) string {
		return "spec: {template: {spec: {initContainers: [], containers: [{" + container + "}]}}}"
	}
	instance := func(key string) string {
		return "spec: {parametersFrom: [{secretKeyRef: {name: s, key: " + key + "}}]}"
	}
	sum := func(name, sum string) string { return "smith.atlassian.com/" + name + ": " + sum }
	const checksum = "secretParametersChecksum"
	for name, c := range map[string]struct{ kind, spec, observed, want, not string }{
		"a key": {
			kind: "Deployment",
			spec: deployment("env: [{valueFrom: {secretKeyRef: {name: s, key: k}}}]"),
			want: sum("envRefHash", sumOfKey),
		},
		"all keys": {
			kind: "Deployment",
			spec: deployment("envFrom: [{secretRef: {name: s}}, {configMapRef: {name: c}}]"),
			want: sum("envRefHash", sumOfAll),
		},
		"nothing used": {
			kind: "Deployment", spec: deployment("name: x"), want: sum("envRefHash", sumOfNone),
		},
		"replicas": {
			kind: "Deployment", spec: "spec: {replicas: 2}",
			want: sum("LastAppliedReplicas", `"2"`),
		},
		"optional": {
			kind: "Deployment", want: sum("envRefHash", sumOfNone),
			spec: deployment("env: [{valueFrom: {configMapKeyRef: {name: c, key: x, optional: " +
				"true}}}, {valueFrom: {secretKeyRef: {name: x, key: x, optional: true}}}]"),
		},
		"missing": {
			kind: "Deployment", spec: deployment("envFrom: [{secretRef: {name: x}}]"),
			want: "cannot find the Secret x (retriable true",
		},
		"missing key": {
			kind: "ServiceInstance", spec: instance("x"),
			want: "cannot find key x of Secret s (retriable true",
		},
		"disabled": {
			kind: "ServiceInstance", not: sumOfKey,
			spec: "metadata: {name: x, annotations: {" + sum(checksum, "disabled") + "}}, " +
				instance("k"),
			want: sum(checksum, "disabled"),
		},
		"new instance": {
			kind: "ServiceInstance", spec: instance("k"), want: sum(checksum, sumOfKey),
			not: "updateRequests",
		},
		"changed parameters": {
			kind: "ServiceInstance", spec: instance("k"), want: "updateRequests: 4",
			observed: "metadata: {name: x, annotations: {" + sum(checksum, "old") +
				"}}\nspec: {updateRequests: 3}\n",
		},
		"the same parameters": {
			kind: "ServiceInstance", spec: instance("k"), want: "updateRequests: 3",
			observed: "metadata: {name: x, annotations: {" + sum(checksum, sumOfKey) +
				"}}\nspec: {updateRequests: 3}\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			version := map[string]string{
				"Deployment": "apps/v1", "ServiceInstance": "servicecatalog.k8s.io/v1beta1",
			}[c.kind]
			s := oneOf(version, c.kind, c.observed)
			if c.observed == "" {
				s.observed = nil
			}
			s.observed = append(s.observed, usedObjects)
			spec := c.spec
			if !strings.HasPrefix(spec, "metadata") {
				spec = "metadata: {name: x}, " + spec
			}
			s.bundle = strings.Replace(s.bundle, "metadata: {name: x}", spec, 1)
			if got := rendered(s.play(t)); strings.Contains(got, "envRefHash") ||
				strings.Contains(got, sumOfKey) {
				t.Errorf("without the option: %s", got)
			}
			s.change = func(o *bundle.Options) { o.Annotations = true }
			result := s.play(t)
			got := rendered(result) + summary(result)
			if !strings.Contains(got, c.want) || c.not != "" && strings.Contains(got, c.not) {
				t.Errorf("got %s", got)
			}
			if wants := len(result.Wants(s.options(t))); strings.Contains(c.spec, "Ref") &&
				wants < 2 {
				t.Errorf("%d objects are asked for", wants)
			}
		})
	}
}
