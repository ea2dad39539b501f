package resolve_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/links/entity"
)

const policyRole = `apiVersion: iam.services.k8s.aws/v1alpha1
kind: Policy
metadata: {name: p, namespace: ns}
spec:
  policyDocument: confighubplaceholder # filled by a link
  items: [{text: a}, {text: b}]
`

// insertWorld is example IN-1 of the specification, with another path if one is given.
func insertWorld(t *testing.T, path string) *world {
	w := newWorld(t)
	w.unit("policy", `{"Version":"2012-10-17","Statement":[]}`+"\n", api.ToolchainAppConfigJSON)
	w.unit("role", policyRole)
	l := w.link("role-policy", "role", "policy", entity.UpdateInsert)
	l.Bindings = []entity.Binding{{
		NeededResource: &api.ResourceInfo{
			ResourceType: "iam.services.k8s.aws/v1alpha1/Policy", ResourceName: "ns/p",
		},
		NeededPath: path,
	}}
	return w
}

func TestInsert(t *testing.T) {
	w := insertWorld(t, "spec.policyDocument")
	out := w.resolve("role")
	w.has("role", replaceOnce(
		policyRole, "confighubplaceholder # filled by a link",
		"| # filled by a link\n    {\"Version\":\"2012-10-17\",\"Statement\":[]}",
	))
	if w.pointers("role-policy") != "1/2" || out.Mutations[0].LinkID != "id-role-policy" {
		t.Error(w.pointers("role-policy"), out.Mutations)
	}
	// The field belongs to the link: an edit is overwritten, with a warning.
	w.replace("role", "2012-10-17", "2020-01-01")
	out = w.resolve("role")
	if diff := cmp.Diff(
		[]entity.Code{entity.WarnOverridden}, warningCodes(out.Result.Warnings),
	); diff != "" {
		t.Error(diff)
	}
	w.edit("policy", "{\"a\": \"no line end\"}")
	w.resolve("role")
	w.has("role", replaceOnce(
		policyRole, "confighubplaceholder # filled by a link",
		"|- # filled by a link\n    {\"a\": \"no line end\"}",
	))
}

func TestInsertCreatesMaps(t *testing.T) {
	w := insertWorld(t, "spec.more.document")
	w.resolve("role")
	w.has("role", policyRole+
		"  more:\n    document: |\n      {\"Version\":\"2012-10-17\",\"Statement\":[]}\n")
}

// Example IN-2.
func TestInsertErrors(t *testing.T) {
	insertWorld(t, "spec.items.3.text").fails(entity.CodePathNotFound, "role")
	insertWorld(t, "spec.items").fails(entity.CodePathType, "role")
	insertWorld(t, "spec.policyDocument.more").fails(entity.CodePathType, "role")
	w := insertWorld(t, "spec.policyDocument")
	w.links["role-policy"].Bindings[0].NeededResource.ResourceName = "ns/q"
	w.fails(entity.CodeResourceNotFound, "role")
	w.links["role-policy"].Bindings = nil
	w.fails(entity.CodeBindingCount, "role")
	w = insertWorld(t, "spec.policyDocument")
	w.units["policy"].store([]byte("\xff"), nil, nil)
	w.fails(entity.CodeParse, "role")
}

func TestInsertStripsMetadata(t *testing.T) {
	w := newWorld(t)
	w.unit("cfg", "configHub.configName=webcfg\nconfigHub.configSchema=Web\n\nA=b\n",
		api.ToolchainAppConfigEnv)
	w.unit("cm", oneConfigMap)
	l := w.link("l", "cm", "cfg", entity.UpdateInsert)
	l.InsertStripMetadata = true
	l.Bindings = []entity.Binding{{
		NeededResource: &api.ResourceInfo{ResourceType: "v1/ConfigMap", ResourceName: "web"},
		NeededPath:     "data.a",
	}}
	w.resolve("cm")
	w.has("cm", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\ndata: {a: \"A=b\\n\"}\n")
}
