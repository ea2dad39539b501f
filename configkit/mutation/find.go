package mutation

import (
	"slices"
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/mutation/internal/mutationpath"
)

// finder finds which of several resources is meant. These are the ways to recognize a resource,
// from the most to the least certain:
//
//  1. the merge ID, which stays when a resource is renamed
//  2. type and name
//  3. type and a former name
//  4. type and name without the scope, because variants of a unit are in different namespaces
//  5. name and a similar type, such as a newer version of the API or another kind of workload
//  6. the same without the scope
type finder struct {
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

// newFinder returns a finder over infos. names, if not nil, returns the former names of a resource.
func newFinder(
	provider configkit.ResourceProvider,
	infos []*api.ResourceInfo,
	names func(i int) []api.ResourceName,
) *finder {
	f := &finder{
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

// newChangeFinder returns a finder of changes by their resources.
func newChangeFinder(changes []*resourceChange, provider configkit.ResourceProvider) *finder {
	infos := make([]*api.ResourceInfo, len(changes))
	for i, r := range changes {
		infos[i] = &r.resource
	}
	return newFinder(
		provider, infos, func(i int) []api.ResourceName { return changes[i].names },
	)
}

// newDocumentFinder returns a finder of documents.
func newDocumentFinder(docs []Document, provider configkit.ResourceProvider) *finder {
	infos := make([]*api.ResourceInfo, len(docs))
	for i := range docs {
		infos[i] = &docs[i].Info
	}
	return newFinder(provider, infos, nil)
}

// has reports whether m has the key k.
func has[K comparable, V any](m map[K]V, k K) bool {
	_, ok := m[k]
	return ok
}

// shortName returns the name of r without its scope.
func (f *finder) shortName(r *api.ResourceInfo) api.ResourceName {
	if r.ResourceNameWithoutScope != "" {
		return r.ResourceNameWithoutScope
	}
	return f.provider.RemoveScopeFromResourceName(r.ResourceName)
}

// find returns the index of the resource r, or -1. names are the former names of r.
func (f *finder) find(r *api.ResourceInfo, names []api.ResourceName) int {
	for _, candidates := range f.ways() {
		if found := candidates(r, names); len(found) > 0 {
			return found[0]
		}
	}
	return -1
}

// exactly returns the index of the resource with the merge ID or the type and name of r, or -1.
func (f *finder) exactly(r *api.ResourceInfo) int {
	for _, candidates := range f.ways()[:byFormerName] {
		if found := candidates(r, nil); len(found) > 0 {
			return found[0]
		}
	}
	return -1
}

// wanted is a resource to be found.
type wanted struct {
	info  *api.ResourceInfo
	names []api.ResourceName // former names
	isNew bool               // by no other name
}

// assign finds all resources at once, so that a weak match of one cannot take what another one
// matches better. It returns their indexes, or -1. With share, several resources may have the same
// exact match.
func (f *finder) assign(all []wanted, share bool) []int {
	assigned := slices.Repeat([]int{-1}, len(all))
	taken := make([]bool, len(f.infos))
	// All resources try one way before any of them tries a weaker one.
	for way, candidates := range f.ways() {
		for i, w := range all {
			if assigned[i] >= 0 || w.isNew && way > byFormerName {
				continue
			}
			for _, at := range candidates(w.info, w.names) {
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
func (f *finder) ways() []way {
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
func (f *finder) similar(
	r *api.ResourceInfo, names []api.ResourceName, sameScope bool,
) (found []int) {
	for _, name := range f.shortNames(r, names) {
		for _, i := range f.named[name] {
			info := f.infos[i]
			if similarTypes(f.provider, info.ResourceType, r.ResourceType) &&
				(!sameScope || info.ResourceName == r.ResourceName ||
					slices.Contains(names, info.ResourceName)) {
				found = append(found, i)
			}
		}
	}
	return found
}

// shortNames returns the present and former names of r without their scopes.
func (f *finder) shortNames(r *api.ResourceInfo, names []api.ResourceName) []api.ResourceName {
	short := []api.ResourceName{f.shortName(r)}
	for _, name := range names {
		short = append(short, f.provider.RemoveScopeFromResourceName(name))
	}
	return short
}

// resourceIndex finds what the target did to the resource of a patch: first by the common base
// document, then by name. Changes of documents that exist in the base and in the target are found
// only by document: their names say nothing if documents swapped them.
type resourceIndex struct {
	before map[*gaby.YamlDoc]*resourceChange
	others []*resourceChange // without a document in the base or in the target
	names  *finder           // of others
}

// newResourceIndex returns an index of the target's own changes.
func newResourceIndex(
	own []*resourceChange, provider configkit.ResourceProvider,
) *resourceIndex {
	x := &resourceIndex{before: map[*gaby.YamlDoc]*resourceChange{}}
	for _, o := range own {
		if o.before != nil {
			x.before[o.before] = o
		}
		if o.before == nil || o.after == nil {
			x.others = append(x.others, o)
		}
	}
	x.names = newChangeFinder(x.others, provider)
	return x
}

// find returns what the target did to the resource of p, or nil.
func (x *resourceIndex) find(p *resourceChange) *resourceChange {
	if p.before != nil && len(x.before) > 0 {
		return x.before[p.before]
	}
	if i := x.names.find(&p.resource, p.names); i >= 0 {
		return x.others[i]
	}
	return nil
}

// findChild follows one segment of a path. The result does not exist if there is no such child.
func findChild(v gaby.Value, s mutationpath.Segment) gaby.Value {
	return childAt(v, s, findElement(v, s, nil))
}

// childAt returns the child that s leads to. index is that of the element if v is a list.
func childAt(v gaby.Value, s mutationpath.Segment, index int) gaby.Value {
	if v.Kind() == gaby.Map {
		return v.Get(s.AsKey())
	}
	return v.Index(index)
}

// childKeys returns the merge keys below the child that s leads to.
func childKeys(
	keys *configkit.MergeKeyTree, v gaby.Value, s mutationpath.Segment,
) *configkit.MergeKeyTree {
	if v.Kind() == gaby.List {
		return keys.Child("*")
	}
	return keys.Child(s.AsKey())
}

// findElement returns the index of the list element that s names, or -1.
func findElement(list gaby.Value, s mutationpath.Segment, keys *configkit.MergeKeyTree) int {
	if list.Kind() != gaby.List {
		return -1
	}
	switch s.Kind {
	case mutationpath.MapKey:
		if i, ok := parseIndex(s.Text); ok && list.Index(i).Exists() {
			return i
		}
	case mutationpath.ByKey:
		if mutationpath.HasKeys(keys) {
			if i := indexOfID(list, s.Text, keys); i >= 0 {
				return i
			}
		}
		known, _ := mutationpath.SplitID(s.Text)
		return indexOfID(list, s.Text, known)
	case mutationpath.ByDigest:
		return mutationpath.IndexOfDigest(mutationpath.Digests(list), s)
	}
	return -1
}

// parseIndex parses an index of up to nine decimal digits.
func parseIndex(text string) (int, bool) {
	if text == "" || len(text) > 9 || strings.Trim(text, "0123456789") != "" {
		return 0, false
	}
	i, err := strconv.Atoi(text)
	return i, err == nil
}

// indexOfID returns the index of the first element with an ID, or -1.
func indexOfID(list gaby.Value, id string, keys *configkit.MergeKeyTree) int {
	return slices.IndexFunc(elements(list), func(e gaby.Value) bool {
		return mutationpath.ElementID(e, keys) == id
	})
}
