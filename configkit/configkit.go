// Package configkit is the library that functions are written with. It holds the two interfaces
// that define a format: the converter between native text and documents, and the provider of
// knowledge about its resources.
//
// configkit and the packages below it know nothing of command lines, settings, colors or files.
// They import no functions, only package api with the serializable data types. They access YAML
// through configkit/gaby only.
//
// Layer: document.
package configkit

import (
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
)

// ConfigConverter converts native text to documents and back. It keeps no state between calls.
type ConfigConverter interface {
	// NativeToDocuments parses the text of a unit. The error is a *gaby.SyntaxError if the position
	// is known.
	NativeToDocuments(data []byte) (gaby.Container, error)
	// DocumentsToNative prints the documents. Whatever was not edited is printed byte for byte as
	// it was parsed.
	DocumentsToNative(documents gaby.Container) ([]byte, error)
}

// PartConverter is a ConfigConverter whose native text is the concatenated text of its documents.
// Consecutive parts of a unit can be parsed and printed separately; see gaby.Parts and gaby.Join.
type PartConverter interface {
	ConfigConverter
	// NativeToParts cuts the text of a unit into parts of about size bytes.
	NativeToParts(data []byte, size int) *gaby.Parts
	// PartToNative returns the text of a part in chunks. The chunks may share memory with the
	// source and must not be modified.
	PartToNative(part gaby.Container) [][]byte
}

// DialectConverter is a ConfigConverter for a format with dialects that are distinguished by file
// name. The converter itself reads all of them.
type DialectConverter interface {
	ConfigConverter
	// ForFile returns the converter for the content of a file. name is a path or "-".
	ForFile(name string) ConfigConverter
}

// PathSource says which paths to visit in the resources of a type.
type PathSource interface {
	PathsOf(t api.ResourceType) []*api.PathVisitorInfo
}

// PathSourceFunc is a function that is a PathSource.
type PathSourceFunc func(t api.ResourceType) []*api.PathVisitorInfo

// PathsOf calls f.
func (f PathSourceFunc) PathsOf(t api.ResourceType) []*api.PathVisitorInfo { return f(t) }

// FilterPaths returns the paths of a source for which keep returns true.
func FilterPaths(
	source PathSource, keep func(api.ResourceType, *api.PathVisitorInfo) bool,
) PathSource {
	return PathSourceFunc(func(t api.ResourceType) (kept []*api.PathVisitorInfo) {
		for _, info := range source.PathsOf(t) {
			if keep(t, info) {
				kept = append(kept, info)
			}
		}
		return kept
	})
}

// ResourceProvider knows the resources of a toolchain. Its methods are safe for concurrent use.
type ResourceProvider interface {
	// ToolchainType returns the toolchain.
	ToolchainType() api.ToolchainType
	// DefaultResourceCategory returns the category of the toolchain's resources.
	DefaultResourceCategory() api.ResourceCategory

	// ResourceTypeGetter returns the type of a document without scanning it. If the document is not
	// a resource, the error is a *NoResourceError.
	ResourceTypeGetter(doc *gaby.YamlDoc) (api.ResourceType, error)
	// ResourceNameGetter returns the name of a document with its scope, likewise.
	ResourceNameGetter(doc *gaby.YamlDoc) (api.ResourceName, error)
	// ResourceInfo returns the type, name and category of a document, likewise.
	ResourceInfo(doc *gaby.YamlDoc) (api.ResourceInfo, error)
	// RemoveScopeFromResourceName returns the name within its scope.
	RemoveScopeFromResourceName(name api.ResourceName) api.ResourceName
	// ScopelessResourceNamePath returns the path of the name within its scope.
	ScopelessResourceNamePath() api.ResolvedPath
	// ContextPath returns the path at which a resource stores a field of the context it was created
	// in, such as UnitSlug.
	ContextPath(field string) api.ResolvedPath

	// AttributePaths returns the registered paths of an attribute.
	AttributePaths(name api.AttributeName) PathSource
	// NeededPaths returns the paths, of any attribute, whose values come from elsewhere, such as
	// the names of other resources.
	NeededPaths() PathSource
	// ProvidedPaths returns the paths, of any attribute, whose values other resources need.
	ProvidedPaths() PathSource
	// PathInfo returns what is registered about a path of a type, or nil. Indexes and lookups in
	// the path match *. Entries of the type come before those of *.
	PathInfo(t api.ResourceType, path api.UnresolvedPath) *api.PathVisitorInfo
	// MergeKeys returns the lists of a type whose elements have merge keys.
	MergeKeys(t api.ResourceType) *MergeKeyTree
	// ExclusiveFields returns the fields of a type of which only one may be present.
	ExclusiveFields(t api.ResourceType) []ExclusiveFields
	// Sensitive returns how a path of a type relates to the paths of secret values.
	Sensitive(t api.ResourceType, path api.ResolvedPath) Sensitivity
	// SensitiveValues calls visit for each value of a document of type t that is secret as a whole.
	SensitiveValues(t api.ResourceType, doc *gaby.YamlDoc, visit func(gaby.Value))
	// SensitiveKinds returns the kinds of the types that have secret values, sorted.
	SensitiveKinds() []string
	// Attributes returns, sorted by name, the attributes whose getters and setters are made from
	// their descriptions, including those in users' files.
	Attributes() []AttributeDescription
	// AttributeInfo describes an attribute, built-in or not. It reports false if none of its paths
	// is registered.
	AttributeInfo(name api.AttributeName) (AttributeDescription, bool)
	// ResourceTypes returns the types, or *, that have entries or registered paths, sorted. It is
	// much cheaper than RegisteredPaths.
	ResourceTypes() []api.ResourceType
	// RegisteredPaths returns the whole registry: each attribute with its paths by type.
	RegisteredPaths() api.AttributeNameToResourceTypeToPathToVisitorInfoType
	// RegisterPaths adds paths of an attribute. Registering a path again replaces it.
	RegisterPaths(name api.AttributeName, t api.ResourceType, paths api.PathToVisitorInfoType) error
}

// Sensitivity says how a path relates to secret values.
type Sensitivity int

// Relations of a path to secret values.
const (
	NotSensitive   Sensitivity = iota
	AboveSensitive             // the value at the path may contain a secret value
	IsSensitive                // the value at the path is secret, or part of a secret value
)

// PropertyProvider is a ResourceProvider that knows more about what the values of a document need
// and provide than is registered for their paths. segments are the keys and indexes that lead to
// the value.
type PropertyProvider interface {
	// NeededProperties returns registered and further properties that the value needs.
	NeededProperties(
		doc *gaby.YamlDoc, segments []string, registered map[string]string,
	) map[string]string
	// PreferredProperties returns properties that the value should preferably have. They decide
	// between several candidates.
	PreferredProperties(doc *gaby.YamlDoc, t api.ResourceType, segments []string) map[string]string
	// ProvidedProperties returns registered and further properties that the value provides.
	ProvidedProperties(
		doc *gaby.YamlDoc, segments []string, registered map[string]string,
	) map[string]string
	// TargetTypes narrows registered to the types the reference can mean, given its sibling fields
	// (such as kind).
	TargetTypes(
		doc *gaby.YamlDoc, segments []string, registered []api.ResourceType,
	) []api.ResourceType
	// VisitorOptions returns a resource's own options for functions: IgnoreNeeded, IgnoreProvided.
	VisitorOptions(doc *gaby.YamlDoc) []string
}

// PropertiesOf returns what a provider knows besides what is registered, nil if it knows nothing. The
// result is for one walk of documents that do not change meanwhile, by one goroutine: it reads what
// values of a document have in common once.
func PropertiesOf(provider ResourceProvider) PropertyProvider {
	if p, ok := provider.(interface{ ForPass() PropertyProvider }); ok {
		return p.ForPass()
	}
	known, _ := provider.(PropertyProvider)
	return known
}

// BlockProvider is a ResourceProvider of a format in which several documents with the same type,
// name and category can form one resource, such as the locals blocks of OpenTofu. Missing values
// are created in one of them.
type BlockProvider interface{ HasBlocks() }

// Scope says whether the resources of a type are in namespaces.
type Scope string

// Scopes of resource types. ScopeUnknown means that nothing is known about the type.
const (
	ScopeUnknown    Scope = ""
	ScopeCluster    Scope = "Cluster"
	ScopeNamespaced Scope = "Namespaced"
)

// MergeKeyTree is a tree over path segments, with * for any index or user-chosen key. A nil tree
// has no children.
type MergeKeyTree struct {
	Keys     []string          // of the list at this node; empty if it has none
	Defaults map[string]string // values of keys that may be missing
	// Shared says that several elements may have the same keys. They still tell which element of
	// another list is meant, together with the order.
	Shared   bool
	Children map[string]*MergeKeyTree
}

// Child returns the subtree for a segment, or nil.
func (t *MergeKeyTree) Child(segment string) *MergeKeyTree {
	if t == nil {
		return nil
	}
	if c := t.Children[segment]; c != nil {
		return c
	}
	return t.Children["*"]
}

// NoResourceError reports that a document lacks what makes it a resource. Such documents are
// skipped, not rejected.
type NoResourceError struct {
	// Info is the info of a document that lacks only a name, nil for others.
	Info    *api.ResourceInfo
	Pos     gaby.Position
	Missing []string // "kind", "metadata.name"
	NoText  []string // the missing fields that exist but are not strings
	Empty   bool     // nothing at all: not worth a note
}

func (e *NoResourceError) Error() string {
	if e.Empty {
		return "the document is empty"
	}
	return "the document has no " + e.missing("or")
}

// Note returns the text of a note that the document was skipped.
func (e *NoResourceError) Note() string {
	if e.Empty {
		return "skipped an empty document"
	}
	return "skipped a document without " + e.missing("and")
}

// missing lists the missing fields, with a conjunction before the last.
func (e *NoResourceError) missing(conjunction string) string {
	var b strings.Builder
	for i, field := range e.Missing {
		switch {
		case i > 0 && i == len(e.Missing)-1:
			b.WriteString(" " + conjunction + " ")
		case i > 0:
			b.WriteString(", ")
		}
		b.WriteString(field)
		if slices.Contains(e.NoText, field) {
			b.WriteString(" that is a string")
		}
	}
	return b.String()
}
