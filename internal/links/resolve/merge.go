package resolve

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/mutation"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/origin"
	"github.com/fctl-dev/fctl/internal/merge/textmerge"
)

// merge resolves an UpgradeUnit or MergeUnits link: it applies to the unit what the upstream unit
// has changed since the last merge, except where the unit has changes of its own.
func (r *resolver) merge(l *entity.Link) error {
	up, err := r.upstreamOf(l)
	if err != nil {
		return err
	}
	end, head, err := r.dataOf(l, up)
	if err != nil {
		return err
	}
	upgrade := l.Type() == entity.UpdateUpgradeUnit
	from := l.UpstreamLastMergedRevisionNum
	if to := r.in.Options.ToRevision; upgrade && to != 0 {
		if to < from || to > head {
			return r.problem(l, entity.CodeRevisionMissing,
				"revision %d of %s cannot be merged: %d is merged and %d is the head", to,
				r.nameOf(up.UnitID), from, head)
		}
		if to != head {
			if end, err = up.At(to, false); err != nil {
				return err
			}
			head = to
		}
	}
	var base []byte
	switch {
	case from == head:
		base = end
	case from > 0:
		base, err = up.At(from, l.UseLiveState)
	}
	if err == nil && from > 0 && !l.HasMerged(base) {
		err = errors.New("its history has begun again")
	}
	if err == nil && !r.knowsMerges(l, up) {
		err = fmt.Errorf("history of %s/%s has begun again", r.spaceSlug(),
			r.in.Downstream.Slug)
	}
	if err != nil {
		return r.missingBase(l, up, from, err)
	}
	if from == head {
		r.succeed(l, head).MergedHash = l.MergedHash
		r.upgraded(l, up, head)
		return nil
	}
	source := mergeSource{up.UnitID, "unit " + r.nameOf(up.UnitID), end}
	if end, err = r.flowing(l, up, base, end); err != nil {
		return fmt.Errorf("%s: %w", source.name, err)
	}
	mutated := entity.Mutation{
		MergeSourceID: up.UnitID, MergeBaseRevisionNum: &from, MergeEndRevisionNum: &head,
	}
	if upgrade {
		mutated.UpgradedFromUpstreamRevisionNum = &head
	}
	if err := r.mergeRange(l, source, base, end, mutated); err != nil {
		return err
	}
	r.merged[l.LinkID] = true
	merged := r.succeed(l, head)
	merged.MergeBaseRevisionNum, merged.MergedHash = from, api.DataHash(source.head)
	r.upgraded(l, up, head)
	return nil
}

// knowsMerges reports whether the history of the unit still has the merges of the link. Without
// them, a WhereMutation that asks for merged values would take all values for the unit's own.
func (r *resolver) knowsMerges(l *entity.Link, up *Upstream) bool {
	if l.MergeMutationNum == 0 || l.WhereMutation == "" {
		return true
	}
	m := r.mutationNumber(l.MergeMutationNum)
	return m != nil && (m.LinkID == l.LinkID || m.MergeSourceID == up.UnitID)
}

// missingBase says that the merge base is not known.
func (r *resolver) missingBase(l *entity.Link, up *Upstream, num int64, err error) error {
	what := "revision"
	if l.UseLiveState {
		what = "live state"
	}
	return r.problem(l, entity.CodeRevisionMissing,
		"%s %d of %s, which was merged last, is missing: %w", what, num, r.nameOf(up.UnitID), err).
		WithHint(fmt.Sprintf("fctl link update --patch %s --space %s --make-current starts from the"+
			" present heads", l.Slug, l.SpaceSlug))
}

// baseKnown returns an error if a unit has resources of its upstream, but nobody knows of which
// revision. A merge without a base would take what the unit has for its own changes, and what the
// upstream has changed would never arrive.
func (r *resolver) baseKnown(
	l *entity.Link, from mergeSource, present []resource, end gaby.Container,
) error {
	theirs, err := r.resources(end)
	if err != nil || !mayHaveMerged(l, present, theirs) {
		return err
	}
	unit := r.spaceSlug() + "/" + r.in.Downstream.Slug
	return r.problem(l, entity.CodeRevisionMissing, "%s has no record here of its merges from %s,"+
		" so nothing can be merged", unit, from.name).WithHint(fmt.Sprintf("if %s has all changes of %s: fctl link update --patch %s --space %s"+
		" --make-current; if it has none of them, delete the link and create it again; otherwise"+
		" bring the records in .fctl from where the workspace comes from",
		unit, from.name, l.Slug, l.SpaceSlug))
}

// mayHaveMerged reports whether a unit may have resources of its upstream: one of the same type
// and name, in any scope. A clone began as its upstream and may have other names since, so the
// type of one resource is enough.
func mayHaveMerged(l *entity.Link, unit, upstream []resource) bool {
	key := func(r *resource) string {
		if l.Type() == entity.UpdateUpgradeUnit {
			return string(r.info.ResourceType)
		}
		return r.key()
	}
	has := map[string]bool{}
	for i := range unit {
		has[key(&unit[i])] = true
	}
	return slices.ContainsFunc(upstream, func(r resource) bool { return has[key(&r)] })
}

// upgraded records the upstream of the unit.
func (r *resolver) upgraded(l *entity.Link, up *Upstream, num int64) {
	if l.Type() == entity.UpdateUpgradeUnit {
		r.upstream = &UpstreamFields{
			UnitID: up.UnitID, SpaceID: up.SpaceID, RevisionNum: num,
		}
	}
}

// mergeSource is the unit or file that a merge takes changes from. A file has no ID. head is its
// data, with values that do not flow.
type mergeSource struct {
	unitID, name string
	head         []byte
}

// mergeRange merges what changed between two states of a source.
func (r *resolver) mergeRange(
	l *entity.Link, from mergeSource, base, end []byte, mutated entity.Mutation,
) error {
	var docs [3]gaby.Container // base, end, the unit
	var err error
	for i, data := range [][]byte{base, end} {
		if docs[i], err = r.filtered(l, r.format, data); err != nil {
			return err
		}
		if err := r.unique(l, docs[i], from.name); err != nil {
			return err
		}
	}
	if docs[2], err = r.documents(); err != nil {
		return err
	}
	if err := r.unique(l, docs[2], "the unit"); err != nil {
		return err
	}
	was, err := r.documents()
	if err != nil {
		return err
	}
	present, err := r.resources(was)
	if err != nil {
		return err
	}
	if l.BaseUnknown && len(base) == 0 {
		if err := r.baseKnown(l, from, present, docs[1]); err != nil {
			return err
		}
	}
	if l.WhereResource != "" {
		for i, data := range []*[]byte{&base, &end} {
			text, err := r.converter.DocumentsToNative(docs[i])
			if err != nil {
				return err
			}
			if !bytes.HasPrefix(*data, []byte("---")) {
				text = bytes.TrimPrefix(bytes.TrimPrefix(text, []byte("---\n")), []byte("---\r\n"))
			}
			*data = text
		}
	}
	merged, err := r.mergeTexts(l, [3][]byte{base, end, r.data}, docs, was)
	if err != nil {
		return err
	}
	if err := r.namespaces(l, from.head, docs[0], present, merged.Docs); err != nil {
		return err
	}
	var found api.MutationConflictList
	undecided, err := mutation.Undecided(merged.Conflicts, r.sources, r.provider)
	if err != nil {
		return err
	}
	for _, c := range undecided {
		if c.Reason == api.ConflictDeleteShadowed && r.fromLink(&c) {
			continue // what a link wrote is nobody's work
		}
		c.UnitID, c.LinkID = from.unitID, l.LinkID
		for i := range present {
			// The namespace of the unit's own resource says more than that of the upstream's.
			if present[i].key() == valueKey(&c.Resource, "") {
				c.Resource = present[i].info
			}
		}
		found = append(found, c)
	}
	if r.in.Options.Ours || r.in.Options.Theirs {
		if merged.Docs, found, err = r.favour(merged.Docs, found); err != nil {
			return err
		}
	}
	if _, err := r.commit(merged.Docs, cause{link: l, mutation: mutated}); err != nil {
		return err
	}
	r.conflicts = append(r.conflicts, found...)
	return nil
}

// mergeTexts merges the texts of base, source and unit as fctl merge does: values, comments and
// layout. docs are their documents, and was those of the unit, parsed a second time.
func (r *resolver) mergeTexts(
	l *entity.Link, texts [3][]byte, docs [3]gaby.Container, was gaby.Container,
) (*mutation.Merged, error) {
	mayOverwrite, problem := r.mayOverwrite(l)
	options := mutation.Options{
		NoSubtraction: l.MergeDisableSubtraction, Protection: r.sources,
		MayOverwrite: mayOverwrite, Was: was,
	}
	merged, err := mutation.Merge(docs[0], docs[1], docs[2], r.provider, options)
	if err := cmp.Or(err, *problem); err != nil {
		return nil, err
	}
	text, err := r.converter.DocumentsToNative(merged.Docs)
	if err != nil {
		return nil, err
	}
	laid, kept := textmerge.Layout(
		texts[0], texts[2], texts[1], text, len(merged.Conflicts) == 0, r.converter, r.provider, options,
	)
	if kept > 0 {
		r.warn(l, entity.WarnLayout, nil, "", "comments or layout could not be merged in %s; the unit"+
			" keeps its own", diag.Count(kept, "place"))
	}
	if !bytes.Equal(laid, text) {
		merged.Docs, err = r.parse(laid)
	}
	return merged, err
}

// favour settles conflicts by Ours and Theirs of the options, and returns the others.
// Where the unit lost a change, theirs has been taken already.
func (r *resolver) favour(
	docs gaby.Container, conflicts api.MutationConflictList,
) (gaby.Container, api.MutationConflictList, error) {
	if r.in.Options.Ours {
		return docs, slices.DeleteFunc(conflicts, func(c api.MutationConflict) bool {
			return !c.Reason.Loses()
		}), nil
	}
	patch, left := patchOf(slices.DeleteFunc(conflicts, func(c api.MutationConflict) bool {
		return c.Reason.Loses()
	}))
	docs, rest, err := mutation.Patch(docs, nil, patch, nil, r.provider)
	return docs, append(left, rest...), err
}

// unique reports resources that occur twice in a unit.
func (r *resolver) unique(l *entity.Link, docs gaby.Container, in string) error {
	all, err := r.resources(docs)
	for _, doc := range docs {
		if err == nil {
			err = doc.Check()
		}
	}
	if err != nil {
		return fmt.Errorf("%s: %w", in, err)
	}
	return r.noDuplicates(l, all, in)
}

// noDuplicates reports resources of one type and name, whatever their scope.
func (r *resolver) noDuplicates(l *entity.Link, all []resource, in string) error {
	seen := map[string]bool{}
	for i := range all {
		one := &all[i]
		key := string(one.info.ResourceType) + " " + string(one.unscoped())
		if seen[key] {
			e := r.problem(l, entity.CodeDupResource, "%s has two resources %s", in, key).
				WithHint("links find resources by type and name without the namespace")
			e.Resource = one.info.String()
			return e
		}
		seen[key] = true
	}
	return nil
}

// mayOverwrite returns the test that WhereMutation is for the entries of the sources, nil if the
// link has none. The first error of the filter is left in problem.
func (r *resolver) mayOverwrite(l *entity.Link) (
	test func(api.MutationInfo) bool, problem *error,
) {
	problem = new(error)
	if strings.TrimSpace(l.WhereMutation) == "" {
		return nil, problem
	}
	known := map[int]bool{}
	return func(info api.MutationInfo) bool {
		if answer, ok := known[info.Index]; ok {
			return answer
		}
		answer := false
		if m := r.mutationNumber(int64(info.Index)); m != nil {
			var err error
			late := r.timed(l, "WhereMutation", func() {
				answer, err = r.in.MutationMatches(l.WhereMutation, r.in.Downstream.Unit, m)
			})
			if err == nil {
				err = late
			}
			if err != nil && *problem == nil {
				*problem = err
			}
		}
		known[info.Index] = answer
		return answer
	}, problem
}

// mutationNumber returns a mutation of the unit, nil if its record is missing.
func (r *resolver) mutationNumber(num int64) *entity.Mutation {
	return mutationNumber(num, r.in.Downstream.Mutations, r.mutations)
}

// mutationNumber returns the mutation with a number in one of several sorted lists, nil if its record
// is missing.
func mutationNumber(num int64, lists ...[]entity.Mutation) *entity.Mutation {
	for _, list := range lists {
		if i, ok := slices.BinarySearchFunc(list, num, func(m entity.Mutation, n int64) int {
			return cmp.Compare(m.MutationNum, n)
		}); ok {
			return &list[i]
		}
	}
	return nil
}

// fromLink reports whether a link wrote what a conflict is about.
func (r *resolver) fromLink(c *api.MutationConflict) bool {
	origin, ok := origin.Nearest(r.sources, &c.Resource, string(c.Path), r.provider)
	if !ok {
		return false
	}
	m := r.mutationNumber(int64(origin.Info.Index))
	return m != nil && m.LinkID != ""
}

// namespaces gives resources that a merge added the namespace of the unit, if they have none or, in a
// clone, that of the upstream unit. It warns about those in other namespaces. upstream is the data of
// the upstream unit and base its data when it was merged last.
func (r *resolver) namespaces(
	l *entity.Link, upstream []byte, base gaby.Container, present []resource, docs gaby.Container,
) error {
	ours := oneNamespace(present)
	all, err := r.resources(docs)
	if ours == "" || err != nil {
		return err
	}
	had := keysOf(present)
	if !slices.ContainsFunc(all, func(r resource) bool { return !had[r.key()] }) {
		return nil
	}
	theirs, err := r.namespaceOf(upstream, base)
	if err != nil {
		return err
	}
	for i := range all {
		info := &all[i].info
		in := scope(info)
		if in == ours || had[all[i].key()] {
			continue
		}
		adopt := r.in.Options.AdoptNamespace
		if l.UpdateType == entity.UpdateUpgradeUnit {
			adopt = adopt || in == theirs
		}
		switch {
		case in == "" && !all[i].lacksNamespace():
		case in == "" && l.UpdateType != entity.UpdateUpgradeUnit && !adopt:
		case in == "", adopt:
			if _, err := all[i].doc.Set(ours, "metadata", "namespace"); err != nil {
				return err
			}
		default:
			r.warn(l, entity.WarnNamespaceMismatch, info, "metadata.namespace",
				"%s is in namespace %s, the rest of the unit is in %s", info, in, ours)
		}
	}
	return nil
}

// namespaceOf returns the namespace of an upstream unit: of the resources that it had in base, if it had
// any.
func (r *resolver) namespaceOf(upstream []byte, base gaby.Container) (string, error) {
	docs, err := r.parse(upstream)
	if err != nil {
		return "", err
	}
	all, err := r.resources(docs)
	if err != nil {
		return "", err
	}
	before, err := r.resources(base)
	had := keysOf(before)
	old := slices.DeleteFunc(slices.Clone(all), func(r resource) bool { return !had[r.key()] })
	if len(old) > 0 {
		all = old
	}
	return oneNamespace(all), err
}

func keysOf(all []resource) map[string]bool {
	keys := make(map[string]bool, len(all))
	for i := range all {
		keys[all[i].key()] = true
	}
	return keys
}

// oneNamespace returns the namespace of resources, or "" if they have several or none.
func oneNamespace(all []resource) (one string) {
	for i := range all {
		switch in := scope(&all[i].info); {
		case in == "" || in == one:
		case one == "":
			one = in
		default:
			return ""
		}
	}
	return one
}

// lacksNamespace reports whether a resource has no namespace, although those of its type are in one.
func (r *resource) lacksNamespace() bool {
	p, ok := r.provider.(interface {
		Scope(api.ResourceType) configkit.Scope
	})
	return ok && p.Scope(r.info.ResourceType) == configkit.ScopeNamespaced &&
		!r.doc.Search("metadata", "namespace").Value().Exists()
}

// MergeInput is a merge without a link.
type MergeInput struct {
	Input
	// Name is what the changes come from, such as "unit dev/web", and UnitID its ID if it is a
	// unit.
	Name, UnitID string
	Base, End    []byte
	Mutation     entity.Mutation
	Source       entity.Source
	NoSubtract   bool
}

// Merge merges what changed between two states of another unit, or of a file, into a unit, as a
// MergeUnits link would, but once and without a link. The error is an entity.Errors.
func Merge(ctx context.Context, in *MergeInput) (*Outcome, error) {
	in.Links, in.Others = nil, nil
	r, err := newResolver(ctx, &in.Input)
	if err != nil {
		return nil, err
	}
	l := &entity.Link{
		FromUnitID: in.Downstream.UnitID, MergeDisableSubtraction: in.NoSubtract,
	}
	r.results[""] = &entity.LinkResult{}
	r.merged[""] = true
	from := mergeSource{in.UnitID, in.Name, in.End}
	if err := r.mergeRange(l, from, in.Base, in.End, in.Mutation); err != nil {
		return nil, r.problemsOf(l, err)
	}
	changed := !bytes.Equal(r.data, in.Downstream.Data)
	out := r.output(nil)
	out.Source, out.Changed, out.MergeOf = in.Source, changed, in.Name
	out.Result.Conflicts = r.conflicts
	return out, nil
}
