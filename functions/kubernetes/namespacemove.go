package kubernetes

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
)

const typeNamespace api.ResourceType = "v1/Namespace"

// namespaceMove is one call of a function that gives resources a namespace. As a PathSource it has the paths at which what is missing
// is created.
type namespaceMove struct {
	fc         *api.FunctionContext
	provider   configkit.ResourceProvider
	registered configkit.PathSource
	from, to   string
	own        bool // only the namespace of the resource itself

	scopes  map[api.ResourceType]configkit.Scope
	mayName map[api.ResourceType]bool     // the types of optional
	defined map[[2]string]configkit.Scope // in the unit, by group and kind; nil until it is asked for

	docs       gaby.Container
	scoped     gaby.Container // resources of a known scope
	optional   gaby.Container // those of them that may name a namespace somewhere, or may not
	unscoped   gaby.Container // the others
	unknown    map[string]int // resources without a namespace, by type of unknown scope
	namespaces gaby.Container // the Namespaces
	left       leftNamespaces
}

func newNamespaceMove(fc *api.FunctionContext, provider configkit.ResourceProvider, args []api.FunctionArgument) *namespaceMove {
	m := &namespaceMove{
		fc: fc, provider: provider, registered: provider.AttributePaths(attributeNamespace),
		scopes: map[api.ResourceType]configkit.Scope{}, mayName: map[api.ResourceType]bool{}, unknown: map[string]int{},
	}
	for _, t := range clusterScopedTypes(args) {
		m.scopes[api.ResourceType(t)] = configkit.ScopeCluster
	}
	return m
}

// run moves the resources.
func (m *namespaceMove) run(docs gaby.Container) error {
	if err := m.survey(docs); err != nil {
		return err
	}
	renamed, err := m.renamedNamespaces()
	if err == nil {
		err = m.refuseSame()
	}
	if err != nil {
		return err
	}
	// First the names of services, as long as the resources still are in the namespace to replace there.
	matches, err := renameInServiceNames(docs, inContainers(m.provider, "command.*", "args.*", "env.*.value"), m.provider, m.from, m.to)
	problems := []error{err}
	move := func(docs gaby.Container, paths configkit.PathSource, upsert bool) {
		n, err := yamlkit.UpdatePaths(docs, paths, nil, m.provider, m.moved, yamlkit.UpdateOptions{Upsert: upsert})
		matches += n
		problems = append(problems, err)
	}
	if m.from != "" { // what names no namespace does not name that one
		move(slices.Concat(m.scoped, m.unscoped, renamed), m.registered, false)
	} else {
		move(m.scoped, m, true)
		move(m.optional, changedOnly{m}, false)
		move(slices.Concat(m.unscoped, renamed), m.registered, false)
	}
	m.fc.Matched(matches)
	m.noteUnknown()
	if len(m.left.rest) > 0 {
		m.left.addRest(m.formerNamespaces())
	}
	m.left.note(m.fc)
	return errors.Join(problems...)
}

// moved is the namespace instead of another one.
func (m *namespaceMove) moved(current string) string {
	if m.from != "" && current != m.from {
		return current
	}
	return m.to
}

// survey looks at what there is. It reads nothing but the headers of documents.
func (m *namespaceMove) survey(docs gaby.Container) error {
	m.docs = docs
	for _, doc := range docs {
		info, err := m.provider.ResourceInfo(doc)
		if err != nil {
			m.scoped = append(m.scoped, doc) // visiting tells what is wrong
			continue
		}
		namespace, _, _ := strings.Cut(string(info.ResourceName), "/")
		switch {
		case info.ResourceType == typeNamespace && !m.own:
			m.namespaces = append(m.namespaces, doc)
			m.left.rest = append(m.left.rest, doc)
			continue
		case m.scope(info.ResourceType) != configkit.ScopeUnknown:
			m.scoped = append(m.scoped, doc)
			if m.mayName[info.ResourceType] {
				m.optional = append(m.optional, doc)
			}
		default:
			m.unscoped = append(m.unscoped, doc)
			if namespace == "" {
				m.unknown[string(info.ResourceType)]++
			}
		}
		if !m.own {
			m.left.add(doc, namespace, m.from, m.to)
		}
	}
	if handler.IsPart(m.fc) && (len(m.unknown) > 0 || m.from == "" && len(m.namespaces) > 0 || !m.own && m.mixed()) {
		return handler.ErrWholeUnit
	}
	return nil
}

// scope returns the scope of a type. For a type that is not Kubernetes' own, a CustomResourceDefinition in the unit knows best.
func (m *namespaceMove) scope(t api.ResourceType) configkit.Scope {
	scope, ok := m.scopes[t]
	if ok {
		return scope
	}
	if p, ok := m.provider.(interface {
		Scope(t api.ResourceType) configkit.Scope
	}); ok {
		scope = p.Scope(t)
	}
	if (scope == configkit.ScopeUnknown || isCustom(t)) && !handler.IsPart(m.fc) {
		scope = cmp.Or(m.unitScope(t), scope)
	}
	m.scopes[t] = scope
	m.mayName[t] = len(changedOnly{m}.PathsOf(t)) > 0
	return scope
}

// isCustom reports whether the group of a type cannot be one of Kubernetes' own.
func isCustom(t api.ResourceType) bool {
	group, _, _ := strings.Cut(string(t), "/")
	return strings.Contains(group, ".") && !strings.HasSuffix(group, ".k8s.io")
}

// unitScope is the scope of a type that a CustomResourceDefinition in the unit states.
func (m *namespaceMove) unitScope(t api.ResourceType) configkit.Scope {
	if m.defined == nil {
		m.defined = map[[2]string]configkit.Scope{}
		for _, doc := range generic.WholeUnit(m.fc, m.docs) {
			if of, err := m.provider.ResourceTypeGetter(doc); err != nil || !strings.HasSuffix(string(of), "/CustomResourceDefinition") {
				continue
			}
			spec := doc.Value().Get("spec")
			key := [2]string{spec.Get("group").Text(), spec.Get("names").Get("kind").Text()}
			m.defined[key] = configkit.Scope(spec.Get("scope").Text())
		}
	}
	parts := strings.Split(string(t), "/")
	return m.defined[[2]string{parts[0], parts[len(parts)-1]}]
}

// PathsOf returns the paths of a type at which a missing namespace is created: that of a resource of a namespaced type, and what
// cannot be without. Fields that may be missing are none of them.
func (m *namespaceMove) PathsOf(t api.ResourceType) []*api.PathVisitorInfo {
	var created []*api.PathVisitorInfo
	for _, info := range m.registered.PathsOf(t) {
		if m.creates(t, info) {
			created = append(created, info)
		}
	}
	return created
}

func (m *namespaceMove) creates(t api.ResourceType, info *api.PathVisitorInfo) bool {
	if info.Path == namespacePath {
		return m.scope(t) == configkit.ScopeNamespaced
	}
	return !m.own && strings.Contains(string(info.Path), "|")
}

// ownNamespace are the paths of the namespaces of resources themselves.
type ownNamespace struct{ registered configkit.PathSource }

// PathsOf is the path of the namespace of a type's resources, if they may have one.
func (o ownNamespace) PathsOf(t api.ResourceType) []*api.PathVisitorInfo {
	paths := slices.Clone(o.registered.PathsOf(t))
	return slices.DeleteFunc(paths, func(info *api.PathVisitorInfo) bool { return info.Path != namespacePath })
}

// changedOnly are the other paths of a type.
type changedOnly struct{ *namespaceMove }

// PathsOf are the paths of a type at which no namespace is created.
func (m changedOnly) PathsOf(t api.ResourceType) []*api.PathVisitorInfo {
	var changed []*api.PathVisitorInfo
	for _, info := range m.registered.PathsOf(t) {
		if !m.creates(t, info) && info.Path != namespacePath {
			changed = append(changed, info)
		}
	}
	return changed
}

// noteUnknown says which resources got no namespace because nobody knows whether they can have one.
func (m *namespaceMove) noteUnknown() {
	if len(m.unknown) == 0 || m.from != "" {
		return
	}
	count := 0
	for _, n := range m.unknown {
		count += n
	}
	m.fc.NoteSum("resources whose type has no known scope got no namespace ('scope:' in a file of --resource-types, or the "+
		"CustomResourceDefinition in the input or --schema, says what it is)", count, slices.Sorted(maps.Keys(m.unknown))...)
}

// inputs are the resources of all input files, none with a selection, which leaves some of them out.
func (m *namespaceMove) inputs() []api.ResourceInfo {
	p, ok := m.provider.(interface{ InputResources() []api.ResourceInfo })
	if !ok || handler.SelectionOf(m.fc) != nil {
		return nil
	}
	return p.InputResources()
}

// used are the namespaces to move resources from.
func (m *namespaceMove) used() map[string]bool {
	if m.from != "" {
		return map[string]bool{m.from: true}
	}
	used := map[string]bool{}
	maps.Copy(used, m.left.namespaces)
	for _, info := range m.inputs() {
		if namespace, _, _ := strings.Cut(string(info.ResourceName), "/"); namespace != "" {
			used[namespace] = true
		}
	}
	return used
}

// formerNamespaces are those that resources were in and are not any more.
func (m *namespaceMove) formerNamespaces() []string {
	used := m.used()
	delete(used, m.to)
	return slices.Sorted(maps.Keys(used))
}

// refuseSame refuses to make one resource of several of different namespaces.
func (m *namespaceMove) refuseSame() error {
	if !m.mixed() && handler.SelectionOf(m.fc) == nil {
		return nil
	}
	moving := make(map[*gaby.YamlDoc]bool, len(m.docs))
	for _, doc := range m.docs {
		moving[doc] = true
	}
	type resource struct{ kind, namespace, name string }
	former := map[resource]string{}
	for _, doc := range generic.WholeUnit(m.fc, m.docs) {
		info, err := m.provider.ResourceInfo(doc)
		old, name, _ := strings.Cut(string(info.ResourceName), "/")
		if err != nil || old == "" && m.scope(info.ResourceType) != configkit.ScopeNamespaced {
			continue
		}
		after := resource{generic.GroupKind(info.ResourceType), old, name}
		if moving[doc] {
			after.namespace = m.moved(old)
		}
		other, taken := former[after]
		if !taken {
			former[after] = old
		} else if other != old {
			pos := doc.Value().Get("metadata").Get("name").Position()
			return &api.Failure{
				Class: api.FailureFunction, Resource: info.String(), Pos: pos,
				Message: fmt.Sprintf("%s and %s would both be %s/%s", strings.TrimPrefix(other+"/"+name, "/"), strings.TrimPrefix(old+"/"+name, "/"), m.to, name),
				Hint:    m.sameHint(cmp.Or(other, old)),
			}
		}
	}
	return nil
}

func (m *namespaceMove) sameHint(old string) string {
	if m.from != "" || handler.SelectionOf(m.fc) != nil {
		return "--where-resource leaves resources out"
	}
	return fmt.Sprintf("'set-namespace %s %s' moves only what is in %s", m.to, old, old)
}

// mixed reports whether resources are in several namespaces, or some in none.
func (m *namespaceMove) mixed() bool {
	n := len(m.left.namespaces)
	return n > 1 || n == 1 && len(m.left.rest) > 0
}

// renamedNamespaces are the Namespaces that the resources move with: the one they were in.
func (m *namespaceMove) renamedNamespaces() (gaby.Container, error) {
	if len(m.namespaces) == 0 {
		return nil, nil
	}
	used, present := m.used(), map[string]bool{}
	for _, info := range m.inputs() {
		if info.ResourceType == typeNamespace {
			present[string(info.ResourceNameWithoutScope)] = true
		}
	}
	for _, doc := range generic.WholeUnit(m.fc, m.docs) {
		if info, err := m.provider.ResourceInfo(doc); err == nil && info.ResourceType == typeNamespace {
			present[string(info.ResourceNameWithoutScope)] = true
		}
	}
	var moved []string
	for name := range present {
		if used[name] && name != m.to {
			moved = append(moved, name)
		}
	}
	slices.Sort(moved)
	var renamed gaby.Container
	for _, doc := range m.namespaces {
		info, err := m.provider.ResourceInfo(doc)
		name := string(info.ResourceNameWithoutScope)
		switch {
		case err != nil || name == m.to:
		case !used[name]:
			if m.from == "" {
				m.fc.NoteOnce(fmt.Sprintf("Namespace %s keeps its name: no other resource is in it; 'set-namespace %s %s' renames it", name, m.to, name))
			}
		case present[m.to]:
			m.fc.NoteOnce(fmt.Sprintf("Namespace %s keeps its name: there is a Namespace %s already", name, m.to))
		case len(moved) > 1:
			pos := doc.Value().Get("metadata").Get("name").Position()
			return nil, &api.Failure{
				Class: api.FailureFunction, Resource: info.String(), Pos: pos,
				Message: fmt.Sprintf("the Namespaces %s would all be called %s", strings.Join(moved, ", "), m.to),
				Hint:    fmt.Sprintf("'set-namespace %s %s' moves only what is in %s", m.to, moved[0], moved[0]),
			}
		default:
			renamed = append(renamed, doc)
		}
	}
	return renamed, nil
}
