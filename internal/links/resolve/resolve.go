package resolve

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/mutation"
	"github.com/fctl-dev/fctl/internal/knowledge/sops"
	"github.com/fctl-dev/fctl/internal/links/entity"
)

// Resolve resolves links of a unit. Links run in the order of their phases and, within a phase, of
// their slugs. The error is an entity.Errors; it means that nothing may be written.
//
// A link of the type None is skipped. With Automatic or KeepGoing, or if it is one of Noted, a link
// that fails is noted in Failed; the others run.
func Resolve(ctx context.Context, in *Input) (*Outcome, error) {
	r, err := newResolver(ctx, in)
	if err != nil {
		return nil, err
	}
	phase := func(l *entity.Link) int { return slices.Index(phases(), l.Type()) }
	links := slices.SortedStableFunc(slices.Values(in.Links), func(a, b *entity.Link) int {
		return cmp.Or(cmp.Compare(phase(a), phase(b)), strings.Compare(a.Slug, b.Slug))
	})
	var first, needs, last []*entity.Link
	for _, l := range links {
		r.results[l.LinkID] = &entity.LinkResult{
			Link: l.Slug, UpdateType: l.Type(), Status: entity.StatusUnchanged,
			UpstreamFrom: l.UpstreamLastMergedRevisionNum,
			UpstreamTo:   l.UpstreamLastMergedRevisionNum,
		}
		switch l.Type() {
		case entity.UpdateNeedsProvides:
			needs = append(needs, l)
		case entity.UpdateTransformPaths:
			last = append(last, l)
		default:
			first = append(first, l)
		}
	}
	if in.Options.SelfOnly {
		first, last = nil, nil
	}
	for _, l := range first {
		if !r.run(l) {
			return nil, r.failures
		}
	}
	if err := r.needs(needs); err != nil {
		return nil, err
	}
	for _, l := range last {
		if !r.run(l) {
			return nil, r.failures
		}
	}
	return r.output(links), nil
}

// phases are the types of links in the order in which they run. Merges bring whole content, Upsert
// brings whole resources, Insert fills one field, needs and provides fill the remaining placeholders,
// and explicit expressions have the last word.
func phases() []entity.UpdateType {
	return []entity.UpdateType{
		entity.UpdateNone, entity.UpdateUpgradeUnit, entity.UpdateMergeUnits, entity.UpdateUpsert,
		entity.UpdateInsert, entity.UpdateNeedsProvides, entity.UpdateTransformPaths,
	}
}

// resolver is the state of one resolve.
type resolver struct {
	format
	ctx context.Context
	in  *Input

	data      []byte // the unit so far
	sources   api.ResourceMutationList
	summary   api.ResourceMutationList
	mutations []entity.Mutation
	patches   map[string]api.ResourceMutationList
	written   map[string]string // by resource and path: the link that wrote it last

	results  map[string]*entity.LinkResult // by link ID
	links    map[string]*entity.Link       // new states, by link ID
	failed   map[string]*entity.Error
	failures entity.Errors
	warnings []entity.Warning

	bindings  map[string][]entity.Binding // by link ID, "" for the unit itself
	rebound   map[string]bool             // link IDs whose bindings changed
	conflicts api.MutationConflictList    // of this resolve
	merged    map[string]bool             // link IDs whose merge ran
	upstream  *UpstreamFields
}

func newResolver(ctx context.Context, in *Input) (*resolver, error) {
	down := in.Downstream
	r := &resolver{
		ctx: ctx, in: in, data: down.Data, sources: down.Sources,
		patches: map[string]api.ResourceMutationList{}, written: map[string]string{},
		results: map[string]*entity.LinkResult{}, links: map[string]*entity.Link{},
		failed: map[string]*entity.Error{}, bindings: map[string][]entity.Binding{},
		rebound: map[string]bool{}, merged: map[string]bool{},
	}
	var err error
	if r.format, err = formatOf(in.Executor, down.ToolchainType); err != nil {
		return nil, entity.Errors{r.problem(nil, entity.CodeToolchain, "%w", err)}
	}
	r.bindings[""] = slices.Clone(down.SelfBindings)
	for _, l := range slices.Concat(in.Links, in.Others) {
		if l.FromUnitID != down.UnitID {
			return nil, entity.Errors{r.problem(
				l, entity.CodeNotFrom, "link %s is not from unit %s", l.Slug, down.Slug,
			)}
		}
		r.bindings[l.LinkID] = slices.Clone(l.Bindings)
	}
	return r, nil
}

// problem returns an error about a link, or about the unit if l is nil.
func (r *resolver) problem(
	l *entity.Link, code entity.Code, format string, args ...any,
) *entity.Error {
	e := entity.Fail(code, format, args...)
	e.Space, e.Unit = r.spaceSlug(), r.in.Downstream.Slug
	if l != nil && l.Slug != "" {
		e.Link = l.Slug
		e.Message = "link " + l.Slug + ": " + e.Message
	}
	return e
}

func (r *resolver) spaceSlug() string {
	if r.in.Downstream.Space != nil {
		return r.in.Downstream.Space.Slug
	}
	return r.in.Downstream.SpaceSlug
}

// warn adds a warning about a link, or about the unit if l is nil. about and path may be empty.
func (r *resolver) warn(
	l *entity.Link, code entity.Code, about *api.ResourceInfo, path, format string, args ...any,
) {
	w := entity.Warning{
		Code: code, Message: fmt.Sprintf(format, args...), Space: r.spaceSlug(),
		Unit: r.in.Downstream.Slug, Path: path,
	}
	if l != nil {
		w.Link = l.Slug
	}
	if about != nil {
		w.Resource = about.String()
	}
	if !slices.Contains(r.warnings, w) {
		r.warnings = append(r.warnings, w)
	}
}

// run resolves a link of any type but NeedsProvides. It reports false if the resolve ends here.
func (r *resolver) run(l *entity.Link) bool {
	before := len(r.warnings)
	var err error
	switch l.Type() {
	case entity.UpdateNone:
		r.results[l.LinkID].Status = entity.StatusSkipped
		return true
	case entity.UpdateUpgradeUnit, entity.UpdateMergeUnits:
		err = r.merge(l)
	case entity.UpdateInsert:
		err = r.insert(l)
	case entity.UpdateUpsert:
		err = r.upsert(l)
	case entity.UpdateTransformPaths:
		err = r.transform(l)
	default:
		err = r.problem(l, entity.CodeUpdateType, "unknown update type %q", l.UpdateType)
	}
	if err == nil {
		return true
	}
	r.warnings = r.warnings[:before]
	return r.fail(l, err)
}

// fail notes the failure of a link. It reports false if the resolve ends here.
func (r *resolver) fail(l *entity.Link, err error) bool {
	delete(r.links, l.LinkID)
	problems := r.problemsOf(l, err)
	result := r.results[l.LinkID]
	result.Status, result.Code = entity.StatusFailed, problems[0].Code
	first := *problems[0]
	first.Code = ""
	result.Message = append(entity.Errors{&first}, problems[1:]...).Error()
	r.failed[l.LinkID] = problems[0]
	if r.in.Options.Noted[l.LinkID] {
		return true
	}
	r.failures = append(r.failures, problems...)
	return r.in.Options.Automatic || r.in.Options.KeepGoing
}

// problemsOf returns the problems in an error. One without a code is about data.
func (r *resolver) problemsOf(l *entity.Link, err error) entity.Errors {
	var problems entity.Errors
	for _, err := range configkit.Unjoin(err) {
		if list, ok := errors.AsType[entity.Errors](err); ok {
			problems = append(problems, list...)
			continue
		}
		if e, ok := err.(*entity.Error); ok {
			problems = append(problems, e)
			continue
		}
		e := r.problem(l, entity.CodeParse, "%w", err)
		if f, ok := errors.AsType[*api.Failure](err); ok {
			e.Hint, e.Resource, e.Path = f.Hint, f.Resource, f.Path
		}
		problems = append(problems, e)
	}
	return problems
}

// succeed records that a link ran, with the version of the upstream that it used. It returns the
// new state of the link.
func (r *resolver) succeed(l *entity.Link, version int64) *entity.Link {
	c := *l
	c.UpstreamLastMergedRevisionNum, c.ResolvedHash = version, l.Hash
	c.LastError, c.BaseUnknown, c.MergedHash = nil, false, ""
	r.links[l.LinkID] = &c
	r.results[l.LinkID].UpstreamTo = version
	return &c
}

// documents parses the unit as it is now.
func (r *resolver) documents() (gaby.Container, error) { return r.parse(r.data) }

// cause is why a value changed: a mutation and, if a link writes single values, which one.
type cause struct {
	link     *entity.Link // nil for the unit itself
	mutation entity.Mutation
	// resource and path limit the cause to one value; path is as results report it.
	resource *api.ResourceInfo
	path     string
}

// commit makes docs the new state of the unit, if their text differs, and records the causes. It
// reports whether the text differs. The causes must be about everything that changed.
func (r *resolver) commit(docs gaby.Container, causes ...cause) (bool, error) {
	text, err := r.converter.DocumentsToNative(docs)
	if err != nil {
		return false, err
	}
	if bytes.Equal(text, r.data) || len(causes) == 0 {
		return false, nil
	}
	outdated, found := sops.Check(r.provider, docs, make([]gaby.Mark, len(docs)))
	if len(found) > 0 {
		problems := r.problemsOf(causes[0].link, errors.Join(found...))
		for _, p := range problems {
			p.Code = entity.CodePathType
		}
		return false, problems
	}
	if outdated > 0 {
		r.warn(causes[0].link, entity.WarnOutdatedMAC, nil, "", "%s", sops.Outdated(outdated).Text())
	}
	first := r.in.Downstream.HeadMutationNum + int64(len(r.mutations)) + 1
	list, err := r.diff(r.data, text, first)
	if err != nil {
		return false, err
	}
	for i := range causes {
		c := &causes[i]
		c.mutation.MutationNum = first + int64(i)
		c.mutation.RevisionNum = r.in.Downstream.HeadRevisionNum + 1
		if c.link != nil {
			c.mutation.LinkID = c.link.LinkID
			r.results[c.link.LinkID].Status = entity.StatusChanged
		}
		r.mutations = append(r.mutations, c.mutation)
	}
	r.blame(list, causes)
	if r.in.Options.Protect {
		protect(list)
	}
	r.sources = mutation.Add(r.sources, list, r.provider)
	r.summary = mutation.Add(r.summary, list, r.provider)
	r.data = text
	return true, nil
}

// blame gives each entry of list its cause, collects the patches of the links, and warns about
// values that two links write.
func (r *resolver) blame(list api.ResourceMutationList, causes []cause) {
	of := map[string]*cause{}
	for i := range causes {
		if c := &causes[i]; c.resource != nil {
			of[valueKey(c.resource, c.path)] = c
		}
	}
	for i := range list {
		m := &list[i]
		parts := map[*cause]api.MutationMap{}
		for path, info := range m.PathMutationMap {
			by := &causes[0]
			if c := of[valueKey(&m.Resource, mutation.PlainPath(path))]; c != nil {
				by = c
			}
			info.Index = int(by.mutation.MutationNum)
			m.PathMutationMap[path] = info
			if parts[by] == nil {
				parts[by] = api.MutationMap{}
			}
			parts[by][path] = info
		}
		if len(parts) == 0 {
			parts[&causes[0]] = api.MutationMap{}
		}
		for j := range causes {
			by := &causes[j]
			paths, ok := parts[by]
			if !ok {
				continue
			}
			part := *m
			part.PathMutationMap = paths
			id := "" // of the unit itself
			if by.link != nil {
				id = by.link.LinkID
				r.noteWrites(&m.Resource, paths, by.link)
			}
			r.patches[id] = mutation.Add(
				r.patches[id], api.ResourceMutationList{part}, r.provider,
			)
		}
	}
}

// noteWrites warns about values that another link of the same resolve wrote before.
func (r *resolver) noteWrites(about *api.ResourceInfo, paths api.MutationMap, l *entity.Link) {
	plain := map[string]bool{}
	for path := range paths {
		plain[mutation.PlainPath(path)] = true
	}
	for _, path := range slices.Sorted(maps.Keys(plain)) {
		key := valueKey(about, path)
		if other := r.written[key]; other != "" && other != l.Slug {
			r.warn(l, entity.WarnDoubleWrite, about, path,
				"links %s and %s both write %s of %s", other, l.Slug, path, about)
		}
		r.written[key] = l.Slug
	}
}

// valueKey identifies a value of the unit. A namespace may change together with the value, so it is
// left out.
func valueKey(about *api.ResourceInfo, path string) string {
	return string(about.ResourceType) + "\x00" + string(about.ResourceNameWithoutScope) + "\x00" +
		path
}

// protect marks all entries as protected.
func protect(list api.ResourceMutationList) {
	for i := range list {
		if list[i].ResourceMutationInfo.MutationType != api.MutationTypeUpdate {
			list[i].ResourceMutationInfo.Protected = true
		}
		for path, info := range list[i].PathMutationMap {
			info.Protected = true
			list[i].PathMutationMap[path] = info
		}
	}
}

// output collects what the resolve did.
func (r *resolver) output(links []*entity.Link) *Outcome {
	down := r.in.Downstream
	changed := !bytes.Equal(r.data, down.Data)
	out := &Outcome{
		Data: down.Data, Sources: down.Sources, Changed: changed, Failed: r.failed,
		SelfBindings: r.bindings[""], Upstream: r.upstream, Merged: len(r.merged) > 0,
		Conflicts: r.outstanding(), Patches: r.patches,
	}
	result := &out.Result
	*result = entity.ResolveResult{
		Space: r.spaceSlug(), Unit: down.Slug, DryRun: r.in.Options.DryRun,
		BaseRevisionNum: down.HeadRevisionNum, NewRevisionNum: down.HeadRevisionNum,
		Conflicts: r.conflicts, Warnings: r.warnings,
	}
	if changed {
		out.Data, out.Mutations, out.Sources = r.data, r.mutations, r.sources
		result.NewRevisionNum++
		result.FunctionMutationSummary = r.summary
		if len(r.patches[""]) > 0 {
			result.SelfBindings = r.bindings[""]
		}
		for i := range r.mutations {
			m := &r.mutations[i]
			if c := r.links[m.LinkID]; c != nil && m.MergeSourceID != "" {
				c.MergeMutationNum = m.MutationNum
			}
		}
	}
	ran := map[entity.UpdateType]bool{}
	for _, l := range links {
		lr := r.results[l.LinkID]
		if lr.Status == entity.StatusSkipped && l.Type() != entity.UpdateNone {
			continue // a link of NeedsOnly with nothing to do
		}
		if lr.Status == entity.StatusChanged {
			ran[l.Type()] = true
			if changed {
				r.links[l.LinkID].DownstreamLastMergedRevisionNum = result.NewRevisionNum
			}
		}
		if l.Type() == entity.UpdateNeedsProvides {
			lr.Bindings = r.bindings[l.LinkID]
		}
		result.Links = append(result.Links, *lr)
		if c := r.links[l.LinkID]; c != nil {
			c.Bindings = r.bindings[l.LinkID]
			out.Links = append(out.Links, c)
		}
	}
	for _, l := range r.in.Others {
		if r.rebound[l.LinkID] {
			c := *l
			c.Bindings = r.bindings[l.LinkID]
			out.Links = append(out.Links, &c)
		}
	}
	out.Source = entity.SourceResolve
	switch {
	case len(ran) == 1 && ran[entity.UpdateUpgradeUnit]:
		out.Source = entity.SourceUpgradeUnit
	case len(ran) == 1 && ran[entity.UpdateMergeUnits]:
		out.Source = entity.SourceMergeUnits
	}
	return out
}

// outstanding returns the conflicts after the resolve: those of the merges that ran are replaced.
func (r *resolver) outstanding() api.MutationConflictList {
	left := slices.DeleteFunc(
		slices.Clone(r.in.Downstream.Conflicts),
		func(c api.MutationConflict) bool { return r.merged[c.LinkID] },
	)
	return append(left, r.conflicts...)
}
