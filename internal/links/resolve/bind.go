package resolve

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/knowledge/resourcetypes"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/formula"
	"github.com/fctl-dev/fctl/internal/yamlpath"
)

// needs resolves what the unit needs: first from the unit itself, then from the links of the type
// NeedsProvides, all at once.
func (r *resolver) needs(links []*entity.Link) error {
	if !r.in.Options.NoSelf && (r.mayNeed() || len(r.bindings[""]) > 0) {
		if err := r.bind([]*owner{{}}); err != nil {
			return entity.Errors(r.problemsOf(nil, err))
		}
	}
	if r.in.Options.SelfOnly {
		return nil
	}
	var owners []*owner
	for _, l := range links {
		if r.in.Options.NeedsOnly[l.LinkID] {
			open, err := r.hasOpenNeeds()
			if err != nil {
				return entity.Errors(r.problemsOf(nil, err))
			}
			if !open {
				r.results[l.LinkID].Status = entity.StatusSkipped
				continue
			}
		}
		o, err := r.prepareNeeds(l)
		if err != nil {
			if !r.fail(l, err) {
				return r.failures
			}
			continue
		}
		owners = append(owners, o)
	}
	if len(owners) == 0 {
		return nil
	}
	err := r.bind(owners)
	for _, o := range owners {
		if err != nil {
			if !r.fail(o.link, err) {
				return r.failures
			}
			continue
		}
		r.succeed(o.link, o.source.version)
	}
	return nil
}

// mayNeed reports whether the unit has placeholders, wherever they are.
func (r *resolver) mayNeed() bool {
	return bytes.Contains(r.data, []byte(configkit.PlaceholderString)) ||
		bytes.Contains(r.data, []byte(strconv.Itoa(configkit.PlaceholderInt)))
}

// hasOpenNeeds reports whether the unit has placeholders that a link can fill.
func (r *resolver) hasOpenNeeds() (bool, error) {
	if !r.mayNeed() {
		return false, nil
	}
	docs, err := r.documents()
	if err != nil {
		return false, err
	}
	needs, err := r.needsOf(docs)
	return slices.ContainsFunc(needs, func(n *need) bool {
		return n.open() && !n.isPart()
	}), err
}

// prepareNeeds reads what a link provides and writes its manual bindings.
func (r *resolver) prepareNeeds(l *entity.Link) (*owner, error) {
	s, err := r.sharedSource(l)
	if err != nil {
		return nil, err
	}
	o := &owner{link: l, source: s}
	if o.provisions, err = s.provisionsFor(o); err != nil {
		return nil, err
	}
	return o, r.writeManual(l, s)
}

// writeManual writes the values of the bindings that the user stated.
func (r *resolver) writeManual(l *entity.Link, s *source) error {
	var causes []cause
	docs, err := r.documents()
	if err != nil {
		return err
	}
	var problems entity.Errors
	for i := range l.Bindings {
		b := &l.Bindings[i]
		if b.AutoUpdate {
			continue
		}
		c, err := r.writeBinding(l, s, docs, b)
		if err != nil {
			problems = append(problems, r.problemsOf(l, err)...)
		}
		causes = append(causes, c...)
	}
	if len(problems) > 0 {
		return problems
	}
	_, err = r.commit(docs, causes...)
	return err
}

// noResource says that a link finds no resource upstream for one of its parts.
func (r *resolver) noResource(
	l *entity.Link, s *source, part string, ref entity.ResourceReference,
) *entity.Error {
	text := fmt.Sprintf("%sunit %s has no resource %s", part, r.nameOf(s.up.UnitID), refText(ref))
	if l.WhereResource != "" {
		text += " that the WhereResource of the link selects"
	}
	return r.problem(l, entity.CodeResourceNotFound, "%s", text)
}

// writeBinding writes the value of one manual binding and returns why the value changed.
func (r *resolver) writeBinding(
	l *entity.Link, s *source, docs gaby.Container, b *entity.Binding,
) ([]cause, error) {
	if b.ProvidedResource == nil || b.NeededResource == nil {
		return nil, r.problem(l, entity.CodeBindingInvalid,
			"a binding names a resource on both sides")
	}
	providers := selectResources(s.resources, referenceTo(b.ProvidedResource))
	if len(providers) == 0 {
		return nil, r.noResource(l, s, "", referenceTo(b.ProvidedResource))
	}
	p := &providers[0]
	value, found, err := p.read(b.ProvidedPath)
	if err != nil {
		return nil, err
	}
	if !found {
		e := r.problem(l, entity.CodeNoValue, "%s of %s has no value in %s", b.ProvidedPath, &p.info,
			r.nameOf(s.up.UnitID))
		e.Path = b.ProvidedPath
		return nil, e
	}
	text, err := formula.Text(value)
	if err == nil {
		value, err = resourcetypes.ConvertText(text, b.DataType)
	}
	if err != nil {
		return nil, r.problem(l, entity.CodeCoerce, "%s of %s: %w", b.ProvidedPath, &p.info, err)
	}
	target, err := r.oneResource(l, docs, referenceTo(b.NeededResource))
	if err != nil {
		return nil, err
	}
	mark := target.doc.Checkpoint()
	if _, err := target.write(b.NeededPath, value); err != nil {
		return nil, r.at(l, &target.info, b.NeededPath, err)
	}
	if target.doc.Checkpoint() == mark {
		return nil, nil
	}
	return []cause{{
		link: l, resource: &target.info, path: b.NeededPath,
		mutation: entity.Mutation{ProvidedResource: &p.info, ProvidedPath: b.ProvidedPath},
	}}, nil
}

// binder binds the needs of the unit to what some owners provide.
type binder struct {
	*resolver
	owners []*owner
	docs   gaby.Container
	open   []*need // and those that are filled
	all    []resource
	causes []cause
	// onlyNamespaces leaves everything but the namespaces of resources to a later round.
	onlyNamespaces bool
	dirty          map[string]bool           // owners whose bindings changed, by ID
	bound          map[string]boundBy        // by value key
	lost           map[string]entity.Binding // bindings whose provider is gone, by value key
	lostBy         map[string]*owner
}

// boundBy says which binding supplies a value.
type boundBy struct {
	id    string // of the owner
	index int
}

// namespacePath is bound first: the namespace of a resource decides which names it can refer to.
const namespacePath = "metadata.namespace"

// maxBindRounds bounds how often bindings are made that depend on others.
const maxBindRounds = 4

// bind refreshes the bindings of the owners and binds what is still open.
func (r *resolver) bind(owners []*owner) error {
	saved, warned := map[string][]entity.Binding{}, len(r.warnings)
	for id, list := range r.bindings {
		saved[id] = slices.Clone(list)
	}
	_, err := r.bindOnce(owners, true)
	// A bound value can decide about other bindings, for example if it is part of a provision.
	for changed, round := true, 0; err == nil && changed && round < maxBindRounds; round++ {
		changed, err = r.bindOnce(owners, false)
	}
	if err != nil {
		r.warnings, r.bindings = r.warnings[:warned], saved
	}
	return err
}

// bindOnce does the work of bind once, or only for the namespaces of resources. It reports whether
// the unit changed.
func (r *resolver) bindOnce(owners []*owner, onlyNamespaces bool) (bool, error) {
	b := &binder{
		resolver: r, owners: owners, onlyNamespaces: onlyNamespaces, dirty: map[string]bool{},
		bound: map[string]boundBy{}, lost: map[string]entity.Binding{},
		lostBy: map[string]*owner{},
	}
	var err error
	if b.docs, err = r.documents(); err != nil {
		return false, err
	}
	if b.all, err = r.resources(b.docs); err != nil {
		return false, err
	}
	if b.open, err = r.needsOf(b.docs); err != nil {
		return false, err
	}
	for _, o := range owners {
		if o.link == nil && err == nil {
			o.provisions, err = r.provisionsOf(b.docs, o)
		}
	}
	if err != nil {
		return false, err
	}
	return b.run()
}

// skips reports whether the binder leaves a path to a later round.
func (b *binder) skips(path string) bool { return b.onlyNamespaces && path != namespacePath }

// run refreshes, matches and commits. It reports whether the unit changed.
func (b *binder) run() (bool, error) {
	for _, o := range b.owners {
		if err := b.recall(o); err != nil {
			return false, err
		}
		if err := b.refresh(o); err != nil {
			return false, err
		}
	}
	b.index()
	for _, n := range b.open {
		if b.skips(n.path) {
			continue
		}
		if err := b.match(n); err != nil {
			return false, err
		}
	}
	b.dangling()
	b.rename()
	for id := range b.dirty {
		b.rebound[id] = true
	}
	return b.commit(b.docs, b.causes...)
}

// index finds which needs are bound.
func (b *binder) index() {
	for id, list := range b.bindings {
		for i := range list {
			if list[i].NeededResource != nil {
				key := valueKey(b.completed(list[i].NeededResource), list[i].NeededPath)
				b.bound[key] = boundBy{id, i}
			}
		}
	}
}

// completed returns a resource of a binding with its name without the scope.
func (b *binder) completed(info *api.ResourceInfo) *api.ResourceInfo {
	c := *info
	if c.ResourceNameWithoutScope == "" {
		c.ResourceNameWithoutScope = b.provider.RemoveScopeFromResourceName(c.ResourceName)
	}
	return &c
}

// refresh writes the values of the bindings that resolving made, where they changed.
func (b *binder) refresh(o *owner) error {
	var kept []entity.Binding
	for _, binding := range b.bindings[o.id()] {
		if !binding.AutoUpdate || binding.NeededResource == nil ||
			binding.ProvidedResource == nil || b.skips(binding.NeededPath) {
			kept = append(kept, binding)
			continue
		}
		target, at, ok := b.needed(&binding)
		if !ok {
			b.dirty[o.id()] = true
			continue // what needed the value is gone
		}
		p := b.providerOf(o, &binding)
		if p == nil {
			key := valueKey(b.completed(binding.NeededResource), binding.NeededPath)
			b.lost[key], b.lostBy[key] = binding, o
			b.dirty[o.id()] = true
			continue
		}
		if err := b.update(o, &binding, p, target, at); err != nil {
			return err
		}
		kept = append(kept, binding)
	}
	b.bindings[o.id()] = kept
	return nil
}

// needed returns the resource and the value that a binding is about. It reports false if they are
// gone.
func (b *binder) needed(binding *entity.Binding) (*resource, place, bool) {
	ref := referenceTo(binding.NeededResource)
	found := selectResources(b.all, ref)
	if len(found) == 0 {
		// The namespace may have changed since.
		ref.ResourceName = b.completed(binding.NeededResource).ResourceNameWithoutScope
		found = selectResources(b.all, ref)
	}
	if len(found) == 0 {
		return nil, place{}, false
	}
	compiled, err := yamlpath.Parse(binding.NeededPath)
	if err != nil {
		return nil, place{}, false
	}
	at, err := locations(found[0].doc, compiled, binding.NeededPath)
	if err != nil || !at[0].value.Exists() || at[0].value.Kind() != gaby.Scalar {
		return nil, place{}, false
	}
	return &found[0], at[0], true
}

// providerOf returns the provision that a binding is about, nil if it is gone. A resource that was
// renamed is followed.
func (b *binder) providerOf(o *owner, binding *entity.Binding) *provision {
	about := b.completed(binding.ProvidedResource)
	find := func(same func(info *api.ResourceInfo) bool) *provision {
		for _, p := range o.provisions {
			if p.info.ResourceType == about.ResourceType && p.path == binding.ProvidedPath &&
				same(&p.info) {
				return p
			}
		}
		return nil
	}
	named := func(name api.ResourceName) *provision {
		return find(func(i *api.ResourceInfo) bool { return i.ResourceName == name })
	}
	if p := named(about.ResourceName); p != nil {
		return p
	}
	if p := find(func(i *api.ResourceInfo) bool {
		return i.ResourceNameWithoutScope == about.ResourceNameWithoutScope
	}); p != nil {
		return p
	}
	sources := b.sources
	if o.source != nil {
		sources = o.source.up.Sources
	}
	for i := range sources {
		m := &sources[i]
		if _, had := m.Names()[about.ResourceName]; !had ||
			m.Resource.ResourceType != about.ResourceType {
			continue
		}
		if p := named(m.Resource.ResourceName); p != nil {
			return p
		}
	}
	return nil
}

// update brings one binding up to date.
func (b *binder) update(
	o *owner, binding *entity.Binding, p *provision, target *resource, at place,
) error {
	wanted, err := fill(binding.OriginalValue, p.value, binding.DataType)
	if err != nil {
		return b.problem(o.link, entity.CodeCoerce, "%s of %s: %w", p.path, &p.info, err)
	}
	now := scalarOf(at.value)
	edited := !configkit.IsPlaceholder(now) && !equalScalars(now, binding.LastValue) &&
		!equalScalars(now, wanted)
	was := *binding
	binding.Overridden = edited && !b.in.Options.Force
	if binding.Overridden {
		b.warn(o.link, entity.WarnOverridden, &target.info, binding.NeededPath,
			"%s was edited and is kept; it is bound to %s of %s", binding.NeededPath, p.path, &p.info)
	} else if err := b.write(o, binding, p, target, at, wanted); err != nil {
		return err
	}
	info := p.info
	binding.ProvidedResource = &info
	if was.Overridden != binding.Overridden || !equalScalars(was.LastValue, binding.LastValue) ||
		*was.ProvidedResource != *binding.ProvidedResource {
		b.dirty[o.id()] = true
	}
	return nil
}

// write writes the value of a binding, if it is not there yet.
func (b *binder) write(
	o *owner, binding *entity.Binding, p *provision, target *resource, at place, wanted any,
) error {
	binding.LastValue = wanted
	if sameScalar(at.value, wanted) {
		return nil
	}
	if _, err := target.doc.Set(wanted, at.segments...); err != nil {
		return yamlpath.Locate(err, &target.info)
	}
	provided := p.info
	b.causes = append(b.causes, cause{
		link: o.link, resource: &target.info, path: binding.NeededPath,
		mutation: entity.Mutation{ProvidedResource: &provided, ProvidedPath: p.path},
	})
	return nil
}

// scalarOf returns a value as bindings record it.
func scalarOf(v gaby.Value) any {
	data := v.Data()
	switch data.(type) {
	case int, bool:
		return data
	}
	return v.Text()
}

// equalScalars compares values of bindings, which files may hold as other number types.
func equalScalars(a, b any) bool { return a == b || fmt.Sprint(a) == fmt.Sprint(b) }

// match finds a provider for a need that is open, whose provider is gone, or that another owner
// serves better.
func (b *binder) match(n *need) error {
	key := valueKey(&n.info, n.path)
	current, isBound := b.bound[key]
	lost, isLost := b.lost[key]
	var best int
	switch {
	case isBound:
		score, ok := b.currentScore(n, current)
		if !ok {
			return nil
		}
		best = score + 1 // another one must be strictly better
	case isLost:
		if !n.open() && !equalScalars(n.value, lost.LastValue) {
			return nil
		}
	case !n.open():
		return nil
	}
	chosen := b.choose(n, best, isBound)
	if chosen == nil {
		if !isBound && !isLost {
			b.unmatched(n)
		}
		return nil
	}
	original := n.value
	if isLost {
		original = lost.OriginalValue
	}
	if isBound {
		original = b.bindings[current.id][current.index].OriginalValue
	}
	return b.attach(n, chosen, original, current, isBound)
}

// attach binds a need to a provision.
func (b *binder) attach(
	n *need, chosen *provision, original any, current boundBy, isBound bool,
) error {
	o := chosen.owner
	wanted, err := fill(original, chosen.value, n.dataType)
	if err != nil {
		return b.problem(o.link, entity.CodeCoerce, "%s of %s: %w", n.path, &n.info, err)
	}
	needed, provided := n.info, chosen.info
	binding := entity.Binding{
		AttributeName: string(n.name), DataType: n.dataType, ProvidedResource: &provided,
		ProvidedPath: chosen.path, NeededResource: &needed, NeededPath: n.path, AutoUpdate: true,
		OriginalValue: original, InLiveState: o.link != nil && o.link.UseLiveState,
	}
	at := place{n.segments, n.doc.Search(n.segments...).Value()}
	if err := b.write(o, &binding, chosen, &n.resource, at, wanted); err != nil {
		return err
	}
	if isBound {
		b.detach(current)
	}
	b.bindings[o.id()] = append(b.bindings[o.id()], binding)
	key := valueKey(&n.info, n.path)
	b.bound[key] = boundBy{o.id(), len(b.bindings[o.id()]) - 1}
	b.dirty[o.id()] = true
	delete(b.lost, key)
	return nil
}

// detach removes a binding, which moved to another owner.
func (b *binder) detach(of boundBy) {
	b.bindings[of.id] = slices.Delete(slices.Clone(b.bindings[of.id]), of.index, of.index+1)
	b.dirty[of.id] = true
	b.bound = map[string]boundBy{}
	b.index()
}

// currentScore returns the score of the provider of a bound need. It reports false if the binding
// stays as it is.
func (b *binder) currentScore(n *need, of boundBy) (int, bool) {
	binding := &b.bindings[of.id][of.index]
	if of.id == "" || !binding.AutoUpdate || binding.Overridden ||
		len(b.owners) == 1 && b.owners[0].link == nil {
		return 0, false
	}
	o := b.ownerOf(of.id)
	if o == nil {
		return 0, false
	}
	p := b.providerOf(o, binding)
	if p == nil {
		return 0, false
	}
	return p.score(n), true
}

// ownerOf returns the owner of bindings with what it provides, nil if that is not known here.
func (b *binder) ownerOf(id string) *owner {
	for _, o := range b.owners {
		if o.id() == id {
			return o
		}
	}
	i := slices.IndexFunc(b.in.Others, func(l *entity.Link) bool { return l.LinkID == id })
	if i < 0 || b.in.Upstreams[b.in.Others[i].ToUnitID] == nil {
		return nil
	}
	o := &owner{link: b.in.Others[i]}
	var err error
	if o.source, err = b.sharedSource(o.link); err != nil {
		return nil // that link reports it when it is resolved
	}
	if o.provisions, err = o.source.provisionsFor(o); err != nil {
		return nil
	}
	return o
}

// choose returns the provision for a need, nil if nothing provides it or if it is not clear which.
func (b *binder) choose(n *need, least int, isBound bool) *provision {
	if n.isPart() {
		return nil // functions, expressions and manual bindings write parts
	}
	var found []*provision
	best := least
	for _, o := range b.owners {
		for _, p := range o.provisions {
			score := p.score(n)
			if score < best || !p.satisfies(n) {
				continue
			}
			if score > best {
				best, found = score, nil
			}
			found = append(found, p)
		}
	}
	if latest := slices.DeleteFunc(slices.Clone(found), func(p *provision) bool {
		return !p.latest
	}); len(latest) > 0 {
		found = latest
	}
	if len(found) == 0 {
		return nil
	}
	slices.SortStableFunc(found, func(x, y *provision) int {
		return cmp.Or(
			strings.Compare(x.owner.slug(), y.owner.slug()), cmp.Compare(x.order, y.order),
		)
	})
	if b.in.Options.AmbiguousFirst || !slices.ContainsFunc(found, func(p *provision) bool {
		return !equalScalars(p.value, found[0].value)
	}) {
		return found[0]
	}
	if !isBound {
		b.ambiguous(n, found)
	}
	return nil
}

// ambiguous warns that several providers offer different values.
func (b *binder) ambiguous(n *need, found []*provision) {
	names := make([]string, len(found))
	for i, p := range found {
		if names[i] = p.info.String(); p.owner.link != nil {
			names[i] += " (" + p.owner.link.Slug + ")"
		}
	}
	b.warn(found[0].owner.link, entity.WarnAmbiguous, &n.info, n.path, "%s of %s can come from %s",
		n.path, &n.info, strings.Join(names, ", "))
}

// unmatched warns that no link provides a value that is still open.
func (b *binder) unmatched(n *need) {
	if b.owners[0].link == nil || b.onlyNamespaces {
		return // links may provide it, or a later round
	}
	w := slices.ContainsFunc(b.warnings, func(w entity.Warning) bool {
		return w.Code == entity.WarnAmbiguous && w.Path == n.path && w.Resource == n.info.String()
	})
	if !w {
		b.warn(nil, entity.WarnUnmatched, &n.info, n.path, "nothing provides %s of %s", n.path, &n.info)
	}
}

// dangling warns about values whose provider is gone. They stay.
func (b *binder) dangling() {
	for _, key := range slices.Sorted(maps.Keys(b.lost)) {
		binding := b.lost[key]
		b.warn(b.lostBy[key].link, entity.WarnDangling, binding.NeededResource, binding.NeededPath,
			"what provided %s of %s is gone; the value stays", binding.NeededPath,
			binding.NeededResource)
	}
}

// rename gives the resources of bindings the names that they have now: a namespace may just have
// been bound.
func (b *binder) rename() {
	for _, o := range b.owners {
		list := b.bindings[o.id()]
		for i := range list {
			if !list[i].AutoUpdate {
				continue
			}
			target, _, ok := b.needed(&list[i])
			if !ok {
				continue
			}
			info, err := b.provider.ResourceInfo(target.doc)
			if err == nil && info != *list[i].NeededResource {
				list[i].NeededResource = &info
				b.dirty[o.id()] = true
			}
		}
	}
}
