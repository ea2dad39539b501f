package yamlkit

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/resourcetypes"
	"github.com/fctl-dev/fctl/configkit/yamlpath"
)

// Scalar are the types values at paths are read as.
type Scalar interface{ ~string | ~int | ~bool }

// VisitorContext tells a visitor where it is.
type VisitorContext struct {
	api.AttributeInfo                         // Path is what results report
	Segments          []string                // keys and indexes of the place
	PathArguments     []api.FunctionArgument  // bound by parameters of the path
	EmbeddedPath      string                  // the sub of path#sub
	EmbeddedAccessor  yamlpath.Accessor       // nil without EmbeddedPath
	Position          gaby.Position           // of the value
	VisitorInfo       *api.PathVisitorInfo    // the path that led here
	Keys              *configkit.MergeKeyTree // of the resource
}

// ResourceVisitorFunc visits a resource. What it returns is the output given to the next call.
type ResourceVisitorFunc func(doc *gaby.YamlDoc, output any, index int, resourceInfo *api.ResourceInfo) (any, []error)

// DocVisitorFunc visits a place of a document, whatever is there.
type DocVisitorFunc func(doc *gaby.YamlDoc, output any, context VisitorContext, currentDoc *gaby.YamlDoc) (any, error)

// ValueVisitorFunc visits a scalar of a document.
type ValueVisitorFunc[T Scalar] func(doc *gaby.YamlDoc, output any, context VisitorContext, currentValue T) (any, error)

// VisitResources calls the visitor for every resource, in order. Documents that are not resources are passed over; one that
// is not valid YAML is a failure, and so is every error of the visitor. Visiting goes on after failures.
func VisitResources(parsedData gaby.Container, output any, resourceProvider configkit.ResourceProvider, visitor ResourceVisitorFunc) (any, error) {
	var problems []error
	for index, doc := range parsedData {
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

// EachResource calls f for every resource, in order, with the index of its document. Documents that are not resources are passed over;
// nothing but what identifies them is read.
func EachResource(parsedData gaby.Container, resourceProvider configkit.ResourceProvider, f func(index int, info api.ResourceInfo)) error {
	var problems []error
	for i, doc := range parsedData {
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

// ResourceTypeAndName identifies a resource of a unit: type#name.
type ResourceTypeAndName string

// TypeAndName is the ResourceTypeAndName of a resource.
func TypeAndName(info *api.ResourceInfo) ResourceTypeAndName {
	return ResourceTypeAndName(string(info.ResourceType) + "#" + string(info.ResourceName))
}

// ResourceInfoToDocMap maps the resources of a unit to the indices of their documents.
type ResourceInfoToDocMap map[api.ResourceInfo]int

// ResourceToDocMap maps the resources of a unit to the indices of their documents. Of several with the same type and name the last
// counts.
func ResourceToDocMap(parsedData gaby.Container, resourceProvider configkit.ResourceProvider) (ResourceInfoToDocMap, error) {
	docs := make(ResourceInfoToDocMap, len(parsedData))
	err := EachResource(parsedData, resourceProvider, func(i int, info api.ResourceInfo) { docs[info] = i })
	return docs, err
}

// VisitPathsDoc calls the visitor for every place the paths of a resource's type lead to; with upsert also for places that
// could be created, for which currentDoc is nil. The keys fill the %s of paths.
func VisitPathsDoc(parsedData gaby.Container, resourceTypeToPaths configkit.PathSource, keys []any, output any,
	resourceProvider configkit.ResourceProvider, visitor DocVisitorFunc, upsert bool,
) (any, error) {
	err := visitPlaces(parsedData, resourceTypeToPaths, keys, resourceProvider, upsert, func(p *place) error {
		var err error
		output, err = visitor(p.doc, output, p.context(), p.match.Value.Doc())
		return err
	})
	return output, err
}

// VisitPaths calls the visitor for every scalar of type T that the paths of a resource's type lead to. Of a value with an
// embedded path the visitor sees the part. Values of other types are skipped.
func VisitPaths[T Scalar](parsedData gaby.Container, resourceTypeToPaths configkit.PathSource, keys []any, output any,
	resourceProvider configkit.ResourceProvider, visitor ValueVisitorFunc[T],
) (any, error) {
	err := visitPlaces(parsedData, resourceTypeToPaths, keys, resourceProvider, false, func(p *place) error {
		value, ok := p.read()
		if !ok {
			return nil
		}
		typed, ok := value.(T)
		if !ok {
			return nil
		}
		var err error
		output, err = visitor(p.doc, output, p.context(), typed)
		return err
	})
	return output, err
}

// compiledPath is a path ready to be resolved.
type compiledPath struct {
	info       *api.PathVisitorInfo
	path       *yamlpath.Path
	constraint *yamlpath.Path // from the resolved path of info, if it has one
	existing   bool           // nothing is to be created
	accessor   yamlpath.Accessor
}

// place is where visiting has come to. It is reused; what is kept must be copied.
type place struct {
	doc      *gaby.YamlDoc
	index    int
	resource *api.ResourceInfo
	known    *typePaths
	path     *compiledPath
	match    *yamlpath.Match
	root     gaby.Value
}

// typePaths is what one call needs to know about a resource type.
type typePaths struct {
	paths []compiledPath
	keys  func() *configkit.MergeKeyTree // read when first asked for: setters do not ask
	seen  yamlpath.FirstByKey
}

// pathVisitor goes from document to document; its space is used again.
type pathVisitor struct {
	provider configkit.ResourceProvider
	upsert   bool
	visit    func(*place) error
	place    place
	resolver yamlpath.Resolver
	problems []error
	siblings siblings
}

// visitPlaces is the loop behind all visitors of paths. Only documents whose type has paths are scanned.
func visitPlaces(parsedData gaby.Container, source configkit.PathSource, keys []any, provider configkit.ResourceProvider,
	upsert bool, visit func(*place) error,
) error {
	args := make([]string, len(keys))
	for i, key := range keys {
		args[i] = fmt.Sprint(key)
	}
	v := pathVisitor{provider: provider, upsert: upsert, visit: visit}
	v.resolver.Yield = v.match
	if upsert {
		v.siblings = siblingsOf(parsedData, provider)
	}
	types := map[api.ResourceType]*typePaths{}
	for index, doc := range parsedData {
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
			if known.paths, err = compilePaths(source.PathsOf(t), args, provider); err != nil {
				return err // the paths are wrong, whatever the documents are
			}
			known.keys = sync.OnceValue(func() *configkit.MergeKeyTree { return provider.MergeKeys(t) })
			types[t] = known
		}
		if len(known.paths) > 0 {
			v.document(doc, index, info, known)
		}
	}
	return errors.Join(v.problems...)
}

func (v *pathVisitor) document(doc *gaby.YamlDoc, index int, info api.ResourceInfo, known *typePaths) {
	if err := doc.Check(); err != nil {
		v.problems = append(v.problems, yamlpath.Locate(err, &info))
		return
	}
	v.place = place{doc: doc, index: index, resource: &info, known: known}
	for i := range known.paths {
		path := &known.paths[i]
		v.place.path, v.place.root = path, doc.Value()
		v.resolver.Path = path.path
		v.resolver.Options = yamlpath.Options{
			Upsert: v.upsert && path.path.EmbeddedPath() == "", Accessor: path.accessor, Constraint: path.constraint, NoArguments: true,
		}
		if err := v.resolver.Run(v.place.root); err != nil && !v.siblings.have(doc, path.path) {
			v.place.match = nil
			v.problems = append(v.problems, locate(err, &info, &v.place))
		}
	}
}

// match visits a place the path led to. Errors are gathered, so that visiting goes on.
func (v *pathVisitor) match(m *yamlpath.Match) error {
	v.place.match = m
	if !m.Value.Exists() && (!v.upsert || v.place.path.existing || v.siblings.elsewhere(v.place.doc, m.Segments)) {
		return nil
	}
	if err := v.visit(&v.place); err != nil {
		v.problems = append(v.problems, locate(err, v.place.resource, &v.place))
	}
	return nil
}

func compilePaths(infos []*api.PathVisitorInfo, args []string, provider configkit.ResourceProvider) ([]compiledPath, error) {
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
		if info.ResolvedPath != "" {
			if c.constraint, err = from.CompilePath(string(info.ResolvedPath)); err != nil {
				return nil, err
			}
		}
		if info.EmbeddedAccessorType != api.EmbeddedAccessorNone {
			if c.accessor, err = from.CompileAccessor(info.EmbeddedAccessorType, info.EmbeddedAccessorConfig); err != nil {
				return nil, err
			}
		} else if path.EmbeddedPath() != "" {
			return nil, &resourcetypes.NoAccessorError{Path: string(info.Path), Part: path.EmbeddedPath()}
		}
		compiled = append(compiled, c)
	}
	return compiled, nil
}

// meantBy reports whether arguments mean a path that is for certain ones, and whether nothing is to be created there.
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

func (p *place) mergeKeys() *configkit.MergeKeyTree {
	if p.known == nil {
		return nil
	}
	return p.known.keys()
}

func (p *place) seen() *yamlpath.FirstByKey {
	if p.known == nil {
		return nil
	}
	return &p.known.seen
}

// reported is how results call the place.
func (p *place) reported() api.ResolvedPath {
	return yamlpath.ReportedFrom(p.root, p.match.Segments, p.match.Passed, p.mergeKeys(), p.path.path.EmbeddedPath(), p.seen())
}

func (p *place) attributeInfo(t api.DataType) api.AttributeInfo {
	info := api.AttributeInfo{
		AttributeIdentifier: api.AttributeIdentifier{ResourceInfo: *p.resource, Path: p.reported()},
		AttributeMetadata:   api.AttributeMetadata{AttributeName: p.path.info.AttributeName, DataType: t},
	}
	if info.AttributeName == "" {
		info.AttributeName = api.AttributeNameNone
	}
	return info
}

func (p *place) context() VisitorContext {
	c := VisitorContext{
		AttributeInfo:    p.attributeInfo(p.path.info.DataType),
		Segments:         append([]string(nil), p.match.Segments...),
		PathArguments:    p.arguments(p.path.path),
		EmbeddedPath:     p.path.path.EmbeddedPath(),
		EmbeddedAccessor: p.path.accessor,
		Position:         p.match.Value.Position(),
		VisitorInfo:      p.path.info,
		Keys:             p.mergeKeys(),
	}
	c.Details = p.path.info.Details
	return c
}

// arguments are what the parameters of a path that leads to the place are bound to. Few visitors ask, so the path is followed
// again.
func (p *place) arguments(path *yamlpath.Path) []api.FunctionArgument {
	var arguments []api.FunctionArgument
	options := yamlpath.Options{Upsert: true, Accessor: p.path.accessor, Constraint: yamlpath.Exactly(p.match.Segments)}
	// An error cannot be: the path leads here.
	_ = path.Resolve(p.root, options, func(m *yamlpath.Match) error {
		arguments = slices.Clone(m.Arguments)
		return nil
	})
	return arguments
}

// BoundDetails are the details of the attribute, with the arguments that are bound at this place added to the invocations that
// read and write it.
func (c *VisitorContext) BoundDetails() *api.AttributeDetails {
	return boundDetails(c.Details, func() []api.FunctionArgument { return c.PathArguments })
}

// boundDetails are details with arguments added to their invocations, if they have any.
func boundDetails(unbound *api.AttributeDetails, arguments func() []api.FunctionArgument) *api.AttributeDetails {
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

// locate makes a failure of an error, with what is known about where it happened.
func locate(err error, info *api.ResourceInfo, p *place) error {
	if p == nil || p.match == nil {
		return yamlpath.Locate(err, info)
	}
	if e, ok := errors.AsType[*gaby.EditError](err); ok && e.Path != "" { // it knows best which place of the edit is meant
		reported := *e
		reported.Path = string(yamlpath.ReportedFrom(p.root, gaby.DotPathToSlice(e.Path), nil, p.mergeKeys(), p.path.path.EmbeddedPath(), nil))
		err = &reported
	}
	return yamlpath.LocateAt(err, info, p.reported(), p.match.Value.Position())
}
