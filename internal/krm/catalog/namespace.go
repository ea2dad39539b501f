package catalog

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/k8skit"
	"github.com/fctl-dev/fctl/internal/krm"
)

const docNamespace = `functionConfig: a ConfigMap with data.namespace, the package-context.yaml
of kpt (a ConfigMap named kptfile.kpt.dev with data.name), or

  apiVersion: fn.kpt.dev/v1alpha1
  kind: SetNamespace
  namespace: new
  namespaceMatcher: old   # only what is in this namespace

Sets metadata.namespace of all namespaced resources, the name of a Namespace, the subjects of role
bindings, the services of CustomResourceDefinitions and APIServices, and depends-on annotations.`

const dependsOn = "config.kubernetes.io/depends-on"

// namespacer replaces namespaces.
type namespacer struct {
	name  string
	only  string // the namespace to replace, "" for all
	count map[string]int
	scope func(t api.ResourceType) configkit.Scope
}

func setNamespace(_ context.Context, list *krm.ResourceList) error {
	c, err := configOf(list, "SetNamespace")
	if err != nil {
		return err
	}
	n := &namespacer{count: map[string]int{}, scope: scopes(list)}
	switch {
	case !c.isConfigMap():
		n.name, n.only = text(c.value.Get("namespace")), text(c.value.Get("namespaceMatcher"))
	case c.value.Get("metadata").Get("name").EqualText("kptfile.kpt.dev"):
		n.name = c.get("name")
	default:
		n.name = c.get("namespace")
	}
	if n.name == "" {
		return errors.New("functionConfig: the new namespace is missing: data.namespace of a " +
			"ConfigMap, data.name of a package context, or namespace of a SetNamespace")
	}
	if err := n.check(list.Items); err != nil {
		return err
	}
	var problems []error
	olds := map[string]bool{}
	for _, item := range list.Items {
		if krm.IsLocalConfig(item.Doc) {
			continue
		}
		if err := n.item(item.Doc, olds); err != nil {
			problems = append(problems, fmt.Errorf("%s: %w", item, err))
		}
	}
	for _, item := range list.Items {
		if !krm.IsLocalConfig(item.Doc) {
			problems = append(problems, n.dependsOn(item.Doc, olds))
		}
	}
	if len(n.count) == 0 {
		info(list, fmt.Sprintf("all namespaces are already %q. no value changed", n.name))
	}
	for _, old := range slices.Sorted(maps.Keys(n.count)) {
		info(list, fmt.Sprintf("namespace %q updated to %q, %d value(s) changed", old, n.name,
			n.count[old]))
	}
	return errors.Join(problems...)
}

// check returns an error if several Namespaces would get the new name.
func (n *namespacer) check(items []*krm.Item) error {
	var names []string
	for _, item := range items {
		h, err := item.Doc.Header()
		if err == nil && isNamespace(&h) && !krm.IsLocalConfig(item.Doc) &&
			(n.only == "" || n.only == h.Name || n.name == h.Name) {
			names = append(names, h.Name)
		}
	}
	if len(names) > 1 {
		return fmt.Errorf("%d Namespaces would be called %q: %s; namespaceMatcher selects one",
			len(names), n.name, strings.Join(names, ", "))
	}
	return nil
}

func isNamespace(h *gaby.Header) bool { return h.APIVersion == "v1" && h.Kind == "Namespace" }

// scopes returns the function that knows which types have namespaces: those of Kubernetes, and
// those that CustomResourceDefinitions in the list define.
func scopes(list *krm.ResourceList) func(t api.ResourceType) configkit.Scope {
	defined := map[string]configkit.Scope{} // by group and kind
	for _, item := range list.Items {
		if h, err := item.Doc.Header(); err != nil || h.Kind != "CustomResourceDefinition" {
			continue
		}
		spec := item.Doc.Value().Get("spec")
		key := text(spec.Get("group")) + "/" + text(spec.Get("names").Get("kind"))
		defined[key] = configkit.ScopeNamespaced
		if spec.Get("scope").EqualText("Cluster") {
			defined[key] = configkit.ScopeCluster
		}
	}
	return func(t api.ResourceType) configkit.Scope {
		parts := strings.Split(string(t), "/")
		if scope, ok := defined[parts[0]+"/"+parts[len(parts)-1]]; ok {
			return scope
		}
		return k8skit.K8sResourceProvider.Scope(t)
	}
}

// item replaces the namespaces in one resource. olds collects the namespaces of resources.
func (n *namespacer) item(doc *gaby.YamlDoc, olds map[string]bool) error {
	h, err := doc.Header()
	if err != nil {
		return err
	}
	if !isResource(&h) {
		return nil
	}
	if isNamespace(&h) {
		olds[h.Name] = true
		return n.set(doc, h.Name, "metadata", "name")
	}
	if n.scope(api.ResourceType(h.APIVersion+"/"+h.Kind)) != configkit.ScopeCluster {
		olds[h.Namespace] = true
		if err := n.set(doc, h.Namespace, "metadata", "namespace"); err != nil {
			return err
		}
	}
	switch h.Kind {
	case "RoleBinding", "ClusterRoleBinding":
		subjects := fieldSpec{path: "subjects"}
		return subjects.visit(doc, func(path []string, v gaby.Value) error {
			if !v.Get("kind").EqualText("ServiceAccount") {
				return nil
			}
			return n.existing(doc, append(path, "namespace"))
		})
	case "CustomResourceDefinition":
		return n.existing(doc,
			[]string{"spec", "conversion", "webhook", "clientConfig", "service", "namespace"})
	case "APIService":
		return n.existing(doc, []string{"spec", "service", "namespace"})
	}
	return nil
}

// existing replaces the namespace at a path if there is one.
func (n *namespacer) existing(doc *gaby.YamlDoc, path []string) error {
	v := doc.Search(path...).Value()
	if text(v) == "" {
		return nil
	}
	return n.set(doc, text(v), path...)
}

// set replaces the namespace old at a path.
func (n *namespacer) set(doc *gaby.YamlDoc, old string, path ...string) error {
	if old == n.name || n.only != "" && old != n.only {
		return nil
	}
	if _, err := doc.Set(n.name, path...); err != nil {
		return err
	}
	n.count[old]++
	return nil
}

// dependsOn replaces the namespaces in the annotation that says what a resource depends on: a list
// of group/namespaces/NAMESPACE/kind/name.
func (n *namespacer) dependsOn(doc *gaby.YamlDoc, olds map[string]bool) error {
	value := krm.Annotation(doc, dependsOn)
	if value == "" {
		return nil
	}
	references := strings.Split(value, ",")
	for i, reference := range references {
		parts := strings.Split(reference, "/")
		if len(parts) != 5 || parts[1] != "namespaces" || parts[2] == n.name || !olds[parts[2]] ||
			n.only != "" && parts[2] != n.only {
			continue
		}
		n.count[parts[2]]++
		parts[2] = n.name
		references[i] = strings.Join(parts, "/")
	}
	if changed := strings.Join(references, ","); changed != value {
		_, err := doc.Set(changed, "metadata", "annotations", dependsOn)
		return err
	}
	return nil
}
