// Package finder finds which of several resources is meant, by names that may have changed.
//
// Layer: configkit.
package finder

import (
	"slices"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
)

// Finder finds which of several resources is meant. These are the ways to recognize a resource,
// from the most to the least certain:
//
//  1. the merge ID, which stays when a resource is renamed
//  2. type and name
//  3. type and a former name
//  4. type and name without the scope, because variants of a unit are in different namespaces
//  5. name and a similar type, such as a newer version of the API or another kind of workload
//  6. the same without the scope
type Finder struct {
	provider configkit.ResourceProvider
	infos    []*api.ResourceInfo
	// Indexes in infos, in order.
	mergeID map[string][]int
	full    map[typedName][]int // by name
	short   map[typedName][]int // by name without scope
	named   map[api.ResourceName][]int
}

type typedName struct {
	resourceType api.ResourceType
	name         api.ResourceName
}

// New returns a Finder over infos. names, if not nil, returns the former names of a resource.
func New(
	provider configkit.ResourceProvider,
	infos []*api.ResourceInfo,
	names func(i int) []api.ResourceName,
) *Finder {
	f := &Finder{
		provider: provider, infos: infos, mergeID: map[string][]int{}, full: map[typedName][]int{},
		short: map[typedName][]int{}, named: map[api.ResourceName][]int{},
	}
	for i, r := range infos {
		if id := r.ResourceMergeID; id != "" {
			f.mergeID[id] = append(f.mergeID[id], i)
		}
		full, short := typedName{r.ResourceType, r.ResourceName},
			typedName{r.ResourceType, f.shortName(r)}
		f.full[full] = append(f.full[full], i)
		f.short[short] = append(f.short[short], i)
		all := []api.ResourceName{r.ResourceName}
		if names != nil {
			all = append(all, names(i)...)
		}
		for _, name := range all {
			name = provider.RemoveScopeFromResourceName(name)
			f.named[name] = append(f.named[name], i)
		}
	}
	return f
}

// shortName returns the name of r without its scope.
func (f *Finder) shortName(r *api.ResourceInfo) api.ResourceName {
	if r.ResourceNameWithoutScope != "" {
		return r.ResourceNameWithoutScope
	}
	return f.provider.RemoveScopeFromResourceName(r.ResourceName)
}

// Find returns the index of the resource r, or -1. names are the former names of r.
func (f *Finder) Find(r *api.ResourceInfo, names []api.ResourceName) int {
	for _, candidates := range f.ways() {
		if found := candidates(r, names); len(found) > 0 {
			return found[0]
		}
	}
	return -1
}

// Exactly returns the index of the resource with the merge ID or the type and name of r, or -1.
func (f *Finder) Exactly(r *api.ResourceInfo) int {
	for _, candidates := range f.ways()[:byFormerName] {
		if found := candidates(r, nil); len(found) > 0 {
			return found[0]
		}
	}
	return -1
}

// Wanted is a resource to be found.
type Wanted struct {
	Info  *api.ResourceInfo
	Names []api.ResourceName // former names
	IsNew bool               // by no other name
}

// Assign finds all resources at once, so that a weak match of one cannot take what another one
// matches better. It returns their indexes, or -1. With share, several resources may have the same
// exact match.
func (f *Finder) Assign(all []Wanted, share bool) []int {
	assigned := slices.Repeat([]int{-1}, len(all))
	taken := make([]bool, len(f.infos))
	// All resources try one way before any of them tries a weaker one.
	for way, candidates := range f.ways() {
		for i, w := range all {
			if assigned[i] >= 0 || w.IsNew && way > byFormerName {
				continue
			}
			for _, at := range candidates(w.Info, w.Names) {
				if !taken[at] || share && way <= byName {
					assigned[i], taken[at] = at, true
					break
				}
			}
		}
	}
	return assigned
}

// Indexes of ways.
const (
	byName       = 1
	byFormerName = 2
)

// A way finds the candidates for a resource, given its former names.
type way func(r *api.ResourceInfo, names []api.ResourceName) []int

// ways returns the ways to recognize a resource in their order.
func (f *Finder) ways() []way {
	return []way{
		func(r *api.ResourceInfo, _ []api.ResourceName) []int {
			return f.mergeID[r.ResourceMergeID]
		},
		func(r *api.ResourceInfo, _ []api.ResourceName) []int {
			return f.full[typedName{r.ResourceType, r.ResourceName}]
		},
		func(r *api.ResourceInfo, names []api.ResourceName) []int {
			return lookUp(f.full, r.ResourceType, names)
		},
		func(r *api.ResourceInfo, names []api.ResourceName) []int {
			return lookUp(f.short, r.ResourceType, f.shortNames(r, names))
		},
		func(r *api.ResourceInfo, names []api.ResourceName) []int {
			return f.similar(r, names, true)
		},
		func(r *api.ResourceInfo, names []api.ResourceName) []int {
			return f.similar(r, names, false)
		},
	}
}

// lookUp returns the resources of a type with one of names.
func lookUp(
	in map[typedName][]int, t api.ResourceType, names []api.ResourceName,
) (found []int) {
	for _, name := range names {
		found = append(found, in[typedName{t, name}]...)
	}
	return found
}

// similar returns the resources with a name of r and a type similar to its own, in the same scope
// or in any.
func (f *Finder) similar(
	r *api.ResourceInfo, names []api.ResourceName, sameScope bool,
) (found []int) {
	for _, name := range f.shortNames(r, names) {
		for _, i := range f.named[name] {
			info := f.infos[i]
			if SimilarTypes(f.provider, info.ResourceType, r.ResourceType) &&
				(!sameScope || info.ResourceName == r.ResourceName ||
					slices.Contains(names, info.ResourceName)) {
				found = append(found, i)
			}
		}
	}
	return found
}

// shortNames returns the present and former names of r without their scopes.
func (f *Finder) shortNames(r *api.ResourceInfo, names []api.ResourceName) []api.ResourceName {
	short := []api.ResourceName{f.shortName(r)}
	for _, name := range names {
		short = append(short, f.provider.RemoveScopeFromResourceName(name))
	}
	return short
}

// SimilarTypes asks the provider whether a resource of type a may have become one of type b.
func SimilarTypes(provider configkit.ResourceProvider, a, b api.ResourceType) bool {
	if p, ok := provider.(interface {
		SimilarTypes(a, b api.ResourceType) bool
	}); ok && a != b {
		return p.SimilarTypes(a, b)
	}
	return a == b
}
