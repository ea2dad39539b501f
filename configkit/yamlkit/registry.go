package yamlkit

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/functions/api"
)

// Registry is the knowledge about resource types: which attribute is at which path, which lists have merge keys. It is read
// from text in the vocabulary described at KnowledgeFile, one resource type at a time and only when asked for, and paths
// can be added. A ResourceProvider embeds one. It can be used concurrently.
type Registry struct {
	mu        sync.Mutex
	files     []KnowledgeFile
	documents []*gaby.YamlDoc // of files; nil until something is asked for
	types     map[api.ResourceType]*typeKnowledge
	added     map[api.ResourceType]map[api.AttributeName]api.PathToVisitorInfoType
	accessors map[string]EmbeddedAccessor
}

// KnowledgeFile is text that says what is known about resource types:
//
//	accessors:     NAME: {type: Regexp, config: EXPRESSION}
//	shapes:        NAME: a fragment with the keys of a resource type; its paths are relative to where it is embedded
//	resourceTypes: TYPE (or "*"):
//	  embeds:          [{shape, path}]                     puts a shape at a path
//	  mergeKeys:       [{path, key, extraKeys}]            the elements of the list at path are known by key
//	  mapKeyPaths:     [path]                              ends in *: the keys there are chosen by users
//	  attributes:
//	    ATTRIBUTE:     [{path, dataType, accessor, target, default, needed, provided, except}]
//
// dataType is string unless it is given. Of several files that know a type all count, a later one overriding paths.
type KnowledgeFile struct {
	Name string
	Text []byte
}

// KnowledgeError tells what is wrong with a knowledge file.
type KnowledgeError struct {
	File string
	Pos  gaby.Position
	Key  string
	Msg  string
}

func (e *KnowledgeError) Error() string {
	return fmt.Sprintf("%s:%s: %s: %s", e.File, e.Pos, e.Key, e.Msg)
}

// NewRegistry makes a registry. The files are not read before something is asked for; Check reads all of them.
func NewRegistry(files ...KnowledgeFile) *Registry { return &Registry{files: files} }

// Snapshot is a registry with what this one knows now.
func (r *Registry) Snapshot() *Registry {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := NewRegistry(r.files...)
	for t, attributes := range r.added {
		for name, paths := range attributes {
			s.add(name, t, paths)
		}
	}
	return s
}

// Check reads everything and returns the first thing that is wrong with the files.
func (r *Registry) Check() error {
	types, err := r.ResourceTypes()
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, t := range types {
		if _, err := r.typeKnowledge(t); err != nil {
			return err
		}
	}
	return nil
}

// ResourceTypes are the types something specific is known about, sorted.
func (r *Registry) ResourceTypes() ([]api.ResourceType, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.parse(); err != nil {
		return nil, err
	}
	types := map[api.ResourceType]bool{}
	for _, doc := range r.documents {
		for c := doc.Value().Get("resourceTypes").First(); c.Exists(); c = c.Next() {
			types[api.ResourceType(c.Key())] = true
		}
	}
	for t := range r.added {
		types[t] = true
	}
	return slices.Sorted(maps.Keys(types)), nil
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
	return a.registry.knowledge(t).attributes[a.name]
}

// PathInfo is what is registered about a path of a type, nil when nothing is. The path may be given with indexes, lookups
// or wildcards.
func (r *Registry) PathInfo(t api.ResourceType, path api.UnresolvedPath) *api.PathVisitorInfo {
	p, err := ParsePath(string(path))
	if err != nil {
		return nil
	}
	k := r.knowledge(t)
	if info := k.lookup[p.NormalizedPath()]; info != nil {
		return info
	}
	// A key that a user chose is registered as *.
	for i := range p.segments {
		if s := &p.segments[i]; s.kind == plainSegment && s.index < 0 && k.mapKeys[p.normalized(i)] {
			wild := *p
			wild.segments = slices.Clone(p.segments)
			wild.segments[i].kind = anySegment
			return k.lookup[wild.NormalizedPath()]
		}
	}
	return nil
}

// MergeKeys are the lists of a type whose elements are known by a key.
func (r *Registry) MergeKeys(t api.ResourceType) *configkit.MergeKeyTree {
	return r.knowledge(t).mergeKeys
}

// RegisterPaths adds paths of an attribute to a type, or to all types with *. Registering a path again replaces it.
func (r *Registry) RegisterPaths(name api.AttributeName, t api.ResourceType, paths api.PathToVisitorInfoType) error {
	for path, info := range paths {
		text := info.Path
		if text == "" {
			text = path
		}
		if _, err := ParsePath(string(text)); err != nil {
			return fmt.Errorf("attribute %s of %s: %w", name, t, err)
		}
		if _, err := r.compiledAccessor(info.EmbeddedAccessorType, info.EmbeddedAccessorConfig); err != nil {
			return fmt.Errorf("attribute %s of %s: path %s: %w", name, t, text, err)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.add(name, t, paths)
	r.types = nil // what was compiled may be out of date
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

// compiledAccessor keeps accessors, because compiling one costs more than using it a few times.
func (r *Registry) compiledAccessor(t api.EmbeddedAccessorType, config string) (EmbeddedAccessor, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	key := string(t) + " " + config
	if a, ok := r.accessors[key]; ok {
		return a, nil
	}
	a, err := NewEmbeddedAccessor(t, config)
	if err != nil {
		return nil, err
	}
	if r.accessors == nil {
		r.accessors = map[string]EmbeddedAccessor{}
	}
	r.accessors[key] = a
	return a, nil
}

// typeKnowledge is everything known about one type, that about * included. It is immutable once made.
type typeKnowledge struct {
	attributes map[api.AttributeName][]*api.PathVisitorInfo // in lexical order of registered path
	lookup     map[api.UnresolvedPath]*api.PathVisitorInfo  // by normalised path
	mapKeys    map[string]bool                              // normalised paths of maps whose keys users choose
	mergeKeys  *configkit.MergeKeyTree
}

// knowledge is typeKnowledge of files that were checked: the embedded one by a test, users' files when they are loaded.
func (r *Registry) knowledge(t api.ResourceType) *typeKnowledge {
	r.mu.Lock()
	defer r.mu.Unlock()
	k, err := r.typeKnowledge(t)
	if err != nil {
		panic(err)
	}
	return k
}

func (r *Registry) typeKnowledge(t api.ResourceType) (*typeKnowledge, error) {
	if k, ok := r.types[t]; ok {
		return k, nil
	}
	if err := r.parse(); err != nil {
		return nil, err
	}
	c := newTypeCompiler(r)
	levels := []api.ResourceType{t, api.ResourceTypeAny}
	if t == api.ResourceTypeAny {
		levels = levels[:1]
	}
	for level, of := range levels {
		for i, doc := range r.documents {
			c.file = &r.files[i]
			c.document = doc.Value()
			c.level = level
			if err := c.fragment(c.document.Get("resourceTypes").Get(string(of)), "", 0); err != nil {
				return nil, err
			}
		}
		for _, name := range slices.Sorted(maps.Keys(r.added[of])) {
			paths := r.added[of][name]
			for _, path := range slices.Sorted(maps.Keys(paths)) {
				if err := c.path(paths[path], level); err != nil {
					return nil, err
				}
			}
		}
	}
	k := c.finish(t)
	if r.types == nil {
		r.types = map[api.ResourceType]*typeKnowledge{}
	}
	r.types[t] = k
	return k, nil
}

func (r *Registry) parse() error {
	if r.documents != nil || len(r.files) == 0 {
		return nil
	}
	documents := make([]*gaby.YamlDoc, len(r.files))
	for i, file := range r.files {
		doc, err := gaby.ParseYAML(file.Text)
		if err != nil {
			return fmt.Errorf("%s: %w", file.Name, err)
		}
		documents[i] = doc
	}
	r.documents = documents
	return nil
}

// attributeRank orders the attributes that may have the same path by which of them is reported.
func attributeRank(name api.AttributeName) int {
	switch {
	case strings.HasPrefix(string(name), "container-"):
		return 0
	case name == "env-value":
		return 1
	case name == "replicas":
		return 2
	case name == "app-label":
		return 3
	case name == "resource-name":
		return 4
	case name == "default-name", name == "metadata-name", name == "label-value", name == "namespace-name-reference":
		return 6
	}
	return 5
}

// ExclusiveFields are the fields of a type of which one alone may be present.
func (r *Registry) ExclusiveFields(api.ResourceType) []configkit.ExclusiveFields { return nil }

// Attributes describes the attributes of the files other than the first, sorted by name.
func (r *Registry) Attributes() []configkit.AttributeDescription { return nil }

// AttributeInfo describes an attribute.
func (r *Registry) AttributeInfo(name api.AttributeName) (configkit.AttributeDescription, bool) {
	return configkit.AttributeDescription{Name: name}, true
}

// RegisteredPaths is the whole registry.
func (r *Registry) RegisteredPaths() api.AttributeNameToResourceTypeToPathToVisitorInfoType {
	return nil
}
