package functions_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/functions/handler"
)

// padding returns enough resources of a namespace to push what comes before them into a different
// part of the unit than what follows.
func padding(name, namespace string) string {
	var b strings.Builder
	for i := range 600 {
		fmt.Fprintf(
			&b,
			"apiVersion: v1\nkind: ConfigMap\nmetadata: # of %s\n  name: %s-%d\n  namespace: %s\n"+
				"data:\n  text: %s\n---\n",
			namespace, name, i, namespace, strings.Repeat("x", 200))
	}
	return b.String()
}

// resourceText returns the text of a resource, with more at its end.
func resourceText(apiVersion, kind, namespace, name, more string) string {
	if namespace != "" {
		namespace = "\n  namespace: " + namespace
	}
	return fmt.Sprintf(
		"apiVersion: %s\nkind: %s\nmetadata:\n  name: %s%s\n%s---\n", apiVersion, kind, name,
		namespace, more,
	)
}

// TestNamespacePartsAgree moves units in which something in one part matters for another part. The
// data, notes and errors must be those of a run that is not split.
func TestNamespacePartsAgree(t *testing.T) {
	shop, tools := padding("a", "shop"), padding("b", "tools")
	definition := func(scope string) string {
		return resourceText(
			"apiextensions.k8s.io/v1", "CustomResourceDefinition", "", "tenants.example.com",
			"spec:\n  group: example.com\n  scope: "+scope+"\n  names:\n    kind: Tenant\n")
	}
	tenant := resourceText("example.com/v1", "Tenant", "", "blue", "")
	known := strings.NewReplacer("example.com", "cert-manager.io", "Tenant", "Certificate")
	certificate := resourceText("cert-manager.io/v1", "Certificate", "", "web", "")
	settings := func(namespace string) string {
		return resourceText("v1", "ConfigMap", namespace, "settings", "")
	}
	role := resourceText("rbac.authorization.k8s.io/v1", "ClusterRoleBinding", "", "web",
		"subjects:\n- kind: ServiceAccount\n  name: web\n  namespace: shop\n- kind: User\n"+
			"  name: tools, not shop\n")
	namespaces := func(names ...string) (text string) {
		for _, name := range names {
			text += resourceText("v1", "Namespace", "", name, "")
		}
		return text
	}
	pod := resourceText("v1", "Pod", "shop", "web",
		"spec:\n  containers:\n  - name: web\n    args: [\"http://db.shop.svc\", "+
			"\"db.tools.svc\", shop, \"db.sh\\u006fp.svc\"]\n")
	list := "apiVersion: v1\nkind: List\nitems:\n- " +
		strings.ReplaceAll(strings.TrimSuffix(role, "---\n"), "\n", "\n  ") + "\n---\n"

	units := map[string]string{
		"several namespaces":         shop + tools,
		"the same after":             settings("shop") + shop + settings("tools") + tools,
		"the same without namespace": settings("") + shop + settings("tools"),
		"cluster-scoped":             role + shop + tools + role,
		"in a list":                  list + shop + tools,
		"definition last":            tenant + shop + definition("Cluster"),
		"definition first":           definition("Namespaced") + shop + tenant,
		"no definition":              tenant + shop + tenant,
		"definition of a known type": certificate + shop + known.Replace(definition("Cluster")),
		"definition and its type": certificate + shop + certificate +
			known.Replace(definition("Cluster")),
		"the same definition":       certificate + shop + known.Replace(definition("Namespaced")),
		"their Namespace":           namespaces("shop") + shop + role,
		"another Namespace":         namespaces("other") + shop,
		"Namespace of another part": shop + namespaces("tools") + tools + namespaces("shop"),
		"Namespace that is there":   namespaces("shop") + shop + namespaces("tools", "new"),
		"Namespaces alone":          namespaces("tools") + shop,
		"services": pod + shop + tools +
			strings.NewReplacer(
				"shop", "tools", "name: web\n  namespace", "name: api\n  namespace",
			).Replace(pod),
		"not valid": shop + tools +
			"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  namespace: shop\n" +
			"  namespace: shop\n",
	}
	calls := []struct{ words, where string }{
		{"set-namespace new", ""},
		{"set-namespace tools", ""},
		{"set-namespace new shop", ""},
		{"set-namespace tools shop", ""},
		{
			"set-namespace new --cluster-scoped-types=example.com/v1/Tenant,cert-manager.io/v1/Certificate",
			"",
		},
		{"set-namespace new", "metadata.namespace = 'tools'"},
		{"set-namespace shop", "metadata.name = 'settings'"},
		{"ensure-namespaces", ""},
	}
	if os.Getenv("LONG") == "" {
		calls = append(calls[:1:1], calls[3], calls[7])
	}
	executor := functions.NewStandardExecutor()
	for name, text := range units {
		for _, call := range calls {
			invocation, _ := invocationOf(t, call.words)
			invocation.WhereResource = call.where
			t.Run(name+"/"+call.words+call.where, func(t *testing.T) {
				unit := []byte(strings.TrimSuffix(text, "---\n"))
				parts := outcome(t, executor, invocation, unit, 4)
				whole := outcome(t, executor, invocation, unit, 4, unsplit)
				if diff := cmp.Diff(whole, parts); diff != "" {
					t.Errorf("in one piece and in parts (-whole +parts):\n%.2000s", diff)
				}
			})
		}
	}
}

// TestSeveralNamespacesInParts checks that a unit with several namespaces is split into parts;
// without splitting, it takes several times as long.
func TestSeveralNamespacesInParts(t *testing.T) {
	role := resourceText("rbac.authorization.k8s.io/v1", "ClusterRole", "", "web", "")
	unit := padding("a", "shop") + role + padding("b", "tools") + strings.TrimSuffix(role, "---\n")
	invocation, _ := invocationOf(t, "set-namespace new")
	r, err := functions.NewStandardExecutor().Run(t.Context(), &api.FunctionInvocationRequest{
		ConfigData: []byte(unit), FunctionInvocations: api.FunctionInvocationList{invocation},
	}, handler.Options{InParts: true})
	if err != nil || !r.Success || len(r.Parts) < 2 {
		t.Errorf("%v, %+v, %d parts", err, r.Failures, len(r.Parts))
	}
}
