package gaby_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// workload returns a stream of n resources as charts render them. It is the same for the same n.
func workload(n int) []byte {
	r := rand.New(rand.NewPCG(7, uint64(n)))
	var b strings.Builder
	for i := range n {
		b.WriteString("---\n")
		fmt.Fprintf(&b, "# Source: shop/templates/app-%d.yaml\n", i)
		switch r.IntN(10) {
		case 0, 1, 2, 3:
			writeDeployment(&b, r, i)
		case 4, 5:
			writeService(&b, r, i)
		case 6, 7:
			writeConfigMap(&b, r, i)
		case 8:
			writeRole(&b, i)
		case 9:
			writeCRD(&b, r, i)
		}
	}
	return []byte(b.String())
}

func writeMeta(b *strings.Builder, api, kind, name string, i int) {
	fmt.Fprintf(b, "apiVersion: %s\nkind: %s\nmetadata:\n  name: %s\n  namespace: team-%d\n", api,
		kind, name, i%17)
	fmt.Fprintf(b,
		"  labels:\n    app.kubernetes.io/name: %s\n    app.kubernetes.io/instance: "+
			"\"release-%d\"\n    helm.sh/chart: shop-1.%d.0 # chart\n", name, i, i%9)
}

func writeDeployment(b *strings.Builder, r *rand.Rand, i int) {
	name := fmt.Sprintf("app-%d", i)
	writeMeta(b, "apps/v1", "Deployment", name, i)
	fmt.Fprintf(b,
		"  annotations:\n    prometheus.io/scrape: 'true'\n    description: >-\n"+
			"      The %s service.\n      Runs everywhere.\nspec:\n"+
			"  replicas: %d # scaled by hand\n", name, 1+r.IntN(9))
	fmt.Fprintf(b,
		"  selector:\n    matchLabels: {app: %s}\n  template:\n    metadata:\n      labels:\n"+
			"        app: %s\n    spec:\n      serviceAccountName: %s\n      containers:\n", name,
		name, name)
	for c := range 1 + r.IntN(3) {
		fmt.Fprintf(b,
			"      # container %d\n      - name: c%d\n"+
				"        image: \"registry.example.com/team/%s:v1.%d.%d\"\n"+
				"        imagePullPolicy: IfNotPresent\n        args:\n        - --listen=:8080\n"+
				"        - \"--config=/etc/%s/config.yaml\"\n", c, c, name, r.IntN(40), r.IntN(9),
			name)
		b.WriteString("        ports:\n        - name: http\n          containerPort: 8080\n" +
			"          protocol: TCP\n        env:\n")
		for e := range 2 + r.IntN(5) {
			fmt.Fprintf(b, "        - name: VAR_%d\n          value: %s\n", e,
				[]string{`"true"`, "plain", "'8080'", "http://svc:80/path"}[r.IntN(4)])
		}
		b.WriteString("        - name: POD\n          valueFrom:\n            fieldRef:\n" +
			"              fieldPath: metadata.name\n\n")
		b.WriteString("        livenessProbe:\n          httpGet: {path: /healthz, port: http}\n" +
			"          initialDelaySeconds: 10\n        resources:\n          limits:\n" +
			"            cpu: 500m\n            memory: 256Mi\n          requests:\n" +
			"            cpu: 100m # small\n            memory: 128Mi\n")
	}
	b.WriteString("      volumes:\n      - name: tmp\n        emptyDir: {}\n")
}

func writeService(b *strings.Builder, r *rand.Rand, i int) {
	writeMeta(b, "v1", "Service", fmt.Sprintf("svc-%d", i), i)
	fmt.Fprintf(b,
		"spec:\n  type: ClusterIP\n  ports:\n    - name: http\n      port: %d\n"+
			"      targetPort: http\n    - name: metrics # scraped\n      port: 9090\n"+
			"  selector:\n    app: app-%d\n", 80+r.IntN(1000), i)
}

func writeConfigMap(b *strings.Builder, r *rand.Rand, i int) {
	writeMeta(b, "v1", "ConfigMap", fmt.Sprintf("cfg-%d", i), i)
	b.WriteString("data:\n  LOG_LEVEL: info\n  config.yaml: |\n")
	for l := range 8 + r.IntN(20) {
		fmt.Fprintf(b, "    section%d:\n      key: \"value %d\" # inner\n      list: [1, 2, 3]\n",
			l, l)
	}
	b.WriteString("\n  script.sh: |-\n    #!/bin/sh\n    set -e\n    exec \"$@\"\n")
}

func writeRole(b *strings.Builder, i int) {
	writeMeta(b, "rbac.authorization.k8s.io/v1", "Role", fmt.Sprintf("role-%d", i), i)
	b.WriteString("rules:\n- apiGroups: [\"\"]\n  resources: [pods, services, \"configmaps\"]\n" +
		"  verbs: [get, list, watch]\n- apiGroups: [\"apps\"]\n  resources: [deployments]\n" +
		"  verbs: [\"*\"]\n")
}

func writeCRD(b *strings.Builder, r *rand.Rand, i int) {
	fmt.Fprintf(b,
		"apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n"+
			"  name: things%d.example.com\n  creationTimestamp: null\nspec:\n"+
			"  group: example.com\n  names: {kind: Thing%d, plural: things%d}\n"+
			"  scope: Namespaced\n  versions:\n  - name: v1\n    served: true\n"+
			"    storage: true\n    schema:\n      openAPIV3Schema:\n        type: object\n"+
			"        properties:\n          spec:\n            type: object\n"+
			"            properties:\n", i, i, i)
	for p := range 15 + r.IntN(25) {
		fmt.Fprintf(b,
			"              field%d:\n                description: |-\n"+
				"                  Field %d says: something about it.\n\n"+
				"                  More of it.\n                type: %s\n"+
				"                minimum: 0\n", p, p, []string{
				"string", "integer",
				"boolean",
			}[r.IntN(3)])
	}
	b.WriteString("status:\n  conditions: []\n")
}
