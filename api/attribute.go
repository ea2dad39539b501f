package api

import (
	"cmp"
	"slices"
)

// AttributeName is a name for a family of paths, such as container-image.
type AttributeName string

// AttributeNameNone is reported for a path that no attribute has.
const AttributeNameNone AttributeName = "none"

// ResolvedPath addresses one place of a document: keys, indexes and ?key=value segments joined by dots.
type ResolvedPath string

// UnresolvedPath may contain wildcards, lookups and parameters; a document resolves it to any number of places.
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

// AttributeInfo is where and what.
type AttributeInfo struct {
	AttributeIdentifier
	AttributeMetadata
}

// AttributeDetails is what else is known about an attribute.
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

	// Reason says why a validation did not accept the value. It is for people and does not travel.
	Reason string `json:"-"`
}

// AttributeValueList is a list of values.
type AttributeValueList []AttributeValue

// Issue is one finding about a value.
type Issue struct {
	Identifier string
	Message    string
}

// ValidationResult is the answer of a validating function.
type ValidationResult struct {
	Passed           bool
	Index            int
	FunctionName     string             `json:",omitempty"`
	Score            string             `json:",omitempty"`
	Details          []string           `json:",omitempty"`
	FailedAttributes AttributeValueList `json:",omitempty"`
	// Unchecked are the resources that the validation knows nothing about. Passed says nothing about them.
	Unchecked []Unchecked `json:",omitempty"`

	// Places are where the details were found, one for each or none at all. They are for people and do not travel.
	Places []Place `json:"-"`
	// Reason says why it did not pass where there are no details. It is for people and does not travel.
	Reason string `json:"-"`
}

// Unchecked is a type of resources that a validation could not check.
type Unchecked struct {
	ResourceType ResourceType
	Count        int // resources of the type
	Reason       string
	Position     *Position `json:",omitempty"` // of the first
}

// Scores are the grades of what a validation found, worst first.
func Scores() []string { return []string{"Critical", "High", "Medium", "Low"} }

// WorseScore is the worse of two scores, either of which may be empty.
func WorseScore(a, b string) string {
	for _, score := range Scores() {
		if a == score || b == score {
			return score
		}
	}
	return cmp.Or(a, b)
}

// Place is where something was found: in a resource, as messages name it, at a position of its file.
type Place struct {
	Resource string
	Position Position
}

// ValidationResultList is a list of answers.
type ValidationResultList []ValidationResult

// EmbeddedAccessorType names the way to reach a part of a scalar: the sub of path#sub.
type EmbeddedAccessorType string

// The accessor types.
const (
	EmbeddedAccessorNone   EmbeddedAccessorType = ""
	EmbeddedAccessorRegexp EmbeddedAccessorType = "Regexp"
	EmbeddedAccessorLine   EmbeddedAccessorType = "Line"
	EmbeddedAccessorJSON   EmbeddedAccessorType = "JSON"
	EmbeddedAccessorYAML   EmbeddedAccessorType = "YAML"
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
	// Arguments, of a path without %s, are those it is meant for: it is visited when each argument is the same or *. With * only
	// what is there is visited.
	Arguments []string `json:",omitempty"`
	// ExistingOnly says that nothing is to be created at the path.
	ExistingOnly bool `json:",omitempty"`
}

// PathToVisitorInfoType maps registered paths to what is known about them.
type PathToVisitorInfoType map[UnresolvedPath]*PathVisitorInfo

// ResourceTypeToPathToVisitorInfoType maps resource types, or *, to their paths.
type ResourceTypeToPathToVisitorInfoType map[ResourceType]PathToVisitorInfoType

// AttributeNameToResourceTypeToPathToVisitorInfoType is a whole registry.
type AttributeNameToResourceTypeToPathToVisitorInfoType map[AttributeName]ResourceTypeToPathToVisitorInfoType

// PathsOf lists the paths to visit in resources of the type: its own and those of *, which it overrides and may be an
// exception of, in lexical order of registered path.
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
