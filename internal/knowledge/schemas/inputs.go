package schemas

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
)

// inputs surveys all input files of a run with several.
type inputs struct {
	read      func() []SchemaFile // nil if there are none
	parsed    sync.Once
	defined   definitions
	resources []InputResource

	indexed   sync.Once
	index     *ResourceIndex
	kept      sync.Once
	documents gaby.Container
	names     []string // of the file of each document
	listed    sync.Once
	patches   map[string]bool        // the files that kustomizations list as patches
	placed    func() map[string]bool // see GetsNamespace

	mu      sync.Mutex
	derived map[any]any
}

// AddInputs adds the CustomResourceDefinitions of other input files. They are used for types
// without any other schema; read is called when such a type occurs. Anything else in these files,
// errors included, is ignored.
func (l *Library) AddInputs(read func() []SchemaFile) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.inputs = &inputs{read: read}
	l.inputs.placed = sync.OnceValue(l.inputs.inNamespaces)
}

// ofRun returns the survey of the input files, which may be empty.
func (l *Library) ofRun() *inputs {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.inputs == nil {
		l.inputs = &inputs{placed: func() map[string]bool { return nil }}
	}
	return l.inputs
}

// files returns the input files.
func (i *inputs) files() []SchemaFile {
	if i.read == nil {
		return nil
	}
	return i.read()
}

// definitions returns the definitions in the input files, which it reads on first use.
func (i *inputs) definitions() definitions {
	i.parsed.Do(func() {
		i.defined = definitions{}
		number := 0
		for _, f := range i.files() {
			docs := f.documents()
			for _, doc := range docs {
				h, err := doc.Header()
				if err == nil && (h.Name != "" || h.GenerateName != "") {
					name := strings.Clone(h.Name)
					i.resources = append(i.resources, InputResource{
						ResourceInfo: api.ResourceInfo{
							ResourceType:             api.ResourceType(h.APIVersion + "/" + h.Kind),
							ResourceName:             api.ResourceName(h.Namespace + "/" + name),
							ResourceNameWithoutScope: api.ResourceName(name),
						},
						File: f.Name, Line: doc.Position().Line, document: number,
					})
				}
				number++
			}
			i.defined.mergeAll(docs)
		}
	})
	return i.defined
}

// InputResource is a resource of an input file. Its name is empty if the cluster generates it.
type InputResource struct {
	api.ResourceInfo
	File string
	Line int // of its document

	document int // its index in InputDocuments
}

// InputProvider is a provider that knows the input files of a run with several.
type InputProvider interface {
	Scope(t api.ResourceType) configkit.Scope
	Inputs() *ResourceIndex
	InputDocuments() gaby.Container
	InputFiles() []string
	InputDocument(in InputResource) *gaby.YamlDoc
	FromInputs(key any, compute func() any) any
}

// Inputs returns the resources of all input files.
func (l *Library) Inputs() *ResourceIndex {
	i := l.ofRun()
	i.indexed.Do(func() {
		i.definitions()
		i.index = IndexResources(i.resources)
	})
	return i.index
}

// IsAggregated reports whether another server than that of Kubernetes serves a type: the input has the
// APIService. A CustomResourceDefinition of its group says nothing about the type.
func (l *Library) IsAggregated(t api.ResourceType) bool {
	group, version, _ := configkit.SplitType(t)
	return len(l.Inputs().In("apiregistration.k8s.io/APIService", "", version+"."+group)) > 0
}

// InputDocuments returns the documents of all input files. They are kept from the first call on,
// and can be read concurrently.
func (l *Library) InputDocuments() gaby.Container {
	i := l.ofRun()
	i.kept.Do(func() {
		for _, f := range i.files() {
			docs := f.documents()
			for _, doc := range docs {
				// Reading a document for the first time scans it and keeps its header. Its users
				// report what is wrong with it.
				_ = doc.Check()
				_, _ = doc.Header()
			}
			i.documents = append(i.documents, docs...)
			i.names = append(i.names, slices.Repeat([]string{f.Name}, len(docs))...)
		}
	})
	return i.documents
}

// InputFiles returns the name of the file of each of the InputDocuments.
func (l *Library) InputFiles() []string {
	l.InputDocuments()
	return l.ofRun().names
}

// InputDocument returns the document of a resource of the input files.
func (l *Library) InputDocument(in InputResource) *gaby.YamlDoc {
	return l.InputDocuments()[in.document]
}

// FromInputs returns what compute finds in the input files. It is computed once for each key, so
// that a function that runs on every file does not survey all of them each time. compute must not
// call FromInputs.
func (l *Library) FromInputs(key any, compute func() any) any {
	i := l.ofRun()
	i.mu.Lock()
	defer i.mu.Unlock()
	found, ok := i.derived[key]
	if !ok {
		found = compute()
		if i.derived == nil {
			i.derived = map[any]any{}
		}
		i.derived[key] = found
	}
	return found
}

// ResourceIndex finds resources by group and kind, namespace and name. The types of the same kind
// count as one, whatever their versions.
type ResourceIndex struct {
	types map[api.ResourceType]string // their kinds
	kinds map[string]bool
	// The namespaces of the resources.
	namespaces map[string]bool
	// Resources with names, by kind, namespace and name. The namespace Anywhere has the resources
	// of all namespaces.
	places map[schemaPlace][]InputResource
	names  map[schemaPlace][]string // sorted, by kind and namespace
}

// schemaPlace is where resources are. Resources outside namespaces have an empty one.
type schemaPlace struct{ kind, namespace, name string }

// Anywhere means any namespace.
const Anywhere = "*"

// IndexResources returns an index of resources.
func IndexResources(all []InputResource) *ResourceIndex {
	x := &ResourceIndex{
		types: map[api.ResourceType]string{}, kinds: map[string]bool{},
		namespaces: map[string]bool{},
		places: make(
			map[schemaPlace][]InputResource,
			2*len(all),
		), names: map[schemaPlace][]string{},
	}
	for _, in := range all {
		kind, ok := x.types[in.ResourceType]
		if !ok {
			kind = configkit.GroupKind(in.ResourceType)
			x.types[in.ResourceType], x.kinds[kind] = kind, true
		}
		name := string(in.ResourceNameWithoutScope)
		namespace, _, _ := strings.Cut(string(in.ResourceName), "/")
		if namespace != "" {
			x.namespaces[namespace] = true
		}
		if name == "" {
			continue
		}
		for _, n := range []string{namespace, Anywhere} {
			p := schemaPlace{kind, n, name}
			if x.places[p] == nil {
				of := schemaPlace{kind: kind, namespace: n}
				x.names[of] = append(x.names[of], name)
			}
			x.places[p] = append(x.places[p], in)
		}
	}
	for _, names := range x.names {
		slices.Sort(names)
	}
	return x
}

// Types returns the types of the resources, sorted.
func (x *ResourceIndex) Types() []api.ResourceType { return slices.Sorted(maps.Keys(x.types)) }

// HasKind reports whether there is a resource of a kind.
func (x *ResourceIndex) HasKind(kind string) bool { return x.kinds[kind] }

// HasNamespace reports whether there is a resource in a namespace.
func (x *ResourceIndex) HasNamespace(namespace string) bool { return x.namespaces[namespace] }

// In returns the resources of a kind with a name in a namespace, or Anywhere, in the order of the
// input. Resources outside namespaces have an empty one.
func (x *ResourceIndex) In(kind, namespace, name string) []InputResource {
	return x.places[schemaPlace{kind, namespace, name}]
}

// Has reports whether there is a resource of a kind with a name that may be in a namespace: a
// namespace that is not known, here or of the resource, is like any other.
func (x *ResourceIndex) Has(kind, namespace, name string) bool {
	if namespace == "" {
		namespace = Anywhere
	}
	return len(x.In(kind, namespace, name)) > 0 || len(x.In(kind, "", name)) > 0
}

// Names returns the names of all resources of a kind, sorted.
func (x *ResourceIndex) Names(kind string) []string {
	return x.names[schemaPlace{kind: kind, namespace: Anywhere}]
}

// NamesNear returns names of resources for which Has reports true, for suggestions: of a kind with
// many resources, those next to name in alphabetical order, where most misspelled names are.
func (x *ResourceIndex) NamesNear(kind, namespace, name string) []string {
	if namespace == "" {
		return near(x.Names(kind), name)
	}
	of := schemaPlace{kind: kind, namespace: namespace}
	return slices.Concat(near(x.names[of], name), near(x.names[schemaPlace{kind: kind}], name))
}

// near returns the elements of a sorted list around the place of name.
func near(names []string, name string) []string {
	const most = 8 // on either side
	at, _ := slices.BinarySearchFunc(names, name, cmp.Compare)
	return names[max(0, at-most):min(len(names), at+most)]
}
