// Package k8skit implements the Kubernetes/YAML toolchain: a converter, which has nothing to
// convert, and a provider that knows Kubernetes resource types.
//
// # Invariants
//
//   - Knowledge about resource types is data, in resource_types.yaml, not code.
//   - None of it is read before a resource of the type occurs.
//   - Resources are identified without scanning their documents.
//
// Layer: configkit.
package k8skit

import (
	"cmp"
	"embed"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/knowledge/resourcetypes"
	"github.com/fctl-dev/fctl/internal/knowledge/schemas"
	"github.com/fctl-dev/fctl/internal/yamlpath"
)

//go:embed resource_types.yaml
var resourceTypes []byte

// operators describes the resource types of operators, one file per domain of API groups.
//
//go:embed operators
var operators embed.FS

// K8sResourceProvider is the provider of the built-in executor, where authors register the paths of
// their own resource types. Executors use a snapshot taken when they are created, so register
// first.
var K8sResourceProvider = New()

// ResourceProvider knows Kubernetes resources.
//
// It is also a converter, because functions written for ConfigHub's SDK register with one value for
// both.
type ResourceProvider struct {
	Converter
	*resourcetypes.Registry
	schemas *schemas.Library
	fields  *schemas.Fields
	names   *nameChecks
}

var (
	_ configkit.ResourceProvider = (*ResourceProvider)(nil)
	_ configkit.ConfigConverter  = (*ResourceProvider)(nil)
)

// New returns a provider that knows the built-in types and those of more files in the same format.
func New(files ...resourcetypes.TypesFile) *ResourceProvider {
	builtIn := resourcetypes.TypesFile{
		Name:    "resource_types.yaml",
		Text:    resourceTypes,
		BuiltIn: true,
	}
	domains, err := fs.Sub(operators, "operators")
	if err != nil {
		panic(err) // cannot happen: the directory is embedded
	}
	registry := resourcetypes.New(append([]resourcetypes.TypesFile{builtIn}, files...)...).
		WithDomains(domains)
	library := &schemas.Library{}
	return &ResourceProvider{
		Registry: registry, schemas: library, fields: library.Fields(), names: &nameChecks{},
	}
}

// Snapshot returns a copy that does not see later changes.
func (p *ResourceProvider) Snapshot() *ResourceProvider {
	library := p.schemas.Snapshot()
	return &ResourceProvider{
		Registry: p.Registry.Snapshot(), schemas: library, fields: library.Fields(), names: p.names,
	}
}

// Schemas returns the schemas of resources.
func (p *ResourceProvider) Schemas() *schemas.Library { return p.schemas }

// Field returns what the schema of a type says about the field at a path.
func (p *ResourceProvider) Field(t api.ResourceType, path *yamlpath.Path) yamlpath.Field {
	return p.fields.Field(t, path)
}

// MergeKeys returns the lists of a type whose elements have merge keys, according to the type's
// entries and to its CustomResourceDefinition.
func (p *ResourceProvider) MergeKeys(t api.ResourceType) *configkit.MergeKeyTree {
	return p.fields.MergeKeys(t, p.Registry.MergeKeys(t))
}

// KeyOrder returns the fields of the map at a path of a document in the order in which they are
// written, which is that of the schema of its type.
func (p *ResourceProvider) KeyOrder(root gaby.Value, path []string) []string {
	// Users choose the names of labels and annotations. Reading the schemas to learn that would be
	// a third of set-label.
	if n := len(path); n > 1 && path[n-2] == "metadata" &&
		(path[n-1] == "labels" || path[n-1] == "annotations") {
		return nil
	}
	if len(path) > 1 && path[0] == "items" && strings.HasSuffix(root.Get("kind").Text(), "List") {
		index, err := strconv.Atoi(path[1])
		if err != nil {
			return nil
		}
		root, path = root.Get("items").Index(index), path[2:]
	}
	t := api.ResourceType(root.Get("apiVersion").Text() + "/" + root.Get("kind").Text())
	return p.fields.Field(t, yamlpath.Exactly(path)).Keys
}

// Scope returns whether the resources of a type are in namespaces, according to the type's entries
// or else to a CustomResourceDefinition in a schema file or another input file.
func (p *ResourceProvider) Scope(t api.ResourceType) configkit.Scope {
	return cmp.Or(p.Registry.Scope(t), p.schemas.Scope(t))
}

// Inputs returns the resources of all input files of a run with several.
func (p *ResourceProvider) Inputs() *schemas.ResourceIndex { return p.schemas.Inputs() }

// InputDocuments returns the documents of all input files.
func (p *ResourceProvider) InputDocuments() gaby.Container { return p.schemas.InputDocuments() }

// InputFiles returns the name of the file of each of the InputDocuments.
func (p *ResourceProvider) InputFiles() []string { return p.schemas.InputFiles() }

// InputDocument returns the document of a resource of the input files.
func (p *ResourceProvider) InputDocument(in schemas.InputResource) *gaby.YamlDoc {
	return p.schemas.InputDocument(in)
}

// FromInputs returns what compute finds in the input files, which it computes once for each key.
func (p *ResourceProvider) FromInputs(key any, compute func() any) any {
	return p.schemas.FromInputs(key, compute)
}

// ToolchainType returns Kubernetes/YAML.
func (*ResourceProvider) ToolchainType() api.ToolchainType { return api.ToolchainKubernetesYAML }

// DefaultResourceCategory returns Resource.
func (*ResourceProvider) DefaultResourceCategory() api.ResourceCategory {
	return api.ResourceCategoryResource
}

// ResourceTypeGetter returns apiVersion/kind.
func (*ResourceProvider) ResourceTypeGetter(doc *gaby.YamlDoc) (api.ResourceType, error) {
	h, err := header(doc)
	if err != nil {
		return "", err
	}
	return api.ResourceType(h.APIVersion + "/" + h.Kind), nil
}

// ResourceNameGetter returns namespace/name. The namespace may be empty; metadata.generateName
// counts as a name. Kustomizations and the configuration of programs have apiVersion and kind, but
// no name: theirs is empty.
func (*ResourceProvider) ResourceNameGetter(doc *gaby.YamlDoc) (api.ResourceName, error) {
	h, err := header(doc)
	if err != nil {
		return "", err
	}
	return api.ResourceName(h.Namespace + "/" + h.Name), nil
}

// ResourceInfo returns the type, name and category.
func (*ResourceProvider) ResourceInfo(doc *gaby.YamlDoc) (api.ResourceInfo, error) {
	h, err := header(doc)
	if err != nil {
		return api.ResourceInfo{}, err
	}
	// A single allocation for both.
	both, n := h.Namespace+"/"+h.Name+h.APIVersion+"/"+h.Kind, len(h.Namespace)+1+len(h.Name)
	return api.ResourceInfo{
		ResourceName:             api.ResourceName(both[:n]),
		ResourceNameWithoutScope: api.ResourceName(h.Name),
		ResourceType:             api.ResourceType(both[n:]),
		ResourceCategory:         api.ResourceCategoryResource,
	}, nil
}

// header returns the header of a document, without scanning the document.
func header(doc *gaby.YamlDoc) (gaby.Header, error) {
	h, err := doc.Header()
	if h.Name == "" {
		h.Name = h.GenerateName
	}
	// A header found before a syntax error is good enough. If the document is visited, Check
	// reports the error.
	if h.APIVersion != "" && h.Kind != "" && h.Name != "" {
		return h, nil
	}
	if err != nil {
		return h, err
	}
	if h.APIVersion != "" && h.Kind != "" && err == nil && !isEmptyList(h, doc) &&
		!hasOddName(doc) {
		return h, nil
	}
	missing := &configkit.NoResourceError{Pos: doc.Position()}
	for _, field := range []struct{ name, value string }{
		{"apiVersion", h.APIVersion}, {"kind", h.Kind}, {"metadata.name", h.Name},
	} {
		if field.value == "" {
			missing.Missing = append(missing.Missing, field.name)
		}
	}
	missing.Empty = len(missing.Missing) == 3 && doc.IsNull() || h.Name == "" && isEmptyList(h, doc)
	if len(missing.Missing) < 3 { // it may be a broken resource
		for _, field := range missing.Missing {
			if v := doc.Path(field).Value(); v.Exists() && v.Tag() != "!!null" &&
				v.Tag() != "!!str" {
				missing.NoText = append(missing.NoText, field)
			}
		}
	}
	if h.Name == "" && len(missing.Missing) == 1 && !missing.Empty {
		missing.Info = &api.ResourceInfo{
			ResourceName:     api.ResourceName(h.Namespace + "/"),
			ResourceType:     api.ResourceType(h.APIVersion + "/" + h.Kind),
			ResourceCategory: api.ResourceCategoryResource,
		}
	}
	return h, missing
}

// hasOddName reports whether a document has a name that is not a string.
func hasOddName(doc *gaby.YamlDoc) bool {
	v := doc.Path("metadata.name").Value()
	return v.Exists() && v.Tag() != "!!null" && v.Tag() != "!!str"
}

// isEmptyList reports whether a document is a list without resources. Items of other lists are
// documents of their own.
func isEmptyList(h gaby.Header, doc *gaby.YamlDoc) bool {
	items := doc.Value().Get("items")
	return h.APIVersion != "" && strings.HasSuffix(h.Kind, "List") && items.Exists() &&
		(items.Doc().IsNull() || items.Kind() == gaby.List && items.Len() == 0)
}

// RemoveScopeFromResourceName removes the namespace.
func (*ResourceProvider) RemoveScopeFromResourceName(name api.ResourceName) api.ResourceName {
	_, without, ok := strings.Cut(string(name), "/")
	if !ok {
		return name
	}
	return api.ResourceName(without)
}

// ScopelessResourceNamePath returns metadata.name.
func (*ResourceProvider) ScopelessResourceNamePath() api.ResolvedPath { return "metadata.name" }

// ContextPath returns the path of an annotation of confighub.com.
func (*ResourceProvider) ContextPath(field string) api.ResolvedPath {
	return yamlpath.Join([]string{"metadata", "annotations", "confighub.com/" + field})
}

// ResourceNameStableCore returns the part of the name that stays when a resource is re-created for
// each change of its content: the value of an annotation, or else the name within its scope.
func (p *ResourceProvider) ResourceNameStableCore(doc *gaby.YamlDoc) api.ResourceName {
	if core := doc.Path(
		string(p.ContextPath("ResourceNameStableCore")),
	).Value().Text(); core != "" {
		return api.ResourceName(core)
	}
	h, err := header(doc)
	if err != nil {
		return ""
	}
	return api.ResourceName(h.Name)
}

// Converter is the identity, since the native text is YAML already.
type Converter struct{ file string }

var (
	_ configkit.PartConverter    = Converter{}
	_ configkit.DialectConverter = Converter{}
)

// ForFile returns the converter for a file of this name, which may imply a kustomization.
func (Converter) ForFile(name string) configkit.ConfigConverter {
	return Converter{filepath.ToSlash(name)}
}

// NativeToDocuments splits the text into documents, which are scanned when they are visited.
func (c Converter) NativeToDocuments(data []byte) (gaby.Container, error) {
	docs, err := gaby.ParseAll(data)
	configkit.ImplyKustomization(c.file, docs)
	return docs, err
}

// DocumentsToNative prints the documents.
func (Converter) DocumentsToNative(documents gaby.Container) ([]byte, error) {
	return documents.Text(), nil
}

// NativeToParts cuts the text between documents.
func (Converter) NativeToParts(data []byte, size int) *gaby.Parts { return gaby.Cut(data, size) }

// PartToNative prints a part of the documents.
func (Converter) PartToNative(part gaby.Container) [][]byte { return part.Chunks() }
