package bundle

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/knowledge/semantics"
	"github.com/fctl-dev/fctl/smith/plugin"
	smithv1 "github.com/fctl-dev/fctl/smith/v1"
)

// flaw is what is wrong with an object: a path, and a message about it.
type flaw struct {
	segments      []string
	hint, message string
}

// flaws returns the problems with an object of a Bundle: fields that Smith refuses, and names that
// Kubernetes does. Strings that are references count as right if isTemplate is set: they are
// checked again with their values.
func flaws(object gaby.Value, namespace string, isTemplate bool) []flaw {
	var found []flaw
	add := func(message, hint string, segments ...string) {
		found = append(found, flaw{segments: segments, message: message, hint: hint})
	}
	get := func(segments ...string) gaby.Value {
		v := object
		for _, s := range segments {
			v = v.Get(s)
		}
		return v
	}
	isReference := func(v gaby.Value) bool {
		s, _ := v.Data().(string)
		p, ok := parseMarker(s)
		return isTemplate && ok && p.name != ""
	}
	for _, path := range [][]string{{"apiVersion"}, {"kind"}, {"metadata", "name"}} {
		if len(path) > 1 && isReference(get(path[0])) { // its value has the name
			continue
		}
		v := get(path...)
		s, ok := v.Data().(string)
		switch dotted := strings.Join(path, "."); {
		case !v.Exists() || v.IsNull():
			add("the object has no "+dotted, "", path...)
		case !ok:
			add(dotted+": a string is expected", "", path...)
		case s == "":
			add(dotted+" is empty", "", path...)
		}
	}
	if v := get("metadata", "namespace"); v.Exists() && !v.IsNull() && !isReference(v) {
		if s, ok := v.Data().(string); !ok || s != "" && s != namespace {
			add("the namespace "+v.YAML()+" is not that of the Bundle, "+namespace,
				"leave metadata.namespace out", "metadata", "namespace")
		}
	}
	if get("metadata", "annotations").Get(smithv1.DeletionTimestamp).Exists() {
		add("the annotation "+smithv1.DeletionTimestamp+" is set by Smith only", "",
			"metadata", "annotations", smithv1.DeletionTimestamp)
	}
	if apiVersion, kind := get("apiVersion"), get("kind"); !isReference(apiVersion) &&
		!isReference(kind) {
		gvk := plugin.NewGroupVersionKind(apiVersion.Text(), kind.Text())
		for _, problem := range semantics.Metadata(string(resourceType(gvk)), object) {
			path := problem.Path
			if v := get(path...); path[len(path)-1] != "namespace" && !isReference(v) {
				add(strings.Join(path, ".")+": "+problem.Message, "", path...)
			}
		}
	}
	owners := get("metadata", "ownerReferences")
	for _, o := range owners.All() {
		if controller, _ := o.Get("controller").Data().(bool); controller {
			add("an owner reference with controller: true is set by Smith only", "",
				"metadata", "ownerReferences")
		}
	}
	return found
}

// checkObject checks an object as the Bundle has it.
func (d *decoder) checkObject(t *template) {
	for _, f := range flaws(t.value, d.Namespace, true) {
		d.fail(t.nearest(f.segments), f.hint, "%s", f.message)
	}
}

// link resolves the references between resources, and checks what concerns several of them.
func (d *decoder) link() {
	byName := make(map[smithv1.ResourceName]*Resource, len(d.Resources))
	names := make([]string, 0, len(d.Resources))
	for _, r := range d.Resources {
		if first := byName[r.Name]; first != nil && r.Name != "" {
			d.reader.Resource = string(r.Name)
			d.fail(r.value.Get("name"), "", "another resource has the same name, at %s",
				d.position(first.value))
			continue
		}
		byName[r.Name] = r
		names = append(names, string(r.Name))
	}
	for _, r := range d.Resources {
		d.reader.Resource = string(r.Name)
		used := map[smithv1.ReferenceName]bool{}
		for _, reference := range r.References {
			if reference.Name != "" && used[reference.Name] {
				d.fail(reference.value.Get("name"), "", "another reference has the same name, %q",
					reference.Name)
			}
			used[reference.Name] = true
			at := reference.value.Get("resource")
			switch reference.target = byName[reference.Resource]; {
			case reference.Resource == "":
			case reference.Resource == r.Name:
				d.fail(at, "", "the resource refers to itself: %s → %s", r.Name, r.Name)
			case reference.target == nil:
				d.fail(at, configkit.DidYouMean("", configkit.Suggest(string(reference.Resource),
					others(names, string(r.Name)))),
					"resource %q, to which %q refers, does not exist", reference.Resource, r.Name)
			default:
				d.checkModifier(reference)
			}
		}
	}
	d.reader.Resource = ""
	for _, c := range d.cycles() {
		d.reader.Resource = string(c.from.Name)
		d.fail(c.by.value.Get("resource"), "", "the resources refer to each other in a cycle: %s",
			c.text)
	}
	d.reader.Resource = ""
}

// others returns the names without one.
func others(names []string, one string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == one })
}

// checkModifier checks that bindsecret is for a ServiceBinding, if the Bundle says what it is.
func (d *decoder) checkModifier(r *ResolvedReference) {
	if r.Modifier != smithv1.BindSecret || r.target.object == nil {
		return
	}
	if gvk, _ := r.target.object.identity(); gvk.Kind != "" && !isServiceBinding(gvk) {
		d.fail(r.value.Get("modifier"), "", "%w", &bindSecretError{r.target.Name, gvk.Kind})
	}
}

// isServiceBinding reports whether a type is the ServiceBinding of the service catalog.
func isServiceBinding(gvk plugin.GroupVersionKind) bool {
	return gvk.Group == "servicecatalog.k8s.io" && gvk.Kind == "ServiceBinding"
}

// bindSecretError reports that bindsecret is used on something else than a ServiceBinding.
type bindSecretError struct {
	resource smithv1.ResourceName
	kind     string
}

func (e *bindSecretError) Error() string {
	return fmt.Sprintf("%s is for a ServiceBinding, and %q is a %s", smithv1.BindSecret, e.resource,
		e.kind)
}

// clusterScopedFlaw is the flaw of an object that has a namespace, although its type has none.
func clusterScopedFlaw(gvk plugin.GroupVersionKind) flaw {
	return flaw{
		segments: []string{"metadata", "namespace"}, hint: "leave metadata.namespace out",
		message: "a " + gvk.Kind + " is in no namespace",
	}
}
