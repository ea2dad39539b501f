package api

import (
	"cmp"
	"slices"
)

// AttributeName is a name for a family of paths, such as container-image.
type AttributeName string

// AttributeNameNone is reported for a path that belongs to no attribute.
const AttributeNameNone AttributeName = "none"

// ResolvedPath addresses one value of a document: keys, indexes and ?key=value segments joined by
// dots.
type ResolvedPath string

// UnresolvedPath may contain wildcards, lookups and parameters. In a document it resolves to any
// number of ResolvedPaths.
type UnresolvedPath string

// AttributeIdentifier says where an attribute is.
type AttributeIdentifier struct {
	ResourceInfo
	Path        ResolvedPath
	InLiveState bool `json:",omitempty"`
}

// AttributeMetadata says what an attribute is.
type AttributeMetadata struct {
	AttributeName AttributeName
	DataType      DataType
	Details       *AttributeDetails `json:",omitempty"`
}

// AttributeInfo says where an attribute is and what it is.
type AttributeInfo struct {
	AttributeIdentifier
	AttributeMetadata
}

// AttributeDetails holds what else is known about an attribute.
type AttributeDetails struct {
	GetterInvocation   *FunctionInvocation  `json:",omitempty"`
	SetterInvocations  []FunctionInvocation `json:",omitempty"`
	Description        string               `json:",omitempty"`
	DefaultValue       any                  `json:",omitempty"`
	ProvidedProperties map[string]string    `json:",omitempty"`
	NeededRequired     map[string]string    `json:",omitempty"`
	NeededPreferred    map[string]string    `json:",omitempty"`
	IsNeeded           bool                 `json:",omitempty"`
	IsProvided         bool                 `json:",omitempty"`
}

// AttributeValue is a value found at a path of a resource.
type AttributeValue struct {
	AttributeInfo
	Value        any
	Comment      string `json:",omitempty"`
	Index        int
	FunctionName string    `json:",omitempty"`
	Score        string    `json:",omitempty"`
	Issues       []Issue   `json:",omitempty"`
	Position     *Position `json:",omitempty"`
	// Missing is the resource to which the value refers, if a validation rejects the value because
	// the input lacks that: KIND NAMESPACE/NAME, without NAMESPACE if it has none, and with commas
	// between several kinds. It is not serialized.
	Missing string `json:"-"`

	// Reason says why a validation rejected the value. It is for people and is not serialized.
	Reason string `json:"-"`
}

// AttributeValueList is a list of values.
type AttributeValueList []AttributeValue

// Issue is one finding about a value.
type Issue struct {
	Identifier string
	Message    string
}

// ValidationResult is the result of a validating function.
type ValidationResult struct {
	Passed           bool
	Index            int
	FunctionName     string             `json:",omitempty"`
	Score            string             `json:",omitempty"`
	Details          []string           `json:",omitempty"`
	FailedAttributes AttributeValueList `json:",omitempty"`
	// Unchecked lists the resources that the validation could not check. Passed says nothing about
	// them.
	Unchecked []Unchecked `json:",omitempty"`
	// Ignored is the number of findings that are accepted as exceptions, and are not in this
	// result.
	Ignored int `json:",omitempty"`

	// Locations are where the details were found: one for each, or none at all. They are for
	// people and are not serialized.
	Locations []Location `json:"-"`
	// Reason says why the validation failed if there are no details. It is for people and is not
	// serialized.
	Reason string `json:"-"`
}

// Unchecked describes a type of resources that a validation could not check.
type Unchecked struct {
	ResourceType ResourceType
	Count        int // resources of the type
	Reason       string
	Position     *Position `json:",omitempty"` // of the first resource
	// NoSchema reports that the type has no schema. It is not serialized.
	NoSchema bool `json:"-"`
}

// Finding is one thing that a validation found, or because of which it could not validate.
type Finding struct {
	Position
	Level    string // error, warning or note
	Function string `json:",omitempty"`
	Name     string `json:",omitempty"` // of the step of the chain
	Rule     string `json:",omitempty"` // what is violated, if the function names it
	Resource string `json:",omitempty"` // type and name
	Path     string `json:",omitempty"`
	Message  string
	// Unchecked is the number of resources that could not be checked, if the finding is about them.
	Unchecked int `json:",omitempty"`
	// Also are the other places that refer to the same missing resource.
	Also []Position `json:",omitempty"`
}

// Scores returns the grades of validation findings, worst first.
func Scores() []string { return []string{"Critical", "High", "Medium", "Low"} }

// WorseScore returns the worse of two scores. Either may be empty.
func WorseScore(a, b string) string {
	for _, score := range Scores() {
		if a == score || b == score {
			return score
		}
	}
	return cmp.Or(a, b)
}

// Location says where something was found: in which resource, named as in messages, and at which
// position of its file.
type Location struct {
	Resource string
	Position Position
}

// ValidationResultList is a list of validation results.
type ValidationResultList []ValidationResult

// EmbeddedAccessorType names the way to reach a part of a scalar: the sub in path#sub.
type EmbeddedAccessorType string

// The accessor types.
const (
	EmbeddedAccessorNone   EmbeddedAccessorType = ""
	EmbeddedAccessorRegexp EmbeddedAccessorType = "Regexp"
	EmbeddedAccessorLine   EmbeddedAccessorType = "Line"
	EmbeddedAccessorJSON   EmbeddedAccessorType = "JSON"
	EmbeddedAccessorYAML   EmbeddedAccessorType = "YAML"
	// A format follows from the key of the value, or else from the text.
	EmbeddedAccessorText EmbeddedAccessorType = "Text"
)

// PathVisitorInfo describes a path to visit and what is known about the values there.
type PathVisitorInfo struct {
	Path                   UnresolvedPath
	ResolvedPath           ResolvedPath         `json:",omitempty"`
	AttributeName          AttributeName        `json:",omitempty"`
	DataType               DataType             `json:",omitempty"`
	Details                *AttributeDetails    `json:",omitempty"`
	TypeExceptions         []ResourceType       `json:",omitempty"`
	EmbeddedAccessorType   EmbeddedAccessorType `json:",omitempty"`
	EmbeddedAccessorConfig string               `json:",omitempty"`
	// Sensitive marks the value at the path, and everything below it, as secret.
	Sensitive bool `json:",omitempty"`
	// Arguments restricts a path without %s to calls with these arguments. The path is visited if
	// each argument is equal or *. With *, only existing values are visited.
	Arguments []string `json:",omitempty"`
	// ExistingOnly says that the path must not be created.
	ExistingOnly bool `json:",omitempty"`
	// Where is a where-expression. Functions use the path only in resources for which it is true or,
	// if the path ends in *, for the elements there for which it is true.
	Where string `json:",omitempty"`
}

// PathToVisitorInfoType maps registered paths to what is known about them.
type PathToVisitorInfoType map[UnresolvedPath]*PathVisitorInfo

// ResourceTypeToPathToVisitorInfoType maps resource types (or *) to their paths.
type ResourceTypeToPathToVisitorInfoType map[ResourceType]PathToVisitorInfoType

// AttributeNameToResourceTypeToPathToVisitorInfoType is a whole registry.
type AttributeNameToResourceTypeToPathToVisitorInfoType map[AttributeName]ResourceTypeToPathToVisitorInfoType

// PathsOf returns the paths to visit in resources of type t, in lexical order of registered path:
// the paths of t itself and those of *, without the paths of * that t overrides or is an exception
// of.
func (m ResourceTypeToPathToVisitorInfoType) PathsOf(t ResourceType) []*PathVisitorInfo {
	own, universal := m[t], m[ResourceTypeAny]
	if t == ResourceTypeAny {
		own = nil
	}
	keys := make([]UnresolvedPath, 0, len(own)+len(universal))
	for path := range own {
		keys = append(keys, path)
	}
	for path, info := range universal {
		if _, overridden := own[path]; !overridden && !slices.Contains(info.TypeExceptions, t) {
			keys = append(keys, path)
		}
	}
	slices.Sort(keys)
	infos := make([]*PathVisitorInfo, len(keys))
	for i, path := range keys {
		info, ok := own[path]
		if !ok {
			info = universal[path]
		}
		if info.Path == "" {
			withPath := *info
			withPath.Path = path
			info = &withPath
		}
		infos[i] = info
	}
	return infos
}
