package yamlkit

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/where"
	"github.com/fctl-dev/fctl/internal/yamlpath"
)

// Scalar constrains the types as which values at paths are read.
type Scalar interface{ ~string | ~int | ~bool }

// VisitorContext describes the match that a visitor is called for.
type VisitorContext struct {
	api.AttributeInfo                         // Path is the one that results report
	Segments          []string                // keys and indexes that lead to the value
	PathArguments     []api.FunctionArgument  // bound by parameters of the path
	EmbeddedPath      string                  // the sub of path#sub
	EmbeddedAccessor  yamlpath.Accessor       // nil without EmbeddedPath
	Position          gaby.Position           // of the value
	VisitorInfo       *api.PathVisitorInfo    // registration of the path that led here
	Keys              *configkit.MergeKeyTree // of the resource
}

// ResourceVisitorFunc visits a resource. Its result is the output passed to the next call.
type ResourceVisitorFunc func(doc *gaby.YamlDoc, output any, index int,
	resourceInfo *api.ResourceInfo) (any, []error)

// DocVisitorFunc visits a match in a document, whatever its value is.
type DocVisitorFunc func(doc *gaby.YamlDoc, output any, context VisitorContext,
	currentDoc *gaby.YamlDoc) (any, error)

// ValueVisitorFunc visits a scalar of a document.
type ValueVisitorFunc[T Scalar] func(doc *gaby.YamlDoc, output any, context VisitorContext,
	currentValue T) (any, error)

// VisitResources calls visitor for each resource in order. Documents that are not resources are
// skipped. A document that is not valid YAML is a failure, and so is each error of visitor.
// Visiting continues after failures.
func VisitResources(docs gaby.Container, output any,
	resourceProvider configkit.ResourceProvider, visitor ResourceVisitorFunc,
) (any, error) {
	var problems []error
	for index, doc := range docs {
		info, err := yamlpath.ResourceInfo(doc, resourceProvider)
		if err != nil {
			problems = append(problems, err)
		}
		if info == nil {
			continue
		}
		if err := doc.Check(); err != nil {
			problems = append(problems, yamlpath.Locate(err, info))
			continue
		}
		var errs []error
		output, errs = visitor(doc, output, index, info)
		for _, err := range errs {
			if err != nil {
				problems = append(problems, yamlpath.Locate(err, info))
			}
		}
	}
	return output, errors.Join(problems...)
}

// EachDocument calls visit for each resource in order, with its document, as VisitResources does.
// All errors are reported.
func EachDocument(docs gaby.Container, provider configkit.ResourceProvider,
	visit func(doc *gaby.YamlDoc, info *api.ResourceInfo) error,
) error {
	_, err := VisitResources(docs, nil, provider,
		func(doc *gaby.YamlDoc, output any, _ int, info *api.ResourceInfo) (any, []error) {
			return output, configkit.Unjoin(visit(doc, info))
		})
	return err
}

// EachResource calls f for each resource in order, with the index of its document. Documents that
// are not resources are skipped. It reads only what identifies the resources.
func EachResource(docs gaby.Container, resourceProvider configkit.ResourceProvider,
	f func(index int, info api.ResourceInfo),
) error {
	var problems []error
	for i, doc := range docs {
		info, err := yamlpath.ResourceInfo(doc, resourceProvider)
		if err != nil {
			problems = append(problems, err)
		}
		if info != nil {
			f(i, *info)
		}
	}
	return errors.Join(problems...)
}

// ResourceTypeAndName identifies a resource of a unit as type#name.
type ResourceTypeAndName string

// TypeAndName returns the ResourceTypeAndName of a resource.
func TypeAndName(info *api.ResourceInfo) ResourceTypeAndName {
	return ResourceTypeAndName(string(info.ResourceType) + "#" + string(info.ResourceName))
}

// ResourceInfoToDocMap maps the resources of a unit to the indexes of their documents.
type ResourceInfoToDocMap map[api.ResourceInfo]int

// ResourceToDocMap maps the resources of a unit to the indexes of their documents. Of several with
// the same type and name the last one wins.
func ResourceToDocMap(docs gaby.Container,
	resourceProvider configkit.ResourceProvider,
) (ResourceInfoToDocMap, error) {
	indexes := make(ResourceInfoToDocMap, len(docs))
	err := EachResource(docs, resourceProvider,
		func(i int, info api.ResourceInfo) { indexes[info] = i })
	return indexes, err
}

// VisitPathsDoc calls visitor for the matches of the paths of each resource's type. With upsert
// these include values that could be created, for which currentDoc is nil. args fill the %s of the
// paths.
func VisitPathsDoc(docs gaby.Container, paths configkit.PathSource, args []any,
	output any,
	resourceProvider configkit.ResourceProvider, visitor DocVisitorFunc, upsert bool,
) (any, error) {
	err := visitMatches(docs, paths, args, resourceProvider, upsert,
		func(p *Match) error {
			var err error
			output, err = visitor(p.Doc, output, p.context(), p.Value.Doc())
			return err
		})
	return output, err
}

// VisitPaths calls visitor for the scalars of type T at the paths of each resource's type. For a
// path with an embedded path it gets the part. Values of other types are skipped.
func VisitPaths[T Scalar](docs gaby.Container, paths configkit.PathSource,
	args []any, output any,
	resourceProvider configkit.ResourceProvider, visitor ValueVisitorFunc[T],
) (any, error) {
	err := visitMatches(docs, paths, args, resourceProvider, false,
		func(p *Match) error {
			value, ok := p.Scalar()
			if !ok {
				return nil
			}
			typed, ok := value.(T)
			if !ok {
				return nil
			}
			var err error
			output, err = visitor(p.Doc, output, p.context(), typed)
			return err
		})
	return output, err
}

// compiledPath is a path that is ready to be resolved.
type compiledPath struct {
	info       *api.PathVisitorInfo
	path       *yamlpath.Path
	constraint *yamlpath.Path // from the resolved path of info, if it has one
	existing   bool           // no value is created
	accessor   yamlpath.Accessor
	where      *where.Expr // nil for all
	elements   bool        // where is about what the path leads to, not about the resource
}

// typePaths holds what one call needs about a resource type.
type typePaths struct {
	paths []compiledPath
	keys  func() *configkit.MergeKeyTree // computed on first use, because setters do not need it
	seen  yamlpath.FirstByKey
}

// pathVisitor visits the documents of one call. Its memory is reused.
type pathVisitor struct {
	provider configkit.ResourceProvider
	upsert   bool
	reads    bool              // visit changes nothing
	wanted   func(*Match) bool // see EditOptions; nil for all
	create   func(*Match) bool // likewise
	visit    func(*Match) error
	current  Match
	resolver yamlpath.Resolver
	problems []error
	siblings siblings
}

// visitMatches is the loop of all path visitors. It scans only documents whose type has paths.
func visitMatches(docs gaby.Container, source configkit.PathSource, args []any,
	provider configkit.ResourceProvider,
	upsert bool, visit func(*Match) error,
) error {
	v := pathVisitor{provider: provider, upsert: upsert, visit: visit}
	return v.documents(docs, source, args)
}

// readMatches is visitMatches for a visit that changes nothing.
func readMatches(docs gaby.Container, source configkit.PathSource, args []any,
	provider configkit.ResourceProvider, visit func(*Match) error,
) error {
	v := pathVisitor{provider: provider, visit: visit, reads: true}
	return v.documents(docs, source, args)
}

// documents visits the matches in all documents.
func (v *pathVisitor) documents(docs gaby.Container, source configkit.PathSource, args []any,
) error {
	provider := v.provider
	texts := make([]string, len(args))
	for i, arg := range args {
		texts[i] = fmt.Sprint(arg)
	}
	v.resolver.Yield = v.match
	if v.upsert {
		v.siblings = siblingsOf(docs, provider)
	}
	types := map[api.ResourceType]*typePaths{}
	for _, doc := range docs {
		info, err := provider.ResourceInfo(doc)
		if err != nil {
			if _, ok := errors.AsType[*configkit.NoResourceError](err); !ok {
				v.problems = append(v.problems, yamlpath.Locate(err, nil))
			}
			continue
		}
		t := info.ResourceType
		known, ok := types[t]
		if !ok {
			known = &typePaths{}
			if known.paths, err = compilePaths(source.PathsOf(t), texts, provider); err != nil {
				return err // the paths are wrong whatever the documents are
			}
			known.keys = sync.OnceValue(func() *configkit.MergeKeyTree {
				return provider.MergeKeys(t)
			})
			types[t] = known
		}
		if len(known.paths) > 0 {
			v.document(doc, info, known)
		}
	}
	return errors.Join(v.problems...)
}

// document visits the matches of all paths in one document.
func (v *pathVisitor) document(doc *gaby.YamlDoc, info api.ResourceInfo, known *typePaths,
) {
	if err := doc.Check(); err != nil {
		v.problems = append(v.problems, yamlpath.Locate(err, &info))
		return
	}
	v.current = Match{Doc: doc, Resource: &info, known: known}
	for i := range known.paths {
		path := &known.paths[i]
		if path.where != nil && !path.elements {
			if holds, err := path.where.MatchResource(v.provider, doc); err != nil || !holds {
				if err != nil {
					v.problems = append(v.problems, err)
				}
				continue
			}
		}
		v.current.path, v.current.root = path, doc.Value()
		v.resolver.Path = path.path
		v.resolver.Options = yamlpath.Options{
			Upsert: v.upsert &&
				path.path.EmbeddedPath() == "", Accessor: path.accessor,
			Constraint: path.constraint, NoArguments: true, Lists: v.create != nil,
			Reads: v.reads,
		}
		err := v.resolver.Run(v.current.root)
		if err != nil && !v.siblings.have(doc, path.path) && !v.skips(err) {
			v.problems = append(v.problems, yamlpath.Locate(err, &info))
		}
	}
}

// holds reports whether the expression of a path is true for an element. One that it cannot be
// evaluated for is left alone.
func (c *compiledPath) holds(provider configkit.ResourceProvider, element gaby.Value) bool {
	ok, err := c.where.MatchValue(provider, element)
	return err == nil && ok
}

// skips reports whether the caller does without a value that cannot be created. Nobody needs one
// below a list: the path leads to nothing there.
func (v *pathVisitor) skips(err error) bool {
	e, ok := errors.AsType[*yamlpath.NotAMapError](err)
	if !ok || v.create == nil {
		return false
	}
	v.current.at(&yamlpath.Match{Segments: e.Missing})
	return !v.create(&v.current) || e.Value.Kind() == gaby.List
}

// match visits a match of the path. It collects errors, so that visiting continues.
func (v *pathVisitor) match(m *yamlpath.Match) error {
	p := &v.current
	p.at(m)
	missing := !p.Value.Exists()
	if missing && (!v.upsert || p.path.existing || v.lacksMetadata(m) ||
		v.siblings.elsewhere(p.Doc, p.Segments)) ||
		p.path.elements && !p.path.holds(v.provider, p.Value) ||
		v.wanted != nil && !v.wanted(p) || missing && v.create != nil && !v.create(p) {
		return nil
	}
	if err := v.visit(p); err != nil {
		v.problems = append(v.problems, p.locate(err))
	}
	return nil
}

// lacksMetadata reports whether a match would create the metadata of a resource without a name. The
// configuration of a program has none, although it has apiVersion and kind.
func (v *pathVisitor) lacksMetadata(m *yamlpath.Match) bool {
	return v.current.Resource.ResourceNameWithoutScope == "" && m.Segments[0] == "metadata" &&
		!v.current.root.Get("metadata").Exists() &&
		v.provider.ToolchainType() == api.ToolchainKubernetesYAML
}

// compilePaths compiles and binds the paths that args select.
func compilePaths(infos []*api.PathVisitorInfo, args []string,
	provider configkit.ResourceProvider,
) ([]compiledPath, error) {
	compiled := make([]compiledPath, 0, len(infos))
	from := yamlpath.CompilerOf(provider)
	for _, info := range infos {
		meant, existing := meantBy(info, args)
		if !meant {
			continue
		}
		path, err := from.CompilePath(string(info.Path))
		if err != nil {
			return nil, err
		}
		if path, err = path.Bind(args); err != nil {
			return nil, err
		}
		c := compiledPath{info: info, path: path, existing: existing || info.ExistingOnly}
		if info.Where != "" {
			if c.where, err = where.Parse(info.Where); err != nil {
				return nil, err
			}
			last := path.Segments()[len(path.Segments())-1]
			c.elements = last.Kind == yamlpath.Any
		}
		if info.ResolvedPath != "" {
			if c.constraint, err = from.CompilePath(string(info.ResolvedPath)); err != nil {
				return nil, err
			}
		}
		accessor := info.EmbeddedAccessorType
		if accessor == api.EmbeddedAccessorNone && path.EmbeddedPath() != "" {
			accessor = api.EmbeddedAccessorText
		}
		if c.accessor, err = from.CompileAccessor(accessor, info.EmbeddedAccessorConfig); err != nil {
			return nil, err
		}
		compiled = append(compiled, c)
	}
	return compiled, nil
}

// meantBy reports whether args select a path that is registered for certain arguments, and whether
// its values must exist already.
func meantBy(info *api.PathVisitorInfo, args []string) (meant, existing bool) {
	for i, want := range info.Arguments {
		switch {
		case i >= len(args) || args[i] == "*":
			existing = true
		case args[i] != want:
			return false, false
		}
	}
	return true, existing
}

// mergeKeys returns the merge keys of the resource's type, nil if there are none.
func (p *Match) mergeKeys() *configkit.MergeKeyTree { return p.known.keys() }

// Path returns the path by which messages and results report the match.
func (p *Match) Path() api.ResolvedPath {
	return yamlpath.ReportedFrom(p.root, p.Segments, p.passed, p.mergeKeys(),
		p.path.path.EmbeddedPath(), &p.known.seen)
}

// attributeInfo returns the part of a result that describes the match.
func (p *Match) attributeInfo(t api.DataType) api.AttributeInfo {
	info := api.AttributeInfo{
		AttributeIdentifier: api.AttributeIdentifier{ResourceInfo: *p.Resource, Path: p.Path()},
		AttributeMetadata: api.AttributeMetadata{
			AttributeName: p.path.info.AttributeName,
			DataType:      t,
		},
	}
	if info.AttributeName == "" {
		info.AttributeName = api.AttributeNameNone
	}
	return info
}

// context returns the VisitorContext of the match, which shares no memory with it.
func (p *Match) context() VisitorContext {
	c := VisitorContext{
		AttributeInfo:    p.attributeInfo(p.path.info.DataType),
		Segments:         append([]string(nil), p.Segments...),
		PathArguments:    p.arguments(p.path.path),
		EmbeddedPath:     p.path.path.EmbeddedPath(),
		EmbeddedAccessor: p.accessor(),
		Position:         p.Value.Position(),
		VisitorInfo:      p.path.info,
		Keys:             p.mergeKeys(),
	}
	c.Details = p.path.info.Details
	return c
}

// arguments returns the arguments that the parameters of path, which leads to the match, are bound
// to. Few visitors need them, so the path is followed again.
func (p *Match) arguments(path *yamlpath.Path) []api.FunctionArgument {
	var arguments []api.FunctionArgument
	options := yamlpath.Options{
		Upsert: true, Accessor: p.path.accessor,
		Constraint: yamlpath.Exactly(p.Segments),
	}
	// There is no error: the path leads here.
	_ = path.Resolve(p.root, options, func(m *yamlpath.Match) error {
		arguments = slices.Clone(m.Arguments)
		return nil
	})
	return arguments
}

// BoundDetails returns the details of the attribute, with the arguments bound here added to the
// invocations that read and write it.
func (c *VisitorContext) BoundDetails() *api.AttributeDetails {
	return boundDetails(c.Details, func() []api.FunctionArgument { return c.PathArguments })
}

// boundDetails returns details with arguments added to their invocations, if they have any.
func boundDetails(unbound *api.AttributeDetails,
	arguments func() []api.FunctionArgument,
) *api.AttributeDetails {
	if unbound == nil || unbound.GetterInvocation == nil && len(unbound.SetterInvocations) == 0 {
		return unbound
	}
	details, bound := *unbound, arguments()
	bind := func(invocation api.FunctionInvocation) api.FunctionInvocation {
		invocation.Arguments = slices.Concat(invocation.Arguments, bound)
		return invocation
	}
	if details.GetterInvocation != nil {
		bound := bind(*details.GetterInvocation)
		details.GetterInvocation = &bound
	}
	details.SetterInvocations = slices.Clone(details.SetterInvocations)
	for i := range details.SetterInvocations {
		details.SetterInvocations[i] = bind(details.SetterInvocations[i])
	}
	return &details
}

// locate converts an error to a failure with the resource, path and position at which it occurred.
func (p *Match) locate(err error) error {
	// gaby knows best which path the edit failed at
	if e, ok := errors.AsType[*gaby.EditError](err); ok && e.Path != "" {
		reported := *e
		reported.Path = string(yamlpath.ReportedFrom(p.root, gaby.DotPathToSlice(e.Path), nil,
			p.mergeKeys(), p.path.path.EmbeddedPath(), &p.known.seen))
		err = &reported
	}
	return yamlpath.LocateAt(err, p.Resource, p.Path(), p.Value.Position())
}
