package bundle

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/knowledge/sensitive"
	smithv1 "github.com/fctl-dev/fctl/smith/v1"
)

// Explained is a value of an object and where it comes from.
type Explained struct {
	Path  string // dotted
	Value string // on one line, masked if it is secret
	From  string
}

// Explain returns where each value of a resource's object comes from. Without a rendered object it
// explains what the Bundle has. show leaves secret values as they are.
func (r *Result) Explain(res *ResourceResult, show bool) []Explained {
	e := &explainer{result: r, res: res, show: show}
	switch {
	case res.doc != nil:
		e.walk(res.doc.Value(), nil)
	case res.Resource.template() != nil:
		e.walk(res.Resource.template().value, nil)
	}
	return e.list
}

type explainer struct {
	result *Result
	res    *ResourceResult
	show   bool
	list   []Explained
}

// walk explains the scalars and empty collections below a value.
func (e *explainer) walk(v gaby.Value, path []string) {
	if v.First().Exists() && (v.Kind() == gaby.Map || v.Kind() == gaby.List) {
		for i, c := range v.All() {
			segment := c.Key()
			if v.Kind() == gaby.List {
				segment = strconv.Itoa(i)
			}
			e.walk(c, append(path, segment))
		}
		return
	}
	from, secret := e.from(v, path)
	value := v.YAML()
	if IsSecret(e.res.GVK) && len(path) > 0 && isSecretField(path[0]) {
		secret = true
	}
	if secret && !e.show {
		value = sensitive.Mask
	}
	dotted := make([]string, len(path))
	for i, segment := range path {
		dotted[i] = strings.ReplaceAll(segment, ".", `\.`)
	}
	e.list = append(e.list, Explained{strings.Join(dotted, "."), value, from})
}

// from returns where the value at a path comes from, and whether it is secret.
func (e *explainer) from(v gaby.Value, path []string) (from string, secret bool) {
	resource := e.res.Resource
	b := e.result.Bundle
	for _, o := range e.res.Origins {
		if o.Reference == "" && len(o.Path) > 0 && hasPrefix(path, o.Path) {
			return o.From, false
		}
		isMade := resource.object == nil && e.res.doc != nil // by the plugin, from its spec
		if o.Reference == "" || isMade || !hasPrefix(path, o.Path) {
			continue
		}
		return fmt.Sprintf("!{%s} = %s at %s", o.Reference, resource.path(o.Reference), o.From),
			o.reference.secret
	}
	t := resource.template()
	if resource.plugin != nil && e.res.doc != nil {
		switch strings.Join(path, ".") {
		case "metadata.name":
			named := resource.plugin.nameValue()
			return named.Key() + " at " + b.position(named).String(), false
		case "metadata.namespace":
			return e.namespace(), false
		}
		isType := len(path) == 1 && (path[0] == "apiVersion" || path[0] == "kind")
		return "plugin " + string(resource.plugin.name), !isType && e.res.hasSecret(v)
	}
	if at := t.at(path...); at.Exists() {
		if s, ok := at.Data().(string); ok {
			if p, isMarker := parseMarker(s); isMarker && p.name != "" && e.res.doc == nil {
				return "not known yet: " + resource.path(smithv1.ReferenceName(p.name)), false
			}
		}
		return b.position(at).String(), false
	}
	if strings.HasPrefix(strings.Join(path, "."), "metadata.ownerReferences") {
		return "--owner-refs", false
	}
	return e.namespace(), false
}

// namespace says where the namespace of the Bundle comes from.
func (e *explainer) namespace() string {
	b := e.result.Bundle
	if v := b.value.Get("metadata").Get("namespace"); v.Exists() {
		return "namespace of the Bundle at " + b.position(v).String()
	}
	return "--namespace"
}

// path returns the resource and the path that a reference names.
func (r *Resource) path(name smithv1.ReferenceName) string {
	for _, reference := range r.References {
		if reference.Name == name {
			text := string(reference.Resource) + ": " + reference.path.String()
			if reference.Modifier != "" {
				text += " (" + string(reference.Modifier) + ")"
			}
			return text
		}
	}
	return string(name)
}

func hasPrefix(path, prefix []string) bool {
	if len(path) < len(prefix) {
		return false
	}
	for i := range prefix {
		if path[i] != prefix[i] {
			return false
		}
	}
	return true
}
