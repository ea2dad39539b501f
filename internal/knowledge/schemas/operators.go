package schemas

import (
	_ "embed"
	"maps"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/knowledge/jsonschema"
)

// packedOperators contains operators.json (the operators) and a file GROUP/KIND.json for each of
// their CustomResourceDefinitions.
//
//go:embed operators.zip
var packedOperators string

// Operator is a project whose CustomResourceDefinitions are built in.
type Operator struct {
	Name    string
	Version string
	Module  string // the Go module that has them
}

// Operators returns the operators whose CustomResourceDefinitions are built in, sorted by name.
func Operators() ([]Operator, error) {
	o := &operators{archive: archive{packed: packedOperators}}
	v, err := o.archive.file("operators")
	var all []Operator
	for _, e := range v.All() {
		all = append(all, Operator{
			Name: e.Get("name").Text(), Version: e.Get("version").Text(),
			Module: e.Get("module").Text(),
		})
	}
	return all, err
}

// operators reads the CustomResourceDefinitions of operators, each when a resource of its kind
// occurs.
type operators struct {
	archive archive
	kinds   definitions
}

// of returns the versions of the kind of a type. There are none if no operator has the kind.
func (o *operators) of(t api.ResourceType) (versions, error) {
	if !strings.Contains(string(t), ".") {
		return nil, nil // groups of operators have dots
	}
	kind := configkit.GroupKind(t)
	if found, ok := o.kinds[kind]; ok {
		return found, nil
	}
	if o.kinds == nil {
		o.kinds, o.archive.packed = definitions{}, packedOperators
	}
	found, err := o.read(kind)
	if err != nil {
		return nil, err
	}
	o.kinds[kind] = found
	return found, nil
}

// read unpacks the versions of a kind.
func (o *operators) read(kind string) (versions, error) {
	v, err := o.archive.file(kind)
	if err != nil || !v.Exists() {
		return nil, err
	}
	all, err := o.archive.file("operators")
	if err != nil {
		return nil, err
	}
	by := all.Index(int(v.Get("operator").Data().(int)))
	group, name, _ := strings.Cut(kind, "/")
	list, found := v.Get("versions"), versions{}
	for _, e := range list.All() {
		schema := e
		if e.Kind() == gaby.Scalar { // the version with the same schema
			schema = list.Get(e.Text())
		}
		found[api.ResourceType(group+"/"+e.Key()+"/"+name)] = &definition{
			name: v.Get("name").Text(), scope: configkit.Scope(v.Get("scope").Text()),
			value: schema, served: true,
			operator: by.Get("name").Text() + " " + by.Get("version").Text(),
		}
	}
	return found, nil
}

// ofOperators returns the schema of a type that an operator defines, and the operator with its
// version. The schema is nil if no operator has that version of the kind: another release of the
// operator may have it.
func (l *Library) ofOperators(t api.ResourceType, s *Set) (*jsonschema.Schema, string, error) {
	l.mu.Lock() // protects the values of the archive
	defer l.mu.Unlock()
	found, err := l.operators.of(t)
	if err != nil || found[t] == nil {
		return nil, "", err
	}
	schema, err := found[t].compile(s)
	return schema, found[t].operator, err
}

// scopeOfOperators returns the scope of a kind that an operator defines.
func (l *Library) scopeOfOperators(t api.ResourceType) configkit.Scope {
	l.mu.Lock()
	defer l.mu.Unlock()
	found, err := l.operators.of(t)
	if err != nil {
		return configkit.ScopeUnknown // the archive is a part of the program
	}
	return found.scope()
}

// MergeKeys returns the lists of a type whose elements have merge keys: those that are known, and
// those that the CustomResourceDefinition in users' files or of an operator has in
// x-kubernetes-list-map-keys. Definitions of kinds that no operator has are not read for that.
func (f *Fields) MergeKeys(
	t api.ResourceType, known *configkit.MergeKeyTree,
) *configkit.MergeKeyTree {
	f.mu.Lock()
	defer f.mu.Unlock()
	if merged, ok := f.mergeKeys[t]; ok && merged.known == known {
		return merged.all
	}
	if f.mergeKeys == nil {
		f.mergeKeys = map[api.ResourceType]mergeKeys{}
	}
	f.library.mu.Lock()
	defer f.library.mu.Unlock()
	all := known
	if found, err := f.library.operators.of(t); err == nil && found != nil {
		d := found[t]
		if a := f.library.readFiles(); a != nil && a.definitions.of(t) != nil {
			d = a.definitions.of(t)
		}
		if d != nil {
			all = withMergeKeys(known, d.value)
		}
	}
	f.mergeKeys[t] = mergeKeys{known: known, all: all}
	return all
}

// mergeKeys is an answer of MergeKeys.
type mergeKeys struct{ known, all *configkit.MergeKeyTree }

// withMergeKeys returns known with the merge keys in a schema, which yield to known ones. It does
// not change known, and returns it if the schema has no merge keys.
func withMergeKeys(known *configkit.MergeKeyTree, schema gaby.Value) *configkit.MergeKeyTree {
	node := &configkit.MergeKeyTree{}
	if known != nil {
		*node = *known
	}
	changed := false
	if len(node.Keys) == 0 && schema.Get("x-kubernetes-list-type").EqualText("map") {
		fields := schema.Get("items").Get("properties")
		for _, key := range schema.Get("x-kubernetes-list-map-keys").All() {
			node.Keys, changed = append(slices.Clip(node.Keys), key.Text()), true
			if v := fields.Get(key.Text()).Get("default"); v.Exists() {
				if node.Defaults == nil {
					node.Defaults = map[string]string{}
				}
				node.Defaults[key.Text()] = v.Text()
			}
		}
	}
	below := func(segment string, of gaby.Value) {
		child := known.Child(segment)
		if more := withMergeKeys(child, of); more != child {
			children := make(map[string]*configkit.MergeKeyTree, len(node.Children)+1)
			maps.Copy(children, node.Children)
			children[segment] = more
			node.Children, changed = children, true
		}
	}
	for _, e := range schema.Get("properties").All() {
		below(e.Key(), e)
	}
	for _, keyword := range []string{"items", "additionalProperties"} {
		if v := schema.Get(keyword); v.Kind() == gaby.Map {
			below("*", v)
		}
	}
	if !changed {
		return known
	}
	return node
}
