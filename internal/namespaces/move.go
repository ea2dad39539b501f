package namespaces

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
	"github.com/fctl-dev/fctl/functions/generic"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/knowledge/schemas"
)

const (
	typeNamespace api.ResourceType = "v1/Namespace"

	// Path is the path of the namespace of a resource itself.
	Path = "metadata.namespace"
)

// Move is one call of a function that gives resources a namespace.
type Move struct {
	fc         *api.FunctionContext
	provider   configkit.ResourceProvider
	registered configkit.PathSource
	targets    func(p *yamlkit.Match) [][2]string
	words      configkit.PathSource // where the DNS names of Services may be
	// The registered paths at which missing namespaces are created: that of the resource itself if
	// the type is namespaced, and those of required fields.
	created configkit.PathSource
	// The registered paths that are changed but not created, except that of the resource itself.
	changed  configkit.PathSource
	From, To string
	Own      bool // change only the namespace of the resource itself
	selected bool // whether there are where-expressions

	types map[api.ResourceType]*movedType
	// by group and kind, from the CustomResourceDefinitions of the unit
	defined map[string]configkit.Scope

	resources  []movedResource  // of the unit or part, including those that are not moved
	plain      []*movedResource // resources that name no namespace but their own
	scoped     gaby.Container   // other resources whose scope is known
	unscoped   gaby.Container   // other resources whose scope is unknown
	unknown    map[string]int   // by type: number of resources of unknown scope without a namespace
	namespaces []*movedResource // Namespaces that the function sees
	naming     gaby.Container   // resources whose values may contain the namespace
	left       leftNamespaces
	foreign    bool // a resource names a namespace that the part has no resource of
	// kinds and names of the resources that say no namespace; nil until asked for
	given map[[2]string]bool
}

// movedResource is a resource before the move.
type movedResource struct {
	NamedResource
	err       error
	stays     bool // it is not selected
	generated bool // the cluster generates its name from metadata.generateName
}

func (r *movedResource) isNamespace() bool {
	return r.err == nil && r.Info.ResourceType == typeNamespace
}

// movedType is what a move knows about a type.
type movedType struct {
	scope   configkit.Scope
	kind    string // group and kind, without the version
	onlyOwn bool   // its resources name no namespace but their own
}

// New returns a call for the resources of a unit. registered has the paths that name namespaces,
// targets returns the kinds and names of resources to which a path refers, words has the paths of
// commands, arguments and variables, where the DNS names of Services may be. clusterScoped are resource types without namespace,
// besides those of Kubernetes.
func New(
	fc *api.FunctionContext, provider configkit.ResourceProvider,
	registered configkit.PathSource, targets func(p *yamlkit.Match) [][2]string,
	words configkit.PathSource, clusterScoped []string,
) *Move {
	m := &Move{
		fc: fc, provider: provider, registered: registered, targets: targets, words: words,
		types: map[api.ResourceType]*movedType{}, unknown: map[string]int{},
		selected: handler.ExcludedOf(fc) != nil,
		defined:  map[string]configkit.Scope{},
	}
	m.created = configkit.FilterPaths(m.registered, m.creates)
	m.changed = configkit.FilterPaths(m.registered,
		func(t api.ResourceType, info *api.PathVisitorInfo) bool {
			return !m.creates(t, info) && !isOwn(t, info)
		})
	for _, t := range clusterScoped {
		m.addType(api.ResourceType(t), configkit.ScopeCluster)
	}
	return m
}

// Run moves the resources and returns the number of matches.
func (m *Move) Run(docs gaby.Container) (int, error) {
	m.survey(docs)
	renamed, err := m.renamedNamespaces()
	if err == nil && !handler.IsPart(m.fc) {
		err = m.refuseSame()
	}
	if err != nil {
		return 0, err
	}
	// The DNS names of Services come first, because the namespace to replace in them may be that of
	// the resource.
	matches, err := inServiceNames(m.naming, m.words, m.provider, m.From, m.To)
	matches += m.movePlain()
	problems := []error{err}
	move := func(docs gaby.Container, paths configkit.PathSource, o yamlkit.UpdateOptions) {
		n, err := yamlkit.UpdatePaths(docs, paths, nil, m.provider, m.moved, o)
		matches += n
		problems = append(problems, err)
	}
	if m.From != "" { // a missing namespace is not the former one, so none is created
		move(slices.Concat(m.scoped, m.unscoped, renamed), m.registered, yamlkit.UpdateOptions{})
	} else {
		move(m.scoped, m.created, yamlkit.UpdateOptions{Upsert: true})
		move(m.unscoped, configkit.FilterPaths(m.registered, isOwn), yamlkit.UpdateOptions{})
		move(renamed, m.registered, yamlkit.UpdateOptions{})
		move(slices.Concat(m.scoped, m.unscoped), m.changed,
			yamlkit.UpdateOptions{Wanted: m.namesMoved})
	}
	if m.foreign && handler.IsPart(m.fc) {
		return 0, handler.ErrWholeUnit
	}
	if handler.IsPart(m.fc) {
		problems = append(problems, m.leave(len(renamed) > 0))
		return matches, errors.Join(problems...)
	}
	m.noteUnknown()
	var rest []restText
	for _, doc := range m.left.rest {
		text := doc.Source()
		rest = append(rest, restText{text, text == nil, gaby.Container{doc}, 0})
	}
	if len(rest) > 0 {
		m.left.addRest(rest, m.isFormer)
	}
	m.left.count().note(m.fc)
	return matches, errors.Join(problems...)
}

// Ensure gives resources without a namespace the placeholder for one. It returns the number of
// resources that have one afterwards.
func (m *Move) Ensure(docs gaby.Container) (int, error) {
	m.survey(docs)
	matches := 0
	var without gaby.Container // only these are parsed
	for _, doc := range m.scoped {
		if info, err := m.provider.ResourceInfo(doc); err == nil && info.ResourceName != "/"+
			info.ResourceNameWithoutScope {
			matches++
		} else if err != nil || len(m.created.PathsOf(info.ResourceType)) > 0 {
			// UpdatePaths reports what is wrong with unreadable documents
			without = append(without, doc)
		}
	}
	n, err := yamlkit.UpdatePaths(without, m.created, nil, m.provider, func(current string) string {
		return cmp.Or(current, generic.PlaceholderString)
	}, yamlkit.UpdateOptions{Upsert: true})
	if handler.IsPart(m.fc) {
		return matches + n, errors.Join(err, m.leave(false))
	}
	m.noteUnknown()
	return matches + n, err
}

// movePlain moves the resources that name no namespace but their own, without visiting other paths.
// It returns their number.
func (m *Move) movePlain() int {
	matches := 0
	for _, r := range m.plain {
		to := m.moved(r.Namespace)
		if to != r.Namespace {
			if _, err := r.Doc.Set(to, "metadata", "namespace"); err != nil {
				// the visit of this document reports what is wrong
				m.scoped = append(m.scoped, r.Doc)
				continue
			}
		}
		matches++
	}
	return matches
}

// isOwn reports whether a path is that of the namespace of the resource itself, or one that may be
// created.
func isOwn(_ api.ResourceType, info *api.PathVisitorInfo) bool {
	return info.Path == Path || strings.Contains(string(info.Path), "|")
}

// namesMoved reports whether a reference names a namespace that resources are moved from, or leads
// to a resource that has no namespace and gets the new one. Resources of other namespaces stay there.
func (m *Move) namesMoved(p *yamlkit.Match) bool {
	value, _ := p.Scalar()
	name, _ := value.(string)
	if name == m.To || m.isUsed(name) || configkit.IsKustomizationType(p.Resource.ResourceType) {
		return true // a kustomization sets the namespace of the resources that it lists
	}
	m.foreign = m.foreign || name != ""
	return !handler.IsPart(m.fc) && m.isGiven(p)
}

// isGiven reports whether the target of a reference gets its namespace from the move.
func (m *Move) isGiven(p *yamlkit.Match) bool {
	if m.given == nil {
		m.given = map[[2]string]bool{}
		for i := range m.resources {
			r := &m.resources[i]
			if after, ok := m.after(r); ok && !r.stays && r.Namespace == "" {
				m.given[[2]string{after[0], r.Name()}] = true
			}
		}
	}
	return slices.ContainsFunc(m.targets(p), func(target [2]string) bool {
		return m.given[target] || slices.ContainsFunc(m.inputs().In(target[0], "", target[1]),
			func(in schemas.InputResource) bool {
				return m.typeOf(in.ResourceType).scope == configkit.ScopeNamespaced
			})
	})
}

// moved returns the namespace that replaces current, which may be current itself.
func (m *Move) moved(current string) string {
	if m.From != "" && current != m.From {
		return current
	}
	return m.To
}

// survey classifies the documents. It only reads their headers, and CustomResourceDefinitions.
func (m *Move) survey(docs gaby.Container) {
	m.list(docs, false)
	if s := handler.ExcludedOf(m.fc); s != nil {
		m.list(s.Docs, true)
	}
	for i := range m.resources {
		switch r := &m.resources[i]; {
		case r.stays:
		case r.err != nil:
			m.scoped = append(m.scoped, r.Doc) // the visit of this document reports what is wrong
		case r.isNamespace() && !m.Own:
			m.namespaces = append(m.namespaces, r)
			m.left.rest = append(m.left.rest, r.Doc)
		default:
			m.sort(r)
		}
	}
}

// list adds documents to the resources of the unit, and the scopes that CustomResourceDefinitions
// among them define.
func (m *Move) list(docs gaby.Container, stay bool) {
	m.resources = slices.Grow(m.resources, len(docs))
	for _, doc := range docs {
		info, err := m.provider.ResourceInfo(doc)
		m.resources = append(m.resources, movedResource{
			NewResource(doc, info), err, stay, hasGeneratedName(doc),
		})
		if err == nil && strings.HasSuffix(string(info.ResourceType), "/CustomResourceDefinition") {
			spec := doc.Value().Get("spec")
			kind := spec.Get("group").Text() + "/" + spec.Get("names").Get("kind").Text()
			m.defined[kind] = configkit.Scope(spec.Get("scope").Text())
		}
	}
}

// hasGeneratedName reports whether a resource has only a metadata.generateName. Several resources
// with the same one get different names.
func hasGeneratedName(doc *gaby.YamlDoc) bool {
	h, err := doc.Header()
	return err == nil && h.Name == ""
}

// sort classifies a resource that is moved.
func (m *Move) sort(r *movedResource) {
	t := m.typeOf(r.Info.ResourceType)
	if !m.Own && m.left.add(r.Doc, r.Namespace, m.From, m.To) {
		m.naming = append(m.naming, r.Doc)
	}
	if t.onlyOwn && r.Namespace != "" && !m.Own && r.Doc.Check() == nil {
		m.plain = append(m.plain, r)
		return
	}
	if t.scope != configkit.ScopeUnknown {
		m.scoped = append(m.scoped, r.Doc)
	} else {
		m.unscoped = append(m.unscoped, r.Doc)
		if r.Namespace == "" {
			m.unknown[string(r.Info.ResourceType)]++
		}
	}
}

// typeOf returns what is known about a type. For types that are not Kubernetes' own, a
// CustomResourceDefinition of the unit takes precedence.
func (m *Move) typeOf(t api.ResourceType) *movedType {
	known, ok := m.types[t]
	if ok {
		return known
	}
	scope := configkit.ScopeUnknown
	if p, ok := m.provider.(interface {
		Scope(t api.ResourceType) configkit.Scope
	}); ok {
		scope = p.Scope(t)
	}
	if scope == configkit.ScopeUnknown || IsCustom(t) {
		scope = cmp.Or(m.defined[configkit.GroupKind(t)], scope)
	}
	return m.addType(t, scope)
}

// addType records what is known about a type with this scope.
func (m *Move) addType(t api.ResourceType, scope configkit.Scope) *movedType {
	known := &movedType{scope: scope, kind: configkit.GroupKind(t)}
	m.types[t] = known
	paths := m.registered.PathsOf(t)
	known.onlyOwn = len(paths) == 1 && paths[0].Path == Path
	return known
}

// IsCustom reports whether the group of a type cannot be one of Kubernetes' own.
func IsCustom(t api.ResourceType) bool {
	group, _, _ := strings.Cut(string(t), "/")
	return strings.Contains(group, ".") && !strings.HasSuffix(group, ".k8s.io")
}

// creates reports whether a missing namespace is created at a path of type t. It is if the path is
// that of the resource's own namespace and the type is namespaced, or if the path has a |, the mark
// of paths that may be created.
func (m *Move) creates(t api.ResourceType, info *api.PathVisitorInfo) bool {
	if info.Path == Path {
		return m.typeOf(t).scope == configkit.ScopeNamespaced
	}
	return !m.Own && strings.Contains(string(info.Path), "|")
}

// noteUnknown reports the resources that got no namespace because it is unknown whether they can
// have one.
func (m *Move) noteUnknown() {
	if len(m.unknown) == 0 || m.From != "" {
		return
	}
	count := 0
	for _, n := range m.unknown {
		count += n
	}
	m.fc.NoteSum("set no namespace in ", count, "resource", ": the scope of the type is not known "+
		"('scope:' in a file of --resource-types, or the CustomResourceDefinition in the input or "+
		"--schema, says what it is)",
		slices.Sorted(maps.Keys(m.unknown))...)
}

// inputs returns the resources of all input files. It returns none if there are where-expressions,
// which leave some of them out.
func (m *Move) inputs() *schemas.ResourceIndex {
	p, ok := m.provider.(schemas.InputProvider)
	if !ok || m.selected {
		return schemas.IndexResources(nil)
	}
	return p.Inputs()
}

// isUsed reports whether resources are moved from a namespace.
func (m *Move) isUsed(namespace string) bool {
	if m.From != "" {
		return namespace == m.From
	}
	return m.left.namespaces[namespace] || m.inputs().HasNamespace(namespace)
}

// isFormer reports whether a namespace no longer has resources after the move.
func (m *Move) isFormer(namespace string) bool {
	return namespace != m.To && m.isUsed(namespace)
}

// refuseSame returns an error if resources of different namespaces would become the same one.
func (m *Move) refuseSame() error {
	for i := range m.resources {
		if other, ok := m.sameInput(&m.resources[i]); ok {
			r := &m.resources[i]
			return m.same(r, string(other.ResourceName),
				fmt.Sprintf(" of %s:%d", other.File, other.Line))
		}
	}
	if !m.mixed(len(m.left.rest)) && !m.selected {
		return nil
	}
	former := map[[3]string]string{} // former namespace by kind, namespace and name after the move
	for i := range m.resources {
		r := &m.resources[i]
		after, ok := m.after(r)
		if !ok {
			continue
		}
		other, taken := former[after]
		if !taken {
			former[after] = r.Namespace
		} else if other != r.Namespace {
			return m.same(r, other+"/"+r.Name(), "")
		}
	}
	return nil
}

// same returns the failure for a resource that would become the same as other.
func (m *Move) same(r *movedResource, other, of string) *api.Failure {
	namespace, _, _ := strings.Cut(other, "/")
	return r.Failure(m.sameHint(m.otherThanNew(namespace, r.Namespace)),
		"%s%s and %s would both be %s/%s", strings.TrimPrefix(other, "/"), of,
		strings.TrimPrefix(r.Namespace+"/"+r.Name(), "/"), m.To, r.Name())
}

// sameInput returns the resource of another file that r would become the same as.
func (m *Move) sameInput(r *movedResource) (schemas.InputResource, bool) {
	after, ok := m.after(r)
	if !ok || after[1] == r.Namespace {
		return schemas.InputResource{}, false
	}
	// The namespaces whose resources are in the new one after the move.
	from := []string{after[1]}
	if !m.selected && after[1] == m.To {
		from = append(from, cmp.Or(m.From, schemas.Anywhere))
	}
	for _, namespace := range from {
		for _, other := range OtherInputs(m.fc, m.provider, after[0], namespace, r.Name()) {
			if in, _, _ := strings.Cut(string(other.ResourceName), "/"); in != r.Namespace {
				return other, true
			}
		}
	}
	return schemas.InputResource{}, false
}

// after returns the kind, the namespace and the name of a resource after the move. ok is false if
// the resource has no namespace, or if its name is not known yet.
func (m *Move) after(r *movedResource) (key [3]string, ok bool) {
	if r.err != nil || r.generated {
		return key, false
	}
	t := m.typeOf(r.Info.ResourceType)
	if r.Namespace == "" && t.scope != configkit.ScopeNamespaced {
		return key, false
	}
	key = [3]string{t.kind, r.Namespace, r.Name()}
	if !r.stays {
		key[1] = m.moved(r.Namespace)
	}
	return key, true
}

// otherThanNew returns the first of two former namespaces that is not the new one, or "".
func (m *Move) otherThanNew(a, b string) string {
	if a == m.To {
		a = ""
	}
	if b == m.To {
		b = ""
	}
	return cmp.Or(a, b)
}

// sameHint says how to move only some of the resources: those in old, if it is not empty.
func (m *Move) sameHint(old string) string {
	if m.From != "" || m.selected || old == "" {
		return "--where-resource leaves resources out"
	}
	return fmt.Sprintf("'set-namespace %s %s' moves only what is in %s", m.To, old, old)
}

// mixed reports whether the resources are in several namespaces, or some of them in none.
func (m *Move) mixed(without int) bool {
	n := len(m.left.namespaces)
	return n > 1 || n == 1 && without > 0
}
