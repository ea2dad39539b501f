// Package resourcetypes knows resource types: at which path each attribute is, which lists have merge keys, which fields refer to other
// resources, which values are secret. It reads that from files, lazily, and lets functions register more.
//
// # Invariants
//
//   - Only what is asked for is read and compiled: one resource type at a time.
//   - Every problem of a file is reported, with line and column.
package resourcetypes

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/yamlpath"
)

// Registry is the knowledge about resource types: which attribute is at which path, which lists have merge keys. It is read
// from text in the vocabulary described at File, one resource type at a time and only when asked for, and paths
// can be added. A ResourceProvider embeds one. It can be used concurrently.
type Registry struct {
	mu          sync.Mutex
	files       []File
	domainFiles fs.FS                          // further built-in files, see WithDomains
	documents   []knowledgeDocument            // of files; nil until something is asked for
	domains     map[string][]knowledgeDocument // by domain of API groups: documents and those of the domain
	groups      map[api.AttributeName][]api.AttributeName
	versions    map[string][]string // by type that a reference refers to
	types       map[api.ResourceType]*typeInfo
	parts       map[typePart]*typeInfo
	kinds       []string // see SensitiveKinds; nil until it is asked for
	added       map[api.ResourceType]map[api.AttributeName]api.PathToVisitorInfoType
	scopes      map[api.ResourceType]configkit.Scope
	accessors   map[string]yamlpath.Accessor
	paths       map[string]*yamlpath.Path
}

// New makes a registry. The files are not read before something is asked for; Check reads all of them.
func New(files ...File) *Registry { return &Registry{files: files} }

// Snapshot is a registry with what this one knows now.
func (r *Registry) Snapshot() *Registry {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := New(r.files...).WithDomains(r.domainFiles)
	for t, attributes := range r.added {
		for name, paths := range attributes {
			s.add(name, t, paths)
		}
	}
	return s
}

// Check reads everything and returns what is wrong with the files.
func (r *Registry) Check() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.check(0)
}

// check reads the files from one on.
func (r *Registry) check(from int) error {
	if err := r.parse(); err != nil {
		return err
	}
	var problems problems
	for i := from; i < len(r.files); i++ {
		for _, d := range r.documents {
			if d.File == &r.files[i] {
				problems.add(r.checkDocument(d))
			}
		}
	}
	if from > 0 {
		return problems.err()
	}
	domains, err := r.allDomains()
	problems.add(err)
	for _, d := range domains {
		problems.add(r.checkDocument(d))
	}
	return problems.err()
}

// AddFiles adds the knowledge of more files, which are read and checked at once; nothing is added when one of them is wrong.
// The error is a *Error, or several that are joined.
func (r *Registry) AddFiles(files ...File) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	files0, documents, groups, types, parts := r.files, r.documents, r.groups, r.types, r.parts
	r.files = append(slices.Clone(r.files), files...)
	r.documents, r.domains, r.groups, r.versions, r.types, r.parts, r.scopes, r.kinds = nil, nil, nil, nil, nil, nil, nil, nil
	err := r.check(len(files0))
	if err != nil {
		r.files, r.documents, r.domains, r.groups, r.versions, r.types, r.parts, r.scopes = files0, documents, nil, groups, nil, types, parts, nil
	}
	return err
}

// checkDocument reads all that a file says.
func (r *Registry) checkDocument(d knowledgeDocument) error {
	sections := []string{"accessors", "shapes", "families", "resourceTypes", "attributes", "clusterScoped"}
	return d.fields(d.doc.Value(), "", sections, func(section string, v gaby.Value) error {
		switch section {
		case "clusterScoped":
			return d.failKey(v, "write scope: Cluster into the entry of each type under resourceTypes instead")
		case "families":
			return d.items(v, section, func(family gaby.Value) error {
				_, err := d.texts(family, section)
				return err
			})
		}
		return d.fields(v, section, nil, func(name string, entry gaby.Value) error {
			switch section {
			case "accessors":
				_, _, err := accessorOf(d, entry)
				return err
			case "shapes":
				return errors.Join(r.newTypeCompiler("").fragment(d, entry, "x", 1), r.checkAttributeNames(d, entry))
			case "resourceTypes":
				if slash := strings.IndexByte(name, '/'); name != "*" && (slash <= 0 || strings.HasSuffix(name, "/")) {
					return d.failKey(entry, "a resource type is apiVersion/kind, such as example.com/v1/Cache")
				}
				_, err := r.typeKnowledge(api.ResourceType(name))
				return errors.Join(err, r.checkAttributeNames(d, entry))
			}
			if !d.BuiltIn {
				if clash, ok := r.builtInAttribute(name); ok {
					err := d.failKey(entry, "the attribute is built in")
					err.Hint = clash
					return err
				}
			}
			_, err := r.describe(d, entry)
			return err
		})
	})
}

// checkAttributeNames finds attributes of a type or shape that are called almost like one that is known. Attributes need not be
// described, but one that nobody describes is more likely to be another one misspelt.
func (r *Registry) checkAttributeNames(d knowledgeDocument, fragment gaby.Value) error {
	known := r.attributeNames()
	return d.fields(fragment.Get("attributes"), "attributes", nil, func(name string, entry gaby.Value) error {
		if slices.Contains(known, name) {
			return nil
		}
		if meant := configkit.Misspelt(name, known); len(meant) > 0 {
			return d.unknown(entry.KeyPosition(), name, "no file describes this attribute", name, meant)
		}
		return nil
	})
}

// attributeNames are the attributes that files describe and that were registered, sorted.
func (r *Registry) attributeNames() []string {
	var names []string
	for _, d := range r.documents {
		for e := d.entry("attributes").First(); e.Exists(); e = e.Next() {
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

// builtInAttribute tells whether the program knows an attribute, and what to do instead of describing it anew.
func (r *Registry) builtInAttribute(name string) (hint string, ok bool) {
	for _, d := range r.documents {
		if d.BuiltIn && d.entry("attributes", name).Exists() {
			return "register paths for it under resourceTypes, or choose another name", true
		}
	}
	return "", false
}

// SimilarTypes tells whether a resource of one type may become one of the other and stay the same resource: the kinds are the
// same, whatever group and version are, or of one family.
func (r *Registry) SimilarTypes(a, b api.ResourceType) bool {
	kindA, kindB := kindOf(a), kindOf(b)
	if kindA == kindB {
		return true
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.parse(); err != nil {
		panic(err) // files are checked before
	}
	for _, d := range r.documents {
		for family := d.entry("families").First(); family.Exists(); family = family.Next() {
			hasA, hasB := false, false
			for kind := family.First(); kind.Exists(); kind = kind.Next() {
				hasA, hasB = hasA || kind.TextIs(kindA), hasB || kind.TextIs(kindB)
			}
			if hasA && hasB {
				return true
			}
		}
	}
	return false
}

// kindOf is what a type ends in.
func kindOf(t api.ResourceType) string { return string(t[strings.LastIndexByte(string(t), '/')+1:]) }

// ResourceTypes are the types something specific is known about, sorted.
func (r *Registry) ResourceTypes() ([]api.ResourceType, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	names, err := r.typeNames()
	types := make([]api.ResourceType, len(names))
	for i, name := range names {
		types[i] = api.ResourceType(name)
	}
	return types, err
}

// typeNames are ResourceTypes.
func (r *Registry) typeNames() ([]string, error) {
	if err := r.parse(); err != nil {
		return nil, err
	}
	domains, err := r.allDomains()
	if err != nil {
		return nil, err
	}
	var names []string
	for _, d := range slices.Concat(r.documents, domains) {
		names = append(names, d.typeNames()...)
	}
	for t := range r.added {
		names = append(names, string(t))
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// AttributePaths are the registered paths of an attribute.
func (r *Registry) AttributePaths(name api.AttributeName) configkit.PathSource {
	return attributePaths{r, name}
}

type attributePaths struct {
	registry *Registry
	name     api.AttributeName
}

func (a attributePaths) PathsOf(t api.ResourceType) []*api.PathVisitorInfo {
	return a.registry.part(t, a.name).attributes[a.name]
}

// maxTypes bounds how much is kept of types that data name and nobody has heard of.
const maxTypes = 4096

// typePart is one attribute of a type, justMergeKeys or justSensitive.
type typePart struct {
	of   api.ResourceType
	name api.AttributeName
}

const justMergeKeys api.AttributeName = ""

// part knows about one attribute of a type, or its merge keys. As long as nothing else is asked about the type, nothing else is read.
func (r *Registry) part(t api.ResourceType, name api.AttributeName) *typeInfo {
	r.mu.Lock()
	defer r.mu.Unlock()
	if k, ok := r.types[t]; ok {
		return k
	}
	key := typePart{t, name}
	if k, ok := r.parts[key]; ok {
		return k
	}
	err := r.parse()
	if err == nil {
		only := r.groups[name]
		if len(only) == 0 {
			only = []api.AttributeName{name}
		}
		var k *typeInfo
		if k, err = r.compile(t, only); err == nil {
			if r.parts == nil {
				r.parts = map[typePart]*typeInfo{}
			}
			if len(r.parts) >= maxTypes {
				clear(r.parts)
			}
			r.parts[key] = k
			return k
		}
	}
	panic(err) // files are checked before
}

// NeededPaths are the paths, of any attribute, whose values come from elsewhere.
func (r *Registry) NeededPaths() configkit.PathSource {
	return pathSource(func(t api.ResourceType) []*api.PathVisitorInfo { return r.knowledge(t).needed })
}

// ProvidedPaths are the paths, of any attribute, whose values others need.
func (r *Registry) ProvidedPaths() configkit.PathSource {
	return pathSource(func(t api.ResourceType) []*api.PathVisitorInfo { return r.knowledge(t).provided })
}

// pathSource is a function as a configkit.PathSource.
type pathSource func(t api.ResourceType) []*api.PathVisitorInfo

func (s pathSource) PathsOf(t api.ResourceType) []*api.PathVisitorInfo { return s(t) }

// PathInfo is what is registered about a path of a type, nil when nothing is. The path may be given with indexes, lookups
// or wildcards.
func (r *Registry) PathInfo(t api.ResourceType, path api.UnresolvedPath) *api.PathVisitorInfo {
	k := r.knowledge(t)
	k.mu.Lock()
	defer k.mu.Unlock()
	if info, ok := k.asked[path]; ok {
		return info
	}
	if len(k.asked) >= maxAsked {
		clear(k.asked)
	}
	info := k.pathInfo(path)
	k.asked[path] = info
	return info
}

// maxAsked bounds how many answers are kept. Resources of a type are much alike, so the same paths are asked for over and over.
const maxAsked = 4096

func (k *typeInfo) pathInfo(path api.UnresolvedPath) *api.PathVisitorInfo {
	p, err := yamlpath.Parse(string(path))
	if err != nil {
		return nil
	}
	if info := k.lookup[p.NormalizedPath()]; info != nil {
		return info
	}
	if p.EmbeddedPath() != "" {
		// An accessor that is registered for the whole value reaches any part of it.
		if info := k.lookup[p.Whole().NormalizedPath()]; info != nil && info.EmbeddedAccessorType != api.EmbeddedAccessorNone {
			return info
		}
	}
	// A key that a user chose is registered as *.
	for i := range p.Segments() {
		if s := &p.Segments()[i]; s.Kind == yamlpath.Plain && s.Index < 0 && k.mapKeys[p.Normalized(i)] {
			return k.lookup[p.Wild(i).NormalizedPath()]
		}
	}
	return nil
}

// MergeKeys are the lists of a type whose elements are known by a key.
func (r *Registry) MergeKeys(t api.ResourceType) *configkit.MergeKeyTree {
	return r.part(t, justMergeKeys).mergeKeys
}

// ExclusiveFields are the fields of a type of which one alone may be present.
func (r *Registry) ExclusiveFields(t api.ResourceType) []configkit.ExclusiveFields {
	return r.knowledge(t).exclusive
}

// RegisterPaths adds paths of an attribute to a type, or to all types with *. Registering a path again replaces it.
func (r *Registry) RegisterPaths(name api.AttributeName, t api.ResourceType, paths api.PathToVisitorInfoType) error {
	for path, info := range paths {
		text := info.Path
		if text == "" {
			text = path
		}
		if _, err := yamlpath.Parse(string(text)); err != nil {
			return fmt.Errorf("attribute %s of %s: %w", name, t, err)
		}
		if _, err := r.CompileAccessor(info.EmbeddedAccessorType, info.EmbeddedAccessorConfig); err != nil {
			return fmt.Errorf("attribute %s of %s: path %s: %w", name, t, text, err)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.add(name, t, paths)
	r.types, r.parts, r.kinds = nil, nil, nil // what was compiled may be out of date
	return nil
}

func (r *Registry) add(name api.AttributeName, t api.ResourceType, paths api.PathToVisitorInfoType) {
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

// RegisterPathsByAttributeName adds paths of an attribute to the registry of a provider. The invocations, if given, are what
// reads and writes the attribute. With skipOverride, a path about which something is registered already is left alone.
func RegisterPathsByAttributeName(resourceProvider configkit.ResourceProvider, attributeName api.AttributeName, resourceType api.ResourceType,
	pathInfos api.PathToVisitorInfoType, getterInvocation, setterInvocation *api.FunctionInvocation, skipOverride bool,
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
				details.SetterInvocations = append(slices.Clone(details.SetterInvocations), *setterInvocation)
			}
			own.Details = &details
		}
		paths[own.Path] = &own
	}
	return resourceProvider.RegisterPaths(attributeName, resourceType, paths)
}

// CompileAccessor implements yamlpath.Compiler. It keeps accessors, because compiling one is more expensive than using it a few times.
func (r *Registry) CompileAccessor(t api.EmbeddedAccessorType, config string) (yamlpath.Accessor, error) {
	return keep(&r.mu, &r.accessors, string(t)+" "+config, func() (yamlpath.Accessor, error) { return yamlpath.NewAccessor(t, config) })
}

// CompilePath implements yamlpath.Compiler. It keeps paths, because every part of a unit needs them again.
func (r *Registry) CompilePath(text string) (*yamlpath.Path, error) {
	return keep(&r.mu, &r.paths, text, func() (*yamlpath.Path, error) { return yamlpath.Parse(text) })
}

// maxCompiled bounds how much of what was compiled is kept.
const maxCompiled = 4096

// keep is the value m has for a key, made when it has none.
func keep[V any](mu *sync.Mutex, m *map[string]V, key string, compile func() (V, error)) (V, error) {
	mu.Lock()
	defer mu.Unlock()
	if v, ok := (*m)[key]; ok {
		return v, nil
	}
	v, err := compile()
	if err != nil {
		return v, err
	}
	if *m == nil || len(*m) >= maxCompiled {
		*m = map[string]V{}
	}
	(*m)[key] = v
	return v, nil
}

// typeInfo is everything known about one type, that about * included. But for the answers it keeps it is
// immutable once made.
type typeInfo struct {
	attributes map[api.AttributeName][]*api.PathVisitorInfo    // in lexical order of registered path
	own        map[api.AttributeName]api.PathToVisitorInfoType // without what is said of *, by normalised path
	lookup     map[api.UnresolvedPath]*api.PathVisitorInfo     // by normalised path
	mapKeys    map[string]bool                                 // normalised paths of maps whose keys users choose
	needed     []*api.PathVisitorInfo                          // of all attributes, in lexical order of registered path
	provided   []*api.PathVisitorInfo
	mergeKeys  *configkit.MergeKeyTree
	exclusive  []configkit.ExclusiveFields
	sensitive  []*yamlpath.Path // in lexical order of normalised path

	mu    sync.Mutex
	asked map[api.UnresolvedPath]*api.PathVisitorInfo // answers of PathInfo
}

// knowledge is typeInfo of files that were checked: the embedded one by a test, users' files when they are loaded.
func (r *Registry) knowledge(t api.ResourceType) *typeInfo {
	r.mu.Lock()
	defer r.mu.Unlock()
	k, err := r.typeKnowledge(t)
	if err != nil {
		panic(err)
	}
	return k
}

func (r *Registry) typeKnowledge(t api.ResourceType) (*typeInfo, error) {
	if k, ok := r.types[t]; ok {
		return k, nil
	}
	if err := r.parse(); err != nil {
		return nil, err
	}
	k, err := r.compile(t, nil)
	if err != nil {
		return nil, err
	}
	if r.types == nil {
		r.types = map[api.ResourceType]*typeInfo{}
	}
	if len(r.types) >= maxTypes {
		clear(r.types)
	}
	r.types[t] = k
	return k, nil
}

// compile reads what is known about a type, or only the paths of some attributes, or justMergeKeys.
func (r *Registry) compile(t api.ResourceType, only []api.AttributeName) (*typeInfo, error) {
	c := r.newTypeCompiler(t)
	c.only = only
	levels := []api.ResourceType{t, api.ResourceTypeAny}
	if t == api.ResourceTypeAny {
		levels = levels[:1]
	}
	for level, of := range levels {
		c.level = level
		if err := c.resourceType(of, 0); err != nil {
			return nil, err
		}
		for _, name := range slices.Sorted(maps.Keys(r.added[of])) {
			if only != nil && !slices.Contains(only, name) && !slices.Contains(only, justSensitive) {
				continue
			}
			paths := r.added[of][name]
			for _, path := range slices.Sorted(maps.Keys(paths)) {
				parsed, err := yamlpath.Parse(string(paths[path].Path))
				if err != nil {
					return nil, err
				}
				c.add(paths[path], parsed, level)
			}
		}
	}
	return c.finish(r.groups), nil
}

func (r *Registry) parse() error {
	if r.documents != nil || len(r.files) == 0 {
		return nil
	}
	documents := []knowledgeDocument{}
	for i := range r.files {
		docs, err := parseKnowledge(&r.files[i])
		if err != nil {
			return err
		}
		documents = append(documents, docs...)
	}
	r.documents = documents
	r.groups = r.attributeGroups()
	return nil
}

// neverReported is the rank of attributes under whose name a place is not reported where several or any would do.
const neverReported = 10

// attributeRank orders the attributes that may have the same path by which of them is reported.
func attributeRank(name api.AttributeName) int {
	switch {
	case strings.HasPrefix(string(name), "container-"):
		return 0
	case name == "env-value", strings.HasPrefix(string(name), "disruption-"):
		return neverReported
	case name == "replicas":
		return 2
	case name == "app-label":
		return 3
	case name == "resource-name":
		return 4
	case name == "default-name":
		return 6
	case name == "metadata-name":
		return 7
	case name == "label-value":
		return 8
	case name == "namespace-name-reference":
		return 9
	}
	return 5
}
