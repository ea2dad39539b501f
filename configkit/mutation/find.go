package mutation

import (
	"slices"
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
)

// finder matches a resource with one of several things that have resources. It tries, in this
// order: the merge ID, type and name, type and former names, type and name in another scope, and
// names with a similar type.
type finder[T any] struct {
	provider configkit.ResourceProvider
	all      []T
	info     func(T) *api.ResourceInfo
	mergeID  map[string]int
	full     map[string]int
	short    map[string][]int // in order
	named    map[api.ResourceName][]int
}

// newFinder returns a finder over all. info returns the resource of a thing, names its former
// names.
func newFinder[T any](
	all []T,
	provider configkit.ResourceProvider,
	info func(T) *api.ResourceInfo,
	names func(T) []api.ResourceName,
) *finder[T] {
	f := &finder[T]{
		provider: provider, all: all, info: info,
		mergeID: map[string]int{}, full: map[string]int{}, short: map[string][]int{},
		named: map[api.ResourceName][]int{},
	}
	for i, x := range all {
		r := info(x)
		if r.ResourceMergeID != "" {
			f.mergeID[r.ResourceMergeID] = i
		}
		if key := string(r.ResourceType) + "#" + string(r.ResourceName); !has(f.full, key) {
			f.full[key] = i
		}
		key := string(r.ResourceType) + "#" + string(f.shortName(r))
		f.short[key] = append(f.short[key], i)
		for _, name := range append([]api.ResourceName{r.ResourceName}, names(x)...) {
			name = provider.RemoveScopeFromResourceName(name)
			f.named[name] = append(f.named[name], i)
		}
	}
	return f
}

// has reports whether m has the key k.
func has[K comparable, V any](m map[K]V, k K) bool {
	_, ok := m[k]
	return ok
}

// shortName returns the name of r without its scope.
func (f *finder[T]) shortName(r *api.ResourceInfo) api.ResourceName {
	if r.ResourceNameWithoutScope != "" {
		return r.ResourceNameWithoutScope
	}
	return f.provider.RemoveScopeFromResourceName(r.ResourceName)
}

// find returns the index of the thing that matches r, or -1. names are the former names of r.
func (f *finder[T]) find(r *api.ResourceInfo, names []api.ResourceName) int {
	for _, match := range []func(*api.ResourceInfo, []api.ResourceName) []int{
		f.exact, f.aliased, f.unscoped, f.similar,
	} {
		if found := match(r, names); len(found) > 0 {
			return found[0]
		}
	}
	return -1
}

// exact returns the things with the merge ID of r, or else with its type and name.
func (f *finder[T]) exact(r *api.ResourceInfo, _ []api.ResourceName) []int {
	if i, ok := f.mergeID[r.ResourceMergeID]; ok && r.ResourceMergeID != "" {
		return []int{i}
	}
	return f.aliased(r, []api.ResourceName{r.ResourceName})
}

// aliased returns the things with the type of r and one of names.
func (f *finder[T]) aliased(r *api.ResourceInfo, names []api.ResourceName) []int {
	var found []int
	for _, name := range names {
		if i, ok := f.full[string(r.ResourceType)+"#"+string(name)]; ok {
			found = append(found, i)
		}
	}
	return found
}

// unscoped returns the things with the type of r and one of its names, in any scope.
func (f *finder[T]) unscoped(r *api.ResourceInfo, names []api.ResourceName) []int {
	var found []int
	for _, name := range f.shortNames(r, names) {
		found = append(found, f.short[string(r.ResourceType)+"#"+string(name)]...)
	}
	return found
}

// similar returns the things with one of the names of r and a type similar to its own, things with
// the same scope first.
func (f *finder[T]) similar(r *api.ResourceInfo, names []api.ResourceName) []int {
	all := append([]api.ResourceName{r.ResourceName}, names...)
	var sameScope, others []int
	for _, name := range f.shortNames(r, names) {
		for _, i := range f.named[name] {
			info := f.info(f.all[i])
			switch {
			case !similarTypes(f.provider, info.ResourceType, r.ResourceType):
			case slices.Contains(all, info.ResourceName):
				sameScope = append(sameScope, i)
			default:
				others = append(others, i)
			}
		}
	}
	return append(sameScope, others...)
}

// shortNames returns the present and former names of r without their scopes.
func (f *finder[T]) shortNames(r *api.ResourceInfo, names []api.ResourceName) []api.ResourceName {
	short := []api.ResourceName{f.shortName(r)}
	for _, name := range names {
		short = append(short, f.provider.RemoveScopeFromResourceName(name))
	}
	return short
}

// assign matches all changes at once, so that a weak match of one change cannot take the thing that
// another change matches better. A change that adds a resource needs an exact match.
func (f *finder[T]) assign(changes []*resourceChange) map[*resourceChange]int {
	assigned := map[*resourceChange]int{}
	owners := map[int]*resourceChange{}
	// All changes try one kind of match before any of them tries a weaker one.
	for n, match := range []func(*api.ResourceInfo, []api.ResourceName) []int{
		f.exact, f.aliased, f.unscoped, f.similar,
	} {
		for _, r := range changes {
			if has(assigned, r) || n > 1 && r.op == api.MutationTypeAdd {
				continue
			}
			for _, i := range match(&r.resource, r.names) {
				if owner := owners[i]; owner == nil || n == 0 {
					assigned[r], owners[i] = i, r
					break
				}
			}
		}
	}
	return assigned
}

// newChangeFinder returns a finder that finds changes by their resources.
func newChangeFinder(
	changes []*resourceChange, provider configkit.ResourceProvider,
) *finder[*resourceChange] {
	return newFinder(changes, provider,
		func(r *resourceChange) *api.ResourceInfo { return &r.resource },
		func(r *resourceChange) []api.ResourceName { return r.names })
}

// ownFinder finds what the target did to the resource of a patch: first by the common base
// document, then by name.
type ownFinder struct {
	before map[*gaby.YamlDoc]*resourceChange
	names  *finder[*resourceChange]
}

// newOwnFinder returns a finder over the target's own changes. Changes of documents that exist in
// the base and in the target are found only by document.
func newOwnFinder(own []*resourceChange, provider configkit.ResourceProvider) *ownFinder {
	f := &ownFinder{before: map[*gaby.YamlDoc]*resourceChange{}}
	var others []*resourceChange
	for _, o := range own {
		if o.before != nil {
			f.before[o.before] = o
		}
		if o.before == nil || o.after == nil {
			others = append(others, o)
		}
	}
	f.names = newChangeFinder(others, provider)
	return f
}

// find returns what the target did to the resource of p, or nil.
func (f *ownFinder) find(p *resourceChange) *resourceChange {
	if p.before != nil && len(f.before) > 0 {
		return f.before[p.before]
	}
	if i := f.names.find(&p.resource, p.names); i >= 0 {
		return f.names.all[i]
	}
	return nil
}

// findChild follows one segment of a path. The result does not exist if there is no such child.
func findChild(v gaby.Value, s mutationSegment) gaby.Value {
	switch v.Kind() {
	case gaby.Map:
		return v.Get(s.asKey())
	case gaby.List:
		return v.Index(findElement(v, s, nil))
	}
	return gaby.Value{}
}

// findElement returns the index of the list element that s names, or -1.
func findElement(list gaby.Value, s mutationSegment, keys *configkit.MergeKeyTree) int {
	switch s.kind {
	case mapKey:
		if i, ok := parseIndex(s.text); ok && list.Index(i).Exists() {
			return i
		}
	case elementByKey:
		if keys != nil && len(keys.Keys) > 0 {
			if i := indexOfID(list, s.text, keys.Keys, keys.Defaults); i >= 0 {
				return i
			}
		}
		return indexOfID(list, s.text, keysOfID(s.text), nil)
	case elementByDigest:
		digest, nth := digests(list)
		for i := range digest {
			if digest[i] == s.text && nth[i] == s.nth {
				return i
			}
		}
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
func indexOfID(list gaby.Value, id string, keys []string, defaults map[string]string) int {
	i := 0
	for e := list.First(); e.Exists(); e = e.Next() {
		if elementID(e, keys, defaults) == id {
			return i
		}
		i++
	}
	return -1
}
