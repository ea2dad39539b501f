package schemas

import (
	"slices"
	"strings"
	"sync"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/yamlpath"
)

// Fields finds the fields of resource types in their schemas: which there are, in which order they
// are written, and what type they have. It reads schemas as they are written, without compiling
// them. It is safe for concurrent use.
type Fields struct {
	library *Library

	mu      sync.Mutex
	release *Release // of its own, as values of an archive must not be read concurrently
	known   map[fieldKey]yamlpath.Field

	mergeKeys map[api.ResourceType]mergeKeys
}

type fieldKey struct {
	t    api.ResourceType
	path string
}

// Fields returns what finds fields in the schemas of the newest release, of users' files, of the
// input files and of operators.
func (l *Library) Fields() *Fields {
	return &Fields{library: l, known: map[fieldKey]yamlpath.Field{}}
}

// Field describes the field at a path of a resource type.
func (f *Fields) Field(t api.ResourceType, path *yamlpath.Path) yamlpath.Field {
	key := fieldKey{t, path.Normalized(len(path.Segments()))}
	f.mu.Lock()
	defer f.mu.Unlock()
	field, ok := f.known[key]
	if !ok {
		field = f.find(t, path)
		f.known[key] = field
	}
	return field
}

// find follows a path in the schema of a type.
func (f *Fields) find(t api.ResourceType, path *yamlpath.Path) yamlpath.Field {
	if f.release == nil {
		r, err := newRelease("")
		if err != nil {
			return yamlpath.Field{Missing: -1} // the archive is a part of the program
		}
		f.release = r
	}
	f.library.mu.Lock() // protects the values of files
	defer f.library.mu.Unlock()
	at := f.root(t)
	custom := at.custom || !at.v.Exists() // every object has the same metadata
	// The fields of operators are in alphabetical order, which nobody writes them in.
	ordered := at.v.Exists() && !at.operator
	for i := range path.Segments() {
		at = at.deref()
		next, has := at.child(&path.Segments()[i])
		if !has {
			return yamlpath.Field{Known: true, Missing: i, Keys: slices.Clip(at.keys())}
		}
		if i == 0 && custom && path.Segments()[0].Key == "metadata" {
			next = f.builtIn(objectMeta)
		}
		at = next
	}
	at = at.deref()
	field := yamlpath.Field{Known: at.v.Exists(), Missing: -1}
	if ordered {
		field.Keys = at.keys()
	}
	if kind := at.v.Get("type"); kind.Kind() == gaby.Scalar &&
		!at.v.Get("format").EqualText("int-or-string") {
		field.Type = kind.Text()
	}
	for _, v := range at.v.Get("enum").All() {
		if v.Kind() == gaby.Scalar && v.Text() != "" {
			field.Values = append(field.Values, v.Text())
		}
	}
	field.Limits = limitsOf(at.v)
	for _, key := range at.v.Get("required").All() {
		field.Required = append(field.Required, key.Text())
	}
	return field
}

// limitsOf returns the keywords of a schema that limit a scalar or a list, with their values, and
// its default. The formats of numbers say how they are stored.
func limitsOf(schema gaby.Value) (limits []string) {
	for _, keyword := range []string{
		"format", "minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum", "multipleOf",
		"minLength", "maxLength", "pattern", "minItems", "maxItems", "uniqueItems", "default",
	} {
		v := schema.Get(keyword)
		number := keyword == "format" && slices.Contains([]string{"int32", "int64", "double"}, v.Text())
		if v.Kind() == gaby.Scalar && !number {
			limits = append(limits, keyword+" "+v.Text())
		}
	}
	return limits
}

// node is a schema, or a value that does not exist if nothing is known.
type node struct {
	v       gaby.Value
	resolve func(ref string) gaby.Value
	custom  bool // the root of a CustomResourceDefinition

	operator bool // of an operator
}

// root returns the schema of a type, in the order of [Set.Schema].
func (f *Fields) root(t api.ResourceType) node {
	l, builtIn := f.library, f.release.has(t)
	if a := l.readFiles(); a != nil {
		if d := a.definitions.of(t); d != nil && !builtIn && d.others == nil {
			return node{v: d.value, custom: true}
		}
		if j := a.find(t); j != nil {
			return node{v: j.value}
		}
		for _, c := range a.clusters {
			if name, ok := c.kinds[t]; ok {
				resolve := func(ref string) gaby.Value {
					return c.all.Get(strings.TrimPrefix(ref, c.prefix))
				}
				return node{v: resolve(name), resolve: resolve}
			}
		}
	}
	if builtIn {
		return f.builtIn(f.release.kinds[t])
	}
	var d *definition
	if l.inputs != nil {
		d = l.inputs.definitions().of(t)
	}
	if d == nil || d.others != nil {
		d = l.readOwn().of(t)
	}
	operator := d == nil
	if operator {
		all, err := l.operators.of(t)
		if err != nil {
			return node{} // the archive is a part of the program
		}
		d = all[t]
	}
	if d == nil || d.others != nil {
		return node{}
	}
	return node{v: d.value, custom: true, operator: operator}
}

// builtIn returns a definition of the release.
func (f *Fields) builtIn(name string) node {
	resolve := func(ref string) gaby.Value {
		v, err := f.release.definition(ref)
		if err != nil {
			return gaby.Value{}
		}
		return v
	}
	return node{v: resolve(name), resolve: resolve}
}

// maxReferences is the maximum length of a chain of references.
const maxReferences = 16

// deref follows references. A schema that combines others is not known, unless it only lists the
// types of a scalar.
func (p node) deref() node {
	for range maxReferences {
		ref := p.v.Get("$ref")
		if !ref.Exists() {
			for _, keyword := range []string{"allOf", "anyOf", "oneOf"} {
				if p.v.Get(keyword).Exists() && onlyScalars(p.v) {
					return p
				}
				if p.v.Get(keyword).Exists() && !p.v.Get("properties").Exists() {
					return node{}
				}
			}
			return p
		}
		if p.resolve == nil {
			return node{}
		}
		p.v = p.resolve(ref.Text())
	}
	return node{}
}

// onlyScalars reports whether a schema allows nothing but scalars, by its types or by those of its
// alternatives: a quantity is a string or a number, and has no fields.
func onlyScalars(schema gaby.Value) bool {
	switch types := schema.Get("type"); types.Kind() {
	case gaby.Scalar:
		return isScalarType(types)
	case gaby.List:
		return all(types, isScalarType)
	default:
		return all(schema.Get("anyOf"), onlyScalars) || all(schema.Get("oneOf"), onlyScalars)
	}
}

func isScalarType(v gaby.Value) bool {
	return slices.Contains([]string{"string", "number", "integer", "boolean", "null"}, v.Text())
}

// all reports whether a list has elements and all of them satisfy f.
func all(list gaby.Value, f func(gaby.Value) bool) bool {
	for _, e := range list.All() {
		if !f(e) {
			return false
		}
	}
	return list.First().Exists()
}

// open reports whether a map may have any keys.
func (p node) open() bool {
	return p.v.Get("x-kubernetes-preserve-unknown-fields").Data() == true ||
		p.v.Get("x-kubernetes-embedded-resource").Data() == true
}

// keys returns the names of the fields in their order.
func (p node) keys() []string {
	var keys []string
	for _, e := range p.v.Get("properties").All() {
		keys = append(keys, e.Key())
	}
	if p.custom {
		keys = slices.DeleteFunc(keys, func(key string) bool {
			return key == "apiVersion" || key == "kind" || key == "metadata"
		})
		keys = slices.Concat([]string{"apiVersion", "kind", "metadata"}, keys)
	}
	return keys
}

// child returns the schema that a segment leads to. It reports false if there cannot be such a
// value.
func (p node) child(s *yamlpath.Segment) (node, bool) {
	below := func(v gaby.Value) (node, bool) { return node{v: v, resolve: p.resolve}, true }
	switch {
	case !p.v.Exists():
		return node{}, true
	case onlyScalars(p.v):
		return node{}, false
	}
	properties, more := p.v.Get("properties"), p.v.Get("additionalProperties")
	key, isKey := s.MapKey()
	if items := p.v.Get("items"); items.Exists() {
		if isKey && s.Index < 0 {
			return node{}, false
		}
		return below(items)
	}
	if !isKey {
		if more.Kind() == gaby.Map {
			return below(more)
		}
		return node{}, true
	}
	if v := properties.Get(key); v.Exists() {
		return below(v)
	}
	switch kind := p.v.Get("type"); {
	case p.custom && (key == "apiVersion" || key == "kind" || key == "metadata"), p.open(),
		more.Exists() && more.Kind() != gaby.Map && more.Data() != false:
		return node{}, true
	case more.Kind() == gaby.Map:
		return below(more)
	case !properties.Exists() && !more.Exists() && (kind.Kind() != gaby.Scalar ||
		kind.EqualText("object") || kind.EqualText("array")):
		return node{}, true
	}
	return node{}, false
}
