package bundle

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/bundle/contract"
	"github.com/fctl-dev/fctl/internal/knowledge/jsonschema"
	"github.com/fctl-dev/fctl/smith/plugin"
	smithv1 "github.com/fctl-dev/fctl/smith/v1"
)

// Plugins are the plugins that Bundles can use.
type Plugins struct{ list []*Plugin }

// Plugin is a plugin with its checked description.
type Plugin struct {
	plugin.Description
	// Origin says where it is from: built in, of a team's own program, or the command or image.
	Origin string
	// Undescribed says that the program does not describe itself, so the type of its objects is not
	// checked.
	Undescribed bool

	run    plugin.Plugin
	schema *jsonschema.Schema
}

// NewPlugins calls the factories: those of a team's own program, and those of fctl. One of fctl is
// left out if the team has a plugin of its name. limit is the time that each call may take, as
// programs have it, until ctx is cancelled. The error joins the problems of all of them.
func NewPlugins(ctx context.Context, limit time.Duration, team []plugin.NewFunc,
	own ...plugin.NewFunc,
) (*Plugins, error) {
	p := &Plugins{}
	turn := make(chan struct{}, 1)
	var problems []error
	for i, factory := range slices.Concat(team, own) {
		made, err := newGoPlugin(ctx, limit, turn, factory)
		switch isTeam := i < len(team); {
		case err == nil && isTeam:
			err = p.Add(made, "of this program")
		case err == nil && !p.has(made):
			err = p.Add(made, "built in")
		}
		problems = append(problems, err)
	}
	return p, errors.Join(problems...)
}

// has reports whether there is a plugin of the same name.
func (p *Plugins) has(made plugin.Plugin) bool {
	d, err := describe(made)
	return err == nil && p.find(d.Name) != nil
}

// Add adds a plugin, and checks what it says about itself.
func (p *Plugins) Add(made plugin.Plugin, origin string) error {
	d, err := describe(made)
	if err != nil {
		return err
	}
	added := &Plugin{Description: *d, Origin: origin, run: made}
	if external, ok := made.(*program); ok {
		added.Undescribed = external.undescribed
	}
	fail := func(format string, args ...any) error {
		return fmt.Errorf("plugin %q (%s): "+format, append([]any{d.Name, origin}, args...)...)
	}
	if !d.Name.IsValid() {
		return fail("the name is not one of a plugin: %s", subdomainHint)
	}
	if first := p.find(d.Name); first != nil {
		return fail("another plugin has the same name (%s)", first.Origin)
	}
	if !added.Undescribed && (d.GVK.Version == "" || d.GVK.Kind == "") {
		return fail("its description has no version or kind")
	}
	if len(d.SpecSchema) > 0 {
		doc, err := gaby.ParseYAML(d.SpecSchema)
		if err != nil {
			return fail("its schema: %w", err)
		}
		if added.schema, err = jsonschema.Compile("", doc.Value(),
			jsonschema.CompilerOptions{Dialect: jsonschema.Draft7}); err != nil {
			return fail("its schema: %w", err)
		}
	}
	p.list = append(p.list, added)
	return nil
}

func describe(made plugin.Plugin) (d *plugin.Description, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("a plugin cannot be described: %v", r)
		}
	}()
	if d = made.Describe(); d == nil {
		return nil, errors.New("a plugin has no description")
	}
	return d, nil
}

// List returns the plugins by name.
func (p *Plugins) List() []*Plugin {
	return slices.SortedFunc(slices.Values(p.list), func(a, b *Plugin) int {
		return strings.Compare(string(a.Name), string(b.Name))
	})
}

// Find returns the plugin of a name. The error has a hint at similar names.
func (p *Plugins) Find(name smithv1.PluginName) (*Plugin, error) {
	if found := p.find(name); found != nil {
		return found, nil
	}
	var names []string
	for _, q := range p.List() {
		names = append(names, string(q.Name))
	}
	hint := configkit.DidYouMean("", configkit.Suggest(string(name), names))
	if hint != "" {
		hint = " (" + hint + ")"
	}
	return nil, fmt.Errorf("no such plugin %q%s", name, hint)
}

func (p *Plugins) find(name smithv1.PluginName) *Plugin {
	if p == nil {
		return nil
	}
	for _, q := range p.list {
		if q.Name == name {
			return q
		}
	}
	return nil
}

// gvk returns the type of the objects that a plugin makes.
func (p *Plugins) gvk(name smithv1.PluginName) (plugin.GroupVersionKind, bool) {
	q := p.find(name)
	if q == nil || q.Undescribed {
		return plugin.GroupVersionKind{}, false
	}
	return q.GVK, true
}

// documentResult is a result whose text is known.
type documentResult struct {
	*plugin.ProcessResultSuccess
	doc *gaby.YamlDoc
}

// Success returns the result as plugins return it.
func (r *documentResult) Success() *plugin.ProcessResultSuccess { return r.ProcessResultSuccess }

// document returns the object of a result as a document with the given name.
func document(result plugin.ProcessResult, name string) (*gaby.YamlDoc, error) {
	var object *plugin.Object
	switch r := result.(type) {
	case *documentResult:
		_, err := r.doc.Set(name, "metadata", "name")
		return r.doc, err
	case *plugin.ProcessResultSuccess:
		if r != nil {
			object = r.Object
		}
	}
	if object == nil || object.Object == nil {
		return nil, errors.New("the plugin succeeded and returned no object")
	}
	if err := contract.Data(object); err != nil {
		return nil, err
	}
	object = object.DeepCopy()
	meta := object.Map("metadata")
	if meta == nil {
		meta = map[string]any{}
		object.Object["metadata"] = meta
	}
	meta["name"] = name
	return newDocument(object.Object)
}

// newDocument returns a map as a document, with its keys in the order that people expect.
func newDocument(m map[string]any) (*gaby.YamlDoc, error) {
	doc, err := gaby.ParseYAML([]byte("\n"))
	if err == nil {
		err = doc.SetData(inOrder(m))
	}
	if err == nil { // so that edits see its text
		doc, err = gaby.ParseYAML(doc.BytesWithNewline())
	}
	return doc, err
}

// inOrder puts the keys of maps in order: those that identify an object first, status last, and the
// others by name.
func inOrder(v any) any {
	switch v := v.(type) {
	case map[string]any:
		rank := func(key string) int {
			first := []string{"apiVersion", "kind", "metadata", "name", "namespace"}
			if i := slices.Index(first, key); i >= 0 {
				return i
			}
			if key == "status" {
				return len(first) + 1
			}
			return len(first)
		}
		entries := make(gaby.Entries, 0, len(v))
		for key, value := range v {
			entries = append(entries, gaby.Entry{Key: key, Value: inOrder(value)})
		}
		slices.SortFunc(entries, func(a, b gaby.Entry) int {
			if d := rank(a.Key) - rank(b.Key); d != 0 {
				return d
			}
			return strings.Compare(a.Key, b.Key)
		})
		return entries
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = inOrder(v[i])
		}
		return list
	}
	return v
}
