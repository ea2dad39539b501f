// Package origin finds the mutations that set the values of a unit.
//
// Layer: systems.
package origin

import (
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/mutation"
)

// Index finds the mutations that set values of a unit, by the type and the name of the resource without
// its scope.
type Index map[string]*Values

// Values has the indexes of the mutations that set a resource and the paths in it.
type Values struct {
	Whole int
	paths map[string]int
}

// Of returns the index of the sources of a unit.
func Of(sources api.ResourceMutationList) Index {
	all := Index{}
	for i := range sources {
		m := &sources[i]
		of := &Values{Whole: m.ResourceMutationInfo.Index, paths: map[string]int{}}
		for path, info := range m.PathMutationMap {
			plain := mutation.PlainPath(path)
			of.paths[plain] = max(info.Index, of.paths[plain])
		}
		for name := range m.NamesWithoutScopes() {
			all[key(m.Resource.ResourceType, name)] = of
		}
	}
	return all
}

func key(t api.ResourceType, name api.ResourceName) string { return string(t) + "\x00" + string(name) }

// Resource returns the origins of the values of a resource, nil if they are not known.
func (x Index) Resource(about *api.ResourceInfo) *Values {
	return x[key(about.ResourceType, about.ResourceNameWithoutScope)]
}

// At returns the index of the mutation that set a path: of the nearest entry at or above it.
func (v *Values) At(path string) int {
	for {
		if index, ok := v.paths[path]; ok {
			return index
		}
		i := strings.LastIndexByte(path, '.')
		if i < 0 {
			return v.Whole
		}
		path = path[:i]
	}
}
