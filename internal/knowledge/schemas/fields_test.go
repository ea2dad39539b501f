package schemas_test

import (
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/knowledge/schemas"
	"github.com/fctl-dev/fctl/internal/yamlpath"
)

const valve = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: valves.plant.example.com}
spec:
  group: plant.example.com
  names: {kind: Valve, plural: valves}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              size: {type: integer}
              any: {type: object, x-kubernetes-preserve-unknown-fields: true}
              map: {type: object, additionalProperties: {type: string}}
              quantity: {x-kubernetes-int-or-string: true, anyOf: [{type: integer}, {type: string}]}
              either: {anyOf: [{type: object}, {type: string}]}
`

func TestFields(t *testing.T) {
	library := &schemas.Library{}
	library.AddOwn(func() []schemas.SchemaFile {
		return []schemas.SchemaFile{{Name: "valve.yaml", Text: []byte(valve)}}
	})
	fields := library.Fields()
	const deployment, valve = "apps/v1/Deployment", "plant.example.com/v1/Valve"
	for _, c := range []struct {
		t, path string
		known   bool
		missing int
		kind    string
		keys    string // the first ones
	}{
		{deployment, "spec.replicas", true, -1, "integer", ""},
		{deployment, "spec", true, -1, "object", "replicas selector"},
		{deployment, "spec.replica", true, 1, "", "replicas selector"},
		{deployment, "spec.template.spec.containers.*.image", true, -1, "string", ""},
		{deployment, "spec.template.spec.containers.?name=a", true, -1, "object", "name image"},
		{deployment, "spec.template.spec.containers.0.resources.limits.cpu", true, -1, "", ""},
		{deployment, "spec.template.spec.containers.0.resources.limits.a.b/c", true, 8, "", ""},
		{deployment, "spec.strategy.rollingUpdate.maxSurge.x", true, 4, "", ""},
		{valve, "spec.quantity.x", true, 2, "", ""},
		{valve, "spec.either.x", false, -1, "", ""},
		{deployment, "spec.template.spec.containers.c.image", true, 4, "", ""},
		{deployment, "metadata.labels.@app~1x:key", true, -1, "string", ""},
		{deployment, "spec.replicas.x", true, 2, "", ""},
		{"v1/ConfigMap", "spec", true, 0, "", "apiVersion kind metadata"},
		{"v1/ConfigMap", "data.x", true, -1, "string", ""},
		{"v1/Service", "spec.ports.*.targetPort", true, -1, "", ""},
		{valve, "spec.size", true, -1, "integer", ""},
		{valve, "spec.sizes", true, 1, "", "size any"},
		{valve, "spec.any.thing", false, -1, "", ""},
		{valve, "spec.map.x", true, -1, "string", ""},
		{valve, "metadata.labels.x", true, -1, "string", ""},
		{valve, "", true, -1, "object", "apiVersion kind metadata spec"},
		{"example.com/v1/Unknown", "spec.x", false, -1, "", ""},
	} {
		t.Run(c.path, func(t *testing.T) {
			path := yamlpath.Exactly(nil)
			if c.path != "" {
				var err error
				if path, err = yamlpath.Parse(c.path); err != nil {
					t.Fatal(err)
				}
			}
			got := fields.Field(api.ResourceType(c.t), path)
			if got.Known != c.known || got.Missing != c.missing || got.Type != c.kind ||
				!strings.HasPrefix(strings.Join(got.Keys, " "), c.keys) {
				t.Errorf("%s %s: %+v", c.t, c.path, got)
			}
		})
	}
}
