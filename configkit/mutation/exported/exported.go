// Package exported compares manifests with objects that a server has returned. It takes out of both
// whatever would be a difference although applying the manifest changes nothing.
//
// An object is exported if it has a uid or a resourceVersion. From all objects, the fields that servers set are taken:
// the attribute [AttributeServerSet]. Of an exported object whose partner is a manifest only what
// the manifest says is left, and what was applied before, since applying the manifest deletes that.
// So defaults need not be known.
//
// Layer: configkit.
package exported

import (
	"encoding/base64"
	"errors"
	"slices"
	"strconv"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/mutation/internal/mutationpath"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
	"github.com/fctl-dev/fctl/internal/knowledge/quantity"
	"github.com/fctl-dev/fctl/internal/yamlpath"
)

// AttributeServerSet names the fields that the server and its controllers set.
const AttributeServerSet api.AttributeName = "server-set"

// object is a resource of one side.
type object struct {
	doc     *gaby.YamlDoc
	info    api.ResourceInfo
	unit    int
	live    bool
	applied gaby.Value // what was applied to an exported object
}

// Reduce edits the documents of the units on two sides: it takes out what does not count. If one
// side has only manifests, the exported objects that none of them is about are removed from the
// units of the other. It returns an error for each unit, nil for most.
func Reduce(sides [2][]gaby.Container, provider configkit.ResourceProvider) []error {
	var objects [2][]*object
	problems := make([]error, len(sides[0]))
	serverSet := provider.AttributePaths(AttributeServerSet)
	prune := func(o *object) {
		_, err := yamlkit.PrunePaths(gaby.Container{o.doc}, serverSet, nil, provider)
		problems[o.unit] = errors.Join(problems[o.unit], err)
	}
	isLive := func(o *object) bool { return o.live }
	for i, units := range sides {
		for u, docs := range units {
			objects[i] = append(objects[i], objectsIn(u, docs, provider)...)
		}
		for _, o := range objects[i] {
			if !o.live {
				prune(o)
			}
		}
	}
	unsaid := map[*gaby.YamlDoc]bool{}
	for i := range objects {
		others := objects[1-i]
		if slices.ContainsFunc(others, isLive) || len(others) == 0 {
			continue // complete objects on both sides, or nothing to compare with
		}
		manifests := newManifests(others)
		for _, o := range objects[i] {
			if !o.live {
				continue
			}
			manifest := manifests.of(&o.info)
			if manifest == nil {
				unsaid[o.doc] = true
				continue
			}
			if err := o.reduce(manifest, provider.MergeKeys(o.info.ResourceType)); err != nil {
				problems[o.unit] = errors.Join(
					problems[o.unit], yamlpath.Locate(err, &manifest.info))
			}
		}
	}
	// Last, since a manifest may say what a server would set otherwise.
	for _, o := range slices.Concat(objects[:]...) {
		if o.live {
			prune(o)
		}
	}
	for _, units := range sides {
		for i := range units {
			units[i] = units[i].Delete(func(doc *gaby.YamlDoc) bool { return unsaid[doc] })
		}
	}
	return problems
}

// objectsIn returns the resources of a unit.
func objectsIn(
	unit int, docs gaby.Container, provider configkit.ResourceProvider,
) (found []*object) {
	for _, doc := range docs {
		info, err := provider.ResourceInfo(doc)
		if err != nil || doc.Check() != nil {
			continue
		}
		metadata := doc.Value().Get("metadata")
		o := &object{
			doc: doc, info: info, unit: unit,
			live: metadata.Get("uid").Exists() || metadata.Get("resourceVersion").Exists(),
		}
		text := metadata.Get("annotations").Get("kubectl.kubernetes.io/last-applied-configuration")
		if applied, err := gaby.ParseAll([]byte(text.Text())); err == nil && len(applied) == 1 &&
			applied[0].Check() == nil {
			o.applied = applied[0].Value()
		}
		found = append(found, o)
	}
	return found
}

// manifests finds the manifest of an exported object.
type manifests struct {
	named map[api.ResourceInfo]*object
	// anywhere has the manifests without a namespace, which get theirs when they are applied.
	anywhere map[api.ResourceInfo][]*object
}

func newManifests(objects []*object) *manifests {
	m := &manifests{map[api.ResourceInfo]*object{}, map[api.ResourceInfo][]*object{}}
	for _, o := range objects {
		m.named[o.info] = o
		if !o.doc.Value().Get("metadata").Get("namespace").Exists() {
			key := scopeless(&o.info)
			m.anywhere[key] = append(m.anywhere[key], o)
		}
	}
	return m
}

func (m *manifests) of(live *api.ResourceInfo) *object {
	if o := m.named[*live]; o != nil {
		return o
	}
	if found := m.anywhere[scopeless(live)]; len(found) == 1 {
		return found[0]
	}
	return nil
}

// scopeless returns an info without the namespace.
func scopeless(info *api.ResourceInfo) api.ResourceInfo {
	key := *info
	key.ResourceName = ""
	return key
}

// reduction is what has to be edited before an exported object can be compared with its manifest.
type reduction struct {
	unsaid  [][]string // of the exported object
	nothing [][]string // of the manifest
	sets    []setting
}

// setting is a value of the exported object that means the same in other words.
type setting struct {
	path  []string
	value any
}

// reduce leaves of an exported object what its manifest says, and takes out of the manifest what
// servers drop.
func (o *object) reduce(manifest *object, keys *configkit.MergeKeyTree) error {
	if o.info.ResourceType == "v1/Secret" {
		if err := encodeTexts(manifest.doc); err != nil {
			return err
		}
	}
	var r reduction
	r.values(o.doc.Value(), manifest.doc.Value(), o.applied, keys, nil)
	var problems []error
	for _, s := range r.sets {
		_, err := o.doc.Set(s.value, s.path...)
		problems = append(problems, err)
	}
	problems = append(problems, o.doc.DeleteAll(r.unsaid)...)
	return errors.Join(append(problems, manifest.doc.DeleteAll(r.nothing)...)...)
}

// encodeTexts puts the entries of stringData of a Secret into data, as the server does.
func encodeTexts(secret *gaby.YamlDoc) error {
	texts := secret.Value().Get("stringData")
	if texts.Kind() != gaby.Map {
		return nil
	}
	type entry struct{ key, value string }
	var entries []entry
	for _, e := range texts.All() {
		entries = append(entries,
			entry{e.Key(), base64.StdEncoding.EncodeToString([]byte(e.Text()))})
	}
	for _, e := range entries {
		if _, err := secret.Set(e.value, "data", e.key); err != nil {
			return err
		}
	}
	return secret.Delete("stringData")
}

// values compares values at a path. The manifest or what was applied may have none. It reports
// whether anything of the exported object is left.
func (r *reduction) values(
	live, manifest, applied gaby.Value, keys *configkit.MergeKeyTree, path []string,
) (kept bool) {
	said := manifest
	if !said.Exists() {
		said = applied
	}
	switch {
	case live.Kind() != said.Kind():
	case live.Kind() == gaby.Map:
		return r.maps(live, manifest, applied, keys, path)
	case live.Kind() == gaby.List:
		return r.lists(live, manifest, applied, keys, path)
	case isAmount(path) && live.Text() != said.Text():
		l, ok := quantity.Parse(live.Text())
		if s, isAmount := quantity.Parse(said.Text()); ok && isAmount && l.Compare(s) == 0 {
			r.sets = append(r.sets, setting{path, said.Data()})
		}
	}
	return true
}

// entry compares an entry of a map or list, and reports whether anything of it is left.
func (r *reduction) entry(
	live, manifest, applied gaby.Value, keys *configkit.MergeKeyTree, path []string,
) bool {
	if manifest.Exists() {
		r.values(live, manifest, applied, keys, path)
		return true
	}
	var within reduction
	if !applied.Exists() || !within.values(live, manifest, applied, keys, path) {
		r.unsaid = append(r.unsaid, path)
		return false
	}
	r.unsaid, r.sets = append(r.unsaid, within.unsaid...), append(r.sets, within.sets...)
	return true
}

func (r *reduction) maps(
	live, manifest, applied gaby.Value, keys *configkit.MergeKeyTree, path []string,
) (kept bool) {
	for _, e := range live.All() {
		before := applied.Get(e.Key())
		if e.Key() == "namespace" && len(path) == 1 && path[0] == "metadata" {
			before = gaby.Value{} // a manifest without one gets it when it is applied
		}
		kept = r.entry(e, manifest.Get(e.Key()), before, keys.Child(e.Key()),
			append(slices.Clone(path), e.Key())) || kept
	}
	for _, e := range manifest.All() {
		isNothing := e.IsNull() || e.Kind() != gaby.Scalar && e.Len() == 0
		if isNothing && !live.Get(e.Key()).Exists() {
			r.nothing = append(r.nothing, append(slices.Clone(path), e.Key()))
		}
	}
	return kept
}

// lists compares the elements of lists by their merge keys, and without them only if their number is
// the same.
func (r *reduction) lists(
	live, manifest, applied gaby.Value, keys *configkit.MergeKeyTree, path []string,
) (kept bool) {
	keyed, ok := mutationpath.KeyedLists(keys, live, manifest, applied)
	said := manifest
	if !said.Exists() {
		said = applied
	}
	if !ok && said.Len() != live.Len() {
		return true
	}
	of := func(list gaby.Value, side, i int) gaby.Value {
		if !ok {
			return list.Index(i)
		}
		if at, known := keyed[side].At[keyed[0].IDs[i]]; known {
			return list.Index(at)
		}
		return gaby.Value{}
	}
	for i, e := range live.All() {
		kept = r.entry(e, of(manifest, 1, i), of(applied, 2, i), keys.Child("*"),
			append(slices.Clone(path), strconv.Itoa(i))) || kept
	}
	return kept
}

// isAmount reports whether a path leads to an amount, which servers write in their own way, such as
// 1 for 1000m.
func isAmount(path []string) bool {
	n := len(path)
	return n > 1 && slices.Contains([]string{
		"requests", "limits", "capacity", "hard", "overhead", "default", "defaultRequest", "max", "min",
	}, path[n-2]) || n > 0 && path[n-1] == "sizeLimit"
}
