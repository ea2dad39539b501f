package references

import (
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
	"github.com/fctl-dev/fctl/internal/knowledge/resourcetypes"
	"github.com/fctl-dev/fctl/internal/namespaces"
)

// These are the options that a resource can set, see configkit.PropertyProvider.
const (
	optionIgnoreNeeded   = "IgnoreNeeded"
	optionIgnoreProvided = "IgnoreProvided"
)

// Reference is a value with which a resource refers to another one.
type Reference struct {
	Match     *yamlkit.Match
	Types     []api.ResourceType // the types it can refer to
	Namespace string             // of the target, "" if not known
	Name      string
}

// MayBeDomain reports whether the reference is a host like web.shop, which may as well be the domain
// of somebody else.
func (r *Reference) MayBeDomain() bool {
	return r.Namespace != "" && r.Match.Value.EqualText(r.Name+"."+r.Namespace)
}

// Set visits all references and renames those for which rename reports true. It returns
// the number of these.
func Set(
	docs gaby.Container,
	provider configkit.ResourceProvider,
	rename func(*Reference) (string, bool),
) (int, error) {
	properties := PropertiesOf(provider)
	name := ""
	wanted := func(p *yamlkit.Match) (wanted bool) {
		value, ok := p.Scalar()
		text, isText := value.(string)
		if !ok || !isText {
			return false
		}
		name, wanted = rename(&Reference{
			Match: p, Types: properties.targets(p), Namespace: referredNamespace(p), Name: text,
		})
		return wanted
	}
	return yamlkit.UpdatePaths(docs, withNamespaces{provider}, EveryKey(), provider,
		func(string) string { return name }, yamlkit.UpdateOptions{Wanted: wanted})
}

// targets returns the types of the resources that the value at a match can refer to.
func (p Properties) targets(match *yamlkit.Match) []api.ResourceType {
	if match.Info().AttributeName == attributeNamespace {
		return []api.ResourceType{"v1/Namespace"}
	}
	for _, of := range madeAttributes() {
		if match.Info().AttributeName == of.attribute {
			return []api.ResourceType{of.made}
		}
	}
	types := targetTypes(match.Info().Details)
	if p.provider != nil {
		types = p.provider.TargetTypes(match.Doc, match.Segments, types)
	}
	return types
}

// referredNamespace returns the namespace a reference refers to: the part namespace of its text or
// the field namespace beside name, secretNamespace beside secretName and so on, if there is one,
// otherwise the namespace of the resource.
func referredNamespace(p *yamlkit.Match) string {
	if part, ok := p.Part("namespace"); ok {
		return part
	}
	if n := len(p.Segments) - 1; n > 0 && p.Segments[0] != "metadata" {
		around := p.Doc.Search(p.Segments[:n]...).Value()
		for _, field := range namespaceFields(p.Segments[n]) {
			if beside := around.Get(field); beside.Exists() {
				return beside.Text()
			}
		}
	}
	namespace, _, _ := strings.Cut(string(p.Resource.ResourceName), "/")
	return namespace
}

// Visit calls visit for each reference. Resources that opt out of being asked for what they need are
// skipped. The reference is valid until visit returns.
func Visit(
	docs gaby.Container, provider configkit.ResourceProvider, visit func(*Reference),
) error {
	properties := PropertiesOf(provider)
	return yamlkit.VisitMatches(docs, Paths(provider), EveryKey(), provider,
		func(p *yamlkit.Match) {
			value, _ := p.Scalar()
			if name, ok := value.(string); ok && !properties.sets(p.Doc, optionIgnoreNeeded) {
				visit(&Reference{
					Match: p, Types: properties.targets(p), Namespace: referredNamespace(p), Name: name,
				})
			}
		})
}

// rowsOf returns a row for each match of attributes for which reason returns a text. The attributes
// of a document are visited one after the other.
func rowsOf(
	docs gaby.Container, provider configkit.ResourceProvider, attributes []api.AttributeName,
	reason func(*yamlkit.Match) string,
) (rows api.AttributeValueList, err error) {
	paths := filteredPaths{accept: func(*api.PathVisitorInfo) bool { return true }}
	for _, name := range attributes {
		paths.sources = append(paths.sources, provider.AttributePaths(name))
	}
	err = yamlkit.VisitMatches(docs, paths, EveryKey(), provider, func(p *yamlkit.Match) {
		if text := reason(p); text != "" {
			row, _ := p.Row()
			row.Reason = text
			rows = append(rows, row)
		}
	})
	return yamlkit.SortRows(rows), err
}

// Properties adds the knowledge of a provider about needed and provided values to what is
// registered. provider may be nil.
type Properties struct{ provider configkit.PropertyProvider }

// PropertiesOf returns the properties of provider, which may know none.
func PropertiesOf(provider configkit.ResourceProvider) Properties {
	return Properties{configkit.PropertiesOf(provider)}
}

// sets reports whether a resource sets an option.
func (p Properties) sets(doc *gaby.YamlDoc, option string) bool {
	return p.provider != nil && slices.Contains(p.provider.VisitorOptions(doc), option)
}

// AddNeeded sets the details of a row: the properties that its value must have. It reports false if
// the resource opts out.
func (p Properties) AddNeeded(match *yamlkit.Match, row *api.AttributeValue) bool {
	details := *match.BoundDetails(match.Info())
	if p.provider != nil {
		details.NeededRequired = p.provider.NeededProperties(
			match.Doc, match.Segments, details.NeededRequired,
		)
		details.NeededPreferred = p.provider.PreferredProperties(
			match.Doc, match.Resource.ResourceType, match.Segments,
		)
	}
	row.Details = &details
	return !p.sets(match.Doc, optionIgnoreNeeded)
}

// AddProvided sets the details of a row: the properties that its value has. It reports false if the
// resource opts out.
func (p Properties) AddProvided(match *yamlkit.Match, row *api.AttributeValue) bool {
	details := *match.BoundDetails(match.Info())
	if p.provider != nil {
		details.ProvidedProperties = p.provider.ProvidedProperties(
			match.Doc, match.Segments, details.ProvidedProperties,
		)
	}
	row.Details = &details
	return !p.sets(match.Doc, optionIgnoreProvided)
}

// RefersTo reports whether the value at a match can refer to a resource of type t, or is the name
// of one.
func (p Properties) RefersTo(match *yamlkit.Match, t api.ResourceType) bool {
	return slices.Contains(p.targets(match), t) ||
		match.Info().Details.ProvidedProperties[resourcetypes.PropertyResourceType] == string(t)
}

// targetTypes returns the types of resources that a value with these details can refer to.
func targetTypes(details *api.AttributeDetails) []api.ResourceType {
	if details.NeededRequired[resourcetypes.PropertyResourceType] == "" {
		return nil
	}
	var types []api.ResourceType
	for t := range strings.SplitSeq(
		details.NeededRequired[resourcetypes.PropertyResourceType], ",",
	) {
		types = append(types, api.ResourceType(t))
	}
	return types
}

const attributeNamespace api.AttributeName = "namespace-name-reference"

// NamespacePaths returns the paths at which resources name namespaces: those that are registered,
// and in custom resources the fields beside references.
func NamespacePaths(provider configkit.ResourceProvider) configkit.PathSource {
	registered := provider.AttributePaths(attributeNamespace)
	return configkit.PathSourceFunc(func(t api.ResourceType) []*api.PathVisitorInfo {
		paths := slices.Clip(registered.PathsOf(t)) // others append to them, too
		if !namespaces.IsCustom(t) {
			return paths
		}
		known := map[string]bool{}
		for _, info := range paths {
			known[strings.ReplaceAll(string(info.Path), "|", "")] = true
		}
		for _, info := range Paths(provider).PathsOf(t) {
			around, last, isField := cutLast(string(info.Path))
			if !isField || strings.HasPrefix(around, "metadata") {
				continue
			}
			for _, field := range namespaceFields(last) {
				if path := around + "." + field; !known[path] {
					known[path] = true
					paths = append(paths, &api.PathVisitorInfo{
						Path: api.UnresolvedPath(path), AttributeName: attributeNamespace,
						DataType: api.DataTypeString, Details: &api.AttributeDetails{},
					})
				}
			}
		}
		return paths
	})
}

// cutLast splits a path before its last part, which must be the name of a field.
func cutLast(path string) (around, last string, isField bool) {
	at := strings.LastIndexByte(path, '.')
	if at < 0 {
		return "", "", false
	}
	around, last = path[:at], strings.TrimPrefix(path[at+1:], "|")
	return around, last, last != "" && !strings.ContainsAny(last, "*?%#~")
}

// namespaceFields returns the fields in which the namespace of a reference may be beside the field
// that has its name.
func namespaceFields(name string) []string {
	if stem, ok := strings.CutSuffix(name, "ame"); ok {
		return slices.Compact([]string{"namespace", stem + "amespace"})
	}
	return []string{"namespace"}
}

// withNamespaces are the paths of references, those of the namespaces that they name, and those of
// the names of what the resource makes.
type withNamespaces struct{ provider configkit.ResourceProvider }

// PathsOf returns the paths of resources of type t, each once.
func (w withNamespaces) PathsOf(t api.ResourceType) []*api.PathVisitorInfo {
	paths := slices.Clip(Paths(w.provider).PathsOf(t)) // others append to them, too
	known := map[api.UnresolvedPath]bool{}
	for _, info := range paths {
		known[info.Path] = true
	}
	for _, info := range NamespacePaths(w.provider).PathsOf(t) {
		if !known[info.Path] && t != "v1/Namespace" {
			known[info.Path] = true
			paths = append(paths, info)
		}
	}
	for _, of := range madeAttributes()[:2] { // the others are hosts and ends of names
		for _, info := range w.provider.AttributePaths(of.attribute).PathsOf(t) {
			if !known[info.Path] {
				paths = append(paths, info)
			}
		}
	}
	return paths
}

// Targets returns the kinds and names of the resources in the namespace that a match names.
func Targets(p *yamlkit.Match, provider configkit.ResourceProvider) (targets [][2]string) {
	last := len(p.Segments) - 1
	at := slices.Clone(p.Segments)
	_ = Visit(gaby.Container{p.Doc}, provider, func(ref *Reference) {
		beside := len(ref.Match.Segments) == last+1 &&
			slices.Equal(ref.Match.Segments[:last], at[:last])
		if field := ref.Match.Segments; beside && (field[last] == at[last] ||
			slices.Contains(namespaceFields(field[last]), at[last])) {
			for _, t := range ref.Types {
				targets = append(targets, [2]string{configkit.GroupKind(t), ref.Name})
			}
		}
	})
	return targets
}

// filteredPaths are the paths of several sources for which accept returns true.
type filteredPaths struct {
	sources []configkit.PathSource
	accept  func(info *api.PathVisitorInfo) bool
}

// PathsOf returns the accepted paths of resources of type t.
func (f filteredPaths) PathsOf(t api.ResourceType) []*api.PathVisitorInfo {
	var paths []*api.PathVisitorInfo
	for _, source := range f.sources {
		for _, info := range source.PathsOf(t) {
			if f.accept(info) {
				paths = append(paths, info)
			}
		}
	}
	return paths
}

// Paths returns the paths of references to other resources.
func Paths(provider configkit.ResourceProvider) configkit.PathSource {
	return filteredPaths{
		[]configkit.PathSource{provider.NeededPaths()},
		func(info *api.PathVisitorInfo) bool { return len(targetTypes(info.Details)) > 0 },
	}
}

// NamePaths returns the paths of names of resources of a type: their own names, and references to
// them.
func NamePaths(provider configkit.ResourceProvider, t api.ResourceType) configkit.PathSource {
	own := provider.ScopelessResourceNamePath()
	return filteredPaths{
		[]configkit.PathSource{provider.NeededPaths(), provider.ProvidedPaths()},
		func(info *api.PathVisitorInfo) bool {
			return slices.Contains(targetTypes(info.Details), t) ||
				info.Details.ProvidedProperties[resourcetypes.PropertyResourceType] == string(t) &&
					api.ResolvedPath(info.Path) == own
		},
	}
}

// EveryKey returns wildcards that fill the %s of any path. No path has as many as 32.
func EveryKey() []any { return slices.Repeat([]any{"*"}, 32) }
