package resolve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/internal/lang/limit"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/where"
	"github.com/fctl-dev/fctl/internal/yamlpath"
)

// format is how the units of a toolchain are read and written.
type format struct {
	converter configkit.ConfigConverter
	provider  configkit.ResourceProvider
}

func formatOf(x *functions.Executor, t api.ToolchainType) (format, error) {
	converter, err := x.Converter(t)
	return format{converter, x.ResourceProvider(t)}, err
}

// parse parses the data of a unit. A unit without data has no documents, whatever its format.
func (f format) parse(data []byte) (gaby.Container, error) {
	if len(data) == 0 {
		return nil, nil
	}
	return f.converter.NativeToDocuments(data)
}

// resource is a document that is a resource.
type resource struct {
	doc      *gaby.YamlDoc
	info     api.ResourceInfo
	provider configkit.ResourceProvider
}

// resources returns the resources among documents.
func (f format) resources(docs gaby.Container) ([]resource, error) {
	found := make([]resource, 0, len(docs))
	for _, doc := range docs {
		info, err := f.provider.ResourceInfo(doc)
		if _, ok := errors.AsType[*configkit.NoResourceError](err); ok {
			continue
		}
		if err != nil {
			return nil, yamlpath.Locate(err, nil)
		}
		found = append(found, resource{doc, info, f.provider})
	}
	return found, nil
}

// read returns the documents and the resources of a unit of a toolchain.
func read(x *functions.Executor, t api.ToolchainType, data []byte) (
	f format, docs gaby.Container, all []resource, err error,
) {
	if f, err = formatOf(x, t); err != nil {
		return f, nil, nil, err
	}
	if docs, err = f.parse(data); err != nil {
		return f, nil, nil, err
	}
	all, err = f.resources(docs)
	return f, docs, all, err
}

// key identifies a resource of the unit. A namespace may change, so it is left out.
func (r *resource) key() string { return valueKey(&r.info, "") }

// unscoped returns the name without the scope, which some texts take for a part of the name.
func (r *resource) unscoped() api.ResourceName {
	return r.provider.RemoveScopeFromResourceName(r.info.ResourceName)
}

// scope returns the namespace of a resource, "" if it has none or if that is a placeholder.
func scope(info *api.ResourceInfo) string {
	scope, _, scoped := strings.Cut(string(info.ResourceName), "/")
	if !scoped || configkit.IsPlaceholder(scope) {
		return ""
	}
	return scope
}

// is reports whether a reference means the resource. The name is the full one if it has a slash; a
// namespace that is a placeholder, on either side, matches any.
func (r *resource) is(ref entity.ResourceReference) bool {
	info := &r.info
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
		r.provider.RemoveScopeFromResourceName(name) == info.ResourceNameWithoutScope
}

// refText returns a reference as messages show it.
func refText(ref entity.ResourceReference) string {
	return string(cmp.Or(ref.ResourceType, api.ResourceTypeAny)) + " " +
		string(cmp.Or(ref.ResourceName, "*"))
}

// selectResources returns the resources that a reference means.
func selectResources(all []resource, ref entity.ResourceReference) []resource {
	var found []resource
	for _, r := range all {
		if r.is(ref) {
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
	format
	up        *Upstream
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
		if s.provisions, err = s.provisionsOf(s.docs, nil); err != nil {
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
		return nil, 0, r.problem(l, entity.CodeNoLiveState, "unit %s has no live state",
			r.nameOf(up.UnitID)).
			WithHint("fctl unit livestate set " + up.Slug + " FILE records one")
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
	s := &source{up: up}
	if s.format, err = formatOf(r.in.Executor, up.ToolchainType); err != nil {
		return nil, r.problem(l, entity.CodeToolchain, "%w", err)
	}
	if s.data, s.version, err = r.dataOf(l, up); err != nil {
		return nil, err
	}
	if s.docs, err = r.filtered(l, s.format, s.data); err != nil {
		return nil, err
	}
	s.resources, err = s.format.resources(s.docs)
	return s, err
}

// filtered parses data of an upstream unit and leaves out what WhereResource excludes.
func (r *resolver) filtered(l *entity.Link, f format, data []byte) (gaby.Container, error) {
	docs, err := f.parse(data)
	if err != nil {
		return nil, fmt.Errorf("unit %s: %w", r.nameOf(l.ToUnitID), err)
	}
	filter, err := where.Parse(l.WhereResource)
	if err != nil {
		return nil, r.problem(l, entity.CodeWhereParse, "WhereResource: %w", err)
	}
	if strings.TrimSpace(l.WhereResource) == "" {
		return docs, nil
	}
	var kept gaby.Container
	late := r.timed(l, "WhereResource", func() {
		for _, doc := range docs {
			ok, failed := filter.MatchResource(f.provider, doc)
			if ok {
				kept = append(kept, doc)
			}
			if err = failed; err != nil {
				return
			}
		}
	})
	if err == nil {
		err = late
	}
	return kept, err
}

// timed calls do, whose regular expressions the time limit of the run ends. what is in the error.
func (r *resolver) timed(l *entity.Link, what string, do func()) error {
	named := func(err error) error { return r.expressionError(l, entity.CodeExprEval, what, err) }
	err := limit.Timed(limit.Named(r.ctx, named), func(context.Context) { do() })
	if err != nil {
		return named(err)
	}
	return nil
}

// read returns the first value at a path of the resource, as Go data. It reports false if the value
// is missing. A number that has no float64, such as the version 1.20, is its text.
func (r *resource) read(path string) (any, bool, error) {
	p, err := yamlpath.Parse(path)
	if err == nil {
		err = r.doc.Check()
	}
	if err != nil {
		return nil, false, err
	}
	accessor, err := r.accessor(p, path)
	if err != nil {
		return nil, false, err
	}
	var value any
	found := false
	err = p.Resolve(r.doc.Value(), yamlpath.Options{Accessor: accessor},
		func(m *yamlpath.Match) error {
			switch {
			case found:
			case accessor != nil:
				value, found = accessor.Extract(m.Value.Text(), p.EmbeddedPath())
			case m.Value.Exists() && !m.Value.IsNull():
				value, found = m.Value.Data(), true
				if f, ok := value.(float64); ok {
					text := m.Value.Text()
					if strings.Trim(text, "-.0123456789") == "" &&
						text != strconv.FormatFloat(f, 'f', -1, 64) {
						value = text
					}
				}
			}
			return nil
		})
	return value, found, err
}

// accessor returns the accessor of a path with an embedded part, nil for others.
func (r *resource) accessor(compiled *yamlpath.Path, path string) (yamlpath.Accessor, error) {
	if compiled.EmbeddedPath() == "" {
		return nil, nil
	}
	t := r.info.ResourceType
	info := r.provider.PathInfo(t, api.UnresolvedPath(path))
	if info == nil || info.EmbeddedAccessorType == api.EmbeddedAccessorNone {
		return nil, fmt.Errorf("path %s: values of %s have no parts there", path, t)
	}
	return yamlpath.CompilerOf(r.provider).CompileAccessor(
		info.EmbeddedAccessorType, info.EmbeddedAccessorConfig,
	)
}
