package mutation

import (
	"slices"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/knowledge/sops"
	"github.com/fctl-dev/fctl/internal/yamlpath"
)

// isEncrypted reports whether SOPS has encrypted the resource on one of the sides.
func (r *mergedResource) isEncrypted() bool {
	return len(sops.State(r.own.after))+len(sops.State(r.change.after)) > 0
}

// isContested reports whether the merge is not encrypted as the source is, although the source was
// encrypted again or the merge is not encrypted as the target was.
func (r *mergedResource) isContested() bool {
	now, theirs := sops.State(r.now), sops.State(r.change.after)
	return !slices.Equal(now, theirs) && (!slices.Equal(sops.State(r.change.before), theirs) ||
		!slices.Equal(now, sops.State(r.own.after)))
}

// keepEncrypted ensures that the encrypted values of a resource and the block of SOPS come from one
// side: sops cannot decrypt values of one side with the block of the other. If both sides have
// encrypted it again, it is the source with noSubtraction, else the target; then all differences are
// conflicts.
func (once *mergedOnce) keepEncrypted(noSubtraction bool) error {
	for _, r := range once.encrypted {
		var err error
		if noSubtraction && r.isContested() {
			err = once.takeEncrypted(r)
		}
		if err == nil && r.isContested() {
			err = once.withholdEncrypted(r)
		}
		if err != nil {
			return yamlpath.Locate(err, &r.change.resource)
		}
	}
	return nil
}

// takeEncrypted gives a merged resource the encrypted values and the block of the source, except
// where they are protected.
func (once *mergedOnce) takeEncrypted(r *mergedResource) error {
	p := once.quiet()
	parts := p.encrypted(r)
	return p.work(parts, r.now, nil).apply(parts, p.protected(parts, nil))
}

// withholdEncrypted merges a resource again without changes to encrypted values and the block. It
// reports all differences, so that applying the conflicts gives the source's.
func (once *mergedOnce) withholdEncrypted(r *mergedResource) error {
	r.now.Rollback(r.start)
	p := once.quiet()
	left := *r.left
	left.whole = nil
	w := p.work(&left, r.now, r.own)
	left.paths = slices.DeleteFunc(slices.Clone(left.paths), w.concernsEncrypted)
	*r.left = left
	if err := w.apply(r.left, p.protected(r.left, r.own)); err != nil {
		return err
	}
	once.conflicts.list = slices.DeleteFunc(once.conflicts.list, func(c conflict) bool {
		return c.resource == r.change.resource && len(c.path) > 0 &&
			(sops.Contains(c.path.Segments(), c.source.value) ||
				c.target != nil && sops.Contains(nil, c.target.value))
	})
	for _, e := range p.encrypted(r).paths {
		target := &change{op: api.MutationTypeUpdate, value: e.old}
		if e.op == api.MutationTypeDelete {
			target.value = e.value
		}
		if !target.value.Exists() {
			target = nil
		}
		once.conflicts.add(api.ConflictSubtracted, r.change, e.path, e.change, target)
	}
	return nil
}

// quiet returns a patcher for a resource whose conflicts were reported already.
func (once *mergedOnce) quiet() *patcher {
	p := *once.patcher
	p.conflicts = &conflicts{}
	return &p
}

// encrypted returns how the encrypted values and the block of the source differ from the target's.
func (p *patcher) encrypted(r *mergedResource) *resourceChange {
	parts := *r.change
	parts.before, parts.paths, parts.orders, parts.renames, parts.whole = nil, nil, nil, nil, nil
	keys := p.provider.MergeKeys(parts.resource.ResourceType)
	d := differ{index: parts.index}
	d.diff(&parts, r.now.Value(), r.change.after.Value(), keys)
	w := p.work(&parts, r.now, nil)
	parts.orders = nil
	parts.paths = slices.DeleteFunc(parts.paths, func(e *pathChange) bool {
		return !w.concernsEncrypted(e)
	})
	return &parts
}

// concernsEncrypted reports whether a change is about encrypted values, or about the block of SOPS.
func (w *resourcePatch) concernsEncrypted(e *pathChange) bool {
	at, path := w.find(e.path), e.path.Segments()
	return sops.Contains(path, e.value) || sops.Contains(path, e.old) ||
		at.missing == 0 && sops.Contains(path, at.value)
}
