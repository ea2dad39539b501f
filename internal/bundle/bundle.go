// Package bundle processes Smith Bundles without a cluster: it reads them, orders their resources,
// fills references from observed objects, runs plugins, and says what is ready and what waits.
//
// Invariants:
//
//   - A Bundle is read as a document. A rendered object is the text that it has in the Bundle with
//     edits, so comments, order and quotes stay, and every problem has a position.
//   - All problems of a file are found before anything is processed; a failed resource does not
//     stop the others.
//   - The result depends on the Bundle, the observed objects and the options only: not on the
//     order of maps, the clock or the environment.
//   - Plugins get copies, and run only after everything that they depend on is ready.
//   - Secret values that a reference reads never reach a message.
//
// Layer: systems.
package bundle

import (
	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/bundle/jsonpath"
	"github.com/fctl-dev/fctl/smith/plugin"
	smithv1 "github.com/fctl-dev/fctl/smith/v1"
)

// Bundle is a Bundle as it was read.
type Bundle struct {
	File      string // its name in messages
	Name      string
	Namespace string
	Resources []*Resource

	value  gaby.Value
	crlf   bool        // the file has the line ends of Windows
	quoted quotedSpans // references that have no quotes in the file
}

// Resource is a resource of a Bundle. It has either an object or a plugin.
type Resource struct {
	Name       smithv1.ResourceName
	References []*ResolvedReference

	value  gaby.Value
	object *template
	plugin *pluginUse
}

// ResolvedReference is a reference of a resource.
type ResolvedReference struct {
	Name     smithv1.ReferenceName
	Resource smithv1.ResourceName
	Modifier smithv1.ReferenceModifier

	path    *jsonpath.Query
	example gaby.Value
	value   gaby.Value
	target  *Resource
}

// pluginUse is the plugin of a resource.
type pluginUse struct {
	name       smithv1.PluginName
	objectName string
	spec       *template // nil if it has none
	value      gaby.Value
	incomplete bool // the spec cannot be checked, because of a problem of the Bundle
}

// nameValue returns the value in the Bundle that names the object.
func (u *pluginUse) nameValue() gaby.Value {
	if v := u.value.Get("objectName"); v.Text() != "" {
		return v
	}
	return u.value.Get("spec").Get("name")
}

// Plugin returns the name of the plugin that makes the object, "" if the Bundle has the object.
func (r *Resource) Plugin() smithv1.PluginName {
	if r.plugin == nil {
		return ""
	}
	return r.plugin.name
}

// template returns the part of the resource that may have references, nil for none.
func (r *Resource) template() *template {
	if r.plugin != nil {
		return r.plugin.spec
	}
	return r.object
}

// Identity returns the type and name of the object as far as the Bundle and the descriptions of
// plugins determine them.
func (r *Resource) Identity(plugins *Plugins) (gvk plugin.GroupVersionKind, name string) {
	if r.plugin == nil && r.object == nil { // a problem of the Bundle
		return gvk, ""
	}
	return r.identity(plugins.gvk)
}

// identity returns the type and name of the object as far as the Bundle determines them: fields
// with references are empty. describe returns the type that a plugin makes.
func (r *Resource) identity(describe func(smithv1.PluginName) (plugin.GroupVersionKind, bool),
) (gvk plugin.GroupVersionKind, name string) {
	if r.plugin != nil {
		gvk, _ = describe(r.plugin.name)
		return gvk, r.plugin.objectName
	}
	return r.object.identity()
}

// identity returns the type and name of the object in a template, as far as it has no references.
func (t *template) identity() (gvk plugin.GroupVersionKind, name string) {
	text := func(segments ...string) string {
		s, ok := t.at(segments...).Data().(string)
		if _, isMarker := parseMarker(s); !ok || isMarker {
			return ""
		}
		return s
	}
	if apiVersion, kind := text("apiVersion"), text("kind"); apiVersion != "" && kind != "" {
		gvk = plugin.NewGroupVersionKind(apiVersion, kind)
	}
	return gvk, text("metadata", "name")
}

// position returns the position of a value in the file.
func (b *Bundle) position(v gaby.Value) api.Position {
	return b.located(v.Position())
}

// located returns a position of the document as one of the file.
func (b *Bundle) located(p api.Position) api.Position {
	p.File = b.File
	return b.quoted.original(p)
}
