package catalog

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/k8skit"
	"github.com/fctl-dev/fctl/internal/krm"
	"github.com/fctl-dev/fctl/internal/krm/fnresult"
	"github.com/fctl-dev/fctl/internal/namespaces"
	"github.com/fctl-dev/fctl/internal/strict"
)

const docNamespace = `functionConfig: a ConfigMap with namespace and namespaceMatcher in data, the
package-context.yaml of kpt (a ConfigMap named kptfile.kpt.dev with data.name), or

  apiVersion: fn.kpt.dev/v1alpha1
  kind: SetNamespace
  namespace: new
  namespaceMatcher: old   # only what is in this namespace

Sets metadata.namespace of all namespaced resources, the name of a Namespace, the subjects of role
bindings, the services of CustomResourceDefinitions and APIServices, and depends-on annotations with
one reference to a resource that is moved.

A custom resource is namespaced if it has metadata.namespace. Another namespaced resource without
one is in the namespace default, and gets the field even if namespaceMatcher leaves it there.
Resources for local use stay as they are.

namespaceMatcher compares the namespace that a resource has in the package it was copied from
(internal.kpt.dev/upstream-identifier), or else its own. Without namespaceMatcher all resources must
be copied from one namespace.`

// The annotations that set-namespace reads.
const (
	dependsOn = "config.kubernetes.io/depends-on"
	upstream  = "internal.kpt.dev/upstream-identifier"
)

// defaultNamespace is where a namespaced resource is that does not say it.
const defaultNamespace = "default"

// namespacer replaces namespaces.
type namespacer struct {
	name  string
	only  string         // the namespace to replace, "" for all
	count map[string]int // of replaced namespaces
	moved map[referenceKey]bool
}

// referenceKey identifies a resource by what references to it have.
type referenceKey struct{ group, kind, namespace, name string }

func identityOf(h *gaby.Header) referenceKey {
	group, _, ok := strings.Cut(h.APIVersion, "/")
	if !ok {
		group = ""
	}
	return referenceKey{group, h.Kind, cmp.Or(h.Namespace, defaultNamespace), h.Name}
}

// namespaced is a resource whose namespaces are replaced.
type namespaced struct {
	*krm.Item
	header gaby.Header
	// origin is the namespace in the package that the resource was copied from, "" if it was not
	// copied or has no namespace.
	origin string
}

func setNamespace(_ context.Context, list *krm.ResourceList) error {
	n, err := namespacerOf(list)
	if err != nil {
		return err
	}
	items, err := namespacedItems(list)
	if err != nil {
		return err
	}
	if err := n.check(items); err != nil {
		return err
	}
	var problems []error
	for i := range items {
		if err := n.item(list, &items[i]); err != nil {
			problems = append(problems, fmt.Errorf("%s: %w", items[i].Item, err))
		}
	}
	if len(n.count) == 0 {
		info(list, "all matching namespaces are already %q. no value changed", n.name)
	} else {
		info(list, "namespace %s", n.counted())
	}
	problems = append(problems, n.dependencies(list, items))
	return errors.Join(problems...)
}

// namespacerOf reads the functionConfig.
func namespacerOf(list *krm.ResourceList) (*namespacer, error) {
	c, err := configOf(list, "SetNamespace")
	if _, unreadable := errors.AsType[*api.Failure](err); err != nil && !unreadable {
		err = &passedError{err}
	}
	if err != nil {
		return nil, err
	}
	n := &namespacer{count: map[string]int{}, moved: map[referenceKey]bool{}}
	context := ""
	fields := []strict.Field{
		strict.Text("namespace", &n.name), strict.Text("namespaceMatcher", &n.only),
	}
	if c.isConfigMap() && c.value.Get("metadata").Get("name").EqualText("kptfile.kpt.dev") {
		// Others write more keys into the context of a package.
		fields = append(fields, strict.Text("name", &context))
		fields = append(fields, strict.Unread("package-path")...)
	}
	if c.isConfigMap() {
		fields = c.ignoring(c.data, fields)
	}
	if err := c.read(fields...); err != nil {
		return nil, err
	}
	n.name = cmp.Or(n.name, context)
	if n.name == "" {
		return nil, &passedError{errors.New("functionConfig: the new namespace is missing: " +
			"data.namespace of a ConfigMap, data.name of a package context, or namespace of a " +
			"SetNamespace")}
	}
	return n, nil
}

// namespacedItems returns the resources that are not for local use, and warns of each that was not
// copied from another package.
func namespacedItems(list *krm.ResourceList) ([]namespaced, error) {
	var items []namespaced
	for _, item := range list.Items {
		h, err := item.Doc.Header()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", item, err)
		}
		if !isObject(&h) || krm.IsLocalConfig(item.Doc) {
			continue
		}
		r := namespaced{Item: item, header: h}
		value := krm.Annotation(item.Doc, upstream)
		if value == "" {
			list.Results = append(list.Results, fnresult.Result{
				Severity: fnresult.SeverityWarning,
				Message:  r.described() + " does not have upstream origin.",
			})
		} else if r.origin, err = originNamespace(value); err != nil {
			return nil, fmt.Errorf("%s: %w", item, err)
		}
		items = append(items, r)
	}
	return items, nil
}

// originNamespace returns the namespace in the identifier GROUP|KIND|NAMESPACE|NAME of the resource
// that another was copied from, "" if it has none.
func originNamespace(identifier string) (string, error) {
	parts := strings.Split(identifier, "|")
	switch {
	case len(parts) != 4:
		return "", fmt.Errorf("annotation %s: %s is in bad format. expect %q", upstream,
			identifier, "<GROUP>|<KIND>|<NAMESPACE>|<NAME>")
	case parts[0] == "" && parts[1] == "Namespace":
		return parts[3], nil
	case parts[2] == "~C": // of a cluster
		return "", nil
	}
	return parts[2], nil
}

// described returns the resource as the published results have it.
func (r *namespaced) described() string {
	return fmt.Sprintf("Resource(apiVersion=%s, kind=%s, namespace=%s, name=%s)",
		r.header.APIVersion, r.header.Kind, r.header.Namespace, r.header.Name)
}

// check returns an error if it is not clear which namespaces are meant: several Namespaces would
// get the new name, or the resources were copied from several namespaces.
func (n *namespacer) check(items []namespaced) error {
	var names []string
	origins := map[string]bool{}
	for i := range items {
		h := &items[i].header
		if origin := items[i].origin; origin != "" {
			origins[origin] = true
		}
		if isNamespace(h) && (n.only == "" || n.only == cmp.Or(items[i].origin, h.Name) ||
			n.name == h.Name) {
			names = append(names, h.Name)
		}
	}
	if len(names) > 1 {
		return fmt.Errorf("%d Namespaces would be called %q: %s; namespaceMatcher selects one",
			len(names), n.name, strings.Join(names, ", "))
	}
	if len(origins) > 1 && n.only == "" {
		return &passedError{fmt.Errorf("unable to use origin `namespace` to match. expect a "+
			"single upstream namespace, found %s. please switch to use `namespaceMatcher` to "+
			"specify the namespace value you want to change", slices.Sorted(maps.Keys(origins)))}
	}
	return nil
}

// isNamespace reports whether a resource is a Namespace. The published program takes an object of
// the version v1 without a kind for one.
func isNamespace(h *gaby.Header) bool {
	return h.APIVersion == "v1" && (h.Kind == "Namespace" || h.Kind == "")
}

// isNamespaced reports whether a resource is in a namespace. Of a type that is not one of
// Kubernetes' own the field decides, as in the published function.
func isNamespaced(h *gaby.Header) bool {
	t := api.ResourceType(h.APIVersion + "/" + h.Kind)
	scope := configkit.ScopeUnknown
	if h.APIVersion != "" && !namespaces.IsCustom(t) {
		scope = k8skit.K8sResourceProvider.Scope(t)
	}
	if scope == configkit.ScopeUnknown {
		return h.Namespace != ""
	}
	return scope == configkit.ScopeNamespaced
}

// item replaces the namespaces in one resource.
func (n *namespacer) item(list *krm.ResourceList, r *namespaced) error {
	h, path, old := &r.header, []string{"metadata", "namespace"}, ""
	switch {
	case isNamespace(h):
		path, old = []string{"metadata", "name"}, h.Name
	case isNamespaced(h):
		old = cmp.Or(h.Namespace, defaultNamespace)
	}
	if old != "" {
		if err := n.own(list, r, path, old); err != nil {
			return err
		}
	}
	switch h.Kind {
	case "RoleBinding", "ClusterRoleBinding":
		for i, v := range r.Doc.Search("subjects").Value().All() {
			if !v.Get("kind").EqualText("ServiceAccount") {
				continue
			}
			err := n.existing(r.Doc, []string{"subjects", strconv.Itoa(i), "namespace"})
			if err != nil {
				return err
			}
		}
	case "CustomResourceDefinition":
		return n.existing(r.Doc,
			[]string{"spec", "conversion", "webhook", "clientConfig", "service", "namespace"})
	case "APIService":
		return n.existing(r.Doc, []string{"spec", "service", "namespace"})
	}
	return nil
}

// own replaces the namespace old of a resource, or the name of a Namespace.
func (n *namespacer) own(list *krm.ResourceList, r *namespaced, path []string, old string) error {
	matching := cmp.Or(r.origin, old)
	if matching == n.only {
		info(list, "[%s] has matching origin %s", r.described(), matching)
	}
	if old == n.name || n.only != "" && matching != n.only {
		if isNamespace(&r.header) || r.header.Namespace != "" {
			return nil
		}
		_, err := r.Doc.Set(old, path...)
		return err
	}
	n.moved[identityOf(&r.header)] = true
	return n.set(r.Doc, old, path)
}

// existing replaces the namespace at a path if there is one to replace.
func (n *namespacer) existing(doc *gaby.YamlDoc, path []string) error {
	old := text(doc.Search(path...).Value())
	if old == "" || old == n.name || n.only != "" && old != n.only {
		return nil
	}
	return n.set(doc, old, path)
}

// set replaces the namespace old at a path.
func (n *namespacer) set(doc *gaby.YamlDoc, old string, path []string) error {
	n.count[old]++
	_, err := doc.Set(n.name, path...)
	return err
}

// counted returns which namespaces were replaced, and how often.
func (n *namespacer) counted() string {
	total := 0
	for _, count := range n.count {
		total += count
	}
	return fmt.Sprintf("%s updated to %q, %d value(s) changed",
		slices.Sorted(maps.Keys(n.count)), n.name, total)
}

// dependencies replaces the namespaces in the annotations that say what a resource depends on:
// GROUP/namespaces/NAMESPACE/KIND/NAME. Like the published function it leaves lists of these.
func (n *namespacer) dependencies(list *krm.ResourceList, items []namespaced) error {
	n.count = map[string]int{}
	var problems []error
	for i := range items {
		doc := items[i].Doc
		parts := strings.Split(krm.Annotation(doc, dependsOn), "/")
		if len(parts) != 5 || parts[1] != "namespaces" ||
			!n.moved[referenceKey{parts[0], parts[3], parts[2], parts[4]}] {
			continue
		}
		n.count[parts[2]]++
		parts[2] = n.name
		_, err := doc.Set(strings.Join(parts, "/"), "metadata", "annotations", dependsOn)
		problems = append(problems, err)
	}
	if len(n.count) == 0 {
		info(list, "all `depends-on` annotations are up-to-date. no `namespace` changed")
	} else {
		info(list, "`depends-on` annotation namespace %s", n.counted())
	}
	return errors.Join(problems...)
}
