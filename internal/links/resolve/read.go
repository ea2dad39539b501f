package resolve

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/lang/limit"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/where"
	"github.com/fctl-dev/fctl/internal/yamlpath"
)

// resource is a document that is a resource.
type resource struct {
	doc  *gaby.YamlDoc
	info api.ResourceInfo
}

// parsed parses the data of a unit. A unit without data has no documents, whatever its format.
func parsed(converter configkit.ConfigConverter, data []byte) (gaby.Container, error) {
	if len(data) == 0 {
		return nil, nil
	}
	return converter.NativeToDocuments(data)
}

// resourcesOf returns the resources among documents.
func resourcesOf(
	docs gaby.Container, provider configkit.ResourceProvider,
) ([]resource, error) {
	found := make([]resource, 0, len(docs))
	for _, doc := range docs {
		info, err := provider.ResourceInfo(doc)
		if _, ok := errors.AsType[*configkit.NoResourceError](err); ok {
			continue
		}
		if err != nil {
			return nil, yamlpath.Locate(err, nil)
		}
		found = append(found, resource{doc, info})
	}
	return found, nil
}

// refersTo reports whether a reference means a resource. The name is the full one if it has a
// slash; a namespace that is a placeholder, on either side, matches any.
func refersTo(
	ref entity.ResourceReference, info *api.ResourceInfo, provider configkit.ResourceProvider,
) bool {
	if ref.ResourceCategory != "" && ref.ResourceCategory != info.ResourceCategory {
		return false
	}
	if t := ref.ResourceType; t != "" && t != api.ResourceTypeAny && t != info.ResourceType {
		return false
	}
	name := ref.ResourceName
	switch {
	case name == "", name == "*", name == info.ResourceName:
		return true
	case !strings.Contains(string(name), "/"):
		return name == info.ResourceNameWithoutScope
	}
	scope, _, _ := strings.Cut(string(name), "/")
	theirs, _, _ := strings.Cut(string(info.ResourceName), "/")
	return (configkit.IsPlaceholder(scope) || configkit.IsPlaceholder(theirs)) &&
		provider.RemoveScopeFromResourceName(name) == info.ResourceNameWithoutScope
}

// refText returns a reference as messages show it.
func refText(ref entity.ResourceReference) string {
	t, name := ref.ResourceType, ref.ResourceName
	if t == "" {
		t = api.ResourceTypeAny
	}
	if name == "" {
		name = "*"
	}
	return string(t) + " " + string(name)
}

// selectResources returns the resources that a reference means.
func selectResources(
	all []resource, ref entity.ResourceReference, provider configkit.ResourceProvider,
) []resource {
	var found []resource
	for _, r := range all {
		if refersTo(ref, &r.info, provider) {
			found = append(found, r)
		}
	}
	return found
}

// referenceTo returns the reference of a binding.
func referenceTo(info *api.ResourceInfo) entity.ResourceReference {
	return entity.ResourceReference{
		ResourceCategory: info.ResourceCategory, ResourceType: info.ResourceType,
		ResourceName: info.ResourceName,
	}
}

// source is what a link reads of its upstream unit.
type source struct {
	up        *Upstream
	converter configkit.ConfigConverter
	provider  configkit.ResourceProvider
	data      []byte
	version   int64 // of a revision or a live state capture
	docs      gaby.Container
	resources []resource

	provisions []*provision // those of provisionsFor, without their owner
	provided   bool         // provisions are known
}

// isEmpty reports whether the source has no values.
func (s *source) isEmpty() bool {
	return !slices.ContainsFunc(s.docs, func(doc *gaby.YamlDoc) bool {
		v := doc.Value()
		if v.Kind() == gaby.Scalar {
			return !v.IsNull() && v.Text() != ""
		}
		return v.Len() > 0
	})
}

// provisionsFor returns what the source provides to an owner.
func (s *source) provisionsFor(o *owner) ([]*provision, error) {
	if !s.provided {
		var err error
		if s.provisions, err = provisionsOf(s.docs, s.provider, nil); err != nil {
			return nil, err
		}
		s.provided = true
	}
	list := make([]provision, len(s.provisions))
	owned := make([]*provision, len(list))
	for i, p := range s.provisions {
		list[i] = *p
		list[i].owner = o
		owned[i] = &list[i]
	}
	return owned, nil
}

// upstreamOf returns the upstream unit of a link.
func (r *resolver) upstreamOf(l *entity.Link) (*Upstream, error) {
	up := r.in.Upstreams[l.ToUnitID]
	if up == nil {
		return nil, r.problem(
			l, entity.CodeUnitNotFound, "the upstream unit %s/%s does not exist", l.ToSpace,
			l.ToUnit,
		)
	}
	return up, nil
}

// dataOf returns the data that a link reads, unfiltered and not parsed, and its version.
func (r *resolver) dataOf(l *entity.Link, up *Upstream) ([]byte, int64, error) {
	if !l.UseLiveState {
		return up.Data, up.HeadRevisionNum, nil
	}
	if up.HeadUnitActionNum == 0 {
		e := r.problem(
			l, entity.CodeNoLiveState, "unit %s has no live state", r.nameOf(up.UnitID),
		)
		e.Hint = "fctl unit livestate set " + up.Slug + " FILE records one"
		return nil, 0, e
	}
	return up.Live, up.HeadUnitActionNum, nil
}

func (r *resolver) nameOf(unitID string) string {
	if r.in.Names != nil {
		if name := r.in.Names(unitID); name != "" {
			return name
		}
	}
	return unitID
}

// sharedSource is sourceOf for links that do not change the documents.
func (r *resolver) sharedSource(l *entity.Link) (*source, error) {
	up, err := r.upstreamOf(l)
	if err != nil {
		return nil, err
	}
	key := sourceKey{l.UseLiveState, l.WhereResource}
	if s := up.read[key]; s != nil {
		return s, nil
	}
	s, err := r.sourceOf(l)
	if err != nil {
		return nil, err
	}
	if up.read == nil {
		up.read = map[sourceKey]*source{}
	}
	up.read[key] = s
	return s, nil
}

// sourceOf returns what a link reads: head data or live state, without the resources that
// WhereResource excludes.
func (r *resolver) sourceOf(l *entity.Link) (*source, error) {
	up, err := r.upstreamOf(l)
	if err != nil {
		return nil, err
	}
	s := &source{up: up, provider: r.in.Executor.ResourceProvider(up.ToolchainType)}
	if s.converter, err = r.in.Executor.Converter(up.ToolchainType); err != nil {
		return nil, r.problem(l, entity.CodeToolchain, "%v", err)
	}
	if s.data, s.version, err = r.dataOf(l, up); err != nil {
		return nil, err
	}
	if s.docs, err = r.parse(l, s.converter, s.provider, s.data); err != nil {
		return nil, err
	}
	s.resources, err = resourcesOf(s.docs, s.provider)
	return s, err
}

// parse parses data of an upstream unit and leaves out what WhereResource excludes.
func (r *resolver) parse(
	l *entity.Link, converter configkit.ConfigConverter, provider configkit.ResourceProvider,
	data []byte,
) (gaby.Container, error) {
	docs, err := parsed(converter, data)
	if err != nil {
		return nil, fmt.Errorf("unit %s: %w", r.nameOf(l.ToUnitID), err)
	}
	filter, err := where.Parse(l.WhereResource)
	if err != nil {
		e := r.problem(l, entity.CodeWhereParse, "WhereResource: %v", err)
		return nil, e
	}
	if strings.TrimSpace(l.WhereResource) == "" {
		return docs, nil
	}
	var kept gaby.Container
	ctx := limit.Named(r.ctx, func(err error) error {
		return r.expressionError(l, entity.CodeExprEval, "WhereResource", err)
	})
	limit.Timed(ctx, func() {
		for _, doc := range docs {
			ok, failed := filter.MatchResource(provider, doc)
			if ok {
				kept = append(kept, doc)
			}
			if err = failed; err != nil {
				return
			}
		}
	})
	return kept, err
}

// readPath returns the first value at a path of a resource, as Go data. It reports false if the
// value is missing.
func readPath(
	doc *gaby.YamlDoc, t api.ResourceType, path string, provider configkit.ResourceProvider,
) (any, bool, error) {
	p, err := yamlpath.Parse(path)
	if err != nil {
		return nil, false, err
	}
	if err := doc.Check(); err != nil {
		return nil, false, err
	}
	accessor, err := accessorOf(t, p, path, provider)
	if err != nil {
		return nil, false, err
	}
	var value any
	found := false
	err = p.Resolve(doc.Value(), yamlpath.Options{Accessor: accessor},
		func(m *yamlpath.Match) error {
			switch {
			case found:
			case accessor != nil:
				value, found = accessor.Extract(m.Value.Text(), p.EmbeddedPath())
			case m.Value.Exists() && !m.Value.IsNull():
				value, found = m.Value.Data(), true
			}
			return nil
		})
	return value, found, err
}

// accessorOf returns the accessor of a path with an embedded part, nil for others.
func accessorOf(
	t api.ResourceType, compiled *yamlpath.Path, path string, provider configkit.ResourceProvider,
) (yamlpath.Accessor, error) {
	if compiled.EmbeddedPath() == "" {
		return nil, nil
	}
	info := provider.PathInfo(t, api.UnresolvedPath(path))
	if info == nil || info.EmbeddedAccessorType == api.EmbeddedAccessorNone {
		return nil, fmt.Errorf("path %s: values of %s have no parts there", path, t)
	}
	return yamlpath.CompilerOf(provider).CompileAccessor(
		info.EmbeddedAccessorType, info.EmbeddedAccessorConfig,
	)
}
