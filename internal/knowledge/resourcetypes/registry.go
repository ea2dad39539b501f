// Package resourcetypes is the registry of resource types: the paths of attributes, the merge keys
// of lists, references to other resources, and secret values. It is read lazily from files, and
// functions can register more.
//
// # Invariants
//
//   - Only what is asked for is read and compiled, one resource type at a time.
//   - Every problem in a file is reported with line and column.
//
// Layer: knowledge.
package resourcetypes

import (
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/strict"
	"github.com/fctl-dev/fctl/internal/yamlpath"
)

// Registry knows resource types: the paths of their attributes, the merge keys of their lists and
// more. It reads this from files in the format of File, one resource type at a time and on demand.
// Paths can be added. ResourceProviders embed a Registry. It is safe for concurrent use.
type Registry struct {
	mu    sync.Mutex
	files []TypesFile
	// More built-in files; see WithDomains.
	domainFiles fs.FS
	derived
	shared    *Registry // see ShareSecrets; may be nil
	added     map[api.ResourceType]map[api.AttributeName]api.PathToVisitorInfoType
	accessors map[string]yamlpath.Accessor
	paths     map[string]*yamlpath.Path
	texts     yamlpath.Texts // see SetTexts; may be nil
}

// derived is what was read from the files so far.
type derived struct {
	documents []document // of files; nil until something is asked for
	// By domain of API groups: documents and those of the domain.
	domains  map[string][]document
	groups   map[api.AttributeName][]api.AttributeName
	ranks    map[api.AttributeName]int // see rank
	stopped  bool                      // nothing more is read: see typeCompiler.stop
	versions map[string][]string       // by type that a reference refers to
	types    map[api.ResourceType]*typeInfo
	parts    map[typePart]*typeInfo
	kinds    []string // see SensitiveKinds; nil until asked for
	names    []string // see typeNames; nil until asked for
	scopes   map[api.ResourceType]configkit.Scope
}

// New returns a registry. The files are read when something is asked for; Check reads all of them.
func New(files ...TypesFile) *Registry { return &Registry{files: files} }

// Snapshot returns a copy that does not see later registrations.
func (r *Registry) Snapshot() *Registry {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := New(r.files...).WithDomains(r.domainFiles)
	s.texts = r.texts
	for t, attributes := range r.added {
		for name, paths := range attributes {
			s.add(name, t, paths)
		}
	}
	return s
}

// SetTexts sets the formats of texts in values. It is called before the registry is used.
func (r *Registry) SetTexts(formats yamlpath.Texts) { r.texts = formats }

// Check reads everything and returns what is wrong with the files.
func (r *Registry) Check() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.check(0)
}

// check checks the files from an index on. From 0 it also checks the domain files.
func (r *Registry) check(from int) error {
	r.parse()
	r.stopped = false
	documents := r.documents
	for i := from; i < len(r.files); i++ {
		for _, d := range documents {
			if d.TypesFile == &r.files[i] {
				r.checkDocument(d)
			}
		}
	}
	if from == 0 {
		domains := r.allDomains()
		for _, d := range domains {
			r.checkDocument(d)
		}
		documents = slices.Concat(documents, domains)
	}
	return wrong(documents)
}

// AddFiles adds files, which are read and checked at once. If one of them is wrong, none is added.
// The errors are *api.Failure, joined.
func (r *Registry) AddFiles(files ...TypesFile) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	known, before := r.files, r.derived
	r.files, r.derived = append(slices.Clone(known), files...), derived{}
	err := r.check(len(known))
	if err != nil {
		r.files, r.derived = known, before
	}
	return err
}

// checkDocument reads everything in a document.
func (r *Registry) checkDocument(d document) {
	v := d.at(d.doc.Value())
	if !v.Exists() || v.IsNull() {
		return
	}
	v.Object("a file",
		d.section("accessors", func(entry strict.Value) { accessorOf(d, entry.Value) }),
		d.section("shapes", func(entry strict.Value) {
			r.newTypeCompiler("").fragment(d, entry.Value, "x", 1)
			r.checkAttributeNames(d, entry.Value)
		}),
		strict.Field{Name: "families", Read: func(v strict.Value) {
			for family := range v.List() {
				family.Texts()
			}
		}},
		d.section("resourceTypes", func(entry strict.Value) { r.checkType(d, entry.Value) }),
		d.section("attributes", func(entry strict.Value) {
			if _, builtIn := r.builtInAttribute(entry.Key()); builtIn.Exists() && !d.BuiltIn {
				d.failKey(entry.Value,
					"register paths for it under resourceTypes, or choose another name",
					"the attribute is built in")
				return
			}
			r.checkAttribute(d, entry.Value)
		}),
		strict.Field{Name: "clusterScoped", Read: func(v strict.Value) {
			d.failKey(v.Value, "",
				"write scope: Cluster into the entry of each type under resourceTypes instead")
		}})
}

// section returns a section of a file, a map. check is called for its entries.
func (d document) section(name string, check func(entry strict.Value)) strict.Field {
	return strict.Field{Name: name, Read: func(v strict.Value) {
		for entry := range v.Map() {
			check(entry)
		}
	}}
}

// checkType reads an entry of the section resourceTypes.
func (r *Registry) checkType(d document, entry gaby.Value) {
	name := entry.Key()
	slash := strings.IndexByte(name, '/')
	if name != "*" && !d.BuiltIn && (slash < 0 && !onlySecrets(entry) || slash == 0 ||
		strings.HasSuffix(name, "/")) {
		d.failKey(entry,
			"an entry of a type of another format has attributes only, each path with "+
				"sensitive: true",
			"a resource type is apiVersion/kind, such as example.com/v1/Cache")
		return
	}
	r.compiledType(api.ResourceType(name))
	r.checkAttributeNames(d, entry)
}

// onlySecrets reports whether the entry of a type only marks secret paths.
func onlySecrets(entry gaby.Value) bool {
	if entry.Len() != 1 || entry.First().Key() != "attributes" {
		return false
	}
	for attribute := range entry.First().Entries() {
		for path := range attribute.Entries() {
			if path.Get("sensitive").Text() != "true" {
				return false
			}
		}
	}
	return true
}

// checkAttributeNames rejects attributes of a type or shape whose names look like typos of known
// ones. Attributes need no description, but an unknown name close to a known one is probably a
// mistake.
func (r *Registry) checkAttributeNames(d document, fragment gaby.Value) {
	known := r.attributeNames()
	for _, e := range fragment.Get("attributes").All() {
		name := e.Key()
		if slices.Contains(known, name) {
			continue
		}
		if meant := configkit.LikelyTypos(name, known); len(meant) > 0 {
			d.failKey(e, hintFor(name, meant), "no file describes this attribute")
		}
	}
}

// attributeNames returns the attributes that are described in files or registered, sorted.
func (r *Registry) attributeNames() []string {
	var names []string
	for _, d := range r.documents {
		for _, e := range d.entry("attributes").All() {
			names = append(names, e.Key())
		}
	}
	for _, attributes := range r.added {
		for name := range attributes {
			names = append(names, string(name))
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// builtInAttribute returns the description of a built-in attribute, and its document.
func (r *Registry) builtInAttribute(name string) (document, gaby.Value) {
	for _, d := range r.documents {
		if entry := d.entry("attributes", name); d.BuiltIn && entry.Exists() {
			return d, entry
		}
	}
	return document{}, gaby.Value{}
}

// SimilarTypes reports whether a resource of type a may become one of type b and remain the same
// resource: the kinds must be equal or of one family, whatever the group and version.
func (r *Registry) SimilarTypes(a, b api.ResourceType) bool {
	kindA, kindB := configkit.KindOf(a), configkit.KindOf(b)
	if kindA == kindB {
		return true
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.parse()
	for _, d := range r.documents {
		for _, family := range d.entry("families").All() {
			hasA, hasB := false, false
			for _, kind := range family.All() {
				hasA, hasB = hasA || kind.EqualText(kindA), hasB || kind.EqualText(kindB)
			}
			if hasA && hasB {
				return true
			}
		}
	}
	return false
}

// ResourceTypes returns the types that have entries or registered paths, sorted.
func (r *Registry) ResourceTypes() []api.ResourceType {
	r.mu.Lock()
	defer r.mu.Unlock()
	names := r.typeNames()
	types := make([]api.ResourceType, len(names))
	for i, name := range names {
		types[i] = api.ResourceType(name)
	}
	return types
}

// typeNames returns the names of ResourceTypes. The caller must hold r.mu.
func (r *Registry) typeNames() []string {
	if r.names != nil {
		return r.names
	}
	r.parse()
	var names []string
	for _, d := range slices.Concat(r.documents, r.allDomains()) {
		names = append(names, d.typeNames()...)
	}
	for t := range r.added {
		names = append(names, string(t))
	}
	slices.Sort(names)
	r.names = slices.Compact(names)
	return r.names
}

// AttributePaths returns the registered paths of an attribute.
func (r *Registry) AttributePaths(name api.AttributeName) configkit.PathSource {
	return configkit.PathSourceFunc(func(t api.ResourceType) []*api.PathVisitorInfo {
		return r.part(t, name).attributes[name]
	})
}

// typePart is a part of what is known about a type: one attribute, justMergeKeys or justSensitive.
type typePart struct {
	of   api.ResourceType
	name api.AttributeName
}

const justMergeKeys api.AttributeName = ""

// part returns what is known about one attribute of a type, or its merge keys. It reads nothing
// else about the type.
func (r *Registry) part(t api.ResourceType, name api.AttributeName) *typeInfo {
	r.mu.Lock()
	defer r.mu.Unlock()
	if k, ok := r.types[t]; ok {
		return k
	}
	return kept(&r.parts, typePart{t, name}, func() *typeInfo {
		r.parse()
		only := r.groups[name]
		if len(only) == 0 {
			only = []api.AttributeName{name}
		}
		return r.compile(t, only)
	})
}

// NeededPaths returns the paths, of any attribute, whose values come from elsewhere.
func (r *Registry) NeededPaths() configkit.PathSource {
	return configkit.PathSourceFunc(func(t api.ResourceType) []*api.PathVisitorInfo {
		return r.typeInfo(t).needed
	})
}

// ProvidedPaths returns the paths, of any attribute, whose values other resources need.
func (r *Registry) ProvidedPaths() configkit.PathSource {
	return configkit.PathSourceFunc(func(t api.ResourceType) []*api.PathVisitorInfo {
		return r.typeInfo(t).provided
	})
}

// PathInfo returns what is registered about a path of a type, or nil. The path may have indexes,
// lookups or wildcards.
func (r *Registry) PathInfo(t api.ResourceType, path api.UnresolvedPath) *api.PathVisitorInfo {
	k := r.typeInfo(t)
	k.mu.Lock()
	defer k.mu.Unlock()
	// Resources of one type are similar, so the same paths are asked for over and over.
	return kept(&k.asked, path, func() *api.PathVisitorInfo { return k.pathInfo(path) })
}

// pathInfo is PathInfo without a cache.
func (k *typeInfo) pathInfo(path api.UnresolvedPath) *api.PathVisitorInfo {
	p, err := yamlpath.Parse(string(path))
	if err != nil {
		return nil
	}
	if info := k.lookup[p.NormalizedPath()]; info != nil {
		return info
	}
	if p.EmbeddedPath() != "" {
		// An accessor registered for the whole value reaches any part of it.
		if info := k.lookup[p.Whole().NormalizedPath()]; info != nil &&
			info.EmbeddedAccessorType != api.EmbeddedAccessorNone {
			return info
		}
	}
	// A key that users choose is registered as *.
	for i := range p.Segments() {
		if s := &p.Segments()[i]; s.Kind == yamlpath.Plain && s.Index < 0 &&
			k.mapKeys[p.Normalized(i)] {
			return k.lookup[p.Wild(i).NormalizedPath()]
		}
	}
	return nil
}

// MergeKeys returns the lists of a type whose elements have merge keys.
func (r *Registry) MergeKeys(t api.ResourceType) *configkit.MergeKeyTree {
	return r.part(t, justMergeKeys).mergeKeys
}

// ExclusiveFields returns the fields of a type of which only one may be present.
func (r *Registry) ExclusiveFields(t api.ResourceType) []configkit.ExclusiveFields {
	return r.typeInfo(t).exclusive
}

// RegisterPaths adds paths of an attribute to a type, or to all types with *. Registering a path
// again replaces it.
func (r *Registry) RegisterPaths(
	name api.AttributeName, t api.ResourceType, paths api.PathToVisitorInfoType,
) error {
	for path, info := range paths {
		text := info.Path
		if text == "" {
			text = path
		}
		if _, err := yamlpath.Parse(string(text)); err != nil {
			return fmt.Errorf("attribute %s of %s: %w", name, t, err)
		}
		if _, err := r.CompileAccessor(
			info.EmbeddedAccessorType, info.EmbeddedAccessorConfig,
		); err != nil {
			return fmt.Errorf("attribute %s of %s: path %s: %w", name, t, text, err)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.add(name, t, paths)
	r.types, r.parts, r.kinds, r.names = nil, nil, nil, nil // what was compiled may be out of date
	return nil
}

func (r *Registry) add(
	name api.AttributeName, t api.ResourceType, paths api.PathToVisitorInfoType,
) {
	if r.added == nil {
		r.added = map[api.ResourceType]map[api.AttributeName]api.PathToVisitorInfoType{}
	}
	if r.added[t] == nil {
		r.added[t] = map[api.AttributeName]api.PathToVisitorInfoType{}
	}
	if r.added[t][name] == nil {
		r.added[t][name] = api.PathToVisitorInfoType{}
	}
	for path, info := range paths {
		own := *info
		own.AttributeName = name
		if own.Path == "" {
			own.Path = path
		}
		r.added[t][name][own.Path] = &own
	}
}

// RegisterPathsByAttributeName adds paths of an attribute to the registry of a provider. The
// invocations, if not nil, read and write the attribute. With skipOverride, paths that are
// registered already are left alone.
func RegisterPathsByAttributeName(
	resourceProvider configkit.ResourceProvider, attributeName api.AttributeName,
	resourceType api.ResourceType,
	pathInfos api.PathToVisitorInfoType, getterInvocation, setterInvocation *api.FunctionInvocation,
	skipOverride bool,
) error {
	paths := make(api.PathToVisitorInfoType, len(pathInfos))
	for path, info := range pathInfos {
		own := *info
		if own.Path == "" {
			own.Path = path
		}
		if skipOverride && resourceProvider.PathInfo(resourceType, own.Path) != nil {
			continue
		}
		if getterInvocation != nil || setterInvocation != nil {
			details := api.AttributeDetails{}
			if own.Details != nil {
				details = *own.Details
			}
			if getterInvocation != nil {
				details.GetterInvocation = getterInvocation
			}
			if setterInvocation != nil {
				details.SetterInvocations = append(
					slices.Clone(details.SetterInvocations), *setterInvocation,
				)
			}
			own.Details = &details
		}
		paths[own.Path] = &own
	}
	return resourceProvider.RegisterPaths(attributeName, resourceType, paths)
}

// CompileAccessor implements yamlpath.Compiler. It keeps accessors, because compiling one is more
// expensive than using it a few times.
func (r *Registry) CompileAccessor(
	t api.EmbeddedAccessorType, config string,
) (yamlpath.Accessor, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return keep(&r.accessors, string(t)+" "+config, func() (yamlpath.Accessor, error) {
		if t == api.EmbeddedAccessorText {
			return yamlpath.NewTexts(r.texts), nil
		}
		return yamlpath.NewAccessor(t, config)
	})
}

// CompilePath implements yamlpath.Compiler. It keeps paths, because every part of a unit needs them
// again.
func (r *Registry) CompilePath(text string) (*yamlpath.Path, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return keep(&r.paths, text, func() (*yamlpath.Path, error) { return yamlpath.Parse(text) })
}

// maxKept bounds caches, since data may name any number of unknown types and paths.
const maxKept = 4096

// kept returns the value of key in the cache m, making it first if necessary.
func kept[K comparable, V any](m *map[K]V, key K, create func() V) V {
	v, _ := keep(m, key, func() (V, error) { return create(), nil })
	return v
}

// keep is kept for values that may be wrong, which are not kept.
func keep[K comparable, V any](m *map[K]V, key K, create func() (V, error)) (V, error) {
	if v, ok := (*m)[key]; ok {
		return v, nil
	}
	v, err := create()
	if err != nil {
		return v, err
	}
	if *m == nil || len(*m) >= maxKept {
		*m = map[K]V{}
	}
	(*m)[key] = v
	return v, nil
}

// typeInfo is everything known about a type, including the entries for *. Except for its cache it
// is immutable.
type typeInfo struct {
	attributes map[api.AttributeName][]*api.PathVisitorInfo // in lexical order of registered path
	// Without the entries for *, by normalized path.
	own     map[api.AttributeName]api.PathToVisitorInfoType
	lookup  map[api.UnresolvedPath]*api.PathVisitorInfo // by normalized path
	mapKeys map[string]bool                             // normalized paths of maps with any keys
	// Of all attributes, in lexical order of registered path.
	needed    []*api.PathVisitorInfo
	provided  []*api.PathVisitorInfo
	mergeKeys *configkit.MergeKeyTree
	exclusive []configkit.ExclusiveFields
	sensitive []*yamlpath.Path // in lexical order of normalized path

	mu    sync.Mutex
	asked map[api.UnresolvedPath]*api.PathVisitorInfo // cache of PathInfo
}

// typeInfo returns the typeInfo of t.
func (r *Registry) typeInfo(t api.ResourceType) *typeInfo {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.compiledType(t)
}

// compiledType returns everything known about a type, compiling it on first use.
func (r *Registry) compiledType(t api.ResourceType) *typeInfo {
	return kept(&r.types, t, func() *typeInfo {
		r.parse()
		return r.compile(t, nil)
	})
}

// compile reads what is known about a type, or only some attributes, or only justMergeKeys or
// justSensitive.
func (r *Registry) compile(t api.ResourceType, only []api.AttributeName) *typeInfo {
	c := r.newTypeCompiler(t)
	c.only = only
	levels := []api.ResourceType{t, api.ResourceTypeAny}
	if t == api.ResourceTypeAny {
		levels = levels[:1]
	}
	for level, of := range levels {
		c.level = level
		c.resourceType(of, 0)
		for _, name := range slices.Sorted(maps.Keys(r.added[of])) {
			if only != nil && !slices.Contains(only, name) &&
				!slices.Contains(only, justSensitive) {
				continue
			}
			paths := r.added[of][name]
			for _, path := range slices.Sorted(maps.Keys(paths)) {
				info := paths[path]
				parsed, err := yamlpath.Parse(string(info.Path))
				if err != nil {
					continue // RegisterPaths refuses it
				}
				if info.DataType == api.DataTypeNone {
					typed := *info
					typed.DataType, info = r.dataTypeOf(name), &typed
				}
				c.add(info, parsed, level)
			}
		}
	}
	return c.finish(r.groups)
}

// parse parses the files on first use. The caller must hold r.mu.
func (r *Registry) parse() {
	if r.documents != nil || len(r.files) == 0 {
		return
	}
	r.documents = []document{}
	for i := range r.files {
		r.documents = append(r.documents, parseDocuments(&r.files[i])...)
	}
	r.readAttributes()
}

// neverReported is the rank of attributes that PathInfo does not return, even if no other attribute
// shares the path.
const neverReported = 10

// rank orders attributes that share a path; PathInfo returns the one with the lowest rank.
func (r *Registry) rank(name api.AttributeName) int {
	if rank, ok := r.ranks[name]; ok {
		return rank
	}
	return 5
}
