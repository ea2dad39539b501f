package resourcetypes

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/internal/lang/pattern"
	"github.com/fctl-dev/fctl/internal/yamlpath"
)

// NoAccessorError reports that a value whose parts are known does not have the embedded part of a
// path.
type NoAccessorError struct {
	Path  string
	Part  string
	Known []string // parts of the value that can be reached
}

func (e *NoAccessorError) Error() string {
	return fmt.Sprintf("path %s: the value has no part %s", e.Path, e.Part)
}

// Hint names the known parts.
func (e *NoAccessorError) Hint() string {
	if hint := configkit.DidYouMean("#", configkit.Suggest(e.Part, e.Known)); hint != "" {
		return hint
	}
	return "known are #" + strings.Join(e.Known, ", #")
}

// CheckPart checks that the embedded part in path, if any, can be reached in resources of a type,
// or with * in resources of some type. A part is a path in a text unless the parts of the value are
// known. The error is a *NoAccessorError or a *yamlpath.Error.
func (r *Registry) CheckPart(t api.ResourceType, path *yamlpath.Path) error {
	if path.EmbeddedPath() == "" {
		return nil
	}
	types := []api.ResourceType{t}
	if t == api.ResourceTypeAny {
		types = append(types, r.ResourceTypes()...)
	}
	missing := &NoAccessorError{Path: path.String(), Part: path.EmbeddedPath()}
	for _, t := range types {
		if info := r.PathInfo(t, api.UnresolvedPath(path.String())); info != nil &&
			hasPart(info, path.EmbeddedPath()) {
			return nil
		}
	}
	for _, t := range types {
		missing.Known = append(missing.Known, r.typeInfo(t).parts(path)...)
	}
	if missing.Known == nil {
		return yamlpath.CheckPart(path)
	}
	slices.Sort(missing.Known)
	missing.Known = slices.Compact(missing.Known)
	return missing
}

// hasPart reports whether the accessor of a path can reach a part. Accessors of documents can reach
// any part, since parts depend on the document.
func hasPart(info *api.PathVisitorInfo, part string) bool {
	switch info.EmbeddedAccessorType {
	case api.EmbeddedAccessorNone:
		return false
	case api.EmbeddedAccessorRegexp:
		return slices.Contains(groups(info), part)
	}
	return true
}

// groups returns the named groups of the regular expression of an accessor.
func groups(info *api.PathVisitorInfo) []string {
	re, err := pattern.Compile(info.EmbeddedAccessorConfig)
	if err != nil {
		return nil // cannot happen: it was compiled when it was registered
	}
	return slices.DeleteFunc(re.SubexpNames(), func(name string) bool { return name == "" })
}

// parts returns the names of the parts of the value at a path.
func (k *typeInfo) parts(path *yamlpath.Path) []string {
	value := path.Whole().NormalizedPath()
	var parts []string
	if info := k.lookup[value]; info != nil &&
		info.EmbeddedAccessorType == api.EmbeddedAccessorRegexp {
		parts = groups(info)
	}
	for registered := range k.lookup {
		if part, ok := strings.CutPrefix(string(registered), string(value)+"#"); ok {
			parts = append(parts, part)
		}
	}
	return parts
}
