package functions_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/functions/handler"
)

// referring are resources whose fields name others: %[1]s and %[2]s are namespaces, %[3]s a name.
func referring() []string {
	return []string{
		"apiVersion: v1\nkind: Service\nmetadata: {name: %[3]s, namespace: %[1]s}\n" +
			"spec: {selector: {app: %[3]s}, ports: [{name: http, port: 80}]}\n",
		"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: %[3]s, namespace: %[1]s}\ndata: {a: b}\n",
		"apiVersion: v1\nkind: Secret\nmetadata: {name: %[3]s, namespace: %[1]s}\n",
		"apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: %[3]s, namespace: %[1]s}\n",
		"apiVersion: v1\nkind: Namespace\nmetadata: {name: %[1]s}\n",
		"apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: %[3]s, namespace: %[1]s}\n" +
			"spec:\n  selector: {matchLabels: {app: %[3]s}}\n  template:\n" +
			"    metadata: {labels: {app: %[3]s}}\n    spec:\n      serviceAccountName: %[3]s\n" +
			"      containers:\n      - name: a\n        image: a:1\n        env:\n" +
			"        - {name: A, valueFrom: {configMapKeyRef: {name: %[3]s, key: a}}}\n" +
			"        - {name: U, value: 'http://%[3]s.%[2]s.svc:80'}\n",
		"apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\n" +
			"metadata: {name: %[3]s, namespace: %[1]s}\n" +
			"roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view}\n" +
			"subjects: [{kind: ServiceAccount, name: %[3]s, namespace: %[1]s}]\n",
		"apiVersion: gateway.networking.k8s.io/v1\nkind: Gateway\n" +
			"metadata: {name: %[3]s, namespace: %[1]s}\n",
		"apiVersion: gateway.networking.k8s.io/v1\nkind: HTTPRoute\n" +
			"metadata: {name: %[3]s, namespace: %[1]s}\nspec:\n" +
			"  parentRefs: [{name: %[3]s, namespace: %[2]s}]\n" +
			"  rules: [{backendRefs: [{name: %[3]s, namespace: %[2]s, port: 80}]}]\n",
		"apiVersion: networking.istio.io/v1\nkind: Gateway\n" +
			"metadata: {name: %[3]s, namespace: %[1]s}\n",
		"apiVersion: networking.istio.io/v1\nkind: VirtualService\n" +
			"metadata: {name: %[3]s, namespace: %[1]s}\n" +
			"spec:\n  hosts: [%[3]s.%[2]s.svc.cluster.local]\n  gateways: [%[2]s/%[3]s, mesh]\n" +
			"  http: [{route: [{destination: {host: %[3]s.%[2]s}}]}]\n",
		"apiVersion: networking.istio.io/v1\nkind: DestinationRule\n" +
			"metadata: {name: %[3]s, namespace: %[1]s}\nspec: {host: %[3]s.%[2]s.svc}\n",
		"apiVersion: argoproj.io/v1alpha1\nkind: Application\n" +
			"metadata: {name: %[3]s, namespace: %[2]s}\nspec: {destination: {namespace: %[1]s}}\n",
		"apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\n" +
			"metadata: {name: %[3]s, annotations: {cert-manager.io/inject-ca-from: %[1]s/%[3]s}}\n" +
			"webhooks: [{name: a.example.com, clientConfig: {service: {name: %[3]s, " +
			"namespace: %[1]s}}}]\n",
		"apiVersion: cert-manager.io/v1\nkind: Certificate\n" +
			"metadata: {name: %[3]s, namespace: %[1]s}\nspec: {secretName: tls-%[3]s}\n",
		"apiVersion: monitoring.coreos.com/v1\nkind: ServiceMonitor\n" +
			"metadata: {name: %[3]s, namespace: %[2]s}\n" +
			"spec: {namespaceSelector: {matchNames: [%[1]s]}, selector: {matchLabels: {app: %[3]s}}}\n",
		"apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\n" +
			"metadata: {name: %[3]s, namespace: %[1]s}\n" +
			"spec: {podSelector: {}, ingress: [{from: [{namespaceSelector: {matchLabels: " +
			"{kubernetes.io/metadata.name: %[2]s}}, podSelector: {matchLabels: {app: %[3]s}}}]}]}\n",
		"apiVersion: v1\nkind: PersistentVolume\nmetadata: {name: pv-%[1]s-%[3]s}\n" +
			"spec: {claimRef: {name: %[3]s, namespace: %[1]s}}\n",
		"apiVersion: v1\nkind: PersistentVolumeClaim\n" +
			"metadata: {name: %[3]s, namespace: %[1]s}\nspec: {volumeName: pv-%[1]s-%[3]s}\n",
		"apiVersion: kafka.strimzi.io/v1\nkind: Kafka\n" +
			"metadata: {name: %[3]s, namespace: %[1]s}\nspec: {kafka: {replicas: 1}}\n",
		"apiVersion: networking.k8s.io/v1\nkind: Ingress\n" +
			"metadata: {name: %[3]s, namespace: %[1]s}\nspec:\n" +
			"  tls: [{secretName: %[3]s-ca}]\n" +
			"  defaultBackend: {service: {name: %[3]s-kafka, port: {number: 80}}}\n",
		"apiVersion: v1\nkind: Service\nmetadata: {name: %[3]s-ext, namespace: %[1]s}\n" +
			"spec: {selector: {strimzi.io/cluster: %[3]s}, ports: [{name: http, port: 80}]}\n",
		"apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: %[3]s, namespace: %[1]s}\n" +
			"spec:\n  selector: {matchLabels: {app: %[3]s}}\n  template:\n" +
			"    metadata: {labels: {app: %[3]s}}\n    spec: {containers: [{name: a, image: a:1}]}\n" +
			"  volumeClaimTemplates: [{metadata: {name: data}}]\n",
		"apiVersion: v1\nkind: Pod\nmetadata: {name: %[3]s, namespace: %[1]s}\nspec:\n" +
			"  containers: [{name: a, image: a:1}]\n" +
			"  volumes: [{name: a, persistentVolumeClaim: {claimName: data-%[3]s-0}}]\n",
	}
}

// TestRenamesAddNoFinding checks on random units that neither set-namespace nor rename-resource makes
// a reference lead nowhere that led somewhere. A move from one namespace does not do that to selectors,
// either.
func TestRenamesAddNoFinding(t *testing.T) {
	kinds := referring()
	changed := 0
	for seed := range uint64(6) {
		r := rand.New(rand.NewPCG(seed, 1)) //nolint:gosec // a test that can be repeated
		one := func(of ...string) string { return of[r.IntN(len(of))] }
		docs := map[string]bool{}
		var text strings.Builder
		for range 4 + r.IntN(24) {
			doc := fmt.Sprintf(kinds[r.IntN(len(kinds))], one("shop", "shop", "tools"),
				one("shop", "tools"), one("web", "db"))
			if r.IntN(4) == 0 { // a kustomization says its namespace
				doc = ownNamespace().ReplaceAllString(doc, "$1}")
			}
			if head, _, _ := strings.Cut(doc, "\nspec"); !docs[head] {
				docs[head] = true
				text.WriteString("---\n" + doc)
			}
		}
		all := []string{"vet-references", "vet-selectors"}
		found := map[int][]string{} // before, by number of checks
		for _, line := range []string{
			"set-namespace moved", "set-namespace moved shop", "set-namespace moved tools",
			"set-namespace kube-system",
			"rename-resource v1/Service web www", "rename-resource v1/ConfigMap db database",
			"rename-resource v1/ServiceAccount web www",
			"rename-resource gateway.networking.k8s.io/v1/Gateway web www",
			"rename-resource networking.istio.io/v1/Gateway web www",
			"rename-resource v1/Namespace tools moved",
			"rename-resource cert-manager.io/v1/Certificate web www",
			"rename-resource kafka.strimzi.io/v1/Kafka web www",
			"rename-resource apps/v1/StatefulSet web www",
			"set-name-prefix new-", "set-name-suffix -new",
		} {
			result := invoke(t, text.String(), line)
			if !result.Success {
				if text := failures(result); !strings.Contains(text, "would both be") && !strings.Contains(text, "would all be") &&
					!strings.Contains(text, "there are several") {
					t.Fatalf("seed %d, %s: %s", seed, line, text)
				}
				continue
			}
			if result.Changed {
				changed++
			}
			checks := all
			// Any custom resource may make what has its name, and what selectors look for is in
			// their own namespace once all namespaces are one.
			if !strings.HasPrefix(line, "set-namespace moved ") {
				checks = all[:1]
			}
			before, known := found[len(checks)]
			if !known {
				before = findings(t, text.String(), checks)
				found[len(checks)] = before
			}
			if after := findings(t, string(result.ConfigData), checks); len(after) > len(before) {
				t.Errorf("seed %d, %s: %d findings, %d before\n%s\n%s\nin\n%s", seed, line,
					len(after), len(before), strings.Join(before, "\n"),
					strings.Join(after, "\n"), result.ConfigData)
				return
			}
		}
	}
	if changed < 15 {
		t.Errorf("only %d units were changed", changed)
	}
}

func ownNamespace() *regexp.Regexp {
	return regexp.MustCompile(`(metadata: \{name: [\w-]+), namespace: \w+\}`)
}

// findings returns the findings of checks.
func findings(t *testing.T, text string, checks []string) (found []string) {
	t.Helper()
	for _, line := range checks {
		result := invoke(t, text, line)
		for _, o := range result.Outputs {
			list, _ := o.Value.(api.ValidationResultList)
			for _, row := range handler.CombineResults(list).FailedAttributes {
				found = append(found, fmt.Sprintf("%s %s: %s", row.ResourceName, row.Path, row.Reason))
			}
		}
	}
	return found
}
