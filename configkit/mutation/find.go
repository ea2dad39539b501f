package mutation

import (
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/mutation/internal/finder"
	"github.com/fctl-dev/fctl/configkit/mutation/internal/mutationpath"
)

// newChangeFinder returns a finder of changes by their resources.
func newChangeFinder(changes []*resourceChange, provider configkit.ResourceProvider) *finder.Finder {
	infos := make([]*api.ResourceInfo, len(changes))
	for i, r := range changes {
		infos[i] = &r.resource
	}
	return finder.New(
		provider, infos, func(i int) []api.ResourceName { return changes[i].names },
	)
}

// newDocumentFinder returns a finder of documents.
func newDocumentFinder(docs []Document, provider configkit.ResourceProvider) *finder.Finder {
	infos := make([]*api.ResourceInfo, len(docs))
	for i := range docs {
		infos[i] = &docs[i].Info
	}
	return finder.New(provider, infos, nil)
}

// has reports whether m has the key k.
func has[K comparable, V any](m map[K]V, k K) bool {
	_, ok := m[k]
	return ok
}

// resourceIndex finds what the target did to the resource of a patch: first by the common base
// document, then by name. Changes of documents that exist in the base and in the target are found
// only by document: their names say nothing if documents swapped them.
type resourceIndex struct {
	before map[*gaby.YamlDoc]*resourceChange
	others []*resourceChange // without a document in the base or in the target
	names  *finder.Finder    // of others
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
	if i := x.names.Find(&p.resource, p.names); i >= 0 {
		return x.others[i]
	}
	return nil
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

// indexIn returns the index that s is, or -1 if the list has no such element.
func indexIn(list gaby.Value, s mutationpath.Segment) int {
	if i, ok := parseIndex(s.Text); ok && s.Kind == mutationpath.MapKey && list.Index(i).Exists() {
		return i
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
