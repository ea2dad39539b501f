package mutation

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/mutation/internal/finder"
	"github.com/fctl-dev/fctl/internal/yamlpath"
)

// contextMergeID is the context field that identifies a resource regardless of its name.
const contextMergeID = "ResourceMergeID"

// Document is a document with its resource info.
type Document struct {
	*gaby.YamlDoc
	Info     api.ResourceInfo
	resource bool // false for a document without kind or name
}

// Documents identifies the documents of a unit, without scanning them if possible. Documents
// that are not resources are named by apiVersion, kind and their number among the documents of unit
// with the same apiVersion and kind. Empty documents are omitted.
func Documents(
	docs, unit gaby.Container, provider configkit.ResourceProvider,
) ([]Document, error) {
	found := make([]Document, 0, len(docs))
	var unnamed map[any]api.ResourceInfo // computed on first use
	var problems []error
	for _, doc := range docs {
		info, err := provider.ResourceInfo(doc)
		none, ok := errors.AsType[*configkit.NoResourceError](err)
		if ok && unnamed == nil {
			unnamed = unnamedInfos(unit, provider)
		}
		switch {
		case err == nil:
			found = append(found, Document{YamlDoc: doc, Info: info, resource: true})
		case !ok:
			problems = append(problems, yamlpath.Locate(err, nil))
		case !none.Empty:
			found = append(found, Document{YamlDoc: doc, Info: unnamed[doc.Identity()]})
		}
	}
	return found, errors.Join(problems...)
}

// unnamedInfos names the documents of a unit that are not resources. It returns their infos by
// identity.
func unnamedInfos(
	unit gaby.Container, provider configkit.ResourceProvider,
) map[any]api.ResourceInfo {
	infos := map[any]api.ResourceInfo{}
	count := map[api.ResourceType]int{}
	for _, doc := range unit {
		if _, err := provider.ResourceInfo(doc); err == nil {
			continue
		}
		h, _ := doc.Header() // the error is reported when the document is checked
		t := api.ResourceType(h.APIVersion + "/" + h.Kind)
		if h.APIVersion == "" || h.Kind == "" {
			t = "document"
		}
		count[t]++
		name := api.ResourceName(fmt.Sprintf("#%d", count[t]))
		infos[doc.Identity()] = api.ResourceInfo{
			ResourceName: name, ResourceNameWithoutScope: name, ResourceType: t,
			ResourceCategory: provider.DefaultResourceCategory(),
		}
	}
	return infos
}

// pairing pairs two documents, or list elements, from before and after a change. A lower score
// means a better match.
type pairing struct {
	before, after int
	score         float64
}

// bestPairs picks pairs greedily, lowest score first, so that nothing is in two pairs. Equal scores
// are taken in order. A greedy choice may miss the pairing with the least total score, but its
// results are easy to explain: nothing is paired with a worse match than one that is left over.
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

// pairer finds which documents of two units are the same resource. Each document is in one pair at
// most. Each way to recognize a resource pairs only what the more certain ways left over; the last
// one compares contents, so that a renamed resource is not reported as deleted and added.
type pairer struct {
	provider      configkit.ResourceProvider
	before, after []Document
	of            []int  // by index in after: the index in before, or -1
	taken         []bool // by index in before
	renames       bool   // pair similar resources with different names
	// former, if not nil, returns the names that a resource in after has had.
	former func(*api.ResourceInfo) []api.ResourceName
}

// pair fills of and taken. Documents that a function kept are certain; the others are recognized as
// by a finder.
func (p *pairer) pair() {
	p.of, p.taken = slices.Repeat([]int{-1}, len(p.after)), make([]bool, len(p.before))
	p.sameDocument()
	infos, old := p.infos(p.before, func(i int) bool { return p.taken[i] })
	isNow, now := p.infos(p.after, func(j int) bool { return p.of[j] >= 0 })
	if len(old) == 0 || len(now) == 0 {
		return
	}
	all := make([]finder.Wanted, len(now))
	for k := range now {
		all[k].Info = isNow[k]
		if p.former != nil {
			all[k].Names = p.former(isNow[k])
		}
	}
	for k, i := range finder.New(p.provider, infos, nil).Assign(all, false) {
		if i >= 0 {
			p.take(old[i], now[k])
		}
	}
	if p.renames {
		p.byLikeness()
	}
}

func (p *pairer) take(before, after int) { p.of[after], p.taken[before] = before, true }

// infos returns the resources of the documents that are not paired, and the indexes of these.
func (p *pairer) infos(docs []Document, paired func(int) bool) (
	infos []*api.ResourceInfo, indexes []int,
) {
	path := string(p.provider.ContextPath(contextMergeID))
	for i, d := range docs {
		if paired(i) {
			continue
		}
		if d.MayContain(contextMergeID) {
			d.Info.ResourceMergeID = d.Path(path).Value().Text()
		}
		infos, indexes = append(infos, &d.Info), append(indexes, i)
	}
	return infos, indexes
}

// sameDocument pairs the documents that a function kept.
func (p *pairer) sameDocument() {
	at := make(map[any]int, len(p.before))
	for i := range p.before {
		at[p.before[i].Identity()] = i
	}
	for j := range p.after {
		if i, ok := at[p.after[j].Identity()]; ok {
			p.take(i, j)
		}
	}
}

// byLikeness pairs the remaining resources of similar types if less than half of their leaves
// differ. It gives up where that would take long: nobody renames so many resources at once.
func (p *pairer) byLikeness() {
	unpaired := func(docs []Document, paired func(int) bool) (left []int) {
		for i := range docs {
			if docs[i].resource && !paired(i) {
				left = append(left, i)
			}
		}
		return left
	}
	gone := unpaired(p.before, func(i int) bool { return p.taken[i] })
	added := unpaired(p.after, func(j int) bool { return p.of[j] >= 0 })
	if len(gone)*len(added) > maxAllPairs {
		return
	}
	var pairs []pairing
	for _, j := range added {
		for _, i := range gone {
			if finder.SimilarTypes(
				p.provider, p.before[i].Info.ResourceType, p.after[j].Info.ResourceType,
			) {
				pairs = append(pairs, pairing{before: i, after: j})
			}
		}
		if len(pairs) > maxPairs {
			return
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

// diffOptions says how two units are compared.
type diffOptions struct {
	index     int
	renames   bool // pair resources and list elements that differ in little but their names
	unchanged bool // also return resources to which nothing happened
	newMaps   bool // a new map is one entry, not one for each leaf
	// former, if not nil, returns the names that a resource has had.
	former func(*api.ResourceInfo) []api.ResourceName
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
	old, err := Documents(before, unitBefore, provider)
	now, errNow := Documents(after, unitAfter, provider)
	if err := errors.Join(err, errNow); err != nil {
		return nil, err
	}
	p := pairer{
		provider: provider, before: old, after: now, renames: options.renames,
		former: options.former,
	}
	p.pair()
	var changes []*resourceChange
	var problems []error
	d := &differ{index: options.index, renames: options.renames, newMaps: options.newMaps}
	add := func(before, after *Document) {
		r, err := d.documents(before, after, provider)
		if problems = append(problems, err); err == nil &&
			(r.op != api.MutationTypeNone || options.unchanged) {
			changes = append(changes, r)
		}
	}
	for j := range now {
		if i := p.of[j]; i >= 0 {
			add(&old[i], &now[j])
		} else {
			add(nil, &now[j])
		}
	}
	for i := range old {
		if !p.taken[i] {
			add(&old[i], nil)
		}
	}
	return changes, errors.Join(problems...)
}

// documents returns what happened to a resource. Without before it was added, without after
// deleted.
func (d *differ) documents(
	before, after *Document, provider configkit.ResourceProvider,
) (*resourceChange, error) {
	r := &resourceChange{change: change{index: d.index}}
	same := before != nil && after != nil && before.SameText(after.YamlDoc)
	for _, doc := range []*Document{before, after} {
		if doc == nil {
			continue
		}
		r.resource = doc.Info
		if !slices.Contains(r.names, doc.Info.ResourceName) {
			r.names = append(r.names, doc.Info.ResourceName)
		}
		// Documents with the same text need not even be scanned.
		if !same {
			if err := doc.Check(); err != nil {
				return nil, yamlpath.Locate(err, &doc.Info)
			}
		}
	}
	switch {
	case before == nil:
		r.op, r.after, r.value = api.MutationTypeAdd, after.YamlDoc, after.Value()
		return r, nil
	case after == nil:
		r.op, r.before, r.value = api.MutationTypeDelete, before.YamlDoc, before.Value()
		return r, nil
	}
	r.before, r.after = before.YamlDoc, after.YamlDoc
	if same {
		r.settle()
	} else {
		d.diff(r, before.Value(), after.Value(), provider.MergeKeys(r.resource.ResourceType))
	}
	return r, nil
}

// withoutKept drops the documents that are in both lists and unedited.
func withoutKept(before, after gaby.Container) (_, _ gaby.Container) {
	without := func(docs, others gaby.Container) gaby.Container {
		in := make(map[*gaby.YamlDoc]bool, len(others))
		for _, doc := range others {
			in[doc] = true
		}
		return slices.DeleteFunc(slices.Clone(docs), func(d *gaby.YamlDoc) bool { return in[d] })
	}
	return without(before, after), without(after, before)
}
