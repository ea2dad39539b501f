package resolve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/mutation"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/origin"
)

// Inspector is what explain, infer and doctor see of a workspace.
type Inspector struct {
	Executor *functions.Executor
	// Units and Links are all of the workspace, in a fixed order.
	Units []*entity.Unit
	Links []*entity.Link
	// Read returns a unit with its data and history.
	Read func(unitID string) (*Upstream, error)
	// Revision returns the record of a revision, nil if it is missing.
	Revision func(unitID string, num int64) *entity.Revision
	// Input returns what a resolve of a link depends on.
	Input func(l *entity.Link, options Options) (*Input, error)
	Names func(unitID string) string
}

// linkByID returns a link, nil if it does not exist.
func (g *Inspector) linkByID(id string) *entity.Link {
	i := slices.IndexFunc(g.Links, func(l *entity.Link) bool { return l.LinkID == id })
	if i < 0 {
		return nil
	}
	return g.Links[i]
}

// maxExplained bounds how far upstream a value is followed. The graph has no cycles, but files can
// be edited.
const maxExplained = 20

// Explanation says why a value is what it is.
type Explanation struct {
	Unit     string // space/unit
	Resource api.ResourceInfo
	Path     string
	Value    any  `json:",omitempty"`
	Exists   bool // whether the resource has a value at the path
	// RevisionNum is the revision that was looked at.
	RevisionNum int64
	// Entry is the path of the record about the value: its own, or one above it. It is "" for the
	// resource as a whole.
	Entry string `json:",omitempty"`
	// Cause is nil if it is not known what set the value.
	Cause *Cause `json:",omitempty"`
	// From explains the upstream values that it was made of.
	From     []*Explanation `json:",omitempty"`
	resource *resource

	// Merges says which merges could overwrite it, Next what links would write now. They are only
	// about the value that was asked for.
	Merges []MergeAnswer `json:",omitempty"`
	Next   []NextWrite   `json:",omitempty"`
}

// Cause is what set a value.
type Cause struct {
	Mutation    entity.Mutation
	Description string            // of the revision
	Source      entity.Source     `json:",omitempty"`
	Link        string            `json:",omitempty"` // space/link
	UpdateType  entity.UpdateType `json:",omitempty"`
	// Evaluator, Expression and Parameters are of a TransformPaths link; the parameters have
	// their values.
	Evaluator  string         `json:",omitempty"`
	Expression string         `json:",omitempty"`
	Parameters map[string]any `json:",omitempty"`
}

// MergeAnswer says whether a merge could overwrite a value.
type MergeAnswer struct {
	Link         string
	Overwritable bool
	Reason       string `json:",omitempty"` // why not
}

// NextWrite is what a link would write.
type NextWrite struct {
	Link    string
	Value   any    `json:",omitempty"`
	Changes bool   // whether the value would differ
	Error   string `json:",omitempty"` // why it is not known
}

// Explain says where the value at a path of a resource came from, which merges could overwrite it,
// and what links would write there now. Everything comes from records and from dry runs.
func (g *Inspector) Explain(
	ctx context.Context, unitID string, ref entity.ResourceReference, path string,
) (*Explanation, error) {
	e, err := g.explain(unitID, ref, path, 0)
	if err != nil {
		return nil, err
	}
	unit, err := g.Read(unitID)
	if err != nil {
		return nil, err
	}
	for _, l := range g.Links {
		if l.FromUnitID != unitID {
			continue
		}
		if l.Merges() {
			answer, err := g.mergeAnswer(l, unit, e)
			if err != nil {
				return nil, err
			}
			e.Merges = append(e.Merges, answer)
		}
		if next := g.next(ctx, l, unit, e); next != nil {
			e.Next = append(e.Next, *next)
		}
	}
	return e, nil
}

// explain explains a value, and the upstream values that it was made of.
func (g *Inspector) explain(
	unitID string, ref entity.ResourceReference, path string, depth int,
) (*Explanation, error) {
	unit, err := g.Read(unitID)
	if err != nil {
		return nil, err
	}
	found, err := g.resource(unit, ref)
	if err != nil {
		return nil, err
	}
	e := &Explanation{
		Unit: g.Names(unitID), Resource: found.info, Path: path,
		RevisionNum: unit.HeadRevisionNum, resource: found,
	}
	e.Value, e.Exists, err = found.read(path)
	if err != nil {
		return nil, err
	}
	origin, ok := origin.Nearest(unit.Sources, &found.info, path, found.provider)
	if !ok {
		return e, nil
	}
	if e.Entry = mutation.PlainPath(origin.Path); !e.Exists && e.Entry != path {
		return e, nil // the record is about something around it
	}
	m := mutationNumber(int64(origin.Info.Index), unit.Mutations)
	if m == nil {
		return e, nil
	}
	e.Cause = &Cause{Mutation: *m}
	if r := g.Revision(unitID, e.Cause.Mutation.RevisionNum); r != nil {
		e.Cause.Description, e.Cause.Source = r.Description, r.Source
	}
	if depth < maxExplained {
		g.follow(e, unit, depth)
	}
	return e, nil
}

// resource returns the resource of a unit that a reference means.
func (g *Inspector) resource(unit *Upstream, ref entity.ResourceReference) (*resource, error) {
	_, _, all, err := read(g.Executor, unit.ToolchainType, unit.Data)
	if err != nil {
		return nil, err
	}
	found := selectResources(all, ref)
	if len(found) == 1 {
		return &found[0], nil
	}
	code, count := entity.CodeResourceNotFound, "no resource"
	if len(found) > 1 {
		code, count = entity.CodeAmbiguous, fmt.Sprintf("%d resources", len(found))
	}
	return nil, unit.HeadUnit.Fail(
		code,
		"unit %s has %s %s",
		g.Names(unit.UnitID),
		count,
		refText(ref),
	)
}

// follow explains the upstream values of a value that a link or a merge set. What cannot be found
// is left out.
func (g *Inspector) follow(e *Explanation, unit *Upstream, depth int) {
	m := &e.Cause.Mutation
	up := func(unitID string, ref entity.ResourceReference, path string) *Explanation {
		from, err := g.explain(unitID, ref, path, depth+1)
		if err != nil || !from.Exists {
			return nil
		}
		e.From = append(e.From, from)
		return from
	}
	l := g.linkByID(m.LinkID)
	if l != nil {
		e.Cause.Link, e.Cause.UpdateType = l.SpaceSlug+"/"+l.Slug, l.Type()
	}
	switch {
	case m.MergeSourceID != "":
		ref := referenceTo(&e.Resource)
		ref.ResourceName = e.Resource.ResourceNameWithoutScope
		up(m.MergeSourceID, ref, e.Path)
	case m.ProvidedResource != nil && l == nil:
		up(unit.UnitID, referenceTo(m.ProvidedResource), m.ProvidedPath)
	case m.ProvidedResource != nil:
		up(l.ToUnitID, referenceTo(m.ProvidedResource), m.ProvidedPath)
	case l == nil:
	case l.Type() == entity.UpdateUpsert:
		up(l.ToUnitID, referenceTo(&e.Resource), e.Path)
	case l.Type() == entity.UpdateTransformPaths:
		followExpression(e, l, up)
	}
}

// followExpression explains the parameters of the expression that made a value.
func followExpression(
	e *Explanation, l *entity.Link,
	up func(string, entity.ResourceReference, string) *Explanation,
) {
	var names []string
	for i := range l.DownstreamPaths {
		p := &l.DownstreamPaths[i]
		if p.Path == e.Path && e.resource.is(p.Resource) {
			e.Cause.Expression = p.Expression
			e.Cause.Evaluator = cmp.Or(p.Evaluator, api.EvaluatorTemplate)
			names = p.Parameters
		}
	}
	for i := range l.UpstreamPaths {
		p := &l.UpstreamPaths[i]
		if !slices.Contains(names, p.Name) {
			continue
		}
		if from := up(l.ToUnitID, p.Resource, p.Path); from != nil {
			if e.Cause.Parameters == nil {
				e.Cause.Parameters = map[string]any{}
			}
			e.Cause.Parameters[p.Name] = from.Value
		}
	}
}

// mergeAnswer says whether a merge link could overwrite a value.
func (g *Inspector) mergeAnswer(
	l *entity.Link, unit *Upstream, e *Explanation,
) (MergeAnswer, error) {
	answer := MergeAnswer{Link: l.SpaceSlug + "/" + l.Slug, Overwritable: true}
	origin, ok := origin.Nearest(unit.Sources, &e.Resource, e.Path, e.resource.provider)
	refuse := func(reason string) (MergeAnswer, error) {
		answer.Overwritable, answer.Reason = false, reason
		return answer, nil
	}
	switch {
	case !ok:
		return answer, nil
	case origin.Info.Protected:
		return refuse("the value is protected")
	case strings.TrimSpace(l.WhereMutation) == "":
		return answer, nil
	}
	m := mutationNumber(int64(origin.Info.Index), unit.Mutations)
	if m == nil {
		return refuse(fmt.Sprintf("the record of mutation %d is missing", origin.Info.Index))
	}
	in, err := g.Input(l, Options{DryRun: true})
	if err != nil {
		return answer, err
	}
	matches, err := in.MutationMatches(l.WhereMutation, unit.HeadUnit.Unit, m)
	if err != nil {
		return answer, err
	}
	if !matches {
		return refuse(fmt.Sprintf("WhereMutation excludes mutation %d", origin.Info.Index))
	}
	return answer, nil
}

// next returns what a link would write to a value now, nil if it is not about the value.
func (g *Inspector) next(
	ctx context.Context, l *entity.Link, unit *Upstream, e *Explanation,
) *NextWrite {
	if l.Type() == entity.UpdateNone {
		return nil
	}
	next := &NextWrite{Link: l.SpaceSlug + "/" + l.Slug, Value: e.Value}
	in, err := g.Input(l, Options{DryRun: true, NoSelf: true})
	var out *Outcome
	if err == nil {
		out, err = Resolve(ctx, in)
	}
	if err != nil {
		if !e.writtenBy(l) {
			return nil
		}
		next.Value, next.Error = nil, "unknown: "+firstLine(err)
		return next
	}
	patched := e.changedBy(out.Patches[l.LinkID])
	if !patched && !e.writtenBy(l) {
		return nil
	}
	if patched {
		next.Changes = true
		after := *unit
		after.HeadUnit.Data = out.Data
		next.Value = nil
		if found, err := g.resource(&after, referenceTo(&e.Resource)); err == nil {
			next.Value, _, _ = found.read(e.Path)
		}
	}
	return next
}

// firstLine returns the first line of an error.
func firstLine(err error) string {
	if list, ok := errors.AsType[entity.Errors](err); ok && len(list) > 0 {
		return list[0].Error()
	}
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

// changedBy reports whether changes are about the value, or something around it or in it.
func (e *Explanation) changedBy(list api.ResourceMutationList) bool {
	for i := range list {
		m := &list[i]
		about := resource{nil, m.Resource, e.resource.provider}
		if m.Resource.ResourceType != e.Resource.ResourceType ||
			about.unscoped() != e.resource.unscoped() {
			continue
		}
		if m.ResourceMutationInfo.MutationType != api.MutationTypeUpdate {
			return true
		}
		for path := range m.PathMutationMap {
			plain := mutation.PlainPath(path)
			if strings.HasPrefix(plain+".", e.Path+".") ||
				strings.HasPrefix(e.Path+".", plain+".") {
				return true
			}
		}
	}
	return false
}

// writtenBy reports whether a link says that it writes the value, whether that changes it or not.
func (e *Explanation) writtenBy(l *entity.Link) bool {
	return holds(l.Outputs, &e.Resource) ||
		slices.ContainsFunc(statedWrites(l), func(w statedWrite) bool {
			return w.path == e.Path && e.resource.is(w.resource)
		})
}
