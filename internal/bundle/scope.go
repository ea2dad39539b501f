package bundle

import (
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/knowledge/schemas"
	"github.com/fctl-dev/fctl/smith/plugin"
)

// definitionKind is the kind of what defines a type.
const definitionKind = "CustomResourceDefinition"

// Definitions returns the CustomResourceDefinitions in Bundles as files with schemas.
func Definitions(bundles []*Bundle) []schemas.SchemaFile {
	var files []schemas.SchemaFile
	for _, b := range bundles {
		for _, r := range b.Resources {
			if _, ok := r.definition(); ok {
				files = append(files, schemas.SchemaFile{Name: b.File, Text: []byte(r.object.text)})
			}
		}
	}
	return files
}

// definition returns the CustomResourceDefinition that a resource makes.
func (r *Resource) definition() (gaby.Value, bool) {
	if r.object == nil || r.object.value.Get("kind").Text() != definitionKind {
		return gaby.Value{}, false
	}
	return r.object.value, true
}

// typeDefinedBy returns the group and kind that a CustomResourceDefinition defines.
func typeDefinedBy(definition gaby.Value) [2]string {
	spec := definition.Get("spec")
	return [2]string{spec.Get("group").Text(), spec.Get("names").Get("kind").Text()}
}

// resourceType returns a type as the knowledge about types has it, such as apps/v1/Deployment.
func resourceType(gvk plugin.GroupVersionKind) api.ResourceType {
	return api.ResourceType(gvk.APIVersion() + "/" + gvk.Kind)
}

// gvkOf is the reverse of resourceType.
func gvkOf(t api.ResourceType) plugin.GroupVersionKind {
	at := strings.LastIndexByte(string(t), '/')
	return plugin.NewGroupVersionKind(string(t[:max(at, 0)]), string(t[at+1:]))
}

// definition returns the observed CustomResourceDefinition of a type, nil for none.
func (p *run) definition(gvk plugin.GroupVersionKind) (*Observed, gaby.Value, error) {
	for _, o := range p.crds {
		if !strings.HasSuffix(o.Name, "."+gvk.Group) { // its name is PLURAL.GROUP
			continue
		}
		v, err := p.open(o)
		if err != nil || typeDefinedBy(v) == [2]string{gvk.Group, gvk.Kind} {
			return o, v, err
		}
	}
	return nil, gaby.Value{}, nil
}

// isClusterScoped reports whether the objects of a type have no namespace. Objects of a type that
// nobody knows are in one.
func (p *run) isClusterScoped(gvk plugin.GroupVersionKind) bool {
	scope := configkit.ScopeUnknown
	if p.Scope != nil {
		scope = p.Scope(resourceType(gvk))
	}
	if scope == configkit.ScopeUnknown {
		if o, v, err := p.definition(gvk); o != nil && err == nil {
			scope = configkit.Scope(v.Get("spec").Get("scope").Text())
		}
	}
	return scope == configkit.ScopeCluster
}

// key returns what identifies an object that the Bundle makes.
func (p *run) key(gvk plugin.GroupVersionKind, name string) Key {
	if p.isClusterScoped(gvk) {
		return Key{gvk, "", name}
	}
	return Key{gvk, p.bundle.Namespace, name}
}
