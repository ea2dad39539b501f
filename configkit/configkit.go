// Package configkit is the library functions are written with. This package holds the two interfaces that make a format:
// the converter between the native text and documents, and the provider of the knowledge about its resources.
//
// The rules of this room: configkit and the packages below it know nothing of command lines, settings, colours or files; of
// functions they import only api, the data types that travel. They reach YAML through configkit/gaby alone.
package configkit

import (
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
)

// ConfigConverter turns native text into documents and back. It keeps no state between calls.
type ConfigConverter interface {
	// NativeToDocuments parses the text of a unit. An error is a *gaby.SyntaxError where a position is known.
	NativeToDocuments(data []byte) (gaby.Container, error)
	// DocumentsToNative prints the documents; what was not edited comes out byte by byte as it went in.
	DocumentsToNative(documents gaby.Container) ([]byte, error)
}

// PartConverter is a ConfigConverter whose native text is the text of its documents one after the other, so that consecutive
// parts of a unit can be parsed and printed each by itself, see gaby.Parts and gaby.Join.
type PartConverter interface {
	ConfigConverter
	// NativeToParts cuts the text of a unit into parts of about size bytes.
	NativeToParts(data []byte, size int) *gaby.Parts
	// PartToNative prints a part in pieces. They may be the source's own and must not be modified.
	PartToNative(part gaby.Container) [][]byte
}

// DialectConverter is a ConfigConverter for a format that is written in dialects, which what a file is called tells apart. The
// converter itself reads all of them.
type DialectConverter interface {
	ConfigConverter
	// ForFile returns the converter for what is in a file of this name, a path or "-".
	ForFile(name string) ConfigConverter
}

// PathSource tells which paths to visit in the resources of a type.
type PathSource interface {
	PathsOf(t api.ResourceType) []*api.PathVisitorInfo
}

// ResourceProvider is the knowledge about the resources of a toolchain. Its methods can be used concurrently.
type ResourceProvider interface {
	// ToolchainType is the toolchain the knowledge is about.
	ToolchainType() api.ToolchainType
	// DefaultResourceCategory is the category of its resources.
	DefaultResourceCategory() api.ResourceCategory

	// ResourceTypeGetter reads the type of a document without scanning it. A document that is not a resource gives a
	// *NoResourceError.
	ResourceTypeGetter(doc *gaby.YamlDoc) (api.ResourceType, error)
	// ResourceNameGetter reads the name with its scope, likewise.
	ResourceNameGetter(doc *gaby.YamlDoc) (api.ResourceName, error)
	// ResourceInfo is type, name and category in one.
	ResourceInfo(doc *gaby.YamlDoc) (api.ResourceInfo, error)
	// RemoveScopeFromResourceName is the name within its scope.
	RemoveScopeFromResourceName(name api.ResourceName) api.ResourceName
	// ScopelessResourceNamePath is where the name within its scope is.
	ScopelessResourceNamePath() api.ResolvedPath
	// ContextPath is where a resource carries a field of the context it was made in, UnitSlug for example.
	ContextPath(field string) api.ResolvedPath

	// AttributePaths are the registered paths of an attribute.
	AttributePaths(name api.AttributeName) PathSource
	// NeededPaths are the paths, of any attribute, whose values come from elsewhere, such as the names of other resources.
	NeededPaths() PathSource
	// ProvidedPaths are the paths, of any attribute, whose values others need.
	ProvidedPaths() PathSource
	// PathInfo is what is registered about a path of a type: looked up with indexes and lookups replaced by *, in the
	// entries of the type and then in those of *. It is nil when nothing is.
	PathInfo(t api.ResourceType, path api.UnresolvedPath) *api.PathVisitorInfo
	// MergeKeys are the lists of a type whose elements are known by a key.
	MergeKeys(t api.ResourceType) *MergeKeyTree
	// ExclusiveFields are the fields of a type of which one alone may be present.
	ExclusiveFields(t api.ResourceType) []ExclusiveFields
	// Sensitive is how a path of a type relates to the paths whose values are secret.
	Sensitive(t api.ResourceType, path api.ResolvedPath) Sensitivity
	// SensitiveValues calls visit with each value of a document of the type that is secret as a whole.
	SensitiveValues(t api.ResourceType, doc *gaby.YamlDoc, visit func(gaby.Value))
	// SensitiveKinds are the kinds of the types that have secret values, sorted.
	SensitiveKinds() []string
	// Attributes describes, sorted by name, the attributes that are to have a getter and a setter besides those of the
	// built-in functions: the ones of users' files.
	Attributes() []AttributeDescription
	// AttributeInfo describes one attribute, built-in or not. It reports false when none of its paths is registered.
	AttributeInfo(name api.AttributeName) (AttributeDescription, bool)
	// RegisteredPaths is the whole registry: every attribute with the paths of the types that have it.
	RegisteredPaths() api.AttributeNameToResourceTypeToPathToVisitorInfoType
	// RegisterPaths adds paths of an attribute. Registering a path again replaces it.
	RegisterPaths(name api.AttributeName, t api.ResourceType, paths api.PathToVisitorInfoType) error
}

// Sensitivity says how a path relates to secret values.
type Sensitivity int

// The relations.
const (
	NotSensitive   Sensitivity = iota
	AboveSensitive             // the value at the path may hold a secret one
	IsSensitive                // the value at the path is secret, or part of a secret one
)

// PropertyProvider is a ResourceProvider that can tell more about what the places of a document need and provide than is
// registered about their paths.
type PropertyProvider interface {
	// NeededProperties adds to the properties that the place needs its value to have.
	NeededProperties(doc *gaby.YamlDoc, segments []string, registered map[string]string) map[string]string
	// PreferredProperties are those that the place would rather have its value have; they decide between several that would do.
	PreferredProperties(doc *gaby.YamlDoc, t api.ResourceType, segments []string) map[string]string
	// ProvidedProperties adds to the properties that the value of the place has.
	ProvidedProperties(doc *gaby.YamlDoc, segments []string, registered map[string]string) map[string]string
	// TargetTypes are those of the types whose resources the place can refer to that what stands beside it leaves.
	TargetTypes(doc *gaby.YamlDoc, segments []string, registered []api.ResourceType) []api.ResourceType
	// VisitorOptions are the wishes a resource has for how functions treat it: IgnoreNeeded, IgnoreProvided.
	VisitorOptions(doc *gaby.YamlDoc) []string
}

// BlockProvider is a ResourceProvider of a format in which several documents with the same type, name and category can be one thing,
// each with some of its values, as the locals blocks of OpenTofu are. What is missing is created in one of them.
type BlockProvider interface{ HasBlocks() }

// Scope says whether the resources of a type are in namespaces.
type Scope string

// The scopes. That of a type nobody has said anything about is unknown.
const (
	ScopeUnknown    Scope = ""
	ScopeCluster    Scope = "Cluster"
	ScopeNamespaced Scope = "Namespaced"
)

// MergeKeyTree is a tree over path segments, with * for any index or any user-chosen key. A nil tree has no children.
type MergeKeyTree struct {
	Keys     []string          // of the list at this node; empty when it has none
	Defaults map[string]string // of keys that may be missing: the value they then have
	Children map[string]*MergeKeyTree
}

// Child descends by one segment.
func (t *MergeKeyTree) Child(segment string) *MergeKeyTree {
	if t == nil {
		return nil
	}
	if c := t.Children[segment]; c != nil {
		return c
	}
	return t.Children["*"]
}

// NoResourceError tells that a document lacks what makes it a resource. Such documents are skipped, not refused.
type NoResourceError struct {
	// Info is that of a document which lacks nothing but a name, nil of others.
	Info    *api.ResourceInfo
	Pos     gaby.Position
	Missing []string // "kind", "metadata.name"
	NoText  []string // those of them that are there, but are no strings
	Empty   bool     // nothing at all: not worth a note
}

func (e *NoResourceError) Error() string {
	if e.Empty {
		return "the document is empty"
	}
	missing := make([]string, len(e.Missing))
	for i, field := range e.Missing {
		if missing[i] = field; slices.Contains(e.NoText, field) {
			missing[i] += " that is a string"
		}
	}
	return "the document has no " + strings.Join(missing, " and no ")
}
