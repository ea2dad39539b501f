// Package k8skit makes Kubernetes of YAML: the converter (which has nothing to convert) and the provider of what is known
// about Kubernetes resource types.
//
// The rules of this room: what is known about resource types is data, in resource_types.yaml, not code; nothing of it is
// read before a resource of the type is met; what identifies a resource is read without scanning its document.
package k8skit

import (
	"cmp"
	"embed"
	"io/fs"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/k8skit/schemas"
	"github.com/fctl-dev/fctl/configkit/resourcetypes"
	"github.com/fctl-dev/fctl/configkit/yamlpath"
)

//go:embed resource_types.yaml
var resourceTypes []byte

// operators holds what is known about the resource types of operators, one file for each domain of their API groups.
//
//go:embed operators
var operators embed.FS

// K8sResourceProvider is the provider of the built-in executor, on which authors register the paths of their own resource
// types. Executors work on a snapshot taken when they are made, so register first.
var K8sResourceProvider = New()

// ResourceProvider is the knowledge about Kubernetes resources.
//
// It converts too, because functions written for ConfigHub's SDK register with one value for both.
type ResourceProvider struct {
	Converter
	*resourcetypes.Registry
	schemas *schemas.Library
	names   *nameChecks
}

var (
	_ configkit.ResourceProvider = (*ResourceProvider)(nil)
	_ configkit.ConfigConverter  = (*ResourceProvider)(nil)
)

// New makes a provider with the built-in knowledge and that of more files of the same vocabulary.
func New(files ...resourcetypes.File) *ResourceProvider {
	builtIn := resourcetypes.File{Name: "resource_types.yaml", Text: resourceTypes, BuiltIn: true}
	domains, err := fs.Sub(operators, "operators")
	if err != nil {
		panic(err) // the folder is part of the program
	}
	registry := resourcetypes.New(append([]resourcetypes.File{builtIn}, files...)...).WithDomains(domains)
	return &ResourceProvider{Registry: registry, schemas: &schemas.Library{}, names: &nameChecks{}}
}

// Snapshot is a provider with what this one knows now.
func (p *ResourceProvider) Snapshot() *ResourceProvider {
	return &ResourceProvider{Registry: p.Registry.Snapshot(), schemas: p.schemas.Snapshot(), names: p.names}
}

// Schemas are the schemas of resources.
func (p *ResourceProvider) Schemas() *schemas.Library { return p.schemas }

// Scope reports whether the resources of a type are in namespaces: what the entries of types say, else a CustomResourceDefinition in
// a file of schemas or another input file.
func (p *ResourceProvider) Scope(t api.ResourceType) configkit.Scope {
	return cmp.Or(p.Registry.Scope(t), p.schemas.Scope(t))
}

// InputResources are the resources of all input files of a run that has several. Those whose names the cluster makes have none.
func (p *ResourceProvider) InputResources() []api.ResourceInfo { return p.schemas.InputResources() }

// InputsCalled are those of a name, without namespace.
func (p *ResourceProvider) InputsCalled(name string) []schemas.Input {
	return p.schemas.InputsCalled(name)
}

// InputDocuments are the documents of these files.
func (p *ResourceProvider) InputDocuments() gaby.Container { return p.schemas.InputDocuments() }

// ToolchainType is Kubernetes/YAML.
func (*ResourceProvider) ToolchainType() api.ToolchainType { return api.ToolchainKubernetesYAML }

// DefaultResourceCategory is Resource.
func (*ResourceProvider) DefaultResourceCategory() api.ResourceCategory {
	return api.ResourceCategoryResource
}

// ResourceTypeGetter is apiVersion/kind.
func (*ResourceProvider) ResourceTypeGetter(doc *gaby.YamlDoc) (api.ResourceType, error) {
	h, err := header(doc)
	if err != nil {
		return "", err
	}
	return api.ResourceType(h.APIVersion + "/" + h.Kind), nil
}

// ResourceNameGetter is namespace/name; the namespace may be empty, and metadata.generateName counts as the name.
func (*ResourceProvider) ResourceNameGetter(doc *gaby.YamlDoc) (api.ResourceName, error) {
	h, err := header(doc)
	if err != nil {
		return "", err
	}
	return api.ResourceName(h.Namespace + "/" + h.Name), nil
}

// ResourceInfo is type, name and category.
func (*ResourceProvider) ResourceInfo(doc *gaby.YamlDoc) (api.ResourceInfo, error) {
	h, err := header(doc)
	if err != nil {
		return api.ResourceInfo{}, err
	}
	both, n := h.Namespace+"/"+h.Name+h.APIVersion+"/"+h.Kind, len(h.Namespace)+1+len(h.Name) // one piece of memory
	return api.ResourceInfo{
		ResourceName:             api.ResourceName(both[:n]),
		ResourceNameWithoutScope: api.ResourceName(h.Name),
		ResourceType:             api.ResourceType(both[n:]),
		ResourceCategory:         api.ResourceCategoryResource,
	}, nil
}

// header peeks at what identifies a resource.
func header(doc *gaby.YamlDoc) (gaby.Header, error) {
	h, err := doc.Header()
	if h.Name == "" {
		h.Name = h.GenerateName
	}
	// A header that was found in front of what cannot be read is good enough: if the document is visited, its check tells.
	if h.APIVersion != "" && h.Kind != "" && h.Name != "" {
		return h, nil
	}
	if err != nil {
		return h, err
	}
	missing := &configkit.NoResourceError{Pos: doc.Position()}
	for _, field := range []struct{ name, value string }{{"apiVersion", h.APIVersion}, {"kind", h.Kind}, {"metadata.name", h.Name}} {
		if field.value == "" {
			missing.Missing = append(missing.Missing, field.name)
		}
	}
	missing.Empty = len(missing.Missing) == 3 && doc.IsNull() || h.Name == "" && isEmptyList(h, doc)
	if len(missing.Missing) < 3 { // something of a resource, which is worth a closer look
		for _, field := range missing.Missing {
			if v := doc.Path(field).Value(); v.Exists() && v.Tag() != "!!null" && v.Tag() != "!!str" {
				missing.NoText = append(missing.NoText, field)
			}
		}
	}
	if h.Name == "" && len(missing.Missing) == 1 && !missing.Empty {
		missing.Info = &api.ResourceInfo{
			ResourceName: api.ResourceName(h.Namespace + "/"), ResourceType: api.ResourceType(h.APIVersion + "/" + h.Kind),
			ResourceCategory: api.ResourceCategoryResource,
		}
	}
	return h, missing
}

// isEmptyList reports whether a document is a list of resources that has none: every item of others is a document.
func isEmptyList(h gaby.Header, doc *gaby.YamlDoc) bool {
	items := doc.Value().Get("items")
	return h.APIVersion != "" && strings.HasSuffix(h.Kind, "List") && items.Exists() && (items.Doc().IsNull() || items.Kind() == gaby.List && items.Len() == 0)
}

// RemoveScopeFromResourceName cuts the namespace off.
func (*ResourceProvider) RemoveScopeFromResourceName(name api.ResourceName) api.ResourceName {
	_, without, ok := strings.Cut(string(name), "/")
	if !ok {
		return name
	}
	return api.ResourceName(without)
}

// ScopelessResourceNamePath is metadata.name.
func (*ResourceProvider) ScopelessResourceNamePath() api.ResolvedPath { return "metadata.name" }

// ContextPath is an annotation of confighub.com.
func (*ResourceProvider) ContextPath(field string) api.ResolvedPath {
	return yamlpath.Join([]string{"metadata", "annotations", "confighub.com/" + field})
}

// ResourceNameStableCore is the part of the name that stays when a resource is made anew for every change of its content: what
// its annotation says, else the name within its scope.
func (p *ResourceProvider) ResourceNameStableCore(doc *gaby.YamlDoc) api.ResourceName {
	if core := doc.Path(string(p.ContextPath("ResourceNameStableCore"))).Value().Text(); core != "" {
		return api.ResourceName(core)
	}
	h, err := header(doc)
	if err != nil {
		return ""
	}
	return api.ResourceName(h.Name)
}

// Converter is the identity: the native text is YAML already.
type Converter struct{}

var _ configkit.PartConverter = Converter{}

// NativeToDocuments splits the text; documents are scanned when they are visited.
func (Converter) NativeToDocuments(data []byte) (gaby.Container, error) { return gaby.ParseAll(data) }

// DocumentsToNative prints the documents.
func (Converter) DocumentsToNative(documents gaby.Container) ([]byte, error) {
	return documents.Text(), nil
}

// NativeToParts cuts the text between documents.
func (Converter) NativeToParts(data []byte, size int) *gaby.Parts { return gaby.Cut(data, size) }

// PartToNative prints a part of the documents.
func (Converter) PartToNative(part gaby.Container) [][]byte { return part.Pieces() }
