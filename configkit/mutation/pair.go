package mutation

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/yamlpath"
)

// contextMergeID is the context field that identifies a resource regardless of its name.
const contextMergeID = "ResourceMergeID"

// UnitDocument is a document with its resource info.
type UnitDocument struct {
	*gaby.YamlDoc
	Info     api.ResourceInfo
	resource bool // false for a document without kind or name
}

// UnitDocuments identifies the documents of a unit, without scanning them if possible. Documents
// that are not resources are named by apiVersion, kind and their number among the documents of unit
// with the same apiVersion and kind. Empty documents are omitted.
func UnitDocuments(
	docs, unit gaby.Container, provider configkit.ResourceProvider,
) ([]UnitDocument, error) {
	found := make([]UnitDocument, 0, len(docs))
	numbers := anonymous{unit: unit, provider: provider}
	var problems []error
	for _, doc := range docs {
		info, err := numbers.identify(doc)
		none, ok := errors.AsType[*configkit.NoResourceError](err)
		switch {
		case err == nil || ok && !none.Empty:
			found = append(found, UnitDocument{YamlDoc: doc, Info: info, resource: err == nil})
		case !ok:
			problems = append(problems, yamlpath.Locate(err, nil))
		}
	}
	return found, errors.Join(problems...)
}

// anonymous names the documents of a unit that are not resources.
type anonymous struct {
	unit     gaby.Container
	provider configkit.ResourceProvider
	infos    map[any]api.ResourceInfo // by identity; computed on first use
}

// identify returns the resource info of doc. The error is the provider's, even if there is a name.
func (a *anonymous) identify(doc *gaby.YamlDoc) (api.ResourceInfo, error) {
	info, err := a.provider.ResourceInfo(doc)
	if err == nil {
		return info, nil
	}
	if _, ok := errors.AsType[*configkit.NoResourceError](err); !ok {
		return info, err
	}
	if a.infos == nil {
		a.infos = map[any]api.ResourceInfo{}
		count := map[api.ResourceType]int{}
		for _, d := range a.unit {
			if _, err := a.provider.ResourceInfo(d); err != nil {
				a.infos[d.Identity()] = anonymousInfo(d, a.provider, count)
			}
		}
	}
	return a.infos[doc.Identity()], err
}

// anonymousInfo returns the info of the next document of its kind, and counts it.
func anonymousInfo(
	doc *gaby.YamlDoc, provider configkit.ResourceProvider, count map[api.ResourceType]int,
) api.ResourceInfo {
	h, _ := doc.Header() // the error is reported when the document is checked
	t := api.ResourceType(h.APIVersion + "/" + h.Kind)
	if h.APIVersion == "" || h.Kind == "" {
		t = "document"
	}
	count[t]++
	name := api.ResourceName(fmt.Sprintf("#%d", count[t]))
	return api.ResourceInfo{
		ResourceName: name, ResourceNameWithoutScope: name, ResourceType: t,
		ResourceCategory: provider.DefaultResourceCategory(),
	}
}

// pairing pairs two documents, or list elements, from before and after a change. A lower score
// means a better match.
type pairing struct {
	before, after int
	score         float64
}

// bestPairs picks pairs greedily, lowest score first, so that nothing is in two pairs. Equal scores
// are taken in order.
func bestPairs(pairs []pairing) []pairing {
	slices.SortStableFunc(pairs, func(a, b pairing) int {
		return cmp.Or(
			cmp.Compare(a.score, b.score), cmp.Compare(a.after, b.after),
			cmp.Compare(a.before, b.before),
		)
	})
	before, after := map[int]bool{}, map[int]bool{}
	return slices.DeleteFunc(pairs, func(p pairing) bool {
		taken := before[p.before] || after[p.after]
		before[p.before], after[p.after] = true, true
		return taken
	})
}

// pairer finds which documents of two units are the same resource.
type pairer struct {
	provider      configkit.ResourceProvider
	before, after []UnitDocument
	of            []int  // by index in after: the index in before, or -1
	taken         []bool // by index in before
	renames       bool   // pair similar resources with different names
}

// pair fills of and taken.
func (p *pairer) pair() {
	p.of = make([]int, len(p.after))
	for i := range p.of {
		p.of[i] = -1
	}
	p.taken = make([]bool, len(p.before))
	// From the most to the least certain way to recognize a resource. Each way pairs only what the
	// previous ways left over.
	p.sameDocument()
	p.byMergeID()
	p.byName(func(d *UnitDocument) string {
		return string(d.Info.ResourceType) + "#" + string(d.Info.ResourceName)
	}, nil)
	p.byName(func(d *UnitDocument) string {
		return string(d.Info.ResourceType) + "#" + string(d.Info.ResourceNameWithoutScope)
	}, nil)
	similar := func(a, b *UnitDocument) bool {
		return similarTypes(p.provider, a.Info.ResourceType, b.Info.ResourceType)
	}
	p.byName(func(d *UnitDocument) string { return string(d.Info.ResourceName) }, similar)
	p.byName(func(d *UnitDocument) string {
		return string(d.Info.ResourceNameWithoutScope)
	}, similar)
	if p.renames {
		p.byLikeness()
	}
}

func (p *pairer) take(before, after int) { p.of[after], p.taken[before] = before, true }

// sameDocument pairs the documents that a function kept.
func (p *pairer) sameDocument() {
	var at map[any]int
	for j := range p.after {
		if j < len(p.before) && p.before[j].SameDocument(p.after[j].YamlDoc) {
			p.take(j, j)
			continue
		}
		id := p.after[j].Identity()
		if at == nil {
			at = make(map[any]int, len(p.before))
			for i := range p.before {
				at[p.before[i].Identity()] = i
			}
		}
		if i, ok := at[id]; ok {
			p.take(i, j)
		}
	}
}

// byMergeID pairs resources with the same merge ID.
func (p *pairer) byMergeID() {
	path := p.provider.ContextPath(contextMergeID)
	id := func(d *UnitDocument) string {
		if !d.MayContain(contextMergeID) {
			return ""
		}
		return d.Path(string(path)).Value().Text()
	}
	at := map[string]int{}
	for i := range p.before {
		if text := id(&p.before[i]); text != "" && !p.taken[i] {
			if _, twice := at[text]; !twice {
				at[text] = i
			}
		}
	}
	if len(at) == 0 {
		return
	}
	for j := range p.after {
		text := id(&p.after[j])
		if i, ok := at[text]; ok && p.of[j] < 0 {
			p.take(i, j)
			delete(at, text)
		}
	}
}

// byName pairs documents with the same name. If several share a name, they are paired in order.
// accept, if not nil, must agree.
func (p *pairer) byName(
	name func(*UnitDocument) string, accept func(before, after *UnitDocument) bool,
) {
	at := map[string][]int{}
	for i := range p.before {
		if !p.taken[i] {
			key := name(&p.before[i])
			at[key] = append(at[key], i)
		}
	}
	if len(at) == 0 {
		return
	}
	for j := range p.after {
		if p.of[j] >= 0 {
			continue
		}
		key := name(&p.after[j])
		for k, i := range at[key] {
			if accept == nil || accept(&p.before[i], &p.after[j]) {
				p.take(i, j)
				at[key] = slices.Delete(at[key], k, k+1)
				break
			}
		}
	}
}

// byLikeness pairs the remaining resources of similar types if less than half of their leaves
// differ.
func (p *pairer) byLikeness() {
	left := func(docs []UnitDocument, taken func(int) bool) (
		types []api.ResourceType, byType map[api.ResourceType][]int,
	) {
		byType = map[api.ResourceType][]int{}
		for i := range docs {
			if t := docs[i].Info.ResourceType; docs[i].resource && !taken(i) {
				if byType[t] == nil {
					types = append(types, t)
				}
				byType[t] = append(byType[t], i)
			}
		}
		return types, byType
	}
	types, gone := left(p.before, func(i int) bool { return p.taken[i] })
	newTypes, added := left(p.after, func(j int) bool { return p.of[j] >= 0 })
	if len(types)*len(newTypes) > maxPairs {
		return
	}
	var pairs []pairing
	for _, now := range newTypes {
		for _, was := range types {
			if !similarTypes(p.provider, was, now) {
				continue
			}
			if len(pairs)+len(gone[was])*len(added[now]) > maxPairs {
				return
			}
			for _, j := range added[now] {
				for _, i := range gone[was] {
					pairs = append(pairs, pairing{before: i, after: j})
				}
			}
		}
	}
	for k := range pairs {
		before, after := p.before[pairs[k].before], p.after[pairs[k].after]
		d := differ{dry: true, rough: true}
		d.value(before.Value(), after.Value(), p.provider.MergeKeys(after.Info.ResourceType))
		pairs[k].score = float64(d.cost) / float64(leaves(before.Value())+leaves(after.Value()))
	}
	pairs = slices.DeleteFunc(pairs, func(p pairing) bool { return p.score >= 0.5 })
	for _, pair := range bestPairs(pairs) {
		p.take(pair.before, pair.after)
	}
}

// similarTypes asks the provider whether a resource of type a may have become one of type b.
func similarTypes(provider configkit.ResourceProvider, a, b api.ResourceType) bool {
	if p, ok := provider.(interface {
		SimilarTypes(a, b api.ResourceType) bool
	}); ok && a != b {
		return p.SimilarTypes(a, b)
	}
	return a == b
}

// diffOptions says how two units are compared.
type diffOptions struct {
	index     int
	renames   bool // pair resources and list elements that differ in little but their names
	unchanged bool // also return resources to which nothing happened
}

// diffUnits compares two units. Changes follow the order of the documents in after; deleted
// resources come last.
func diffUnits(
	before, after gaby.Container, provider configkit.ResourceProvider, options diffOptions,
) ([]*resourceChange, error) {
	unitBefore, unitAfter := before, after
	// Documents that nobody edited need not even be identified.
	if !options.unchanged {
		before, after = withoutKept(before, after)
	}
	d := newUnitDiffer(provider, options)
	old, err := UnitDocuments(before, unitBefore, provider)
	now, errNow := UnitDocuments(after, unitAfter, provider)
	if err := errors.Join(err, errNow); err != nil {
		return nil, err
	}
	p := pairer{provider: provider, before: old, after: now, renames: options.renames}
	p.pair()
	for j := range now {
		if i := p.of[j]; i < 0 {
			d.add(newResource(&now[j], api.MutationTypeAdd, options.index))
		} else {
			d.add(d.documents(&old[i], &now[j]))
		}
	}
	for i := range old {
		if !p.taken[i] {
			d.add(newResource(&old[i], api.MutationTypeDelete, options.index))
		}
	}
	return d.changes, errors.Join(d.problems...)
}

// unitDiffer collects the changes of a unit.
type unitDiffer struct {
	provider configkit.ResourceProvider
	options  diffOptions
	changes  []*resourceChange
	problems []error
	keys     map[api.ResourceType]*configkit.MergeKeyTree
	differ   differ
}

func newUnitDiffer(provider configkit.ResourceProvider, options diffOptions) *unitDiffer {
	return &unitDiffer{
		provider: provider, options: options,
		differ: differ{index: options.index, renames: options.renames},
	}
}

// add adds a change, unless it is None and options do not ask for those.
func (d *unitDiffer) add(r *resourceChange, err error) {
	if err != nil {
		d.problems = append(d.problems, err)
	} else if r.op != api.MutationTypeNone || d.options.unchanged {
		d.changes = append(d.changes, r)
	}
}

// mergeKeys returns the merge keys of a type, cached.
func (d *unitDiffer) mergeKeys(t api.ResourceType) *configkit.MergeKeyTree {
	keys, ok := d.keys[t]
	if !ok {
		keys = d.provider.MergeKeys(t)
		if d.keys == nil {
			d.keys = map[api.ResourceType]*configkit.MergeKeyTree{}
		}
		d.keys[t] = keys
	}
	return keys
}

// withoutKept drops the documents that are in both lists and unedited.
func withoutKept(before, after gaby.Container) (gaby.Container, gaby.Container) {
	kept := map[*gaby.YamlDoc]bool{}
	for i, doc := range before {
		if i < len(after) && after[i] == doc {
			kept[doc] = true
		}
	}
	if len(kept) < len(before) && len(kept) < len(after) {
		in := make(map[*gaby.YamlDoc]bool, len(before))
		for _, doc := range before {
			in[doc] = true
		}
		for _, doc := range after {
			if in[doc] {
				kept[doc] = true
			}
		}
	}
	left := func(docs gaby.Container) gaby.Container {
		var left gaby.Container
		for _, doc := range docs {
			if !kept[doc] {
				left = append(left, doc)
			}
		}
		return left
	}
	return left(before), left(after)
}

// newResource returns the change of a resource that was added or, with op Delete, deleted.
func newResource(d *UnitDocument, op api.MutationType, index int) (*resourceChange, error) {
	if err := d.Check(); err != nil {
		return nil, yamlpath.Locate(err, &d.Info)
	}
	r := &resourceChange{
		resource: d.Info, names: []api.ResourceName{d.Info.ResourceName},
		change: change{op: op, index: index, value: d.Value()},
	}
	if op == api.MutationTypeDelete {
		r.before = d.YamlDoc
	} else {
		r.after = d.YamlDoc
	}
	return r, nil
}

// documents returns what happened to a resource.
func (d *unitDiffer) documents(before, after *UnitDocument) (*resourceChange, error) {
	r := &resourceChange{
		resource: after.Info, before: before.YamlDoc, after: after.YamlDoc,
		change: change{index: d.options.index},
	}
	r.name(before.Info.ResourceName)
	if before.SameText(after.YamlDoc) {
		r.settle()
		return r, nil
	}
	for _, doc := range []*UnitDocument{before, after} {
		if err := doc.Check(); err != nil {
			return nil, yamlpath.Locate(err, &doc.Info)
		}
	}
	d.differ.diff(r, before.Value(), after.Value(), d.mergeKeys(after.Info.ResourceType))
	return r, nil
}
