package resolve_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/internal/links/attributes"
)

const subnets = `attribute: subnet-id
provided:
- resourceType: ec2.services.k8s.aws/v1alpha1/Subnet
  path: status.subnetID
  properties: {Zone: "path:spec.availabilityZone"}
needed:
- resourceType: eks.services.k8s.aws/v1alpha1/Cluster
  path: spec.resourcesVPCConfig.subnetIDs.*
  preferred: {Zone: eu-west-1a}
- resourceType: eks.services.k8s.aws/v1alpha1/Nodegroup
  path: spec.subnet
  required: {Zone: eu-west-1b}
`

// Attributes of the user are needed and provided like those that fctl knows.
func TestRegisteredAttributes(t *testing.T) {
	w := newWorld(t)
	if err := attributes.Register(w.executor, []attributes.File{
		{Name: "subnets.yaml", Text: []byte(subnets)},
	}); err != nil {
		t.Fatal(err)
	}
	subnet := func(name, zone string) string {
		return "apiVersion: ec2.services.k8s.aws/v1alpha1\nkind: Subnet\nmetadata: {name: " + name +
			"}\nspec: {availabilityZone: eu-west-1" + zone + "}\nstatus: {subnetID: subnet-" +
			zone + "}\n"
	}
	w.unit("net", subnet("one", "b")+"---\n"+subnet("two", "a"))
	const cluster = `apiVersion: eks.services.k8s.aws/v1alpha1
kind: Cluster
metadata: {name: c}
spec: {resourcesVPCConfig: {subnetIDs: [confighubplaceholder]}}
---
apiVersion: eks.services.k8s.aws/v1alpha1
kind: Nodegroup
metadata: {name: n}
spec: {subnet: confighubplaceholder}
`
	w.unit("eks", cluster)
	w.link("l", "eks", "net", "")
	w.resolve("eks")
	w.has("eks", replaceOnce(
		cluster, "[confighubplaceholder]", "[subnet-a]", "confighubplaceholder", "subnet-b",
	))
	if b := w.links["l"].Bindings[0]; b.AttributeName != "subnet-id" {
		t.Errorf("%+v", b)
	}
}

func TestAttributeErrors(t *testing.T) {
	err := attributes.Register(functions.NewStandardExecutor(), []attributes.File{{
		Name: "a.yaml", Text: []byte(`attribute: x
datatype: string
needed:
- {resourceType: a/v1/B, path: "a.?b", requird: {}}
- {resourceType: a/v1/B}
---
attribute: y
dataType: float
provided: {}
---
- z
`),
	}, {Name: "b.yaml", Text: []byte("a: [\n")}})
	if err == nil {
		t.Fatal("no error")
	}
	want := []string{
		`a.yaml:2:1: E_UNKNOWN_FIELD: an attribute has no field "datatype"`,
		`a.yaml:4:32: E_FIELD_VALUE: path a.?b: column 5: invalid associative lookup ?b: = is ` +
			`missing`,
		`a.yaml:4:40: E_UNKNOWN_FIELD: an entry of needed has no field "requird"`,
		`a.yaml:5:3: E_FIELD_VALUE: needed.1.path is missing`,
		`a.yaml:8:11: E_DATATYPE: dataType must be string, int or bool, not "float"`,
		`a.yaml:9:11: E_FIELD_TYPE: provided must be a list, not a map`,
		`a.yaml:11:1: E_FIELD_TYPE: an attribute must be a map, not a list`,
		`b.yaml:1:4: E_PARSE: unclosed [`,
	}
	if diff := cmp.Diff(want, strings.Split(err.Error(), "\n")); diff != "" {
		t.Error(diff)
	}
}
